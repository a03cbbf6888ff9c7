/* relation_path.h: shared by relation.c (the paths) and relation_path.c (one path's formula). Private to them. */
#ifndef HD_CIVL_RELATION_PATH_H
#define HD_CIVL_RELATION_PATH_H

#include "civl/relation.h"

/* A variable of the code. Every change on a path makes a new copy of it; copy 0 is its value at the start. */
typedef struct tracked
{
  hd_boogie_var *var;
  bool in_frame, is_in, is_out, is_local;
  hd_boogie_vars copies; /* those made so far, shared by all paths */
  size_t last;           /* the newest copy on this path */
  size_t middle;         /* the newest copy at the end of the first action */
  size_t guess;          /* its number in the question's guesses, or SIZE_MAX */
} tracked;

typedef enum copy_state
{
  COPY_OPEN,    /* nothing is known about it */
  COPY_GIVEN,   /* a value of the state before or after, or an input: stands for itself */
  COPY_DEFINED, /* equal to VALUE, in which no copy is defined */
} copy_state;

typedef struct copy
{
  size_t owner; /* 1 + number of the tracked variable; 0: this id is no copy's */
  size_t number;
  copy_state state;
  bool allowed; /* open, but definitions may speak of it in this round */
  bool spoken;  /* it was allowed in some round */
  hd_boogie_expr *value;
  hd_boogie_var *bound; /* once it had to be bound by the existential quantifier */
} copy;

typedef struct equation
{
  hd_boogie_var *target; /* a copy */
  hd_boogie_expr *value;
} equation;

typedef struct relation
{
  hd_boogie_program *p;
  const relation_question *q;

  tracked *vars;
  size_t n_vars, cap_vars;
  size_t *number;  /* 1 + the number of a tracked variable, by id below first_id */
  size_t first_id; /* copies have ids from here on */
  copy *copies;    /* by id - first_id */
  size_t cap_copies;

  const hd_boogie_cmd **path;
  size_t n_path, cap_path;
  size_t joint; /* so many commands of the path are the first action's */
  hd_boogie_exprs paths;
  bool too_large;

  /* One path. */
  hd_boogie_subst *now;   /* each variable's newest copy; inside old(): at the start of the action */
  hd_boogie_subst *known; /* defined copies to their values */
  hd_boogie_subst *final; /* given copies to what they stand for, open ones to bound variables */
  equation *equations;
  size_t n_equations, cap_equations;
  hd_boogie_exprs assumes, conjuncts;
} relation;

void hd_civl_relation_track(relation *r);
void hd_civl_relation_forget(relation *r);
/* The formula of r->path; null: too large. */
hd_boogie_expr *hd_civl_relation_path(relation *r);

#endif
