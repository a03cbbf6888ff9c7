/* figure2.c: Fig. 2 of the paper: three threads; a relaxed counter, which orders nothing, forces the order of the
 * steps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int now;
static void
await(int n)
{
  while (atomic_load_explicit(&now, memory_order_relaxed) != n)
    ;
}
static void
done(void)
{
  atomic_fetch_add_explicit(&now, 1, memory_order_relaxed);
}

volatile int x, y, u, v;

static void *
t1(void *p)
{
  await(0);
  x = 1;
  y = x;
  done();
  await(4);
  u = 9;
  done();
  return p;
}

static void *
t2(void *p)
{
  await(1);
  u = 2;
  done();
  await(3);
  v = u + v;
  done();
  await(5);
  v = v + x;
  done();
  return p;
}

static void *
t3(void *p)
{
  await(2);
  v = x;
  u = y + u;
  done();
  return p;
}

int
main(void)
{
  void *(*run[])(void *) = {t1, t2, t3};
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, run[i], NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  printf("%d %d %d %d\n", x, y, u, v);
  return 0;
}
