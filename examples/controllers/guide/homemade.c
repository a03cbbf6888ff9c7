/* homemade.c: a reader-writer lock as one writes it in an afternoon, and its test. Writers go before readers. The test
 * passes, on every run; docs/controllers-guide.md says what it does not see. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, waiting;
static bool writer;

static void
read_lock(void)
{
  pthread_mutex_lock(&mutex);
  while (writer || waiting > 0)
    pthread_cond_wait(&changed, &mutex);
  readers++;
  pthread_mutex_unlock(&mutex);
}

static void
read_unlock(void)
{
  pthread_mutex_lock(&mutex);
  readers--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void
write_lock(void)
{
  pthread_mutex_lock(&mutex);
  waiting++;
  while (readers > 0)
    pthread_cond_wait(&changed, &mutex);
  waiting--;
  writer = true;
  pthread_mutex_unlock(&mutex);
}

static void
write_unlock(void)
{
  pthread_mutex_lock(&mutex);
  writer = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

/* ---- its test: readers that look, and the thread that reloads the table ---- */

enum
{
  READERS = 4,
  ROUNDS = 20000
};

static int left, right; /* always equal, for readers */

static void *
look(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
  {
    read_lock();
    assert(left == right);
    read_unlock();
  }
  return unused;
}

static void *
reload(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
  {
    write_lock();
    left++;
    right++;
    write_unlock();
  }
  return unused;
}

int
main(void)
{
  pthread_t threads[READERS + 1];
  for (int i = 0; i < READERS; i++)
    pthread_create(&threads[i], NULL, look, NULL);
  pthread_create(&threads[READERS], NULL, reload, NULL);
  for (int i = 0; i <= READERS; i++)
    pthread_join(threads[i], NULL);
  assert(left == ROUNDS && right == ROUNDS);
  puts("passed");
}
