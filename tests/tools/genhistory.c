/* genhistory.c: random histories of an atomic object, as input for the checker.
 *
 *   genhistory OBJECT CLIENTS OPERATIONS SEED ok|bad
 *
 * writes to its standard output
 *   # object=K clients=C ops=N seed=S linearizable=yes|no
 *   I <client> <op> [args]      invocation
 *   C <client>                  commit: the atomic object applied that client's pending operation
 *   R <client> [result]         return
 * Line order is the clock. Clients take turns at random: invoke, commit, return. In a bad history one result near the
 * middle is wrong: all clients fall silent, then one changes the object and looks at it, alone, and is told what cannot
 * be; so no order explains it. The last line then says which line that is.
 *
 * The atomic object is the built-in specification, asked for its outcomes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../specs/specs.h"
#include "base/base.h"

/* How a client calls an operation: its name in the history, and what its arguments are. */
typedef struct call
{
  const char *name;
  const char *args; /* k: a key, v: a value from a small range, u: a value that occurs once */
  unsigned weight;
} call;

typedef struct object
{
  const char *name, *spec;
  int64_t initial; /* configuration */
  int64_t keys;
  call calls[4];
  int change, look; /* the two calls that end in the wrong result */
  int64_t wrong;    /* that result */
} object;

static const object objects[] = {
    {"register", "register", -1, 0, {{"read", "", 6}, {"write", "v", 4}}, 1, 0, -1},
    {"uregister", "register", -1, 0, {{"read", "", 6}, {"write", "u", 4}}, 1, 0, -1},
    {"kv", "map", 0, 50, {{"get", "k", 5}, {"put", "ku", 4}, {"del", "k", 1}}, 1, 0, -1},
    {"queue", "queue", 0, 0, {{"enq", "u", 5}, {"deq", "", 5}}, 0, 1, -1},
    {"stack", "stack", 0, 0, {{"push", "u", 5}, {"pop", "", 5}}, 0, 1, -1},
    {"set", "set", 0, 20, {{"add", "k", 4}, {"remove", "k", 3}, {"contains", "k", 3}}, 0, 2, 0},
};

typedef struct client
{
  enum
  {
    IDLE,
    INVOKED,
    COMMITTED
  } at;
  int call;
  hd_value args[2];
  hd_value ret;
} client;

typedef struct history
{
  const object *object;
  const hd_spec *spec;
  void *state;
  uint64_t random, nclients, line;
  int64_t unique;
  client *clients;
} history;

static uint32_t
method(const history *h, const char *name)
{
  for (size_t i = 0; i < h->spec->nmethods; i++)
    if (strcmp(h->spec->methods[i].name, name) == 0)
      return (uint32_t) i;
  HD_CHECK(!"the specification has no such method");
  return 0;
}

static void
invoke(history *h, uint64_t who, int which)
{
  client *c = &h->clients[who];
  const call *made = &h->object->calls[which];
  c->at = INVOKED;
  c->call = which;
  h->line++;
  printf("I %" PRIu64 " %s", who, made->name);
  for (size_t i = 0; made->args[i]; i++)
  {
    uint64_t r = hd_random(&h->random);
    c->args[i] = hd_int(made->args[i] == 'k'   ? (int64_t) (r % (uint64_t) h->object->keys)
                        : made->args[i] == 'v' ? (int64_t) (r % 10)
                                               : ++h->unique);
    printf(" %" PRId64, c->args[i].i);
  }
  putchar('\n');
}

static void
commit(history *h, uint64_t who)
{
  client *c = &h->clients[who];
  const call *made = &h->object->calls[c->call];
  hd_op op = {.method = method(h, made->name),
              .nargs = (uint32_t) strlen(made->args),
              .thread = (uint32_t) who + 1,
              .args = c->args};
  size_t outcomes = h->spec->outcomes(h->state, &op, &op.ret, 1);
  HD_CHECK(outcomes == 1);
  c->ret = op.ret;
  hd_step step = h->spec->apply(h->state, &op, NULL);
  HD_CHECK(step != HD_REJECT);
  c->at = COMMITTED;
  h->line++;
  printf("C %" PRIu64 "\n", who);
}

static void
finish(history *h, uint64_t who)
{
  static const char *const silent[] = {"write", "put", "enq", "push"};
  client *c = &h->clients[who];
  const char *name = h->object->calls[c->call].name;
  bool says = true;
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    says = says && strcmp(name, silent[i]) != 0;
  c->at = IDLE;
  h->line++;
  printf("R %" PRIu64, who);
  if (says)
    printf(" %" PRId64, c->ret.type == HD_NIL ? -1 : c->ret.i);
  putchar('\n');
}

static int
any_call(history *h)
{
  unsigned sum = 0;
  for (size_t i = 0; i < 4; i++)
    sum += h->object->calls[i].weight;
  unsigned r = (unsigned) (hd_random(&h->random) % sum);
  int i = 0;
  for (; r >= h->object->calls[i].weight; i++)
    r -= h->object->calls[i].weight;
  return i;
}

/* One turn of a client; true if it invoked. */
static bool
turn(history *h, uint64_t who, bool may_invoke)
{
  switch (h->clients[who].at)
  {
  case IDLE:
    if (may_invoke)
      invoke(h, who, any_call(h));
    return may_invoke;
  case INVOKED:
    commit(h, who);
    return false;
  default:
    finish(h, who);
    return false;
  }
}

static void
fall_silent(history *h)
{
  for (uint64_t open = 1; open;)
  {
    turn(h, hd_random(&h->random) % h->nclients, false);
    open = 0;
    for (uint64_t i = 0; i < h->nclients; i++)
      open += h->clients[i].at != IDLE;
  }
}

/* The line of the wrong result. */
static uint64_t
go_wrong(history *h)
{
  fall_silent(h);
  uint64_t who = hd_random(&h->random) % h->nclients;
  invoke(h, who, h->object->change);
  hd_value key = h->clients[who].args[0];
  commit(h, who);
  finish(h, who);
  const call *look = &h->object->calls[h->object->look];
  h->clients[who] = (client){.at = INVOKED, .call = h->object->look, .args = {key}};
  h->line++;
  printf("I %" PRIu64 " %s", who, look->name);
  if (look->args[0])
    printf(" %" PRId64, key.i);
  putchar('\n');
  commit(h, who);
  h->clients[who].ret = hd_int(h->object->wrong);
  finish(h, who);
  return h->line;
}

int
main(int argc, char **argv)
{
  history h = {0};
  for (size_t i = 0; argc > 1 && i < sizeof objects / sizeof *objects; i++)
    if (strcmp(objects[i].name, argv[1]) == 0)
      h.object = &objects[i];
  uint64_t operations = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  h.nclients = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  bool bad = argc > 5 && strcmp(argv[5], "bad") == 0;
  if (argc != 6 || !h.object || h.nclients < 1 || h.nclients > 1000 || operations < 2
      || (!bad && strcmp(argv[5], "ok") != 0))
  {
    fputs("usage: genhistory register|uregister|kv|queue|stack|set CLIENTS OPERATIONS SEED ok|bad\n", stderr);
    return 2;
  }
  uint64_t seed = strtoull(argv[4], NULL, 10), wrong = 0;
  h.random = seed;
  h.spec = hd_specs_find(h.object->spec);
  hd_value initial = hd_int(h.object->initial);
  h.state = h.spec->create(&initial, 1);
  h.clients = hd_alloc_zero(h.nclients * sizeof *h.clients);
  h.line = 1;
  printf("# object=%s clients=%" PRIu64 " ops=%" PRIu64 " seed=%" PRIu64 " linearizable=%s\n", h.object->name,
         h.nclients, operations, seed, bad ? "no" : "yes");
  for (uint64_t invoked = 0; invoked < operations;)
    if (bad && !wrong && invoked >= operations / 2 - 1)
    {
      wrong = go_wrong(&h);
      invoked += 2;
    }
    else
      invoked += turn(&h, hd_random(&h.random) % h.nclients, true);
  fall_silent(&h);
  if (bad)
    printf("# wrong: line %" PRIu64 "\n", wrong);
  h.spec->destroy(h.state);
  free(h.clients);
  return 0;
}
