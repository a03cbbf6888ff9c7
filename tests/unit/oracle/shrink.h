/* shrink.h: a smaller case that still shows the same trouble, for people to read. */
#ifndef ORACLE_SHRINK_H
#define ORACLE_SHRINK_H

#include "trace.h"

/* Is there still trouble with this trace? May crash: it is asked in a child process. */
typedef bool (*shrink_test)(const trace *t);

/* Take away the end, whole operations and single records as long as there is trouble; stamps are made anew. */
void shrink(trace *t, shrink_test trouble);

#endif
