/* prove_source.h: lines of the programs' files, for answers that show them. */
#ifndef HD_PROVE_SOURCE_H
#define HD_PROVE_SOURCE_H

#include "boogie/boogie.h"

typedef struct hd_prove_source hd_prove_source;
HD_GIVE hd_prove_source *hd_prove_source_new(void);
void hd_prove_source_free(HD_TAKE hd_prove_source *s);
/* The line at AT, without space at its ends and without a comment behind it. Null: the file cannot be read (again), or
 * has no such line. */
const char *hd_prove_source_line(hd_prove_source *s, hd_arena *arena, hd_boogie_place at);

#endif
