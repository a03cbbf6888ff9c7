/* special.c: which special algorithm fits; and the words of a violation. */
#include "linear/special_parts.h"

#include <stdlib.h>
#include <string.h>

enum
{
  MAX_METHODS = 4,
  VALUE_TEXT = 40, /* bytes of a value in a sentence */
};

/* The step limit for the search among pending removals: some seconds. */
static const uint64_t default_steps = 1ull << 29;
static const size_t default_configurations = 1 << 15;

typedef struct algorithm
{
  const char *name;
  special_answer (*decide)(special_job *job);
  size_t nmethods;
  const char *methods[MAX_METHODS];
  special_role roles[MAX_METHODS];
} algorithm;

static const algorithm algorithms[] = {
    {"register", hd_special_register, 3, {"read", "write", "cas"}, {ROLE_READ, ROLE_WRITE, ROLE_CAS}},
    {"map", hd_special_map, 4, {"get", "put", "append", "del"}, {ROLE_READ, ROLE_WRITE, ROLE_APPEND, ROLE_DEL}},
    {"set", hd_special_set, 3, {"add", "remove", "contains"}, {ROLE_ADD, ROLE_REMOVE, ROLE_CONTAINS}},
    {"counter", hd_special_counter, 4, {"inc", "dec", "add", "get"}, {ROLE_INC, ROLE_DEC, ROLE_PLUS, ROLE_GET}},
    {"queue", hd_special_queue, 4, {"enqueue", "enq", "dequeue", "deq"}, {ROLE_PUT, ROLE_PUT, ROLE_TAKE, ROLE_TAKE}},
    {"stack", hd_special_stack, 2, {"push", "pop"}, {ROLE_PUT, ROLE_TAKE}},
    {"pqueue", hd_special_pqueue, 2, {"insert", "delmin"}, {ROLE_PUT, ROLE_TAKE}},
};

static bool
is_for(const algorithm *a, const hd_spec *spec)
{
  if (strcmp(a->name, spec->name) != 0 || a->nmethods != spec->nmethods)
    return false;
  for (size_t i = 0; i < a->nmethods; i++)
    if (strcmp(a->methods[i], spec->methods[i].name) != 0)
      return false;
  return true;
}

static const algorithm *
find(const hd_spec *spec)
{
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
    if (is_for(&algorithms[i], spec))
      return &algorithms[i];
  return NULL;
}

bool
hd_special_knows(const hd_spec *spec)
{
  return find(spec) != NULL;
}

const special_role *
hd_special_roles(const hd_spec *spec)
{
  const algorithm *a = find(spec);
  return a ? a->roles : NULL;
}

bool
hd_special_takes_all(const hd_spec *spec)
{
  const algorithm *a = find(spec);
  return a && a->decide != hd_special_map;
}

/* What every algorithm takes; a return that nobody knows only where the operation returns nothing, or what it took. */
static bool
takes(const algorithm *a, const hd_linear_op *o)
{
  special_role role = a->roles[o->method];
  bool silent = role == ROLE_PUT || role == ROLE_WRITE || role == ROLE_INC || role == ROLE_DEC || role == ROLE_PLUS;
  return !o->unchanged && !o->exceptional && (!o->any_ret || role == ROLE_TAKE || (silent && o->ret.type == HD_NIL));
}

bool
hd_special_may_fit(const hd_spec *spec, const hd_linear_op *o)
{
  const algorithm *a = find(spec);
  return a && takes(a, o) && (a->roles[o->method] != ROLE_DEL || o->pending || !value_is(o->ret, 1));
}

special_answer
hd_special_decide(const hd_spec *spec, const hd_linear_op *ops, size_t n, const special_options *options,
                  hd_linear_violation *why)
{
  const algorithm *a = find(spec);
  if (!a || n > UINT32_MAX / 4) /* times and 2 * operation + 1 are 32-bit numbers */
    return SPECIAL_NOT_FIT;
  special_job job = {.spec = spec, .roles = a->roles, .ops = ops, .n = (uint32_t) n, .why = why};
  job.max_steps = default_steps;
  job.max_configurations = default_configurations;
  if (options)
  {
    job.config = options->config;
    job.nconfig = options->nconfig;
    job.cancel = options->cancel;
    job.rules_off = options->rules_off;
    job.memory = options->memory;
    job.memory_size = options->memory_size;
    if (options->max_steps > 0)
      job.max_steps = options->max_steps < UINT64_MAX / 4 ? options->max_steps : UINT64_MAX / 4; /* sums stay below */
    if (options->max_configurations > 0)
      job.max_configurations = options->max_configurations;
  }
  if (why)
    *why = (hd_linear_violation){0};
  for (uint32_t i = 0; i < job.n; i++)
    if (!takes(a, &ops[i]))
      return SPECIAL_NOT_FIT;
  special_answer answer = hd_special_order(&job);
  if (answer == SPECIAL_HOLDS)
    answer = a->decide(&job);
  if (answer != SPECIAL_NOT_FIT && job_cancelled(&job)) /* whoever saw it may have broken off anywhere */
    answer = SPECIAL_STOPPED;
  if (options && options->steps)
    *options->steps += job.steps;
  if (options && options->peak && job.peak > *options->peak)
    *options->peak = job.peak;
  hd_special_end(&job);
  return answer;
}

/* ---- the violation ---- */

void
hd_special_show(special_job *job, uint32_t op)
{
  hd_linear_violation *why = job->why;
  if (!why)
    return;
  for (size_t i = 0; i < why->nids; i++)
    if (why->ids[i] == job->ops[op].id)
      return;
  if (why->nids == HD_LINEAR_SHOWN)
    job->cut = true;
  else
    why->ids[why->nids++] = job->ops[op].id;
}

special_answer
hd_special_violated(special_job *job, hd_linear_pattern pattern, bool alone, const char *format, ...)
{
  hd_linear_violation *why = job->why;
  if (why)
  {
    why->pattern = pattern;
    why->alone = alone && !job->cut;
    va_list args;
    va_start(args, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, args);
    va_end(args);
  }
  return SPECIAL_VIOLATED;
}

const char *
hd_special_value_text(special_job *job, hd_value v)
{
  hd_string s = {0};
  hd_value_print(&s, v, VALUE_TEXT);
  return hd_special_keep_text(job, &s);
}

const char *
hd_special_op_text(special_job *job, uint32_t op)
{
  const hd_linear_op *o = &job->ops[op];
  const hd_method *m = &job->spec->methods[o->method];
  special_role role = job_role(job, op);
  hd_string s = {0};
  hd_string_printf(&s, "%s(", m->name);
  for (size_t i = 0; m->args[i]; i++)
  {
    hd_string_add(&s, i > 0 ? ", " : "");
    hd_value_print(&s, o->args[i], VALUE_TEXT);
  }
  hd_string_add(&s, ")");
  if (!o->pending && !o->any_ret && role != ROLE_PUT && role != ROLE_WRITE)
  {
    hd_string_add(&s, " → ");
    hd_value_print(&s, o->ret, VALUE_TEXT);
  }
  return hd_special_keep_text(job, &s);
}
