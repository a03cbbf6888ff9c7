/* synchronisation.c: x goes from thread to thread, each time handed over by another means; each reader must know what the
 * last writer wrote. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

int x, seen;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static atomic_int flag, relaxed;
static int ends[2];
static bool there;

static void
initialise(void)
{
  x = 7;
}

static void *
reader(void *p)
{
  char c;
  seen = x; /* created: 1 */
  sem_wait(&semaphore);
  seen = x; /* 2 */
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    ;
  seen = x; /* 3 */
  while (!atomic_load_explicit(&relaxed, memory_order_relaxed))
    ;
  atomic_thread_fence(memory_order_acquire);
  seen = x; /* 4 */
  pthread_barrier_wait(&barrier);
  seen = x; /* 5 */
  pthread_mutex_lock(&mutex);
  while (!there)
    pthread_cond_wait(&condition, &mutex);
  seen = x; /* 6 */
  pthread_mutex_unlock(&mutex);
  pthread_once(&once, initialise); /* 7 */
  seen = x;
  if (read(ends[0], &c, 1) == 1)
    seen = x; /* 8 */
  pthread_rwlock_wrlock(&rw);
  x = 9;
  pthread_rwlock_unlock(&rw);
  return p;
}

int
main(void)
{
  pthread_t t;
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  if (pipe(ends) != 0)
    return 2;
  x = 1;
  pthread_create(&t, NULL, reader, NULL);
  x = 2;
  sem_post(&semaphore);
  x = 3;
  atomic_store_explicit(&flag, 1, memory_order_release);
  x = 4;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&relaxed, 1, memory_order_relaxed);
  x = 5;
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  x = 6;
  there = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_once(&once, initialise);
  x = 8;
  if (write(ends[1], "", 1) != 1)
    return 2;
  for (bool nine = false; !nine;)
  {
    pthread_rwlock_rdlock(&rw);
    nine = x == 9;
    pthread_rwlock_unlock(&rw);
  }
  pthread_join(t, NULL);
  seen = x;
  return 0;
}
