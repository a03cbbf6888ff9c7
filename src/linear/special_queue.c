/* special_queue.c: first in, first out, with unique values, in one sweep.
 *
 * A violation are two values a and b such that a was put in before b (e2(a) < e1(b)) and b was taken before a
 * (d2(b) < d1(a)). Pairs are enough: "put in before" and "taken before" are interval orders, in which a longer cycle
 * has a shorter one. So walk the time and keep the greatest d1 of the values whose insertion was over.
 *
 * Pending removals: the values that no completed operation took, in the order of e2, are given to the pending removals
 * in the order of their starts. The latest time at which a value may leave grows with its e2, a removal that found
 * nothing asks for the values with the smallest e2 to be gone, and removing more or earlier never hurts.
 *
 * Removals that took effect and whose value is unknown: what is known must hold by itself, then special_queue_unknown.c
 * gives them values. */
#include "linear/special_parts.h"

static void
pair(special_job *job, special_container *c)
{
  for (uint32_t i = 0; i < c->nleft && i < c->npending; i++)
  {
    uint32_t v = c->left[i], p = job->start[c->pending[i]];
    c->spans[v].d1 = p > c->spans[v].e1 ? p : c->spans[v].e1;
    c->spans[v].d2 = job_inf(job);
  }
}

/* If no completed operation took V, pending ones might have: show why they did not, or not earlier. They were needed
 * for the values before V, which had to leave even sooner. */
static void
show(special_job *job, const special_container *c, uint32_t v)
{
  hd_special_show_value(job, c, v);
  if (c->spans[v].take != NONE || c->npending == 0)
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
  const char *first = hd_special_container_text(job, c, a);
  const char *second = hd_special_container_text(job, c, b);
  bool inside = c->spans[a].take == NONE; /* nobody has taken it yet, for all that is known */
  return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, true, "%s was put in before %s, but %s was taken %s %s%s",
                             first, second, second, inside ? "while" : "before", first, inside ? " was inside" : "");
}

special_answer
hd_special_queue(special_job *job)
{
  special_container c;
  special_answer answer = hd_special_container_open(job, &c);
  if (answer != SPECIAL_HOLDS)
    return answer;
  if (c.nunknown == 0)
    pair(job, &c);
  uint32_t latest = 0, who = NONE;
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t v = c.value[job->events[t] >> 1];
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (v == NONE || (c.nunknown > 0 && c.spans[v].take == NONE))
      continue;
    if (c.spans[v].e1 == t && c.spans[v].d2 < latest)
      return inverted(job, &c, who, v);
    if (c.spans[v].e2 == t && c.spans[v].d1 > latest)
    {
      latest = c.spans[v].d1;
      who = v;
    }
  }
  job->steps += job->nevents;
  if (c.nunknown > 0)
    return hd_special_queue_unknown(job, &c);
  uint32_t empty = hd_special_container_empty(job, &c);
  return empty == NONE ? SPECIAL_HOLDS : hd_special_empty_violated(job, &c, empty, true, show);
}
