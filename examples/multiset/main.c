/* main.c: the random test harness of the paper's section 7.1.
 *
 * All threads take their arguments from one pool of keys, which shrinks while they run, so that the calls meet on fewer
 * and fewer elements. Run it with HEDDLE_LOG=file to get a log, or under heddle run. */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multiset.h"

typedef struct harness
{
  multiset *set;
  int threads, calls, keys;
  uint64_t seed;
  int *pool;
  pthread_barrier_t start;
  atomic_bool finished;
} harness;

typedef struct client
{
  harness *h;
  pthread_t thread;
  uint64_t random;
} client;

/* splitmix64 */
static uint64_t
next(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void *
run_client(void *argument)
{
  client *c = argument;
  harness *h = c->h;
  pthread_barrier_wait(&h->start);
  for (int i = 0; i < h->calls; i++)
  {
    /* The pool ends at a quarter of its size. */
    uint64_t pool = (uint64_t) (h->keys - (int) ((int64_t) h->keys * 3 / 4 * i / h->calls));
    int x = h->pool[next(&c->random) % pool], y = h->pool[next(&c->random) % pool];
    switch (next(&c->random) % 10)
    {
    case 0:
    case 1:
      multiset_insert(h->set, x);
      break;
    case 2:
    case 3:
      multiset_insert_pair(h->set, x, y);
      break;
    case 4:
    case 5:
    case 6:
      multiset_delete(h->set, x);
      break;
    default:
      multiset_look_up(h->set, x);
    }
  }
  return NULL;
}

static void *
run_compress(void *argument)
{
  harness *h = argument;
  while (!atomic_load(&h->finished))
  {
    multiset_compress(h->set);
    sched_yield();
  }
  return NULL;
}

static void
run(harness *h, bool compress)
{
  client *clients = calloc((size_t) h->threads, sizeof *clients);
  pthread_t worker;
  pthread_barrier_init(&h->start, NULL, (unsigned) h->threads);
  for (int i = 0; i < h->threads; i++)
  {
    clients[i] = (client){.h = h, .random = h->seed + (uint64_t) i * 0x632be59bd9b4e019u};
    pthread_create(&clients[i].thread, NULL, run_client, &clients[i]);
  }
  if (compress)
    pthread_create(&worker, NULL, run_compress, h);
  for (int i = 0; i < h->threads; i++)
    pthread_join(clients[i].thread, NULL);
  atomic_store(&h->finished, true);
  if (compress)
    pthread_join(worker, NULL);
  pthread_barrier_destroy(&h->start);
  free(clients);
}

static const char usage[]
    = "usage: multiset [--bug] [--threads N] [--calls N] [--seed S] [--slots N] [--keys N] [--compress]\n"
      "                [--delete=window|exact] [--yield]\n"
      "  --bug            look for a free slot without its lock (Fig. 5)\n"
      "  --threads N      threads (4)\n"
      "  --calls N        calls of each thread (1000)\n"
      "  --seed S         of the random calls (1)\n"
      "  --slots N        slots of the multiset (16)\n"
      "  --keys N         size of the pool of keys (16)\n"
      "  --compress       run a thread that moves elements to lower slots\n"
      "  --delete=window  Delete takes effect between its call and its commit (default)\n"
      "  --delete=exact   Delete takes effect at its commit, as the paper has it\n"
      "  --yield          let other threads run before each lock (always with --bug and --delete=exact)\n";

/* The number in TEXT, at least 1, at most MAX; else the program ends. */
static int
number(const char *option, const char *text, int max)
{
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (errno || end == text || *end || n < 1 || n > max)
  {
    fprintf(stderr, "multiset: --%s wants a number from 1 to %d, not '%s'\n", option, max, text);
    exit(2);
  }
  return (int) n;
}

int
main(int argc, char **argv)
{
  static const struct option options[] = {
      {"bug", no_argument, NULL, 'b'},
      {"threads", required_argument, NULL, 't'},
      {"calls", required_argument, NULL, 'c'},
      {"seed", required_argument, NULL, 's'},
      {"slots", required_argument, NULL, 'n'},
      {"keys", required_argument, NULL, 'k'},
      {"compress", no_argument, NULL, 'm'},
      {"delete", required_argument, NULL, 'd'},
      {"yield", no_argument, NULL, 'y'},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  harness h = {.threads = 4, .calls = 1000, .keys = 16, .seed = 1};
  multiset_options o = {.slots = 16};
  bool compress = false;
  for (int c, index = 0; (c = getopt_long(argc, argv, "", options, &index)) != -1;)
    switch (c)
    {
    case 'b':
      o.bug = true;
      break;
    case 't':
      h.threads = number("threads", optarg, 10000);
      break;
    case 'c':
      h.calls = number("calls", optarg, 1000000000);
      break;
    case 's':
      h.seed = strtoull(optarg, NULL, 0);
      break;
    case 'n':
      o.slots = number("slots", optarg, 1000000);
      break;
    case 'k':
      h.keys = number("keys", optarg, 1000000);
      break;
    case 'm':
      compress = true;
      break;
    case 'd':
      o.exact_delete = strcmp(optarg, "exact") == 0;
      if (o.exact_delete || strcmp(optarg, "window") == 0)
        break;
      fprintf(stderr, "multiset: --delete is 'window' or 'exact', not '%s'\n", optarg);
      return 2;
    case 'y':
      o.yield = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return 0;
    default:
      fputs(usage, stderr);
      return 2;
    }
  if (optind < argc)
  {
    fputs(usage, stderr);
    return 2;
  }

  o.yield = o.yield || o.bug || o.exact_delete;
  h.set = multiset_new(o);
  h.pool = calloc((size_t) h.keys, sizeof *h.pool);
  if (!h.set || !h.pool)
  {
    fputs("multiset: out of memory\n", stderr);
    return 2;
  }
  uint64_t random = h.seed;
  for (int i = 0; i < h.keys; i++)
    h.pool[i] = 1 + (int) (next(&random) % 1000);
  run(&h, compress);
  multiset_free(h.set);
  free(h.pool);
  printf("%d threads made %d calls each (seed %llu)\n", h.threads, h.calls, (unsigned long long) h.seed);
  return 0;
}
