/* lower.h: expressions as sets and linear maps; lower.c makes the model of them. */
#ifndef HD_CONTROL_LOWER_H
#define HD_CONTROL_LOWER_H

#include "control/sets.h"
#include "control/syntax.h"

/* Where an expression is evaluated: MAP has, for every variable, its value as an expression over the state before. */
typedef struct hd_control_context
{
  hd_control_builder *b;
  const hd_controller *c;
  const hd_control_linear *map;
} hd_control_context;

/* An integer (or enumeration) expression: the cases exclude each other, and one of them always applies. */
typedef struct hd_control_choice
{
  hd_control_set when;
  hd_control_linear value;
} hd_control_choice;

typedef struct hd_control_choices
{
  size_t n;
  hd_control_choice *items;
} hd_control_choices;

hd_control_choices hd_control_lower_number(const hd_control_context *x, const hd_control_expression *e);
/* Where E is true (WANTED), or where it is false: an expression without negation either way. */
hd_control_set hd_control_lower_condition(const hd_control_context *x, const hd_control_expression *e, bool wanted);
/* Is the condition E a number 0 or 1 that is linear as it stands: a variable, its negation, true, false? */
bool hd_control_lower_bit(const hd_control_context *x, const hd_control_expression *e, hd_control_linear *value);

#endif
