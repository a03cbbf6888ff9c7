/* maker.h: parts of random controllers, for the files here that make them. */
#ifndef TEST_LITTLE_MAKER_H
#define TEST_LITTLE_MAKER_H

#include "little/little.h"

typedef struct maker
{
  little *c;
  uint64_t *random;
  bool spec; /* count(state) may stand here */
  bool rigid;
} maker;

static inline int
pick(maker *m, int n)
{
  return (int) (hd_random(m->random) % (uint64_t) n);
}

static inline little_expr *
node(maker *m, char kind, int number, little_expr *a, little_expr *b)
{
  little_expr *e = hd_arena_alloc(m->c->arena, sizeof *e);
  *e = (little_expr){.kind = kind, .number = number, .a = a, .b = b};
  return e;
}

/* A condition and a property, at most DEPTH operators deep. */
little_expr *little_condition(maker *m, int depth);
little_expr *little_formula(maker *m, int depth);

#endif
