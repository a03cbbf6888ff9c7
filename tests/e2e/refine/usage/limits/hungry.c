/* hungry.c: a counter whose steps take 20 ms (SLOW), or 2 ms and keep 1 MiB each. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heddle/spec.h>

typedef struct counter
{
  int64_t n;
  void *kept[4096];
} counter;

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(counter));
}

static void
destroy(void *s)
{
  counter *c = s;
  for (int i = 0; i < 4096; i++)
    free(c->kept[i]);
  free(c);
}

static void
take(long nanoseconds)
{
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - start.tv_sec) * 1000000000l + now.tv_nsec - start.tv_nsec < nanoseconds);
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  counter *c = s;
  (void) touched;
  if (op->ret.i != c->n + 1)
    return HD_REJECT;
#ifdef SLOW
  take(20000000);
#else
  take(2000000);
  c->kept[c->n % 4096] = memset(malloc(1 << 20), 1, 1 << 20);
#endif
  c->n++;
  return HD_CHANGED;
}

static const hd_method methods[] = {{"inc", HD_MUTATOR, "", 'i'}};

HD_SPEC(.name = "hungry", .methods = methods, .nmethods = 1, .create = create, .destroy = destroy, .apply = apply);
