/* orders.h: is there an order of some operations that a specification accepts? By trying all of them.
 *
 * This is the definition itself, written for itself alone: it shares nothing with the code that it judges. X comes
 * before Y if X's end lies before Y's start; equal numbers overlap. What never returned may be left out and may have
 * returned anything. */
#ifndef NAIVE_ORDERS_H
#define NAIVE_ORDERS_H

#include <heddle/spec.h>

enum
{
  NAIVE_MAX = 12, /* operations that can be tried in all orders */
};

typedef struct naive_op
{
  uint32_t method, nargs, thread;
  hd_value args[2], ret;
  bool optional;  /* never returned: it may be left out; RET and END mean nothing */
  bool foreseen;  /* optional, but if it took effect it returned RET */
  bool any_ret;   /* it took effect, and nobody knows what it returned */
  bool unchanged; /* it must leave the state as it is */
  uint64_t start, end;
  unsigned id;
} naive_op;

bool naive_explained(const hd_spec *spec, const hd_value *config, size_t nconfig, const naive_op *ops, size_t n);

#endif
