/* property_print.c: what a program that was judged by properties has violated, for people and as JSON. */
#include "cli/property_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum
{
  FRAMES = 32
};

/* ---- parts ---- */

/* TEXT with the names of what lies at its addresses. */
static void
put_named(hd_string *out, const hd_watch_run *r, const char *text)
{
  for (; *text; text++)
  {
    uint64_t address;
    unsigned size;
    const char *end = *text == 1 ? strchr(text, 2) : NULL;
    if (!end || sscanf(text + 1, "%" SCNu64 " %u", &address, &size) != 2)
    {
      hd_string_add_n(out, text, 1);
      continue;
    }
    hd_symbols_frame where;
    if (!hd_symbols_data(r->symbols, address, size ? size : 1, out, &where))
      hd_string_printf(out, "memory at 0x%" PRIx64, address);
    text = end;
  }
}

static const hd_watch_thread *
thread_of(const hd_watch_run *r, uint32_t file, uint32_t number)
{
  for (size_t i = 0; i < r->nthreads; i++)
    if (r->threads[i].file == file && r->threads[i].number == number)
      return &r->threads[i];
  return NULL;
}

/* "thread 2 (worker)" */
static void
put_thread(hd_string *out, const hd_watch_run *r, uint32_t file, uint32_t number)
{
  const hd_watch_thread *t = thread_of(r, file, number);
  hd_symbols_frame frame = {0};
  hd_string_printf(out, "thread %u", number);
  if (t && strcmp(t->name, "-") != 0)
    hd_string_printf(out, " (%s)", t->name);
  else if (t && t->start && hd_symbols_frames(r->symbols, t->start + 1, &frame, 1) && frame.function)
    hd_string_printf(out, " (%s)", frame.function);
  else if (number == 0)
    hd_string_add(out, " (main)");
}

/* What starts threads and programs, the runtime and its header are not the user's concern. */
static bool
is_machinery(const hd_symbols_frame *f)
{
  static const char *const heads[]
      = {"start_thread", "__libc_start", "_start", "clone", "__clone", "hd_rt_", "hd_internal_", "__wrap_"};
  if (!f->function)
    return f->module && strstr(f->module, "/libc.so");
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (strncmp(f->function, heads[i], strlen(heads[i])) == 0)
      return true;
  return false;
}

/* The frames of STEP, innermost first. */
static size_t
frames_of(const hd_watch_run *r, const hd_watch_step *step, hd_symbols_frame *frames, size_t max)
{
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < step->n && n < max; i++)
    n += hd_symbols_frames(r->symbols, step->pcs[i], frames + n, max - n);
  for (size_t i = 0; i < n; i++)
    if (!is_machinery(&frames[i]))
      frames[kept++] = frames[i];
  return kept;
}

static void
put_stack(hd_string *out, const hd_watch_run *r, const hd_watch_step *step, const char *indent)
{
  hd_symbols_frame frames[FRAMES];
  size_t n = frames_of(r, step, frames, FRAMES);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(out, "%s%s", indent, i ? "from " : "in ");
    hd_string_add(out, frames[i].function ? frames[i].function : "?");
    if (frames[i].file)
      hd_string_printf(out, " at %s:%d", frames[i].file, frames[i].line);
    else if (frames[i].module)
      hd_string_printf(out, " in %s+0x%" PRIx64, frames[i].module, frames[i].offset);
    hd_string_add(out, "\n");
  }
}

/* ---- text ---- */

static void
put_lines(hd_string *out, const hd_watch_run *r, const char *indent, const char *text)
{
  for (const char *line = text ? text : ""; *line;)
  {
    size_t n = strcspn(line, "\n");
    char *copy = hd_strndup(line, n);
    hd_string_add(out, indent);
    put_named(out, r, copy);
    hd_string_add(out, "\n");
    free(copy);
    line += n + (line[n] == '\n');
  }
}

static void
put_schedule(hd_string *out, const hd_watch_run *r, const hd_watch_violation *v)
{
  bool others = false;
  for (size_t i = 0; i < v->nsteps; i++)
    others = others || v->steps[i].thread != v->thread;
  if (!others)
    return;
  hd_string_printf(out, "  a schedule that shows it, as far as thread %u knows:\n", v->thread);
  for (size_t i = 0; i < v->nsteps; i++)
  {
    hd_string_printf(out, "    %zu. ", i + 1);
    put_thread(out, r, v->file, v->steps[i].thread);
    hd_string_add(out, " ");
    put_named(out, r, v->steps[i].does);
    hd_string_add(out, i + 1 == v->nsteps ? ": here it is violated\n" : "\n");
    if (i + 1 < v->nsteps)
      put_stack(out, r, &v->steps[i], "         ");
  }
}

static void
put_violation(hd_string *out, const hd_watch_run *r, const hd_watch_violation *v)
{
  const hd_mttl_property *p = &r->files[v->file]->properties[v->property];
  const hd_watch_step *last = v->nsteps ? &v->steps[v->nsteps - 1] : NULL;
  hd_string_printf(out, "property %s is violated (%s:%u)\n  ", p->name, r->files[v->file]->path, p->place.line);
  put_thread(out, r, v->file, v->thread);
  if (last)
  {
    hd_string_add(out, " ");
    put_named(out, r, last->does);
  }
  hd_string_add(out, "\n");
  if (last)
    put_stack(out, r, last, "    ");
  hd_string_printf(out, "  %s\n", p->text);
  put_lines(out, r, "    ", v->why.text);
  put_schedule(out, r, v);
  hd_string_add(out, "\n");
}

static void
put_notes(hd_string *out, const hd_watch_run *r, const char *head, const char *text)
{
  put_lines(out, r, head, text);
}

void
hd_watch_print_text(hd_string *out, const hd_watch_run *r)
{
  size_t properties = 0, broken = 0;
  for (size_t i = 0; i < r->nviolations; i++)
    put_violation(out, r, &r->violations[i]);
  for (size_t i = 0; i < r->nfiles; i++)
    for (size_t k = 0; k < r->files[i]->nproperties; k++)
    {
      uint64_t count = r->count[i][k], told = 0;
      properties++;
      broken += count > 0;
      for (size_t n = 0; n < r->nviolations; n++)
        told += r->violations[n].file == i && r->violations[n].property == k;
      if (count > told)
        hd_string_printf(out, "property %s: %" PRIu64 " of %" PRIu64 " violations are shown\n",
                         r->files[i]->properties[k].name, told, count);
    }
  if (r->stopped || r->aborted)
    hd_string_printf(out, "the program was %s at the last violation\n", r->stopped ? "stopped" : "aborted");
  if (!r->o->quiet)
  {
    hd_string_printf(out, "%zu of %zu %s violated", broken, properties, properties == 1 ? "property" : "properties");
    if (r->all_threads)
      hd_string_printf(out, " by %" PRIu64 " thread%s", r->all_threads, r->all_threads == 1 ? "" : "s");
    hd_string_add(out, "\n");
  }
  put_notes(out, r, "note: ", r->notes.text);
  put_notes(out, r, "incomplete: ", r->incomplete.text);
}

/* ---- JSON ---- */

static void
json_lines(hd_string *out, const hd_watch_run *r, const char *key, const char *text)
{
  hd_string named = {0};
  put_lines(&named, r, "", text);
  hd_string_printf(out, "\"%s\":[", key);
  for (const char *line = named.length ? named.text : ""; *line;)
  {
    size_t n = strcspn(line, "\n");
    hd_string_add(out, line == named.text ? "" : ",");
    hd_json_string(out, line, n);
    line += n + 1;
  }
  hd_string_add(out, "]");
  hd_string_free(&named);
}

static void
json_step(hd_string *out, const hd_watch_run *r, uint32_t file, const hd_watch_step *step)
{
  hd_symbols_frame frames[FRAMES];
  size_t n = frames_of(r, step, frames, FRAMES);
  hd_string s = {0};
  hd_string_printf(out, "{\"number\":%u,", step->thread);
  put_thread(&s, r, file, step->thread);
  hd_json_text(out, "thread", s.text);
  hd_string_clear(&s);
  put_named(&s, r, step->does);
  hd_string_add(out, ",");
  hd_json_text(out, "does", s.text ? s.text : "");
  hd_string_add(out, ",\"stack\":[");
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? ",{" : "{");
    hd_json_text(out, "function", frames[i].function);
    hd_string_add(out, ",");
    hd_json_text(out, "file", frames[i].file);
    hd_string_printf(out, ",\"line\":%d}", frames[i].line);
  }
  hd_string_add(out, "]}");
  hd_string_free(&s);
}

static void
json_violation(hd_string *out, const hd_watch_run *r, const hd_watch_violation *v)
{
  hd_string s = {0};
  hd_string_printf(out, "{\"number\":%u,", v->thread);
  put_thread(&s, r, v->file, v->thread);
  hd_json_text(out, "thread", s.text);
  hd_string_clear(&s);
  if (v->nsteps)
    put_named(&s, r, v->steps[v->nsteps - 1].does);
  hd_string_add(out, ",");
  hd_json_text(out, "does", s.text ? s.text : "");
  hd_string_free(&s);
  hd_string_add(out, ",");
  json_lines(out, r, "because", v->why.text);
  hd_string_add(out, ",\"schedule\":[");
  for (size_t i = 0; i < v->nsteps; i++)
  {
    hd_string_add(out, i ? "," : "");
    json_step(out, r, v->file, &v->steps[i]);
  }
  hd_string_add(out, "]}");
}

static void
json_property(hd_string *out, const hd_watch_run *r, uint32_t file, uint32_t index)
{
  const hd_mttl_property *p = &r->files[file]->properties[index];
  bool first = true;
  hd_string_add(out, "{");
  hd_json_text(out, "file", r->files[file]->path);
  hd_string_printf(out, ",\"line\":%u,\"column\":%u,", p->place.line, p->place.column);
  hd_json_text(out, "name", p->name);
  hd_string_add(out, ",");
  hd_json_text(out, "formula", p->text);
  hd_string_printf(out, ",\"violated\":%" PRIu64 ",\"reports\":[", r->count[file][index]);
  for (size_t i = 0; i < r->nviolations; i++)
    if (r->violations[i].file == file && r->violations[i].property == index)
    {
      hd_string_add(out, first ? "" : ",");
      json_violation(out, r, &r->violations[i]);
      first = false;
    }
  hd_string_add(out, "]}");
}

void
hd_watch_print_json(hd_string *out, const hd_watch_run *r, hd_verdict verdict)
{
  static const char *const words[] = {"holds", "violated", "", "incomplete"};
  hd_string_printf(out,
                   "{\"schema\":1,\"command\":\"monitor\",\"verdict\":\"%s\",\"exit_status\":%d,\"seconds\":%.3f,"
                   "\"program\":{",
                   words[verdict], verdict, r->seconds);
  hd_json_text(out, "path", r->o->program[0]);
  hd_string_printf(out, ",\"threads\":%" PRIu64 ",", r->all_threads);
  hd_json_text(out, "ended", r->stopped ? "stopped" : r->aborted ? "aborted" : "by itself");
  hd_string_add(out, "},");
  json_lines(out, r, "notes", r->notes.text);
  hd_string_add(out, ",");
  json_lines(out, r, "incomplete", r->incomplete.text);
  hd_string_add(out, ",\"properties\":[");
  for (uint32_t i = 0; i < r->nfiles; i++)
    for (uint32_t k = 0; k < r->files[i]->nproperties; k++)
    {
      hd_string_add(out, i || k ? "," : "");
      json_property(out, r, i, k);
    }
  hd_string_add(out, "]}\n");
}
