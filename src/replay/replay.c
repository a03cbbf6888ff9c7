/* replay.c: executes the traces of a result on the controller's code: collects them, compiles one program for all, runs
 * it, and writes what it says into the result. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/driver.h"
#include "replay/process.h"
#include "replay/replay.h"

enum
{
  MOST_STEPS = 20000,   /* of all traces together: each is a line for the compiler */
  MOST_MESSAGES = 4000, /* bytes of what the compiler says */
  COMPILE_SECONDS = 120,
  RUN_SECONDS = 600 /* each trace has a watchdog of its own */
};

typedef struct replay
{
  const hd_controller *c;
  hd_control_result *r;
  hd_control_finding **findings; /* that are executed */
  size_t n;
} replay;

static const char *
keep(replay *x, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(x->r->arena, s->length + 1), s->text ? s->text : "", s->length + 1);
  hd_string_free(s);
  return text;
}

/* ---- which traces ---- */

/* NULL, or why F cannot be executed. */
static const char *
obstacle(replay *x, const hd_control_finding *f, size_t steps)
{
  hd_string s = {0};
  if (f->threads > HD_CONTROL_MOST_THREADS)
    hd_string_printf(&s, "it needs %" PRIu64 " threads, and at most %d are started", f->threads,
                     HD_CONTROL_MOST_THREADS);
  if (steps > MOST_STEPS)
    hd_string_printf(&s, "there are more than %d steps to be executed", MOST_STEPS);
  for (size_t i = 0; i < x->c->nconstants && !s.length; i++)
    if (f->constants[i] > INT_MAX || f->constants[i] < INT_MIN + 1)
      hd_string_printf(&s, "%s = %" PRId64 " is too large for an int", x->c->constants[i].name, f->constants[i]);
  return s.length ? keep(x, &s) : NULL;
}

static void
collect(replay *x)
{
  hd_control_result *r = x->r;
  size_t steps = 0;
  x->findings = hd_alloc_array(x->c->nspecs + 1, sizeof *x->findings);
  for (size_t i = 0; i <= x->c->nspecs; i++)
  {
    hd_control_finding *f = i < x->c->nspecs ? &r->answers[i].violation : &r->deadlock;
    if (!f->found)
      continue;
    f->replay_text = obstacle(x, f, steps + f->trace.n);
    if (f->replay_text)
      continue;
    steps += f->trace.n;
    x->findings[x->n++] = f;
  }
}

/* None of the traces can be executed, because of TEXT. */
static void
give_up(replay *x, hd_string *text)
{
  const char *why = keep(x, text);
  for (size_t i = 0; i < x->n; i++)
    x->findings[i]->replay_text = why;
}

/* ---- the compiler ---- */

typedef struct words
{
  const char **items;
  size_t n, cap;
  char *copies[3];
  size_t ncopies;
} words;

static void
add_word(words *w, const char *word)
{
  HD_PUSH(w->items, w->n, w->cap, word);
}

/* The words of TEXT. */
static void
add_words(words *w, const char *text)
{
  char *save, *copy = hd_strndup(text, strlen(text));
  w->copies[w->ncopies++] = copy;
  for (char *word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save))
    add_word(w, word);
}

static void
free_words(words *w)
{
  while (w->ncopies > 0)
    free(w->copies[--w->ncopies]);
  free(w->items);
}

static bool
has_headers(const char *folder)
{
  hd_string path = {0};
  hd_string_printf(&path, "%s/heddle/controller_replay.h", folder);
  bool there = access(path.text, R_OK) == 0;
  hd_string_free(&path);
  return there;
}

/* "-I" and the folder of our headers: beside the executable, where they were installed, or in the source. False: they
 * are nowhere. */
static bool
find_headers(hd_string *out, const char *given)
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  hd_string beside = {0};
  if (n > 0)
  {
    self[n] = 0;
    hd_string_printf(&beside, "%s/../include", dirname(self));
  }
  const char *folders[] = {beside.text, HD_INSTALLED_HEADERS, HD_SOURCE_HEADERS}, *found = given;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++)
    if (folders[i] && has_headers(folders[i]))
      found = folders[i];
  if (found)
    hd_string_printf(out, "-I%s", found);
  hd_string_free(&beside);
  return found != NULL;
}

/* The folder from which HD_CONTROLLER_FILE leads to PATH, or else the folder of PATH. */
static void
find_folder(hd_string *out, const hd_controller *c, const char *path)
{
  const char *slash = strrchr(path, '/');
  size_t length = strlen(path), tail = c->file ? strlen(c->file) : 0, keep = (size_t) (slash - path);
  if (tail && tail < length && path[length - tail - 1] == '/' && strcmp(path + length - tail, c->file) == 0)
    keep = length - tail - 1;
  hd_string_add_n(out, path, keep ? keep : 1);
}

/* The program at SOURCE becomes PROGRAM. False: TEXT says why not. */
static bool
compile(replay *x, hd_replay_scratch *scratch, const hd_replay_options *o, const char *path, const char *source,
        const char *program, hd_string *text)
{
  const char *set = getenv("CC"), *flags = getenv("CPPFLAGS");
  hd_string headers = {0}, folder = {0}, said = {0};
  words w = {0};
  find_folder(&folder, x->c, path);
  if (!find_headers(&headers, o->include))
  {
    hd_string_add(text, "the header heddle/controller_replay.h was not found");
    hd_string_free(&folder);
    return false;
  }
  add_words(&w, o->compiler ? o->compiler : set && set[strspn(set, " \t\n")] ? set : "cc");
  /* -I would let a controller semaphore.h take the place of <semaphore.h>. */
  const char *const own[] = {"-std=gnu11", "-D_GNU_SOURCE", "-w", headers.text, "-iquote", folder.text};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    add_word(&w, own[i]);
  if (flags)
    add_words(&w, flags);
  const char *const rest[] = {"-o", program, source, "-pthread"};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    add_word(&w, rest[i]);
  add_word(&w, NULL);
  hd_replay_ending ending = hd_replay_process(scratch, w.items, NULL, COMPILE_SECONDS, true, &said);
  if (ending == HD_REPLAY_NO_PROGRAM && errno == ENOENT)
    hd_string_printf(text, "there is no C compiler '%s'; CC names another, and --no-replay asks for none", w.items[0]);
  else if (ending == HD_REPLAY_NO_PROGRAM)
    hd_string_printf(text, "the C compiler '%s' cannot be started: %s", w.items[0], strerror(errno));
  else if (ending == HD_REPLAY_TOO_LONG)
    hd_string_printf(text, "the C compiler '%s' did not come to an end", w.items[0]);
  else if (ending == HD_REPLAY_STOPPED)
    hd_string_add(text, "a signal came");
  else if (ending == HD_REPLAY_FAILED)
  {
    hd_string_printf(text, "the controller file does not compile with '%s'", w.items[0]);
    if (said.length > MOST_MESSAGES)
    {
      said.length = MOST_MESSAGES;
      hd_string_add(&said, "\n...\n");
    }
    x->r->compiler = keep(x, &said);
  }
  free_words(&w);
  hd_string_free(&headers);
  hd_string_free(&folder);
  hd_string_free(&said);
  return ending == HD_REPLAY_DONE;
}

/* ---- the answers ---- */

static void
read_answers(replay *x, char *lines)
{
  const hd_control_finding *const *findings = (const hd_control_finding *const *) x->findings;
  char *save;
  for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
  {
    size_t i;
    char *about;
    bool unable;
    /* What the controller itself prints is no line of ours. */
    if (!hd_replay_read_line(line, x->c, findings, x->n, &i, &about, &unable))
      continue;
    hd_control_finding *f = x->findings[i];
    hd_string text = {0};
    if (about)
      hd_string_add(&text, about);
    free(about);
    f->replay_text = text.length ? keep(x, &text) : NULL;
    f->replay = unable ? HD_CONTROL_NOT_REPLAYED : f->replay_text ? HD_CONTROL_REPLAY_DIFFERS : HD_CONTROL_REPLAY_SAME;
  }
}

static void
execute(replay *x, hd_replay_scratch *scratch, const hd_replay_options *o, const char *path)
{
  hd_string driver = {0}, text = {0}, answers = {0};
  const char *source = hd_replay_scratch_file(scratch, "replay.c");
  const char *program = hd_replay_scratch_file(scratch, "replay");
  const char *const argv[] = {program, NULL};
  hd_replay_write_driver(&driver, x->c, path, (const hd_control_finding *const *) x->findings, x->n);
  if (!hd_replay_scratch_write(source, driver.text, driver.length))
    hd_string_printf(&text, "%s cannot be written: %s", source, strerror(errno));
  else if (compile(x, scratch, o, path, source, program, &text))
    switch (hd_replay_process(scratch, argv, NULL, RUN_SECONDS, false, &answers))
    {
    case HD_REPLAY_DONE:
      hd_string_add(&text, "the program that executes it said nothing about it");
      break;
    case HD_REPLAY_FAILED:
      hd_string_add(&text, "the program that executes it failed");
      break;
    case HD_REPLAY_NO_PROGRAM:
      hd_string_printf(&text, "%s cannot be started: %s; TMPDIR names another folder", program, strerror(errno));
      break;
    case HD_REPLAY_TOO_LONG:
      hd_string_add(&text, "the program that executes it did not come to an end");
      break;
    case HD_REPLAY_STOPPED:
      hd_string_add(&text, "a signal came");
      break;
    }
  give_up(x, &text); /* whatever has no answer */
  if (answers.length)
    read_answers(x, answers.text);
  hd_string_free(&driver);
  hd_string_free(&answers);
}

/* A violation that the code does not show is none that one may believe. */
static void
conclude(replay *x)
{
  hd_control_result *r = x->r;
  bool differs = r->deadlock.replay == HD_CONTROL_REPLAY_DIFFERS;
  bool violated = r->forbid_deadlock && r->deadlock.found && !differs;
  for (size_t i = 0; i < x->c->nspecs; i++)
  {
    hd_control_answer *a = &r->answers[i];
    if (a->violation.found && a->violation.replay == HD_CONTROL_REPLAY_DIFFERS)
    {
      a->verdict = HD_INCOMPLETE;
      a->incomplete = "the controller's code does not follow the trace";
      differs = true;
    }
    violated = violated || a->verdict == HD_VIOLATED;
  }
  if (!differs)
    return;
  r->complete = false;
  r->verdict = violated ? HD_VIOLATED : HD_INCOMPLETE;
  r->incomplete
      = "the model and the code of the controller differ, which must not be. A macro that changes the meaning "
        "of a name in the file can be the reason; if there is none, it is a mistake in Heddle, and the file "
        "is worth a report";
}

void
hd_replay_run(const hd_controller *c, hd_control_result *r, const hd_replay_options *o)
{
  replay x = {.c = c, .r = r};
  char path[PATH_MAX];
  hd_string text = {0};
  hd_replay_scratch scratch;
  collect(&x);
  if (x.n > 0 && !realpath(c->path, path))
    hd_string_printf(&text, "%s cannot be found: %s", c->path, strerror(errno));
  else if (x.n > 0 && strpbrk(path, "\"\\\n"))
    hd_string_add(&text, "the path of the file has a character that #include does not take");
  else if (x.n > 0 && !hd_replay_scratch_open(&scratch))
    hd_string_printf(&text, "there is no room for a program: %s; TMPDIR names another folder", strerror(errno));
  else if (x.n > 0)
  {
    execute(&x, &scratch, o, path);
    hd_replay_scratch_close(&scratch);
    conclude(&x);
  }
  if (text.length)
    give_up(&x, &text);
  free(x.findings);
}

bool
hd_replay_filter(const char *const *argv, const char *text, hd_string *out)
{
  hd_replay_scratch scratch;
  hd_string got = {0};
  if (!hd_replay_scratch_open(&scratch))
    return false;
  const char *input = hd_replay_scratch_file(&scratch, "input");
  bool good = hd_replay_scratch_write(input, text, strlen(text))
              && hd_replay_process(&scratch, argv, input, COMPILE_SECONDS, false, &got) == HD_REPLAY_DONE && got.length;
  if (good)
    hd_string_add_n(out, got.text, got.length);
  hd_replay_scratch_close(&scratch);
  hd_string_free(&got);
  return good;
}
