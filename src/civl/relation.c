/* relation.c: transition relations of atomic actions, from their code (the note on CIVL, "Transition relation").
 *
 * The code has no loops, so a relation is the disjunction over its paths (relation_path.c makes one path's part). This
 * file walks the paths: those of one action, or each path of the first followed by each path of the second. */
#include "civl/relation_path.h"

#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

/* How many lead from B to a return; KNOWN has 1 + that, by block id. More than RELATION_PATHS are not told apart. */
static uint32_t
count_from(uint32_t *known, const hd_boogie_block *b)
{
  if (known[b->id] == 0)
  {
    uint32_t sum = b->transfer.kind == HD_BOOGIE_RETURN;
    for (size_t i = 0; i < b->transfer.targets.n && sum <= RELATION_PATHS; i++)
      sum += count_from(known, b->transfer.targets.items[i]);
    known[b->id] = 1 + (sum <= RELATION_PATHS ? sum : RELATION_PATHS + 1);
  }
  return known[b->id] - 1;
}

static bool
few_paths(const hd_boogie_program *p, const relation_question *q)
{
  if (q->first.blocks->n > RELATION_BLOCKS || (q->second.blocks && q->second.blocks->n > RELATION_BLOCKS))
    return false;
  uint32_t *known = hd_alloc_zero((p->n_blocks + 1) * sizeof *known);
  uint64_t paths = count_from(known, q->first.blocks->items[0]);
  if (q->second.blocks)
    paths *= count_from(known, q->second.blocks->items[0]);
  free(known);
  return paths <= RELATION_PATHS;
}

static void
walk(relation *r, const hd_boogie_block *b, bool in_first)
{
  size_t before = r->n_path;
  for (size_t i = 0; i < b->cmds.n; i++)
    HD_PUSH(r->path, r->n_path, r->cap_path, b->cmds.items[i]);
  if (b->transfer.kind == HD_BOOGIE_GOTO)
    for (size_t i = 0; i < b->transfer.targets.n && !r->too_large; i++)
      walk(r, b->transfer.targets.items[i], in_first);
  else if (in_first && r->q->second.blocks)
  {
    r->joint = r->n_path;
    walk(r, r->q->second.blocks->items[0], false);
  }
  else
  {
    hd_boogie_expr *e = hd_civl_relation_path(r);
    HD_BOOGIE_ADD(r->p, r->paths, e);
  }
  r->n_path = before;
}

hd_boogie_expr *
hd_civl_relation(hd_boogie_program *p, const relation_question *q)
{
  if (!few_paths(p, q))
    return NULL;
  relation r = {.p = p, .q = q, .first_id = p->n_vars};
  hd_civl_relation_track(&r);
  walk(&r, q->first.blocks->items[0], true);
  hd_civl_relation_forget(&r);
  return r.too_large ? NULL : hd_boogie_or(p, &r.paths);
}

/* ---- of the actions of a program ---- */

static relation_code
code_of(const action_copy *a)
{
  return (relation_code){&a->impl->ins, &a->impl->outs, &a->impl->locals, &a->impl->blocks};
}

static relation_code
code_renamed(const renamed *r)
{
  return (relation_code){&r->ins, &r->outs, &r->locals, &r->blocks};
}

static hd_boogie_expr *
or_error(hd_civl *c, const action_copy *a, hd_boogie_expr *e)
{
  if (e)
    return e;
  hd_civl_error(c, a->action->proc->at,
                "the transition relation of %s is too large (it may have %d paths); split the action or write it with "
                "fewer branches",
                a->action->proc->name, RELATION_PATHS);
  return hd_boogie_bool(c->program, false);
}

hd_boogie_expr *
hd_civl_relation_of(hd_civl *c, const action_copy *a, const var_set *frame)
{
  relation_question q = {.first = code_of(a), .frame = &frame->list};
  return or_error(c, a, hd_civl_relation(c->program, &q));
}

hd_boogie_expr *
hd_civl_relation_enabled(hd_civl *c, const action_copy *a, const var_set *frame)
{
  relation_question q = {.first = code_of(a), .frame = &frame->list, .enabled_only = true};
  return or_error(c, a, hd_civl_relation(c->program, &q));
}

/* The parameter of A that was called NAME, in its renamed copy R. */
static hd_boogie_var *
parameter(const action_copy *a, const renamed *r, const char *name)
{
  for (size_t i = 0; i < a->impl->ins.n; i++)
    if (strcmp(a->impl->ins.items[i]->name, name) == 0)
      return r->ins.items[i];
  for (size_t i = 0; i < a->impl->outs.n; i++)
    if (strcmp(a->impl->outs.items[i]->name, name) == 0)
      return r->outs.items[i];
  return NULL;
}

static hd_boogie_expr *
witness_value(hd_civl *c, const witness *w, size_t i, const action_copy *first, const action_copy *second)
{
  hd_boogie_var *v;
  switch (w->kinds[i])
  {
  case WITNESS_FIRST:
    v = parameter(first, &first->first, w->names[i]);
    break;
  case WITNESS_SECOND:
    v = parameter(second, &second->second, w->names[i]);
    break;
  default:
    v = hd_boogie_find_var(c->program, w->names[i]);
  }
  HD_CHECK(v); /* checked with the attribute */
  hd_boogie_expr *e = hd_boogie_use(c->program, v);
  return w->kinds[i] == WITNESS_PRE ? hd_boogie_old(c->program, e) : e;
}

static hd_boogie_expr *
witness_apply(hd_civl *c, const witness *w, const action_copy *first, const action_copy *second)
{
  hd_boogie_exprs args = {0};
  for (size_t i = 0; i < w->function->ins.n; i++)
    HD_BOOGIE_ADD(c->program, args, witness_value(c, w, i, first, second));
  return hd_boogie_apply(c->program, w->function, &args);
}

hd_boogie_expr *
hd_civl_relation_swapped(hd_civl *c, const action_copy *first, const action_copy *second, const var_set *frame)
{
  const hd_boogie_var **guessed = hd_alloc_array(c->witnesses.n + 1, sizeof *guessed);
  hd_boogie_exprs *guesses = hd_alloc_array(c->witnesses.n + 1, sizeof *guesses);
  size_t n = 0;
  for (size_t i = 0; i < c->witnesses.n; i++)
  {
    const witness *w = &c->witnesses.items[i];
    if (w->first != first->action || w->second != second->action || !hd_civl_layers_have(&w->layers, first->layer))
      continue;
    size_t k = 0;
    while (k < n && guessed[k] != w->global)
      k++;
    if (k == n)
    {
      guessed[n] = w->global;
      guesses[n++] = (hd_boogie_exprs){0};
    }
    HD_BOOGIE_ADD(c->program, guesses[k], witness_apply(c, w, first, second));
  }
  relation_question q = {.first = code_renamed(&second->second),
                         .second = code_renamed(&first->first),
                         .frame = &frame->list,
                         .guessed = guessed,
                         .guesses = guesses,
                         .n_guessed = n};
  hd_boogie_expr *e = hd_civl_relation(c->program, &q);
  free(guessed);
  free(guesses);
  return or_error(c, first, e);
}
