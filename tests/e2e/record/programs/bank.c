/* A deposit that reads and writes the balance under the lock, but not under one and the same; right: it is. No race. */
#include <pthread.h>
#include <stddef.h>

#include "order.h"

typedef struct account
{
  long balance;
  pthread_mutex_t lock;
} account;
static account accounts[2] = {{0, PTHREAD_MUTEX_INITIALIZER}, {0, PTHREAD_MUTEX_INITIALIZER}};

#define LOCK(a) pthread_mutex_lock(&(a)->lock)
#define UNLOCK(a) pthread_mutex_unlock(&(a)->lock)

__attribute__((noinline)) static void
deposit(account *a, long amount, int first)
{
  LOCK(a);
  long before = a->balance;
#ifndef RIGHT
  UNLOCK(a);
  if (first)
  {
    done();
    after(2); /* the other one comes between */
  }
  LOCK(a);
#endif
  a->balance = before + amount;
  UNLOCK(a);
#ifdef RIGHT
  if (first)
    done();
#endif
}

__attribute__((noinline)) void
close_account(account *a)
{
  LOCK(a);
  a->balance = 0;
  UNLOCK(a);
}

static void *
first(void *argument)
{
  deposit(&accounts[1], 1, 1);
  return argument;
}

static void *
second(void *argument)
{
  after(1);
  deposit(&accounts[1], 1, 0);
  done();
  return argument;
}

int
main(int argc, char **argv)
{
  (void) argv;
  pthread_t one, two;
  if (argc > 1)
    close_account(&accounts[0]);
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&two, NULL, second, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
