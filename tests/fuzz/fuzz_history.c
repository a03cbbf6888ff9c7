/* fuzz_history.c: the readers of histories on anything at all.
 *
 * The first byte chooses the form and the specification; the rest is the history. What can be read is converted to each
 * text form, which must be read again as the same number of steps, and to a log, which must be whole. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "history/history.h"
#include "log/log.h"
#include "specs/specs.h"

enum
{
  STEPS = HD_HISTORY_STEP_NEVER + 1
};

static bool
count_step(void *context, const hd_history_op *op)
{
  uint64_t *counts = context;
  if (op->nargs > HD_SITE_VALUES || op->line == 0 || op->column == 0)
    abort();
  counts[op->step]++;
  return true;
}

/* Steps by kind; false: it cannot be read. */
static bool
steps(hd_history *h, const hd_spec *spec, uint64_t counts[STEPS])
{
  char *error = NULL;
  memset(counts, 0, STEPS * sizeof *counts);
  bool good = hd_history_read(h, spec, count_step, counts, &error);
  if (good == (error != NULL) || (error && !strstr(error, ": error: ")))
    abort();
  free(error);
  return good;
}

/* What is gathered at once is what the steps say. */
static void
gather(hd_history *h, const hd_spec *spec, bool good, const uint64_t counts[STEPS])
{
  hd_history_ops ops;
  hd_history_options options = {.ignore_commits = true};
  if (!hd_history_gather(h, spec, &options, &ops))
    return;
  if (!good || ops.n != counts[HD_HISTORY_STEP_CALL] - counts[HD_HISTORY_STEP_FAILED]
      || ops.returned != counts[HD_HISTORY_STEP_RETURN])
    abort();
  hd_history_ops_free(&ops);
}

static void
convert(hd_history *h, const hd_spec *spec, hd_history_form form, const uint64_t before[STEPS])
{
  char *error = NULL;
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  FILE *out = fdopen(dup(fd), "w");
  if (!out)
    abort();
  bool good = hd_history_print(h, spec, form, NULL, out, &error);
  fclose(out);
  free(error);
  if (!good)
  {
    close(fd);
    return;
  }
  uint64_t after[STEPS];
  hd_history *again = hd_history_new_fd(fd, "again", form, &error);
  if (!again || !steps(again, spec, after))
    abort();
  bool words = form == HD_HISTORY_SYNTHETIC;
  if (after[HD_HISTORY_STEP_RETURN] != before[HD_HISTORY_STEP_RETURN]
      || after[HD_HISTORY_STEP_COMMIT] != before[HD_HISTORY_STEP_COMMIT]
      || after[HD_HISTORY_STEP_WINDOW] > before[HD_HISTORY_STEP_WINDOW]
      || (!words && after[HD_HISTORY_STEP_WINDOW] != before[HD_HISTORY_STEP_WINDOW])
      || after[HD_HISTORY_STEP_CALL] + (words ? before[HD_HISTORY_STEP_FAILED] : 0) != before[HD_HISTORY_STEP_CALL])
    abort();
  hd_history_free(again);
}

static bool
take_event(void *context, const hd_event *e)
{
  ++*(uint64_t *) context;
  return e->thread > 0;
}

static void
no_frontier(void *context, uint32_t object, uint64_t f)
{
  (void) context, (void) object, (void) f;
}

static void
make_log(hd_history *h, const hd_spec *spec)
{
  char folder[] = "/tmp/heddle-fuzz-history-XXXXXX", path[64], *error = NULL;
  if (!mkdtemp(folder))
    return;
  snprintf(path, sizeof path, "%s/log", folder);
  hd_log *log = hd_history_write_log(h, spec, NULL, path, &error) ? hd_log_open(path, &error) : NULL;
  unlink(path);
  if (rmdir(folder) != 0)
    abort(); /* something was left behind */
  free(error);
  if (!log)
    return;
  uint64_t events = 0;
  const hd_log_damage *damages;
  hd_log_read(log, &(hd_log_sink){.context = &events, .event = take_event, .frontier = no_frontier});
  if (hd_log_damages(log, &damages) != 0)
    abort();
  hd_log_free(log);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  hd_history_form form = (hd_history_form) (data[0] % 6);
  const hd_spec *spec = hd_specs_get(data[0] / 6 % 9);
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t) size - 1)
    abort();
  char *error = NULL;
  hd_history *h = hd_history_new_fd(fd, "fuzz", form, &error);
  if (!h)
  {
    if (!error || !*error)
      abort();
    free(error);
    return 0;
  }
  uint64_t counts[STEPS];
  bool good = steps(h, spec, counts);
  gather(h, spec, good, counts);
  if (good)
  {
    convert(h, spec, HD_HISTORY_JSONL, counts);
    convert(h, spec, HD_HISTORY_EDN, counts);
    convert(h, spec, HD_HISTORY_SYNTHETIC, counts);
    make_log(h, spec);
  }
  hd_history_free(h);
  return 0;
}
