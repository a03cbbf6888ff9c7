/* brute.h: what a plan of src/generate says about wake-ups, tried on every step of small instances. */
#ifndef TEST_GENERATE_BRUTE_H
#define TEST_GENERATE_BRUTE_H

#include "generate/generate.h"

typedef struct brute_tally
{
  size_t states;    /* looked at */
  size_t woken;     /* steps that made a guard true which somebody may wait for */
  size_t forgotten; /* of these, those for which the plan wakes nobody */
  size_t needless;  /* steps for which the plan wakes somebody although no guard became true */
  char what[200];   /* the first of those that are forgotten, or else needless */
} brute_tally;

/* All states with so many THREADS and these CONSTANTS, up to a bound, are added to T. */
void brute_try(brute_tally *t, const hd_generate_plan *p, int threads, const int64_t *constants);

#endif
