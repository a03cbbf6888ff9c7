/* linear_maps.c: the functions on whole maps that formulas about a domain's permissions are made of. Solvers with a
 * theory of arrays know them; without it they have axioms. */
#include "civl/linear.h"

typedef enum map_sort
{
  ELEMENT_BOOL, /* a value */
  ELEMENT_INT,
  SET,
  MULTISET
} map_sort;

typedef struct shape
{
  const char *name;    /* linear_<domain>_<name> */
  const char *builtin; /* as solvers with arrays know it */
  size_t nargs;
  map_sort args[3], result;
} shape;

static const shape shapes[MAP_FUNCTIONS] = {
    [MAP_CONST_BOOL] = {"MapConstBool", "MapConst", 1, {ELEMENT_BOOL}, SET},
    [MAP_CONST_INT] = {"MapConstInt", "MapConst", 1, {ELEMENT_INT}, MULTISET},
    [MAP_EQ] = {"MapEq", "MapEq", 2, {MULTISET, MULTISET}, SET},
    [MAP_IMP] = {"MapImp", "MapImp", 2, {SET, SET}, SET},
    [MAP_OR] = {"MapOr", "MapOr", 2, {SET, SET}, SET},
    [MAP_ADD] = {"MapAdd", "MapAdd", 2, {MULTISET, MULTISET}, MULTISET},
    [MAP_LE] = {"MapLe", "MapLe", 2, {MULTISET, MULTISET}, SET},
    [MAP_ITE] = {"MapIteInt", "MapIte", 3, {SET, MULTISET, MULTISET}, MULTISET},
};

static const hd_boogie_place nowhere = {.file = ""};

static hd_boogie_type *
type_of(const hd_civl *c, const linear_domain *d, map_sort s)
{
  switch (s)
  {
  case ELEMENT_BOOL:
    return c->program->bool_type;
  case ELEMENT_INT:
    return c->program->int_type;
  case SET:
    return d->set;
  default:
    return d->multiset;
  }
}

void
hd_civl_linear_functions(hd_civl *c, linear_domain *d)
{
  hd_boogie_program *p = c->program;
  static const char *const names[] = {"a", "b", "c"};
  for (size_t i = 0; i < MAP_FUNCTIONS; i++)
  {
    const shape *s = &shapes[i];
    hd_boogie_function *f = hd_boogie_new_function(p, nowhere, hd_boogie_text(p, "linear_%s_%s", d->name, s->name));
    for (size_t k = 0; k < s->nargs; k++)
      HD_BOOGIE_ADD(p, f->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, nowhere, names[k], type_of(c, d, s->args[k])));
    f->out = hd_boogie_new_var(p, HD_BOOGIE_OUT, nowhere, "", type_of(c, d, s->result));
    if (!c->options.no_array_theory)
    {
      f->builtin = s->builtin;
      f->attrs = hd_boogie_attr_add(p, NULL, "builtin");
      HD_BOOGIE_ADD(p, f->attrs->args, (hd_boogie_attr_arg){.text = s->builtin});
    }
    d->functions[i] = f;
  }
}

hd_boogie_expr *
hd_civl_linear_apply(const hd_civl *c, const linear_domain *d, linear_function f, hd_boogie_expr *a, hd_boogie_expr *b,
                     hd_boogie_expr *third)
{
  hd_boogie_exprs args = {0};
  hd_boogie_expr *all[] = {a, b, third};
  for (size_t i = 0; i < shapes[f].nargs; i++)
    HD_BOOGIE_ADD(c->program, args, all[i]);
  return hd_boogie_apply(c->program, d->functions[f], &args);
}

/* ---- axioms ---- */

static hd_boogie_expr *
at(hd_boogie_program *p, hd_boogie_expr *map, hd_boogie_var *index)
{
  hd_boogie_exprs indices = {0};
  HD_BOOGIE_ADD(p, indices, hd_boogie_use(p, index));
  return hd_boogie_select(p, map, &indices);
}

/* What F gives at X, from what its arguments are there. */
static hd_boogie_expr *
meaning(hd_boogie_program *p, linear_function f, hd_boogie_expr *const *e)
{
  switch (f)
  {
  case MAP_EQ:
    return hd_boogie_eq(p, e[0], e[1]);
  case MAP_IMP:
    return hd_boogie_binary(p, HD_BOOGIE_IMPLIES, e[0], e[1]);
  case MAP_OR:
    return hd_boogie_binary(p, HD_BOOGIE_OR, e[0], e[1]);
  case MAP_ADD:
    return hd_boogie_binary(p, HD_BOOGIE_ADD_OP, e[0], e[1]);
  case MAP_LE:
    return hd_boogie_binary(p, HD_BOOGIE_LE, e[0], e[1]);
  case MAP_ITE:
    return hd_boogie_ite(p, e[0], e[1], e[2]);
  default:
    return e[0];
  }
}

static void
declare_axiom(hd_boogie_program *p, hd_boogie_expr *e)
{
  hd_boogie_axiom *axiom = hd_boogie_alloc(p, sizeof *axiom);
  axiom->at = nowhere;
  axiom->expr = e;
  hd_boogie_declare_axiom(p, axiom);
}

static void
add_truth_axiom(hd_civl *c, const linear_domain *d, bool truth)
{
  hd_boogie_program *p = c->program;
  hd_boogie_vars index = {0};
  HD_BOOGIE_ADD(p, index, hd_boogie_new_var(p, HD_BOOGIE_BOUND, nowhere, "x", d->element));
  hd_boogie_expr *map = hd_civl_linear_apply(c, d, MAP_CONST_BOOL, hd_boogie_bool(p, truth), NULL, NULL);
  hd_boogie_expr *read = at(p, map, index.items[0]);
  declare_axiom(p, hd_boogie_quantify(p, HD_BOOGIE_FORALL, &index, NULL, truth ? read : hd_boogie_not(p, read)));
}

/* (forall a, b :: {f(a, b)} (forall x :: f(a, b)[x] == meaning(a[x], b[x]))): the inner quantifier has no trigger, so
 * that a solver may also take a[x]. Of constant maps: (forall a, x :: f(a)[x] == a); of truth values, one for each. */
static void
add_axiom(hd_civl *c, const linear_domain *d, linear_function f)
{
  hd_boogie_program *p = c->program;
  static const char *const names[] = {"a", "b", "c"};
  const shape *s = &shapes[f];
  hd_boogie_vars maps = {0}, index = {0};
  hd_boogie_exprs args = {0};
  hd_boogie_expr *elements[3];
  hd_boogie_var *x = hd_boogie_new_var(p, HD_BOOGIE_BOUND, nowhere, "x", d->element);
  for (size_t i = 0; i < s->nargs; i++)
  {
    hd_boogie_var *v = hd_boogie_new_var(p, HD_BOOGIE_BOUND, nowhere, names[i], type_of(c, d, s->args[i]));
    HD_BOOGIE_ADD(p, maps, v);
    HD_BOOGIE_ADD(p, args, hd_boogie_use(p, v));
    elements[i] = s->args[i] >= SET ? at(p, args.items[i], x) : args.items[i];
  }
  hd_boogie_expr *map = hd_boogie_apply(p, d->functions[f], &args);
  hd_boogie_expr *same = hd_boogie_eq(p, at(p, map, x), meaning(p, f, elements));
  if (s->args[0] < SET)
  {
    HD_BOOGIE_ADD(p, maps, x);
    declare_axiom(p, hd_boogie_quantify(p, HD_BOOGIE_FORALL, &maps, NULL, same));
    return;
  }
  HD_BOOGIE_ADD(p, index, x);
  hd_boogie_trigger *t = hd_boogie_alloc(p, sizeof *t);
  t->at = nowhere;
  t->positive = true;
  HD_BOOGIE_ADD(p, t->exprs, map);
  declare_axiom(p, hd_boogie_quantify(p, HD_BOOGIE_FORALL, &maps, t,
                                      hd_boogie_quantify(p, HD_BOOGIE_FORALL, &index, NULL, same)));
}

void
hd_civl_linear_declare(hd_civl *c, const linear_domain *d)
{
  for (size_t i = 0; i < MAP_FUNCTIONS; i++)
    hd_boogie_declare_function(c->program, d->functions[i]);
  if (!c->options.no_array_theory)
    return;
  add_truth_axiom(c, d, true);
  add_truth_axiom(c, d, false);
  for (size_t i = MAP_CONST_INT; i < MAP_FUNCTIONS; i++)
    add_axiom(c, d, (linear_function) i);
}
