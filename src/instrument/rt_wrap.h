/* rt_wrap.h: how the runtime takes over functions of the C library.
 *
 * In a dynamic program our function has the name, in front of the library's, and finds that by dlsym. In a static
 * program (HD_RT_STATIC) the linker's --wrap sends the calls to __wrap_NAME, and __real_NAME is the library's. */
#ifndef HD_RT_WRAP_H
#define HD_RT_WRAP_H

#include <stddef.h>

#define HD_RT_EXPORT __attribute__((visibility("default")))

#ifdef HD_RT_STATIC
#define HD_RT_WRAP(type, name) HD_RT_EXPORT type __wrap_##name
#define HD_RT_DECLARE(name) extern __typeof__(name) __real_##name
#define HD_RT_REAL(name) (&__real_##name)
#define HD_RT_REAL_VERSION(name, version) (&__real_##name)
#else
__attribute__((visibility("hidden"))) void *hd_rt_resolve(const char *name, const char *version);
/* Weak: a program may have its own malloc. */
#define HD_RT_WRAP(type, name) HD_RT_EXPORT __attribute__((weak)) type name
#define HD_RT_DECLARE(name) extern int hd_rt_declare_##name
#define HD_RT_REAL_VERSION(name, version)                                                                              \
  ({                                                                                                                   \
    static void *real_;                                                                                                \
    void *f_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                                                              \
    if (__builtin_expect(!f_, 0))                                                                                      \
      __atomic_store_n(&real_, f_ = hd_rt_resolve(#name, version), __ATOMIC_RELAXED);                                  \
    (__typeof__(&name)) f_;                                                                                            \
  })
#define HD_RT_REAL(name) HD_RT_REAL_VERSION(name, NULL)
#endif

#endif
