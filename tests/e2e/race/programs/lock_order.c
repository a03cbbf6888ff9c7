/* Two accounts are locked in two orders: two transfers in opposite directions may wait for each other for ever. Right:
 * the account with the lower number is locked first. */
#include <pthread.h>

#include "order.h"

typedef struct account
{
  int number;
  long balance;
  pthread_mutex_t lock;
} account;
static account accounts[2] = {{0, 100, PTHREAD_MUTEX_INITIALIZER}, {1, 100, PTHREAD_MUTEX_INITIALIZER}};

static void
transfer(account *from, account *to, long amount)
{
  account *first = from, *second = to;
#ifdef RIGHT
  if (to->number < from->number)
  {
    first = to;
    second = from;
  }
#endif
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *
there(void *argument)
{
  transfer(&accounts[0], &accounts[1], 10);
  done();
  return argument;
}

static void *
back(void *argument)
{
  after(1); /* this time nothing happens */
  transfer(&accounts[1], &accounts[0], 10);
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, there, NULL);
  pthread_create(&two, NULL, back, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
