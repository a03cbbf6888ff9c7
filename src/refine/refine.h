/* refine.h: does an object's log refine its specification?
 *
 * One hd_refine per object, fed with the object's events in each thread's order (between threads in any order) and with
 * frontiers (log.h). It checks as far as the frontier allows and keeps only what is open, plus a short tail for the
 * explanation. Threads: one per handle. */
#ifndef HD_REFINE_H
#define HD_REFINE_H

#include <heddle/spec.h>

#include "base/base.h"
#include "log/log.h"

typedef enum hd_view_mode
{
  HD_VIEW_TOUCHED, /* compare the keys that were touched */
  HD_VIEW_FULL,    /* compare all keys at each comparison */
  HD_VIEW_OFF,     /* I/O refinement only */
} hd_view_mode;

typedef struct hd_refine_options
{
  hd_view_mode view;
  bool paranoid;               /* check the specification too: determinism, honest rejection, honest keys */
  bool no_diagnosis;           /* stop at the first finding without asking why */
  bool eager;                  /* for tests: close every gap fully instead of stopping when the needs are met */
  uint64_t max_configurations; /* 0: the default; more: incomplete */
  uint64_t max_steps;          /* budget of the diagnosis in applications of the specification; 0: the default */
  const int *cancel;           /* not NULL: give up, incomplete, once it is not 0 (read atomically) */
  bool leave;                  /* once cancelled, the process ends soon: leave memory to it, which is faster */
  /* Judge the operations all at once when everything was read, instead of walking along the log: for histories without
   * commits. No views; memory grows with the log. */
  bool whole;
  bool no_partition; /* then, and in a second reading: do not cut the object into independent parts */
  unsigned jobs;     /* then: threads */
} hd_refine_options;

/* What was found. */
typedef enum hd_finding_kind
{
  HD_FOUND_NOTHING,
  HD_FOUND_COMMIT,     /* the specification rejects a mutator at its commit */
  HD_FOUND_OBSERVER,   /* no state in its window allows an observer's return */
  HD_FOUND_ORDER,      /* with windows: no order of the overlapping operations explains the returns */
  HD_FOUND_VIEW,       /* specification and replica differ */
  HD_FOUND_INVARIANT,  /* the replica's invariant does not hold */
  HD_FOUND_INTERNAL,   /* an internal task changed the view */
  HD_FOUND_OLD_VALUE,  /* a write replaced a value that the log does not know: an unlogged or unprotected write */
  HD_FOUND_OVERLAP,    /* a variable was written by another thread inside a commit block: the block is not atomic */
  HD_FOUND_ANNOTATION, /* two commits, a missing commit, a misplaced macro */
  HD_FOUND_BAD_SPEC,   /* the specification or the log's methods and types are wrong: HD_BAD_INPUT */
} hd_finding_kind;

typedef enum hd_blame
{
  HD_BLAME_NONE,
  HD_BLAME_IMPLEMENTATION, /* no order of the operations explains what they returned, or the state is wrong */
  HD_BLAME_ANNOTATION,     /* some order does: the commit annotation is suspect */
  HD_BLAME_UNDECIDED,
} hd_blame;

/* One operation, for the report. Pointers belong to the finding. */
typedef struct hd_op_info
{
  uint64_t number; /* names it within the object; grows with each thread's calls */
  uint32_t thread;
  const char *method;
  uint32_t nargs;
  const hd_value *args;
  hd_value ret;
  bool returned, exceptional;
  bool internal;  /* an internal task, not an operation */
  bool observer;  /* judged as an observer: its method is one, or it returned without a commit */
  bool nocommit;  /* carries no commit annotation */
  bool windowed;  /* WINDOW..COMMIT is a window */
  bool committed; /* COMMIT is valid */
  /* Positions on the object's clock (docs/rules.md 1.1: tick k is 2k+1, a look that reads n is 2n). */
  uint64_t call, window, commit, end;
  uint32_t call_site, window_site, commit_site, return_site; /* places (hd_log_place_get); 0: none */
  bool failing;                                              /* the operation that the headline names */
  bool explains;    /* belongs to the minimal explanation; else it is shown beside it, greyed */
  uint64_t witness; /* place in the witness (from 1), 0: not in it */
} hd_op_info;

/* A write that led to a view key or variable in question. */
typedef struct hd_writer_info
{
  uint32_t thread, site;
  uint64_t position; /* where it took effect in the replica */
  uint64_t op;       /* number of the operation or task it was made in, 0: outside any */
  char *variable;    /* its name, or its number */
  hd_value value;
} hd_writer_info;

typedef struct hd_key_difference
{
  hd_value key;
  bool spec_has, replica_has;
  hd_value spec_value, replica_value;
  size_t nwriters; /* the last ones, newest first */
  hd_writer_info *writers;
} hd_key_difference;

typedef struct hd_finding
{
  hd_finding_kind kind;
  hd_blame blame;
  char *headline;    /* one line: what was expected, what came */
  char *expected;    /* may be NULL */
  char *actual;      /* may be NULL */
  char *why;         /* the reason for the blame in a sentence; may be NULL */
  char *suggestion;  /* what to do: "open a window at f.c:30"; may be NULL */
  uint32_t site;     /* the place of the annotation that the headline speaks of, or 0 */
  uint64_t position; /* on the object's clock */

  size_t nops; /* the explanation and what is shown beside it, in the order of calls */
  hd_op_info *ops;
  uint64_t legal_operations; /* by calls and returns: how many returned before it, all of them explained */
  /* The states that the specification could be in there, the first of them in words. */
  uint64_t states_total;
  size_t nstates;
  char **states;
  bool explanation_minimal; /* a deletion pass ran to its end; else the budget ended it or no search was possible */
  uint64_t explained_from;  /* the explanation takes the state at this tick as given; 0: nothing */
  size_t ndifferences;
  hd_key_difference *differences;
  size_t nrepairs; /* annotation suspect: the numbers of the operations whose commit would have to be a window */
  uint64_t *repairs;
} hd_finding;

/* A stretch without comparisons of states: some commit window was open all the time. */
typedef struct hd_view_wait
{
  uint64_t from, to; /* ticks: the first comparison that was put off, and the next one that was made */
  bool to_end;       /* none was made any more; TO is the last tick */
  /* The operation whose window was open longest in it; if some window never ended, one of these. */
  const char *method; /* NULL: there is no such stretch */
  uint64_t number;
  uint32_t thread, site; /* SITE: the place where its window began */
} hd_view_wait;

typedef struct hd_refine_stats
{
  uint64_t events, operations, returned, commits, windows, observers, uncommitted, internal, writes;
  uint64_t view_comparisons, keys_compared;
  uint64_t applications;        /* of the specification */
  uint64_t configurations_peak; /* at one time */
  uint64_t configurations_made;
  uint64_t open_peak;     /* operations kept at one time */
  uint64_t ticks;         /* checked */
  uint64_t views_skipped; /* comparisons put off because a window was open */
  uint64_t pending;       /* operations that never returned */
} hd_refine_stats;

typedef struct hd_refine_result
{
  hd_verdict verdict;
  const char *object, *type;
  uint32_t object_id;
  bool views;          /* views were compared */
  char *incomplete;    /* why the check is incomplete, or NULL */
  uint64_t checked_to; /* ticks judged */
  hd_finding finding;  /* kind HD_FOUND_NOTHING: none */
  hd_view_wait wait;   /* the longest */
  hd_refine_stats stats;
} hd_refine_result;

typedef struct hd_refine hd_refine;

/* LOG gives the names of methods, sites and threads. */
HD_GIVE hd_refine *hd_refine_new(HD_KEEP const hd_spec *spec, HD_KEEP const hd_log *log, uint32_t object,
                                 const hd_refine_options *options);
void hd_refine_free(HD_TAKE hd_refine *r);

/* False: the verdict is reached, nothing more is needed. */
bool hd_refine_event(hd_refine *r, const hd_event *e);
bool hd_refine_frontier(hd_refine *r, uint64_t f);

/* Nothing more will come. WHY_INCOMPLETE: NULL, or what is missing in the log (damage, dropped operations): the verdict
 * is then at best incomplete. */
hd_verdict hd_refine_finish(hd_refine *r, const char *why_incomplete);
const hd_refine_result *hd_refine_get_result(const hd_refine *r); /* after finish; belongs to R */

/* What is wrong with SPEC (missing functions, unknown type letters), or NULL; the caller frees it. */
HD_GIVE char *hd_spec_problem(const hd_spec *spec);

/* ---- all objects of a log ----
 *
 * A sink (log.h) that gives each object whose type is the name of a specification to a check of its own, on WORKERS
 * threads (1: in the reading thread; more only if the log is not live). */
typedef struct hd_checks hd_checks;
HD_GIVE hd_checks *hd_checks_new(HD_KEEP const hd_log *log, HD_KEEP const hd_spec *const *specs, size_t nspecs,
                                 const hd_refine_options *options, unsigned workers, HD_KEEP const char *const *names,
                                 size_t nnames); /* judge only objects of these names; none given: all */
void hd_checks_free(HD_TAKE hd_checks *c);
hd_log_sink hd_checks_sink(hd_checks *c);
/* Call TELL as soon as an object is found to violate its specification (with one worker only). */
void hd_checks_tell(hd_checks *c, void (*tell)(void *context, const hd_refine_result *result), void *context);
uint64_t hd_checks_events(const hd_checks *c);
/* The verdict over all: a violation before bad input before incomplete. */
hd_verdict hd_checks_finish(hd_checks *c, const char *why_incomplete);
/* Offline, after finish: some objects were not settled (too many orders are possible), and a second reading of the log
 * would help. Give the events once more, from another handle on the same log, then settle. */
bool hd_checks_wants_again(hd_checks *c);
hd_log_sink hd_checks_again_sink(hd_checks *c);
hd_verdict hd_checks_settle(hd_checks *c);
bool hd_checks_gave_up(const hd_checks *c); /* after finish or settle: some object had too many configurations */
bool hd_checks_unfit(const hd_checks *c);   /* after finish: some log cannot be judged as a whole; walk along it */
/* After finish. The results are in the order of object ids. */
const hd_refine_result *const *hd_checks_results(const hd_checks *c, size_t *n);
/* Objects that no specification was given for, after finish; ids. */
const uint32_t *hd_checks_unmatched(const hd_checks *c, size_t *n);

#endif
