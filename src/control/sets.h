/* sets.h: linear expressions and lists of conjunctions, made in an arena.
 *
 * Everything is kept in one form, so that equal things look equal: an inequality is divided by the greatest common
 * divisor of its factors (its constant rounded down, which is exact for integers), an equality begins with a positive
 * factor, and of inequalities with equal factors in one conjunction the tightest remains. A conjunction that cannot
 * hold for that reason is left out of its list, and so is one that another one contains.
 *
 * What would be too large stops the work: the builder remembers the first reason, and everything that is made after it
 * has no meaning. */
#ifndef HD_CONTROL_SETS_H
#define HD_CONTROL_SETS_H

#include "control/control.h"

enum
{
  HD_CONTROL_MOST_CASES = 256 /* conjunctions of a list, or ways through an update */
};

typedef struct hd_control_builder
{
  hd_arena *arena;
  const char *trouble; /* NULL: none; else what is too large */
} hd_control_builder;

hd_control_linear hd_control_number(int64_t constant);
hd_control_linear hd_control_dimension(hd_control_builder *b, size_t dimension);
/* x * A + y * B */
hd_control_linear hd_control_combine(hd_control_builder *b, int64_t x, const hd_control_linear *a, int64_t y,
                                     const hd_control_linear *other);

hd_control_set hd_control_false(void);
hd_control_set hd_control_true(hd_control_builder *b);
bool hd_control_is_true(const hd_control_set *s); /* as far as its form shows */
hd_control_set hd_control_not_negative(hd_control_builder *b, const hd_control_linear *l);
hd_control_set hd_control_zero(hd_control_builder *b, const hd_control_linear *l);
hd_control_set hd_control_and(hd_control_builder *b, const hd_control_set *x, const hd_control_set *y);
hd_control_set hd_control_or(hd_control_builder *b, const hd_control_set *x, const hd_control_set *y);

#endif
