/* module.c: modules: each file owns its global variables, so that files need not be checked against each other.
 *
 * At each layer a global variable has one owner. A yielding procedure touches, and its yield predicates speak of, only
 * what its own module owns at that layer; an action may use the variables of one module, to which it belongs there,
 * wherever it is written. So a step of one module cannot make a predicate of another one false, and need not be
 * checked against it (interfere.c); and actions of different modules use different variables, so they commute, which
 * the mover checks see themselves. Other assertions, pre- and postconditions may speak of everything: they are
 * proved where they stand.
 *
 * The module of a declaration is what {:module "name"} says, or the name of its file without folder and extension.
 * {:owner "name", n} on a variable gives it to another module from layer n on. */
#include <stdlib.h>
#include <string.h>

#include "civl/layers.h"

typedef struct ownership /* of a variable, from a layer on */
{
  size_t module;
  int32_t from;
} ownership;
typedef HD_BOOGIE_LIST(ownership) ownerships;

struct modules
{
  hd_boogie_names names;
  table owners;   /* by hd_boogie_var: ownerships, the declaring module first */
  table reported; /* by command or use: said already for a lower layer */
  bool chosen;    /* only one module's checks are wanted: ONLY */
  size_t only;
};

/* ---- names ---- */

static const char *
name_of(hd_boogie_program *p, const hd_boogie_attr *attrs, hd_boogie_place at)
{
  const char *given = hd_boogie_attr_text(attrs, "module");
  if (given)
    return given;
  const char *file = at.file ? at.file : "", *slash = strrchr(file, '/');
  file = slash ? slash + 1 : file;
  const char *dot = strrchr(file, '.');
  return hd_boogie_text(p, "%.*s", (int) (dot ? (size_t) (dot - file) : strlen(file)), file);
}

/* The number of module NAME, made if ADD. */
static bool
find_module(hd_civl *c, const char *name, bool add, size_t *number)
{
  hd_boogie_names *names = &c->modules->names;
  for (*number = 0; *number < names->n; ++*number)
    if (!strcmp(names->items[*number], name))
      return true;
  if (add)
    HD_BOOGIE_ADD(c->program, *names, name);
  return add;
}

size_t
hd_civl_module_count(const hd_civl *c)
{
  return c->modules ? c->modules->names.n : 1;
}

const char *
hd_civl_module_name(const hd_civl *c, size_t module)
{
  return c->modules ? c->modules->names.items[module] : NULL;
}

size_t
hd_civl_module_of(hd_civl *c, const hd_boogie_proc *proc)
{
  size_t module = 0;
  if (c->modules)
    find_module(c, name_of(c->program, proc->attrs, proc->at), true, &module);
  return module;
}

static void
no_such_module(hd_civl *c, hd_boogie_place at, const char *name)
{
  hd_string all = {0};
  for (size_t i = 0; i < c->modules->names.n; i++)
    hd_string_printf(&all, "%s %s", i ? "," : "", c->modules->names.items[i]);
  hd_civl_error(c, at, "There is no module %s; there are%s", name, all.text ? all.text : " none");
  hd_string_free(&all);
}

/* ---- owners ---- */

static void
read_owners(hd_civl *c, const hd_boogie_var *g)
{
  ownerships *all = hd_boogie_alloc(c->program, sizeof *all);
  ownership own = {.from = LAYER_MIN};
  find_module(c, name_of(c->program, g->attrs, g->at), true, &own.module);
  HD_BOOGIE_ADD(c->program, *all, own);
  for (const hd_boogie_attr *a = g->attrs; (a = hd_boogie_attr_find(a, "owner")); a = a->next)
  {
    const hd_boogie_expr *n = a->args.n == 2 ? a->args.items[1].expr : NULL;
    ownership next;
    if (!n || !a->args.items[0].text || n->kind != HD_BOOGIE_LIT_INT || strlen(n->u.lit.text) > 9)
      hd_civl_error(c, a->at, "{:owner} wants the name of a module and a layer, as in {:owner \"client\", 2}");
    else if (!find_module(c, a->args.items[0].text, false, &next.module))
      no_such_module(c, a->at, a->args.items[0].text);
    else
    {
      next.from = (int32_t) strtol(n->u.lit.text, NULL, 10);
      HD_BOOGIE_ADD(c->program, *all, next);
    }
  }
  hd_civl_table_set(c->program, &c->modules->owners, g, all);
}

/* False: everyone may use it (pending asyncs). */
static bool
owner_at(const hd_civl *c, const hd_boogie_var *g, int32_t layer, size_t *module)
{
  const ownerships *all = hd_civl_table_get(&c->modules->owners, g);
  if (!all)
    return false;
  const ownership *found = &all->items[0];
  for (size_t i = 1; i < all->n; i++)
    if (all->items[i].from <= layer && all->items[i].from >= found->from)
      found = &all->items[i];
  *module = found->module;
  return true;
}

/* The first of VARS that does not belong to MODULE, or null. */
static const hd_boogie_var *
foreign(const hd_civl *c, const var_set *vars, int32_t layer, size_t module)
{
  for (size_t i = 0; i < vars->list.n; i++)
  {
    size_t owner;
    if (owner_at(c, vars->list.items[i], layer, &owner) && owner != module)
      return vars->list.items[i];
  }
  return NULL;
}

static size_t
owner_of(const hd_civl *c, const hd_boogie_var *g, int32_t layer)
{
  size_t module = 0;
  owner_at(c, g, layer, &module);
  return module;
}

/* ---- actions: the variables of one module ---- */

size_t
hd_civl_module_of_copy(hd_civl *c, const action_copy *copy)
{
  size_t module;
  const var_set *sets[] = {&copy->gate_globals, &copy->body_globals};
  for (size_t i = 0; c->modules && i < 2; i++)
    for (size_t j = 0; j < sets[i]->list.n; j++)
      if (owner_at(c, sets[i]->list.items[j], copy->layer, &module))
        return module;
  return hd_civl_module_of(c, copy->action->proc);
}

/* Where A's text speaks of G first. */
static hd_boogie_place
place_of_use(hd_civl *c, const action *a, const hd_boogie_var *g)
{
  hd_boogie_exprs uses = {0};
  for (size_t i = 0; i < a->impl->blocks.n; i++)
    for (size_t j = 0; j < a->impl->blocks.items[i]->cmds.n; j++)
      hd_civl_uses_of_cmd(c->program, &uses, a->impl->blocks.items[i]->cmds.items[j]);
  for (size_t i = 0; i < uses.n; i++)
    if (uses.items[i]->u.id.var == g)
      return uses.items[i]->at;
  return a->proc->at;
}

static void
check_action(hd_civl *c, const action *a)
{
  for (size_t i = 0; i < c->action_layers.n; i++)
  {
    const action_copy *copy = a->copies[i];
    if (!copy)
      continue;
    size_t module = hd_civl_module_of_copy(c, copy);
    var_set used = {0};
    hd_civl_set_add_all(c->program, &used, &copy->gate_globals);
    hd_civl_set_add_all(c->program, &used, &copy->body_globals);
    const hd_boogie_var *g = foreign(c, &used, copy->layer, module);
    if (!g)
      continue;
    hd_civl_error(c, place_of_use(c, a, g),
                  "Action %s uses variables of two modules at layer %d: %s belongs to %s, others to %s", a->proc->name,
                  copy->layer, g->name, hd_civl_module_name(c, owner_of(c, g, copy->layer)),
                  hd_civl_module_name(c, module));
    return;
  }
}

/* ---- yielding procedures: their own module's variables ---- */

typedef struct visit /* an implementation at a layer */
{
  hd_civl *c;
  const yielding *y;
  size_t module;
  int32_t layer;
} visit;

static void
report(const visit *v, const void *what, hd_boogie_place at, const hd_boogie_var *g, const char *how)
{
  hd_civl *c = v->c;
  if (hd_civl_table_get(&c->modules->reported, what))
    return;
  hd_civl_table_set(c->program, &c->modules->reported, what, (void *) v->y);
  hd_civl_error(c, at, "%s %s, which belongs to module %s at layer %d; %s is part of module %s", how, g->name,
                hd_civl_module_name(c, owner_of(c, g, v->layer)), v->layer, v->y->proc->name,
                hd_civl_module_name(c, v->module));
}

/* What the introduction procedure PROC touches. */
static void
touched_by_introduction(hd_civl *c, const hd_boogie_proc *proc, var_set *out)
{
  for (size_t i = 0; i < proc->modifies.n; i++)
    hd_civl_set_add(c->program, out, proc->modifies.items[i]->u.id.var);
  const impl_list *bodies = hd_civl_impls_of(c, proc);
  for (size_t i = 0; i < bodies->n; i++)
    hd_civl_globals_of_blocks(c->program, out, &bodies->items[i]->blocks);
}

static void
check_call(const visit *v, const hd_boogie_cmd *call)
{
  hd_civl *c = v->c;
  const yielding *callee = hd_civl_yielding_of(c, call->proc);
  var_set touched = {0};
  if (callee && callee->kind == YIELDING_ACTION && callee->layer < v->layer)
  {
    const action_copy *copy = hd_civl_copy_at(c, callee->refined, v->layer);
    if (!copy)
      return;
    hd_civl_set_add_all(c->program, &touched, &copy->gate_globals);
    hd_civl_set_add_all(c->program, &touched, &copy->body_globals);
  }
  else if (callee && is_mover_at(callee, v->layer))
    hd_civl_set_add_all(c->program, &touched, &callee->modifies);
  else if (!callee && hd_civl_call_exists(c, call, v->y->layer, v->layer))
    touched_by_introduction(c, call->proc, &touched);
  const hd_boogie_var *g = foreign(c, &touched, v->layer, v->module);
  if (g)
    report(v, call, call->at, g, hd_boogie_text(c->program, "This call of %s touches", call->proc->name));
}

/* An assert after a yield: others' steps are checked against it. */
static void
check_predicate(const visit *v, const hd_boogie_cmd *cmd)
{
  hd_civl *c = v->c;
  const layer_list *layers = hd_civl_assert_layers(c, cmd);
  if (!layers || !hd_civl_layers_have(layers, v->layer))
    return;
  hd_boogie_exprs uses = {0};
  hd_civl_uses_of_expr(c->program, &uses, cmd->expr);
  for (size_t i = 0; i < uses.n; i++)
  {
    const hd_boogie_var *g = uses.items[i]->u.id.var;
    size_t owner;
    if (g->kind == HD_BOOGIE_GLOBAL && owner_at(c, g, v->layer, &owner) && owner != v->module)
      report(v, uses.items[i], uses.items[i]->at, g, "This yield predicate speaks of");
  }
}

/* What does not end the predicates of a yield: also a call that is not there at this layer. */
static bool
is_no_step(const visit *v, const hd_boogie_cmd *cmd)
{
  if (cmd->kind == HD_BOOGIE_CALL && hd_civl_introduction_of(v->c, cmd->proc))
    return !hd_civl_call_exists(v->c, cmd, v->y->layer, v->layer);
  return cmd->kind == HD_BOOGIE_ASSERT || cmd->kind == HD_BOOGIE_ASSUME;
}

static void
check_block(const visit *v, const hd_boogie_block *b)
{
  bool after_yield = false;
  for (size_t i = 0; i < b->cmds.n; i++)
  {
    const hd_boogie_cmd *cmd = b->cmds.items[i];
    after_yield = cmd->kind == HD_BOOGIE_YIELD || (after_yield && is_no_step(v, cmd));
    if (after_yield && cmd->kind == HD_BOOGIE_ASSERT)
      check_predicate(v, cmd);
    if (cmd->kind == HD_BOOGIE_CALL)
      check_call(v, cmd);
    for (size_t j = 0; j < cmd->calls.n; j++)
      check_call(v, cmd->calls.items[j]);
  }
}

/* ---- the phase ---- */

static void
find_modules(hd_civl *c)
{
  size_t ignored;
  for (size_t i = 0; i < c->globals.n; i++)
    if (c->globals.items[i] != c->pending_asyncs)
      find_module(c, name_of(c->program, c->globals.items[i]->attrs, c->globals.items[i]->at), true, &ignored);
  for (size_t i = 0; i < c->program->decls.n; i++)
    if (c->program->decls.items[i].kind == HD_BOOGIE_DECL_PROC && c->program->decls.items[i].proc->at.line)
      hd_civl_module_of(c, c->program->decls.items[i].proc);
}

void
hd_civl_check_modules(hd_civl *c)
{
  if (!c->options.modules)
    return;
  c->modules = hd_boogie_alloc(c->program, sizeof *c->modules);
  find_modules(c);
  const char *only = c->options.only_module;
  c->modules->chosen = only != NULL;
  if (only && !find_module(c, only, false, &c->modules->only))
    no_such_module(c, (hd_boogie_place){0}, only);
  for (size_t i = 0; i < c->globals.n; i++)
    if (c->globals.items[i] != c->pending_asyncs)
      read_owners(c, c->globals.items[i]);
  for (size_t i = 0; i < c->actions.n; i++)
    check_action(c, c->actions.items[i]);
  for (size_t i = 0; i < c->yielding_impls.n; i++)
  {
    const yielding_impl *yi = &c->yielding_impls.items[i];
    visit v = {.c = c, .y = yi->yielding, .module = hd_civl_module_of(c, yi->yielding->proc)};
    for (size_t j = 0; j < c->refinement_layers.n && c->refinement_layers.items[j] <= v.y->layer; j++)
    {
      v.layer = c->refinement_layers.items[j];
      for (size_t k = 0; k < yi->impl->blocks.n; k++)
        check_block(&v, yi->impl->blocks.items[k]);
    }
  }
}

/* ---- what is to be made ---- */

bool
hd_civl_module_wanted(const hd_civl *c, size_t module)
{
  return !c->modules || !c->modules->chosen || c->modules->only == module;
}

bool
hd_civl_pair_wanted(hd_civl *c, const action_copy *first, const action_copy *second)
{
  return hd_civl_module_wanted(c, hd_civl_module_of_copy(c, first))
         || hd_civl_module_wanted(c, hd_civl_module_of_copy(c, second));
}
