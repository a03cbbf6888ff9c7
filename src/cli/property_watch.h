/* property_watch.h: judging a running program by properties; between cmd_monitor_property_run.c (the run),
 * property_names.c (what the names in the files mean there) and property_print.c (what is said of it). */
#ifndef HD_CLI_PROPERTY_WATCH_H
#define HD_CLI_PROPERTY_WATCH_H

#include "cli/cli.h"
#include "instrument/instrument.h"
#include "mttl/mttl.h"

/* An event of a thread. */
typedef struct hd_watch_step
{
  uint32_t thread;
  char *does; /* "writes x = 3"; names are not put in yet */
  uint64_t *pcs;
  size_t n, cap;
} hd_watch_step;

typedef struct hd_watch_thread
{
  uint32_t file, number;
  int kernel_id;
  uint64_t start; /* its routine; 0: it is the first */
  char *name;     /* "-": none */
} hd_watch_thread;

typedef struct hd_watch_violation
{
  uint32_t file, property, thread;
  hd_string why;
  hd_watch_step *steps; /* the last is the event at which it was violated */
  size_t nsteps, steps_cap;
} hd_watch_violation;

typedef struct hd_watch_run
{
  const hd_cli_options *o;
  hd_mttl_file **files;
  size_t nfiles;
  hd_symbols *symbols;
  hd_watch_violation *violations;
  size_t nviolations, violations_cap;
  hd_watch_thread *threads;
  size_t nthreads, threads_cap;
  uint64_t **count; /* by file and property */
  uint64_t all_threads;
  bool stopped, aborted;
  hd_string notes;      /* lines: worth knowing */
  hd_string incomplete; /* lines: what was not seen */
  double seconds;
} hd_watch_run;

/* What the runtime inside the program has to know, for its settings (instrument/rt_property_setup.c), into ANSWER.
 * False: the names mean nothing there, and MESSAGES says so with their places. */
bool hd_watch_resolve(hd_watch_run *run, hd_string *answer, hd_string *messages);

void hd_watch_print_text(hd_string *out, const hd_watch_run *run);
void hd_watch_print_json(hd_string *out, const hd_watch_run *run, hd_verdict verdict);

#endif
