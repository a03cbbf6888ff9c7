/* codeexpr.c: the value of a code expression |{ var x: T; A: ...; return e; }|.
 *
 * Where the value is to be proved it is the weakest precondition: on every way through the code the assertions hold and
 * what is returned is true. Where the value is assumed, some way through the code returns true (or fails an
 * assertion). The two agree if the code is deterministic and never blocks; where it is not, the second is the weaker
 * one, so that nothing is assumed that was not proved. This is the reference's reading, too.
 *
 * The code becomes a graph of its own with instances of its own, which are forgotten afterwards. An assignment puts the
 * value itself in the place of the variable; what is chosen freely, and a variable that has different values where ways
 * meet, is a bound variable, with an equation on each edge for the latter. */
#include <string.h>

#include "vc/internal.h"

typedef struct code
{
  condition *c;
  const context *outside;
  context inside;
  const hd_smt_symbol **vars; /* that are bound */
  size_t nvars, vars_cap;
  const hd_smt_term ***states; /* by node: the values of all instances at its end */
  const hd_smt_term **wp;      /* by node */
} code;

/* What a code expression changes in the condition while it is translated. */
typedef struct saved
{
  instance *instances;
  node *nodes;
  uint32_t *order, *versions;
  hd_vc_assertion *assertions;
  const hd_smt_term **now, **initial;
  size_t ninstances, instances_cap, nnodes, nodes_cap, norder, nassertions, assertions_cap;
  hd_boogie_place here;
  const char *inside;
} saved;

static saved
save(const condition *c)
{
  return (saved){.instances = c->instances,
                 .nodes = c->nodes,
                 .order = c->order,
                 .versions = c->versions,
                 .assertions = c->assertions,
                 .now = c->now,
                 .initial = c->initial,
                 .ninstances = c->ninstances,
                 .instances_cap = c->instances_cap,
                 .nnodes = c->nnodes,
                 .nodes_cap = c->nodes_cap,
                 .norder = c->norder,
                 .nassertions = c->nassertions,
                 .assertions_cap = c->assertions_cap,
                 .here = c->here,
                 .inside = c->inside};
}

static void
restore(condition *c, const saved *s)
{
  c->instances = s->instances;
  c->nodes = s->nodes;
  c->order = s->order;
  c->versions = s->versions;
  c->assertions = s->assertions;
  c->now = s->now;
  c->initial = s->initial;
  c->ninstances = s->ninstances;
  c->instances_cap = s->instances_cap;
  c->nnodes = s->nnodes;
  c->nodes_cap = s->nodes_cap;
  c->norder = s->norder;
  c->nassertions = s->nassertions;
  c->assertions_cap = s->assertions_cap;
  c->here = s->here;
  c->inside = s->inside;
}

/* ---- the graph ---- */

/* Topological order of what node 0 reaches. */
static void
order_nodes(condition *c, hd_boogie_place at)
{
  size_t n = c->nnodes, depth = 0, done = 0;
  uint32_t *stack = hd_vc_alloc(c, n * sizeof *stack), *post = hd_vc_alloc(c, n * sizeof *post);
  size_t *next = hd_vc_alloc(c, n * sizeof *next);
  uint8_t *state = hd_vc_alloc(c, n); /* 1: it is on the stack; 2: it is done */
  stack[depth++] = 0;
  state[0] = 1;
  while (depth)
  {
    uint32_t x = stack[depth - 1];
    if (next[x] == c->nodes[x].nto)
    {
      post[done++] = x;
      state[x] = 2;
      depth--;
      continue;
    }
    uint32_t y = c->nodes[x].to[next[x]++];
    if (state[y] == 1)
      hd_vc_unsupported(c, c->nodes[y].at.line ? c->nodes[y].at : at, "a code expression cannot have a loop");
    if (!state[y])
    {
      state[y] = 1;
      stack[depth++] = y;
    }
  }
  c->order = hd_vc_alloc(c, n * sizeof *c->order);
  c->norder = done;
  for (size_t i = 0; i < done; i++)
    c->order[i] = post[done - 1 - i];
  /* What cannot be reached is no predecessor. */
  for (size_t i = 0; i < n; i++)
  {
    node *v = &c->nodes[i];
    size_t k = 0;
    for (size_t j = 0; j < v->nfrom; j++)
      if (state[v->from[j]])
        v->from[k++] = v->from[j];
    v->nfrom = k;
  }
}

/* The code's frame: its locals, and everything that the frame around it knows. */
static frame *
code_frame(const context *x, const hd_boogie_vars *locals)
{
  condition *c = x->c;
  const frame *outside = x->frame;
  frame *f = hd_vc_alloc(c, sizeof *f);
  f->types = x->types;
  f->outer = outside;
  f->olds = outside->olds;
  f->nolds = outside->nolds;
  f->olds_cap = outside->olds_cap;
  f->keeps_old = outside->keeps_old;
  for (size_t i = 0; i < locals->n; i++)
    hd_vc_bind(c, f, locals->items[i], hd_vc_instance(c, locals->items[i], locals->items[i]->name, f, false));
  return f;
}

/* ---- forward: facts ---- */

static const hd_smt_term *
choice(code *k, uint32_t i)
{
  condition *c = k->c;
  const instance *v = &c->instances[i];
  const hd_smt_symbol *s = hd_vc_bound(c, v->name, hd_vc_instance_sort(c, v), k->outside->level, (uint32_t) k->nvars);
  ADD(c, k->vars, k->nvars, k->vars_cap, s);
  return hd_smt_apply(c->u, s, 0, NULL);
}

static bool
is_live(const uint64_t *set, uint32_t i)
{
  return set[i / 64] >> (i % 64) & 1;
}

static void
enter(code *k, uint32_t number, size_t outer)
{
  condition *c = k->c;
  node *v = &c->nodes[number];
  for (uint32_t i = 0; i < c->ninstances; i++)
  {
    const hd_smt_term *t = NULL;
    bool same = true;
    if (!is_live(v->live_before, i))
      continue;
    if (!v->nfrom)
    {
      /* The values around it are there already. */
      if (i >= outer)
        c->now[i] = choice(k, i);
      continue;
    }
    for (size_t j = 0; j < v->nfrom; j++)
    {
      const hd_smt_term *here = k->states[v->from[j]][i];
      same = same && (!t || t == here);
      t = here;
    }
    if (!same)
    {
      t = choice(k, i);
      for (size_t j = 0; j < v->nfrom; j++)
      {
        node *p = &c->nodes[v->from[j]];
        for (size_t e = 0; e < p->nto; e++)
          if (p->to[e] == number)
            ADD(c, p->edges[e].terms, p->edges[e].n, p->edges[e].cap, hd_smt_equal(c->u, t, k->states[v->from[j]][i]));
      }
    }
    c->now[i] = t;
  }
}

static const hd_smt_term *
evaluate(const code *k, const frame *f, const hd_boogie_expr *e, bool assumed)
{
  context x = k->inside;
  x.frame = f;
  x.types = f->types;
  x.assumed = assumed;
  return hd_vc_term_in(&x, e);
}

static void
run(code *k, node *v)
{
  condition *c = k->c;
  for (size_t i = 0; i < v->n; i++)
  {
    const command *x = &v->commands[i];
    context in = k->inside;
    if (x->frame)
    {
      in.frame = x->frame;
      in.types = x->frame->types;
    }
    in.mixed = true;
    const hd_smt_term **values;
    switch (x->kind)
    {
    case ASSUME:
      if (x->expr)
        ADD(c, v->facts, v->nfacts, v->facts_cap,
            (fact){.term = evaluate(k, x->frame, x->expr, true), .assertion = NOT_AN_INSTANCE});
      break;
    case ASSERT:
      ADD(c, v->facts, v->nfacts, v->facts_cap,
          (fact){.term = evaluate(k, x->frame, x->expr, false), .assertion = x->assertion});
      break;
    case ASSIGN:
      values = hd_vc_alloc(c, x->n * sizeof *values);
      for (size_t j = 0; j < x->n; j++)
      {
        values[j] = x->values[j] ? hd_vc_term_in(&in, x->values[j]) : hd_vc_now(c, x->sources[j]);
        if (x->places[j])
          values[j] = hd_vc_assigned_in(&in, x->places[j], values[j]);
      }
      for (size_t j = 0; j < x->n; j++)
        c->now[x->targets[j]] = values[j];
      break;
    case HAVOC:
      for (size_t j = 0; j < x->n; j++)
        c->now[x->targets[j]] = choice(k, x->targets[j]);
      break;
    }
  }
}

/* ---- backward: the weakest precondition ---- */

static const hd_smt_term *
precondition(const code *k, const node *v, const hd_smt_term *returned)
{
  condition *c = k->c;
  const hd_smt_term *t = returned;
  if (!t)
  {
    const hd_smt_term **all = hd_vc_alloc(c, (v->nto + 1) * sizeof *all);
    for (size_t i = 0; i < v->nto; i++)
      all[i] = hd_smt_implies(c->u, hd_smt_make(c->u, HD_SMT_AND, v->edges[i].n, v->edges[i].terms), k->wp[v->to[i]]);
    t = hd_smt_make(c->u, HD_SMT_AND, v->nto, all);
  }
  for (size_t i = v->nfacts; i-- > 0;)
    t = v->facts[i].assertion == NOT_AN_INSTANCE ? hd_smt_implies(c->u, v->facts[i].term, t)
                                                 : hd_smt_and(c->u, v->facts[i].term, t);
  return t;
}

/* (forall what was chosen :: T). */
static const hd_smt_term *
for_all_choices(const code *k, const hd_smt_term *t)
{
  hd_smt_quantifier q = {.nvars = k->nvars, .vars = k->vars, .weight = -1};
  if (!(t->levels >> k->outside->level & 1))
    return t;
  return hd_smt_quantify(k->c->u, HD_SMT_FORALL, &q, t);
}

static const hd_smt_term *
walk(code *k, size_t outer)
{
  condition *c = k->c;
  const hd_smt_term **returned = hd_vc_alloc(c, c->nnodes * sizeof *returned);
  k->states = hd_vc_alloc(c, c->nnodes * sizeof *k->states);
  k->wp = hd_vc_alloc(c, c->nnodes * sizeof *k->wp);
  for (size_t i = 0; i < c->norder; i++)
  {
    node *v = &c->nodes[c->order[i]];
    enter(k, c->order[i], outer);
    run(k, v);
    if (v->returned)
    {
      const hd_smt_term *t = evaluate(k, v->returned_frame, v->returned, k->outside->assumed);
      returned[c->order[i]] = k->outside->assumed ? hd_smt_not(c->u, t) : t;
    }
    v->edges = hd_vc_alloc(c, v->nto * sizeof *v->edges);
    k->states[c->order[i]]
        = memcpy(hd_vc_alloc(c, c->ninstances * sizeof *c->now), c->now, c->ninstances * sizeof *c->now);
  }
  for (size_t i = c->norder; i-- > 0;)
    k->wp[c->order[i]] = precondition(k, &c->nodes[c->order[i]], returned[c->order[i]]);
  const hd_smt_term *t = for_all_choices(k, k->wp[0]);
  return k->outside->assumed ? hd_smt_not(c->u, t) : t;
}

static void *
longer(condition *c, const void *old, size_t before, size_t after, size_t size)
{
  void *new = hd_vc_alloc(c, after * size);
  return before && old ? memcpy(new, old, before * size) : new;
}

const hd_smt_term *
hd_vc_code(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  if (x->level >= HD_SMT_MOST_LEVELS || x->level == PARAMETER_LEVEL)
    hd_vc_unsupported(c, e->at, "quantifiers are too deep inside each other here");
  bool may_call = false;
  for (const frame *f = x->frame; f; f = f->outer)
    may_call = may_call || f == c->globals;
  const saved before = save(c);
  code k = {.c = c, .outside = x, .inside = *x};
  c->code++;
  k.inside.level++;
  k.inside.in_old = false;
  c->nodes = NULL;
  c->nnodes = c->nodes_cap = 0;
  /* Instances are appended, and the array may move; what is here now stays as it is. */
  c->instances = longer(c, c->instances, c->ninstances, c->ninstances + 1, sizeof *c->instances);
  c->instances_cap = c->ninstances + 1;
  c->assertions_cap = c->nassertions;
  hd_vc_code_graph(c, code_frame(x, &e->u.binder->bound), &e->u.binder->blocks, may_call);
  order_nodes(c, e->at);
  hd_vc_live(c);
  c->now = longer(c, before.now, before.ninstances, c->ninstances, sizeof *c->now);
  c->initial = longer(c, before.initial, before.ninstances, c->ninstances, sizeof *c->initial);
  c->versions = longer(c, before.versions, before.ninstances, c->ninstances, sizeof *c->versions);
  /* Inside old() global variables begin with their old values. */
  for (size_t i = 0; x->in_old && i < c->program->nglobals; i++)
  {
    bool initial;
    uint32_t now = hd_vc_lookup(c->globals, c->program->globals[i], false, &initial);
    uint32_t old = hd_vc_lookup(x->frame, c->program->globals[i], true, &initial);
    if (old != NOT_AN_INSTANCE)
      c->now[now] = initial ? c->initial[old] : before.now[old] ? before.now[old] : before.initial[old];
  }
  const hd_smt_term *t = walk(&k, before.ninstances);
  restore(c, &before);
  return t;
}
