/* A spin lock made of an atomic flag; wrong: it is released with relaxed order. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static long long total;

static void *
work(void *argument)
{
  for (int i = 0; i < 200; i++)
  {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
      ;
    total += i;
#ifdef RIGHT
    atomic_flag_clear_explicit(&busy, memory_order_release);
#else
    atomic_flag_clear_explicit(&busy, memory_order_relaxed);
#endif
  }
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
