/* rt_shadow.h: the shadow of the race detector, and its fast and middle paths.
 *
 * Everything named rt_* is linked into users' programs (libheddle-rt): libc alone, nothing printed, nothing allocated
 * with malloc. docs/instrument.md has the layout, the rules and why they are exact.
 *
 * Each 4 bytes of the program (a granule) have a word in plane W, the last write, and one in each of R0..R3, the last
 * read by a thread whose slot is 0..3 modulo 4. A word is an epoch: [S][A][B][slot:10][clock:19]; 0 is ordered before
 * everything. In W: S others than the writer read since, A atomic operations touched it, B the words of its bytes
 * count. In R: S the rest is the number of a set of reads. Granules that were accessed in parts have words for each
 * byte in planes of their own; where W has no B these are zero.
 *
 * The planes of an address lie at fixed distances, so that a check is one load and one comparison. The price: program,
 * heap, libraries and stacks must lie in two windows (rt_layout.c sees to that). */
#ifndef HD_RT_SHADOW_H
#define HD_RT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* ---- words ---- */

#define HD_RT_S 0x80000000u
#define HD_RT_A 0x40000000u
#define HD_RT_B 0x20000000u
#define HD_RT_FLAGS (HD_RT_S | HD_RT_A | HD_RT_B)
#define HD_RT_CLOCK_BITS 19
#define HD_RT_CLOCK_MAX ((1u << HD_RT_CLOCK_BITS) - 1)
#define HD_RT_SLOTS 1024u
#define HD_RT_SLOT_MASK ((HD_RT_SLOTS - 1) << HD_RT_CLOCK_BITS)
#define HD_RT_PLANES 4u

#define HD_RT_LIKELY(e) __builtin_expect(!!(e), 1)
#define HD_RT_UNLIKELY(e) __builtin_expect(!!(e), 0)

static inline uint32_t
hd_rt_slot(uint32_t word)
{
  return (word & HD_RT_SLOT_MASK) >> HD_RT_CLOCK_BITS;
}

static inline uint32_t
hd_rt_clock(uint32_t word)
{
  return word & HD_RT_CLOCK_MAX;
}

static inline uint32_t
hd_rt_epoch(uint32_t slot, uint32_t clock)
{
  return slot << HD_RT_CLOCK_BITS | clock;
}

/* ---- planes ---- */

#define HD_RT_TIB 0x10000000000ull
#define HD_RT_STEP (4 * HD_RT_TIB)
/* From an address down to plane K = 1..6: W, R0..R3, objects. A little less than a multiple of the step, so that the
 * words of an address do not compete for one line of the cache; by a page and some lines, because there are caches that
 * tell the lines of a set apart by the lower bits of the page alone. At most HD_RT_SKEWED for all of them. */
#define HD_RT_SKEW (4096 + 576)
#define HD_RT_SKEWED (8 * 4096)
#define HD_RT_DOWN(k) ((k) * (HD_RT_STEP - HD_RT_SKEW))
/* The windows: executable and heap; libraries, mappings and stacks. */
#define HD_RT_EXE_LOW 0x554000000000ull
#define HD_RT_EXE_HIGH 0x568000000000ull
#define HD_RT_MAP_LOW 0x7e8000000000ull
#define HD_RT_MAP_HIGH 0x800000000000ull
/* The planes of bytes: 11 TiB each, from 1 TiB on. ((address * 4) mod 16 TiB) is 5 to 16 TiB in the windows, but for
 * the last page of all, which no program has: so a page may lie between one plane and the next, as above. */
#define HD_RT_BYTE_PLANE (11 * HD_RT_TIB)
#define HD_RT_BYTE_STEP (HD_RT_BYTE_PLANE + 4096)
#define HD_RT_BYTE_BASE(k) ((k) *HD_RT_BYTE_STEP + HD_RT_TIB - 5 * HD_RT_TIB)

static inline uint32_t *
hd_rt_w(uintptr_t p)
{
  return (uint32_t *) ((p & ~3ull) - HD_RT_DOWN(1));
}

static inline uint32_t *
hd_rt_r(uintptr_t p, unsigned plane)
{
  return (uint32_t *) ((p & ~3ull) - HD_RT_DOWN(2 + plane));
}

/* Two words for 8 bytes: the objects that synchronise there; the block of memory that begins there. */
static inline uint32_t *
hd_rt_objects(uintptr_t p)
{
  return (uint32_t *) ((p & ~7ull) - HD_RT_DOWN(6));
}

static inline uint32_t *
hd_rt_block(uintptr_t p)
{
  return hd_rt_objects(p) + 1;
}

static inline uintptr_t
hd_rt_byte_offset(uintptr_t p)
{
  return (p << 2) & (16 * HD_RT_TIB - 1);
}

static inline uint32_t *
hd_rt_wb(uintptr_t p)
{
  return (uint32_t *) (hd_rt_byte_offset(p) + HD_RT_BYTE_BASE(0));
}

static inline uint32_t *
hd_rt_rb(uintptr_t p, unsigned plane)
{
  return (uint32_t *) (hd_rt_byte_offset(p) + HD_RT_BYTE_BASE(1 + (uintptr_t) plane));
}

/* ---- the calling thread ---- */

typedef struct hd_rt_frame
{
  uintptr_t pc, sp;
} hd_rt_frame;

struct hd_rt_thread;

/* What the hooks look at. EPOCH 0: nothing is recorded, be it that there is no client, that the thread is not known, or
 * that it is inside the runtime. */
typedef struct hd_rt_local
{
  uint32_t epoch;
  uint32_t watching; /* not 0: EPOCH is not, and accesses count */
  uint32_t depth;    /* of calls */
  uint64_t pair;     /* the epoch twice */
  uintptr_t reads;   /* added to an address: its word in the home plane */
  uintptr_t look;    /* all ones if WATCHING, else 0; with the next two the hooks look without a branch: */
  uintptr_t look_reads, look_writes; /* added to an address: its words, as distances from PAIR */
  uintptr_t byte_reads;              /* base of the home plane of bytes */
  uintptr_t unaligned;   /* bits of an address that the middle path has no use for; all: it has none (rt_client.h) */
  const uint32_t *known; /* by slot: the clock up to which everything is ordered before us */
  uint64_t *history, *history_end; /* where the next entry goes; the end of this half */
  hd_rt_frame *frames;             /* HD_RT_DEPTH of them */
  struct hd_rt_thread *self;
  uint32_t id;      /* of SELF */
  uint32_t learnt;  /* the epoch in which KNOWN last took over something of others */
  uint32_t inside;  /* of the runtime: signals wait */
  uint32_t waiting; /* signals that do */
  uint32_t acting;  /* a client has something to do outside: its ACT (rt_client.h) */
  uint32_t tried;   /* the lock that is recorded was taken by a call that never waits */
  uint32_t held;    /* mutexes, with a client; 0 if there are none */
  uint32_t swift; /* not 0: from the depth HD_RT_DEPTH - SWIFT on, a client need not hear of some mutexes (rt_core.h) */
  const char *doing; /* what the program called, for reports: "free" */
  uintptr_t place;   /* where it called the function that is taken over */
} hd_rt_local;

extern uint32_t hd_rt_shared_homes; /* some threads share a home plane */
extern bool hd_rt_accesses_count;   /* false: there is a client that asks for none */
extern __thread hd_rt_local hd_rt_here __attribute__((tls_model("initial-exec")));

/* Accesses of the calling thread, which records something, count from now on, or do not. */
static inline void
hd_rt_watch_accesses(bool count)
{
  hd_rt_here.watching = count;
  hd_rt_here.look = -(uintptr_t) count;
}

static inline void
hd_rt_record_nothing(void)
{
  hd_rt_here.epoch = 0;
  hd_rt_watch_accesses(false);
}

/* An epoch is known if all that its thread did up to then is ordered before what we do now. */
static inline bool
hd_rt_known(uint32_t word)
{
  return hd_rt_clock(word) <= hd_rt_here.known[hd_rt_slot(word)];
}

/* ---- history: what to tell about an access that is reported later ---- */

#define HD_RT_DEPTH 8192u
#define HD_RT_HISTORY_WORDS (1u << 15)
#define HD_RT_ENTRY (1ull << 63)
enum
{
  HD_RT_SIZE_LAST = 6, /* the entry holds the last byte of a range; the one before it the first */
  HD_RT_SIZE_RANGE = 7
};

void hd_rt_history_turn(void); /* the half is full */

static inline void
hd_rt_note(uintptr_t p, unsigned size, uintptr_t pc)
{
  hd_rt_local *l = &hd_rt_here;
  uint64_t *h = l->history;
  h[0] = HD_RT_ENTRY | (uint64_t) p << 16 | (l->epoch & 0xffff);
  h[1] = (uint64_t) pc << 16 | size << 13 | (l->depth & (HD_RT_DEPTH - 1));
  l->history = h + 2;
  if (HD_RT_UNLIKELY(h + 2 >= l->history_end))
    hd_rt_history_turn();
}

static inline uint64_t
hd_rt_call_word(uintptr_t pc, uint32_t depth)
{
  return (uint64_t) pc << 16 | (depth & (HD_RT_DEPTH - 1));
}

/* A function begins, called from PC; its frame is at SP. Its end only takes one from the depth. */
static inline void
hd_rt_enter_function(uintptr_t pc, uintptr_t sp)
{
  hd_rt_local *l = &hd_rt_here;
  uint32_t d = l->depth & (HD_RT_DEPTH - 1);
  while (HD_RT_UNLIKELY(d && l->frames[d].sp <= sp))
    d--; /* below the stack pointer: a longjmp left it */
  d = (d + 1) & (HD_RT_DEPTH - 1);
  l->depth = d;
  l->frames[d] = (hd_rt_frame){pc, sp};
  uint64_t *h = l->history;
  *h++ = hd_rt_call_word(pc, d);
  l->history = h;
  if (HD_RT_UNLIKELY(h >= l->history_end))
    hd_rt_history_turn();
}

/* ---- accesses ---- */

/* The whole story of an access of N bytes, at most 16, that need not be aligned. */
void hd_rt_full_read(uintptr_t p, size_t n, uintptr_t pc);
void hd_rt_full_write(uintptr_t p, size_t n, uintptr_t pc);
void hd_rt_range_read(uintptr_t p, size_t n, uintptr_t pc);
void hd_rt_range_write(uintptr_t p, size_t n, uintptr_t pc);

static inline uint32_t *
hd_rt_home(uintptr_t p)
{
  return (uint32_t *) (p + hd_rt_here.reads);
}

static inline uint32_t *
hd_rt_byte_home(uintptr_t p)
{
  return (uint32_t *) (hd_rt_byte_offset(p) + hd_rt_here.byte_reads);
}

/* Shadow words are read and written by many threads; what may be lost is in docs/instrument.md. */
static inline uint32_t
hd_rt_load(const uint32_t *p)
{
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void
hd_rt_store(uint32_t *p, uint32_t word)
{
  __atomic_store_n(p, word, __ATOMIC_RELAXED);
}

static inline uint64_t
hd_rt_load_pair(const uint32_t *p)
{
  return __atomic_load_n((const uint64_t *) (const void *) p, __ATOMIC_RELAXED);
}

static inline void
hd_rt_store_pair(uint32_t *p, uint64_t words)
{
  __atomic_store_n((uint64_t *) (void *) p, words, __ATOMIC_RELAXED);
}

/* Enter our read in *R, which held OLD. False: somebody with our home plane was faster. */
static inline __attribute__((always_inline)) bool
hd_rt_enter_read(uint32_t *r, uint32_t old)
{
  if (HD_RT_LIKELY(!hd_rt_shared_homes))
  {
    hd_rt_store(r, hd_rt_here.epoch);
    return true;
  }
  return __atomic_compare_exchange_n(r, &old, hd_rt_here.epoch, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Store NEW over OLD, which was looked at before. The first store to a page of a plane faults, which is long enough for
 * another thread to come between; so where there was nothing, it is noticed. Elsewhere the time between is a few
 * instructions. */
static inline __attribute__((always_inline)) bool
hd_rt_replace(uint32_t *word, uint32_t old, uint32_t new)
{
  if (HD_RT_LIKELY(old))
  {
    hd_rt_store(word, new);
    return true;
  }
  return __atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Of a word, or of two: what differs from an epoch of ours besides the clock. Where nothing does, it is one, and no
 * flag is set. */
#define HD_RT_NOT_OURS (HD_RT_FLAGS | HD_RT_SLOT_MASK)
#define HD_RT_NOT_OURS_PAIR ((uint64_t) HD_RT_NOT_OURS << 32 | HD_RT_NOT_OURS)

/* The short way of a first read of 4 or 8 bytes, at least at an address that 4 divides: we were the last to read here,
 * and the last to write, or somebody was whom we know of and who is marked as read by others. */
static inline __attribute__((always_inline)) bool
hd_rt_again_read4(uintptr_t p)
{
  uint32_t *w_word = (uint32_t *) (p - HD_RT_DOWN(1)), *r_word = hd_rt_home(p), e = hd_rt_here.epoch;
  if (((hd_rt_load(r_word) ^ e) & HD_RT_NOT_OURS) || HD_RT_UNLIKELY(hd_rt_shared_homes))
    return false;
  uint32_t w = hd_rt_load(w_word);
  if (((w ^ e) & HD_RT_NOT_OURS) && ((w & HD_RT_FLAGS) != HD_RT_S || !hd_rt_known(w)))
    return false;
  hd_rt_store(r_word, e);
  return HD_RT_LIKELY(hd_rt_load(w_word) == w); /* nobody wrote since we looked */
}

static inline __attribute__((always_inline)) bool
hd_rt_again_read8(uintptr_t p)
{
  uint32_t *w_word = (uint32_t *) (p - HD_RT_DOWN(1)), *r_word = hd_rt_home(p);
  uint64_t ee = hd_rt_here.pair;
  if (((hd_rt_load_pair(r_word) ^ ee) & HD_RT_NOT_OURS_PAIR) || HD_RT_UNLIKELY(hd_rt_shared_homes))
    return false;
  uint64_t ww = hd_rt_load_pair(w_word);
  uint32_t w = (uint32_t) ww;
  if (((ww ^ ee) & HD_RT_NOT_OURS_PAIR) && ((w & HD_RT_FLAGS) != HD_RT_S || (ww >> 32) != w || !hd_rt_known(w)))
    return false;
  hd_rt_store_pair(r_word, ee);
  return HD_RT_LIKELY(hd_rt_load_pair(w_word) == ww);
}

/* The same of a first write: nobody else touched it since our last. */
static inline __attribute__((always_inline)) bool
hd_rt_again_write4(uintptr_t p)
{
  uint32_t *w_word = (uint32_t *) (p - HD_RT_DOWN(1)), e = hd_rt_here.epoch;
  if ((hd_rt_load(w_word) ^ e) & HD_RT_NOT_OURS)
    return false;
  hd_rt_store(w_word, e);
  return true;
}

static inline __attribute__((always_inline)) bool
hd_rt_again_write8(uintptr_t p)
{
  uint32_t *w_word = (uint32_t *) (p - HD_RT_DOWN(1));
  uint64_t ee = hd_rt_here.pair;
  if ((hd_rt_load_pair(w_word) ^ ee) & HD_RT_NOT_OURS_PAIR)
    return false;
  hd_rt_store_pair(w_word, ee);
  return true;
}

/* And of a byte, where the bytes count: elsewhere they have no words. */
static inline __attribute__((always_inline)) bool
hd_rt_again_read1(uintptr_t p)
{
  uint32_t *r_word = hd_rt_byte_home(p), e = hd_rt_here.epoch;
  if (((hd_rt_load(r_word) ^ e) & HD_RT_NOT_OURS) || HD_RT_UNLIKELY(hd_rt_shared_homes)
      || HD_RT_UNLIKELY((hd_rt_load(hd_rt_w(p)) & (HD_RT_A | HD_RT_B)) != HD_RT_B))
    return false;
  uint32_t w = hd_rt_load(hd_rt_wb(p));
  if (((w ^ e) & HD_RT_NOT_OURS) && ((w & HD_RT_FLAGS) != HD_RT_S || !hd_rt_known(w)))
    return false;
  hd_rt_store(r_word, e);
  return HD_RT_LIKELY(hd_rt_load(hd_rt_wb(p)) == w);
}

/* First read of a cell in this epoch. False: it takes the full path. */
static inline __attribute__((always_inline)) bool
hd_rt_try_read(uint32_t *w_word, uint32_t *r_word)
{
  uint32_t w = hd_rt_load(w_word), r = hd_rt_load(r_word), e = hd_rt_here.epoch;
  if (HD_RT_UNLIKELY((w & (HD_RT_A | HD_RT_B)) || (r & HD_RT_S) || !hd_rt_known(w) || !hd_rt_known(r)))
    return false;
  if (((w ^ e) & HD_RT_SLOT_MASK) && !(w & HD_RT_S))
  {
    if (HD_RT_UNLIKELY(!hd_rt_replace(w_word, w, w | HD_RT_S)))
      return false;
    w |= HD_RT_S;
  }
  /* Has somebody written since we looked? Then it is the full path's business. */
  return hd_rt_enter_read(r_word, r) && HD_RT_LIKELY(hd_rt_load(w_word) == w);
}

/* First write in this epoch to a granule, or to a byte (STRIDE: from one plane of reads to the next, backwards). */
static inline __attribute__((always_inline)) bool
hd_rt_try_write(uint32_t *w_word, uintptr_t first_plane, uintptr_t stride)
{
  uint32_t w = hd_rt_load(w_word), e = hd_rt_here.epoch;
  if (!((w ^ e) & HD_RT_NOT_OURS))
  {
    hd_rt_store(w_word, e); /* only we touched it since our last write */
    return true;
  }
  if (HD_RT_UNLIKELY((w & (HD_RT_A | HD_RT_B)) || !hd_rt_known(w)))
    return false;
  if (w & HD_RT_S)
  {
    for (unsigned k = 0; k < HD_RT_PLANES; k++)
    {
      uint32_t r = hd_rt_load((uint32_t *) (first_plane + k * stride));
      if (HD_RT_UNLIKELY((r & HD_RT_S) || !hd_rt_known(r)))
        return false;
    }
  }
  else
  {
    uint32_t r = hd_rt_load((uint32_t *) (first_plane + hd_rt_slot(w) % HD_RT_PLANES * stride));
    if (HD_RT_UNLIKELY((r & HD_RT_S) || !hd_rt_known(r)))
      return false;
  }
  return hd_rt_replace(w_word, w, e);
}

static inline __attribute__((always_inline)) bool
hd_rt_try_write_granule(uintptr_t p)
{
  return hd_rt_try_write(hd_rt_w(p), (uintptr_t) hd_rt_r(p, 0), -HD_RT_DOWN(1));
}

/* The same of a byte, where the bytes count. */
static inline __attribute__((always_inline)) bool
hd_rt_try_read_byte(uintptr_t p)
{
  return (hd_rt_load(hd_rt_w(p)) & (HD_RT_A | HD_RT_B)) == HD_RT_B && hd_rt_try_read(hd_rt_wb(p), hd_rt_byte_home(p));
}

static inline __attribute__((always_inline)) bool
hd_rt_try_write_byte(uintptr_t p)
{
  return (hd_rt_load(hd_rt_w(p)) & (HD_RT_A | HD_RT_B)) == HD_RT_B
         && hd_rt_try_write(hd_rt_wb(p), (uintptr_t) hd_rt_rb(p, 0), HD_RT_BYTE_STEP);
}

/* Both granules of 8 aligned bytes, which mostly have equal words. */
static inline __attribute__((always_inline)) bool
hd_rt_try_read_pair(uintptr_t p)
{
  uint32_t *w_word = hd_rt_w(p), *r_word = hd_rt_home(p);
  uint64_t ww = hd_rt_load_pair(w_word), rr = hd_rt_load_pair(r_word);
  uint32_t w = (uint32_t) ww, r = (uint32_t) rr;
  if (HD_RT_LIKELY((ww >> 32) == w && (rr >> 32) == r && !hd_rt_shared_homes))
  {
    if (HD_RT_UNLIKELY((w & (HD_RT_A | HD_RT_B)) || (r & HD_RT_S) || !hd_rt_known(w) || !hd_rt_known(r)))
      return false;
    if (((w ^ hd_rt_here.epoch) & HD_RT_SLOT_MASK) && !(w & HD_RT_S))
    {
      uint64_t flagged = ww | (uint64_t) HD_RT_S << 32 | HD_RT_S;
      if (HD_RT_LIKELY(w))
        hd_rt_store_pair(w_word, flagged);
      else if (!hd_rt_replace(w_word, 0, HD_RT_S) || !hd_rt_replace(w_word + 1, 0, HD_RT_S))
        return false;
      ww = flagged;
    }
    hd_rt_store_pair(r_word, hd_rt_here.pair);
    return HD_RT_LIKELY(hd_rt_load_pair(w_word) == ww);
  }
  return hd_rt_try_read(w_word, r_word) && hd_rt_try_read(w_word + 1, r_word + 1);
}

static inline __attribute__((always_inline)) bool
hd_rt_try_write_pair(uintptr_t p)
{
  if (hd_rt_again_write8(p))
    return true;
  return hd_rt_try_write_granule(p) && hd_rt_try_write_granule(p + 4);
}

/* Middle paths: what a hook does when the words do not hold the epoch. The short way is part of the hook; the rest is
 * called last, so that a hook needs no stack frame. A pointer may be less aligned than its type promises, which sends
 * it to the full path, as all of the accesses are for other clients than the race detector. */
static inline __attribute__((always_inline)) bool
hd_rt_again_none(uintptr_t p)
{
  (void) p;
  return false;
}
#define HD_RT_MIDDLE(name, size, log, bits, again, again_read, again_write, read_try, write_try)                       \
  static __attribute__((noinline, unused)) void hd_rt_rest_read##name(uintptr_t p, uintptr_t pc)                       \
  {                                                                                                                    \
    if (HD_RT_LIKELY(!(p & (bits)) && (read_try)))                                                                     \
      hd_rt_note(p, log, pc);                                                                                          \
    else                                                                                                               \
      hd_rt_full_read(p, size, pc);                                                                                    \
  }                                                                                                                    \
  static __attribute__((noinline, unused)) void hd_rt_rest_write##name(uintptr_t p, uintptr_t pc)                      \
  {                                                                                                                    \
    if (HD_RT_LIKELY(!(p & (bits)) && (write_try)))                                                                    \
      hd_rt_note(p, log, pc);                                                                                          \
    else                                                                                                               \
      hd_rt_full_write(p, size, pc);                                                                                   \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void hd_rt_middle_read##name(uintptr_t p, uintptr_t pc)                 \
  {                                                                                                                    \
    if (HD_RT_LIKELY((again) && again_read(p)))                                                                        \
      hd_rt_note(p, log, pc);                                                                                          \
    else                                                                                                               \
      hd_rt_rest_read##name(p, pc);                                                                                    \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void hd_rt_middle_write##name(uintptr_t p, uintptr_t pc)                \
  {                                                                                                                    \
    if (HD_RT_LIKELY((again) && again_write(p)))                                                                       \
      hd_rt_note(p, log, pc);                                                                                          \
    else                                                                                                               \
      hd_rt_rest_write##name(p, pc);                                                                                   \
  }
HD_RT_MIDDLE(1, 1, 0, 0, hd_rt_here.unaligned == 3, hd_rt_again_read1, hd_rt_again_none, hd_rt_try_read_byte(p),
             hd_rt_try_write_byte(p))
HD_RT_MIDDLE(2, 2, 1, 1, false, hd_rt_again_none, hd_rt_again_none,
             hd_rt_try_read_byte(p) && hd_rt_try_read_byte(p + 1),
             hd_rt_try_write_byte(p) && hd_rt_try_write_byte(p + 1))
HD_RT_MIDDLE(4, 4, 2, hd_rt_here.unaligned, !(p & hd_rt_here.unaligned), hd_rt_again_read4, hd_rt_again_write4,
             hd_rt_try_read(hd_rt_w(p), hd_rt_home(p)), hd_rt_try_write_granule(p))
HD_RT_MIDDLE(8, 8, 3, hd_rt_here.unaligned, !(p & hd_rt_here.unaligned), hd_rt_again_read8, hd_rt_again_write8,
             hd_rt_try_read_pair(p), hd_rt_try_write_pair(p))
#undef HD_RT_MIDDLE

/* Is the access recorded already? For the race detector PAIR is the epoch twice; a client has its own use for it. */
static inline bool
hd_rt_same_read1(uintptr_t p)
{
  return hd_rt_load(hd_rt_byte_home(p)) == (uint32_t) hd_rt_here.pair
         || hd_rt_load(hd_rt_home(p & ~3ull)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_write1(uintptr_t p)
{
  return hd_rt_load(hd_rt_wb(p)) == (uint32_t) hd_rt_here.pair || hd_rt_load(hd_rt_w(p)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_read2(uintptr_t p)
{
  return hd_rt_load_pair(hd_rt_byte_home(p)) == hd_rt_here.pair
         || hd_rt_load(hd_rt_home(p & ~3ull)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_write2(uintptr_t p)
{
  return hd_rt_load_pair(hd_rt_wb(p)) == hd_rt_here.pair || hd_rt_load(hd_rt_w(p)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_read4(uintptr_t p)
{
  return hd_rt_load(hd_rt_home(p)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_write4(uintptr_t p)
{
  return hd_rt_load((uint32_t *) (p - HD_RT_DOWN(1))) == (uint32_t) hd_rt_here.pair;
}

static inline bool
hd_rt_same_read8(uintptr_t p)
{
  return hd_rt_load_pair(hd_rt_home(p)) == hd_rt_here.pair;
}

static inline bool
hd_rt_same_write8(uintptr_t p)
{
  return hd_rt_load_pair((uint32_t *) (p - HD_RT_DOWN(1))) == hd_rt_here.pair;
}

#pragma GCC visibility pop

#endif
