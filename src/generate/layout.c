/* layout.c: all variables in one word of 64 bits, next to the bits of the queues.
 *
 * These are the lowest ones, because sleepers watch the low half. Variables come from the top down, the widest
 * first, so that they reach into that half only where they must: what changes there wakes sleepers for nothing.
 *
 * How wide a variable is follows from what is proved of it. One that is known only to be no more than the number of
 * threads takes the room that is left, and its size is checked while the program runs. Every other integer gets as many
 * bits as an int has values. */
#include "generate/plan.h"

enum
{
  WORD = 64,
  HALF = 32,
  FEWEST_THREAD_BITS = 15, /* 32767 threads */
  INT_BITS = 31            /* of an int that is not negative */
};

static unsigned
bits(uint64_t most)
{
  unsigned n = 1;
  while (n < WORD && most >> n)
    n++;
  return n;
}

static bool
is_flexible(const hd_generate_plan *p, size_t v)
{
  const hd_generate_range *r = &p->ranges[v];
  return p->c->variables[v].type == HD_CONTROL_INT && r->has_least && r->least >= 0 && !r->has_most && r->by_threads;
}

static void
choose_width(const hd_generate_plan *p, size_t v, unsigned thread_bits, hd_generate_field *f)
{
  const hd_control_variable *variable = &p->c->variables[v];
  const hd_generate_range *r = &p->ranges[v];
  *f = (hd_generate_field){.most = INT64_MAX};
  if (variable->type == HD_CONTROL_BOOL)
    f->width = 1;
  else if (variable->type == HD_CONTROL_ENUM)
    f->width = bits(variable->nvalues - 1);
  else if (r->has_least && r->has_most && r->least <= r->most && bits((uint64_t) r->most - (uint64_t) r->least) < HALF)
  {
    f->least = r->least;
    f->width = bits((uint64_t) r->most - (uint64_t) r->least);
  }
  else if (is_flexible(p, v))
  {
    f->width = thread_bits;
    if (thread_bits < INT_BITS)
      f->most = (INT64_C(1) << thread_bits) - 1;
  }
  else if (r->has_least && r->least >= 0)
    f->width = INT_BITS;
  else
  {
    f->width = HALF;
    f->wraps = true;
  }
}

/* As hd_generate_layout(), next to NBITS bits. */
static bool
place(const hd_generate_plan *p, size_t nbits, hd_generate_field *fields)
{
  const size_t n = p->c->nvariables;
  if (nbits >= HALF) /* each is a value of an enumeration */
    return false;
  for (unsigned thread_bits = INT_BITS; thread_bits >= FEWEST_THREAD_BITS; thread_bits--)
  {
    unsigned sum = 0, top = WORD;
    for (size_t v = 0; v < n; v++)
    {
      choose_width(p, v, thread_bits, &fields[v]);
      sum += fields[v].width;
    }
    if (sum + nbits > WORD)
      continue;
    for (unsigned width = HALF; width > 0; width--)
      for (size_t v = 0; v < n; v++)
        if (fields[v].width == width)
          fields[v].shift = top -= width;
    return true;
  }
  return false;
}

bool
hd_generate_layout(const hd_generate_plan *p, hd_generate_field *fields, bool *keepers)
{
  const size_t nbits = HD_GENERATE_WAIT_BITS + p->nqueues;
  size_t more = 0;
  for (size_t q = 0; q < p->nqueues; q++)
    more += p->queues[q].rule != HD_GENERATE_ALL;
  *keepers = place(p, nbits + more, fields);
  return *keepers || place(p, nbits, fields);
}
