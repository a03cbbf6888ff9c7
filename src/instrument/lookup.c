/* lookup.c: from the name of a function to its code, for who asks for a function before the program runs. */
#include "instrument/symbols.h"

#include <string.h>

typedef struct search
{
  const char *name;
  hd_symbols_range *ranges;
  size_t n, max, inlined;
} search;

/* Compilers name copies that they made for themselves f.part.0, f.constprop.1 and so on. */
static bool
is_called(const char *symbol, const char *name)
{
  size_t n = strlen(name);
  return symbol && strncmp(symbol, name, n) == 0 && (symbol[n] == 0 || symbol[n] == '.');
}

static void
add_range(search *s, uint64_t low, uint64_t high)
{
  for (size_t i = 0; i < s->n; i++)
    if (s->ranges[i].low == low)
      return;
  if (low < high && s->n < s->max)
    s->ranges[s->n++] = (hd_symbols_range){low, high};
}

bool
hd_symbols_watched(Dwfl_Module *m)
{
  int count = dwfl_module_getsymtab(m);
  for (int i = 1; i < count; i++)
  {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(m, i, &symbol, &address, NULL, NULL, NULL);
    if (name && strcmp(name, "__tsan_func_entry") == 0)
      return true;
  }
  return false;
}

static void
look_at_symbols(search *s, Dwfl_Module *m)
{
  int count = dwfl_module_getsymtab(m);
  for (int i = 1; i < count; i++)
  {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(m, i, &symbol, &address, NULL, NULL, NULL);
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0 && is_called(name, s->name))
      add_range(s, address, address + symbol.st_size);
  }
}

static int
count_instance(Dwarf_Die *die, void *context)
{
  (void) die;
  ((search *) context)->inlined++;
  return DWARF_CB_OK;
}

static int
look_at_function(Dwarf_Die *die, void *context)
{
  search *s = context;
  const char *name = hd_symbols_die_name(die);
  if (name && strcmp(name, s->name) == 0 && dwarf_func_inline(die) > 0)
    dwarf_func_inline_instances(die, count_instance, s);
  return DWARF_CB_OK;
}

size_t
hd_symbols_functions(hd_symbols *s, const char *name, hd_symbols_range *ranges, size_t max, size_t *inlined)
{
  search found = {.name = name, .ranges = ranges, .max = max};
  for (size_t i = 0; i < s->n; i++)
  {
    hd_symbols_module *ignored;
    Dwfl_Module *m = hd_symbols_open(s, s->modules[i].low, &ignored);
    Dwarf_Addr bias;
    if (!m || !hd_symbols_watched(m))
      continue;
    look_at_symbols(&found, m);
    for (Dwarf_Die *cu = NULL; (cu = dwfl_module_nextcu(m, cu, &bias)) != NULL;)
      dwarf_getfuncs(cu, look_at_function, &found, 0);
  }
  *inlined = found.inlined;
  return found.n;
}
