/* make.c: threads use an atomic object under a random scheduler. What they log is explained by what happened, as long
 * as nobody changes it (change.c); unless the plan is wild. */
#include "naive/cases.h"

#include <string.h>

/* ---- texts live until the next start ---- */

static char pool[1 << 20];
static size_t used;

void
naive_start(void)
{
  used = 0;
}

static hd_value
keep(hd_value v)
{
  if (v.type < HD_STR)
    return v;
  HD_CHECK(used + v.length <= sizeof pool);
  char *text = pool + used;
  if (v.length > 0)
    memcpy(text, v.p, v.length);
  used += v.length;
  v.s = text;
  return v;
}

/* ---- what is called ---- */

static hd_value
new_value(naive_case *c, uint64_t *random)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  uint64_t number = c->unique ? c->values++ : naive_below(random, 3);
  if (c->texts)
    return (hd_value){.type = HD_STR, .length = 1, .s = letters + number % 26};
  if (!c->unique && naive_chance(random, 4)) /* what looks like "nothing" */
    return naive_chance(random, 50) ? hd_nil() : hd_int(-1);
  uint64_t value = c->unique ? 2 + (number * 7 + 3) % 61 : number;
  return naive_chance(random, 10) ? hd_uint(value) : hd_int((int64_t) value);
}

static void
choose(naive_case *c, const naive_plan *plan, naive_call *o, uint64_t *random)
{
  const naive_object *object = c->object;
  const naive_method *m = NULL;
  while (!m)
  {
    unsigned total = 0;
    for (size_t i = 0; i < NAIVE_METHODS; i++)
      total += object->methods[i].weight;
    uint64_t at = naive_below(random, total);
    for (m = object->methods; at >= m->weight; m++)
      at -= m->weight;
    if (!c->texts && strchr(m->args, 't'))
      m = NULL;
  }
  o->method = naive_method_index(naive_spec(object), m->name);
  o->nargs = (uint32_t) strlen(m->args);
  for (uint32_t k = 0; k < o->nargs; k++)
    switch (m->args[k])
    {
    case 'k':
      o->args[k] = hd_int((int64_t) naive_below(random, plan->keys ? plan->keys : 2));
      break;
    case 'a':
      o->args[k] = hd_int((int64_t) naive_below(random, 5) - 2);
      break;
    default:
      o->args[k] = new_value(c, random);
    }
}

/* ---- what happens ---- */

typedef struct lane
{
  bool busy, dead;
  uint8_t op;
  naive_notes note; /* of its operation, if that is a mutator */
  bool observer, opened, done, same, committed;
  unsigned tries;
} lane;

typedef struct simulation
{
  naive_case *c;
  const naive_plan *plan;
  uint64_t *random;
  void *state;
  uint32_t holder; /* of a lock: the lane, or 0 */
  lane lanes[NAIVE_LANES + 1];
} simulation;

static void
emit(simulation *s, uint8_t op, naive_event_kind kind)
{
  naive_case *c = s->c;
  HD_CHECK(c->nevents < NAIVE_EVENTS);
  c->events[c->nevents++] = (naive_event){op, (uint8_t) kind};
}

static hd_step
test(const simulation *s, const hd_op *op)
{
  const hd_spec *spec = naive_spec(s->c->object);
  void *copy = spec->copy(s->state);
  hd_step step = spec->apply(copy, op, NULL);
  spec->destroy(copy);
  return step;
}

/* "It is done" and "there is nothing" can be said in several ways. */
static void
say_otherwise(const simulation *s, naive_call *o, hd_op *op)
{
  static const hd_value others[] = {{.type = HD_NIL}, {.type = HD_BOOL, .u = 1}, {.type = HD_INT, .i = -1}};
  char letter = naive_method_get(s->c->object, o->method)->ret;
  if (letter == 'd' && op->ret.type != HD_NIL)
    op->ret = hd_nil(); /* a counter may say nothing */
  else if (!s->plan->calm && naive_chance(s->random, letter == 'm' ? 50 : 15))
    op->ret = others[naive_below(s->random, 3)];
  if (test(s, op) == HD_REJECT)
    op->ret = o->ret;
  o->ret = op->ret;
}

/* The operation takes effect now, if it can. */
static bool
take_effect(simulation *s, naive_call *o, bool *same)
{
  const hd_spec *spec = naive_spec(s->c->object);
  if (s->plan->wild)
  {
    o->ret = naive_plausible(s->c, o->method, s->random);
    *same = naive_chance(s->random, 30);
    return true;
  }
  /* A cas mostly knows what it replaces. */
  if (strcmp(spec->methods[o->method].name, "cas") == 0 && naive_chance(s->random, 60)
      && spec->view(s->state, hd_nil(), &o->args[0]))
    o->args[0] = keep(o->args[0]);
  hd_op op = {.method = o->method, .nargs = o->nargs, .thread = o->lane, .args = o->args};
  hd_value returns[4];
  size_t n = spec->outcomes(s->state, &op, returns, 4);
  HD_CHECK(n <= 4);
  if (n == 0)
    return false;
  op.ret = o->ret = keep(returns[naive_below(s->random, n)]);
  if (test(s, &op) == HD_REJECT)
    return false; /* nil cannot be put into a queue */
  say_otherwise(s, o, &op);
  *same = spec->apply(s->state, &op, NULL) == HD_SAME;
  if (!*same)
    s->holder = s->holder ? 0 : o->lane;
  return true;
}

/* The operation will never return. */
static void
stop(simulation *s, lane *l)
{
  if (naive_chance(s->random, 50))
    emit(s, l->op, NAIVE_ABANDON);
  else
    l->dead = true;
  l->busy = false;
}

static void
start(simulation *s, lane *l, uint32_t number)
{
  naive_case *c = s->c;
  const hd_spec *spec = naive_spec(c->object);
  naive_call o = {.lane = number};
  choose(c, s->plan, &o, s->random);
  if (strcmp(c->object->name, "lock") == 0 && naive_chance(s->random, 80)) /* who holds it gives it back */
    o.method = naive_method_index(spec, s->holder == number           ? "release"
                                        : naive_chance(s->random, 50) ? "acquire"
                                                                      : "try");
  o.ret = naive_plausible(c, o.method, s->random); /* until it takes effect */
  bool observer = spec->methods[o.method].role == HD_OBSERVER;
  *l = (lane){.busy = true,
              .op = (uint8_t) c->n,
              .observer = observer,
              .note = c->notes == NAIVE_MIXED ? (naive_notes) naive_below(s->random, NAIVE_MIXED) : c->notes};
  o.nocommit = l->note == NAIVE_NONE && (!observer || naive_chance(s->random, 20));
  o.ret_at_commit = naive_chance(s->random, 15);
  c->ops[c->n++] = o;
  emit(s, l->op, NAIVE_CALL);
}

static void
leave(simulation *s, lane *l)
{
  emit(s, l->op, NAIVE_RETURN);
  l->busy = false;
}

/* One step of what an operation does between its call and its return. */
static void
go_on(simulation *s, lane *l)
{
  naive_call *o = &s->c->ops[l->op];
  bool window = l->note == NAIVE_WINDOWS && !l->observer, calm = s->plan->calm;
  if (window && (!l->opened || (!l->done && !calm && naive_chance(s->random, 10))))
  {
    emit(s, l->op, NAIVE_WINDOW);
    l->opened = true;
    return;
  }
  if (!l->done)
  {
    l->done = take_effect(s, o, &l->same);
    if (!l->done && ++l->tries > 6)
      stop(s, l);
    if (!l->done || window || o->nocommit || l->observer)
      return;
    /* An exact commit is the effect; where there is none to speak of, it may be left out. */
    l->committed = calm || !l->same || naive_chance(s->random, 50);
    if (l->committed)
      emit(s, l->op, NAIVE_COMMIT);
    return;
  }
  bool late = window && !l->committed && (calm || !l->same || naive_chance(s->random, 50));
  bool needless = l->observer && !o->nocommit && !l->committed && !calm && naive_chance(s->random, 3);
  if (late || needless)
  {
    emit(s, l->op, NAIVE_COMMIT);
    l->committed = true;
    return;
  }
  leave(s, l);
}

void
naive_make(naive_case *c, const naive_plan *plan, uint64_t *random)
{
  const hd_spec *spec = naive_spec(plan->object);
  HD_CHECK(plan->n <= NAIVE_OPS && plan->lanes >= 1 && plan->lanes <= NAIVE_LANES);
  *c = (naive_case){.object = plan->object, .notes = plan->notes, .unique = plan->unique};
  c->texts = plan->object->texts && naive_chance(random, 50);
  c->ends = naive_chance(random, 50);
  if (plan->object->initial && naive_chance(random, 50))
    c->config[c->nconfig++] = hd_int(plan->unique ? 100 : (int64_t) naive_below(random, 2));
  simulation s = {.c = c, .plan = plan, .random = random, .state = spec->create(c->config, c->nconfig)};
  for (;;)
  {
    bool waiting = false, busy = false;
    for (uint32_t i = 1; i <= plan->lanes; i++)
    {
      busy = busy || s.lanes[i].busy;
      waiting = waiting || (!s.lanes[i].dead && !s.lanes[i].busy && c->n < plan->n);
    }
    if (!busy && !waiting)
      break;
    uint32_t number = 1 + (uint32_t) naive_below(random, plan->lanes);
    lane *l = &s.lanes[number];
    if (l->busy)
    {
      if (naive_chance(random, plan->pending))
        stop(&s, l);
      else
        go_on(&s, l);
    }
    else if (!l->dead && c->n < plan->n)
      start(&s, l, number);
  }
  spec->destroy(s.state);
}
