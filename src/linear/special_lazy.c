/* special_lazy.c: registers whose values repeat, by a search that decides as late as it can.
 *
 * A configuration is one way in which the operations up to now can have taken effect, with all that need not be known
 * yet left open: the value, and for each open operation whether it is placed, optional, or still to do. A read is
 * placed as soon as its value is there. A write that lies open when another one is placed may as well have happened
 * just before, where nobody can tell: it becomes optional. A write that never returns is optional from its beginning.
 *
 *   return of a read:   not placed: place the open write of its value with the earliest end; none: no way to go on
 *   return of a write:  placed: nothing. Optional: drop it, and if somebody may read it, also place it. Else place it
 *   place a write y:    before y, others may flash: an open write of each value that an open read waits for. For each
 *                       choice of them one successor, with y's value and every other open write optional
 *
 * Of two configurations with one value, A makes B superfluous if each open operation is, in A, optional, or as it is in
 * B, or a placed read (dominance). A write has to be hidden by the time X(t) at which the first write ends that is
 * called after its own end t. If no read of its value is called before X(t), it is of no use to later reads: optional,
 * it is dropped at its return unless an open read waits for it; and where it may flash it does (look-ahead). Without
 * a reader it could only make others optional, and of those the first that returns can be placed instead.
 *
 * The values of a register that repeat make the problem NP-complete: the number of configurations is limited. Their
 * size depends on the number of open operations alone. */
#include "linear/special_lazy.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum
{
  POLL = 4096,              /* steps from one look at the caller's wish to stop to the next */
  STEPS_AN_EVENT = 1 << 10, /* that do not count against the limit */
  MOST_OPEN = 1 << 14,      /* operations at a time: the sets of slots take the square of it in memory, in bits */
};

/* ---- small sets of slots: W words, a constant in the usual case of one word ---- */

static ALWAYS_INLINE void
put_bit(uint64_t *set, uint32_t slot)
{
  set[slot / 64] |= 1ull << slot % 64;
}

static ALWAYS_INLINE void
clear_bit(uint64_t *set, uint32_t slot)
{
  set[slot / 64] &= ~(1ull << slot % 64);
}

static ALWAYS_INLINE bool
has_bit(const uint64_t *set, uint32_t slot)
{
  return set[slot / 64] >> slot % 64 & 1;
}

static ALWAYS_INLINE bool
some_without(const uint64_t *set, const uint64_t *others, unsigned W)
{
  uint64_t some = 0;
  for (unsigned w = 0; w < W; w++)
    some |= set[w] & ~others[w];
  return some != 0;
}

static ALWAYS_INLINE void
join(uint64_t *set, const uint64_t *more, unsigned W)
{
  for (unsigned w = 0; w < W; w++)
    set[w] |= more[w];
}

/* The open writes and reads of group G. */
static ALWAYS_INLINE uint64_t *
open_writes(const lazy *z, uint32_t g, unsigned W)
{
  return z->group_sets + (size_t) g * 2 * W;
}
static ALWAYS_INLINE uint64_t *
open_reads(const lazy *z, uint32_t g, unsigned W)
{
  return z->group_sets + ((size_t) g * 2 + 1) * W;
}

/* ---- configurations: 1 + 2 W words ---- */

static ALWAYS_INLINE uint64_t *
configuration(uint64_t *list, size_t i, unsigned W)
{
  return list + i * (1 + 2 * W);
}
static ALWAYS_INLINE uint64_t *
placed(uint64_t *c)
{
  return c + 1;
}
static ALWAYS_INLINE uint64_t *
optional(uint64_t *c, unsigned W)
{
  return c + 1 + W;
}

/* Does A make B superfluous? */
static ALWAYS_INLINE bool
covers(const lazy *z, uint64_t *a, uint64_t *b, unsigned W)
{
  const uint64_t *pa = placed(a), *pb = placed(b), *oa = optional(a, W), *ob = optional(b, W);
  uint64_t differs = a[0] ^ b[0];
  for (unsigned w = 0; w < W; w++)
    if (z->dominance)
      differs |= ((pa[w] ^ pb[w]) & ~oa[w] & ~(pa[w] & z->reads[w])) | (ob[w] & ~oa[w]);
    else
      differs |= (pa[w] ^ pb[w]) | (oa[w] ^ ob[w]);
  return differs == 0;
}

/* The configuration behind the last one of NEXT is complete: keep it unless it is superfluous. */
static ALWAYS_INLINE void
keep(lazy *z, unsigned W)
{
  uint64_t *new = configuration(z->next, z->nnext, W);
  const size_t size = (1 + 2 * W) * sizeof *new;
  z->steps += 1 + z->nnext / 8;
  for (size_t i = 0; i < z->nnext;)
  {
    uint64_t *c = configuration(z->next, i, W);
    if (c[0] == new[0] && covers(z, c, new, W))
      return;
    if (c[0] == new[0] && covers(z, new, c, W))
      memcpy(c, configuration(z->next, --z->nnext, W), size);
    else
      i++;
  }
  uint64_t *end = configuration(z->next, z->nnext, W);
  if (end != new)
    memcpy(end, new, size);
  z->nnext++;
  if (z->nnext > z->peak)
    z->peak = z->nnext;
  if (z->nnext < z->capacity)
    return;
  /* One more than there are is always in reserve. */
  if (z->capacity > z->max_configurations)
  {
    z->stopped = true;
    z->nnext--;
    return;
  }
  z->capacity *= 2;
  z->now = hd_realloc(z->now, (z->capacity + 1) * size);
  z->next = hd_realloc(z->next, (z->capacity + 1) * size);
}

/* The open write of group G that is not in USED and has the earliest end, or NONE. */
static ALWAYS_INLINE uint32_t
earliest(const lazy *z, uint32_t g, const uint64_t *used, unsigned W)
{
  uint32_t best = NONE;
  for (unsigned w = 0; w < W; w++)
    for (uint64_t some = open_writes(z, g, W)[w] & ~used[w]; some != 0; some &= some - 1)
    {
      uint32_t slot = 64 * w + (uint32_t) __builtin_ctzll(some);
      if (best == NONE || z->slots[slot].end < z->slots[best].end)
        best = slot;
    }
  return best;
}

static ALWAYS_INLINE void
flash(const lazy *z, uint64_t *set, uint32_t slot, unsigned W)
{
  put_bit(set, slot);
  join(set, open_reads(z, z->slots[slot].group, W), W);
}

/* Not worth going on? */
static ALWAYS_INLINE bool
gives_up(lazy *z)
{
  if (z->steps >= z->next_poll)
  {
    z->next_poll = z->steps + POLL;
    z->stopped = z->stopped || job_cancelled(z->job) || z->steps > z->limit;
  }
  return z->stopped;
}

/* Place the write in slot Y in configuration I of NOW; GONE is the slot of the operation that returns. */
static ALWAYS_INLINE void
place(lazy *z, size_t i, uint32_t y, uint32_t gone, unsigned W)
{
  uint64_t one[1], *set = W == 1 ? one : z->scratch;
  memcpy(set, placed(configuration(z->now, i, W)), W * sizeof *set);
  flash(z, set, y, W);
  /* What can flash: a write of each value that an open read waits for. */
  uint32_t n = 0;
  for (unsigned w = 0; w < W; w++)
    for (uint64_t waiting = z->reads[w] & ~set[w]; waiting != 0;)
    {
      uint32_t slot = 64 * w + (uint32_t) __builtin_ctzll(waiting), g = z->slots[slot].group;
      uint32_t x = earliest(z, g, set, W);
      waiting &= ~open_reads(z, g, W)[w];
      bool met = false; /* with several words, in an earlier one */
      for (unsigned k = 0; k < w && !met; k++)
        met = (open_reads(z, g, W)[k] & ~set[k]) != 0;
      if (x == NONE || met)
        continue;
      if (z->lookahead && z->next_read[z->slots[x].value] >= z->slots[x].until)
        flash(z, set, x, W);
      else
        z->flashes[n++] = x;
    }
  for (uint64_t choice = 0;; choice++)
  {
    uint64_t *new = configuration(z->next, z->nnext, W);
    new[0] = z->slots[y].value;
    memcpy(placed(new), set, W * sizeof *set);
    for (uint64_t rest = choice; rest != 0; rest &= rest - 1)
      flash(z, placed(new), z->flashes[__builtin_ctzll(rest)], W);
    for (unsigned w = 0; w < W; w++)
      optional(new, W)[w] = z->writes[w] & ~placed(new)[w];
    clear_bit(placed(new), gone);
    clear_bit(optional(new, W), gone);
    keep(z, W);
    if (gives_up(z) || (n < 64 && choice + 1 == 1ull << n))
      return;
  }
}

/* Configuration I of NOW goes on without the operation in slot GONE. */
static ALWAYS_INLINE void
go_on(lazy *z, size_t i, uint32_t gone, unsigned W)
{
  uint64_t *new = configuration(z->next, z->nnext, W);
  memcpy(new, configuration(z->now, i, W), (1 + 2 * W) * sizeof *new);
  clear_bit(placed(new), gone);
  clear_bit(optional(new, W), gone);
  keep(z, W);
}

/* ---- slots ---- */

static uint32_t
open_slot(lazy *z, uint32_t op)
{
  uint32_t slot = z->free_slots[--z->nfree_slots], value = z->r->value[op], g = z->group[value];
  if (g == 0)
    g = z->group[value] = z->free_groups[--z->nfree_groups] + 1;
  z->group_size[g - 1]++;
  z->slot[op] = slot;
  z->slots[slot] = (lazy_slot){op, value, g - 1, z->job->end[op], z->until[op]};
  return slot;
}

static ALWAYS_INLINE void
close_slot(lazy *z, uint32_t slot, unsigned W)
{
  uint32_t g = z->slots[slot].group;
  clear_bit(z->reads, slot);
  clear_bit(z->writes, slot);
  clear_bit(open_reads(z, g, W), slot);
  clear_bit(open_writes(z, g, W), slot);
  z->free_slots[z->nfree_slots++] = slot;
  if (--z->group_size[g] > 0)
    return;
  z->group[z->slots[slot].value] = 0;
  z->free_groups[z->nfree_groups++] = g;
}

/* ---- events ---- */

static ALWAYS_INLINE void
call(lazy *z, uint32_t op, unsigned W)
{
  bool reads = z->r->kind[op] == REGISTER_LOOKS, pending = z->job->end[op] == job_inf(z->job);
  uint32_t value = z->r->value[op], slot = open_slot(z, op), g = z->slots[slot].group;
  if (reads)
    z->next_read[value] = z->until[op];
  put_bit(reads ? z->reads : z->writes, slot);
  put_bit(reads ? open_reads(z, g, W) : open_writes(z, g, W), slot);
  for (size_t i = 0; i < z->nnow; i++)
  {
    uint64_t *c = configuration(z->now, i, W);
    if (pending)
      put_bit(optional(c, W), slot);
    else if (reads && c[0] == value)
      put_bit(placed(c), slot);
  }
}

static void
take_next(lazy *z)
{
  uint64_t *list = z->now;
  z->now = z->next;
  z->next = list;
  z->nnow = z->nnext;
}

/* The read in SLOT returns. */
static ALWAYS_INLINE void
return_read(lazy *z, uint32_t slot, unsigned W)
{
  for (size_t i = 0; i < z->nnow && !z->stopped; i++)
  {
    uint64_t *c = configuration(z->now, i, W);
    uint32_t y;
    if (has_bit(placed(c), slot))
      go_on(z, i, slot, W);
    else if ((y = earliest(z, z->slots[slot].group, placed(c), W)) != NONE)
      place(z, i, y, slot, W);
  }
}

/* The write in SLOT returns. */
static ALWAYS_INLINE void
return_write(lazy *z, uint32_t slot, unsigned W)
{
  const lazy_slot *s = &z->slots[slot];
  bool read_later = !z->lookahead || z->next_read[s->value] < s->until;
  for (size_t i = 0; i < z->nnow && !z->stopped; i++)
  {
    uint64_t *c = configuration(z->now, i, W);
    bool is_placed = has_bit(placed(c), slot), is_optional = has_bit(optional(c, W), slot);
    bool useful = !is_optional || read_later || some_without(open_reads(z, s->group, W), placed(c), W);
    if (is_placed || is_optional)
      go_on(z, i, slot, W);
    if (!is_placed && useful)
      place(z, i, slot, slot, W);
  }
}

/* The operation in SLOT returns. False: nothing explains it. */
static ALWAYS_INLINE bool
return_slot(lazy *z, uint32_t slot, unsigned W)
{
  bool reads = has_bit(z->reads, slot);
  if (z->nnow == 1 && has_bit(placed(z->now), slot))
  {
    clear_bit(placed(z->now), slot);
    close_slot(z, slot, W);
    return true;
  }
  z->nnext = 0;
  if (reads)
    return_read(z, slot, W);
  else
    return_write(z, slot, W);
  if (z->nnext == 0)
    return false;
  take_next(z);
  close_slot(z, slot, W);
  return true;
}

/* Nobody will read VALUE any more: forget the writes of it that never return. */
static ALWAYS_INLINE void
forget(lazy *z, uint32_t value, unsigned W)
{
  uint32_t inf = job_inf(z->job);
  while (z->group[value] != 0)
  {
    uint32_t g = z->group[value] - 1, slot = NONE;
    for (unsigned w = 0; w < W; w++)
      for (uint64_t some = open_writes(z, g, W)[w]; some != 0; some &= some - 1)
      {
        uint32_t k = 64 * w + (uint32_t) __builtin_ctzll(some);
        slot = z->slots[k].end == inf ? k : slot;
      }
    if (slot == NONE)
      return;
    z->nnext = 0;
    for (size_t i = 0; i < z->nnow; i++)
      go_on(z, i, slot, W);
    take_next(z);
    close_slot(z, slot, W);
  }
}

static ALWAYS_INLINE special_answer
run(lazy *z, unsigned W)
{
  const special_job *job = z->job;
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t op = job->events[t] >> 1, value = z->r->value[op];
    bool reads = z->r->kind[op] == REGISTER_LOOKS;
    if (z->r->kind[op] == REGISTER_NOTHING)
      continue;
    z->steps++;
    z->limit += STEPS_AN_EVENT;
    if (!(job->events[t] & 1))
      call(z, op, W);
    else
    {
      if (!return_slot(z, z->slot[op], W))
        return z->stopped ? SPECIAL_STOPPED : hd_lazy_violated(z, op);
      uint32_t g = z->group[value];
      if (reads && z->npending > 0 && g != 0 && z->next_read[value] >= job_inf(job)
          && !some_without(open_reads(z, g - 1, W), z->nothing, W))
        forget(z, value, W);
    }
    if (gives_up(z))
      return SPECIAL_STOPPED;
  }
  return SPECIAL_HOLDS;
}

static special_answer
run_narrow(lazy *z)
{
  return run(z, 1);
}

static special_answer
run_wide(lazy *z)
{
  return run(z, z->words);
}

/* ---- preparation ---- */

/* From the end to the beginning: UNTIL, the first NEXT_READ of each value, and how many operations are open at most.
 * Writes that never return and whose value nobody can have read from them are left out: nobody can tell. */
static uint32_t
look_ahead(lazy *z)
{
  special_job *job = z->job;
  uint32_t inf = job_inf(job), never = job_never(job), hidden = inf, open = 0, most = 0;
  for (uint32_t v = 0; v < z->r->n; v++)
    z->next_read[v] = never; /* no read of it is open or still to come */
  for (uint32_t t = job->nevents; t >= 1 && !job_stops(job, t); t--)
  {
    uint32_t op = job->events[t] >> 1, *next = &z->next_read[z->r->value[op]];
    bool ends = job->events[t] & 1, pending = job->end[op] == inf;
    switch (z->r->kind[op])
    {
    case REGISTER_LOOKS:
      if (ends)
        *next = *next == never ? inf : *next;
      else
      {
        z->until[op] = *next;
        *next = t;
      }
      break;
    case REGISTER_WRITES:
      if (ends)
        z->until[op] = hidden;
      else if (!pending)
        hidden = job->end[op] < hidden ? job->end[op] : hidden;
      else if (*next == never)
        z->r->kind[op] = REGISTER_NOTHING;
      else
      {
        z->until[op] = inf;
        z->npending++;
      }
      break;
    default:
      continue;
    }
    if (!pending)
    {
      open += ends ? 1 : -1;
      most = open > most ? open : most;
    }
  }
  return most + z->npending;
}

/* False: too many operations are open at a time. */
static bool
open_search(lazy *z)
{
  special_job *job = z->job;
  z->until = hd_special_array(job, job->n, sizeof *z->until);
  z->next_read = hd_special_array(job, z->r->n, sizeof *z->next_read);
  uint32_t nslots = look_ahead(z), words = nslots / 64 + (nslots % 64 != 0);
  if (nslots > MOST_OPEN)
    return false;
  z->words = words > 0 ? words : 1;
  z->slot = hd_special_array(job, job->n, sizeof *z->slot);
  z->slots = hd_special_array(job, nslots, sizeof *z->slots);
  z->free_slots = hd_special_array(job, nslots, sizeof *z->free_slots);
  z->group = hd_special_zeroed(job, z->r->n, sizeof *z->group);
  z->group_size = hd_special_zeroed(job, nslots, sizeof *z->group_size);
  z->group_sets = hd_special_zeroed(job, (size_t) nslots * 2 * z->words, sizeof *z->group_sets);
  z->free_groups = hd_special_array(job, nslots, sizeof *z->free_groups);
  z->flashes = hd_special_array(job, nslots, sizeof *z->flashes);
  uint64_t **sets[] = {&z->reads, &z->writes, &z->nothing, &z->scratch};
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
    *sets[k] = hd_special_zeroed(job, z->words, sizeof(uint64_t));
  for (; z->nfree_slots < nslots; z->nfree_slots++)
    z->free_slots[z->nfree_slots] = z->free_groups[z->nfree_slots] = nslots - 1 - z->nfree_slots;
  z->nfree_groups = nslots;
  z->capacity = 64;
  size_t size = (1 + 2 * (size_t) z->words) * sizeof(uint64_t);
  z->now = hd_alloc_zero((z->capacity + 1) * size);
  z->next = hd_alloc_zero((z->capacity + 1) * size);
  z->nnow = z->peak = 1; /* the initial value, nothing open */
  return true;
}

special_answer
hd_special_lazy(special_job *job, special_register *r)
{
  lazy z = {.job = job, .r = r, .max_configurations = job->max_configurations};
  z.dominance = !(job->rules_off & HD_LINEAR_DOMINANCE);
  z.lookahead = !(job->rules_off & HD_LINEAR_LOOKAHEAD);
  z.limit = job->max_steps;
  z.next_poll = POLL;
  special_answer answer = SPECIAL_STOPPED;
  if (open_search(&z) && !job_cancelled(job)) /* else it is not prepared */
    answer = z.words == 1 ? run_narrow(&z) : run_wide(&z);
  job->steps += z.steps;
  job->peak = z.peak;
  free(z.now);
  free(z.next);
  return answer;
}
