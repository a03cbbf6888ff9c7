/* recorder.h: makes the trace of a program that was built with heddle-cc. */
#ifndef HD_CLI_RECORDER_H
#define HD_CLI_RECORDER_H

#include "base/base.h"

typedef struct hd_recorder_options
{
  const char *command;   /* for messages: "heddle trace" */
  char **program;        /* ends with a null pointer */
  FILE *out;             /* where the trace goes */
  const char *path;      /* its name, for messages */
  uint64_t schedule;     /* seed of random delays; 0: none */
  const char *functions; /* "f,g": their calls are atomic blocks; NULL: none are */
} hd_recorder_options;

typedef struct hd_recorder_result
{
  bool spoke;       /* the program was watched at all; if not, a message was printed, and */
  int status;       /* ... this is the exit status */
  uint64_t events;  /* in the trace */
  uint32_t threads; /* that were recorded */
  bool whole;       /* the program came to its own end, and nothing was lost */
  int error;        /* errno: the trace could not be written */
  hd_string notes;  /* a sentence a line: how the program ended */
  hd_string losses; /* the same: what is not in the trace, which has these sentences too */
} hd_recorder_result;

/* Runs the program and writes its trace. */
hd_recorder_result hd_recorder_run(const hd_recorder_options *o);

#endif
