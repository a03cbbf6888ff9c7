/* text.h: text whose length is not known before it is read. Private to this folder. */
#ifndef HD_HISTORY_TEXT_H
#define HD_HISTORY_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "history/internal.h"

static inline hd_value
text_value(input *in, const char *s, size_t n)
{
  char *copy = hd_arena_alloc(in->arena, n + 1);
  if (n)
    memcpy(copy, s, n);
  copy[n] = 0;
  return (hd_value){.type = HD_STR, .length = (uint32_t) n, .s = copy};
}

/* Text that grows, for what has no known length. */
typedef struct text
{
  char small[256];
  char *big;
  size_t n, cap;
} text;

static inline void
text_begin(text *t)
{
  t->big = NULL;
  t->n = t->cap = 0;
}

static inline char *
text_start(const text *t)
{
  return t->big ? t->big : (char *) t->small;
}

static inline void
text_add(text *t, const char *s, size_t n)
{
  if (!t->big && t->n + n <= sizeof t->small)
    memcpy(t->small + t->n, s, n);
  else
  {
    bool first = !t->big;
    hd_grow(&t->big, &t->cap, t->n + n, 1);
    if (first)
      memcpy(t->big, t->small, t->n);
    memcpy(t->big + t->n, s, n);
  }
  t->n += n;
}

static inline void
text_byte(text *t, int c)
{
  char byte = (char) c;
  text_add(t, &byte, 1);
}

static inline hd_value
text_end(text *t, input *in)
{
  hd_value v = text_value(in, text_start(t), t->n);
  free(t->big);
  return v;
}

#endif
