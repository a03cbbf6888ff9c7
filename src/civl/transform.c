/* transform.c: the phases in their order, and the list of what is to be proved. */
#include <string.h>

#include "civl/layers.h"

/* ---- what makers of checks call ---- */

static void
list_task(hd_civl *c, hd_civl_task task)
{
  if (!task.unit)
    task.unit = task.impl->name;
  HD_BOOGIE_ADD(c->program, c->tasks, task);
  hd_civl_table_set(c->program, &c->impl_task, task.impl, (void *) (uintptr_t) c->tasks.n);
  c->counts.checks[task.check]++;
}

void
hd_civl_add_task(hd_civl *c, hd_civl_task task)
{
  if (hd_boogie_find_proc(c->program, task.impl->proc->name) != task.impl->proc)
    hd_boogie_declare_proc(c->program, task.impl->proc);
  hd_boogie_declare_impl(c->program, task.impl);
  hd_boogie_proc *subject = hd_boogie_find_proc(c->program, task.subject);
  const action *a = subject ? hd_civl_action_of(c, subject) : NULL;
  const action_copy *copy = a ? hd_civl_copy_at(c, a, task.layer) : NULL;
  size_t module = copy ? hd_civl_module_of_copy(c, copy) : subject ? hd_civl_module_of(c, subject) : 0;
  task.module = hd_civl_module_name(c, module);
  list_task(c, task);
}

static hd_boogie_attr *
with_inline(hd_boogie_program *p, hd_boogie_attr *attrs)
{
  hd_boogie_attr *all = hd_boogie_attr_add(p, hd_boogie_attr_without(p, attrs, "inline"), "inline"), *last = all;
  while (last->next)
    last = last->next;
  HD_BOOGIE_ADD(p, last->args, (hd_boogie_attr_arg){.expr = hd_boogie_int(p, 1)});
  return all;
}

void
hd_civl_add_helper(hd_civl *c, hd_boogie_proc *proc, hd_boogie_impl *impl)
{
  proc->attrs = with_inline(c->program, proc->attrs);
  impl->attrs = with_inline(c->program, impl->attrs);
  hd_boogie_declare_proc(c->program, proc);
  hd_boogie_declare_impl(c->program, impl);
}

/* ---- last: assignments that say what was before ---- */

/* x :=backward e means that x was e and may now be anything. */
static void
replace_backward(hd_civl *c, hd_boogie_cmd *cmd, hd_boogie_cmds *out)
{
  hd_boogie_program *p = c->program;
  if (cmd->kind != HD_BOOGIE_ASSIGN || !hd_boogie_attr_flag(cmd->attrs, "backward"))
  {
    HD_BOOGIE_ADD(p, *out, cmd);
    return;
  }
  hd_boogie_exprs equal = {0};
  hd_boogie_cmd *havoc = hd_boogie_new_cmd(p, HD_BOOGIE_HAVOC, (hd_boogie_place){0});
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    HD_BOOGIE_ADD(p, equal, hd_boogie_eq(p, cmd->targets.items[i], cmd->values.items[i]));
    HD_BOOGIE_ADD(p, havoc->targets, cmd->targets.items[i]);
  }
  HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, (hd_boogie_place){0}, hd_boogie_and(p, &equal)));
  HD_BOOGIE_ADD(p, *out, havoc);
}

static void
replace_backwards(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
    for (size_t j = 0; j < c->action_layers.n; j++)
    {
      const action_copy *copy = c->actions.items[i]->copies[j];
      for (size_t k = 0; copy && k < copy->impl->blocks.n; k++)
      {
        hd_boogie_cmds cmds = {0}, *all = &copy->impl->blocks.items[k]->cmds;
        for (size_t n = 0; n < all->n; n++)
          replace_backward(c, all->items[n], &cmds);
        *all = cmds;
      }
    }
}

/* ---- the originals go ---- */

static bool
is_original(void *context, const hd_boogie_decl *d)
{
  const hd_civl *c = context;
  const hd_boogie_proc *proc = d->kind == HD_BOOGIE_DECL_PROC   ? d->proc
                               : d->kind == HD_BOOGIE_DECL_IMPL ? d->impl->proc
                                                                : NULL;
  return proc && (hd_civl_action_of(c, proc) || hd_civl_yielding_of(c, proc));
}

/* ---- tasks ---- */

static bool
is_inlined(const hd_boogie_attr *attrs)
{
  const hd_boogie_attr *a = hd_boogie_attr_find(attrs, "inline");
  return a && a->args.n && a->args.items[0].expr;
}

/* Another module's, and only one is wanted: the implementation stays, for others call it, but is not proved. */
static bool
is_unwanted(hd_civl *c, const hd_civl_task *task)
{
  if (!c->options.only_module || (task->module && !strcmp(task->module, c->options.only_module)))
    return false;
  hd_boogie_program *p = c->program;
  hd_boogie_attr *all = hd_boogie_attr_add(p, task->impl->attrs, "verify"), *last = all;
  while (last->next)
    last = last->next;
  HD_BOOGIE_ADD(p, last->args, (hd_boogie_attr_arg){.expr = hd_boogie_bool(p, false)});
  task->impl->attrs = all;
  return true;
}

/* List what stays as it was written, too, and bring all into the program's order. */
static void
order_tasks(hd_civl *c)
{
  hd_civl made = *c;
  c->tasks.n = c->tasks.cap = 0;
  c->tasks.items = NULL;
  c->impl_task = (table){0};
  memset(c->counts.checks, 0, sizeof c->counts.checks);
  for (size_t i = 0; i < c->program->decls.n; i++)
  {
    const hd_boogie_decl *d = &c->program->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_IMPL)
      continue;
    const hd_civl_task *known = hd_civl_task_of(&made, d->impl);
    if (!known && (is_inlined(d->impl->attrs) || is_inlined(d->impl->proc->attrs)))
      continue;
    hd_civl_task task = {.impl = d->impl, .check = HD_CIVL_SEQUENTIAL, .subject = d->impl->name, .at = d->impl->at};
    if (known)
      task = *known;
    else
    {
      const introduction *in = hd_civl_introduction_of(c, d->impl->proc);
      task.module = hd_civl_module_name(c, hd_civl_module_of(c, d->impl->proc));
      task.layered = in && in->range.lower != LAYER_MIN;
      task.layer = task.layered ? in->range.lower : 0;
    }
    if (!is_unwanted(c, &task))
      list_task(c, task);
  }
}

size_t
hd_civl_tasks(const hd_civl *c)
{
  return c->tasks.n;
}

const hd_civl_task *
hd_civl_task_at(const hd_civl *c, size_t i)
{
  return &c->tasks.items[i];
}

const hd_civl_task *
hd_civl_task_of(const hd_civl *c, const hd_boogie_impl *impl)
{
  uintptr_t place = (uintptr_t) hd_civl_table_get(&c->impl_task, impl);
  return place ? &c->tasks.items[place - 1] : NULL;
}

hd_civl_counts
hd_civl_counted(const hd_civl *c)
{
  return c->counts;
}

/* ---- all phases ---- */

hd_civl *
hd_civl_transform(hd_boogie_program *p, const hd_civl_options *options, hd_boogie_messages *m)
{
  static void (*const phases[])(hd_civl *) = {
      hd_civl_classify,      hd_civl_check_yields,     hd_civl_check_linear,
      hd_civl_check_modules, hd_civl_transform_linear, hd_civl_make_movers,
      hd_civl_make_copies,   hd_civl_make_linearity,   replace_backwards,
  };
  hd_civl *c = hd_boogie_alloc(p, sizeof *c);
  c->program = p;
  c->options = *options;
  c->messages = m;
  size_t errors = m->errors;
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
  {
    phases[i](c);
    if (m->errors > errors)
      return NULL;
  }
  hd_boogie_remove(p, is_original, c);
  order_tasks(c);
  hd_civl_erase(c);
  return c;
}
