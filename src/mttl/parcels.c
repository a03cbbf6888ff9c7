/* parcels.c: what goes from one thread to the next through batons.
 *
 * What a thread passes on often differs from what it passed on before in one thing only: it has set one of its
 * variables to another number, at the same place in the program. To copy its knowledge each time would cost more than
 * all the rest. So a thread remembers some knowledge that it passed on after it had set a variable (VARIANTS), and if
 * it does so again a parcel has that knowledge, the number that the variable is now, and a stamp of its own. Whoever
 * learns what is in a parcel makes the entry that it means (fill_entry). Until the thread itself needs it, too, its own
 * K is behind: it is LIGHT.
 *
 * A parcel (STAMP, K, NUMBER) stands for K with these changes, D being the C of the stamp less that of K:
 *
 *   C, CLOCK, the version of the owner's entry                             more by D
 *   the clock of its origin                                                that CLOCK
 *   the value in the event of its origin, and all copies of that variable  NUMBER
 *
 * That is what the thread would have passed on, if
 *   - nothing else has changed in what it knows or passes on, but for plans (ERA), which only copy variables;
 *   - the other variables that are copied are what they were (OF);
 *   - and its stack is the same.
 * In an era C and CLOCK are counted together, each time that what the thread passes on about itself changes. */
#include <stdlib.h>

#include "mttl/monitor.h"

static const uint64_t numbers = (1ull << HD_MTTL_STAMP_THREAD) - 1;

/* The event that made what T passes on what it is. */
static inline const hd_mttl_event *
origin_of(const hd_mttl_thread *t)
{
  return t->at_present ? &t->event : &t->origin.event;
}

/* ---- variants ---- */

static bool
is_number(hd_mttl_type type)
{
  return type == HD_MTTL_INT || type == HD_MTTL_BOOL;
}

bool
hd_mttl_others_differ(const hd_mttl_thread *t, const hd_mttl_variant *v, const hd_mttl_event *e)
{
  const hd_mttl_monitor *m = t->m;
  for (size_t i = 0; i < m->nsources; i++)
    if (m->sources[i] != (uint32_t) e->set && !hd_mttl_equal(&v->of[i], &t->locals[m->sources[i]]))
      return true;
  return false;
}

static uint32_t
copy_stack(uintptr_t *frames, const hd_mttl_stack *s)
{
  uint32_t n = s->n < HD_MTTL_FRAMES ? s->n + 1 : HD_MTTL_FRAMES;
  frames[0] = s->pc;
  for (uint32_t i = 1; i < n; i++)
    frames[i] = s->innermost[(i - 1) * s->step];
  return n;
}

/* Did O happen at S? */
static inline bool
is_there(const hd_mttl_origin *o, const hd_mttl_stack *s)
{
  uint32_t n = s->n < HD_MTTL_FRAMES ? s->n + 1 : HD_MTTL_FRAMES;
  if (o->nframes != n || o->frames[0] != s->pc)
    return false;
  const uintptr_t *frame = s->innermost;
  for (uint32_t i = 1; i < n; i++, frame += s->step)
    if (o->frames[i] != *frame)
      return false;
  return true;
}

void
hd_mttl_settle_all(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  const hd_mttl_event *e = origin_of(t);
  hd_mttl_stack stack;
  bool known = m->where && m->where(m->context, t, &stack);
  t->unplaced = false;
  for (uint64_t i = 0; i < HD_MTTL_VARIANTS; i++)
  {
    const hd_mttl_variant *v = &t->variants[(t->nplaces - i) % HD_MTTL_VARIANTS]; /* the latest first */
    if (!hd_mttl_variant_fits(t, v, e))
      continue;
    const hd_mttl_origin *then = &v->k->mine->origin;
    if ((known ? !is_there(then, &stack) : then->nframes != 0))
      continue;
    t->place = v->place;
    hd_mttl_pack_light(t, v, e->value.number);
    return;
  }
  t->place = 0;
  t->origin.nframes = known ? copy_stack(t->origin.frames, &stack) : 0;
}

/* T's knowledge, which is published, for the next time. */
static void
remember(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  const hd_mttl_event *e = &t->k->mine->origin.event;
  if (e->set < 0 || !is_number(e->value.type) || m->plain || !t->plans[e->set].possible)
    return;
  hd_mttl_variant *v = &t->variants[++t->nplaces % HD_MTTL_VARIANTS];
  if (v->era)
    hd_mttl_give_back(t, v->k);
  if (!v->of)
    v->of = hd_alloc_array(m->nsources + 1, sizeof *v->of);
  v->k = hd_mttl_hand_out(t->k);
  v->place = t->nplaces;
  v->era = t->era;
  v->set = e->set;
  v->type = e->value.type;
  for (size_t i = 0; i < m->nsources; i++)
    v->of[i] = t->locals[m->sources[i]];
}

void
hd_mttl_variants_free(hd_mttl_thread *t)
{
  if (t->front.parcel.knowledge)
    hd_mttl_give_back(t, t->front.parcel.knowledge);
  for (uint32_t i = 0; i < HD_MTTL_VARIANTS; i++)
  {
    if (t->variants[i].era)
      hd_mttl_give_back(t, t->variants[i].k);
    free(t->variants[i].of);
  }
}

/* ---- parcels ---- */

hd_mttl_parcel
hd_mttl_parcel_now(hd_mttl_thread *t)
{
  hd_mttl_settle(t);
  if (t->front.ready)
    return t->front.parcel;
  bool published = t->unpublished;
  hd_mttl_publish(t);
  t->fresh = false;
  if (published)
    remember(t);
  return (hd_mttl_parcel){(uint64_t) t->number << HD_MTTL_STAMP_THREAD | t->k->c, t->k->mine->origin.event.value.number,
                          t->k};
}

void
hd_mttl_pack_all(hd_mttl_thread *t)
{
  hd_mttl_parcel p = hd_mttl_parcel_now(t);
  if (!t->front.ready)
    hd_mttl_pack_as(t, p.knowledge, t->k->c, p.number);
}

/* E becomes the entry of K's owner as a parcel of K with C and NUMBER means it. */
static void
fill_entry(const hd_mttl_monitor *m, hd_mttl_entry *e, const hd_mttl_knowledge *k, uint64_t c, int64_t number)
{
  const hd_mttl_entry *then = k->mine;
  uint32_t variable = (uint32_t) then->origin.event.set;
  size_t n = hd_mttl_item_offset(m, m->f->nitems, then->radix);
  e->version = then->version + (c - k->c);
  e->origin = then->origin;
  e->origin.clock = k->clock + (c - k->c);
  e->origin.event.value.number = number;
  for (size_t i = 0; i < n; i++)
    e->values[i] = then->values[i];
  for (size_t i = 0; i < m->f->nitems; i++)
  {
    uint32_t cell = m->items[i];
    if (m->source[cell] == variable)
      e->values[hd_mttl_item_offset(m, i, then->radix) + (m->shapes[cell] == HD_MTTL_COPY_ITEM ? k->own + 1 : 0)]
          = e->origin.event.value;
  }
}

void
hd_mttl_catch_up(hd_mttl_thread *t, uint32_t n)
{
  const hd_mttl_parcel *p = &t->front.parcel;
  const hd_mttl_knowledge *k = p->knowledge;
  uint64_t c = p->stamp & numbers;
  hd_mttl_replace_own(t, n, true);
  t->light = t->fresh = false;
  t->k->c = c;
  t->k->clock = k->clock + (c - k->c);
  fill_entry(t->m, hd_mttl_own_entry(t, k->mine->radix), k, c, p->number);
}

void
hd_mttl_learn_parcel(hd_mttl_thread *t, const hd_mttl_parcel *p)
{
  const hd_mttl_monitor *m = t->m;
  const hd_mttl_knowledge *k = p->knowledge;
  uint64_t own = p->stamp >> HD_MTTL_STAMP_THREAD, c = p->stamp & numbers;
  if (!k || own == t->number || (own < t->nseen && t->seen[own] >= c))
    return;
  if (own != k->own || c <= k->c)
  {
    hd_mttl_learn(t, k);
    return;
  }
  hd_mttl_entry *e = hd_alloc(sizeof *e + hd_mttl_item_offset(m, m->f->nitems, k->mine->radix) * sizeof *e->values);
  atomic_init(&e->references, 1);
  e->radix = k->mine->radix;
  fill_entry(m, e, k, c, p->number);
  hd_mttl_knowledge meant = {.own = k->own,
                             .c = c,
                             .nthreads = k->nthreads,
                             .clock = k->clock + (c - k->c),
                             .mine = e,
                             .people = k->people,
                             .seen = k->seen,
                             .shared = k->shared};
  hd_mttl_learn(t, &meant);
  hd_mttl_entry_drop(e);
}

/* ---- batons ---- */

bool
hd_mttl_take_quietly(hd_mttl_thread *t, const hd_mttl_baton *b)
{
  uint64_t stamp = atomic_load_explicit(&b->stamp, memory_order_relaxed); /* whoever gave it ordered it before this */
  uint64_t own = stamp >> HD_MTTL_STAMP_THREAD, c = stamp & numbers;
  return hd_mttl_is_idle(t) && (stamp == 0 || own == t->number || (own < t->nseen && t->seen[own] >= c));
}

void
hd_mttl_take(hd_mttl_thread *t, hd_mttl_baton *b, const hd_mttl_event *e)
{
  /* Taken out, so that nobody can drop it meanwhile; acquire: pairs with the releases below and in give(). The rest is
   * relaxed: whoever gave it ordered it before this. */
  hd_mttl_parcel p = {.knowledge = atomic_exchange_explicit(&b->knowledge, NULL, memory_order_acquire),
                      .stamp = atomic_load_explicit(&b->stamp, memory_order_relaxed),
                      .number = atomic_load_explicit(&b->number, memory_order_relaxed)};
  hd_mttl_learn_parcel(t, &p);
  hd_mttl_drop(atomic_exchange_explicit(&b->knowledge, p.knowledge, memory_order_acq_rel));
  hd_mttl_local(t, e);
}

static inline void
give(hd_mttl_thread *t, hd_mttl_baton *b)
{
  hd_mttl_pack(t);
  const hd_mttl_parcel *p = &t->front.parcel;
  if (atomic_load_explicit(&b->stamp, memory_order_relaxed) == p->stamp)
    return;                                                         /* it has that already */
  atomic_store_explicit(&b->stamp, p->stamp, memory_order_relaxed); /* as in hd_mttl_give_again */
  atomic_store_explicit(&b->number, p->number, memory_order_relaxed);
  if (atomic_load_explicit(&b->knowledge, memory_order_relaxed) != p->knowledge)
    hd_mttl_give_back(t, atomic_exchange_explicit(&b->knowledge, hd_mttl_hand_out(p->knowledge), memory_order_acq_rel));
}

bool
hd_mttl_give_quietly(hd_mttl_thread *t, hd_mttl_baton *b)
{
  if (!hd_mttl_is_idle(t))
    return false;
  give(t, b);
  return true;
}

void
hd_mttl_give(hd_mttl_thread *t, hd_mttl_baton *b, const hd_mttl_event *e)
{
  hd_mttl_local(t, e);
  give(t, b);
}

void
hd_mttl_baton_clear(hd_mttl_baton *b)
{
  atomic_store_explicit(&b->stamp, 0, memory_order_relaxed);
  hd_mttl_drop(atomic_exchange_explicit(&b->knowledge, NULL, memory_order_acq_rel));
}
