/* condition.c: linear sets and terms as C, in the names of the controller. */
#include <inttypes.h>
#include <string.h>

#include "generate/plan.h"

enum
{
  MOST_CONJUNCTIONS = 3,
  MOST_ATOMS = 4 /* of a conjunction */
};

static const char *
name_of(const hd_controller *c, size_t dimension)
{
  return dimension < c->nconstants ? c->constants[dimension].name : c->variables[dimension - c->nconstants].name;
}

/* The variable at DIMENSION if it is a boolean or an enumeration, else NULL. */
static const hd_control_variable *
word_at(const hd_controller *c, size_t dimension)
{
  if (dimension < c->nconstants || dimension >= c->nconstants + c->nvariables)
    return NULL;
  const hd_control_variable *v = &c->variables[dimension - c->nconstants];
  return v->type == HD_CONTROL_INT ? NULL : v;
}

/* The terms with the sign of SIGN, and the constant if it has it; "0" if there are none. */
static void
print_side(hd_string *out, const hd_controller *c, const hd_control_linear *l, int sign, int64_t constant)
{
  bool some = false;
  for (size_t i = 0; i < l->n; i++)
  {
    int64_t factor = sign * l->terms[i].factor;
    if (factor <= 0)
      continue;
    hd_string_add(out, some ? " + " : "");
    if (factor != 1)
      hd_string_printf(out, "%" PRId64 " * ", factor);
    hd_string_add(out, name_of(c, l->terms[i].dimension));
    some = true;
  }
  if (constant > 0 || !some)
    hd_string_printf(out, "%s%" PRId64, some ? " + " : "", constant > 0 ? constant : 0);
}

/* FACTOR * V + CONSTANT is 0, or not negative, for a boolean or an enumeration V: the values that V may have. */
static void
print_values(hd_string *out, const hd_control_variable *v, int64_t factor, int64_t constant, bool zero)
{
  int64_t n = v->type == HD_CONTROL_BOOL ? 2 : (int64_t) v->nvalues, values = 0;
  for (int64_t i = 0; i < n; i++)
    values += zero ? factor * i + constant == 0 : factor * i + constant >= 0;
  if (values != 1)
    hd_string_add(out, values ? "(" : "false");
  const char *between = "";
  for (int64_t i = 0; i < n; i++)
  {
    if (zero ? factor * i + constant != 0 : factor * i + constant < 0)
      continue;
    if (v->type == HD_CONTROL_BOOL)
      hd_string_printf(out, "%s%s%s", between, i ? "" : "!", v->name);
    else
      hd_string_printf(out, "%s%s == %s", between, v->name, v->values[i]);
    between = " || ";
  }
  hd_string_add(out, values > 1 ? ")" : "");
}

static bool
print_atom(hd_string *out, const hd_controller *c, const hd_control_atom *a)
{
  const hd_control_linear *l = &a->linear;
  bool zero = a->relation == HD_CONTROL_ZERO;
  size_t positive = 0, negative = 0;
  for (size_t i = 0; i < l->n; i++)
  {
    const hd_control_variable *word = word_at(c, l->terms[i].dimension);
    if (l->terms[i].dimension >= c->nconstants + c->nvariables || (word && l->n > 1))
      return false;
    size_t weight = l->terms[i].dimension >= c->nconstants ? l->n : 1; /* count < size, not size > count */
    positive += l->terms[i].factor > 0 ? weight : 0;
    negative += l->terms[i].factor < 0 ? weight : 0;
    if (word)
    {
      print_values(out, word, l->terms[i].factor, l->constant, zero);
      return true;
    }
  }
  /* The side with more variables is the left one; x > 0 for x - 1 >= 0. */
  int left = positive >= negative ? 1 : -1;
  int64_t constant = left * l->constant; /* on the left */
  const char *relation = zero ? " == " : left > 0 ? " >= " : " <= ";
  if (!zero && constant == -left)
  {
    relation = left > 0 ? " > " : " < ";
    constant = 0;
  }
  print_side(out, c, l, left, constant);
  hd_string_add(out, relation);
  print_side(out, c, l, -left, -constant);
  return true;
}

bool
hd_generate_print_set(hd_string *out, const hd_controller *c, const hd_control_set *set)
{
  if (set->n > MOST_CONJUNCTIONS)
    return false;
  if (set->n == 0)
    hd_string_add(out, "false");
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    bool brackets = set->n > 1 && k->n > 1;
    if (k->n > MOST_ATOMS)
      return false;
    hd_string_printf(out, "%s%s", i ? " || " : "", brackets ? "(" : k->n ? "" : "true");
    for (size_t j = 0; j < k->n; j++)
    {
      hd_string_add(out, j ? " && " : "");
      if (!print_atom(out, c, &k->atoms[j]))
        return false;
    }
    hd_string_add(out, brackets ? ")" : "");
  }
  return true;
}

void
hd_generate_print_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l)
{
  for (size_t i = 0; i < l->n; i++)
  {
    hd_string_add(out, i ? " + " : "");
    if (l->terms[i].factor != 1)
      hd_string_printf(out, "%" PRId64 " * ", l->terms[i].factor);
    hd_string_add(out, name_of(c, l->terms[i].dimension));
  }
  if (l->n == 0 || l->constant != 0)
    hd_string_printf(out, "%s%" PRId64, l->n ? " + " : "", l->constant);
}

void
hd_generate_print_guards(hd_string *out, const hd_generate_plan *p, size_t action)
{
  const hd_control_action *a = &p->c->actions[action];
  for (size_t i = 0; i < a->ncommands; i++)
  {
    hd_string_add(out, i ? " || " : "");
    hd_string_printf(out, a->ncommands > 1 ? "(%s)" : "%s", a->commands[i].guard_text);
  }
}
