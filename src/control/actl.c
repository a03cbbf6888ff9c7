/* actl.c: ACTL on a graph of states, by the usual fixpoints.
 *
 * Paths are maximal: a state without a successor ends one. So AX p holds there whatever p is, and AF p only if p does.
 *
 * Where the search was cut, states without known successors are given the benefit of the doubt: every formula about
 * their future is taken to hold. ACTL has no negation of temporal operators, so what is violated then is violated for
 * whatever lies beyond; what holds is not known to hold, and verify.c says so.
 *
 * Under weak fairness (fair.c) only the fair ones of the infinite paths count, for AF and AU; AX and AG are the same,
 * because every step and every finite path is the beginning of a fair path.
 *
 * Rigid variables: every comparison changes its truth at finitely many values of them, which the states determine. One
 * value of each stretch between two changes is tried, which is as good as all. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

enum
{
  MOST_VALUES = 4096,   /* of rigid variables, tried together */
  MOST_WORK = 100000000 /* states that are looked at for them, in all */
};

/* ---- one formula, with given rigid variables ---- */

typedef struct evaluation
{
  hd_control_judgement *j;
  hd_control_graph *g;
  uint32_t *work; /* room for every state */
  uint32_t *open; /* for each state: successors outside the set so far */
} evaluation;

static void
predicate(evaluation *x, const hd_control_formula *f, uint8_t *set)
{
  hd_control_stepper *s = &x->g->stepper;
  for (size_t i = 0; i < x->g->n; i++)
  {
    hd_control_stepper_load(s, hd_control_graph_state(x->g, i));
    set[i] = hd_control_contains(&f->holds, s->point);
  }
}

static void
next(const hd_control_graph *g, const uint8_t *p, uint8_t *set)
{
  memset(set, 1, g->n);
  for (size_t i = 0; i < g->expanded; i++)
    for (size_t k = g->first[i]; set[i] && k < g->first[i + 1]; k++)
      set[i] = p[g->targets[k]];
}

/* AG p: not (some path leads to a state without p). */
static void
globally(evaluation *x, const uint8_t *p, uint8_t *set)
{
  hd_control_graph *g = x->g;
  size_t n = 0;
  memcpy(set, p, g->n);
  for (size_t i = 0; i < g->n; i++)
    if (!set[i])
      x->work[n++] = (uint32_t) i;
  while (n > 0)
  {
    uint32_t bad = x->work[--n];
    for (size_t k = g->before_first[bad]; k < g->before_first[bad + 1]; k++)
      if (set[g->before[k]])
      {
        set[g->before[k]] = 0;
        x->work[n++] = g->before[k];
      }
  }
}

/* AU(p, q); P is NULL for AF q. The least set with q, and with p where there is a successor and all are in it. */
static void
until(evaluation *x, const uint8_t *p, const uint8_t *q, uint8_t *set)
{
  hd_control_graph *g = x->g;
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++)
  {
    x->open[i] = i < g->expanded ? (uint32_t) (g->first[i + 1] - g->first[i]) : 0;
    set[i] = q[i] || (i >= g->expanded && (!p || p[i]));
    if (set[i])
      x->work[n++] = (uint32_t) i;
  }
  while (n > 0)
  {
    uint32_t good = x->work[--n];
    for (size_t k = g->before_first[good]; k < g->before_first[good + 1]; k++)
    {
      uint32_t s = g->before[k];
      if (--x->open[s] == 0 && !set[s] && (!p || p[s]))
      {
        set[s] = 1;
        x->work[n++] = s;
      }
    }
  }
}

/* The same on fair paths: the complement of what can stay without q until it ends, until p fails, or for ever on a
 * fair loop. */
static void
until_fairly(evaluation *x, const uint8_t *p, const uint8_t *q, uint8_t *set)
{
  hd_control_graph *g = x->g;
  uint8_t *inside = hd_alloc_array(g->n, 1);
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++)
    inside[i] = !q[i] && (!p || p[i]);
  hd_control_fair_parts(g, inside, x->open);
  for (size_t i = 0; i < g->n; i++)
  {
    set[i] = q[i] || (inside[i] && !x->open[i] && !hd_control_graph_is_end(g, i));
    if (!set[i])
      x->work[n++] = (uint32_t) i;
  }
  while (n > 0)
  {
    uint32_t bad = x->work[--n];
    for (size_t k = g->before_first[bad]; k < g->before_first[bad + 1]; k++)
    {
      uint32_t s = g->before[k];
      if (set[s] && !q[s])
      {
        set[s] = 0;
        x->work[n++] = s;
      }
    }
  }
  free(inside);
}

static const uint8_t *
evaluate(evaluation *x, const hd_control_formula *f)
{
  size_t n = x->g->n;
  uint8_t *set = x->j->sets[f->number];
  const uint8_t *a = f->left ? evaluate(x, f->left) : NULL, *b = f->right ? evaluate(x, f->right) : NULL;
  bool one = f->kind >= HD_CONTROL_AX && f->kind <= HD_CONTROL_AG, none = f->kind == HD_CONTROL_PREDICATE;
  HD_CHECK((none || a) && (none || one || b));
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    predicate(x, f, set);
    break;
  case HD_CONTROL_AND:
    for (size_t i = 0; i < n; i++)
      set[i] = a[i] & b[i];
    break;
  case HD_CONTROL_OR:
    for (size_t i = 0; i < n; i++)
      set[i] = a[i] | b[i];
    break;
  case HD_CONTROL_IMPLIES:
    for (size_t i = 0; i < n; i++)
    {
      set[i] = !a[i] || b[i];
      if (a[i])
        x->j->left_true[f->number] = true;
    }
    break;
  case HD_CONTROL_AX:
    next(x->g, a, set);
    break;
  case HD_CONTROL_AF:
    (x->j->fair ? until_fairly : until)(x, NULL, a, set);
    break;
  case HD_CONTROL_AG:
    globally(x, a, set);
    break;
  case HD_CONTROL_AU:
    (x->j->fair ? until_fairly : until)(x, a, b, set);
    break;
  }
  return set;
}

/* ---- rigid variables ---- */

/* Numbers, sorted, each once. */
typedef struct values
{
  int64_t *items;
  size_t n, cap;
  bool full;
} values;

static void
add_value(values *v, __int128 value)
{
  if (value > INT64_MAX / 2 || value < INT64_MIN / 2)
    return; /* beyond every number that the comparison could be about */
  size_t low = 0, high = v->n;
  while (low < high)
  {
    size_t middle = (low + high) / 2;
    if (v->items[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < v->n && v->items[low] == value)
    return;
  if (v->n == MOST_VALUES)
  {
    v->full = true;
    return;
  }
  hd_grow(&v->items, &v->cap, v->n + 1, sizeof *v->items);
  memmove(v->items + low + 1, v->items + low, (v->n - low) * sizeof *v->items);
  v->items[low] = (int64_t) value;
  v->n++;
}

static __int128
divide_down(__int128 a, __int128 b)
{
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The values of the dimension RIGID about which an atom changes its truth, in the state that is loaded. */
static void
add_changes(values *v, const hd_control_atom *atom, size_t rigid, const int64_t *point)
{
  int64_t factor = 0;
  for (size_t i = 0; i < atom->linear.n; i++)
    if (atom->linear.terms[i].dimension == rigid)
      factor = atom->linear.terms[i].factor;
  if (factor == 0)
    return;
  __int128 rest = hd_control_value(&atom->linear, point) - (__int128) factor * point[rigid];
  __int128 at = divide_down(-rest, factor);
  for (int k = -1; k <= 1; k++)
    add_value(v, at + k);
  add_value(v, at + 2); /* where the division left something */
}

static bool
mixes_rigid(const hd_controller *c, const hd_control_atom *atom)
{
  size_t first = hd_control_rigid_dimension(c, 0), n = 0;
  for (size_t i = 0; i < atom->linear.n; i++)
    n += atom->linear.terms[i].dimension >= first;
  return n > 1;
}

/* All that the predicates of F say about RIGID, over all states. */
static void
collect_values(evaluation *x, const hd_control_formula *f, size_t rigid, values *out)
{
  hd_control_stepper *s = &x->g->stepper;
  if (f->left)
    collect_values(x, f->left, rigid, out);
  if (f->right)
    collect_values(x, f->right, rigid, out);
  for (size_t k = 0; k < f->holds.n; k++)
    for (size_t a = 0; a < f->holds.conjunctions[k].n; a++)
    {
      const hd_control_atom *atom = &f->holds.conjunctions[k].atoms[a];
      if (mixes_rigid(x->g->c, atom))
        x->j->doubt = "a comparison has two rigid variables, of which only some values were tried";
      for (size_t i = 0; i < x->g->n && !out->full; i++)
      {
        hd_control_stepper_load(s, hd_control_graph_state(x->g, i));
        add_changes(out, atom, rigid, s->point);
      }
    }
}

/* Every combination of values from the rigid variable R on; false: the property is violated, with the values in
 * J->rigid. */
static bool
try_values(evaluation *x, const values *v, uint32_t r)
{
  hd_control_judgement *j = x->j;
  if (r == j->spec->nrigid)
    return evaluate(x, j->spec->formula)[0];
  int64_t *value = &x->g->stepper.point[hd_control_rigid_dimension(x->g->c, j->spec->first_rigid + r)];
  for (size_t i = 0; i < v[r].n; i++)
  {
    j->rigid[r] = *value = v[r].items[i];
    if (!try_values(x, v, r + 1))
      return false;
  }
  return true;
}

static int
by_size(const void *x, const void *y)
{
  int64_t a = *(const int64_t *) x, b = *(const int64_t *) y, p = a < 0 ? -a : a, q = b < 0 ? -b : b;
  return p != q ? (p < q ? -1 : 1) : (a > b) - (a < b);
}

void
hd_control_judge(hd_control_judgement *j, hd_control_graph *g, const hd_control_spec *spec, bool fair)
{
  *j = (hd_control_judgement){.g = g,
                              .spec = spec,
                              .fair = fair,
                              .sets = hd_alloc_array(spec->nodes, sizeof *j->sets),
                              .left_true = hd_alloc_zero(spec->nodes * sizeof *j->left_true),
                              .rigid = hd_alloc_zero((spec->nrigid + 1) * sizeof *j->rigid)};
  HD_CHECK(g->n && spec->nodes);
  evaluation x
      = {.j = j, .g = g, .work = hd_alloc_array(g->n, sizeof *x.work), .open = hd_alloc_array(g->n, sizeof *x.open)};
  for (size_t i = 0; i < spec->nodes; i++)
    j->sets[i] = hd_alloc_zero(g->n);
  hd_control_graph_reverse(g);
  values *v = hd_alloc_zero((spec->nrigid + 1) * sizeof *v);
  size_t combinations = 1, most = MOST_WORK / (g->n * spec->nodes) + 1;
  most = most < MOST_VALUES ? most : MOST_VALUES;
  for (uint32_t r = 0; r < spec->nrigid; r++)
  {
    collect_values(&x, spec->formula, hd_control_rigid_dimension(g->c, spec->first_rigid + r), &v[r]);
    if (v[r].n == 0)
      add_value(&v[r], 0);
    qsort(v[r].items, v[r].n, sizeof *v[r].items, by_size); /* small numbers make the better examples */
    while (v[r].n > 1 && combinations * v[r].n > most)
    {
      v[r].n--;
      v[r].full = true;
    }
    combinations *= v[r].n;
    if (v[r].full)
      j->doubt = "its rigid variables have more values that matter than are tried";
  }
  j->holds = try_values(&x, v, 0);
  for (uint32_t r = 0; r < spec->nrigid; r++)
    free(v[r].items);
  free(v);
  free(x.work);
  free(x.open);
}

void
hd_control_judgement_free(hd_control_judgement *j)
{
  for (size_t i = 0; j->sets && i < j->spec->nodes; i++)
    free(j->sets[i]);
  free(j->sets);
  free(j->left_true);
  free(j->rigid);
  *j = (hd_control_judgement){0};
}
