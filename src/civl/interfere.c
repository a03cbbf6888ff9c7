/* interfere.c: what a thread relies on at a yield is not made false by the fragments of others.
 *
 * For each copy whose yields have predicates there is a checker, inlined: its variables may have any values; if the
 * predicates of one yield held before a fragment, on the snapshots, its asserts hold after it. The yield procedure of
 * the layer chooses a checker; whoever ends a fragment calls it with its snapshots and with the permissions that its
 * own linear variables have: the other thread's are disjoint from them. Assumptions about the state after the fragment
 * are never made: they could be what the fragment broke. */
#include "civl/copies.h"
#include "civl/linear.h"

static const hd_boogie_place generated = {.file = ""};

struct permissions
{
  hd_boogie_vars sets; /* one for each domain: what this thread's available variables hold */
};

/* ---- permissions ---- */

static const linear_domain *
domain(const layer_copies *l, size_t i)
{
  return l->c->linear->domains.items[i];
}

/* The permissions of domain D that VARS hold, variables of the program, in the copy. */
static hd_boogie_expr *
union_of(const body *b, const linear_domain *d, const hd_boogie_vars *vars)
{
  hd_civl *c = b->layer->c;
  hd_boogie_program *p = c->program;
  hd_boogie_expr *all = hd_civl_linear_apply(c, d, MAP_CONST_BOOL, hd_boogie_bool(p, false), NULL, NULL);
  for (size_t i = 0; i < vars->n; i++)
    if (hd_civl_linear_domain(c, vars->items[i]) == d)
    {
      hd_boogie_var *copy = hd_civl_table_get(&b->layer->vars, vars->items[i]);
      all = hd_civl_linear_apply(c, d, MAP_OR, hd_civl_collect(c, d, copy), all, NULL);
    }
  return all;
}

/* The set of each domain is what VARS hold of it: an assignment, or an assumption. */
static void
permissions_are(body *b, const hd_boogie_vars *vars, bool assume, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *sets = &b->permissions->sets;
  hd_boogie_exprs values = {0};
  for (size_t i = 0; i < sets->n; i++)
    HD_BOOGIE_ADD(p, values, union_of(b, domain(b->layer, i), vars));
  if (!assume)
    hd_civl_assign_all(p, sets, &values, out);
  for (size_t i = 0; assume && i < sets->n; i++)
  {
    hd_boogie_expr *same = hd_boogie_eq(p, hd_boogie_use(p, sets->items[i]), values.items[i]);
    HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, same));
  }
}

/* What is available after or at ORIGIN and is there at the layer. */
static hd_boogie_vars
available(const body *b, const void *origin)
{
  const layer_copies *l = b->layer;
  const hd_boogie_vars *all = hd_civl_available(l->c, hd_civl_table_get(&l->origins, origin));
  hd_boogie_vars there = {0};
  for (size_t i = 0; i < all->n; i++)
    if (hd_civl_local_layer(l->c, all->items[i]) <= l->layer)
      HD_BOOGIE_ADD(l->c->program, there, all->items[i]);
  return there;
}

void
hd_civl_interfere_init(body *b, hd_boogie_cmds *out)
{
  const hd_civl *c = b->layer->c;
  hd_boogie_vars there = {0}; /* a linear_out parameter is available at the end only */
  for (size_t i = 0; i < b->from->ins.n; i++)
    if (hd_civl_linear_kind(c, b->from->ins.items[i]) != LINEAR_OUT)
      HD_BOOGIE_ADD(c->program, there, b->from->ins.items[i]);
  permissions_are(b, &there, false, out);
}

void
hd_civl_interfere_update(body *b, const void *origin, hd_boogie_cmds *out)
{
  hd_boogie_vars vars = available(b, origin);
  permissions_are(b, &vars, false, out);
}

void
hd_civl_interfere_assume(body *b, const void *origin, hd_boogie_cmds *out)
{
  hd_boogie_vars vars = available(b, origin);
  permissions_are(b, &vars, true, out);
}

/* ---- procedures that take permissions and snapshots ---- */

/* A procedure NAME with its implementation, which has the same parameters as other objects: INS. */
static hd_boogie_impl *
new_helper(layer_copies *l, const char *name, parameters *ins)
{
  hd_civl *c = l->c;
  hd_boogie_program *p = c->program;
  hd_boogie_proc *proc = hd_boogie_new_proc(p, generated, name);
  hd_boogie_impl *impl = hd_boogie_new_impl(p, generated, name, proc);
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    const char *formal = hd_boogie_text(p, "linear_%s_in", domain(l, i)->name);
    hd_boogie_type *type = domain(l, i)->set;
    HD_BOOGIE_ADD(p, proc->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, generated, formal, type));
    HD_BOOGIE_ADD(p, ins->sets, hd_boogie_new_var(p, HD_BOOGIE_IN, generated, formal, type));
    HD_BOOGIE_ADD(p, impl->ins, ins->sets.items[i]);
  }
  for (size_t i = 0; i < c->globals.n; i++)
  {
    const hd_boogie_var *g = c->globals.items[i];
    const char *formal = hd_boogie_text(p, "og_global_old_%s", g->name);
    HD_BOOGIE_ADD(p, proc->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, generated, formal, g->type));
    HD_BOOGIE_ADD(p, ins->snapshots, hd_boogie_new_var(p, HD_BOOGIE_IN, generated, formal, g->type));
    HD_BOOGIE_ADD(p, impl->ins, ins->snapshots.items[i]);
  }
  return impl;
}

static hd_boogie_cmd *
call_helper(hd_boogie_program *p, hd_boogie_proc *proc, const hd_boogie_vars *sets, const hd_boogie_vars *snapshots)
{
  hd_boogie_cmd *call = hd_boogie_new_cmd(p, HD_BOOGIE_CALL, generated);
  call->proc = proc;
  call->name = proc->name;
  for (size_t i = 0; i < sets->n; i++)
    HD_BOOGIE_ADD(p, call->values, hd_boogie_use(p, sets->items[i]));
  for (size_t i = 0; i < snapshots->n; i++)
    HD_BOOGIE_ADD(p, call->values, hd_boogie_use(p, snapshots->items[i]));
  return call;
}

static hd_boogie_block *
add_block(hd_boogie_program *p, hd_boogie_impl *impl, const char *label)
{
  hd_boogie_block *block = hd_boogie_new_block(p, generated, label);
  block->transfer.kind = HD_BOOGIE_RETURN;
  block->transfer.at = generated;
  HD_BOOGIE_ADD(p, impl->blocks, block);
  return block;
}

static void
add_choice(hd_boogie_program *p, hd_boogie_block *from, hd_boogie_block *to)
{
  from->transfer.kind = HD_BOOGIE_GOTO;
  HD_BOOGIE_ADD(p, from->transfer.targets, to);
}

/* ---- the checker of one copy's yields ---- */

/* A variable of the checker for each of VARS, with any value. */
static void
free_vars(hd_boogie_program *p, hd_boogie_impl *impl, const hd_boogie_vars *vars, hd_boogie_subst *before,
          hd_boogie_subst *after)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = vars->items[i];
    hd_boogie_var *copy = hd_boogie_new_var(p, HD_BOOGIE_LOCAL, generated, v->name, v->type);
    HD_BOOGIE_ADD(p, impl->locals, copy);
    hd_boogie_subst_set_var(before, p, v, copy);
    hd_boogie_subst_set_var(after, p, v, copy);
  }
}

/* BEFORE: the predicates on the snapshots; AFTER: on the state now. What was old at the yield may have been anything.
 */
static void
say_states(layer_copies *l, hd_boogie_impl *impl, const parameters *ins, hd_boogie_subst *before,
           hd_boogie_subst *after)
{
  hd_civl *c = l->c;
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < ins->sets.n; i++)
  {
    hd_boogie_subst_set(before, domain(l, i)->hole, hd_boogie_use(p, ins->sets.items[i]));
    hd_boogie_subst_set(after, domain(l, i)->hole, hd_boogie_use(p, ins->sets.items[i]));
  }
  for (size_t i = 0; i < c->globals.n; i++)
  {
    hd_boogie_var *g = c->globals.items[i];
    hd_boogie_var *any
        = hd_boogie_new_var(p, HD_BOOGIE_LOCAL, generated, hd_boogie_text(p, "og_local_old_%s", g->name), g->type);
    HD_BOOGIE_ADD(p, impl->locals, any);
    hd_boogie_subst_set(before, g, hd_boogie_use(p, ins->snapshots.items[i]));
    hd_boogie_subst_set_old(before, g, hd_boogie_use(p, any));
    hd_boogie_subst_set_old(after, g, hd_boogie_use(p, any));
  }
}

static void
check_point(hd_boogie_program *p, const yield_point *y, const hd_boogie_subst *before, const hd_boogie_subst *after,
            hd_boogie_cmds *out)
{
  hd_boogie_rewriter was = {.program = p, .subst = before, .drop_old = true};
  hd_boogie_rewriter is = {.program = p, .subst = after, .drop_old = true};
  for (size_t i = 0; i < y->predicates.n; i++)
    HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, hd_boogie_rewrite_expr(&was, y->predicates.items[i]->expr)));
  for (size_t i = 0; i < y->predicates.n; i++)
  {
    const hd_boogie_cmd *predicate = y->predicates.items[i];
    if (predicate->kind != HD_BOOGIE_ASSERT)
      continue;
    hd_boogie_cmd *cmd = hd_boogie_assert(p, predicate->at, hd_boogie_rewrite_expr(&is, predicate->expr));
    cmd->attrs = predicate->attrs;
    cmd->message = "Non-interference check failed";
    HD_BOOGIE_ADD(p, *out, cmd);
  }
  HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, hd_boogie_bool(p, false)));
}

static void
make_checker(body *b)
{
  layer_copies *l = b->layer;
  hd_boogie_program *p = l->c->program;
  parameters ins = {0};
  hd_boogie_impl *impl = new_helper(l, hd_boogie_text(p, "Impl_YieldChecker_%s", b->impl->name), &ins);
  hd_boogie_subst *before = hd_boogie_subst_new(), *after = hd_boogie_subst_new();
  free_vars(p, impl, &b->impl->locals, before, after);
  free_vars(p, impl, &b->impl->ins, before, after);
  free_vars(p, impl, &b->impl->outs, before, after);
  say_states(l, impl, &ins, before, after);
  hd_boogie_block *enter = add_block(p, impl, "enter");
  add_choice(p, enter, add_block(p, impl, "exit"));
  size_t count = 0;
  for (size_t i = 0; i < b->yields.n; i++)
  {
    if (b->yields.items[i].predicates.n == 0)
      continue;
    hd_boogie_block *one = add_block(p, impl, hd_boogie_text(p, "L%zu", count++));
    check_point(p, &b->yields.items[i], before, after, &one->cmds);
    add_choice(p, enter, one);
  }
  hd_boogie_subst_free(before);
  hd_boogie_subst_free(after);
  hd_civl_add_helper(l->c, impl->proc, impl);
  HD_BOOGIE_ADD(p, l->checkers, (yield_checker){impl->proc, hd_civl_module_of(l->c, b->yielding->proc)});
}

void
hd_civl_interfere_begin(body *b)
{
  hd_civl *c = b->layer->c;
  hd_boogie_program *p = c->program;
  bool any = false;
  for (size_t i = 0; i < b->yields.n; i++)
    any = any || b->yields.items[i].predicates.n > 0;
  if (any)
    make_checker(b);
  b->permissions = hd_boogie_alloc(p, sizeof *b->permissions);
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    const char *name = hd_boogie_text(p, "linear_%s_available", domain(b->layer, i)->name);
    hd_boogie_var *v = hd_boogie_new_var(p, HD_BOOGIE_LOCAL, generated, name, domain(b->layer, i)->set);
    HD_BOOGIE_ADD(p, b->permissions->sets, v);
    HD_BOOGIE_ADD(p, b->impl->locals, v);
  }
}

/* ---- the yield procedure: one for each module, whose steps can only disturb its own yields ---- */

void
hd_civl_interfere_layer(layer_copies *l)
{
  hd_boogie_program *p = l->c->program;
  for (size_t i = 0; i < hd_civl_module_count(l->c); i++)
  {
    const char *module = hd_civl_module_name(l->c, i);
    const char *name = hd_boogie_text(p, "og_yield_%d%s%s", (int) l->layer, module ? "_" : "", module ? module : "");
    yield_helper y = {0};
    y.impl = new_helper(l, name, &y.ins);
    HD_BOOGIE_ADD(p, l->yields, y);
  }
}

void
hd_civl_interfere_check(body *b, hd_boogie_cmds *out)
{
  hd_civl *c = b->layer->c;
  const yield_helper *y = &b->layer->yields.items[hd_civl_module_of(c, b->yielding->proc)];
  HD_BOOGIE_ADD(c->program, *out, call_helper(c->program, y->impl->proc, &b->permissions->sets, &b->snapshots));
}

static void
finish_helper(layer_copies *l, size_t module)
{
  hd_boogie_program *p = l->c->program;
  const yield_helper *y = &l->yields.items[module];
  hd_boogie_block *enter = add_block(p, y->impl, "enter");
  for (size_t i = 0, n = 0; i < l->checkers.n; i++)
  {
    if (l->checkers.items[i].module != module)
      continue;
    hd_boogie_block *one = add_block(p, y->impl, hd_boogie_text(p, "L_%zu", n++));
    HD_BOOGIE_ADD(p, one->cmds, call_helper(p, l->checkers.items[i].proc, &y->ins.sets, &y->ins.snapshots));
    add_choice(p, enter, one);
  }
  hd_civl_add_helper(l->c, y->impl->proc, y->impl);
}

void
hd_civl_interfere_finish(layer_copies *l)
{
  for (size_t i = 0; i < l->yields.n; i++)
    finish_helper(l, i);
  for (size_t i = 0; i < l->impls.n; i++)
    for (size_t j = 0; !is_mover_at(l->impls.items[i].from->yielding, l->layer) && j < l->checkers.n; j++)
      l->c->counts.skipped_pairs
          += hd_civl_module_of(l->c, l->impls.items[i].from->yielding->proc) != l->checkers.items[j].module;
}
