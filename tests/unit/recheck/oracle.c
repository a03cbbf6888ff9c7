/* oracle.c: the rules of certificates for one state at a time (oracle.h). */
#include <string.h>

#include "recheck/oracle.h"

/* ---- steps ---- */

static bool
enabled(const hd_control_action *a, const oracle_point *p)
{
  for (size_t k = 0; k < a->ncommands; k++)
    if (hd_control_contains(&a->commands[k].guard, p->at))
      return true;
  return !a->blocking;
}

static oracle_point
act(const hd_controller *c, const hd_control_action *a, const oracle_point *p)
{
  oracle_point after = *p;
  for (size_t k = 0; k < a->ncommands; k++)
  {
    const hd_control_command *command = &a->commands[k];
    if (!hd_control_contains(&command->guard, p->at))
      continue;
    for (size_t i = 0; i < command->ncases; i++)
      if (hd_control_contains(&command->cases[i].when, p->at))
        for (size_t v = 0; v < c->nvariables; v++)
          after.at[hd_control_variable_dimension(c, v)] = (int64_t) hd_control_value(&command->cases[i].map[v], p->at);
    break;
  }
  return after;
}

size_t
oracle_steps(const hd_controller *c, const oracle_point *p, oracle_step steps[ORACLE_STEPS])
{
  size_t n = 0;
  HD_CHECK(hd_control_dimensions(c) <= ORACLE_DIMENSIONS && c->nedges <= ORACLE_STEPS);
  for (uint32_t e = 0; e < c->nedges; e++)
  {
    const hd_control_edge *edge = &c->edges[e];
    const hd_control_action *a = &c->actions[edge->action];
    if (p->at[hd_control_counter_dimension(c, edge->from)] < 1 || !enabled(a, p))
      continue;
    steps[n] = (oracle_step){e, act(c, a, p)};
    steps[n].after.at[hd_control_counter_dimension(c, edge->from)]--;
    steps[n].after.at[hd_control_counter_dimension(c, edge->to)]++;
    n++;
  }
  return n;
}

/* ---- the rules ---- */

typedef struct oracle
{
  const hd_controller *c;
  const hd_control_certificate *certificate;
  const hd_control_proof *proof;
  const oracle_point *p;
  oracle_step steps[ORACLE_STEPS];
  size_t n;
} oracle;

static bool
in(const hd_control_set *set, const oracle_point *p)
{
  return hd_control_contains(set, p->at);
}

static bool
in_domain(const oracle *o, const oracle_point *p)
{
  const hd_controller *c = o->c;
  const hd_control_certificate *x = o->certificate;
  __int128 threads = 0;
  for (size_t v = 0; v < c->nvariables; v++)
  {
    int64_t value = p->at[hd_control_variable_dimension(c, v)];
    if (c->variables[v].type == HD_CONTROL_BOOL && (value < 0 || value > 1))
      return false;
    if (c->variables[v].type == HD_CONTROL_ENUM && (value < 0 || value >= (int64_t) c->variables[v].nvalues))
      return false;
  }
  for (size_t s = 0; s < c->nstates; s++)
  {
    threads += p->at[hd_control_counter_dimension(c, s)];
    if (p->at[hd_control_counter_dimension(c, s)] < 0)
      return false;
  }
  for (size_t i = 0; i < x->nbindings; i++)
    for (size_t k = 0; k < c->nconstants; k++)
      if (strcmp(c->constants[k].name, x->bindings[i].name) == 0 && p->at[k] != x->bindings[i].value)
        return false;
  return threads >= x->least_threads && threads <= x->most_threads && threads >= c->least_threads
         && threads <= c->most_threads && in(&c->assumption, p);
}

static bool
in_invariant(const oracle *o, const oracle_point *p)
{
  return in_domain(o, p) && in(&o->proof->invariant, p) && !in(&o->proof->excluded, p);
}

static bool
is_start(const oracle *o)
{
  const hd_controller *c = o->c;
  for (size_t v = 0; v < c->nvariables; v++)
    if (o->p->at[hd_control_variable_dimension(c, v)] != hd_control_value(&c->variables[v].start, o->p->at))
      return false;
  for (size_t s = 1; s < c->nstates; s++)
    if (o->p->at[hd_control_counter_dimension(c, s)] != 0)
      return false;
  return true;
}

static const hd_control_set *
set_of(const oracle *o, const hd_control_formula *f)
{
  return &o->proof->nodes[f->number].states;
}

static bool
smaller(const hd_control_stage *stage, const oracle_point *before, const oracle_point *after)
{
  for (size_t k = 0; k < stage->nranks; k++)
  {
    __int128 was = hd_control_value(&stage->ranks[k], before->at), is = hd_control_value(&stage->ranks[k], after->at);
    if (was >= 0 && is < was)
      return true;
    if (is > was)
      return false;
  }
  return false;
}

static bool
none_larger(const hd_control_stage *stage, const oracle_point *before, const oracle_point *after)
{
  for (size_t k = 0; k < stage->nranks; k++)
    if (hd_control_value(&stage->ranks[k], after->at) > hd_control_value(&stage->ranks[k], before->at))
      return false;
  return true;
}

static bool
until_breaks(const oracle *o, const hd_control_formula *f)
{
  const hd_controller *c = o->c;
  bool au = f->kind == HD_CONTROL_AU;
  const hd_control_set *goal = set_of(o, au ? f->right : f->left);
  const hd_control_proof_node *node = &o->proof->nodes[f->number];
  size_t own = 0;
  if (in(goal, o->p))
    return false;
  while (own < node->nstages && !in(&node->stages[own].states, o->p))
    own++;
  if (own == node->nstages)
    return in(&node->states, o->p);
  const hd_control_stage *stage = &node->stages[own];
  const hd_control_edge *helpful = stage->helpful >= 0 ? &c->edges[stage->helpful] : NULL;
  if (au && !in(set_of(o, f->left), o->p))
    return true;
  if (o->n == 0)
    return true;
  if (helpful
      && (o->p->at[hd_control_counter_dimension(c, helpful->from)] < 1 || !enabled(&c->actions[helpful->action], o->p)))
    return true;
  for (size_t i = 0; i < o->n; i++)
  {
    const oracle_point *after = &o->steps[i].after;
    bool good = in(goal, after);
    for (size_t k = 0; k < own; k++)
      good |= in(&node->stages[k].states, after);
    bool falls = smaller(stage, o->p, after);
    if (helpful && c->edges[o->steps[i].edge].from != helpful->from)
      falls |= none_larger(stage, o->p, after);
    if (!good && !(in(&stage->states, after) && falls))
      return true;
  }
  return false;
}

static bool
some_step_misses(const oracle *o, const hd_control_set *set)
{
  for (size_t i = 0; i < o->n; i++)
    if (!in(set, &o->steps[i].after))
      return true;
  return false;
}

static bool
node_breaks(const oracle *o, const hd_control_formula *f)
{
  bool here = in(set_of(o, f), o->p), bad = false;
  bool left = f->left && in(set_of(o, f->left), o->p), right = f->right && in(set_of(o, f->right), o->p);
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    bad = here && !in(&f->holds, o->p);
    break;
  case HD_CONTROL_AND:
    bad = here && !(left && right);
    break;
  case HD_CONTROL_OR:
    bad = here && !(left || right);
    break;
  case HD_CONTROL_IMPLIES:
    bad = here && in(&f->left->holds, o->p) && !right;
    break;
  case HD_CONTROL_AX:
    bad = here && some_step_misses(o, set_of(o, f->left));
    break;
  case HD_CONTROL_AG:
    bad = here && (!left || some_step_misses(o, set_of(o, f)));
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    bad = until_breaks(o, f);
    break;
  }
  return bad || (f->left && f->kind != HD_CONTROL_IMPLIES && node_breaks(o, f->left))
         || (f->right && node_breaks(o, f->right));
}

bool
oracle_breaks(const hd_controller *c, const hd_control_certificate *certificate, size_t claim, const oracle_point *p)
{
  const hd_control_spec *spec = claim < c->nspecs ? &c->specs[claim] : NULL;
  oracle o = {.c = c, .certificate = certificate, .p = p};
  o.proof = spec ? certificate->proofs[claim] : certificate->deadlock;
  if (!in_domain(&o, p))
    return false;
  if (is_start(&o) && (!in_invariant(&o, p) || (spec && !in(set_of(&o, spec->formula), p))))
    return true;
  if (!in_invariant(&o, p))
    return false;
  o.n = oracle_steps(c, p, o.steps);
  for (size_t i = 0; i < o.n; i++)
    if (!in_invariant(&o, &o.steps[i].after))
      return true;
  if (spec)
    return node_breaks(&o, spec->formula);
  bool left = false; /* someone who has something to do */
  for (size_t e = 0; e < c->nedges; e++)
    left |= p->at[hd_control_counter_dimension(c, c->edges[e].from)] > 0;
  return left && o.n == 0;
}

/* ---- boxes ---- */

static bool
any_breaks(const hd_controller *c, const hd_control_certificate *certificate, size_t claim, oracle_box *box,
           oracle_point *p, size_t dimension, int64_t threads)
{
  size_t counters = hd_control_counter_dimension(c, 0), rigid = hd_control_rigid_dimension(c, 0);
  if (dimension == hd_control_dimensions(c))
  {
    box->points++;
    if (!oracle_breaks(c, certificate, claim, p))
      return false;
    box->first_broken = *p;
    return true;
  }
  int64_t low = box->low, high = box->high;
  bool counter = dimension >= counters && dimension < rigid;
  if (counter)
  {
    low = 0;
    high = threads;
  }
  else if (dimension >= rigid)
  {
    const hd_control_spec *spec = claim < c->nspecs ? &c->specs[claim] : NULL;
    size_t r = dimension - rigid;
    if (!spec || r < spec->first_rigid || r >= spec->first_rigid + spec->nrigid)
      low = high = 0;
  }
  else if (dimension >= c->nconstants && c->variables[dimension - c->nconstants].type != HD_CONTROL_INT)
  {
    const hd_control_variable *v = &c->variables[dimension - c->nconstants];
    low = 0;
    high = v->type == HD_CONTROL_BOOL ? 1 : (int64_t) v->nvalues - 1;
  }
  for (p->at[dimension] = low; p->at[dimension] <= high; p->at[dimension]++)
    if (any_breaks(c, certificate, claim, box, p, dimension + 1, threads - (counter ? p->at[dimension] : 0)))
      return true;
  return false;
}

bool
oracle_breaks_in(const hd_controller *c, const hd_control_certificate *certificate, size_t claim, oracle_box *box)
{
  oracle_point p;
  memset(&p, 0, sizeof p);
  box->points = 0;
  return any_breaks(c, certificate, claim, box, &p, 0, box->threads);
}
