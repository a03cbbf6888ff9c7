/* program.c: a counter behind a lock, used by four threads: what a user of the installed library would write. */
#include <pthread.h>

#include <heddle/heddle.h>

static struct
{
  hd_object log;
  pthread_mutex_t lock;
  long total;
} counter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
add(long n)
{
  HD_CALL(&counter.log, "add", n);
  pthread_mutex_lock(&counter.lock);
  counter.total += n;
  HD_COMMIT(&counter.log);
  pthread_mutex_unlock(&counter.lock);
  HD_RETURN(&counter.log);
}

static long
get(void)
{
  HD_CALL(&counter.log, "get");
  pthread_mutex_lock(&counter.lock);
  long total = counter.total;
  pthread_mutex_unlock(&counter.lock);
  HD_RETURN(&counter.log, total);
  return total;
}

static void *
work(void *unused)
{
  (void) unused;
  for (int i = 0; i < 1000; i++)
  {
    add(i % 7);
    get();
  }
  return NULL;
}

int
main(void)
{
  pthread_t threads[4];
  hd_object_init(&counter.log, "counter", "total");
  for (int i = 0; i < 4; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      return 1;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  hd_object_destroy(&counter.log);
  return 0;
}
