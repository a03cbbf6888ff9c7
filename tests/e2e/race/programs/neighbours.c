/* Threads write bytes that lie side by side, which is fine; wrong: bits of one byte. */
#include <pthread.h>

static struct
{
#ifdef RIGHT
  char a, b;
  short c;
#else
  unsigned a : 3, b : 5, c : 8;
#endif
} s;

static void *
one(void *argument)
{
  s.a = 1;
  return argument;
}

static void *
two(void *argument)
{
  s.b = 1;
  return argument;
}

int
main(void)
{
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, two, NULL);
  s.c = 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return s.a + s.b != 2;
}
