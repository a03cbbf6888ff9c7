/* writer_chunk.c: the file of a log: segments that are allocated on the disk and mapped, and chunks taken from them.
 *
 * Disk space is allocated before it is mapped, so that a full disk is an error here and never a SIGBUS in the program.
 * Chunks are taken with one compare-and-swap as long as the helper keeps segments ready; if it is late, the thread that
 * needs one makes it. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static void
populate(char *base, bool is_new)
{
  if (madvise(base, HD_SEGMENT_SIZE, MADV_POPULATE_WRITE) == 0 || !is_new)
    return;
  for (size_t i = 0; i < HD_SEGMENT_SIZE; i += 4096)
    *(volatile char *) (base + i) = 0;
}

/* Segment S on the disk and in memory. NULL: errno. */
static char *
make_segment(hd_writer *w, uint32_t s)
{
  off_t at = (off_t) s * (off_t) HD_SEGMENT_SIZE;
  int error;
  do
    error = posix_fallocate(w->fd, at, (off_t) HD_SEGMENT_SIZE);
  while (error == EINTR);
  if (error == 0)
  {
    char *base = mmap(NULL, HD_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, at);
    if (base != MAP_FAILED)
      return base;
    error = errno;
  }
  if (error == EFBIG)
  {
    /* RLIMIT_FSIZE: the kernel has also sent SIGXFSZ, which is blocked now and would end the program later. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigtimedwait(&set, NULL, &(struct timespec){0});
  }
  /* What was allocated in part. */
  int ignored = ftruncate(w->fd, at);
  (void) ignored;
  errno = error;
  return NULL;
}

bool
hd_writer_first_segment(hd_writer *w)
{
  char *base = make_segment(w, 0);
  if (!base)
    return false;
  w->header = (hd_log_header *) (void *) base;
  w->segments[0].base = base;
  w->ready = HD_SEGMENT_UNITS;
  w->next = 1;
  return true;
}

bool
hd_writer_grow(hd_writer *w, uint64_t units, bool bring_in)
{
  pthread_mutex_lock(&w->grow_lock);
  /* relaxed: only changed under this lock */
  uint32_t ready = __atomic_load_n(&w->ready, __ATOMIC_RELAXED);
  while (ready < units && !__atomic_load_n(&w->full, __ATOMIC_RELAXED)
         && !(__atomic_load_n(&w->next, __ATOMIC_RELAXED) & HD_WRITER_CLOSED))
  {
    uint32_t s = ready / HD_SEGMENT_UNITS;
    char *base = s < HD_SEGMENTS ? make_segment(w, s) : NULL;
    if (!base)
    {
      __atomic_store_n(&w->full, 1, __ATOMIC_RELAXED);
      __atomic_store_n(&w->header->lost, 1, __ATOMIC_RELAXED);
      break;
    }
    if (bring_in)
      populate(base, true);
    ready += HD_SEGMENT_UNITS;
    __atomic_store_n(&w->segments[s].base, base, __ATOMIC_RELAXED);
    __atomic_store_n(&w->header->file_size, (uint64_t) ready * HD_LOG_UNIT, __ATOMIC_RELAXED);
    /* release: pairs with the acquire in hd_writer_take, which then uses the segment's base */
    __atomic_store_n(&w->ready, ready, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&w->grow_lock);
  return ready >= units;
}

static hd_chunk_header *
unit_address(hd_writer *w, uint32_t unit)
{
  char *base = __atomic_load_n(&w->segments[unit / HD_SEGMENT_UNITS].base, __ATOMIC_RELAXED);
  return base ? (hd_chunk_header *) (void *) (base + (size_t) (unit % HD_SEGMENT_UNITS) * HD_LOG_UNIT) : NULL;
}

/* A unit that the reader gave back, or 0. */
static uint32_t
pop_ring(hd_writer *w)
{
  hd_log_header *h = w->header;
  uint32_t tail = __atomic_load_n(&h->free_tail, __ATOMIC_RELAXED);
  for (;;)
  {
    /* acquire: pairs with the reader's release of HEAD, after it zeroed the unit and stored the entry */
    if (tail == __atomic_load_n(&h->free_head, __ATOMIC_ACQUIRE))
      return 0;
    uint32_t unit = __atomic_load_n(&h->free_ring[tail % HD_LOG_RING], __ATOMIC_RELAXED);
    /* acq_rel: a failed exchange reads the tail anew; a successful one owns the unit */
    if (__atomic_compare_exchange_n(&h->free_tail, &tail, tail + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
      /* The ring is memory of another process: use nothing that was never handed out. */
      if (unit == 0 || unit >= (__atomic_load_n(&w->next, __ATOMIC_RELAXED) & ~HD_WRITER_CLOSED)
          || !unit_address(w, unit))
      {
        tail = __atomic_load_n(&h->free_tail, __ATOMIC_RELAXED);
        continue;
      }
      __atomic_load_n(&w->left, __ATOMIC_ACQUIRE); /* acquire: pairs with the release in hd_writer_retire */
      return unit;
    }
  }
}

static uint32_t
pop_spare(hd_writer *w)
{
  uint32_t unit = 0;
  pthread_mutex_lock(&w->grow_lock);
  if (w->nspare > 0)
  {
    unit = w->spare[w->nspare - 1];
    __atomic_store_n(&w->nspare, w->nspare - 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&w->grow_lock);
  return unit;
}

/* A chunk of several units does not fit what is left of the segment at unit U: others may use that. */
static void
skip_rest(hd_writer *w, uint64_t u)
{
  uint64_t end = (u / HD_SEGMENT_UNITS + 1) * HD_SEGMENT_UNITS;
  pthread_mutex_lock(&w->grow_lock);
  if (__atomic_compare_exchange_n(&w->next, &u, end, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    for (; u < end && w->nspare < HD_SEGMENT_UNITS; u++)
    {
      w->spare[w->nspare] = (uint32_t) u;
      __atomic_store_n(&w->nspare, w->nspare + 1, __ATOMIC_RELAXED);
    }
  pthread_mutex_unlock(&w->grow_lock);
}

static bool
reader_lives(hd_writer *w)
{
  uint32_t pid = __atomic_load_n(&w->header->reader_pid, __ATOMIC_RELAXED);
  return pid != 0 && (kill((pid_t) pid, 0) == 0 || errno == EPERM);
}

/* What the policy says when UNITS would be in use. */
static hd_take_result
limit(hd_writer *w, uint64_t units)
{
  if (w->limit_units == 0 || units <= w->limit_units)
    return HD_TAKEN;
  switch (__atomic_load_n(&w->policy, __ATOMIC_RELAXED))
  {
  case HD_POLICY_DROP:
    return HD_NO_ROOM;
  case HD_POLICY_BLOCK:
    if (reader_lives(w))
      return HD_WAIT;
    __atomic_store_n(&w->policy, HD_POLICY_SPILL, __ATOMIC_RELAXED);
    return HD_TAKEN;
  default:
    return HD_TAKEN;
  }
}

/* UNITS new units: *UNIT. */
static hd_take_result
take_new(hd_writer *w, uint32_t kind, uint32_t units, uint32_t *unit)
{
  uint64_t u = __atomic_load_n(&w->next, __ATOMIC_RELAXED);
  for (;;)
  {
    if (u & HD_WRITER_CLOSED)
      return HD_NO_ROOM;
    if (kind == HD_CHUNK_EVENTS)
    {
      hd_take_result r = limit(w, u + units);
      if (r != HD_TAKEN)
        return r;
    }
    if (u % HD_SEGMENT_UNITS + units > HD_SEGMENT_UNITS)
    {
      /* Everything below NEXT must be ready, also what is skipped. */
      if (!hd_writer_grow(w, u, false))
        return HD_NO_ROOM;
      skip_rest(w, u);
      u = __atomic_load_n(&w->next, __ATOMIC_RELAXED);
      continue;
    }
    /* acquire: pairs with the release in hd_writer_grow */
    if (u + units > __atomic_load_n(&w->ready, __ATOMIC_ACQUIRE))
    {
      if (!hd_writer_grow(w, u + units, false))
        return HD_NO_ROOM;
      continue;
    }
    /* relaxed: the units are ours alone if this succeeds; what they contain was ordered by READY */
    if (__atomic_compare_exchange_n(&w->next, &u, u + units, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      break;
  }
  *unit = (uint32_t) u;
  /* The header's count only grows; a thread that is slow here must not hide the chunk of a faster one. */
  uint32_t known = __atomic_load_n(&w->header->units, __ATOMIC_RELAXED);
  while (known < u + units
         /* release: pairs with the reader's acquire */
         && !__atomic_compare_exchange_n(&w->header->units, &known, (uint32_t) (u + units), true, __ATOMIC_RELEASE,
                                         __ATOMIC_RELAXED))
    ;
  /* Once a segment: waking costs a system call. */
  if (u / HD_SEGMENT_UNITS != (u + units) / HD_SEGMENT_UNITS)
    hd_writer_helper_wake(w);
  return HD_TAKEN;
}

hd_take_result
hd_writer_take(hd_writer *w, uint32_t kind, uint32_t units, hd_chunk_header **chunk, uint32_t *unit)
{
  *unit = 0;
  if (units == 1 && w->recycle)
    *unit = pop_ring(w);
  if (*unit == 0 && units == 1 && __atomic_load_n(&w->nspare, __ATOMIC_RELAXED) > 0)
    *unit = pop_spare(w);
  if (*unit == 0)
  {
    hd_take_result r = take_new(w, kind, units, unit);
    if (r != HD_TAKEN)
      return r;
  }
  hd_chunk_header *c = unit_address(w, *unit);
  c->magic = HD_CHUNK_MAGIC;
  c->kind = kind;
  c->units = units;
  /* acq_rel: the reader that finds this number finds the units above; a read-modify-write before the thread's first
   * look registers the chunk (docs/rules.md 5.1) */
  uint64_t seq = __atomic_add_fetch(&w->header->chunk_seq, 1, __ATOMIC_ACQ_REL);
  /* release: pairs with the reader's acquire of SEQ, then the rest of the header is there */
  __atomic_store_n(&c->seq, seq, __ATOMIC_RELEASE);
  *chunk = c;
  return HD_TAKEN;
}

void
hd_writer_retire(hd_writer *w, uint32_t unit)
{
  /* release: pairs with the acquire in pop_ring. The reader orders the two as well, but it may be another process, of
   * which ThreadSanitizer knows nothing. */
  __atomic_fetch_add(&w->left, 1, __ATOMIC_RELEASE);
  /* release: pairs with the acquire in hd_writer_seal, which reads the chunk */
  if (!w->recycle)
    __atomic_fetch_or(&w->segments[unit / HD_SEGMENT_UNITS].retired, 1ull << unit % HD_SEGMENT_UNITS, __ATOMIC_RELEASE);
}

void
hd_writer_wait_reader(hd_writer *w)
{
  hd_log_header *h = w->header;
  /* acquire: pairs with the reader's release; a unit given back after this load changes the word, and we do not sleep
   */
  uint32_t seen = __atomic_load_n(&h->reader_wake, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&h->free_head, __ATOMIC_ACQUIRE) != __atomic_load_n(&h->free_tail, __ATOMIC_RELAXED))
    return;
  syscall(SYS_futex, &h->reader_wake, FUTEX_WAIT, seen, &(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL, 0);
}
