/* writer_helper.c: a thread of our own that keeps page faults and checksums out of the program's threads.
 *
 * It allocates, maps and brings in the next segments, seals chunks that are full (length and checksum), and unmaps
 * segments whose chunks are all sealed. It has all signals blocked and sleeps on a futex. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The length of the record at P, or 0: none there (yet). It lies before END. */
static size_t
record_size(const char *p, const char *end, bool finished)
{
  if (end - p < 8)
    return 0;
  /* acquire: pairs with the release of the header and of the stamp */
  uint64_t word = __atomic_load_n((const uint64_t *) (const void *) p, __ATOMIC_ACQUIRE);
  uint32_t kind = word & 0xff, n = word >> 8 & 0xff, site = word >> 16 & 0xffff;
  size_t size = 8;
  if (kind == HD_K_NONE || (finished && word >> 32 == 0))
    return 0;
  switch (kind)
  {
  case HD_K_THREAD:
  case HD_K_MISUSE:
    return 24;
  case HD_K_THREAD_END:
  case HD_K_NEXT:
  case HD_K_STAMP:
  case HD_K_OBJECT_END:
    return 16;
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
  case HD_K_FREE_WRITE:
  case HD_K_FREE_WRITE_OLD:
  case HD_K_FREE_REPLAY:
  case HD_K_INTERNAL_BEGIN:
    size += 8;
  }
  const uint8_t *types = hd_writer_site_types(site);
  for (uint32_t i = 0; i < n && types; i++)
  {
    uint32_t type = types[i];
    uint64_t length = 0;
    if (type >= HD_STR)
    {
      length = *(const uint64_t *) (const void *) (p + size);
      size += 8;
    }
    if (type == HD_TYPE_DYNAMIC)
    {
      type = length & 0xff;
      length >>= 8;
    }
    size += type >= HD_STR ? (length + 7) / 8 * 8 : type == HD_NIL ? 0 : 8;
  }
  return size;
}

char *
hd_writer_skip(char *p, const char *end, bool finished)
{
  for (;;)
  {
    size_t n = record_size(p, end, finished);
    if (n == 0 || n > (size_t) (end - p))
      return p;
    p += n;
  }
}

/* The bytes of records in a retired chunk, or 0: one is not finished yet. A handler may fill a chunk while the macro
 * that it interrupted has taken its place there and written nothing, so only a walk that arrives at the last record,
 * a link or the end of a thread, has seen everything. */
static size_t
finished_size(char *payload, const char *end)
{
  char *p = payload;
  uint32_t kind = HD_K_NONE;
  size_t n;
  while ((n = record_size(p, end, true)) != 0 && n <= (size_t) (end - p))
  {
    kind = *(uint8_t *) p;
    p += n;
    if (kind == HD_K_NEXT)
      break;
  }
  return kind == HD_K_NEXT || kind == HD_K_THREAD_END ? (size_t) (p - payload) : 0;
}

/* False: a record is not finished yet. */
static bool
seal_chunk(hd_chunk_header *c)
{
  char *payload = (char *) c + sizeof *c, *end = (char *) c + (size_t) c->units * HD_LOG_UNIT;
  size_t used = c->kind == HD_CHUNK_EVENTS ? finished_size(payload, end) : c->used;
  if (used == 0)
    return false;
  c->used = (uint32_t) used;
  c->checksum = XXH3_64bits(payload, used);
  /* release: pairs with the reader's acquire of SEALED */
  __atomic_store_n(&c->sealed, 1, __ATOMIC_RELEASE);
  return true;
}

void
hd_writer_seal(hd_writer *w)
{
  uint32_t ready = __atomic_load_n(&w->ready, __ATOMIC_ACQUIRE);
  for (uint32_t s = 0; s < ready / HD_SEGMENT_UNITS; s++)
  {
    hd_segment *segment = &w->segments[s];
    if (!segment->base)
      continue;
    /* acquire: pairs with the release in hd_writer_retire */
    uint64_t todo = __atomic_load_n(&segment->retired, __ATOMIC_ACQUIRE) & ~segment->sealed;
    for (; todo; todo &= todo - 1)
    {
      uint32_t unit = (uint32_t) __builtin_ctzll(todo);
      hd_chunk_header *c = (hd_chunk_header *) (void *) (segment->base + (size_t) unit * HD_LOG_UNIT);
      uint64_t bits = (c->units == 64 ? ~0ull : (1ull << c->units) - 1) << unit;
      if (seal_chunk(c))
        segment->sealed |= bits;
    }
    /* Nobody writes there any more; a thread that is still to write a stamp has its chunk unsealed. */
    if (segment->sealed == ~0ull)
    {
      pthread_mutex_lock(&w->grow_lock); /* a fork must not come between the two */
      munmap(segment->base, HD_SEGMENT_SIZE);
      __atomic_store_n(&segment->base, NULL, __ATOMIC_RELAXED);
      pthread_mutex_unlock(&w->grow_lock);
    }
  }
}

static void *
run(void *arg)
{
  hd_writer *w = arg;
  prctl(PR_SET_NAME, "heddle");
  madvise(w->header, HD_SEGMENT_SIZE, 23 /* MADV_POPULATE_WRITE */);
  for (;;)
  {
    /* acquire: pairs with the release in hd_writer_helper_wake */
    uint32_t seen = __atomic_load_n(&w->wake, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
      return NULL;
    uint64_t next = __atomic_load_n(&w->next, __ATOMIC_RELAXED) & ~HD_WRITER_CLOSED;
    uint64_t want = next + w->ahead_units;
    if (w->limit_units && __atomic_load_n(&w->policy, __ATOMIC_RELAXED) != HD_POLICY_SPILL && want > w->limit_units)
      want = w->limit_units > next ? w->limit_units : next;
    hd_writer_grow(w, want, true);
    if (!w->recycle)
      hd_writer_seal(w);
    __atomic_store_n(&w->idle, seen + 1, __ATOMIC_RELEASE); /* release: pairs with hd_writer_helper_wait */
    /* seq_cst: a thread that wakes us sees SLEEPING, or we see its WAKE and the futex does not sleep */
    __atomic_store_n(&w->sleeping, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &w->wake, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    __atomic_store_n(&w->sleeping, 0, __ATOMIC_SEQ_CST);
  }
}

bool
hd_writer_helper_start(hd_writer *w)
{
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0)
    return false;
  long least = sysconf(_SC_THREAD_STACK_MIN);
  pthread_attr_setstacksize(&attr, (size_t) (least > 0 ? least : PTHREAD_STACK_MIN) + 64 * 1024);
  /* The caller has all signals blocked; the new thread inherits that. */
  w->has_helper = pthread_create(&w->helper, &attr, run, w) == 0;
  pthread_attr_destroy(&attr);
  return w->has_helper;
}

void
hd_writer_helper_wake(hd_writer *w)
{
  __atomic_fetch_add(&w->wake, 1, __ATOMIC_SEQ_CST); /* seq_cst: see run() */
  if (__atomic_load_n(&w->sleeping, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &w->wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void
hd_writer_helper_wait(hd_writer *w)
{
  hd_writer_helper_wake(w);
  /* acquire: pairs with the release in run() */
  while (w->has_helper
         && __atomic_load_n(&w->idle, __ATOMIC_ACQUIRE) != __atomic_load_n(&w->wake, __ATOMIC_RELAXED) + 1)
    usleep(1000);
}

void
hd_writer_helper_stop(hd_writer *w)
{
  if (!w->has_helper)
    return;
  __atomic_store_n(&w->stop, 1, __ATOMIC_RELEASE); /* release: pairs with the acquire in run() */
  hd_writer_helper_wake(w);
  pthread_join(w->helper, NULL);
  w->has_helper = false;
}
