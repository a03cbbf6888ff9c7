/* linear_check.c: declarations of linear variables and collectors, and which commands may use linear variables how.
 *
 * The declarations are walked in their order, and in each the parts in a fixed order, because messages come in that
 * order; a variable is looked at where it is declared and again wherever it occurs, as the reference does. Bodies of
 * atomic actions are exempt: their linearity is proved (linear_action.c). */
#include "civl/linear.h"

#include <string.h>

typedef struct look
{
  hd_civl *c;
  hd_boogie_vars seen; /* linear variables, each once */
  table is_seen;
  HD_BOOGIE_LIST(linear_domain *) named; /* domains that a collector names, without collectors, too */
} look;

/* ---- variables ---- */

static void
look_at_var(look *l, hd_boogie_var *v)
{
  if (!hd_civl_linear_name(l->c, v))
    return;
  if (!hd_civl_table_get(&l->is_seen, v))
  {
    hd_civl_table_set(l->c->program, &l->is_seen, v, v);
    HD_BOOGIE_ADD(l->c->program, l->seen, v);
  }
  if (hd_civl_linear_kind(l->c, v) != LINEAR && (v->kind == HD_BOOGIE_LOCAL || v->kind == HD_BOOGIE_OUT))
    hd_civl_error(l->c, v->at, "Variable must be declared linear (as opposed to linear_in or linear_out)");
}

static void
look_at_vars(look *l, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    look_at_var(l, vars->items[i]);
}

static bool
look_visit(void *context, hd_boogie_expr *e, bool in_old)
{
  (void) in_old;
  look *l = context;
  if (e->kind == HD_BOOGIE_VAR && e->u.id.var)
    look_at_var(l, e->u.id.var);
  else if (e->kind >= HD_BOOGIE_FORALL && e->kind <= HD_BOOGIE_CODE)
    look_at_vars(l, &e->u.binder->bound);
  return true;
}

static void
look_at_expr(look *l, hd_boogie_expr *e)
{
  hd_boogie_walk_expr(e, look_visit, l);
}

static void
look_at_exprs(look *l, const hd_boogie_exprs *exprs)
{
  for (size_t i = 0; i < exprs->n; i++)
    look_at_expr(l, exprs->items[i]);
}

/* ---- collectors ---- */

static linear_domain *
domain_named(look *l, const char *name)
{
  for (size_t i = 0; i < l->named.n; i++)
    if (strcmp(l->named.items[i]->name, name) == 0)
      return l->named.items[i];
  linear_domain *d = hd_boogie_alloc(l->c->program, sizeof *d);
  d->name = name;
  HD_BOOGIE_ADD(l->c->program, l->named, d);
  return d;
}

static hd_boogie_function *
collector_for(const linear_domain *d, const hd_boogie_type *t)
{
  for (size_t i = 0; i < d->collectors.n; i++)
    if (hd_boogie_type_equal(d->collectors.items[i]->ins.items[0]->type, t))
      return d->collectors.items[i];
  return NULL;
}

static void
look_at_function(look *l, hd_boogie_function *f)
{
  const char *name = hd_boogie_attr_text(f->attrs, "linear");
  if (name)
  {
    linear_domain *d = domain_named(l, name);
    const hd_boogie_type *out = hd_boogie_expand(f->out->type);
    if (f->ins.n != 1)
      hd_civl_error(l->c, f->at, "Linear domain collector should have one input and one output parameter");
    else if (collector_for(d, f->ins.items[0]->type))
      hd_civl_error(l->c, f->at, "A collector for domain for input type has already been defined");
    else if (out->kind != HD_BOOGIE_MAP || out->args.n != 1 || hd_boogie_expand(out->result)->kind != HD_BOOGIE_BOOL)
      hd_civl_error(l->c, f->at, "Output of a linear domain collector should be of set type");
    else
      HD_BOOGIE_ADD(l->c->program, d->collectors, f);
  }
  look_at_vars(l, &f->ins);
  look_at_var(l, f->out);
  if (f->body)
    look_at_expr(l, f->body);
}

/* ---- commands ---- */

static bool
among(const hd_boogie_vars *vars, const hd_boogie_var *v)
{
  for (size_t i = 0; i < vars->n; i++)
    if (vars->items[i] == v)
      return true;
  return false;
}

static void
check_assign(look *l, const hd_boogie_cmd *cmd)
{
  hd_civl *c = l->c;
  hd_boogie_vars sources = {0};
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    const hd_boogie_expr *source = cmd->values.items[i];
    const hd_boogie_var *target = hd_boogie_target_var(cmd->targets.items[i]);
    const char *name = hd_civl_linear_name(c, target);
    if (!name)
      continue;
    if (cmd->targets.items[i]->kind != HD_BOOGIE_VAR)
      hd_civl_error(c, cmd->at, "Only simple assignment allowed on linear variable %s", target->name);
    else if (source->kind != HD_BOOGIE_VAR)
      hd_civl_error(c, cmd->at, "Only variable can be assigned to linear variable %s", target->name);
    else if (!hd_civl_linear_name(c, source->u.id.var))
      hd_civl_error(c, cmd->at, "Only linear variable can be assigned to linear variable %s", target->name);
    else if (strcmp(hd_civl_linear_name(c, source->u.id.var), name) != 0)
      hd_civl_error(c, cmd->at, "Linear variable of domain %s cannot be assigned to linear variable of domain %s",
                    hd_civl_linear_name(c, source->u.id.var), name);
    else if (among(&sources, source->u.id.var))
      hd_civl_error(c, cmd->at, "Linear variable %s can occur only once in the right-hand-side of an assignment",
                    source->u.id.var->name);
    else
      HD_BOOGIE_ADD(c->program, sources, source->u.id.var);
  }
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    look_at_expr(l, cmd->targets.items[i]);
    look_at_expr(l, cmd->values.items[i]);
  }
}

static void
check_inputs(const look *l, const hd_boogie_cmd *call)
{
  hd_civl *c = l->c;
  hd_boogie_vars given = {0};
  for (size_t i = 0; i < call->proc->ins.n; i++)
  {
    const hd_boogie_var *formal = call->proc->ins.items[i];
    const hd_boogie_expr *actual = call->values.items[i];
    const char *name = hd_civl_linear_name(c, formal);
    if (!name)
      continue;
    if (actual->kind != HD_BOOGIE_VAR)
      hd_civl_error(c, call->at, "Only variable can be passed to linear parameter %s", formal->name);
    else if (!hd_civl_linear_name(c, actual->u.id.var))
      hd_civl_error(c, call->at, "Only a linear argument can be passed to linear parameter %s", formal->name);
    else if (strcmp(hd_civl_linear_name(c, actual->u.id.var), name) != 0)
      hd_civl_error(c, call->at, "The domains of formal and actual parameters must be the same");
    else if (actual->u.id.var->kind == HD_BOOGIE_GLOBAL)
      hd_civl_error(c, call->at, "Only local linear variable can be an actual input parameter of a procedure call");
    else if (among(&given, actual->u.id.var))
      hd_civl_error(c, call->at, "Linear variable %s can occur only once as an input parameter",
                    actual->u.id.var->name);
    else
      HD_BOOGIE_ADD(c->program, given, actual->u.id.var);
  }
}

static void
check_outputs(const look *l, const hd_boogie_cmd *call)
{
  hd_civl *c = l->c;
  for (size_t i = 0; i < call->proc->outs.n; i++)
  {
    const hd_boogie_var *actual = hd_boogie_target_var(call->targets.items[i]);
    const char *name = hd_civl_linear_name(c, actual);
    const char *formal = hd_civl_linear_name(c, call->proc->outs.items[i]);
    if (!name)
      continue;
    if (!formal)
      hd_civl_error(c, call->at, "Only a linear variable can be passed to a linear parameter");
    else if (strcmp(formal, name) != 0)
      hd_civl_error(c, call->at, "The domains of formal and actual parameters must be the same");
    else if (actual->kind == HD_BOOGIE_GLOBAL)
      hd_civl_error(c, call->at, "Only local linear variable can be actual output parameter of a procedure call");
  }
}

static void
check_call(look *l, const hd_boogie_cmd *call)
{
  check_inputs(l, call);
  check_outputs(l, call);
  look_at_exprs(l, &call->values);
  look_at_exprs(l, &call->targets);
}

static void
check_par(look *l, const hd_boogie_cmd *par)
{
  hd_civl *c = l->c;
  hd_boogie_vars given = {0};
  for (size_t k = 0; k < par->calls.n; k++)
  {
    const hd_boogie_cmd *call = par->calls.items[k];
    for (size_t i = 0; i < call->proc->ins.n; i++)
    {
      const hd_boogie_expr *actual = call->values.items[i];
      if (!hd_civl_linear_name(c, call->proc->ins.items[i]) || actual->kind != HD_BOOGIE_VAR)
        continue; /* what is no variable is reported with its call */
      if (among(&given, actual->u.id.var))
        hd_civl_error(c, par->at, "Linear variable %s can occur only once as an input parameter of a parallel call",
                      actual->u.id.var->name);
      else
        HD_BOOGIE_ADD(c->program, given, actual->u.id.var);
    }
  }
  for (size_t k = 0; k < par->calls.n; k++)
    check_call(l, par->calls.items[k]);
}

static void
look_at_cmd(look *l, const hd_boogie_cmd *cmd)
{
  switch (cmd->kind)
  {
  case HD_BOOGIE_ASSIGN:
    check_assign(l, cmd);
    break;
  case HD_BOOGIE_CALL:
    check_call(l, cmd);
    break;
  case HD_BOOGIE_PAR:
    check_par(l, cmd);
    break;
  case HD_BOOGIE_HAVOC:
    look_at_exprs(l, &cmd->targets);
    break;
  case HD_BOOGIE_YIELD:
    break;
  default:
    look_at_expr(l, cmd->expr);
  }
}

/* ---- declarations ---- */

/* The copies of an action share its formals: what is missing is said once. */
static void
look_at_proc(look *l, const hd_boogie_proc *proc)
{
  const hd_boogie_proc *action = hd_civl_table_get(&l->c->linear->action_procs, proc);
  proc = action ? action : proc;
  look_at_vars(l, &proc->ins);
  look_at_exprs(l, &proc->modifies);
  look_at_vars(l, &proc->outs);
}

static void
look_at_impl(look *l, hd_boogie_impl *impl)
{
  hd_civl *c = l->c;
  if (hd_civl_is_action_code(c, impl->proc))
    return;
  hd_civl_prune(c->program, impl);
  hd_civl_linear_formals(c, impl);
  size_t errors = c->messages->errors;
  look_at_vars(l, &impl->locals);
  for (size_t i = 0; i < impl->blocks.n; i++)
    for (size_t k = 0; k < impl->blocks.items[i]->cmds.n; k++)
      look_at_cmd(l, impl->blocks.items[i]->cmds.items[k]);
  look_at_proc(l, impl->proc);
  look_at_vars(l, &impl->ins);
  look_at_vars(l, &impl->outs);
  if (c->messages->errors == errors)
    hd_civl_linear_flow(c, impl);
}

static void
look_at_decl(look *l, const hd_boogie_decl *d)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_VAR:
    if (d->var->kind == HD_BOOGIE_GLOBAL)
      look_at_var(l, d->var);
    break;
  case HD_BOOGIE_DECL_FUNCTION:
    look_at_function(l, d->function);
    break;
  case HD_BOOGIE_DECL_AXIOM:
    if (!d->axiom->defines)
      look_at_expr(l, d->axiom->expr);
    break;
  case HD_BOOGIE_DECL_PROC:
    look_at_proc(l, d->proc);
    break;
  case HD_BOOGIE_DECL_IMPL:
    look_at_impl(l, d->impl);
    break;
  default:
    break;
  }
}

static void
make_domains(look *l)
{
  hd_civl *c = l->c;
  for (size_t i = 0; i < l->named.n; i++)
  {
    linear_domain *d = l->named.items[i];
    if (d->collectors.n == 0)
      continue;
    hd_boogie_type *set = hd_boogie_expand(d->collectors.items[0]->out->type);
    d->element = set->args.items[0];
    d->set = hd_boogie_map1_type(c->program, d->element, c->program->bool_type);
    d->multiset = hd_boogie_map1_type(c->program, d->element, c->program->int_type);
    for (size_t k = 1; k < d->collectors.n; k++)
      if (!hd_boogie_type_equal(d->collectors.items[k]->out->type, set))
        hd_civl_error(c, d->collectors.items[k]->at, "The collectors of domain %s must give sets of the same type",
                      d->name);
    hd_civl_linear_functions(c, d);
    HD_BOOGIE_ADD(c->program, c->linear->domains, d);
  }
}

void
hd_civl_linear_look(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  look l = {.c = c};
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_VAR && p->decls.items[i].var->kind == HD_BOOGIE_GLOBAL
        && hd_civl_linear_name(c, p->decls.items[i].var))
      HD_BOOGIE_ADD(p, c->linear->globals, p->decls.items[i].var);
  for (size_t i = 0; i < p->decls.n; i++)
    look_at_decl(&l, &p->decls.items[i]);
  for (size_t i = 0; i < l.seen.n; i++)
  {
    const linear_domain *d = domain_named(&l, hd_civl_linear_name(c, l.seen.items[i]));
    if (!collector_for(d, l.seen.items[i]->type))
    {
      const hd_boogie_var *v = l.seen.items[i];
      hd_string type = {0};
      hd_boogie_print_type(v->type, &type);
      hd_civl_error(c, v->at, "Missing collector for linear variable %s", v->name);
      hd_boogie_note_add(c->messages, (hd_boogie_place){0},
                         "a function must say which permissions a value of type %s stands for: function {:linear "
                         "\"%s\"} F(x: %s): [K]bool, where K is the type of a permission",
                         type.text, hd_civl_linear_name(c, v), type.text);
      hd_string_free(&type);
    }
  }
  make_domains(&l);
}
