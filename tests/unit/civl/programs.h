/* programs.h: programs for tests: read from a text, or in a folder, each with the messages that it must give in its
 * last lines: //! (line,column): Error: text, as the reference prints them. */
#ifndef TEST_CIVL_PROGRAMS_H
#define TEST_CIVL_PROGRAMS_H

#include "civl/civl.h"
#include "civl/relation.h"

/* The program, which is called p.bpl in messages. Fails with its messages if it cannot be read or, without M to put
 * them in, if it has errors. */
hd_boogie_program *read_program(const char *text, hd_boogie_messages *m);
/* Fails if there is none. */
hd_boogie_impl *impl_named(const hd_boogie_program *p, const char *name);
relation_code code_of(const hd_boogie_impl *impl);

/* Transform each program of tests/unit/civl/FOLDER in the tree at ROOT. Fails with the programs' names and both texts.
 */
void check_programs(const char *root, const char *folder, const hd_civl_options *options);

#endif
