/* suppress.c: which findings nobody wants to see. */
#include <string.h>

#include "monitor/findings.h"

static bool
match_location(const char *pattern, const hd_trace_names *n, uint32_t id)
{
  hd_trace_location where = hd_trace_names_location(n, id);
  return hd_suppression_fits(pattern, where.function) || hd_suppression_fits(pattern, where.file)
         || hd_suppression_fits(pattern, where.text);
}

static bool
match_place(const char *pattern, const hd_trace_names *n, const hd_monitor_place *place, bool top)
{
  size_t count;
  const uint32_t *stack = hd_trace_names_stack(n, place->stack, &count);
  if (match_location(pattern, n, place->location))
    return true;
  for (size_t i = 0; i < count && !top; i++)
    if (match_location(pattern, n, stack[i]))
      return true;
  return false;
}

bool
hd_monitor_suppressed(const hd_suppressions *s, const char *kind, const hd_trace_names *n,
                      const hd_monitor_place *places, size_t nplaces, const char *variable)
{
  for (size_t i = 0; s && i < s->n; i++)
  {
    bool top = strcmp(kind, "race") == 0 && strcmp(s->lines[i].kind, "race_top") == 0;
    if (strcmp(s->lines[i].kind, kind) != 0 && !top)
      continue;
    if (variable && !top && hd_suppression_fits(s->lines[i].pattern, variable))
      return true;
    for (size_t p = 0; p < nplaces; p++)
      if (match_place(s->lines[i].pattern, n, &places[p], top))
        return true;
  }
  return false;
}
