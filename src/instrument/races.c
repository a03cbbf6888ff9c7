/* races.c: reads the lines that rt_report.c writes, finds names, and tells each race once: two races are the same if
 * their accesses are on the same two source lines. */
#include "instrument/races.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hd_races
{
  hd_races_options options;
  hd_suppressions *suppressions;
  hd_symbols *symbols;
  hd_arena *names;
  hd_string line;
  hd_races_finding now; /* being read */
  bool reading, ended;
  hd_string *told; /* keys */
  size_t ntold, cap_told;
  hd_string text; /* what is printed at the end */
  uint64_t races, suppressed;
  hd_string lost;
  hd_children *children;
  uint64_t starts, quits;
};

hd_races *
hd_races_new(const hd_races_options *options, char **error)
{
  hd_races *r = hd_alloc_zero(sizeof *r);
  r->options = *options;
  r->symbols = hd_symbols_new();
  r->names = hd_arena_new();
  r->children = hd_children_new();
  if (options->suppressions && !(r->suppressions = hd_suppressions_read(options->suppressions, error)))
  {
    hd_races_free(r);
    return NULL;
  }
  return r;
}

void
hd_races_free(hd_races *r)
{
  if (!r)
    return;
  hd_suppressions_free(r->suppressions);
  hd_symbols_free(r->symbols);
  hd_arena_free(r->names);
  hd_children_free(r->children);
  for (size_t i = 0; i < r->ntold; i++)
    hd_string_free(&r->told[i]);
  free(r->told);
  hd_string_free(&r->line);
  hd_string_free(&r->text);
  hd_string_free(&r->lost);
  hd_string_free(&r->now.variable);
  free(r);
}

bool
hd_races_ended(const hd_races *r)
{
  return r->ended;
}

/* ---- one race ---- */

/* What starts threads and programs, and the runtime, are not the user's concern. */
static bool
is_machinery(const hd_symbols_frame *f)
{
  static const char *const names[] = {"start_thread",
                                      "__libc_start_call_main",
                                      "__libc_start_main",
                                      "__libc_start_main_impl",
                                      "_start",
                                      "clone3",
                                      "__clone3",
                                      "clone"};
  if (!f->function)
    return f->module && strstr(f->module, "/libc.so");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(f->function, names[i]) == 0)
      return true;
  return false;
}

/* The numbers in TEXT are return addresses. */
static size_t
read_stack(hd_races *r, const char *text, hd_symbols_frame *frames)
{
  size_t n = 0;
  char *end;
  for (;; text = end)
  {
    uint64_t pc = strtoull(text, &end, 16);
    if (end == text || n + 8 > HD_RACES_FRAMES)
      break;
    size_t more = hd_symbols_frames(r->symbols, pc, frames + n, 8);
    if (!frames[n].function || strncmp(frames[n].function, "hd_rt_", 6) != 0)
      n += more;
  }
  while (n > 1 && is_machinery(&frames[n - 1]))
    n--;
  return n;
}

static void
read_access(hd_races *r, hd_races_access *a, const char *text)
{
  int used = 0;
  *a = (hd_races_access){0};
  if (sscanf(text, "%15s %" SCNu64 " %" SCNu64 " %15s%n", a->kind, &a->size, &a->thread, a->doing, &used) == 4)
    a->n = read_stack(r, text + used, a->frames);
}

static void
read_thread(hd_races *r, const char *text)
{
  if (r->now.nthreads == 4)
    return;
  hd_races_thread *t = &r->now.threads[r->now.nthreads];
  int used = 0;
  uint64_t start;
  *t = (hd_races_thread){0};
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64 " %31s%n", &t->id, &t->kernel_id, &t->parent, &start,
             t->name, &used)
      != 5)
    return;
  if (start)
  {
    hd_symbols_frame frames[8];
    hd_symbols_frames(r->symbols, start + 1, frames, 8);
    t->start = frames[0].function;
  }
  t->n = read_stack(r, text + used, t->created);
  r->now.nthreads++;
}

static void
read_where(hd_races *r, const char *text)
{
  hd_races_finding *f = &r->now;
  int used = 0;
  const char *rest = hd_races_read_where(&f->where, text);
  if (!rest || f->where.kind != HD_RACES_HEAP || sscanf(rest, "%" SCNu64 "%n", &f->freed_by, &used) != 1)
    return;
  rest += used;
  f->nallocated = read_stack(r, rest, f->allocated);
  char *end;
  for (size_t i = 0; i < sizeof f->allocated_at / sizeof *f->allocated_at; i++, rest = end)
    f->allocated_at[i] = strtoull(rest, &end, 16);
}

static void
read_holder(hd_races *r, const char *text)
{
  hd_races_finding *f = &r->now;
  int used = 0;
  if (f->nholders == HD_RACES_HOLDERS)
    return;
  hd_races_holder *h = &f->holders[f->nholders];
  *h = (hd_races_holder){0};
  if (sscanf(text, "%" SCNu64 " %" SCNx64 " %" SCNx64 " %n", &h->child, &h->address, &h->value, &used) == 3
      && h->child <= f->nholders && hd_races_read_where(&h->where, text + used))
    f->nholders++;
}

static void
add_place(hd_string *key, const hd_races_access *a)
{
  if (!a->n)
    return;
  const hd_symbols_frame *f = &a->frames[0];
  if (f->file)
    hd_string_printf(key, "%s:%d", f->file, f->line);
  else
    hd_string_printf(key, "%s+%" PRIx64, f->module ? f->module : "?", f->offset);
}

/* Is PLACE one of the two in KEY? */
static bool
has_place(const char *key, const char *place)
{
  size_t n = strlen(place);
  const char *bar = strchr(key, '|');
  return (strncmp(key, place, n) == 0 && key + n == bar) || strcmp(bar + 1, place) == 0;
}

/* Was no race between these two places told? Nor, if the earlier one is not known any more, one with the later? */
static bool
is_new(hd_races *r)
{
  hd_string one = {0}, two = {0}, key = {0};
  add_place(&one, &r->now.accesses[0]);
  add_place(&two, &r->now.accesses[1]);
  const char *a = one.text ? one.text : "", *b = two.text ? two.text : "";
  bool swap = strcmp(a, b) > 0;
  hd_string_printf(&key, "%s|%s", swap ? b : a, swap ? a : b);
  bool new = true;
  for (size_t i = 0; i < r->ntold && new; i++)
    new = strcmp(r->told[i].text, key.text) != 0 && (*b || !has_place(r->told[i].text, a));
  hd_string_free(&one);
  hd_string_free(&two);
  if (new)
    HD_PUSH(r->told, r->ntold, r->cap_told, key);
  else
    hd_string_free(&key);
  return new;
}

static void
conclude_race(hd_races *r)
{
  hd_races_finding *f = &r->now;
  if (!is_new(r))
    return;
  hd_races_name(f, r->symbols, r->names);
  if (hd_races_suppressed(r->suppressions, f->accesses, 2, f->variable.text))
  {
    r->suppressed++;
    return;
  }
  if (r->options.json || r->options.sarif)
  {
    hd_string_add(&r->text, r->races ? ",\n    " : "\n    ");
    (r->options.sarif ? hd_races_print_sarif : hd_races_print_json)(&r->text, f);
  }
  else
    hd_races_print_text(&r->text, f);
  r->races++;
  if (r->options.live && !r->options.json && !r->options.sarif)
  {
    fwrite(r->text.text, 1, r->text.length, r->options.out);
    fflush(r->options.out);
    hd_string_clear(&r->text);
  }
}

/* ---- lines ---- */

/* LINE: what there was no room for, and how often. */
static void
take_lost(hd_races *r, const char *line)
{
  static const char *const kinds[][2] = {
      {"threads ", "threads after 1,023 that ran at once or were not joined"},
      {"clocks ", "releases without a clock of their own"},
      {"reads ", "sets of readers"},
      {"objects ", "synchronisation objects"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
  {
    const size_t n = strlen(kinds[i][0]);
    if (strncmp(line, kinds[i][0], n) == 0)
      hd_string_printf(&r->lost, "%s%s %s", r->lost.length ? ", " : "", line + n, kinds[i][1]);
  }
}

static void
take_line(hd_races *r, const char *line)
{
  hd_races_finding *f = &r->now;
  if (strncmp(line, "map ", 4) == 0)
    hd_symbols_map(r->symbols, line + 4);
  else if (strncmp(line, "start ", 6) == 0)
    r->starts++;
  else if (strncmp(line, "quit ", 5) == 0)
  {
    r->ended = true;
    r->quits++;
  }
  else if (hd_children_take(r->children, line))
    return;
  else if (strncmp(line, "lost ", 5) == 0)
    take_lost(r, line + 5);
  else if (strncmp(line, "race ", 5) == 0)
  {
    hd_string_free(&f->variable);
    *f = (hd_races_finding){0};
    r->reading = sscanf(line + 5, "%" SCNu64 " %" SCNx64 " %" SCNu64, &f->process, &f->address, &f->bytes) == 3;
  }
  else if (!r->reading)
    return;
  else if (strncmp(line, "new ", 4) == 0)
    read_access(r, &f->accesses[0], line + 4);
  else if (strncmp(line, "old ", 4) == 0)
    read_access(r, &f->accesses[1], line + 4);
  else if (strncmp(line, "thread ", 7) == 0)
    read_thread(r, line + 7);
  else if (strncmp(line, "by ", 3) == 0)
    read_holder(r, line + 3);
  else if (strcmp(line, "end") == 0)
  {
    r->reading = false;
    conclude_race(r);
  }
  else
    read_where(r, line);
}

void
hd_races_feed(hd_races *r, const char *bytes, size_t n)
{
  while (n > 0)
  {
    const char *newline = memchr(bytes, '\n', n);
    size_t part = newline ? (size_t) (newline - bytes) : n;
    if (r->line.length < 1 << 20)
      hd_string_add_n(&r->line, bytes, part);
    if (!newline)
      return;
    take_line(r, r->line.text ? r->line.text : "");
    hd_string_clear(&r->line);
    bytes += part + 1;
    n -= part + 1;
  }
}

/* Sentences as one, and what is not seen of the run. */
static void
say_losses(const hd_races *r, hd_string *out, const char *losses)
{
  if (r->lost.length)
    hd_string_printf(out, "; incomplete: the run was too big (%s): races may have been missed", r->lost.text);
  for (const char *line = losses; *line;)
  {
    int length = (int) strcspn(line, "\n");
    hd_string_printf(out, "; %s%.*s", line == losses && !r->lost.length ? "incomplete: " : "", length, line);
    line += length + 1;
  }
}

static void
summary(const hd_races *r, const char *note, const char *losses, hd_string *out)
{
  if (r->races)
    hd_string_printf(out, "%" PRIu64 " race%s", r->races, r->races == 1 ? "" : "s");
  else
    hd_string_add(out, "no races");
  if (r->suppressed)
    hd_string_printf(out, ", %" PRIu64 " suppressed", r->suppressed);
  if (note)
    hd_string_printf(out, "; %s", note);
  say_losses(r, out, losses);
}

/* NOTES: a line each. */
static void
print_json(const hd_races *r, hd_verdict verdict, const char *text, const char *notes)
{
  static const char *const words[] = {[HD_HOLDS] = "holds", [HD_VIOLATED] = "violated", [HD_INCOMPLETE] = "incomplete"};
  hd_string out = {0};
  hd_string_printf(&out, "{\n  \"schema\": 1,\n  \"command\": \"monitor\",\n  \"verdict\": \"%s\",\n  \"summary\": ",
                   words[verdict]);
  hd_json_string(&out, text, strlen(text));
  hd_string_add(&out, ",\n  \"notes\": [");
  for (const char *line = notes; *line;)
  {
    size_t length = strcspn(line, "\n");
    hd_string_add(&out, line == notes ? "" : ", ");
    hd_json_string(&out, line, length);
    line += length + 1;
  }
  hd_string_printf(&out, "],\n  \"suppressed\": %" PRIu64 ",\n  \"races\": [%s%s]\n}\n", r->suppressed,
                   r->text.length ? r->text.text : "", r->races ? "\n  " : "");
  fwrite(out.text, 1, out.length, r->options.out);
  hd_string_free(&out);
}

static void
print_text(const hd_races *r, const char *text, const char *notes)
{
  FILE *out = r->options.out;
  if (r->text.length)
    fwrite(r->text.text, 1, r->text.length, out);
  for (const char *line = notes; *line && !r->options.quiet;)
  {
    int length = (int) strcspn(line, "\n");
    fprintf(out, "heddle: %.*s\n", length, line);
    line += length + 1;
  }
  if (!r->options.quiet || r->races)
    fprintf(out, "heddle: %s\n", text);
}

hd_verdict
hd_races_finish(hd_races *r, const char *note, bool killed)
{
  hd_string s = {0}, losses = {0}, notes = {0};
  hd_children_tell(r->children, HD_CHILDREN_RACES, &losses, &notes);
  if (r->starts > r->quits && !killed && !hd_children_became(r->children))
    hd_string_add(&losses,
                  "the program ended without its runtime hearing of it, or goes on as another process: what came "
                  "then was not watched\n");
  hd_verdict verdict = r->races ? HD_VIOLATED : r->lost.length || losses.length ? HD_INCOMPLETE : HD_HOLDS;
  const char *remarks = notes.length ? notes.text : "";
  summary(r, note, losses.length ? losses.text : "", &s);
  if (r->options.sarif)
  {
    hd_string log = {0};
    hd_races_sarif_log(&log, r->text.length ? r->text.text : "", s.text, verdict != HD_INCOMPLETE);
    fwrite(log.text, 1, log.length, r->options.out);
    hd_string_free(&log);
  }
  else if (r->options.json)
    print_json(r, verdict, s.text, remarks);
  else
    print_text(r, s.text, remarks);
  fflush(r->options.out);
  hd_string_free(&s);
  hd_string_free(&losses);
  hd_string_free(&notes);
  return verdict;
}
