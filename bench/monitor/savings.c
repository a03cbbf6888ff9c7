/* savings.c: the bank of the paper that the logic of properties comes from, as far as its section 3 tells it: two
 * accounts; one thread adds up what is in them, the other moves money from one to the other. Both are to be atomic, and
 * say themselves where they begin and end. Here a lock keeps them apart, as Java's synchronized methods would be.
 *
 * The paper speaks of a run of about 2000 of them, in Java. In C these take less time than a process needs to start; so
 * there are more.
 *
 * atomic: calc_balance,transfer */
#include <heddle/monitor.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct account
{
  long balance;
} account;

static account checking = {1000}, saving = {1000};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long rounds = 1000000;

static long
calc_balance(long number)
{
  hd_internal("atomic", number);
  pthread_mutex_lock(&lock);
  long balance1 = checking.balance;
  long balance2 = saving.balance;
  pthread_mutex_unlock(&lock);
  hd_internal("atomic", 0);
  return balance1 + balance2;
}

static void
transfer(long amount, long number)
{
  hd_internal("atomic", number);
  pthread_mutex_lock(&lock);
  checking.balance = checking.balance - amount;
  saving.balance = saving.balance + amount;
  pthread_mutex_unlock(&lock);
  hd_internal("atomic", 0);
}

static void *
add_up(void *argument)
{
  (void) argument;
  for (unsigned long i = 1; i <= rounds; i++)
    if (calc_balance((long) i) != 2000)
      abort();
  return NULL;
}

static void *
move(void *argument)
{
  (void) argument;
  for (unsigned long i = 1; i <= rounds; i++)
    transfer((long) (i % 7) - 3, (long) i);
  return NULL;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  pthread_t t1, t2;
  pthread_create(&t1, NULL, add_up, NULL);
  pthread_create(&t2, NULL, move, NULL);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  printf("%ld\n", calc_balance((long) rounds + 1));
  return 0;
}
