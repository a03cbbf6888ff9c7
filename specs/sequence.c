/* sequence.c: a ring of values with a polynomial hash that follows every change at either end in constant time. */
#include "builtin.h"

#include <stdlib.h>

/* BASE is odd, so it has an inverse modulo 2^64. */
#define BASE 0xd1342543de82ef95ull

static uint64_t
inverse(uint64_t odd)
{
  uint64_t x = odd; /* right in the lowest 3 bits; each step doubles them */
  for (int i = 0; i < 5; i++)
    x *= 2 - odd * x;
  return x;
}

static hd_value *
at(const sequence *q, size_t i)
{
  return &q->values[(q->first + i) & (q->capacity - 1)];
}

hd_value
hd_specs_sequence_first(const sequence *q)
{
  return *at(q, 0);
}

hd_value
hd_specs_sequence_last(const sequence *q)
{
  return *at(q, q->n - 1);
}

void
hd_specs_sequence_append(sequence *q, hd_value v)
{
  if (q->n == q->capacity)
  {
    sequence old = *q;
    q->capacity = old.capacity ? 2 * old.capacity : 16;
    q->first = 0;
    q->values = hd_alloc_array(q->capacity, sizeof *q->values);
    for (size_t i = 0; i < old.n; i++)
      q->values[i] = *at(&old, i);
    free(old.values);
  }
  *at(q, q->n++) = keep_value(v);
  q->hash += hd_value_hash(v) * q->power;
  q->power *= BASE;
}

void
hd_specs_sequence_drop_first(sequence *q)
{
  hd_value v = *at(q, 0);
  q->hash = (q->hash - hd_value_hash(v)) * inverse(BASE);
  q->power *= inverse(BASE);
  q->first++;
  q->n--;
  drop_value(v);
}

void
hd_specs_sequence_drop_last(sequence *q)
{
  hd_value v = *at(q, q->n - 1);
  q->power *= inverse(BASE);
  q->hash -= hd_value_hash(v) * q->power;
  q->n--;
  drop_value(v);
}

void *
hd_specs_sequence_create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  sequence *q = hd_alloc_zero(sizeof *q);
  q->power = 1;
  return q;
}

void
hd_specs_sequence_destroy(void *s)
{
  sequence *q = s;
  for (size_t i = 0; i < q->n; i++)
    drop_value(*at(q, i));
  free(q->values);
  free(q);
}

void *
hd_specs_sequence_copy(const void *s)
{
  const sequence *q = s;
  sequence *c = hd_alloc(sizeof *c);
  *c = *q;
  c->first = 0;
  HD_CHECK(q->n <= q->capacity);
  c->values = q->capacity ? hd_alloc_array(q->capacity, sizeof *q->values) : NULL;
  for (size_t i = 0; i < q->n; i++)
    c->values[i] = keep_value(*at(q, i));
  return c;
}

bool
hd_specs_sequence_equal(const void *a, const void *b)
{
  const sequence *x = a, *y = b;
  if (x->n != y->n || x->hash != y->hash)
    return false;
  for (size_t i = 0; i < x->n; i++)
    if (!hd_value_equal(*at(x, i), *at(y, i)))
      return false;
  return true;
}

uint64_t
hd_specs_sequence_hash(const void *s)
{
  const sequence *q = s;
  return hd_mix(q->hash + q->n);
}

enum
{
  SHOWN = 12, /* values at each end of a list */
};

void
hd_specs_show_list(char *out, size_t n, const void *s, size_t count, hd_value (*item)(const void *s, size_t i))
{
  hd_string text = {0};
  hd_string_add(&text, "[");
  for (size_t i = 0; i < count; i++)
  {
    hd_string_add(&text, i ? ", " : "");
    if (i == SHOWN && count > 2 * SHOWN)
    {
      hd_string_printf(&text, "... %zu more ..., ", count - 2 * SHOWN);
      i = count - SHOWN;
    }
    hd_value_print(&text, item(s, i), 40);
  }
  hd_string_add(&text, "]");
  snprintf(out, n, "%s", text.text);
  hd_string_free(&text);
}

static hd_value
item(const void *q, size_t i)
{
  return *at(q, i);
}

void
hd_specs_sequence_show(const void *q, char *out, size_t n)
{
  hd_specs_show_list(out, n, q, ((const sequence *) q)->n, item);
}
