/* maps.c: maps as arrays of the solver's theory, or as uninterpreted sorts with the two axioms about reading what was
 * written; and the functions on whole maps, which z3 knows for arrays and which have axioms elsewhere. */
#include <string.h>

#include "vc/internal.h"

/* ---- reading and writing ---- */

static const hd_smt_term *
bound_term(condition *c, const char *name, const hd_smt_sort *sort, uint32_t index, const hd_smt_symbol **var)
{
  *var = hd_vc_bound(c, name, sort, 0, index);
  return hd_smt_apply(c->u, *var, 0, NULL);
}

static void
assert_forall(condition *c, const hd_smt_symbol **vars, size_t n, const hd_smt_term *pattern, const hd_smt_term *body)
{
  hd_smt_pattern p = {.n = 1, .terms = &pattern};
  hd_smt_quantifier q = {.nvars = n, .vars = vars, .npatterns = 1, .patterns = &p, .weight = c->portable ? -1 : 0};
  hd_vc_assert(c, hd_smt_quantify(c->u, HD_SMT_FORALL, &q, body));
}

static maps *
find_maps(condition *c, const hd_smt_sort *sort)
{
  for (size_t i = 0; i < c->nmaps; i++)
    if (c->maps[i].sort == sort)
      return &c->maps[i];
  return NULL;
}

static void
describe_maps(condition *c, const maps *m)
{
  const hd_smt_symbol *vars[4];
  const hd_smt_term *a = bound_term(c, "m", m->sort, 0, &vars[0]), *i = bound_term(c, "i", m->index, 1, &vars[1]);
  const hd_smt_term *v = bound_term(c, "v", m->value, 2, &vars[2]), *j = bound_term(c, "j", m->index, 3, &vars[3]);
  const hd_smt_term *after = hd_smt_apply(c->u, m->store, 3, (const hd_smt_term *[]){a, i, v});
  const hd_smt_term *same = hd_smt_apply(c->u, m->select, 2, (const hd_smt_term *[]){after, i});
  const hd_smt_term *other = hd_smt_apply(c->u, m->select, 2, (const hd_smt_term *[]){after, j});
  const hd_smt_term *before = hd_smt_apply(c->u, m->select, 2, (const hd_smt_term *[]){a, j});
  assert_forall(c, vars, 3, same, hd_smt_equal(c->u, same, v));
  assert_forall(c, vars, 4, other, hd_smt_or(c->u, hd_smt_equal(c->u, i, j), hd_smt_equal(c->u, other, before)));
}

const hd_smt_sort *
hd_vc_map_sort(condition *c, const hd_smt_sort *index, const hd_smt_sort *value)
{
  if (!c->no_arrays)
    return hd_smt_array(c->u, index, value);
  for (size_t i = 0; i < c->nmaps; i++)
    if (c->maps[i].index == index && c->maps[i].value == value)
      return c->maps[i].sort;
  maps m = {.index = index, .value = value};
  hd_string name = {0};
  hd_string_add(&name, "Map ");
  hd_smt_print_sort(&name, index);
  hd_string_add(&name, " ");
  hd_smt_print_sort(&name, value);
  m.sort = hd_smt_named(c->u, name.text);
  hd_string_free(&name);
  m.select = hd_smt_function(c->u, "read", value, 2, (const hd_smt_sort *[]){m.sort, index});
  m.store = hd_smt_function(c->u, "write", m.sort, 3, (const hd_smt_sort *[]){m.sort, index, value});
  ADD(c, c->maps, c->nmaps, c->maps_cap, m);
  describe_maps(c, &m);
  return m.sort;
}

const hd_smt_sort *
hd_vc_map_index(condition *c, const hd_smt_sort *map)
{
  const maps *m = find_maps(c, map);
  return m ? m->index : map->index;
}

const hd_smt_sort *
hd_vc_map_value(condition *c, const hd_smt_sort *map)
{
  const maps *m = find_maps(c, map);
  return m ? m->value : map->value;
}

const hd_smt_term *
hd_vc_select(condition *c, const hd_smt_term *map, const hd_smt_term *index)
{
  const maps *m = find_maps(c, map->sort);
  return m ? hd_smt_apply(c->u, m->select, 2, (const hd_smt_term *[]){map, index}) : hd_smt_select(c->u, map, index);
}

const hd_smt_term *
hd_vc_store(condition *c, const hd_smt_term *map, const hd_smt_term *index, const hd_smt_term *value)
{
  const maps *m = find_maps(c, map->sort);
  const hd_smt_term *args[] = {map, index, value};
  return m ? hd_smt_apply(c->u, m->store, 3, args) : hd_smt_make(c->u, HD_SMT_STORE, 3, args);
}

/* ---- functions on whole maps ---- */

typedef struct pointwise
{
  const char *name;
  hd_smt_op op;
  const char *word; /* z3's, for (_ map WORD); with the element's sort for %s */
  size_t nargs;
} pointwise;

static const pointwise table[] = {
    {"MapAdd", HD_SMT_ADD, "(+ (Int Int) Int)", 2},
    {"MapSub", HD_SMT_SUB, "(- (Int Int) Int)", 2},
    {"MapMul", HD_SMT_MUL, "(* (Int Int) Int)", 2},
    {"MapDiv", HD_SMT_DIV, "(div (Int Int) Int)", 2},
    {"MapMod", HD_SMT_MOD, "(mod (Int Int) Int)", 2},
    {"MapEq", HD_SMT_EQUAL, "(= (%s %s) Bool)", 2},
    {"MapIff", HD_SMT_EQUAL, "(= (Bool Bool) Bool)", 2},
    {"MapGt", HD_SMT_GT, "(> (Int Int) Bool)", 2},
    {"MapGe", HD_SMT_GE, "(>= (Int Int) Bool)", 2},
    {"MapLt", HD_SMT_LT, "(< (Int Int) Bool)", 2},
    {"MapLe", HD_SMT_LE, "(<= (Int Int) Bool)", 2},
    {"MapOr", HD_SMT_OR, "or", 2},
    {"MapAnd", HD_SMT_AND, "and", 2},
    {"MapNot", HD_SMT_NOT, "not", 1},
    {"MapImp", HD_SMT_IMPLIES, "=>", 2},
    {"MapIte", HD_SMT_ITE, "(ite (Bool %s %s) %s)", 3},
};

/* The function KEY from ARGS to SORT, or NULL. */
static const hd_smt_symbol *
known(const condition *c, const char *key, const hd_smt_sort *sort, const hd_smt_term *const *args, size_t n)
{
  for (size_t i = 0; i < c->nlifted; i++)
  {
    const lifted *l = &c->lifted[i];
    bool same = l->key && strcmp(l->key, key) == 0 && l->sort == sort && l->symbol->nargs == n;
    for (size_t j = 0; same && j < n; j++)
      same = l->symbol->args[j] == args[j]->sort;
    if (same)
      return l->symbol;
  }
  return NULL;
}

static const hd_smt_symbol *
remember(condition *c, const char *key, const hd_smt_symbol *s)
{
  ADD(c, c->lifted, c->nlifted, c->lifted_cap, (lifted){.key = key, .symbol = s, .sort = s->sort});
  return s;
}

static const hd_smt_sort **
sorts_of(condition *c, const hd_smt_term *const *args, size_t n)
{
  const hd_smt_sort **sorts = hd_vc_alloc(c, n * sizeof *sorts);
  for (size_t i = 0; i < n; i++)
    sorts[i] = args[i]->sort;
  return sorts;
}

const hd_smt_term *
hd_vc_known(condition *c, const char *name, const hd_smt_sort *sort, size_t n, const hd_smt_term *const *args)
{
  const hd_smt_symbol *f = known(c, name, sort, args, n);
  if (!f)
    f = remember(c, name, hd_smt_builtin(c->u, name, sort, n, sorts_of(c, args, n)));
  return hd_smt_apply(c->u, f, n, args);
}

/* A map that is VALUE everywhere, as a function with an axiom. */
static const hd_smt_term *
constant_map(condition *c, const hd_smt_sort *map, const hd_smt_term *value)
{
  const hd_smt_sort *inner = hd_vc_map_value(c, map);
  if (inner != value->sort)
    value = constant_map(c, inner, value);
  if (!c->no_arrays && !c->portable)
    return hd_smt_const_array(c->u, map, value);
  const hd_smt_symbol *f = known(c, "MapConst", map, &value, 1);
  if (!f)
  {
    const hd_smt_symbol *vars[2];
    f = remember(c, "MapConst", hd_smt_function(c->u, "MapConst", map, 1, &value->sort));
    const hd_smt_term *v = bound_term(c, "v", value->sort, 0, &vars[0]);
    const hd_smt_term *i = bound_term(c, "i", hd_vc_map_index(c, map), 1, &vars[1]);
    const hd_smt_term *read = hd_vc_select(c, hd_smt_apply(c->u, f, 1, &v), i);
    assert_forall(c, vars, 2, read, hd_smt_equal(c->u, read, v));
  }
  return hd_smt_apply(c->u, f, 1, &value);
}

static const hd_smt_term *
axiomatic(condition *c, const pointwise *p, const hd_smt_sort *map, const hd_smt_term *const *args)
{
  const hd_smt_symbol *f = known(c, p->name, map, args, p->nargs);
  if (!f)
  {
    f = remember(c, p->name, hd_smt_function(c->u, p->name, map, p->nargs, sorts_of(c, args, p->nargs)));
    const hd_smt_symbol *vars[4];
    const hd_smt_term *maps[3], *elements[3];
    for (size_t i = 0; i < p->nargs; i++)
      maps[i] = bound_term(c, "m", args[i]->sort, (uint32_t) i, &vars[i]);
    const hd_smt_term *at = bound_term(c, "i", hd_vc_map_index(c, map), (uint32_t) p->nargs, &vars[p->nargs]);
    for (size_t i = 0; i < p->nargs; i++)
      elements[i] = hd_vc_select(c, maps[i], at);
    const hd_smt_term *read = hd_vc_select(c, hd_smt_apply(c->u, f, p->nargs, maps), at);
    assert_forall(c, vars, p->nargs + 1, read, hd_smt_equal(c->u, read, hd_smt_make(c->u, p->op, p->nargs, elements)));
  }
  return hd_smt_apply(c->u, f, p->nargs, args);
}

static const hd_smt_term *
pointwise_map(condition *c, const pointwise *p, const hd_smt_sort *map, const hd_smt_term *const *args)
{
  if (c->no_arrays || c->portable)
    return axiomatic(c, p, map, args);
  const hd_smt_symbol *f = known(c, p->name, map, args, p->nargs);
  if (!f)
  {
    hd_string name = {0};
    hd_string_add(&name, "(_ map ");
    for (const char *s = p->word; *s; s++)
      if (s[0] == '%' && s[1] == 's')
      {
        hd_smt_print_sort(&name, args[p->nargs - 1]->sort->value);
        s++;
      }
      else
        hd_string_add_n(&name, s, 1);
    hd_string_add(&name, ")");
    f = remember(c, p->name, hd_smt_builtin(c->u, name.text, map, p->nargs, sorts_of(c, args, p->nargs)));
    hd_string_free(&name);
  }
  return hd_smt_apply(c->u, f, p->nargs, args);
}

const hd_smt_term *
hd_vc_opaque(condition *c, const char *name, const hd_smt_sort *sort, size_t n, const hd_smt_term *const *args)
{
  const hd_smt_symbol *f = known(c, name, sort, args, n);
  if (!f)
    f = remember(c, name, hd_smt_function(c->u, name, sort, n, sorts_of(c, args, n)));
  return hd_smt_apply(c->u, f, n, args);
}

/* A map with one index, which is not polymorphic. */
static bool
is_simple(const type *t)
{
  return t->kind == HD_BOOGIE_MAP && t->nargs == 1 && !t->nparams;
}

const hd_smt_term *
hd_vc_builtin(const context *x, const hd_boogie_expr *e, const hd_smt_term *const *args)
{
  condition *c = x->c;
  const hd_boogie_function *f = e->u.call.function;
  const type *out = hd_vc_type(c, x->types, e->type);
  const type **type_args = hd_vc_type_args(c, x->types, &e->u.call.type_args);
  if (f->type_params.n)
    hd_vc_use(c, f, type_args, f->type_params.n);
  if (strcmp(f->builtin, "MapConst") == 0)
  {
    if (out->kind != HD_BOOGIE_MAP || !out->nargs || out->nparams || f->ins.n != 1)
      hd_vc_unsupported(c, e->at, "the builtin MapConst must have one argument and give a map with indices");
    return constant_map(c, hd_vc_type_sort(c, out, e->at), args[0]);
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
  {
    if (strcmp(f->builtin, table[i].name) != 0)
      continue;
    bool fits = is_simple(out) && f->ins.n == table[i].nargs;
    for (size_t j = 0; fits && j < f->ins.n; j++)
      fits = is_simple(hd_vc_type(c, x->types, e->args.items[j]->type));
    if (!fits)
      hd_vc_unsupported(c, e->at, "the builtin %s must have %zu maps with one index as arguments and give such a map",
                        f->builtin, table[i].nargs);
    return pointwise_map(c, &table[i], hd_vc_type_sort(c, out, e->at), args);
  }
  if (strncmp(f->builtin, "Map", 3) == 0)
    hd_vc_unsupported(c, e->at, "there is no builtin %s", f->builtin);
  return hd_smt_apply(c->u, hd_vc_function(c, f, type_args, e->at), e->args.n, args);
}
