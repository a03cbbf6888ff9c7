/* term.c: universes of hash-consed sorts and terms; names that do not collide.
 *
 * Nothing is ever removed from a universe: it is made for one condition and freed with it. */
#include <string.h>

#include "smt/term.h"

/* Words that a declaration may not take: of SMT-LIB and of the theories that are used. */
static const char *const reserved[] = {
    "_",
    "!",
    "Array",
    "Bool",
    "Int",
    "Real",
    "String",
    "Seq",
    "List",
    "RegLan",
    "BitVec",
    "FloatingPoint",
    "RoundingMode",
    "NUMERAL",
    "DECIMAL",
    "STRING",
    "BINARY",
    "HEXADECIMAL",
    "and",
    "or",
    "not",
    "xor",
    "ite",
    "if",
    "let",
    "par",
    "as",
    "true",
    "false",
    "distinct",
    "forall",
    "exists",
    "match",
    "implies",
    "iff",
    "select",
    "store",
    "const",
    "map",
    "default",
    "union",
    "intersection",
    "intersect",
    "setminus",
    "complement",
    "subset",
    "member",
    "card",
    "insert",
    "singleton",
    "is",
    "div",
    "mod",
    "rem",
    "abs",
    "to_real",
    "to_int",
    "is_int",
    "divisible",
    "assert",
    "push",
    "pop",
    "check-sat",
    "declare-fun",
    "declare-sort",
    "declare-const",
    "define-fun",
    "define-sort",
    "exit",
    "reset",
    "echo",
    "lambda",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "pi",
    "euler",
    "exp",
    "sqrt",
    "concat",
    "extract",
    "head",
    "tail",
    "nil",
    "cons",
    "Nil",
    "char",
    "sep",
    "emp",
    "wand",
    "pto",
    "tuple",
    "bag",
    "update",
    "eqrange",
    "real.pi",
    "interp",
    "lblpos",
    "lblneg",
    "rec",
    "set",
    "sum",
    "iand",
    "bvadd",
    "bvsub",
    "bvmul",
    "bvand",
    "bvor",
    "bvnot",
    "bvneg",
    "bvxor",
    "fp",
    "NaN",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "model-add",
};

static uint64_t
hash_name(const char *name)
{
  return hd_hash_bytes(name, strlen(name));
}

/* The place of NAME in the table of names: it is there, or the place is empty. */
static size_t
find_name(const hd_smt *u, const char *name)
{
  size_t i = hash_name(name) & (u->names_cap - 1);
  while (u->names[i] && strcmp(u->names[i], name) != 0)
    i = (i + 1) & (u->names_cap - 1);
  return i;
}

static void
take_name(hd_smt *u, const char *name)
{
  if (2 * (u->nnames + 1) > u->names_cap)
  {
    const char **old = u->names;
    size_t n = u->names_cap;
    u->names_cap = n ? 2 * n : 1024;
    u->names = hd_alloc_zero(u->names_cap * sizeof *u->names);
    for (size_t i = 0; i < n; i++)
      if (old[i])
        u->names[find_name(u, old[i])] = old[i];
    free(old);
  }
  u->names[find_name(u, name)] = name;
  u->nnames++;
}

const char *
hd_smt_fresh(hd_smt *u, const char *name)
{
  size_t n = strlen(name), k = 0;
  char *copy = hd_arena_alloc(u->arena, n + 24);
  memcpy(copy, name, n + 1);
  /* Neither may stand between bars; programs hardly ever have them. */
  for (char *p = copy; *p; p++)
    if (*p == '|' || *p == '\\')
      *p = '_';
  /* Names that begin like the printer's own, or as SMT-LIB keeps to itself, get something before them. */
  if (!*copy || *copy == '$' || *copy == '@' || *copy == '.')
  {
    memmove(copy + 2, copy, n + 1);
    copy[0] = 'q';
    copy[1] = '!';
    n += 2;
  }
  while (u->names_cap && u->names[find_name(u, copy)])
    sprintf(copy + n, "@@%zu", k++);
  take_name(u, copy);
  return copy;
}

hd_smt *
hd_smt_new(void)
{
  hd_smt *u = hd_alloc_zero(sizeof *u);
  u->arena = hd_arena_new();
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    take_name(u, reserved[i]);
  static const char *const basic[] = {"Bool", "Int", "Real"};
  for (size_t i = 0; i < 3; i++)
  {
    u->basic[i] = (hd_smt_sort){.kind = (hd_smt_sort_kind) i, .id = (uint32_t) i, .name = basic[i]};
    u->nsorts++;
  }
  return u;
}

void
hd_smt_free(hd_smt *u)
{
  if (!u)
    return;
  hd_arena_free(u->arena);
  free(u->names);
  free(u->arrays);
  free(u->known);
  free(u->table);
  free(u->terms);
  free(u->quantifiers);
  free(u);
}

hd_arena *
hd_smt_arena(hd_smt *u)
{
  return u->arena;
}

size_t
hd_smt_size(const hd_smt *u)
{
  return u->nterms;
}

const hd_smt_sort *
hd_smt_basic(hd_smt *u, hd_smt_sort_kind kind)
{
  HD_CHECK(kind <= HD_SMT_REAL);
  return &u->basic[kind];
}

static hd_smt_sort *
new_sort(hd_smt *u, hd_smt_sort_kind kind)
{
  hd_smt_sort *s = hd_arena_alloc(u->arena, sizeof *s);
  *s = (hd_smt_sort){.kind = kind, .id = u->nsorts++};
  return s;
}

const hd_smt_sort *
hd_smt_array(hd_smt *u, const hd_smt_sort *index, const hd_smt_sort *value)
{
  /* There are few of them. */
  for (size_t i = 0; i < u->narrays; i++)
    if (u->arrays[i]->index == index && u->arrays[i]->value == value)
      return u->arrays[i];
  hd_smt_sort *s = new_sort(u, HD_SMT_ARRAY);
  s->index = index;
  s->value = value;
  HD_PUSH(u->arrays, u->narrays, u->arrays_cap, s);
  return s;
}

const hd_smt_sort *
hd_smt_known(hd_smt *u, const char *name)
{
  for (size_t i = 0; i < u->nknown; i++)
    if (strcmp(u->known[i]->name, name) == 0)
      return u->known[i];
  size_t n = strlen(name) + 1;
  hd_smt_sort *s = new_sort(u, HD_SMT_KNOWN);
  s->name = memcpy(hd_arena_alloc(u->arena, n), name, n);
  HD_PUSH(u->known, u->nknown, u->known_cap, s);
  return s;
}

const hd_smt_sort *
hd_smt_named(hd_smt *u, const char *name)
{
  hd_smt_sort *s = new_sort(u, HD_SMT_NAMED);
  s->name = hd_smt_fresh(u, name);
  return s;
}

static hd_smt_symbol *
new_symbol(hd_smt *u, hd_smt_symbol_kind kind, const char *name, const hd_smt_sort *sort, size_t nargs,
           const hd_smt_sort *const *args)
{
  hd_smt_symbol *f = hd_arena_alloc(u->arena, sizeof *f);
  const hd_smt_sort **copy = NULL;
  if (nargs)
    copy = memcpy(hd_arena_alloc(u->arena, nargs * sizeof *copy), args, nargs * sizeof *copy);
  *f = (hd_smt_symbol){.kind = kind, .id = u->nsymbols++, .name = name, .sort = sort, .nargs = nargs, .args = copy};
  return f;
}

const hd_smt_symbol *
hd_smt_function(hd_smt *u, const char *name, const hd_smt_sort *sort, size_t nargs, const hd_smt_sort *const *args)
{
  return new_symbol(u, HD_SMT_FUNCTION, hd_smt_fresh(u, name), sort, nargs, args);
}

const hd_smt_symbol *
hd_smt_builtin(hd_smt *u, const char *name, const hd_smt_sort *sort, size_t nargs, const hd_smt_sort *const *args)
{
  size_t n = strlen(name) + 1;
  return new_symbol(u, HD_SMT_BUILTIN, memcpy(hd_arena_alloc(u->arena, n), name, n), sort, nargs, args);
}

const hd_smt_symbol *
hd_smt_bound(hd_smt *u, const char *name, const hd_smt_sort *sort, uint32_t level)
{
  HD_CHECK(level < HD_SMT_MOST_LEVELS);
  hd_smt_symbol *f = new_symbol(u, HD_SMT_BOUND, hd_smt_fresh(u, name), sort, 0, NULL);
  f->level = level;
  return f;
}

hd_smt_datatype *
hd_smt_datatype_new(hd_smt *u, const hd_smt_sort *sort, size_t n)
{
  hd_smt_datatype *d = hd_arena_alloc(u->arena, sizeof *d);
  *d = (hd_smt_datatype){.sort = sort, .nconstructors = n};
  d->constructors = hd_arena_alloc(u->arena, n * sizeof *d->constructors);
  /* The sort was made by new_sort and is ours to change. */
  ((hd_smt_sort *) (uintptr_t) sort)->datatype = d;
  return d;
}

void
hd_smt_constructor_set(hd_smt *u, hd_smt_datatype *d, size_t i, const char *name, size_t nfields,
                       const char *const *fields, const hd_smt_sort *const *sorts)
{
  hd_smt_constructor *c = &d->constructors[i];
  hd_smt_symbol *make = new_symbol(u, HD_SMT_CONSTRUCTOR, hd_smt_fresh(u, name), d->sort, nfields, sorts);
  make->owner = d->sort;
  hd_string test = {0};
  hd_string_add(&test, "(_ is ");
  hd_smt_print_name(&test, make->name);
  hd_string_add(&test, ")");
  char *copy = memcpy(hd_arena_alloc(u->arena, test.length + 1), test.text, test.length + 1);
  hd_string_free(&test);
  hd_smt_symbol *is = new_symbol(u, HD_SMT_TESTER, copy, hd_smt_basic(u, HD_SMT_BOOL), 1, &d->sort);
  is->owner = d->sort;
  *c = (hd_smt_constructor){.make = make, .is = is, .nfields = nfields};
  c->fields = hd_arena_alloc(u->arena, (nfields ? nfields : 1) * sizeof *c->fields);
  for (size_t j = 0; j < nfields; j++)
  {
    hd_smt_symbol *f = new_symbol(u, HD_SMT_SELECTOR, hd_smt_fresh(u, fields[j]), sorts[j], 1, &d->sort);
    f->owner = d->sort;
    c->fields[j] = f;
  }
}

static uint64_t
hash_term(const hd_smt_term *t)
{
  uint64_t h = hd_mix(t->op * 31 + t->sort->id);
  if (t->symbol)
    h = hd_mix(h ^ t->symbol->id);
  if (t->text)
    h = hd_mix(h ^ hash_name(t->text));
  if (t->quantifier)
    h = hd_mix(h ^ (uintptr_t) t->quantifier);
  for (uint32_t i = 0; i < t->nargs; i++)
    h = hd_mix(h ^ t->args[i]->id) + i;
  return h;
}

static bool
same_term(const hd_smt_term *a, const hd_smt_term *b)
{
  return a->op == b->op && a->sort == b->sort && a->symbol == b->symbol && a->quantifier == b->quantifier
         && a->nargs == b->nargs && (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0))
         && (a->nargs == 0 || memcmp(a->args, b->args, a->nargs * sizeof *a->args) == 0);
}

static size_t
find_term(const hd_smt *u, const hd_smt_term *t)
{
  size_t i = hash_term(t) & (u->table_cap - 1);
  while (u->table[i] && !same_term(u->table[i], t))
    i = (i + 1) & (u->table_cap - 1);
  return i;
}

static uint64_t
free_levels(const hd_smt_term *t)
{
  uint64_t levels = 0;
  for (uint32_t i = 0; i < t->nargs; i++)
    levels |= t->args[i]->levels;
  if (t->symbol && t->symbol->kind == HD_SMT_BOUND)
    levels |= 1ull << t->symbol->level;
  for (size_t i = 0; t->quantifier && i < t->quantifier->nvars; i++)
    levels &= ~(1ull << t->quantifier->vars[i]->level);
  return levels;
}

const hd_smt_term *
hd_smt_intern(hd_smt *u, hd_smt_op op, const hd_smt_sort *sort, const hd_smt_symbol *symbol, const char *text,
              const hd_smt_quantifier *quantifier, size_t n, const hd_smt_term *const *args)
{
  if (2 * (u->nterms + 1) > u->table_cap)
  {
    free(u->table);
    u->table_cap = u->table_cap ? 2 * u->table_cap : 1024;
    u->table = hd_alloc_zero(u->table_cap * sizeof *u->table);
    for (size_t i = 0; i < u->nterms; i++)
      u->table[find_term(u, u->terms[i])] = u->terms[i];
  }
  hd_arena_mark mark = hd_arena_get_mark(u->arena);
  hd_smt_term *t = hd_arena_alloc(u->arena, sizeof *t + n * sizeof *args);
  *t = (hd_smt_term){.op = op,
                     .id = (uint32_t) u->nterms,
                     .sort = sort,
                     .symbol = symbol,
                     .text = text,
                     .quantifier = quantifier,
                     .nargs = (uint32_t) n};
  if (n)
    memcpy(t->args, args, n * sizeof *args);
  size_t place = find_term(u, t);
  if (u->table[place])
  {
    hd_arena_release(u->arena, mark);
    return u->table[place];
  }
  t->levels = free_levels(t);
  u->table[place] = t;
  HD_PUSH(u->terms, u->nterms, u->terms_cap, t);
  return t;
}
