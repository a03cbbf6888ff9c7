/* movers.h: how the procedures that check actions are put together. Private to movers*.c and linear_action.c. */
#ifndef HD_CIVL_MOVERS_H
#define HD_CIVL_MOVERS_H

#include "civl/linear.h"

/* A procedure with one block that is being made. Expressions are given over the parameters' originals (those that were
 * handed to hd_civl_checker_params), and become expressions over the procedure's or the implementation's own. */
typedef struct checker
{
  hd_civl *c;
  hd_boogie_proc *proc;
  hd_boogie_impl *impl;
  hd_boogie_block *block;
  hd_boogie_subst *in_contract, *in_code; /* from the originals */
} checker;

/* LABEL and AT are the block's; generated code is nowhere. */
checker hd_civl_checker_new(hd_civl *c, const char *name, const char *label, hd_boogie_place at);
void hd_civl_checker_params(checker *k, const hd_boogie_vars *ins, const hd_boogie_vars *outs);
void hd_civl_checker_modifies(checker *k, const hd_boogie_vars *globals);
void hd_civl_checker_requires(checker *k, hd_boogie_expr *e); /* left out if it is true */
void hd_civl_checker_requires_gate(checker *k, const hd_boogie_cmds *gate);
void hd_civl_checker_ensures(checker *k, hd_boogie_place at, hd_boogie_expr *e, const char *message);
void hd_civl_checker_assert(checker *k, hd_boogie_place at, hd_boogie_expr *e, const char *message);
/* outs := A(ins) */
void hd_civl_checker_call(checker *k, const action_copy *a, const hd_boogie_vars *ins, const hd_boogie_vars *outs);
/* Declares it and makes it a task about SUBJECT (and OTHER, or null). */
void hd_civl_checker_done(checker *k, hd_civl_check check, const action_copy *subject, const char *other);

extern const hd_boogie_place hd_civl_nowhere;

#endif
