/* fast.h: the part of the logging macros that is compiled into the program. Included by heddle.h; not for direct use.
 *
 * Each function here logs one event if the case is the simple one, and says false if not: hd_log_event (in the library)
 * then does the whole of it. Simple means: the place in the source is registered, the object is logged, the operation's
 * state asks for nothing special, all values are numbers, and the record fits the thread's chunk.
 *
 * A record is written in this order (docs/logging.md has the argument):
 *   1. take the place: advance the thread's private pointer;
 *   2. payload, then the low half of word 0 (release: pairs with the acquire in the reader): the event is announced;
 *   3. look at the object's clock, or tick it;
 *   4. the high half of word 0, the stamp (release: pairs with the acquire in the reader).
 * A signal handler that logs may interrupt this anywhere. If it comes between the load and the store of the pointer in
 * 1, it has written where we are about to write: chunks are zero where nothing was written, so we see that and let
 * hd_untangle put the pointer right. */
#ifndef HEDDLE_FAST_H
#define HEDDLE_FAST_H

#include <heddle/value.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Heddle logs on little-endian machines only"
#endif

#define HD_API __attribute__((visibility("default")))
#define HD_FAST static inline __attribute__((always_inline))

/* The kinds of events that macros log; the numbers are those of the log format. */
enum hd_macro
{
  HD_M_CALL = 5,
  HD_M_CALL_NOCOMMIT = 6,
  HD_M_RETURN = 7,
  HD_M_RETURN_EXC = 8,
  HD_M_COMMIT = 9,
  HD_M_COMMIT_RET = 10,
  HD_M_COMMIT_EXC = 11,
  HD_M_WINDOW = 12,
  HD_M_BLOCK_BEGIN = 13,
  HD_M_BLOCK_END = 14,
  HD_M_WRITE = 15,
  HD_M_WRITE_OLD = 16,
  HD_M_REPLAY = 17,
  HD_M_INTERNAL_BEGIN = 21,
  HD_M_INTERNAL_END = 22,
  HD_M_ABANDON = 25,
};

/* An object that is checked. All zero: not logged. */
typedef struct hd_object
{
  uint64_t *clock; /* in the mapped log */
  uint32_t id;     /* in that log; never used again for another object */
  uint32_t log;    /* which log of this process: an object of an earlier one is not logged any more */
} hd_object;

/* One place in the source. */
typedef struct hd_site
{
  uint32_t header; /* atomic. First word of its records; 0: not yet registered */
  uint32_t line;
  const char *file, *function, *method;
  uint8_t kind, nvalues;
  uint8_t types[8];
} hd_site;

/* An open operation or internal task of a thread. */
typedef struct hd_open
{
  hd_object *object;
  uint32_t flags; /* 0 in an entry that is free: stores are what a record costs, and a call needs none for this */
  uint32_t log;   /* the log in which this entry may be used: compared with that of the object on a call */
} hd_open;

enum hd_open_flags
{
  HD_OPEN_COMMITTED = 1,
  HD_OPEN_BLOCK = 2,        /* a commit block is open */
  HD_OPEN_BLOCK_AFTER = 4,  /* ... and the commit came before it */
  HD_OPEN_WINDOW = 8,       /* a commit window is open */
  HD_OPEN_NOCOMMIT = 16,    /* called with HD_CALL_NOCOMMIT */
  HD_OPEN_INTERNAL = 32,    /* an internal task */
  HD_OPEN_DROPPED = 64,     /* the rest of it is not logged */
  HD_OPEN_HALF_LOGGED = 128 /* ... but its call is in the log */
};

/* What a thread needs to log. TOP is never null: while the thread does not log it points to an entry that fits no
 * object, so that every macro leaves the fast path at its first test. */
typedef struct hd_local
{
  char *cur;    /* the next record goes here */
  char *end;    /* ... if it ends before this. Atomic: hd_stop clears it for all threads. */
  hd_open *top; /* innermost open operation */
  hd_open *resume_top;
  void *thread;
  uint32_t paused;
} hd_local;

extern HD_API __thread hd_local hd_thread_local __attribute__((tls_model("initial-exec")));

/* Everything that is not simple. VALUES: site->nvalues of them, of the site's types. */
HD_API void hd_log_event(hd_object *o, hd_site *site, const hd_value *values);
/* A signal handler logged at P, which we had taken. */
HD_API void hd_untangle(char *p) __attribute__((cold));

enum hd_late_how
{
  HD_LATE_LOOK,
  HD_LATE_RETURN, /* of an uncommitted operation: ticks if a window is open */
  HD_LATE_TICK
};
/* Finish the record P of SIZE bytes whose clock word is not a small number: SEEN is what the look or tick gave. */
HD_API void hd_late(char *p, size_t size, uint64_t *clock, uint64_t seen, enum hd_late_how how) __attribute__((cold));

#define HD_FAST_MAX 0x3fffffffu /* clock words up to this: no window open, and the stamp is short */
#define HD_FAST_TICK 0x80000000u
#define HD_FAST_NO_STAMP 0x7fffffffu
#define HD_FAST_WINDOW (1ull << 48) /* one open window in the clock word */

/* ThreadSanitizer does not know fences; its builds use acquire loads in their place (and run on x86, where both are the
 * same). */
#if defined(__SANITIZE_THREAD__)
#define HD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HD_TSAN 1
#endif
#endif
#ifdef HD_TSAN
#define HD_FENCE_ACQUIRE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define HD_FENCE_RELEASE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define HD_AFTER_FENCE __ATOMIC_ACQUIRE
#else
#define HD_FENCE_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define HD_FENCE_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#define HD_AFTER_FENCE __ATOMIC_RELAXED
#endif

/* acquire: pairs with the release in the registration of the site, so that whoever reads our record finds its site */
HD_FAST uint32_t
hd_fast_header(hd_site *s)
{
  return __atomic_load_n(&s->header, __ATOMIC_ACQUIRE);
}

/* Take SIZE bytes, or NULL. */
HD_FAST char *
hd_fast_take(size_t size)
{
  /* relaxed, here and below: only handlers of this thread meddle, and the fence keeps their order */
  char *p = __atomic_load_n(&hd_thread_local.cur, __ATOMIC_RELAXED);
  char *next = (char *) ((uintptr_t) p + size);
  /* a thread that misses hd_stop's store logs one event more */
  if (__builtin_expect((uintptr_t) next > (uintptr_t) __atomic_load_n(&hd_thread_local.end, __ATOMIC_RELAXED), 0))
    return NULL;
  __atomic_store_n(&hd_thread_local.cur, next, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(*(volatile uint32_t *) (void *) p != 0, 0))
  {
    hd_untangle(p);
    return NULL;
  }
  return p;
}

/* Step 2: the payload is there. */
HD_FAST void
hd_fast_announce(char *p, uint32_t header)
{
  __atomic_store_n((uint32_t *) (void *) p, header, __ATOMIC_RELEASE);
  /* The clock must be read after this store. Towards the reader its membarrier completes what the compiler barrier
   * begins (docs/rules.md 5.1). */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

HD_FAST void
hd_fast_stamp(char *p, uint32_t field)
{
  __atomic_store_n((uint32_t *) (void *) (p + 4), field, __ATOMIC_RELEASE);
}

/* Two words by one store: stores are what a call is made of. */
typedef uint64_t hd_pair __attribute__((vector_size(16), may_alias, aligned(8)));

HD_FAST void
hd_fast_words(char *p, uint64_t a, uint64_t b)
{
  *(hd_pair *) (void *) p = (hd_pair){a, b};
}

HD_FAST void
hd_fast_word(char *p, uint64_t word)
{
  *(uint64_t *) (void *) p = word;
}

HD_FAST bool
hd_fast_none(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
             uint64_t f, uint64_t g)
{
  (void) o, (void) s, (void) n, (void) a, (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  return false;
}

HD_FAST bool
hd_fast_call(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
             uint64_t f, uint64_t g)
{
  hd_open *top = hd_thread_local.top + 1;
  uint32_t header = hd_fast_header(s);
  if (__builtin_expect(top->log != o->log, 0) || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(16 + 8 * n);
  if (__builtin_expect(!p, 0))
    return false;
  hd_thread_local.top = top;
  top->object = o; /* its flags are 0 */
  if (n > 0)
    hd_fast_words(p + 8, o->id, a);
  else
    hd_fast_word(p + 8, o->id);
  if (n > 1)
    hd_fast_word(p + 24, b);
  if (n > 2)
    hd_fast_word(p + 32, c);
  if (n > 3)
    hd_fast_word(p + 40, d);
  if (n > 4)
    hd_fast_word(p + 48, e);
  if (n > 5)
    hd_fast_word(p + 56, f);
  if (n > 6)
    hd_fast_word(p + 64, g);
  hd_fast_announce(p, header);
  /* acquire: pairs with the release of the tick that made this number (docs/rules.md 1.3, call look) */
  uint64_t now = __atomic_load_n(o->clock, __ATOMIC_ACQUIRE);
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 16 + 8 * n, o->clock, now, HD_LATE_LOOK);
  else
    hd_fast_stamp(p, (uint32_t) now + 1);
  return true;
}

HD_FAST bool
hd_fast_return(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
               uint64_t f, uint64_t g)
{
  (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s), flags = top->flags;
  if (__builtin_expect(top->object != o, 0) || __builtin_expect((flags & ~(uint32_t) HD_OPEN_COMMITTED) != 0, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8 + 8 * n);
  if (__builtin_expect(!p, 0))
    return false;
  if (n > 0)
    hd_fast_word(p + 8, a);
  hd_fast_announce(p, header);
  /* acquire fence: pairs with the release fence after the begin of a window (docs/rules.md 1.3, return look) */
  HD_FENCE_ACQUIRE();
  uint64_t now = __atomic_load_n(o->clock, HD_AFTER_FENCE);
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 8 + 8 * n, o->clock, now, flags ? HD_LATE_LOOK : HD_LATE_RETURN);
  else
    hd_fast_stamp(p, (uint32_t) now + 1);
  if (flags)
    top->flags = 0;
  hd_thread_local.top = top - 1;
  return true;
}

HD_FAST bool
hd_fast_commit(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
               uint64_t f, uint64_t g)
{
  (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s), flags = top->flags;
  if (__builtin_expect(top->object != o, 0)
      || __builtin_expect((flags & ~(uint32_t) (HD_OPEN_BLOCK | HD_OPEN_WINDOW)) != 0, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8 + 8 * n);
  if (__builtin_expect(!p, 0))
    return false;
  if (n > 0)
    hd_fast_word(p + 8, a);
  hd_fast_announce(p, header);
  /* One tick; a window that was opened before is closed by the same addition. */
  uint64_t add = 1 - (uint64_t) (flags & HD_OPEN_WINDOW) * (HD_FAST_WINDOW / HD_OPEN_WINDOW);
  /* acq_rel: the effect precedes the tick for every look that reads past it (acquire in hd_fast_call) */
  uint64_t now = __atomic_fetch_add(o->clock, add, __ATOMIC_ACQ_REL);
  top->flags = (flags & HD_OPEN_BLOCK) | HD_OPEN_COMMITTED;
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 8 + 8 * n, o->clock, now, HD_LATE_TICK);
  else
    hd_fast_stamp(p, ((uint32_t) now + 1) | HD_FAST_TICK);
  return true;
}

/* The begin of a window: ticks, before the step that others can see. */
HD_FAST bool
hd_fast_window(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
               uint64_t f, uint64_t g)
{
  (void) n, (void) a, (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s);
  if (__builtin_expect(top->object != o, 0) || __builtin_expect((top->flags & ~(uint32_t) HD_OPEN_BLOCK) != 0, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8);
  if (__builtin_expect(!p, 0))
    return false;
  hd_fast_announce(p, header);
  /* acq_rel: as in hd_fast_commit. The fence pairs with the acquire fence of a return's look: who sees the step sees
   * this tick (docs/rules.md 1.3, window begin). */
  uint64_t now = __atomic_fetch_add(o->clock, 1 + HD_FAST_WINDOW, __ATOMIC_ACQ_REL);
  HD_FENCE_RELEASE();
  top->flags |= HD_OPEN_WINDOW;
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 8, o->clock, now, HD_LATE_TICK);
  else
    hd_fast_stamp(p, ((uint32_t) now + 1) | HD_FAST_TICK);
  return true;
}

/* A record without a stamp. release: pairs with the acquire in the reader */
HD_FAST void
hd_fast_plain(char *p, uint32_t header)
{
  __atomic_store_n((uint64_t *) (void *) p, header | (uint64_t) HD_FAST_NO_STAMP << 32, __ATOMIC_RELEASE);
}

HD_FAST bool
hd_fast_block_begin(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                    uint64_t f, uint64_t g)
{
  (void) n, (void) a, (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s), flags = top->flags;
  if (__builtin_expect(top->object != o, 0) || __builtin_expect((flags & (HD_OPEN_BLOCK | HD_OPEN_DROPPED)) != 0, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8);
  if (__builtin_expect(!p, 0))
    return false;
  top->flags = flags | HD_OPEN_BLOCK | (flags & HD_OPEN_COMMITTED) * HD_OPEN_BLOCK_AFTER;
  hd_fast_plain(p, header);
  return true;
}

/* Ticks if no commit fell into the block. */
HD_FAST bool
hd_fast_block_end(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                  uint64_t f, uint64_t g)
{
  (void) n, (void) a, (void) b, (void) c, (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s), flags = top->flags;
  if (__builtin_expect(top->object != o, 0)
      || __builtin_expect((flags & (HD_OPEN_BLOCK | HD_OPEN_DROPPED)) != HD_OPEN_BLOCK, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8);
  if (__builtin_expect(!p, 0))
    return false;
  top->flags = flags & ~(uint32_t) (HD_OPEN_BLOCK | HD_OPEN_BLOCK_AFTER);
  if ((flags & (HD_OPEN_COMMITTED | HD_OPEN_BLOCK_AFTER)) == HD_OPEN_COMMITTED)
  {
    hd_fast_plain(p, header);
    return true;
  }
  hd_fast_announce(p, header);
  uint64_t now = __atomic_fetch_add(o->clock, 1, __ATOMIC_ACQ_REL); /* acq_rel: as in hd_fast_commit */
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 8, o->clock, now, HD_LATE_TICK);
  else
    hd_fast_stamp(p, ((uint32_t) now + 1) | HD_FAST_TICK);
  return true;
}

/* A write: looks inside a commit block, ticks outside. N is 2, or 3 with the old value. */
HD_FAST bool
hd_fast_write(hd_object *o, hd_site *s, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
              uint64_t f, uint64_t g)
{
  (void) d, (void) e, (void) f, (void) g;
  hd_open *top = hd_thread_local.top;
  uint32_t header = hd_fast_header(s), flags = top->flags;
  if (__builtin_expect(top->object != o, 0) || __builtin_expect((flags & HD_OPEN_DROPPED) != 0, 0)
      || __builtin_expect(header == 0, 0))
    return false;
  char *p = hd_fast_take(8 + 8 * n);
  if (__builtin_expect(!p, 0))
    return false;
  hd_fast_word(p + 8, a);
  hd_fast_word(p + 16, b);
  if (n > 2)
    hd_fast_word(p + 24, c);
  hd_fast_announce(p, header);
  uint64_t now;
  uint32_t tick = 0;
  if (__builtin_expect((flags & HD_OPEN_BLOCK) != 0, 1))
  {
    /* acquire fence, then the load: what the block did before happened before the look (docs/rules.md 4.3) */
    HD_FENCE_ACQUIRE();
    now = __atomic_load_n(o->clock, HD_AFTER_FENCE);
  }
  else
  {
    now = __atomic_fetch_add(o->clock, 1, __ATOMIC_ACQ_REL); /* acq_rel: as in hd_fast_commit */
    tick = HD_FAST_TICK;
  }
  if (__builtin_expect(now > HD_FAST_MAX, 0))
    hd_late(p, 8 + 8 * n, o->clock, now, tick ? HD_LATE_TICK : HD_LATE_LOOK);
  else
    hd_fast_stamp(p, ((uint32_t) now + 1) | tick);
  return true;
}

/* ---- values ---- */
HD_FAST hd_value
hd_of_signed(long long i)
{
  return (hd_value){.type = HD_INT, .i = i};
}

HD_FAST hd_value
hd_of_unsigned(unsigned long long u)
{
  return (hd_value){.type = HD_UINT, .u = u};
}

HD_FAST hd_value
hd_of_bool(bool b)
{
  return (hd_value){.type = HD_BOOL, .u = b};
}

/* A null pointer is logged as the empty string. */
HD_FAST hd_value
hd_of_string(const char *s)
{
  return (hd_value){.type = HD_STR, .s = s, .length = s ? (uint32_t) strlen(s) : 0};
}

HD_FAST hd_value
hd_of_value(hd_value v)
{
  return v;
}

/* clang-format off */
#define HD_V(x)                                                                                                        \
  _Generic((x), bool: hd_of_bool,                                                                                      \
           char: hd_of_signed, signed char: hd_of_signed, short: hd_of_signed, int: hd_of_signed,                      \
           long: hd_of_signed, long long: hd_of_signed,                                                                \
           unsigned char: hd_of_unsigned, unsigned short: hd_of_unsigned, unsigned: hd_of_unsigned,                    \
           unsigned long: hd_of_unsigned, unsigned long long: hd_of_unsigned,                                          \
           char *: hd_of_string, const char *: hd_of_string, hd_value: hd_of_value)(x)
#define HD_VT(x)                                                                                                       \
  _Generic((x), bool: HD_BOOL,                                                                                         \
           char: HD_INT, signed char: HD_INT, short: HD_INT, int: HD_INT, long: HD_INT, long long: HD_INT,             \
           char *: HD_STR, const char *: HD_STR, hd_value: 7, default: HD_UINT)
#define HD_VN(x) _Generic((x), char *: 0, const char *: 0, hd_value: 0, default: 1)
/* clang-format on */

#endif
