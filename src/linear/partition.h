/* partition.h: the parts of a history that do not concern each other. Private to src/linear. */
#ifndef HD_LINEAR_PARTITION_H
#define HD_LINEAR_PARTITION_H

#include "linear/search.h"
#include "linear/special_parts.h"

/* All operations, cut into parts; the operations of a part are numbered from 0 in the order of their starts. */
typedef struct linear_parts
{
  uint32_t nparts;
  uint32_t *first;        /* of the operations of a part in OPS; NPARTS + 1 */
  uint32_t *ops;          /* by part: numbers of operations; NULL: the part is all of them in their order */
  uint32_t *event_first;  /* of the events of a part; NPARTS + 1 */
  const uint32_t *events; /* by part, in order: 2 * (number within the part) + (1 if it is the end) */
  uint32_t *moments;      /* of these events: their places among all events, from 1 on; NULL: as they lie here */
  /* By part and operation within it, as in linear_part, numbered anew in each part; NULL: each part has one key. */
  uint32_t *key_first, *keys;
  uint32_t *nkeys; /* of a part */
} linear_parts;

/* ORDER, which hd_special_events has filled and which has to live as long as P, has the operations and their order. Not
 * SPLIT: one part. False: the caller cancelled, and there is nothing to be done with P. */
bool hd_linear_parts_init(linear_parts *p, const hd_spec *spec, special_job *order, bool split);
void hd_linear_parts_done(linear_parts *p);

/* The number of the operation that is the Ith by part. */
static inline uint32_t
parts_op(const linear_parts *p, uint32_t i)
{
  return p->ops ? p->ops[i] : i;
}

#endif
