/* enumerate.h: is there an order? By trying all of them on the specification itself.
 *
 * Knows nothing of the algorithms that it judges: an operation may come next if it began before the end of every
 * completed one that is still to come; a pending one may be left out, and may return whatever the specification lets it
 * return, as one may that took effect and of which nobody knows what it returned. */
#ifndef BRUTE_ENUMERATE_H
#define BRUTE_ENUMERATE_H

#include <heddle/spec.h>

#include "linear/special.h"

typedef enum enumerated
{
  ENUMERATED_NONE, /* no order explains the operations */
  ENUMERATED_SOME,
  ENUMERATED_TOO_MANY, /* too many to try */
} enumerated;

/* At most 32 operations. */
enumerated enumerate_orders(const hd_spec *spec, const hd_value *config, size_t nconfig, const hd_linear_op *ops,
                            size_t n);

#endif
