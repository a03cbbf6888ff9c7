/* names.c: hash tables from names to declarations, and finding them in a program.
 *
 * Open addressing, powers of two, at most half full; nothing is ever taken out but by building the table anew. */
#include <stdlib.h>
#include <string.h>

#include "boogie/front.h"
#include "boogie/program.h"

typedef struct entry
{
  const char *name; /* null: free */
  size_t n;
  uint64_t hash;
  void *value;
} entry;

struct hd_boogie_table
{
  entry *entries;
  size_t n, size;
};

hd_boogie_table *
hd_boogie_table_new(void)
{
  return hd_alloc_zero(sizeof(hd_boogie_table));
}

void
hd_boogie_table_free(hd_boogie_table *t)
{
  if (!t)
    return;
  free(t->entries);
  free(t);
}

static entry *
place(const hd_boogie_table *t, const char *name, size_t n, uint64_t hash)
{
  size_t i = (size_t) hash & (t->size - 1);
  while (t->entries[i].name
         && (t->entries[i].hash != hash || t->entries[i].n != n || memcmp(t->entries[i].name, name, n)))
    i = (i + 1) & (t->size - 1);
  return &t->entries[i];
}

void *
hd_boogie_table_get(const hd_boogie_table *t, const char *name, size_t n)
{
  return t->size ? place(t, name, n, hd_hash_bytes(name, n))->value : NULL;
}

static void
grow(hd_boogie_table *t)
{
  hd_boogie_table larger = {.size = t->size ? t->size * 2 : 64, .n = t->n};
  larger.entries = hd_alloc_zero(larger.size * sizeof(entry));
  for (size_t i = 0; i < t->size; i++)
    if (t->entries[i].name)
      *place(&larger, t->entries[i].name, t->entries[i].n, t->entries[i].hash) = t->entries[i];
  free(t->entries);
  *t = larger;
}

void
hd_boogie_table_set(hd_boogie_table *t, const char *name, size_t n, void *value)
{
  if (2 * (t->n + 1) > t->size)
    grow(t);
  uint64_t hash = hd_hash_bytes(name, n);
  entry *e = place(t, name, n, hash);
  t->n += !e->name;
  *e = (entry){.name = name, .n = n, .hash = hash, .value = value};
}

hd_boogie_program_names *
hd_boogie_names_new(void)
{
  hd_boogie_program_names *names = hd_alloc_zero(sizeof *names);
  names->types = hd_boogie_table_new();
  names->vars = hd_boogie_table_new();
  names->functions = hd_boogie_table_new();
  names->procs = hd_boogie_table_new();
  names->texts = hd_boogie_table_new();
  return names;
}

void
hd_boogie_names_free(hd_boogie_program_names *names)
{
  if (!names)
    return;
  hd_boogie_table_free(names->types);
  hd_boogie_table_free(names->vars);
  hd_boogie_table_free(names->functions);
  hd_boogie_table_free(names->procs);
  hd_boogie_table_free(names->texts);
  free(names);
}

void
hd_boogie_names_add(hd_boogie_program *p, const hd_boogie_decl *d)
{
  hd_boogie_program_names *names = p->names;
  hd_boogie_table *t = NULL;
  const char *name = NULL;
  void *value = NULL;
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    t = names->types, name = d->type->name, value = d->type;
    break;
  case HD_BOOGIE_DECL_VAR:
    t = names->vars, name = d->var->name, value = d->var;
    break;
  case HD_BOOGIE_DECL_FUNCTION:
    t = names->functions, name = d->function->name, value = d->function;
    break;
  case HD_BOOGIE_DECL_PROC:
    t = names->procs, name = d->proc->name, value = d->proc;
    break;
  case HD_BOOGIE_DECL_AXIOM:
  case HD_BOOGIE_DECL_IMPL:
    return;
  }
  size_t n = strlen(name);
  if (!hd_boogie_table_get(t, name, n)) /* the first of two with one name is found; the resolver says so */
    hd_boogie_table_set(t, name, n, value);
}

hd_boogie_type_decl *
hd_boogie_find_type(const hd_boogie_program *p, const char *name)
{
  const hd_boogie_program_names *names = p->names;
  return hd_boogie_table_get(names->types, name, strlen(name));
}

hd_boogie_var *
hd_boogie_find_var(const hd_boogie_program *p, const char *name)
{
  const hd_boogie_program_names *names = p->names;
  return hd_boogie_table_get(names->vars, name, strlen(name));
}

hd_boogie_function *
hd_boogie_find_function(const hd_boogie_program *p, const char *name)
{
  const hd_boogie_program_names *names = p->names;
  return hd_boogie_table_get(names->functions, name, strlen(name));
}

hd_boogie_proc *
hd_boogie_find_proc(const hd_boogie_program *p, const char *name)
{
  const hd_boogie_program_names *names = p->names;
  return hd_boogie_table_get(names->procs, name, strlen(name));
}

const char *
hd_boogie_copy_text(hd_boogie_program *p, const char *text, size_t n)
{
  hd_boogie_program_names *names = p->names;
  char *known = hd_boogie_table_get(names->texts, text, n);
  if (known)
    return known;
  char *copy = hd_arena_alloc(p->arena, n + 1);
  memcpy(copy, text, n);
  copy[n] = 0;
  hd_boogie_table_set(names->texts, copy, n, copy);
  return copy;
}
