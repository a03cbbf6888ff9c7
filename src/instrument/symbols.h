/* symbols.h: what the files share that find names for addresses, by libdw, from the debug information of a program and
 * of the libraries that it had loaded.
 *
 *   symbols.c          modules
 *   symbols_frames.c   functions and source lines
 *   symbols_data.c     variables: global, of a frame, of each thread; what pointers lead to
 *   symbols_types.c    members and elements */
#ifndef HD_INSTRUMENT_SYMBOLS_H
#define HD_INSTRUMENT_SYMBOLS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "instrument/instrument.h"

typedef struct hd_symbols_module
{
  char *path;
  uint64_t low, high;
  bool reported;
} hd_symbols_module;

struct hd_symbols
{
  Dwfl *dwfl;
  hd_symbols_module *modules;
  size_t n, cap;
  hd_arena *names;
  char here[4096]; /* the current folder, with a slash at its end */
};

/* What libdw knows about the module of ADDRESS, opened when it is first needed; NULL: nothing. */
Dwfl_Module *hd_symbols_open(hd_symbols *s, uint64_t address, hd_symbols_module **found);
/* Was it compiled by heddle-cc? What goes on in other libraries is not seen: what has the name of a function there is
 * none of the program's. */
bool hd_symbols_watched(Dwfl_Module *m);
/* A copy that lives as long as S. */
const char *hd_symbols_keep(hd_symbols *s, const char *text);
/* The same for the name of a source file, which becomes relative to the current folder; NULL for NULL. */
const char *hd_symbols_file(hd_symbols *s, const char *file);
/* Also of what is only a reference to its declaration. */
const char *hd_symbols_die_name(Dwarf_Die *die);
/* The address of a global variable, as the debug information counts; does each thread have its own? */
bool hd_symbols_die_address(Dwarf_Die *die, uint64_t *address);
bool hd_symbols_die_own(Dwarf_Die *die);
/* The compilation unit of PC. Not every compiler writes the table that would say so at once. */
Dwarf_Die *hd_symbols_unit(Dwfl_Module *m, uint64_t pc, Dwarf_Addr *bias);

/* ---- types ---- */

/* The type of DIE without its typedefs and qualifiers. False: it has none (void). */
bool hd_symbols_type(Dwarf_Die *die, Dwarf_Die *type);
/* In bytes; 0: not known. */
uint64_t hd_symbols_size(Dwarf_Die *type);
/* The bits of a bit-field, from the beginning of its structure; false: MEMBER is none. */
bool hd_symbols_bit_field(Dwarf_Die *member, uint64_t *first, uint64_t *bits);
/* The element or member of *TYPE at *OFFSET, down to what is no bigger than SIZE: its name is added, "[3].lock", *TYPE
 * becomes its type and *OFFSET what is left. */
void hd_symbols_member(Dwarf_Die *type, uint64_t *offset, uint64_t size, hd_string *name);

#endif
