/* checker.h: what the parts of the checker of certificates share. */
#ifndef HD_RECHECK_CHECKER_H
#define HD_RECHECK_CHECKER_H

#include "recheck/recheck.h"
#include "recheck/steps.h"

typedef struct checker
{
  const hd_controller *c;
  hd_arena *arena; /* of the result */
  hd_question q;
  hd_way *ways;
  size_t nways;
  uint64_t work;
  int64_t *point;
  /* the claim that is checked */
  hd_recheck_claim *claim;
  const hd_control_spec *spec;
  const hd_control_proof *proof;
} checker;

/* Is the claim known to be wrong? Then nothing more needs to be asked. */
bool hd_checker_refuted(const checker *x);
/* The question that was built has no answer, or else the obligation that FORMAT describes is broken, by a step along
 * WAY if that is not NULL. */
void hd_checker_prove(checker *x, const hd_way *way, const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef struct phrase
{
  char text[256];
} phrase;

/* "the step r_enter (idle to reading, line 12)" */
phrase hd_checker_step(const checker *x, const hd_way *way);
/* "node 3, AF(!busy)" */
phrase hd_checker_node_name(const hd_control_formula *f);

const hd_control_proof_node *hd_checker_node(const checker *x, const hd_control_formula *f);
/* Begin a question about a state of the invariant; about a state of F's set. */
void hd_checker_begin_inside(checker *x);
void hd_checker_begin_node(checker *x, const hd_control_formula *f);
/* The state after WAY is not in SET. */
void hd_checker_misses(checker *x, const hd_way *way, const hd_control_set *set);

/* The obligations of F, an AF or AU (until.c). */
void hd_checker_until(checker *x, const hd_control_formula *f);

#endif
