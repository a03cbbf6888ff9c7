/* rt_property_heap.c: memory for the monitor of properties inside a program, and the functions of src/base on top of
 * it.
 *
 * Blocks come in sizes of 2^k and 3 * 2^(k-1). Each thread has a list of free blocks of each size; a list that grows
 * long gives half of it to all, one that is empty takes as many from there. So threads meet at a lock once in BATCH
 * times. What is freed by another thread than the one that took it goes to the list of the one who frees. */
#include "instrument/rt_property_base.h"

#include "base/base.h"
#include "instrument/rt_core.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  SIZES = 26, /* from 32 bytes on: up to 192 KiB; beyond, blocks are mapped one by one */
  BATCH = 32, /* that change hands at once */
  CHUNK = 1 << 20
};

typedef struct block
{
  uint64_t size; /* of the list it belongs to; from SIZES on: bytes mapped */
  struct block *next;
} block;
_Static_assert(sizeof(block) == 16, "what follows must be aligned to 16 bytes");

typedef struct list
{
  block *first;
  uint32_t n;
} list;

static struct
{
  hd_rt_lock lock;
  list batches; /* each a chain by NEXT of BATCH blocks, kept together by the first bytes behind the head */
  char *chunk;  /* what is left of the last one */
  size_t left;
} all[SIZES];
static __thread list mine[SIZES] __attribute__((tls_model("initial-exec")));

/* Bytes of the blocks of list I, with their head. */
static size_t
size_of(unsigned i)
{
  return (i & 1 ? 48ull : 32ull) << (i / 2);
}

static unsigned
list_of(size_t n)
{
  if (n <= 32)
    return 0;
  unsigned log = 63 - (unsigned) __builtin_clzll(n - 1); /* 2^log < n <= 2^(log+1) */
  return (log - 5) * 2 + (n <= (3ull << (log - 1)) ? 1 : 2);
}

static block **
next_batch(block *b)
{
  return (block **) (void *) (b + 1);
}

static _Noreturn void
out_of_memory(void)
{
  static const char text[] = "heddle: there is no more memory to watch the program with\n";
  if (write(2, text, sizeof text - 1) < 0)
    _exit(HD_INCOMPLETE);
  _exit(HD_INCOMPLETE);
}

static void *
map(size_t n)
{
  void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    out_of_memory();
  return p;
}

/* Blocks of list I for the calling thread, which has none. */
static void
refill(unsigned i)
{
  hd_rt_acquire(&all[i].lock);
  block *b = all[i].batches.first;
  if (b)
    all[i].batches.first = *next_batch(b);
  else
  {
    size_t size = size_of(i), count = size * BATCH <= CHUNK ? BATCH : 1;
    for (size_t k = 0; k < count; k++)
    {
      if (all[i].left < size)
      {
        all[i].left = size > CHUNK ? size : CHUNK;
        all[i].chunk = map(all[i].left);
      }
      block *new = (block *) (void *) all[i].chunk;
      *new = (block){i, b};
      b = new;
      all[i].chunk += size;
      all[i].left -= size;
    }
  }
  hd_rt_release(&all[i].lock);
  uint32_t n = 0;
  for (block *k = b; k; k = k->next)
    n++;
  mine[i] = (list){b, n};
}

/* The first BATCH blocks of list I, or all, go to whoever needs them. */
static void
hand_back(unsigned i)
{
  block *first = mine[i].first, *last = first;
  if (!first)
    return;
  uint32_t n = 1;
  for (; n < BATCH && last->next; n++)
    last = last->next;
  mine[i] = (list){last->next, mine[i].n - n};
  last->next = NULL;
  hd_rt_acquire(&all[i].lock);
  *next_batch(first) = all[i].batches.first;
  all[i].batches.first = first;
  hd_rt_release(&all[i].lock);
}

void *
hd_rt_heap_take(size_t n)
{
  n += sizeof(block);
  hd_rt_enter();
  unsigned i = list_of(n);
  block *b;
  if (i >= SIZES)
  {
    b = map(n);
    b->size = n;
  }
  else
  {
    if (!mine[i].first)
      refill(i);
    b = mine[i].first;
    mine[i].first = b->next;
    mine[i].n--;
  }
  hd_rt_leave();
  return b + 1;
}

void
hd_rt_heap_give(void *p)
{
  if (!p)
    return;
  block *b = (block *) p - 1;
  hd_rt_enter();
  if (b->size >= SIZES)
    munmap(b, b->size);
  else
  {
    list *l = &mine[b->size];
    b->next = l->first;
    l->first = b;
    if (++l->n >= 2 * BATCH)
      hand_back((unsigned) b->size);
  }
  hd_rt_leave();
}

void
hd_rt_heap_end(void)
{
  hd_rt_enter();
  for (unsigned i = 0; i < SIZES; i++)
    while (mine[i].first)
      hand_back(i);
  hd_rt_leave();
}

/* ---- src/base ---- */

_Noreturn void
hd_check_failed(const char *what, const char *file, int line)
{
  static const char text[] = "heddle: an internal check failed while the program was watched: ";
  (void) file, (void) line;
  if (write(2, text, sizeof text - 1) < 0 || write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0)
    abort();
  abort();
}

void *
hd_alloc(size_t n)
{
  return hd_rt_heap_take(n);
}

void *
hd_alloc_zero(size_t n)
{
  return memset(hd_rt_heap_take(n), 0, n);
}

void *
hd_alloc_array(size_t n, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes))
    out_of_memory();
  return hd_rt_heap_take(bytes);
}

void *
hd_realloc(void *p, size_t n)
{
  if (!p)
    return hd_rt_heap_take(n);
  const block *b = (const block *) p - 1;
  size_t had = (b->size >= SIZES ? b->size : size_of((unsigned) b->size)) - sizeof(block);
  if (n <= had)
    return p;
  void *new = hd_rt_heap_take(n);
  memcpy(new, p, had);
  hd_rt_heap_give(p);
  return new;
}

char *
hd_strndup(const char *s, size_t n)
{
  char *copy = hd_rt_heap_take(n + 1);
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

void
hd_grow_zero(void *p, size_t *cap, size_t n, size_t size)
{
  size_t had = *cap;
  void *array;
  hd_grow(p, cap, n, size);
  memcpy(&array, p, sizeof array);
  memset((char *) array + had * size, 0, (*cap - had) * size);
}

void
hd_grow(void *p, size_t *cap, size_t n, size_t size)
{
  void *array; /* P points to a pointer of some other type */
  size_t to = *cap < 8 ? 8 : *cap * 2, bytes;
  if (n <= *cap)
    return;
  to = to < n ? n : to;
  if (__builtin_mul_overflow(to, size, &bytes))
    out_of_memory();
  memcpy(&array, p, sizeof array);
  array = hd_realloc(array, bytes);
  memcpy(p, &array, sizeof array);
  *cap = to;
}
