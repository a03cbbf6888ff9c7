/* rt_hooks.c: what the compilers' -fsanitize=thread instrumentation calls for plain accesses and calls.
 *
 * A hook looks whether anything is recorded (EPOCH; of accesses WATCHING or LOOK), whether the access is recorded
 * already (one comparison), and else goes on in a function of its own, so that it needs no stack frame itself. */
#include "instrument/rt_core.h"
#include "instrument/rt_wrap.h"

#define PLACE ((uintptr_t) __builtin_return_address(0))

static __attribute__((noinline)) void
hd_rt_middle_read16(uintptr_t p, uintptr_t pc)
{
  if (p & hd_rt_here.unaligned)
  {
    hd_rt_full_read(p, 16, pc);
    return;
  }
  hd_rt_middle_read8(p, pc);
  hd_rt_middle_read8(p + 8, pc);
}

static __attribute__((noinline)) void
hd_rt_middle_write16(uintptr_t p, uintptr_t pc)
{
  if (p & hd_rt_here.unaligned)
  {
    hd_rt_full_write(p, 16, pc);
    return;
  }
  hd_rt_middle_write8(p, pc);
  hd_rt_middle_write8(p + 8, pc);
}

static inline bool
hd_rt_same_read16(uintptr_t p)
{
  return hd_rt_same_read8(p) && hd_rt_same_read8(p + 8);
}

static inline bool
hd_rt_same_write16(uintptr_t p)
{
  return hd_rt_same_write8(p) && hd_rt_same_write8(p + 8);
}

/* Words: where nothing is recorded the hooks look at PAIR instead of the shadow and find what they look for. Nothing is
 * jumped over then, nor where the access is recorded already: a jump takes as long as all the rest. */
static inline uintptr_t
looked_at(uintptr_t distance)
{
  return (uintptr_t) &hd_rt_here.pair + (distance & hd_rt_here.look);
}

static inline bool
seen4(uintptr_t distance)
{
  return hd_rt_load((const uint32_t *) looked_at(distance)) == (uint32_t) hd_rt_here.pair;
}

static inline bool
seen8(uintptr_t distance)
{
  return hd_rt_load_pair((const uint32_t *) looked_at(distance)) == hd_rt_here.pair;
}

static inline bool
seen16(uintptr_t distance)
{
  const uint32_t *first = (const uint32_t *) looked_at(distance), *second = first + (hd_rt_here.look & 2);
  return ((hd_rt_load_pair(first) ^ hd_rt_here.pair) | (hd_rt_load_pair(second) ^ hd_rt_here.pair)) == 0;
}

#define READ_WORDS(size)                                                                                               \
  if (HD_RT_UNLIKELY(!seen##size((uintptr_t) p + hd_rt_here.look_reads)))                                              \
  hd_rt_middle_read##size((uintptr_t) p, PLACE)
#define WRITE_WORDS(size)                                                                                              \
  if (HD_RT_UNLIKELY(!seen##size((uintptr_t) p + hd_rt_here.look_writes)))                                             \
  hd_rt_middle_write##size((uintptr_t) p, PLACE)

/* Bytes are in two places, so there is a branch anyway. */
#define READ_BYTES(size)                                                                                               \
  if (hd_rt_here.watching && !hd_rt_same_read##size((uintptr_t) p))                                                    \
  hd_rt_middle_read##size((uintptr_t) p, PLACE)
#define WRITE_BYTES(size)                                                                                              \
  if (hd_rt_here.watching && !hd_rt_same_write##size((uintptr_t) p))                                                   \
  hd_rt_middle_write##size((uintptr_t) p, PLACE)

/* The names, with the accesses that they stand for. */
#define HOOKS(size, unit)                                                                                              \
  HD_RT_EXPORT void __tsan_read##size(void *p)                                                                         \
  {                                                                                                                    \
    READ_##unit(size);                                                                                                 \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_write##size(void *p)                                                                        \
  {                                                                                                                    \
    WRITE_##unit(size);                                                                                                \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_volatile_read##size(void *p)                                                                \
  {                                                                                                                    \
    READ_##unit(size);                                                                                                 \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_volatile_write##size(void *p)                                                               \
  {                                                                                                                    \
    WRITE_##unit(size);                                                                                                \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_read_write##size(void *p)                                                                   \
  {                                                                                                                    \
    WRITE_##unit(size); /* whatever the read conflicts with, the write does */                                         \
  }
HOOKS(1, BYTES)
HOOKS(2, BYTES)
HOOKS(4, WORDS)
HOOKS(8, WORDS)
HOOKS(16, WORDS)

/* What is aligned after all takes the same way as the others; SAME: it may be compared as they are. */
#define UNALIGNED(size, same)                                                                                          \
  static inline __attribute__((always_inline)) void unaligned_read##size(uintptr_t p, uintptr_t pc)                    \
  {                                                                                                                    \
    if (hd_rt_here.watching && !((same) && hd_rt_same_read##size(p)))                                                  \
      hd_rt_middle_read##size(p, pc);                                                                                  \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void unaligned_write##size(uintptr_t p, uintptr_t pc)                   \
  {                                                                                                                    \
    if (hd_rt_here.watching && !((same) && hd_rt_same_write##size(p)))                                                 \
      hd_rt_middle_write##size(p, pc);                                                                                 \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_unaligned_read##size(void *p)                                                               \
  {                                                                                                                    \
    unaligned_read##size((uintptr_t) p, PLACE);                                                                        \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_unaligned_write##size(void *p)                                                              \
  {                                                                                                                    \
    unaligned_write##size((uintptr_t) p, PLACE);                                                                       \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_unaligned_volatile_read##size(void *p)                                                      \
  {                                                                                                                    \
    unaligned_read##size((uintptr_t) p, PLACE);                                                                        \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_unaligned_volatile_write##size(void *p)                                                     \
  {                                                                                                                    \
    unaligned_write##size((uintptr_t) p, PLACE);                                                                       \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_unaligned_read_write##size(void *p)                                                         \
  {                                                                                                                    \
    unaligned_read##size((uintptr_t) p, PLACE);                                                                        \
    unaligned_write##size((uintptr_t) p, PLACE);                                                                       \
  }
UNALIGNED(2, !(p & 1))
UNALIGNED(4, !(p & 3))
UNALIGNED(8, !(p & 3))
UNALIGNED(16, !(p & 3))

HD_RT_EXPORT void
__tsan_read_range(void *p, size_t n)
{
  if (hd_rt_here.watching)
    hd_rt_range_read((uintptr_t) p, n, PLACE);
}

HD_RT_EXPORT void
__tsan_write_range(void *p, size_t n)
{
  if (hd_rt_here.watching)
    hd_rt_range_write((uintptr_t) p, n, PLACE);
}

/* C++: a constructor that stores the pointer that is there already writes nothing new. */
HD_RT_EXPORT void
__tsan_vptr_update(void **p, void *value)
{
  if (*p != value)
    WRITE_WORDS(8);
}

HD_RT_EXPORT void
__tsan_vptr_read(void **p)
{
  READ_WORDS(8);
}

HD_RT_EXPORT void
__tsan_func_entry(void *pc)
{
  if (hd_rt_here.epoch)
    hd_rt_enter_function((uintptr_t) pc, (uintptr_t) __builtin_frame_address(0));
}

HD_RT_EXPORT void
__tsan_func_exit(void)
{
  hd_rt_here.depth--; /* without a client nobody looks at it */
}

/* Clang's kernel-style names. */
HD_RT_EXPORT void
__tsan_ignore_thread_begin(void)
{
}

HD_RT_EXPORT void
__tsan_ignore_thread_end(void)
{
}

/* What <sanitizer/tsan_interface.h> offers to programs that synchronise in ways that nobody can see. */
HD_RT_EXPORT void
__tsan_acquire(void *p)
{
  if (hd_rt_here.epoch)
    hd_rt_pend((uintptr_t) p);
}

HD_RT_EXPORT void
__tsan_release(void *p)
{
  if (hd_rt_here.epoch)
    hd_rt_post((uintptr_t) p);
}

HD_RT_EXPORT void
AnnotateHappensBefore(const char *file, int line, void *p)
{
  (void) file, (void) line;
  if (hd_rt_here.epoch)
    hd_rt_post((uintptr_t) p);
}

HD_RT_EXPORT void
AnnotateHappensAfter(const char *file, int line, void *p)
{
  (void) file, (void) line;
  if (hd_rt_here.epoch)
    hd_rt_pend((uintptr_t) p);
}
