/* fuzz_certificate.c: the reader of certificates on anything at all, and the checker on what it reads.
 *
 * The input follows the first three lines of a certificate for one small controller (or is taken as it is, if it begins
 * with "heddle"). What cannot be read has messages with places. What can be read is written, and read again it is
 * written the same; then it is checked with little work, where a state that is called wrong has been verified inside.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recheck/recheck.h"

static const char controller[]
    = "#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER t\n#define HD_CONTROLLER_FILE \"t.h\"\n"
      "#include <heddle/controller.h>\n#else\n"
      "CONST(size, size >= 1)\nINT(n, 0) BOOL(busy, false) ENUM(phase, fill, (fill, drain)) STATE(idle) STATE(inside)\n"
      "BLOCKING(enter) WHEN(!busy && n < size) DO(busy = true; n = n + 1) WHEN(n > size) DO(n = 0) END\n"
      "NONBLOCKING(leave) WHEN(busy) DO(busy = false; phase = n > 0 ? drain : fill) END\n"
      "EDGE(idle, enter, inside) EDGE(inside, leave, idle)\n"
      "SPEC(excl, AG(count(inside) <= 1))\n"
      "SPEC(same, RIGID(x, AG(IMPLIES(n == x, AX(n >= x) || n > 3))))\n"
      "SPEC(ends, AG(IMPLIES(busy, AU(n >= 0, !busy))))\n#endif\n";

/* Every line begins with the path; an error is among them. */
static void
check_messages(const char *text)
{
  if (!text || !strstr(text, "error: "))
    abort();
  for (const char *line = text; *line; line = strchr(line, '\n') + 1)
    if (strncmp(line, "fuzz:", 5) != 0 || !strchr(line, '\n'))
      abort();
}

static void
write_and_read_again(const hd_controller *c, const hd_control_certificate *x, hd_arena *arena)
{
  hd_string first = {0}, second = {0}, messages = {0};
  hd_certificate_write(&first, c, x);
  const hd_control_certificate *copy = hd_certificate_parse(c, "fuzz", first.text, first.length, arena, &messages);
  if (!copy)
    abort();
  hd_certificate_write(&second, c, copy);
  if (strcmp(first.text, second.text) != 0)
    abort();
  hd_string_free(&first);
  hd_string_free(&second);
  hd_string_free(&messages);
}

static void
check(const hd_controller *c, const hd_control_certificate *x)
{
  hd_recheck_result *r = hd_recheck_run(c, x, 300);
  hd_string out = {0};
  hd_recheck_text(&out, c, r, false);
  hd_recheck_json(&out, c, "fuzz", r);
  hd_string_free(&out);
  hd_recheck_free(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hd_string messages = {0}, text = {0};
  hd_controller *c = hd_control_parse("t.h", controller, strlen(controller), &messages);
  hd_arena *arena = hd_arena_new();
  if (!c)
    abort();
  if (size < 6 || memcmp(data, "heddle", 6) != 0)
    hd_string_printf(&text, "heddle certificate %d\ncontroller t\nmodel %016" PRIx64 "\n", HD_CERTIFICATE_VERSION,
                     hd_certificate_digest(c));
  hd_string_add_n(&text, (const char *) data, size);
  const hd_control_certificate *x = hd_certificate_parse(c, "fuzz", text.text, text.length, arena, &messages);
  if (x)
  {
    write_and_read_again(c, x, arena);
    check(c, x);
  }
  else
    check_messages(messages.text);
  hd_arena_free(arena);
  hd_control_free(c);
  hd_string_free(&messages);
  hd_string_free(&text);
  return 0;
}
