/* sim_multiset.c: the array multiset of paper 000 (Fig. 2, 4 and 5) with a compressing worker, step by step. */
#include "sim.h"

/* FindSlot(x), paper 000 Fig. 2: line 4 of Fig. 5 when flawed. Leaves the slot in I, or -1. */
#define FIND_SLOT(I, x)                                                                                                \
  do                                                                                                                   \
  {                                                                                                                    \
    for (I = 0; I < SLOTS; I++)                                                                                        \
    {                                                                                                                  \
      STEP;                                                                                                            \
      if (s->flaw == FLAW_UNLOCKED_FIND && s->elt[I])                                                                  \
        continue;                                                                                                      \
      h->line = -1 - 2 * __LINE__;                                                                                     \
      return false;                                                                                                    \
    case -1 - 2 * __LINE__:                                                                                            \
      if (s->lock[I])                                                                                                  \
        return false;                                                                                                  \
      s->lock[I] = h->id;                                                                                              \
      h->found = !s->elt[I] || s->flaw == FLAW_UNLOCKED_FIND;                                                          \
      if (h->found)                                                                                                    \
      {                                                                                                                \
        h->line = -2 - 2 * __LINE__;                                                                                   \
        return false;                                                                                                  \
      case -2 - 2 * __LINE__:                                                                                          \
        h->old = s->elt[I];                                                                                            \
        s->elt[I] = (int) (x) + 1;                                                                                     \
        sim_write(s, h, VAR_ELT(I), s->elt[I], h->old);                                                                \
      }                                                                                                                \
      s->lock[I] = 0;                                                                                                  \
      if (h->found)                                                                                                    \
        break;                                                                                                         \
    }                                                                                                                  \
    if (I == SLOTS)                                                                                                    \
      I = -1;                                                                                                          \
  } while (0)

static void
set_valid(sim *s, sim_thread *h, int i, bool valid)
{
  int old = s->valid[i];
  s->valid[i] = valid;
  sim_write(s, h, VAR_VALID(i), valid, old);
}

static void
set_elt(sim *s, sim_thread *h, int i, int elt)
{
  int old = s->elt[i];
  s->elt[i] = elt;
  sim_write(s, h, VAR_ELT(i), elt, old);
}

static bool
insert(sim *s, sim_thread *h)
{
  bool pair = sim_current(h)->method == MS_INSERT_PAIR;
  SIM_BEGIN
  sim_return(h, hd_bool(false));
  FIND_SLOT(h->i, sim_current(h)->args[0].i);
  if (h->i < 0)
    return true;
  h->j = h->i;
  if (pair)
  {
    FIND_SLOT(h->j, sim_current(h)->args[1].i);
    if (h->j < 0)
    {
      /* The slot is given away: the tick comes before the store (unless flawed). */
      if (s->flaw == FLAW_LATE_UNDO)
      {
        STEP;
        h->old = s->elt[h->i];
        s->elt[h->i] = 0;
        STEP;
        sim_write(s, h, VAR_ELT(h->i), 0, h->old);
      }
      else
      {
        STEP;
        sim_write(s, h, VAR_ELT(h->i), 0, s->elt[h->i]);
        STEP;
        s->elt[h->i] = 0;
      }
      return true;
    }
  }
  h->low = h->i < h->j ? h->i : h->j;
  h->high = h->i < h->j ? h->j : h->i;
  sim_return(h, hd_bool(true));
  STEP;
  sim_window(s, h);
  ACQUIRE(h->low);
  if (h->high != h->low) /* the flawed FindSlot may give the same slot twice */
    ACQUIRE(h->high);
  sim_block_begin(s, h);
  STEP;
  set_valid(s, h, h->i, true);
  if (s->random & 1) /* the commit may stand anywhere in the block, as long as the locks are held */
  {
    STEP;
    sim_commit(s, h);
  }
  if (pair)
  {
    STEP;
    set_valid(s, h, h->j, true);
  }
  STEP;
  if (!h->committed)
    sim_commit(s, h);
  sim_block_end(s, h);
  RELEASE(h->low);
  if (h->high != h->low)
    RELEASE(h->high);
  return true;
  SIM_END
  return true;
}

static bool
erase(sim *s, sim_thread *h)
{
  SIM_BEGIN
  sim_return(h, hd_bool(false));
  STEP;
  sim_window(s, h); /* from its call on */
  if (s->scan_lock)
    ACQUIRE(LOCK_SCAN);
  for (h->i = 0; h->i < SLOTS; h->i++)
  {
    ACQUIRE(h->i);
    if (s->elt[h->i] == sim_current(h)->args[0].i + 1 && s->valid[h->i])
    {
      sim_return(h, hd_bool(true));
      sim_block_begin(s, h);
      STEP;
      set_valid(s, h, h->i, false);
      STEP;
      set_elt(s, h, h->i, 0);
      STEP;
      sim_commit(s, h);
      sim_block_end(s, h);
      RELEASE(h->i);
      break;
    }
    RELEASE(h->i);
  }
  if (s->scan_lock)
    RELEASE(LOCK_SCAN);
  return true;
  SIM_END
  return true;
}

static bool
lookup(sim *s, sim_thread *h)
{
  SIM_BEGIN
  sim_return(h, hd_bool(false));
  if (s->scan_lock)
    ACQUIRE(LOCK_SCAN);
  for (h->i = 0; h->i < SLOTS; h->i++)
  {
    ACQUIRE(h->i);
    STEP;
    h->found = s->elt[h->i] == sim_current(h)->args[0].i + 1 && s->valid[h->i];
    RELEASE(h->i);
    if (h->found)
    {
      sim_return(h, hd_bool(true));
      break;
    }
  }
  if (s->scan_lock)
    RELEASE(LOCK_SCAN);
  return true;
  SIM_END
  return true;
}

/* How many of x: a snapshot under all locks. */
static bool
how_many(sim *s, sim_thread *h)
{
  SIM_BEGIN
  for (h->i = 0; h->i < SLOTS; h->i++)
    ACQUIRE(h->i);
  h->j = 0;
  for (h->i = 0; h->i < SLOTS; h->i++)
    h->j += s->elt[h->i] == sim_current(h)->args[0].i + 1 && s->valid[h->i];
  for (h->i = 0; h->i < SLOTS; h->i++)
    RELEASE(h->i);
  sim_return(h, hd_int(h->j));
  return true;
  SIM_END
  return true;
}

/* The worker: moves the last valid element into the first empty slot, one block. */
static bool
compress(sim *s, sim_thread *h)
{
  SIM_BEGIN
  ACQUIRE(LOCK_SCAN);
  for (h->i = 0; h->i < SLOTS - 1; h->i++)
  {
    ACQUIRE(h->i);
    for (h->j = SLOTS - 1; h->j > h->i && !s->elt[h->i]; h->j--)
    {
      ACQUIRE(h->j);
      if (s->valid[h->j])
      {
        record_block_begin(s->t, h->id);
        STEP;
        set_elt(s, h, h->i, s->elt[h->j]);
        STEP;
        if (s->flaw != FLAW_LOST_MOVE)
          set_valid(s, h, h->i, true);
        STEP;
        set_valid(s, h, h->j, false);
        STEP;
        set_elt(s, h, h->j, 0);
        STEP;
        record_block_end(s->t, h->id);
      }
      RELEASE(h->j);
    }
    RELEASE(h->i);
  }
  RELEASE(LOCK_SCAN);
  return true;
  SIM_END
  return true;
}

bool
sim_multiset(sim *s, sim_thread *h)
{
  if (sim_current(h)->internal)
    return compress(s, h);
  switch (sim_current(h)->method)
  {
  case MS_INSERT:
  case MS_INSERT_PAIR:
    return insert(s, h);
  case MS_DELETE:
    return erase(s, h);
  case MS_LOOKUP:
    return lookup(s, h);
  default:
    return how_many(s, h);
  }
}
