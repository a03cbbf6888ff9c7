/* jobs.c: a small job queue without a mutex or a condition variable in sight. Producers put numbers into a ring,
 * workers take them out and note results in a table that a reporter may read meanwhile, and everybody starts together.
 *
 *   bb_mutex   the ring: room or something to take, and one thread at a time
 *   rw         the table: many readers or one writer
 *   barrier    the start
 *   latch      the end: counted down once for each job
 *
 * Compile with -DHD_CHECK_INTERFACE -g to have every call and every access to the ring and the table checked against
 * the interfaces while it runs. */
#include "bb_mutex.h"
#include "rw.h"
#include "barrier.h"
#include "latch.h"

#include <stdio.h>

enum
{
  RING = 4,
  PRODUCERS = 2,
  WORKERS = 3,
  JOBS = 1000, /* of each producer; the workers together do all of them */
  LOOKS = 500,
  END_OF_WORK = 0,
};

typedef struct queue
{
  bb_mutex control;
  int first, n;
  int jobs[RING];
} queue;

typedef struct table
{
  rw control;
  long done, sum;
} table;

static queue ring;
static table results;
static barrier start;
static latch finished;

/* Data is touched in functions like these, and each says in which states of the interface that is right. */
static void
put(queue *q, int job)
{
  HD_DATA(&q->control, bb_mutex, cs);
  q->jobs[(q->first + q->n++) % RING] = job;
}

static int
take(queue *q)
{
  HD_DATA(&q->control, bb_mutex, cs);
  const int job = q->jobs[q->first];
  q->first = (q->first + 1) % RING;
  q->n--;
  return job;
}

static void
note(table *t, int job)
{
  HD_DATA(&t->control, rw, writing);
  t->done++;
  t->sum += job;
}

static long
done(const table *t)
{
  HD_DATA(&t->control, rw, reading, writing);
  return t->done;
}

static void *
producer(void *arg)
{
  (void) arg;
  barrier_enter(&start);
  barrier_leave(&start);
  for (int job = 1; job <= JOBS; job++)
  {
    bb_mutex_produce_acquire(&ring.control);
    put(&ring, job);
    bb_mutex_release(&ring.control);
  }
  return NULL;
}

static void *
worker(void *arg)
{
  (void) arg;
  barrier_enter(&start);
  barrier_leave(&start);
  for (;;)
  {
    bb_mutex_consume_acquire(&ring.control);
    const int job = take(&ring);
    bb_mutex_release(&ring.control);
    if (job == END_OF_WORK)
      return NULL;

    rw_w_enter(&results.control);
    note(&results, job);
    rw_w_exit(&results.control);
    latch_count_down(&finished);
  }
}

/* Looks at the table while the others work. */
static void *
reporter(void *arg)
{
  (void) arg;
  long last = 0, backwards = 0;
  for (int i = 0; i < LOOKS; i++)
  {
    rw_r_enter(&results.control);
    const long now = done(&results);
    rw_r_exit(&results.control);
    backwards += now < last;
    last = now;
  }
  printf("the reporter saw the number of jobs fall %ld times\n", backwards);
  return NULL;
}

int
main(void)
{
  bb_mutex_init(&ring.control, RING);
  rw_init(&results.control);
  barrier_init(&start, PRODUCERS + WORKERS);
  latch_init(&finished, PRODUCERS * JOBS);

  pthread_t threads[PRODUCERS + WORKERS + 1];
  int n = 0;
  for (int i = 0; i < PRODUCERS; i++)
    pthread_create(&threads[n++], NULL, producer, NULL);
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&threads[n++], NULL, worker, NULL);
  pthread_create(&threads[n++], NULL, reporter, NULL);

  latch_pass(&finished); /* all jobs are done: send the workers home */
  for (int i = 0; i < WORKERS; i++)
  {
    bb_mutex_produce_acquire(&ring.control);
    put(&ring, END_OF_WORK);
    bb_mutex_release(&ring.control);
  }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);

  rw_r_enter(&results.control);
  printf("%ld jobs, sum %ld\n", done(&results), results.sum);
  rw_r_exit(&results.control);
  latch_destroy(&finished);
  barrier_destroy(&start);
  rw_destroy(&results.control);
  bb_mutex_destroy(&ring.control);
  return 0;
}
