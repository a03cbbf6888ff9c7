/* races.h: what the files that read and print reports of races share.
 *
 *   races.c            the lines from the program (rt_report.c) become findings
 *   races_names.c      what the memory is called
 *   races_print.c      findings for people
 *   races_json.c       ... and as JSON
 *   races_sarif.c      ... and as SARIF
 *   races_suppress.c   those that nobody wants to see */
#ifndef HD_INSTRUMENT_RACES_H
#define HD_INSTRUMENT_RACES_H

#include "instrument/instrument.h"

enum
{
  HD_RACES_FRAMES = 64,
  HD_RACES_HOLDERS = 64
};

/* Where an address lies, as rt_report.c says it. */
typedef struct hd_races_where
{
  enum
  {
    HD_RACES_GLOBAL, /* or nobody knows */
    HD_RACES_STACK,
    HD_RACES_OWN, /* a variable that each thread has */
    HD_RACES_HEAP
  } kind;
  uint64_t thread; /* whose; of a block: who allocated it */
  bool gone;       /* the thread ended */
  uint64_t cfa, sp, pc;
  uint64_t start, size; /* of a block; of a thread's own variable: module and offset */
} hd_races_where;

/* A word at ADDRESS that holds VALUE, which points into the block of holder CHILD - 1 or, 0, that of the race. */
typedef struct hd_races_holder
{
  uint64_t child, address, value;
  hd_races_where where;
} hd_races_holder;

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
  hd_races_where where;
  hd_races_holder holders[HD_RACES_HOLDERS];
  size_t nholders;
  uint64_t freed_by; /* of a block; 0: nobody */
  hd_symbols_frame allocated[HD_RACES_FRAMES];
  size_t nallocated;
  uint64_t allocated_at[4];  /* the same as return addresses; 0: no more */
  hd_string variable;        /* empty: it has no name */
  hd_symbols_frame declared; /* its function: of a local one */
  const char *scope;         /* of a variable of one thread or function: "local of main"; else NULL */
} hd_races_finding;

/* "heap 0x1000 64 2", and so on; what is behind it. NULL: that is none. */
const char *hd_races_read_where(hd_races_where *w, const char *text);
void hd_races_name(hd_races_finding *f, hd_symbols *symbols, hd_arena *names);

void hd_races_print_text(hd_string *out, const hd_races_finding *f);
void hd_races_print_json(hd_string *out, const hd_races_finding *f);
void hd_races_print_sarif(hd_string *out, const hd_races_finding *f);
/* The whole, around the RESULTS. */
void hd_races_sarif_log(hd_string *out, const char *results, const char *summary, bool complete);
/* "counter"; "thread 2 (worker) wrote 4 bytes before". */
void hd_races_say_what(hd_string *out, const hd_races_finding *f);
void hd_races_say_access(hd_string *out, const hd_races_finding *f, const hd_races_access *a, bool past);

bool hd_races_suppressed(const hd_suppressions *s, const hd_races_access *accesses, size_t n, const char *variable);

#endif
