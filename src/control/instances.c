/* instances.c: which values the constants of a controller take when it is judged explicitly. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

typedef struct enumeration
{
  const hd_controller *c;
  hd_arena *arena;
  int64_t *values;
  const bool *bound;
  const int64_t **found;
  size_t n, cap;
} enumeration;

static void
enumerate(enumeration *x, size_t constant)
{
  if (x->n > HD_CONTROL_INSTANCES)
    return;
  if (constant == x->c->nconstants)
  {
    if (!hd_control_contains(&x->c->assumption, x->values))
      return;
    size_t bytes = (x->c->nconstants + 1) * sizeof *x->values;
    HD_PUSH(x->found, x->n, x->cap, memcpy(hd_arena_alloc(x->arena, bytes), x->values, bytes));
    return;
  }
  if (x->bound[constant])
  {
    enumerate(x, constant + 1);
    return;
  }
  for (x->values[constant] = 0; x->values[constant] <= HD_CONTROL_LARGEST_CONSTANT; x->values[constant]++)
    enumerate(x, constant + 1);
}

static bool
bind(const hd_controller *c, const hd_control_binding *binding, int64_t *values, bool *bound, hd_string *error)
{
  for (size_t i = 0; i < c->nconstants; i++)
    if (strcmp(c->constants[i].name, binding->name) == 0)
    {
      if (bound[i])
        hd_string_printf(error, "the constant '%s' is given twice", binding->name);
      else if (binding->value < INT32_MIN || binding->value > INT32_MAX)
        hd_string_printf(error, "%s = %" PRId64 " does not fit an int", binding->name, binding->value);
      values[i] = binding->value;
      bound[i] = true;
      return error->length == 0;
    }
  hd_string_printf(error, "%s has no constant '%s'", c->path, binding->name);
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(error, "%s%s", i ? ", " : "; it has ", c->constants[i].name);
  return false;
}

typedef struct weighed
{
  const int64_t *values;
  int64_t sum;
  size_t order;
} weighed;

static int
by_sum(const void *x, const void *y)
{
  const weighed *a = x, *b = y;
  if (a->sum != b->sum)
    return a->sum < b->sum ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

/* Small sums first: they make the smaller examples. */
static const int64_t *const *
sorted(enumeration *x)
{
  weighed *all = hd_alloc_array(x->n, sizeof *all);
  for (size_t i = 0; i < x->n; i++)
  {
    all[i] = (weighed){x->found[i], 0, i};
    for (size_t k = 0; k < x->c->nconstants; k++)
      all[i].sum += x->found[i][k];
  }
  qsort(all, x->n, sizeof *all, by_sum);
  const int64_t **out = hd_arena_alloc(x->arena, x->n * sizeof *out);
  for (size_t i = 0; i < x->n; i++)
    out[i] = all[i].values;
  free(all);
  return out;
}

bool
hd_control_instances(const hd_controller *c, const hd_control_binding *bindings, size_t nbindings, hd_arena *arena,
                     const int64_t *const **instances, size_t *n, hd_string *error)
{
  bool *bound = hd_alloc_zero(c->nconstants + 1);
  int64_t *values = hd_alloc_zero((c->nconstants + 1) * sizeof *values);
  enumeration x = {.c = c, .arena = arena, .values = values, .bound = bound};
  bool good = true;
  for (size_t i = 0; good && i < nbindings; i++)
    good = bind(c, &bindings[i], values, bound, error);
  size_t free_constants = 0;
  for (size_t i = 0; i < c->nconstants; i++)
    free_constants += !bound[i];
  if (good)
    enumerate(&x, 0);
  if (good && x.n == 0)
  {
    good = false;
    if (free_constants)
      hd_string_printf(error,
                       "no values from 0 to %d for the constants satisfy what the file assumes; give them with "
                       "--const NAME=VALUE",
                       HD_CONTROL_LARGEST_CONSTANT);
    else
      hd_string_add(error, c->nconstants ? "these constants break an assumption of the file"
                                         : "the file assumes something that is never true");
  }
  if (good && x.n > HD_CONTROL_INSTANCES)
  {
    good = false;
    hd_string_printf(error,
                     "the constants have more than %d combinations of values from 0 to %d; give some of them with "
                     "--const NAME=VALUE",
                     HD_CONTROL_INSTANCES, HD_CONTROL_LARGEST_CONSTANT);
  }
  if (good)
  {
    *instances = sorted(&x);
    *n = x.n;
  }
  free(x.found);
  free(values);
  free(bound);
  return good;
}

void
hd_control_print_constants(hd_string *out, const hd_controller *c, const int64_t *values)
{
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(out, "%s%s = %" PRId64, i ? ", " : "", c->constants[i].name, values[i]);
}
