/* rewriting.h: pieces of the rewriter. Private to src/boogie. */
#ifndef HD_BOOGIE_REWRITING_H
#define HD_BOOGIE_REWRITING_H

#include "boogie/boogie.h"

typedef struct hd_boogie_subst_entry
{
  const hd_boogie_var *var;
  hd_boogie_expr *now, *old;
} hd_boogie_subst_entry;

typedef struct hd_boogie_block_pair
{
  const hd_boogie_block *from;
  hd_boogie_block *to;
} hd_boogie_block_pair;

#endif
