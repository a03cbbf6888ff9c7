/* checker.h: the state of the type checker. Private to src/boogie.
 *
 * Types that are not yet known (type arguments of polymorphic functions and maps) are objects of kind TYPE_UNKNOWN that
 * unification fills in. When everything is checked, what is still unknown becomes int, as in the reference, and all
 * types of expressions are written out without unknowns. */
#ifndef HD_BOOGIE_CHECKER_H
#define HD_BOOGIE_CHECKER_H

#include "boogie/typing.h"

typedef struct hd_boogie_checker
{
  hd_boogie_program *program;
  hd_boogie_messages *messages;
  const hd_boogie_options *options;
  const hd_boogie_proc *frame; /* whose modifies clause counts, or null: nothing may be assigned */
  bool yields;
  size_t errors;
  hd_boogie_types trail; /* the unknowns filled in, in order */
  unsigned unknowns;
} hd_boogie_checker;

void hd_boogie_check_error(hd_boogie_checker *c, hd_boogie_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* T as text, in the program's arena. */
const char *hd_boogie_show_type(hd_boogie_checker *c, const hd_boogie_type *t);
hd_boogie_type *hd_boogie_unknown(hd_boogie_checker *c, const char *name);
/* Make A and B equal by filling in unknowns. On failure some may stay filled in. */
bool hd_boogie_unify(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b);
/* The same for the operands of ==, where type variables stand for any type. */
bool hd_boogie_comparable(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b);
/* T without unknowns: those left are int. *AMBIGUOUS is set if there were some (may be null). */
hd_boogie_type *hd_boogie_settle_type(hd_boogie_checker *c, hd_boogie_type *t, bool *ambiguous);

void hd_boogie_check_expr(hd_boogie_checker *c, hd_boogie_expr *e);
void hd_boogie_check_attrs(hd_boogie_checker *c, hd_boogie_attr *attrs);
void hd_boogie_check_blocks(hd_boogie_checker *c, const hd_boogie_blocks *blocks);
void hd_boogie_check_var(hd_boogie_checker *c, hd_boogie_var *v);
/* The type of E's first argument at the INDICES ones that follow, all checked; E's type arguments are set. WHAT is "map
 * select" and the like. Null: said. */
hd_boogie_type *hd_boogie_check_select(hd_boogie_checker *c, hd_boogie_expr *e, size_t indices, const char *what);
void hd_boogie_check_cmd(hd_boogie_checker *c, hd_boogie_cmd *cmd);
/* After checking: types of all expressions of the program are settled, ambiguous ones warned of. */
void hd_boogie_settle(hd_boogie_checker *c);

#endif
