/* instrument.h: what the heddle command does for programs that were built with heddle-cc: reads what the runtime inside
 * them (rt_*.c, libheddle-rt) reports, finds names and source lines, and prints.
 *
 * Handles are used by one thread at a time. */
#ifndef HD_INSTRUMENT_H
#define HD_INSTRUMENT_H

#include "base/base.h"

/* ---- names of addresses, from the debug information of a program and its libraries ---- */

typedef struct hd_symbols hd_symbols;
typedef struct hd_symbols_frame
{
  const char *function; /* NULL: unknown */
  const char *file;     /* NULL: unknown */
  const char *module;   /* the file of the program or library; NULL: unknown */
  int line;
  uint64_t offset; /* in the module */
} hd_symbols_frame;

HD_GIVE hd_symbols *hd_symbols_new(void);
void hd_symbols_free(HD_TAKE hd_symbols *s);
/* A line of /proc/PID/maps. Strings of frames stay valid until the handle is freed. */
void hd_symbols_map(hd_symbols *s, const char *line);
/* What is at PC, which is a return address: functions that were inlined there, innermost first. Returns at least one.
 */
size_t hd_symbols_frames(hd_symbols *s, uint64_t pc, hd_symbols_frame *frames, size_t max);
/* The name of the variable, member or element of SIZE bytes at ADDRESS: "table[3].lock". False: there is none known.
 * *WHERE: its declaration, in function, file and line; file NULL: not known. */
bool hd_symbols_data(hd_symbols *s, uint64_t address, uint64_t size, hd_string *name, hd_symbols_frame *where);

/* ---- races ---- */

typedef struct hd_races_options
{
  const char *suppressions; /* a file in ThreadSanitizer's format, or NULL */
  bool live;                /* print each when it is found, on OUT; else at the end */
  bool json;
  bool quiet;
  FILE *out;
} hd_races_options;

typedef struct hd_races hd_races;
/* NULL: *ERROR says what is wrong with the suppressions. */
HD_GIVE hd_races *hd_races_new(const hd_races_options *options, HD_GIVE char **error);
void hd_races_free(HD_TAKE hd_races *r);
/* What came from the program, in pieces of any size. */
void hd_races_feed(hd_races *r, const char *bytes, size_t n);
/* The program came to its own end. */
bool hd_races_ended(const hd_races *r);
/* The program is gone: prints what is left. NOTE, or NULL: how it ended. HD_VIOLATED if there was a race that is not
 * suppressed, HD_INCOMPLETE if something was too much for the detector. */
hd_verdict hd_races_finish(hd_races *r, const char *note);

#endif
