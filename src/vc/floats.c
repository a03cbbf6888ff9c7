/* floats.c: floating-point numbers, as the solver's theory has them. The operators of the language round to the nearest
 * number, and to the even one of two; builtin functions round as they are told. == compares values as they are, so that
 * NaN is equal to itself and 0.0 is not -0.0. */
#include <string.h>

#include "vc/internal.h"

const hd_smt_sort *
hd_vc_float_sort(condition *c, uint32_t width, uint32_t exponent, hd_boogie_place at)
{
  if (width < 2 || exponent < 2)
    hd_vc_unsupported(c, at, "floating-point numbers have at least 2 bits of significand and 2 of exponent");
  return hd_smt_known(c->u, hd_vc_text(c, "(_ FloatingPoint %u %u)", exponent, width));
}

bool
hd_vc_is_float(const hd_smt_sort *sort)
{
  return sort->kind == HD_SMT_KNOWN && strncmp(sort->name, "(_ FloatingPoint", 16) == 0;
}

const hd_smt_term *
hd_vc_float_literal(condition *c, const hd_boogie_expr *e)
{
  hd_string value = {0};
  bool good = hd_boogie_float_value(e->u.lit.text, &value);
  const hd_smt_term *t = good ? hd_smt_number(c->u, value.text, hd_vc_sort(c, NULL, e->type, e->at)) : NULL;
  hd_string_free(&value);
  HD_CHECK(t); /* the parser looked */
  return t;
}

const hd_smt_term *
hd_vc_mode_literal(condition *c, const hd_boogie_expr *e)
{
  return hd_smt_number(c->u, e->u.lit.text, hd_smt_known(c->u, "RoundingMode"));
}

const hd_smt_term *
hd_vc_float_operation(condition *c, const hd_boogie_expr *e, const hd_smt_term *const *args)
{
  const hd_smt_sort *truth = hd_smt_basic(c->u, HD_SMT_BOOL), *number = args[0]->sort;
  switch (e->kind)
  {
  case HD_BOOGIE_NEG:
    return hd_vc_known(c, "fp.neg", number, 1, args);
  case HD_BOOGIE_ADD_OP:
    return hd_vc_known(c, "fp.add RNE", number, 2, args);
  case HD_BOOGIE_SUB:
    return hd_vc_known(c, "fp.sub RNE", number, 2, args);
  case HD_BOOGIE_MUL:
    return hd_vc_known(c, "fp.mul RNE", number, 2, args);
  case HD_BOOGIE_REAL_DIV:
    return hd_vc_known(c, "fp.div RNE", number, 2, args);
  case HD_BOOGIE_LT:
    return hd_vc_known(c, "fp.lt", truth, 2, args);
  case HD_BOOGIE_LE:
    return hd_vc_known(c, "fp.leq", truth, 2, args);
  case HD_BOOGIE_GT:
    return hd_vc_known(c, "fp.gt", truth, 2, args);
  case HD_BOOGIE_GE:
    return hd_vc_known(c, "fp.geq", truth, 2, args);
  default:
    hd_vc_unsupported(c, e->at, "there is no such operation on floating-point numbers");
  }
}
