/* rt_hooks_atomic.c: what the compilers' -fsanitize=thread instrumentation calls for atomic operations. They stay
 * atomic for everybody: code that is not instrumented may use the same memory. */
#include "instrument/rt_core.h"
#include "instrument/rt_wrap.h"

#define PLACE ((uintptr_t) __builtin_return_address(0))
typedef unsigned __int128 wide;

/* 16 bytes: libatomic's business in general; x86-64 has one instruction (-mcx16). */
static wide
wide_cas(volatile wide *p, wide old, wide new)
{
  return __sync_val_compare_and_swap(p, old, new);
}

static wide
wide_load(const volatile wide *p)
{
  return wide_cas((volatile wide *) p, 0, 0);
}

#define LOAD_PLAIN(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define STORE_PLAIN(p, v)                                                                                              \
  if (order == __ATOMIC_SEQ_CST)                                                                                       \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                          \
  else                                                                                                                 \
    __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define LOAD_WIDE(p) wide_load(p)

/* Each hook has two functions, so that without a client it needs no stack frame. */
#define RECORDED static __attribute__((noinline))

#define LOAD(bits, type, load)                                                                                         \
  RECORDED type recorded##bits##_load(const volatile type *p, int order, uintptr_t pc)                                 \
  {                                                                                                                    \
    hd_rt_object *object;                                                                                              \
    uint32_t version;                                                                                                  \
    if (hd_rt_atomic_peek((uintptr_t) p, sizeof *p, order, &object, &version))                                         \
    {                                                                                                                  \
      type value = load(p);                                                                                            \
      if (hd_rt_atomic_peeked(object, version))                                                                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    hd_rt_atomic a;                                                                                                    \
    hd_rt_atomic_begin(&a, (uintptr_t) p, sizeof *p, pc);                                                              \
    type value = load(p);                                                                                              \
    hd_rt_atomic_load(&a, order);                                                                                      \
    return value;                                                                                                      \
  }                                                                                                                    \
  HD_RT_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int order)                                      \
  {                                                                                                                    \
    return hd_rt_here.epoch ? recorded##bits##_load(p, order, PLACE) : load(p);                                        \
  }

/* An operation that changes *P: with a client under the object's lock, without one alone. */
#define LIST(...) __VA_ARGS__
#define CHANGE(bits, name, type, parameters, arguments, doit, result, finish)                                          \
  RECORDED type recorded##bits##_##name(parameters, uintptr_t pc)                                                      \
  {                                                                                                                    \
    hd_rt_atomic a;                                                                                                    \
    hd_rt_atomic_begin(&a, (uintptr_t) p, bits / 8, pc);                                                               \
    doit;                                                                                                              \
    finish;                                                                                                            \
    return result;                                                                                                     \
  }                                                                                                                    \
  HD_RT_EXPORT type __tsan_atomic##bits##_##name(parameters)                                                           \
  {                                                                                                                    \
    if (hd_rt_here.epoch)                                                                                              \
      return recorded##bits##_##name(arguments, PLACE);                                                                \
    doit;                                                                                                              \
    return result;                                                                                                     \
  }
#define MODIFY(bits, name, type, doit)                                                                                 \
  CHANGE(bits, name, type, LIST(volatile type *p, type v, int order), LIST(p, v, order), type old = doit, old,         \
         hd_rt_atomic_modify(&a, order))

static void
compared(hd_rt_atomic *a, bool same, int order, int failed)
{
  if (same)
    hd_rt_atomic_modify(a, order);
  else
    hd_rt_atomic_load(a, failed);
}

static bool
cas_wide(volatile wide *p, wide *expected, wide v)
{
  wide before = wide_cas(p, *expected, v);
  bool same = before == *expected;
  *expected = before;
  return same;
}

#define CAS(p, expected, v) __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* gcc asks whether, clang what was there. */
#define ORDERS int order, int failed
#define COMPARE_AS(bits, name, type, cas)                                                                              \
  CHANGE(bits, name, _Bool, LIST(volatile type *p, type *expected, type v, ORDERS),                                    \
         LIST(p, expected, v, order, failed), bool same = cas(p, expected, v), same,                                   \
         compared(&a, same, order, failed))
#define COMPARE(bits, type, cas)                                                                                       \
  COMPARE_AS(bits, compare_exchange_strong, type, cas)                                                                 \
  COMPARE_AS(bits, compare_exchange_weak, type, cas)                                                                   \
  CHANGE(bits, compare_exchange_val, type, LIST(volatile type *p, type old, type v, ORDERS),                           \
         LIST(p, old, v, order, failed), __attribute__((unused)) bool same = cas(p, &old, v), old,                     \
         compared(&a, same, order, failed))

#define ATOMICS(bits, type)                                                                                            \
  LOAD(bits, type, LOAD_PLAIN)                                                                                         \
  RECORDED void recorded##bits##_store(volatile type *p, type v, int order, uintptr_t pc)                              \
  {                                                                                                                    \
    hd_rt_atomic a;                                                                                                    \
    hd_rt_atomic_begin(&a, (uintptr_t) p, sizeof *p, pc);                                                              \
    STORE_PLAIN(p, v);                                                                                                 \
    hd_rt_atomic_store(&a, order);                                                                                     \
  }                                                                                                                    \
  HD_RT_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                                   \
  {                                                                                                                    \
    if (hd_rt_here.epoch)                                                                                              \
      recorded##bits##_store(p, v, order, PLACE);                                                                      \
    else                                                                                                               \
      STORE_PLAIN(p, v);                                                                                               \
  }                                                                                                                    \
  MODIFY(bits, exchange, type, __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST))                                            \
  MODIFY(bits, fetch_add, type, __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST))                                            \
  MODIFY(bits, fetch_sub, type, __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST))                                            \
  MODIFY(bits, fetch_and, type, __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST))                                            \
  MODIFY(bits, fetch_or, type, __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))                                              \
  MODIFY(bits, fetch_xor, type, __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST))                                            \
  MODIFY(bits, fetch_nand, type, __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST))                                          \
  COMPARE(bits, type, CAS)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* What a wide operation does, by trying. */
#define WIDE(name, expression)                                                                                         \
  static wide wide_##name(volatile wide *p, wide v)                                                                    \
  {                                                                                                                    \
    for (wide old = wide_load(p), seen;; old = seen)                                                                   \
      if ((seen = wide_cas(p, old, expression)) == old)                                                                \
        return old;                                                                                                    \
  }                                                                                                                    \
  MODIFY(128, name, wide, wide_##name(p, v))
LOAD(128, wide, LOAD_WIDE)
WIDE(exchange, v)
WIDE(fetch_add, old + v)
WIDE(fetch_sub, old - v)
WIDE(fetch_and, old &v)
WIDE(fetch_or, old | v)
WIDE(fetch_xor, old ^ v)
WIDE(fetch_nand, ~(old &v))
COMPARE(128, wide, cas_wide)

HD_RT_EXPORT void
__tsan_atomic128_store(volatile wide *p, wide v, int order)
{
  if (!hd_rt_here.epoch)
  {
    wide_exchange(p, v);
    return;
  }
  hd_rt_atomic a;
  hd_rt_atomic_begin(&a, (uintptr_t) p, 16, PLACE);
  wide_exchange(p, v);
  hd_rt_atomic_store(&a, order);
}

HD_RT_EXPORT void
__tsan_atomic_thread_fence(int order)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (hd_rt_here.epoch && order != __ATOMIC_RELAXED)
    hd_rt_fence(order);
}

HD_RT_EXPORT void
__tsan_atomic_signal_fence(int order)
{
  (void) order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
