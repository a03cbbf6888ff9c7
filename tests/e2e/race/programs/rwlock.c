/* A table that is written under a read lock; right: under a write lock. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct
{
  int size, used[4];
} table;

static void *
work(void *argument)
{
  pthread_rwlock_rdlock(&lock);
  int seen = table.size;
  pthread_rwlock_unlock(&lock);
#ifdef RIGHT
  pthread_rwlock_wrlock(&lock);
#else
  pthread_rwlock_rdlock(&lock);
#endif
  table.used[2] += seen + 1;
  pthread_rwlock_unlock(&lock);
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
