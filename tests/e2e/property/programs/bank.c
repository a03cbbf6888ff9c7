/* bank.c: the bank of section 3 of the paper: with an argument its second execution, else its first. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <heddle/monitor.h>

/* Relaxed operations force the schedule and order nothing: only the accounts carry knowledge. */
static atomic_int step;

static void
await(int n)
{
  while (atomic_load_explicit(&step, memory_order_relaxed) != n)
    ;
}

static void
go(int n)
{
  atomic_store_explicit(&step, n, memory_order_relaxed);
}

struct account
{
  volatile int balance;
} checking = {100}, saving = {50};
static int second;

static int
calc_balance(void)
{
  hd_internal("atomic", 1);
  if (second)
    await(1);
  int a = checking.balance;
  go(second ? 2 : 1);
  if (!second)
    await(2);
  int b = saving.balance;
  go(3);
  hd_internal("atomic", 0);
  return a + b;
}

static void
transfer(int amount)
{
  hd_internal("atomic", 1);
  if (!second)
    await(1);
  checking.balance = checking.balance - amount;
  go(second ? 1 : 2);
  await(3);
  saving.balance = saving.balance + amount;
  hd_internal("atomic", 0);
}

static void *
t1(void *p)
{
  (void) p;
  printf("%d\n", calc_balance());
  return NULL;
}

static void *
t2(void *p)
{
  (void) p;
  transfer(10);
  return NULL;
}

int
main(int argc, char **argv)
{
  pthread_t a, b;
  (void) argv;
  second = argc > 1;
  pthread_create(&a, NULL, t1, NULL);
  pthread_create(&b, NULL, t2, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
