/* objects.c: how knowledge moves through what synchronises and keeps what was released to it. */
#include "mttl/monitor.h"

/* ---- objects ---- */

void
hd_mttl_replace(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_local(t, e);
  hd_mttl_publish(t);
  if (o->knowledge == t->k)
    return;
  hd_mttl_give_back(t, o->knowledge);
  o->knowledge = hd_mttl_pass_on(t);
}

/* O has what it had and what K has. */
static void
join(const hd_mttl_monitor *m, hd_mttl_object *o, const hd_mttl_knowledge *k)
{
  hd_mttl_knowledge *joined = hd_mttl_knowledge_copy(o->knowledge, HD_MTTL_OF_NOBODY, k->nthreads, m->nshared);
  if (o->knowledge->own != HD_MTTL_OF_NOBODY && joined->seen[o->knowledge->own] < o->knowledge->c)
    joined->seen[o->knowledge->own] = o->knowledge->c;
  hd_mttl_knowledge_merge(joined, k, m->nshared, HD_MTTL_OF_NOBODY);
  hd_mttl_drop(o->knowledge);
  o->knowledge = joined;
}

/* O gets what T knows, too. */
static inline void
add(hd_mttl_thread *t, hd_mttl_object *o)
{
  hd_mttl_publish(t);
  if (o->knowledge == t->k)
    return; /* it has that already */
  if (hd_mttl_has_seen(t, o->knowledge))
  {
    hd_mttl_give_back(t, o->knowledge);
    o->knowledge = hd_mttl_pass_on(t);
    return;
  }
  t->fresh = false; /* what T knows now counts as passed on */
  join(t->m, o, t->k);
}

void
hd_mttl_exchange(hd_mttl_thread *t, hd_mttl_object *o, bool acquires, bool releases, const hd_mttl_event *e)
{
  if (acquires)
    hd_mttl_learn(t, o->knowledge);
  hd_mttl_local(t, e);
  if (releases)
    add(t, o);
}

bool
hd_mttl_exchange_quietly(hd_mttl_thread *t, hd_mttl_object *o, bool acquires, bool releases)
{
  if (!hd_mttl_is_idle(t) || (acquires && !hd_mttl_has_seen(t, o->knowledge)))
    return false;
  if (releases)
    add(t, o);
  return true;
}

void
hd_mttl_release(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_exchange(t, o, false, true, e);
}

void
hd_mttl_acquire(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_exchange(t, o, true, false, e);
}

void
hd_mttl_object_copy(hd_mttl_object *o, const hd_mttl_object *from)
{
  hd_mttl_knowledge *k = hd_mttl_keep(from->knowledge);
  hd_mttl_drop(o->knowledge);
  o->knowledge = k;
}

void
hd_mttl_object_join(const hd_mttl_monitor *m, hd_mttl_object *o, const hd_mttl_object *from)
{
  if (!from->knowledge || o->knowledge == from->knowledge)
    return;
  if (!o->knowledge || !hd_mttl_knowledge_newer(o->knowledge, from->knowledge, m->nshared, HD_MTTL_OF_NOBODY))
    hd_mttl_object_copy(o, from);
  else if (hd_mttl_knowledge_newer(from->knowledge, o->knowledge, m->nshared, HD_MTTL_OF_NOBODY))
    join(m, o, from->knowledge);
}

void
hd_mttl_remember(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_object *from)
{
  if (!hd_mttl_has_seen(t, from->knowledge))
    hd_mttl_object_join(t->m, o, from);
}

void
hd_mttl_object_clear(hd_mttl_object *o)
{
  hd_mttl_drop(o->knowledge);
  o->knowledge = NULL;
}
