/* bench_log.h: the parts of bench_log that are compiled in another way than the rest. */
#ifndef HD_BENCH_LOG_H
#define HD_BENCH_LOG_H

#include <stdbool.h>

struct work;

/* bench_off.c: compiled with HEDDLE_OFF. */
void bench_off(struct work *w);

/* lttng_bench.c: a tracing session of its own, with its own daemon, in a temporary home. False: there is no LTTng. */
bool bench_lttng_start(void);
void bench_lttng_stop(void);
void bench_lttng(struct work *w);

#endif
