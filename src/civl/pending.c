/* pending.c: pending asyncs: what an action leaves to be done by others is an element of a global multiset until the
 * layer at which the procedure that does it is an action itself.
 *
 * An element is a value of a datatype with one constructor for each action procedure, its fields the inputs. A program
 * whose async calls never outlive a layer has neither the datatype nor the multiset. */
#include "civl/layers.h"

static bool
has_pending(const hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
  {
    const hd_boogie_blocks *blocks = &c->actions.items[i]->impl->blocks;
    for (size_t j = 0; j < blocks->n; j++)
      for (size_t k = 0; k < blocks->items[j]->cmds.n; k++)
        if (blocks->items[j]->cmds.items[k]->kind == HD_BOOGIE_CALL)
          return true;
  }
  for (size_t i = 0; i < c->yielding_impls.n; i++)
  {
    const yielding_impl *y = &c->yielding_impls.items[i];
    for (size_t j = 0; j < y->impl->blocks.n; j++)
      for (size_t k = 0; k < y->impl->blocks.items[j]->cmds.n; k++)
      {
        const hd_boogie_cmd *cmd = y->impl->blocks.items[j]->cmds.items[k];
        const yielding *callee = cmd->kind == HD_BOOGIE_CALL ? hd_civl_yielding_of(c, cmd->proc) : NULL;
        if (callee && cmd->is_async && callee->layer > y->yielding->layer)
          return true;
      }
  }
  return false;
}

static const char *
free_name(hd_boogie_program *p, const char *name)
{
  while (hd_boogie_find_type(p, name) || hd_boogie_find_var(p, name) || hd_boogie_find_function(p, name)
         || hd_boogie_find_proc(p, name))
    name = hd_boogie_text(p, "%s#", name);
  return name;
}

static hd_boogie_function *
make_helper(hd_boogie_program *p, hd_boogie_function *constructor, const char *name, hd_boogie_type *type)
{
  hd_boogie_function *f = hd_boogie_new_function(p, constructor->at, name);
  f->constructor = constructor;
  f->datatype = constructor->datatype;
  HD_BOOGIE_ADD(p, f->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, f->at, "", constructor->out->type));
  f->out = hd_boogie_new_var(p, HD_BOOGIE_OUT, f->at, "", type);
  hd_boogie_declare_function(p, f);
  return f;
}

static hd_boogie_function *
make_constructor(hd_boogie_program *p, hd_boogie_type *type, const hd_boogie_proc *proc)
{
  hd_boogie_place nowhere = {0};
  const char *name = free_name(p, hd_boogie_text(p, "PendingAsync_%s", proc->name));
  hd_boogie_function *f = hd_boogie_new_function(p, nowhere, name);
  f->attrs = hd_boogie_attr_add(p, NULL, "constructor");
  f->role = HD_BOOGIE_CONSTRUCTOR;
  f->datatype = type->decl;
  for (size_t i = 0; i < proc->ins.n; i++)
    HD_BOOGIE_ADD(p, f->ins,
                  hd_boogie_new_var(p, HD_BOOGIE_IN, nowhere, proc->ins.items[i]->name, proc->ins.items[i]->type));
  f->out = hd_boogie_new_var(p, HD_BOOGIE_OUT, nowhere, "x", type);
  hd_boogie_declare_function(p, f);
  HD_BOOGIE_ADD(p, type->decl->constructors, f);
  for (size_t i = 0; i < f->ins.n; i++)
  {
    hd_boogie_function *g
        = make_helper(p, f, hd_boogie_text(p, "%s#%s", f->ins.items[i]->name, name), f->ins.items[i]->type);
    g->role = HD_BOOGIE_SELECTOR;
    g->field = i;
    HD_BOOGIE_ADD(p, f->selectors, g);
  }
  f->tester = make_helper(p, f, hd_boogie_text(p, "is#%s", name), p->bool_type);
  f->tester->role = HD_BOOGIE_TESTER;
  return f;
}

/* The procedure that adds one call of Y's to the multiset. */
static void
make_adder(hd_civl *c, yielding *y)
{
  hd_boogie_program *p = c->program;
  hd_boogie_place nowhere = {0};
  const char *name = free_name(p, hd_boogie_text(p, "AddPendingAsync_%s", y->proc->name));
  hd_boogie_proc *proc = hd_boogie_new_proc(p, nowhere, name);
  hd_boogie_impl *impl = hd_boogie_new_impl(p, nowhere, name, proc);
  hd_boogie_exprs inputs = {0}, index = {0};
  for (size_t i = 0; i < y->proc->ins.n; i++)
  {
    const hd_boogie_var *in = y->proc->ins.items[i];
    hd_boogie_var *v = hd_boogie_new_var(p, HD_BOOGIE_IN, nowhere, in->name, in->type);
    HD_BOOGIE_ADD(p, proc->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, nowhere, in->name, in->type));
    HD_BOOGIE_ADD(p, impl->ins, v);
    HD_BOOGIE_ADD(p, inputs, hd_boogie_use(p, v));
  }
  HD_BOOGIE_ADD(p, proc->modifies, hd_boogie_use(p, c->pending_asyncs));
  HD_BOOGIE_ADD(p, index, hd_boogie_apply(p, y->pending, &inputs));
  hd_boogie_expr *multiset = hd_boogie_use(p, c->pending_asyncs);
  hd_boogie_expr *one_more
      = hd_boogie_binary(p, HD_BOOGIE_ADD_OP, hd_boogie_select(p, multiset, &index), hd_boogie_int(p, 1));
  hd_boogie_block *block = hd_boogie_new_block(p, nowhere, "L");
  HD_BOOGIE_ADD(p, block->cmds,
                hd_boogie_assign(p, nowhere, c->pending_asyncs, hd_boogie_store(p, multiset, &index, one_more)));
  block->transfer.kind = HD_BOOGIE_RETURN;
  HD_BOOGIE_ADD(p, impl->blocks, block);
  hd_civl_add_helper(c, proc, impl);
  y->add_pending = proc;
  hd_civl_table_set(p, &c->adders, proc, impl);
}

void
hd_civl_make_pending(hd_civl *c)
{
  if (!has_pending(c))
    return;
  hd_boogie_program *p = c->program;
  hd_boogie_type_decl *decl = hd_boogie_alloc(p, sizeof *decl);
  decl->name = free_name(p, "PendingAsync");
  decl->attrs = hd_boogie_attr_add(p, NULL, "datatype");
  decl->is_datatype = true;
  decl->id = p->n_type_decls++;
  hd_boogie_declare_type(p, decl);
  hd_boogie_type *type = hd_boogie_ctor_type(p, decl, (hd_boogie_types){0});
  c->pending_asyncs = hd_boogie_new_var(p, HD_BOOGIE_GLOBAL, (hd_boogie_place){0}, free_name(p, "pendingAsyncMultiset"),
                                        hd_boogie_map1_type(p, type, p->int_type));
  hd_boogie_declare_var(p, c->pending_asyncs);
  HD_BOOGIE_ADD(p, c->globals, c->pending_asyncs);
  for (size_t i = 0; i < c->yieldings.n; i++)
  {
    yielding *y = c->yieldings.items[i];
    if (y->kind != YIELDING_ACTION)
      continue;
    y->pending = make_constructor(p, type, y->proc);
    make_adder(c, y);
  }
}
