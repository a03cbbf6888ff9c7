/* prover.h: what is known while an implementation is proved. Private to prove.c and ask.c. */
#ifndef HD_VC_PROVER_H
#define HD_VC_PROVER_H

#include "vc/internal.h"

enum
{
  MOST_SOLVERS = 2,
  FIRST = 0,  /* sessions: of the first question, */
  SECOND = 1, /* and of those that check its answer, so that its model stays */
};

struct hd_vc_prover
{
  const hd_vc_program *program;
  const hd_vc_options *options;
  size_t nsolvers;
  hd_smt_solver *solvers[MOST_SOLVERS][2]; /* by kind of solver and session */
  bool portable[MOST_SOLVERS];
};

/* One implementation's work. */
typedef struct work
{
  hd_vc_prover *x;
  hd_vc_result *r;
  const hd_boogie_impl *impl;
  condition *conditions[MOST_SOLVERS];
  hd_string texts[MOST_SOLVERS];
  uint8_t *excluded;    /* by assertion */
  double limit, left;   /* seconds for an answer, as on an idle machine; what is left of them */
  double slow;          /* how much longer it takes on this one */
  uint32_t stuck;       /* the assertion that there was no answer about in time, if it is one */
  bool late;            /* the model is a candidate of a search that gave up early, after all others */
  bool hopeless;        /* a better answer than unknown was looked for in vain */
  size_t winner;        /* kind of solver whose answer counts */
  hd_smt_solver *model; /* that has the counterexample */
  const char *tactic;
  hd_string notes;
} work;

/* ---- ask.c ---- */

/* The answer about what is not excluded, after all that may help. UNKNOWN: there is a candidate. */
hd_smt_reply hd_vc_decide(work *w);
/* Whether ASSERTION, which is not excluded, can be proved on its own in little time. */
bool hd_vc_is_provable(work *w, uint32_t assertion);

/* TEXT in ARENA. */
const char *hd_vc_keep(hd_arena *arena, const char *text);

#endif
