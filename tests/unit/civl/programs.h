/* programs.h: programs in a folder, each with the messages that it must give in its last lines:
 * //! (line,column): Error: text, as the reference prints them. */
#ifndef TEST_CIVL_PROGRAMS_H
#define TEST_CIVL_PROGRAMS_H

#include "civl/civl.h"

/* Transform each program of tests/unit/civl/FOLDER in the tree at ROOT. Fails with the programs' names and both texts.
 */
void check_programs(const char *root, const char *folder, const hd_civl_options *options);

#endif
