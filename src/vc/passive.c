/* passive.c: from the graph without cycles to a formula that is satisfiable exactly if an assertion can fail.
 *
 * Forward, commands become facts about constants: an assignment gives its instance a new one (or the value itself, if
 * that is a constant or a number), and where paths meet with different terms, an equation on each edge says which one
 * it is. Backward, the facts become formulas: to fail from a node on, its assumptions must be true, and either an
 * assertion fails or one of its successors is reached. A node with several predecessors, or with a brother, is a
 * Boolean constant that implies its formula: so the size stays linear, and the values of these constants are a path.
 * Likewise each assertion has a constant that implies its negation, which says what failed. */
#include <string.h>

#include "vc/internal.h"

void
hd_vc_assert(condition *c, const hd_smt_term *t)
{
  if (t->op != HD_SMT_TRUE)
    ADD(c, c->asserted, c->nasserted, c->asserted_cap, t);
}

static void
add_fact(condition *c, node *v, const hd_smt_term *t, uint32_t assertion)
{
  v->kept++;
  if (t->op != HD_SMT_TRUE)
    ADD(c, v->facts, v->nfacts, v->facts_cap, (fact){.term = t, .assertion = assertion});
}

/* A term that may stand for a variable everywhere: writing it again and again costs nothing, and patterns stay what
 * they are. */
static bool
is_plain(const hd_smt_term *t)
{
  return t->nargs == 0;
}

/* An expression that is as plain as it is written: for a path, an assignment of it is no command. */
static bool
is_written_plain(const hd_boogie_expr *e)
{
  while (e->kind == HD_BOOGIE_COERCE || e->kind == HD_BOOGIE_OLD)
    e = e->args.items[0];
  return e->kind >= HD_BOOGIE_LIT_BOOL && e->kind <= HD_BOOGIE_VAR;
}

static void
note_change(condition *c, node *v, uint32_t i, const hd_smt_term *t)
{
  if (c->instances[i].shown || c->instances[i].local)
    ADD(c, v->changes, v->nchanges, v->changes_cap, (change){.instance = i, .term = t, .facts = v->nfacts});
}

static void
do_assign(condition *c, node *v, const command *x)
{
  const hd_smt_term **values = hd_vc_alloc(c, x->n * sizeof *values);
  for (size_t i = 0; i < x->n; i++)
  {
    values[i] = x->values[i] ? hd_vc_assigned_value(c, x->frame, x->values[i]) : hd_vc_now(c, x->sources[i]);
    if (x->places[i])
      values[i] = hd_vc_assigned(c, x->frame, x->places[i], values[i]);
  }
  for (size_t i = 0; i < x->n; i++)
  {
    const hd_smt_term *t = values[i];
    if (!is_plain(t))
    {
      t = hd_vc_version(c, x->targets[i]);
      add_fact(c, v, hd_smt_equal(c->u, t, values[i]), NOT_AN_INSTANCE);
    }
    else if (x->places[i] || (x->values[i] && !is_written_plain(x->values[i])))
      v->kept++;
    c->now[x->targets[i]] = t;
    note_change(c, v, x->targets[i], t);
  }
}

/* The commands of one statement share a mark. */
static void
note_statement(condition *c, node *v, const command *x)
{
  HD_CHECK(v->marks || (!v->nmarks && !v->marks_cap));
  mark *last = v->nmarks ? &v->marks[v->nmarks - 1] : NULL;
  if (last ? last->at.line == x->at.line && last->at.column == x->at.column && last->inlined == x->inlined
                 && last->loop == x->loop
           : !x->at.line)
  {
    if (last)
      last->silent = last->silent && x->silent;
    return;
  }
  ADD(c, v->marks, v->nmarks, v->marks_cap,
      (mark){.at = x->at,
             .inlined = x->inlined,
             .silent = x->silent,
             .loop = x->loop,
             .facts = v->nfacts,
             .changes = v->nchanges});
}

static void
run(condition *c, node *v)
{
  size_t before;
  for (size_t i = 0; i < v->n; i++)
  {
    const command *x = &v->commands[i];
    note_statement(c, v, x);
    switch (x->kind)
    {
    case ASSUME:
      add_fact(c, v, x->expr ? hd_vc_term(c, x->frame, x->expr) : hd_smt_true(c->u), NOT_AN_INSTANCE);
      break;
    case ASSERT:
      before = c->type_quantifiers;
      add_fact(c, v, hd_vc_obligation(c, x->frame, x->expr), x->assertion);
      /* It was proved for one unknown type and so for all. */
      if (c->type_quantifiers != before && !c->assertions[x->assertion].forgets)
        ADD(c, v->facts, v->nfacts, v->facts_cap,
            (fact){.term = hd_vc_term(c, x->frame, x->expr), .assertion = NOT_AN_INSTANCE});
      break;
    case ASSIGN:
      do_assign(c, v, x);
      break;
    case HAVOC:
      for (size_t j = 0; j < x->n; j++)
      {
        c->now[x->targets[j]] = hd_vc_version(c, x->targets[j]);
        note_change(c, v, x->targets[j], c->now[x->targets[j]]);
      }
      break;
    }
  }
}

/* How many members of SET are below I. */
static size_t
rank(const uint64_t *set, uint32_t i)
{
  size_t n = 0;
  for (uint32_t k = 0; k < i / 64; k++)
    n += (size_t) __builtin_popcountll(set[k]);
  return n + (size_t) __builtin_popcountll(set[i / 64] & ((1ull << (i % 64)) - 1));
}

static void
add_equation(condition *c, uint32_t from, uint32_t to, const hd_smt_term *t)
{
  node *v = &c->nodes[from];
  for (size_t i = 0; i < v->nto; i++)
    if (v->to[i] == to)
      ADD(c, v->edges[i].terms, v->edges[i].n, v->edges[i].cap, t);
}

/* Let the instances have the terms that they have at the ends of V's predecessors. */
static void
enter(condition *c, uint32_t number)
{
  node *v = &c->nodes[number];
  memset(c->now, 0, c->ninstances * sizeof *c->now);
  for (uint32_t i = 0; i < c->ninstances; i++)
  {
    if (!(v->live_before[i / 64] >> (i % 64) & 1))
      continue;
    if (!v->nfrom)
    {
      c->now[i] = hd_vc_initial(c, i);
      continue;
    }
    const hd_smt_term *t = NULL;
    bool same = true;
    for (size_t j = 0; j < v->nfrom; j++)
    {
      const node *p = &c->nodes[v->from[j]];
      const hd_smt_term *here = p->out[rank(p->live, i)];
      same = same && (!t || t == here);
      t = here;
    }
    if (!same)
    {
      t = hd_vc_version(c, i);
      for (size_t j = 0; j < v->nfrom; j++)
      {
        const node *p = &c->nodes[v->from[j]];
        add_equation(c, v->from[j], number, hd_smt_equal(c->u, t, p->out[rank(p->live, i)]));
      }
    }
    c->now[i] = t;
  }
}

static void
leave(condition *c, node *v)
{
  size_t n = 0;
  for (size_t k = 0; k <= c->ninstances / 64; k++)
    n += (size_t) __builtin_popcountll(v->live[k]);
  v->out = hd_vc_alloc(c, n * sizeof *v->out);
  n = 0;
  for (uint32_t i = 0; i < c->ninstances; i++)
    if (v->live[i / 64] >> (i % 64) & 1)
      v->out[n++] = hd_vc_now(c, i);
  v->edges = hd_vc_alloc(c, v->nto * sizeof *v->edges);
}

/* ---- backward ---- */

static const hd_smt_term *
failure(condition *c, uint32_t assertion)
{
  step *s = &c->steps[assertion];
  if (!s->fail)
    s->fail = hd_smt_constant(c->u, hd_vc_text(c, "fail.%u", assertion), hd_smt_basic(c->u, HD_SMT_BOOL));
  return s->fail;
}

/* One of the successors is reached. */
static const hd_smt_term *
go_on(condition *c, node *v)
{
  const hd_smt_term **ways = hd_vc_alloc(c, v->nto * sizeof *ways);
  for (size_t i = 0; i < v->nto; i++)
  {
    const node *s = &c->nodes[v->to[i]];
    const hd_smt_term **parts = hd_vc_alloc(c, (v->edges[i].n + 1) * sizeof *parts);
    for (size_t j = 0; j < v->edges[i].n; j++)
      parts[j] = v->edges[i].terms[j];
    parts[v->edges[i].n] = s->reach ? s->reach : s->formula;
    ways[i] = hd_smt_make(c->u, HD_SMT_AND, v->edges[i].n + 1, parts);
    if (v->nto > 1 && v->edges[i].n && ways[i]->op != HD_SMT_FALSE)
    {
      /* The successor may be on the way although these equations do not hold. */
      v->edges[i].taken = hd_smt_constant(c->u, hd_vc_text(c, "to.%s", s->label), hd_smt_basic(c->u, HD_SMT_BOOL));
      hd_vc_assert(c, hd_smt_implies(c->u, v->edges[i].taken, ways[i]));
      ways[i] = v->edges[i].taken;
    }
  }
  return hd_smt_make(c->u, HD_SMT_OR, v->nto, ways);
}

static void
make_formula(condition *c, uint32_t number)
{
  node *v = &c->nodes[number];
  const hd_smt_term *t = go_on(c, v);
  const hd_smt_term **together = hd_vc_alloc(c, (v->nfacts + 1) * sizeof *together);
  for (size_t i = v->nfacts; i > 0;)
  {
    const fact *f = &v->facts[i - 1];
    if (f->assertion != NOT_AN_INSTANCE)
    {
      const hd_smt_term *fail = failure(c, f->assertion);
      hd_vc_assert(c, hd_smt_implies(c->u, fail, hd_smt_not(c->u, f->term)));
      t = hd_smt_or(c->u, fail, c->assertions[f->assertion].forgets ? t : hd_smt_and(c->u, f->term, t));
      i--;
      continue;
    }
    /* Assumptions that follow each other are one conjunction. */
    size_t n = 0, first = i;
    while (first > 0 && v->facts[first - 1].assertion == NOT_AN_INSTANCE)
      first--;
    if (t->op == HD_SMT_FALSE)
    {
      i = first;
      continue;
    }
    for (size_t j = first; j < i; j++)
      together[n++] = v->facts[j].term;
    together[n++] = t;
    t = hd_smt_make(c->u, HD_SMT_AND, n, together);
    i = first;
  }
  v->formula = t;
  bool alone = v->nfrom == 1 && c->nodes[v->from[0]].nto == 1;
  if (t->op == HD_SMT_FALSE || alone || number == 0)
    return;
  v->reach = hd_smt_constant(c->u, hd_vc_text(c, "at.%s", v->label), hd_smt_basic(c->u, HD_SMT_BOOL));
  hd_vc_assert(c, hd_smt_implies(c->u, v->reach, t));
}

void
hd_vc_passify(condition *c)
{
  c->now = hd_vc_alloc(c, c->ninstances * sizeof *c->now);
  c->initial = hd_vc_alloc(c, c->ninstances * sizeof *c->initial);
  c->versions = hd_vc_alloc(c, c->ninstances * sizeof *c->versions);
  c->steps = hd_vc_alloc(c, c->nassertions * sizeof *c->steps);
  for (size_t i = 0; i < c->norder; i++)
  {
    node *v = &c->nodes[c->order[i]];
    enter(c, c->order[i]);
    if (i == 0)
      for (uint32_t j = 0; j < c->ninstances; j++)
      {
        const hd_smt_term *t = hd_vc_initial(c, j);
        if (c->instances[j].shown)
          note_change(c, v, j, t);
      }
    run(c, v);
    leave(c, v);
  }
  for (size_t i = c->norder; i-- > 0;)
    make_formula(c, c->order[i]);
  c->trivial = c->nodes[0].formula->op == HD_SMT_FALSE;
  hd_vc_assert(c, c->nodes[0].formula);
}
