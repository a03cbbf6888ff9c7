/* linear.h: linear variables: domains, collectors, what is available where, and formulas about permissions. Private to
 * src/civl.
 *
 * A linear variable of domain D holds permissions: the set that D's collector for the variable's type makes of its
 * value. No permission is ever held twice. The check by data flow (linear_flow.c) and the linearity checks of actions
 * (linear_action.c) see to that; so the program may assume everywhere that available variables hold disjoint sets. */
#ifndef HD_CIVL_LINEAR_H
#define HD_CIVL_LINEAR_H

#include "civl/internal.h"

typedef enum linear_kind
{
  LINEAR_NOT,
  LINEAR,     /* {:linear "d"}: comes in and goes out */
  LINEAR_IN,  /* {:linear_in "d"}: consumed by the call */
  LINEAR_OUT, /* {:linear_out "d"}: available only after the call */
} linear_kind;

typedef enum linear_function /* on whole maps from the domain's elements */
{
  MAP_CONST_BOOL,
  MAP_CONST_INT,
  MAP_EQ,
  MAP_IMP,
  MAP_OR,
  MAP_ADD,
  MAP_LE,
  MAP_ITE,
  MAP_FUNCTIONS
} linear_function;

typedef struct linear_domain
{
  const char *name;
  hd_boogie_functions collectors; /* at least one; for different types */
  hd_boogie_type *element;
  hd_boogie_type *set;      /* [element]bool */
  hd_boogie_type *multiset; /* [element]int */
  hd_boogie_function *functions[MAP_FUNCTIONS];
  /* A global that stands, in the assumptions that were put into the code, for what the thread does not see: the
   * permissions of the caller that a yield checker runs for. Everywhere else it has no meaning. */
  hd_boogie_var *hole;
} linear_domain;

struct linear
{
  HD_BOOGIE_LIST(linear_domain *) domains; /* in the order of their first collector */
  hd_boogie_vars globals;                  /* the linear ones */
  table action_procs;                      /* actions and their copies, to the actions */
  table of_formal;                         /* formals of implementations to what their procedure's say: qualifier */
  table available;                         /* CALL, PAR, YIELD and loop heads (blocks) to hd_boogie_vars */
};

/* The domain's name and how V is linear; null, LINEAR_NOT: it is not. Formals of implementations are what those of
 * their procedure are. */
const char *hd_civl_linear_name(const hd_civl *c, const hd_boogie_var *v);
linear_kind hd_civl_linear_kind(const hd_civl *c, const hd_boogie_var *v);
/* Null: not linear. Every linear variable has a domain once the check has passed. */
linear_domain *hd_civl_linear_domain(const hd_civl *c, const hd_boogie_var *v);

/* The linear locals and parameters that are available after CALL, PAR or YIELD, or at the loop head (a block of the
 * original program). Globals are not listed: they are all available there. Never null. */
const hd_boogie_vars *hd_civl_available(const hd_civl *c, const void *cmd_or_block);

/* collect(v) for a variable of D. */
hd_boogie_expr *hd_civl_collect(const hd_civl *c, const linear_domain *d, hd_boogie_var *v);
/* The union of what those of VARS that are of D hold; none: the empty set. */
hd_boogie_expr *hd_civl_permissions(const hd_civl *c, const linear_domain *d, const hd_boogie_vars *vars);
/* Those of VARS that are of D, and HOLE unless it is null, hold disjoint sets. True with fewer than two of them; with
 * none but the hole, too. */
hd_boogie_expr *hd_civl_disjoint(const hd_civl *c, const linear_domain *d, hd_boogie_var *hole,
                                 const hd_boogie_vars *vars);
/* The same for all domains together, without a hole. */
hd_boogie_expr *hd_civl_all_disjoint(const hd_civl *c, const hd_boogie_vars *vars);
bool hd_civl_is_true(const hd_boogie_expr *e); /* the literal */

/* Whether PROC is an atomic action or its copy at a layer. */
bool hd_civl_is_action_code(const hd_civl *c, const hd_boogie_proc *proc);

/* ---- parts of the phases ---- */
void hd_civl_linear_look(hd_civl *c); /* linear_check.c: collectors, declarations, and which commands may use what */
/* The formals of IMPL are as linear as those of its procedure. */
void hd_civl_linear_formals(hd_civl *c, const hd_boogie_impl *impl);
/* The data flow of IMPL, whose commands had no errors (linear_flow.c). */
void hd_civl_linear_flow(hd_civl *c, hd_boogie_impl *impl);
void hd_civl_linear_functions(hd_civl *c, linear_domain *d);     /* linear_maps.c: make D's functions on maps */
void hd_civl_linear_declare(hd_civl *c, const linear_domain *d); /* and declare them */
hd_boogie_expr *hd_civl_linear_apply(const hd_civl *c, const linear_domain *d, linear_function f, hd_boogie_expr *a,
                                     hd_boogie_expr *b, hd_boogie_expr *third); /* as many as it has; others null */

#endif
