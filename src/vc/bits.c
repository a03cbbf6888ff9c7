/* bits.c: bit vectors, as the solver's theory has them. */
#include "vc/internal.h"

const hd_smt_sort *
hd_vc_bits_sort(condition *c, uint32_t width, hd_boogie_place at)
{
  if (!width)
    hd_vc_unsupported(c, at, "bit vectors without bits are not supported");
  return hd_smt_known(c->u, hd_vc_text(c, "(_ BitVec %u)", width));
}

const hd_smt_term *
hd_vc_bits_literal(condition *c, const hd_boogie_expr *e)
{
  const hd_smt_sort *sort = hd_vc_bits_sort(c, e->u.lit.width, e->at);
  return hd_smt_number(c->u, hd_vc_text(c, "(_ bv%s %u)", e->u.lit.text, e->u.lit.width), sort);
}

const hd_smt_term *
hd_vc_concat(condition *c, const hd_boogie_expr *e, const hd_smt_term *a, const hd_smt_term *b)
{
  const hd_smt_term *args[] = {a, b};
  return hd_vc_known(c, "concat", hd_vc_sort(c, NULL, e->type, e->at), 2, args);
}

const hd_smt_term *
hd_vc_extract(condition *c, const hd_boogie_expr *e, const hd_smt_term *t)
{
  uint32_t high = e->u.bits.high, low = e->u.bits.low;
  const hd_smt_sort *sort = hd_vc_bits_sort(c, high - low, e->at);
  return hd_vc_known(c, hd_vc_text(c, "(_ extract %u %u)", high - 1, low), sort, 1, &t);
}
