/* report.h: the answer that a user sees: text for people, JSON for programs.
 *
 * Everything that comes from a log (names, values, files) is untrusted: control characters never reach the terminal.
 * docs/reading-a-report.md explains the text, docs/json.md the JSON. Threads: any number, one per FILE. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include <stdio.h>

#include "base/base.h"
#include "log/log.h"
#include "refine/refine.h"

/* The results of one whole check. Everything is borrowed for the call. */
typedef struct hd_report
{
  const char *command;  /* "check", "run" */
  const char *log_path; /* as the user wrote it; NULL: the log's own path, or none */
  const hd_log *log;    /* names of sites and threads, facts about the file; NULL: numbers only, no facts */
  const hd_refine_result *const *results; /* one per object */
  size_t nresults;
  hd_verdict verdict;       /* of the whole; also the exit status */
  double seconds;           /* that the check took; below 0: unknown */
  uint64_t memory;          /* peak, in bytes; 0: ask the system about this process */
  const char *const *notes; /* further sentences for the user; never NULL where nnotes > 0 */
  size_t nnotes;

  /* Text only. */
  bool color; /* SGR sequences */
  bool utf8;  /* box characters; else pure ASCII, also for what the log contains */
  bool quiet; /* findings and reasons in a few lines, without pictures; nothing at all if everything holds */
  bool stats; /* the figures of --stats */
  int width;  /* columns; 0: 100. Lines that cannot be broken (long paths) may be longer. */
} hd_report;

/* Print R as text. Lists every object, explains every finding, ends with one line that says the verdict. */
void hd_report_text(FILE *out, const hd_report *r);

/* Print R as one JSON document and a newline. docs/schema/check.schema.json describes it. */
void hd_report_json(FILE *out, const hd_report *r);

/* The verdict in one word, the same in text and JSON: "holds", "violated", "bad-input", "incomplete". */
const char *hd_report_verdict_name(hd_verdict v);

#endif
