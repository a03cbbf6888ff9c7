/* steps.h: the states and steps of a controller as questions to the solver. */
#ifndef HD_RECHECK_STEPS_H
#define HD_RECHECK_STEPS_H

#include "recheck/solver.h"

/* The question that is being put: a state of C, perhaps with a step from it. */
typedef struct hd_question
{
  const hd_controller *c;
  uint64_t least_threads, most_threads;
  size_t nbindings;
  const hd_control_binding *bindings; /* constants with one value */
  hd_solver_problem problem;          /* what it adds is in the problem's arena until the next one begins */
  hd_arena_mark empty;
} hd_question;

/* One way in which a thread can take an edge. */
typedef struct hd_way
{
  uint32_t edge;
  const hd_control_action *action;
  size_t command;             /* whose guard is the first that holds; NCOMMANDS: none does, the action is nonblocking */
  const hd_control_case *one; /* of its update; NULL: no variable changes */
} hd_way;

/* THREADS and BINDINGS are to be set by the caller. */
void hd_question_init(hd_question *q, const hd_controller *c);
void hd_question_free(hd_question *q);

/* Begin: a state with counters that are not negative, a number of threads in the range, constants as assumed, and,
 * if RANGES, booleans and enumerations within their values. */
void hd_question_begin(hd_question *q, bool ranges);
/* The state is a start. */
void hd_question_start(hd_question *q);
/* No step is possible. */
void hd_question_end_of_path(hd_question *q);
/* No guard of ACTION holds. */
void hd_question_no_guard(hd_question *q, const hd_control_action *action);
/* Some thread is in a state from which an edge leads. */
void hd_question_someone_left(hd_question *q);
/* A thread takes WAY. */
void hd_question_step(hd_question *q, const hd_way *way);

/* All ways of C, in the order of the edges. */
HD_GIVE hd_way *hd_ways_of(const hd_controller *c, size_t *n);
/* L and SET about the state after WAY, as something about the state before it. */
hd_control_linear hd_way_linear(hd_question *q, const hd_way *way, const hd_control_linear *l);
hd_control_set hd_way_set(hd_question *q, const hd_way *way, const hd_control_set *set);
/* Demand that a boolean or an enumeration is out of its range after WAY, or, if WAY is NULL, in the start. False: by
 * its form none ever is. */
bool hd_way_leaves_range(hd_question *q, const hd_way *way);
/* The state after WAY from BEFORE. False: it has numbers that are too large to be shown. */
bool hd_way_take(const hd_controller *c, const hd_way *way, const int64_t *before, int64_t *after);

/* FACTOR * DIMENSION + CONSTANT >= 0 */
hd_control_atom hd_question_atom(hd_question *q, size_t dimension, int64_t factor, int64_t constant);
/* x * A + y * B + constant */
hd_control_linear hd_question_combine(hd_question *q, int64_t x, const hd_control_linear *a, int64_t y,
                                      const hd_control_linear *b, int64_t constant);

#endif
