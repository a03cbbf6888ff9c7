/* values.c: values of all kinds: written, read and made by the program itself. */
#include <heddle/monitor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct
{
  unsigned low : 3, high : 5;
  int8_t small;
  uint64_t large;
  double real;
  bool yes;
  char text[8];
  const char *pointer;
  float grid[2][3];
} all = {.text = "begin"};
atomic_int counter;

static void *
run(void *p)
{
  all.low = 5;
  all.high = 17;
  all.small = -3;
  all.large = 1ull << 40;
  all.real = 0.5;
  all.yes = true;
  for (int i = 0; i < 4; i++)
    all.text[i] = "end"[i];
  all.pointer = "pointed to";
  all.grid[1][2] = 1.5f;
  atomic_fetch_add(&counter, 7);
  hd_internal("i", 12);
  hd_internal("b", true);
  hd_internal("r", 2.25);
  hd_internal("s", "text");
  return p;
}

int
main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, run, NULL);
  pthread_join(t, NULL);
  return all.low != 5;
}
