/* histories.h: random histories of the objects that have a special algorithm. */
#ifndef BRUTE_HISTORIES_H
#define BRUTE_HISTORIES_H

#include <heddle/spec.h>

#include "linear/special.h"

typedef enum flavour
{
  FLAVOUR_REGISTER,
  FLAVOUR_CAS,
  FLAVOUR_REPEATED, /* a register whose values repeat */
  FLAVOUR_KEY,      /* one key of a map */
  FLAVOUR_SET,
  FLAVOUR_COUNT,  /* changes return nothing */
  FLAVOUR_RETURN, /* changes return the new value */
  FLAVOUR_QUEUE,
  FLAVOUR_STACK,
  FLAVOUR_PQUEUE,
  FLAVOURS,
} flavour;

extern const char *const flavour_names[FLAVOURS];

typedef struct history_plan
{
  flavour flavour;
  size_t n;
  unsigned clients;
  unsigned pending; /* percent of the operations that never return */
  unsigned unknown; /* percent of the removals that took effect and of which nobody knows what they took */
  unsigned narrow;  /* percent whose interval is a window around the place where they took effect */
  unsigned inserts; /* percent of operations that put in, for containers */
  unsigned spread;  /* how the values are chosen: 0 small numbers, 1 large ones, 2 negative ones, 3 strings */
  int64_t amount;   /* of a counter's changes, not 0 */
  unsigned values;  /* how many different ones a register or map has; 0: each is written once */
} history_plan;

typedef struct history
{
  const hd_spec *spec;
  hd_value config[1];
  size_t nconfig;
  hd_linear_op *ops;
  size_t n, cap;
  uint64_t time;
} history;

/* An atomic object is used by the clients of PLAN: some order explains it. */
void history_simulate(history *h, const history_plan *plan, uint64_t *random);
/* The same operations at random times with results that occur in the history: mostly nothing explains it. */
void history_scatter(history *h, uint64_t *random);
/* Change one thing: an endpoint, a result, or two results or arguments that are exchanged. */
void history_mutate(history *h, uint64_t *random);
/* Exchange the times of what took or read a value before it was put in: one way less to be wrong. */
void history_mend(history *h);
/* Halve all times: neighbours may become equal, which lets them overlap. */
void history_blur(history *h);
void history_print(const history *h);
void history_free(history *h);

#endif
