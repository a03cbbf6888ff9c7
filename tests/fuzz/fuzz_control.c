/* fuzz_control.c: the reader of controller files on anything at all.
 *
 * What cannot be read has messages with places. What can be read is printed, and read again it is the same model; then
 * a short search with two threads is made, whose traces are executed again inside (witness.c). */
#include <stdlib.h>
#include <string.h>

#include "control/control.h"

/* Every line begins with the path; an error is among them. */
static void
check_messages(const char *text)
{
  if (!text || !strstr(text, "error: "))
    abort();
  for (const char *line = text; *line; line = strchr(line, '\n') + 1)
    if (strncmp(line, "fuzz.h:", 7) != 0 || !strchr(line, '\n'))
      abort();
}

static void
print_and_read_again(const hd_controller *c)
{
  hd_string printed = {0}, again = {0}, first = {0}, second = {0}, messages = {0};
  hd_control_print(&printed, c);
  hd_controller *copy = hd_control_parse("fuzz.h", printed.text, printed.length, &messages);
  if (!copy)
    abort();
  hd_control_print(&again, copy);
  hd_control_dump(&first, c);
  hd_control_dump(&second, copy);
  if (strcmp(printed.text, again.text) != 0 || strcmp(first.text, second.text) != 0)
    abort();
  hd_control_free(copy);
  hd_string_free(&printed);
  hd_string_free(&again);
  hd_string_free(&first);
  hd_string_free(&second);
  hd_string_free(&messages);
}

static void
judge(const hd_controller *c)
{
  hd_string out = {0};
  uint64_t threads = c->least_threads > 2 ? c->least_threads : 2;
  hd_control_options options = {.least_threads = threads, .most_threads = threads, .states = 60};
  if (c->nconstants > 2 || c->nrigid > 1)
    return; /* too slow to be worth it */
  hd_control_result *r = hd_control_verify(c, &options, &out);
  if (!r && !out.length)
    abort();
  hd_string_clear(&out);
  if (r)
  {
    hd_control_result_text(&out, c, r, false);
    hd_control_result_json(&out, c, r);
  }
  hd_control_result_free(r);
  hd_string_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hd_string messages = {0};
  hd_controller *c = hd_control_parse("fuzz.h", (const char *) data, size, &messages);
  if (c)
  {
    print_and_read_again(c);
    judge(c);
  }
  else
    check_messages(messages.text);
  hd_control_free(c);
  hd_string_free(&messages);
  return 0;
}
