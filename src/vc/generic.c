/* generic.c: what has type parameters, for the types that a condition mentions.
 *
 * Solvers have no quantifiers over types. So a polymorphic function is a function for each list of type arguments that
 * it is used with, and a statement about all types that is assumed becomes a statement about some: those for which the
 * functions and maps in its triggers (without triggers: in its body) are used elsewhere in the condition. New uses may
 * come from that, so the condition is made again until there are none, or a bound is met. Leaving types out makes the
 * assumptions weaker and proves nothing that does not follow; a counterexample, however, may be none.
 *
 * A polymorphic map is an uninterpreted value, with functions to read and to write for each list of type arguments.
 * Writing at one list changes nothing at another one, if they are different: a list with an unknown type in it may be
 * equal to another one. */
#include <stdlib.h>
#include <string.h>

#include "vc/internal.h"

enum
{
  MOST_USES = 300,
  MOST_DEPTH = 6,    /* of a type argument */
  MOST_CHOICES = 100 /* for the type parameters of one quantifier */
};

generics *
hd_vc_generics_new(void)
{
  generics *g = hd_alloc_zero(sizeof *g);
  g->arena = hd_arena_new();
  return g;
}

void
hd_vc_generics_free(generics *g)
{
  hd_arena_free(g->arena);
  free(g->types);
  free(g->uses);
  free(g);
}

/* ---- uses ---- */

static bool
same_args(const type *const *a, const type *const *b, size_t n)
{
  return !n || memcmp(a, b, n * sizeof *a) == 0;
}

static void
meet_bound(condition *c)
{
  c->weaker = c->cut = true;
}

void
hd_vc_use(condition *c, const void *what, const type **args, size_t n)
{
  generics *g = c->generics;
  bool deep = g->nuses >= MOST_USES;
  for (size_t i = 0; i < g->nuses; i++)
    if (g->uses[i].what == what && same_args(g->uses[i].args, args, n))
      return;
  for (size_t i = 0; i < n; i++)
    deep = deep || args[i]->depth > MOST_DEPTH;
  if (deep)
  {
    meet_bound(c);
    return;
  }
  const type **copy = memcpy(hd_arena_alloc(g->arena, n * sizeof *args + 1), args, n * sizeof *args);
  use u = {.what = what, .n = n, .args = copy};
  HD_PUSH(g->uses, g->nuses, g->uses_cap, u);
}

instantiated *
hd_vc_instantiated(condition *c, const void *what, const type **args, size_t n)
{
  for (size_t i = 0; i < c->ninstantiated; i++)
    if (c->instantiated[i].what == what && same_args(c->instantiated[i].args, args, n))
      return &c->instantiated[i];
  return NULL;
}

instantiated *
hd_vc_instantiate(condition *c, const void *what, const type **args)
{
  ADD(c, c->instantiated, c->ninstantiated, c->instantiated_cap, (instantiated){.what = what, .args = args});
  return &c->instantiated[c->ninstantiated - 1];
}

/* ---- matching ---- */

static bool
match_all(condition *c, const types *env, const hd_boogie_types *params, const hd_boogie_types *patterns,
          const type *const *list, size_t n, const type **out)
{
  if (patterns->n != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!hd_vc_match(c, env, params, patterns->items[i], list[i], out))
      return false;
  return true;
}

bool
hd_vc_match(condition *c, const types *env, const hd_boogie_types *params, const hd_boogie_type *pattern, const type *t,
            const type **out)
{
  const hd_boogie_type *p = hd_boogie_expand(pattern);
  if (p->kind == HD_BOOGIE_TYPE_VAR)
  {
    for (size_t i = 0; i < params->n; i++)
      if (params->items[i] == p)
      {
        if (!out[i])
          out[i] = t;
        return out[i] == t;
      }
    while (env && env->var != p)
      env = env->next;
    return env && env->type == t;
  }
  if (p->kind != t->kind || p->width != t->width || p->exponent != t->exponent || p->decl != t->decl)
    return false;
  /* A polymorphic map type inside a pattern is not looked into. */
  if (p->params.n || t->nparams)
    return false;
  return match_all(c, env, params, &p->args, t->args, t->nargs, out)
         && (p->kind != HD_BOOGIE_MAP || hd_vc_match(c, env, params, p->result, t->result, out));
}

/* Something with type arguments in a trigger or body. */
typedef struct atom
{
  const void *what;
  const hd_boogie_types *args;
} atom;

typedef struct search
{
  const context *x;
  const hd_boogie_types *params;
  atom *atoms;
  size_t natoms, atoms_cap;
  const type ***found;
  size_t nfound, found_cap;
} search;

/* T has one of PARAMS in it. */
static bool
mentions(const hd_boogie_types *params, const hd_boogie_type *t)
{
  t = hd_boogie_expand(t);
  for (size_t i = 0; t->kind == HD_BOOGIE_TYPE_VAR && i < params->n; i++)
    if (params->items[i] == t)
      return true;
  for (size_t i = 0; i < t->args.n; i++)
    if (mentions(params, t->args.items[i]))
      return true;
  return t->kind == HD_BOOGIE_MAP && mentions(params, t->result);
}

typedef struct binders
{
  const hd_boogie_types *params;
  const struct binders *outer;
} binders;

/* All variables of T are in ENV or bound in T. */
static bool
is_closed(const types *env, const hd_boogie_type *t, const binders *around)
{
  t = hd_boogie_expand(t);
  if (t->kind == HD_BOOGIE_TYPE_VAR)
  {
    for (; around; around = around->outer)
      for (size_t i = 0; i < around->params->n; i++)
        if (around->params->items[i] == t)
          return true;
    while (env && env->var != t)
      env = env->next;
    return env;
  }
  binders inside = {.params = &t->params, .outer = around};
  for (size_t i = 0; i < t->args.n; i++)
    if (!is_closed(env, t->args.items[i], &inside))
      return false;
  return t->kind != HD_BOOGIE_MAP || is_closed(env, t->result, &inside);
}

bool
hd_vc_is_generic(const hd_boogie_expr *map)
{
  const hd_boogie_type *t = hd_boogie_expand(map->type);
  return t->kind == HD_BOOGIE_MAP && t->params.n;
}

static bool
find_atom(void *context, hd_boogie_expr *e, bool in_old)
{
  search *s = context;
  condition *c = s->x->c;
  atom a = {0};
  (void) in_old;
  if (e->kind == HD_BOOGIE_APPLY && e->u.call.function->type_params.n)
    a.what = e->u.call.function;
  else if ((e->kind == HD_BOOGIE_SELECT || e->kind == HD_BOOGIE_STORE) && hd_vc_is_generic(e->args.items[0])
           && is_closed(s->x->types, e->args.items[0]->type, NULL))
    a.what = hd_vc_type(c, s->x->types, e->args.items[0]->type);
  if (!a.what)
    return true;
  a.args = &e->u.call.type_args;
  for (size_t i = 0; i < a.args->n; i++)
    if (mentions(s->params, a.args->items[i]))
    {
      ADD(c, s->atoms, s->natoms, s->atoms_cap, a);
      break;
    }
  return true;
}

/* ---- choices ---- */

typedef struct choices
{
  const type ***lists; /* with NULL for what is not chosen yet */
  size_t n, cap;
} choices;

static void
add_choice(condition *c, choices *l, const type **list, size_t n)
{
  for (size_t i = 0; i < l->n; i++)
    if (same_args(l->lists[i], list, n))
      return;
  if (l->n >= MOST_CHOICES)
    meet_bound(c);
  else
    ADD(c, l->lists, l->n, l->cap, list);
}

/* L, each list completed in all ways that let A be a use that is known; OPTIONAL: and L itself. */
static choices
extend(const search *s, const choices *l, const atom *a, bool optional)
{
  condition *c = s->x->c;
  const generics *g = c->generics;
  size_t n = s->params->n;
  choices out = {0};
  for (size_t i = 0; i < l->n; i++)
  {
    if (optional)
      add_choice(c, &out, l->lists[i], n);
    for (size_t j = 0; j < g->known; j++)
    {
      const type **list = memcpy(hd_vc_alloc(c, n * sizeof *list), l->lists[i], n * sizeof *list);
      if (g->uses[j].what == a->what
          && match_all(c, s->x->types, s->params, a->args, g->uses[j].args, g->uses[j].n, list))
        add_choice(c, &out, list, n);
    }
  }
  return out;
}

static choices
nothing_chosen(const search *s)
{
  choices l = {0};
  add_choice(s->x->c, &l, hd_vc_alloc(s->x->c, s->params->n * sizeof(const type *)), s->params->n);
  return l;
}

/* Any type that is an argument somewhere, int and bool for parameter I, which nothing in the quantifier determines. */
static choices
guess(const search *s, const choices *l, size_t i)
{
  condition *c = s->x->c;
  const generics *g = c->generics;
  const type *basic[]
      = {hd_vc_type(c, NULL, c->program->program->int_type), hd_vc_type(c, NULL, c->program->program->bool_type)};
  size_t n = s->params->n;
  choices out = {0};
  for (size_t k = 0; k < l->n; k++)
    for (size_t j = 0; j < 2 + g->known; j++)
      for (size_t a = 0; a < (j < 2 ? 1 : g->uses[j - 2].n); a++)
      {
        const type **list = memcpy(hd_vc_alloc(c, n * sizeof *list), l->lists[k], n * sizeof *list);
        if (!list[i])
          list[i] = j < 2 ? basic[j] : g->uses[j - 2].args[a];
        add_choice(c, &out, list, n);
      }
  return out;
}

static bool
is_complete(const type *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!list[i])
      return false;
  return true;
}

/* The atoms determine every parameter. */
static bool
determines(const search *s, size_t param)
{
  hd_boogie_types one = {.items = &s->params->items[param], .n = 1};
  for (size_t i = 0; i < s->natoms; i++)
    for (size_t j = 0; j < s->atoms[i].args->n; j++)
      if (mentions(&one, s->atoms[i].args->items[j]))
        return true;
  return false;
}

static choices
choose(const search *s, bool optional)
{
  choices l = nothing_chosen(s);
  for (size_t i = 0; i < s->natoms; i++)
    l = extend(s, &l, &s->atoms[i], optional);
  return l;
}

const type ***
hd_vc_choices(const context *x, const hd_boogie_expr *e, size_t *n)
{
  condition *c = x->c;
  const hd_boogie_binder *b = e->u.binder;
  size_t k = b->type_params.n;
  choices all = {0}, l;
  bool matched = false;
  for (const hd_boogie_trigger *t = b->triggers; t; t = t->next)
  {
    search s = {.x = x, .params = &b->type_params};
    bool whole = t->positive;
    for (size_t i = 0; t->positive && i < t->exprs.n; i++)
      hd_boogie_walk_expr(t->exprs.items[i], find_atom, &s);
    for (size_t i = 0; i < k; i++)
      whole = whole && determines(&s, i);
    if (!whole)
      continue;
    matched = true;
    l = choose(&s, false);
    for (size_t i = 0; i < l.n; i++)
      add_choice(c, &all, l.lists[i], k);
  }
  if (!matched)
  {
    search s = {.x = x, .params = &b->type_params};
    hd_boogie_walk_expr(e->args.items[0], find_atom, &s);
    l = choose(&s, true);
    for (size_t i = 0; i < k; i++)
      if (!determines(&s, i))
        l = guess(&s, &l, i);
    for (size_t i = 0; i < l.n; i++)
      if (is_complete(l.lists[i], k))
        add_choice(c, &all, l.lists[i], k);
  }
  c->weaker = true;
  *n = all.n;
  return all.lists;
}

/* ---- polymorphic maps ---- */

bool
hd_vc_may_be_equal(const type *a, const type *b)
{
  if ((a->kind == HD_BOOGIE_TYPE_VAR && !a->exponent) || (b->kind == HD_BOOGIE_TYPE_VAR && !b->exponent))
    return true;
  if (a->kind != b->kind || a->width != b->width || a->exponent != b->exponent || a->decl != b->decl
      || a->nargs != b->nargs || a->nparams != b->nparams)
    return false;
  for (size_t i = 0; i < a->nargs; i++)
    if (!hd_vc_may_be_equal(a->args[i], b->args[i]))
      return false;
  return !a->result || hd_vc_may_be_equal(a->result, b->result);
}

static bool
differ(const instantiated *a, const instantiated *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!hd_vc_may_be_equal(a->args[i], b->args[i]))
      return true;
  return false;
}

static void
assert_forall(condition *c, size_t n, const hd_smt_symbol **vars, const hd_smt_term *pattern, const hd_smt_term *body)
{
  hd_smt_pattern p = {.n = 1, .terms = &pattern};
  hd_smt_quantifier q = {.nvars = n, .vars = vars, .npatterns = 1, .patterns = &p, .weight = c->portable ? -1 : 0};
  hd_vc_assert(c, hd_smt_quantify(c->u, HD_SMT_FORALL, &q, body));
}

/* (forall m, i, v, j :: read_A(write_B(m, i, v), j) == read_A(m, j)). Unless A and B are DIFFERENT for sure: if i != j,
 * as far as they can be compared. */
static void
describe_frame(condition *c, const instantiated *a, const instantiated *b, bool different)
{
  hd_smt *u = c->u;
  size_t na = a->symbol->nargs - 1, nb = b->symbol->nargs - 1, n = 0, nequal = 0;
  const hd_smt_symbol **vars = hd_vc_alloc(c, (2 + na + nb) * sizeof *vars);
  const hd_smt_term **write = hd_vc_alloc(c, (nb + 2) * sizeof *write);
  const hd_smt_term **read = hd_vc_alloc(c, (na + 1) * sizeof *read),
                    **equal = hd_vc_alloc(c, (na + 1) * sizeof *equal);
  for (size_t i = 0; i < nb + 2; i++, n++)
  {
    vars[n] = hd_vc_bound(c, i ? "i" : "m", b->store->args[i], 0, (uint32_t) n);
    write[i] = hd_smt_apply(u, vars[n], 0, NULL);
  }
  for (size_t i = 1; i < na + 1; i++, n++)
  {
    vars[n] = hd_vc_bound(c, "j", a->symbol->args[i], 0, (uint32_t) n);
    read[i] = hd_smt_apply(u, vars[n], 0, NULL);
    if (!different && write[i]->sort == read[i]->sort)
      equal[nequal++] = hd_smt_equal(u, write[i], read[i]);
  }
  if (!different && !nequal)
    return;
  read[0] = write[0];
  const hd_smt_term *before = hd_smt_apply(u, a->symbol, na + 1, read);
  read[0] = hd_smt_apply(u, b->store, nb + 2, write);
  const hd_smt_term *after = hd_smt_apply(u, a->symbol, na + 1, read), *body = hd_smt_equal(u, after, before);
  if (!different)
    body = hd_smt_or(u, hd_smt_make(u, HD_SMT_AND, nequal, equal), body);
  assert_forall(c, n, vars, after, body);
}

/* (forall m, i, v :: read(write(m, i, v), i) == v). */
static void
describe_read(condition *c, const instantiated *a)
{
  size_t n = a->symbol->nargs + 1;
  const hd_smt_symbol **vars = hd_vc_alloc(c, n * sizeof *vars);
  const hd_smt_term **write = hd_vc_alloc(c, n * sizeof *write), **read = hd_vc_alloc(c, n * sizeof *read);
  for (size_t i = 0; i < n; i++)
  {
    vars[i] = hd_vc_bound(c, i ? "i" : "m", a->store->args[i], 0, (uint32_t) i);
    read[i] = write[i] = hd_smt_apply(c->u, vars[i], 0, NULL);
  }
  read[0] = hd_smt_apply(c->u, a->store, n, write);
  const hd_smt_term *after = hd_smt_apply(c->u, a->symbol, n - 1, read);
  assert_forall(c, n, vars, after, hd_smt_equal(c->u, after, write[n - 1]));
}

/* The functions of the map type of E (SELECT or STORE), whose terms are ARGS: the map, N indices; and the sort of its
 * values. */
static const instantiated *
generic_map(const context *x, const hd_boogie_expr *e, size_t n, const hd_smt_term *const *args,
            const hd_smt_sort *value)
{
  condition *c = x->c;
  const type *map = hd_vc_type(c, x->types, e->args.items[0]->type);
  const type **types = hd_vc_type_args(c, x->types, &e->u.call.type_args);
  hd_vc_use(c, map, types, map->nparams);
  const instantiated *old = hd_vc_instantiated(c, map, types, map->nparams);
  if (old)
    return old;
  const hd_smt_sort **sorts = hd_vc_alloc(c, (n + 2) * sizeof *sorts);
  for (size_t i = 0; i <= n; i++)
    sorts[i] = args[i]->sort;
  sorts[n + 1] = value;
  instantiated *new = hd_vc_instantiate(c, map, types);
  new->symbol = hd_smt_function(c->u, "read", value, n + 1, sorts);
  new->store = hd_smt_function(c->u, "write", sorts[0], n + 2, sorts);
  describe_read(c, new);
  for (size_t i = 0; i < c->ninstantiated; i++)
  {
    const instantiated *other = &c->instantiated[i];
    if (other->what != map)
      continue;
    bool different = differ(new, other, map->nparams);
    describe_frame(c, new, other, different);
    if (other == new)
      continue;
    describe_frame(c, other, new, different);
    c->weaker = c->weaker || !different;
  }
  return new;
}

const hd_smt_term *
hd_vc_generic_read(const context *x, const hd_boogie_expr *e, size_t n, const hd_smt_term *const *args)
{
  const hd_smt_sort *value = hd_vc_sort(x->c, x->types, e->type, e->at);
  return hd_smt_apply(x->c->u, generic_map(x, e, n, args, value)->symbol, n + 1, args);
}

const hd_smt_term *
hd_vc_generic_write(const context *x, const hd_boogie_expr *e, size_t n, const hd_smt_term *const *args)
{
  return hd_smt_apply(x->c->u, generic_map(x, e, n, args, args[n + 1]->sort)->store, n + 2, args);
}
