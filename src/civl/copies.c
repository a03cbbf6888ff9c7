/* copies.c: hd_civl_make_copies: for each layer at which a procedure disappears, the copies of all procedures that are
 * there. */
#include "civl/copies.h"

/* A copy without the checks of a layered program: what is left is for the solver. */
static void
copies_of_layer(hd_civl *c, int32_t layer, table *dummies)
{
  hd_boogie_program *p = c->program;
  layer_copies l = {.c = c, .layer = layer, .dummies = dummies};
  for (size_t i = 0; i < c->yieldings.n; i++)
    if (c->yieldings.items[i]->layer >= layer)
      hd_civl_proc_at(&l, c->yieldings.items[i]->proc);
  for (size_t i = 0; i < c->yielding_impls.n; i++)
  {
    const yielding_impl *from = &c->yielding_impls.items[i];
    if (from->yielding->layer >= layer)
      HD_BOOGIE_ADD(p, l.impls, (copied_impl){from, hd_civl_impl_at(&l, from)});
  }
  for (size_t i = 0; i < c->yieldings.n; i++)
    if (c->yieldings.items[i]->layer >= layer)
      hd_boogie_declare_proc(p, hd_civl_proc_at(&l, c->yieldings.items[i]->proc));
  hd_civl_interfere_layer(&l);
  for (size_t i = 0; i < l.impls.n; i++)
  {
    const copied_impl *copy = &l.impls.items[i];
    const yielding *y = copy->from->yielding;
    if (!is_mover_at(y, layer))
      hd_civl_instrument(&l, copy);
    hd_civl_add_task(
        c, (hd_civl_task){.impl = copy->impl,
                          .check = HD_CIVL_SEQUENTIAL,
                          .layered = true,
                          .layer = layer,
                          .subject = y->proc->name,
                          .refines = y->kind == YIELDING_ACTION && y->layer == layer ? y->refined->proc->name : NULL,
                          .at = y->proc->at,
                          .unit = copy->impl->name});
  }
  hd_civl_interfere_finish(&l);
  for (size_t i = 0; i < l.joined.n; i++)
    hd_boogie_declare_proc(p, l.joined.items[i].proc);
}

void
hd_civl_make_copies(hd_civl *c)
{
  table dummies = {0};
  for (size_t i = 0; i < c->refinement_layers.n; i++)
    copies_of_layer(c, c->refinement_layers.items[i], &dummies);
}
