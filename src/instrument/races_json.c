/* races_json.c: a race as JSON. */
#include "instrument/races.h"

#include <inttypes.h>
#include <string.h>

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
  json_text(out, "scope", f->scope);
  if (f->variable.length && f->declared.file)
  {
    hd_string_printf(out, ", \"declared\": {\"line\": %d", f->declared.line);
    json_text(out, "file", f->declared.file);
    json_text(out, "function", f->declared.function);
    hd_string_add(out, "}");
  }
  static const char *const places[] = {"global", "stack", "thread-local", "heap"};
  json_text(out, "place", places[f->where.kind]);
  if (f->where.kind == HD_RACES_HEAP)
  {
    hd_string_printf(out,
                     ", \"block\": {\"address\": %" PRIu64 ", \"size\": %" PRIu64 ", \"thread\": %" PRIu64
                     ", \"freed_by\": %" PRIu64,
                     f->where.start, f->where.size, f->where.thread, f->freed_by);
    json_stack(out, "stack", f->allocated, f->nallocated);
    hd_string_add(out, "}");
  }
  else if (f->where.thread)
    hd_string_printf(out, ", \"owner\": %" PRIu64, f->where.thread);
  hd_string_add(out, ", \"accesses\": [");
  for (int i = 0; i < 2; i++)
  {
    const hd_races_access *a = &f->accesses[i];
    hd_string_printf(out, "%s{\"size\": %" PRIu64 ", \"thread\": %" PRIu64, i ? ", " : "", a->size, a->thread);
    json_text(out, "kind", a->kind);
    json_text(out, "call", strcmp(a->doing, "-") != 0 ? a->doing : NULL);
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
