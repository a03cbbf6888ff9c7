/* races_names.c: what the memory of a race is called: a variable with its member or element; what a variable leads to,
 * pointer by pointer; what the block was stored to when it was allocated. */
#include "instrument/races.h"

#include <inttypes.h>
#include <string.h>

const char *
hd_races_read_where(hd_races_where *w, const char *text)
{
  unsigned gone;
  int used = 0;
  *w = (hd_races_where){0};
  if (strncmp(text, "global", 6) == 0)
    return text + 6;
  if (sscanf(text, "stack %" SCNu64 " %u %" SCNx64 " %" SCNx64 " %" SCNx64 "%n", &w->thread, &gone, &w->cfa, &w->sp,
             &w->pc, &used)
      == 5)
  {
    w->kind = HD_RACES_STACK;
    w->gone = gone != 0;
  }
  else if (sscanf(text, "own %" SCNx64 " %" SCNu64 " %" SCNu64 "%n", &w->start, &w->size, &w->thread, &used) == 3)
    w->kind = HD_RACES_OWN;
  else if (sscanf(text, "heap %" SCNx64 " %" SCNu64 " %" SCNu64 "%n", &w->start, &w->size, &w->thread, &used) == 3)
    w->kind = HD_RACES_HEAP;
  else
    return NULL;
  return text + used;
}

static hd_symbols_root
root_of(const hd_races_where *w)
{
  hd_symbols_root root = {.kind = HD_SYMBOLS_GLOBAL};
  if (w->kind == HD_RACES_STACK)
    root = (hd_symbols_root){.kind = HD_SYMBOLS_FRAME, .cfa = w->cfa, .sp = w->sp, .pc = w->pc};
  else if (w->kind == HD_RACES_OWN)
    root = (hd_symbols_root){.kind = HD_SYMBOLS_OWN, .module = w->start, .offset = w->size};
  return root;
}

/* From the variable that holder K is, through those between, to the block. */
static bool
name_by(hd_races_finding *f, hd_symbols *symbols, size_t k)
{
  enum
  {
    STEPS = 16,
    HEADER = 256 /* bytes that an array may begin behind the beginning of its block */
  };
  hd_symbols_step steps[STEPS];
  size_t n = 0;
  const hd_races_holder *h = &f->holders[k];
  hd_symbols_root root = root_of(&h->where);
  for (;; h = &f->holders[h->child - 1])
  {
    const hd_races_where *into = h->child ? &f->holders[h->child - 1].where : &f->where;
    if (n + 1 == STEPS)
      return false;
    steps[n++] = (hd_symbols_step){h->address, h->value, into->start + into->size, h->value > into->start + HEADER};
    if (!h->child)
      break;
  }
  steps[n++] = (hd_symbols_step){.address = f->address};
  return hd_symbols_path(symbols, &root, steps, n, f->bytes, &f->variable, &f->declared);
}

/* Global variables first, then those of threads, then those of functions. */
static bool
name_block(hd_races_finding *f, hd_symbols *symbols, hd_races_where *root)
{
  static const int kinds[] = {HD_RACES_GLOBAL, HD_RACES_OWN, HD_RACES_STACK};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (size_t k = 0; k < f->nholders; k++)
      if ((int) f->holders[k].where.kind == kinds[kind] && name_by(f, symbols, k))
      {
        *root = f->holders[k].where;
        return true;
      }
  size_t n = sizeof f->allocated_at / sizeof *f->allocated_at;
  *root = (hd_races_where){0};
  for (size_t i = 0; i < n && f->allocated_at[i]; i++)
    if (hd_symbols_allocated(symbols, f->allocated_at[i], f->where.size, f->address - f->where.start, f->bytes,
                             &f->variable, &f->declared))
      return true;
  return false;
}

void
hd_races_name(hd_races_finding *f, hd_symbols *symbols, hd_arena *names)
{
  hd_races_where root = f->where;
  hd_symbols_step step = {.address = f->address};
  if (f->where.kind == HD_RACES_HEAP)
    name_block(f, symbols, &root);
  else if (f->where.kind == HD_RACES_GLOBAL)
    hd_symbols_data(symbols, f->address, f->bytes, &f->variable, &f->declared);
  else
  {
    hd_symbols_root from = root_of(&f->where);
    hd_symbols_path(symbols, &from, &step, 1, f->bytes, &f->variable, &f->declared);
  }
  hd_string scope = {0};
  if (f->variable.length && f->declared.function)
    hd_string_printf(&scope, "local of %s", f->declared.function);
  else if (f->variable.length && root.kind == HD_RACES_OWN)
    hd_string_printf(&scope, "of thread %" PRIu64, root.thread);
  if (scope.length)
  {
    char *copy = hd_arena_alloc(names, scope.length + 1);
    memcpy(copy, scope.text, scope.length + 1);
    f->scope = copy;
  }
  hd_string_free(&scope);
}
