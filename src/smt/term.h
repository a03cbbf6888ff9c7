/* term.h: inside src/smt: what a universe is made of. */
#ifndef HD_SMT_TERM_H
#define HD_SMT_TERM_H

#include <stdlib.h>

#include "smt/smt.h"

struct hd_smt
{
  hd_arena *arena;
  hd_smt_sort basic[3];
  hd_smt_sort **arrays, **known;
  size_t narrays, arrays_cap, nknown, known_cap;
  uint32_t nsorts, nsymbols;
  const char **names; /* open addressing; a power of two */
  size_t nnames, names_cap;
  const hd_smt_term **terms; /* by id */
  size_t nterms, terms_cap;
  const hd_smt_term **table; /* open addressing; a power of two */
  size_t table_cap;
  hd_smt_quantifier **quantifiers; /* the different binders: there are few */
  size_t nquantifiers, quantifiers_cap;
};

/* A name that nothing has yet, like NAME; it is taken now. */
const char *hd_smt_fresh(hd_smt *u, const char *name);
/* The one term of this form. */
const hd_smt_term *hd_smt_intern(hd_smt *u, hd_smt_op op, const hd_smt_sort *sort, const hd_smt_symbol *symbol,
                                 const char *text, const hd_smt_quantifier *quantifier, size_t n,
                                 const hd_smt_term *const *args);

#endif
