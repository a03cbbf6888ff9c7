/* notes.c: dead actions, guards that are never false, states that nobody enters, guards that overlap, properties that
 * hold because nothing ever happens.
 *
 * What was not seen is worth a word only if everything was looked at. */
#include <stdlib.h>
#include <string.h>

#include "control/notes.h"

typedef struct notes
{
  hd_control_note *items;
  size_t n, cap;
  hd_arena *arena;
} notes;

static void add(notes *x, bool warning, hd_control_place place, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void
add(notes *x, bool warning, hd_control_place place, const char *kind, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  char *text = memcpy(hd_arena_alloc(x->arena, s.length + 1), s.text, s.length + 1);
  hd_string_free(&s);
  HD_PUSH(x->items, x->n, x->cap, (hd_control_note){warning, place, kind, text});
}

static bool
has_edge(const hd_controller *c, size_t action)
{
  for (size_t e = 0; e < c->nedges; e++)
    if (c->edges[e].action == action)
      return true;
  return false;
}

static bool
any(const bool *flags, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (flags[i])
      return true;
  return false;
}

static bool
always_true(const hd_control_set *s)
{
  return s->n == 1 && s->conjunctions[0].n == 0;
}

static void
look_at_action(notes *x, const hd_controller *c, const hd_control_seen *seen, size_t i)
{
  const hd_control_action *a = &c->actions[i];
  if (!has_edge(c, i))
  {
    add(x, true, a->place, "unused-action", "no edge has the action '%s': no thread ever calls it", a->name);
    return;
  }
  if (!seen->callable[i])
  {
    add(x, true, a->place, "dead-action", "the action '%s' is dead: no thread ever reaches a state that allows it",
        a->name);
    return;
  }
  if (!any(seen->fired[i], a->ncommands))
  {
    add(x, true, a->place, "dead-action", "the action '%s' is dead: no guard of it is ever true%s", a->name,
        a->blocking ? ", and whoever calls it waits for ever" : "");
    return;
  }
  for (size_t k = 0; k < a->ncommands; k++)
  {
    const hd_control_command *command = &a->commands[k];
    if (!seen->fired[i][k])
      add(x, true, command->place, "dead-command", "this command of '%s' is never executed: %s", a->name,
          seen->was_false[i][k] ? "its guard is never true when it is asked" : "a guard before it is always true");
    else if (!seen->was_false[i][k] && !always_true(&command->guard))
      add(x, false, command->place, "guard-never-false", "the guard '%s' of '%s' is never false%s", command->guard_text,
          a->name, a->blocking && k == 0 ? ": nobody ever waits for it" : "");
  }
}

static int
by_place(const void *p, const void *q)
{
  const hd_control_note *a = p, *b = q;
  if (a->place.line != b->place.line)
    return a->place.line < b->place.line ? -1 : 1;
  if (a->place.column != b->place.column)
    return a->place.column < b->place.column ? -1 : 1;
  return strcmp(a->text, b->text);
}

void
hd_control_notes_make(const hd_controller *c, hd_control_result *r, const hd_control_seen *seen, bool all)
{
  notes x = {.arena = r->arena};
  for (size_t i = 0; i < c->nactions; i++)
  {
    if (seen->overlap[i])
      add(&x, true, c->actions[i].commands[seen->overlap_at[i]].place, "overlap", "%s", seen->overlap[i]);
    if (all)
      look_at_action(&x, c, seen, i);
  }
  for (size_t i = 0; i < c->nstates && all; i++)
    if (!seen->states[i] && (i > 0 || r->most_threads > 0))
      add(&x, true, c->states[i].place, "unreachable-state", "no thread ever enters the state '%s'", c->states[i].name);
  for (size_t i = 0; i < c->nspecs; i++)
    if (r->answers[i].vacuous)
      add(&x, true, r->answers[i].never->place, "vacuous", "'%s' holds vacuously: '%s' is never true", c->specs[i].name,
          r->answers[i].never->text);
  if (c->nspecs == 0)
    add(&x, true, c->states[0].place, "no-property",
        "the controller has no property; SPEC(name, AG(condition)) states one");
  if (x.n)
  {
    qsort(x.items, x.n, sizeof *x.items, by_place);
    r->notes = memcpy(hd_arena_alloc(r->arena, x.n * sizeof *x.items), x.items, x.n * sizeof *x.items);
    r->nnotes = x.n;
  }
  free(x.items);
}
