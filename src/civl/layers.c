/* layers.c: reading layers and mover types from attributes, and asking what classification found. */
#include <stdlib.h>
#include <string.h>

#include "civl/layers.h"

/* ---- messages ---- */

void
hd_civl_error(hd_civl *c, hd_boogie_place at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(c->messages, HD_BOOGIE_PHASE_CHECK, true, at, format, args);
  va_end(args);
}

const char *
hd_civl_range_text(hd_civl *c, layer_range r)
{
  if (r.lower == r.upper)
    return hd_boogie_text(c->program, "layer %d", r.lower);
  if (r.upper == LAYER_MAX)
    return hd_boogie_text(c->program, "layer %d and above", r.lower);
  return hd_boogie_text(c->program, "layers %d to %d", r.lower, r.upper);
}

void
hd_civl_warn(hd_civl *c, hd_boogie_place at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(c->messages, HD_BOOGIE_PHASE_CHECK, false, at, format, args);
  va_end(args);
}

/* ---- attributes ---- */

layer_list
hd_civl_read_layers(hd_civl *c, const hd_boogie_attr *attrs)
{
  layer_list layers = {0};
  for (const hd_boogie_attr *a = attrs; (a = hd_boogie_attr_find(a, "layer")); a = a->next)
    for (size_t i = 0; i < a->args.n; i++)
    {
      const hd_boogie_expr *e = a->args.items[i].expr;
      if (!e || e->kind != HD_BOOGIE_LIT_INT)
      {
        hd_civl_error(c, a->at, "Layer has to be an integer.");
        continue;
      }
      long long n = strlen(e->u.lit.text) > 10 ? LAYER_MAX : strtoll(e->u.lit.text, NULL, 10);
      if (n >= LAYER_MAX) /* also leaves room for the layer above */
        hd_civl_error(c, a->at, "Layer %s is too large.", e->u.lit.text);
      else
        HD_BOOGIE_ADD(c->program, layers, (int32_t) n);
    }
  return layers;
}

layer_range
hd_civl_read_range(hd_civl *c, const hd_boogie_attr *attrs, hd_boogie_place at)
{
  layer_list l = hd_civl_read_layers(c, attrs);
  if (l.n == 1)
    return (layer_range){l.items[0], l.items[0]};
  if (l.n == 2 && l.items[0] <= l.items[1])
    return (layer_range){l.items[0], l.items[1]};
  if (l.n)
    hd_civl_error(c, at, "Invalid layer range");
  return (layer_range){LAYER_MIN, LAYER_MAX};
}

bool
hd_civl_read_mover(hd_civl *c, const hd_boogie_attr *attrs, mover *m)
{
  static const char *const names[]
      = {[MOVER_ATOMIC] = "atomic", [MOVER_RIGHT] = "right", [MOVER_LEFT] = "left", [MOVER_BOTH] = "both"};
  bool found = false;
  for (; attrs; attrs = attrs->next)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
      if (attrs->args.n || strcmp(attrs->key, names[i]))
        continue;
      if (found)
        hd_civl_warn(c, attrs->at, "Ignoring duplicate mover type declaration (%s).", attrs->key);
      else
        *m = (mover) i;
      found = true;
    }
  return found;
}

bool
hd_civl_is_yielding(const hd_boogie_proc *proc)
{
  return hd_boogie_attr_flag(proc->attrs, "yields");
}

/* ---- what was found ---- */

void
hd_civl_find_impls(hd_civl *c)
{
  for (size_t i = 0; i < c->program->decls.n; i++)
  {
    const hd_boogie_decl *d = &c->program->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_IMPL)
      continue;
    impl_list *all = hd_civl_table_get(&c->proc_impls, d->impl->proc);
    if (!all)
      hd_civl_table_set(c->program, &c->proc_impls, d->impl->proc, all = hd_boogie_alloc(c->program, sizeof *all));
    HD_BOOGIE_ADD(c->program, *all, d->impl);
  }
}

const impl_list *
hd_civl_impls_of(const hd_civl *c, const hd_boogie_proc *proc)
{
  static const impl_list none;
  const impl_list *all = hd_civl_table_get(&c->proc_impls, proc);
  return all ? all : &none;
}

action *
hd_civl_action_of(const hd_civl *c, const hd_boogie_proc *proc)
{
  return hd_civl_table_get(&c->proc_action, proc);
}

yielding *
hd_civl_yielding_of(const hd_civl *c, const hd_boogie_proc *proc)
{
  return hd_civl_table_get(&c->proc_yielding, proc);
}

introduction *
hd_civl_introduction_of(const hd_civl *c, const hd_boogie_proc *proc)
{
  return hd_civl_table_get(&c->proc_introduction, proc);
}

layer_range
hd_civl_global_range(const hd_civl *c, const hd_boogie_var *g)
{
  return g->id < c->n_ranges ? c->global_ranges[g->id] : (layer_range){LAYER_MIN, LAYER_MAX};
}

int32_t
hd_civl_local_layer(const hd_civl *c, const hd_boogie_var *v)
{
  return v->id < c->n_layers ? c->local_layers[v->id] : LAYER_MIN;
}

int32_t
hd_civl_inputs_layer(const hd_civl *c, const hd_boogie_proc *proc)
{
  int32_t highest = LAYER_MIN;
  for (size_t i = 0; i < proc->ins.n; i++)
  {
    int32_t l = hd_civl_local_layer(c, proc->ins.items[i]);
    highest = l > highest ? l : highest;
  }
  return highest;
}

const layer_list *
hd_civl_spec_layers(const hd_civl *c, const hd_boogie_spec *s)
{
  return hd_civl_table_get(&c->spec_layers, s);
}

const layer_list *
hd_civl_assert_layers(const hd_civl *c, const hd_boogie_cmd *cmd)
{
  return hd_civl_table_get(&c->spec_layers, cmd);
}

bool
hd_civl_call_exists(const hd_civl *c, const hd_boogie_cmd *call, int32_t caller, int32_t layer)
{
  const introduction *i = hd_civl_introduction_of(c, call->proc);
  HD_CHECK(i);
  if (i->leaky)
    return caller == layer;
  const int32_t *from = hd_civl_table_get(&c->call_layers, call);
  HD_CHECK(from);
  return *from <= layer;
}

action_copy *
hd_civl_copy_at(const hd_civl *c, const action *a, int32_t layer)
{
  for (size_t i = 0; i < c->action_layers.n; i++)
    if (c->action_layers.items[i] == layer)
      return a->copies[i];
  return NULL;
}

bool
hd_civl_is_layered(const hd_civl *c)
{
  return c->actions.n || c->yieldings.n;
}
