/* races_print.c: a race for people. */
#include "instrument/races.h"

#include <inttypes.h>
#include <string.h>

static const hd_races_thread *
thread_of(const hd_races_finding *f, uint64_t id)
{
  for (size_t i = 0; i < f->nthreads; i++)
    if (f->threads[i].id == id)
      return &f->threads[i];
  return NULL;
}

/* "thread 2 (worker)". */
static void
put_thread(hd_string *out, const hd_races_finding *f, uint64_t id)
{
  const hd_races_thread *t = thread_of(f, id);
  if (!id)
    hd_string_add(out, "a thread that is not known");
  else
    hd_string_printf(out, "thread %" PRIu64, id);
  if (t && t->name[0] && strcmp(t->name, "-") != 0)
    hd_string_printf(out, " (%s)", t->name);
  else if (t && t->start)
    hd_string_printf(out, " (%s)", t->start);
  else if (id == 1)
    hd_string_add(out, " (main)");
}

static void
put_frame(hd_string *out, const hd_symbols_frame *f)
{
  if (f->file)
    hd_string_printf(out, "%s:%d", f->file, f->line);
  else
    hd_string_printf(out, "%s+0x%" PRIx64, f->module ? f->module : "?", f->offset);
  if (f->function)
    hd_string_printf(out, " (%s)", f->function);
}

static void
put_stack(hd_string *out, const hd_symbols_frame *frames, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? "      called from " : "      at ");
    put_frame(out, &frames[i]);
    hd_string_add(out, "\n");
  }
}

/* What was done: "writes", "wrote". */
static const char *
verb(const hd_races_access *a, bool past)
{
  bool write = strstr(a->kind, "write") != NULL;
  return past ? (write ? "wrote" : "read") : write ? "writes" : "reads";
}

void
hd_races_say_access(hd_string *out, const hd_races_finding *f, const hd_races_access *a, bool past)
{
  put_thread(out, f, a->thread);
  if (strcmp(a->doing, "free") == 0 || strcmp(a->doing, "realloc") == 0)
  {
    hd_string_add(out, a->doing[0] == 'f' ? " frees the block" : " reallocates the block");
    return;
  }
  hd_string_printf(out, " %s", verb(a, past));
  if (a->size)
    hd_string_printf(out, " %" PRIu64 " byte%s", a->size, a->size == 1 ? "" : "s");
  if (strncmp(a->kind, "atomic", 6) == 0)
    hd_string_add(out, " atomically");
  if (past)
    hd_string_add(out, " before");
}

static void
put_access(hd_string *out, const hd_races_finding *f, const hd_races_access *a, bool past)
{
  hd_string_add(out, "  ");
  hd_races_say_access(out, f, a, past);
  hd_string_add(out, "\n");
  if (a->n)
    put_stack(out, a->frames, a->n);
  else
    hd_string_add(out, "      too long ago: where is not known any more\n");
}

void
hd_races_say_what(hd_string *out, const hd_races_finding *f)
{
  const hd_races_where *w = &f->where;
  if (f->variable.length)
  {
    hd_string_add(out, f->variable.text);
    if (f->scope)
      hd_string_printf(out, " (%s)", f->scope);
  }
  else if (w->kind == HD_RACES_HEAP)
  {
    hd_string_printf(out, "offset %" PRIu64 " of the heap block of %" PRIu64 " bytes allocated", f->address - w->start,
                     w->size);
    if (f->nallocated && f->allocated[0].file)
      hd_string_printf(out, " at %s:%d", f->allocated[0].file, f->allocated[0].line);
    hd_string_add(out, " by ");
    put_thread(out, f, w->thread);
  }
  else if (w->kind == HD_RACES_STACK)
  {
    hd_string_add(out, "the stack of ");
    put_thread(out, f, w->thread);
    if (w->gone)
      hd_string_add(out, ", which has ended");
  }
  else if (w->kind == HD_RACES_OWN)
  {
    hd_string_add(out, "a variable of ");
    put_thread(out, f, w->thread);
    hd_string_add(out, " alone");
  }
  else
    hd_string_printf(out, "memory at 0x%" PRIx64, f->address);
}

static void
put_declaration(hd_string *out, const hd_races_finding *f)
{
  const char *name = f->variable.text + strspn(f->variable.text, "(*");
  hd_string_printf(out, "  %.*s is declared at %s:%d", (int) strcspn(name, ".[+-)"), name, f->declared.file,
                   f->declared.line);
  if (f->declared.function)
    hd_string_printf(out, " (%s)", f->declared.function);
  hd_string_add(out, "\n");
}

static void
put_origin(hd_string *out, const hd_races_finding *f)
{
  if (f->variable.length && f->declared.file)
    put_declaration(out, f);
  if (f->where.kind == HD_RACES_STACK && f->variable.length)
  {
    hd_string_add(out, "  it is on the stack of ");
    put_thread(out, f, f->where.thread);
    hd_string_add(out, "\n");
  }
  if (f->where.kind == HD_RACES_HEAP)
  {
    hd_string_printf(out, "  the block of %" PRIu64 " bytes was allocated by ", f->where.size);
    put_thread(out, f, f->where.thread);
    if (f->freed_by)
    {
      hd_string_add(out, " and freed by ");
      put_thread(out, f, f->freed_by);
    }
    hd_string_add(out, "\n");
    put_stack(out, f->allocated, f->nallocated);
  }
  for (size_t i = 0; i < f->nthreads; i++)
    if (f->threads[i].parent
        && (f->threads[i].id == f->accesses[0].thread || f->threads[i].id == f->accesses[1].thread))
    {
      hd_string_add(out, "  ");
      put_thread(out, f, f->threads[i].id);
      hd_string_add(out, " was created by ");
      put_thread(out, f, f->threads[i].parent);
      hd_string_add(out, "\n");
      put_stack(out, f->threads[i].created, f->threads[i].n);
    }
}

void
hd_races_print_text(hd_string *out, const hd_races_finding *f)
{
  hd_string_add(out, "race on ");
  hd_races_say_what(out, f);
  hd_string_add(out, ": nothing orders these two accesses\n");
  put_access(out, f, &f->accesses[0], false);
  put_access(out, f, &f->accesses[1], true);
  put_origin(out, f);
  hd_string_add(out, "\n");
}
