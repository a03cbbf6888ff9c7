/* special_lazy_show.c: why a register whose values repeat cannot be explained: a few operations that show it.
 *
 * They are found by leaving out the others as long as what remains cannot be explained either. A read can always be
 * left out. A write can be left out if it cannot be where a read that stays has its value from: it began after the
 * read's end, or another write that stays lies between the two. So what remains shows the violation whatever the others
 * did.
 *
 * First comes the shortest stretch of time before the failing read that is enough: with the writes that end in it, and
 * the reads that begin after the first write that lies in it as a whole. No write before the stretch can be seen by
 * those. A longer stretch only adds to what cannot be explained, so its length is doubled until it is enough. */
#include "linear/special_lazy.h"

#include <stdlib.h>
#include <string.h>

enum
{
  FIRST_STRETCH = 16,
  VALUES_NAMED = 4,
};

/* Operations judged, over all attempts, before what is left is shown as it is: about a second. */
static const uint64_t most_work = 1ull << 22;

/* A read that begins after END sees no write that was over before LATEST. */
typedef struct hiding
{
  uint32_t end, latest;
} hiding;

typedef struct excerpt
{
  lazy *z;
  uint32_t failing; /* the read that nothing explains */
  uint32_t since;   /* where the stretch begins */
  uint32_t *ops;    /* the stretch in the order of ends, latest first; writes and reads that are not called too early */
  bool *in;
  uint32_t n, nopen; /* the first NOPEN are open at the failing read's return */
  hd_linear_op *tried;
  /* Of the present choice: writes that are left out; and those that are in, by their ends. */
  uint32_t *out, nout;
  hiding *hiding;
  uint32_t nhiding;
  uint64_t work;
} excerpt;

static bool
is_read(const excerpt *x, uint32_t op)
{
  return x->z->r->kind[op] == REGISTER_LOOKS;
}

/* Is what is IN a violation? */
static bool
violated(excerpt *x)
{
  const special_job *job = x->z->job;
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n; i++)
  {
    if (!x->in[i])
      continue;
    hd_linear_op *o = &x->tried[n++];
    *o = job->ops[x->ops[i]];
    o->start = job->start[x->ops[i]];
    o->end = job->end[x->ops[i]];
  }
  x->work += 8 + n;
  special_options options = {.config = job->config,
                             .nconfig = job->nconfig,
                             .max_steps = job->max_steps,
                             .max_configurations = job->max_configurations,
                             .rules_off = job->rules_off,
                             .cancel = job->cancel};
  return hd_special_decide(job->spec, x->tried, n, &options, NULL) == SPECIAL_VIOLATED;
}

/* The latest start of a completed write that is IN and over before READ begins, or 0. */
static uint32_t
hidden_until(const excerpt *x, uint32_t read)
{
  const special_job *job = x->z->job;
  uint32_t low = 0, high = x->nhiding;
  while (low < high)
  {
    uint32_t middle = low + (high - low) / 2;
    if (x->hiding[middle].end < job->start[read])
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? x->hiding[low - 1].latest : 0;
}

/* Sort out the writes: those that are left out, and of those that are IN, in the order of their ends, the latest start
 * so far. */
static void
prepare(excerpt *x)
{
  const special_job *job = x->z->job;
  uint32_t latest = 0;
  x->nhiding = x->nout = 0;
  for (uint32_t i = x->n; i-- > 0;)
  {
    uint32_t op = x->ops[i];
    if (is_read(x, op))
      continue;
    if (!x->in[i])
      x->out[x->nout++] = op;
    else if (job->end[op] < job->end[x->failing])
    {
      latest = job->start[op] > latest ? job->start[op] : latest;
      x->hiding[x->nhiding++] = (hiding){job->end[op], latest};
    }
  }
  x->work += x->n / 32;
}

/* Can no write that is left out be what a read that is IN saw? False, too, if that takes too long to find out. */
static bool
is_fair(excerpt *x)
{
  const special_job *job = x->z->job;
  const uint32_t *value = x->z->r->value;
  prepare(x);
  for (uint32_t i = 0; i < x->n; i++)
  {
    uint32_t read = x->ops[i];
    if (!x->in[i] || !is_read(x, read))
      continue;
    uint32_t hidden = hidden_until(x, read);
    if (hidden < x->since || x->work > most_work)
      return false;
    for (uint32_t k = 0; k < x->nout; k++)
    {
      uint32_t write = x->out[k];
      if (value[write] == value[read] && job->start[write] < job->end[read] && job->end[write] > hidden)
        return false;
    }
    x->work += 1 + x->nout / 32;
  }
  return true;
}

/* The writes that are open at the return of the failing read. (Of the reads some see what is written later; of the
 * writes some that never return have no slot any more.) */
static void
collect_open(excerpt *x)
{
  const special_job *job = x->z->job;
  uint32_t t = job->end[x->failing];
  for (uint32_t i = 0; i < job->n; i++)
    if (job->start[i] < t && job->end[i] > t && x->z->r->kind[i] == REGISTER_WRITES)
      x->ops[x->nopen++] = i;
}

/* The stretch of the last LENGTH operations that ended, the failing read first, after those that are open. */
static void
cut_out(excerpt *x, uint32_t length)
{
  lazy *z = x->z;
  const special_job *job = z->job;
  uint32_t first = job_inf(job); /* the first end of a write that lies in the stretch */
  x->n = x->nopen;
  uint32_t t = job->end[x->failing];
  for (uint32_t ended = 0; t >= 1 && ended < length; t--)
    if ((job->events[t] & 1) && z->r->kind[job->events[t] >> 1] != REGISTER_NOTHING)
    {
      x->ops[x->n++] = job->events[t] >> 1;
      ended++;
    }
  x->since = t == 0 || length >= job->n ? 0 : t + 1; /* 0: nothing lies before */
  for (uint32_t i = 0; i < x->n; i++)
    if (!is_read(x, x->ops[i]) && job->start[x->ops[i]] >= x->since && job->end[x->ops[i]] < first)
      first = job->end[x->ops[i]];
  for (uint32_t i = 0; i < x->n; i++)
    x->in[i] = !is_read(x, x->ops[i]) || x->since == 0 || job->start[x->ops[i]] > first;
}

/* Leave out the operations FROM .. TO-1, or only the reads among them, if the rest still shows it. */
static bool
leave_out(excerpt *x, bool *before, uint32_t from, uint32_t to, bool reads)
{
  uint32_t out = 0;
  for (uint32_t i = from; i < to; i++)
  {
    bool goes = x->in[i] && x->ops[i] != x->failing && (!reads || is_read(x, x->ops[i]));
    before[i] = x->in[i];
    out += goes;
    x->in[i] = x->in[i] && !goes;
  }
  if (out > 0 && is_fair(x) && violated(x))
    return true;
  memcpy(x->in + from, before + from, (to - from) * sizeof *before);
  return false;
}

/* Forget the reads that are left out: they do not matter any more. */
static void
forget_reads(excerpt *x)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->in[i] || !is_read(x, x->ops[i]))
    {
      x->ops[n] = x->ops[i];
      x->in[n++] = x->in[i];
    }
  x->n = n;
}

/* Leave out what can be left out: all other reads, many operations at a time, one by one until nothing more goes. The
 * failing read stays: all before its end can be explained. */
static void
shrink(excerpt *x)
{
  bool *before = hd_special_array(x->z->job, x->n, sizeof *before), some = true;
  leave_out(x, before, 0, x->n, true);
  forget_reads(x);
  for (uint32_t chunk = x->n / 2; chunk > 1; chunk = (chunk < x->n ? chunk : x->n) / 2)
  {
    for (uint32_t end = x->n; end > 0 && x->work < most_work; end -= end < chunk ? end : chunk)
      leave_out(x, before, end < chunk ? 0 : end - chunk, end, false);
    forget_reads(x);
  }
  while (some && x->work < most_work)
  {
    some = false;
    for (uint32_t i = x->n; i-- > 0 && x->work < most_work;)
      some |= leave_out(x, before, i, i + 1, false);
  }
}

/* Of the writes of the failing read's value, which are not IN, the last one that was over before FROM, or the first one
 * that began after the read. */
static uint32_t
lost_write(const excerpt *x, uint32_t from)
{
  const special_job *job = x->z->job;
  uint32_t last = NONE, first = NONE;
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (x->z->r->kind[i] != REGISTER_WRITES || x->z->r->value[i] != x->z->r->value[x->failing])
      continue;
    if (job->end[i] < from && (last == NONE || job->end[i] > job->end[last]))
      last = i;
    if (job->start[i] > job->end[x->failing] && (first == NONE || job->start[i] < job->start[first]))
      first = i;
  }
  return last != NONE ? last : first;
}

/* ---- the values that were possible ---- */

static void
name(uint32_t *named, uint32_t *n, uint32_t value)
{
  for (uint32_t i = 0; i < *n; i++)
    if (named[i] == value)
      return;
  if (*n <= VALUES_NAMED)
    named[(*n)++] = value;
}

/* All values that the register can have at the failing read's return: of the configurations, and of writes that can
 * still take effect. */
static const char *
possible_values(lazy *z)
{
  uint32_t named[VALUES_NAMED + 1], n = 0;
  for (size_t i = 0; i < z->nnow; i++)
  {
    const uint64_t *c = z->now + i * (1 + 2 * (size_t) z->words), *placed = c + 1;
    name(named, &n, (uint32_t) c[0]);
    for (unsigned w = 0; w < z->words; w++)
      for (uint64_t open = z->writes[w] & ~placed[w]; open != 0; open &= open - 1)
        name(named, &n, z->slots[64 * w + (uint32_t) __builtin_ctzll(open)].value);
  }
  hd_string s = {0};
  for (uint32_t m = 0; m < n && m < VALUES_NAMED; m++)
    hd_string_printf(&s, "%s%s",
                     m == 0       ? ""
                     : m + 1 == n ? " or "
                                  : ", ",
                     hd_special_register_text(z->job, z->r, named[m]));
  if (n > VALUES_NAMED)
    hd_string_add(&s, ", …");
  return hd_special_keep_text(z->job, &s);
}

/* ---- the violation ---- */

special_answer
hd_lazy_violated(lazy *z, uint32_t op)
{
  special_job *job = z->job;
  if (!job->why)
    return SPECIAL_VIOLATED;
  excerpt x = {.z = z, .failing = op};
  size_t most = (size_t) job->n + 1;
  x.ops = hd_special_array(job, most, sizeof *x.ops);
  x.in = hd_special_array(job, most, sizeof *x.in);
  x.tried = hd_special_array(job, most, sizeof *x.tried);
  x.out = hd_special_array(job, most, sizeof *x.out);
  x.hiding = hd_special_array(job, most, sizeof *x.hiding);
  collect_open(&x);
  for (uint32_t length = FIRST_STRETCH;; length = length > job->n / 2 ? job->n : 2 * length)
  {
    cut_out(&x, length);
    if (x.since == 0 || (x.in[x.nopen] && violated(&x)))
      break;
  }
  shrink(&x);
  prepare(&x);
  uint32_t hidden = hidden_until(&x, op), nwrites = 0, lost, cover = NONE, shown = 0;
  for (uint32_t i = 0; i < x.n; i++)
    shown += x.in[i];
  for (uint32_t i = x.n; i-- > 0;)
    if (x.in[i] && !is_read(&x, x.ops[i]))
    {
      nwrites++;
      cover = x.ops[i];
    }
  bool simple = shown == nwrites + 1 && nwrites <= 1;
  lost = simple ? lost_write(&x, nwrites > 0 ? hidden : 0) : NONE;
  if (lost != NONE)
    hd_special_show(job, lost);
  /* The latest, if there is not room for all; the failing read last. */
  for (uint32_t i = x.n, left = shown; i-- > 0;)
    if (x.in[i] && x.ops[i] != op && left-- < HD_LINEAR_SHOWN)
      hd_special_show(job, x.ops[i]);
  job->cut = job->cut || shown > HD_LINEAR_SHOWN;
  hd_special_show(job, op);
  const char *text = hd_special_op_text(job, op);
  if (simple && lost != NONE && job->start[lost] > job->end[op])
    return hd_special_violated(job, HD_LINEAR_TOO_EARLY, true, "%s was over before %s began", text,
                               hd_special_op_text(job, lost));
  if (simple && cover != NONE)
    return hd_special_violated(job, HD_LINEAR_OVERWRITTEN, true,
                               "%s, but %s had overwritten this value before it began; it could only be %s", text,
                               hd_special_op_text(job, cover), possible_values(z));
  return hd_special_violated(job, HD_LINEAR_OVERWRITTEN, true,
                             "%s: no order of the operations explains it; when it returned, it could only be %s", text,
                             possible_values(z));
}
