/* special_memory.c: the memory of the special algorithms: arrays that are taken and given back in reverse order.
 *
 * A long history needs a dozen arrays that are touched once or twice: then most of the time goes into pages that the
 * system hands out one by one. So a long job takes its arrays from chunks of large pages, the first of them from memory
 * that the caller has left over, and keeps one chunk that it gave back. A short one uses malloc. */
#include "linear/special_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum
{
  LONG_JOB = 4096, /* operations */
  LARGE_PAGE = 2 << 20,
  ALIGNMENT = 64,
};

struct special_chunk
{
  special_chunk *older;
  char *memory; /* aligned to large pages */
  size_t size, used;
  size_t touched; /* from here on it is still zero */
  void *map;      /* NULL: the caller's */
  size_t map_size;
};

/* One array, or text. */
struct special_block
{
  void *heap;           /* of malloc; NULL: in a chunk, and before it */
  special_chunk *chunk; /* this was the newest chunk, */
  size_t used;          /* and so much of it was used */
};

/* ---- chunks ---- */

static void
free_chunk(special_chunk *c)
{
  if (c && c->map)
    munmap(c->map, c->map_size);
  free(c);
}

/* What the caller has left over, if N bytes fit into it; NULL: they do not, or it was taken. */
static special_chunk *
given_chunk(special_job *job, size_t n)
{
  char *memory = job->memory;
  size_t skipped = -(uintptr_t) memory & (ALIGNMENT - 1);
  if (!memory || job->memory_size < skipped || job->memory_size - skipped < n)
    return NULL;
  special_chunk *c = hd_alloc_zero(sizeof *c);
  c->memory = memory + skipped;
  c->size = c->touched = job->memory_size - skipped;
  job->memory = NULL;
  return c;
}

/* A chunk with room for N bytes; NULL: there is none. */
static special_chunk *
new_chunk(special_job *job, size_t n)
{
  special_chunk *c = job->spare;
  job->spare = NULL;
  if (c && c->size >= n)
    return c;
  free_chunk(c);
  c = given_chunk(job, n);
  if (c)
    return c;
  size_t size = (n + LARGE_PAGE - 1) & -(size_t) LARGE_PAGE;
  void *map = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
  c = hd_alloc_zero(sizeof *c);
  c->memory = (char *) (((uintptr_t) map + LARGE_PAGE - 1) & -(uintptr_t) LARGE_PAGE);
  c->size = size;
  c->map = map;
  c->map_size = size + LARGE_PAGE;
#ifdef MADV_HUGEPAGE
  madvise(c->memory, size, MADV_HUGEPAGE); /* if they cannot be had, it is slower */
#endif
  return c;
}

/* N bytes of the newest chunk, or of a new one; NULL: there is none. */
static void *
take(special_job *job, size_t n, bool zeroed)
{
  n = (n + ALIGNMENT - 1) & -(size_t) ALIGNMENT;
  special_chunk *c = job->chunk;
  if (!c || c->size - c->used < n)
  {
    c = new_chunk(job, n);
    if (!c)
      return NULL;
    c->older = job->chunk;
    job->chunk = c;
  }
  char *p = c->memory + c->used;
  if (zeroed && c->touched > c->used)
    memset(p, 0, n < c->touched - c->used ? n : c->touched - c->used);
  c->used += n;
  c->touched = c->used > c->touched ? c->used : c->touched;
  return p;
}

/* ---- arrays ---- */

static void *
keep(special_job *job, void *heap, special_chunk *chunk, size_t used)
{
  HD_PUSH(job->blocks, job->nblocks, job->blocks_cap, (special_block){heap, chunk, used});
  return heap;
}

static void *
get(special_job *job, size_t n, size_t size, bool zeroed)
{
  size_t bytes;
  HD_CHECK(!__builtin_mul_overflow(n, size, &bytes) && bytes < SIZE_MAX / 2);
  special_chunk *chunk = job->chunk;
  size_t used = chunk ? chunk->used : 0;
  void *p = job->n >= LONG_JOB ? take(job, bytes, zeroed) : NULL;
  if (p)
  {
    keep(job, NULL, chunk, used);
    return p;
  }
  return keep(job, zeroed ? hd_alloc_zero(bytes) : hd_alloc(bytes), chunk, used);
}

void *
hd_special_zeroed(special_job *job, size_t n, size_t size)
{
  return get(job, n + 1, size, true);
}

void *
hd_special_array(special_job *job, size_t n, size_t size)
{
  return get(job, n + 1, size, false);
}

const char *
hd_special_keep_text(special_job *job, hd_string *s)
{
  return keep(job, s->text ? s->text : hd_strndup("", 0), job->chunk, job->chunk ? job->chunk->used : 0);
}

void
hd_special_release(special_job *job, size_t mark)
{
  while (job->nblocks > mark)
  {
    special_block *b = &job->blocks[--job->nblocks];
    free(b->heap);
    while (job->chunk != b->chunk)
    {
      special_chunk *c = job->chunk;
      job->chunk = c->older;
      free_chunk(job->spare);
      c->used = 0;
      job->spare = c;
    }
    if (b->chunk)
      b->chunk->used = b->used;
  }
}

void
hd_special_end(special_job *job)
{
  hd_special_release(job, 0);
  free_chunk(job->spare);
  job->spare = NULL;
  free(job->blocks);
}
