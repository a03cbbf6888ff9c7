/* answers.h: what is proved of a small program, as one line of text, for the tests of src/vc. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "vc/vc.h"

/* Prove all of TEXT and write the answers in a row: "P ok; Q 3 7?;" are P proved, and Q with failures in lines 3 and 7,
 * the second one a candidate. The solvers in PATH are asked. */
void answers_of(const char *text, const hd_vc_options *options, hd_string *out);
/* The answers must be EXPECTED. */
void answers_check_with(const char *text, const hd_vc_options *options, const char *expected);
void answers_check(const char *text, const char *expected);

#endif
