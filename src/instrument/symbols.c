/* symbols.c: from addresses to names: functions, source lines, what was inlined, variables with their members and
 * elements. By libdw, from the debug information of the program and of the libraries that it had loaded. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/instrument.h"

typedef struct module
{
  char *path;
  uint64_t low, high;
  bool reported;
} module;

struct hd_symbols
{
  Dwfl *dwfl;
  module *modules;
  size_t n, cap;
  hd_arena *names;
  char here[4096]; /* the current folder, with a slash at its end */
};

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
};

hd_symbols *
hd_symbols_new(void)
{
  hd_symbols *s = hd_alloc_zero(sizeof *s);
  s->names = hd_arena_new();
  if (!getcwd(s->here, sizeof s->here - 1))
    s->here[0] = 0;
  size_t n = strlen(s->here);
  if (n > 1)
    memcpy(s->here + n, "/", 2);
  return s;
}

void
hd_symbols_free(hd_symbols *s)
{
  if (!s)
    return;
  if (s->dwfl)
    dwfl_end(s->dwfl);
  for (size_t i = 0; i < s->n; i++)
    free(s->modules[i].path);
  free(s->modules);
  hd_arena_free(s->names);
  free(s);
}

static const char *
keep(hd_symbols *s, const char *text)
{
  size_t n = strlen(text) + 1;
  char *copy = hd_arena_alloc(s->names, n);
  memcpy(copy, text, n);
  return copy;
}

void
hd_symbols_map(hd_symbols *s, const char *line)
{
  uint64_t low, high;
  const char *path = strchr(line, '/');
  if (!path || sscanf(line, "%" SCNx64 "-%" SCNx64, &low, &high) != 2)
    return;
  for (size_t i = 0; i < s->n; i++)
    if (strcmp(s->modules[i].path, path) == 0)
    {
      if (low < s->modules[i].low)
        s->modules[i].low = low;
      if (high > s->modules[i].high)
        s->modules[i].high = high;
      return;
    }
  HD_PUSH(s->modules, s->n, s->cap, (module){hd_strndup(path, strlen(path)), low, high, false});
}

/* The last one that begins before ADDRESS; whether ADDRESS is in it, libdw knows: variables without a value of their
 * own
 * (.bss) lie behind what is mapped from the file. */
static module *
module_of(hd_symbols *s, uint64_t address)
{
  module *best = NULL;
  for (size_t i = 0; i < s->n; i++)
    if (address >= s->modules[i].low && (!best || s->modules[i].low > best->low))
      best = &s->modules[i];
  return best;
}

/* What libdw knows about the module of ADDRESS, opened when it is first needed. */
static Dwfl_Module *
open_module(hd_symbols *s, uint64_t address, module **found)
{
  module *m = *found = module_of(s, address);
  if (!m)
    return NULL;
  if (!s->dwfl && !(s->dwfl = dwfl_begin(&callbacks)))
    return NULL;
  if (!m->reported)
  {
    m->reported = true;
    dwfl_report_begin_add(s->dwfl);
    dwfl_report_elf(s->dwfl, m->path, m->path, -1, m->low, true);
    dwfl_report_end(s->dwfl, NULL, NULL);
  }
  Dwfl_Module *known = dwfl_addrmodule(s->dwfl, address);
  if (!known && address >= m->high)
    *found = NULL;
  return known;
}

static const char *
short_file(hd_symbols *s, const char *file)
{
  size_t n = strlen(s->here);
  if (file && n > 1 && strncmp(file, s->here, n) == 0)
    file += n;
  while (file && strncmp(file, "./", 2) == 0)
    file += 2;
  return file ? keep(s, file) : NULL;
}

/* ---- functions ---- */

static const char *
die_name(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

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
    *file = short_file(s, dwarf_filesrc(files, number, NULL, NULL));
}

/* The compilation unit of PC. Not every compiler writes the table that would say so at once. */
static Dwarf_Die *
unit_of(Dwfl_Module *m, uint64_t pc, Dwarf_Addr *bias)
{
  Dwarf_Die *cu = NULL;
  while ((cu = dwfl_module_nextcu(m, cu, bias)) != NULL)
    if (dwarf_haspc(cu, pc - *bias) == 1)
      break;
  return cu;
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
    const char *name = die_name(&around[i]);
    first.function = name ? keep(s, name) : NULL;
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
  module *found;
  pc--; /* in the call, not after it */
  Dwfl_Module *m = open_module(s, pc, &found);
  hd_symbols_frame frame = {0};
  if (found)
  {
    frame.module = found->path;
    frame.offset = pc - found->low;
  }
  if (m)
  {
    Dwarf_Addr bias;
    Dwarf_Die *cu = unit_of(m, pc, &bias);
    Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, pc - bias) : NULL;
    if (line)
    {
      frame.file = short_file(s, dwarf_linesrc(line, NULL, NULL));
      dwarf_lineno(line, &frame.line);
    }
    size_t n = cu ? scopes(s, cu, pc - bias, frame, frames, max) : 0;
    if (n)
      return n;
    const char *name = dwfl_module_addrname(m, pc);
    frame.function = name ? keep(s, name) : NULL;
  }
  frames[0] = frame;
  return 1;
}

/* ---- variables ---- */

static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL
         && dwarf_peel_type(type, type) == 0;
}

/* The element or member of TYPE at OFFSET, down to what is no bigger than SIZE. */
static void
describe(Dwarf_Die type, uint64_t offset, uint64_t size, hd_string *name)
{
  for (int depth = 0; depth < 32; depth++)
  {
    Dwarf_Word bytes, at;
    Dwarf_Die child, inner;
    int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type)
    {
      if (!type_of(&type, &inner) || dwarf_aggregate_size(&inner, &bytes) != 0 || bytes == 0)
        return;
      hd_string_printf(name, "[%" PRIu64 "]", offset / bytes);
      offset %= bytes;
      type = inner;
      continue;
    }
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_union_type) || dwarf_child(&type, &child) != 0)
      return;
    bool found = false;
    do
    {
      Dwarf_Attribute attribute;
      at = 0;
      if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &inner) || dwarf_aggregate_size(&inner, &bytes) != 0)
        continue;
      if (dwarf_attr(&child, DW_AT_data_member_location, &attribute))
        dwarf_formudata(&attribute, &at);
      if (offset < at || offset >= at + bytes)
        continue;
      const char *member = dwarf_diename(&child);
      if (member)
        hd_string_printf(name, ".%s", member);
      found = true;
      break;
    } while (dwarf_siblingof(&child, &child) == 0);
    if (!found || bytes < size)
      return;
    type = inner;
    offset -= at;
  }
}

static bool
at_address(Dwarf_Die *die, uint64_t *address)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *expression;
  size_t n;
  if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &expression, &n) != 0 || n != 1)
    return false;
  if (expression[0].atom == DW_OP_addrx) /* clang: in a table */
  {
    Dwarf_Attribute where;
    return dwarf_getlocation_attr(&attribute, &expression[0], &where) == 0 && dwarf_formaddr(&where, address) == 0;
  }
  *address = expression[0].number;
  return expression[0].atom == DW_OP_addr;
}

/* The variable below DIE that ADDRESS lies in, also one that is static in a function. */
static bool
find_variable(Dwarf_Die *die, uint64_t address, Dwarf_Die *variable, uint64_t *start)
{
  Dwarf_Die child, type;
  if (dwarf_child(die, &child) != 0)
    return false;
  do
  {
    int tag = dwarf_tag(&child);
    Dwarf_Word bytes;
    if (tag == DW_TAG_variable && at_address(&child, start) && address >= *start && type_of(&child, &type)
        && dwarf_aggregate_size(&type, &bytes) == 0 && address - *start < bytes)
    {
      *variable = child;
      return true;
    }
    if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
        && find_variable(&child, address, variable, start))
      return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

static void
declared(hd_symbols *s, Dwarf_Die *variable, hd_symbols_frame *where)
{
  where->file = short_file(s, dwarf_decl_file(variable));
  if (dwarf_decl_line(variable, &where->line) != 0)
    where->line = 0;
}

bool
hd_symbols_data(hd_symbols *s, uint64_t address, uint64_t size, hd_string *name, hd_symbols_frame *where)
{
  module *found;
  Dwfl_Module *m = open_module(s, address, &found);
  *where = (hd_symbols_frame){0};
  if (!m)
    return false;
  where->module = found->path;
  Dwarf_Addr bias;
  for (Dwarf_Die *cu = NULL; (cu = dwfl_module_nextcu(m, cu, &bias)) != NULL;)
  {
    Dwarf_Die variable, type;
    uint64_t start;
    if (!find_variable(cu, address - bias, &variable, &start))
      continue;
    const char *plain = die_name(&variable);
    hd_string_add(name, plain ? plain : "?");
    declared(s, &variable, where);
    if (type_of(&variable, &type))
      describe(type, address - bias - start, size, name);
    return true;
  }
  GElf_Off offset;
  GElf_Sym symbol;
  const char *plain = dwfl_module_addrinfo(m, address, &offset, &symbol, NULL, NULL, NULL);
  if (!plain || offset >= symbol.st_size)
    return false;
  hd_string_add(name, plain);
  if (offset)
    hd_string_printf(name, "+%" PRIu64, (uint64_t) offset);
  return true;
}
