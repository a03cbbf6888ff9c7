/* bank.c: transfers between accounts with a lock each, taken in order of their number; now and then all are added up.
 * atomic: transfer,total */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  ACCOUNTS = 48,
  THREADS = 2
};

typedef struct account
{
  pthread_mutex_t lock;
  long balance;
  unsigned long transfers;
  char owner[24];
} account;

static account accounts[ACCOUNTS];
static unsigned long rounds = 1000000;

static int
transfer(account *from, account *to, long amount)
{
  account *low = from < to ? from : to, *high = from < to ? to : from;
  int done = 0;
  pthread_mutex_lock(&low->lock);
  pthread_mutex_lock(&high->lock);
  if (from->balance >= amount)
  {
    from->balance -= amount;
    to->balance += amount;
    from->transfers++;
    to->transfers++;
    done = 1;
  }
  pthread_mutex_unlock(&high->lock);
  pthread_mutex_unlock(&low->lock);
  return done;
}

static long
total(void)
{
  long sum = 0;
  for (int i = 0; i < ACCOUNTS; i++)
    pthread_mutex_lock(&accounts[i].lock);
  for (int i = 0; i < ACCOUNTS; i++)
    sum += accounts[i].balance;
  for (int i = ACCOUNTS - 1; i >= 0; i--)
    pthread_mutex_unlock(&accounts[i].lock);
  return sum;
}

static void *
work(void *argument)
{
  uint64_t state = (uint64_t) (uintptr_t) argument * 0x9e3779b97f4a7c15ull + 1;
  unsigned long failed = 0;
  for (unsigned long i = 0; i < rounds; i++)
  {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    unsigned from = (unsigned) (state % ACCOUNTS), to = (unsigned) (state / ACCOUNTS % ACCOUNTS);
    if (from == to)
      continue;
    if (!transfer(&accounts[from], &accounts[to], (long) (state >> 40 & 63)))
      failed++;
    if (i % 4096 == 0 && total() != 1000L * ACCOUNTS)
      abort();
  }
  return (void *) failed;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  for (int i = 0; i < ACCOUNTS; i++)
  {
    pthread_mutex_init(&accounts[i].lock, NULL);
    accounts[i].balance = 1000;
    snprintf(accounts[i].owner, sizeof accounts[i].owner, "owner %d", i);
  }
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%ld\n", total());
  return 0;
}
