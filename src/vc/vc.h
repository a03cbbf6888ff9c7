/* vc.h: from an implementation in basic blocks to a condition in logic, and to an answer about it.
 *
 * The program is only read, and may be read by several threads at once: everything that is made here lives in the
 * condition. What the answer says about places are the program's own. */
#ifndef HD_VC_H
#define HD_VC_H

#include "boogie/boogie.h"
#include "smt/smt.h"

/* ---- a program, looked through once ---- */

typedef struct hd_vc_program hd_vc_program;
HD_GIVE hd_vc_program *hd_vc_program_new(HD_KEEP const hd_boogie_program *p);
void hd_vc_program_free(HD_TAKE hd_vc_program *p);
/* To be verified on its own: not {:inline}, not {:verify false}. */
bool hd_vc_wanted(const hd_boogie_impl *impl);

/* ---- what may fail ---- */

typedef struct hd_vc_assertion
{
  hd_boogie_reason reason;
  hd_boogie_place at;      /* of the assertion, the call, the invariant; of a postcondition: see hd_vc_failure */
  hd_boogie_place related; /* of the pre- or postcondition */
  const char *message;     /* what generated code says when it fails, or NULL */
  const char *related_message;
  const char *said;    /* of {:msg "..."}: the whole message, or NULL */
  bool forgets;        /* {:subsumption 0}: it is not assumed afterwards */
  const char *inlined; /* the procedure whose body was put in, or NULL */
} hd_vc_assertion;

typedef struct hd_vc_value
{
  const char *name, *value;
} hd_vc_value;

typedef struct hd_vc_line /* a statement in a block on the way */
{
  hd_boogie_place at;  /* line 0: generated ones, one or more */
  bool loop;           /* the head of a loop, after any number of rounds */
  const char *inlined; /* the procedure whose body was put in and has it, or NULL */
  size_t nvalues;
  hd_vc_value *values; /* of variables that it changes */
} hd_vc_line;

typedef struct hd_vc_step /* a block on the way */
{
  hd_boogie_place at;
  const char *label; /* NULL: only its values are of interest */
  size_t nvalues;
  hd_vc_value *values; /* of variables that it changes, at its end; of the first: at the beginning */
  size_t nlines;
  hd_vc_line *lines; /* the same, one statement after the other, and of procedures that were put in, too; asserts and
                      * invariants are left out */
} hd_vc_step;

typedef struct hd_vc_failure
{
  const hd_vc_assertion *assertion;
  hd_boogie_place at; /* where to look: of a postcondition, the return */
  bool candidate;     /* the solver does not know whether its counterexample is one */
  size_t nsteps;
  hd_vc_step *steps;
} hd_vc_failure;

typedef enum hd_vc_outcome
{
  HD_VC_PROVED,
  HD_VC_FAILS,       /* FAILURES, all of them counterexamples or candidates */
  HD_VC_OUT_OF_TIME, /* and FAILURES that were found before, and a SUSPECT */
  HD_VC_NO_ANSWER,   /* the solver failed: MESSAGE */
  HD_VC_UNSUPPORTED  /* the program has something that is not understood: MESSAGE, at AT */
} hd_vc_outcome;

typedef struct hd_vc_count
{
  const char *message; /* that generated assertions have, or NULL; the program's */
  size_t n;
} hd_vc_count;

typedef struct hd_vc_result
{
  hd_arena *arena;
  hd_vc_outcome outcome;
  size_t nfailures;
  hd_vc_failure *failures; /* in the order of the text */
  hd_vc_failure *suspect;  /* a candidate: what there was no answer about in time; or NULL */
  hd_boogie_place at;
  const char *message;
  const char *notes; /* lines about the cache and the like, or NULL */
  /* for --stats */
  double seconds;    /* in the solver */
  size_t assertions; /* in the condition */
  size_t ncounts;    /* and how many of each message */
  hd_vc_count *counts;
  bool dump_failed; /* the condition's text could not be written */
  size_t bytes;     /* of its text */
  size_t questions; /* how often a solver was asked */
  bool cached;
  bool repeated;      /* the same text was proved in this run */
  const char *tactic; /* that proved it, or NULL */
} hd_vc_result;
void hd_vc_result_free(HD_TAKE hd_vc_result *r);

/* ---- proving ---- */

typedef enum hd_vc_solvers
{
  HD_VC_Z3,
  HD_VC_CVC5,
  HD_VC_PORTFOLIO
} hd_vc_solvers;

typedef struct hd_vc_options
{
  hd_vc_solvers solvers;
  double seconds; /* for a condition, in all ways that are tried, and again for each failure that is found; 0: 30 */
  size_t errors;  /* so many failures of an implementation are looked for; 0: 5 */
  const char *z3, *cvc5; /* programs, or NULL */
  const char *dump;      /* a folder that gets each condition's text, or NULL */
  hd_smt_cache *cache;   /* or NULL */
  hd_smt_proved *proved; /* of this run, or NULL */
  bool no_array_theory;  /* maps are functions with axioms: no extensionality */
} hd_vc_options;

/* One thread's solvers. */
typedef struct hd_vc_prover hd_vc_prover;
HD_GIVE hd_vc_prover *hd_vc_prover_new(HD_KEEP const hd_vc_program *p, HD_KEEP const hd_vc_options *options);
void hd_vc_prover_free(HD_TAKE hd_vc_prover *x);
HD_GIVE hd_vc_result *hd_vc_prove(hd_vc_prover *x, const hd_boogie_impl *impl);

#endif
