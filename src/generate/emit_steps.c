/* emit_steps.c: actions as C functions, in the words of the controller's file.
 *
 * A step function loads the variables that it needs into locals of the same names, has the guards and updates as they
 * are, with #line, and puts back what has changed. Then it looks for waiting threads whose guard may have become true.
 * Names of ours begin with hd_ and end with _; a controller cannot have such names. */
#include <inttypes.h>
#include <string.h>

#include "generate/plan.h"

/* ---- #line ---- */

static void
add_path(hd_string *out, const char *path)
{
  for (; *path; path++)
  {
    if (*path == '"' || *path == '\\')
      hd_string_add(out, "\\");
    hd_string_add_n(out, path, 1);
  }
}

static void
line_of_source(const hd_generate_emitting *x, uint32_t line)
{
  hd_string_printf(x->out, "#line %" PRIu32 " \"", line);
  add_path(x->out, x->o->source);
  hd_string_add(x->out, "\"\n");
}

static void
line_of_output(const hd_generate_emitting *x)
{
  size_t lines = 2; /* the next one */
  for (size_t i = 0; i < x->out->length; i++)
    lines += x->out->text[i] == '\n';
  hd_string_printf(x->out, "#line %zu \"", lines);
  add_path(x->out, x->o->output);
  hd_string_add(x->out, "\"\n");
}

/* ---- what an action needs ---- */

static const hd_generate_wake *
wake_of(const hd_generate_emitting *x, size_t command, size_t queue)
{
  return &x->p->wakes[command * x->p->nqueues + queue];
}

/* Does a guard of ACTION mention NAME, or, in a STEP, an update or a test for a wake-up? */
static bool
needs(const hd_generate_emitting *x, size_t action, bool step, const char *name)
{
  for (size_t i = x->p->first_command[action]; i < x->p->first_command[action + 1]; i++)
  {
    if (hd_generate_mentions(x->p->commands[i].guard, name))
      return true;
    if (step && hd_generate_mentions(x->p->commands[i].update, name))
      return true;
    for (size_t q = 0; step && q < x->p->nqueues; q++)
      if (wake_of(x, i, q)->when == HD_GENERATE_IF && hd_generate_mentions(wake_of(x, i, q)->test, name))
        return true;
  }
  return false;
}

static bool
needs_variable(const hd_generate_emitting *x, size_t action, bool step, size_t variable)
{
  const hd_control_variable *v = &x->c->variables[variable];
  bool any = needs(x, action, step, v->name);
  for (size_t k = 0; k < v->nvalues && !any; k++)
    any = needs(x, action, step, v->values[k]);
  return any;
}

/* Does COMMAND of ACTION ever change the variable? */
static bool
changes(const hd_generate_emitting *x, size_t action, size_t command, size_t variable)
{
  const hd_control_command *k = &x->c->actions[action].commands[command];
  size_t dimension = hd_control_variable_dimension(x->c, variable);
  for (size_t i = 0; i < k->ncases; i++)
  {
    const hd_control_linear *l = &k->cases[i].map[variable];
    if (!(l->constant == 0 && l->n == 1 && l->terms[0].dimension == dimension && l->terms[0].factor == 1))
      return true;
  }
  return false;
}

static bool
action_changes(const hd_generate_emitting *x, size_t action, size_t variable)
{
  for (size_t i = 0; i < x->c->actions[action].ncommands; i++)
    if (changes(x, action, i, variable))
      return true;
  return false;
}

/* ---- loading and storing ---- */

static void
print_loaded(const hd_generate_emitting *x, size_t variable)
{
  const hd_control_variable *v = &x->c->variables[variable];
  const hd_generate_field *f = &x->fields[variable];
  if (!x->packed)
    hd_string_printf(x->out, "%shd_c_->%s", v->type == HD_CONTROL_ENUM ? "(int) " : "", v->name);
  else if (v->type == HD_CONTROL_BOOL)
    hd_string_printf(x->out, "HD_CC_FIELD(hd_old_, %u, 1) != 0", f->shift);
  else
    hd_string_printf(x->out, "(int) HD_CC_FIELD(hd_old_, %u, %u)", f->shift, f->width);
  if (x->packed && f->least != 0)
    hd_string_printf(x->out, " + (%" PRId64 ")", f->least);
}

/* The word before the action, which one that looks at no variable has no use for. */
static void
emit_old(const hd_generate_emitting *x, size_t action, bool step)
{
  bool used = false;
  for (size_t i = 0; i < x->c->nvariables; i++)
    used = used || needs_variable(x, action, step, i);
  if (!used)
    hd_string_printf(x->out, "  (void) %s;\n", step ? "hd_word_" : "hd_old_");
  else if (step)
    hd_string_add(x->out, "  const uint64_t hd_old_ = *hd_word_;\n");
}

/* The locals of a step or of a test. */
static void
load(const hd_generate_emitting *x, size_t action, bool step)
{
  bool uses_record = !x->packed;
  for (size_t i = 0; i < x->c->nconstants; i++)
    uses_record = uses_record || needs(x, action, step, x->c->constants[i].name);
  const char *constant = step && !x->packed ? "" : "const ";
  if (uses_record)
    hd_string_printf(x->out, "  %s%s *hd_c_ = (%s%s *) hd_controller_;\n%s", constant, x->c->name, constant, x->c->name,
                     x->packed ? "" : "  (void) hd_c_;\n");
  else
    hd_string_add(x->out, "  (void) hd_controller_;\n");
  for (size_t i = 0; i < x->c->nconstants; i++)
    if (needs(x, action, step, x->c->constants[i].name))
      hd_string_printf(x->out, "  const int %s = hd_c_->%s;\n", x->c->constants[i].name, x->c->constants[i].name);
  if (x->packed)
    emit_old(x, action, step);
  for (size_t i = 0; i < x->c->nvariables; i++)
  {
    const hd_control_variable *v = &x->c->variables[i];
    if (!needs_variable(x, action, step, i))
      continue;
    if (v->type == HD_CONTROL_ENUM)
    {
      hd_string_add(x->out, "  enum\n  {\n");
      for (size_t k = 0; k < v->nvalues; k++)
        hd_string_printf(x->out, "    %s%s\n", v->values[k], k + 1 < v->nvalues ? "," : "");
      hd_string_add(x->out, "  };\n");
    }
    bool changed = step && action_changes(x, action, i);
    const char *type = v->type == HD_CONTROL_BOOL ? "bool" : "int";
    if (changed && x->packed && !x->fields[i].wraps)
    {
      hd_string_printf(x->out, "  const %s hd_%s_ = ", type, v->name);
      print_loaded(x, i);
      hd_string_printf(x->out, ";\n  %s %s = hd_%s_;\n", type, v->name, v->name);
    }
    else
    {
      hd_string_printf(x->out, "  %s%s %s = ", changed ? "" : "const ", type, v->name);
      print_loaded(x, i);
      hd_string_add(x->out, ";\n");
    }
  }
}

static void
store_packed(const hd_generate_emitting *x, size_t action, size_t command)
{
  size_t n = 0;
  for (size_t v = 0; v < x->c->nvariables; v++)
  {
    const hd_generate_field *f = &x->fields[v];
    const char *name = x->c->variables[v].name;
    if (!changes(x, action, command, v) || f->wraps)
      continue;
    if (f->most != INT64_MAX)
      hd_string_printf(x->out,
                       "    if (HD_CC_RARELY(%s > %" PRId64 "))\n"
                       "      hd_controller_too_large(\"%s\", \"%s\", %s, %" PRId64 ");\n",
                       name, f->most, x->c->name, name, name, f->most);
  }
  for (size_t v = 0; v < x->c->nvariables; v++)
    if (changes(x, action, command, v) && !x->fields[v].wraps)
    {
      hd_string_printf(x->out, "%sHD_CC_MORE(%s - hd_%s_, %u)", n++ ? " + " : "    *hd_word_ = hd_old_ + ",
                       x->c->variables[v].name, x->c->variables[v].name, x->fields[v].shift);
    }
  hd_string_add(x->out, n ? ";\n" : "");
  for (size_t v = 0; v < x->c->nvariables; v++)
    if (changes(x, action, command, v) && x->fields[v].wraps)
      hd_string_printf(x->out, "    *hd_word_ = HD_CC_WHOLE(*hd_word_, %u, %s);\n", x->fields[v].shift,
                       x->c->variables[v].name);
}

static void
store_members(const hd_generate_emitting *x, size_t action, size_t command)
{
  for (size_t i = 0; i < x->c->nvariables; i++)
  {
    const hd_control_variable *v = &x->c->variables[i];
    if (!changes(x, action, command, i))
      continue;
    if (v->type == HD_CONTROL_ENUM)
      hd_string_printf(x->out, "    hd_c_->%s = (enum %s_%s) %s;\n", v->name, x->c->name, v->name, v->name);
    else
      hd_string_printf(x->out, "    hd_c_->%s = %s;\n", v->name, v->name);
  }
}

/* ---- wake-ups ---- */

static void
wake_packed(const hd_generate_emitting *x, size_t command)
{
  size_t n = 0;
  for (size_t q = 0; q < x->p->nqueues; q++)
    if (wake_of(x, command, q)->when != HD_GENERATE_NEVER)
      hd_string_printf(x->out, "%shd_%s_waits_%s", n++ ? " | " : "    if (HD_CC_RARELY((hd_old_ & (", x->c->name,
                       x->c->actions[x->p->queues[q].action].name);
  if (n == 0)
    return;
  hd_string_add(x->out, " | HD_CONTROLLER_WATCHED)) != 0))\n    {\n");
  for (size_t q = 0; q < x->p->nqueues; q++)
  {
    const hd_generate_wake *w = wake_of(x, command, q);
    const char *name = x->c->actions[x->p->queues[q].action].name;
    if (w->when == HD_GENERATE_NEVER)
      continue;
    if (w->when == HD_GENERATE_IF)
      hd_string_printf(x->out, "      if (%s)\n  ", w->test);
    hd_string_printf(x->out, "      *hd_wake_ |= hd_controller_called(hd_old_, hd_%s_waits_%s, ", x->c->name, name);
    if (!hd_generate_has_keeper(x, q))
      hd_string_add(x->out, "0);\n");
    else
      hd_string_printf(x->out, "hd_%s_keeps_%s);\n", x->c->name, name);
  }
  hd_string_add(x->out, "      *hd_word_ &= ~(uint64_t) *hd_wake_;\n    }\n");
}

static void
wake_queues(const hd_generate_emitting *x, size_t command)
{
  for (size_t q = 0; q < x->p->nqueues; q++)
  {
    const hd_generate_wake *w = wake_of(x, command, q);
    const char *name = x->c->actions[x->p->queues[q].action].name;
    if (w->when == HD_GENERATE_NEVER)
      continue;
    hd_string_printf(x->out, "    if (hd_c_->hd_queues[hd_%s_queue_%s].row.calls", x->c->name, name);
    if (w->when == HD_GENERATE_IF)
      hd_string_printf(x->out, " && (%s)", w->test);
    hd_string_printf(x->out,
                     ")\n    {\n      hd_c_->hd_queues[hd_%s_queue_%s].row.calls = false;\n"
                     "      *hd_wake_ |= UINT64_C(1) << hd_%s_queue_%s;\n    }\n",
                     x->c->name, name, x->c->name, name);
  }
}

/* ---- functions ---- */

static void
emit_step(const hd_generate_emitting *x, size_t action)
{
  const hd_control_action *a = &x->c->actions[action];
  if (x->packed)
    hd_string_printf(x->out,
                     "\nstatic inline HD_CC_INLINE bool\n"
                     "hd_%s_step_%s(const void *hd_controller_, uint64_t *hd_word_, uint32_t *hd_wake_)\n{\n",
                     x->c->name, a->name);
  else
    hd_string_printf(x->out, "\nstatic inline bool\nhd_%s_step_%s(void *hd_controller_, uint64_t *hd_wake_)\n{\n",
                     x->c->name, a->name);
  load(x, action, true);
  hd_string_add(x->out, "  (void) hd_wake_;\n");
  for (size_t i = 0; i < a->ncommands; i++)
  {
    size_t command = x->p->first_command[action] + i;
    const hd_generate_command *k = &x->p->commands[command];
    line_of_source(x, k->line);
    hd_string_printf(x->out, "  if (%s)\n  {\n", k->guard);
    if (k->update[0])
    {
      line_of_source(x, k->do_line);
      hd_string_printf(x->out, "    %s;\n", k->update);
    }
    line_of_output(x);
    if (x->packed)
    {
      store_packed(x, action, i);
      wake_packed(x, command);
    }
    else
    {
      store_members(x, action, i);
      wake_queues(x, command);
    }
    hd_string_add(x->out, "    return true;\n  }\n");
  }
  hd_string_add(x->out, "  return false;\n}\n");
}

static void
emit_can(const hd_generate_emitting *x, size_t action)
{
  const hd_control_action *a = &x->c->actions[action];
  hd_string_printf(x->out, "\nstatic inline bool\nhd_%s_can_%s(const void *hd_controller_%s)\n{\n", x->c->name, a->name,
                   x->packed ? ", uint64_t hd_old_" : "");
  load(x, action, false);
  for (size_t i = 0; i < a->ncommands; i++)
  {
    const hd_generate_command *k = &x->p->commands[x->p->first_command[action] + i];
    line_of_source(x, k->line);
    hd_string_printf(x->out, "  if (%s)\n", k->guard);
    line_of_output(x);
    hd_string_add(x->out, "    return true;\n");
  }
  hd_string_add(x->out, "  return false;\n}\n");
}

void
hd_generate_emit_steps(const hd_generate_emitting *x)
{
  for (size_t a = 0; a < x->c->nactions; a++)
  {
    emit_step(x, a);
    if (x->p->queue_of[a] != SIZE_MAX && x->p->queues[x->p->queue_of[a]].rule != HD_GENERATE_ALL)
      emit_can(x, a);
  }
}
