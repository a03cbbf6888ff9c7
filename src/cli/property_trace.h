/* property_trace.h: properties of threads (src/mttl), judged over a trace (src/trace). */
#ifndef HD_CLI_PROPERTY_TRACE_H
#define HD_CLI_PROPERTY_TRACE_H

#include "mttl/mttl.h"
#include "trace/trace.h"

/* A property was false. */
typedef struct hd_violation
{
  uint32_t property; /* its number in the file */
  uint32_t thread;   /* of the trace */
  uint32_t number;   /* of the thread, as explanations have it */
  hd_trace_event event;
  char *why; /* lines, the innermost reasons indented most */
} hd_violation;

typedef struct hd_property_run
{
  hd_violation *violations; /* that the actions of the properties ask for, in the order of the trace */
  size_t nviolations, violations_cap;
  uint64_t *count; /* of all, by property */
  uint64_t events;
  uint32_t threads;
  bool stopped;    /* by the action of a property */
  hd_string notes; /* lines: what a trace does not tell, and the properties ask for */
  bool late;       /* the time was up */
} hd_property_run;

/* Judge T, from its start, by F. GO_ON is asked now and then. False: the events make no sense, and ERROR says where. */
bool hd_property_trace(hd_property_run *out, const hd_mttl_file *f, hd_trace *t, bool (*go_on)(void *, uint64_t),
                       void *context, hd_string *error);
void hd_property_run_free(hd_property_run *run);

#endif
