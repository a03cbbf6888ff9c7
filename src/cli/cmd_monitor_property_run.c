/* cmd_monitor_property_run.c: heddle monitor --property FILE -- PROG: the program judges itself while it runs
 * (instrument/rt_property.h); we tell it by what, before it begins, and print what it reports (the lines of
 * instrument/rt_property_report.c). */
#include "cli/property_watch.h"
#include "cli/watched.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

typedef struct watching
{
  hd_watch_run run;
  int socket, pid;
  hd_string line;
  hd_children *children;
  bool in_maps, answered, refused, quit, failed;
} watching;

/* ---- the answer ---- */

/* Only now the program's addresses are known. It waits for us. */
static void
answer(watching *w)
{
  static const char *const actions[] = {"file", "continue", "stop", "abort", "call"};
  hd_string s = {0}, messages = {0};
  hd_string_printf(&s, "client property\naction %s\n", actions[w->run.o->on_violation]);
  w->answered = true;
  w->refused = !hd_watch_resolve(&w->run, &s, &messages);
  hd_string_add(&s, "go\n");
  if (w->refused)
  {
    fputs(messages.text, stderr);
    kill(w->pid, SIGKILL); /* it has done nothing yet */
  }
  else
    for (size_t done = 0; done < s.length;)
    {
      ssize_t n = send(w->socket, s.text + done, s.length - done, MSG_NOSIGNAL);
      if (n <= 0 && errno != EINTR)
        break;
      done += n > 0 ? (size_t) n : 0;
    }
  hd_string_free(&s);
  hd_string_free(&messages);
}

/* ---- what the program says ---- */

static const char *
after(const char *line, const char *word)
{
  size_t n = strlen(word);
  return strncmp(line, word, n) == 0 ? line + n : NULL;
}

static void
take_step(hd_watch_violation *v, const char *rest)
{
  char *end;
  hd_watch_step step = {.thread = (uint32_t) strtoul(rest, &end, 10)};
  step.does = hd_strndup(end + (*end == ' '), strlen(end + (*end == ' ')));
  HD_PUSH(v->steps, v->nsteps, v->steps_cap, step);
}

static void
take_places(hd_watch_violation *v, const char *rest)
{
  hd_watch_step *step = v->nsteps ? &v->steps[v->nsteps - 1] : NULL;
  char *end;
  for (uint64_t pc; step && (pc = strtoull(rest, &end, 10), end > rest); rest = end)
    HD_PUSH(step->pcs, step->n, step->cap, pc);
}

static void
take_thread(hd_watch_run *r, const char *rest)
{
  hd_watch_thread t = {0};
  int at = 0;
  if (sscanf(rest, "%u %u %d %" SCNu64 " %n", &t.file, &t.number, &t.kernel_id, &t.start, &at) < 4 || !at)
    return;
  for (size_t i = 0; i < r->nthreads; i++)
    if (r->threads[i].file == t.file && r->threads[i].number == t.number)
      return;
  t.name = hd_strndup(rest + at, strlen(rest + at));
  HD_PUSH(r->threads, r->nthreads, r->threads_cap, t);
}

static void
take_count(hd_watch_run *r, const char *rest)
{
  unsigned file, property;
  uint64_t n;
  if (sscanf(rest, "%u %u %" SCNu64, &file, &property, &n) == 3 && file < r->nfiles
      && property < r->files[file]->nproperties)
    r->count[file][property] = n;
}

static void
take_violation(hd_watch_run *r, const char *rest)
{
  hd_watch_violation v = {0};
  if (sscanf(rest, "%u %u %u", &v.file, &v.property, &v.thread) != 3 || v.file >= r->nfiles
      || v.property >= r->files[v.file]->nproperties)
    return;
  HD_PUSH(r->violations, r->nviolations, r->violations_cap, v);
  r->count[v.file][v.property]++; /* the program counts better, if it comes to its end */
}

/* What it could not see. */
static void
take_loss(hd_watch_run *r, const char *line)
{
  const char *rest;
  unsigned file, index;
  if ((rest = after(line, "never ")) && sscanf(rest, "%u %u", &file, &index) == 2 && file < r->nfiles
      && index < r->files[file]->nfunctions)
    hd_string_printf(&r->notes, "nobody entered %s\n", r->files[file]->functions[index]);
  else if ((rest = after(line, "unseen ")) && sscanf(rest, "%u %u", &file, &index) == 2 && file < r->nfiles
           && index < r->files[file]->nvariables)
    hd_string_printf(&r->incomplete,
                     "%s had values that nobody was seen to write: code that heddle-cc did not compile wrote them, or "
                     "threads race there\n",
                     r->files[file]->variables[index].name);
  else if (strcmp(line, "deep") == 0)
    hd_string_add(&r->incomplete, "more calls of functions that rules name were open at once than can be kept: ends of "
                                  "some were not seen\n");
  else if (strcmp(line, "nobody") == 0)
    hd_string_add(&r->notes, "there was no function to call: the program gave none to hd_on_violation\n");
  else if ((rest = after(line, "wrong ")))
    hd_string_printf(&r->incomplete,
                     "hd_internal gave a variable a value of another type than it is declared with %s times\n", rest);
  else if ((rest = after(line, "lost ")))
    hd_string_printf(&r->incomplete, "%s objects or threads were too many to be watched\n", rest);
}

static void
take_line(watching *w, const char *line)
{
  hd_watch_run *r = &w->run;
  hd_watch_violation *v = r->nviolations ? &r->violations[r->nviolations - 1] : NULL;
  const char *rest;
  if (w->in_maps)
  {
    w->in_maps = *line != 0;
    if (*line)
      hd_symbols_map(r->symbols, line);
    else if (!w->answered)
      answer(w);
  }
  else if (strcmp(line, "maps") == 0)
    w->in_maps = true;
  else if ((rest = after(line, "hello ")))
    w->pid = atoi(rest);
  else if ((rest = after(line, "violation ")))
    take_violation(r, rest);
  else if (v && (rest = after(line, "why ")))
    hd_string_printf(&v->why, "%s\n", rest);
  else if (v && (rest = after(line, "step ")))
    take_step(v, rest);
  else if (v && (rest = after(line, "at")))
    take_places(v, rest);
  else if ((rest = after(line, "thread ")))
    take_thread(r, rest);
  else if ((rest = after(line, "count ")))
    take_count(r, rest);
  else if ((rest = after(line, "threads ")))
    r->all_threads = strtoull(rest, NULL, 10);
  else if (strcmp(line, "stopped") == 0)
    r->stopped = true;
  else if (strcmp(line, "aborted") == 0)
    r->aborted = true;
  else if (after(line, "quit "))
    w->quit = true;
  else if (after(line, "failed "))
    w->failed = true;
  else if (!hd_children_take(w->children, line))
    take_loss(r, line);
}

static void
take(void *context, const char *bytes, size_t n)
{
  watching *w = context;
  for (size_t i = 0; i < n; i++)
    if (bytes[i] != '\n')
      hd_string_add_n(&w->line, &bytes[i], 1);
    else
    {
      take_line(w, w->line.text ? w->line.text : "");
      hd_string_clear(&w->line);
    }
}

static void
start(void *context, int socket)
{
  ((watching *) context)->socket = socket;
}

/* ---- the command ---- */

static hd_verdict
verdict_of(const watching *w)
{
  /* More may have been counted than told. */
  for (size_t i = 0; i < w->run.nfiles; i++)
    for (size_t k = 0; k < w->run.files[i]->nproperties; k++)
      if (w->run.count[i][k] > 0)
        return HD_VIOLATED;
  return w->run.incomplete.length ? HD_INCOMPLETE : HD_HOLDS;
}

static int
tell(watching *w, const hd_watched *watched)
{
  hd_watch_run *r = &w->run;
  char *end = hd_watched_end(watched);
  if (w->refused)
  {
    free(end);
    return HD_BAD_INPUT;
  }
  if (w->failed)
    hd_string_add(&r->incomplete, "the runtime inside the program could not start: nothing was judged\n");
  else if (!w->quit && !r->stopped && !r->aborted && !hd_children_became(w->children))
    hd_string_printf(
        &r->incomplete, "%s; what comes before was judged\n",
        end ? end : "the program ended without its runtime hearing of it (_exit, or another program took its place)");
  else if (end && !r->stopped && !r->aborted)
    hd_string_printf(&r->notes, "%s\n", end);
  free(end);
  hd_children_tell(w->children, HD_CHILDREN_PROPERTIES, &r->incomplete, &r->notes);
  hd_string out = {0};
  hd_verdict verdict = verdict_of(w);
  if (r->o->json)
    hd_watch_print_json(&out, r, verdict);
  else
    hd_watch_print_text(&out, r);
  if (out.length)
    fwrite(out.text, 1, out.length, stdout);
  hd_string_free(&out);
  return (int) verdict;
}

static void
free_run(hd_watch_run *r)
{
  for (size_t i = 0; i < r->nviolations; i++)
  {
    hd_watch_violation *v = &r->violations[i];
    for (size_t k = 0; k < v->nsteps; k++)
    {
      free(v->steps[k].does);
      free(v->steps[k].pcs);
    }
    free(v->steps);
    hd_string_free(&v->why);
  }
  free(r->violations);
  for (size_t i = 0; i < r->nthreads; i++)
    free(r->threads[i].name);
  free(r->threads);
  for (size_t i = 0; i < r->nfiles; i++)
    free(r->count[i]);
  free(r->count);
  hd_string_free(&r->notes);
  hd_string_free(&r->incomplete);
  hd_symbols_free(r->symbols);
}

int
hd_monitor_watched_properties(const hd_cli_options *o, hd_mttl_file **files)
{
  uint64_t begin = hd_terminal_now();
  watching w = {.run = {.o = o, .files = files, .nfiles = o->properties.n, .symbols = hd_symbols_new()},
                .children = hd_children_new()};
  w.run.count = hd_alloc_zero(w.run.nfiles * sizeof *w.run.count);
  for (size_t i = 0; i < w.run.nfiles; i++)
    w.run.count[i] = hd_alloc_zero((files[i]->nproperties + 1) * sizeof **w.run.count);
  hd_watched watched = {.command = "heddle monitor",
                        .program = o->program,
                        .variable = "HEDDLE_CLIENT_FD",
                        .context = &w,
                        .start = start,
                        .take = take};
  int status = HD_INCOMPLETE;
  if (hd_watched_run(&watched))
  {
    w.run.seconds = (double) (hd_terminal_now() - begin) / 1e9;
    status = watched.spoke ? tell(&w, &watched) : hd_watched_silent(&watched);
  }
  hd_string_free(&w.line);
  hd_children_free(w.children);
  free_run(&w.run);
  return status;
}
