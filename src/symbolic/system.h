/* system.h: a controller as sets and maps of integer points (isl), for any number of threads.
 *
 * Constants and rigid variables are parameters of the space; the variables and the counters of the interface states are
 * its dimensions. A step is one way in which one thread takes one edge: a guarded command with one of its cases, or a
 * nonblocking action of which no guard holds. Its guard says where it is possible, its map where it leads.
 *
 * Everything that is computed here lies inside INSIDE: a set that contains all reachable states and becomes smaller
 * with everything that is proved. It is the base (the ranges and the equalities that every step keeps) together with
 * lemmas; what the lemmas rest on, the states from which a violation could be reached, is collected in EXCLUDED:
 * the base without EXCLUDED is closed under every step.
 *
 * Work is bounded: isl counts its operations, and the clock is looked at between them. When a bound is met, FAILED says
 * so and results are NULL; nothing is concluded from them. */
#ifndef HD_SYMBOLIC_SYSTEM_H
#define HD_SYMBOLIC_SYSTEM_H

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/set.h>
#include <isl/val.h>

#include "control/control.h"

typedef struct hd_symbolic_step
{
  uint32_t edge;
  int32_t command; /* of the action; -1: no guard holds */
  isl_set *guard;  /* a thread is there and the step is possible; the domain is not in it */
  isl_multi_aff *map;
  /* The value of each dimension after the step, over the space of control.h; counters included. */
  const hd_control_linear *after;
} hd_symbolic_step;

typedef struct hd_symbolic_watch hd_symbolic_watch;

typedef struct hd_symbolic_system
{
  const hd_controller *c;
  hd_arena *arena;
  isl_ctx *ctx;
  isl_space *space;
  uint64_t least_threads, most_threads; /* UINT64_MAX: any number */
  size_t nbindings;
  const hd_control_binding *bindings; /* constants with one value */
  isl_set *domain;                    /* ranges, assumptions and the number of threads */
  isl_set *start;
  size_t nsteps;
  hd_symbolic_step *steps;
  size_t nequalities;
  const hd_control_linear *equalities; /* each is 0 in every reachable state */
  isl_set *base, *inside, *excluded;
  hd_control_set base_rows; /* BASE and EXCLUDED again, for proofs */
  hd_control_conjunction *excluded_rows;
  size_t nexcluded, excluded_cap;
  double deadline;          /* by hd_symbolic_now; 0: none */
  hd_symbolic_watch *watch; /* tells isl when it is there */
  const char *failed;       /* why work was given up; NULL: it was not */
} hd_symbolic_system;

/* What proofs point to is allocated in ARENA, which must outlive the system. */
HD_GIVE hd_symbolic_system *hd_symbolic_system_new(hd_arena *arena, const hd_controller *c, uint64_t least,
                                                   uint64_t most, const hd_control_binding *bindings, size_t nbindings);
void hd_symbolic_system_free(HD_TAKE hd_symbolic_system *s);

double hd_symbolic_now(void); /* seconds */
/* True: the time is over, or isl has given up. FAILED is set. */
bool hd_symbolic_over(hd_symbolic_system *s);
/* Everything must be over in so many SECONDS from now (watch.c). */
void hd_symbolic_limit(hd_symbolic_system *s, double seconds);
void hd_symbolic_unwatch(hd_symbolic_system *s);
/* Allow isl OPERATIONS more; what a failed computation left behind is forgotten. */
void hd_symbolic_allow(hd_symbolic_system *s, unsigned long operations);

/* ---- from the model to isl ---- */
isl_set *hd_symbolic_set(const hd_symbolic_system *s, const hd_control_set *set);
isl_aff *hd_symbolic_aff(const hd_symbolic_system *s, const hd_control_linear *linear);
isl_set *hd_symbolic_universe(const hd_symbolic_system *s);
isl_set *hd_symbolic_nothing(const hd_symbolic_system *s);
/* SET without its empty parts. */
isl_set *hd_symbolic_tidy(const hd_symbolic_system *s, __isl_take isl_set *set);
/* Where LINEAR is at least 0. */
isl_basic_set *hd_symbolic_half(const hd_symbolic_system *s, const hd_control_linear *linear);

/* ---- steps ---- */
/* The states of INSIDE from which STEP leads into TARGET. */
isl_set *hd_symbolic_before(const hd_symbolic_system *s, const hd_symbolic_step *step, __isl_keep isl_set *target);
/* The same for any step. */
isl_set *hd_symbolic_before_any(hd_symbolic_system *s, __isl_keep isl_set *target);
/* Where a thread can take EDGE. */
isl_set *hd_symbolic_possible(const hd_symbolic_system *s, uint32_t edge);
/* The part of FROM where no step is possible at all; WAITS: and some thread would have one to take. */
isl_set *hd_symbolic_ends(hd_symbolic_system *s, __isl_take isl_set *from, bool waits);

/* ---- back from isl (convert.c) ---- */
/* False: SET cannot be written without quantifiers, or it is too large. */
bool hd_symbolic_to_set(const hd_symbolic_system *s, __isl_keep isl_set *set, hd_arena *arena, hd_control_set *out);
/* A point of SET: all dimensions of the control space. 1: found; 0: SET is empty; -1: neither could be found out. */
int hd_symbolic_sample(hd_symbolic_system *s, __isl_take isl_set *set, int64_t *point);

/* ---- what every step keeps (equalities.c) ---- */
/* Find the linear equalities, prove them, and make BASE and INSIDE of them. */
void hd_symbolic_find_equalities(hd_symbolic_system *s);
/* Find linear inequalities that every step keeps (inequalities.c), and make BASE and INSIDE smaller. False: they are as
 * they were. */
bool hd_symbolic_find_inequalities(hd_symbolic_system *s);

#endif
