/* fuzz_trace.c: the readers of traces, and the analyses, on anything at all.
 *
 * The first byte chooses the form. What can be read is judged, and is written in both forms, which must be read again
 * as the same number of events of the same kinds. A block whose checksum is wrong gets the right one first, so that the
 * fuzzer reaches what is behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/monitor.h"
#include "trace/encode.h"

typedef struct counts
{
  uint64_t kinds[HD_TRACE_KINDS];
} counts;

static bool
count(hd_trace *t, counts *c, hd_trace_writer *w)
{
  hd_trace_event e[32];
  *c = (counts){0};
  for (size_t n; (n = hd_trace_read(t, e, 32)) > 0;)
    for (size_t i = 0; i < n; i++)
    {
      if (!hd_trace_kind_get(e[i].kind) || e[i].thread >= HD_TRACE_MAX_THREADS || e[i].order >= HD_TRACE_ORDERS)
        abort();
      c->kinds[e[i].kind]++;
      if (w)
        hd_trace_writer_event(w, &e[i]);
    }
  const char *error = hd_trace_error(t), *cut = hd_trace_cut(t);
  /* What is missing is said with its byte, or in the words of the one who wrote the trace. */
  if ((error && !strstr(error, ": error: "))
      || (cut && strncmp(cut, "fuzz: ", 6) != 0 && strncmp(cut, "again: ", 7) != 0))
    abort();
  return !error;
}

static void
convert(hd_trace *t, hd_trace_form form)
{
  char *text = NULL, *error = NULL;
  size_t n = 0;
  counts before, after;
  FILE *f = open_memstream(&text, &n);
  hd_trace_rewind(t);
  hd_trace_writer *w = hd_trace_writer_new(f, form, hd_trace_names_of(t));
  count(t, &before, w);
  if (!hd_trace_writer_finish(w) || fclose(f) != 0)
    abort();
  hd_trace *again = hd_trace_open_memory(n ? text : "", n, "again", form, &error);
  if (!again || !count(again, &after, NULL) || hd_trace_cut(again) || memcmp(&before, &after, sizeof before) != 0)
    abort();
  hd_trace_free(again);
  free(text);
}

/* Right checksums, as far as there are blocks. */
static void
seal(char *data, size_t size)
{
  hd_trace_file_header file;
  if (size < sizeof file)
    return;
  hd_trace_seal_file(&file, 0, 0);
  memcpy(data, &file, sizeof file);
  for (size_t at = sizeof file; size - at >= sizeof(hd_trace_block_header);)
  {
    hd_trace_block_header h;
    memcpy(&h, data + at, sizeof h);
    if (h.magic == 0 || h.length > size - at - sizeof h)
      return;
    hd_trace_seal_block(&h, data + at + sizeof h);
    memcpy(data + at, &h, sizeof h);
    at += sizeof h + h.length;
    at = (at + 7) & ~(size_t) 7;
    if (at > size)
      return;
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  char *copy = hd_strndup((const char *) data + 1, size - 1), *error = NULL;
  if (data[0] % 4 == 3)
    seal(copy, size - 1);
  hd_trace *t = hd_trace_open_memory(copy, size - 1, "fuzz", data[0] % 4 == 0 ? HD_TRACE_STD : HD_TRACE_AUTO, &error);
  counts c;
  if (!t && (!error || !strstr(error, ": error: ")))
    abort();
  free(error);
  if (t && count(t, &c, NULL))
  {
    convert(t, HD_TRACE_STD);
    convert(t, HD_TRACE_BINARY);
    hd_trace_rewind(t);
    hd_monitor_options options
        = {.race = true, .predict = true, .atomic = true, .deadlock = true, .puts_off = true, .keep_events = true};
    hd_monitor_findings *f = hd_monitor_run(t, &options);
    hd_string out = {0};
    hd_monitor_print_text(&out, f, true, false);
    hd_monitor_print_json(&out, f, "fuzz", 0);
    hd_monitor_print_sarif(&out, f);
    hd_monitor_print_verdicts(&out, f);
    hd_string_free(&out);
    hd_monitor_findings_free(f);
  }
  hd_trace_free(t);
  free(copy);
  return 0;
}
