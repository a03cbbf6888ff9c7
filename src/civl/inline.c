/* inline.c: bodies put in place of calls, and blocks that nothing reaches taken away. */
#include <stdlib.h>

#include "civl/internal.h"

/* ---- unreachable blocks ---- */

/* `assume false` or `assert false`: nothing comes after it. */
static bool
stops(const hd_boogie_block *b)
{
  for (size_t i = 0; i < b->cmds.n; i++)
  {
    const hd_boogie_cmd *c = b->cmds.items[i];
    if ((c->kind == HD_BOOGIE_ASSUME || c->kind == HD_BOOGIE_ASSERT) && c->expr->kind == HD_BOOGIE_LIT_BOOL
        && !c->expr->u.truth)
      return true;
  }
  return false;
}

void
hd_civl_prune(hd_boogie_program *p, hd_boogie_impl *impl)
{
  hd_boogie_blocks reached = {0}, next = {0};
  uint8_t *seen = hd_alloc_zero(p->n_blocks);
  HD_BOOGIE_ADD(p, next, impl->blocks.items[0]);
  while (next.n)
  {
    hd_boogie_block *b = next.items[--next.n];
    if (seen[b->id])
      continue;
    seen[b->id] = 1;
    HD_BOOGIE_ADD(p, reached, b);
    if (b->transfer.kind == HD_BOOGIE_GOTO && stops(b))
      b->transfer = (hd_boogie_transfer){.kind = HD_BOOGIE_RETURN, .at = b->transfer.at};
    for (size_t i = 0; i < b->transfer.targets.n; i++)
      HD_BOOGIE_ADD(p, next, b->transfer.targets.items[i]);
  }
  impl->blocks = reached;
  free(seen);
}

/* ---- inlining ---- */

typedef struct inliner
{
  hd_boogie_program *p;
  hd_boogie_impl *impl; /* gets the variables */
  const table *bodies;
  size_t calls; /* how many were put in */
  hd_boogie_blocks out;
} inliner;

typedef struct globals_in_old
{
  hd_boogie_program *p;
  var_set set;
} globals_in_old;

static bool
find_global_in_old(void *context, hd_boogie_expr *e, bool in_old)
{
  globals_in_old *g = context;
  if (in_old && e->kind == HD_BOOGIE_VAR && e->u.id.var->kind == HD_BOOGIE_GLOBAL)
    hd_civl_set_add(g->p, &g->set, e->u.id.var);
  return true;
}

static hd_boogie_var *
add_local(inliner *x, const hd_boogie_var *like, const char *prefix)
{
  hd_boogie_var *v = hd_boogie_new_var(x->p, HD_BOOGIE_LOCAL, (hd_boogie_place){0},
                                       hd_boogie_text(x->p, "%s%s", prefix, like->name), like->type);
  v->attrs = like->attrs;
  HD_BOOGIE_ADD(x->p, x->impl->locals, v);
  return v;
}

static void
add_havoc(inliner *x, hd_boogie_subst *s, hd_boogie_block *entry, const hd_boogie_vars *vars, const char *prefix)
{
  hd_boogie_cmd *havoc = hd_boogie_new_cmd(x->p, HD_BOOGIE_HAVOC, (hd_boogie_place){0});
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = add_local(x, vars->items[i], prefix);
    hd_boogie_subst_set_var(s, x->p, vars->items[i], v);
    HD_BOOGIE_ADD(x->p, havoc->targets, hd_boogie_use(x->p, v));
  }
  if (vars->n)
    HD_BOOGIE_ADD(x->p, entry->cmds, havoc);
}

static void put_blocks(inliner *x, const hd_boogie_blocks *blocks);

/* The blocks of BODY for CALL, appended; control comes in at the block that is returned and leaves to AFTER. */
static hd_boogie_block *
put_body(inliner *x, const hd_boogie_cmd *call, const hd_boogie_impl *body, hd_boogie_block *after)
{
  hd_boogie_program *p = x->p;
  const char *prefix = hd_boogie_text(p, "inline$%s$%zu$", body->name, x->calls++);
  hd_boogie_subst *s = hd_boogie_subst_new();
  hd_boogie_block *entry = hd_boogie_new_block(p, body->at, hd_boogie_text(p, "%sEntry", prefix));
  for (size_t i = 0; i < body->ins.n; i++)
  {
    hd_boogie_var *v = add_local(x, body->ins.items[i], prefix);
    hd_boogie_subst_set_var(s, p, body->ins.items[i], v);
    HD_BOOGIE_ADD(p, entry->cmds, hd_boogie_assign(p, body->at, v, call->values.items[i]));
  }
  add_havoc(x, s, entry, &body->locals, prefix);
  add_havoc(x, s, entry, &body->outs, prefix);
  /* old() inside means the state at this call. */
  globals_in_old olds = {.p = p};
  hd_boogie_walk_blocks(&body->blocks, find_global_in_old, &olds);
  for (size_t i = 0; i < olds.set.list.n; i++)
  {
    hd_boogie_var *g = olds.set.list.items[i], *v = add_local(x, g, prefix);
    hd_boogie_subst_set_old(s, g, hd_boogie_use(p, v));
    HD_BOOGIE_ADD(p, entry->cmds, hd_boogie_assign(p, body->at, v, hd_boogie_use(p, g)));
  }

  hd_boogie_rewriter r = {.program = p, .subst = s, .drop_old = true};
  hd_boogie_blocks blocks = hd_boogie_rewrite_blocks(&r, &body->blocks);
  hd_boogie_block *leave = hd_boogie_new_block(p, body->at, hd_boogie_text(p, "%sReturn", prefix));
  for (size_t i = 0; i < blocks.n; i++)
  {
    hd_boogie_block *b = blocks.items[i];
    b->label = hd_boogie_text(p, "%s%s", prefix, b->label);
    if (b->transfer.kind != HD_BOOGIE_RETURN)
      continue;
    b->transfer.kind = HD_BOOGIE_GOTO;
    HD_BOOGIE_ADD(p, b->transfer.targets, leave);
  }
  for (size_t i = 0; i < body->outs.n; i++)
    HD_BOOGIE_ADD(p, leave->cmds,
                  hd_boogie_assign(p, body->at, hd_boogie_target_var(call->targets.items[i]),
                                   hd_boogie_subst_get(s, body->outs.items[i], false)));
  HD_BOOGIE_ADD(p, entry->transfer.targets, blocks.items[0]);
  HD_BOOGIE_ADD(p, leave->transfer.targets, after);
  hd_boogie_subst_free(s);
  HD_BOOGIE_ADD(p, x->out, entry);
  put_blocks(x, &blocks);
  HD_BOOGIE_ADD(p, x->out, leave);
  return entry;
}

static void
put_blocks(inliner *x, const hd_boogie_blocks *blocks)
{
  hd_boogie_program *p = x->p;
  for (size_t i = 0; i < blocks->n; i++)
  {
    hd_boogie_block *b = blocks->items[i];
    const char *label = b->label;
    hd_boogie_cmds cmds = b->cmds;
    hd_boogie_transfer transfer = b->transfer;
    b->cmds = (hd_boogie_cmds){0};
    HD_BOOGIE_ADD(p, x->out, b);
    for (size_t j = 0, parts = 0; j < cmds.n; j++)
    {
      hd_boogie_cmd *c = cmds.items[j];
      const hd_boogie_impl *body = c->kind == HD_BOOGIE_CALL ? hd_civl_table_get(x->bodies, c->proc) : NULL;
      if (!body)
      {
        HD_BOOGIE_ADD(p, b->cmds, c);
        continue;
      }
      hd_boogie_block *after = hd_boogie_new_block(p, b->at, hd_boogie_text(p, "%s$%zu", label, ++parts));
      hd_boogie_block *entry = put_body(x, c, body, after);
      b->transfer = (hd_boogie_transfer){.kind = HD_BOOGIE_GOTO};
      HD_BOOGIE_ADD(p, b->transfer.targets, entry);
      HD_BOOGIE_ADD(p, x->out, after);
      b = after;
    }
    b->transfer = transfer;
  }
}

void
hd_civl_inline_calls(hd_boogie_program *p, hd_boogie_impl *impl, const table *bodies)
{
  inliner x = {.p = p, .impl = impl, .bodies = bodies};
  hd_boogie_blocks blocks = impl->blocks;
  put_blocks(&x, &blocks);
  impl->blocks = x.out;
}
