/* special_pending_unknown.c: stacks and priority queues with removals that took effect, but whose value nobody knows:
 * they committed, or their window ended, and never returned.
 *
 * Each of them took one of the values that no other operation took (LEFT), or one that a pending insertion put in
 * (MAYBE), or found nothing; a pending removal took one of LEFT, or did nothing. These are the variables of a search,
 * in the order of their starts. What the known values ask for leaves few choices and mostly the right one first:
 *   - DEADLINE: if a value of LEFT is still inside then, a known value cannot have left as it did;
 *   - ALLOWED: what lies deeper in the stack than a known value that is surely inside, or is greater than one, cannot
 *     be taken now.
 * A beginning of the variables is checked with the values that they took, and with those that nobody can take any more;
 * the others are left out, for without a value a history is never harder to explain. So all variables get their first
 * choices, then the whole is checked; if that fails, the first variable is sought, by halving, with which it fails. The
 * failure names values, hence variables: whoever took them, or could have taken them. As long as these stay as they
 * are, it fails; so when a variable has no choice left, the search goes back to the last variable that was named to it,
 * and over the others between (conflict-directed backjumping, Prosser). Parts of the history that do not concern each
 * other are therefore not tried in all combinations. */
#include "linear/special_pending_unknown.h"

#include <string.h>

enum
{
  MAX_VARIABLES = 8192,
};

/* ---- checks ---- */

/* Is it explained what the first N variables chose? What they cannot settle is left out. */
static bool
check(unknowns *u, uint32_t n, special_failure *f)
{
  special_job *job = u->job;
  special_container *c = u->p->c;
  for (uint32_t i = 0; i < c->nleft + c->nmaybe; i++)
  {
    const saved *s = &u->saved[i];
    special_span *span = &c->spans[s->value];
    const variable *x = u->taker[s->value] < n ? &u->vars[u->taker[s->value]] : NULL;
    bool there = x || (i < c->nleft && s->last <= n);
    *span = (special_span){.put = there ? s->put : NONE, .take = NONE, .e1 = s->e1, .e2 = s->e2};
    span->d1 = span->d2 = job_never(job);
    if (!x)
      continue;
    span->take = x->unknown ? x->op : NONE;
    span->d1 = x->p > s->e1 ? x->p : s->e1;
    span->d2 = x->q;
    span->e2 = s->e2 < x->q ? s->e2 : x->q;
  }
  c->nempty = u->nempty;
  for (uint32_t i = 0; i < n; i++)
    if (u->vars[i].unknown && u->vars[i].choice == NOTHING)
      c->empty[c->nempty++] = u->vars[i].op;
  job->steps += c->nleft + c->nmaybe + n;
  return u->p->check(job, u->p, f);
}

/* Values (of a rank below LIMIT) that together cover the gaps FROM .. TO-1. */
static void
find_cover(unknowns *u, uint32_t from, uint32_t to, uint32_t limit)
{
  const special_container *c = u->p->c;
  while (from < to)
  {
    uint32_t best = NONE;
    for (uint32_t v = 0; v < c->n; v++)
      if (has_core(c, v) && c->spans[v].e2 <= from && (!u->p->rank || u->p->rank[v] < limit)
          && (best == NONE || c->spans[v].d1 > c->spans[best].d1))
        best = v;
    HD_CHECK(best != NONE && c->spans[best].d1 > from);
    u->conflict[u->nconflict++] = best;
    from = c->spans[best].d1;
    u->job->steps += c->n;
  }
}

/* What does the failure F depend on? The last variable began at T. */
static void
find_conflict(unknowns *u, special_failure *f, uint32_t t)
{
  special_job *job = u->job;
  const special_container *c = u->p->c;
  u->nconflict = 0;
  u->no_value = f->empty;
  if (f->empty != NONE)
    find_cover(u, job->start[f->empty], job->end[f->empty], NONE);
  else if (f->value != NONE)
  {
    u->conflict[u->nconflict++] = f->value;
    find_cover(u, c->spans[f->value].d1, c->spans[f->value].d2, u->p->rank[f->value]);
  }
  else
  {
    u->p->narrow(job, u->p, f, t);
    memcpy(u->conflict, f->rest, f->nrest * sizeof *f->rest);
    u->nconflict = f->nrest;
  }
}

/* Name to variable I those that the conflict depends on: who took a value, or could have taken one that nobody took. */
static void
name_conflict(unknowns *u, uint32_t i)
{
  for (uint32_t k = 0; k < i; k++)
    if (u->vars[k].op == u->no_value)
      name(u, i, k);
  for (uint32_t c = 0; c < u->nconflict; c++)
  {
    uint32_t v = u->conflict[c];
    bool is_known = u->place[v] == NONE && u->taker[v] == NONE;
    if (u->taker[v] != NONE && u->taker[v] < i)
      name(u, i, u->taker[v]);
    for (uint32_t k = 0; k < i && !is_known && u->taker[v] == NONE; k++)
      if (hd_special_choices_can(u, &u->vars[k], v))
        name(u, i, k);
    u->job->steps += i;
  }
}

/* The choice of variable I does not change anything about the conflict, nor would another one, unless it takes one of
 * its values. False: it cannot. */
static bool
bind(unknowns *u, uint32_t i)
{
  variable *x = &u->vars[i];
  uint32_t help[NEAR], nhelp = 0;
  bool can = false;
  for (uint32_t k = 0; k < u->nconflict; k++)
  {
    uint32_t v = u->conflict[k];
    if (u->place[v] == NONE || u->taker[v] != NONE || !hd_special_choices_can(u, x, v))
      continue;
    can = true;
    if (!hd_special_choices_help(x, v)) /* in an earlier conflict */
      continue;
    if (nhelp == NEAR)
      return true; /* too many to note */
    help[nhelp++] = v;
  }
  x->bound = true;
  x->nhelp = nhelp;
  memcpy(x->help, help, nhelp * sizeof *help);
  return can;
}

static bool
takes_part(const unknowns *u, uint32_t i)
{
  const variable *x = &u->vars[i];
  for (uint32_t k = 0; k < u->nconflict; k++)
    if (x->choice == u->conflict[k])
      return true;
  return x->op == u->no_value;
}

/* ---- the search ---- */

/* Everything was chosen, and it fails, while the first GOOD variables do not: how many does it take? */
static uint32_t
first_failing(unknowns *u, uint32_t good, uint32_t bad)
{
  while (bad - good > 1 && !job_cancelled(u->job))
  {
    size_t mark = u->job->nblocks;
    special_failure f;
    uint32_t middle = good + (bad - good) / 2;
    if (check(u, middle, &f))
      good = middle;
    else
      bad = middle;
    hd_special_release(u->job, mark);
  }
  return bad;
}

/* Go back from variable *I to the last one that was named to it. False: there is none. */
static bool
jump(unknowns *u, uint32_t *i)
{
  uint32_t to = NONE;
  uint64_t *row = u->named + *i * u->words;
  for (size_t w = *i / 64 + 1; w-- > 0 && to == NONE;)
  {
    uint64_t below = w == *i / 64 ? row[w] & ((1ull << (*i % 64)) - 1) : row[w];
    if (below != 0)
      to = (uint32_t) (64 * w + 63) - (uint32_t) __builtin_clzll(below);
  }
  if (to == NONE)
    return false;
  for (size_t w = 0; w < u->words; w++)
    u->named[to * u->words + w] |= row[w];
  for (uint32_t k = to + 1; k <= *i; k++)
    hd_special_choices_take_back(u, k);
  *i = to;
  return true;
}

static void
forget(unknowns *u, uint32_t i)
{
  memset(u->named + i * u->words, 0, u->words * sizeof *u->named);
}

/* The first *I + 1 variables fail. Go back to one whose choice makes a difference, and let it choose again. False:
 * there is none. */
static bool
learn(unknowns *u, uint32_t *i, special_failure *f)
{
  find_conflict(u, f, u->vars[*i].p);
  for (;;)
  {
    if (takes_part(u, *i) || bind(u, *i))
      break;
    forget(u, *i); /* the conflict alone is enough */
    name_conflict(u, *i);
    if (!jump(u, i))
      return false;
  }
  name_conflict(u, *i);
  hd_special_choices_take_back(u, *i);
  return true;
}

/* Variable *I chooses again until the first *I + 1 variables do not fail; earlier ones if it cannot. */
static special_answer
choose_again(unknowns *u, uint32_t *i)
{
  special_job *job = u->job;
  for (;;)
  {
    while (hd_special_choices_next(u, *i))
    {
      size_t mark = job->nblocks;
      special_failure f;
      bool explained = check(u, *i + 1, &f);
      if (job_cancelled(job) || job->steps > job->max_steps)
        return SPECIAL_STOPPED;
      if (explained)
        return SPECIAL_HOLDS;
      if (!learn(u, i, &f))
        return SPECIAL_VIOLATED;
      hd_special_release(job, mark);
    }
    if (!jump(u, i))
      return SPECIAL_VIOLATED;
    hd_special_choices_take_back(u, *i);
  }
}

static special_answer
search(unknowns *u)
{
  special_job *job = u->job;
  size_t mark = job->nblocks;
  uint32_t good = 0; /* the first variables that are known to be explained */
  for (uint32_t i = 0;;)
  {
    bool chosen = true;
    for (; i < u->n && chosen; i += chosen)
    {
      forget(u, i);
      hd_special_choices_begin(u, &u->vars[i]);
      chosen = hd_special_choices_next(u, i);
    }
    special_failure f;
    bool explained = chosen && check(u, u->n, &f);
    if (explained)
      return SPECIAL_HOLDS;
    if (job_cancelled(job) || job->steps > job->max_steps)
      return SPECIAL_STOPPED;
    if (chosen)
    {
      i = first_failing(u, good, u->n) - 1;
      if (check(u, i + 1, &f) || job_cancelled(job))
        return SPECIAL_STOPPED; /* cancelled on the way */
      for (uint32_t k = i + 1; k < u->n; k++)
        hd_special_choices_take_back(u, k);
      if (!learn(u, &i, &f))
        return SPECIAL_VIOLATED;
    }
    special_answer answer = choose_again(u, &i);
    hd_special_release(job, mark);
    if (answer != SPECIAL_HOLDS)
      return answer;
    good = ++i;
  }
}

static special_answer
violated(unknowns *u)
{
  special_job *job = u->job;
  const special_container *c = u->p->c;
  for (uint32_t i = 0; i < c->nunknown && job->why; i++)
    hd_special_show(job, c->unknown[i]);
  return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, false,
                             "whatever the removals took of which no value is known, like %s, the values that others "
                             "took did not leave in an order that explains them",
                             hd_special_op_text(job, c->unknown[0]));
}

special_answer
hd_special_pending_unknown(special_job *job, special_pending *p)
{
  special_container *c = p->c;
  if (c->nunknown + c->npending > MAX_VARIABLES)
    return SPECIAL_STOPPED;
  unknowns u = {.job = job, .p = p, .nempty = c->nempty};
  uint32_t n = c->nunknown + c->npending;
  u.words = (n + 63) / 64;
  u.vars = hd_special_array(job, n, sizeof *u.vars);
  u.taker = hd_special_array(job, c->n, sizeof *u.taker);
  u.saved = hd_special_array(job, (size_t) c->nleft + c->nmaybe, sizeof *u.saved);
  u.earliest = hd_special_array(job, c->nleft, sizeof *u.earliest);
  u.place = hd_special_array(job, c->n, sizeof *u.place);
  u.conflict = hd_special_array(job, (size_t) c->n + 1, sizeof *u.conflict);
  u.named = hd_special_zeroed(job, n * u.words, sizeof *u.named);
  hd_special_choices_open(&u);
  job->max_steps += job->steps;
  special_failure f;
  special_answer answer = SPECIAL_STOPPED;
  if (!check(&u, 0, &f))
  {
    bool known = true; /* the failure is one of known values alone */
    for (uint32_t i = 0; i < c->nleft; i++)
      known &= u.saved[i].last > 0;
    return job_cancelled(job) ? SPECIAL_STOPPED : p->explain(job, p, &f, known);
  }
  if (!job_cancelled(job))
  {
    hd_special_choices_wish(&u);
    answer = search(&u);
  }
  return answer == SPECIAL_VIOLATED ? violated(&u) : answer;
}
