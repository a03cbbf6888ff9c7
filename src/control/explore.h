/* explore.h: the steps of a controller with given constants, and the graph of all its states for a number of threads.
 * A state is a row of int32: the variables, then the counters. */
#ifndef HD_CONTROL_EXPLORE_H
#define HD_CONTROL_EXPLORE_H

#include "control/control.h"

/* What an action does in the state that is loaded, besides a command's number. */
enum
{
  HD_CONTROL_IDLES = -1,   /* nonblocking, no guard holds: no variable changes, the thread moves */
  HD_CONTROL_WAITS = -2,   /* blocking, no guard holds */
  HD_CONTROL_OUTSIDE = -3, /* a variable would leave the range of int */
  HD_CONTROL_UNASKED = -4
};

typedef struct hd_control_stepper
{
  const hd_controller *c;
  int64_t *point;  /* every dimension; constants are set once, the rest by load; rigid ones by whoever needs them */
  int32_t *chosen; /* for each action, or HD_CONTROL_UNASKED */
  int32_t *after;  /* for each action: the variables after it */
  size_t outside;  /* the variable that left the range */
} hd_control_stepper;

void hd_control_stepper_init(hd_control_stepper *s, const hd_controller *c, const int64_t *constants);
void hd_control_stepper_free(hd_control_stepper *s);
void hd_control_stepper_start(const hd_control_stepper *s, uint64_t threads, int32_t *state, bool *inside);
void hd_control_stepper_load(hd_control_stepper *s, const int32_t *state);
/* What ACTION does: a command's number or one of the above. */
int32_t hd_control_stepper_ask(hd_control_stepper *s, size_t action);
/* Put the values that COMMAND of ACTION gives the variables into AFTER. False: one leaves the range of int. */
bool hd_control_stepper_execute(hd_control_stepper *s, size_t action, size_t command, int32_t *after);
/* Can a thread take EDGE now? Then *COMMAND is what the action does, and AFTER (if not NULL) the state after it. */
bool hd_control_stepper_take(hd_control_stepper *s, size_t edge, int32_t *command, int32_t *after);
static inline bool
hd_control_stepper_occupied(const hd_control_stepper *s, size_t state)
{
  return s->point[hd_control_counter_dimension(s->c, state)] > 0;
}

/* What has been seen in all searches together. Arrays over actions have one for each command. */
typedef struct hd_control_seen
{
  bool *states;       /* occupied */
  bool *callable;     /* by action: a thread could call it */
  bool **fired;       /* by action and command */
  bool **was_false;   /* by action and command: the guard was asked and did not hold */
  char **overlap;     /* by action: a sentence about the first state in which two guards hold and differ */
  size_t *overlap_at; /* the later of the two commands */
  bool **left_true;   /* by property and node that is an IMPLIES: its left side was true somewhere */
} hd_control_seen;

void hd_control_seen_init(hd_control_seen *seen, const hd_controller *c, hd_arena *arena);
/* Look at the state that S has loaded. */
void hd_control_seen_look(hd_control_seen *seen, hd_control_stepper *s, hd_arena *arena);

typedef enum hd_control_cut
{
  HD_CONTROL_WHOLE,
  HD_CONTROL_CUT_STATES, /* more states than allowed */
  HD_CONTROL_CUT_RANGE   /* a variable left the range of int */
} hd_control_cut;

typedef struct hd_control_graph
{
  const hd_controller *c;
  uint64_t threads;
  const int64_t *constants;
  size_t width;
  hd_control_stepper stepper;
  int32_t *data; /* N rows, in breadth-first order from the start, which is 0 */
  size_t n, data_cap;
  uint32_t *table; /* hash table of numbers + 1 */
  size_t table_size;
  size_t expanded; /* the states before this one have all their successors here */
  size_t *first;   /* of the targets, for each expanded state, and the end */
  size_t first_cap;
  uint32_t *targets;
  size_t ntargets, targets_cap;
  uint32_t *edges;      /* of each target: the edge of the controller that leads there; made on demand */
  size_t *before_first; /* the same backwards; made on demand */
  uint32_t *before;
  hd_control_cut cut;
} hd_control_graph;

typedef void hd_control_progress(void *context, uint64_t threads, uint64_t states);

HD_GIVE hd_control_graph *hd_control_graph_new(const hd_controller *c, uint64_t threads, const int64_t *constants,
                                               uint64_t bound, hd_control_seen *seen, hd_arena *arena,
                                               hd_control_progress *progress, void *context);
void hd_control_graph_free(HD_TAKE hd_control_graph *g);
/* Make BEFORE_FIRST and BEFORE. */
void hd_control_graph_reverse(hd_control_graph *g);
static inline const int32_t *
hd_control_graph_state(const hd_control_graph *g, size_t i)
{
  return g->data + i * g->width;
}
static inline bool
hd_control_graph_is_end(const hd_control_graph *g, size_t i)
{
  return i < g->expanded && g->first[i] == g->first[i + 1];
}
/* In an end state: is there a thread that waits, or have all finished? */
bool hd_control_graph_waits(const hd_control_graph *g, size_t i);
/* Which variable seems to grow without bound, if the search was cut; SIZE_MAX: none. */
size_t hd_control_graph_growing(const hd_control_graph *g, int64_t *reached);

/* ---- constants (instances.c) ---- */

/* All values for the constants that fit OPTIONS and the assumptions, small sums first. False: *ERROR says why there are
 * none. */
bool hd_control_instances(const hd_controller *c, const hd_control_binding *bindings, size_t nbindings, hd_arena *arena,
                          const int64_t *const **instances, size_t *n, hd_string *error);
/* "size = 2, limit = 3" */
void hd_control_print_constants(hd_string *out, const hd_controller *c, const int64_t *values);

/* ---- weak fairness (fair.c) ---- */

/* Make EDGES. */
void hd_control_graph_label(hd_control_graph *g);
/* COMPONENT gets, for each state on a fair loop that stays in INSIDE (one byte for each state), the number of the
 * strongly connected part that it lies in, from 1; for the others 0. */
void hd_control_fair_parts(hd_control_graph *g, const uint8_t *inside, uint32_t *component);
/* A fair loop from ENTRY back to it: N steps, as numbers of targets. */
HD_GIVE size_t *hd_control_fair_tour(const hd_control_graph *g, const uint32_t *component, uint32_t entry, size_t *n);

/* ---- properties (actl.c) and traces (witness.c) ---- */

typedef struct hd_control_judgement
{
  const hd_control_graph *g;
  const hd_control_spec *spec;
  bool fair;         /* about weakly fair paths alone */
  uint8_t **sets;    /* for each node of the formula: where it holds */
  bool *left_true;   /* for each node that is an IMPLIES: its left side was true somewhere */
  int64_t *rigid;    /* values of the property's rigid variables */
  bool holds;        /* in the start; without doubt only if the graph is whole */
  const char *doubt; /* NULL, or why "holds" is not sure although the graph may be whole */
} hd_control_judgement;

/* Judge SPEC on G for all values of its rigid variables, or until one violates it; FAIR: under weak fairness. */
void hd_control_judge(hd_control_judgement *j, hd_control_graph *g, const hd_control_spec *spec, bool fair);
void hd_control_judgement_free(hd_control_judgement *j);

/* The trace that shows why a judgement does not hold. */
hd_control_trace hd_control_explain(const hd_control_judgement *j, hd_control_graph *g, hd_arena *arena);
/* A shortest trace to STATE, which ends there. */
hd_control_trace hd_control_trace_to(hd_control_graph *g, size_t state, hd_arena *arena);

#endif
