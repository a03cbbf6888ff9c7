/* rt_recorder.h: what the files of the recorder share inside the program: rt_record.c, which is told of events, and
 * rt_record_memory.c, which keeps the memory that the command reads (rt_record.h). */
#ifndef HD_RT_RECORDER_H
#define HD_RT_RECORDER_H

#include "instrument/rt_record.h"
#include "instrument/rt_runtime.h"
#include "trace/kinds.h"

#pragma GCC visibility push(hidden)

extern hd_record_shared *hd_rt_record_shared;

/* What a thread needs to record. */
typedef struct hd_rt_recording
{
  hd_record_chunk *chunk; /* NULL: nothing is recorded */
  uint32_t thread, sequence, index;
  uint32_t busy;  /* it is about to write an event */
  uint32_t block; /* depth of the call that is an atomic block; 0: none */
  bool started;
  uint64_t order;       /* the last number it took */
  uint64_t chunk_order; /* ... that is in the chunk */
  uint64_t targets[HD_TRACE_CLASSES];
  uint32_t location;
  uint32_t stacks[HD_RT_DEPTH]; /* by depth */
  uint64_t keys[HD_RT_DEPTH];   /* what the stack there was found by */
  struct hd_rt_recording *next; /* all that there ever were */
} hd_rt_recording;

/* Takes the next chunk for R. False: recording has ended. */
bool hd_rt_record_take(hd_rt_recording *r);
/* The chunk of R is the command's. */
void hd_rt_record_give(hd_rt_recording *r);

static inline void
hd_rt_record_lost(enum hd_record_loss what)
{
  __atomic_fetch_add(&hd_rt_record_shared->lost[what], 1, __ATOMIC_RELAXED);
}

/* ---- numbers for places, stacks, objects and memory ---- */

typedef struct hd_rt_record_numbers
{
  uint64_t *keys;
  uint32_t *values;
  uint32_t cap; /* a power of two */
  uint64_t *list;
  uint32_t *n, max;
  hd_rt_lock lock;
  enum hd_record_loss loss;
} hd_rt_record_numbers;

bool hd_rt_record_numbers_start(hd_rt_record_numbers *s, uint64_t *list, uint32_t *n);
uint32_t hd_rt_record_number_new(hd_rt_record_numbers *s, uint64_t key);

static inline uint32_t
hd_rt_record_slot(const hd_rt_record_numbers *s, uint64_t key)
{
  return (uint32_t) (key * 0x9e3779b97f4a7c15ull >> 32) & (s->cap - 1);
}

/* The number of a key that is not 0; 0: there are too many. */
static inline uint32_t
hd_rt_record_number(hd_rt_record_numbers *s, uint64_t key)
{
  for (uint32_t i = hd_rt_record_slot(s, key);; i = (i + 1) & (s->cap - 1))
  {
    uint64_t k = __atomic_load_n(&s->keys[i], __ATOMIC_ACQUIRE); /* acquire: pairs with hd_rt_record_number_new */
    if (HD_RT_LIKELY(k == key))
      return s->values[i];
    if (!k)
      return hd_rt_record_number_new(s, key);
  }
}

#pragma GCC visibility pop

#endif
