/* simulate.c: clients take turns at random on an atomic object: invoke, commit, return.
 *
 * So each client is inside an operation two thirds of the time. The object is the built-in specification, asked for its
 * outcomes. What an option adds draws from a random stream of its own: histories that differ only in what they show of
 * their commits are the same otherwise. */
#include "genhistory.h"

#include <stdlib.h>
#include <string.h>

#include "../../../specs/specs.h"

static const object objects[] = {
    {"register", "register", -1, 0, {{"read", "", 5, 1, 0}, {"write", "v", 5, 0, 1}}, 1, 0, -1, 0},
    {"uregister", "register", -1, 0, {{"read", "", 5, 1, 0}, {"write", "u", 5, 0, 1}}, 1, 0, -1, 0},
    {"kv", "map", 0, 64, {{"get", "k", 5, 1, 0}, {"put", "ku", 4, 0, 1}, {"del", "k", 1, 0, 0}}, 1, 0, -1, 0},
    {"set", "set", 0, 64, {{"add", "k", 1, 0, 0}, {"remove", "k", 1, 0, 0}, {"contains", "k", 2, 1, 0}}, 0, 2, 0, 0},
    {"queue", "queue", 0, 0, {{"enq", "u", 5, 0, 1}, {"deq", "", 5, 0, 0}}, 0, 1, -1, 1},
    {"stack", "stack", 0, 0, {{"push", "u", 5, 0, 1}, {"pop", "", 5, 0, 0}}, 0, 1, -1, -1},
    {"pqueue", "pqueue", 0, 0, {{"insert", "p", 5, 0, 1}, {"delmin", "", 5, 0, 0}}, 0, 1, -1, 1},
    {"counter", "counter", 0, 0, {{"inc", "", 5, 0, 1}, {"get", "", 5, 1, 0}}, 0, 1, -1, 0},
};

typedef struct client
{
  enum
  {
    IDLE,
    INVOKED,
    COMMITTED
  } at;
  uint64_t number; /* changes when an operation never returns */
  uint64_t operation;
} client;

typedef struct simulation
{
  const wishes *w;
  history *h;
  const hd_spec *spec;
  void *state;
  uint32_t methods[4]; /* of the specification, by call */
  uint64_t random, extra;
  int64_t unique;
  client *clients;
  uint64_t numbers; /* of clients, given so far */
  uint64_t *lost;   /* operations that will not return, but may still take effect */
  size_t nlost, cap_lost;
  uint64_t nextlost;    /* how many there were */
  uint64_t wrong_after; /* operations: then the next chance for a wrong order is taken */
  bool went_wrong;
} simulation;

const object *
genhistory_object(const char *name, hd_string *names)
{
  const object *found = NULL;
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
  {
    hd_string_printf(names, "%s%s", i ? "|" : "", objects[i].name);
    if (strcmp(objects[i].name, name) == 0)
      found = &objects[i];
  }
  return found;
}

static void
happen(simulation *s, char letter, uint64_t operation)
{
  HD_PUSH(s->h->events, s->h->nevents, s->h->cap_events, (event){letter, operation});
}

/* ---- the object ---- */

static hd_op
as_op(const simulation *s, const operation *o, hd_value args[2])
{
  args[0] = hd_int(o->args[0]);
  args[1] = hd_int(o->args[1]);
  return (hd_op){.method = s->methods[o->call - s->w->object->calls],
                 .nargs = (uint32_t) strlen(o->call->args),
                 .thread = (uint32_t) o->client + 1,
                 .args = args};
}

static int64_t
apply(simulation *s, const operation *o)
{
  hd_value args[2];
  hd_op op = as_op(s, o, args);
  size_t outcomes = s->spec->outcomes(s->state, &op, &op.ret, 1);
  HD_CHECK(outcomes == 1);
  hd_step step = s->spec->apply(s->state, &op, NULL);
  HD_CHECK(step != HD_REJECT);
  return op.ret.type == HD_NIL ? -1 : op.ret.i;
}

/* Remove the second value. False: there is none, and nothing has changed. */
static bool
remove_second(simulation *s, operation *o)
{
  int64_t *values = NULL;
  size_t n = 0, cap = 0;
  for (int64_t v; (v = apply(s, o)) != -1;)
    HD_PUSH(values, n, cap, v);
  int step = s->w->object->reinsert;
  for (size_t i = 0; i < n; i++)
  {
    size_t k = step > 0 ? i : n - 1 - i;
    if (n < 2 || k != 1)
      apply(s, &(operation){.call = &s->w->object->calls[s->w->object->change], .args = {values[k]}});
  }
  if (n >= 2)
    o->result = values[1];
  free(values);
  return n >= 2;
}

/* ---- steps ---- */

/* Valid until the next one begins. */
static operation *
begin(simulation *s, client *c, const call *made)
{
  operation o = {.call = made, .client = c->number, .invoked = s->h->nevents};
  o.annotated = s->w->percent >= 100 || hd_random(&s->extra) % 100 < s->w->percent;
  uint64_t number = s->h->noperations;
  HD_PUSH(s->h->operations, s->h->noperations, s->h->cap_operations, o);
  happen(s, 'I', number);
  c->operation = number;
  c->at = INVOKED;
  return &s->h->operations[number];
}

static void
invoke(simulation *s, client *c, const call *made)
{
  operation *o = begin(s, c, made);
  for (size_t i = 0; made->args[i]; i++)
  {
    uint64_t r = hd_random(&s->random);
    if (made->args[i] == 'k')
      o->args[i] = (int64_t) (r % (uint64_t) s->w->object->keys);
    else if (made->args[i] == 'v')
      o->args[i] = (int64_t) (r % 10);
    else if (made->args[i] == 'u')
      o->args[i] = ++s->unique;
    else
    {
      /* Each step is one-to-one on numbers below 2^31. */
      uint64_t p = (uint64_t) ++s->unique * 0x9e3779b1u & 0x7fffffff;
      o->args[i] = (int64_t) ((p ^ p >> 15) * 0x85ebca6bu & 0x7fffffff);
    }
  }
}

static void
commit(simulation *s, uint64_t number)
{
  operation *o = &s->h->operations[number];
  bool chance = s->w->verdict == WRONG_ORDER && !s->went_wrong && number >= s->wrong_after && !o->call->silent;
  if (chance && remove_second(s, o))
    s->went_wrong = o->wrong = true;
  else
    o->result = apply(s, o);
  happen(s, 'C', number);
}

static void
finish(simulation *s, client *c)
{
  happen(s, 'R', c->operation);
  c->at = IDLE;
}

static const call *
any_call(simulation *s)
{
  const call *calls = s->w->object->calls;
  unsigned sum = 0;
  for (size_t i = 0; i < 4; i++)
    sum += calls[i].weight;
  unsigned r = (unsigned) (hd_random(&s->random) % sum);
  for (; r >= calls->weight; calls++)
    r -= calls->weight;
  return calls;
}

/* The client's operation will never return: the client goes on as another one. Half of them take effect, at some time.
 */
static void
lose(simulation *s, client *c)
{
  if (hd_random(&s->extra) & 1)
    HD_PUSH(s->lost, s->nlost, s->cap_lost, c->operation);
  s->nextlost++;
  c->number = s->numbers++;
  c->at = IDLE;
}

static void
turn(simulation *s, client *c, bool may_invoke)
{
  switch (c->at)
  {
  case IDLE:
    if (!may_invoke)
      break;
    const call *made = any_call(s);
    invoke(s, c, made);
    /* The n-th of those that do not return is due in the middle of the n-th part of the history. */
    if (s->nextlost < s->w->pending && !made->observes
        && s->h->noperations * 2 * s->w->pending >= (2 * s->nextlost + 1) * s->w->operations)
      lose(s, c);
    break;
  case INVOKED:
    commit(s, c->operation);
    c->at = COMMITTED;
    break;
  case COMMITTED:
    finish(s, c);
    break;
  }
}

static client *
any_client(simulation *s)
{
  return &s->clients[hd_random(&s->random) % s->w->clients];
}

/* Perhaps an operation that will not return takes effect, long after its call. */
static void
late_effect(simulation *s)
{
  uint64_t r = s->nlost ? hd_random(&s->extra) : 1;
  if (r % 128)
    return;
  size_t i = (r >> 16) % s->nlost;
  commit(s, s->lost[i]);
  s->lost[i] = s->lost[--s->nlost];
}

static void
fall_silent(simulation *s)
{
  for (bool open = true; open;)
  {
    turn(s, any_client(s), false);
    open = false;
    for (uint64_t i = 0; i < s->w->clients; i++)
      open = open || s->clients[i].at != IDLE;
  }
}

/* All clients fall silent; then one changes the object and looks at it, alone, and is told what cannot be. */
static void
go_wrong(simulation *s)
{
  fall_silent(s);
  const object *kind = s->w->object;
  client *c = any_client(s);
  invoke(s, c, &kind->calls[kind->change]);
  int64_t key = s->h->operations[c->operation].args[0];
  commit(s, c->operation);
  finish(s, c);
  operation *look = begin(s, c, &kind->calls[kind->look]);
  look->args[0] = key;
  commit(s, c->operation);
  look->result = kind->wrong;
  look->wrong = true;
  finish(s, c);
  s->went_wrong = true;
}

void
genhistory_simulate(const wishes *w, history *h)
{
  simulation s = {.w = w, .h = h, .random = w->seed, .extra = hd_mix(w->seed + 1), .numbers = w->clients};
  s.spec = hd_specs_find(w->object->spec);
  for (size_t i = 0; i < 4 && w->object->calls[i].name; i++)
  {
    while (s.methods[i] < s.spec->nmethods && strcmp(s.spec->methods[s.methods[i]].name, w->object->calls[i].name) != 0)
      s.methods[i]++;
    HD_CHECK(s.methods[i] < s.spec->nmethods);
  }
  hd_value initial = hd_int(w->object->initial);
  s.state = s.spec->create(&initial, 1);
  s.clients = hd_alloc_zero(w->clients * sizeof *s.clients);
  for (uint64_t i = 0; i < w->clients; i++)
    s.clients[i].number = i;
  if (w->verdict == WRONG_ORDER)
    s.wrong_after = w->operations / 4 + hd_random(&s.extra) % (w->operations / 2);
  while (h->noperations < w->operations)
    if (w->verdict == BAD && !s.went_wrong && h->noperations + 1 >= w->operations / 2)
      go_wrong(&s);
    else
    {
      turn(&s, any_client(&s), true);
      late_effect(&s);
    }
  fall_silent(&s);
  s.spec->destroy(s.state);
  free(s.clients);
  free(s.lost);
}
