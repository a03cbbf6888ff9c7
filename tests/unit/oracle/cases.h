/* cases.h: numbered cases of all families, and the comparison of the oracle's answer with the checker's. */
#ifndef ORACLE_CASES_H
#define ORACLE_CASES_H

#include "feed.h"
#include "oracle.h"

/* The case with this number: the same everywhere and always. */
void case_make(trace *t, uint64_t seed);

/* Null: they agree. Else what they disagree about. */
const char *case_compare(const trace *t, const oracle_answer *a, const feed_result *f);

/* The whole disagreement for people, with the number that makes the case again. */
void case_print(const trace *t, const oracle_answer *a, const feed_result *f, const feed_plan *plan, const char *what);

#endif
