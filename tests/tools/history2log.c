/* history2log.c: a history with commits becomes a log that heddle check judges.
 *
 *   history2log [--ignore-commits] HISTORY LOG
 *
 * HISTORY has the lines that genhistory writes; line order is the clock. Observers, as the specification knows them,
 * look at call and return; their commits are left out. Mutators tick at their commit. With --ignore-commits a mutator
 * carries no commit annotation: it ticks at its call and at its return, and may take effect anywhere between. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../specs/specs.h"
#include "base/base.h"
#include "log/log.h"

#define MAX_WORDS 10
#define MAX_CLIENTS 4096
#define MAX_METHODS 16
#define MAX_OWN_SITES 60000 /* a log has less than 65536 sites */

typedef struct client
{
  bool open, mutator, committed;
} client;

typedef struct converter
{
  const char *path;
  unsigned line;
  bool ignore_commits;
  const hd_spec *spec;
  hd_log_build *build;
  uint32_t object;
  uint32_t common_sites[HD_K_COUNT][MAX_METHODS]; /* where lines have no site of their own */
  uint64_t ticks, open_windows;
  client clients[MAX_CLIENTS];
} converter;

static _Noreturn void
bad(const converter *c, const char *what)
{
  fprintf(stderr, "%s:%u: error: %s\n", c->path, c->line, what);
  exit(2);
}

static hd_value
value(const char *word)
{
  char *end;
  errno = 0;
  int64_t n = strtoll(word, &end, 10);
  return errno == 0 && end != word && *end == 0 ? hd_int(n) : hd_str(word);
}

/* The names that histories have for the built-in specifications. */
static const char *
spec_name(const char *object)
{
  return strcmp(object, "uregister") == 0 ? "register" : strcmp(object, "kv") == 0 ? "map" : object;
}

static void
start(converter *c, const char *line, const char *log)
{
  char object[64];
  if (sscanf(line, "# object=%63s", object) != 1)
    bad(c, "the first line must say '# object=...'");
  c->spec = hd_specs_find(spec_name(object));
  if (!c->spec)
    bad(c, "there is no built-in specification for this object");
  char *error;
  c->build = hd_log_build_new(log, &error);
  if (!c->build)
  {
    fprintf(stderr, "%s\n", error);
    exit(2);
  }
  hd_value initial = hd_int(-1);
  c->object
      = hd_log_build_object(c->build, c->spec->name, object, &initial, strcmp(c->spec->name, "register") == 0 ? 1 : 0);
  HD_CHECK(c->spec->nmethods <= MAX_METHODS);
}

/* A site for the line that is being read, so that a report can name it. Beyond the first 60000 lines the lines of one
 * kind share one, without a line number. VARIANT tells sites of one kind apart. */
static uint32_t
site(converter *c, uint8_t kind, uint32_t variant, const char *method, uint32_t nvalues)
{
  static const uint8_t types[HD_SITE_VALUES] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC,
                                                HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC};
  if (c->line <= MAX_OWN_SITES)
    return hd_log_build_site(c->build, kind, method, c->path, "", c->line, types, nvalues);
  uint32_t *common = &c->common_sites[kind][variant];
  if (*common == 0)
    *common = hd_log_build_site(c->build, kind, method, c->path, "", 0, types, nvalues);
  return *common;
}

static void
event(converter *c, uint32_t who, uint8_t kind, uint32_t at, bool ticks, const hd_value *values, uint32_t n)
{
  hd_event e = {.kind = kind,
                .ticked = ticks,
                .stamped = true,
                .thread = who + 1,
                .object = c->object,
                .site = at,
                .stamp = c->ticks,
                .nvalues = n,
                .values = values};
  c->ticks += ticks;
  hd_log_build_event(c->build, &e);
}

static void
invoke(converter *c, uint32_t who, const char *name, const hd_value *args, uint32_t nargs)
{
  client *k = &c->clients[who];
  size_t m = 0;
  while (m < c->spec->nmethods && strcmp(c->spec->methods[m].name, name) != 0)
    m++;
  if (m == c->spec->nmethods)
    bad(c, "the specification has no such operation");
  if (strlen(c->spec->methods[m].args) != nargs)
    bad(c, "wrong number of arguments");
  if (k->open)
    bad(c, "this client has not returned from its last operation");
  *k = (client){.open = true, .mutator = c->spec->methods[m].role == HD_MUTATOR};
  bool plain = c->ignore_commits && k->mutator;
  uint8_t kind = plain ? HD_K_CALL_NOCOMMIT : HD_K_CALL;
  event(c, who, kind, site(c, kind, (uint32_t) m, name, nargs), plain, args, nargs);
  c->open_windows += plain;
}

static void
commit(converter *c, uint32_t who)
{
  client *k = &c->clients[who];
  if (!k->open || k->committed)
    bad(c, "this client has nothing to commit");
  k->committed = true;
  if (k->mutator && !c->ignore_commits)
    event(c, who, HD_K_COMMIT, site(c, HD_K_COMMIT, 0, "", 0), true, NULL, 0);
}

static void
finish(converter *c, uint32_t who, const hd_value *ret, uint32_t n)
{
  client *k = &c->clients[who];
  if (!k->open)
    bad(c, "this client has nothing to return from");
  /* What has not committed ticks while a window is open; an operation without annotation is one itself. */
  bool plain = c->ignore_commits && k->mutator, committed = k->mutator && k->committed && !c->ignore_commits;
  event(c, who, HD_K_RETURN, site(c, HD_K_RETURN, n, "", n), !committed && c->open_windows > 0, ret, n);
  c->open_windows -= plain;
  k->open = false;
}

static void
convert(converter *c, char *line)
{
  char *words[MAX_WORDS], *rest = NULL;
  uint32_t n = 0;
  for (char *w = strtok_r(line, " \t\n", &rest); w && n < MAX_WORDS; w = strtok_r(NULL, " \t\n", &rest))
    words[n++] = w;
  if (n == 0 || words[0][0] == '#')
    return;
  unsigned long who = n > 1 ? strtoul(words[1], NULL, 10) : MAX_CLIENTS;
  if (strlen(words[0]) != 1 || who >= MAX_CLIENTS)
    bad(c, "want: I <client> <op> [args], C <client> or R <client> [result]");
  hd_value values[MAX_WORDS];
  for (uint32_t i = 0; i < n; i++)
    values[i] = value(words[i]);
  if (words[0][0] == 'I' && n > 2)
    invoke(c, (uint32_t) who, words[2], values + 3, n - 3);
  else if (words[0][0] == 'C' && n == 2)
    commit(c, (uint32_t) who);
  else if (words[0][0] == 'R' && n <= 3)
    finish(c, (uint32_t) who, values + 2, n - 2);
  else
    bad(c, "want: I <client> <op> [args], C <client> or R <client> [result]");
}

int
main(int argc, char **argv)
{
  static converter c;
  int first = 1;
  if (argc > 1 && strcmp(argv[1], "--ignore-commits") == 0)
    c.ignore_commits = true, first++;
  if (argc != first + 2)
  {
    fputs("usage: history2log [--ignore-commits] HISTORY LOG\n", stderr);
    return 2;
  }
  c.path = argv[first];
  FILE *in = fopen(c.path, "r");
  if (!in)
  {
    fprintf(stderr, "%s: error: %s\n", c.path, strerror(errno));
    return 2;
  }
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, in) != -1)
    if (++c.line == 1)
      start(&c, line, argv[first + 1]);
    else
      convert(&c, line);
  if (c.line == 0)
    bad(&c, "the file is empty");
  free(line);
  fclose(in);
  char *error;
  if (!hd_log_build_close(c.build, true, &error))
  {
    fprintf(stderr, "%s\n", error);
    free(error);
    return 2;
  }
  return 0;
}
