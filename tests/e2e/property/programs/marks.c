/* marks.c: two threads mark themselves where something begins and ends, with the one function for all of it, which is
 * called here and there. The accounts are what passes knowledge on, too. The last transfer gives up its lock in the
 * middle, and the other thread looks at the accounts then. Who is next is said by relaxed operations, which order
 * nothing. */
#include <heddle/monitor.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum
{
  ROUNDS = 1000
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long checking = 1000, saving = 1000;
static atomic_int turn;

static void
wait_for(int next)
{
  while (atomic_load_explicit(&turn, memory_order_relaxed) != next)
    sched_yield();
}

static void
hand_over(int next)
{
  atomic_store_explicit(&turn, next, memory_order_relaxed);
}

static void __attribute__((noinline)) mark(long number)
{
  hd_internal("atomic", number);
}

/* NAME is another one each time. */
static void __attribute__((noinline)) note(const char *name, long number)
{
  hd_internal(name, number);
}

static void __attribute__((noinline)) transfer(long amount, long number, int stop)
{
  if (amount % 2)
    mark(number);
  else
    mark(number);
  pthread_mutex_lock(&lock);
  checking -= amount;
  if (stop)
  {
    pthread_mutex_unlock(&lock);
    hand_over(4);
    wait_for(5);
    pthread_mutex_lock(&lock);
  }
  saving += amount;
  pthread_mutex_unlock(&lock);
  mark(0);
  note("account", amount);
  note("accounts", 7);
}

static long __attribute__((noinline)) look(long number)
{
  mark(number);
  pthread_mutex_lock(&lock);
  long sum = checking + saving;
  pthread_mutex_unlock(&lock);
  mark(0);
  return sum;
}

static void *
mover(void *stops)
{
  for (int i = 1; i <= ROUNDS; i++)
    transfer(i % 4, i, 0);
  hand_over(2);
  wait_for(3);
  for (int i = 1; i <= ROUNDS; i++)
    transfer(i % 4, ROUNDS + i, stops && i == ROUNDS);
  return NULL;
}

static void *
looker(void *stops)
{
  long sum = 0;
  wait_for(2);
  for (int i = 1; i <= ROUNDS; i++)
    sum += look(i);
  hand_over(3);
  if (stops)
  {
    wait_for(4);
    sum += look(ROUNDS + 1);
    hand_over(5);
  }
  printf("%ld\n", sum);
  return NULL;
}

int
main(int argc, char **argv)
{
  pthread_t t1, t2;
  (void) argv;
  void *stops = argc > 1 ? &turn : NULL;
  pthread_create(&t1, NULL, mover, stops);
  pthread_create(&t2, NULL, looker, stops);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return 0;
}
