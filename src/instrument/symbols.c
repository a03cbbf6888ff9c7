/* symbols.c: the program and the libraries that it had loaded, opened when something in them is asked for. */
#include "instrument/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG "/usr/lib/debug"

/* Is there a file with the debug information of M, which is FILE and calls it LINK? */
static bool
has_debuginfo(Dwfl_Module *m, const char *file, const char *link)
{
  const unsigned char *id;
  GElf_Addr address;
  hd_string path = {0};
  int n = dwfl_module_build_id(m, &id, &address);
  for (int i = 0; i < n; i++)
    hd_string_printf(&path, i == 0 ? DEBUG "/.build-id/%02x/" : "%02x", id[i]);
  hd_string_add(&path, ".debug");
  bool found = n > 0 && access(path.text, R_OK) == 0;
  size_t length = file && strrchr(file, '/') ? (size_t) (strrchr(file, '/') - file) : 0;
  static const char *const below[] = {"", "/.debug"};
  for (unsigned i = 0; link && length && i < 2 && !found; i++)
  {
    hd_string_clear(&path);
    hd_string_printf(&path, "%.*s%s/%s", (int) length, file, below[i], link);
    found = access(path.text, R_OK) == 0;
  }
  /* There, in the folder of the same name, or with less in front of it. */
  for (const char *at = file; link && length && at && at <= file + length && !found; at = strchr(at + 1, '/'))
  {
    hd_string_clear(&path);
    hd_string_printf(&path, DEBUG "%.*s/%s", (int) (file + length - at), at, link);
    found = access(path.text, R_OK) == 0;
  }
  hd_string_free(&path);
  return found;
}

/* The library's own function asks servers for what it does not find, and for that loads thirty other libraries, also if
 * no server is named: which takes longer than all the rest. */
static int
find_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link,
               GElf_Word crc, char **found)
{
  const char *servers = getenv("DEBUGINFOD_URLS");
  if (!(servers && *servers) && !has_debuginfo(m, file, link))
    return -1;
  return dwfl_standard_find_debuginfo(m, data, name, base, file, link, crc, found);
}

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debuginfo,
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

const char *
hd_symbols_keep(hd_symbols *s, const char *text)
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
  HD_PUSH(s->modules, s->n, s->cap, (hd_symbols_module){hd_strndup(path, strlen(path)), low, high, false});
}

/* The last one that begins before ADDRESS; whether ADDRESS is in it, libdw knows: variables without a value of their
 * own
 * (.bss) lie behind what is mapped from the file. */
static hd_symbols_module *
module_of(hd_symbols *s, uint64_t address)
{
  hd_symbols_module *best = NULL;
  for (size_t i = 0; i < s->n; i++)
    if (address >= s->modules[i].low && (!best || s->modules[i].low > best->low))
      best = &s->modules[i];
  return best;
}

Dwfl_Module *
hd_symbols_open(hd_symbols *s, uint64_t address, hd_symbols_module **found)
{
  hd_symbols_module *m = *found = module_of(s, address);
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

const char *
hd_symbols_file(hd_symbols *s, const char *file)
{
  size_t n = strlen(s->here);
  if (file && n > 1 && strncmp(file, s->here, n) == 0)
    file += n;
  while (file && strncmp(file, "./", 2) == 0)
    file += 2;
  return file ? hd_symbols_keep(s, file) : NULL;
}

const char *
hd_symbols_die_name(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

Dwarf_Die *
hd_symbols_unit(Dwfl_Module *m, uint64_t pc, Dwarf_Addr *bias)
{
  Dwarf_Die *cu = NULL;
  while ((cu = dwfl_module_nextcu(m, cu, bias)) != NULL)
    if (dwarf_haspc(cu, pc - *bias) == 1)
      break;
  return cu;
}
