/* live.c: which instances matter where: those that a command further on may read before they are assigned. Only these
 * are kept apart where paths meet. */
#include <string.h>

#include "vc/internal.h"

typedef struct reader
{
  const frame *frame;
  uint64_t *set;
  size_t nglobals; /* they are the first instances */
} reader;

static bool
read_variable(void *context, hd_boogie_expr *e, bool in_old)
{
  const reader *r = context;
  bool initial;
  /* Code may call what reads any global variable. */
  if (e->kind == HD_BOOGIE_CODE)
    for (uint32_t i = 0; i < r->nglobals; i++)
      r->set[i / 64] |= 1ull << (i % 64);
  if (e->kind != HD_BOOGIE_VAR)
    return true;
  uint32_t i = hd_vc_lookup(r->frame, e->u.id.var, in_old, &initial);
  if (i != NOT_AN_INSTANCE && !initial)
    r->set[i / 64] |= 1ull << (i % 64);
  return true;
}

static void
reads(const condition *c, const frame *f, const hd_boogie_expr *e, uint64_t *set)
{
  reader r = {.frame = f, .set = set, .nglobals = c->program->nglobals};
  if (e)
    hd_boogie_walk_expr((hd_boogie_expr *) (uintptr_t) e, read_variable, &r);
}

static void
step_back(const condition *c, const command *x, uint64_t *set)
{
  for (size_t i = 0; (x->kind == ASSIGN || x->kind == HAVOC) && i < x->n; i++)
    set[x->targets[i] / 64] &= ~(1ull << (x->targets[i] % 64));
  if (x->kind == ASSERT || x->kind == ASSUME)
    reads(c, x->frame, x->expr, set);
  else if (x->kind == ASSIGN)
    for (size_t i = 0; i < x->n; i++)
    {
      reads(c, x->frame, x->places[i], set);
      if (x->values[i])
        reads(c, x->frame, x->values[i], set);
      else
        set[x->sources[i] / 64] |= 1ull << (x->sources[i] % 64);
    }
}

void
hd_vc_live(condition *c)
{
  size_t words = c->ninstances / 64 + 1;
  for (size_t i = c->norder; i-- > 0;)
  {
    node *v = &c->nodes[c->order[i]];
    v->live = hd_vc_alloc(c, words * sizeof *v->live);
    v->live_before = hd_vc_alloc(c, words * sizeof *v->live);
    for (size_t j = 0; j < v->nto; j++)
      for (size_t k = 0; k < words; k++)
        v->live[k] |= c->nodes[v->to[j]].live_before[k];
    if (v->returned)
      reads(c, v->returned_frame, v->returned, v->live);
    memcpy(v->live_before, v->live, words * sizeof *v->live);
    for (size_t j = v->n; j-- > 0;)
      step_back(c, &v->commands[j], v->live_before);
  }
}
