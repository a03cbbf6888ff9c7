/* resolve_type.c: what the names in types mean. A resolved type is a new object; the written one stays as it is, since
 * it may be shared by several variables. */
#include <string.h>

#include "boogie/typing.h"

/* bv followed by digits alone. */
static bool
bv_name(const char *name)
{
  if (strncmp(name, "bv", 2) || !name[2])
    return false;
  return strspn(name + 2, "0123456789") == strlen(name + 2);
}

/* floatNeM */
static bool
float_name(const char *name, const char **exponent)
{
  if (strncmp(name, "float", 5))
    return false;
  size_t n = strspn(name + 5, "0123456789");
  const char *rest = name + 5 + n;
  if (!n || *rest != 'e' || !rest[1] || strspn(rest + 1, "0123456789") != strlen(rest + 1))
    return false;
  *exponent = rest + 1;
  return true;
}

static uint32_t
bits(const char *digits)
{
  uint64_t n = 0;
  for (; *digits >= '0' && *digits <= '9' && n <= INT32_MAX; digits++)
    n = n * 10 + (uint64_t) (*digits - '0');
  return n > INT32_MAX ? INT32_MAX : (uint32_t) n;
}

void
hd_boogie_add_binders(hd_boogie_resolver *r, const hd_boogie_types *params)
{
  for (size_t i = 0; i < params->n; i++)
  {
    hd_boogie_type *v = params->items[i];
    bool taken = false;
    if (bv_name(v->name))
    {
      hd_boogie_resolve_error(r, v->at, "type name: %s is registered for bitvectors", v->name);
      continue;
    }
    if (hd_boogie_table_get(r->types, v->name, strlen(v->name)))
    {
      hd_boogie_resolve_error(r, v->at, "name is already reserved for type constructor: %s", v->name);
      continue;
    }
    for (size_t j = 0; j < r->binders.n; j++)
      taken |= !strcmp(r->binders.items[j]->name, v->name);
    if (taken)
      hd_boogie_resolve_error(r, v->at, "more than one declaration of type variable: %s", v->name);
    else
      HD_BOOGIE_ADD(r->program, r->binders, v);
  }
}

static hd_boogie_type *
find_binder(const hd_boogie_resolver *r, const char *name)
{
  for (size_t i = r->binders.n; i-- > 0;)
    if (!strcmp(r->binders.items[i]->name, name))
      return r->binders.items[i];
  return NULL;
}

void
hd_boogie_check_occurrences(hd_boogie_resolver *r, const hd_boogie_types *params, const hd_boogie_types *types,
                            const hd_boogie_types *more, hd_boogie_place at, const char *where)
{
  hd_boogie_types used = {0};
  if (!params->n)
    return;
  for (size_t i = 0; i < types->n; i++)
    hd_boogie_free_type_vars(r->program, types->items[i], &used);
  for (size_t i = 0; more && i < more->n; i++)
    hd_boogie_free_type_vars(r->program, more->items[i], &used);
  for (size_t i = 0; i < params->n; i++)
    if (find_binder(r, params->items[i]->name) == params->items[i] && !hd_boogie_type_listed(&used, params->items[i]))
      hd_boogie_resolve_error(r, at, "type variable must occur in %s: %s", where, params->items[i]->name);
}

static hd_boogie_types
resolve_types(hd_boogie_resolver *r, const hd_boogie_types *types)
{
  hd_boogie_types out = {0};
  for (size_t i = 0; i < types->n; i++)
    HD_BOOGIE_ADD(r->program, out, hd_boogie_resolve_type(r, types->items[i]));
  return out;
}

static hd_boogie_type *
too_large(hd_boogie_resolver *r, hd_boogie_type *t)
{
  if (t->size <= HD_BOOGIE_LARGEST_TYPE)
    return t;
  hd_boogie_resolve_error(r, t->at, "this type has more than %d parts when its synonyms are expanded",
                          HD_BOOGIE_LARGEST_TYPE);
  return r->program->bool_type;
}

static hd_boogie_type *
resolve_map(hd_boogie_resolver *r, hd_boogie_type *t)
{
  hd_boogie_type *m = hd_boogie_new_type(r->program, HD_BOOGIE_MAP, t->at);
  size_t mark = r->binders.n;
  hd_boogie_add_binders(r, &t->params);
  m->params = t->params;
  m->args = resolve_types(r, &t->args);
  m->result = hd_boogie_resolve_type(r, t->result);
  hd_boogie_types results = {.items = &m->result, .n = 1, .cap = 1};
  hd_boogie_check_occurrences(r, &m->params, &m->args, &results, t->at, "map arguments");
  r->binders.n = mark;
  hd_boogie_sort_type_params(r->program, &m->params, &m->args);
  hd_boogie_measure_type(m);
  return too_large(r, m);
}

/* A type constructor or a synonym. */
static hd_boogie_type *
resolve_declared(hd_boogie_resolver *r, hd_boogie_type *t, hd_boogie_type_decl *d)
{
  if (t->args.n != d->params.n)
  {
    hd_boogie_resolve_error(r, t->at, "type %s received wrong number of arguments: %s",
                            d->body ? "synonym" : "constructor", d->name);
    return t;
  }
  hd_boogie_type *made = hd_boogie_new_type(r->program, d->body ? HD_BOOGIE_SYNONYM : HD_BOOGIE_CTOR, t->at);
  made->decl = d;
  made->name = d->name;
  made->args = resolve_types(r, &t->args);
  if (d->body)
    made->result = hd_boogie_type_substitute(r->program, d->body, &d->params, &made->args);
  hd_boogie_measure_type(made);
  return too_large(r, made);
}

static hd_boogie_type *
resolve_name(hd_boogie_resolver *r, hd_boogie_type *t)
{
  const char *exponent;
  if (bv_name(t->name))
  {
    if (t->args.n)
      hd_boogie_resolve_error(r, t->at, "bitvector types must not be applied to arguments: %s", t->name);
    hd_boogie_type *bv = hd_boogie_new_type(r->program, HD_BOOGIE_BV, t->at);
    bv->width = bits(t->name + 2);
    return bv;
  }
  if (float_name(t->name, &exponent))
  {
    if (t->args.n)
      hd_boogie_resolve_error(r, t->at, "float types must not be applied to arguments: %s", t->name);
    hd_boogie_type *f = hd_boogie_new_type(r->program, HD_BOOGIE_FLOAT, t->at);
    f->width = bits(t->name + 5);
    f->exponent = bits(exponent);
    return f;
  }
  if (!strcmp(t->name, "rmode"))
  {
    if (t->args.n)
      hd_boogie_resolve_error(r, t->at, "rounding mode type must not be applied to arguments: %s", t->name);
    return r->program->rmode_type;
  }
  hd_boogie_type *v = find_binder(r, t->name);
  if (v)
  {
    if (t->args.n)
      hd_boogie_resolve_error(r, t->at, "type variables must not be applied to arguments: %s", v->name);
    return v;
  }
  hd_boogie_type_decl *d = hd_boogie_table_get(r->types, t->name, strlen(t->name));
  if (d)
    return resolve_declared(r, t, d);
  hd_boogie_resolve_error(r, t->at, "undeclared type: %s", t->name);
  return t;
}

hd_boogie_type *
hd_boogie_resolve_type(hd_boogie_resolver *r, hd_boogie_type *t)
{
  switch (t->kind)
  {
  case HD_BOOGIE_TYPE_NAME:
    return resolve_name(r, t);
  case HD_BOOGIE_MAP:
    return resolve_map(r, t);
  default:
    if (!t->size)
      t->size = 1;
    return t;
  }
}
