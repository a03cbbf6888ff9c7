/* types.c: sorts of types, and symbols of functions and constants, made when they are first needed. */
#include <string.h>

#include "vc/internal.h"

static const hd_smt_sort *make_sort(condition *c, const hd_boogie_type *type, hd_boogie_place at);

static void
make_datatype(condition *c, const hd_smt_sort *sort, const hd_boogie_type_decl *d, hd_boogie_place at)
{
  if (d->params.n)
    hd_vc_unsupported(c, at, "the datatype %s has type parameters, which is not supported", d->name);
  hd_smt_datatype *data = hd_smt_datatype_new(c->u, sort, d->constructors.n);
  for (size_t i = 0; i < d->constructors.n; i++)
  {
    const hd_boogie_function *f = d->constructors.items[i];
    const char **fields = hd_vc_alloc(c, f->ins.n * sizeof *fields);
    const hd_smt_sort **sorts = hd_vc_alloc(c, f->ins.n * sizeof *sorts);
    for (size_t j = 0; j < f->ins.n; j++)
    {
      fields[j] = hd_vc_text(c, "%s#%s", f->ins.items[j]->name, f->name);
      sorts[j] = hd_vc_sort(c, f->ins.items[j]->type, f->at);
    }
    hd_smt_constructor_set(c->u, data, i, f->name, f->ins.n, fields, sorts);
    const hd_smt_constructor *made = &data->constructors[i];
    c->functions[f->id] = made->make;
    if (f->tester)
      c->functions[f->tester->id] = made->is;
    for (size_t j = 0; j < f->selectors.n; j++)
      c->functions[f->selectors.items[j]->id] = made->fields[f->selectors.items[j]->field];
  }
}

static const hd_smt_sort *
named_sort(condition *c, const hd_boogie_type *type, hd_boogie_place at)
{
  hd_string key = {0};
  hd_boogie_type_key(type, &key);
  for (size_t i = 0; i < c->nsorts; i++)
    if (strcmp(c->sorts[i].key, key.text) == 0)
    {
      hd_string_free(&key);
      return c->sorts[i].sort;
    }
  const char *name = hd_vc_text(c, "%s", key.text);
  hd_string_free(&key);
  const hd_smt_sort *sort = hd_smt_named(c->u, name);
  ADD(c, c->sorts, c->nsorts, c->sorts_cap, (known_sort){.key = name, .sort = sort});
  /* After it is known: a datatype may contain itself. */
  if (type->decl->is_datatype)
    make_datatype(c, sort, type->decl, at);
  return sort;
}

static const hd_smt_sort *
make_sort(condition *c, const hd_boogie_type *type, hd_boogie_place at)
{
  switch (type->kind)
  {
  case HD_BOOGIE_BOOL:
    return hd_smt_basic(c->u, HD_SMT_BOOL);
  case HD_BOOGIE_INT:
    return hd_smt_basic(c->u, HD_SMT_INT);
  case HD_BOOGIE_REAL:
    return hd_smt_basic(c->u, HD_SMT_REAL);
  case HD_BOOGIE_MAP:
  {
    if (type->params.n)
      hd_vc_unsupported(c, at, "polymorphic map types are not supported");
    /* A map with several indices is a map of maps. */
    const hd_smt_sort *sort = hd_vc_sort(c, type->result, at);
    if (!type->args.n)
      hd_vc_unsupported(c, at, "maps without an index are not supported");
    for (size_t i = type->args.n; i-- > 0;)
      sort = hd_vc_map_sort(c, hd_vc_sort(c, type->args.items[i], at), sort);
    return sort;
  }
  case HD_BOOGIE_CTOR:
    return named_sort(c, type, at);
  case HD_BOOGIE_BV:
    hd_vc_unsupported(c, at, "bit vectors are not supported");
  case HD_BOOGIE_FLOAT:
  case HD_BOOGIE_RMODE:
    hd_vc_unsupported(c, at, "floating-point numbers are not supported");
  default:
    hd_vc_unsupported(c, at, "type variables are not supported");
  }
}

const hd_smt_sort *
hd_vc_sort(condition *c, const hd_boogie_type *type, hd_boogie_place at)
{
  type = hd_boogie_expand(type);
  HD_CHECK(type);
  for (size_t i = 0; i < c->ntypes; i++)
    if (c->types[i].type == type)
      return c->types[i].sort;
  const hd_smt_sort *sort = make_sort(c, type, at);
  ADD(c, c->types, c->ntypes, c->types_cap, (known_type){.type = type, .sort = sort});
  return sort;
}

const hd_smt_symbol *
hd_vc_function(condition *c, const hd_boogie_function *f, hd_boogie_place at)
{
  if (c->functions[f->id])
    return c->functions[f->id];
  if (f->type_params.n)
    hd_vc_unsupported(c, at, "the function %s has type parameters, which is not supported", f->name);
  if (f->role != HD_BOOGIE_ORDINARY)
  {
    /* Its datatype's sort makes it. */
    hd_vc_sort(c, f->role == HD_BOOGIE_CONSTRUCTOR ? f->out->type : f->ins.items[0]->type, at);
    HD_CHECK(c->functions[f->id]);
    return c->functions[f->id];
  }
  const hd_smt_sort **args = hd_vc_alloc(c, f->ins.n * sizeof *args);
  for (size_t i = 0; i < f->ins.n; i++)
    args[i] = hd_vc_sort(c, f->ins.items[i]->type, at);
  const hd_smt_sort *out = hd_vc_sort(c, f->out->type, at);
  if (f->builtin)
    c->functions[f->id] = hd_smt_builtin(c->u, f->builtin, out, f->ins.n, args);
  else
  {
    c->functions[f->id] = hd_smt_function(c->u, f->name, out, f->ins.n, args);
    ADD(c, c->new_functions, c->nnew_functions, c->new_functions_cap, f->id);
  }
  return c->functions[f->id];
}

const hd_smt_term *
hd_vc_constant(condition *c, const hd_boogie_var *v)
{
  if (!c->constants[v->id])
  {
    c->constants[v->id] = hd_smt_constant(c->u, v->name, hd_vc_sort(c, v->type, v->at));
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
