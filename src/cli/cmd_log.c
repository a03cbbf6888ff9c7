/* cmd_log.c: heddle log print|stats|cut: looking into a log, and making a smaller one.
 *
 * print shows each object's events in the order of their positions; cut writes the events of one object in that order,
 * so that the new log is one that a program could have written. Exit status 3 if the log is damaged or incomplete:
 * what could be read has then been printed. */
#include "cli/cli.h"
#include "cli/log_order.h"
#include "log/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const kind_names[HD_K_COUNT] = {
    [HD_K_CALL] = "call",
    [HD_K_CALL_NOCOMMIT] = "call-nocommit",
    [HD_K_RETURN] = "return",
    [HD_K_RETURN_EXC] = "return-exc",
    [HD_K_COMMIT] = "commit",
    [HD_K_COMMIT_RET] = "commit-ret",
    [HD_K_COMMIT_EXC] = "commit-exc",
    [HD_K_WINDOW] = "window",
    [HD_K_BLOCK_BEGIN] = "block-begin",
    [HD_K_BLOCK_END] = "block-end",
    [HD_K_WRITE] = "write",
    [HD_K_WRITE_OLD] = "write-old",
    [HD_K_REPLAY] = "replay",
    [HD_K_FREE_WRITE] = "free-write",
    [HD_K_FREE_WRITE_OLD] = "free-write-old",
    [HD_K_FREE_REPLAY] = "free-replay",
    [HD_K_INTERNAL_BEGIN] = "task-begin",
    [HD_K_INTERNAL_END] = "task-end",
    [HD_K_OBJECT_END] = "object-end",
    [HD_K_MISUSE] = "misuse",
    [HD_K_ABANDON] = "abandon",
};

static const char *const misuse_names[] = {
    [HD_MISUSE_OTHER_OBJECT] = "the innermost open operation is not on this object",
    [HD_MISUSE_NESTED_BLOCK] = "a block inside a block",
    [HD_MISUSE_NO_BLOCK] = "a block's end without its begin",
    [HD_MISUSE_OPEN_BLOCK] = "a return inside a block",
    [HD_MISUSE_SECOND_COMMIT] = "a second commit",
    [HD_MISUSE_WINDOW_AFTER_COMMIT] = "a window after the commit",
    [HD_MISUSE_INTERNAL] = "not allowed in an internal task, or its end in an operation",
    [HD_MISUSE_TOO_DEEP] = "too many open operations",
    [HD_MISUSE_NOCOMMIT] = "a window in an operation that was called with HD_CALL_NOCOMMIT",
};

/* One run of the command. */
typedef struct job
{
  const hd_cli_options *options;
  hd_log *log;
  bool *wanted; /* by object; NULL: all */
  hd_string line;
  /* stats */
  uint64_t *operations; /* by object */
  uint64_t kinds[HD_K_COUNT], events, unfinished;
  /* cut */
  hd_log_build *build;
  uint32_t *sites; /* new ids by old ids */
} job;

/* ---- what all three share ---- */

static bool
is_number(const char *s, uint64_t *n)
{
  char *end;
  *n = strtoull(s, &end, 10);
  return s[0] >= '0' && s[0] <= '9' && *end == 0;
}

/* Find the objects that --object names: by number, name or type. False: there is none of that name. */
static bool
choose_objects(job *j)
{
  const hd_cli_list *names = &j->options->objects;
  uint32_t n = hd_log_objects(j->log);
  if (names->n == 0)
    return true;
  j->wanted = hd_alloc_zero((size_t) n + 1);
  for (size_t k = 0; k < names->n; k++)
  {
    bool found = false;
    uint64_t number;
    if (is_number(names->items[k], &number) && number >= 1 && number <= n)
      found = j->wanted[number] = true;
    for (uint32_t i = 1; i <= n && !found; i++)
      if (strcmp(hd_log_object_get(j->log, i)->name, names->items[k]) == 0)
        found = j->wanted[i] = true;
    bool any = found;
    for (uint32_t i = 1; i <= n && !found; i++)
      if (strcmp(hd_log_object_get(j->log, i)->type, names->items[k]) == 0)
        any = j->wanted[i] = true;
    if (any)
      continue;
    fprintf(stderr, "heddle: %s: there is no object '%s'; 'heddle log stats %s' lists the %u objects\n",
            hd_log_path(j->log), names->items[k], hd_log_path(j->log), n);
    return false;
  }
  return true;
}

/* Is the event one that was asked for? */
static bool
chosen(const job *j, const hd_ordered *o)
{
  const hd_cli_options *p = j->options;
  return (!j->wanted || (o->event.object && j->wanted[o->event.object])) && (!p->thread || p->thread == o->event.thread)
         && o->position / 2 >= p->from && (!p->to || o->position / 2 < p->to);
}

/* Kinds that have a stamp, so that one without it was never finished. */
static bool
unfinished(const hd_event *e)
{
  return !e->stamped && e->kind != HD_K_BLOCK_BEGIN && e->kind != HD_K_BLOCK_END && e->kind != HD_K_MISUSE
         && e->kind != HD_K_ABANDON;
}

/* Read the log in order of positions. */
static void
read_ordered(job *j, hd_ordered_sink sink)
{
  hd_log_order *order = hd_log_order_new(j->log, sink, j);
  hd_log_sink to = hd_log_order_sink(order);
  hd_log_read(j->log, &to);
  hd_log_order_flush(order);
  hd_log_order_free(order);
}

/* What the log lacks, on stderr; the exit status. */
static int
conclude(const job *j)
{
  const hd_log_damage *d;
  size_t n = hd_log_damages(j->log, &d);
  const char *path = hd_log_path(j->log);
  for (size_t i = 0; i < n; i++)
    fprintf(stderr, "heddle: %s: at byte %" PRIu64 ": %s\n", path, d[i].offset, d[i].what);
  if (hd_log_dropped(j->log))
    fprintf(stderr, "heddle: %s: %" PRIu64 " operations were not logged (policy drop)\n", path, hd_log_dropped(j->log));
  if (hd_log_lost(j->log))
    fprintf(stderr, "heddle: %s: the program could not record everything (disk or tables full)\n", path);
  if (!hd_log_closed(j->log))
    fprintf(stderr, "heddle: %s: the log was not closed: the program is running, crashed or was killed\n", path);
  return n || hd_log_dropped(j->log) || hd_log_lost(j->log) || !hd_log_closed(j->log) ? HD_INCOMPLETE : HD_HOLDS;
}

/* ---- print ---- */

static void
add_values(hd_string *s, const hd_event *e, uint32_t from)
{
  for (uint32_t i = from; i < e->nvalues; i++)
  {
    if (i > from)
      hd_string_add(s, ", ");
    hd_value_print(s, e->values[i], 64);
  }
}

/* What happened, without where. */
static void
add_what(hd_string *s, const hd_ordered *o)
{
  const hd_event *e = &o->event;
  switch (e->kind)
  {
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
    hd_string_printf(s, "%s(", o->method);
    add_values(s, e, 0);
    hd_string_add(s, ")");
    break;
  case HD_K_WRITE:
  case HD_K_WRITE_OLD:
  case HD_K_FREE_WRITE:
  case HD_K_FREE_WRITE_OLD:
    hd_string_add(s, "[");
    hd_value_print(s, e->values[0], 64);
    hd_string_add(s, "] = ");
    hd_value_print(s, e->values[1], 64);
    if (e->nvalues == 3)
    {
      hd_string_add(s, ", was ");
      hd_value_print(s, e->values[2], 64);
    }
    break;
  case HD_K_REPLAY:
  case HD_K_FREE_REPLAY:
    add_values(s, e, 0);
    break;
  case HD_K_MISUSE:
  {
    uint64_t m = e->values[0].u;
    hd_string_add(s, m < sizeof misuse_names / sizeof *misuse_names && misuse_names[m] ? misuse_names[m] : "unknown");
    break;
  }
  default:
    hd_string_add(s, o->method);
    if (e->nvalues)
    {
      hd_string_add(s, " -> ");
      add_values(s, e, 0);
    }
  }
}

static void
print_text(void *context, const hd_ordered *o)
{
  job *j = context;
  const hd_event *e = &o->event;
  if (!chosen(j, o))
    return;
  hd_string *s = &j->line;
  hd_string_clear(s);
  if (e->stamped)
    hd_string_printf(s, "%s %8" PRIu64, e->ticked ? "tick" : "look", e->stamp);
  else
    hd_string_printf(s, "%4s %8s", "", unfinished(e) ? "cut off" : "");
  const char *name = hd_log_thread_name(j->log, e->thread);
  char text[80];
  snprintf(text, sizeof text, "T%u%s%.16s", e->thread, *name ? " " : "", name);
  hd_string_printf(s, "  %-8s", text);
  const hd_log_object *object = e->object ? hd_log_object_get(j->log, e->object) : NULL;
  snprintf(text, sizeof text, "%.24s#%u", object ? (*object->name ? object->name : object->type) : "not-logged",
           e->object);
  hd_string_printf(s, "  %-14s  %-14s  ", text, kind_names[e->kind]);
  size_t from = s->length;
  add_what(s, o);
  hd_log_place p;
  if (hd_log_place_get(j->log, hd_event_place(e), &p))
  {
    while (s->length < from + 28)
      hd_string_add(s, " ");
    hd_string_printf(s, "  %s:%u", p.file, p.line);
  }
  puts(s->text);
}

static void
print_json(void *context, const hd_ordered *o)
{
  job *j = context;
  const hd_event *e = &o->event;
  if (!chosen(j, o))
    return;
  hd_string *s = &j->line;
  hd_string_clear(s);
  hd_string_printf(s, "{\"object\":%u,\"thread\":%u,\"kind\":\"%s\"", e->object, e->thread, kind_names[e->kind]);
  if (e->stamped)
    hd_string_printf(s, ",\"%s\":%" PRIu64, e->ticked ? "tick" : "look", e->stamp);
  else if (unfinished(e))
    hd_string_add(s, ",\"unfinished\":true");
  hd_string_add(s, ",\"method\":");
  hd_json_string(s, o->method, strlen(o->method));
  hd_string_add(s, ",\"values\":[");
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    hd_string_add(s, i ? "," : "");
    hd_value_json(s, e->values[i]);
  }
  hd_string_add(s, "]");
  hd_log_place p;
  if (hd_log_place_get(j->log, hd_event_place(e), &p))
  {
    hd_string_add(s, ",\"file\":");
    hd_json_string(s, p.file, strlen(p.file));
    hd_string_printf(s, ",\"line\":%u,\"function\":", p.line);
    hd_json_string(s, p.function, strlen(p.function));
  }
  hd_string_add(s, "}");
  puts(s->text);
}

static int
print(job *j)
{
  read_ordered(j, j->options->json ? print_json : print_text);
  return conclude(j);
}

/* ---- stats ---- */

static bool
count(void *context, const hd_event *e)
{
  job *j = context;
  j->events++;
  j->kinds[e->kind]++;
  j->unfinished += unfinished(e);
  j->operations[e->object] += e->kind == HD_K_CALL || e->kind == HD_K_CALL_NOCOMMIT;
  return true;
}

static void
ignore_frontier(void *context, uint32_t object, uint64_t f)
{
  (void) context, (void) object, (void) f;
}

static void
stats_text(const job *j, const hd_log_facts *f)
{
  char started[64] = "unknown";
  time_t seconds = (time_t) (f->start_ns / 1000000000);
  struct tm tm;
  if (f->start_ns && localtime_r(&seconds, &tm))
    strftime(started, sizeof started, "%Y-%m-%d %H:%M:%S", &tm);
  printf("program    %s", *f->program ? f->program : "unknown");
  if (f->pid)
    printf(", pid %" PRIu64, f->pid);
  printf("\nstarted    %s\n", started);
  printf("state      %s\n", hd_log_closed(j->log) ? "closed" : "not closed: running, crashed or killed");
  printf("threads    %u\n", hd_log_threads(j->log));
  printf("events     %" PRIu64 "\n", j->events);
  printf("bytes      %" PRIu64, f->size);
  if (j->events)
    printf(", %.1f per event", (double) f->size / (double) j->events);
  const hd_log_damage *d;
  printf("\ndropped    %" PRIu64 " operations\n", hd_log_dropped(j->log));
  printf("damage     %zu\n", hd_log_damages(j->log, &d));
  printf("\n%6s  %-16s %-16s %12s %12s %12s\n", "object", "type", "name", "operations", "ticks", "not logged");
  for (uint32_t i = 1; i <= hd_log_objects(j->log); i++)
  {
    const hd_log_object *o = hd_log_object_get(j->log, i);
    if (!j->wanted || j->wanted[i])
      printf("%6u  %-16s %-16s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", i, o->type, o->name, j->operations[i],
             o->ticks - o->first, o->dropped);
  }
  printf("\n%-16s %12s\n", "kind", "events");
  for (uint32_t k = 0; k < HD_K_COUNT; k++)
    if (j->kinds[k])
      printf("%-16s %12" PRIu64 "\n", kind_names[k], j->kinds[k]);
  if (j->unfinished)
    printf("%-16s %12" PRIu64 "\n", "(unfinished)", j->unfinished);
}

static void
stats_json(job *j, const hd_log_facts *f)
{
  hd_string *s = &j->line;
  hd_string_clear(s);
  hd_string_add(s, "{\"program\":");
  hd_json_string(s, f->program, strlen(f->program));
  hd_string_printf(s,
                   ",\"pid\":%" PRIu64 ",\"start_ns\":%" PRIu64 ",\"closed\":%s,\"threads\":%u,\"events\":%" PRIu64
                   ",\"bytes\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"lost\":%s,\"unfinished\":%" PRIu64,
                   f->pid, f->start_ns, hd_log_closed(j->log) ? "true" : "false", hd_log_threads(j->log), j->events,
                   f->size, hd_log_dropped(j->log), hd_log_lost(j->log) ? "true" : "false", j->unfinished);
  hd_string_add(s, ",\"objects\":[");
  bool first = true;
  for (uint32_t i = 1; i <= hd_log_objects(j->log); i++)
  {
    const hd_log_object *o = hd_log_object_get(j->log, i);
    if (j->wanted && !j->wanted[i])
      continue;
    hd_string_printf(s, "%s{\"id\":%u,\"type\":", first ? "" : ",", i);
    hd_json_string(s, o->type, strlen(o->type));
    hd_string_add(s, ",\"name\":");
    hd_json_string(s, o->name, strlen(o->name));
    hd_string_printf(s, ",\"operations\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"dropped\":%" PRIu64 "}", j->operations[i],
                     o->ticks - o->first, o->dropped);
    first = false;
  }
  hd_string_add(s, "],\"kinds\":{");
  first = true;
  for (uint32_t k = 0; k < HD_K_COUNT; k++)
    if (j->kinds[k])
    {
      hd_string_printf(s, "%s\"%s\":%" PRIu64, first ? "" : ",", kind_names[k], j->kinds[k]);
      first = false;
    }
  hd_string_add(s, "},\"damage\":[");
  const hd_log_damage *d;
  size_t n = hd_log_damages(j->log, &d);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(s, "%s{\"offset\":%" PRIu64 ",\"what\":", i ? "," : "", d[i].offset);
    hd_json_string(s, d[i].what, strlen(d[i].what));
    hd_string_add(s, "}");
  }
  hd_string_add(s, "]}");
  puts(s->text);
}

static int
stats(job *j)
{
  size_t n = (size_t) hd_log_objects(j->log) + 1;
  j->operations = hd_alloc_zero(n * sizeof *j->operations);
  hd_log_sink sink = {.context = j, .event = count, .frontier = ignore_frontier};
  hd_log_read(j->log, &sink);
  hd_log_facts facts = hd_log_get_facts(j->log);
  if (j->options->json)
    stats_json(j, &facts);
  else
    stats_text(j, &facts);
  free(j->operations);
  return conclude(j);
}

/* ---- cut ---- */

static void
copy_event(void *context, const hd_ordered *o)
{
  job *j = context;
  if (!chosen(j, o))
    return;
  hd_event e = o->event;
  const hd_log_site *s = hd_log_site_get(j->log, e.site);
  if (s && !j->sites[e.site])
    j->sites[e.site]
        = hd_log_build_site(j->build, s->kind, s->method, s->file, s->function, s->line, s->types, s->nvalues);
  e.site = s ? j->sites[e.site] : 0;
  e.object = 1;
  hd_log_build_event(j->build, &e);
}

/* The one object to keep, or 0. */
static uint32_t
single_object(job *j)
{
  uint32_t found = 0, n = 0;
  for (uint32_t i = 1; i <= hd_log_objects(j->log); i++)
    if (!j->wanted || j->wanted[i])
      found = i, n++;
  if (n == 1)
  {
    if (!j->wanted)
      j->wanted = hd_alloc_zero((size_t) hd_log_objects(j->log) + 1);
    j->wanted[found] = true;
    return found;
  }
  fprintf(stderr, "heddle: cut keeps one object, and %u fit; name one with --object N (see 'heddle log stats %s')\n", n,
          hd_log_path(j->log));
  return 0;
}

static int
cut(job *j)
{
  const hd_cli_options *p = j->options;
  if (!p->output || p->from || p->thread)
  {
    fprintf(stderr, p->output ? "heddle: cut cannot leave out the begin or a thread: what remained would not be a "
                                "possible run; use --object and --to\n"
                              : "heddle: cut needs a place for the new log: -o FILE\n");
    return HD_BAD_INPUT;
  }
  uint32_t id = single_object(j);
  if (!id)
    return HD_BAD_INPUT;
  char *error;
  j->build = hd_log_build_new(p->output, &error);
  if (!j->build)
  {
    fprintf(stderr, "heddle: %s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  const hd_log_object *o = hd_log_object_get(j->log, id);
  hd_log_facts facts = hd_log_get_facts(j->log);
  hd_log_build_set_program(j->build, facts.program, facts.pid, facts.start_ns);
  hd_log_build_object_from(j->build, o->type, o->name, o->config, o->nconfig, o->first);
  for (uint32_t i = 1; i <= hd_log_threads(j->log); i++)
    if (*hd_log_thread_name(j->log, i))
      hd_log_build_set_thread_name(j->build, i, hd_log_thread_name(j->log, i));
  j->sites = hd_alloc_zero(((size_t) hd_log_sites(j->log) + 1) * sizeof *j->sites);
  read_ordered(j, copy_event);
  free(j->sites);
  /* A loss behind the cut is cut off with the rest. */
  bool lossy = o->lost_at && (!p->to || o->lost_at - 1 < p->to);
  const hd_log_damage *d;
  hd_log_build_set_clock(j->build, 1, p->to && p->to < o->ticks ? p->to : o->ticks);
  if (lossy)
    hd_log_build_set_dropped(j->build, 1, o->lost_at, o->dropped);
  hd_log_build_set_lost(j->build, lossy ? o->dropped : 0, hd_log_lost(j->log) || hd_log_damages(j->log, &d));
  if (!hd_log_build_close(j->build, hd_log_closed(j->log) || p->to, &error))
  {
    fprintf(stderr, "heddle: %s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  return conclude(j);
}

int
hd_cmd_log(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("log", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  const char *what = o.operands.items[0], *path = o.operands.items[1];
  static const struct
  {
    const char *name;
    int (*run)(job *j);
  } actions[] = {{"print", print}, {"stats", stats}, {"cut", cut}};
  int (*run)(job *) = NULL;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (strcmp(what, actions[i].name) == 0)
      run = actions[i].run;
  char *error;
  job j = {.options = &o};
  if (!run)
    fprintf(stderr, "heddle: 'log %s' does not exist; there are print, stats and cut\n", what);
  else if (!(j.log = hd_log_open(path, &error)))
  {
    fprintf(stderr, "heddle: %s\n", error);
    free(error);
  }
  status = j.log && choose_objects(&j) ? run(&j) : HD_BAD_INPUT;
  hd_log_free(j.log);
  free(j.wanted);
  hd_string_free(&j.line);
  hd_options_free(&o);
  return status;
}
