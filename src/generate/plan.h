/* plan.h: what the files of src/generate share. */
#ifndef HD_GENERATE_PLAN_H
#define HD_GENERATE_PLAN_H

#include "generate/generate.h"
#include "symbolic/system.h"

/* ---- source.c: the text of the controller's file ---- */

/* Fill in the commands and the text of P. False: *ERROR says what is in the way. */
bool hd_generate_read_source(hd_generate_plan *p, const char *text, size_t n, hd_string *error);
/* Is NAME an identifier in TEXT? */
bool hd_generate_mentions(const char *text, const char *name);
/* A copy in the arena of P. */
const char *hd_generate_copy(const hd_generate_plan *p, const char *text, size_t n);

/* ---- condition.c: linear arithmetic as C ---- */

/* A condition that is true exactly in SET, over constants and variables. False: it would be hard to read, or the
 * language of controllers could not say it. */
bool hd_generate_print_set(hd_string *out, const hd_controller *c, const hd_control_set *set);
void hd_generate_print_linear(hd_string *out, const hd_controller *c, const hd_control_linear *linear);
/* "(g) || (h)": a guard of ACTION holds. */
void hd_generate_print_guards(hd_string *out, const hd_generate_plan *p, size_t action);

/* ---- enabling.c: who wakes whom ---- */

/* Fill in wakes, rules, keepers and ranges. */
void hd_generate_find_wakes(hd_generate_plan *p);
/* The states that are known to contain all reachable ones. */
isl_set *hd_generate_invariant(hd_symbolic_system *s);

/* Where F fails; false: it has temporal operators in it. */
bool hd_generate_fails(const hd_symbolic_system *s, const hd_control_formula *f, isl_set **out);
/* BAD is unreachable: show it, and cut it off from *INVARIANT. */
bool hd_generate_exclude(hd_symbolic_system *s, isl_set **invariant, __isl_take isl_set *bad);

/* ---- alone.c ---- */

/* Fill in ALONE. */
void hd_generate_find_alone(hd_generate_plan *p);

/* ---- protocol.c ---- */

enum
{
  HD_GENERATE_OWN_SPECS = 4 /* the last properties of a protocol, those about its wake-ups */
};

/* How many states the protocol of QUEUE has for threads that wait and are in STATE to the controller. */
size_t hd_generate_protocol_kinds(const hd_generate_plan *p, size_t queue, size_t state);

/* ---- layout.c: what is where in the word ---- */

typedef struct hd_generate_field
{
  unsigned shift, width;
  int64_t least; /* the field has the variable's value less this */
  bool wraps;    /* all 32 bits of an int, negative values among them */
  int64_t most;  /* the largest value that fits, if that has to be checked; INT64_MAX: it need not */
} hd_generate_field;

enum
{
  HD_GENERATE_WAIT_BITS = 1 /* they begin here: the lowest is HD_CONTROLLER_WATCHED */
};

/* A place for every variable next to that bit, a wait bit for each queue, and, if there is room for them too, a keeper
 * bit for each queue in which one sleeper is woken: *KEEPERS. False: there is not room enough. */
bool hd_generate_layout(const hd_generate_plan *p, hd_generate_field *fields, bool *keepers);

/* ---- emit*.c: the header ---- */

typedef struct hd_generate_emitting
{
  hd_string *out;
  const hd_generate_plan *p;
  const hd_controller *c;
  const hd_generate_options *o;
  bool packed;  /* all variables in one word, else a lock and queues */
  bool keepers; /* there is room for keeper bits */
  hd_generate_field *fields;
} hd_generate_emitting;

static inline bool
hd_generate_has_keeper(const hd_generate_emitting *x, size_t queue)
{
  return x->keepers && x->p->queues[queue].rule != HD_GENERATE_ALL;
}

/* The comment at the head. */
void hd_generate_emit_head(const hd_generate_emitting *x);
/* For each action the function that executes it if it can, and where it is needed one that says whether it can. */
void hd_generate_emit_steps(const hd_generate_emitting *x);

#endif
