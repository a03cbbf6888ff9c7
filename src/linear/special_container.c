/* special_container.c: what queue, stack and priority queue with unique values share: when each value was put in and
 * taken, and removals that found nothing.
 *
 * A value that a pending operation put in and that nobody took is dropped: taking it out of a legal order (with its
 * removal, if a pending one took it) leaves a legal order. One that somebody took was put in.
 *
 * A removal [s,e] that found nothing needs one gap in which no value is certainly inside; each such removal can be
 * judged alone. A value that is never taken is inside until after the last event, so also for these removals. */
#include "linear/special_parts.h"

/* Which operation puts in and which takes nobody can foresee: the loops below go over lists of either kind, which are
 * made without a branch. */

/* Number the values that are put in. One that is put in twice, or cannot be told from "empty": not fit. */
static special_answer
open_values(special_job *job, special_container *c)
{
  special_range range = {0};
  uint32_t *puts = hd_special_array(job, job->n, sizeof *puts), nputs = 0;
  c->value = hd_special_array(job, job->n, sizeof *c->value);
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    c->value[i] = NONE;
    puts[nputs] = i;
    nputs += job_role(job, i) == ROLE_PUT;
  }
  for (uint32_t k = 0; k < nputs; k++)
  {
    const hd_linear_op *o = &job->ops[puts[k]];
    if (job_stops(job, k))
      return SPECIAL_STOPPED;
    if (value_none(o->args[0]) || !(o->pending || value_done(o->ret)))
      return SPECIAL_NOT_FIT;
    range_include(&range, o->args[0]);
  }
  hd_special_values_open(job, &c->values, &range);
  c->n = (uint32_t) range.n;
  c->spans = hd_special_array(job, c->n, sizeof *c->spans);
  c->left = hd_special_array(job, c->n, sizeof *c->left);
  c->maybe = hd_special_array(job, c->n, sizeof *c->maybe);
  for (uint32_t k = 0; k < nputs; k++)
  {
    bool fresh;
    uint32_t i = puts[k];
    if (job_stops(job, k))
      return SPECIAL_STOPPED;
    uint32_t v = hd_special_values_add(&c->values, job->ops[i].args[0], &fresh);
    if (!fresh)
      return SPECIAL_NOT_FIT;
    c->value[i] = v;
    c->spans[v].put = i;
    c->spans[v].take = NONE;
  }
  job->steps += 2 * (uint64_t) job->n;
  return SPECIAL_HOLDS;
}

static special_answer
open_removals(special_job *job, special_container *c)
{
  uint32_t *takes = hd_special_array(job, job->n - c->n + 1, sizeof *takes), ntakes = 0, n = 0;
  for (uint32_t t = 1; t <= job->nevents && !job_stops(job, t); t++)
  {
    takes[ntakes] = job->events[t] >> 1;
    ntakes += !(job->events[t] & 1) & (job_role(job, takes[ntakes]) == ROLE_TAKE);
  }
  for (uint32_t k = 0; k < ntakes && !job_stops(job, k); k++)
  {
    const hd_linear_op *o = &job->ops[takes[k]];
    n += o->pending || o->any_ret || value_none(o->ret);
  }
  if (job_cancelled(job))
    return SPECIAL_STOPPED;
  c->empty = hd_special_array(job, n, sizeof *c->empty);
  c->pending = hd_special_array(job, n, sizeof *c->pending);
  c->unknown = hd_special_array(job, n, sizeof *c->unknown);
  for (uint32_t k = 0; k < ntakes; k++)
  {
    uint32_t i = takes[k];
    if (job_stops(job, k))
      return SPECIAL_STOPPED;
    if (job->ops[i].pending)
    {
      c->pending[c->npending++] = i;
      continue;
    }
    if (job->ops[i].any_ret)
    {
      c->unknown[c->nunknown++] = i;
      continue;
    }
    if (value_none(job->ops[i].ret))
    {
      c->empty[c->nempty++] = i;
      continue;
    }
    uint32_t v = hd_special_values_find(&c->values, job->ops[i].ret);
    if (v == NONE)
    {
      hd_special_show(job, i);
      return hd_special_violated(job, HD_LINEAR_FROM_NOWHERE, true, "%s, but nobody put this value in",
                                 hd_special_op_text(job, i));
    }
    if (c->spans[v].take != NONE)
    {
      hd_special_show_value(job, c, v);
      hd_special_show(job, i);
      return hd_special_violated(job, HD_LINEAR_TAKEN_TWICE, true, "%s was put in once and taken twice",
                                 hd_special_value_text(job, job->ops[i].ret));
    }
    c->spans[v].take = i;
    c->value[i] = v;
  }
  job->steps += job->n + job->nevents;
  return SPECIAL_HOLDS;
}

static special_answer
open_times(special_job *job, special_container *c)
{
  for (uint32_t v = 0; v < c->n; v++)
  {
    uint32_t put = c->spans[v].put, take = c->spans[v].take;
    if (job_stops(job, v))
      return SPECIAL_STOPPED;
    c->spans[v].e1 = job->start[put];
    c->spans[v].e2 = job->end[put];
    c->spans[v].d1 = take == NONE ? job_never(job) : job->start[take];
    c->spans[v].d2 = take == NONE ? job_never(job) : job->end[take];
    if (take == NONE && job->ops[put].pending)
    {
      c->spans[v].put = NONE;
      continue;
    }
    if (c->spans[v].d2 < c->spans[v].e1)
    {
      hd_special_show_value(job, c, v);
      return hd_special_violated(job, HD_LINEAR_TOO_EARLY, true, "%s was over before %s began",
                                 hd_special_op_text(job, take), hd_special_op_text(job, put));
    }
    c->spans[v].e2 = c->spans[v].e2 < c->spans[v].d2 ? c->spans[v].e2 : c->spans[v].d2;
    c->spans[v].d1 = c->spans[v].d1 > c->spans[v].e1 ? c->spans[v].d1 : c->spans[v].e1;
  }
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t i = job->events[t] >> 1, v = c->value[i];
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (v == NONE || c->spans[v].take != NONE)
      continue;
    if (c->spans[v].put == NONE)
    {
      c->maybe[c->nmaybe++] = v;
      c->value[i] = NONE;
    }
    else if (job->events[t] & 1)
      c->left[c->nleft++] = v;
  }
  job->steps += c->n + job->nevents;
  return SPECIAL_HOLDS;
}

special_answer
hd_special_container_open(special_job *job, special_container *c)
{
  *c = (special_container){0};
  special_answer answer = open_values(job, c);
  if (answer == SPECIAL_HOLDS)
    answer = open_removals(job, c);
  return answer == SPECIAL_HOLDS ? open_times(job, c) : answer;
}

uint32_t
hd_special_container_empty(special_job *job, const special_container *c)
{
  if (c->nempty == 0)
    return NONE;
  size_t mark = job->nblocks, ngaps = (size_t) job->nevents + 3;
  uint32_t *free_from = hd_special_zeroed(job, ngaps, sizeof *free_from); /* first the change of the number of cores */
  for (uint32_t v = 0; v < c->n; v++)
    if (has_core(c, v))
    {
      free_from[c->spans[v].e2]++;
      free_from[c->spans[v].d1]--;
    }
  uint32_t cores = 0;
  for (size_t g = 0; g < ngaps; g++)
    free_from[g] = cores += free_from[g];
  uint32_t next = NONE;
  for (size_t g = ngaps; g-- > 0;)
    free_from[g] = next = free_from[g] == 0 ? (uint32_t) g : next;
  uint32_t found = NONE;
  for (uint32_t i = 0; i < c->nempty && found == NONE; i++)
    if (free_from[job->start[c->empty[i]]] >= job->end[c->empty[i]])
      found = c->empty[i];
  hd_special_release(job, mark);
  job->steps += c->n + 2 * ngaps + c->nempty;
  return found;
}

/* ---- what is shown ---- */

const char *
hd_special_container_text(special_job *job, const special_container *c, uint32_t v)
{
  return hd_special_value_text(job, job->ops[c->spans[v].put].args[0]);
}

void
hd_special_show_value(special_job *job, const special_container *c, uint32_t v)
{
  hd_special_show(job, c->spans[v].put);
  if (c->spans[v].take != NONE)
    hd_special_show(job, c->spans[v].take);
}

uint32_t
hd_special_show_cover(special_job *job, const special_container *c, uint32_t from, uint32_t to, const uint32_t *rank,
                      uint32_t limit, special_shower *show)
{
  uint32_t best = NONE, shown = 0;
  for (uint32_t t = 1; t < to && from < to && t <= job->nevents; t++)
  {
    uint32_t v = core_begins(job, c, t);
    if (v != NONE && (!rank || rank[v] < limit) && (best == NONE || c->spans[v].d1 > c->spans[best].d1))
      best = v;
    if (t != from)
      continue;
    HD_CHECK(best != NONE && c->spans[best].d1 > from);
    show(job, c, best);
    shown++;
    from = c->spans[best].d1;
  }
  return shown;
}

special_answer
hd_special_empty_violated(special_job *job, const special_container *c, uint32_t empty, bool alone,
                          special_shower *show)
{
  if (!job->why)
    return SPECIAL_VIOLATED;
  hd_special_show(job, empty);
  uint32_t n = hd_special_show_cover(job, c, job->start[empty], job->end[empty], NULL, 0, show);
  return hd_special_violated(job, HD_LINEAR_EMPTY_WHILE_FULL, alone,
                             n == 1 ? "%s, but a value was inside all the time"
                                    : "%s, but one of several values was inside at any time",
                             hd_special_op_text(job, empty));
}
