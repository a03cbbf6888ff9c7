/* matrix.c: a product of matrices; each thread makes some of the rows. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  THREADS = 2
};

static unsigned long n = 500, rows = 500; /* ROWS: of the product that are made, again from the first after the last */
static double *a, *b, *c;

static void *
work(void *argument)
{
  for (unsigned long r = (uintptr_t) argument; r < rows; r += THREADS)
  {
    unsigned long i = r % n;
    for (unsigned long k = 0; k < n; k++)
      for (unsigned long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
  return NULL;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rows = rows * strtoul(argv[1], NULL, 10) / 100;
  a = malloc(n * n * sizeof *a);
  b = malloc(n * n * sizeof *b);
  c = calloc(n * n, sizeof *c);
  for (unsigned long i = 0; i < n * n; i++)
  {
    a[i] = (double) (i % 7);
    b[i] = (double) (i % 11);
  }
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%g\n", c[n + 1]);
  return 0;
}
