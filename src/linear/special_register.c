/* special_register.c: registers, and maps of which only one key is used: what each operation wrote or saw.
 *
 * A map's key is a register that is "absent" at first, which get says as nil, -1 or an empty text; so a value that is
 * put in must not look like that. del → false sees "absent"; a del that does not say whether the key was there, or
 * never returned, writes "absent"; del → true is an operation that a register does not have: not fit.
 *
 * Values that are written once: special_zones.c. Values that repeat, if there is no cas: special_lazy.c. Append:
 * special_append.c. A cas that failed: not fit. */
#include "linear/special_parts.h"

enum
{
  MAP_METHODS = 4, /* a register has fewer */
};

typedef struct effect
{
  register_kind kind;
  hd_value saw, wrote;
} effect;

/* What OP did. False: not fit. */
static bool
effect_of(const special_job *job, uint32_t op, effect *e)
{
  const hd_linear_op *o = &job->ops[op];
  bool is_map = job->spec->nmethods == MAP_METHODS;
  hd_value ret = o->ret;
  switch (job_role(job, op))
  {
  case ROLE_READ:
    e->kind = o->pending ? REGISTER_NOTHING : REGISTER_LOOKS;
    e->saw = is_map && value_absent(ret) ? hd_nil() : ret;
    return true;
  case ROLE_WRITE:
    e->kind = REGISTER_WRITES;
    e->wrote = o->args[is_map];
    return (o->pending || value_done(ret)) && !(is_map && value_absent(e->wrote));
  case ROLE_CAS:
    e->kind = REGISTER_SWAPS;
    e->saw = o->args[0];
    e->wrote = o->args[1];
    return o->pending || value_is(ret, 1);
  case ROLE_DEL:
    e->saw = e->wrote = hd_nil();
    e->kind = o->pending || ret.type == HD_NIL ? REGISTER_WRITES : REGISTER_LOOKS;
    return e->kind == REGISTER_WRITES || value_is(ret, 0);
  case ROLE_APPEND: /* special_append.c knows what it did; this is for texts */
    e->wrote = o->args[1];
    return false;
  default:
    return false;
  }
}

static void
include(special_range *range, const special_register *r, hd_value v)
{
  if (!hd_value_equal(v, r->initial))
    range_include(range, v);
}

/* The number of V. */
static uint32_t
add(special_register *r, hd_value v)
{
  bool fresh;
  if (hd_value_equal(v, r->initial))
    return 0;
  uint32_t i = hd_special_values_add(&r->values, v, &fresh) + 1;
  if (fresh)
    r->writer[i] = NONE;
  return i;
}

/* Number the values. SPECIAL_HOLDS: done. */
static special_answer
open_register(special_job *job, special_register *r)
{
  special_range range = {0};
  effect e = {0};
  r->kind = hd_special_array(job, job->n, sizeof *r->kind);
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (!effect_of(job, i, &e))
      return SPECIAL_NOT_FIT;
    r->kind[i] = (uint8_t) e.kind;
    r->ncas += e.kind == REGISTER_SWAPS;
    if (e.kind == REGISTER_LOOKS || e.kind == REGISTER_SWAPS)
      include(&range, r, e.saw);
    if (e.kind == REGISTER_WRITES || e.kind == REGISTER_SWAPS)
      include(&range, r, e.wrote);
  }
  hd_special_values_open(job, &r->values, &range);
  r->value = hd_special_array(job, job->n, sizeof *r->value);
  r->saw = r->ncas > 0 ? hd_special_array(job, job->n, sizeof *r->saw) : r->value;
  r->writer = hd_special_array(job, range.n + 1, sizeof *r->writer);
  r->writer[0] = NONE;
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    effect_of(job, i, &e);
    r->value[i] = r->saw[i] = 0;
    if (r->kind[i] == REGISTER_LOOKS || r->kind[i] == REGISTER_SWAPS)
      r->value[i] = r->saw[i] = add(r, e.saw);
    if (r->kind[i] == REGISTER_LOOKS || r->kind[i] == REGISTER_NOTHING)
      continue;
    uint32_t b = r->value[i] = add(r, e.wrote);
    r->repeated |= b == 0 || r->writer[b] != NONE;
    r->nwritten += b > 0 && r->writer[b] == NONE;
    r->writer[b] = i;
  }
  r->n = r->values.n + 1;
  job->steps += 2 * (uint64_t) job->n;
  return SPECIAL_HOLDS;
}

static special_answer
decide(special_job *job, special_register *r)
{
  special_answer answer = open_register(job, r);
  if (answer != SPECIAL_HOLDS)
    return answer;
  if (r->repeated && r->ncas > 0)
    return SPECIAL_NOT_FIT;
  for (uint32_t i = 0; i < job->n && r->values.n > r->nwritten; i++)
    if (r->kind[i] == REGISTER_LOOKS && r->value[i] > 0 && r->writer[r->value[i]] == NONE)
      return hd_special_from_nowhere(job, i);
  return r->repeated ? hd_special_lazy(job, r) : hd_special_zones(job, r);
}

special_answer
hd_special_register(special_job *job)
{
  special_register r = {.initial = job->nconfig > 0 ? job->config[0] : hd_nil()};
  return decide(job, &r);
}

special_answer
hd_special_map(special_job *job)
{
  special_register r = {.initial = hd_nil()}; /* absent */
  bool appends = false;
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (!hd_value_equal(job->ops[i].args[0], job->ops[0].args[0]))
      return SPECIAL_NOT_FIT;
    appends |= job_role(job, i) == ROLE_APPEND;
  }
  return appends ? hd_special_append(job) : decide(job, &r);
}

const char *
hd_special_register_text(special_job *job, const special_register *r, uint32_t number)
{
  effect e = {.wrote = r->initial};
  if (number == 0)
    return job->spec->nmethods == MAP_METHODS ? "absent" : hd_special_value_text(job, e.wrote);
  if (effect_of(job, r->writer[number], &e))
    return hd_special_value_text(job, e.wrote);
  hd_string s = {0};
  hd_string_printf(&s, "what %s made", hd_special_op_text(job, r->writer[number])); /* append */
  return hd_special_keep_text(job, &s);
}

special_answer
hd_special_from_nowhere(special_job *job, uint32_t op)
{
  effect e = {0};
  effect_of(job, op, &e);
  hd_special_show(job, op);
  return hd_special_violated(job, HD_LINEAR_FROM_NOWHERE, !job->ops[op].pending, "%s saw %s, which nobody wrote",
                             hd_special_op_text(job, op), hd_special_value_text(job, e.saw));
}
