/* types.c: types without variables, their sorts, and symbols of functions and constants, made when they are first
 * needed. A function or datatype with type parameters has a symbol or sort for each list of type arguments. */
#include <string.h>

#include "vc/internal.h"

/* ---- types ---- */

typedef struct binder /* map types around */
{
  const hd_boogie_types *params;
  const struct binder *outer;
  uint32_t first; /* number of the first parameter */
} binder;

static const type *
intern(condition *c, const type *t)
{
  generics *g = c->generics;
  for (size_t i = 0; i < g->ntypes; i++)
  {
    const type *old = g->types[i];
    if (old->kind == t->kind && old->width == t->width && old->exponent == t->exponent && old->decl == t->decl
        && old->nparams == t->nparams && old->nargs == t->nargs && old->result == t->result
        && (!t->nargs || memcmp(old->args, t->args, t->nargs * sizeof *t->args) == 0))
      return old;
  }
  type *new = hd_arena_alloc(g->arena, sizeof *new);
  *new = *t;
  new->id = (uint32_t) g->ntypes;
  new->depth = t->result ? t->result->depth + 1 : 1;
  new->open = (t->kind == HD_BOOGIE_TYPE_VAR && !t->exponent) || (t->result && t->result->open);
  new->args = hd_arena_alloc(g->arena, t->nargs * sizeof *t->args + 1);
  for (size_t i = 0; i < t->nargs; i++)
  {
    new->args[i] = t->args[i];
    new->open = new->open || t->args[i]->open;
    new->depth = t->args[i]->depth >= new->depth ? t->args[i]->depth + 1 : new->depth;
  }
  if (t->name)
  {
    size_t n = strlen(t->name) + 1;
    new->name = memcpy(hd_arena_alloc(g->arena, n), t->name, n);
  }
  HD_PUSH(g->types, g->ntypes, g->types_cap, new);
  return new;
}

static const type *
type_of(condition *c, const types *env, const hd_boogie_type *t, const binder *around)
{
  t = hd_boogie_expand(t);
  HD_CHECK(t);
  type new = {.kind = t->kind, .width = t->width, .exponent = t->exponent, .decl = t->decl};
  if (t->kind == HD_BOOGIE_TYPE_VAR)
  {
    new.width = new.exponent = 0;
    for (const binder *b = around; b; b = b->outer)
      for (size_t i = 0; i < b->params->n; i++)
        if (b->params->items[i] == t)
        {
          new.width = b->first + (uint32_t) i;
          new.exponent = 1;
          new.name = t->name;
          return intern(c, &new);
        }
    for (; env; env = env->next)
      if (env->var == t)
        return env->type;
    hd_vc_unsupported(c, t->at, "the type %s is not known here", t->name);
  }
  binder inside
      = {.params = &t->params, .outer = around, .first = around ? around->first + (uint32_t) around->params->n : 0};
  const binder *now = t->params.n ? &inside : around;
  for (size_t i = 0; i < t->params.n; i++)
    new.name = hd_vc_text(c, i ? "%s,%s" : "%s%s", i ? new.name : "", t->params.items[i]->name);
  new.nparams = t->params.n;
  new.nargs = t->args.n;
  new.args = hd_vc_alloc(c, new.nargs * sizeof *new.args);
  for (size_t i = 0; i < new.nargs; i++)
    new.args[i] = type_of(c, env, t->args.items[i], now);
  if (t->kind == HD_BOOGIE_MAP)
    new.result = type_of(c, env, t->result, now);
  return intern(c, &new);
}

const type *
hd_vc_type(condition *c, const types *env, const hd_boogie_type *t)
{
  return type_of(c, env, t, NULL);
}

const type **
hd_vc_type_args(condition *c, const types *env, const hd_boogie_types *args)
{
  const type **list = hd_vc_alloc(c, args->n * sizeof *list);
  for (size_t i = 0; i < args->n; i++)
    list[i] = hd_vc_type(c, env, args->items[i]);
  return list;
}

const types *
hd_vc_types(condition *c, const types *env, const hd_boogie_types *params, const type *const *args)
{
  types *list = hd_vc_alloc(c, params->n * sizeof *list);
  for (size_t i = 0; i < params->n; i++)
  {
    list[i] = (types){.var = params->items[i], .type = args[i], .next = env};
    env = &list[i];
  }
  return env;
}

const type *
hd_vc_unknown_type(condition *c, const char *name)
{
  type new = {.kind = HD_BOOGIE_TYPE_VAR, .width = c->unknown_types++, .name = name};
  return intern(c, &new);
}

static void
print_type(const type *t, hd_string *out)
{
  bool map = t->kind == HD_BOOGIE_MAP;
  switch (t->kind)
  {
  case HD_BOOGIE_BOOL:
  case HD_BOOGIE_INT:
  case HD_BOOGIE_REAL:
  case HD_BOOGIE_RMODE:
    hd_string_add(out, (const char *[]){"bool", "int", "real", "rmode"}[t->kind]);
    return;
  case HD_BOOGIE_BV:
    hd_string_printf(out, "bv%u", t->width);
    return;
  case HD_BOOGIE_FLOAT:
    hd_string_printf(out, "float%ue%u", t->width, t->exponent);
    return;
  case HD_BOOGIE_TYPE_VAR:
    hd_string_add(out, t->name);
    return;
  default:
    break;
  }
  if (t->nparams)
    hd_string_printf(out, "<%s>", t->name);
  hd_string_add(out, map ? "[" : t->decl->name);
  for (size_t i = 0; i < t->nargs; i++)
  {
    hd_string_add(out, map ? (i ? "," : "") : (i ? " " : "("));
    print_type(t->args[i], out);
  }
  hd_string_add(out, map ? "]" : t->nargs ? ")" : "");
  if (map)
    print_type(t->result, out);
}

/* ---- sorts ---- */

static const type **
arguments_of(condition *c, const hd_boogie_types *params, const hd_boogie_type *pattern, const type *t,
             hd_boogie_place at)
{
  const type **args = hd_vc_alloc(c, params->n * sizeof *args);
  bool good = hd_vc_match(c, NULL, params, pattern, t, args);
  for (size_t i = 0; i < params->n; i++)
    good = good && args[i];
  if (!good)
    hd_vc_unsupported(c, at, "the type parameters of this constructor do not follow from its datatype");
  return args;
}

static void
set_symbol(condition *c, const hd_boogie_function *f, const type **args, const hd_smt_symbol *s)
{
  if (f->type_params.n)
    hd_vc_instantiate(c, f, args)->symbol = s;
  else
    c->functions[f->id] = s;
}

static void
make_datatype(condition *c, const hd_smt_sort *sort, const type *t)
{
  const hd_boogie_type_decl *d = t->decl;
  hd_smt_datatype *data = hd_smt_datatype_new(c->u, sort, d->constructors.n);
  for (size_t i = 0; i < d->constructors.n; i++)
  {
    const hd_boogie_function *f = d->constructors.items[i];
    const type **args = arguments_of(c, &f->type_params, f->out->type, t, f->at);
    const types *env = hd_vc_types(c, NULL, &f->type_params, args);
    const char **fields = hd_vc_alloc(c, f->ins.n * sizeof *fields);
    const hd_smt_sort **sorts = hd_vc_alloc(c, f->ins.n * sizeof *sorts);
    for (size_t j = 0; j < f->ins.n; j++)
    {
      fields[j] = hd_vc_text(c, "%s#%s", f->ins.items[j]->name, f->name);
      sorts[j] = hd_vc_sort(c, env, f->ins.items[j]->type, f->at);
    }
    hd_smt_constructor_set(c->u, data, i, f->name, f->ins.n, fields, sorts);
    const hd_smt_constructor *made = &data->constructors[i];
    set_symbol(c, f, args, made->make);
    if (f->tester)
      set_symbol(c, f->tester, arguments_of(c, &f->tester->type_params, f->tester->ins.items[0]->type, t, f->at),
                 made->is);
    for (size_t j = 0; j < f->selectors.n; j++)
    {
      const hd_boogie_function *s = f->selectors.items[j];
      set_symbol(c, s, arguments_of(c, &s->type_params, s->ins.items[0]->type, t, f->at), made->fields[s->field]);
    }
  }
}

static void
remember_sort(condition *c, const type *t, const hd_smt_sort *sort)
{
  if (t->id >= c->nsorts)
  {
    size_t n = 2 * (t->id + 8);
    const hd_smt_sort **new = hd_vc_alloc(c, n * sizeof *new);
    if (c->nsorts)
      memcpy(new, c->sorts, c->nsorts * sizeof *new);
    c->sorts = new;
    c->nsorts = n;
  }
  c->sorts[t->id] = sort;
}

static const hd_smt_sort *
named_sort(condition *c, const type *t)
{
  hd_string name = {0};
  print_type(t, &name);
  const hd_smt_sort *sort = hd_smt_named(c->u, name.text);
  hd_string_free(&name);
  remember_sort(c, t, sort);
  /* After it is known: a datatype may contain itself. */
  if (t->kind == HD_BOOGIE_CTOR && t->decl->is_datatype)
    make_datatype(c, sort, t);
  return sort;
}

const hd_smt_sort *
hd_vc_type_sort(condition *c, const type *t, hd_boogie_place at)
{
  if (t->id < c->nsorts && c->sorts[t->id])
    return c->sorts[t->id];
  const hd_smt_sort *sort;
  switch (t->kind)
  {
  case HD_BOOGIE_BOOL:
    sort = hd_smt_basic(c->u, HD_SMT_BOOL);
    break;
  case HD_BOOGIE_INT:
    sort = hd_smt_basic(c->u, HD_SMT_INT);
    break;
  case HD_BOOGIE_REAL:
    sort = hd_smt_basic(c->u, HD_SMT_REAL);
    break;
  case HD_BOOGIE_BV:
    sort = hd_vc_bits_sort(c, t->width, at);
    break;
  case HD_BOOGIE_FLOAT:
    sort = hd_vc_float_sort(c, t->width, t->exponent, at);
    break;
  case HD_BOOGIE_RMODE:
    sort = hd_smt_known(c->u, "RoundingMode");
    break;
  case HD_BOOGIE_MAP:
    if (t->nparams)
      return named_sort(c, t);
    /* A map with several indices is a map of maps, one without an index is the one value that it has. */
    sort = hd_vc_type_sort(c, t->result, at);
    for (size_t i = t->nargs; i-- > 0;)
      sort = hd_vc_map_sort(c, hd_vc_type_sort(c, t->args[i], at), sort);
    break;
  default:
    return named_sort(c, t);
  }
  remember_sort(c, t, sort);
  return sort;
}

const hd_smt_sort *
hd_vc_sort(condition *c, const types *env, const hd_boogie_type *t, hd_boogie_place at)
{
  t = hd_boogie_expand(t);
  for (size_t i = 0; !env && i < c->nknown_types; i++)
    if (c->known_types[i].type == t)
      return c->known_types[i].sort;
  const hd_smt_sort *sort = hd_vc_type_sort(c, hd_vc_type(c, env, t), at);
  if (!env)
    ADD(c, c->known_types, c->nknown_types, c->known_types_cap, (known_type){.type = t, .sort = sort});
  return sort;
}

/* ---- symbols ---- */

/* What the solver calls the builtin F. */
static const char *
builtin_name(condition *c, const hd_boogie_function *f, hd_boogie_place at)
{
  const char *rest = f->builtin;
  bool good = *rest;
  while (good && *(rest += strspn(rest, " \t")))
    good = hd_smt_parse(c->arena, &rest);
  if (!good)
    hd_vc_unsupported(c, at, "\"%s\" cannot be the name of a builtin function", f->builtin);
  bool extends = strncmp(f->builtin, "sign_extend ", 12) == 0 || strncmp(f->builtin, "zero_extend ", 12) == 0;
  return extends ? hd_vc_text(c, "(_ %s)", f->builtin) : f->builtin;
}

static const hd_smt_symbol *
symbol_of(condition *c, const hd_boogie_function *f, const type **args)
{
  if (!f->type_params.n)
    return c->functions[f->id];
  const instantiated *i = hd_vc_instantiated(c, f, args, f->type_params.n);
  return i ? i->symbol : NULL;
}

const hd_smt_symbol *
hd_vc_function(condition *c, const hd_boogie_function *f, const type **args, hd_boogie_place at)
{
  const hd_smt_symbol *s = symbol_of(c, f, args);
  if (f->type_params.n)
    hd_vc_use(c, f, args, f->type_params.n);
  if (s)
    return s;
  const types *env = hd_vc_types(c, NULL, &f->type_params, args);
  if (f->role != HD_BOOGIE_ORDINARY)
  {
    /* Its datatype's sort makes it. */
    hd_vc_sort(c, env, f->role == HD_BOOGIE_CONSTRUCTOR ? f->out->type : f->ins.items[0]->type, at);
    s = symbol_of(c, f, args);
    HD_CHECK(s);
    return s;
  }
  const hd_smt_sort **sorts = hd_vc_alloc(c, f->ins.n * sizeof *sorts);
  for (size_t i = 0; i < f->ins.n; i++)
    sorts[i] = hd_vc_sort(c, env, f->ins.items[i]->type, at);
  const hd_smt_sort *out = hd_vc_sort(c, env, f->out->type, at);
  if (f->builtin)
    s = hd_smt_builtin(c->u, builtin_name(c, f, at), out, f->ins.n, sorts);
  else
  {
    s = hd_smt_function(c->u, f->name, out, f->ins.n, sorts);
    ADD(c, c->new_functions, c->nnew_functions, c->new_functions_cap, f->id);
  }
  set_symbol(c, f, args, s);
  return s;
}

const hd_smt_term *
hd_vc_constant(condition *c, const hd_boogie_var *v)
{
  if (!c->constants[v->id])
  {
    c->constants[v->id] = hd_smt_constant(c->u, v->name, hd_vc_sort(c, NULL, v->type, v->at));
    ADD(c, c->new_constants, c->nnew_constants, c->new_constants_cap, v->id);
  }
  return c->constants[v->id];
}

const hd_smt_symbol *
hd_vc_bound(condition *c, const char *name, const hd_smt_sort *sort, uint32_t level, uint32_t index)
{
  for (size_t i = 0; i < c->ncanonical; i++)
    if (c->canonical[i].sort == sort && c->canonical[i].level == level && c->canonical[i].index == index)
      return c->canonical[i].symbol;
  const hd_smt_symbol *s = hd_smt_bound(c->u, name, sort, level);
  ADD(c, c->canonical, c->ncanonical, c->canonical_cap,
      (canonical){.sort = sort, .level = level, .index = index, .symbol = s});
  return s;
}
