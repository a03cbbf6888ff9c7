/* Threads that are cancelled while they wait; their cleanup handler has the lock. Wrong: it gives the lock up too
 * early. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, cancelled;

static void
clean(void *argument)
{
#ifdef RIGHT
  cancelled++;
  pthread_mutex_unlock(argument);
#else
  pthread_mutex_unlock(argument);
  cancelled++;
#endif
}

static void *
work(void *argument)
{
  pthread_mutex_lock(&lock);
  waiting++;
  pthread_cleanup_push(clean, &lock);
  for (;;)
    pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(1);
  return argument;
}

int
main(void)
{
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int all = 0; !all;)
  {
    pthread_mutex_lock(&lock);
    all = waiting == 3;
    pthread_mutex_unlock(&lock);
  }
  for (int i = 0; i < 3; i++)
    pthread_cancel(threads[i]);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return cancelled != 3;
}
