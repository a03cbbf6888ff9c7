/* dump.c: the model as text, without places: what two controllers that mean the same have in common. */
#include <inttypes.h>

#include "control/control.h"

static const char *
dimension_name(const hd_controller *c, size_t d)
{
  if (d < c->nconstants)
    return c->constants[d].name;
  d -= c->nconstants;
  if (d < c->nvariables)
    return c->variables[d].name;
  d -= c->nvariables;
  return d < c->nstates ? c->states[d].name : c->rigid[d - c->nstates];
}

static void
dump_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l)
{
  size_t counters = c->nconstants + c->nvariables;
  for (size_t i = 0; i < l->n; i++)
  {
    size_t d = l->terms[i].dimension;
    bool counter = d >= counters && d < counters + c->nstates;
    hd_string_printf(out, "%+" PRId64 "*%s%s%s ", l->terms[i].factor, counter ? "count(" : "", dimension_name(c, d),
                     counter ? ")" : "");
  }
  hd_string_printf(out, "%+" PRId64, l->constant);
}

static void
dump_set(hd_string *out, const hd_controller *c, const hd_control_set *s)
{
  hd_string_add(out, "{");
  for (size_t i = 0; i < s->n; i++)
  {
    const hd_control_conjunction *k = &s->conjunctions[i];
    hd_string_add(out, i ? " or " : " ");
    for (size_t j = 0; j < k->n; j++)
    {
      hd_string_add(out, j ? " and " : "");
      dump_linear(out, c, &k->atoms[j].linear);
      hd_string_add(out, k->atoms[j].relation == HD_CONTROL_ZERO ? " == 0" : " >= 0");
    }
    if (k->n == 0)
      hd_string_add(out, "true");
  }
  hd_string_add(out, " }");
}

static void
dump_command(hd_string *out, const hd_controller *c, const hd_control_command *command)
{
  hd_string_add(out, "  guard ");
  dump_set(out, c, &command->guard);
  hd_string_add(out, "\n  not   ");
  dump_set(out, c, &command->not_guard);
  hd_string_add(out, "\n  first ");
  dump_set(out, c, &command->first);
  for (size_t i = 0; i < command->ncases; i++)
  {
    const hd_control_case *one = &command->cases[i];
    hd_string_add(out, "\n    ");
    dump_set(out, c, &one->when);
    for (size_t v = 0; v < c->nvariables; v++)
    {
      hd_string_printf(out, " %s' = ", c->variables[v].name);
      dump_linear(out, c, &one->map[v]);
      hd_string_add(out, ";");
    }
  }
  hd_string_add(out, "\n");
}

static void
dump_formula(hd_string *out, const hd_controller *c, const hd_control_formula *f)
{
  static const char *const words[] = {"", "and", "or", "implies", "AX", "AF", "AG", "AU"};
  if (f->kind == HD_CONTROL_PREDICATE)
  {
    dump_set(out, c, &f->holds);
    hd_string_add(out, "/");
    dump_set(out, c, &f->fails);
    return;
  }
  hd_string_printf(out, "%s(", words[f->kind]);
  dump_formula(out, c, f->left);
  if (f->right)
  {
    hd_string_add(out, ", ");
    dump_formula(out, c, f->right);
  }
  hd_string_add(out, ")");
}

void
hd_control_dump(hd_string *out, const hd_controller *c)
{
  hd_string_printf(out, "controller %s\nthreads %" PRIu64 " to %" PRIu64 "\nassumption ", c->name, c->least_threads,
                   c->most_threads);
  dump_set(out, c, &c->assumption);
  hd_string_add(out, "\n");
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(out, "constant %s\n", c->constants[i].name);
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    hd_string_printf(out, "variable %s type %d start ", v->name, v->type);
    dump_linear(out, c, &v->start);
    for (size_t k = 0; k < v->nvalues; k++)
      hd_string_printf(out, " %s", v->values[k]);
    hd_string_add(out, "\n");
  }
  for (size_t i = 0; i < c->nstates; i++)
    hd_string_printf(out, "state %s\n", c->states[i].name);
  for (size_t i = 0; i < c->nactions; i++)
  {
    const hd_control_action *a = &c->actions[i];
    hd_string_printf(out, "action %s%s none ", a->name, a->blocking ? " blocking" : "");
    dump_set(out, c, &a->none);
    hd_string_add(out, "\n");
    for (size_t k = 0; k < a->ncommands; k++)
      dump_command(out, c, &a->commands[k]);
  }
  for (size_t i = 0; i < c->nedges; i++)
    hd_string_printf(out, "edge %u %u %u\n", c->edges[i].from, c->edges[i].action, c->edges[i].to);
  for (size_t i = 0; i < c->nspecs; i++)
  {
    hd_string_printf(out, "spec %s%s rigid %u+%u ", c->specs[i].name, c->specs[i].fair ? " fair" : "",
                     c->specs[i].first_rigid, c->specs[i].nrigid);
    dump_formula(out, c, c->specs[i].formula);
    hd_string_add(out, "\n");
  }
}
