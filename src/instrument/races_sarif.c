/* races_sarif.c: races as SARIF 2.1.0, which editors and code review tools show beside the source: a result is at the
 * later access, with both stacks, and refers to the earlier one, to where the memory comes from and to where the
 * threads were created. */
#include "instrument/races.h"

#include <inttypes.h>
#include <string.h>

static void
put_text(hd_string *out, const char *text)
{
  hd_json_string(out, text, strlen(text));
}

/* MESSAGE may be NULL. */
static void
put_location(hd_string *out, const hd_symbols_frame *f, const char *message)
{
  hd_sarif_location(out, message, f ? f->file : NULL, f ? f->line : 0, f ? f->function : NULL);
}

static void
put_stack(hd_string *out, const char *message, const hd_symbols_frame *frames, size_t n)
{
  hd_string_add(out, "{\"message\": {\"text\": ");
  put_text(out, message);
  hd_string_add(out, "}, \"frames\": [");
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? ", {\"location\": " : "{\"location\": ");
    put_location(out, &frames[i], NULL);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]}");
}

/* One of the places that belong to a race; FIRST: no comma before. */
static void
put_related(hd_string *out, bool *first, const char *message, const hd_symbols_frame *f)
{
  if (!f->file)
    return;
  hd_string_add(out, *first ? "\n          " : ",\n          ");
  put_location(out, f, message);
  *first = false;
}

void
hd_races_print_sarif(hd_string *out, const hd_races_finding *f)
{
  hd_string what = {0}, now = {0}, before = {0}, line = {0};
  hd_races_say_what(&what, f);
  hd_races_say_access(&now, f, &f->accesses[0], false);
  hd_races_say_access(&before, f, &f->accesses[1], true);
  hd_string_printf(&line, "Race on %s: %s, %s%s, and nothing orders these two accesses.", what.text, now.text,
                   before.text, f->accesses[1].n ? "" : " (where is not known any more)");
  hd_string_add(out,
                "{\"ruleId\": \"race\", \"ruleIndex\": 0, \"level\": \"error\",\n        \"message\": {\"text\": ");
  put_text(out, line.text);
  hd_string_add(out, "},\n        \"locations\": [");
  put_location(out, f->accesses[0].n ? &f->accesses[0].frames[0] : NULL, now.text);
  hd_string_add(out, "],\n        \"relatedLocations\": [");
  bool first = true;
  if (f->accesses[1].n)
    put_related(out, &first, before.text, &f->accesses[1].frames[0]);
  if (f->nallocated)
    put_related(out, &first, "the block was allocated", &f->allocated[0]);
  if (f->variable.length)
    put_related(out, &first, "the variable is declared", &f->declared);
  for (size_t i = 0; i < f->nthreads; i++)
    if (f->threads[i].n)
    {
      hd_string created = {0};
      hd_string_printf(&created, "thread %" PRIu64 " was created", f->threads[i].id);
      put_related(out, &first, created.text, &f->threads[i].created[0]);
      hd_string_free(&created);
    }
  hd_string_add(out, "],\n        \"stacks\": [\n          ");
  put_stack(out, now.text, f->accesses[0].frames, f->accesses[0].n);
  if (f->accesses[1].n)
  {
    hd_string_add(out, ",\n          ");
    put_stack(out, before.text, f->accesses[1].frames, f->accesses[1].n);
  }
  if (f->nallocated)
  {
    hd_string_add(out, ",\n          ");
    put_stack(out, "the block was allocated", f->allocated, f->nallocated);
  }
  hd_string_add(out, "]}");
  hd_string_free(&what);
  hd_string_free(&now);
  hd_string_free(&before);
  hd_string_free(&line);
}

void
hd_races_sarif_log(hd_string *out, const char *results, const char *summary, bool complete)
{
  hd_sarif_log(out,
               "{\"id\": \"race\", \"shortDescription\": {\"text\": \"Two accesses to the same memory, one of "
               "them a write, that nothing orders\"}}",
               results, summary, complete);
}
