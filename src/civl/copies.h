/* copies.h: the copies of the yielding procedures at one layer, and what is put into them. Private to copies*.c,
 * instrument.c, refine.c and interfere.c.
 *
 * At layer n each procedure that has not disappeared below n becomes a sequential one, P_n: what it calls below n are
 * actions, what it calls at n or above are procedures with contracts. A yield lets others change every global. The run
 * from one yield to the next, a fragment, starts with a snapshot of the globals; where it ends it is compared with the
 * snapshot: it did nothing that the refined action may not do (refine.c), and what others rely on at their yields still
 * holds (interfere.c). */
#ifndef HD_CIVL_COPIES_H
#define HD_CIVL_COPIES_H

#include "civl/internal.h"

typedef struct copied_impl
{
  const yielding_impl *from;
  hd_boogie_impl *impl;
} copied_impl;

typedef struct named_proc
{
  const char *name;
  hd_boogie_proc *proc;
} named_proc;

/* Of the procedures that check interference: permissions, one set for each linear domain, and snapshots. */
typedef struct parameters
{
  hd_boogie_vars sets, snapshots;
} parameters;

typedef struct yield_helper
{
  hd_boogie_impl *impl;
  parameters ins;
} yield_helper;

typedef struct yield_checker
{
  hd_boogie_proc *proc;
  size_t module;
} yield_checker;

/* All copies at one layer. */
typedef struct layer_copies
{
  hd_civl *c;
  int32_t layer;
  table procs;    /* the procedure to its copy here */
  table is_yield; /* of the copies: those whose calls end a fragment, to themselves */
  table origins;  /* YIELD, CALL, PAR and blocks of copies to those that they were made from */
  table vars;     /* parameters and locals of implementations to those of their copies */
  table gates;    /* asserts and assumes that a call put in, to themselves: they do not belong to a yield before it */
  table *dummies; /* skip procedures that are gone to the empty procedures that are called instead; of all layers */
  HD_BOOGIE_LIST(copied_impl) impls;
  HD_BOOGIE_LIST(named_proc) joined; /* stand for async and parallel calls */
  HD_BOOGIE_LIST(yield_helper) yields;    /* of each module: checks that its fragments do not interfere */
  HD_BOOGIE_LIST(yield_checker) checkers; /* called by them: one for each implementation with yield predicates */
} layer_copies;

/* Whether CMD of a copy ends a fragment: a yield, a call that may yield, a parallel call. */
bool hd_civl_ends_fragment(const layer_copies *l, const hd_boogie_cmd *cmd);

/* ---- copies_body.c: the code of a procedure at a layer ---- */
hd_boogie_proc *hd_civl_proc_at(layer_copies *l, hd_boogie_proc *proc);
hd_boogie_impl *hd_civl_impl_at(layer_copies *l, const yielding_impl *from);
/* A procedure that stands for an async call of CALL's callee: its preconditions. */
hd_boogie_proc *hd_civl_async_target(layer_copies *l, const hd_boogie_cmd *call);
/* A call that stands for all of PAR. */
hd_boogie_cmd *hd_civl_join_par(layer_copies *l, const hd_boogie_cmd *par);

/* ---- one copy while it is instrumented ---- */

/* The assert and assume commands directly after a yield: what its thread relies on there. */
typedef struct yield_point
{
  hd_boogie_cmd *yield;
  hd_boogie_cmds predicates;
} yield_point;

typedef struct refinement refinement;
typedef struct permissions permissions;

typedef struct body
{
  layer_copies *layer;
  const yielding *yielding;
  const hd_boogie_impl *from; /* in the program */
  hd_boogie_impl *impl;
  hd_boogie_vars snapshots; /* of hd_civl.globals, in their order */
  HD_BOOGIE_LIST(yield_point) yields;
  hd_boogie_blocks heads; /* of loops in which a fragment may end */
  refinement *refinement; /* NULL: it is not at its own layer */
  permissions *permissions;
} body;

/* TARGETS[i] := VALUES[i], one command; nothing if there are none. */
void hd_civl_assign_all(hd_boogie_program *p, const hd_boogie_vars *targets, const hd_boogie_exprs *values,
                        hd_boogie_cmds *out);

/* ---- instrument.c ---- */
void hd_civl_instrument(layer_copies *l, const copied_impl *copy);

/* ---- refine.c: pc says that the fragments before changed something, ok that one of them was the action ---- */
void hd_civl_refine_begin(body *b);
void hd_civl_refine_init(body *b, hd_boogie_cmds *out);     /* at the start */
void hd_civl_refine_check(body *b, hd_boogie_cmds *out);    /* asserts about the fragment that ends */
void hd_civl_refine_update(body *b, hd_boogie_cmds *out);   /* it ends: pc and ok */
void hd_civl_refine_assume(body *b, hd_boogie_cmds *out);   /* the next begins: the gate, unless the action was done */
void hd_civl_refine_snapshot(body *b, hd_boogie_cmds *out); /* of the outputs */
void hd_civl_refine_final(body *b, hd_boogie_cmds *out);    /* asserts at the end */
void hd_civl_refine_save(body *b, size_t head, hd_boogie_cmds *out); /* before a loop: pc and ok of HEADS[HEAD] */
void hd_civl_refine_head(body *b, size_t head, hd_boogie_cmds *out); /* in it: they are as before */

/* ---- interfere.c ---- */
void hd_civl_interfere_layer(layer_copies *l); /* the yield procedure, still without its body */
void hd_civl_interfere_begin(body *b);         /* the variables of permissions, and the checker of its yields */
void hd_civl_interfere_init(body *b, hd_boogie_cmds *out);
/* Permissions of what is available after or at ORIGIN, a command or block of the copy. */
void hd_civl_interfere_update(body *b, const void *origin, hd_boogie_cmds *out);
void hd_civl_interfere_assume(body *b, const void *origin, hd_boogie_cmds *out);
void hd_civl_interfere_check(body *b, hd_boogie_cmds *out); /* a fragment ends: the call of the yield procedure */
void hd_civl_interfere_finish(layer_copies *l);             /* its body */

#endif
