/* cmd_history.c: heddle history convert: histories from one form into another, into a log, and back from a log. */
#include "cli/cli.h"
#include "cli/judge.h"
#include "cli/log_order.h"
#include "history/history.h"
#include "specs/specs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of the words of --into. */
enum into
{
  INTO_AUTO,
  INTO_JSONL,
  INTO_EDN,
  INTO_SYNTHETIC,
  INTO_LOG
};

static bool
ends_with(const char *s, const char *end)
{
  size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* The form to write: as said, or as the name of the file says. */
static enum into
target(const hd_cli_options *o)
{
  if (o->into != INTO_AUTO || !o->output)
    return o->into != INTO_AUTO ? (enum into) o->into : INTO_JSONL;
  return ends_with(o->output, ".hlog")  ? INTO_LOG
         : ends_with(o->output, ".edn") ? INTO_EDN
         : ends_with(o->output, ".txt") ? INTO_SYNTHETIC
                                        : INTO_JSONL;
}

/* The same where it is no log. */
static hd_history_form
text_form(const hd_cli_options *o)
{
  enum into into = target(o);
  return into == INTO_EDN ? HD_HISTORY_EDN : into == INTO_SYNTHETIC ? HD_HISTORY_SYNTHETIC : HD_HISTORY_JSONL;
}

static bool
is_log(const char *path)
{
  char magic[8] = "";
  FILE *f = fopen(path, "rb");
  bool answer = f && fread(magic, 1, sizeof magic, f) == sizeof magic && memcmp(magic, HD_LOG_MAGIC, 8) == 0;
  if (f)
    fclose(f);
  return answer;
}

/* The specification that was given, if one was. False: a message was printed. Before anything is read: another program
 * may have to load it and begin anew. */
static bool
load_given(const hd_cli_options *o, hd_cli_specs *specs)
{
  if (o->specs.n > 1)
  {
    fputs("heddle history: a history is about objects of one kind: give one --spec\n", stderr);
    return false;
  }
  return o->specs.n == 0 || hd_cli_specs_load(specs, o);
}

/* The specification that was given, or the built-in one that the input NAMES (may be NULL); else NULL and a message. */
static const hd_spec *
choose_spec(const hd_cli_specs *given, const char *path, const char *names)
{
  if (given->n == 1)
    return given->specs[0];
  const hd_spec *spec = names ? hd_specs_find(names) : NULL;
  if (spec)
    return spec;
  if (names)
    fprintf(stderr, "heddle history: %s is about a %s, which is not built in; name its specification with --spec\n",
            path, names);
  else
    fprintf(stderr, "heddle history: what is %s a history of? Say it with --spec, for example --spec queue\n", path);
  return NULL;
}

/* ---- text ---- */

/* Text is written under another name, and gets its own when it is whole. */
typedef struct output
{
  FILE *file;
  const char *path; /* NULL: stdout */
  hd_string part;
} output;

static bool
open_output(output *out, const char *path)
{
  *out = (output){.file = stdout, .path = path};
  if (!path)
    return true;
  hd_string_printf(&out->part, "%s.part", path);
  out->file = fopen(out->part.text, "w");
  if (out->file)
    return true;
  fprintf(stderr, "heddle: %s: %s\n", out->part.text, strerror(errno));
  hd_string_free(&out->part);
  return false;
}

/* True: it is there. Stdout is looked after by main. */
static bool
close_output(output *out, bool good)
{
  if (!out->path)
    return good;
  bool written = !ferror(out->file);
  written = fclose(out->file) == 0 && written;
  if (good && (!written || rename(out->part.text, out->path) != 0))
  {
    fprintf(stderr, "heddle: %s: %s\n", out->path, strerror(errno));
    good = false;
  }
  if (!good)
    unlink(out->part.text);
  hd_string_free(&out->part);
  return good;
}

static int
say(HD_TAKE char *error)
{
  fprintf(stderr, "%s\n", error);
  free(error);
  return HD_BAD_INPUT;
}

/* ---- from a history ---- */

static int
convert_history(const hd_cli_options *o, const hd_cli_specs *given, const char *path)
{
  char *error = NULL;
  hd_history *h = hd_history_new(path, (hd_history_form) o->format, &error);
  if (!h)
    return say(error);
  hd_history_options options = {.ignore_commits = o->ignore_commits};
  const hd_spec *spec = choose_spec(given, path, hd_history_spec_name(h));
  int status = HD_BAD_INPUT;
  output out;
  if (spec && target(o) == INTO_LOG)
    status = hd_history_write_log(h, spec, &options, o->output, &error) ? HD_HOLDS : say(error);
  else if (spec && open_output(&out, o->output))
  {
    bool good = hd_history_print(h, spec, text_form(o), &options, out.file, &error);
    if (!good)
      say(error);
    status = close_output(&out, good) ? HD_HOLDS : HD_BAD_INPUT;
  }
  hd_history_free(h);
  return status;
}

/* ---- from a log ---- */

/* The open operation of a thread of the log. */
typedef struct thread
{
  bool open, windowed, committed;
  hd_history_op op;
  hd_value args[HD_SITE_VALUES], ret;
} thread;

typedef struct job
{
  const hd_log *log;
  const hd_spec *spec;
  hd_history_printer *printer;
  bool ignore_commits;
  uint32_t nobjects; /* of the specification's type */
  thread *threads;   /* by number */
  size_t nthreads, cap_threads;
  uint64_t calls, skipped;
  char *error;
} job;

static hd_value
keep(hd_value v)
{
  if (v.type >= HD_STR)
    v.s = hd_strndup(v.s, v.length);
  return v;
}

static void
drop(hd_value v)
{
  if (v.type >= HD_STR)
    free((char *) v.s);
}

static void
end_op(thread *t)
{
  for (uint32_t i = 0; i < t->op.nargs; i++)
    drop(t->args[i]);
  drop(t->ret);
  *t = (thread){0};
}

static void
print_step(job *j, hd_history_op *op, hd_history_step step)
{
  op->step = step;
  if (!j->error)
    hd_history_printer_add(j->printer, op, &j->error);
}

static void
begin_op(job *j, const hd_ordered *o)
{
  const hd_log_object *object = hd_log_object_get(j->log, o->event.object);
  thread *t = &j->threads[o->event.thread];
  uint32_t m = 0;
  while (m < j->spec->nmethods && strcmp(j->spec->methods[m].name, o->method) != 0)
    m++;
  /* A history has one operation a process, of a method that is known. */
  if (t->open || m == j->spec->nmethods || strlen(j->spec->methods[m].args) != o->event.nvalues)
  {
    j->skipped++;
    return;
  }
  t->open = true;
  t->op = (hd_history_op){.number = j->calls++,
                          .process = (int64_t) o->event.thread - 1,
                          .slot = o->event.thread - 1,
                          .method = m,
                          .has_object = j->nobjects > 1,
                          .object = hd_str(*object->name ? object->name : object->type),
                          .rule = hd_history_rule_get(j->spec, m),
                          .nargs = o->event.nvalues};
  for (uint32_t i = 0; i < o->event.nvalues; i++)
    t->args[i] = keep(o->event.values[i]);
  t->op.args = t->args;
  print_step(j, &t->op, HD_HISTORY_STEP_CALL);
}

static void
take_value(thread *t, const hd_event *e)
{
  if (e->nvalues == 0)
    return;
  drop(t->ret);
  t->ret = keep(e->values[0]);
  t->op.has_ret = true;
  t->op.ret = t->ret;
}

static void
take_event(void *context, const hd_ordered *o)
{
  job *j = context;
  const hd_event *e = &o->event;
  const hd_log_object *object = e->object ? hd_log_object_get(j->log, e->object) : NULL;
  if (!object || strcmp(object->type, j->spec->name) != 0)
    return;
  while (j->nthreads <= e->thread)
    HD_PUSH(j->threads, j->nthreads, j->cap_threads, (thread){0});
  thread *t = &j->threads[e->thread];
  if (e->kind == HD_K_CALL || e->kind == HD_K_CALL_NOCOMMIT)
  {
    begin_op(j, o);
    return;
  }
  if (!t->open)
    return;
  switch (e->kind)
  {
  case HD_K_COMMIT:
  case HD_K_COMMIT_RET:
    take_value(t, e);
    if (!j->ignore_commits && !t->committed)
      print_step(j, &t->op, HD_HISTORY_STEP_COMMIT);
    t->committed = true;
    break;
  case HD_K_WINDOW:
    /* A second one replaces the first, which a history cannot say; a window that is too wide is never wrong. */
    if (!j->ignore_commits && !t->windowed && !t->committed)
      print_step(j, &t->op, HD_HISTORY_STEP_WINDOW);
    t->windowed = true;
    break;
  case HD_K_RETURN:
    take_value(t, e);
    print_step(j, &t->op, HD_HISTORY_STEP_RETURN);
    end_op(t);
    break;
  case HD_K_ABANDON:
    print_step(j, &t->op, HD_HISTORY_STEP_NEVER);
    end_op(t);
    break;
  default: /* writes have no place in a history */
    break;
  }
}

/* The types of the objects in the log, if there is one type only. */
static const char *
only_type(const hd_log *log)
{
  const char *type = NULL;
  for (uint32_t i = 1; i <= hd_log_objects(log); i++)
  {
    const char *this_type = hd_log_object_get(log, i)->type;
    if (type && strcmp(type, this_type) != 0)
      return NULL;
    type = this_type;
  }
  return type;
}

static bool
print_log(job *j, const hd_cli_options *o, hd_log *log, FILE *out)
{
  const hd_value *initial = NULL;
  for (uint32_t i = 1; i <= hd_log_objects(log); i++)
  {
    const hd_log_object *object = hd_log_object_get(log, i);
    if (strcmp(object->type, j->spec->name) != 0)
      continue;
    initial = ++j->nobjects == 1 && object->nconfig == 1 ? &object->config[0] : NULL;
  }
  j->printer = hd_history_printer_new(out, text_form(o), j->spec, initial, &j->error);
  if (!j->printer)
    return false;
  hd_log_order *order = hd_log_order_new(log, take_event, j);
  hd_log_sink sink = hd_log_order_sink(order);
  hd_log_read(log, &sink);
  hd_log_order_flush(order);
  hd_log_order_free(order);
  for (size_t i = 0; i < j->nthreads; i++)
    if (j->threads[i].open)
      end_op(&j->threads[i]);
  free(j->threads);
  hd_history_printer_free(j->printer);
  return !j->error;
}

static int
convert_log(const hd_cli_options *o, const hd_cli_specs *given, const char *path)
{
  if (target(o) == INTO_LOG)
  {
    fprintf(stderr, "heddle history: %s is a log already\n", path);
    return HD_BAD_INPUT;
  }
  char *error = NULL;
  hd_log *log = hd_log_open(path, &error);
  if (!log)
    return say(error);
  job j = {.log = log, .ignore_commits = o->ignore_commits};
  j.spec = choose_spec(given, path, only_type(log));
  int status = HD_BAD_INPUT;
  output out;
  if (j.spec && open_output(&out, o->output))
  {
    bool good = print_log(&j, o, log, out.file);
    if (!good)
      fprintf(stderr, "heddle: %s: %s\n", path, j.error);
    status = close_output(&out, good) ? HD_HOLDS : HD_BAD_INPUT;
    free(j.error);
    if (status == HD_HOLDS && j.skipped)
      fprintf(stderr, "heddle: %s: %llu operations were left out: nested, or unknown to the specification\n", path,
              (unsigned long long) j.skipped);
    char *problem = hd_cli_log_problem(log, NULL);
    if (status == HD_HOLDS && (problem || j.skipped))
      status = HD_INCOMPLETE;
    if (problem)
      fprintf(stderr, "heddle: %s: %s\n", path, problem);
    free(problem);
  }
  hd_log_free(log);
  return status;
}

int
hd_cmd_history(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("history", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  const char *what = o.operands.items[0], *path = o.operands.items[1];
  status = HD_BAD_INPUT;
  if (strcmp(what, "convert") != 0)
    fprintf(stderr, "heddle history: there is no '%s'; usage: heddle history convert FILE [-o OUT] [OPTION]...\n",
            what);
  else if (target(&o) == INTO_LOG && !o.output)
    fputs("heddle history: a log needs a place: -o FILE\n", stderr);
  else
  {
    hd_cli_specs given = {0};
    if (load_given(&o, &given))
      status = is_log(path) ? convert_log(&o, &given, path) : convert_history(&o, &given, path);
    hd_cli_specs_free(&given);
  }
  hd_options_free(&o);
  return status;
}
