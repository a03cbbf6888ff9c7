/* rt_sets.c: reads of one cell that are not ordered among each other and whose threads share a home plane. Such a word
 * of R is S and the number of a record; records are chained. Under the stripe of the cell. */
#include "instrument/rt_core.h"

enum
{
  EPOCHS = 14
};

typedef struct record
{
  uint32_t next, n;
  uint32_t epochs[EPOCHS];
} record;

static hd_rt_pool pool = {.size = sizeof(record), .max = 1u << 24};

bool
hd_rt_sets_start(void)
{
  pool.base = hd_rt_map((size_t) pool.size * pool.max, 4096);
  return pool.base != NULL;
}

static record *
get(uint32_t word)
{
  return hd_rt_pool_get(&pool, word & ~HD_RT_S);
}

static uint32_t
take(uint32_t next)
{
  uint32_t number = hd_rt_pool_take(&pool);
  if (!number)
  {
    hd_rt_lost[HD_RT_LOST_READS]++;
    return 0;
  }
  get(number)->next = next;
  return number;
}

uint32_t
hd_rt_set_add(uint32_t word, uint32_t epoch)
{
  uint32_t first = word & HD_RT_S ? word & ~HD_RT_S : take(0);
  if (!first)
    return epoch;
  if (!(word & HD_RT_S))
  {
    *get(first) = (record){.n = 1, .epochs = {word}};
  }
  /* What is ordered before this read is not needed any more. */
  record *room = NULL;
  for (uint32_t i = first; i; i = get(i)->next)
  {
    record *r = get(i);
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n; k++)
      if (!hd_rt_known(r->epochs[k]))
        r->epochs[n++] = r->epochs[k];
    r->n = n;
    if (n < EPOCHS)
      room = r;
  }
  if (!room)
  {
    uint32_t more = take(get(first)->next);
    if (!more)
      return first | HD_RT_S;
    get(first)->next = more;
    room = get(more);
  }
  room->epochs[room->n++] = epoch;
  return first | HD_RT_S;
}

uint32_t
hd_rt_set_unknown(uint32_t set)
{
  for (uint32_t i = set & ~HD_RT_S; i; i = get(i)->next)
    for (uint32_t k = 0; k < get(i)->n; k++)
      if (!hd_rt_known(get(i)->epochs[k]))
        return get(i)->epochs[k];
  return 0;
}

uint32_t
hd_rt_set_copy(uint32_t set)
{
  uint32_t first = 0;
  for (uint32_t i = set & ~HD_RT_S; i; i = get(i)->next)
  {
    uint32_t copy = take(first);
    if (!copy)
      return first | (first ? HD_RT_S : 0);
    record *to = get(copy), *from = get(i);
    to->n = from->n;
    for (uint32_t k = 0; k < from->n; k++)
      to->epochs[k] = from->epochs[k];
    first = copy;
  }
  return first | HD_RT_S;
}

void
hd_rt_set_free(uint32_t set)
{
  for (uint32_t i = set & ~HD_RT_S; i;)
  {
    uint32_t next = get(i)->next;
    hd_rt_pool_give(&pool, i);
    i = next;
  }
}
