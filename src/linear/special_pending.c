/* special_pending.c: stacks and priority queues with removals that never returned.
 *
 * Each pending removal may have taken any value that no completed operation took, or nothing. No order of pairing them
 * is right in all cases. What is exact:
 *   1. none took effect: if that is explained, the history is;
 *   2. an upper bound: every such value is taken by the pending removal that started first. Not explained: violated.
 *      (A priority queue asks these removals for a place, too, which no real order might leave them; but here all have
 *      one at the end of time, when nothing is inside.)
 *   3. else a search over conflicts: a check that fails names values of which at least one has to be taken by a pending
 *      removal. Branch over them and over the pending removals that are free. The depth is at most the number of
 *      pending removals; what an earlier branch has tried with a value, a later one need not try again. */
#include "linear/special_parts.h"

/* Let the pending removal that starts at P take V, or (NEVER) nobody. */
static void
give(special_job *job, special_container *c, uint32_t v, uint32_t p)
{
  bool taken = p != job_never(job);
  c->spans[v].d1 = p > c->spans[v].e1 ? p : c->spans[v].e1;
  c->spans[v].d2 = taken ? job_inf(job) : job_never(job);
}

/* One of the failure's values is V? */
static bool
names(const special_job *job, const special_pending *p, const special_failure *f, uint32_t v, const bool *in_rest)
{
  const special_container *c = p->c;
  if (p->out[v] || c->spans[v].d2 != job_never(job))
    return false;
  if (f->empty != NONE)
    return c->spans[v].e2 < job->end[f->empty];
  if (f->value != NONE)
    return p->rank[v] < p->rank[f->value] && c->spans[v].e2 < c->spans[f->value].d2;
  return in_rest[v];
}

/* The values of which one has to be taken, by e2: the first ones stay longest and are the likeliest. */
static uint32_t *
candidates(special_job *job, const special_pending *p, const special_failure *f, uint32_t *n)
{
  const special_container *c = p->c;
  uint32_t *list = hd_special_array(job, c->nleft, sizeof *list);
  size_t mark = job->nblocks;
  bool *in_rest = hd_special_zeroed(job, c->n, sizeof *in_rest);
  for (uint32_t i = 0; i < f->nrest; i++)
    in_rest[f->rest[i]] = true;
  *n = 0;
  for (uint32_t i = 0; i < c->nleft; i++)
    if (names(job, p, f, c->left[i], in_rest))
      list[(*n)++] = c->left[i];
  hd_special_release(job, mark);
  job->steps += c->nleft + f->nrest;
  return list;
}

static special_answer search(special_job *job, special_pending *p, uint32_t nfree);

/* V is taken by one of the free pending removals. Those that start before V was put in are alike for it; the last of
 * them is the one that others can do without. */
static special_answer
try(special_job *job, special_pending *p, uint32_t v, uint32_t nfree)
{
  special_container *c = p->c;
  uint32_t from = NONE;
  for (uint32_t i = 0; i < c->npending && job->start[c->pending[i]] < c->spans[v].e1; i++)
    from = p->used[i] ? from : i;
  for (uint32_t i = from == NONE ? 0 : from; i < c->npending; i++)
  {
    if (p->used[i])
      continue;
    p->used[i] = true;
    give(job, c, v, job->start[c->pending[i]]);
    special_answer answer = search(job, p, nfree - 1);
    give(job, c, v, job_never(job));
    p->used[i] = false;
    if (answer != SPECIAL_VIOLATED)
      return answer;
  }
  return SPECIAL_VIOLATED;
}

static special_answer
search(special_job *job, special_pending *p, uint32_t nfree)
{
  if (job->steps > job->max_steps || job_cancelled(job))
    return SPECIAL_STOPPED;
  size_t mark = job->nblocks;
  special_failure f;
  special_answer answer = SPECIAL_VIOLATED;
  if (p->check(job, p, &f))
    answer = SPECIAL_HOLDS;
  else if (job_cancelled(job))
    answer = SPECIAL_STOPPED;
  else if (nfree > 0)
  {
    uint32_t n, tried = 0;
    uint32_t *list = candidates(job, p, &f, &n);
    for (; tried < n && answer == SPECIAL_VIOLATED; tried++)
    {
      answer = try(job, p, list[tried], nfree);
      p->out[list[tried]] = true;
    }
    while (tried > 0)
      p->out[list[--tried]] = false;
  }
  hd_special_release(job, mark);
  return answer;
}

static void
give_all(special_job *job, special_container *c, uint32_t p)
{
  for (uint32_t i = 0; i < c->nleft; i++)
    give(job, c, c->left[i], p);
}

special_answer
hd_special_pending_decide(special_job *job, special_pending *p)
{
  special_container *c = p->c;
  special_failure f;
  if (p->check(job, p, &f))
    return SPECIAL_HOLDS;
  if (job_cancelled(job))
    return SPECIAL_STOPPED;
  if (c->npending == 0 || c->nleft == 0)
    return p->explain(job, p, &f, true);
  give_all(job, c, job->start[c->pending[0]]);
  if (!p->check(job, p, &f))
    return job_cancelled(job) ? SPECIAL_STOPPED : p->explain(job, p, &f, true);
  give_all(job, c, job_never(job));
  p->out = hd_special_zeroed(job, c->n, sizeof *p->out);
  p->used = hd_special_zeroed(job, c->npending, sizeof *p->used);
  job->max_steps += job->steps;
  special_answer answer = search(job, p, c->npending);
  if (answer != SPECIAL_VIOLATED)
    return answer;
  p->check(job, p, &f); /* fails as it did before */
  if (job_cancelled(job))
    return SPECIAL_STOPPED;
  return p->explain(job, p, &f, false);
}
