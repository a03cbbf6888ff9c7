/* until.c: the obligations of AF and AU: stages, ranks and helpful edges. */
#include "recheck/checker.h"

typedef struct until
{
  const hd_control_formula *f;
  const hd_control_set *hold, *reach; /* AF: HOLD is NULL */
  const hd_control_proof_node *node;
  size_t stage;
} until;

/* A state of the stage that is not in REACH or an earlier stage. */
static void
begin_stage(checker *x, const until *u)
{
  hd_checker_begin_inside(x);
  hd_solver_add(&x->q.problem, u->node->stages[u->stage].states);
  hd_solver_exclude(&x->q.problem, u->reach);
  for (size_t i = 0; i < u->stage; i++)
    hd_solver_exclude(&x->q.problem, &u->node->stages[i].states);
}

/* Where a step along WAY is as STAGE wants it: the rank becomes smaller, or, if REST, no part of it grows. */
static hd_control_set
good_steps(checker *x, const hd_control_stage *stage, const hd_way *way, bool rest)
{
  hd_arena *arena = x->q.problem.arena;
  size_t n = stage->nranks;
  hd_control_linear *falls = hd_arena_alloc(arena, (n + 1) * sizeof *falls); /* before - after */
  for (size_t i = 0; i < n; i++)
  {
    hd_control_linear after = hd_way_linear(&x->q, way, &stage->ranks[i]);
    falls[i] = hd_question_combine(&x->q, 1, &stage->ranks[i], -1, &after, 0);
  }
  hd_control_conjunction *out = hd_arena_alloc(arena, (n + 1) * sizeof *out);
  for (size_t k = 0; k < n + rest; k++)
  {
    hd_control_atom *atoms = hd_arena_alloc(arena, (k + 2) * sizeof *atoms);
    size_t m = 0;
    for (size_t i = 0; i < k; i++)
      atoms[m++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, falls[i]};
    if (k < n)
    {
      hd_control_linear by_one = hd_question_combine(&x->q, 1, &falls[k], 0, &falls[k], -1);
      atoms[m++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, by_one};
      atoms[m++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, stage->ranks[k]};
    }
    out[k] = (hd_control_conjunction){m, atoms};
  }
  return (hd_control_set){n + rest, out};
}

/* The intersection, conjunction by conjunction. */
static hd_control_set
both(checker *x, const hd_control_set *a, const hd_control_set *b)
{
  hd_arena *arena = x->q.problem.arena;
  hd_control_conjunction *out = hd_arena_alloc(arena, (a->n * b->n + 1) * sizeof *out);
  size_t n = 0;
  for (size_t i = 0; i < a->n; i++)
    for (size_t j = 0; j < b->n; j++)
    {
      const hd_control_conjunction *p = &a->conjunctions[i], *r = &b->conjunctions[j];
      hd_control_atom *atoms = hd_arena_alloc(arena, (p->n + r->n + 1) * sizeof *atoms);
      for (size_t k = 0; k < p->n + r->n; k++)
        atoms[k] = k < p->n ? p->atoms[k] : r->atoms[k - p->n];
      out[n++] = (hd_control_conjunction){p->n + r->n, atoms};
    }
  return (hd_control_set){n, out};
}

static void
check_stage_step(checker *x, const until *u, const hd_way *way, const char *name)
{
  const hd_control_stage *stage = &u->node->stages[u->stage];
  const hd_controller *c = x->c;
  bool helps = stage->helpful < 0 || c->edges[way->edge].from == c->edges[stage->helpful].from;
  begin_stage(x, u);
  hd_question_step(&x->q, way);
  hd_checker_misses(x, way, u->reach);
  for (size_t i = 0; i < u->stage; i++)
    hd_checker_misses(x, way, &u->node->stages[i].states);
  hd_control_set again = hd_way_set(&x->q, way, &stage->states), good = good_steps(x, stage, way, !helps);
  hd_control_set fine = both(x, &again, &good);
  hd_solver_exclude(&x->q.problem, &fine);
  phrase step = hd_checker_step(x, way);
  hd_checker_prove(x, way, "%s: %s ends in the goal or an earlier stage, or stays in the stage %s", name, step.text,
                   helps ? "with a smaller rank" : "without a larger rank");
}

/* Something goes on in every state of the stage. */
static void
check_stage_goes_on(checker *x, const until *u, const char *name)
{
  const hd_control_stage *stage = &u->node->stages[u->stage];
  const hd_controller *c = x->c;
  if (stage->helpful < 0)
  {
    begin_stage(x, u);
    hd_question_end_of_path(&x->q);
    hd_checker_prove(x, NULL, "%s: no path ends in it", name);
    return;
  }
  const hd_control_edge *e = &c->edges[stage->helpful];
  const hd_control_action *a = &c->actions[e->action];
  begin_stage(x, u);
  hd_solver_add_atom(&x->q.problem, hd_question_atom(&x->q, hd_control_counter_dimension(c, e->from), -1, 0));
  hd_checker_prove(x, NULL, "%s: a thread is in %s, from where the helpful edge leads", name, c->states[e->from].name);
  begin_stage(x, u);
  hd_question_no_guard(&x->q, a);
  if (a->blocking && !hd_checker_refuted(x))
    hd_checker_prove(x, NULL, "%s: %s, the action of the helpful edge, can be taken", name, a->name);
}

static void
check_stage(checker *x, const until *u)
{
  hd_string name = {0};
  hd_string_printf(&name, "%s, stage %zu", hd_checker_node_name(u->f).text, u->stage + 1);
  if (u->hold)
  {
    begin_stage(x, u);
    hd_solver_exclude(&x->q.problem, u->hold);
    hd_checker_prove(x, NULL, "%s: the left side holds in it", name.text);
  }
  if (!hd_checker_refuted(x))
    check_stage_goes_on(x, u, name.text);
  for (size_t i = 0; i < x->nways && !hd_checker_refuted(x); i++)
    check_stage_step(x, u, &x->ways[i], name.text);
  hd_string_free(&name);
}

void
hd_checker_until(checker *x, const hd_control_formula *f)
{
  bool au = f->kind == HD_CONTROL_AU;
  until u = {.f = f,
             .hold = au ? &hd_checker_node(x, f->left)->states : NULL,
             .reach = &hd_checker_node(x, au ? f->right : f->left)->states,
             .node = hd_checker_node(x, f)};
  phrase node = hd_checker_node_name(f);
  hd_checker_begin_node(x, f);
  hd_solver_exclude(&x->q.problem, u.reach);
  for (size_t i = 0; i < u.node->nstages; i++)
    hd_solver_exclude(&x->q.problem, &u.node->stages[i].states);
  hd_checker_prove(x, NULL, "%s: every state of its set is in the goal or a stage", node.text);
  for (; u.stage < u.node->nstages && !hd_checker_refuted(x); u.stage++)
    check_stage(x, &u);
}
