/* linear.h: is there an order of these operations that the specification accepts?
 *
 * The whole history is at hand: each operation took effect somewhere in an interval, its call to its return, or its
 * commit window if that is known, or one instant if its commit is exact. The object is cut into parts that do not
 * concern each other; a part of a usual object (register, set, counter, queue, stack, priority queue) is judged
 * without a search where its values allow it (special.h), any other by a search over configurations with reductions
 * that keep it exact (search.c). docs/linear.md has the rules.
 *
 * Threads: one per call; with more than one job it starts its own. */
#ifndef HD_LINEAR_H
#define HD_LINEAR_H

#include <heddle/spec.h>

#include "base/base.h"

typedef struct hd_linear_op
{
  uint32_t method; /* index into the specification's methods */
  uint32_t thread;
  uint8_t nargs;
  bool pending;     /* never returned: it may be left out, RET and END mean nothing */
  bool unchanged;   /* it must leave the state as it is, whatever its method does */
  bool any_ret;     /* it took effect, and nobody knows what it returned */
  bool exceptional; /* it ended exceptionally, with RET as the exception */
  hd_value args[2];
  const hd_value *many; /* all arguments if there are more than two */
  hd_value ret;
  /* X really precedes Y if X's END lies before Y's START; equal numbers overlap. Numbers that are dense (not much above
   * the number of operations) are handled fastest. */
  uint64_t start, end;
  uint64_t id; /* the caller's, for the answer */
} hd_linear_op;

static inline const hd_value *
hd_linear_args(const hd_linear_op *o)
{
  return o->nargs > 2 ? o->many : o->args;
}

typedef enum hd_linear_answer
{
  HD_LINEAR_HOLDS,
  HD_LINEAR_VIOLATED,
  HD_LINEAR_UNKNOWN, /* a limit was reached, or the caller cancelled */
} hd_linear_answer;

/* What the search may use; all of it, but for tests (docs/linear.md). */
enum hd_linear_rules
{
  HD_LINEAR_LOOKS = 1u << 0,      /* what cannot change the state is placed as soon as a state accepts it */
  HD_LINEAR_SYMMETRY = 1u << 1,   /* of equal operations the one that ends first goes first */
  HD_LINEAR_ABSORPTION = 1u << 2, /* a blind write hides others: they become optional */
  HD_LINEAR_DOMINANCE = 1u << 3,  /* a configuration that can do all that another can makes it superfluous */
  HD_LINEAR_FLASH = 1u << 4,      /* a blind write in a chain must be seen by something at once */
  HD_LINEAR_COMPONENTS = 1u << 5, /* a chain uses only what is connected with its end through shared parts */
  HD_LINEAR_PARTITION = 1u << 6,  /* independent parts are judged one by one */
  HD_LINEAR_SPECIAL = 1u << 7,    /* algorithms without search */
  HD_LINEAR_LOOKAHEAD = 1u << 8,  /* an optional write is kept only if somebody may still read it */
  HD_LINEAR_ALL = (1u << 9) - 1,
};

typedef struct hd_linear_options
{
  const hd_value *config; /* of the object */
  size_t nconfig;
  unsigned jobs;               /* threads; 0 means 1 */
  uint32_t rules;              /* of enum hd_linear_rules */
  uint64_t max_configurations; /* at one time, in one part; 0: the default */
  uint64_t max_steps;          /* applications of the specification over all parts; 0: no limit */
  const int *cancel;           /* not NULL: stop once it is not 0 (read atomically) */
  bool leave;                  /* once cancelled, the process ends soon: leave memory to it, which is faster */
  void *memory;                /* not NULL: the caller has no use for this memory while the call lasts; */
  size_t memory_size;          /* what is warm already need not be asked from the system */
} hd_linear_options;

/* What is wrong with a queue, stack, register, ... if a pattern says it. */
typedef enum hd_linear_pattern
{
  HD_LINEAR_NO_PATTERN,
  HD_LINEAR_FROM_NOWHERE,     /* a value was taken or read that nobody put in */
  HD_LINEAR_TOO_EARLY,        /* ... before it was put in */
  HD_LINEAR_TAKEN_TWICE,      /* one value was taken, or replaced by cas, by two operations */
  HD_LINEAR_ORDER_INVERTED,   /* values left in an order that the object does not have */
  HD_LINEAR_EMPTY_WHILE_FULL, /* "empty", and something was inside all the time */
  HD_LINEAR_OVERWRITTEN,      /* a value was seen that had been overwritten, or not yet been written */
  HD_LINEAR_CIRCLE,           /* cas operations that need each other's values */
  HD_LINEAR_WRONG_ANSWER,     /* add, remove or contains answered what the set cannot have answered */
  HD_LINEAR_WRONG_COUNT,      /* a counter's value that it did not have at that time */
} hd_linear_pattern;

enum
{
  HD_LINEAR_SHOWN = 64,
};

typedef struct hd_linear_violation
{
  hd_linear_pattern pattern;
  bool alone; /* no order explains the operations shown even if all others are left out; those that put in what is
                 taken or read are among them */
  size_t nids;
  uint64_t ids[HD_LINEAR_SHOWN]; /* of the operations that show it */
  char sentence[512];
} hd_linear_violation;

typedef struct hd_linear_result
{
  hd_linear_answer answer;
  const char *stopped;     /* unknown: why */
  hd_linear_violation why; /* violated: a sentence, and the operations that show it. Unknown: those that were open */
  /* Violated: the operation at whose END the history can no longer be explained. UINT64_MAX: not determined. */
  uint64_t failing;
  /* Violated or unknown: all that ended before this position (of an end) is explained. */
  uint64_t legal_until;
  uint64_t parts, special_parts, applications, configurations_peak, configurations_made;
} hd_linear_result;

/* Judge OPS. They need not be sorted. A specification without copy() cannot be searched: its answer is unknown. */
void hd_linear_decide(const hd_spec *spec, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
                      hd_linear_result *result);

/* ---- while a history is read ---- */

/* Registers, counters, maps and sets of the built-in specifications, whose values are numbers, can mostly be judged
 * event by event: nothing of the past is kept but values. Where that does not suffice, and where the history is
 * violated, all functions answer false from some event on: nothing is said; hd_linear_decide finds out. */
typedef struct hd_linear_stream hd_linear_stream;

/* NULL: not for this specification, or not under these rules. Limits do not matter; CONFIG is looked at now. */
HD_GIVE hd_linear_stream *hd_linear_stream_new(const hd_spec *spec, const hd_linear_options *options);
/* PROCESS, a small number, calls METHOD; arguments that it does not have are 0. */
bool hd_linear_stream_call(hd_linear_stream *s, uint32_t process, uint32_t method, const int64_t args[2]);
/* It returned RET; or nothing, if it does not say something. */
bool hd_linear_stream_return(hd_linear_stream *s, uint32_t process, bool says, int64_t ret);
/* That was all; what is open never returned. True, if all events were taken: the history is linearizable. */
bool hd_linear_stream_end(hd_linear_stream *s);
void hd_linear_stream_free(HD_TAKE hd_linear_stream *s);

/* ---- why ---- */

/* Why nothing explains an operation at its end: what the object could be there, and what the operation could have
 * returned. */
enum
{
  HD_LINEAR_STATES = 8,
  HD_LINEAR_RETURNS = 16,
  HD_LINEAR_BEFORE = 3,
};

typedef struct hd_linear_scene
{
  bool known;                     /* else the search was too long, and only OPEN is filled */
  uint64_t nstates;               /* that the object could be in before it ended; the first of them in words: */
  char *states[HD_LINEAR_STATES]; /* NULL: the specification cannot show its states */
  size_t nreturns;                /* that would have been explained; values belong to the scene */
  hd_value returns[HD_LINEAR_RETURNS];
  bool more_returns; /* there are more, or the specification cannot say */
  size_t nopen;
  uint64_t open[HD_LINEAR_SHOWN]; /* ids of the operations of its part that were open with it */
  size_t nbefore;
  uint64_t before[HD_LINEAR_BEFORE]; /* of the last ones before it that may have changed the object, newest first */
} hd_linear_scene;

/* FAILING is the id that hd_linear_decide gave for the same OPS. */
void hd_linear_explain(const hd_spec *spec, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
                       uint64_t failing, hd_linear_scene *scene);
void hd_linear_scene_clear(hd_linear_scene *scene);

/* RESULT, of OPS whose ids are their places, is unknown: why, how far the history is explained, and what was open. */
HD_GIVE char *hd_linear_unknown_text(const hd_spec *spec, const hd_linear_op *ops, size_t n,
                                     const hd_linear_result *result);

/* STATE of SPEC in words, as far as its keys() and view() show it; NULL: they do not. */
HD_GIVE char *hd_linear_state_text(const hd_spec *spec, const void *state);

#endif
