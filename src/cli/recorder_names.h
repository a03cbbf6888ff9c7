/* recorder_names.h: what things of a recorded program are called. */
#ifndef HD_CLI_RECORDER_NAMES_H
#define HD_CLI_RECORDER_NAMES_H

#include "instrument/instrument.h"
#include "instrument/rt_record.h"
#include "trace/trace.h"

typedef struct hd_recorder_names hd_recorder_names;

/* Names are found in SYMBOLS and go to NAMES. */
HD_GIVE hd_recorder_names *hd_recorder_names_new(HD_KEEP hd_symbols *symbols, HD_KEEP hd_trace_names *names);
void hd_recorder_names_free(HD_TAKE hd_recorder_names *r);
/* "worker-2": the second thread that began at START; the first of all is "main". */
void hd_recorder_name_thread(hd_recorder_names *r, uint32_t thread, uint64_t start);
/* All places, stacks, locks and memory that the program had numbers for. */
void hd_recorder_name(hd_recorder_names *r, HD_KEEP const hd_record_shared *shared);

#endif
