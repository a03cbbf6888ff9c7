/* symbols_frames.c: from return addresses to functions and source lines, with what was inlined there. */
#include "instrument/symbols.h"

#include <stdlib.h>

static void
call_place(hd_symbols *s, Dwarf_Die *cu, Dwarf_Die *inlined, const char **file, int *line)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  Dwarf_Files *files;
  size_t n;
  *file = NULL;
  *line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
    *line = (int) number;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0
      && dwarf_getsrcfiles(cu, &files, &n) == 0 && number < n)
    *file = hd_symbols_file(s, dwarf_filesrc(files, number, NULL, NULL));
}

/* The functions around PC from the debug information. */
static size_t
scopes(hd_symbols *s, Dwarf_Die *cu, uint64_t pc, hd_symbols_frame first, hd_symbols_frame *frames, size_t max)
{
  Dwarf_Die *innermost = NULL, *around = NULL;
  size_t count = 0;
  /* The first answer goes on with where an inlined function was written; the second with where it was called. */
  if (dwarf_getscopes(cu, pc, &innermost) <= 0)
    return 0;
  int n = dwarf_getscopes_die(&innermost[0], &around);
  for (int i = 0; i < n && count < max; i++)
  {
    int tag = dwarf_tag(&around[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
      continue;
    const char *name = hd_symbols_die_name(&around[i]);
    first.function = name ? hd_symbols_keep(s, name) : NULL;
    frames[count++] = first;
    if (tag == DW_TAG_subprogram)
      break;
    call_place(s, cu, &around[i], &first.file, &first.line);
  }
  free(innermost);
  free(around);
  return count;
}

size_t
hd_symbols_frames(hd_symbols *s, uint64_t pc, hd_symbols_frame *frames, size_t max)
{
  hd_symbols_module *found;
  pc--; /* in the call, not after it */
  Dwfl_Module *m = hd_symbols_open(s, pc, &found);
  hd_symbols_frame frame = {0};
  if (found)
  {
    frame.module = found->path;
    frame.offset = pc - found->low;
  }
  if (m)
  {
    Dwarf_Addr bias;
    Dwarf_Die *cu = hd_symbols_unit(m, pc, &bias);
    Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, pc - bias) : NULL;
    if (line)
    {
      frame.file = hd_symbols_file(s, dwarf_linesrc(line, NULL, NULL));
      dwarf_lineno(line, &frame.line);
    }
    size_t n = cu ? scopes(s, cu, pc - bias, frame, frames, max) : 0;
    if (n)
      return n;
    const char *name = dwfl_module_addrname(m, pc);
    frame.function = name ? hd_symbols_keep(s, name) : NULL;
  }
  frames[0] = frame;
  return 1;
}
