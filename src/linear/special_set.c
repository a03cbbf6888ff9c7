/* special_set.c: sets, key by key, by a greedy that keeps one configuration.
 *
 * One key is a bit. An operation that changed it (add or remove → true) is a toggle, any other one (contains, add or
 * remove → false) an observer of 0 or of 1; a pending add or remove is a toggle without a deadline, a pending contains
 * says nothing. Nothing is placed before it must be: when an observer returns unsatisfied, or when a toggle returns
 * that was not placed; then the open toggle with the earliest end is taken. At all times the greedy has placed as few
 * toggles as any legal order has by then, and of the open ones it has kept those with the latest ends, so where it
 * finds none, nobody does. Keys may be used again any number of times.
 *
 * An add or remove that returned without saying what it did: not fit. */
#include "linear/special_parts.h"

typedef enum class
{
  TOGGLE_OFF,
  TOGGLE_ON,
  OBSERVE_OFF,
  OBSERVE_ON,
  DROPPED,
} class;

typedef struct set
{
  special_values keys;
  uint32_t *key;  /* of each operation */
  uint8_t *class; /* of each operation */
  bool *done;     /* placed, or satisfied */
  special_heap heap;
  /* by key */
  bool *bit;
  uint32_t (*open)[2]; /* heaps of open toggles that are not placed; [b]: to b */
  uint32_t (*wait)[2]; /* open observers of b that are not satisfied: lists through heap.left, operation + 1 */
} set;

static bool
classify(const special_job *job, uint32_t op, uint8_t *class)
{
  const hd_linear_op *o = &job->ops[op];
  bool yes = value_is(o->ret, 1), no = value_is(o->ret, 0);
  switch (job_role(job, op))
  {
  case ROLE_ADD:
    *class = o->pending || yes ? TOGGLE_ON : OBSERVE_ON;
    break;
  case ROLE_REMOVE:
    *class = o->pending || yes ? TOGGLE_OFF : OBSERVE_OFF;
    break;
  default:
    *class = o->pending ? DROPPED : yes ? OBSERVE_ON : OBSERVE_OFF;
  }
  return o->pending || yes || no;
}

static special_answer
open_set(special_job *job, set *s)
{
  special_range range = {0};
  s->class = hd_special_array(job, job->n, sizeof *s->class);
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (!classify(job, i, &s->class[i]))
      return SPECIAL_NOT_FIT;
    range_include(&range, job->ops[i].args[0]);
  }
  hd_special_values_open(job, &s->keys, &range);
  s->key = hd_special_array(job, job->n, sizeof *s->key);
  for (uint32_t i = 0; i < job->n; i++)
  {
    bool fresh;
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    s->key[i] = hd_special_values_add(&s->keys, job->ops[i].args[0], &fresh);
  }
  s->done = hd_special_zeroed(job, job->n, sizeof *s->done);
  s->bit = hd_special_zeroed(job, s->keys.n, sizeof *s->bit);
  s->open = hd_special_zeroed(job, s->keys.n, sizeof *s->open);
  s->wait = hd_special_zeroed(job, s->keys.n, sizeof *s->wait);
  hd_special_heap_open(job, &s->heap);
  job->steps += 2 * (uint64_t) job->n;
  return SPECIAL_HOLDS;
}

/* Place the open toggle of KEY with the earliest end. False: there is none. */
static bool
toggle(special_job *job, set *s, uint32_t key)
{
  bool to = !s->bit[key];
  if (s->open[key][to] == 0)
    return false;
  s->done[hd_special_heap_pop(job, &s->heap, &s->open[key][to])] = true;
  s->bit[key] = to;
  for (uint32_t w = s->wait[key][to]; w != 0; w = s->heap.left[w - 1])
  {
    s->done[w - 1] = true;
    job->steps++;
  }
  s->wait[key][to] = 0;
  return true;
}

static void
call(special_job *job, set *s, uint32_t op)
{
  uint32_t key = s->key[op];
  bool b = s->class[op] & 1;
  if (s->class[op] <= TOGGLE_ON)
    hd_special_heap_push(job, &s->heap, &s->open[key][b], op);
  else if (s->class[op] == DROPPED || s->bit[key] == b)
    s->done[op] = true;
  else
  {
    s->heap.left[op] = s->wait[key][b];
    s->wait[key][b] = op + 1;
  }
}

/* OP returns and is not done. */
static bool
force(special_job *job, set *s, uint32_t op)
{
  uint32_t key = s->key[op];
  bool is_toggle = s->class[op] <= TOGGLE_ON, to = s->class[op] & 1;
  if (is_toggle && s->bit[key] == to && !toggle(job, s, key))
    return false;             /* no room for it */
  return toggle(job, s, key); /* it is OP itself, whose end is the earliest, or satisfies it */
}

/* Which operations show that OP cannot return at T? Those on its key since nobody was inside an operation on it; if the
 * key was there then, one that made it so. */
static special_answer
wrong_answer(special_job *job, const set *s, uint32_t op, uint32_t t)
{
  uint32_t key = s->key[op], quiet = 0, open = 0, last = NONE;
  bool pending = false;
  for (uint32_t u = 1; u < t && job->why; u++)
  {
    uint32_t i = job->events[u] >> 1;
    if (s->key[i] != key || s->class[i] == DROPPED)
      continue;
    if (job->ops[i].pending)
      pending = true;
    else if (!(job->events[u] & 1))
      open++;
    else if (--open == 0)
      quiet = u;
  }
  for (uint32_t u = 1; u <= quiet && !pending; u++)
  {
    uint32_t i = job->events[u] >> 1;
    if (s->key[i] == key && s->class[i] == TOGGLE_ON && (job->events[u] & 1))
      last = i;
  }
  int balance = 0; /* adds minus removes that were over when nobody was inside: the bit */
  for (uint32_t i = 0; i < job->n && !pending && job->why; i++)
    if (s->key[i] == key && job->end[i] <= quiet)
      balance += (s->class[i] == TOGGLE_ON) - (s->class[i] == TOGGLE_OFF);
  if (balance == 1)
    hd_special_show(job, last);
  for (uint32_t u = 1; u <= t && job->why; u++)
  {
    uint32_t i = job->events[u] >> 1;
    if (s->key[i] == key && s->class[i] != DROPPED && job->end[i] > quiet)
      hd_special_show(job, i);
  }
  const char *name = hd_special_value_text(job, job->ops[op].args[0]);
  if (pending)
    return hd_special_violated(job, HD_LINEAR_WRONG_ANSWER, false,
                               "%s, but no order of the operations on %s explains it", hd_special_op_text(job, op),
                               name);
  return hd_special_violated(
      job, HD_LINEAR_WRONG_ANSWER, true,
      "%s, but no order of the operations on %s explains it: it was %s when none of them was open last",
      hd_special_op_text(job, op), name, balance == 1 ? "in the set" : "not in the set");
}

special_answer
hd_special_set(special_job *job)
{
  set s;
  special_answer answer = open_set(job, &s);
  for (uint32_t t = 1; t <= job->nevents && answer == SPECIAL_HOLDS; t++)
  {
    uint32_t op = job->events[t] >> 1;
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (!(job->events[t] & 1))
      call(job, &s, op);
    else if (!s.done[op] && !force(job, &s, op))
      return wrong_answer(job, &s, op, t);
  }
  job->steps += job->nevents;
  return answer;
}
