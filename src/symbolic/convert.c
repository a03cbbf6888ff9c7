/* convert.c: from isl's sets to the lists of conjunctions of control.h, and to single points. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/system.h"

#include <isl/constraint.h>
#include <isl/point.h>

enum
{
  MOST_CONJUNCTIONS = 20000
};

typedef struct conversion
{
  const hd_symbolic_system *s;
  hd_arena *arena;
  hd_control_conjunction *conjunctions;
  size_t n, cap;
  hd_control_atom *atoms; /* of the conjunction at hand */
  size_t natoms, atoms_cap;
  bool fits;
} conversion;

static bool
number(__isl_take isl_val *v, int64_t *out)
{
  bool fits = v && isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, 4) <= 1;
  *out = fits ? (int64_t) isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return fits;
}

static isl_stat
add_constraint(__isl_take isl_constraint *k, void *context)
{
  conversion *x = context;
  const hd_controller *c = x->s->c;
  size_t own = c->nvariables + c->nstates, all = hd_control_dimensions(c);
  hd_control_term *terms = hd_arena_alloc(x->arena, (all + 1) * sizeof *terms);
  hd_control_atom atom
      = {isl_constraint_is_equality(k) == isl_bool_true ? HD_CONTROL_ZERO : HD_CONTROL_NOT_NEGATIVE, {0, 0, terms}};
  if (isl_constraint_dim(k, isl_dim_div) != 0)
    x->fits = false;
  if (!number(isl_constraint_get_constant_val(k), &atom.linear.constant))
    x->fits = false;
  for (size_t d = 0; d < all; d++)
  {
    bool is_own = d >= c->nconstants && d < c->nconstants + own;
    int at = (int) (is_own ? d - c->nconstants : d < c->nconstants ? d : d - own);
    int64_t factor;
    if (!number(isl_constraint_get_coefficient_val(k, is_own ? isl_dim_set : isl_dim_param, at), &factor))
      x->fits = false;
    if (factor)
      terms[atom.linear.n++] = (hd_control_term){(uint32_t) d, factor};
  }
  isl_constraint_free(k);
  HD_PUSH(x->atoms, x->natoms, x->atoms_cap, atom);
  return x->fits ? isl_stat_ok : isl_stat_error;
}

static isl_stat
add_conjunction(__isl_take isl_basic_set *b, void *context)
{
  conversion *x = context;
  x->natoms = 0;
  if (isl_basic_set_foreach_constraint(b, add_constraint, x) != isl_stat_ok || x->n == MOST_CONJUNCTIONS)
    x->fits = false;
  isl_basic_set_free(b);
  size_t bytes = x->natoms * sizeof *x->atoms;
  hd_control_atom *atoms = hd_arena_alloc(x->arena, bytes + 1);
  if (bytes)
    memcpy(atoms, x->atoms, bytes);
  hd_control_conjunction conjunction = {x->natoms, atoms};
  HD_PUSH(x->conjunctions, x->n, x->cap, conjunction);
  return x->fits ? isl_stat_ok : isl_stat_error;
}

bool
hd_symbolic_to_set(const hd_symbolic_system *s, __isl_keep isl_set *set, hd_arena *arena, hd_control_set *out)
{
  conversion x = {.s = s, .arena = arena, .fits = set != NULL};
  isl_set *plain = isl_set_remove_redundancies(isl_set_copy(set));
  if (!plain || isl_set_foreach_basic_set(plain, add_conjunction, &x) != isl_stat_ok)
    x.fits = false;
  isl_set_free(plain);
  hd_control_conjunction *copy = hd_arena_alloc(arena, x.n * sizeof *copy + 1);
  if (x.n)
    memcpy(copy, x.conjunctions, x.n * sizeof *copy);
  *out = (hd_control_set){x.n, copy};
  free(x.conjunctions);
  free(x.atoms);
  return x.fits;
}

int
hd_symbolic_sample(hd_symbolic_system *s, __isl_take isl_set *set, int64_t *point)
{
  const hd_controller *c = s->c;
  size_t own = c->nvariables + c->nstates, all = hd_control_dimensions(c);
  isl_point *p = isl_set_sample_point(set);
  isl_bool none = p ? isl_point_is_void(p) : isl_bool_error;
  int found = none == isl_bool_error ? -1 : none == isl_bool_true ? 0 : 1;
  for (size_t d = 0; d < all && found == 1; d++)
  {
    bool is_own = d >= c->nconstants && d < c->nconstants + own;
    int at = (int) (is_own ? d - c->nconstants : d < c->nconstants ? d : d - own);
    if (!number(isl_point_get_coordinate_val(p, is_own ? isl_dim_set : isl_dim_param, at), &point[d]))
      found = -1;
  }
  isl_point_free(p);
  if (found < 0 && !hd_symbolic_over(s))
    s->failed = "a number became too large";
  return found;
}
