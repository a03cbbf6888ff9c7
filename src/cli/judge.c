/* judge.c: what check and run share. */
#include "cli/judge.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "history/history.h"
#include "report/report.h"
#include "specs/specs.h"

/* ---- specifications ---- */

static void
say_unknown_spec(const char *name, const char *error)
{
  fprintf(stderr, "heddle: %s\n", error);
  if (strchr(name, '/') || strstr(name, ".so"))
    return;
  fputs("  built in are:", stderr);
  for (size_t i = 0; hd_specs_get(i); i++)
    fprintf(stderr, " %s", hd_specs_get(i)->name);
  fputs("\n", stderr);
}

bool
hd_cli_specs_load(hd_cli_specs *s, const hd_cli_options *o)
{
  size_t n = o->specs.n;
  *s = (hd_cli_specs){.specs = hd_alloc_array(n ? n : 1, sizeof *s->specs),
                      .libraries = hd_alloc_array(n ? n : 1, sizeof *s->libraries)};
  if (!n)
  {
    fprintf(
        stderr,
        "heddle %s: no specification given; name one with --spec, for example --spec ./multiset.so or --spec queue\n",
        o->command->name);
    return false;
  }
  for (size_t i = 0; i < n; i++)
  {
    const char *name = o->specs.items[i];
    s->libraries[s->n] = NULL;
    const hd_spec *spec = strchr(name, '/') ? NULL : hd_specs_find(name);
    if (!spec)
    {
      char *error = NULL;
      s->libraries[s->n] = hd_spec_library_open(name, &error);
      if (!s->libraries[s->n])
      {
        say_unknown_spec(name, error);
        free(error);
        return false;
      }
      spec = hd_spec_library_get(s->libraries[s->n]);
    }
    s->specs[s->n++] = spec;
    for (size_t k = 0; k + 1 < s->n; k++)
      if (strcmp(s->specs[k]->name, spec->name) == 0)
      {
        fprintf(stderr, "heddle %s: two specifications are given for objects of type '%s'\n", o->command->name,
                spec->name);
        return false;
      }
  }
  return true;
}

void
hd_cli_specs_free(hd_cli_specs *s)
{
  for (size_t i = 0; i < s->n; i++)
    hd_spec_library_close(s->libraries[i]);
  free(s->specs);
  free(s->libraries);
}

/* ---- limits ---- */

struct hd_cli_limits
{
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t stop;
  bool stopping, running;
  int flag; /* atomic */
  double seconds;
  uint64_t bytes;
  uint64_t start;
};

static uint64_t
resident_bytes(void)
{
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long long size = 0, resident = 0;
  if (f)
  {
    if (fscanf(f, "%llu %llu", &size, &resident) != 2)
      resident = 0;
    fclose(f);
  }
  return resident * (uint64_t) sysconf(_SC_PAGESIZE);
}

static void *
watch(void *arg)
{
  hd_cli_limits *l = arg;
  pthread_mutex_lock(&l->lock);
  while (!l->stopping)
  {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000)
      until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&l->stop, &l->lock, &until);
    if (l->seconds > 0 && (double) (hd_terminal_now() - l->start) / 1e9 >= l->seconds)
      __atomic_store_n(&l->flag, 1, __ATOMIC_RELAXED);
    else if (l->bytes && resident_bytes() > l->bytes)
      __atomic_store_n(&l->flag, 2, __ATOMIC_RELAXED);
    if (__atomic_load_n(&l->flag, __ATOMIC_RELAXED))
      break;
  }
  pthread_mutex_unlock(&l->lock);
  return NULL;
}

HD_GIVE hd_cli_limits *
hd_cli_limits_start(const hd_cli_options *o)
{
  hd_cli_limits *l = hd_alloc_zero(sizeof *l);
  l->seconds = o->time;
  l->bytes = o->memory << 20;
  l->start = hd_terminal_now();
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->stop, NULL);
  if (l->seconds > 0 || l->bytes)
    l->running = pthread_create(&l->thread, NULL, watch, l) == 0;
  return l;
}

const int *
hd_cli_limits_flag(const hd_cli_limits *l)
{
  return &l->flag;
}

const char *
hd_cli_limits_reason(const hd_cli_limits *l)
{
  switch (__atomic_load_n(&l->flag, __ATOMIC_RELAXED))
  {
  case 1:
    return "the time limit (--time) was reached";
  case 2:
    return "the memory limit (--memory) was reached";
  default:
    return NULL;
  }
}

void
hd_cli_limits_stop(HD_TAKE hd_cli_limits *l)
{
  if (l->running)
  {
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_signal(&l->stop);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
  }
  pthread_mutex_destroy(&l->lock);
  pthread_cond_destroy(&l->stop);
  free(l);
}

hd_refine_options
hd_cli_refine_options(const hd_cli_options *o, const hd_cli_limits *l)
{
  /* A history has no writes: there is no state to compare with. */
  return (hd_refine_options){.view = o->history ? HD_VIEW_OFF : (hd_view_mode) o->view,
                             .paranoid = o->paranoid,
                             .cancel = hd_cli_limits_flag(l),
                             .leave = true,
                             .no_partition = o->no_partition,
                             .jobs = (unsigned) o->jobs};
}

/* ---- the answer ---- */

HD_GIVE char *
hd_cli_log_problem(const hd_log *log, const char *limit)
{
  hd_string s = {0};
  const hd_log_damage *damages;
  size_t n = hd_log_damages(log, &damages);
  if (limit)
    hd_string_add(&s, limit);
  if (n)
    hd_string_printf(&s, "%sthe log is damaged at byte %llu: %s", s.text ? "; " : "",
                     (unsigned long long) damages[0].offset, damages[0].what);
  if (n > 1)
    hd_string_printf(&s, " (and %zu more)", n - 1);
  if (hd_log_dropped(log))
    hd_string_printf(&s, "%s%llu operations were not logged", s.text ? "; " : "",
                     (unsigned long long) hd_log_dropped(log));
  if (hd_log_lost(log))
    hd_string_printf(&s, "%ssomething could not be recorded (the disk or a table was full)", s.text ? "; " : "");
  return s.text;
}

static void
add_note(char ***notes, size_t *n, size_t *cap, char *text)
{
  HD_PUSH(*notes, *n, *cap, text);
}

static char *
unmatched_note(const hd_log *log, const uint32_t *ids, size_t n)
{
  hd_string s = {0};
  const hd_log_object *first = hd_log_object_get(log, ids[0]);
  hd_string_printf(&s, "object '%s' of type '%s'", first ? first->name : "?", first ? first->type : "?");
  if (n > 1)
    hd_string_printf(&s, " and %zu more", n - 1);
  hd_string_printf(&s, " %s not checked: no specification of that name was given with --spec", n > 1 ? "were" : "was");
  return s.text;
}

/* The name given with --object that no object in the log has, or NULL: most likely it is misspelt. */
static const char *
unknown_object(const hd_cli_options *o, const hd_log *log)
{
  for (size_t i = 0; i < o->objects.n; i++)
  {
    bool found = false;
    for (uint32_t id = 1; id <= hd_log_objects(log) && !found; id++)
    {
      const hd_log_object *object = hd_log_object_get(log, id);
      found = object && strcmp(object->name, o->objects.items[i]) == 0;
    }
    if (!found)
      return o->objects.items[i];
  }
  return NULL;
}

HD_GIVE hd_log *
hd_cli_open(const hd_cli_options *o, const hd_cli_specs *specs, const char *path, const hd_cli_limits *limits,
            bool *uncommitted, HD_GIVE char **error)
{
  if (!o->history)
    return hd_log_open(path, error);
  hd_history_options options = {.ignore_commits = o->ignore_commits,
                                .uncommitted = uncommitted,
                                .cancel = limits ? hd_cli_limits_flag(limits) : NULL};
  return hd_history_open(path, (hd_history_form) o->format, specs->specs[0], &options, error);
}

/* Some objects have too many possible orders for a search, but are of a kind that needs none. */
static hd_verdict
read_again(const hd_cli_options *o, const hd_cli_specs *specs, const hd_log *log, hd_checks *checks, hd_verdict verdict)
{
  char *error = NULL;
  hd_log *second = hd_cli_open(o, specs, hd_log_path(log), NULL, NULL, &error);
  free(error);
  if (!second)
    return verdict; /* what was said stands */
  hd_log_sink sink = hd_checks_again_sink(checks);
  hd_log_read(second, &sink);
  hd_log_free(second);
  return hd_checks_settle(checks);
}

hd_verdict
hd_cli_finish(const hd_cli_options *o, const hd_cli_specs *specs, const hd_log *log, hd_checks *checks,
              const char *why_incomplete)
{
  hd_verdict verdict = hd_checks_finish(checks, why_incomplete);
  if (o->command->bit == HD_CMD_CHECK && !why_incomplete && hd_checks_wants_again(checks))
    verdict = read_again(o, specs, log, checks, verdict);
  return verdict;
}

void
hd_cli_print(const hd_cli_options *o, const hd_report *facts)
{
  if (o->quiet && !o->stats && !o->json && facts->verdict == HD_HOLDS)
    return; /* there is nothing to say, and loading a locale takes longer than a small check */
  setlocale(LC_CTYPE, "");
  hd_report report = *facts;
  report.command = o->command->name;
  report.color = hd_terminal_color(o->color, stdout);
  report.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  report.quiet = o->quiet;
  report.stats = o->stats;
  report.width = isatty(STDOUT_FILENO) ? (int) hd_terminal_width(STDOUT_FILENO) : 0;
  if (o->json)
    hd_report_json(stdout, &report);
  else
    hd_report_text(stdout, &report);
}

int
hd_cli_answer(const hd_cli_options *o, const char *log_path, const hd_log *log, hd_checks *checks, hd_verdict verdict,
              const char *why_incomplete, double seconds, const char *const *more, size_t nmore)
{
  size_t n, nunmatched, nnotes = 0, cap = 0;
  const hd_refine_result *const *results = hd_checks_results(checks, &n);
  const uint32_t *unmatched = hd_checks_unmatched(checks, &nunmatched);
  char **notes = NULL;
  for (size_t i = 0; i < nmore; i++)
  {
    hd_string s = {0};
    hd_string_add(&s, more[i]);
    add_note(&notes, &nnotes, &cap, s.text);
  }
  if (nunmatched)
  {
    add_note(&notes, &nnotes, &cap, unmatched_note(log, unmatched, nunmatched));
    if (verdict == HD_HOLDS)
      verdict = HD_INCOMPLETE;
  }
  const char *unknown = unknown_object(o, log);
  if (unknown)
  {
    hd_string s = {0};
    hd_string_printf(&s, "no object in the log is called '%s' (heddle log stats lists them)", unknown);
    add_note(&notes, &nnotes, &cap, s.text);
    if (verdict == HD_HOLDS)
      verdict = HD_INCOMPLETE;
  }
  if (!n && !unknown)
  {
    hd_string s = {0};
    hd_string_add(&s,
                  hd_log_objects(log) ? "no object was checked" : "the log holds no object, so nothing was checked");
    add_note(&notes, &nnotes, &cap, s.text);
    if (verdict == HD_HOLDS)
      verdict = HD_INCOMPLETE;
  }
  if (why_incomplete && verdict != HD_HOLDS && !n)
  {
    hd_string s = {0};
    hd_string_add(&s, why_incomplete);
    add_note(&notes, &nnotes, &cap, s.text);
  }
  hd_cli_print(o, &(hd_report){.log_path = log_path,
                               .log = log,
                               .results = results,
                               .nresults = n,
                               .verdict = verdict,
                               .seconds = seconds,
                               .notes = (const char *const *) notes,
                               .nnotes = nnotes});
  for (size_t i = 0; i < nnotes; i++)
    free(notes[i]);
  free(notes);
  return (int) verdict;
}
