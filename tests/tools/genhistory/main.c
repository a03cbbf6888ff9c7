/* main.c: random histories of an atomic object, as input for the checker.
 *
 *   genhistory [OPTION]... OBJECT CLIENTS OPERATIONS SEED ok|bad|order
 *
 * writes to its standard output
 *   # object=K clients=C ops=N seed=S linearizable=yes|no|unknown
 *   I <client> <op> [args]      invocation
 *   W <client>                  a commit window of that client's open operation begins
 *   C <client>                  commit: the atomic object applied that client's open operation
 *   R <client> [result]         return
 *
 *   ok      all is right
 *   bad     one result near the middle is wrong, and no order of the operations explains it
 *   order   one removal (deq, pop, delmin) takes the second value instead of the first, and the object goes on from
 *           there. The commits show it; calls and returns alone often allow another order
 *
 *   --pending=N     N operations never return; their clients go on under new numbers. ok only
 *   --commits=P     only P percent of the operations show their commit (100)
 *   --window=K      each commit ends a window that opens K commits earlier, but not before the call
 *
 * The line of a wrong result is said in the last line. */
#include "genhistory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
parse(const char *text, uint64_t most, uint64_t *value)
{
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && *value <= most;
}

static bool
parse_option(const char *text, wishes *w)
{
  if (strncmp(text, "--pending=", 10) == 0)
    return parse(text + 10, 1000000, &w->pending);
  if (strncmp(text, "--commits=", 10) == 0)
    return parse(text + 10, 100, &w->percent);
  w->windows = strncmp(text, "--window=", 9) == 0;
  return w->windows && parse(text + 9, 1000000, &w->window);
}

static bool
parse_verdict(const char *text, verdict *v)
{
  static const char *const words[] = {[RIGHT] = "ok", [BAD] = "bad", [WRONG_ORDER] = "order"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], text) == 0)
    {
      *v = (verdict) i;
      return true;
    }
  return false;
}

int
main(int argc, char **argv)
{
  wishes w = {.percent = 100};
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0 && parse_option(argv[i], &w); i++)
    continue;
  hd_string names = {0};
  w.object = genhistory_object(argc > i ? argv[i] : "", &names);
  if (argc - i != 5 || !w.object || !parse(argv[i + 1], 1000, &w.clients) || w.clients < 1
      || !parse(argv[i + 2], UINT32_MAX, &w.operations) || w.operations < 4 || !parse(argv[i + 3], UINT64_MAX, &w.seed)
      || !parse_verdict(argv[i + 4], &w.verdict) || (w.pending && w.verdict != RIGHT)
      || (w.verdict == WRONG_ORDER && !w.object->reinsert))
  {
    fprintf(stderr,
            "usage: genhistory [--pending=N] [--commits=PERCENT] [--window=K]\n"
            "                  %s CLIENTS OPERATIONS SEED ok|bad|order\n"
            "order: queue, stack and pqueue only; --pending: ok only\n",
            names.text);
    hd_string_free(&names);
    return 2;
  }
  history h = {0};
  genhistory_simulate(&w, &h);
  genhistory_write(&w, &h);
  free(h.operations);
  free(h.events);
  hd_string_free(&names);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
