/* symbols_types.c: the member or element of a type that lies at an offset, as one writes it in C. */
#include "instrument/symbols.h"

#include <inttypes.h>

enum
{
  DEPTH = 32, /* of types in each other */
  DIMENSIONS = 8
};

bool
hd_symbols_type(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL
         && dwarf_peel_type(type, type) == 0;
}

uint64_t
hd_symbols_size(Dwarf_Die *type)
{
  Dwarf_Word bytes;
  return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static bool
number(Dwarf_Die *die, unsigned name, uint64_t *value)
{
  Dwarf_Attribute attribute;
  Dwarf_Word word;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
    return false;
  *value = word;
  return true;
}

/* ---- arrays ---- */

/* The indices of an element. Only the first dimension may have no length. False: what has ELEMENTS of them there is a
 * whole row, whose indices these are. */
static bool
put_indices(Dwarf_Die *array, uint64_t element, uint64_t elements, hd_string *name)
{
  Dwarf_Die child;
  uint64_t lengths[DIMENSIONS], strides[DIMENSIONS], bound;
  size_t n = 0;
  if (dwarf_child(array, &child) == 0)
    do
      if (dwarf_tag(&child) == DW_TAG_subrange_type && n < DIMENSIONS)
      {
        lengths[n] = 0;
        if (!number(&child, DW_AT_count, &lengths[n]) && number(&child, DW_AT_upper_bound, &bound))
          lengths[n] = bound + 1;
        n++;
      }
    while (dwarf_siblingof(&child, &child) == 0);
  uint64_t all = 1;
  for (size_t i = n; i-- > 0;)
  {
    strides[i] = all;
    all *= lengths[i] ? lengths[i] : 1;
  }
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(name, "[%" PRIu64 "]", element / strides[i]);
    element %= strides[i];
    if (strides[i] > 1 && element == 0 && elements >= strides[i])
      return false;
  }
  if (!n)
    hd_string_printf(name, "[%" PRIu64 "]", element);
  return true;
}

/* ---- structures and unions ---- */

bool
hd_symbols_bit_field(Dwarf_Die *member, uint64_t *first, uint64_t *bits)
{
  uint64_t at = 0, size, from_left;
  Dwarf_Die type;
  if (!number(member, DW_AT_bit_size, bits))
    return false;
  if (number(member, DW_AT_data_bit_offset, first))
    return true;
  /* Before DWARF 4: counted from the most significant bit of the unit that it lies in. */
  number(member, DW_AT_data_member_location, &at);
  if (!number(member, DW_AT_byte_size, &size))
    size = hd_symbols_type(member, &type) ? hd_symbols_size(&type) : 0;
  if (!number(member, DW_AT_bit_offset, &from_left))
    from_left = 0;
  *first = 8 * at + 8 * size - from_left - *bits;
  return true;
}

/* The bit-fields that an access of SIZE bytes at OFFSET touches: "busy" or "{ready, busy}": they share memory. */
static bool
put_bit_fields(Dwarf_Die *type, uint64_t offset, uint64_t size, hd_string *name)
{
  Dwarf_Die child;
  uint64_t first, bits;
  size_t n = 0, start = name->length;
  if (dwarf_child(type, &child) != 0)
    return false;
  do
    if (dwarf_tag(&child) == DW_TAG_member && hd_symbols_bit_field(&child, &first, &bits) && first < 8 * (offset + size)
        && first + bits > 8 * offset && dwarf_diename(&child))
      hd_string_printf(name, "%s%s", n++ ? ", " : "", dwarf_diename(&child));
  while (dwarf_siblingof(&child, &child) == 0);
  if (!n)
    return false;
  hd_string list = {0};
  hd_string_add(&list, name->text + start);
  name->length = start;
  name->text[start] = 0;
  hd_string_printf(name, n > 1 ? ".{%s}" : ".%s", list.text);
  hd_string_free(&list);
  return true;
}

/* Is there something of SIZE bytes at OFFSET? */
static bool
has_piece(Dwarf_Die type, uint64_t offset, uint64_t size)
{
  hd_string name = {0};
  hd_symbols_member(&type, &offset, size, &name);
  hd_string_free(&name);
  return offset == 0 && hd_symbols_size(&type) == size;
}

/* The member of TYPE that OFFSET lies in; of a union the first that has something of SIZE bytes there, else the first.
 */
static bool
find_member(Dwarf_Die *type, uint64_t offset, uint64_t size, Dwarf_Die *member, uint64_t *at)
{
  Dwarf_Die child, inner;
  bool found = false;
  if (dwarf_child(type, &child) != 0)
    return false;
  do
  {
    int tag = dwarf_tag(&child);
    uint64_t start = 0, bits, first;
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !hd_symbols_type(&child, &inner)
        || hd_symbols_bit_field(&child, &first, &bits))
      continue;
    number(&child, DW_AT_data_member_location, &start);
    uint64_t bytes = hd_symbols_size(&inner);
    bool flexible = dwarf_tag(&inner) == DW_TAG_array_type && bytes == 0;
    if (offset < start || (offset - start >= bytes && !flexible))
      continue;
    bool fits = dwarf_tag(type) != DW_TAG_union_type || has_piece(inner, offset - start, size);
    if (found && !fits)
      continue;
    *member = child;
    *at = start;
    if (fits)
      return true;
    found = true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return found;
}

void
hd_symbols_member(Dwarf_Die *type, uint64_t *offset, uint64_t size, hd_string *name)
{
  for (int depth = 0; depth < DEPTH; depth++)
  {
    Dwarf_Die inner, member;
    uint64_t at = 0;
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_array_type)
    {
      uint64_t bytes = hd_symbols_type(type, &inner) ? hd_symbols_size(&inner) : 0;
      if (!bytes || (size > bytes && *offset == 0 && size >= hd_symbols_size(type)))
        return; /* all of it */
      if (!put_indices(type, *offset / bytes, size / bytes, name))
      {
        *offset %= bytes;
        return;
      }
      *offset %= bytes;
      *type = inner;
      continue;
    }
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_class_type)
        || put_bit_fields(type, *offset, size, name) || !find_member(type, *offset, size, &member, &at)
        || !hd_symbols_type(&member, &inner))
      return;
    if (*offset == 0 && size >= hd_symbols_size(type) && size > hd_symbols_size(&inner))
      return; /* all of it */
    const char *plain = dwarf_tag(&member) == DW_TAG_inheritance ? NULL : dwarf_diename(&member);
    if (plain)
      hd_string_printf(name, ".%s", plain);
    *type = inner;
    *offset -= at;
  }
}
