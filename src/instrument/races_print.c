/* races_print.c: a race for people, and as JSON. */
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

/* What was done: "writes", "wrote"; "frees". */
static const char *
verb(const hd_races_access *a, bool past)
{
  bool write = strstr(a->kind, "write") != NULL;
  if (strcmp(a->doing, "free") == 0 || strcmp(a->doing, "realloc") == 0)
    return past ? "freed" : "frees";
  return past ? (write ? "wrote" : "read") : write ? "writes" : "reads";
}

static void
put_access(hd_string *out, const hd_races_finding *f, const hd_races_access *a, bool past)
{
  hd_string_add(out, "  ");
  put_thread(out, f, a->thread);
  hd_string_printf(out, " %s", verb(a, past));
  if (a->size)
    hd_string_printf(out, " %" PRIu64 " byte%s", a->size, a->size == 1 ? "" : "s");
  if (strncmp(a->kind, "atomic", 6) == 0)
    hd_string_add(out, " atomically");
  hd_string_add(out, past ? " before\n" : "\n");
  if (a->n)
    put_stack(out, a->frames, a->n);
  else
    hd_string_add(out, "      too long ago: where is not known any more\n");
}

static void
put_what(hd_string *out, const hd_races_finding *f)
{
  if (f->variable.length)
    hd_string_add(out, f->variable.text);
  else if (f->heap)
    hd_string_printf(out, "byte %" PRIu64 " of a heap block of %" PRIu64 " bytes", f->address - f->block,
                     f->block_size);
  else if (f->stack)
  {
    hd_string_add(out, "the stack of ");
    put_thread(out, f, f->stack_thread);
  }
  else
    hd_string_printf(out, "memory at 0x%" PRIx64, f->address);
}

static void
put_origin(hd_string *out, const hd_races_finding *f)
{
  if (f->heap)
  {
    hd_string_printf(out, "  the block of %" PRIu64 " bytes was allocated by ", f->block_size);
    put_thread(out, f, f->block_thread);
    if (f->freed_by)
    {
      hd_string_add(out, " and freed by ");
      put_thread(out, f, f->freed_by);
    }
    hd_string_add(out, "\n");
    put_stack(out, f->allocated, f->nallocated);
  }
  if (f->variable.length && f->declared.file)
    hd_string_printf(out, "  %.*s is declared at %s:%d\n", (int) strcspn(f->variable.text, ".[+"), f->variable.text,
                     f->declared.file, f->declared.line);
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
  put_what(out, f);
  hd_string_add(out, ": nothing orders these two accesses\n");
  put_access(out, f, &f->accesses[0], false);
  put_access(out, f, &f->accesses[1], true);
  put_origin(out, f);
  hd_string_add(out, "\n");
}

/* ---- JSON ---- */

static void
json_text(hd_string *out, const char *key, const char *text)
{
  hd_string_printf(out, ", \"%s\": ", key);
  if (text)
    hd_json_string(out, text, strlen(text));
  else
    hd_string_add(out, "null");
}

static void
json_stack(hd_string *out, const char *key, const hd_symbols_frame *frames, size_t n)
{
  hd_string_printf(out, ", \"%s\": [", key);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(out, "%s{\"line\": %d", i ? ", " : "", frames[i].line);
    json_text(out, "file", frames[i].file);
    json_text(out, "function", frames[i].function);
    json_text(out, "module", frames[i].module);
    hd_string_printf(out, ", \"offset\": %" PRIu64 "}", frames[i].offset);
  }
  hd_string_add(out, "]");
}

void
hd_races_print_json(hd_string *out, const hd_races_finding *f)
{
  hd_string_printf(out, "{\"process\": %" PRIu64 ", \"address\": %" PRIu64 ", \"bytes\": %" PRIu64, f->process,
                   f->address, f->bytes);
  json_text(out, "variable", f->variable.length ? f->variable.text : NULL);
  if (f->heap)
  {
    hd_string_printf(out,
                     ", \"block\": {\"address\": %" PRIu64 ", \"size\": %" PRIu64 ", \"thread\": %" PRIu64
                     ", \"freed_by\": %" PRIu64,
                     f->block, f->block_size, f->block_thread, f->freed_by);
    json_stack(out, "stack", f->allocated, f->nallocated);
    hd_string_add(out, "}");
  }
  hd_string_add(out, ", \"accesses\": [");
  for (int i = 0; i < 2; i++)
  {
    const hd_races_access *a = &f->accesses[i];
    hd_string_printf(out, "%s{\"size\": %" PRIu64 ", \"thread\": %" PRIu64, i ? ", " : "", a->size, a->thread);
    json_text(out, "kind", a->kind);
    json_stack(out, "stack", a->frames, a->n);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "], \"threads\": [");
  for (size_t i = 0; i < f->nthreads; i++)
  {
    const hd_races_thread *t = &f->threads[i];
    hd_string_printf(out, "%s{\"id\": %" PRIu64 ", \"kernel_id\": %" PRIu64 ", \"parent\": %" PRIu64, i ? ", " : "",
                     t->id, t->kernel_id, t->parent);
    json_text(out, "name", strcmp(t->name, "-") != 0 ? t->name : NULL);
    json_text(out, "start", t->start);
    json_stack(out, "created", t->created, t->n);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]}");
}
