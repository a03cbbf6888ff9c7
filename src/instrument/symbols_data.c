/* symbols_data.c: from addresses to variables, global, of a function's frame or of each thread, and from a variable
 * through pointers to what they point to. */
#include "instrument/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- where variables are ---- */

/* The answer of a walk over variables: the one that ADDRESS lies in. */
typedef struct walk
{
  const hd_symbols_root *root;
  uint64_t address; /* as the debug information counts */
  uint64_t pc;      /* of a frame, likewise: in the call, not after it */
  uint64_t base;    /* of a frame */
  bool found;
  Dwarf_Die variable;
  uint64_t start;
} walk;

static bool
has_address(Dwarf_Die *die, uint64_t *address)
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

static bool
has_own_offset(Dwarf_Die *die, uint64_t *offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *expression;
  size_t n;
  if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &expression, &n) != 0 || n != 2
      || (expression[1].atom != DW_OP_form_tls_address && expression[1].atom != DW_OP_GNU_push_tls_address))
    return false;
  *offset = expression[0].number;
  return true;
}

bool
hd_symbols_die_address(Dwarf_Die *die, uint64_t *address)
{
  return has_address(die, address);
}

bool
hd_symbols_die_own(Dwarf_Die *die)
{
  uint64_t offset;
  return has_own_offset(die, &offset);
}

/* What ATTRIBUTE of DIE says at PC: one operation. */
static bool
one_operation(Dwarf_Die *die, unsigned attribute_name, uint64_t pc, Dwarf_Op *operation)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *expression;
  size_t n;
  if (!dwarf_attr_integrate(die, attribute_name, &attribute)
      || dwarf_getlocation_addr(&attribute, pc, &expression, &n, 1) != 1 || n != 1)
    return false;
  *operation = expression[0];
  return true;
}

enum
{
  RAX = 0,
  RBP = 6,
  RSP = 7
};

/* The address that OPERATION means in the frame; functions that have a frame pointer save their caller's below the
 * return address. */
static bool
in_frame(const walk *w, const Dwarf_Op *operation, uint64_t *address)
{
  switch (operation->atom)
  {
  case DW_OP_call_frame_cfa:
    *address = w->root->cfa;
    return true;
  case DW_OP_fbreg:
    *address = w->base + operation->number;
    return w->base != 0;
  case DW_OP_breg0 + RBP:
  case DW_OP_reg0 + RBP:
    *address = w->root->cfa - 16 + operation->number;
    return true;
  case DW_OP_breg0 + RSP:
  case DW_OP_reg0 + RSP:
    *address = w->root->sp + operation->number;
    return true;
  default:
    return false;
  }
}

static bool
is_memory(const Dwarf_Op *operation)
{
  return operation->atom == DW_OP_fbreg || operation->atom == DW_OP_breg0 + RBP || operation->atom == DW_OP_breg0 + RSP;
}

/* A variable whose address is taken has one place in memory, even where the debug information, at PC, says that its
 * value is elsewhere or says nothing. */
static bool
memory_location(Dwarf_Die *die, uint64_t pc, Dwarf_Op *operation)
{
  Dwarf_Attribute attribute;
  Dwarf_Addr base, start, end;
  Dwarf_Op *expression;
  size_t n;
  if (one_operation(die, DW_AT_location, pc, operation) && is_memory(operation))
    return true;
  if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
    return false;
  for (ptrdiff_t at = 0; (at = dwarf_getlocations(&attribute, at, &base, &start, &end, &expression, &n)) > 0;)
    if (n == 1 && is_memory(&expression[0]))
    {
      *operation = expression[0];
      return true;
    }
  return false;
}

static bool
is_at(const walk *w, Dwarf_Die *die, uint64_t *start)
{
  Dwarf_Op operation;
  switch (w->root->kind)
  {
  case HD_SYMBOLS_GLOBAL:
    return has_address(die, start);
  case HD_SYMBOLS_OWN:
    return has_own_offset(die, start);
  default:
    return memory_location(die, w->pc, &operation) && in_frame(w, &operation, start);
  }
}

/* Looks at what is below DIE. Of a frame's variables that share their memory, one whose block PC lies in counts. */
static bool
find_variable(walk *w, Dwarf_Die *die, bool inside)
{
  Dwarf_Die child, type;
  if (dwarf_child(die, &child) != 0)
    return false;
  do
  {
    int tag = dwarf_tag(&child);
    uint64_t start;
    if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && is_at(w, &child, &start) && w->address >= start
        && hd_symbols_type(&child, &type) && w->address - start < hd_symbols_size(&type) && (!w->found || inside))
    {
      w->variable = child;
      w->start = start;
      w->found = true;
      if (inside)
        return true;
    }
    bool frame = w->root->kind == HD_SYMBOLS_FRAME;
    bool block = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    if (frame ? block : block || tag == DW_TAG_subprogram || tag == DW_TAG_namespace)
      if (find_variable(w, &child, !frame || (inside && dwarf_haspc(&child, w->pc) == 1)))
        return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/* The function whose frame it is. */
static bool
function_of(Dwarf_Die *cu, uint64_t pc, Dwarf_Die *function)
{
  Dwarf_Die *innermost = NULL, *around = NULL;
  bool found = false;
  /* The second answer goes on with where an inlined function was called, not with where it was written. */
  int n = dwarf_getscopes(cu, pc, &innermost) > 0 ? dwarf_getscopes_die(&innermost[0], &around) : 0;
  for (int i = 0; i < n && !found; i++)
    if (dwarf_tag(&around[i]) == DW_TAG_subprogram)
    {
      *function = around[i];
      found = true;
    }
  free(innermost);
  free(around);
  return found;
}

/* dwarf_decl_file takes file 0 for none, which in DWARF 5 is the first. */
static const char *
declared_in(Dwarf_Die *variable)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  Dwarf_Files *files;
  Dwarf_Die unit;
  size_t n;
  if (dwarf_formudata(dwarf_attr_integrate(variable, DW_AT_decl_file, &attribute), &number) != 0
      || !dwarf_diecu(variable, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}

static void
declared(hd_symbols *s, Dwarf_Die *variable, hd_symbols_frame *where)
{
  where->file = hd_symbols_file(s, declared_in(variable));
  if (dwarf_decl_line(variable, &where->line) != 0)
    where->line = 0;
}

static bool
find_in_frame(hd_symbols *s, Dwfl_Module *m, walk *w, hd_symbols_frame *where)
{
  Dwarf_Addr bias;
  Dwarf_Op operation;
  Dwarf_Die function, *cu = hd_symbols_unit(m, w->root->pc - 1, &bias);
  w->pc = w->root->pc - 1 - bias;
  if (!cu || !w->root->cfa || !function_of(cu, w->pc, &function))
    return false;
  if (one_operation(&function, DW_AT_frame_base, w->pc, &operation))
    in_frame(w, &operation, &w->base);
  find_variable(w, &function, true);
  const char *name = hd_symbols_die_name(&function);
  where->function = w->found && name ? hd_symbols_keep(s, name) : NULL;
  return w->found;
}

/* The variable of ROOT at ADDRESS, and where in it that is. */
static bool
find_root(hd_symbols *s, const hd_symbols_root *root, uint64_t address, Dwarf_Die *variable, uint64_t *offset,
          hd_symbols_frame *where)
{
  hd_symbols_module *found;
  walk w = {.root = root, .address = address};
  uint64_t near = root->kind == HD_SYMBOLS_FRAME ? root->pc : root->kind == HD_SYMBOLS_OWN ? root->module : address;
  Dwfl_Module *m = hd_symbols_open(s, near, &found);
  *where = (hd_symbols_frame){0};
  if (!m)
    return false;
  where->module = found->path;
  Dwarf_Addr bias;
  if (root->kind == HD_SYMBOLS_FRAME)
    find_in_frame(s, m, &w, where);
  else
    for (Dwarf_Die *cu = NULL; !w.found && (cu = dwfl_module_nextcu(m, cu, &bias)) != NULL;)
    {
      w.address = root->kind == HD_SYMBOLS_OWN ? root->offset : address - bias;
      find_variable(&w, cu, true);
    }
  if (!w.found)
    return false;
  *variable = w.variable;
  *offset = w.address - w.start;
  declared(s, variable, where);
  return true;
}

/* ---- through pointers ---- */

/* The whole of a type that TYPE only declares, from wherever it is defined. */
static void
complete(Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  const char *name = dwarf_diename(type);
  Dwarf *all = dwarf_cu_getdwarf(type->cu);
  if (!dwarf_hasattr(type, DW_AT_declaration) || !name)
    return;
  Dwarf_Off at = 0, next;
  size_t header;
  for (; dwarf_nextcu(all, at, &next, &header, NULL, NULL, NULL) == 0; at = next)
  {
    Dwarf_Die unit, child;
    if (!dwarf_offdie(all, at + header, &unit) || dwarf_child(&unit, &child) != 0)
      continue;
    do
      if (dwarf_tag(&child) == dwarf_tag(type) && !dwarf_attr(&child, DW_AT_declaration, &attribute)
          && dwarf_diename(&child) && strcmp(dwarf_diename(&child), name) == 0)
      {
        *type = child;
        return;
      }
    while (dwarf_siblingof(&child, &child) == 0);
  }
}

/* NAME is a pointer of type POINTER; it becomes what is OFFSET bytes behind where that points, of which there are COUNT
 * bytes, or, if ALONE, one element. *POINTER becomes the type of that. */
static bool
follow(Dwarf_Die *pointer, uint64_t offset, uint64_t count, bool alone, uint64_t size, hd_string *name)
{
  Dwarf_Die type;
  if (dwarf_tag(pointer) != DW_TAG_pointer_type || !hd_symbols_type(pointer, &type))
    return false;
  complete(&type);
  uint64_t bytes = hd_symbols_size(&type);
  if (!bytes || offset >= count || (alone && offset >= bytes))
    return false;
  /* A last member without a length takes what is left. */
  bool one = alone || count < 2 * bytes;
  hd_string rest = {0};
  uint64_t left = one ? offset : offset % bytes;
  hd_symbols_member(&type, &left, size, &rest);
  if (one && offset >= bytes && !rest.length)
    return false;
  if (!one)
    hd_string_printf(name, "[%" PRIu64 "]%s", offset / bytes, rest.length ? rest.text : "");
  else if (rest.length && rest.text[0] == '.')
    hd_string_printf(name, "->%s", rest.text + 1);
  else
  {
    hd_string whole = {0};
    hd_string_printf(&whole, rest.length ? "(*%s)%s" : "*%s%s", name->text, rest.length ? rest.text : "");
    hd_string_free(name);
    *name = whole;
  }
  hd_string_free(&rest);
  *pointer = type;
  return left == 0 || hd_symbols_size(&type) > left;
}

bool
hd_symbols_path(hd_symbols *s, const hd_symbols_root *root, const hd_symbols_step *steps, size_t n, uint64_t size,
                hd_string *name, hd_symbols_frame *where)
{
  Dwarf_Die variable, type;
  uint64_t offset;
  if (!find_root(s, root, steps[0].address, &variable, &offset, where) || !hd_symbols_type(&variable, &type))
    return false;
  const char *plain = hd_symbols_die_name(&variable);
  hd_string_add(name, plain ? plain : "?");
  hd_symbols_member(&type, &offset, n > 1 ? 8 : size, name);
  bool good = true;
  for (size_t i = 0; i + 1 < n && good; i++)
    good = steps[i + 1].address >= steps[i].value && steps[i].value < steps[i].end
           && follow(&type, steps[i + 1].address - steps[i].value, steps[i].end - steps[i].value, steps[i].deep,
                     i + 2 < n ? 8 : size, name);
  if (!good)
    hd_string_free(name);
  return good;
}

bool
hd_symbols_data(hd_symbols *s, uint64_t address, uint64_t size, hd_string *name, hd_symbols_frame *where)
{
  hd_symbols_root root = {.kind = HD_SYMBOLS_GLOBAL};
  hd_symbols_step step = {.address = address};
  if (hd_symbols_path(s, &root, &step, 1, size, name, where))
    return true;
  GElf_Off offset;
  GElf_Sym symbol;
  hd_symbols_module *found;
  Dwfl_Module *m = hd_symbols_open(s, address, &found);
  const char *plain = m ? dwfl_module_addrinfo(m, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
  if (!plain || offset >= symbol.st_size)
    return false;
  /* What a compiler adds is nothing of the source: "calls.0" is the variable of a function, "table.body" memory that
   * clang put in the place of a block. */
  size_t length = strcspn(plain, ".");
  hd_string_add_n(name, plain, length ? length : strlen(plain));
  if (offset)
    hd_string_printf(name, "+%" PRIu64, (uint64_t) offset);
  return true;
}

/* ---- where a block was allocated ---- */

/* The variable below DIE that takes what the call before PC returned, on LINE: by its location, which is the register
 * for results from there on, or because it is declared on that line. */
static bool
find_taker(Dwarf_Die *die, uint64_t pc, int line, uint64_t block, Dwarf_Die *variable)
{
  Dwarf_Die child, type, target;
  if (dwarf_child(die, &child) != 0)
    return false;
  do
  {
    int tag = dwarf_tag(&child), declared_on;
    Dwarf_Op operation;
    if (tag == DW_TAG_variable && hd_symbols_type(&child, &type) && dwarf_tag(&type) == DW_TAG_pointer_type
        && hd_symbols_type(&type, &target))
    {
      complete(&target);
      uint64_t bytes = hd_symbols_size(&target);
      bool here = one_operation(&child, DW_AT_location, pc, &operation) && operation.atom == DW_OP_reg0 + RAX;
      bool there = dwarf_decl_line(&child, &declared_on) == 0 && declared_on == line && bytes && block % bytes == 0;
      if ((here || there) && bytes && bytes <= block)
      {
        *variable = child;
        return true;
      }
    }
    if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
        && find_taker(&child, pc, line, block, variable))
      return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

bool
hd_symbols_allocated(hd_symbols *s, uint64_t pc, uint64_t block, uint64_t offset, uint64_t size, hd_string *name,
                     hd_symbols_frame *where)
{
  hd_symbols_module *found;
  Dwfl_Module *m = hd_symbols_open(s, pc, &found);
  Dwarf_Addr bias = 0;
  Dwarf_Die function, variable, type, *cu = m ? hd_symbols_unit(m, pc - 1, &bias) : NULL;
  if (!cu || !function_of(cu, pc - 1 - bias, &function))
    return false;
  Dwarf_Line *line = dwarf_getsrc_die(cu, pc - 1 - bias);
  int number = 0;
  if (line)
    dwarf_lineno(line, &number);
  if (!find_taker(&function, pc - bias, number, block, &variable) || !hd_symbols_type(&variable, &type))
    return false;
  *where = (hd_symbols_frame){.module = found->path};
  declared(s, &variable, where);
  const char *plain = hd_symbols_die_name(&function), *of = hd_symbols_die_name(&variable);
  where->function = plain ? hd_symbols_keep(s, plain) : NULL;
  hd_string_add(name, of ? of : "?");
  if (follow(&type, offset, block, false, size, name))
    return true;
  hd_string_free(name);
  return false;
}
