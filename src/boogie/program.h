/* program.h: how a program keeps its names. Private to src/boogie. */
#ifndef HD_BOOGIE_PROGRAM_H
#define HD_BOOGIE_PROGRAM_H

#include "boogie/front.h"

typedef struct hd_boogie_program_names
{
  hd_boogie_table *types, *vars, *functions, *procs;
  hd_boogie_table *texts; /* every name once */
} hd_boogie_program_names;

HD_GIVE hd_boogie_program_names *hd_boogie_names_new(void);
void hd_boogie_names_free(HD_TAKE hd_boogie_program_names *names);
void hd_boogie_names_add(hd_boogie_program *p, const hd_boogie_decl *d);

#endif
