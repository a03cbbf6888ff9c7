/* cmd_trace_record.c: heddle trace record -- PROG, and what heddle monitor asks of a program that one run of it must be
 * recorded for: races that another schedule shows, functions that must be atomic, deadlocks. */
#include "cli/cli.h"
#include "cli/recorder.h"
#include "cli/recorded.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where notes go that belong to no report. */
static void
print_notes(const char *command, const hd_string *notes)
{
  for (const char *line = notes->length ? notes->text : ""; *line;)
  {
    int length = (int) strcspn(line, "\n");
    fprintf(stderr, "%s: %.*s\n", command, length, line);
    line += length + 1;
  }
}

static int
cannot_write(const char *command, const char *path, int error)
{
  fprintf(stderr, "%s: %s: %s\n", command, path, strerror(error));
  return HD_INCOMPLETE;
}

/* ---- trace record ---- */

int
hd_trace_record(const hd_cli_options *o)
{
  static const char *const command = "heddle trace";
  const char *path = o->output ? o->output : "heddle.htrace";
  FILE *out = fopen(path, "wb");
  if (!out)
  {
    fprintf(stderr, "%s: %s: %s\n", command, path, strerror(errno));
    return HD_BAD_INPUT;
  }
  hd_recorder_options options
      = {.command = command, .program = o->program, .out = out, .path = path, .functions = o->atomic};
  hd_recorder_result r = hd_recorder_run(&options);
  if (fclose(out) != 0 && !r.error)
    r.error = errno;
  int status = r.spoke ? (r.whole ? HD_HOLDS : HD_INCOMPLETE) : r.status;
  if (!r.spoke)
    unlink(path);
  else if (r.error)
    status = cannot_write(command, path, r.error);
  if (r.spoke)
  {
    print_notes(command, &r.losses);
    print_notes(command, &r.notes);
  }
  if (r.spoke && !r.error && !o->quiet)
    fprintf(stderr, "%s: %" PRIu64 " events of %u thread%s in %s\n", command, r.events, r.threads,
            r.threads == 1 ? "" : "s", path);
  hd_string_free(&r.notes);
  hd_string_free(&r.losses);
  return status;
}

/* ---- monitor ---- */

/* A file without a name. */
static FILE *
temporary(void)
{
  const char *folder = getenv("TMPDIR");
  hd_string path = {0};
  hd_string_printf(&path, "%s/heddle.XXXXXX", folder && *folder ? folder : "/tmp");
  int fd = mkstemp(path.text);
  if (fd >= 0)
    unlink(path.text);
  hd_string_free(&path);
  return fd >= 0 ? fdopen(fd, "w+b") : NULL;
}

static int
judge(const hd_cli_options *o, FILE *file, const char *notes)
{
  struct stat info;
  char *error = NULL;
  int fd = fileno(file), status = HD_INCOMPLETE;
  if (fstat(fd, &info) != 0)
    return cannot_write("heddle monitor", "the trace", errno);
  size_t n = (size_t) info.st_size;
  void *data = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return cannot_write("heddle monitor", "the trace", errno);
  hd_trace *trace = hd_trace_open_memory(data, n, o->program[0], HD_TRACE_BINARY, &error);
  if (trace)
    status = hd_monitor_judge(o, trace, o->program[0], notes);
  else
    fprintf(stderr, "%s\n", error);
  free(error);
  hd_trace_free(trace);
  munmap(data, n);
  return status;
}

/* One run, with the delays of SCHEDULE, or without any (0). */
static int
run_once(const hd_cli_options *o, uint64_t schedule)
{
  static const char *const command = "heddle monitor";
  FILE *out = temporary();
  if (!out)
    return cannot_write(command, "no file can be made for the trace (see TMPDIR)", errno);
  hd_recorder_options options = {.command = command,
                                 .program = o->program,
                                 .out = out,
                                 .path = "the trace",
                                 .schedule = schedule,
                                 .functions = o->atomic};
  hd_recorder_result r = hd_recorder_run(&options);
  int status = r.status;
  if (r.spoke && r.error)
    status = cannot_write(command, "the trace (see TMPDIR)", r.error);
  else if (r.spoke)
    status = judge(o, out, r.notes.text);
  fclose(out);
  hd_string_free(&r.notes);
  hd_string_free(&r.losses);
  return status;
}

/* "3" is 1..3. */
static bool
read_schedules(const char *text, uint64_t *first, uint64_t *last)
{
  char *end;
  *first = 1;
  *last = strtoull(text, &end, 10);
  if (end != text && strncmp(end, "..", 2) == 0 && end[2] >= '0' && end[2] <= '9')
  {
    *first = *last;
    *last = strtoull(end + 2, &end, 10);
  }
  return text[0] >= '0' && text[0] <= '9' && *end == 0 && *first > 0 && *first <= *last && *last - *first < 1000000;
}

int
hd_monitor_recorded(const hd_cli_options *o)
{
  uint64_t first, last;
  int status = HD_HOLDS;
  char *error = NULL;
  hd_suppressions *suppressions = o->suppressions ? hd_suppressions_read(o->suppressions, &error) : NULL;
  hd_suppressions_free(suppressions); /* only to know before the program runs that they can be read */
  if (error)
  {
    fprintf(stderr, "%s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  if (!o->schedules)
    return run_once(o, 0);
  if (!read_schedules(o->schedules, &first, &last))
  {
    fprintf(stderr, "heddle monitor: option '--schedules' takes a number, or two such as 3..5, not '%s'\n",
            o->schedules);
    return HD_BAD_INPUT;
  }
  for (uint64_t i = first; i <= last && status != HD_VIOLATED && status != HD_BAD_INPUT; i++)
  {
    int now = run_once(o, i);
    if (now != HD_HOLDS)
      status = now;
    if (now == HD_VIOLATED && !o->quiet && !o->json && !o->verdicts)
      printf("found with schedule %" PRIu64 " (--schedules %" PRIu64 "..%" PRIu64 " runs it alone)\n", i, i, i);
  }
  return status;
}
