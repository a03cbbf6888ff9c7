/* again.h: a second reading for objects that the search could not settle. Private to src/refine. */
#ifndef HD_REFINE_AGAIN_H
#define HD_REFINE_AGAIN_H

#include "refine/internal.h"

typedef struct again again;

/* May a second reading settle what R left open? After finish. */
bool again_wanted(const hd_refine *r);
HD_GIVE again *again_new(hd_refine *r);
void again_free(HD_TAKE again *a);
/* The object's events, once more. False: nothing can be settled. */
bool again_event(again *a, const hd_event *e);
/* Everything was read: put the answer into R's result. */
void again_settle(again *a);

#endif
