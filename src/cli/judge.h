/* judge.h: what check and run share: specifications by name, limits, the answer. Private to src/cli. */
#ifndef HD_CLI_JUDGE_H
#define HD_CLI_JUDGE_H

#include "cli/cli.h"
#include "log/log.h"
#include "refine/refine.h"
#include "report/report.h"

/* Load the specification in the shared library PATH; this runs its code. NULL: *ERROR says why, the caller frees it. */
typedef struct hd_spec_library hd_spec_library;
HD_GIVE hd_spec_library *hd_spec_library_open(const char *path, HD_GIVE char **error);
const hd_spec *hd_spec_library_get(const hd_spec_library *l);
void hd_spec_library_close(HD_TAKE hd_spec_library *l);

/* The specifications that --spec names: files, or built-in ones. */
typedef struct hd_cli_specs
{
  const hd_spec **specs;
  hd_spec_library **libraries;
  size_t n;
} hd_cli_specs;

/* False: a message was printed. */
bool hd_cli_specs_load(hd_cli_specs *s, const hd_cli_options *o);
void hd_cli_specs_free(hd_cli_specs *s);

/* Watches --time and --memory from a thread of its own; CANCEL becomes 1 (time) or 2 (memory). */
typedef struct hd_cli_limits hd_cli_limits;
HD_GIVE hd_cli_limits *hd_cli_limits_start(const hd_cli_options *o);
const int *hd_cli_limits_flag(const hd_cli_limits *l);
const char *hd_cli_limits_reason(const hd_cli_limits *l); /* NULL: none was reached */
void hd_cli_limits_stop(HD_TAKE hd_cli_limits *l);

hd_refine_options hd_cli_refine_options(const hd_cli_options *o, const hd_cli_limits *l);

/* Why a log cannot be judged to its end (damage, drops), or NULL; the caller frees it. */
HD_GIVE char *hd_cli_log_problem(const hd_log *log, const char *limit);

/* The log that PATH names, or the plain history (--history); then UNCOMMITTED says whether some operation has no
 * commit. NULL: *ERROR says why, or a limit was reached; the caller frees it. LIMITS and UNCOMMITTED may be NULL. */
HD_GIVE hd_log *hd_cli_open(const hd_cli_options *o, const hd_cli_specs *specs, const char *path,
                            const hd_cli_limits *limits, bool *uncommitted, HD_GIVE char **error);

/* Finish the checks; a log in a file is read again where that settles what the search could not. */
hd_verdict hd_cli_finish(const hd_cli_options *o, const hd_cli_specs *specs, const hd_log *log, hd_checks *checks,
                         const char *why_incomplete);

/* Print a report as the options ask for; they fill in the rest of FACTS. */
void hd_cli_print(const hd_cli_options *o, const hd_report *facts);

/* Print the answer, return the exit status. VERDICT: of hd_cli_finish. LOG_PATH may be NULL. NOTES: further sentences.
 */
int hd_cli_answer(const hd_cli_options *o, const char *log_path, const hd_log *log, hd_checks *checks,
                  hd_verdict verdict, const char *why_incomplete, double seconds, const char *const *notes,
                  size_t nnotes);

#endif
