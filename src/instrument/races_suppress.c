/* races_suppress.c: which races nobody wants to see. race: the pattern occurs in a function, a file or a module of one
 * of the stacks, or in the name of the variable; race_top: in the places of the two accesses alone. */
#include <string.h>

#include "instrument/races.h"

bool
hd_races_suppressed(const hd_suppressions *s, const hd_races_access *accesses, size_t n, const char *variable)
{
  for (size_t i = 0; s && i < s->n; i++)
  {
    const char *pattern = s->lines[i].pattern;
    bool top = strcmp(s->lines[i].kind, "race_top") == 0;
    if (!top && strcmp(s->lines[i].kind, "race") != 0)
      continue;
    if (!top && hd_suppression_fits(pattern, variable))
      return true;
    for (size_t a = 0; a < n; a++)
      for (size_t f = 0; f < accesses[a].n && (f == 0 || !top); f++)
      {
        const hd_symbols_frame *frame = &accesses[a].frames[f];
        if (hd_suppression_fits(pattern, frame->function) || hd_suppression_fits(pattern, frame->file)
            || hd_suppression_fits(pattern, frame->module))
          return true;
      }
  }
  return false;
}
