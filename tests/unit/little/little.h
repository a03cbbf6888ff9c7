/* little.h: random small controllers for tests: a tree of its own, the text that it stands for, and an evaluator that
 * takes the tree at its word: one interface state for each thread, assignments one after the other, the first guard
 * that holds. It shares nothing with src/control. */
#ifndef TEST_LITTLE_H
#define TEST_LITTLE_H

#include "base/base.h"

enum
{
  LITTLE_VARIABLES = 3,
  LITTLE_STATES = 3,
  LITTLE_ACTIONS = 4,
  LITTLE_COMMANDS = 3,
  LITTLE_ASSIGNMENTS = 6,
  LITTLE_EDGES = 6,
  LITTLE_SPECS = 3,
  LITTLE_THREADS = 3,
  LITTLE_ASSUMPTIONS = 5,
  LITTLE_MOST = 400 /* states of a graph; larger ones are left out */
};

/* 'n' number, 'k' the constant k or m (0, 1), 'v' variable, 'e' value of the enumeration, 'c' count(state), 'x' the
 * rigid variable, 't' true, 'f' false, '~' minus, '!' not, '+' '-' '*', '<' 'l' (<=) '>' 'g' (>=) '=' (==) '#' (!=),
 * '&' '|' '?', 'I' implies, 'X' 'F' 'G' 'U' temporal */
typedef struct little_expr
{
  char kind;
  int number;
  struct little_expr *a, *b, *c;
} little_expr;

typedef struct little_assignment
{
  int variable;
  char op; /* '=', '+', '-' */
  little_expr *value;
} little_assignment;

typedef struct little_command
{
  little_expr *guard;
  little_assignment assignments[LITTLE_ASSIGNMENTS];
  int n;
} little_command;

typedef struct little_action
{
  bool blocking;
  little_command commands[LITTLE_COMMANDS];
  int n;
} little_action;

/* Variable 0 is an int, 1 an int or a bool, 2 a bool or an enumeration of three values. */
typedef struct little
{
  hd_arena *arena;
  char type[LITTLE_VARIABLES]; /* 'i', 'b', 'e' */
  int start[LITTLE_VARIABLES];
  little_action actions[LITTLE_ACTIONS];
  int edges[LITTLE_EDGES][3], nedges; /* from, action, to */
  little_expr *specs[LITTLE_SPECS];
  bool rigid[LITTLE_SPECS];           /* RIGID(x, ...) around it */
  bool fair[LITTLE_SPECS];            /* SPEC_FAIR */
  int k, m;                           /* values of the constants, for the evaluator */
  bool two;                           /* there is m */
  int assumption;                     /* about them: which of LITTLE_ASSUMPTIONS */
  bool starts_at_k[LITTLE_VARIABLES]; /* START is added to it */
  int least;                          /* threads */
} little;

void little_make(little *c, uint64_t *random);
/* Replace all properties but the first by ones that often depend on fairness: somebody comes to a state, or leaves it.
 */
void little_ask_for_progress(little *c, uint64_t *random);
/* Make up one like those that people write: variables that count who is where, guards that keep threads apart, and
 * properties about that; with a mistake now and then. */
void little_make_orderly(little *c, uint64_t *random);
/* Add what a controller for any number of threads may have besides: a second constant, assumptions, variables that
 * start with a constant, a least number of threads, properties under weak fairness. */
void little_vary(little *c, uint64_t *random);
/* Are the values of the constants as the file assumes? */
bool little_assumed(const little *c);
void little_print(hd_string *out, const little *c, uint64_t *random);
void little_free(little *c);

/* ---- the evaluator ---- */

typedef struct little_state
{
  long variables[LITTLE_VARIABLES];
  int threads[LITTLE_THREADS]; /* the interface state of each */
  int none;                    /* no padding: states are compared byte by byte */
} little_state;

typedef struct little_graph
{
  const little *c;
  int threads;
  little_state states[LITTLE_MOST];
  int depth[LITTLE_MOST]; /* steps from the start */
  int *successors[LITTLE_MOST];
  int nsuccessors[LITTLE_MOST];
  int n;
  bool too_large;
} little_graph;

/* All states with that many threads. */
void little_explore(little_graph *g, const little *c, int threads);
void little_graph_free(little_graph *g);
/* Does SPEC hold in the start, with this value of its rigid variable; with all that are not far from 0? */
bool little_holds_at(const little_graph *g, int spec, long x);
bool little_holds(const little_graph *g, int spec);
/* The same as little_holds_at under weak fairness, each thread being told apart. */
bool little_holds_fairly(const little_graph *g, int spec, long x);
/* Can thread T take EDGE in S? Then *AFTER is the state after it. */
bool little_step(const little *c, const little_state *s, int t, int edge, little_state *after);
bool little_true(const little *c, const little_expr *e, const little_state *s, int threads, long x);
/* The same without threads: COUNTS has the number of threads in each state. */
bool little_true_at(const little *c, const little_expr *e, const long *variables, const long *counts, long x);
/* Different states if threads are not told apart. */
int little_count(const little_graph *g);
/* Is there a state in which a thread waits and none can go on? */
bool little_deadlocks(const little_graph *g);

#endif
