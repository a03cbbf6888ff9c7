/* special_zones.c: registers whose values are written once, with successful cas (Gibbons and Korach's zones).
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
 * nobody can tell whether another one took effect. */
#include "linear/special_parts.h"

#include <string.h>

/* Block i is value i; block 0 is the initial value. */
typedef struct blocks
{
  const special_register *r;
  uint32_t *next;       /* the cas that replaced the value, or NONE; NULL: there is no cas */
  uint32_t *read_end;   /* of its reads, the one with the least end, or NONE */
  uint32_t *read_start; /* ... with the greatest start */
  bool *kept;           /* the writer took effect */
} blocks;

/* A chain: its first block, and whose end and start are f and s; NONE: the initial value's, which are 0. */
typedef struct chain
{
  uint32_t first, f_op, s_op;
} chain;

static uint32_t
f_of(const special_job *job, const chain *c)
{
  return c->f_op == NONE || c->first == 0 ? 0 : job->end[c->f_op];
}

static uint32_t
s_of(const special_job *job, const chain *c)
{
  return c->s_op == NONE ? 0 : job->start[c->s_op];
}

static uint32_t
next_block(const blocks *x, uint32_t b)
{
  return !x->next || x->next[b] == NONE ? NONE : x->r->value[x->next[b]];
}

static special_answer
replaced_twice(special_job *job, const blocks *x, uint32_t b, uint32_t op)
{
  uint32_t other = x->next[b], writer = x->r->writer[b];
  bool alone = !job->ops[op].pending && !job->ops[other].pending;
  if (writer != NONE)
  {
    hd_special_show(job, writer);
    alone = alone && x->r->kind[writer] == REGISTER_WRITES;
  }
  hd_special_show(job, other);
  hd_special_show(job, op);
  return hd_special_violated(job, HD_LINEAR_TAKEN_TWICE, alone, "both %s and %s replaced %s, which was written once",
                             hd_special_op_text(job, other), hd_special_op_text(job, op),
                             hd_special_register_text(job, x->r, b));
}

/* OP, which took effect, saw its value, and replaced it if it is a cas. The writer of the value took effect, too; if it
 * is a pending cas that nobody had seen yet, so did the writer of what it replaced. */
static special_answer
observe(special_job *job, blocks *x, uint32_t op)
{
  for (;;)
  {
    uint32_t b = x->r->saw[op];
    if (b > 0 && x->r->writer[b] == NONE)
      return hd_special_from_nowhere(job, op);
    if (x->r->kind[op] == REGISTER_SWAPS && x->next) /* it is there if one of them swaps */
    {
      if (x->next[b] != NONE)
        return replaced_twice(job, x, b, op);
      x->next[b] = op;
    }
    if (x->kept[b])
      return SPECIAL_HOLDS;
    x->kept[b] = true;
    op = x->r->writer[b];
    if (x->r->kind[op] != REGISTER_SWAPS || !job->ops[op].pending)
      return SPECIAL_HOLDS;
    job->steps++;
  }
}

static special_answer
collect(special_job *job, blocks *x)
{
  for (uint32_t i = 0; i < job->n; i++)
  {
    uint32_t b = x->r->value[i];
    register_kind kind = x->r->kind[i];
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (kind == REGISTER_NOTHING || job->end[i] == job_inf(job))
      continue;
    if (kind != REGISTER_LOOKS)
      x->kept[b] = true;
    if (kind == REGISTER_WRITES)
      continue;
    special_answer answer = observe(job, x, i);
    if (answer != SPECIAL_HOLDS)
      return answer;
    if (kind != REGISTER_LOOKS)
      continue;
    if (x->read_end[b] == NONE || job->end[i] < job->end[x->read_end[b]])
      x->read_end[b] = i;
    if (x->read_start[b] == NONE || job->start[i] > job->start[x->read_start[b]])
      x->read_start[b] = i;
  }
  job->steps += job->n;
  return SPECIAL_HOLDS;
}

/* ---- what is shown ---- */

/* A pending writer counts only if it is observed: show by whom. */
static void
show_writer(special_job *job, const blocks *x, uint32_t b)
{
  uint32_t writer = x->r->writer[b];
  if (writer == NONE)
    return;
  hd_special_show(job, writer);
  if (job->ops[writer].pending && x->read_end[b] != NONE)
    hd_special_show(job, x->read_end[b]);
}

static void
show_chain(special_job *job, const blocks *x, const chain *c)
{
  if (c->f_op != NONE)
    hd_special_show(job, c->f_op);
  if (c->s_op != NONE)
    hd_special_show(job, c->s_op);
  for (uint32_t b = c->first; b != NONE && job->why && !job->cut; b = next_block(x, b))
    show_writer(job, x, b);
}

static special_answer
inverted(special_job *job, const blocks *x, const chain *c, uint32_t early, uint32_t late)
{
  hd_special_show(job, early);
  hd_special_show(job, late);
  show_chain(job, x, &(chain){c->first, NONE, NONE});
  bool first = x->r->kind[early] == REGISTER_LOOKS && x->r->writer[x->r->value[early]] == late;
  return hd_special_violated(job, first ? HD_LINEAR_TOO_EARLY : HD_LINEAR_OVERWRITTEN, true,
                             first ? "%s was over before %s began"
                                   : "%s was over before %s began, but has to follow it",
                             hd_special_op_text(job, early), hd_special_op_text(job, late));
}

static special_answer
overlap(special_job *job, const blocks *x, const chain *a, const chain *b)
{
  show_chain(job, x, a);
  show_chain(job, x, b);
  return hd_special_violated(job, HD_LINEAR_OVERWRITTEN, true,
                             "%s was written once, and so was %s, but operations show each of them before the other",
                             hd_special_register_text(job, x->r, a->first),
                             hd_special_register_text(job, x->r, b->first));
}

/* ---- the chains ---- */

/* Walk the chain that begins with block FIRST. Marks the blocks in SEEN. */
static special_answer
walk(special_job *job, const blocks *x, uint32_t first, bool *seen, chain *c)
{
  uint32_t f = job_never(job), s = 0;
  *c = (chain){first, NONE, NONE};
  for (uint32_t b = first; b != NONE; b = next_block(x, b))
  {
    /* The writer, then the reads: what belongs to an earlier stage has to start before it ends. */
    uint32_t stages[2][2] = {{x->r->writer[b], x->r->writer[b]}, {x->read_end[b], x->read_start[b]}};
    for (int k = 0; k < 2; k++)
    {
      if (stages[k][0] == NONE)
        continue;
      uint32_t end = job->end[stages[k][0]], start = job->start[stages[k][1]];
      if (end < s)
        return inverted(job, x, c, stages[k][0], c->s_op);
      c->f_op = end < f ? stages[k][0] : c->f_op;
      f = end < f ? end : f;
      c->s_op = start > s ? stages[k][1] : c->s_op;
      s = start > s ? start : s;
    }
    seen[b] = true;
    job->steps++;
  }
  return SPECIAL_HOLDS;
}

static special_answer
circle(special_job *job, const blocks *x, uint32_t b)
{
  uint32_t from = b;
  do
    show_writer(job, x, b);
  while ((b = next_block(x, b)) != from && b != NONE && !job->cut);
  return hd_special_violated(job, HD_LINEAR_CIRCLE, true, "%s needs a value that was there only after it",
                             hd_special_op_text(job, x->r->writer[from]));
}

/* ---- the zones ---- */

/* One sweep: ZONE_AT has for the beginning of each zone its chain + 1. A zone that begins at 0 is chain 0. */
static special_answer
sweep(special_job *job, const blocks *x, const chain *chains, const uint32_t *zone_at)
{
  const chain *open = &chains[0]; /* the latest forward zone, until UNTIL */
  uint32_t until = s_of(job, open);
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (zone_at[t] == 0)
      continue;
    const chain *c = &chains[zone_at[t] - 1];
    uint32_t f = f_of(job, c), s = s_of(job, c);
    if (until > (f < s ? t : f))
      return overlap(job, x, open, c);
    if (f >= s)
      continue;
    open = c;
    until = s;
  }
  job->steps += job->nevents;
  return SPECIAL_HOLDS;
}

special_answer
hd_special_zones(special_job *job, const special_register *r)
{
  blocks x = {.r = r};
  uint32_t **arrays[] = {&x.read_end, &x.read_start, &x.next};
  for (size_t k = 0; k < (r->ncas > 0 ? 3 : 2); k++)
  {
    *arrays[k] = hd_special_array(job, r->n, sizeof(uint32_t));
    memset(*arrays[k], 0xff, r->n * sizeof(uint32_t)); /* NONE */
  }
  x.kept = hd_special_zeroed(job, r->n, sizeof *x.kept);
  x.kept[0] = true;
  special_answer answer = collect(job, &x);
  if (answer != SPECIAL_HOLDS)
    return answer;
  bool *seen = hd_special_zeroed(job, r->n, sizeof *seen);
  chain *chains = hd_special_array(job, r->n, sizeof *chains);
  uint32_t *zone_at = hd_special_zeroed(job, (size_t) job->nevents + 1, sizeof *zone_at);
  uint32_t n = 0;
  for (uint32_t b = 0; b < r->n; b++)
  {
    if (job_stops(job, b))
      return SPECIAL_STOPPED;
    if (!x.kept[b] || (b > 0 && r->kind[r->writer[b]] == REGISTER_SWAPS))
      continue;
    chain *c = &chains[n++];
    answer = walk(job, &x, b, seen, c);
    if (answer != SPECIAL_HOLDS)
      return answer;
    uint32_t f = f_of(job, c), s = s_of(job, c);
    if (b > 0) /* a backward zone begins with s, a forward one with f */
      zone_at[f < s ? f : s] = n;
  }
  for (uint32_t b = 0; b < r->n; b++)
    if (x.kept[b] && !seen[b])
      return circle(job, &x, b);
  return sweep(job, &x, chains, zone_at);
}
