/* model.c: the sequential models. */
#include "model.h"

static bool
is_int(hd_value v, int64_t i)
{
  return hd_value_equal(v, hd_int(i));
}

/* ---- multiset: cell[x] = number of x ---- */

static const hd_method multiset_methods[] = {
    {"insert", HD_MUTATOR, "i", 'b'},  {"insert_pair", HD_MUTATOR, "ii", 'b'}, {"delete", HD_MUTATOR, "i", 'b'},
    {"lookup", HD_OBSERVER, "i", 'b'}, {"how_many", HD_OBSERVER, "i", 'i'},
};

static hd_step
multiset_apply(model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  int64_t x = args[0].i;
  bool yes = ret.value.u != 0;
  if (ret.exceptional) /* insert may find no room: any time, no effect */
    return method == MS_INSERT && is_int(ret.value, MODEL_EXCEPTION) ? HD_SAME : HD_REJECT;
  switch (method)
  {
  case MS_INSERT:
  case MS_INSERT_PAIR:
    if (!yes)
      return HD_SAME;
    s->cell[x]++;
    if (method == MS_INSERT_PAIR)
      s->cell[args[1].i]++;
    return HD_CHANGED;
  case MS_DELETE:
    if (yes != (s->cell[x] > 0))
      return HD_REJECT;
    if (!yes)
      return HD_SAME;
    s->cell[x]--;
    return HD_CHANGED;
  case MS_LOOKUP:
    return yes == (s->cell[x] > 0) ? HD_SAME : HD_REJECT;
  default:
    return is_int(ret.value, s->cell[x]) ? HD_SAME : HD_REJECT;
  }
}

static size_t
multiset_outcomes(const model_state *s, unsigned method, const hd_value *args, hd_value *out)
{
  if (method == MS_INSERT || method == MS_INSERT_PAIR)
  {
    out[0] = hd_bool(true);
    out[1] = hd_bool(false);
    return 2;
  }
  if (method == MS_HOW_MANY)
    out[0] = hd_int(s->cell[args[0].i]);
  else
    out[0] = hd_bool(s->cell[args[0].i] > 0);
  return 1;
}

static bool
multiset_view(const model_state *s, unsigned key, int64_t *out)
{
  *out = s->cell[key];
  return s->cell[key] > 0;
}

static bool
count_view(const model_replica *r, unsigned key, int64_t *out)
{
  *out = r->var[key];
  return r->var[key] != 0;
}

static bool
count_sound(const model_replica *r)
{
  for (unsigned i = 0; i < MODEL_VARS; i++)
    if (r->var[i] < 0)
      return false;
  return true;
}

static bool
slots_view(const model_replica *r, unsigned key, int64_t *out)
{
  *out = 0;
  for (int i = 0; i < SLOTS; i++)
    if (r->var[VAR_VALID(i)] && r->var[VAR_ELT(i)] == (int8_t) key + 1)
      ++*out;
  return *out > 0;
}

/* ---- register and counter: cell[0] ---- */

static const hd_method register_methods[] = {
    {"write", HD_MUTATOR, "i", 'n'},
    {"cas", HD_MUTATOR, "ii", 'b'},
    {"swap", HD_MUTATOR, "i", 'i'},
    {"read", HD_OBSERVER, "", 'i'},
};

static hd_step
register_apply(model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  int8_t old = s->cell[0];
  if (ret.exceptional)
    return HD_REJECT;
  switch (method)
  {
  case REG_WRITE:
    s->cell[0] = (int8_t) args[0].i;
    break;
  case REG_CAS:
    if ((ret.value.u != 0) != (old == args[0].i))
      return HD_REJECT;
    if (ret.value.u)
      s->cell[0] = (int8_t) args[1].i;
    break;
  case REG_SWAP:
    if (!is_int(ret.value, old))
      return HD_REJECT;
    s->cell[0] = (int8_t) args[0].i;
    break;
  default:
    return is_int(ret.value, old) ? HD_SAME : HD_REJECT;
  }
  return s->cell[0] == old ? HD_SAME : HD_CHANGED;
}

static size_t
register_outcomes(const model_state *s, unsigned method, const hd_value *args, hd_value *out)
{
  if (method == REG_WRITE)
    out[0] = hd_nil();
  else if (method == REG_CAS)
    out[0] = hd_bool(s->cell[0] == args[0].i);
  else
    out[0] = hd_int(s->cell[0]);
  return 1;
}

static const hd_method counter_methods[] = {
    {"inc", HD_MUTATOR, "", 'i'},
    {"reset", HD_MUTATOR, "", 'n'},
    {"get", HD_OBSERVER, "", 'i'},
};

static hd_step
counter_apply(model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  (void) args;
  if (ret.exceptional)
    return HD_REJECT;
  if (method == CTR_RESET)
  {
    hd_step step = s->cell[0] ? HD_CHANGED : HD_SAME;
    s->cell[0] = 0;
    return step;
  }
  if (!is_int(ret.value, s->cell[0] + (method == CTR_INC)))
    return HD_REJECT;
  if (method == CTR_GET)
    return HD_SAME;
  s->cell[0]++;
  return HD_CHANGED;
}

static size_t
counter_outcomes(const model_state *s, unsigned method, const hd_value *args, hd_value *out)
{
  (void) args;
  out[0] = method == CTR_RESET ? hd_nil() : hd_int(s->cell[0] + (method == CTR_INC));
  return 1;
}

static bool
cell_view(const model_state *s, unsigned key, int64_t *out)
{
  *out = s->cell[key];
  return true;
}

static bool
var_view(const model_replica *r, unsigned key, int64_t *out)
{
  *out = r->var[key];
  return true;
}

/* ---- stack and queue: cell[0 .. n-1], the oldest first ---- */

static const hd_method stack_methods[] = {
    {"push", HD_MUTATOR, "i", 'n'},
    {"pop", HD_MUTATOR, "", '*'},
    {"top", HD_OBSERVER, "", '*'},
};

static const hd_method queue_methods[] = {
    {"enqueue", HD_MUTATOR, "i", 'n'},
    {"dequeue", HD_MUTATOR, "", '*'},
    {"peek", HD_OBSERVER, "", '*'},
};

/* Empty: take and look return nil; take may also end with an exception. */
static hd_step
sequence_apply(model_state *s, unsigned method, const hd_value *args, model_return ret, int at)
{
  if (ret.exceptional)
    return method == SEQ_TAKE && s->n == 0 && is_int(ret.value, MODEL_EXCEPTION) ? HD_SAME : HD_REJECT;
  if (method == SEQ_PUT)
  {
    s->cell[s->n++] = (int8_t) args[0].i;
    return HD_CHANGED;
  }
  if (s->n == 0)
    return ret.value.type == HD_NIL ? HD_SAME : HD_REJECT;
  if (!is_int(ret.value, s->cell[at]))
    return HD_REJECT;
  if (method == SEQ_LOOK)
    return HD_SAME;
  s->n--;
  for (int i = at; i < s->n; i++)
    s->cell[i] = s->cell[i + 1];
  s->cell[s->n] = 0;
  return HD_CHANGED;
}

static hd_step
stack_apply(model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  return sequence_apply(s, method, args, ret, s->n - 1);
}

static hd_step
queue_apply(model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  return sequence_apply(s, method, args, ret, 0);
}

static size_t
stack_outcomes(const model_state *s, unsigned method, const hd_value *args, hd_value *out)
{
  (void) args;
  out[0] = method == SEQ_PUT || s->n == 0 ? hd_nil() : hd_int(s->cell[s->n - 1]);
  return 1;
}

static size_t
queue_outcomes(const model_state *s, unsigned method, const hd_value *args, hd_value *out)
{
  (void) args;
  out[0] = method == SEQ_PUT || s->n == 0 ? hd_nil() : hd_int(s->cell[0]);
  return 1;
}

static bool
stack_view(const model_state *s, unsigned key, int64_t *out)
{
  if (key >= (unsigned) s->n)
    return false;
  *out = s->cell[s->n - 1 - (int) key];
  return true;
}

static bool
nodes_view(const model_replica *r, unsigned key, int64_t *out)
{
  int node = r->var[VAR_TOP];
  for (unsigned d = 0; d < key && node; d++) /* a cycle is cut by the key */
    node = r->var[VAR_NEXT(node - 1)];
  if (!node)
    return false;
  *out = r->var[VAR_VALUE(node - 1)];
  return true;
}

const model models[MODEL_COUNT] = {
    [MODEL_MULTISET] = {"multiset", multiset_methods, 5, 3, 3, multiset_apply, multiset_outcomes, multiset_view,
                        count_view, count_sound},
    [MODEL_MULTISET_SLOTS] = {"multiset-slots", multiset_methods, 5, 3, 2 * SLOTS, multiset_apply, multiset_outcomes,
                              multiset_view, slots_view, NULL},
    [MODEL_REGISTER]
    = {"register", register_methods, 4, 1, 1, register_apply, register_outcomes, cell_view, var_view, NULL},
    [MODEL_COUNTER] = {"counter", counter_methods, 3, 1, 1, counter_apply, counter_outcomes, cell_view, var_view, NULL},
    [MODEL_STACK]
    = {"stack", stack_methods, 3, NODES, 1 + 2 * NODES, stack_apply, stack_outcomes, stack_view, nodes_view, NULL},
    [MODEL_QUEUE] = {"queue", queue_methods, 3, 0, 0, queue_apply, queue_outcomes, NULL, NULL, NULL},
};

bool
model_same(const model *m, const model_state *s, unsigned method, const hd_value *args, model_return ret)
{
  model_state copy = *s;
  return m->apply(&copy, method, args, ret) == HD_SAME;
}
