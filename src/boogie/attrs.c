/* attrs.c: looking at attributes and changing lists of them. */
#include <stdlib.h>
#include <string.h>

#include "boogie/boogie.h"

const hd_boogie_attr *
hd_boogie_attr_find(const hd_boogie_attr *attrs, const char *key)
{
  while (attrs && strcmp(attrs->key, key))
    attrs = attrs->next;
  return attrs;
}

bool
hd_boogie_attr_flag(const hd_boogie_attr *attrs, const char *key)
{
  const hd_boogie_attr *a = hd_boogie_attr_find(attrs, key);
  if (!a || !a->args.n)
    return a != NULL;
  const hd_boogie_expr *e = a->args.items[0].expr;
  return a->args.n == 1 && e && e->kind == HD_BOOGIE_LIT_BOOL && e->u.truth;
}

const char *
hd_boogie_attr_text(const hd_boogie_attr *attrs, const char *key)
{
  for (const hd_boogie_attr *a = attrs; (a = hd_boogie_attr_find(a, key)); a = a->next)
    if (a->args.n == 1 && a->args.items[0].text)
      return a->args.items[0].text;
  return NULL;
}

bool
hd_boogie_attr_int(const hd_boogie_attr *attrs, const char *key, int64_t *value)
{
  for (const hd_boogie_attr *a = attrs; (a = hd_boogie_attr_find(a, key)); a = a->next)
  {
    const hd_boogie_expr *e = a->args.n == 1 ? a->args.items[0].expr : NULL;
    if (e && e->kind == HD_BOOGIE_LIT_INT && strlen(e->u.lit.text) <= 18)
    {
      *value = strtoll(e->u.lit.text, NULL, 10);
      return true;
    }
  }
  return false;
}

static hd_boogie_attr *
copy(hd_boogie_program *p, const hd_boogie_attr *a)
{
  hd_boogie_attr *c = hd_boogie_alloc(p, sizeof *c);
  *c = *a;
  c->next = NULL;
  return c;
}

hd_boogie_attr *
hd_boogie_attr_without(hd_boogie_program *p, hd_boogie_attr *attrs, const char *key)
{
  hd_boogie_attr *first = NULL, **place = &first;
  for (; attrs; attrs = attrs->next)
    if (!key || strcmp(attrs->key, key))
    {
      *place = copy(p, attrs);
      place = &(*place)->next;
    }
  return first;
}

hd_boogie_attr *
hd_boogie_attr_add(hd_boogie_program *p, hd_boogie_attr *attrs, const char *key)
{
  hd_boogie_attr *first = hd_boogie_attr_without(p, attrs, NULL), **place = &first;
  while (*place)
    place = &(*place)->next;
  *place = hd_boogie_alloc(p, sizeof **place);
  (*place)->key = key;
  return first;
}
