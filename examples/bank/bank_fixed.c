/* bank_fixed.c: bank_locked.c, but nobody sees half a transfer. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum
{
  ACCOUNTS = 4,
  TRANSFERS = 200
};

static struct account
{
  pthread_mutex_t lock;
  long balance;
} accounts[ACCOUNTS];

static void
change(struct account *a, long amount)
{
  pthread_mutex_lock(&a->lock);
  a->balance += amount;
  pthread_mutex_unlock(&a->lock);
}

static void
ask_other_branch(void)
{
  usleep(200);
}

static void
transfer(struct account *from, struct account *to, long amount)
{
  struct account *first = from < to ? from : to, *second = from < to ? to : from;
  ask_other_branch();
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *
teller(void *back)
{
  for (int i = 0; i < TRANSFERS; i++)
  {
    struct account *one = &accounts[i % ACCOUNTS], *next = &accounts[(i + 1) % ACCOUNTS];
    if (back)
      transfer(next, one, 10);
    else
      transfer(one, next, 10);
  }
  return NULL;
}

static void
pay_interest(void)
{
  for (int i = 0; i < ACCOUNTS; i++)
    change(&accounts[i], 5);
}

int
main(void)
{
  pthread_t tellers[2];
  long total = 0;
  for (int i = 0; i < ACCOUNTS; i++)
  {
    pthread_mutex_init(&accounts[i].lock, NULL);
    accounts[i].balance = 1000;
  }
  pthread_create(&tellers[0], NULL, teller, NULL);
  pthread_create(&tellers[1], NULL, teller, "back");
  usleep(1000);
  pay_interest();
  for (int i = 0; i < 2; i++)
    pthread_join(tellers[i], NULL);
  for (int i = 0; i < ACCOUNTS; i++)
    total += accounts[i].balance;
  puts(total == ACCOUNTS * 1005L ? "the books balance" : "MONEY IS MISSING");
  return 0;
}
