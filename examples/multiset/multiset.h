/* multiset.h: a bounded multiset of positive integers that many threads use at once.
 *
 * The running example of "VYRD: VerifYing Concurrent Programs by Runtime Refinement-Violation Detection" (PLDI 2005),
 * with Insert, InsertPair, Delete and LookUp over an array of slots, each with its own lock. */
#ifndef MULTISET_H
#define MULTISET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct multiset multiset;

typedef struct multiset_options
{
  int slots;         /* how many elements it can hold */
  bool bug;          /* look for a free slot without its lock (Fig. 5 of the paper) */
  bool exact_delete; /* annotate Delete with an exact commit, as the paper does, instead of a window */
  bool yield;        /* let other threads run before each lock: mistakes show sooner */
} multiset_options;

multiset *multiset_new(multiset_options options);
void multiset_free(multiset *m);

/* Any thread may call these. The insertions are false if there is no room; then nothing was inserted. */
bool multiset_insert(multiset *m, int x);
bool multiset_insert_pair(multiset *m, int x, int y); /* both at once, or none */
bool multiset_delete(multiset *m, int x);             /* one X; false: there was none */
bool multiset_look_up(multiset *m, int x);

/* Move elements to lower slots. The content stays as it is. */
void multiset_compress(multiset *m);

#endif
