/* mutants.h: small changes of a certificate's text: one line or one part of a conjunction left out, one number changed
 * by 1, one comparison or one name replaced by another. */
#ifndef TEST_RECHECK_MUTANTS_H
#define TEST_RECHECK_MUTANTS_H

#include "control/control.h"

size_t mutants_count(const hd_controller *c, const char *text);
/* The change number WHICH of TEXT. */
hd_string mutants_make(const hd_controller *c, const char *text, size_t which);

#endif
