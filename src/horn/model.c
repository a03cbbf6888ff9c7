/* model.c: states, steps and sets as text for a solver. */
#include <inttypes.h>
#include <string.h>

#include "horn/model.h"

static void
add_number(hd_string *out, int64_t n)
{
  if (n < 0)
    hd_string_printf(out, " (- %" PRIu64 ")", 0 - (uint64_t) n);
  else
    hd_string_printf(out, " %" PRId64, n);
}

static void
add_name(hd_string *out, const hd_controller *c, size_t d)
{
  if (d < c->nconstants)
    hd_string_printf(out, " const.%s", c->constants[d].name);
  else if (d < hd_control_counter_dimension(c, 0))
    hd_string_printf(out, " var.%s", c->variables[d - c->nconstants].name);
  else if (d < hd_control_rigid_dimension(c, 0))
    hd_string_printf(out, " count.%s", c->states[d - hd_control_counter_dimension(c, 0)].name);
  else
    hd_string_printf(out, " rigid.%s", c->rigid[d - hd_control_rigid_dimension(c, 0)]);
}

void
hd_horn_each_step(const hd_controller *c, void (*visit)(void *context, const hd_horn_step *step), void *context)
{
  for (uint32_t e = 0; e < c->nedges; e++)
  {
    const hd_control_action *a = &c->actions[c->edges[e].action];
    for (size_t i = 0; i < a->ncommands; i++)
      for (size_t k = 0; k < a->commands[i].ncases; k++)
        visit(context, &(hd_horn_step){e, &a->commands[i], &a->commands[i].cases[k]});
    if (!a->blocking)
      visit(context, &(hd_horn_step){e, NULL, NULL});
  }
}

/* ---- terms ---- */

static bool
matters(const hd_horn_model *m, size_t d)
{
  size_t first = hd_control_rigid_dimension(m->c, m->first_rigid);
  return d < hd_control_rigid_dimension(m->c, 0) || (d >= first && d < first + m->nrigid);
}

void
hd_horn_state(hd_string *out, const hd_horn_model *m)
{
  for (size_t d = 0; d < hd_control_dimensions(m->c); d++)
    if (matters(m, d))
      add_name(out, m->c, d);
}

void
hd_horn_binders(hd_string *out, const hd_horn_model *m)
{
  for (size_t d = 0; d < hd_control_dimensions(m->c); d++)
    if (matters(m, d))
    {
      hd_string_add(out, " (");
      add_name(out, m->c, d);
      hd_string_add(out, " Int)");
    }
}

void
hd_horn_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l)
{
  if (l->n == 0)
  {
    add_number(out, l->constant);
    return;
  }
  hd_string_add(out, " (+");
  add_number(out, l->constant);
  for (size_t i = 0; i < l->n; i++)
  {
    hd_string_add(out, " (*");
    add_number(out, l->terms[i].factor);
    add_name(out, c, l->terms[i].dimension);
    hd_string_add(out, ")");
  }
  hd_string_add(out, ")");
}

void
hd_horn_after(hd_string *out, const hd_horn_model *m, const hd_horn_step *step)
{
  const hd_controller *c = m->c;
  const hd_control_edge *e = &c->edges[step->edge];
  size_t counters = hd_control_counter_dimension(c, 0), from = counters + e->from, to = counters + e->to;
  for (size_t d = 0; d < hd_control_dimensions(c); d++)
  {
    if (!matters(m, d))
      continue;
    if (step->way && d >= c->nconstants && d < counters)
      hd_horn_linear(out, c, &step->way->map[d - c->nconstants]);
    else if ((d == from || d == to) && from != to)
    {
      hd_string_printf(out, " (%s", d == to ? "+" : "-");
      add_name(out, c, d);
      hd_string_add(out, " 1)");
    }
    else
      add_name(out, c, d);
  }
}

/* ---- formulas ---- */

void
hd_horn_set(hd_string *out, const hd_controller *c, const hd_control_set *set)
{
  hd_string_add(out, " (or false");
  for (size_t i = 0; i < set->n; i++)
  {
    hd_string_add(out, " (and true");
    for (size_t k = 0; k < set->conjunctions[i].n; k++)
    {
      const hd_control_atom *atom = &set->conjunctions[i].atoms[k];
      hd_string_printf(out, " (%s", atom->relation == HD_CONTROL_ZERO ? "=" : ">=");
      hd_horn_linear(out, c, &atom->linear);
      hd_string_add(out, " 0)");
    }
    hd_string_add(out, ")");
  }
  hd_string_add(out, ")");
}

static void
add_bound(hd_string *out, const hd_controller *c, size_t d, const char *relation, int64_t bound)
{
  hd_string_printf(out, " (%s", relation);
  add_name(out, c, d);
  add_number(out, bound);
  hd_string_add(out, ")");
}

void
hd_horn_guard(hd_string *out, const hd_horn_model *m, const hd_horn_step *step)
{
  const hd_control_edge *e = &m->c->edges[step->edge];
  hd_string_add(out, " (and");
  add_bound(out, m->c, hd_control_counter_dimension(m->c, e->from), ">=", 1);
  if (step->command)
  {
    hd_horn_set(out, m->c, &step->command->first);
    hd_horn_set(out, m->c, &step->way->when);
  }
  else
    hd_horn_set(out, m->c, &m->c->actions[e->action].none);
  hd_string_add(out, ")");
}

static void
add_constants(hd_string *out, const hd_horn_model *m)
{
  const hd_controller *c = m->c;
  hd_horn_set(out, c, &c->assumption);
  for (size_t i = 0; i < m->nbindings; i++)
    for (size_t k = 0; k < c->nconstants; k++)
      if (strcmp(c->constants[k].name, m->bindings[i].name) == 0)
        add_bound(out, c, k, "=", m->bindings[i].value);
  if (m->ninstances == 0)
    return;
  hd_string_add(out, " (or");
  for (size_t i = 0; i < m->ninstances; i++)
  {
    hd_string_add(out, " (and true");
    for (size_t k = 0; k < c->nconstants; k++)
      add_bound(out, c, k, "=", m->instances[i][k]);
    hd_string_add(out, ")");
  }
  hd_string_add(out, ")");
}

void
hd_horn_domain(hd_string *out, const hd_horn_model *m)
{
  const hd_controller *c = m->c;
  hd_string_add(out, " (and");
  add_constants(out, m);
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    if (v->type == HD_CONTROL_INT)
      continue;
    add_bound(out, c, hd_control_variable_dimension(c, i), ">=", 0);
    add_bound(out, c, hd_control_variable_dimension(c, i),
              "<=", v->type == HD_CONTROL_BOOL ? 1 : (int64_t) v->nvalues - 1);
  }
  hd_string threads = {0};
  hd_string_add(&threads, " (+ 0");
  for (size_t i = 0; i < c->nstates; i++)
  {
    add_bound(out, c, hd_control_counter_dimension(c, i), ">=", 0);
    add_name(&threads, c, hd_control_counter_dimension(c, i));
  }
  hd_string_add(&threads, ")");
  hd_string_printf(out, " (>=%s %" PRIu64 ")", threads.text, m->least_threads);
  if (m->most_threads != UINT64_MAX)
    hd_string_printf(out, " (<=%s %" PRIu64 ")", threads.text, m->most_threads);
  hd_string_free(&threads);
  hd_string_add(out, ")");
}

void
hd_horn_start(hd_string *out, const hd_horn_model *m)
{
  const hd_controller *c = m->c;
  hd_string_add(out, " (and");
  hd_horn_domain(out, m);
  for (size_t i = 0; i < c->nvariables; i++)
  {
    hd_string_add(out, " (=");
    add_name(out, c, hd_control_variable_dimension(c, i));
    hd_horn_linear(out, c, &c->variables[i].start);
    hd_string_add(out, ")");
  }
  for (size_t i = 1; i < c->nstates; i++)
    add_bound(out, c, hd_control_counter_dimension(c, i), "=", 0);
  hd_string_add(out, ")");
}

void
hd_horn_equal(hd_string *out, const hd_horn_model *m)
{
  hd_string_add(out, " (and true");
  for (size_t i = 0; i < m->nequalities; i++)
  {
    hd_string_add(out, " (=");
    hd_horn_linear(out, m->c, &m->equalities[i]);
    hd_string_add(out, " 0)");
  }
  hd_string_add(out, ")");
}

void
hd_horn_deadlock(hd_string *out, const hd_horn_model *m)
{
  const hd_controller *c = m->c;
  hd_string someone = {0};
  hd_string_add(out, " (and");
  for (size_t p = 0; p < c->nstates; p++)
  {
    bool leaves = false;
    hd_string waits = {0};
    for (size_t e = 0; e < c->nedges; e++)
    {
      const hd_control_action *a = &c->actions[c->edges[e].action];
      if (c->edges[e].from != p)
        continue;
      leaves = true;
      if (a->blocking)
        hd_horn_set(&waits, c, &a->none);
      else
        hd_string_add(&waits, " false");
    }
    if (leaves)
    {
      size_t counter = hd_control_counter_dimension(c, p);
      hd_string_add(out, " (or");
      add_bound(out, c, counter, "=", 0);
      hd_string_printf(out, " (and%s))", waits.text);
      add_bound(&someone, c, counter, ">=", 1);
    }
    hd_string_free(&waits);
  }
  hd_string_printf(out, " (or false%s))", someone.length ? someone.text : "");
  hd_string_free(&someone);
}
