/* Every call that takes what another thread gave: the timed ones, those that only try, those with a clock. Right: what
 * was written before is read after it; wrong: without it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "order.h"

#ifdef RIGHT
#define TAKE(call) call
#else
#define TAKE(call) 0
#endif

static struct
{
  int sem_trywait, sem_timedwait, sem_clockwait, mutex_trylock, mutex_timedlock, mutex_clocklock, tryrdlock, trywrlock,
      timedrdlock, timedwrlock, clockrdlock, clockwrlock, cond_timedwait, cond_clockwait, eventfd, pipe, mtx_timedlock,
      mtx_trylock, cnd_timedwait, spin_trylock, tryjoin, timedjoin, clockjoin, detached;
} on;
static sem_t semaphores[3];
static pthread_mutex_t mutexes[4]
    = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlocks[6]
    = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER,
       PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t mtx[3];
static cnd_t cnd;
static pthread_spinlock_t spin;
static int event, ends[2];
static const struct timespec never = {.tv_sec = 1L << 40}, long_ago = {0};

#define GIVE(name, take, give)                                                                                         \
  take;                                                                                                                \
  on.name = 1;                                                                                                         \
  give

static void *
gives(void *argument)
{
  GIVE(sem_trywait, , sem_post(&semaphores[0]));
  GIVE(sem_timedwait, , sem_post(&semaphores[1]));
  GIVE(sem_clockwait, , sem_post(&semaphores[2]));
  GIVE(mutex_trylock, pthread_mutex_lock(&mutexes[0]), pthread_mutex_unlock(&mutexes[0]));
  GIVE(mutex_timedlock, pthread_mutex_lock(&mutexes[1]), pthread_mutex_unlock(&mutexes[1]));
  GIVE(mutex_clocklock, pthread_mutex_lock(&mutexes[2]), pthread_mutex_unlock(&mutexes[2]));
  GIVE(tryrdlock, pthread_rwlock_wrlock(&rwlocks[0]), pthread_rwlock_unlock(&rwlocks[0]));
  GIVE(trywrlock, pthread_rwlock_wrlock(&rwlocks[1]), pthread_rwlock_unlock(&rwlocks[1]));
  GIVE(timedrdlock, pthread_rwlock_wrlock(&rwlocks[2]), pthread_rwlock_unlock(&rwlocks[2]));
  GIVE(timedwrlock, pthread_rwlock_wrlock(&rwlocks[3]), pthread_rwlock_unlock(&rwlocks[3]));
  GIVE(clockrdlock, pthread_rwlock_wrlock(&rwlocks[4]), pthread_rwlock_unlock(&rwlocks[4]));
  GIVE(clockwrlock, pthread_rwlock_wrlock(&rwlocks[5]), pthread_rwlock_unlock(&rwlocks[5]));
  GIVE(eventfd, , eventfd_write(event, 1));
  ssize_t wrote;
  GIVE(pipe, , wrote = write(ends[1], "x", 1));
  GIVE(mtx_timedlock, mtx_lock(&mtx[0]), mtx_unlock(&mtx[0]));
  GIVE(mtx_trylock, mtx_lock(&mtx[1]), mtx_unlock(&mtx[1]));
  GIVE(spin_trylock, pthread_spin_lock(&spin), pthread_spin_unlock(&spin));
  done();
  after(2); /* the other one has the mutexes of the conditions; it gives them away only while it waits */
#ifdef RIGHT
  GIVE(cond_timedwait, pthread_mutex_lock(&inner), pthread_mutex_unlock(&inner));
  GIVE(cnd_timedwait, mtx_lock(&mtx[2]), mtx_unlock(&mtx[2]));
  GIVE(cond_clockwait, pthread_mutex_lock(&mutexes[3]), pthread_mutex_unlock(&mutexes[3]));
#else
  on.cond_timedwait = on.cnd_timedwait = on.cond_clockwait = 1;
#endif
  done();
  (void) wrote;
  return argument;
}

static void *
ends_after(void *argument)
{
  *(int *) argument = 1;
  return NULL;
}

static int
detached(void *argument)
{
  (void) argument;
  mtx_lock(&mtx[0]);
  on.detached = 1;
  mtx_unlock(&mtx[0]);
  done();
  return 0;
}

/* A wait that times out gave the mutex away meanwhile, and has it again. */
static void
conditions(void)
{
#ifdef RIGHT
  pthread_mutex_lock(&inner);
  mtx_lock(&mtx[2]);
  pthread_mutex_lock(&mutexes[3]);
  done();
  while (!on.cond_timedwait)
    pthread_cond_timedwait(&condition, &inner, &long_ago);
  while (!on.cnd_timedwait)
    cnd_timedwait(&cnd, &mtx[2], &long_ago);
  while (!on.cond_clockwait)
    pthread_cond_clockwait(&condition, &mutexes[3], CLOCK_MONOTONIC, &long_ago);
#else
  done();
  after(3);
  on.cond_timedwait++;
  on.cnd_timedwait++;
  on.cond_clockwait++;
#endif
}

static void
joins(void)
{
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, ends_after, &on.tryjoin);
  pthread_create(&threads[1], NULL, ends_after, &on.timedjoin);
  pthread_create(&threads[2], NULL, ends_after, &on.clockjoin);
#ifdef RIGHT
  while (pthread_tryjoin_np(threads[0], NULL) != 0)
    thrd_yield();
  pthread_timedjoin_np(threads[1], NULL, &never);
  pthread_clockjoin_np(threads[2], NULL, CLOCK_MONOTONIC, &never);
#endif
  on.tryjoin++;
  on.timedjoin++;
  on.clockjoin++;
#ifndef RIGHT
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
#endif
}

int
main(void)
{
  pthread_t thread;
  thrd_t other;
  eventfd_t value;
  char byte;
  for (int i = 0; i < 3; i++)
  {
    sem_init(&semaphores[i], 0, 0);
    mtx_init(&mtx[i], mtx_timed);
  }
  cnd_init(&cnd);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  event = eventfd(0, 0);
  if (pipe(ends) != 0)
    return 2;
  pthread_create(&thread, NULL, gives, NULL);
  after(1);
  int result = 0;
  result += TAKE(sem_trywait(&semaphores[0]));
  on.sem_trywait++;
  result += TAKE(sem_timedwait(&semaphores[1], &never));
  on.sem_timedwait++;
  result += TAKE(sem_clockwait(&semaphores[2], CLOCK_MONOTONIC, &never));
  on.sem_clockwait++;
  result += TAKE(pthread_mutex_trylock(&mutexes[0]));
  on.mutex_trylock++;
  result += TAKE(pthread_mutex_timedlock(&mutexes[1], &never));
  on.mutex_timedlock++;
  result += TAKE(pthread_mutex_clocklock(&mutexes[2], CLOCK_MONOTONIC, &never));
  on.mutex_clocklock++;
  result += TAKE(pthread_rwlock_tryrdlock(&rwlocks[0]));
  on.tryrdlock++;
  result += TAKE(pthread_rwlock_trywrlock(&rwlocks[1]));
  on.trywrlock++;
  result += TAKE(pthread_rwlock_timedrdlock(&rwlocks[2], &never));
  on.timedrdlock++;
  result += TAKE(pthread_rwlock_timedwrlock(&rwlocks[3], &never));
  on.timedwrlock++;
  result += TAKE(pthread_rwlock_clockrdlock(&rwlocks[4], CLOCK_MONOTONIC, &never));
  on.clockrdlock++;
  result += TAKE(pthread_rwlock_clockwrlock(&rwlocks[5], CLOCK_MONOTONIC, &never));
  on.clockwrlock++;
  result += TAKE(eventfd_read(event, &value));
  on.eventfd++;
  result += TAKE(read(ends[0], &byte, 1) != 1);
  on.pipe++;
  result += TAKE(mtx_timedlock(&mtx[0], &never));
  on.mtx_timedlock++;
  TAKE(mtx_unlock(&mtx[0]));
  result += TAKE(mtx_trylock(&mtx[1]));
  on.mtx_trylock++;
  result += TAKE(pthread_spin_trylock(&spin));
  on.spin_trylock++;
  conditions();
  joins();
  thrd_create(&other, detached, NULL);
  thrd_detach(other);
  after(4);
  TAKE(mtx_lock(&mtx[0]));
  on.detached++;
  TAKE(mtx_unlock(&mtx[0]));
  return result != 0;
}
