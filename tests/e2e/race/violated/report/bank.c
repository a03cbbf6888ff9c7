#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

typedef struct account
{
  long number, balance;
  struct
  {
    int day, amount;
  } history[4];
} account;

static struct
{
  int opened;
  account *accounts[2];
} bank;
static pthread_barrier_t both; /* orders nothing but the start */

static inline void
book(account *a, int slot, int amount)
{
  a->history[slot].amount += amount;
}

static void *
teller(void *argument)
{
  pthread_setname_np(pthread_self(), "teller");
  pthread_barrier_wait(&both);
  bank.opened++;
  book(bank.accounts[1], 2, 10);
  return argument;
}

int
main(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    bank.accounts[i] = calloc(1, sizeof(account));
  pthread_barrier_init(&both, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, teller, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
