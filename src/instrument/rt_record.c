/* rt_record.c: a client that writes down all that it is told: heddle trace record.
 *
 * Order numbers (trace/format.h) come from one counter. Locks, threads, atomics, memory: each event has one, taken
 * while nobody else can do what it excludes, so that the trace has them in the order in which they happened. A plain
 * access gets one only if it must come after something of another thread: each 8 bytes have a word that says which
 * thread owns them, whether others read since, and after which order number their last write stands. The owner goes on
 * without numbers until somebody else comes. So conflicting accesses stand in the order in which the hooks saw them,
 * but for two that are in the hooks at the same instant, or whose threads were held up between the hook and the access
 * itself.
 *
 * Nothing is allocated, nobody waits for anybody but for a free chunk (rt_record_memory.c). */
#include "instrument/rt_recorder.h"
#include "trace/format.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- settings ---- */

typedef struct range
{
  uintptr_t low, high;
} range;

enum
{
  LONGEST = 72, /* bytes that an event may need */
};

static int memory_fd = -1;
static range blocks[HD_RECORD_BLOCKS];
static unsigned nblocks;

static __thread hd_rt_recording *me __attribute__((tls_model("initial-exec")));
static hd_rt_recording *all;
static hd_rt_lock lock;

static uint64_t
number(const char **text)
{
  uint64_t n = 0;
  while (**text == ' ')
    ++*text;
  for (; **text >= '0' && **text <= '9'; ++*text)
    n = n * 10 + (uint64_t) (**text - '0');
  return n;
}

/* "memory FD": what is shared; "block LOW HIGH": a function whose calls are atomic blocks. */
static bool
setting(const char *line)
{
  if (strncmp(line, "memory ", 7) == 0)
  {
    line += 7;
    memory_fd = (int) number(&line);
    return true;
  }
  if (strncmp(line, "block ", 6) != 0 || nblocks == HD_RECORD_BLOCKS)
    return false;
  line += 6;
  blocks[nblocks].low = number(&line);
  blocks[nblocks++].high = number(&line);
  return true;
}

static hd_rt_record_numbers places = {.max = HD_RECORD_PLACES, .loss = HD_RECORD_LOST_PLACES};
static hd_rt_record_numbers stacks = {.max = HD_RECORD_STACKS, .loss = HD_RECORD_LOST_STACKS};
static hd_rt_record_numbers objects = {.max = HD_RECORD_OBJECTS, .loss = HD_RECORD_LOST_OBJECTS};
static hd_rt_record_numbers addresses = {.max = HD_RECORD_ADDRESSES, .loss = HD_RECORD_LOST_ADDRESSES};

/* ---- events ---- */

static inline uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
  for (; v >= 0x80; v >>= 7)
    *p++ = (uint8_t) (v | 0x80);
  *p++ = (uint8_t) v;
  return p;
}

static inline uint8_t *
put_signed(uint8_t *p, uint64_t now, uint64_t before)
{
  int64_t d = (int64_t) (now - before);
  return put_varint(p, ((uint64_t) d << 1) ^ (uint64_t) (d >> 63));
}

typedef struct event
{
  uint8_t kind, class, tried;
  bool sized, ordered;
  uint8_t order; /* of memory */
  uint32_t size;
  uint64_t target;
  uintptr_t pc;
  uint32_t stack;
} event;

/* Is there room? From here to event_end nothing is left half-done when the program ends. */
static inline bool
event_begin(hd_rt_recording *r)
{
  if (HD_RT_UNLIKELY(!r || !r->chunk))
    return false;
  if (HD_RT_UNLIKELY((uint32_t) r->chunk->filled + LONGEST > HD_RECORD_PAYLOAD))
  {
    hd_rt_record_give(r);
    if (!hd_rt_record_take(r))
      return false;
  }
  __atomic_store_n(&r->busy, 1, __ATOMIC_RELAXED); /* the end of the program makes all threads see it: quiet() */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (HD_RT_LIKELY(!__atomic_load_n(&hd_rt_record_shared->stopped, __ATOMIC_RELAXED)))
    return true;
  __atomic_store_n(&r->busy, 0, __ATOMIC_RELAXED);
  return false;
}

static inline uint64_t
take_number(hd_rt_recording *r)
{
  r->started = true;
  return r->order = __atomic_add_fetch(&hd_rt_record_shared->order, 1, __ATOMIC_RELAXED);
}

/* ORDER: taken between begin and end, or 0. */
static inline __attribute__((always_inline)) void
event_end(hd_rt_recording *r, const event *e, uint64_t order)
{
  hd_record_chunk *c = r->chunk;
  uint64_t filled = c->filled;
  uint8_t *start = c->payload + (uint32_t) filled, *p = start;
  uint32_t location = e->pc ? hd_rt_record_number(&places, e->pc) : 0;
  uint8_t flags = (uint8_t) ((e->tried ? HD_TRACE_FLAG_TRIED : 0) | (e->stack ? HD_TRACE_FLAG_STACK : 0));
  *p++ = (uint8_t) (e->kind | (location != r->location ? HD_TRACE_CODE_LOCATION : 0) | (order ? HD_TRACE_CODE_ORDER : 0)
                    | (flags ? HD_TRACE_CODE_FLAGS : 0));
  if (flags)
    *p++ = flags;
  if (order)
  {
    p = put_varint(p, order - r->chunk_order - 1);
    r->chunk_order = order;
  }
  if (location != r->location)
  {
    p = put_signed(p, location, r->location);
    r->location = location;
  }
  if (e->stack)
    p = put_varint(p, e->stack);
  if (e->class != HD_TRACE_NOTHING)
  {
    p = put_signed(p, e->target, r->targets[e->class]);
    r->targets[e->class] = e->target;
  }
  if (e->sized)
    p = put_varint(p, e->size);
  if (e->ordered)
    *p++ = e->order;
  /* release: the command may read it at any time if the program dies */
  __atomic_store_n(&c->filled, filled + (1ull << 32) + (uint64_t) (p - start), __ATOMIC_RELEASE);
  __atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE); /* release: pairs with the acquire in quiet() */
}

/* The block that was open is over if its call is. */
static inline void
close_block(hd_rt_recording *r)
{
  if (HD_RT_LIKELY(!r->block || hd_rt_client_depth() >= r->block))
    return;
  r->block = 0;
  if (event_begin(r))
    event_end(r, &(event){.kind = HD_TRACE_END}, r->started ? 0 : take_number(r));
}

static inline uint32_t
stack_now(const hd_rt_recording *r)
{
  return r->stacks[hd_rt_client_depth()];
}

/* An event with a number. */
static void
record(event *e)
{
  hd_rt_recording *r = me;
  if (!r)
    return;
  close_block(r);
  if (!event_begin(r))
    return;
  e->stack = stack_now(r);
  event_end(r, e, take_number(r));
}

/* ---- accesses ---- */

/* Of 8 bytes: who owns them (thread + 1), have others read since it wrote, after which number does its write stand. */
#define OWNER(word) ((uint32_t) ((word) >> 48))
#define READ_BY_OTHERS (1ull << 47)
#define STAMP(word) ((word) & (READ_BY_OTHERS - 1))

static inline uint64_t *
word_of(uintptr_t p)
{
  return (uint64_t *) (void *) hd_rt_r(p & ~7ull, 2);
}

/* Was it somebody else who accessed it last? */
static inline bool
is_others(const hd_rt_recording *r, uint64_t word)
{
  return word && OWNER(word) != r->thread + 1;
}

/* Must this access have a number of its own? */
static inline bool
is_contended(const hd_rt_recording *r, uint64_t word, bool write)
{
  if (is_others(r, word))
    return write || STAMP(word) > r->order;
  return write && (word & READ_BY_OTHERS);
}

static inline uint64_t
after_access(const hd_rt_recording *r, uint64_t word, bool write)
{
  if (write || !word)
    return (uint64_t) (r->thread + 1) << 48 | r->order;
  return OWNER(word) == r->thread + 1 ? word : word | READ_BY_OTHERS;
}

static void
piece(hd_rt_recording *r, uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  if (!event_begin(r))
    return;
  bool contended = !r->started, others = false;
  for (uintptr_t g = p & ~7ull; g < p + n; g += 8)
  {
    uint64_t word = __atomic_load_n(word_of(g), __ATOMIC_RELAXED);
    contended = contended || is_contended(r, word, write);
    others = others || is_others(r, word);
  }
  if (others)
    hd_rt_record_number(&addresses, HD_RECORD_PAIR(p, n));
  uint64_t order = contended ? take_number(r) : 0;
  for (uintptr_t g = p & ~7ull; g < p + n; g += 8)
  {
    uint64_t *w = word_of(g), old = __atomic_load_n(w, __ATOMIC_RELAXED), new = after_access(r, old, write);
    if (new != old)
      __atomic_store_n(w, new, __ATOMIC_RELAXED);
  }
  event_end(r,
            &(event){.kind = write ? HD_TRACE_WRITE : HD_TRACE_READ,
                     .class = HD_TRACE_VARIABLE,
                     .sized = true,
                     .size = (uint32_t) n,
                     .target = p,
                     .pc = pc,
                     .stack = stack_now(r)},
            order);
}

static void
record_access(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  hd_rt_recording *r = me;
  if (!r || !hd_rt_inside_windows(p) || !hd_rt_inside_windows(p + n - 1))
    return;
  close_block(r);
  for (size_t part; n > 0; p += part, n -= part)
  {
    part = n < HD_TRACE_MAX_ACCESS ? n : HD_TRACE_MAX_ACCESS;
    piece(r, p, part, write, pc);
  }
}

static void
record_atomic(hd_rt_atomic_kind kind, uintptr_t p, size_t n, int order, uintptr_t pc)
{
  static const uint8_t kinds[] = {HD_TRACE_ATOMIC_LOAD, HD_TRACE_ATOMIC_STORE, HD_TRACE_ATOMIC_RMW};
  hd_rt_recording *r = me;
  record(&(event){.kind = kinds[kind],
                  .class = HD_TRACE_VARIABLE,
                  .sized = true,
                  .ordered = true,
                  .order = (uint8_t) order,
                  .size = (uint32_t) n,
                  .target = p,
                  .pc = pc});
  if (!r || !hd_rt_inside_windows(p))
    return;
  hd_rt_record_number(&addresses, HD_RECORD_PAIR(p, n));
  /* The next one is ordered after it by number, whoever it is of. */
  __atomic_store_n(word_of(p), (uint64_t) (r->thread + 1) << 48 | READ_BY_OTHERS | r->order, __ATOMIC_RELAXED);
}

static void
record_fence(int order)
{
  record(&(event){.kind = HD_TRACE_FENCE, .ordered = true, .order = (uint8_t) order, .pc = hd_rt_here.place});
}

static void
record_memory(uintptr_t p, size_t n, bool begins, uintptr_t pc)
{
  for (size_t part; n > 0; p += part, n -= part)
  {
    part = n < UINT32_MAX ? n : UINT32_MAX & ~7u;
    record(&(event){.kind = begins ? HD_TRACE_ALLOC : HD_TRACE_FREE,
                    .class = HD_TRACE_VARIABLE,
                    .sized = true,
                    .size = (uint32_t) part,
                    .target = p,
                    .pc = pc});
  }
}

/* ---- objects ---- */

static void
record_sync(hd_rt_event what, uintptr_t p, uint32_t id, uint32_t count, uintptr_t pc)
{
  static const struct
  {
    uint8_t kind, class;
  } table[] = {
      [HD_RT_EV_LOCK] = {HD_TRACE_ACQUIRE, HD_TRACE_LOCK},
      [HD_RT_EV_UNLOCK] = {HD_TRACE_RELEASE, HD_TRACE_LOCK},
      [HD_RT_EV_READ_LOCK] = {HD_TRACE_ACQUIRE_SHARED, HD_TRACE_LOCK},
      [HD_RT_EV_READ_UNLOCK] = {HD_TRACE_RELEASE_SHARED, HD_TRACE_LOCK},
      [HD_RT_EV_WRITE_LOCK] = {HD_TRACE_ACQUIRE, HD_TRACE_LOCK},
      [HD_RT_EV_WRITE_UNLOCK] = {HD_TRACE_RELEASE, HD_TRACE_LOCK},
      [HD_RT_EV_STRAY_UNLOCK] = {0, 0},
      [HD_RT_EV_WAIT] = {HD_TRACE_WAIT, HD_TRACE_OBJECT},
      [HD_RT_EV_WAKE] = {HD_TRACE_WAKE, HD_TRACE_OBJECT},
      [HD_RT_EV_SIGNAL] = {HD_TRACE_SIGNAL, HD_TRACE_OBJECT},
      [HD_RT_EV_BROADCAST] = {HD_TRACE_BROADCAST, HD_TRACE_OBJECT},
      [HD_RT_EV_POST] = {HD_TRACE_POST, HD_TRACE_OBJECT},
      [HD_RT_EV_PEND] = {HD_TRACE_PEND, HD_TRACE_OBJECT},
      [HD_RT_EV_ARRIVE] = {HD_TRACE_ARRIVE, HD_TRACE_OBJECT},
      [HD_RT_EV_LEAVE] = {HD_TRACE_LEAVE, HD_TRACE_OBJECT},
      [HD_RT_EV_GONE] = {0, 0},
  };
  if (!table[what].kind)
    return;
  /* The same address may be a lock again, which is another: so its own number counts as well. Too many: they are all
   * one, which is said. */
  uint32_t target = hd_rt_record_number(&objects, HD_RECORD_PAIR(p, id));
  bool acquires = table[what].kind == HD_TRACE_ACQUIRE || table[what].kind == HD_TRACE_ACQUIRE_SHARED;
  record(&(event){.kind = table[what].kind,
                  .class = table[what].class,
                  .tried = acquires && count,
                  .sized = what == HD_RT_EV_ARRIVE,
                  .size = count,
                  .target = target,
                  .pc = pc});
}

/* ---- threads ---- */

static void
record_thread(uint8_t kind, const hd_rt_thread *t, uintptr_t pc)
{
  if (t->id <= HD_TRACE_MAX_THREADS)
    record(&(event){.kind = kind, .class = HD_TRACE_THREAD, .target = t->id - 1, .pc = pc});
}

static void
record_create(hd_rt_thread *t, uintptr_t pc)
{
  record_thread(HD_TRACE_FORK, t, pc);
}

static void
record_join(hd_rt_thread *t, uintptr_t pc)
{
  record_thread(HD_TRACE_JOIN, t, pc);
}

/* Records of threads that ended are used again. */
static hd_rt_recording *
recording_new(void)
{
  hd_rt_acquire(&lock);
  hd_rt_recording *r = all;
  while (r && r->thread != UINT32_MAX)
    r = r->next;
  if (r)
    r->thread = 0; /* ours */
  hd_rt_release(&lock);
  if (r)
  {
    hd_rt_recording *next = r->next;
    for (uint32_t d = 0; d < HD_RT_DEPTH && r->keys[d]; d++)
      r->keys[d] = 0;
    r->chunk = NULL;
    r->sequence = r->block = r->busy = r->stacks[0] = 0;
    r->started = false;
    r->order = 0;
    r->next = next;
    return r;
  }
  r = hd_rt_map(sizeof *r, 4096);
  if (!r)
    return NULL;
  hd_rt_acquire(&lock);
  r->next = all;
  all = r;
  hd_rt_release(&lock);
  return r;
}

/* "thread NUMBER KERNEL-ID START-ROUTINE" */
static void
say_thread(const hd_rt_thread *t)
{
  char text[96], digits[24];
  const uint64_t values[] = {t->id - 1, (uint64_t) t->kernel_id, t->start_routine};
  size_t n = 0;
  for (const char *s = "thread"; *s; s++)
    text[n++] = *s;
  for (unsigned i = 0; i < 3; i++)
  {
    unsigned k = 0;
    uint64_t v = values[i];
    do
      digits[k++] = (char) ('0' + v % 10);
    while (v /= 10);
    text[n++] = ' ';
    while (k)
      text[n++] = digits[--k];
  }
  text[n++] = '\n';
  hd_rt_client_send(text, n);
}

static void
record_begin(void)
{
  hd_rt_thread *t = hd_rt_here.self;
  hd_rt_recording *r = t->id <= HD_TRACE_MAX_THREADS ? recording_new() : NULL;
  if (r)
  {
    r->thread = t->id - 1;
    if (!hd_rt_record_take(r))
    {
      r->thread = UINT32_MAX;
      r = NULL;
    }
  }
  me = r;
  if (r)
    say_thread(t);
  else
    hd_rt_record_lost(HD_RECORD_LOST_THREADS);
}

static void
record_end(void)
{
  hd_rt_recording *r = me;
  if (!r)
    return;
  if (r->block && event_begin(r))
    event_end(r, &(event){.kind = HD_TRACE_END}, take_number(r));
  me = NULL;
  hd_rt_record_give(r);
  __atomic_store_n(&r->thread, UINT32_MAX, __ATOMIC_RELEASE); /* release: whoever takes it next has all of it */
}

/* ---- calls ---- */

static bool
is_block(uintptr_t pc)
{
  for (unsigned i = 0; i < nblocks; i++)
    if (pc >= blocks[i].low && pc < blocks[i].high)
    {
      __atomic_fetch_add(&hd_rt_record_shared->entered[i], 1, __ATOMIC_RELAXED);
      return true;
    }
  return false;
}

static void
record_enter(uintptr_t pc, uintptr_t from)
{
  hd_rt_recording *r = me;
  if (!r)
    return;
  uint32_t depth = hd_rt_client_depth();
  if (depth == 0 || depth == HD_RT_DEPTH - 1)
    hd_rt_record_lost(HD_RECORD_LOST_DEPTH);
  else
  {
    uint64_t key = (uint64_t) r->stacks[depth - 1] << 32 | hd_rt_record_number(&places, from);
    if (r->keys[depth] != key)
    {
      r->keys[depth] = key;
      r->stacks[depth] = key ? hd_rt_record_number(&stacks, key) : 0;
    }
  }
  if (HD_RT_LIKELY(!nblocks))
    return;
  if (r->block && depth <= r->block) /* the call is over, and this one stands where it stood */
  {
    r->block = 0;
    if (event_begin(r))
      event_end(r, &(event){.kind = HD_TRACE_END}, r->started ? 0 : take_number(r));
  }
  if (r->block || !is_block(pc))
    return;
  r->block = depth;
  if (event_begin(r))
    event_end(r, &(event){.kind = HD_TRACE_BEGIN, .pc = pc, .stack = stack_now(r)}, take_number(r));
}

/* ---- start and end ---- */

static bool
record_start(void)
{
  if (memory_fd < 0)
    return false;
  fcntl(memory_fd, F_SETFD, FD_CLOEXEC);
  hd_rt_record_shared = mmap(NULL, sizeof *hd_rt_record_shared, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
  if (hd_rt_record_shared == MAP_FAILED || hd_rt_record_shared->version != HD_RECORD_VERSION)
    return false;
  uint32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&hd_rt_record_shared->owner, &nobody, (uint32_t) getpid(), false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return false;
  if (!hd_rt_record_numbers_start(&places, hd_rt_record_shared->places, &hd_rt_record_shared->nplaces)
      || !hd_rt_record_numbers_start(&stacks, hd_rt_record_shared->stacks, &hd_rt_record_shared->nstacks)
      || !hd_rt_record_numbers_start(&objects, hd_rt_record_shared->objects, &hd_rt_record_shared->nobjects)
      || !hd_rt_record_numbers_start(&addresses, hd_rt_record_shared->addresses, &hd_rt_record_shared->naddresses))
    return false;
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  record_begin();
  return me != NULL;
}

/* No thread is about to write an event, and none will begin one. */
static void
quiet(void)
{
  __atomic_store_n(&hd_rt_record_shared->stopped, 1, __ATOMIC_SEQ_CST);
  /* Whoever did not see that has told us that it is busy. */
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  for (hd_rt_recording *r = all; r; r = r->next)
    while (__atomic_load_n(&r->busy, __ATOMIC_ACQUIRE)) /* acquire: pairs with event_end */
      sched_yield();
}

static void
record_quit(void)
{
  if (me)
    close_block(me);
  quiet();
}

static void
record_forked(void)
{
  me = NULL;
}

const hd_rt_client hd_rt_recorder = {
    .name = "record",
    .setting = setting,
    .start = record_start,
    .access = record_access,
    .atomic = record_atomic,
    .fence = record_fence,
    .sync = record_sync,
    .create = record_create,
    .begin = record_begin,
    .end = record_end,
    .join = record_join,
    .enter = record_enter,
    .memory = record_memory,
    .forked = record_forked,
    .quit = record_quit,
};
