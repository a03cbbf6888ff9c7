/* rt_record_memory.c: the recorder's memory that the command reads: numbers for what is told again and again, and
 * chunks that threads fill. */
#include "instrument/rt_recorder.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

hd_record_shared *hd_rt_record_shared;
static hd_rt_lock lock;

/* ---- numbers ---- */

bool
hd_rt_record_numbers_start(hd_rt_record_numbers *s, uint64_t *list, uint32_t *n)
{
  s->cap = s->max * 2;
  s->keys = hd_rt_map((size_t) s->cap * sizeof *s->keys, 4096);
  s->values = hd_rt_map((size_t) s->cap * sizeof *s->values, 4096);
  s->list = list;
  s->n = n;
  return s->keys && s->values;
}

uint32_t
hd_rt_record_number_new(hd_rt_record_numbers *s, uint64_t key)
{
  uint32_t answer = 0, i = hd_rt_record_slot(s, key);
  hd_rt_acquire(&s->lock);
  while (s->keys[i] && s->keys[i] != key)
    i = (i + 1) & (s->cap - 1);
  if (s->keys[i])
    answer = s->values[i];
  else if (*s->n + 1 < s->max)
  {
    answer = *s->n + 1;
    s->list[answer] = key;
    s->values[i] = answer;
    __atomic_store_n(&s->keys[i], key, __ATOMIC_RELEASE); /* release: the value is there; pairs with number_of */
    __atomic_store_n(s->n, answer, __ATOMIC_RELEASE);     /* release: pairs with the command's end */
  }
  else
    hd_rt_record_lost(s->loss);
  hd_rt_release(&s->lock);
  return answer;
}

/* ---- chunks ---- */

/* Nobody reads what we write any more. */
static bool
command_is_gone(void)
{
  const char *fd = getenv("HEDDLE_CLIENT_FD");
  char byte;
  return !fd || recv(atoi(fd), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int
free_chunk(void)
{
  static uint32_t hint;
  for (uint32_t k = 0; k < HD_RECORD_CHUNKS; k++)
  {
    uint32_t i = (hint + k) % HD_RECORD_CHUNKS;
    if (__atomic_load_n(&hd_rt_record_shared->state[i], __ATOMIC_ACQUIRE)
        == HD_RECORD_FREE) /* acquire: pairs with the command */
    {
      hint = k < 64 ? hint : 0; /* low ones again: memory that was used stays in use */
      return (int) i;
    }
  }
  return -1;
}

bool
hd_rt_record_take(hd_rt_recording *r)
{
  r->chunk = NULL;
  for (unsigned tries = 0; !__atomic_load_n(&hd_rt_record_shared->stopped, __ATOMIC_RELAXED); tries++)
  {
    uint32_t freed
        = __atomic_load_n(&hd_rt_record_shared->freed, __ATOMIC_ACQUIRE); /* acquire: pairs with the command */
    hd_rt_acquire(&lock);
    int i = free_chunk();
    if (i >= 0)
      hd_rt_record_shared->state[i] = HD_RECORD_OPEN;
    hd_rt_release(&lock);
    if (i >= 0)
    {
      hd_record_chunk *c = &hd_rt_record_shared->chunks[i];
      c->stream = r->thread;
      c->sequence = r->sequence++;
      c->order = r->chunk_order = r->order;
      c->filled = 0;
      r->index = (uint32_t) i;
      r->location = 0;
      for (unsigned k = 0; k < HD_TRACE_CLASSES; k++)
        r->targets[k] = 0;
      r->chunk = c;
      return true;
    }
    if (tries >= 10 && command_is_gone())
      break;
    struct timespec wait = {.tv_nsec = 50000000};
    syscall(SYS_futex, &hd_rt_record_shared->freed, FUTEX_WAIT, freed, &wait, NULL, 0);
  }
  return false;
}

void
hd_rt_record_give(hd_rt_recording *r)
{
  if (r->chunk)
    /* release: what is in it; pairs with the command's acquire */
    __atomic_store_n(&hd_rt_record_shared->state[r->index], HD_RECORD_FULL, __ATOMIC_RELEASE);
  r->chunk = NULL;
}
