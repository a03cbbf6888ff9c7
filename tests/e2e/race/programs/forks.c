/* A child process with threads of its own, while other threads of the parent hold locks; wrong: its threads race. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, child_lock = PTHREAD_MUTEX_INITIALIZER;
static long busy, shared;
static volatile int stop;

static void *
keep_busy(void *argument)
{
  for (int i = 0; i < 20000; i++)
  {
    pthread_mutex_lock(&lock);
    busy++;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

static void *
work(void *argument)
{
#ifdef RIGHT
  pthread_mutex_lock(&child_lock);
#endif
  shared++;
#ifdef RIGHT
  pthread_mutex_unlock(&child_lock);
#endif
  return argument;
}

static void
child(void)
{
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  _exit(0);
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, keep_busy, NULL);
  int status = 0, bad = 0;
  for (int i = 0; i < 5; i++)
  {
    if (fork() == 0)
      child();
    bad |= wait(&status) < 0 || status != 0;
  }
  pthread_join(thread, NULL);
  return bad;
}
