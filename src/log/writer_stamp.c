/* writer_stamp.c: the stamp of a record when the clock word is not a small number: windows are open, or there were more
 * than 2^30 ticks. */
#define _GNU_SOURCE
#include "log/writer.h"

static void
store_short(char *p, uint64_t stamp, bool ticked)
{
  hd_fast_stamp(p, (uint32_t) (stamp + 1) | (ticked ? HD_STAMP_TICK : 0));
}

static bool
inside(const char *p, const hd_part *part)
{
  return part->begin && p >= part->begin && p < part->limit;
}

/* A stamp that needs a record of its own, which must follow directly. If a signal handler has logged since we took our
 * place, its records are moved: no reader goes past a record without a stamp, so nobody has seen them. */
static void
store_long(char *p, size_t size, uint64_t word)
{
  hd_thread *t = hd_thread_local.thread;
  hd_local *l = t->local;
  char *behind = p + size;
  bool done = false;
  if (*(char *volatile *) &l->cur == behind)
  {
    *(char *volatile *) &l->cur = behind + 16;
    done = *(volatile uint32_t *) (void *) behind == 0;
    if (!done)
      hd_untangle(behind);
  }
  if (!done)
  {
    sigset_t old;
    hd_writer_block(&old);
    const hd_part *part = inside(p, &t->part) ? &t->part : inside(p, &t->left) ? &t->left : NULL;
    char *end = !part              ? NULL
                : part == &t->part ? *(char *volatile *) &l->cur
                                   : hd_writer_skip(behind, part->limit + HD_CHUNK_SLACK, false);
    /* In the chunk that was left, the link is already there. */
    done = part && end + 16 <= part->limit + (part == &t->part ? HD_CHUNK_STAMPS : HD_CHUNK_SLACK);
    if (done)
    {
      memmove(behind + 16, behind, (size_t) (end - behind));
      if (part == &t->part)
        *(char *volatile *) &l->cur = end + 16;
    }
    else
      /* Handlers have filled more than a chunk, or interrupt each other at its end. The record stays unfinished, and
       * the log says that something is lost. */
      __atomic_store_n(&t->log->header->lost, 1, __ATOMIC_RELAXED);
    hd_writer_unblock(&old);
    if (!done)
      return;
  }
  hd_writer_put(behind, HD_K_STAMP, word, 0, 16);
  hd_fast_stamp(p, HD_STAMP_LONG);
}

void
hd_late(char *p, size_t size, uint64_t *clock, uint64_t seen, enum hd_late_how how)
{
  bool ticked = how == HD_LATE_TICK;
  if (how == HD_LATE_RETURN && seen >= HD_CLOCK_WINDOW)
  {
    /* acq_rel: as for a commit. Two looks in one gap would lose their order (docs/rules.md R1). */
    seen = __atomic_fetch_add(clock, 1, __ATOMIC_ACQ_REL);
    ticked = true;
  }
  uint64_t stamp = seen & HD_CLOCK_TICKS;
  if (HD_LIKELY_(stamp <= HD_STAMP_MAX_SHORT))
    store_short(p, stamp, ticked);
  else
    store_long(p, size, stamp | (uint64_t) ticked << 63);
}
