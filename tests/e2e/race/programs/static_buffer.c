/* localtime answers in one buffer for all threads; right: localtime_r. */
#include <pthread.h>
#include <time.h>

#include "order.h"

static int
year_of(time_t t)
{
#ifdef RIGHT
  struct tm own;
  return localtime_r(&t, &own)->tm_year;
#else
  return localtime(&t)->tm_year;
#endif
}

static void *
work(void *argument)
{
  int year = year_of(0);
  done();
  return year ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
  int year = year_of(1000000000);
  pthread_join(thread, NULL);
  return year < 100;
}
