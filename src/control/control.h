/* control.h: concurrency controllers: reads a controller file, holds it as a model, and judges the model for a given
 * number of threads by looking at every state.
 *
 * The model is the one of Betin-Can and Bultan (ASE 2004), section 3, with counting abstraction: a state is a value for
 * every variable and, for every interface state, the number of threads in it. An action's guarded commands are tried in
 * the order of the text and the first whose guard holds is executed; a nonblocking action of which no guard holds
 * changes nothing, but the thread moves on. Paths are maximal: a state in which no action is possible ends one.
 *
 * All numbers live in one space of dimensions, in this order: constants, variables, state counters, rigid variables of
 * the properties. Booleans are 0 or 1; the values of an enumeration are 0, 1, ... in the order of the text. Guards and
 * predicates are lists of conjunctions of linear (in)equalities over it, updates are linear maps: what a solver for
 * linear arithmetic takes as it is. Conditional expressions have been split into cases.
 *
 * Threads: a controller may be read by several threads; everything else belongs to one. */
#ifndef HD_CONTROL_H
#define HD_CONTROL_H

#include "base/base.h"

/* ---- places and numbers ---- */

typedef struct hd_control_place
{
  uint32_t line, column; /* from 1; columns are bytes */
} hd_control_place;

typedef struct hd_control_term
{
  uint32_t dimension;
  int64_t factor; /* not 0 */
} hd_control_term;

/* constant + the sum of factor * dimension; the terms are in the order of the dimensions, each once. */
typedef struct hd_control_linear
{
  int64_t constant;
  size_t n;
  const hd_control_term *terms;
} hd_control_linear;

typedef enum hd_control_relation
{
  HD_CONTROL_NOT_NEGATIVE, /* linear >= 0 */
  HD_CONTROL_ZERO          /* linear == 0 */
} hd_control_relation;

typedef struct hd_control_atom
{
  hd_control_relation relation;
  hd_control_linear linear;
} hd_control_atom;

typedef struct hd_control_conjunction
{
  size_t n; /* 0: true */
  const hd_control_atom *atoms;
} hd_control_conjunction;

/* A set of points: the union of its conjunctions. */
typedef struct hd_control_set
{
  size_t n; /* 0: false */
  const hd_control_conjunction *conjunctions;
} hd_control_set;

/* ---- the model ---- */

typedef struct hd_control_constant
{
  const char *name;
  hd_control_place place;
} hd_control_constant;

typedef enum hd_control_type
{
  HD_CONTROL_INT,
  HD_CONTROL_BOOL,
  HD_CONTROL_ENUM
} hd_control_type;

typedef struct hd_control_variable
{
  const char *name;
  hd_control_place place;
  hd_control_type type;
  size_t nvalues; /* of an enumeration */
  const char *const *values;
  hd_control_linear start; /* over constants */
} hd_control_variable;

/* One way through an update. The cases of a command exclude each other, and one of them always applies. */
typedef struct hd_control_case
{
  hd_control_set when;          /* over the state before */
  const hd_control_linear *map; /* for every variable: its value after, over the state before */
} hd_control_case;

typedef struct hd_control_command
{
  hd_control_place place;   /* of the guard */
  const char *guard_text;   /* as the printer writes it */
  hd_control_set guard;     /* as written */
  hd_control_set not_guard; /* its complement within the ranges of the variables */
  hd_control_set first;     /* the guard holds and none before it does: the command is executed */
  size_t ncases;
  const hd_control_case *cases;
} hd_control_command;

typedef struct hd_control_action
{
  const char *name;
  hd_control_place place;
  bool blocking;
  size_t ncommands;
  const hd_control_command *commands;
  hd_control_set none; /* no guard holds: a blocking action waits, a nonblocking one changes no variable */
} hd_control_action;

typedef struct hd_control_state
{
  const char *name;
  hd_control_place place;
} hd_control_state;

typedef struct hd_control_edge
{
  uint32_t from, action, to;
  hd_control_place place;
} hd_control_edge;

typedef enum hd_control_operator
{
  HD_CONTROL_PREDICATE,
  HD_CONTROL_AND,
  HD_CONTROL_OR,
  HD_CONTROL_IMPLIES, /* the left side is a predicate */
  HD_CONTROL_AX,
  HD_CONTROL_AF,
  HD_CONTROL_AG,
  HD_CONTROL_AU /* AU(left, right) */
} hd_control_operator;

typedef struct hd_control_formula
{
  hd_control_operator kind;
  hd_control_place place;
  const char *text;
  uint32_t number;             /* of this node within its property, from 0 */
  hd_control_set holds, fails; /* PREDICATE: where it is true and where it is false */
  const struct hd_control_formula *left, *right;
} hd_control_formula;

/* A property. Its rigid variables keep one value, whichever, for the whole run. */
typedef struct hd_control_spec
{
  const char *name;
  hd_control_place place;
  const char *text;
  bool fair;                    /* SPEC_FAIR: about paths that are weakly fair alone, whatever the options say */
  uint32_t first_rigid, nrigid; /* rigid variables of the controller that are this property's */
  uint32_t nodes;
  const hd_control_formula *formula;
} hd_control_spec;

typedef struct hd_controller
{
  hd_arena *arena; /* of everything here */
  const char *path, *name;
  const char *file; /* HD_CONTROLLER_FILE, as it is written; NULL: the file has none */
  size_t nconstants, nvariables, nstates, nactions, nedges, nspecs, nrigid;
  const hd_control_constant *constants;
  hd_control_set assumption; /* over constants */
  uint64_t least_threads, most_threads;
  const hd_control_variable *variables;
  const hd_control_state *states; /* threads begin in the first */
  const hd_control_action *actions;
  const hd_control_edge *edges;
  const hd_control_spec *specs;
  const char *const *rigid;
  const struct hd_control_source *source; /* what was parsed; for the printer */
  uint64_t digest; /* for certificates, if properties were left out (hd_control_select); else 0 */
} hd_controller;

static inline size_t
hd_control_variable_dimension(const hd_controller *c, size_t variable)
{
  return c->nconstants + variable;
}

static inline size_t
hd_control_counter_dimension(const hd_controller *c, size_t state)
{
  return c->nconstants + c->nvariables + state;
}

static inline size_t
hd_control_rigid_dimension(const hd_controller *c, size_t rigid)
{
  return c->nconstants + c->nvariables + c->nstates + rigid;
}

static inline size_t
hd_control_dimensions(const hd_controller *c)
{
  return c->nconstants + c->nvariables + c->nstates + c->nrigid;
}

/* ---- reading and printing ---- */

/* The controller in TEXT, N bytes; PATH is for messages. NULL: it has mistakes. MESSAGES gets lines of the form
 * "PATH:LINE:COLUMN: error: ..." in the order of the text, warnings among them, also when there is a controller. */
HD_GIVE hd_controller *hd_control_parse(const char *path, const char *text, size_t n, hd_string *messages);
/* The same for the file at PATH. */
HD_GIVE hd_controller *hd_control_read(const char *path, hd_string *messages);
void hd_control_free(HD_TAKE hd_controller *c);
/* Leave out all properties of C but those with the N NAMES. False: there is none with one of the names; *ERROR says
 * so, and C is as it was. */
bool hd_control_select(hd_controller *c, const char *const *names, size_t n, hd_string *error);

/* As a controller file that means the same: comments are gone, the layout is one. */
void hd_control_print(hd_string *out, const hd_controller *c);
/* The model itself, without places: two controllers with the same dump mean the same. */
void hd_control_dump(hd_string *out, const hd_controller *c);
/* The VALUE of VARIABLE as the file would write it. */
void hd_control_print_value(hd_string *out, const hd_control_variable *variable, int64_t value);

/* ---- numbers at a point: POINT has a value for every dimension that is used ---- */
__int128 hd_control_value(const hd_control_linear *linear, const int64_t *point);
bool hd_control_contains(const hd_control_set *set, const int64_t *point);

/* ---- judging for given numbers of threads ---- */

typedef struct hd_control_binding
{
  const char *name;
  int64_t value;
} hd_control_binding;

struct hd_control_seen; /* explore.h */
struct hd_control_result;

typedef struct hd_control_options
{
  uint64_t least_threads, most_threads; /* one after the other */
  size_t nbindings;
  const hd_control_binding *bindings; /* constants that are not bound: all values from 0 to 3 that are assumed */
  uint64_t states;                    /* bound for each search; 0: the default */
  bool forbid_deadlock;               /* a deadlock is a violation */
  bool fair;                          /* every property is about weakly fair paths alone; fair.c says what they are */
  double seconds;                     /* for the proofs of src/symbolic; 0: the default */
  unsigned long operations;           /* of isl, for each of these proofs, at most; 0: the default */
  /* Called now and then; may be NULL. */
  void (*progress)(void *context, uint64_t threads, uint64_t states);
  void *context;
  /* Called when the searches are over, before anything is said about what was never seen in them: whoever cannot be sure
   * that it never happens marks it as seen. May be NULL. */
  void (*doubt)(void *doubt_context, const struct hd_control_result *r, struct hd_control_seen *seen);
  void *doubt_context;
} hd_control_options;

enum
{
  HD_CONTROL_STATES = 5000000,
  HD_CONTROL_LARGEST_CONSTANT = 3,
  HD_CONTROL_INSTANCES = 256, /* values for the constants that are tried, at most */
  HD_CONTROL_MOST_THREADS = 1000
};

/* A step of a trace. The first one is the start: it has no thread. */
typedef struct hd_control_step
{
  uint32_t thread;       /* from 1; 0: the start */
  uint32_t edge;         /* of the controller */
  int32_t command;       /* of the action; -1: no guard held */
  const int32_t *values; /* after it: variables, then counters */
} hd_control_step;

typedef enum hd_control_end
{
  HD_CONTROL_END_STATE,    /* the last state is what is wrong */
  HD_CONTROL_END_DEADLOCK, /* threads remain, and none can go on */
  HD_CONTROL_END_FINISHED, /* no thread has anything left to do */
  HD_CONTROL_END_LOOP      /* from the last step back to state LOOP, for ever */
} hd_control_end;

typedef struct hd_control_trace
{
  size_t n;
  const hd_control_step *steps;
  hd_control_end end;
  size_t loop;
  const char *reason; /* what the end shows, in one sentence without a full stop */
} hd_control_trace;

/* What the controller's own code said to a trace (src/replay). */
typedef enum hd_control_replay
{
  HD_CONTROL_NOT_REPLAYED,
  HD_CONTROL_REPLAY_SAME,
  HD_CONTROL_REPLAY_DIFFERS
} hd_control_replay;

/* Where something was found: the number of threads, the constants, and the trace that leads there. */
typedef struct hd_control_finding
{
  bool found;
  uint64_t threads;
  const int64_t *constants;
  const int64_t *rigid; /* of the property, one for each; of a deadlock none */
  hd_control_trace trace;
  hd_control_replay replay;
  const char *replay_text; /* why it was not replayed, or what differs, without a full stop; NULL: nothing to say */
} hd_control_finding;

/* What another solver says to a claim (src/horn). */
typedef enum hd_control_opinion
{
  HD_CONTROL_NO_OPINION, /* nobody wanted one */
  HD_CONTROL_AGREES,
  HD_CONTROL_DISAGREES,
  HD_CONTROL_ALONE,     /* it has an answer, and the claim was open */
  HD_CONTROL_NO_ANSWER, /* in time, or not at all */
  HD_CONTROL_NOT_ASKED, /* it is no question for the solver */
  HD_CONTROL_FAILED     /* it could not be asked */
} hd_control_opinion;

typedef struct hd_control_second
{
  hd_control_opinion opinion;
  bool holds;            /* AGREES, DISAGREES, ALONE: what it says */
  double seconds, limit; /* how long it took, how long it might have taken */
  const char *text;      /* NOT_ASKED, FAILED: why, without a full stop */
} hd_control_second;

typedef struct hd_control_answer
{
  hd_verdict verdict;
  hd_control_finding violation;
  const char *incomplete; /* why; NULL: it is not */
  const char *how;        /* it was proved, in a few words; NULL: every state was looked at */
  bool vacuous;
  const hd_control_formula *never; /* VACUOUS: the left side that is never true */
  hd_control_second second;
} hd_control_answer;

typedef struct hd_control_note
{
  bool warning; /* else a remark */
  hd_control_place place;
  const char *kind; /* one word, for programs: "dead-action", ... */
  const char *text;
} hd_control_note;

/* What an integer variable stays between: numbers, a constant, or "threads", their number. NULL: nothing is known, and
 * in C it could leave the range of int. */
typedef struct hd_control_range
{
  const char *least, *most;
} hd_control_range;

typedef struct hd_control_result
{
  hd_arena *arena;
  hd_verdict verdict;         /* of all properties together */
  hd_control_answer *answers; /* one for each property */
  hd_control_finding deadlock;
  hd_control_second deadlock_second; /* about there being none */
  uint64_t deadlocks;         /* states */
  bool forbid_deadlock, fair; /* as in the options */
  const char *compiler;       /* what the C compiler said when a trace was to be replayed; NULL: nothing */
  size_t nnotes;
  const hd_control_note *notes; /* in the order of the text */
  uint64_t least_threads, most_threads;
  size_t ninstances;
  const int64_t *const *instances; /* the values of the constants that were tried */
  uint64_t states, steps;          /* in all searches together */
  bool complete;                   /* no search was cut */
  const char *incomplete;
  /* Of src/symbolic: */
  bool symbolic;    /* the verdicts are about LEAST_THREADS to MOST_THREADS (UINT64_MAX: any) and all constants */
  bool no_deadlock; /* it was proved that there is none */
  size_t nequalities;
  const hd_control_linear *equalities; /* each is 0 in every reachable state, as was proved */
  const hd_control_range *ranges; /* one for each variable; those that are no integers have none */
  const struct hd_control_certificate *certificate;
  hd_arena *proofs;                /* memory of the certificate, or NULL */
  struct hd_control_result *other; /* has traces of this one, or NULL */
} hd_control_result;

/* Judge every property of C. NULL: the options do not fit the controller, and *ERROR says why. C must outlive the
 * answer. */
HD_GIVE hd_control_result *hd_control_verify(HD_KEEP const hd_controller *c, const hd_control_options *options,
                                             hd_string *error);
void hd_control_result_free(HD_TAKE hd_control_result *r);

/* The result for people: verdicts, traces, notes. QUIET: violations and what is incomplete alone. */
void hd_control_result_text(hd_string *out, const hd_controller *c, const hd_control_result *r, bool quiet);
/* For programs: docs/schema/control.schema.json. */
void hd_control_result_json(hd_string *out, const hd_controller *c, const hd_control_result *r);

/* ---- playing and drawing: one number of threads, one value for every constant ---- */

typedef struct hd_control_play
{
  uint64_t threads;
  size_t nbindings;
  const hd_control_binding *bindings; /* constants that are not bound get the smallest values that are assumed */
  bool random;                        /* choose by SEED, STEPS times; else read choices from IN */
  uint64_t seed, steps;
  uint64_t states; /* bound of a drawing */
} hd_control_play;

/* Step through the controller: lists what is possible, reads a number, shows what changed. Returns HD_HOLDS, or
 * HD_BAD_INPUT with *ERROR set. */
hd_verdict hd_control_simulate(const hd_controller *c, const hd_control_play *play, FILE *in, FILE *out,
                               hd_string *error);
typedef enum hd_control_form
{
  HD_CONTROL_DOT, /* the language of dot */
  HD_CONTROL_SVG
} hd_control_form;

/* Draw the interface. */
void hd_control_draw_interface(hd_string *out, const hd_controller *c, hd_control_form form);
/* Draw the states for a number of threads. Returns HD_HOLDS, HD_INCOMPLETE (*ERROR says what is missing in the drawing)
 * or HD_BAD_INPUT. */
hd_verdict hd_control_draw_states(hd_string *out, const hd_controller *c, const hd_control_play *play,
                                  hd_control_form form, hd_string *error);

#endif
