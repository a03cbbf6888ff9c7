/* eventually.h: that something happens at last on every path. */
#ifndef HD_SYMBOLIC_EVENTUALLY_H
#define HD_SYMBOLIC_EVENTUALLY_H

#include "control/certificate.h"
#include "symbolic/system.h"

/* A lexicographic ranking on REGION (ranking.c): every step from REGION to REGION makes it smaller; with a HELPFUL edge
 * (-1: none) every step that leaves its state does, and no other step makes any part of it larger. The ranks are
 * allocated in ARENA. */
bool hd_symbolic_rank(hd_symbolic_system *s, __isl_keep isl_set *region, int32_t helpful, hd_arena *arena,
                      hd_control_stage *stage);

typedef struct hd_symbolic_goal
{
  isl_set *from;    /* where it has to be shown */
  isl_set *not_yet; /* where the goal is not reached, or not known to be */
  isl_set *broken;  /* AU: where what has to hold until then does not; NULL: AF */
  bool fair;
} hd_symbolic_goal;

typedef struct hd_symbolic_stages
{
  hd_control_stage *items;
  size_t n, cap;
  isl_set *left; /* of the states that matter, those for which nothing was shown */
} hd_symbolic_stages;

/* Find stages that show that every path from the reachable states of GOAL's FROM leaves NOT_YET; what is LEFT has none.
 * The sets of GOAL remain the caller's. */
void hd_symbolic_eventually(hd_symbolic_system *s, const hd_symbolic_goal *goal, hd_arena *arena,
                            hd_symbolic_stages *out);

#endif
