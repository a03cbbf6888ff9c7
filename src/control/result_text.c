/* result_text.c: what was found, for people: one line for each property, tables of steps, notes, and for which threads
 * and constants all this is true. */
#include <inttypes.h>
#include <string.h>

#include "control/certificate.h"
#include "control/explore.h"

static const char *
plural(uint64_t n)
{
  return n == 1 ? "" : "s";
}

/* An empty line, unless there is one. */
static void
add_blank(hd_string *out)
{
  if (out->length && !(out->length > 1 && strcmp(out->text + out->length - 2, "\n\n") == 0))
    hd_string_add(out, "\n");
}

/* ---- traces ---- */

/* Values that differ from BEFORE, or all of them if it is NULL. */
static void
print_variables(hd_string *out, const hd_controller *c, const int32_t *values, const int32_t *before)
{
  bool some = false;
  for (size_t v = 0; v < c->nvariables; v++)
  {
    if (before && before[v] == values[v])
      continue;
    hd_string_printf(out, "%s%s = ", some ? ", " : "", c->variables[v].name);
    hd_control_print_value(out, &c->variables[v], values[v]);
    some = true;
  }
  if (!some)
    hd_string_add(out, "-");
}

static void
print_counters(hd_string *out, const hd_controller *c, const int32_t *values)
{
  bool some = false;
  for (size_t i = 0; i < c->nstates; i++)
    if (values[c->nvariables + i] > 0)
    {
      hd_string_printf(out, "%s%" PRId32 " in %s", some ? ", " : "", values[c->nvariables + i], c->states[i].name);
      some = true;
    }
  if (!some)
    hd_string_add(out, "no threads");
}

enum
{
  COLUMNS = 6
};

typedef struct row
{
  hd_string cells[COLUMNS];
} row;

static void
fill_row(row *r, const hd_controller *c, const hd_control_trace *t, size_t i)
{
  const hd_control_step *s = &t->steps[i];
  hd_string_printf(&r->cells[0], "%zu", i);
  if (i == 0)
  {
    hd_string_add(&r->cells[2], "start");
    print_counters(&r->cells[3], c, s->values);
    print_variables(&r->cells[5], c, s->values, NULL);
    return;
  }
  const hd_control_edge *e = &c->edges[s->edge];
  const hd_control_action *a = &c->actions[e->action];
  hd_control_place place = s->command >= 0 ? a->commands[s->command].place : a->place;
  hd_string_printf(&r->cells[1], "%u", s->thread);
  hd_string_printf(&r->cells[2], "%s%s", a->name, s->command < 0 ? " (no guard holds)" : "");
  hd_string_printf(&r->cells[3], "%s -> %s", c->states[e->from].name, c->states[e->to].name);
  hd_string_printf(&r->cells[4], "%u", place.line);
  print_variables(&r->cells[5], c, s->values, t->steps[i - 1].values);
}

static void
print_table(hd_string *out, const hd_controller *c, const hd_control_trace *t)
{
  static const char *const heads[COLUMNS] = {"step", "thread", "action", "interface", "line", "variables"};
  size_t width[COLUMNS];
  for (int k = 0; k < COLUMNS; k++)
    width[k] = strlen(heads[k]);
  for (size_t i = 0; i < t->n; i++)
  {
    row r = {0};
    fill_row(&r, c, t, i);
    for (int k = 0; k < COLUMNS; k++)
    {
      width[k] = r.cells[k].length > width[k] ? r.cells[k].length : width[k];
      hd_string_free(&r.cells[k]);
    }
  }
  for (int k = 0; k < COLUMNS; k++)
    hd_string_printf(out, "  %-*s", k + 1 < COLUMNS ? (int) width[k] : 0, heads[k]);
  hd_string_add(out, "\n");
  for (size_t i = 0; i < t->n; i++)
  {
    row r = {0};
    fill_row(&r, c, t, i);
    for (int k = 0; k < COLUMNS; k++)
    {
      /* Numbers to the right. */
      bool number = k == 0 || k == 1 || k == 4;
      hd_string_printf(out, number ? "  %*s" : "  %-*s", k + 1 < COLUMNS ? (int) width[k] : 0,
                       r.cells[k].text ? r.cells[k].text : "");
      hd_string_free(&r.cells[k]);
    }
    hd_string_add(out, "\n");
  }
}

/* What the controller's code said to it. */
static void
print_replay(hd_string *out, const hd_control_finding *f)
{
  if (f->replay == HD_CONTROL_REPLAY_SAME)
    hd_string_add(out, "  Replayed on the controller's code: the same.\n");
  else if (f->replay == HD_CONTROL_REPLAY_DIFFERS)
    hd_string_printf(out, "  DIFFERENT on the controller's code: %s.\n", f->replay_text);
  else if (f->replay_text)
    hd_string_printf(out, "  Not replayed on the controller's code: %s.\n", f->replay_text);
}

static void
print_trace(hd_string *out, const hd_controller *c, const hd_control_finding *f)
{
  const hd_control_trace *t = &f->trace;
  print_table(out, c, t);
  const int32_t *end = t->steps[t->n - 1].values;
  hd_string_add(out, "  ");
  switch (t->end)
  {
  case HD_CONTROL_END_STATE:
    break;
  case HD_CONTROL_END_DEADLOCK:
    hd_string_add(out, "Every thread waits for ever: deadlock. ");
    break;
  case HD_CONTROL_END_FINISHED:
    hd_string_add(out, "No thread has anything left to do. ");
    break;
  case HD_CONTROL_END_LOOP:
    hd_string_printf(out, "This is the state of step %zu again, and so on for ever. ", t->loop);
    break;
  }
  if (*t->reason)
    hd_string_printf(out, "Here %s. ", t->reason);
  hd_string_add(out, "State: ");
  if (c->nvariables)
  {
    print_variables(out, c, end, NULL);
    hd_string_add(out, "; ");
  }
  print_counters(out, c, end);
  hd_string_add(out, ".\n");
  print_replay(out, f);
}

/* "2 threads, size = 1, x = 0" */
static void
print_where(hd_string *out, const hd_controller *c, const hd_control_finding *f, const hd_control_spec *spec)
{
  hd_string_printf(out, "%" PRIu64 " thread%s", f->threads, plural(f->threads));
  if (c->nconstants)
  {
    hd_string_add(out, ", ");
    hd_control_print_constants(out, c, f->constants);
  }
  for (uint32_t i = 0; spec && i < spec->nrigid; i++)
    hd_string_printf(out, ", %s = %" PRId64, c->rigid[spec->first_rigid + i], f->rigid[i]);
}

/* ---- the whole ---- */

/* What the other solver says to a property, or (DEADLOCK) to the claim that there is none: one line. */
static void
print_second(hd_string *out, const hd_control_second *s, bool deadlock)
{
  const char *what = deadlock   ? s->holds ? "no deadlock is reachable" : "a deadlock is reachable"
                     : s->holds ? "this holds"
                                : "this is violated";
  const char *about = deadlock ? " about deadlocks" : "";
  hd_string line = {0};
  switch (s->opinion)
  {
  case HD_CONTROL_NO_OPINION:
    return;
  case HD_CONTROL_AGREES:
    hd_string_printf(&line, "z3 agrees%s%s (%.0f ms)", deadlock ? " that " : "", deadlock ? what : "",
                     s->seconds * 1000);
    break;
  case HD_CONTROL_DISAGREES:
    hd_string_printf(&line, "z3 DISAGREES: it says that %s (%.0f ms)", what, s->seconds * 1000);
    break;
  case HD_CONTROL_ALONE:
    hd_string_printf(&line, "z3 says that %s (%.0f ms), and nothing here confirms it", what, s->seconds * 1000);
    break;
  case HD_CONTROL_NO_ANSWER:
    if (s->seconds < s->limit)
      hd_string_printf(&line, "z3 does not know%s (%.0f ms)", about, s->seconds * 1000);
    else
      hd_string_printf(&line, "z3 has no answer%s in %g s", about, s->limit);
    break;
  case HD_CONTROL_NOT_ASKED:
    hd_string_printf(&line, "z3 was not asked: %s", s->text);
    break;
  case HD_CONTROL_FAILED:
    hd_string_printf(&line, "z3 could not be asked%s: %s", about, s->text);
    break;
  }
  hd_string_printf(out, "            %s\n", line.text);
  hd_string_free(&line);
}

static void
print_answer(hd_string *out, const hd_controller *c, const hd_control_result *r, size_t i, bool quiet)
{
  const hd_control_answer *a = &r->answers[i];
  const hd_control_spec *s = &c->specs[i];
  if (a->verdict == HD_HOLDS && quiet)
    return;
  const char *word = a->verdict == HD_HOLDS ? "holds" : a->verdict == HD_VIOLATED ? "violated" : "incomplete";
  hd_string_printf(out, "%-10s  %s: %s%s\n", word, s->name, s->text, s->fair || r->fair ? ", under weak fairness" : "");
  if (a->verdict == HD_HOLDS && a->how)
    hd_string_printf(out, "            proved: %s\n", a->how);
  print_second(out, &a->second, false);
  if (a->verdict == HD_INCOMPLETE && a->incomplete != r->incomplete) /* the search is spoken of at the end */
    hd_string_printf(out, "  %s\n", a->incomplete);
  if (!a->violation.found)
    return;
  bool believed = a->violation.replay != HD_CONTROL_REPLAY_DIFFERS;
  hd_string_printf(out, "\n  %s:%u:%u: '%s' is violated %swith ", c->path, s->place.line, s->place.column, s->name,
                   believed ? "" : "in the model, but not in the code, ");
  print_where(out, c, &a->violation, s);
  hd_string_add(out, ":\n");
  print_trace(out, c, &a->violation);
  hd_string_add(out, "\n");
}

static void
print_threads(hd_string *out, uint64_t least, uint64_t most)
{
  if (most == UINT64_MAX && least == 0)
    hd_string_add(out, "any number of threads");
  else if (most == UINT64_MAX)
    hd_string_printf(out, "any number of threads from %" PRIu64, least);
  else if (least == most)
    hd_string_printf(out, "%" PRIu64 " thread%s", least, plural(least));
  else
    hd_string_printf(out, "%" PRIu64 " to %" PRIu64 " threads", least, most);
}

/* What was proved is true for all of them. */
static void
print_symbolic_scope(hd_string *out, const hd_controller *c, const hd_control_result *r)
{
  hd_string_add(out, "Judged for ");
  print_threads(out, r->least_threads, r->most_threads);
  for (size_t i = 0; i < c->nconstants; i++)
  {
    const hd_control_binding *bound = NULL;
    for (size_t k = 0; k < r->certificate->nbindings; k++)
      if (strcmp(r->certificate->bindings[k].name, c->constants[i].name) == 0)
        bound = &r->certificate->bindings[k];
    hd_string_add(out, i ? ", " : " and ");
    if (bound)
      hd_string_printf(out, "%s = %" PRId64, bound->name, bound->value);
    else
      hd_string_printf(out, "every %s", c->constants[i].name);
  }
  hd_string_printf(out, "; small instances with %" PRIu64 " state%s were looked at beside the proofs.\n\n", r->states,
                   plural(r->states));
}

/* For which threads and constants: a verdict is never given without it. */
static void
print_scope(hd_string *out, const hd_controller *c, const hd_control_result *r)
{
  hd_string_add(out, "Checked with ");
  print_threads(out, r->least_threads, r->most_threads);
  if (c->nconstants && r->ninstances == 1)
  {
    hd_string_add(out, " and ");
    hd_control_print_constants(out, c, r->instances[0]);
  }
  else if (c->nconstants)
  {
    hd_string_printf(out, " and %zu choices of ", r->ninstances);
    for (size_t i = 0; i < c->nconstants; i++)
    {
      int64_t least = r->instances[0][i], most = least;
      for (size_t k = 1; k < r->ninstances; k++)
      {
        least = r->instances[k][i] < least ? r->instances[k][i] : least;
        most = r->instances[k][i] > most ? r->instances[k][i] : most;
      }
      hd_string_printf(out, least == most ? "%s%s = %" PRId64 : "%s%s = %" PRId64 "..%" PRId64, i ? ", " : "",
                       c->constants[i].name, least, most);
    }
  }
  hd_string_printf(out, ": %" PRIu64 " state%s, %" PRIu64 " step%s.\n", r->states, plural(r->states), r->steps,
                   plural(r->steps));
  hd_string_add(out, "This says nothing about other numbers of threads");
  hd_string_add(out, c->nconstants ? " or other constants.\n\n" : ".\n\n");
}

/* What the integers stay between; the model has no bounds, C has. */
static void
print_ranges(hd_string *out, const hd_controller *c, const hd_control_result *r)
{
  hd_string open = {0};
  bool some = false;
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_range *range = &r->ranges[i];
    if (c->variables[i].type != HD_CONTROL_INT)
      continue;
    if (range->least && range->most)
    {
      hd_string_printf(out, "%s%s <= %s <= %s", some ? ", " : "\nranges      ", range->least, c->variables[i].name,
                       range->most);
      some = true;
    }
    else
      hd_string_printf(&open, "%s%s", open.length ? ", " : "", c->variables[i].name);
  }
  if (some)
    hd_string_add(out, "\n");
  if (open.length)
    hd_string_printf(out, "%sno bound    %s: nothing proved keeps %s in the range of int\n", some ? "" : "\n",
                     open.text, strchr(open.text, ',') ? "them" : "it");
  hd_string_free(&open);
}

void
hd_control_result_text(hd_string *out, const hd_controller *c, const hd_control_result *r, bool quiet)
{
  if (!quiet)
    hd_string_printf(out, "%s: controller %s: %zu variable%s, %zu interface state%s, %zu action%s, %zu propert%s\n",
                     c->path, c->name, c->nvariables, plural(c->nvariables), c->nstates, plural(c->nstates),
                     c->nactions, plural(c->nactions), c->nspecs, c->nspecs == 1 ? "y" : "ies");
  if ((!quiet || r->verdict != HD_HOLDS) && r->symbolic)
    print_symbolic_scope(out, c, r);
  else if (!quiet || r->verdict != HD_HOLDS)
    print_scope(out, c, r);
  for (size_t i = 0; i < c->nspecs; i++)
    print_answer(out, c, r, i, quiet);
  if (r->deadlock.found && (!quiet || r->forbid_deadlock))
  {
    add_blank(out);
    hd_string_printf(out, "%-10s  deadlock: in %" PRIu64 " state%s no thread can go on, for the first time with ",
                     r->forbid_deadlock ? "violated" : "reported", r->deadlocks, plural(r->deadlocks));
    print_where(out, c, &r->deadlock, NULL);
    hd_string_add(out, ":\n");
    print_trace(out, c, &r->deadlock);
  }
  if (r->no_deadlock && !quiet)
    hd_string_add(out, "holds       no deadlock is reachable\n");
  if (!quiet || r->deadlock_second.opinion == HD_CONTROL_DISAGREES)
    print_second(out, &r->deadlock_second, true);
  if (r->ranges && !quiet)
    print_ranges(out, c, r);
  if (r->nnotes && !quiet)
    add_blank(out);
  for (size_t i = 0; i < r->nnotes && !quiet; i++)
    hd_string_printf(out, "%s:%u:%u: %s: %s\n", c->path, r->notes[i].place.line, r->notes[i].place.column,
                     r->notes[i].warning ? "warning" : "note", r->notes[i].text);
  if (r->compiler && *r->compiler)
  {
    add_blank(out);
    hd_string_printf(out, "The C compiler says:\n%s", r->compiler);
    if (out->text[out->length - 1] != '\n')
      hd_string_add(out, "\n");
  }
  if (!r->complete)
  {
    add_blank(out);
    hd_string_printf(out, "Incomplete: %s.\n", r->incomplete);
  }
}
