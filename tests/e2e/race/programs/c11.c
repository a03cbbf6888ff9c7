/* <threads.h>: a queue with mutex and condition variable; wrong: its length is looked at without the mutex. */
#include <threads.h>

#include "order.h"

static mtx_t lock;
static cnd_t not_empty;
static once_flag once = ONCE_FLAG_INIT;
static int queue[4], length;

static void
set_up(void)
{
  mtx_init(&lock, mtx_plain);
  cnd_init(&not_empty);
}

static int
work(void *argument)
{
  (void) argument;
  call_once(&once, set_up);
#ifndef RIGHT
  after(1);
  if (length == 3)
    return 3;
#endif
  mtx_lock(&lock);
  while (length == 0)
    cnd_wait(&not_empty, &lock);
  int got = queue[--length];
  mtx_unlock(&lock);
  return got;
}

int
main(void)
{
  thrd_t thread;
  int got;
  call_once(&once, set_up);
  thrd_create(&thread, work, NULL);
  mtx_lock(&lock);
  queue[length++] = 9;
  mtx_unlock(&lock);
  done();
  cnd_signal(&not_empty);
  thrd_join(thread, &got);
  return got != 9;
}
