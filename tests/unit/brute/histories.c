/* histories.c: random histories. Results come from the specification itself, applied where an operation takes effect.
 */
#include "brute/histories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "specs/specs.h"

const char *const flavour_names[FLAVOURS] = {"register",
                                             "register with cas",
                                             "repeated register",
                                             "key of a map",
                                             "set",
                                             "counter",
                                             "counter with results",
                                             "queue",
                                             "stack",
                                             "pqueue"};

static const char *const spec_names[FLAVOURS]
    = {"register", "register", "register", "map", "set", "counter", "counter", "queue", "stack", "pqueue"};

static uint64_t
below(uint64_t *random, uint64_t n)
{
  return n > 0 ? hd_random(random) % n : 0;
}

static bool
chance(uint64_t *random, unsigned percent)
{
  return below(random, 100) < percent;
}

static uint32_t
method(const hd_spec *spec, const char *name)
{
  for (uint32_t i = 0; i < spec->nmethods; i++)
    if (strcmp(spec->methods[i].name, name) == 0)
      return i;
  HD_CHECK(!"a method that is not there");
  return 0;
}

static uint32_t
nargs(const hd_spec *spec, uint32_t m)
{
  return (uint32_t) strlen(spec->methods[m].args);
}

static bool
is_map(const hd_spec *spec)
{
  return strcmp(spec->name, "map") == 0;
}

/* Operations that take or read a value, and those that put one in. */
static bool
takes(const hd_spec *spec, const hd_linear_op *o)
{
  return is_map(spec) ? o->method == method(spec, "get") : nargs(spec, o->method) == 0;
}

static bool
puts_in(const hd_spec *spec, const hd_linear_op *o)
{
  return is_map(spec) ? o->method == method(spec, "put") : nargs(spec, o->method) == 1;
}

static hd_value *
put_value(const hd_spec *spec, hd_linear_op *o)
{
  return &o->args[is_map(spec)];
}

/* Value number I; different for different numbers and never -1 or nil. */
static hd_value
value(unsigned spread, uint64_t i)
{
  static char texts[64][8];
  switch (spread)
  {
  case 0:
    return i % 3 == 0 ? hd_uint(i + 2) : hd_int((int64_t) i + 2);
  case 1:
    return hd_int((int64_t) (hd_mix(i + 1) >> 1));
  case 2:
    return hd_int(-2 - (int64_t) i * 1000003);
  default:
    snprintf(texts[i % 64], sizeof texts[0], "v%u", (unsigned) (i % 64));
    return hd_str(texts[i % 64]);
  }
}

/* V, which may point into a state. */
static hd_value
lasting(hd_value v)
{
  return v.type == HD_STR ? value(3, strtoull(v.s + 1, NULL, 10)) : v;
}

/* ---- simulation ---- */

typedef struct client
{
  size_t op; /* its operation, or SIZE_MAX */
  bool done; /* it took effect */
  uint64_t at;
} client;

static void
choose(history *h, const history_plan *plan, hd_linear_op *o, uint64_t number, uint64_t *random)
{
  const hd_spec *s = h->spec;
  hd_value fresh = value(plan->spread, number);
  switch (plan->flavour)
  {
  case FLAVOUR_REGISTER:
  case FLAVOUR_CAS:
    o->method = method(s, chance(random, 50) ? "read" : "write");
    if (plan->flavour == FLAVOUR_CAS && chance(random, 40))
      o->method = method(s, "cas");
    o->args[0] = o->args[1] = fresh;
    break;
  case FLAVOUR_REPEATED:
    o->method = method(s, chance(random, 50) ? "read" : "write");
    o->args[0] = h->nconfig > 0 && chance(random, 10) ? h->config[0] : value(plan->spread, below(random, plan->values));
    break;
  case FLAVOUR_KEY:
    o->method = method(s, chance(random, 10) ? "del" : chance(random, 50) ? "get" : "put");
    o->args[0] = value(plan->spread, 1);
    o->args[1] = plan->values > 0 ? value(plan->spread, below(random, plan->values)) : fresh;
    break;
  case FLAVOUR_SET:
    o->method = (uint32_t) below(random, 3);
    o->args[0] = value(plan->spread, below(random, 1 + plan->n / 5));
    break;
  case FLAVOUR_COUNT:
  case FLAVOUR_RETURN:
    o->method = method(s, chance(random, 35) ? "get" : plan->amount == 1 ? "inc" : plan->amount == -1 ? "dec" : "add");
    if (chance(random, 10))
      o->method = method(s, "add");
    o->args[0] = hd_int(plan->amount);
    break;
  case FLAVOUR_QUEUE:
    o->method = method(s, chance(random, plan->inserts) ? chance(random, 50) ? "enq" : "enqueue"
                          : chance(random, 50)          ? "deq"
                                                        : "dequeue");
    o->args[0] = fresh;
    break;
  case FLAVOUR_STACK:
    o->method = method(s, chance(random, plan->inserts) ? "push" : "pop");
    o->args[0] = fresh;
    break;
  default:
    o->method = method(s, chance(random, plan->inserts) ? "insert" : "delmin");
    o->args[0] = value(plan->spread, (number * 7 + 3) % 61 + number / 61 * 61);
  }
}

/* O takes effect in STATE. */
static void
commit(history *h, const history_plan *plan, void *state, hd_linear_op *o, uint64_t *random)
{
  const hd_spec *s = h->spec;
  hd_value args[2], ret;
  if (plan->flavour == FLAVOUR_CAS && o->method == method(s, "cas")) /* mostly one that succeeds */
  {
    if (!chance(random, 1) && s->view(state, hd_nil(), &o->args[0]))
      o->args[0] = lasting(o->args[0]);
  }
  args[0] = o->args[0];
  args[1] = o->args[1];
  hd_op op = {.method = o->method, .nargs = nargs(s, o->method), .args = args};
  HD_CHECK(s->outcomes(state, &op, &ret, 1) == 1);
  op.ret = ret;
  o->ret = lasting(ret);
  HD_CHECK(s->apply(state, &op, NULL) != HD_REJECT);
  if (plan->flavour == FLAVOUR_COUNT && o->method != method(s, "get"))
    o->ret = hd_nil();
  if (plan->flavour >= FLAVOUR_QUEUE && op.nargs == 0 && ret.type == HD_NIL && chance(random, 30))
    o->ret = hd_int(-1); /* another way to say "empty" */
  if (plan->flavour == FLAVOUR_KEY && o->method == method(s, "get") && ret.type == HD_NIL && chance(random, 60))
    o->ret = chance(random, 50) ? hd_int(-1) : hd_str("");
  if (plan->flavour == FLAVOUR_KEY && o->method == method(s, "del") && chance(random, ret.u ? 98 : 20))
    o->ret = hd_nil(); /* it does not say; a register has no operation that sees "something" */
}

/* Let the interval of O be a window around AT, where it took effect. */
static void
narrow(hd_linear_op *o, uint64_t at, uint64_t *random)
{
  uint64_t end = o->pending ? at : o->end;
  o->start += below(random, at - o->start + 1);
  o->end = end - below(random, end - at + 1);
}

void
history_simulate(history *h, const history_plan *plan, uint64_t *random)
{
  *h = (history){.spec = hd_specs_find(spec_names[plan->flavour])};
  if (plan->flavour <= FLAVOUR_REPEATED || plan->flavour == FLAVOUR_COUNT || plan->flavour == FLAVOUR_RETURN)
  {
    h->nconfig = below(random, 2);
    h->config[0] = hd_int(-(int64_t) below(random, 2));
  }
  client *clients = hd_alloc_array(plan->clients, sizeof *clients);
  for (unsigned i = 0; i < plan->clients; i++)
    clients[i].op = SIZE_MAX;
  void *state = h->spec->create(h->config, h->nconfig);
  size_t open = 0;
  while (h->n < plan->n || open > 0)
  {
    client *c = &clients[below(random, plan->clients)];
    if (c->op == SIZE_MAX)
    {
      if (h->n == plan->n)
        continue;
      hd_linear_op o = {.start = ++h->time, .id = 100 + h->n, .pending = chance(random, plan->pending)};
      choose(h, plan, &o, h->n, random);
      *c = (client){.op = h->n};
      HD_PUSH(h->ops, h->n, h->cap, o);
      open++;
      continue;
    }
    hd_linear_op *o = &h->ops[c->op];
    if (!c->done && !(o->pending && chance(random, 40))) /* some never take effect */
    {
      commit(h, plan, state, o, random);
      c->done = true;
      c->at = ++h->time;
      continue;
    }
    o->end = ++h->time;
    o->any_ret = !o->pending && plan->flavour >= FLAVOUR_QUEUE && takes(h->spec, o) && chance(random, plan->unknown);
    if (c->done && !o->pending && chance(random, plan->narrow))
      narrow(o, c->at, random);
    c->op = SIZE_MAX; /* a client whose operation never returned goes on as another one */
    open--;
  }
  h->spec->destroy(state);
  free(clients);
}

/* ---- changes ---- */

static void
new_interval(history *h, hd_linear_op *o, uint64_t *random)
{
  o->start = 1 + below(random, h->time);
  o->end = o->start + below(random, 1 + h->time / (1 + below(random, 4)));
}

/* A result of an operation like A that occurs in H. */
static hd_value
some_result(const history *h, const hd_linear_op *a, uint64_t *random)
{
  for (int tries = 0; tries < 20; tries++)
  {
    const hd_linear_op *o = &h->ops[below(random, h->n)];
    if (o->method == a->method && !o->pending && !o->any_ret)
      return o->ret;
  }
  return a->ret;
}

void
history_scatter(history *h, uint64_t *random)
{
  for (size_t i = 0; i < h->n; i++)
    new_interval(h, &h->ops[i], random);
}

void
history_mutate(history *h, uint64_t *random)
{
  if (h->n == 0)
    return;
  hd_linear_op *a = &h->ops[below(random, h->n)], *b = &h->ops[below(random, h->n)];
  for (int tries = 0; tries < 4 && (a == b || a->method != b->method); tries++)
    b = &h->ops[below(random, h->n)];
  hd_value swap;
  uint64_t length = a->end - a->start;
  switch (below(random, 8))
  {
  case 0:
    a->end = a->start + below(random, h->time);
    break;
  case 1: /* elsewhere */
    a->start = below(random, h->time);
    a->end = a->start + length;
    break;
  case 2: /* of the same method, so that the history stays one that the algorithms are for */
    if (!a->pending && a->method == b->method && !b->pending)
    {
      swap = a->ret;
      a->ret = b->ret;
      b->ret = swap;
    }
    break;
  case 3:
    if (!a->pending)
      a->ret = some_result(h, a, random);
    break;
  case 4:
    if (puts_in(h->spec, a) && puts_in(h->spec, b))
    {
      swap = *put_value(h->spec, a);
      *put_value(h->spec, a) = *put_value(h->spec, b);
      *put_value(h->spec, b) = swap;
    }
    break;
  case 5: /* short */
    a->end = a->start + below(random, 3);
    break;
  case 6: /* a value from nowhere, seldom */
    if (takes(h->spec, a) && chance(random, 20))
      a->ret = hd_int(777777);
    break;
  default: /* a cas that replaces another value */
    if (nargs(h->spec, a->method) == 2 && !is_map(h->spec))
      a->args[0] = chance(random, 50) ? b->args[0] : b->args[1];
  }
}

void
history_mend(history *h)
{
  for (size_t i = 0; i < h->n; i++)
    for (size_t k = 0; k < h->n; k++)
    {
      hd_linear_op *take = &h->ops[i], *put = &h->ops[k];
      if (!takes(h->spec, take) || !puts_in(h->spec, put) || take->pending || take->any_ret
          || !hd_value_equal(take->ret, *put_value(h->spec, put)) || take->end >= put->start)
        continue;
      uint64_t start = take->start, end = take->end;
      take->start = put->start;
      take->end = put->pending || put->end < put->start ? put->start + 1 : put->end;
      put->start = start;
      put->end = end;
    }
}

void
history_blur(history *h)
{
  for (size_t i = 0; i < h->n; i++)
  {
    h->ops[i].start /= 2;
    h->ops[i].end = (h->ops[i].end + 1) / 2;
  }
}

void
history_print(const history *h)
{
  hd_string s = {0};
  hd_string_printf(&s, "%s", h->spec->name);
  for (size_t i = 0; i < h->nconfig; i++)
  {
    hd_string_add(&s, " initially ");
    hd_value_print(&s, h->config[i], 40);
  }
  hd_string_add(&s, "\n");
  for (size_t i = 0; i < h->n; i++)
  {
    const hd_linear_op *o = &h->ops[i];
    hd_string_printf(&s, "  %llu: [%llu,", (unsigned long long) o->id, (unsigned long long) o->start);
    if (o->pending)
      hd_string_add(&s, "-] ");
    else
      hd_string_printf(&s, "%llu] ", (unsigned long long) o->end);
    hd_string_add(&s, h->spec->methods[o->method].name);
    for (uint32_t k = 0; k < nargs(h->spec, o->method); k++)
    {
      hd_string_add(&s, " ");
      hd_value_print(&s, k == 0 ? o->args[0] : o->args[1], 40);
    }
    hd_string_add(&s, " → ");
    hd_value_print(&s, o->pending || o->any_ret ? hd_str("?") : o->ret, 40);
    hd_string_add(&s, "\n");
  }
  fputs(s.text, stderr);
  hd_string_free(&s);
}

void
history_free(history *h)
{
  free(h->ops);
  h->ops = NULL;
}
