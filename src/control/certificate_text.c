/* certificate_text.c: writes certificates as text (the form is described in docs/controllers.md). */
#include <inttypes.h>

#include "control/certificate.h"

uint64_t
hd_certificate_digest(const hd_controller *c)
{
  hd_string dump = {0};
  if (c->digest)
    return c->digest;
  hd_control_dump(&dump, c);
  uint64_t digest = hd_hash_bytes(dump.text, dump.length);
  hd_string_free(&dump);
  return digest;
}

static void
write_dimension(hd_string *out, const hd_controller *c, size_t d)
{
  if (d < c->nconstants)
    hd_string_add(out, c->constants[d].name);
  else if (d < hd_control_counter_dimension(c, 0))
    hd_string_add(out, c->variables[d - c->nconstants].name);
  else if (d < hd_control_rigid_dimension(c, 0))
    hd_string_printf(out, "count(%s)", c->states[d - hd_control_counter_dimension(c, 0)].name);
  else
    hd_string_add(out, c->rigid[d - hd_control_rigid_dimension(c, 0)]);
}

/* The terms, times SIGN: "nR - 2*count(reading)". */
static void
write_terms(hd_string *out, const hd_controller *c, const hd_control_linear *l, int sign)
{
  for (size_t i = 0; i < l->n; i++)
  {
    int64_t factor = sign * l->terms[i].factor;
    if (factor < 0)
      hd_string_add(out, i ? " - " : "-");
    else
      hd_string_add(out, i ? " + " : "");
    if (factor != 1 && factor != -1)
      hd_string_printf(out, "%" PRId64 "*", factor < 0 ? -factor : factor);
    write_dimension(out, c, l->terms[i].dimension);
  }
  if (l->n == 0)
    hd_string_add(out, "0");
}

void
hd_certificate_write_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l)
{
  if (l->n == 0)
    hd_string_printf(out, "%" PRId64, l->constant);
  else
  {
    write_terms(out, c, l, 1);
    if (l->constant)
      hd_string_printf(out, " %c %" PRId64, l->constant < 0 ? '-' : '+', l->constant < 0 ? -l->constant : l->constant);
  }
}

/* The variable of which the atom says that it has one of its values that are no numbers; NULL: it says another thing.
 */
static const hd_control_variable *
names_value(const hd_controller *c, const hd_control_atom *atom)
{
  const hd_control_linear *l = &atom->linear;
  if (atom->relation != HD_CONTROL_ZERO || l->n != 1 || l->terms[0].factor != 1 || l->terms[0].dimension < c->nconstants
      || l->terms[0].dimension >= hd_control_counter_dimension(c, 0))
    return NULL;
  const hd_control_variable *v = &c->variables[l->terms[0].dimension - c->nconstants];
  int64_t values = v->type == HD_CONTROL_INT ? 0 : v->type == HD_CONTROL_BOOL ? 2 : (int64_t) v->nvalues;
  return -l->constant >= 0 && -l->constant < values ? v : NULL;
}

static void
write_atom(hd_string *out, const hd_controller *c, const hd_control_atom *atom)
{
  const hd_control_linear *l = &atom->linear;
  bool less = atom->relation == HD_CONTROL_NOT_NEGATIVE && l->n && l->terms[0].factor < 0;
  write_terms(out, c, l, less ? -1 : 1);
  hd_string_add(out, atom->relation == HD_CONTROL_ZERO ? " == " : less ? " <= " : " >= ");
  if (names_value(c, atom))
    hd_control_print_value(out, names_value(c, atom), -l->constant);
  else
    hd_string_printf(out, "%" PRId64, less ? l->constant : -l->constant);
}

static void
write_set(hd_string *out, const hd_controller *c, const hd_control_set *set)
{
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    hd_string_add(out, "  | ");
    for (size_t j = 0; j < k->n; j++)
    {
      hd_string_add(out, j ? " && " : "");
      write_atom(out, c, &k->atoms[j]);
    }
    hd_string_add(out, k->n ? "\n" : "true\n");
  }
}

static void
write_stage(hd_string *out, const hd_controller *c, const hd_control_stage *stage)
{
  hd_string_add(out, "stage\n");
  write_set(out, c, &stage->states);
  for (size_t i = 0; i < stage->nranks; i++)
  {
    hd_string_add(out, "rank ");
    hd_certificate_write_linear(out, c, &stage->ranks[i]);
    hd_string_add(out, "\n");
  }
  if (stage->helpful >= 0)
  {
    const hd_control_edge *e = &c->edges[stage->helpful];
    hd_string_printf(out, "helpful %s %s %s\n", c->states[e->from].name, c->actions[e->action].name,
                     c->states[e->to].name);
  }
}

/* The nodes in the order of their numbers, which is that of the text. */
static void
write_nodes(hd_string *out, const hd_controller *c, const hd_control_formula *f, const hd_control_proof *p)
{
  const hd_control_proof_node *node = &p->nodes[f->number];
  if (node->states.n || node->nstages)
  {
    hd_string_printf(out, "node %u # %s\n", f->number, f->text);
    write_set(out, c, &node->states);
    for (size_t i = 0; i < node->nstages; i++)
      write_stage(out, c, &node->stages[i]);
  }
  if (f->left)
    write_nodes(out, c, f->left, p);
  if (f->right)
    write_nodes(out, c, f->right, p);
}

static void
write_proof(hd_string *out, const hd_controller *c, const hd_control_spec *spec, const hd_control_proof *p)
{
  if (!p)
    return;
  hd_string_printf(out, "\n%s%s\ninvariant\n", spec ? "property " : "deadlock", spec ? spec->name : "");
  write_set(out, c, &p->invariant);
  if (p->excluded.n)
  {
    hd_string_add(out, "without\n");
    write_set(out, c, &p->excluded);
  }
  if (spec)
    write_nodes(out, c, spec->formula, p);
}

void
hd_certificate_write(hd_string *out, const hd_controller *c, const hd_control_certificate *certificate)
{
  hd_string_printf(out, "heddle certificate %d\ncontroller %s\nmodel %016" PRIx64 "\nthreads %" PRIu64 "..",
                   HD_CERTIFICATE_VERSION, c->name, hd_certificate_digest(c), certificate->least_threads);
  if (certificate->most_threads != UINT64_MAX)
    hd_string_printf(out, "%" PRIu64, certificate->most_threads);
  hd_string_add(out, certificate->fair ? "\nfair\n" : "\n");
  for (size_t i = 0; i < certificate->nbindings; i++)
    hd_string_printf(out, "constant %s %" PRId64 "\n", certificate->bindings[i].name, certificate->bindings[i].value);
  for (size_t i = 0; i < c->nspecs; i++)
    write_proof(out, c, &c->specs[i], certificate->proofs[i]);
  write_proof(out, c, NULL, certificate->deadlock);
  hd_string_add(out, "\nend\n");
}
