/* movers.c: which pairs of actions are checked at which layer (the note on CIVL, "Mover checks").
 *
 * A right mover may be delayed past any step of another thread, a left mover may be brought forward; neither may change
 * what can be seen or whether something fails. movers_checks.c makes the checks themselves. */
#include "civl/movers_checks.h"

#include <stdlib.h>

/* Pairs of actions, by their numbers; a both mover would be checked twice otherwise. */
typedef struct pairs
{
  size_t n;
  bool *done;
} pairs;

typedef struct layer_pairs
{
  pairs commutativity, gate, failure;
} layer_pairs;

static pairs
pairs_new(size_t n)
{
  return (pairs){n, hd_alloc_zero(n * n + 1)};
}

static bool
first_time(pairs *s, const action_copy *a, const action_copy *b)
{
  bool *done = &s->done[a->action->number * s->n + b->action->number];
  bool first = !*done;
  *done = true;
  return first;
}

/* ---- what needs no check ---- */

static bool
commutes_anyway(const action_copy *a, const action_copy *b)
{
  if (a == b && a->impl->ins.n == 0 && a->impl->outs.n == 0)
    return true; /* nothing tells one order from the other */
  return !hd_civl_set_meets(&a->modified, &b->body_globals) && !hd_civl_set_meets(&a->body_globals, &b->modified);
}

static void
commute(hd_civl *c, layer_pairs *s, const action_copy *a, const action_copy *b)
{
  if (!commutes_anyway(a, b) && first_time(&s->commutativity, a, b) && hd_civl_pair_wanted(c, a, b))
    hd_civl_check_commutativity(c, a, b);
}

static void
preserve_gate(hd_civl *c, layer_pairs *s, const action_copy *a, const action_copy *by)
{
  if (hd_civl_set_meets(&a->gate_globals, &by->modified) && first_time(&s->gate, a, by)
      && hd_civl_pair_wanted(c, a, by))
    hd_civl_check_gate(c, a, by);
}

static void
preserve_failure(hd_civl *c, layer_pairs *s, const action_copy *a, const action_copy *by)
{
  if (hd_civl_set_meets(&a->gate_globals, &by->modified) && first_time(&s->failure, a, by)
      && hd_civl_pair_wanted(c, a, by))
    hd_civl_check_failure(c, a, by);
}

/* ---- a layer ---- */

static void
check_pair(hd_civl *c, layer_pairs *s, const action_copy *mover, const action_copy *other)
{
  if (mover_is_right(mover->action->mover))
  {
    commute(c, s, mover, other);
    preserve_gate(c, s, other, mover);
  }
  if (mover_is_left(mover->action->mover))
  {
    commute(c, s, other, mover);
    preserve_gate(c, s, mover, other);
    preserve_failure(c, s, other, mover);
  }
}

static void
check_layer(hd_civl *c, size_t layer)
{
  size_t n = c->actions.n;
  layer_pairs s = {pairs_new(n), pairs_new(n), pairs_new(n)};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
    {
      const action_copy *a = c->actions.items[i]->copies[layer], *b = c->actions.items[k]->copies[layer];
      if (a && b)
        check_pair(c, &s, a, b);
    }
  for (size_t i = 0; i < n; i++)
  {
    const action_copy *a = c->actions.items[i]->copies[layer];
    if (a && a->has_assume && mover_is_left(a->action->mover))
      hd_civl_check_non_blocking(c, a);
  }
  free(s.commutativity.done);
  free(s.gate.done);
  free(s.failure.done);
}

/* ---- all layers ---- */

/* A where clause restricts what a havoc may choose. The relations do not have it, so a program in which it would matter
 * is refused. */
static void
refuse_where(hd_civl *c, const action *a)
{
  for (size_t i = 0; i < a->impl->locals.n; i++)
    if (a->impl->locals.items[i]->where)
      hd_civl_error(c, a->impl->locals.items[i]->at, "A where clause in an atomic action is not supported");
  for (size_t i = 0; i < a->impl->blocks.n; i++)
    for (size_t k = 0; k < a->impl->blocks.items[i]->cmds.n; k++)
    {
      const hd_boogie_cmd *cmd = a->impl->blocks.items[i]->cmds.items[k];
      for (size_t n = 0; cmd->kind == HD_BOOGIE_HAVOC && n < cmd->targets.n; n++)
        if (cmd->targets.items[n]->u.id.var->kind == HD_BOOGIE_GLOBAL && cmd->targets.items[n]->u.id.var->where)
          hd_civl_error(c, cmd->at, "Havoc of the variable %s with a where clause is not supported in an atomic action",
                        cmd->targets.items[n]->u.id.var->name);
    }
}

void
hd_civl_make_movers(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
    refuse_where(c, c->actions.items[i]);
  for (size_t i = 0; !c->options.trust_movers && i < c->action_layers.n; i++)
    check_layer(c, i);
}
