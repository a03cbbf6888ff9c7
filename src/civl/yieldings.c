/* yieldings.c: declarations of yielding procedures: their layer, what they refine, and their specifications. */
#include <string.h>

#include "civl/layers.h"

/* ---- the signature must be the refined action's ---- */

static bool
same_text(const char *a, const char *b)
{
  return a == b || (a && b && !strcmp(a, b));
}

static bool
same_linearity(const hd_boogie_var *a, const hd_boogie_var *b)
{
  static const char *const keys[] = {"linear", "linear_in", "linear_out"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!same_text(hd_boogie_attr_text(a->attrs, keys[i]), hd_boogie_attr_text(b->attrs, keys[i])))
      return false;
  return true;
}

static void
match_formals(hd_civl *c, const hd_boogie_proc *proc, const hd_boogie_vars *own, const hd_boogie_vars *refined,
              const char *direction)
{
  if (own->n != refined->n)
  {
    hd_civl_error(c, proc->at, "mismatched number of %s-parameters in refinement procedure: %s", direction, proc->name);
    return;
  }
  for (size_t i = 0; i < own->n; i++)
  {
    const hd_boogie_var *a = own->items[i], *b = refined->items[i];
    const char *name = !strcmp(a->name, b->name)
                           ? a->name
                           : hd_boogie_text(c->program, "%s (named %s in atomic action)", a->name, b->name);
    if (!hd_boogie_type_equal(a->type, b->type))
      hd_civl_error(c, proc->at, "mismatched type of %s-parameter in refinement procedure %s: %s", direction,
                    proc->name, name);
    if (!same_linearity(a, b))
      hd_civl_error(c, proc->at, "mismatched linearity type of %s-parameter in refinement procedure %s: %s", direction,
                    proc->name, name);
  }
}

static void
match_signatures(hd_civl *c, const hd_boogie_proc *proc, const hd_boogie_proc *refined)
{
  if (proc->type_params.n != refined->type_params.n)
  {
    hd_civl_error(c, proc->at, "mismatched number of type parameters in refinement procedure: %s", proc->name);
    return;
  }
  match_formals(c, proc, &proc->ins, &refined->ins, "in");
  match_formals(c, proc, &proc->outs, &refined->outs, "out");
}

/* ---- specifications ---- */

bool
hd_civl_check_spec(hd_civl *c, const yielding *y, const void *spec, hd_boogie_place at, const hd_boogie_attr *attrs,
                   const hd_boogie_exprs *uses)
{
  hd_boogie_program *p = c->program;
  layer_list read = hd_civl_read_layers(c, attrs), *layers = hd_boogie_alloc(p, sizeof *layers);
  for (size_t i = 0; i < read.n; i++)
    hd_civl_layers_add(p, layers, read.items[i]);
  if (!layers->n)
  {
    hd_civl_error(c, at, "Specification layer(s) not present");
    return false;
  }
  hd_civl_table_set(p, &c->spec_layers, spec, layers);
  for (size_t i = 0; i < layers->n; i++)
  {
    int32_t layer = layers->items[i];
    if (layer > y->layer)
      hd_civl_error(c, at, "Specification layer %d is greater than enclosing procedure layer %d", layer, y->layer);
    for (size_t j = 0; j < uses->n; j++)
    {
      const hd_boogie_var *v = uses->items[j]->u.id.var;
      if (v->kind == HD_BOOGIE_GLOBAL && !range_contains(hd_civl_global_range(c, v), layer))
      {
        hd_civl_error(c, uses->items[j]->at, "Global variable %s is not available at layer %d", v->name, layer);
        hd_boogie_note_add(c->messages, v->at, "%s is there at %s", v->name,
                           hd_civl_range_text(c, hd_civl_global_range(c, v)));
      }
    }
    for (size_t j = 0; j < uses->n; j++)
    {
      const hd_boogie_var *v = uses->items[j]->u.id.var;
      if (v->kind != HD_BOOGIE_GLOBAL && layer < hd_civl_local_layer(c, v))
        hd_civl_error(c, uses->items[j]->at, "Local variable %s is not available at layer %d", v->name, layer);
    }
  }
  return true;
}

static void
check_specs(hd_civl *c, const yielding *y, const hd_boogie_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
  {
    const hd_boogie_spec *s = specs->items[i];
    hd_boogie_exprs uses = {0};
    hd_civl_uses_of_expr(c->program, &uses, s->expr);
    hd_civl_check_spec(c, y, s, s->at, s->attrs, &uses);
  }
}

/* ---- declarations ---- */

static action *
find_action(const hd_civl *c, const char *name)
{
  const hd_boogie_proc *proc = hd_boogie_find_proc(c->program, name);
  return proc ? hd_civl_action_of(c, proc) : NULL;
}

/* Find out what Y's procedure is. False: it is nothing, with a message. */
static bool
classify(hd_civl *c, yielding *y)
{
  hd_boogie_proc *proc = y->proc;
  layer_list layers = hd_civl_read_layers(c, proc->attrs);
  if (layers.n != 1)
  {
    hd_civl_error(c, proc->at, "Expected single layer number for yielding procedure");
    return false;
  }
  y->layer = layers.items[0];
  const char *refines = hd_boogie_attr_text(proc->attrs, "refines");
  bool has_mover = hd_civl_read_mover(c, proc->attrs, &y->mover);
  if (refines && has_mover)
  {
    hd_civl_error(c, proc->at, "A yielding procedure cannot have both a refines annotation and a mover type");
    return false;
  }
  if (has_mover)
  {
    y->kind = YIELDING_MOVER;
    for (size_t i = 0; i < proc->modifies.n; i++)
      hd_civl_set_add(c->program, &y->modifies, proc->modifies.items[i]->u.id.var);
    return true;
  }
  if (!refines)
  {
    y->kind = YIELDING_SKIP;
    y->mover = MOVER_BOTH;
    return true;
  }
  y->kind = YIELDING_ACTION;
  y->refined = find_action(c, refines);
  if (!y->refined)
  {
    hd_civl_error(c, proc->at, "Could not find refined atomic action");
    return false;
  }
  y->mover = y->refined->mover;
  /* Layers without refinement in between do not help: which ones those are is not known yet. */
  if (!range_contains(y->refined->range, y->layer + 1))
  {
    hd_civl_error(c, proc->at, "Refined atomic action must be available at layer %d", y->layer + 1);
    hd_boogie_note_add(c->messages, y->refined->proc->at,
                       "%s is code up to layer %d; %s, which stands for it above, is an action of %s", proc->name,
                       y->layer, y->refined->proc->name, hd_civl_range_text(c, y->refined->range));
  }
  match_signatures(c, proc, y->refined->proc);
  return true;
}

void
hd_civl_classify_yieldings(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_PROC || !hd_civl_is_yielding(d->proc))
      continue;
    yielding *y = hd_boogie_alloc(p, sizeof *y);
    *y = (yielding){.number = c->yieldings.n, .proc = d->proc};
    y->terminates = hd_boogie_attr_flag(d->proc->attrs, "terminates");
    if (!classify(c, y))
      continue;
    HD_BOOGIE_ADD(p, c->yieldings, y);
    hd_civl_table_set(p, &c->proc_yielding, y->proc, y);
    check_specs(c, y, &y->proc->ensures);
    check_specs(c, y, &y->proc->requires);
  }
}
