/* cmd_trace.c: heddle trace: show, count and convert the events of a trace; record them (cmd_trace_record.c). */
#include "cli/cli.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  PIECE = 4096
};

/* Give each event in the range that was asked for to TAKE. */
static void
for_each(hd_trace *t, const hd_cli_options *o, void (*take)(void *context, const hd_trace_event *e), void *context)
{
  hd_trace_event *events = hd_alloc_array(PIECE, sizeof *events);
  for (size_t n; (n = hd_trace_read(t, events, PIECE)) > 0;)
    for (size_t i = 0; i < n; i++)
      if (events[i].number >= o->from && (o->to == 0 || events[i].number <= o->to))
        take(context, &events[i]);
  free(events);
}

/* What the end of the trace says: the exit status, and a message. */
static int
end_of(const hd_trace *t)
{
  if (hd_trace_error(t))
    fprintf(stderr, "%s\n", hd_trace_error(t));
  else if (hd_trace_cut(t))
    fprintf(stderr, "heddle: incomplete: %s\n", hd_trace_cut(t));
  return hd_trace_error(t) ? HD_BAD_INPUT : hd_trace_cut(t) ? HD_INCOMPLETE : HD_HOLDS;
}

/* ---- show ---- */

static void
show_event(void *context, const hd_trace_event *e)
{
  const hd_trace_names *names = hd_trace_names_of(context);
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  hd_string thread = {0}, s = {0}, where = {0};
  hd_trace_print_target(&thread, names, HD_TRACE_THREAD, e->thread, 0);
  hd_string_printf(&s, "%s%s", e->flags & HD_TRACE_TRIED ? "tries and " : "", kind->sentence);
  if (kind->class != HD_TRACE_NOTHING)
  {
    hd_string_add(&s, " ");
    hd_trace_print_target(&s, names, (hd_trace_class) kind->class, e->target, e->size);
  }
  if (kind->ordered)
    hd_string_printf(&s, " (%s)", hd_trace_order_words[e->order]);
  if (e->location)
    hd_trace_print_location(&where, names, e->location);
  printf("%8" PRIu64 "  %-6s %-*s%s%s\n", e->number, thread.text, where.text ? 32 : 0, s.text, where.text ? " " : "",
         where.text ? where.text : "");
  hd_string_free(&thread);
  hd_string_free(&s);
  hd_string_free(&where);
}

/* ---- stats ---- */

typedef struct stats
{
  uint64_t kinds[HD_TRACE_KINDS], events;
  hd_trace_ids threads, named, addresses, locks, locations;
} stats;

static void
count_event(void *context, const hd_trace_event *e)
{
  stats *s = context;
  s->events++;
  s->kinds[e->kind]++;
  hd_trace_ids_get(&s->threads, e->thread);
  if (e->location)
    hd_trace_ids_get(&s->locations, e->location);
  uint8_t class = hd_trace_kind_get(e->kind)->class;
  if (class == HD_TRACE_LOCK)
    hd_trace_ids_get(&s->locks, e->target);
  else if (class == HD_TRACE_VARIABLE)
    hd_trace_ids_get(e->size > 0 ? &s->addresses : &s->named, e->target);
}

static void
print_stats(const stats *s, bool json)
{
  const char *const keys[] = {"events", "threads", "variables", "locks", "locations"};
  uint64_t values[] = {s->events, s->threads.n, (uint64_t) s->named.n + s->addresses.n, s->locks.n, s->locations.n};
  for (int i = 0; i < 5; i++)
    printf(json ? "%s\"%s\":%" PRIu64 : "%s%-10s %12" PRIu64 "\n", !json ? "" : i == 0 ? "{" : ",", keys[i], values[i]);
  if (json)
    printf(",\"kinds\":{");
  bool first = true;
  for (unsigned k = 1; k < HD_TRACE_KINDS; k++)
    if (s->kinds[k] > 0)
    {
      const char *word = hd_trace_kind_get(k)->word;
      if (json)
        printf("%s\"%s\":%" PRIu64, first ? "" : ",", word, s->kinds[k]);
      else
        printf("  %-8s %12" PRIu64 "\n", word, s->kinds[k]);
      first = false;
    }
  if (json)
    puts("}}");
}

static int
count(const hd_cli_options *o, hd_trace *t)
{
  stats s = {0};
  for_each(t, o, count_event, &s);
  int status = end_of(t);
  if (status != HD_BAD_INPUT)
    print_stats(&s, o->json);
  hd_trace_ids_free(&s.threads);
  hd_trace_ids_free(&s.named);
  hd_trace_ids_free(&s.addresses);
  hd_trace_ids_free(&s.locks);
  hd_trace_ids_free(&s.locations);
  return status;
}

/* ---- convert ---- */

static void
write_event(void *context, const hd_trace_event *e)
{
  hd_trace_writer_event(context, e);
}

static hd_trace_form
target(const hd_cli_options *o)
{
  size_t n = o->output ? strlen(o->output) : 0;
  if (o->into != HD_TRACE_AUTO)
    return (hd_trace_form) o->into;
  return n >= 7 && strcmp(o->output + n - 7, ".htrace") == 0 ? HD_TRACE_BINARY : HD_TRACE_STD;
}

/* The new trace is written under another name, and gets its own when it is whole. */
static int
convert(const hd_cli_options *o, hd_trace *t)
{
  hd_string part = {0};
  FILE *out = stdout;
  if (o->output)
  {
    hd_string_printf(&part, "%s.part", o->output);
    out = fopen(part.text, "w");
  }
  else if (target(o) == HD_TRACE_BINARY && isatty(STDOUT_FILENO))
  {
    fputs("heddle trace: an .htrace file is nothing for a terminal: -o FILE\n", stderr);
    return HD_BAD_INPUT;
  }
  if (!out)
  {
    fprintf(stderr, "heddle: %s: %s\n", part.text, strerror(errno));
    hd_string_free(&part);
    return HD_BAD_INPUT;
  }
  hd_trace_writer *w = hd_trace_writer_new(out, target(o), hd_trace_names_of(t));
  for_each(t, o, write_event, w);
  uint64_t foreign = hd_trace_writer_foreign(w);
  int status = end_of(t);
  bool good = hd_trace_writer_finish(w);
  if (o->output)
  {
    good = fclose(out) == 0 && good;
    good = good && (status == HD_BAD_INPUT || rename(part.text, o->output) == 0);
    if (!good || status == HD_BAD_INPUT)
      unlink(part.text);
  }
  if (!good)
  {
    fprintf(stderr, "heddle: %s: %s\n", o->output ? o->output : "stdout", strerror(errno));
    status = HD_BAD_INPUT;
  }
  else if (foreign > 0 && status != HD_BAD_INPUT)
    fprintf(stderr, "heddle: %" PRIu64 " events are of kinds that RAPID does not know\n", foreign);
  hd_string_free(&part);
  return status;
}

int
hd_cmd_trace(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("trace", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  const char *what = o.operands.items[0], *path = o.operands.n > 1 ? o.operands.items[1] : NULL;
  bool show = strcmp(what, "show") == 0, stats = strcmp(what, "stats") == 0, record = strcmp(what, "record") == 0;
  const char *usage = hd_command_find("trace")->usage;
  status = HD_BAD_INPUT;
  char *error = NULL;
  hd_trace *t = NULL;
  if (!show && !stats && !record && strcmp(what, "convert") != 0)
    fprintf(stderr, "heddle trace: there is no '%s'; usage: heddle trace %s\n", what, usage);
  else if (record && (path || !o.program))
    fprintf(stderr, "heddle trace: %s; usage: heddle trace record [-o FILE] -- PROG [ARG]...\n",
            path ? "the program stands after --" : "no program given");
  else if (record)
    status = hd_trace_record(&o);
  else if (!path || o.program || o.atomic)
    fprintf(stderr, "heddle trace: %s; usage: heddle trace %s\n",
            !path       ? "no FILE given"
            : o.program ? "only record runs a program"
                        : "'--atomic' is for record",
            usage);
  else if (!(t = hd_trace_open(path, (hd_trace_form) o.trace_format, &error)))
  {
    fprintf(stderr, "%s\n", error);
    free(error);
  }
  else if (show)
  {
    for_each(t, &o, show_event, t);
    status = end_of(t);
  }
  else
    status = stats ? count(&o, t) : convert(&o, t);
  hd_trace_free(t);
  hd_options_free(&o);
  return status;
}
