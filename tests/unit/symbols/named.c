/* Says what its memory and its code are called, a line each; test_symbols.c, which compiles and runs it, asks the debug
 * information the same. It is no part of the tests' own programs. */
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* data ADDRESS SIZE NAME */
#define DATA(what) printf("data %p %zu %s\n", (void *) &(what), sizeof(what), #what)
/* The same of what has no address in C: SIZE bytes at OFFSET. */
#define PIECE(base, offset, size, name)                                                                                \
  printf("data %p %zu %s\n", (void *) ((char *) &(base) + (offset)), (size_t) (size), name)
/* path (ADDRESS VALUE END)... ADDRESS SIZE NAME */
#define STEP(p, bytes) printf(" %p %p %p", (void *) &(p), (void *) (p), (void *) ((char *) (p) + (bytes)))
#define LAST(what) printf(" %p %zu %s\n", (void *) &(what), sizeof(what), #what)

enum color
{
  RED,
  GREEN
};

typedef struct bucket
{
  int lock;
  struct entry
  {
    char key[8];
    long count;
  } entries[4];
} bucket;

struct table
{
  long size;
  bucket buckets[5];
  struct table *next;
};

static struct table table;
static int counter;
int shared_counter;
static volatile _Bool ready;
static enum color color;
static int matrix[3][4];
static struct
{
  union
  {
    long word;
    short half[4];
  } u;
  struct
  {
    int x, y;
  };
  unsigned low : 3, high : 5;
  int after;
} mixed;
static char text[16];
static double *curve, **curves;
static struct table *chosen;
static void (*handler)(void);
static const char *const words[] = {"one", "two"};
static __thread int own[4];
static __thread struct bucket own_bucket;

/* code PC LINE FUNCTION */
__attribute__((noinline)) static void
here(int line, const char *function)
{
  printf("code %p %d %s\n", __builtin_return_address(0), line, function);
}

static inline __attribute__((always_inline)) void
inlined(void)
{
  here(__LINE__, "inlined");
}

static void
caller(void)
{
  static int calls;
  DATA(calls);
  calls++;
  here(__LINE__, "caller");
  inlined();
}

/* allocated PC BLOCK: what follows is OFFSET SIZE NAME */
__attribute__((noinline)) static void *
allocate(size_t n)
{
  void *p = malloc(n);
  printf("allocated %p %zu ", __builtin_return_address(0), n);
  return p;
}

/* local CFA SP PC ADDRESS SIZE NAME: of the caller's frame */
__attribute__((noinline)) static void
local(void *caller_frame, void *address, size_t size, const char *name)
{
  char *frame = __builtin_frame_address(0);
  printf("local %p %p %p %p %zu %s\n", (void *) ((char *) caller_frame + 16), (void *) (frame + 16),
         __builtin_return_address(0), address, size, name);
}
#define LOCAL(what) local(__builtin_frame_address(0), (void *) &(what), sizeof(what), #what)

__attribute__((noinline)) static void
locals(int argument)
{
  bucket place = {.lock = argument};
  int numbers[3] = {argument};
  struct table *pointer = chosen;
  LOCAL(place.lock);
  LOCAL(place.entries[2].key);
  LOCAL(numbers[1]);
  LOCAL(pointer);
  {
    long inner[2] = {argument};
    LOCAL(inner[1]);
  }
}

/* own MODULE OFFSET ADDRESS SIZE NAME */
static int
say_own(struct dl_phdr_info *info, size_t size, void *context)
{
  (void) size, (void) context;
  if (!info->dlpi_tls_data)
    return 0;
#define OWN(what)                                                                                                      \
  printf("own %p %zu %p %zu %s\n", (void *) info->dlpi_addr,                                                           \
         (size_t) ((char *) &(what) - (char *) info->dlpi_tls_data), (void *) &(what), sizeof(what), #what)
  OWN(own[2]);
  OWN(own_bucket.entries[3].count);
  return 1;
}

static void
say_maps(void)
{
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    printf("map %s", line);
  fclose(maps);
}

static void
say_globals(void)
{
  DATA(counter);
  DATA(shared_counter);
  DATA(ready);
  DATA(color);
  DATA(text[5]);
  DATA(handler);
  DATA(words[1]);
  DATA(curve);
  DATA(table.size);
  DATA(table.buckets[3].lock);
  DATA(table.buckets[4].entries[2].count);
  DATA(table.buckets[0].entries[1].key[3]);
  DATA(table.next);
  DATA(table.buckets[2].entries[1]);
  DATA(table.buckets[2]);
  DATA(table);
  DATA(matrix[2][1]);
  DATA(matrix[1]);
  DATA(mixed.u.word);
  DATA(mixed.u.half[2]);
  DATA(mixed.x);
  DATA(mixed.y);
  DATA(mixed.after);
  PIECE(counter, 1, 1, "counter");
  PIECE(mixed.after, -4, 4, "mixed.{low, high}"); /* they share it */
}

static void
say_heap(void)
{
  curve = calloc(8, sizeof *curve);
  curves = calloc(3, sizeof *curves);
  curves[1] = calloc(5, sizeof **curves);
  chosen = calloc(1, sizeof *chosen);
  chosen->next = calloc(2, sizeof *chosen);
  printf("path"), STEP(curve, 64), LAST(curve[3]);
  printf("path"), STEP(curves, 24), STEP(curves[1], 40), LAST(curves[1][2]);
  printf("path"), STEP(chosen, sizeof *chosen), LAST(chosen->buckets[3].lock);
  printf("path"), STEP(chosen, sizeof *chosen), STEP(chosen->next, 2 * sizeof *chosen), LAST(chosen->next[0].next);
  printf("path"), STEP(chosen, sizeof *chosen), STEP(chosen->next, 2 * sizeof *chosen), LAST(chosen->next[1].size);
  printf("path"), STEP(chosen, sizeof *chosen), LAST(*chosen);
}

int
main(void)
{
  say_maps();
  say_globals();
  say_heap();
  caller();
  locals(own[1]);
  dl_iterate_phdr(say_own, NULL);
  struct table *grown = allocate(3 * sizeof *grown);
  printf("%zu %zu %s\n", 2 * sizeof *grown + offsetof(struct table, buckets[1].lock), sizeof(int),
         "grown[2].buckets[1].lock");
  double *wave = allocate(10 * sizeof *wave);
  printf("%zu %zu %s\n", 4 * sizeof *wave, sizeof *wave, "wave[4]");
  return grown == (void *) wave;
}
