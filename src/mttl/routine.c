/* routine.c: rules that a thread follows at one place again and again, such as those of a function that is called in a
 * loop.
 *
 * If they are simple, each value that they set is a number, and either the same each time or more by the same each
 * time. So it can be said in advance for how many times all values stay in the ranges in which everything is true
 * (program.c), and each differs from the one before it, as an event that changes something. For so long nothing happens
 * but that what the thread passes on gets another number and a later stamp: that is in its front, and the rest of it
 * stays behind until something else happens to the thread (hd_mttl_routine_leave). Whatever looks at more than the
 * front, or changes anything, leaves the routine first.
 *
 * What the thread passes on is a variant (parcels.c). So of the variables that are set formulas ask for one, which is
 * the one that the variant sets; the others only have values for later rules.
 *
 * In a routine run I, from 1 on, sets a variable to A + G * I. A value is a constant; or it is what a variable was when
 * the run began (BASE), and MORE: one that the rules leave alone, or that they end with its BASE and MORE, its growth.
 */
#include "mttl/monitor.h"

enum
{
  STEPS = 8,
  MOST_RUNS = 1 << 20 /* at once */
};
/* Numbers beyond LARGE have no routine, and no number in one comes to FAR: nothing overflows here. */
static const int64_t large = (int64_t) 1 << 40, far = (int64_t) 1 << 62;
static const uint32_t nothing = UINT32_MAX;

typedef struct value
{
  uint32_t base; /* a variable; NOTHING: a constant */
  int64_t more;
} value;

/* A + G * I in run I. */
typedef struct line
{
  int64_t a, g;
} line;

typedef struct draft
{
  const hd_mttl_thread *t;
  const hd_mttl_rule *const *rules;
  size_t n;
  value values[STEPS]; /* by rule */
  line lines[STEPS];
} draft;

static bool
is_small(int64_t number)
{
  return number > -large && number < large;
}

/* The last of the first N rules that sets VARIABLE; N: none does. */
static size_t
setter(const draft *d, size_t n, uint32_t variable)
{
  for (size_t i = n; i-- > 0;)
    if (d->rules[i]->variable == variable)
      return i;
  return n;
}

static bool
find_value(draft *d, size_t i)
{
  const hd_mttl_rule *rule = d->rules[i];
  const hd_mttl_value *to = &d->t->locals[rule->variable];
  bool constant = rule->how == HD_MTTL_SET_CONSTANT;
  const hd_mttl_value *like = constant ? &rule->constant : &d->t->locals[rule->from];
  int64_t more = rule->how == HD_MTTL_SET_COPY ? 0 : rule->constant.number;
  if (rule->how == HD_MTTL_SET_COMPUTED || like->type != to->type || like->size != to->size
      || !(to->type == HD_MTTL_INT || (to->type == HD_MTTL_BOOL && rule->how != HD_MTTL_SET_SUM)) || !is_small(more))
    return false;
  size_t before = constant ? i : setter(d, i, rule->from);
  value v = constant ? (value){nothing, 0} : before < i ? d->values[before] : (value){rule->from, 0};
  d->values[i] = (value){v.base, v.more + more};
  return is_small(d->values[i].more);
}

/* What rule I sets its variable to, when the values of all are known. */
static bool
find_line(draft *d, size_t i)
{
  value v = d->values[i];
  d->lines[i] = (line){v.more, 0};
  if (v.base == nothing)
    return true;
  size_t last = setter(d, d->n, v.base);
  if (last < d->n && d->values[last].base != v.base)
    return false; /* it is a constant when the next run begins, or hangs on others */
  int64_t now = d->t->locals[v.base].number, growth = last < d->n ? d->values[last].more : 0;
  d->lines[i] = (line){now - growth + v.more, growth};
  return is_small(now);
}

/* For how many runs, at most N, the line stays in one of the ranges of PLAN. */
static int64_t
runs_inside(const hd_mttl_plan *plan, line l, int64_t n)
{
  int64_t first = l.a + l.g;
  for (unsigned i = 0; i < 2; i++)
  {
    int64_t low = plan->ranges[i].low, high = plan->ranges[i].high;
    if (first < low || first > high)
      continue;
    if (l.g == 0)
      return n;
    int64_t room = l.g > 0 ? (high < far ? high : far) - first : first - (low > -far ? low : -far);
    int64_t runs = room / (l.g > 0 ? l.g : -l.g) + 1;
    return runs < n ? runs : n;
  }
  return 0;
}

/* For how many, at most N, it differs from another one. */
static int64_t
runs_apart(line l, line other, int64_t n)
{
  int64_t a = l.a - other.a, g = l.g - other.g; /* A + G * I is not to be 0 */
  if (g == 0)
    return a == 0 ? 0 : n;
  int64_t met = -a / g;
  return a % g == 0 && met >= 1 && met <= n ? met - 1 : n;
}

/* For how many runs everything is as it should be. *CHANGES: what is passed on changes so often in each. */
static int64_t
find_runs(const draft *d, uint32_t variable, uint64_t *changes)
{
  const hd_mttl_thread *t = d->t;
  const line *last = &d->lines[setter(d, d->n, variable)];
  line before = {last->a - last->g, last->g}; /* at the end of the run before */
  int64_t runs = MOST_RUNS;
  *changes = 0;
  for (size_t i = 0; i < d->n && runs > 0; i++)
  {
    const hd_mttl_plan *plan = &t->plans[d->rules[i]->variable];
    if (plan->unused)
      continue;
    if (d->rules[i]->variable != variable || plan->swift != t->planned)
      return 0;
    runs = runs_inside(plan, d->lines[i], runs);
    runs = runs_apart(d->lines[i], before, runs);
    before = d->lines[i];
    ++*changes;
  }
  return runs;
}

static bool
add_growth(hd_mttl_thread *t, int64_t *at, int64_t by)
{
  if (by == 0)
    return true;
  if (t->ngrowths == HD_MTTL_GROWTHS)
    return false;
  t->growths[t->ngrowths++] = (hd_mttl_growth){at, by};
  return true;
}

/* What stays behind when VARIABLE, with its copies, and the others are set. */
static bool
find_growths(hd_mttl_thread *t, const draft *d, uint32_t variable)
{
  const hd_mttl_plan *plan = &t->plans[variable];
  t->ngrowths = 0;
  for (size_t i = 0; i < d->n; i++)
    if (setter(d, d->n, d->rules[i]->variable) == i
        && !add_growth(t, &t->locals[d->rules[i]->variable].number, d->lines[i].g))
      return false;
  t->front.routine.growth = d->lines[setter(d, d->n, variable)].g;
  for (uint32_t i = 0; i < plan->ncopies; i++)
    if (!add_growth(t, &plan->copies[i]->number, t->front.routine.growth))
      return false;
  return true;
}

static bool
draw_up(draft *d)
{
  for (size_t i = 0; i < d->n; i++)
    if (!find_value(d, i))
      return false;
  for (size_t i = 0; i < d->n; i++)
    if (!find_line(d, i))
      return false;
  return true;
}

void
hd_mttl_routine_enter(hd_mttl_thread *t, const hd_mttl_variant *v, const hd_mttl_rule *const *rules, size_t n)
{
  hd_mttl_routine *r = &t->front.routine;
  draft d = {.t = t, .rules = rules, .n = n};
  uint32_t variable = (uint32_t) v->set;
  /* The first time says nothing yet: a thread that does this and that in turn would only lose by it. */
  bool again = t->followed == rules && t->followed_at == v->place;
  t->followed = rules;
  t->followed_at = v->place;
  if (!again || n > STEPS || !draw_up(&d) || setter(&d, n, variable) == n)
    return;
  uint64_t changes;
  int64_t runs = find_runs(&d, variable, &changes);
  if (runs == 0 || !find_growths(t, &d, variable))
    return;
  r->rules = rules;
  r->place = v->place;
  r->changes = changes;
  r->runs = r->left = (uint32_t) runs;
}

void
hd_mttl_routine_leave_all(hd_mttl_thread *t)
{
  hd_mttl_routine *r = &t->front.routine;
  uint32_t runs = r->runs - r->left;
  r->rules = NULL;
  if (runs == 0)
    return;
  for (uint32_t i = 0; i < t->ngrowths; i++)
    *t->growths[i].at += t->growths[i].by * runs;
  t->c += r->changes * runs;
  t->clock += r->changes * runs;
}
