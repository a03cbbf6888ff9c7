/* civl.h: layered concurrent programs (CIVL, in the dialect of Boogie 2.4.1) turned into plain ones.
 *
 * A program with yielding procedures, atomic actions, introduction procedures and linear variables is checked (layers,
 * yield sufficiency, linear types), and then replaced by a program without concurrency whose procedures are correct if
 * the layered program is: mover checks between actions, copies of the yielding procedures for each layer, linearity
 * checks. A program without any of these stays as it is.
 *
 * Everything lives in the program's arena. Threads: one per program. */
#ifndef HD_CIVL_H
#define HD_CIVL_H

#include "boogie/boogie.h"

/* What a generated implementation, or one assertion in it, is there for. */
typedef enum hd_civl_check
{
  HD_CIVL_SEQUENTIAL,       /* assertions, pre- and postconditions, loop invariants */
  HD_CIVL_NON_INTERFERENCE, /* what holds at a yield still holds after steps of other threads */
  HD_CIVL_REFINEMENT,       /* each path does the refined action exactly once */
  HD_CIVL_COMMUTATIVITY,
  HD_CIVL_GATE_PRESERVATION,
  HD_CIVL_FAILURE_PRESERVATION,
  HD_CIVL_NON_BLOCKING,
  HD_CIVL_LINEARITY, /* an action does not make permissions out of nothing */
  /* These are decided without a solver. */
  HD_CIVL_LAYERS,    /* layers of variables, actions, procedures, calls and specifications */
  HD_CIVL_BRACKET,   /* accesses to shared state stand between yields */
  HD_CIVL_ATOMICITY, /* between two yields: right movers, at most one atomic action, left movers */
  HD_CIVL_LINEAR_TYPES,
  HD_CIVL_OWNERSHIP, /* of modules */
  HD_CIVL_CHECKS
} hd_civl_check;

/* What the driver proves: one implementation of the plain program. Those that are not listed (generated helpers) are
 * {:inline} and have no verdict of their own. */
typedef struct hd_civl_task
{
  hd_boogie_impl *impl;
  hd_civl_check check; /* of a layer's copy: SEQUENTIAL; see hd_civl_check_of for its assertions */
  bool layered;        /* LAYER says something: not of a procedure that stands outside all layers */
  int32_t layer;
  const char *subject; /* the procedure or action as the user wrote it */
  const char *other;   /* of a check of two actions: the second one; of LINEARITY: the domain; else null */
  const char *refines; /* of a procedure's copy: the action that it refines there, or null */
  hd_boogie_place at;  /* where the subject stands */
  const char *module;  /* to which it belongs, or null: without modules */
  /* The implementation that the reference would count for this; tasks of one unit count once. Usually impl->name. */
  const char *unit;
} hd_civl_task;

typedef struct hd_civl_options
{
  bool no_array_theory;    /* the maps of linear domains get axioms instead of built-in functions */
  bool trust_movers;       /* make no checks between actions */
  bool modules;            /* each file is a module and owns its variables (module.c) */
  const char *only_module; /* make only this one's checks, or null */
} hd_civl_options;

typedef struct hd_civl_counts /* for --stats */
{
  size_t checks[HD_CIVL_CHECKS]; /* tasks made, by kind */
  size_t skipped_pairs;          /* a procedure's steps against another module's yields: not needed */
} hd_civl_counts;

typedef struct hd_civl hd_civl;
/* Check P and make it plain. Errors and warnings go to M (phase CHECK), in the reference's order: the first phase that
 * has errors is the last. NULL: there were errors; P may then only be freed. */
hd_civl *hd_civl_transform(hd_boogie_program *p, const hd_civl_options *options, hd_boogie_messages *m);
size_t hd_civl_tasks(const hd_civl *c);
const hd_civl_task *hd_civl_task_at(const hd_civl *c, size_t i);                   /* in the order of the program */
const hd_civl_task *hd_civl_task_of(const hd_civl *c, const hd_boogie_impl *impl); /* or null */
hd_civl_counts hd_civl_counted(const hd_civl *c);
/* Whether P has any layers, yields or actions at all. */
bool hd_civl_is_layered(const hd_civl *c);
/* The procedures of LAYER as they are proved, with all that they need, as text that reads back. False: there is no such
 * layer; OUT says which ones there are. */
bool hd_civl_dump(const hd_civl *c, int32_t layer, hd_string *out);

/* Which check the assertion with MESSAGE (the one of the command or specification, or null) in TASK belongs to. */
hd_civl_check hd_civl_check_of(const hd_civl_task *task, const char *message);
const char *hd_civl_check_name(hd_civl_check check); /* as --explain takes it: commutativity, gate-preservation, ... */
bool hd_civl_check_named(const char *name, hd_civl_check *check);
/* What it means, in five lines. */
const char *hd_civl_check_explained(hd_civl_check check);

/* ---- failures in the user's terms (movers_words.c) ---- */
/* What it means that a check of actions fails, as half a sentence about the actions. False: TASK is no such check. */
bool hd_civl_task_meaning(const hd_civl_task *t, hd_string *out);
/* A variable of a counterexample: first_x of the generated code is "x of A". Others as they are. */
void hd_civl_task_variable(const hd_civl_task *t, const char *name, hd_string *out);
/* A step of a counterexample in an action's body, from its block's label: "A begins", "in A", "A ends". False: it is in
 * no such body. */
bool hd_civl_task_step(const hd_civl_task *t, const char *label, hd_string *out);

#endif
