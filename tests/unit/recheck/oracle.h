/* oracle.h: the rules of certificates (control/certificate.h), taken at their word for one state at a time, and
 * explicit certificates, whose sets are lists of states. It shares nothing with src/recheck. */
#ifndef TEST_RECHECK_ORACLE_H
#define TEST_RECHECK_ORACLE_H

#include "control/certificate.h"

enum
{
  ORACLE_DIMENSIONS = 40,
  ORACLE_STEPS = 64,
  ORACLE_STATES = 150
};

/* All dimensions of a controller; those that it does not have are 0. */
typedef struct oracle_point
{
  int64_t at[ORACLE_DIMENSIONS];
} oracle_point;

typedef struct oracle_step
{
  uint32_t edge;
  oracle_point after;
} oracle_step;

/* The steps that are possible; returns how many. */
size_t oracle_steps(const hd_controller *c, const oracle_point *p, oracle_step steps[ORACLE_STEPS]);

/* Does P, as a start or as the state before a step, break an obligation of the claim about property CLAIM (number of
 * properties: the deadlock)? */
bool oracle_breaks(const hd_controller *c, const hd_control_certificate *certificate, size_t claim,
                   const oracle_point *p);

typedef struct oracle_box
{
  int64_t low, high;         /* of integers, constants and rigid variables */
  int64_t threads;           /* at most */
  oracle_point first_broken; /* if one was found */
  uint64_t points;           /* that were looked at */
} oracle_box;

/* Does a point of BOX break the claim? */
bool oracle_breaks_in(const hd_controller *c, const hd_control_certificate *certificate, size_t claim, oracle_box *box);

/* ---- explicit certificates ---- */

/* All states from the start with these constants, and this many threads. */
typedef struct oracle_graph
{
  oracle_point states[ORACLE_STATES];
  size_t n;
  size_t successors[ORACLE_STATES][ORACLE_STEPS];
  size_t nsuccessors[ORACLE_STATES];
  bool too_large;
} oracle_graph;

void oracle_explore(oracle_graph *g, const hd_controller *c, const int64_t *constants, int64_t threads);
/* A proof of SPEC, which has no rigid variables, by listing states; NULL: it does not hold. */
const hd_control_proof *oracle_prove(const hd_controller *c, const oracle_graph *g, const hd_control_spec *spec,
                                     hd_arena *arena);
/* That no deadlock is reachable; NULL: one is. */
const hd_control_proof *oracle_prove_no_deadlock(const hd_controller *c, const oracle_graph *g, hd_arena *arena);
/* A pretence: every node holds everywhere; whatever is to be reached is reached in one stage, with a rank that RANDOM
 * chooses. */
const hd_control_proof *oracle_pretend(const hd_controller *c, const oracle_graph *g, const hd_control_spec *spec,
                                       uint64_t *random, hd_arena *arena);

#endif
