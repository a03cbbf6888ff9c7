/* lookup_data.c: from the name of a variable, with members and elements, to its address and type:
 * "accounts[2].balance". Pointers are not followed: what they point to changes while the program runs. */
#include "instrument/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct search
{
  const char *name;
  size_t length;
  uint64_t bias;
  size_t n;           /* found */
  Dwarf_Die variable; /* the last of them */
  uint64_t address;
  bool own;         /* each thread has one */
  hd_string places; /* of all: " at a.c:3" */
  unsigned best;    /* how far from the name */
  hd_string like;   /* what is nearest to it */
  bool gone;        /* the compiler left it out */
} search;

/* ---- what was meant ---- */

/* How many letters have to be changed, added or left out to make B of the N letters at A; FAR: more than a few. */
static unsigned
distance(const char *a, size_t n, const char *b)
{
  enum
  {
    LONGEST = 63,
    FAR = 1000
  };
  size_t m = strlen(b);
  unsigned row[LONGEST + 1];
  if (n > LONGEST || m > LONGEST)
    return FAR;
  for (size_t k = 0; k <= m; k++)
    row[k] = (unsigned) k;
  for (size_t i = 1; i <= n; i++)
  {
    unsigned corner = row[0];
    row[0] = (unsigned) i;
    for (size_t k = 1; k <= m; k++)
    {
      unsigned change = corner + (a[i - 1] != b[k - 1]), least = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;
      corner = row[k];
      row[k] = change < least ? change : least;
    }
  }
  return row[m] <= 1 + n / 3 ? row[m] : FAR;
}

static void
consider(search *s, const char *name)
{
  unsigned d = distance(s->name, s->length, name);
  if (d >= s->best)
    return;
  s->best = d;
  hd_string_clear(&s->like);
  hd_string_add(&s->like, name);
}

/* ---- variables ---- */

static void
look_at_variable(hd_symbols *symbols, search *s, Dwarf_Die *die)
{
  const char *name = hd_symbols_die_name(die);
  uint64_t address = 0;
  bool own = false, there = name && (hd_symbols_die_address(die, &address) || (own = hd_symbols_die_own(die)));
  bool same = name && strlen(name) == s->length && memcmp(name, s->name, s->length) == 0;
  int line = 0;
  if (!there || !same)
  {
    /* A declaration has no place either; a variable that the compiler has no use for has none any more. */
    s->gone = s->gone || (same && !dwarf_hasattr(die, DW_AT_declaration));
    if (there)
      consider(s, name);
    return;
  }
  if (s->n && s->address == address + s->bias && !own)
    return; /* the same, told by another unit */
  s->n++;
  s->variable = *die;
  s->address = address + s->bias;
  s->own = own;
  dwarf_decl_line(die, &line);
  hd_string_printf(&s->places, "%s%s:%d", s->n > 1 ? ", " : "", hd_symbols_file(symbols, dwarf_decl_file(die)), line);
}

/* Variables of the program come first: those of libraries count if it has none of that name. */
static void
find_variable(hd_symbols *symbols, search *s)
{
  for (size_t i = 0; i < symbols->n && s->n == 0; i++)
  {
    hd_symbols_module *ignored;
    Dwfl_Module *m = hd_symbols_open(symbols, symbols->modules[i].low, &ignored);
    for (Dwarf_Die *cu = NULL; m && (cu = dwfl_module_nextcu(m, cu, &s->bias)) != NULL;)
    {
      Dwarf_Die child;
      if (dwarf_child(cu, &child) == 0)
        do
          if (dwarf_tag(&child) == DW_TAG_variable)
            look_at_variable(symbols, s, &child);
        while (dwarf_siblingof(&child, &child) == 0);
    }
  }
}

/* ---- members and elements ---- */

static bool
number_of(Dwarf_Die *die, unsigned name, uint64_t *value)
{
  Dwarf_Attribute attribute;
  Dwarf_Word word;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
    return false;
  *value = word;
  return true;
}

/* Member NAME of *TYPE, also of structures in it that have no name. */
static bool
find_member(Dwarf_Die *type, search *s, hd_symbols_variable *out)
{
  Dwarf_Die child, inner;
  if (dwarf_child(type, &child) != 0)
    return false;
  do
  {
    uint64_t at = 0, bit;
    if (dwarf_tag(&child) != DW_TAG_member || !hd_symbols_type(&child, &inner))
      continue;
    const char *name = dwarf_diename(&child);
    number_of(&child, DW_AT_data_member_location, &at);
    if (!name)
    {
      hd_symbols_variable deeper = *out;
      deeper.address += at;
      if (!find_member(&inner, s, &deeper))
        continue;
      *out = deeper;
      *type = inner;
      return true;
    }
    if (strlen(name) != s->length || memcmp(name, s->name, s->length) != 0)
    {
      consider(s, name);
      continue;
    }
    uint64_t bits;
    if (hd_symbols_bit_field(&child, &bit, &bits))
    {
      /* From the first byte that has a bit of it. */
      at = bit / 8;
      out->from = (unsigned) (bit % 8);
      out->bits = (unsigned) bits;
    }
    out->address += at;
    *type = inner;
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/* The lengths of the dimensions of ARRAY; 0: not known. */
static size_t
dimensions(Dwarf_Die *array, uint64_t *lengths, size_t max)
{
  Dwarf_Die child;
  size_t n = 0;
  uint64_t bound;
  if (dwarf_child(array, &child) != 0)
    return 0;
  do
    if (dwarf_tag(&child) == DW_TAG_subrange_type && n < max)
    {
      lengths[n] = 0;
      if (!number_of(&child, DW_AT_count, &lengths[n]) && number_of(&child, DW_AT_upper_bound, &bound))
        lengths[n] = bound + 1;
      n++;
    }
  while (dwarf_siblingof(&child, &child) == 0);
  return n;
}

/* The element at *PATH, "[2][3]", as many indices as ARRAY has dimensions. */
static bool
find_element(Dwarf_Die *type, const char *whole, const char **path, hd_symbols_variable *out, hd_string *error)
{
  enum
  {
    DIMENSIONS = 8
  };
  uint64_t lengths[DIMENSIONS], at = 0;
  Dwarf_Die element;
  size_t n = dimensions(type, lengths, DIMENSIONS);
  if (n == 0 || !hd_symbols_type(type, &element))
    return false;
  for (size_t i = 0; i < n; i++)
  {
    if (**path != '[')
    {
      hd_string_printf(error, "'%.*s' needs %zu indices", (int) (*path - whole), whole, n);
      return false;
    }
    char *end;
    uint64_t index = strtoull(*path + 1, &end, 10);
    if (lengths[i] && index >= lengths[i])
    {
      hd_string_printf(error, "'%.*s' has %" PRIu64 " elements, and there is none [%" PRIu64 "]", (int) (*path - whole),
                       whole, lengths[i], index);
      return false;
    }
    at = at * (i && lengths[i] ? lengths[i] : 1) + index;
    *path = end + (*end == ']');
  }
  out->address += at * hd_symbols_size(&element);
  *type = element;
  return true;
}

/* ---- types ---- */

static bool
is_character(Dwarf_Die *type)
{
  uint64_t encoding;
  return dwarf_tag(type) == DW_TAG_base_type && hd_symbols_size(type) == 1 && number_of(type, DW_AT_encoding, &encoding)
         && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static char
kind_of(Dwarf_Die *type)
{
  uint64_t encoding = 0;
  Dwarf_Die inner;
  switch (dwarf_tag(type))
  {
  case DW_TAG_base_type:
    number_of(type, DW_AT_encoding, &encoding);
    if (encoding == DW_ATE_boolean)
      return 'b';
    if (encoding == DW_ATE_float)
      return 'f';
    return encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF ? 'u' : 'i';
  case DW_TAG_enumeration_type:
    return 'i';
  case DW_TAG_pointer_type:
    return hd_symbols_type(type, &inner) && is_character(&inner) ? 's' : 'u';
  case DW_TAG_array_type:
    return hd_symbols_type(type, &inner) && is_character(&inner) ? 'c' : '-';
  default:
    return '-';
  }
}

/* ---- all of it ---- */

static void
suggest(hd_string *error, const search *s)
{
  if (s->like.length)
    hd_string_printf(error, "; did you mean '%s'?", s->like.text);
}

static bool
follow(Dwarf_Die *type, const char *whole, const char *path, hd_symbols_variable *out, hd_string *error)
{
  while (*path)
  {
    int tag = dwarf_tag(type);
    const char *before = path;
    if (*path == '[' && tag == DW_TAG_array_type)
    {
      if (!find_element(type, whole, &path, out, error))
        break;
      continue;
    }
    if (*path == '[' || (tag != DW_TAG_structure_type && tag != DW_TAG_union_type))
    {
      hd_string_printf(error, "'%.*s' has no %s%s", (int) (before - whole), whole,
                       *path == '[' ? "elements" : "members",
                       tag == DW_TAG_pointer_type ? ": it is a pointer, and pointers are not followed" : "");
      break;
    }
    path++;
    search s = {.name = path, .length = strcspn(path, ".["), .best = 100};
    path += s.length;
    bool good = find_member(type, &s, out);
    if (!good)
    {
      hd_string_printf(error, "'%.*s' has no member '%.*s'", (int) (before - whole), whole, (int) s.length, s.name);
      suggest(error, &s);
    }
    hd_string_free(&s.like);
    if (!good)
      break;
  }
  if (error->length == 0 && *path)
    hd_string_printf(error, "'%s' cannot be found", whole);
  return error->length == 0;
}

bool
hd_symbols_lookup(hd_symbols *symbols, const char *path, hd_symbols_variable *out, hd_string *error)
{
  search s = {.name = path, .length = strcspn(path, ".["), .best = 100};
  Dwarf_Die type;
  *out = (hd_symbols_variable){0};
  find_variable(symbols, &s);
  if (s.n == 0 && s.gone)
    hd_string_printf(error, "the compiler has left '%.*s' out of the program, as nothing there needs it in memory",
                     (int) s.length, path);
  else if (s.n == 0)
  {
    hd_string_printf(error, "there is no variable '%.*s' in the program", (int) s.length, path);
    suggest(error, &s);
  }
  else if (s.n > 1)
    hd_string_printf(error, "there are %zu variables '%.*s' (%s); a property cannot say which is meant", s.n,
                     (int) s.length, path, s.places.text);
  else if (s.own)
    hd_string_printf(error, "each thread has its own '%.*s' (%s); a shared variable is the same for all",
                     (int) s.length, path, s.places.text);
  else if (!hd_symbols_type(&s.variable, &type))
    hd_string_printf(error, "the type of '%.*s' is not known", (int) s.length, path);
  else
  {
    out->address = s.address;
    follow(&type, path, path + s.length, out, error);
  }
  if (error->length == 0)
  {
    out->size = out->bits ? (out->from + out->bits + 7) / 8 : hd_symbols_size(&type);
    out->kind = kind_of(&type);
    const char *name = dwarf_diename(&type);
    out->type = name ? hd_symbols_keep(symbols, name) : NULL;
    if (out->size == 0)
      hd_string_printf(error, "the size of '%s' is not known", path);
  }
  hd_string_free(&s.places);
  hd_string_free(&s.like);
  return error->length == 0;
}

/* ---- functions that were meant ---- */

static int
consider_function(Dwarf_Die *die, void *context)
{
  const char *name = hd_symbols_die_name(die);
  if (name)
    consider(context, name);
  return DWARF_CB_OK;
}

const char *
hd_symbols_suggest_function(hd_symbols *symbols, const char *name)
{
  search s = {.name = name, .length = strlen(name), .best = 100};
  for (size_t i = 0; i < symbols->n; i++)
  {
    hd_symbols_module *ignored;
    Dwfl_Module *m = hd_symbols_open(symbols, symbols->modules[i].low, &ignored);
    if (!m || !hd_symbols_watched(m))
      continue;
    for (Dwarf_Die *cu = NULL; (cu = dwfl_module_nextcu(m, cu, &s.bias)) != NULL;)
      dwarf_getfuncs(cu, consider_function, &s, 0);
  }
  const char *like = s.like.length ? hd_symbols_keep(symbols, s.like.text) : NULL;
  hd_string_free(&s.like);
  return like;
}
