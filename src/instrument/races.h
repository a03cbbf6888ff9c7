/* races.h: what the files that read and print reports of races share.
 *
 *   races.c            the lines from the program (rt_report.c) become findings
 *   races_print.c      findings for people and as JSON
 *   races_suppress.c   those that nobody wants to see */
#ifndef HD_INSTRUMENT_RACES_H
#define HD_INSTRUMENT_RACES_H

#include "instrument/instrument.h"

enum
{
  HD_RACES_FRAMES = 64
};

typedef struct hd_races_access
{
  char kind[16];  /* "read", "write", "atomic-read", "atomic-write" */
  char doing[16]; /* "-", or what the program called: "free" */
  uint64_t size, thread;
  hd_symbols_frame frames[HD_RACES_FRAMES];
  size_t n;
} hd_races_access;

typedef struct hd_races_thread
{
  uint64_t id, kernel_id, parent;
  char name[32];     /* "-": none */
  const char *start; /* its function; NULL: not known */
  hd_symbols_frame created[HD_RACES_FRAMES];
  size_t n;
} hd_races_thread;

/* One race as it is read, and as it is printed. */
typedef struct hd_races_finding
{
  uint64_t process, address, bytes;
  hd_races_access accesses[2]; /* the later one first */
  hd_races_thread threads[4];
  size_t nthreads;
  bool heap, stack;
  uint64_t block, block_size, block_thread, freed_by, stack_thread;
  hd_symbols_frame allocated[HD_RACES_FRAMES];
  size_t nallocated;
  hd_string variable; /* of a global one */
  hd_symbols_frame declared;
} hd_races_finding;

void hd_races_print_text(hd_string *out, const hd_races_finding *f);
void hd_races_print_json(hd_string *out, const hd_races_finding *f);

bool hd_races_suppressed(const hd_suppressions *s, const hd_races_access *accesses, size_t n, const char *variable);

#endif
