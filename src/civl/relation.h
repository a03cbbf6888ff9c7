/* relation.h: what an action may do, as one formula over the state before and the state after. Private to src/civl. */
#ifndef HD_CIVL_RELATION_H
#define HD_CIVL_RELATION_H

#include "civl/internal.h"

enum
{
  /* A relation has one disjunct for each path. With more than these, nobody could prove anything with it. */
  RELATION_PATHS = 1 << 16,
  RELATION_BLOCKS = 1 << 14, /* of one action, and commands of one path */
  RELATION_SIZE = 1 << 20    /* of the value of one variable, as a tree: x := x + x doubles it */
};

/* The code of an action without its gate: ASSIGN, ASSUME and HAVOC commands, no loops. */
typedef struct relation_code
{
  const hd_boogie_vars *ins, *outs, *locals;
  const hd_boogie_blocks *blocks;
} relation_code;

typedef struct relation_question
{
  relation_code first;
  relation_code second;        /* done after FIRST, on its own parameters; without blocks: there is no second action */
  const hd_boogie_vars *frame; /* the globals that the relation speaks about; the code uses no others */
  /* For each global whose value between the two actions may have to be guessed: the guesses, each an expression over
   * old(frame), frame and parameters. */
  const hd_boogie_var *const *guessed;
  const hd_boogie_exprs *guesses;
  size_t n_guessed;
  bool enabled_only; /* only whether some run exists, over the state before */
} relation_question;

/* A formula over old(g) and g for each g of the frame, and over the parameters: true exactly for those states before,
 * inputs, states after and outputs that some run of the code has. With ENABLED_ONLY over g and the inputs: true if some
 * run exists. With guesses it may be stronger: only runs with a guessed state in between. NULL: more than
 * RELATION_PATHS paths. */
hd_boogie_expr *hd_civl_relation(hd_boogie_program *p, const relation_question *q);

/* The same for an action at a layer, over the formals of its implementation. If it is too large an error is
 * reported and the answer is `false`. */
hd_boogie_expr *hd_civl_relation_of(hd_civl *c, const action_copy *a, const var_set *frame);
hd_boogie_expr *hd_civl_relation_enabled(hd_civl *c, const action_copy *a, const var_set *frame);
/* Of SECOND and then FIRST, over the second_ parameters of SECOND and the first_ parameters of FIRST, with the witness
 * functions that the program has for FIRST and SECOND in this order. */
hd_boogie_expr *hd_civl_relation_swapped(hd_civl *c, const action_copy *first, const action_copy *second,
                                         const var_set *frame);

#endif
