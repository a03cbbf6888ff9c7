/* linear_assume.c: what holds because of linear types is put into the program as assumptions, after calls and yields,
 * at loop heads and in contracts.
 *
 * Only what the data flow found available is in them: a permission that was given away belongs to someone else. */
#include "civl/linear.h"

/* Everything of the linear globals and of VARS is disjoint, also from what the hole stands for. */
static void
add_assumptions(hd_civl *c, const hd_boogie_vars *vars, hd_boogie_cmds *out)
{
  hd_boogie_program *p = c->program;
  hd_boogie_vars scope = {0};
  for (size_t i = 0; i < vars->n; i++)
    HD_BOOGIE_ADD(p, scope, vars->items[i]);
  for (size_t i = 0; i < c->linear->globals.n; i++)
    HD_BOOGIE_ADD(p, scope, c->linear->globals.items[i]);
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    const linear_domain *d = c->linear->domains.items[i];
    hd_boogie_expr *e = hd_civl_disjoint(c, d, d->hole, &scope);
    if (!hd_civl_is_true(e))
      HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, (hd_boogie_place){.file = ""}, e));
  }
}

static void
change_block(hd_civl *c, hd_boogie_block *b)
{
  hd_boogie_cmds out = {0};
  for (size_t i = 0; i < b->cmds.n; i++)
  {
    const hd_boogie_cmd *cmd = b->cmds.items[i];
    HD_BOOGIE_ADD(c->program, out, b->cmds.items[i]);
    if (cmd->kind == HD_BOOGIE_CALL || cmd->kind == HD_BOOGIE_PAR || cmd->kind == HD_BOOGIE_YIELD)
      add_assumptions(c, hd_civl_available(c, cmd), &out);
  }
  b->cmds = out;
}

static void
change_loops(hd_civl *c, const hd_boogie_impl *impl)
{
  hd_boogie_graph *g = hd_boogie_graph_new(&impl->blocks);
  for (size_t i = 0; g->reducible && i < g->n; i++)
    if (g->is_head[i])
    {
      hd_boogie_cmds out = {0};
      add_assumptions(c, hd_civl_available(c, g->nodes[i]), &out);
      for (size_t k = 0; k < g->nodes[i]->cmds.n; k++)
        HD_BOOGIE_ADD(c->program, out, g->nodes[i]->cmds.items[k]);
      g->nodes[i]->cmds = out;
    }
  hd_boogie_graph_free(g);
}

static void
change_impl(hd_civl *c, hd_boogie_impl *impl)
{
  if (hd_civl_is_action_code(c, impl->proc))
    return;
  for (size_t i = 0; i < impl->blocks.n; i++)
    change_block(c, impl->blocks.items[i]);
  change_loops(c, impl);
}

/* A free clause: the linear globals and PARAMS are disjoint. */
static void
add_clauses(hd_civl *c, hd_boogie_specs *specs, const hd_boogie_vars *params)
{
  hd_boogie_program *p = c->program;
  hd_boogie_vars scope = {0};
  for (size_t i = 0; i < c->linear->globals.n; i++)
    HD_BOOGIE_ADD(p, scope, c->linear->globals.items[i]);
  for (size_t i = 0; i < params->n; i++)
    HD_BOOGIE_ADD(p, scope, params->items[i]);
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    hd_boogie_expr *e = hd_civl_disjoint(c, c->linear->domains.items[i], NULL, &scope);
    if (hd_civl_is_true(e))
      continue;
    hd_boogie_spec *s = hd_boogie_alloc(p, sizeof *s);
    *s = (hd_boogie_spec){.at = {.file = ""}, .is_free = true, .expr = e};
    HD_BOOGIE_ADD(p, *specs, s);
  }
}

void
hd_civl_transform_linear(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    linear_domain *d = c->linear->domains.items[i];
    d->hole = hd_boogie_new_var(p, HD_BOOGIE_GLOBAL, (hd_boogie_place){.file = ""},
                                hd_boogie_text(p, "linear_%s_hole", d->name), d->set);
  }
  for (size_t i = 0; i < p->decls.n; i++)
  {
    hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_IMPL)
      change_impl(c, d->impl);
    else if (d->kind == HD_BOOGIE_DECL_PROC)
    {
      add_clauses(c, &d->proc->requires, &d->proc->ins);
      add_clauses(c, &d->proc->ensures, &d->proc->outs);
    }
  }
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    hd_boogie_declare_var(p, c->linear->domains.items[i]->hole);
    hd_civl_linear_declare(c, c->linear->domains.items[i]);
  }
}
