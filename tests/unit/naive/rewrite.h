/* rewrite.h: histories changed in ways of which the effect on the answer is known. */
#ifndef NAIVE_REWRITE_H
#define NAIVE_REWRITE_H

#include "naive/ask.h"

/* One interval begins earlier or ends later: what was explained still is. */
void naive_history_widen(naive_history *h, uint64_t *random);
/* One operation never returned: what was explained still is. */
void naive_history_forget(naive_history *h, uint64_t *random);
/* Other names for keys and values, in the same order: nothing changes. */
void naive_history_rename(naive_history *h);
/* Queues and stacks: what puts in takes out, and time runs backwards. Nothing changes if all that is put in is taken;
 * what is missing for that is added first. False: the history has no such mirror image. */
bool naive_history_reverse(naive_history *h, naive_history *reversed);

#endif
