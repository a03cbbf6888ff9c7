/* findings.h: what was found, gathered for reports. Private to src/monitor. */
#ifndef HD_MONITOR_FINDINGS_H
#define HD_MONITOR_FINDINGS_H

#include "monitor/monitor.h"

enum
{
  SHOWN_ROWS = 12,         /* of a reordering */
  MOST_DETAILED = 50,      /* findings of a kind for which details are looked up */
  LONGEST_WINDOW = 1 << 21 /* events in which a cycle is looked for */
};

/* An event and what its thread held then. */
typedef struct detail
{
  hd_trace_event event;
  char *held; /* names, comma separated; "": nothing */
} detail;

/* Races whose two places are the same. */
typedef struct race_finding
{
  hd_monitor_race race; /* the first of them; its prefix is ours */
  uint64_t count;
  bool suppressed, shadowed; /* SHADOWED: predicted, and one that happened has the same places */
  detail first, second;
  hd_trace_event block;            /* the allocation that it lies in; kind 0: none is known */
  uint64_t before;                 /* predicted: events in the reordering, without the two and what is put off */
  hd_trace_event rows[SHOWN_ROWS]; /* the last of them, as a ring */
  uint64_t nlate;                  /* the same of what is put off */
  hd_trace_event late[SHOWN_ROWS];
} race_finding;

typedef struct race_findings
{
  hd_trace_ids keys;
  race_finding *items;
  size_t n, cap;
  uint64_t *events; /* racy ones, if they are kept */
  size_t nevents, events_cap;
  uint64_t count, last; /* racy events; the last of them */
} race_findings;

/* Blocks that began at one place. */
typedef struct block_finding
{
  hd_monitor_unserial first;
  uint64_t count;
  bool suppressed;
  hd_trace_event *window;
  size_t nwindow, window_cap;
  hd_monitor_step *steps;
  size_t nsteps;
} block_finding;

typedef struct deadlock_finding
{
  hd_monitor_wait *waits;
  size_t n;
  uint64_t count;
  bool suppressed;
} deadlock_finding;

struct hd_monitor_findings
{
  hd_trace *trace;
  hd_monitor_options options;
  race_findings happened, predicted;
  hd_trace_ids variables; /* that have a race: 2 * target + sized */
  struct
  {
    uint64_t target;
    uint32_t size;
  } * racy;
  size_t nracy, racy_cap;
  hd_trace_ids block_keys, deadlock_keys;
  block_finding *blocks;
  size_t nblocks, blocks_cap;
  uint64_t unserial; /* blocks on cycles, that are not suppressed */
  deadlock_finding *deadlocks;
  size_t ndeadlocks, deadlocks_cap;
  uint64_t events, threads, suppressed;
  bool stopped, not_all_cycles;
  char *error, *cut; /* what is wrong with the trace, what is missing */
};

/* Does a line of KIND ("race") of S match a place or the variable (NULL: there is none)? */
bool hd_monitor_suppressed(const hd_suppressions *s, const char *kind, const hd_trace_names *n,
                           const hd_monitor_place *places, size_t nplaces, const char *variable);
/* Is the allocation that the race lies in known, with its place? "It is 16 bytes into a block of 64 that main allocated
 * at f.c:12 (f)" */
bool hd_monitor_block_is_known(const hd_monitor_findings *f, const race_finding *r);
void hd_monitor_say_block(hd_string *out, const hd_monitor_findings *f, const race_finding *r);
/* The summary, and what makes it incomplete. */
void hd_monitor_print_text_end(hd_string *out, const hd_monitor_findings *f, bool quiet);
/* Read the trace again and fill in the details. */
void hd_monitor_details(hd_monitor_findings *f);

#endif
