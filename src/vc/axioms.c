/* axioms.c: adds the axioms that a condition may need: those that mention a function or constant that occurs, and so on
 * from what these mention. Leaving an axiom out can make a proof fail and never makes one succeed; prove.c asks again
 * with all of them before it believes a failure. */
#include "vc/internal.h"

static const frame no_variables;

static void
add_axiom(condition *c, uint32_t number, uint8_t *added)
{
  const hd_boogie_axiom *a = c->program->axioms[number].axiom;
  if (added[number])
    return;
  added[number] = 1;
  hd_vc_assert(c, hd_vc_term(c, &no_variables, a->expr));
}

/* Constants that are unique differ from the others of their type. */
static void
add_distinct(condition *c)
{
  const hd_boogie_program *p = c->program->program;
  const hd_smt_term **list = hd_vc_alloc(c, (p->decls.n + 1) * sizeof *list);
  uint8_t *done = hd_vc_alloc(c, p->decls.n);
  for (size_t i = 0; i < p->decls.n; i++)
  {
    size_t n = 0;
    const hd_smt_sort *sort = NULL;
    if (p->decls.items[i].kind != HD_BOOGIE_DECL_VAR || !p->decls.items[i].var->unique || done[i])
      continue;
    for (size_t j = i; j < p->decls.n; j++)
    {
      const hd_boogie_decl *d = &p->decls.items[j];
      if (d->kind != HD_BOOGIE_DECL_VAR || !d->var->unique || done[j] || !c->constants[d->var->id])
        continue;
      const hd_smt_term *t = c->constants[d->var->id];
      if (sort && t->sort != sort)
        continue;
      sort = t->sort;
      done[j] = 1;
      list[n++] = t;
    }
    if (n > 1)
      hd_vc_assert(c, hd_smt_make(c->u, HD_SMT_DISTINCT, n, list));
  }
}

/* Everything that constrains unique constants at all: with all axioms, all of them occur. */
static void
use_everything(condition *c, uint8_t *added)
{
  const hd_boogie_program *p = c->program->program;
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_VAR && p->decls.items[i].var->unique)
      hd_vc_constant(c, p->decls.items[i].var);
  for (uint32_t i = 0; i < c->program->naxioms; i++)
    add_axiom(c, i, added);
}

void
hd_vc_axioms(condition *c)
{
  const hd_vc_program *p = c->program;
  uint8_t *added = hd_vc_alloc(c, p->naxioms);
  for (uint32_t i = 0; i < p->naxioms; i++)
    if (!p->axioms[i].nfunctions && !p->axioms[i].nconstants)
      add_axiom(c, i, added);
  if (c->all_axioms)
    use_everything(c, added);
  uint8_t *ordered = hd_vc_alloc(c, p->program->decls.n);
  c->left_out = 0;
  do
    while (c->nnew_functions || c->nnew_constants)
    {
      const users *u = c->nnew_functions ? &p->of_function[c->new_functions[--c->nnew_functions]]
                                         : &p->of_constant[c->new_constants[--c->nnew_constants]];
      for (size_t i = 0; i < u->n; i++)
        add_axiom(c, u->axioms[i], added);
    }
  while (hd_vc_order_axioms(c, ordered, &c->left_out));
  add_distinct(c);
  for (size_t i = 0; i < p->naxioms; i++)
    c->left_out += !added[i];
}
