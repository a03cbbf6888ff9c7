/* special_register.c: registers whose values are written once, with successful cas (Gibbons and Korach's zones).
 *
 * The block of a value is its write and its reads; a successful cas is the last operation of one block and the first of
 * another and links them into a chain. In a legal order a chain is one stretch. With f its least end and s its greatest
 * start, chain A has to precede B if f(A) < s(B). So with the zone (f,s) of a chain called forward if f < s and the
 * zone [s,f] backward otherwise, an order exists iff
 *   1. each value was written, and inside each chain no operation ends before one of an earlier stage starts,
 *   2. no two forward zones overlap, and
 *   3. no backward zone lies inside a forward zone.
 * (Pairs are enough: from A -> B and C -> D follows A -> D or C -> B, which makes every cycle shorter.)
 * The initial value is a block that was written before time 1.
 *
 * A pending write or cas stays iff its value is observed by a completed operation or by a pending cas that stays;
 * nobody can tell whether another one took effect. That, and the blocks, would be wrong with a failed cas: not fit. */
#include "refine/special_parts.h"

typedef struct register_values
{
  special_values values; /* number i is block i + 1; block 0 is the initial value */
  hd_value initial;
  uint32_t n;           /* blocks */
  uint32_t *writer;     /* write or cas, or NONE */
  uint32_t *next;       /* the cas that replaced the value, or NONE */
  uint32_t *read_end;   /* of its reads, the one with the least end, or NONE */
  uint32_t *read_start; /* ... with the greatest start */
  bool *kept;           /* the writer took effect */
} register_values;

/* A chain while it is walked, and its zone. */
typedef struct chain
{
  uint32_t first;      /* block */
  uint32_t f, s;       /* least end, greatest start */
  uint32_t f_op, s_op; /* whose; NONE: the initial value's */
} chain;

static uint32_t
block_of(const register_values *r, hd_value v)
{
  if (hd_value_equal(v, r->initial))
    return 0;
  uint32_t i = hd_special_values_find(&r->values, v);
  return i == NONE ? NONE : i + 1;
}

static hd_value
block_value(const register_values *r, uint32_t b)
{
  return b == 0 ? r->initial : r->values.values[b - 1];
}

/* What OP writes, if it writes. */
static bool
writes(const special_job *job, uint32_t op, hd_value *v)
{
  special_role role = job_role(job, op);
  *v = role == ROLE_CAS ? job->ops[op].arg2 : job->ops[op].arg;
  return role != ROLE_READ;
}

static bool
fits(const special_job *job, uint32_t op)
{
  const special_op *o = &job->ops[op];
  switch (job_role(job, op))
  {
  case ROLE_WRITE:
    return o->pending || value_done(o->ret);
  case ROLE_CAS:
    return o->pending || value_is(o->ret, 1);
  default:
    return true;
  }
}

/* Number the values. False: one is written twice, or an operation does not fit. */
static bool
open_values(special_job *job, register_values *r)
{
  special_range range = {0};
  hd_value v;
  r->initial = job->nconfig > 0 ? job->config[0] : hd_nil();
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (!fits(job, i))
      return false;
    if (writes(job, i, &v))
      range_include(&range, v);
  }
  hd_special_values_open(job, &r->values, &range);
  uint32_t **arrays[] = {&r->writer, &r->next, &r->read_end, &r->read_start};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = hd_special_array(job, range.n + 1, sizeof(uint32_t));
  r->kept = hd_special_zeroed(job, range.n + 1, sizeof *r->kept);
  r->n = (uint32_t) range.n + 1;
  for (uint32_t b = 0; b < r->n; b++)
    r->writer[b] = r->next[b] = r->read_end[b] = r->read_start[b] = NONE;
  r->kept[0] = true;
  for (uint32_t i = 0; i < job->n; i++)
  {
    bool fresh;
    if (!writes(job, i, &v))
      continue;
    if (hd_value_equal(v, r->initial))
      return false;
    uint32_t b = hd_special_values_add(&r->values, v, &fresh) + 1;
    if (!fresh)
      return false;
    r->writer[b] = i;
  }
  job->steps += 2 * (uint64_t) job->n;
  return true;
}

static special_answer
from_nowhere(special_job *job, uint32_t op, hd_value v)
{
  hd_special_show(job, op);
  return hd_special_violated(job, SPECIAL_FROM_NOWHERE, !job->ops[op].pending, "%s saw %s, which nobody wrote",
                             hd_special_op_text(job, op), hd_special_value_text(job, v));
}

static special_answer
replaced_twice(special_job *job, const register_values *r, uint32_t b, uint32_t op)
{
  uint32_t other = r->next[b], writer = r->writer[b];
  bool alone = !job->ops[op].pending && !job->ops[other].pending;
  if (writer != NONE)
  {
    hd_special_show(job, writer);
    alone = alone && job_role(job, writer) == ROLE_WRITE;
  }
  hd_special_show(job, other);
  hd_special_show(job, op);
  return hd_special_violated(job, SPECIAL_TAKEN_TWICE, alone, "both %s and %s replaced %s, which was written once",
                             hd_special_op_text(job, other), hd_special_op_text(job, op),
                             hd_special_value_text(job, block_value(r, b)));
}

/* OP, which took effect, saw V, and replaced it if it REPLACES. The writer of V took effect, too; if it is a pending
 * cas that nobody had seen yet, so did the writer of what it replaced. */
static special_answer
observe(special_job *job, register_values *r, uint32_t op, hd_value v, bool replaces)
{
  for (;;)
  {
    uint32_t b = block_of(r, v);
    if (b == NONE)
      return from_nowhere(job, op, v);
    if (replaces && r->next[b] != NONE)
      return replaced_twice(job, r, b, op);
    if (replaces)
      r->next[b] = op;
    if (r->kept[b])
      return SPECIAL_HOLDS;
    r->kept[b] = true;
    op = r->writer[b];
    if (!job->ops[op].pending || job_role(job, op) != ROLE_CAS)
      return SPECIAL_HOLDS;
    v = job->ops[op].arg;
    replaces = true;
    job->steps++;
  }
}

static special_answer
collect(special_job *job, register_values *r)
{
  for (uint32_t i = 0; i < job->n; i++)
  {
    const special_op *o = &job->ops[i];
    special_role role = job_role(job, i);
    if (o->pending)
      continue;
    if (role != ROLE_READ)
    {
      hd_value v;
      writes(job, i, &v);
      r->kept[block_of(r, v)] = true;
    }
    if (role == ROLE_WRITE)
      continue;
    special_answer answer = observe(job, r, i, role == ROLE_READ ? o->ret : o->arg, role == ROLE_CAS);
    if (answer != SPECIAL_HOLDS)
      return answer;
    if (role != ROLE_READ)
      continue;
    uint32_t b = block_of(r, o->ret);
    if (r->read_end[b] == NONE || job->end[i] < job->end[r->read_end[b]])
      r->read_end[b] = i;
    if (r->read_start[b] == NONE || job->start[i] > job->start[r->read_start[b]])
      r->read_start[b] = i;
  }
  job->steps += job->n;
  return SPECIAL_HOLDS;
}

/* ---- what is shown ---- */

/* A pending writer counts only if it is observed: show by whom. */
static void
show_writer(special_job *job, const register_values *r, uint32_t b)
{
  if (r->writer[b] == NONE)
    return;
  hd_special_show(job, r->writer[b]);
  if (job->ops[r->writer[b]].pending && r->read_end[b] != NONE)
    hd_special_show(job, r->read_end[b]);
}

static uint32_t
next_block(const special_job *job, const register_values *r, uint32_t b)
{
  return r->next[b] == NONE ? NONE : block_of(r, job->ops[r->next[b]].arg2);
}

static void
show_chain(special_job *job, const register_values *r, const chain *c)
{
  if (c->f_op != NONE)
    hd_special_show(job, c->f_op);
  if (c->s_op != NONE)
    hd_special_show(job, c->s_op);
  for (uint32_t b = c->first; b != NONE && job->why && !job->cut; b = next_block(job, r, b))
    show_writer(job, r, b);
}

static special_answer
inverted(special_job *job, const register_values *r, const chain *c, uint32_t early, uint32_t late)
{
  hd_special_show(job, early);
  hd_special_show(job, late);
  show_chain(job, r, &(chain){c->first, 0, 0, NONE, NONE});
  bool first
      = early != NONE && job_role(job, early) == ROLE_READ && r->writer[block_of(r, job->ops[early].ret)] == late;
  return hd_special_violated(job, first ? SPECIAL_TOO_EARLY : SPECIAL_OVERWRITTEN, true,
                             first ? "%s was over before %s began"
                                   : "%s was over before %s began, but has to follow it",
                             hd_special_op_text(job, early), hd_special_op_text(job, late));
}

static special_answer
overlap(special_job *job, const register_values *r, const chain *a, const chain *b)
{
  show_chain(job, r, a);
  show_chain(job, r, b);
  return hd_special_violated(job, SPECIAL_OVERWRITTEN, true,
                             "%s was written once, and so was %s, but operations show each of them before the other",
                             hd_special_value_text(job, block_value(r, a->first)),
                             hd_special_value_text(job, block_value(r, b->first)));
}

/* ---- the chains ---- */

static void
include(const special_job *job, chain *c, uint32_t end_op, uint32_t start_op)
{
  if (job->end[end_op] < c->f)
  {
    c->f = job->end[end_op];
    c->f_op = end_op;
  }
  if (job->start[start_op] > c->s)
  {
    c->s = job->start[start_op];
    c->s_op = start_op;
  }
}

/* Walk the chain that begins with block FIRST. Marks the blocks in SEEN. */
static special_answer
walk(special_job *job, const register_values *r, uint32_t first, bool *seen, chain *c)
{
  *c = (chain){first, first == 0 ? 0 : job_inf(job), 0, NONE, NONE};
  for (uint32_t b = first; b != NONE; b = next_block(job, r, b))
  {
    /* The writer, then the reads: what belongs to an earlier stage has to start before it ends. */
    uint32_t stages[2][2] = {{r->writer[b], r->writer[b]}, {r->read_end[b], r->read_start[b]}};
    for (int k = 0; k < 2; k++)
    {
      if (stages[k][0] == NONE)
        continue;
      if (job->end[stages[k][0]] < c->s)
        return inverted(job, r, c, stages[k][0], c->s_op);
      include(job, c, stages[k][0], stages[k][1]);
    }
    seen[b] = true;
    job->steps++;
  }
  return SPECIAL_HOLDS;
}

static special_answer
circle(special_job *job, const register_values *r, uint32_t b)
{
  uint32_t from = b;
  do
    show_writer(job, r, b);
  while ((b = next_block(job, r, b)) != from && b != NONE && !job->cut);
  return hd_special_violated(job, SPECIAL_CIRCLE, true, "%s needs a value that was there only after it",
                             hd_special_op_text(job, r->writer[from]));
}

/* ---- the zones ---- */

/* One sweep: ZONE_AT has for the beginning of each zone its chain + 1. A zone that begins at 0 is chain 0. */
static special_answer
sweep(special_job *job, const register_values *r, const chain *chains, const uint32_t *zone_at)
{
  const chain *open = chains[0].f < chains[0].s ? &chains[0] : NULL; /* the latest forward zone */
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    if (zone_at[t] == 0)
      continue;
    const chain *c = &chains[zone_at[t] - 1];
    bool forward = c->f < c->s;
    if (open && open->s > (forward ? t : c->f))
      return overlap(job, r, open, c);
    if (forward)
      open = c;
  }
  job->steps += job->nevents;
  return SPECIAL_HOLDS;
}

special_answer
hd_special_register(special_job *job)
{
  register_values r;
  if (!open_values(job, &r))
    return SPECIAL_NOT_FIT;
  special_answer answer = collect(job, &r);
  if (answer != SPECIAL_HOLDS)
    return answer;
  bool *seen = hd_special_zeroed(job, r.n, sizeof *seen);
  chain *chains = hd_special_array(job, r.n, sizeof *chains);
  uint32_t *zone_at = hd_special_zeroed(job, job->nevents + 1, sizeof *zone_at);
  uint32_t n = 0;
  for (uint32_t b = 0; b < r.n; b++)
  {
    if (!r.kept[b] || (b > 0 && job_role(job, r.writer[b]) == ROLE_CAS))
      continue;
    chain *c = &chains[n++];
    answer = walk(job, &r, b, seen, c);
    if (answer != SPECIAL_HOLDS)
      return answer;
    if (b > 0) /* a backward zone begins with s, a forward one with f */
      zone_at[c->f < c->s ? c->f : c->s] = n;
  }
  for (uint32_t b = 0; b < r.n; b++)
    if (r.kept[b] && !seen[b])
      return circle(job, &r, b);
  return sweep(job, &r, chains, zone_at);
}
