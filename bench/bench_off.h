/* bench_off.h: the part of bench_log that is compiled with HEDDLE_OFF. */
#ifndef HD_BENCH_OFF_H
#define HD_BENCH_OFF_H

struct work;
void bench_off(struct work *w);

#endif
