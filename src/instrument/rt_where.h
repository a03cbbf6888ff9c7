/* rt_where.h: what a report says about an address, so that the command can name it. */
#ifndef HD_RT_WHERE_H
#define HD_RT_WHERE_H

#include "instrument/rt_core.h"

#pragma GCC visibility push(hidden)

enum hd_rt_where_kind
{
  HD_RT_GLOBAL, /* or nobody knows */
  HD_RT_ON_STACK,
  HD_RT_THREAD_LOCAL,
  HD_RT_IN_HEAP
};
typedef struct hd_rt_where
{
  enum hd_rt_where_kind kind;
  uint32_t thread;       /* whose; of a block: who allocated it */
  uint32_t freed_by;     /* 0: nobody */
  bool gone;             /* the thread ended */
  uintptr_t cfa, sp, pc; /* of a frame; 0: not known */
  uintptr_t start, size; /* of a block; of a thread's own variable: its module, and where in that module's */
  const hd_rt_block_info *block;
} hd_rt_where;
/* Between these two, by one caller at a time, what follows may be asked. OWN_PC: where the caller is in the program. */
void hd_rt_where_begin(void);
void hd_rt_where_end(void);
void hd_rt_where_is(uintptr_t p, uintptr_t own_pc, hd_rt_where *w);

/* A word at ADDRESS that holds VALUE, which points into a block: that of holder CHILD - 1, or the one asked for. */
typedef struct hd_rt_holder
{
  uint32_t child;
  uintptr_t address, value;
  hd_rt_where where;
} hd_rt_holder;
unsigned hd_rt_holders(uintptr_t start, size_t size, uintptr_t own_pc, hd_rt_holder *list, unsigned max);

#pragma GCC visibility pop

#endif
