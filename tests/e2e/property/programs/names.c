/* names.c: variables of many kinds. */
#include <pthread.h>

struct account
{
  pthread_mutex_t lock;
  int balance;
  double rate;
} accounts[3];
struct account *best = accounts;
double temperature;
char title[16];
__thread int own;

static void *
worker(void *p)
{
  accounts[2].balance = 1;
  return p;
}

int
main(void)
{
  pthread_t t;
  own = 1;
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  return 0;
}
