/* program.h: short ways from a change to the judgement (program.c), inside. */
#ifndef HD_MTTL_PROGRAM_H
#define HD_MTTL_PROGRAM_H

#include <string.h>

#include "mttl/knowledge.h"
#include "mttl/syntax.h"

/* A part as tests of values that are where they are. */
enum
{
  HD_MTTL_YES = UINT16_MAX, /* instead of the number of a test: the answer */
  HD_MTTL_NO = UINT16_MAX - 1,
  HD_MTTL_LESS = 1, /* bits of MASK: a test of integers is true if A is less than B, ... */
  HD_MTTL_EQUAL = 2,
  HD_MTTL_MORE = 4,
  HD_MTTL_SHARED_A = 1, /* bits of SHARED: A is a tracked variable, ... */
  HD_MTTL_SHARED_B = 2
};

typedef union hd_mttl_operand
{
  const hd_mttl_value *at;
  uintptr_t shared; /* the number of a tracked variable, whose value moves with the knowledge */
} hd_mttl_operand;

typedef struct hd_mttl_test
{
  hd_mttl_operand a, b;
  uint16_t yes, no; /* the number of the next test */
  uint8_t kind;     /* a comparison; HD_MTTL_NOT: is A not false? */
  uint8_t mask, shared;
} hd_mttl_test;

typedef struct hd_mttl_program
{
  hd_mttl_test *tests;
  size_t n, cap;
  uint16_t first;
  bool never; /* there can be none for this part */
} hd_mttl_program;

/* Of numbers, both included. */
typedef struct hd_mttl_range
{
  int64_t low, high;
} hd_mttl_range;

/* What a new value of a variable of the thread brings about: copies of it, then what is to be true. */
typedef struct hd_mttl_plan
{
  uint32_t made;  /* T's PLANNED when it was */
  uint32_t swift; /* the same, while it is ALONE, and there are copies, and the variable is of its TYPE */
  bool possible;  /* it is all that happens */
  bool alone;     /* its programs ask for nothing that changes while it is valid, but the variable itself */
  bool unused;    /* no formula asks for the variable */
  uint32_t ncopies, nprograms;
  hd_mttl_value **copies;
  const hd_mttl_program **programs;
  hd_mttl_range ranges[2]; /* ALONE: of numbers with which all is true, that were met last */
  hd_mttl_type type;       /* ... of values of this type */
  uint32_t oldest;         /* of the two */
  size_t copies_cap, programs_cap;
} hd_mttl_plan;

/* A copy by halves, as values are made: a load of what two stores have just written would have to wait for them. */
static inline void
hd_mttl_put(hd_mttl_value *to, const hd_mttl_value *from)
{
  uint64_t head;
  int64_t number = from->number;
  memcpy(&head, from, sizeof head);
  __asm__("" : "+r"(head), "+r"(number)); /* which keeps them apart */
  memcpy(to, &head, sizeof head);
  to->number = number;
}

bool hd_mttl_compare(hd_mttl_kind kind, const hd_mttl_value *a, const hd_mttl_value *b);

static inline bool
hd_mttl_test_run(const hd_mttl_test *test, const hd_mttl_value *a, const hd_mttl_value *b)
{
  if (__builtin_expect(a->type == HD_MTTL_INT && b->type == HD_MTTL_INT, 1))
    return test->mask & (a->number == b->number ? HD_MTTL_EQUAL : a->number < b->number ? HD_MTTL_LESS : HD_MTTL_MORE);
  return test->kind == HD_MTTL_NOT ? a->number != 0 : hd_mttl_compare(test->kind, a, b);
}

/* Is the part true? SHARED: the values of the tracked variables. */
static inline bool
hd_mttl_program_run(const hd_mttl_program *p, const hd_mttl_shared *shared)
{
  const hd_mttl_test *tests = p->tests;
  unsigned at = p->first;
  while (at < HD_MTTL_NO)
  {
    const hd_mttl_test *test = &tests[at];
    const hd_mttl_value *a = test->a.at, *b = test->b.at;
    if (test->shared)
    {
      a = test->shared & HD_MTTL_SHARED_A ? &shared[test->a.shared].value : a;
      b = test->shared & HD_MTTL_SHARED_B ? &shared[test->b.shared].value : b;
    }
    at = hd_mttl_test_run(test, a, b) ? test->yes : test->no;
  }
  return at == HD_MTTL_YES;
}

#endif
