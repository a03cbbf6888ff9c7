/* solver.c: runs z3, or what is called as z3 is, on one question. */
#include <errno.h>
#include <string.h>

#include "horn/solver.h"

enum
{
  MOST_WORDS = 200, /* bytes of what the solver says that are shown */
  GRACE = 1         /* seconds for the solver to see that its time is over */
};

/* The line at TEXT is WORD. */
static bool
is_line(const char *text, const char *word)
{
  size_t n = strlen(word);
  return strncmp(text, word, n) == 0 && (text[n] == 0 || text[n] == '\n' || text[n] == '\r');
}

/* Show the first line of what the solver said. */
static void
quote(hd_string *why, const char *line)
{
  size_t n = strcspn(line, "\r\n");
  hd_string_printf(why, "it says '%.*s%s'", (int) (n < MOST_WORDS ? n : MOST_WORDS), line, n > MOST_WORDS ? "..." : "");
}

hd_horn_reply
hd_horn_read(const char *out, hd_string *why)
{
  static const struct
  {
    const char *word;
    hd_horn_reply reply;
  } words[]
      = {{"sat", HD_HORN_SAT}, {"unsat", HD_HORN_UNSAT}, {"unknown", HD_HORN_UNKNOWN}, {"timeout", HD_HORN_UNKNOWN}};
  hd_horn_reply reply = HD_HORN_FAILED;
  const char *odd = NULL, *next;
  for (const char *line = out; *line && !odd; line = next)
  {
    next = line + strcspn(line, "\n");
    next += *next == '\n';
    hd_horn_reply here = HD_HORN_FAILED;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (is_line(line, words[i].word))
        here = words[i].reply;
    if (here == HD_HORN_FAILED || (reply != HD_HORN_FAILED && reply != here))
      odd = line;
    reply = here;
  }
  if (odd)
    quote(why, odd);
  else if (reply == HD_HORN_FAILED)
    hd_string_add(why, "it says nothing");
  return odd ? HD_HORN_FAILED : reply;
}

hd_horn_reply
hd_horn_ask(hd_replay_scratch *scratch, const char *path, const char *solver, const hd_string *text, double seconds,
            hd_string *why)
{
  char limit[32];
  snprintf(limit, sizeof limit, "-t:%.0f", seconds * 1000 < 1 ? 1 : seconds * 1000);
  const char *const argv[] = {solver, "-smt2", "-in", limit, NULL};
  hd_string out = {0};
  hd_horn_reply reply = HD_HORN_FAILED;
  if (!hd_replay_scratch_write(path, text->text, text->length))
  {
    hd_string_printf(why, "%s cannot be written: %s", path, strerror(errno));
    return HD_HORN_FAILED;
  }
  switch (hd_replay_process(scratch, argv, path, (unsigned) seconds + GRACE, true, &out))
  {
  case HD_REPLAY_DONE:
    reply = hd_horn_read(out.text ? out.text : "", why);
    break;
  case HD_REPLAY_FAILED:
    /* An answer does not count if the program failed after it. */
    if (!out.length)
      hd_string_add(why, "it failed");
    else if (hd_horn_read(out.text, why) == HD_HORN_UNKNOWN)
      reply = HD_HORN_UNKNOWN;
    else if (!why->length)
      hd_string_add(why, "it failed after its answer");
    break;
  case HD_REPLAY_NO_PROGRAM:
    reply = errno == ENOENT ? HD_HORN_MISSING : HD_HORN_FAILED;
    hd_string_printf(why, "it cannot be started: %s", strerror(errno));
    break;
  case HD_REPLAY_TOO_LONG:
    reply = HD_HORN_UNKNOWN;
    break;
  case HD_REPLAY_STOPPED:
    reply = HD_HORN_STOPPED;
    break;
  }
  hd_string_free(&out);
  return reply;
}
