/* fuzz_mttl.c: the reader of property files on anything at all.
 *
 * What cannot be read has messages with places. What can be read watches a short execution of three threads that
 * touches its variables and locks, and explains what it finds. */
#include <stdlib.h>
#include <string.h>

#include "mttl/mttl.h"

static void
check_messages(const char *text)
{
  if (!text || !strstr(text, ": error: "))
    abort();
  for (const char *line = text; *line; line = strchr(line, '\n') + 1)
    if (strncmp(line, "fuzz.mttl:", 10) != 0 || !strchr(line, '\n'))
      abort();
}

static void
explain(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  hd_string *out = context;
  hd_string_clear(out);
  hd_mttl_explain(out, t, property);
  if (!out->length || !property->text)
    abort();
}

static void
execute(const hd_mttl_file *f)
{
  hd_string out = {0};
  hd_mttl_monitor *m = hd_mttl_monitor_new(f, explain, &out);
  hd_mttl_thread *threads[3] = {hd_mttl_thread_new(m, NULL, "main")};
  hd_mttl_location place = {0}, *x = &place;
  hd_mttl_object o = {0};
  threads[1] = hd_mttl_thread_new(m, threads[0], "worker");
  threads[2] = hd_mttl_thread_new(m, threads[1], NULL);
  for (size_t i = 0; i < 12; i++)
  {
    hd_mttl_thread *t = threads[i % 3];
    hd_mttl_event e = HD_MTTL_NO_EVENT;
    e.op = i % 2 ? HD_MTTL_R : HD_MTTL_W;
    e.size = 4;
    e.variable = f->nvariables && f->variables[i % f->nvariables].shared ? (int32_t) (i % f->nvariables) : -1;
    e.lock = f->nlocks ? (int32_t) (i % f->nlocks) : -1;
    e.function = f->nfunctions ? (int32_t) (i % f->nfunctions) : -1;
    if (e.op == HD_MTTL_W)
      hd_mttl_writes(t, &x, 1, &e);
    else
      hd_mttl_reads(t, &x, 1, &e);
    hd_mttl_exchange(t, &o, i % 3 != 1, i % 4 != 1, &HD_MTTL_NO_EVENT);
    const hd_mttl_rule *rule = f->nrules ? &f->rules[i % f->nrules] : NULL;
    if (rule)
      hd_mttl_follow(t, &rule, 1, 0);
  }
  for (size_t i = 0; i < 3; i++)
    hd_mttl_thread_free(threads[i]);
  hd_mttl_location_clear(x);
  hd_mttl_object_clear(&o);
  hd_mttl_monitor_free(m);
  hd_string_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hd_string messages = {0};
  hd_mttl_file *f = hd_mttl_parse("fuzz.mttl", (const char *) data, size, &messages);
  if (!f)
    check_messages(messages.text);
  else
    execute(f);
  hd_mttl_free(f);
  hd_string_free(&messages);
  return 0;
}
