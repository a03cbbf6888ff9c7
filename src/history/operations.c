/* operations.c: from events to the steps of operations: which event belongs to which call, and what its text means to
 * the specification.
 *
 * A process has at most one operation open. After an info it is not used again: the operation stays open for good. */
#include "history/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An operation that is open. */
typedef struct open_op
{
  struct open_op *next; /* of those that are free */
  uint64_t number;
  uint32_t line, method, nargs;
  bool windowed, committed, has_object;
  const hd_history_rule *rule;
  hd_value object, args[HD_SITE_VALUES];
  char *text; /* what they point to */
  size_t text_cap;
} open_op;

typedef struct process
{
  int64_t id;
  open_op *open;
  uint32_t ended; /* the line of its info, or 0 */
} process;

typedef struct pairing
{
  hd_history *h;
  const hd_spec *spec;
  hd_history_op_sink sink;
  void *context;
  hd_history_rule *rules;
  size_t nrules;
  uint32_t *methods;  /* by rule */
  process *processes; /* by slot */
  size_t nprocesses, cap_processes;
  uint32_t *index; /* hash table: 1 + slot, 0: free */
  size_t index_size;
  open_op *free;
  uint64_t calls;
} pairing;

/* ---- processes ---- */

static void
index_insert(pairing *p, uint32_t slot)
{
  size_t i = hd_mix((uint64_t) p->processes[slot].id) & (p->index_size - 1);
  while (p->index[i])
    i = (i + 1) & (p->index_size - 1);
  p->index[i] = slot + 1;
}

static uint32_t
slot_of(pairing *p, int64_t id)
{
  for (size_t i = hd_mix((uint64_t) id) & (p->index_size - 1); p->index[i]; i = (i + 1) & (p->index_size - 1))
    if (p->processes[p->index[i] - 1].id == id)
      return p->index[i] - 1;
  uint32_t slot = (uint32_t) p->nprocesses;
  HD_PUSH(p->processes, p->nprocesses, p->cap_processes, (process){.id = id});
  if (p->nprocesses * 2 > p->index_size)
  {
    free(p->index);
    p->index_size *= 2;
    p->index = hd_alloc_zero(p->index_size * sizeof *p->index);
    for (uint32_t i = 0; i < slot; i++)
      index_insert(p, i);
  }
  index_insert(p, slot);
  return slot;
}

/* ---- values ---- */

static bool
fits(char letter, hd_value v)
{
  bool number = v.type == HD_INT || v.type == HD_UINT || v.type == HD_BOOL;
  switch (letter)
  {
  case 'i':
    return number && (v.type == HD_INT || v.u <= INT64_MAX);
  case 'u':
    return number && (v.type != HD_INT || v.i >= 0);
  case 'b':
    return number && v.u <= 1;
  case 's':
  case 'y':
    return v.type >= HD_STR;
  case 'n':
    return v.type == HD_NIL;
  default:
    return true;
  }
}

static const char *
wanted(char letter)
{
  return letter == 'i'                    ? "a whole number"
         : letter == 'u'                  ? "a whole number that is not negative"
         : letter == 'b'                  ? "true or false"
         : letter == 's' || letter == 'y' ? "a string"
                                          : "nothing";
}

static bool complain(pairing *p, const hd_history_event *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool
complain(pairing *p, const hd_history_event *e, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  hd_history_fail(&p->h->in, (place){e->line, e->column}, "%s", s.text);
  hd_string_free(&s);
  return false;
}

/* The value of E, of a rule with a key: without a field for it the value is [KEY VALUE]. */
static bool
split_key(const hd_history_event *e, hd_value *key, hd_history_event *rest)
{
  *rest = *e;
  *key = e->key;
  if (e->has_key)
    return true;
  if (!e->is_list || e->nitems < 1 || e->nitems > 2)
    return false;
  *key = e->items[0];
  rest->is_list = false;
  rest->nitems = 0;
  rest->has_value = e->nitems == 2;
  rest->value = rest->has_value ? e->items[1] : hd_nil();
  return true;
}

/* The arguments in the forms that have fields for key and value. */
static bool
field_args(pairing *p, const hd_history_event *e, open_op *o)
{
  const char *f = o->rule->f;
  size_t values = 0;
  hd_history_event rest = *e;
  bool object_key = e->has_key && e->key.type != HD_NIL;
  for (const char *a = o->rule->args; *a; a++)
    if (*a == 'k')
    {
      object_key = false;
      if (!split_key(e, &o->args[o->nargs++], &rest))
        return complain(p, e, "%s needs a key: a field key, or the value [KEY VALUE]", f);
    }
    else if (*a == 'e' && (!e->has_value || e->value.type == HD_NIL) && e->has_key)
    {
      object_key = false;
      o->args[o->nargs++] = e->key;
      rest.has_value = false;
      rest.value = hd_nil();
    }
    else
      values++;
  if (object_key)
  {
    o->has_object = true;
    o->object = e->key;
  }
  if (values == 0)
    return !rest.has_value || rest.value.type == HD_NIL || complain(p, e, "%s takes no value", f);
  if (!rest.has_value)
    return complain(p, e, "%s needs a value", f);
  if (values == 1)
  {
    o->args[o->nargs++] = rest.value;
    return true;
  }
  if (!rest.is_list || rest.nitems != values)
    return complain(p, e, "%s needs %zu values in a list, such as [1 2]", f, values);
  for (uint32_t i = 0; i < values; i++)
    o->args[o->nargs++] = rest.items[i];
  return true;
}

static bool
word_args(pairing *p, const hd_history_event *e, open_op *o)
{
  size_t n = strlen(o->rule->args);
  if (n != e->nitems)
    return complain(p, e, "%s takes %zu argument%s, not %" PRIu32, o->rule->f, n, n == 1 ? "" : "s", e->nitems);
  for (uint32_t i = 0; i < n; i++)
    o->args[o->nargs++] = e->items[i];
  return true;
}

/* What O's values point to becomes its own. */
static void
keep_values(open_op *o)
{
  size_t n = o->has_object && o->object.type >= HD_STR ? o->object.length : 0;
  for (uint32_t i = 0; i < o->nargs; i++)
    n += o->args[i].type >= HD_STR ? o->args[i].length : 0;
  if (n == 0)
    return;
  hd_grow(&o->text, &o->text_cap, n, 1);
  char *to = o->text;
  for (uint32_t i = 0; i <= o->nargs; i++)
  {
    hd_value *v = i < o->nargs ? &o->args[i] : &o->object;
    if (v->type < HD_STR || (i == o->nargs && !o->has_object))
      continue;
    if (v->length)
      memcpy(to, v->s, v->length);
    v->s = to;
    to += v->length;
  }
}

/* The return value that E says. */
static bool
result(pairing *p, const hd_history_event *e, const open_op *o, hd_history_op *op)
{
  const hd_history_rule *rule = o->rule;
  hd_value key;
  hd_history_event rest = *e;
  if (!e->has_key && strchr(rule->args, 'k') && p->h->form != HD_HISTORY_SYNTHETIC)
    split_key(e, &key, &rest);
  bool truth = rest.has_value && rest.value.type == HD_BOOL, none = !rest.has_value || rest.value.type == HD_NIL;
  bool again = !none && o->nargs > 0 && hd_value_equal(rest.value, o->args[o->nargs - 1]);
  op->has_ret = true;
  op->ret = rest.value;
  if (p->h->form == HD_HISTORY_SYNTHETIC)
  {
    op->has_ret = rest.has_value || rule->ret == 'v';
    return true;
  }
  switch (rule->ret)
  {
  case '-':
    op->has_ret = false;
    break;
  case 'c':
    if (!truth && !none && !rest.is_list)
      return complain(p, e, "%s is ok with its values, [1 2], with true or with false", rule->f);
    if (!truth)
      op->ret = hd_bool(true);
    break;
  case 'o':
    if (!truth && !none && !again)
      return complain(p, e, "%s is ok with true, with false or with its own value again", rule->f);
    op->has_ret = truth;
    break;
  case 'g':
    op->has_ret = !none && !again;
    break;
  default: /* v, b */
    break;
  }
  if (!op->has_ret)
    op->ret = hd_nil();
  return true;
}

/* ---- events ---- */

static const hd_history_rule *
find_rule(const pairing *p, const char *f)
{
  for (size_t i = 0; i < p->nrules; i++)
    if (strcmp(p->rules[i].f, f) == 0)
      return &p->rules[i];
  return NULL;
}

static bool
unknown_operation(pairing *p, const hd_history_event *e)
{
  hd_string s = {0};
  for (size_t i = 0; i < p->nrules; i++)
    hd_string_printf(&s, "%s%s", i == 0 ? "" : i + 1 < p->nrules ? ", " : " and ", p->rules[i].f);
  complain(p, e, "the specification %s has no operation '%.40s'; it has %s", p->spec->name, e->f, s.text);
  hd_string_free(&s);
  return false;
}

static bool
hand_on(pairing *p, const hd_history_event *e, const open_op *o, uint32_t slot, hd_history_step step, hd_history_op *op)
{
  op->step = step;
  op->line = e->line;
  op->column = e->column;
  op->number = o->number;
  op->process = e->process;
  op->slot = slot;
  op->method = o->method;
  op->has_object = o->has_object;
  op->object = o->object;
  op->rule = *o->rule;
  op->nargs = o->nargs;
  op->args = o->args;
  return p->sink(p->context, op);
}

static bool
invoke(pairing *p, const hd_history_event *e, uint32_t slot)
{
  process *who = &p->processes[slot];
  if (who->open)
    return complain(p, e, "process %" PRId64 " calls %.40s, but its %s of line %" PRIu32 " has not returned",
                    e->process, e->f, who->open->rule->f, who->open->line);
  if (who->ended)
    return complain(p, e,
                    "process %" PRId64 " calls %.40s, but its last operation ended with info in line %" PRIu32
                    ", so it may still be at it; give who goes on a new number",
                    e->process, e->f, who->ended);
  const hd_history_rule *rule = find_rule(p, e->f);
  if (!rule)
    return unknown_operation(p, e);
  open_op *o = p->free;
  if (o)
    p->free = o->next;
  else
    o = hd_alloc_zero(sizeof *o);
  who->open = o;
  o->rule = rule;
  o->method = p->methods[rule - p->rules];
  o->number = p->calls++;
  o->line = e->line;
  o->nargs = 0;
  o->windowed = o->committed = o->has_object = false;
  o->object = hd_nil();
  if (!(p->h->form == HD_HISTORY_SYNTHETIC ? word_args(p, e, o) : field_args(p, e, o)))
    return false;
  const char *letters = p->spec->methods[o->method].args;
  for (uint32_t i = 0; i < o->nargs; i++)
    if (!fits(letters[i], o->args[i]))
      return complain(p, e, "%s takes %s", rule->f, wanted(letters[i]));
  keep_values(o);
  hd_history_op op = {.ret = hd_nil()};
  return hand_on(p, e, o, slot, HD_HISTORY_STEP_CALL, &op);
}

static void
release(pairing *p, process *who)
{
  who->open->next = p->free;
  p->free = who->open;
  who->open = NULL;
}

static bool
complete(pairing *p, const hd_history_event *e, uint32_t slot)
{
  static const char *const verbs[] = {"", "opens a window", "commits", "returns", "fails", "ends with info"};
  process *who = &p->processes[slot];
  open_op *o = who->open;
  if (!o)
    return complain(p, e, "process %" PRId64 " %s, but has nothing open: a call (invoke) is missing before this line",
                    e->process, verbs[e->type]);
  if (e->f && strcmp(e->f, o->rule->f) != 0)
    return complain(p, e, "process %" PRId64 " %s in %.40s, but it called %s in line %" PRIu32, e->process,
                    verbs[e->type], e->f, o->rule->f, o->line);
  if (o->has_object && e->has_key && !hd_value_equal(o->object, e->key))
    return complain(p, e, "process %" PRId64 " %s with another key than it called %s with in line %" PRIu32, e->process,
                    verbs[e->type], o->rule->f, o->line);
  hd_history_op op = {.ret = hd_nil()};
  hd_history_step step = HD_HISTORY_STEP_RETURN;
  switch (e->type)
  {
  case HD_HISTORY_WINDOW:
    if (o->committed)
      return complain(p, e,
                      "process %" PRId64 " opens a window after the commit of its %s of line %" PRIu32
                      "; a window begins before the commit that ends it",
                      e->process, o->rule->f, o->line);
    if (o->windowed)
      return complain(p, e, "process %" PRId64 " opens a window twice in its %s of line %" PRIu32, e->process,
                      o->rule->f, o->line);
    o->windowed = true;
    return hand_on(p, e, o, slot, HD_HISTORY_STEP_WINDOW, &op);
  case HD_HISTORY_COMMIT:
    if (o->committed)
      return complain(p, e, "process %" PRId64 " commits twice in its %s of line %" PRIu32, e->process, o->rule->f,
                      o->line);
    o->committed = true;
    return hand_on(p, e, o, slot, HD_HISTORY_STEP_COMMIT, &op);
  case HD_HISTORY_OK:
    if (!result(p, e, o, &op))
      return false;
    break;
  case HD_HISTORY_FAIL:
    step = HD_HISTORY_STEP_FAILED;
    /* In etcd's logs a comparison that failed is a fail. */
    if (p->h->form == HD_HISTORY_ETCD && o->rule->ret == 'c')
    {
      step = HD_HISTORY_STEP_RETURN;
      op.has_ret = true;
      op.ret = hd_bool(false);
    }
    else if (o->committed)
      return complain(p, e, "process %" PRId64 " fails, which means that its %s did not happen, but it has committed",
                      e->process, o->rule->f);
    break;
  default: /* HD_HISTORY_INFO */
    step = HD_HISTORY_STEP_NEVER;
    who->ended = e->line;
  }
  char letter = p->spec->methods[o->method].ret;
  if (op.has_ret && !fits(letter, op.ret))
    return complain(p, e, "%s returns %s", o->rule->f, wanted(letter));
  bool good = hand_on(p, e, o, slot, step, &op);
  release(p, who);
  return good;
}

static bool
take(void *context, const hd_history_event *e)
{
  pairing *p = context;
  uint32_t slot = slot_of(p, e->process);
  return e->type == HD_HISTORY_INVOKE ? invoke(p, e, slot) : complete(p, e, slot);
}

static void
free_op(open_op *o)
{
  if (o)
    free(o->text);
  free(o);
}

bool
hd_history_read(hd_history *h, const hd_spec *spec, hd_history_op_sink sink, void *context, char **error)
{
  pairing p = {.h = h, .spec = spec, .sink = sink, .context = context, .index_size = 64};
  p.rules = hd_history_rules(spec, &p.nrules);
  p.methods = hd_alloc_array(p.nrules, sizeof *p.methods);
  for (size_t i = 0; i < p.nrules; i++)
    p.methods[i] = hd_history_method(spec, p.rules[i].method);
  p.index = hd_alloc_zero(p.index_size * sizeof *p.index);
  bool good = hd_history_read_events(h, take, &p, error);
  for (size_t i = 0; i < p.nprocesses; i++)
    free_op(p.processes[i].open);
  for (open_op *o = p.free, *next; o; o = next)
  {
    next = o->next;
    free_op(o);
  }
  free(p.processes);
  free(p.index);
  free(p.rules);
  free(p.methods);
  return good;
}
