/* feed.c: an execution through src/mttl, and what it should say. */
#include <stdlib.h>
#include <string.h>

#include "mttlref/mttlref.h"

void
ref_expect(ref_verdicts *v, const ref_trace *t, const ref_order *o, const ref_file *f)
{
  *v = (ref_verdicts){0};
  for (uint32_t thread = 0; thread < t->nthreads; thread++)
    for (size_t p = 0; p < f->nproperties; p++)
      for (uint32_t k = 1; k <= o->count[thread]; k++)
      {
        uint32_t who[REF_VARIABLES + 1] = {thread};
        if (f->owner[p] != 0 && f->owner[p] != 100 + (int) thread)
          continue;
        ref_value value = ref_judge(t, o, f->body[p], thread, k, who);
        if (value.undefined || !value.number)
          v->broken[thread][k - 1] |= 1u << p;
      }
}

typedef struct feeding
{
  const hd_mttl_file *f;
  ref_verdicts *v;
  uint32_t count[REF_THREADS];
  bool explain;
} feeding;

static void
report(void *context, hd_mttl_thread *thread, const hd_mttl_property *property)
{
  feeding *x = context;
  uint32_t number = hd_mttl_thread_number(thread);
  x->v->broken[number][x->count[number]] |= 1u << (property - x->f->properties);
  if (x->explain)
  {
    hd_string s = {0};
    hd_mttl_explain(&s, thread, property);
    if (!s.length)
      abort();
    hd_string_free(&s);
  }
}

static int32_t
find(const char *const *list, size_t n, const char *letter, uint32_t index)
{
  char name[8];
  snprintf(name, sizeof name, "%s%u", letter, index);
  for (size_t i = 0; i < n; i++)
    if (strcmp(list[i], name) == 0)
      return (int32_t) i;
  return -1;
}

static hd_mttl_value
value_of(ref_value v, bool boolean)
{
  if (v.undefined)
    return (hd_mttl_value){.type = HD_MTTL_UNDEFINED};
  return (hd_mttl_value){.type = boolean ? HD_MTTL_BOOL : HD_MTTL_INT, .number = v.number};
}

/* The declarations of ref_print_file have this order. */
static hd_mttl_event
event_of(const feeding *x, const ref_trace *t, const ref_event *e)
{
  hd_mttl_event out = HD_MTTL_NO_EVENT;
  if (e->kind == REF_READ || e->kind == REF_WRITE)
  {
    out.op = e->kind == REF_READ ? HD_MTTL_R : HD_MTTL_W;
    out.loc = e->target * 8;
    out.size = t->size[e->target];
    out.variable = (int32_t) e->target;
    if (e->kind == REF_WRITE)
      out.value = value_of(e->value, e->target == 2);
  }
  if (e->kind == REF_ACQUIRE || e->kind == REF_RELEASE || e->kind == REF_REPLACE)
  {
    out.lock = find(x->f->locks, x->f->nlocks, "m", e->target);
    out.taken = e->kind == REF_ACQUIRE;
  }
  if (e->kind == REF_ENTER)
    out.function = find(x->f->functions, x->f->nfunctions, "f", e->target);
  return out;
}

void
ref_feed(ref_verdicts *v, const ref_trace *t, const hd_mttl_file *f, bool plain, bool explain)
{
  feeding x = {.f = f, .v = v, .explain = explain};
  hd_mttl_monitor *m = hd_mttl_monitor_new(f, report, &x);
  hd_mttl_thread *threads[REF_THREADS] = {0};
  if (plain)
    hd_mttl_monitor_plain(m);
  hd_mttl_location locations[REF_LOCATIONS] = {0};
  hd_mttl_object objects[REF_OBJECTS] = {0}, tokens[REF_THREADS] = {0};
  *v = (ref_verdicts){0};
  for (uint32_t i = 0; i < t->from_start; i++)
  {
    char name[24];
    snprintf(name, sizeof name, "start %u", i);
    threads[i] = hd_mttl_thread_new(m, NULL, name);
  }
  for (size_t i = 0; i < t->n; i++)
  {
    const ref_event *e = &t->events[i];
    hd_mttl_event event = event_of(&x, t, e);
    hd_mttl_thread *thread = threads[e->thread];
    switch (e->kind)
    {
    case REF_INTERNAL:
      hd_mttl_internal(thread, REF_LOCATIONS + e->target, value_of(e->value, e->target == 1));
      break;
    case REF_ENTER:
      hd_mttl_local(thread, &event);
      break;
    case REF_READ:
      hd_mttl_reads(thread, &(hd_mttl_location *){&locations[e->target]}, 1, &event);
      break;
    case REF_WRITE:
      hd_mttl_writes(thread, &(hd_mttl_location *){&locations[e->target]}, 1, &event);
      break;
    case REF_RELEASE:
      hd_mttl_release(thread, &objects[e->target], &event);
      break;
    case REF_REPLACE:
      hd_mttl_replace(thread, &objects[e->target], &event);
      break;
    case REF_ACQUIRE:
      hd_mttl_acquire(thread, &objects[e->target], &event);
      break;
    case REF_CREATE:
      threads[e->target] = hd_mttl_thread_new(m, thread, NULL);
      break;
    case REF_START:
      break; /* in CREATE */
    case REF_EXIT:
      hd_mttl_exits(thread, &tokens[e->thread]);
      break;
    case REF_JOIN:
      hd_mttl_acquire(thread, &tokens[e->target], &event);
      break;
    }
    x.count[e->thread]++;
  }
  for (uint32_t i = 0; i < t->nthreads; i++)
    hd_mttl_thread_free(threads[i]);
  for (uint32_t i = 0; i < REF_LOCATIONS; i++)
    hd_mttl_location_clear(&locations[i]);
  for (uint32_t i = 0; i < REF_OBJECTS; i++)
    hd_mttl_object_clear(&objects[i]);
  for (uint32_t i = 0; i < REF_THREADS; i++)
    hd_mttl_object_clear(&tokens[i]);
  hd_mttl_monitor_free(m);
}
