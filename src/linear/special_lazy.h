/* special_lazy.h: the search for registers whose values repeat; shared by special_lazy.c, which makes it, and
 * special_lazy_show.c, which says why it failed. */
#ifndef HD_LINEAR_SPECIAL_LAZY_H
#define HD_LINEAR_SPECIAL_LAZY_H

#include "linear/special_parts.h"

/* An open operation. */
typedef struct lazy_slot
{
  uint32_t op, value, group;
  uint32_t end;   /* of the operation */
  uint32_t until; /* a write: X(end), no read that is called later can see it */
} lazy_slot;

typedef struct lazy
{
  special_job *job;
  special_register *r;
  bool dominance, lookahead;

  /* Of the future: by operation, of a write X(its end), of a read the start of the next read of its value. */
  uint32_t *until;
  uint32_t *next_read; /* by value: the start of the next read that is not called yet, or INF */

  uint32_t npending; /* writes that never return */

  /* Open operations. All those of one value are a group. */
  unsigned words; /* of a set of slots */
  uint32_t *slot; /* by operation */
  lazy_slot *slots;
  uint32_t *free_slots, nfree_slots;
  uint32_t *group;      /* by value: its group + 1; 0: nothing is open */
  uint32_t *group_size; /* by group: open operations */
  uint64_t *group_sets; /* by group: open writes, open reads */
  uint32_t *free_groups, nfree_groups;
  uint64_t *reads, *writes; /* all that are open */
  uint64_t *nothing, *scratch;
  uint32_t *flashes; /* slots */

  /* Configurations: a value and two sets, placed and optional. CAPACITY + 1 fit. */
  uint64_t *now, *next;
  size_t nnow, nnext, capacity, peak, max_configurations;
  uint64_t steps, limit, next_poll;
  bool stopped;
} lazy;

/* OP is a read that no configuration of NOW lets return. */
special_answer hd_lazy_violated(lazy *z, uint32_t op);

#endif
