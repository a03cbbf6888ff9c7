/* rt_children.h: processes that the program starts, and what the command is told of them (rt_children.c). */
#ifndef HD_RT_CHILDREN_H
#define HD_RT_CHILDREN_H

#include <stddef.h>

/* What a child did. */
enum
{
  HD_RT_CHILD_THREADS = 1, /* it started threads */
  HD_RT_CHILD_SHARES = 2,  /* it has memory in common with other processes */
  HD_RT_CHILD_EXECS = 4,   /* another program took its place */
  HD_RT_CHILD_SHELL = 8,   /* ... which is a shell that runs a command */
  HD_RT_CHILD_ENDED = 16,
  HD_RT_CHILD_MANY = 32,   /* there were too many to tell */
  HD_RT_CHILD_BEGINS = 64, /* it has done nothing yet */
};

#pragma GCC visibility push(hidden)

void hd_rt_children_start(void);
/* In a child, but for _count: */
void hd_rt_children_forked(void);
void hd_rt_children_count(int forks); /* 1 in the parent of a fork, -1 in the child */
void hd_rt_children_thread(void);     /* it starts a thread */
void hd_rt_children_end(void);
/* Before the program ends: a line for each child, with its end. */
void hd_rt_children_tell(void (*send)(const char *bytes, size_t n));

#pragma GCC visibility pop

#endif
