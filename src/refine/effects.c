/* effects.c: what a list of steps did to the variables.
 *
 * Configurations whose writes came in another order but left the same values are the same. Coarse-grained actions are
 * not understood here: with them the order counts. */
#include "refine/internal.h"

static const step *
writing_step(const step *st)
{
  while (st && !st->block)
    st = st->before;
  return st;
}

static bool
same_sequence(const step *a, const step *b)
{
  for (;;)
  {
    if (a == b)
      return true;
    a = writing_step(a);
    b = writing_step(b);
    if (!a || !b || a->block != b->block)
      return a == b;
    a = a->before;
    b = b->before;
  }
}

const logged_write *
search_last_write(const step *st, uint64_t var)
{
  for (; st; st = st->before)
    for (size_t i = st->block ? st->block->nwrites : 0; i-- > 0;)
      if (st->block->writes[i].var == var)
        return &st->block->writes[i];
  return NULL;
}

static bool
covers(const step *a, const step *b)
{
  for (const step *st = a; st; st = st->before)
    for (size_t i = 0; st->block && i < st->block->nwrites; i++)
    {
      uint64_t var = st->block->writes[i].var;
      const logged_write *x = search_last_write(a, var), *y = search_last_write(b, var);
      if (!y || !hd_value_equal(x->value, y->value))
        return false;
    }
  return true;
}

bool
effects_equal(const step *a, const step *b)
{
  if (a == b)
    return true;
  if (!a || !b)
    return !writing_step(a) && !writing_step(b);
  if (a->effect != b->effect || a->replays != b->replays)
    return false;
  if (a->replays)
    return same_sequence(a, b);
  return covers(a, b) && covers(b, a);
}

static uint64_t
write_hash(const logged_write *w)
{
  return hd_mix(w->var * 0x9e3779b97f4a7c15ull + hd_value_hash(w->value));
}

void
effects_add(step *st, const block *b)
{
  for (size_t i = 0; i < b->nwrites; i++)
  {
    const logged_write *w = &b->writes[i];
    if (w->replay)
    {
      st->replays = true;
      st->effect = hd_mix(st->effect ^ (uint64_t) (uintptr_t) w);
      continue;
    }
    bool again = false; /* written once more in this block */
    for (size_t k = i + 1; k < b->nwrites && !again; k++)
      again = b->writes[k].var == w->var && !b->writes[k].replay;
    if (again)
      continue;
    const logged_write *before = search_last_write(st->before, w->var);
    st->effect ^= write_hash(w) ^ (before ? write_hash(before) : 0);
  }
}

bool
search_writes_meet(const search *s, const block *b)
{
  for (size_t i = 0; i < s->nslots; i++)
  {
    const op *o = s->slots[i];
    const block *other = o && o->mode != MODE_OBSERVE ? o->commit_block : NULL;
    for (size_t k = 0; other && k < other->nwrites; k++)
      for (size_t l = 0; l < b->nwrites; l++)
        if (other->writes[k].replay || b->writes[l].replay || other->writes[k].var == b->writes[l].var)
          return true;
  }
  return false;
}
