/* movers_words.c: failures of the checks that were made here, told in terms of the actions that the user wrote.
 *
 * The generated code runs copies of actions (A at layer 3 is A_3) whose parameters have other names where two actions
 * meet (x of the first one is first_x). These functions lead back from such names. */
#include <string.h>

#include "civl/civl.h"

static bool
is_pair(const hd_civl_task *t)
{
  return t->check == HD_CIVL_COMMUTATIVITY || t->check == HD_CIVL_GATE_PRESERVATION
         || t->check == HD_CIVL_FAILURE_PRESERVATION;
}

static void
add_action(const hd_civl_task *t, bool first, hd_string *out)
{
  if (strcmp(t->subject, t->other) == 0)
    hd_string_add(out, first ? "the first " : "the second ");
  hd_string_add(out, first ? t->subject : t->other);
}

bool
hd_civl_task_meaning(const hd_civl_task *t, hd_string *out)
{
  const char *a = t->subject, *b = t->other;
  switch (t->check)
  {
  case HD_CIVL_COMMUTATIVITY:
    if (strcmp(a, b) == 0)
      hd_string_printf(out, "two steps of %s can end in a state in which they cannot end in the other order", a);
    else
      hd_string_printf(out, "%s and then %s can end in a state in which %s and then %s cannot end", a, b, b, a);
    break;
  case HD_CIVL_GATE_PRESERVATION:
    hd_string_printf(out, "the gate of %s holds before a step of %s and fails after it", a,
                     strcmp(a, b) == 0 ? "another one" : b);
    break;
  case HD_CIVL_FAILURE_PRESERVATION:
    hd_string_printf(out, "the gate of %s fails before a step of %s and holds after it", a,
                     strcmp(a, b) == 0 ? "another one" : b);
    break;
  case HD_CIVL_NON_BLOCKING:
    hd_string_printf(out, "%s is a left mover, but in a state in which its gate holds no path through it is free", a);
    break;
  case HD_CIVL_LINEARITY:
    hd_string_printf(out, "%s leaves a permission more often than it was given", a);
    break;
  default:
    return false;
  }
  hd_string_printf(out, ", at layer %d", (int) t->layer);
  return true;
}

void
hd_civl_task_variable(const hd_civl_task *t, const char *name, hd_string *out)
{
  bool first = strncmp(name, "first_", 6) == 0, second = strncmp(name, "second_", 7) == 0;
  if (!is_pair(t) || (!first && !second))
  {
    hd_string_add(out, name);
    return;
  }
  hd_string_printf(out, "%s of ", name + (first ? 6 : 7));
  add_action(t, first, out);
}

/* The part of a label up to the next $; null: there is none. */
static const char *
part_end(const char *s)
{
  return strchr(s, '$');
}

bool
hd_civl_task_step(const hd_civl_task *t, const char *label, hd_string *out)
{
  static const char prefix[] = "inline$";
  if (strncmp(label, prefix, sizeof prefix - 1) != 0)
    return false;
  const char *name = label + sizeof prefix - 1, *end = part_end(name), *last = strrchr(label, '$');
  if (!end || last == end)
    return false;
  size_t length = (size_t) (end - name);
  hd_string suffix = {0};
  hd_string_printf(&suffix, "_%d", (int) t->layer);
  if (t->layered && length > suffix.length && memcmp(end - suffix.length, suffix.text, suffix.length) == 0)
    length -= suffix.length;
  hd_string_free(&suffix);
  const char *how = strcmp(last, "$Entry") == 0 ? " begins" : strcmp(last, "$Return") == 0 ? " ends" : "";
  if (!*how)
    hd_string_add(out, "in ");
  if (is_pair(t) && t->check == HD_CIVL_COMMUTATIVITY && strcmp(t->subject, t->other) == 0)
    hd_string_add(out, strncmp(end, "$0$", 3) == 0 ? "the first " : "the second ");
  hd_string_add_n(out, name, length);
  hd_string_add(out, how);
  return true;
}
