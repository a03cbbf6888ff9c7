/* kinds.h: kinds of events, and what their targets are: numbers that the file has. No code, so that a traced program
 * can use it too. */
#ifndef HD_TRACE_KINDS_H
#define HD_TRACE_KINDS_H

/* The numbers are those of the file. */
typedef enum hd_trace_kind
{
  HD_TRACE_READ = 1, /* of a variable, or of SIZE bytes from an address on */
  HD_TRACE_WRITE = 2,
  HD_TRACE_ACQUIRE = 3, /* a mutex, or a reader-writer lock for writing */
  HD_TRACE_RELEASE = 4,
  HD_TRACE_ACQUIRE_SHARED = 5, /* a reader-writer lock for reading */
  HD_TRACE_RELEASE_SHARED = 6,
  HD_TRACE_FORK = 7, /* target: the thread that starts, or that was waited for */
  HD_TRACE_JOIN = 8,
  HD_TRACE_BEGIN = 9, /* of an atomic block */
  HD_TRACE_END = 10,
  HD_TRACE_ATOMIC_LOAD = 11, /* these four have a memory order */
  HD_TRACE_ATOMIC_STORE = 12,
  HD_TRACE_ATOMIC_RMW = 13, /* read, modify, write; a comparison that failed is a load */
  HD_TRACE_FENCE = 14,
  HD_TRACE_WAIT = 15, /* a condition variable: about to wait, woken up (the mutex has its own events) */
  HD_TRACE_WAKE = 16,
  HD_TRACE_SIGNAL = 17,
  HD_TRACE_BROADCAST = 18,
  HD_TRACE_POST = 19, /* a semaphore: up, down */
  HD_TRACE_PEND = 20,
  HD_TRACE_ARRIVE = 21, /* a barrier; SIZE: how many it waits for, 0: unknown */
  HD_TRACE_LEAVE = 22,
  HD_TRACE_ALLOC = 23, /* SIZE bytes of memory begin or end their life */
  HD_TRACE_FREE = 24,
  HD_TRACE_KINDS = 25
} hd_trace_kind;

/* What the target of an event is. */
typedef enum hd_trace_class
{
  HD_TRACE_NOTHING,
  HD_TRACE_VARIABLE, /* SIZE 0: a number that stands for a name; else an address */
  HD_TRACE_LOCK,
  HD_TRACE_THREAD,
  HD_TRACE_OBJECT,  /* condition variable, semaphore, barrier */
  HD_TRACE_ADDRESS, /* names only: a variable that is an address */
  HD_TRACE_CLASSES
} hd_trace_class;

typedef enum hd_trace_order
{
  HD_TRACE_RELAXED,
  HD_TRACE_CONSUME,
  HD_TRACE_ACQUIRES,
  HD_TRACE_RELEASES,
  HD_TRACE_ACQ_REL,
  HD_TRACE_SEQ_CST,
  HD_TRACE_ORDERS
} hd_trace_order;

enum hd_trace_flag
{
  HD_TRACE_TRIED = 1 /* a lock that was taken by a call that never waits */
};

enum
{
  HD_TRACE_MAX_THREADS = 1 << 16,
  HD_TRACE_MAX_NAME = 1 << 16,   /* bytes of one name */
  HD_TRACE_MAX_ACCESS = 1 << 16, /* bytes of one access; who copies more has several */
};

#endif
