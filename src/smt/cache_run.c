/* cache_run.c: what was proved in this run, so that conditions with one text are sent to a solver once. Known by the
 * text's hash of 128 bits and its length, as in a folder (cache.c).
 *
 * Who asks about a text that another thread is working on waits for its answer: so the number of questions does not
 * depend on which thread is faster. If the answer is no proof, everyone has to find out alone: what fails is told with
 * places, and these are not the same. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "smt/smt.h"

typedef enum progress
{
  UNKNOWN,
  ASKED,
  PROVED,
  NOT_PROVED
} progress;

typedef struct entry
{
  XXH128_hash_t hash;
  size_t length;
  progress progress; /* UNKNOWN: the entry is free */
} entry;

struct hd_smt_proved
{
  pthread_mutex_t lock;
  pthread_cond_t settled;
  entry *entries;
  size_t n, size; /* a power of two, and N is at most half of it */
};

hd_smt_proved *
hd_smt_proved_new(void)
{
  hd_smt_proved *p = hd_alloc_zero(sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->settled, NULL);
  p->size = 64;
  p->entries = hd_alloc_zero(p->size * sizeof *p->entries);
  return p;
}

void
hd_smt_proved_free(hd_smt_proved *p)
{
  if (!p)
    return;
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->settled);
  free(p->entries);
  free(p);
}

/* The entry of this text, or a free one. */
static entry *
find(const hd_smt_proved *p, XXH128_hash_t hash, size_t length)
{
  for (size_t i = (size_t) hash.low64;; i++)
  {
    entry *e = &p->entries[i & (p->size - 1)];
    if (e->progress == UNKNOWN || (XXH128_isEqual(e->hash, hash) && e->length == length))
      return e;
  }
}

static void
grow(hd_smt_proved *p)
{
  entry *old = p->entries;
  size_t n = p->size;
  p->size = 2 * n;
  p->entries = hd_alloc_array(p->size, sizeof *p->entries);
  memset(p->entries, 0, p->size * sizeof *p->entries);
  for (size_t i = 0; i < n; i++)
    if (old[i].progress != UNKNOWN)
      *find(p, old[i].hash, old[i].length) = old[i];
  free(old);
}

bool
hd_smt_proved_before(hd_smt_proved *p, const char *text, size_t n)
{
  XXH128_hash_t hash = XXH3_128bits(text, n);
  pthread_mutex_lock(&p->lock);
  if (2 * (p->n + 1) > p->size)
    grow(p);
  entry *e = find(p, hash, n);
  if (e->progress == UNKNOWN)
  {
    *e = (entry){.hash = hash, .length = n, .progress = ASKED};
    p->n++;
    pthread_mutex_unlock(&p->lock);
    return false;
  }
  /* Others may add entries and move this one meanwhile. */
  while ((e = find(p, hash, n))->progress == ASKED)
    pthread_cond_wait(&p->settled, &p->lock);
  bool proved = e->progress == PROVED;
  pthread_mutex_unlock(&p->lock);
  return proved;
}

void
hd_smt_proved_settle(hd_smt_proved *p, const char *text, size_t n, bool proved)
{
  XXH128_hash_t hash = XXH3_128bits(text, n);
  pthread_mutex_lock(&p->lock);
  entry *e = find(p, hash, n);
  HD_CHECK(e->progress != UNKNOWN);
  e->progress = proved ? PROVED : NOT_PROVED;
  pthread_cond_broadcast(&p->settled);
  pthread_mutex_unlock(&p->lock);
}
