/* growth.h: a key of a map whose text grows by append, seen through what its gets returned. Private to src/linear. */
#ifndef HD_LINEAR_GROWTH_H
#define HD_LINEAR_GROWTH_H

#include "linear/search.h"

typedef struct growth growth;

/* PART is of one key of the built-in map and appends: let its search use a specification that knows which values can
 * still be seen. NULL: PART is not of that kind, and is as it was. The growth must live as long as PART. */
HD_GIVE growth *hd_linear_growth_use(linear_part *part);
void hd_linear_growth_free(HD_TAKE growth *g);

#endif
