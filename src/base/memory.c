/* memory.c: allocation that does not fail, growing arrays, and the end of the program when an invariant is broken.
 *
 * Out of memory is fatal with status 3: a check that could not go on is incomplete, never "holds". Any thread may
 * call these. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

_Noreturn void
hd_check_failed(const char *what, const char *file, int line)
{
  fflush(stdout);
  fprintf(stderr, "heddle: %s:%d: internal check failed: %s\nThis is a mistake in Heddle itself; please report it.\n",
          file, line, what);
  abort();
}

static void (*memory_hook)(void);

void
hd_memory_hook(void (*hook)(void))
{
  __atomic_store_n(&memory_hook, hook, __ATOMIC_RELAXED);
}

static _Noreturn void
out_of_memory(size_t n)
{
  void (*hook)(void) = __atomic_load_n(&memory_hook, __ATOMIC_RELAXED);
  if (hook)
    hook();
  fprintf(stderr, "heddle: out of memory (%zu bytes wanted); the check is incomplete\n", n);
  exit(HD_INCOMPLETE);
}

void *
hd_alloc(size_t n)
{
  void *p = malloc(n ? n : 1);
  if (HD_UNLIKELY(!p))
    out_of_memory(n);
  return p;
}

void *
hd_alloc_zero(size_t n)
{
  void *p = calloc(1, n ? n : 1);
  if (HD_UNLIKELY(!p))
    out_of_memory(n);
  return p;
}

void *
hd_realloc(void *p, size_t n)
{
  p = realloc(p, n ? n : 1);
  if (HD_UNLIKELY(!p))
    out_of_memory(n);
  return p;
}

/* N * SIZE; more than can exist counts as out of memory. */
static size_t
array_bytes(size_t n, size_t size)
{
  size_t bytes;
  if (HD_UNLIKELY(__builtin_mul_overflow(n, size, &bytes)))
    out_of_memory(SIZE_MAX);
  return bytes;
}

void *
hd_alloc_array(size_t n, size_t size)
{
  return hd_alloc(array_bytes(n, size));
}

char *
hd_strndup(const char *s, size_t n)
{
  HD_CHECK(n < SIZE_MAX);
  char *copy = hd_alloc(n + 1);
  if (n)
    memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

void
hd_grow(void *p, size_t *cap, size_t n, size_t size)
{
  if (n <= *cap)
    return;
  size_t more = *cap < 8 ? 8 : *cap;
  /* By half: the array's address is allowed to move, the waste is bounded by a third. */
  if (__builtin_add_overflow(more, *cap / 2 + 1, &more) || more < n)
    more = n;

  /* P points to a pointer of some other type: copied as bytes, since reading it as void * would break aliasing. */
  void *array;
  memcpy(&array, p, sizeof array);
  array = hd_realloc(array, array_bytes(more, size));
  memcpy(p, &array, sizeof array);
  *cap = more;
}

void
hd_grow_zero(void *p, size_t *cap, size_t n, size_t size)
{
  size_t old = *cap;
  char *array;
  hd_grow(p, cap, n, size);
  memcpy(&array, p, sizeof array);
  if (*cap > old)
    memset(array + old * size, 0, (*cap - old) * size);
}
