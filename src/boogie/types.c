/* types.c: building, comparing and substituting types. */
#include <string.h>

#include "boogie/front.h"
#include "boogie/typing.h"

hd_boogie_type *
hd_boogie_new_type(hd_boogie_program *p, hd_boogie_type_kind kind, hd_boogie_place at)
{
  hd_boogie_type *t = hd_boogie_alloc(p, sizeof *t);
  t->kind = kind;
  t->at = at;
  t->size = 1;
  return t;
}

void
hd_boogie_measure_type(hd_boogie_type *t)
{
  uint64_t size = 1;
  for (size_t i = 0; t->kind != HD_BOOGIE_SYNONYM && i < t->args.n; i++)
    size += t->args.items[i]->size ? t->args.items[i]->size : 1;
  if (t->result)
    size += t->result->size ? t->result->size : 1;
  t->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t) size;
}

hd_boogie_type *
hd_boogie_bv_type(hd_boogie_program *p, uint32_t width)
{
  hd_boogie_type *t = hd_boogie_new_type(p, HD_BOOGIE_BV, (hd_boogie_place){.file = ""});
  t->width = width;
  return t;
}

hd_boogie_type *
hd_boogie_map_type(hd_boogie_program *p, hd_boogie_types args, hd_boogie_type *result)
{
  hd_boogie_type *t = hd_boogie_new_type(p, HD_BOOGIE_MAP, (hd_boogie_place){.file = ""});
  t->args = args;
  t->result = result;
  hd_boogie_measure_type(t);
  return t;
}

hd_boogie_type *
hd_boogie_map1_type(hd_boogie_program *p, hd_boogie_type *arg, hd_boogie_type *result)
{
  hd_boogie_types args = {0};
  HD_BOOGIE_ADD(p, args, arg);
  return hd_boogie_map_type(p, args, result);
}

hd_boogie_type *
hd_boogie_ctor_type(hd_boogie_program *p, hd_boogie_type_decl *decl, hd_boogie_types args)
{
  hd_boogie_type *t = hd_boogie_new_type(p, HD_BOOGIE_CTOR, decl->at);
  t->decl = decl;
  t->name = decl->name;
  t->args = args;
  hd_boogie_measure_type(t);
  return t;
}

hd_boogie_type *
hd_boogie_expand(const hd_boogie_type *t)
{
  while (t && (t->kind == HD_BOOGIE_SYNONYM || (t->kind == HD_BOOGIE_TYPE_UNKNOWN && t->result)))
    t = t->result;
  return (hd_boogie_type *) t;
}

/* ---- equality ---- */
/* Bound type variables that correspond, innermost first. */
typedef struct pairs
{
  const struct pairs *outer;
  const hd_boogie_types *a, *b;
} pairs;

static bool
same_var(const hd_boogie_type *a, const hd_boogie_type *b, const pairs *bound)
{
  for (; bound; bound = bound->outer)
    for (size_t i = 0; i < bound->a->n; i++)
      if (bound->a->items[i] == a || bound->b->items[i] == b)
        return bound->a->items[i] == a && bound->b->items[i] == b;
  return a == b;
}

static bool
equal(const hd_boogie_type *a, const hd_boogie_type *b, const pairs *bound)
{
  a = hd_boogie_expand(a);
  b = hd_boogie_expand(b);
  if (a == b && !bound)
    return true;
  if (a->kind != b->kind || a->args.n != b->args.n || a->params.n != b->params.n)
    return false;
  switch (a->kind)
  {
  case HD_BOOGIE_BV:
    return a->width == b->width;
  case HD_BOOGIE_FLOAT:
    return a->width == b->width && a->exponent == b->exponent;
  case HD_BOOGIE_TYPE_VAR:
    return same_var(a, b, bound);
  case HD_BOOGIE_TYPE_UNKNOWN:
  case HD_BOOGIE_TYPE_NAME:
    return a == b;
  case HD_BOOGIE_CTOR:
    if (a->decl != b->decl)
      return false;
    break;
  default:
    break;
  }
  pairs inner = {.outer = bound, .a = &a->params, .b = &b->params};
  const pairs *now = a->params.n ? &inner : bound;
  for (size_t i = 0; i < a->args.n; i++)
    if (!equal(a->args.items[i], b->args.items[i], now))
      return false;
  return a->kind != HD_BOOGIE_MAP || equal(a->result, b->result, now);
}

bool
hd_boogie_type_equal(const hd_boogie_type *a, const hd_boogie_type *b)
{
  return equal(a, b, NULL);
}

/* ---- substitution ---- */
static hd_boogie_types
substitute_all(hd_boogie_program *p, const hd_boogie_types *types, const hd_boogie_types *params,
               const hd_boogie_types *args, bool *changed)
{
  hd_boogie_types out = {0};
  for (size_t i = 0; i < types->n; i++)
  {
    hd_boogie_type *t = hd_boogie_type_substitute(p, types->items[i], params, args);
    *changed |= t != types->items[i];
    HD_BOOGIE_ADD(p, out, t);
  }
  return out;
}

hd_boogie_type *
hd_boogie_type_substitute(hd_boogie_program *p, hd_boogie_type *t, const hd_boogie_types *params,
                          const hd_boogie_types *args)
{
  if (!params->n)
    return t;
  if (t->kind == HD_BOOGIE_TYPE_UNKNOWN && t->result)
    t = hd_boogie_expand(t);
  if (t->kind == HD_BOOGIE_TYPE_VAR)
  {
    for (size_t i = 0; i < params->n; i++)
      if (params->items[i] == t)
        return args->items[i];
    return t;
  }
  if (t->kind != HD_BOOGIE_MAP && t->kind != HD_BOOGIE_CTOR && t->kind != HD_BOOGIE_SYNONYM)
    return t;
  bool changed = false;
  hd_boogie_types parts = substitute_all(p, &t->args, params, args, &changed);
  hd_boogie_type *result
      = t->result && t->kind == HD_BOOGIE_MAP ? hd_boogie_type_substitute(p, t->result, params, args) : t->result;
  if (!changed && result == t->result)
    return t;
  hd_boogie_type *copy = hd_boogie_new_type(p, t->kind, t->at);
  *copy = *t;
  copy->args = parts;
  copy->result = result;
  if (t->kind == HD_BOOGIE_SYNONYM)
    copy->result = hd_boogie_type_substitute(p, t->decl->body, &t->decl->params, &parts);
  hd_boogie_measure_type(copy);
  return copy;
}

/* ---- free type variables ---- */
bool
hd_boogie_type_listed(const hd_boogie_types *types, const hd_boogie_type *t)
{
  for (size_t i = 0; i < types->n; i++)
    if (types->items[i] == t)
      return true;
  return false;
}

void
hd_boogie_free_type_vars(hd_boogie_program *p, const hd_boogie_type *type, hd_boogie_types *out)
{
  hd_boogie_type *t = hd_boogie_expand(type);
  if (t->kind == HD_BOOGIE_TYPE_VAR)
  {
    if (!hd_boogie_type_listed(out, t))
      HD_BOOGIE_ADD(p, *out, t);
    return;
  }
  hd_boogie_types inner = {0}, *into = t->params.n ? &inner : out;
  for (size_t i = 0; i < t->args.n; i++)
    hd_boogie_free_type_vars(p, t->args.items[i], into);
  if (t->kind == HD_BOOGIE_MAP)
    hd_boogie_free_type_vars(p, t->result, into);
  for (size_t i = 0; i < inner.n; i++)
    if (!hd_boogie_type_listed(&t->params, inner.items[i]) && !hd_boogie_type_listed(out, inner.items[i]))
      HD_BOOGIE_ADD(p, *out, inner.items[i]);
}

void
hd_boogie_sort_type_params(hd_boogie_program *p, hd_boogie_types *params, const hd_boogie_types *types)
{
  if (params->n < 2)
    return;
  hd_boogie_types used = {0}, sorted = {0};
  for (size_t i = 0; i < types->n; i++)
    hd_boogie_free_type_vars(p, types->items[i], &used);
  for (size_t i = 0; i < used.n; i++)
    if (hd_boogie_type_listed(params, used.items[i]))
      HD_BOOGIE_ADD(p, sorted, used.items[i]);
  for (size_t i = 0; i < params->n; i++)
    if (!hd_boogie_type_listed(&sorted, params->items[i]))
      HD_BOOGIE_ADD(p, sorted, params->items[i]);
  *params = sorted;
}

/* ---- texts ---- */
bool
hd_boogie_print_base_type(const hd_boogie_type *t, hd_string *out)
{
  switch (t->kind)
  {
  case HD_BOOGIE_BOOL:
    hd_string_add(out, "bool");
    return true;
  case HD_BOOGIE_INT:
    hd_string_add(out, "int");
    return true;
  case HD_BOOGIE_REAL:
    hd_string_add(out, "real");
    return true;
  case HD_BOOGIE_RMODE:
    hd_string_add(out, "rmode");
    return true;
  case HD_BOOGIE_BV:
    hd_string_printf(out, "bv%u", t->width);
    return true;
  case HD_BOOGIE_FLOAT:
    hd_string_printf(out, "float%ue%u", t->width, t->exponent);
    return true;
  default:
    return false;
  }
}

/* ---- a text for each class of equal types ---- */
typedef struct numbering
{
  const struct numbering *outer;
  const hd_boogie_types *params;
  unsigned first;
} numbering;

static void
key(const hd_boogie_type *t, const numbering *bound, hd_string *out)
{
  t = hd_boogie_expand(t);
  if (hd_boogie_print_base_type(t, out))
    return;
  switch (t->kind)
  {
  case HD_BOOGIE_TYPE_VAR:
    for (const numbering *b = bound; b; b = b->outer)
      for (size_t i = 0; i < b->params->n; i++)
        if (b->params->items[i] == t)
        {
          hd_string_printf(out, "%%%zu", b->first + i);
          return;
        }
    hd_string_printf(out, "'%s", t->name);
    return;
  case HD_BOOGIE_TYPE_UNKNOWN:
  case HD_BOOGIE_TYPE_NAME:
    hd_string_printf(out, "?%s", t->name ? t->name : "");
    return;
  default:
    break;
  }
  numbering inner = {.outer = bound, .params = &t->params};
  inner.first = bound ? bound->first + (unsigned) bound->params->n : 0;
  const numbering *now = t->params.n ? &inner : bound;
  bool map = t->kind == HD_BOOGIE_MAP;
  if (t->params.n)
    hd_string_printf(out, "<%zu>", t->params.n);
  hd_string_add(out, map ? "[" : t->decl->name);
  for (size_t i = 0; i < t->args.n; i++)
  {
    hd_string_add(out, map ? (i ? "," : "") : (i ? " " : "("));
    key(t->args.items[i], now, out);
  }
  if (map)
  {
    hd_string_add(out, "]");
    key(t->result, now, out);
  }
  else if (t->args.n)
    hd_string_add(out, ")");
}

void
hd_boogie_type_key(const hd_boogie_type *t, hd_string *out)
{
  key(t, NULL, out);
}
