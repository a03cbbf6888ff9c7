/* special_queue.c: first in, first out, with unique values, in one sweep.
 *
 * A violation are two values a and b such that a was put in before b (e2(a) < e1(b)) and b was taken before a
 * (d2(b) < d1(a)). Pairs are enough: "put in before" and "taken before" are interval orders, in which a longer cycle
 * has a shorter one. So walk the time and keep the greatest d1 of the values whose insertion was over.
 *
 * Pending removals: the values that no completed operation took, in the order of e2, are given to the pending removals
 * in the order of their starts. The latest time at which a value may leave grows with its e2, a removal that found
 * nothing asks for the values with the smallest e2 to be gone, and removing more or earlier never hurts. */
#include "refine/special_parts.h"

static void
pair(special_job *job, special_container *c)
{
  for (uint32_t i = 0; i < c->nleft && i < c->npending; i++)
  {
    uint32_t v = c->left[i], p = job->start[c->pending[i]];
    c->d1[v] = p > c->e1[v] ? p : c->e1[v];
    c->d2[v] = job_inf(job);
  }
}

/* If no completed operation took V, pending ones might have: show why they did not, or not earlier. They were needed
 * for the values before V, which had to leave even sooner. */
static void
show(special_job *job, const special_container *c, uint32_t v)
{
  hd_special_show_value(job, c, v);
  if (c->take[v] != NONE || c->npending == 0)
    return;
  for (uint32_t i = 0; i < c->nleft && !job->cut; i++)
  {
    hd_special_show_value(job, c, c->left[i]);
    if (i < c->npending)
      hd_special_show(job, c->pending[i]);
    /* Later values cannot help, and after one more value than pending removals nothing changes. */
    if (c->left[i] == v || i == c->npending)
      break;
  }
}

static special_answer
inverted(special_job *job, const special_container *c, uint32_t a, uint32_t b)
{
  if (!job->why)
    return SPECIAL_VIOLATED;
  show(job, c, b);
  show(job, c, a);
  const char *first = hd_special_value_text(job, c->values.values[a]);
  const char *second = hd_special_value_text(job, c->values.values[b]);
  if (c->take[a] == NONE)
    return hd_special_violated(job, SPECIAL_ORDER_INVERTED, true, "%s was put in before %s, but %s was taken and %s %s",
                               first, second, second, first,
                               c->d1[a] == job_never(job) ? "never was" : "was not, or later");
  return hd_special_violated(job, SPECIAL_ORDER_INVERTED, true, "%s was put in before %s, but %s was taken before %s",
                             first, second, second, first);
}

special_answer
hd_special_queue(special_job *job)
{
  special_container c;
  special_answer answer = hd_special_container_open(job, &c);
  if (answer != SPECIAL_HOLDS)
    return answer;
  pair(job, &c);
  uint32_t latest = 0, who = NONE;
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t v = c.value[job->events[t] >> 1];
    if (v == NONE)
      continue;
    if (c.e1[v] == t && c.d2[v] < latest)
      return inverted(job, &c, who, v);
    if (c.e2[v] == t && c.d1[v] > latest)
    {
      latest = c.d1[v];
      who = v;
    }
  }
  job->steps += job->nevents;
  uint32_t empty = hd_special_container_empty(job, &c);
  return empty == NONE ? SPECIAL_HOLDS : hd_special_empty_violated(job, &c, empty, true, show);
}
