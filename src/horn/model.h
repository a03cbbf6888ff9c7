/* model.h: inside src/horn: the parts of a controller in the language of SMT-LIB.
 *
 * Every name begins with a word and a dot, which no name of a controller has: const.size, var.nR, count.reading,
 * rigid.x. So no word of the language or of the solver can be met. */
#ifndef HD_HORN_MODEL_H
#define HD_HORN_MODEL_H

#include "control/control.h"

/* What a question is about. */
typedef struct hd_horn_model
{
  const hd_controller *c;
  uint64_t least_threads, most_threads; /* UINT64_MAX: any number */
  size_t nbindings;
  const hd_control_binding *bindings; /* constants with one value */
  size_t ninstances;
  const int64_t *const *instances; /* the only values of the constants; none: all that are assumed */
  size_t nequalities;
  const hd_control_linear *equalities; /* each is 0 in every reachable state */
  uint32_t first_rigid, nrigid;        /* rigid variables that matter */
} hd_horn_model;

/* One way in which one thread takes one edge. */
typedef struct hd_horn_step
{
  uint32_t edge;
  const hd_control_command *command; /* NULL: no guard holds */
  const hd_control_case *way;        /* of the command */
} hd_horn_step;

/* Call VISIT for every step. */
void hd_horn_each_step(const hd_controller *c, void (*visit)(void *context, const hd_horn_step *step), void *context);

/* ---- terms: each with a blank before it ---- */
/* The name of every dimension. */
void hd_horn_state(hd_string *out, const hd_horn_model *m);
/* The same, with " Int" and in brackets: for a quantifier. */
void hd_horn_binders(hd_string *out, const hd_horn_model *m);
/* The value of every dimension after STEP. */
void hd_horn_after(hd_string *out, const hd_horn_model *m, const hd_horn_step *step);
void hd_horn_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l);

/* ---- formulas: each with a blank before it ---- */
void hd_horn_set(hd_string *out, const hd_controller *c, const hd_control_set *set);
/* A thread is there, and the step is possible. */
void hd_horn_guard(hd_string *out, const hd_horn_model *m, const hd_horn_step *step);
void hd_horn_start(hd_string *out, const hd_horn_model *m);
/* The ranges of everything, and what is known of the constants and the number of threads. */
void hd_horn_domain(hd_string *out, const hd_horn_model *m);
/* All equalities. */
void hd_horn_equal(hd_string *out, const hd_horn_model *m);
/* Threads wait, and none can go on. */
void hd_horn_deadlock(hd_string *out, const hd_horn_model *m);

#endif
