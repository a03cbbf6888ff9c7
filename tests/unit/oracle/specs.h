/* specs.h: the models as specifications for the checker under test. */
#ifndef ORACLE_SPECS_H
#define ORACLE_SPECS_H

#include "model.h"

typedef enum spec_variant
{
  SPEC_PLAIN = 0,
  SPEC_NO_VIEW = 1,
  SPEC_NO_OUTCOMES = 2,
  SPEC_WITH_TEST = 4, /* offers test() */
  SPEC_VARIANTS = 8
} spec_variant;

/* The specification's objects must have one configuration value: hd_int(kind). */
const hd_spec *specs_get(model_kind kind, unsigned variant);

/* Specification states and replicas that exist now: none are left behind by a checker that is freed. */
extern long specs_alive;

#endif
