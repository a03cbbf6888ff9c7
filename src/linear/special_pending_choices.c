/* special_pending_choices.c: what an unknown or pending removal of a stack or priority queue can have taken, the
 * likeliest first; see special_pending_unknown.c. */
#include "linear/special_pending_unknown.h"

/* ---- least values behind a place ---- */

void
hd_special_least_open(special_job *job, special_least *t, uint32_t n)
{
  t->n = n;
  t->least = hd_special_array(job, (size_t) n + 1, sizeof *t->least);
  for (uint32_t i = 0; i <= n; i++)
    t->least[i] = NONE;
  job->steps += n;
}

void
hd_special_least_add(special_job *job, special_least *t, uint32_t place, uint32_t what)
{
  for (uint32_t i = t->n - place; i <= t->n && t->least[i] > what; i += i & -i)
  {
    t->least[i] = what;
    job->steps++;
  }
}

uint32_t
hd_special_least_from(special_job *job, const special_least *t, uint32_t place)
{
  uint32_t least = NONE;
  for (uint32_t i = t->n - place; i > 0; i -= i & -i)
  {
    least = t->least[i] < least ? t->least[i] : least;
    job->steps++;
  }
  return least;
}

/* ---- preparation ---- */

/* Variables in order of their starts, unknown and pending ones merged. */
static void
open_variables(unknowns *u)
{
  const special_job *job = u->job;
  const special_container *c = u->p->c;
  uint32_t a = 0, b = 0;
  while (u->n < c->nunknown + c->npending)
  {
    bool unknown = b == c->npending || (a < c->nunknown && job->start[c->unknown[a]] < job->start[c->pending[b]]);
    uint32_t op = unknown ? c->unknown[a] : c->pending[b];
    u->vars[u->n++] = (variable){.op = op,
                                 .p = job->start[op],
                                 .q = job->end[op],
                                 .allowed = unknown ? u->p->allowed[a] : c->nleft,
                                 .unknown = unknown,
                                 .choice = NONE,
                                 .wish = NONE};
    *(unknown ? &a : &b) += 1;
  }
}

/* Which variables can be explained by an empty container, for all that the known values say? */
static void
open_empty(unknowns *u)
{
  special_job *job = u->job;
  const special_container *c = u->p->c;
  size_t mark = job->nblocks, ngaps = (size_t) job->nevents + 3;
  uint32_t *free_from = hd_special_zeroed(job, ngaps, sizeof *free_from);
  for (uint32_t v = 0; v < c->n; v++)
    if (c->spans[v].take != NONE && has_core(c, v))
    {
      free_from[c->spans[v].e2]++;
      free_from[c->spans[v].d1]--;
    }
  uint32_t cores = 0, next = NONE;
  for (size_t g = 0; g < ngaps; g++)
    free_from[g] = cores += free_from[g];
  for (size_t g = ngaps; g-- > 0;)
    free_from[g] = next = free_from[g] == 0 ? (uint32_t) g : next;
  for (uint32_t i = 0; i < u->n; i++)
    u->vars[i].may_be_empty = u->vars[i].unknown && free_from[u->vars[i].p] < u->vars[i].q;
  hd_special_release(job, mark);
  job->steps += c->n + 2 * ngaps;
}

/* A value of LEFT has to be out before a removal ends that found nothing and began when the value was surely inside. */
static void
open_deadlines(unknowns *u)
{
  special_job *job = u->job;
  const special_container *c = u->p->c;
  uint32_t least = job_never(job), k = c->nempty;
  for (uint32_t i = c->nleft; i-- > 0;)
  {
    uint32_t v = c->left[i];
    for (; k > 0 && job->start[c->empty[k - 1]] >= c->spans[v].e2; k--)
      least = job->end[c->empty[k - 1]] < least ? job->end[c->empty[k - 1]] : least;
    if (least < u->p->deadline[v])
      u->p->deadline[v] = least;
  }
  job->steps += c->nleft + c->nempty;
}

static void
open_values(unknowns *u)
{
  special_job *job = u->job;
  const special_container *c = u->p->c;
  for (uint32_t v = 0; v < c->n; v++)
    u->taker[v] = u->place[v] = NONE;
  for (uint32_t i = 0; i < c->nleft + c->nmaybe; i++)
  {
    uint32_t v = i < c->nleft ? c->left[i] : c->maybe[i - c->nleft], low = 0, high = u->n;
    const special_span *span = &c->spans[v];
    while (low < high) /* variables that begin before the deadline */
    {
      uint32_t middle = low + (high - low) / 2;
      if (i < c->nleft && u->vars[middle].p < u->p->deadline[v])
        low = middle + 1;
      else
        high = middle;
    }
    u->saved[i] = (saved){v, job->events[span->e1] >> 1, span->e1, span->e2, low};
  }
  for (uint32_t i = 0; i < c->nleft; i++)
  {
    uint32_t e1 = c->spans[u->p->order[i]].e1;
    u->place[u->p->order[i]] = i;
    u->earliest[i] = i > 0 && u->earliest[i - 1] < e1 ? u->earliest[i - 1] : e1;
  }
  job->steps += c->n + 2 * (uint64_t) c->nleft;
}

/* ---- choices ---- */

/* Can X take V, for all that the known values say? */
bool
hd_special_choices_can(const unknowns *u, const variable *x, uint32_t v)
{
  if (u->p->c->spans[v].e1 >= x->q)
    return false;
  return u->place[v] == NONE ? x->unknown : u->place[v] < x->allowed && x->p < u->p->deadline[v];
}

/* X has not chosen yet: put what is near in order. */
void
hd_special_choices_begin(unknowns *u, variable *x)
{
  const special_container *c = u->p->c;
  const uint32_t *order = u->p->order, *deadline = u->p->deadline;
  uint32_t low = 0, high = x->allowed;
  while (low < high) /* before this place everything is put in too late */
  {
    uint32_t middle = low + (high - low) / 2;
    if (u->earliest[middle] >= x->q)
      low = middle + 1;
    else
      high = middle;
  }
  bool inside = false;
  x->nnear = x->asked = x->turn = 0;
  x->bound = false;
  for (x->beyond = low; x->beyond < x->allowed && x->nnear < NEAR; x->beyond++)
  {
    uint32_t v = order[x->beyond], k = x->nnear;
    u->job->steps++;
    if (!hd_special_choices_can(u, x, v))
      continue;
    for (; k > 0 && deadline[order[x->near[k - 1]]] > deadline[v]; k--)
      x->near[k] = x->near[k - 1];
    x->near[k] = x->beyond;
    x->nnear++;
    x->asked += deadline[v] != job_never(u->job);
    inside |= u->taker[v] == NONE && c->spans[v].e2 <= x->p;
  }
  x->empty_early = !inside;
}

/* The choice of X in its turn, which moves on; NONE: no choice in this turn. False: there are no more. */
static bool
next_turn(unknowns *u, variable *x, uint32_t *choice)
{
  const special_container *c = u->p->c;
  uint32_t turn = x->turn++, nmaybe = x->unknown ? c->nmaybe : 0;
  uint32_t nothing = !x->unknown ? 1 : 1 + (x->empty_early ? x->asked : x->nnear); /* the turn of NOTHING */
  *choice = NONE;
  if (turn == 0)
    *choice = x->wish;
  else if (turn == nothing)
    *choice = !x->unknown || x->may_be_empty ? NOTHING : NONE;
  else if (turn <= x->nnear + 1)
    *choice = u->p->order[x->near[turn - 1 - (turn > nothing)]];
  else if (turn - x->nnear - 2 < nmaybe)
  {
    uint32_t v = c->maybe[nmaybe - (turn - x->nnear - 1)];
    *choice = hd_special_choices_can(u, x, v) ? v : NONE;
  }
  else
  {
    while (x->beyond < x->allowed && !hd_special_choices_can(u, x, u->p->order[x->beyond]) && ++x->beyond)
      u->job->steps++;
    if (x->beyond == x->allowed)
      return false;
    *choice = u->p->order[x->beyond++];
  }
  if (turn > 0 && *choice == x->wish)
    *choice = NONE;
  return true;
}

bool
hd_special_choices_help(const variable *x, uint32_t choice)
{
  bool found = !x->bound;
  for (uint32_t i = 0; i < x->nhelp && !found; i++)
    found = x->help[i] == choice;
  return found;
}

/* Variable I chooses something else. False: nothing is left to choose. */
bool
hd_special_choices_next(unknowns *u, uint32_t i)
{
  variable *x = &u->vars[i];
  uint32_t choice;
  while (next_turn(u, x, &choice))
  {
    u->job->steps++;
    if (choice == NONE || !hd_special_choices_help(x, choice))
      continue;
    if (choice != NOTHING && u->taker[choice] != NONE)
    {
      name(u, i, u->taker[choice]);
      continue;
    }
    x->choice = choice;
    if (choice != NOTHING)
      u->taker[choice] = i;
    return true;
  }
  return false;
}

void
hd_special_choices_take_back(unknowns *u, uint32_t i)
{
  variable *x = &u->vars[i];
  if (x->choice < NOTHING)
    u->taker[x->choice] = NONE;
  x->wish = x->choice == NONE ? x->wish : x->choice;
  x->choice = NONE;
}

/* ---- first wishes ---- */

static uint32_t
find_free(unknowns *u, uint32_t *next, uint32_t i)
{
  while (next[i] != i)
  {
    next[i] = next[next[i]];
    i = next[i];
    u->job->steps++;
  }
  return i;
}

/* First wishes: let the unknown removals choose, then give what is asked for and remains to pending removals, mostly to
 * the last one that began before the value was put in. */
void
hd_special_choices_wish(unknowns *u)
{
  const special_container *c = u->p->c;
  uint32_t *next = hd_special_array(u->job, (size_t) u->n + 1, sizeof *next); /* by variable + 1: union-find, down */
  for (uint32_t i = 0; i < u->n; i++)
  {
    next[i + 1] = u->vars[i].unknown ? i : i + 1;
    hd_special_choices_begin(u, &u->vars[i]);
    if (u->vars[i].unknown)
      hd_special_choices_next(u, i);
  }
  next[0] = 0;
  for (uint32_t k = 0; k < c->nleft; k++)
  {
    uint32_t v = c->left[k], low = 0, high = u->saved[k].last;
    if (u->taker[v] != NONE || u->p->deadline[v] == job_never(u->job))
      continue;
    while (low < high) /* variables that begin before V is put in */
    {
      uint32_t middle = low + (high - low) / 2;
      if (u->vars[middle].p < c->spans[v].e1)
        low = middle + 1;
      else
        high = middle;
    }
    uint32_t i = find_free(u, next, low);
    if (i == 0) /* none; then one that begins before it has to be out */
      i = find_free(u, next, u->saved[k].last);
    if (i == 0)
      continue;
    u->vars[i - 1].wish = v;
    next[i] = i - 1;
  }
  for (uint32_t i = 0; i < u->n; i++)
    hd_special_choices_take_back(u, i);
}

void
hd_special_choices_open(unknowns *u)
{
  open_variables(u);
  open_empty(u);
  open_deadlines(u);
  open_values(u);
}
