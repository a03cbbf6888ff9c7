/* arena.c: allocation with mark and release.
 *
 * Blocks form a list, the newest first; only the newest has room that is handed out. One block that was released is
 * kept as a spare, so that a loop of mark, allocate, release at a block's edge does not call malloc each time.
 * Under AddressSanitizer the bytes that are not handed out are poisoned. An arena belongs to one thread. */
#include <stdlib.h>

#include "base/base.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#endif

#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
#define poison(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define unpoison(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define poison(p, n) ((void) (p), (void) (n))
#define unpoison(p, n) ((void) (p), (void) (n))
#endif

enum
{
  ALIGNMENT = 16,
  FIRST_BLOCK = 4096,
  LARGEST_BLOCK = 1 << 20, /* larger only for a single allocation that needs it */
};

typedef struct block
{
  struct block *older;
  size_t size, used; /* of DATA */
  _Alignas(ALIGNMENT) unsigned char data[];
} block;

struct hd_arena
{
  block *newest, *spare;
};

hd_arena *
hd_arena_new(void)
{
  return hd_alloc_zero(sizeof(hd_arena));
}

static void
free_block(block *b)
{
  unpoison(b->data, b->size);
  free(b);
}

void
hd_arena_free(hd_arena *a)
{
  if (!a)
    return;
  for (block *b = a->newest, *older; b; b = older)
  {
    older = b->older;
    free_block(b);
  }
  if (a->spare)
    free_block(a->spare);
  free(a);
}

/* Make a block with room for N bytes the newest one. */
static void
add_block(hd_arena *a, size_t n)
{
  block *b = a->spare;
  if (b && b->size >= n)
    a->spare = NULL;
  else
  {
    size_t size = a->newest ? a->newest->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
      size = LARGEST_BLOCK;
    if (size < n)
      size = n;
    HD_CHECK(size <= SIZE_MAX - sizeof(block));
    b = hd_alloc(sizeof(block) + size);
    b->size = size;
    poison(b->data, size);
  }
  b->used = 0;
  b->older = a->newest;
  a->newest = b;
}

void *
hd_arena_alloc(hd_arena *a, size_t n)
{
  HD_CHECK(n <= SIZE_MAX - ALIGNMENT);
  size_t rounded = (n + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1);
  if (!a->newest || a->newest->size - a->newest->used < rounded)
    add_block(a, rounded);
  void *p = a->newest->data + a->newest->used;
  a->newest->used += rounded;
  unpoison(p, n);
  return p;
}

hd_arena_mark
hd_arena_get_mark(const hd_arena *a)
{
  return (hd_arena_mark){.block = a->newest, .used = a->newest ? a->newest->used : 0};
}

/* Take the newest block away; the larger of it and the spare becomes the spare. */
static void
drop_newest(hd_arena *a)
{
  block *b = a->newest;
  a->newest = b->older;
  poison(b->data, b->size);
  if (a->spare && a->spare->size >= b->size)
    free_block(b);
  else
  {
    if (a->spare)
      free_block(a->spare);
    a->spare = b;
  }
}

static void
cut_newest(hd_arena *a, size_t used)
{
  block *b = a->newest;
  HD_CHECK(used <= b->used);
  poison(b->data + used, b->used - used);
  b->used = used;
}

void
hd_arena_release(hd_arena *a, hd_arena_mark mark)
{
  if (!mark.block) /* taken before the first allocation */
  {
    hd_arena_reset(a);
    return;
  }
  while (a->newest != mark.block)
  {
    HD_CHECK(a->newest->older); /* else the mark is of another arena, or was released already */
    drop_newest(a);
  }
  cut_newest(a, mark.used);
}

void
hd_arena_reset(hd_arena *a)
{
  if (!a->newest)
    return;
  while (a->newest->older)
    drop_newest(a);
  cut_newest(a, 0);
}
