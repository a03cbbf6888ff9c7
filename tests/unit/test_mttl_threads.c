/* test_mttl_threads.c: batons between threads that really run at the same time: for ThreadSanitizer, and for the
 * counting of what is passed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include "mttl/mttl.h"

enum
{
  THREADS = 4,
  MUTEXES = 6,
  ROUNDS = 20000
};

/* Nobody who is in f hears of somebody who knows this call: true if what f does is under locks that are all taken
 * before the first one is given up. And whoever is in what the first mutex guards knows that nobody else is. */
static const char text[]
    = "local int inside = 0; local int v = 0; local int n = 0;\n"
      "on enter f: n = n + 1;\n"
      "on enter f: v = n;\n"
      "on exit f: v = 0;\n"
      "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n"
      "property alone: forall i: @i( inside > 0 -> forall j != i: (@j(inside) == 0) ) report each;\n";

/* The same, of which only one variable is passed on: here f becomes a routine. */
static const char one[] = "local int inside = 0; local int v = 0; local int n = 0;\n"
                          "on enter f: n = n + 1;\n"
                          "on enter f: v = n;\n"
                          "on exit f: v = 0;\n"
                          "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n";

typedef struct place
{
  pthread_mutex_t mutex;
  hd_mttl_baton baton;
} place;

typedef struct worker
{
  hd_mttl_thread *t;
  hd_mttl_object token;
  const hd_mttl_rule *rules[4];
  size_t nrules;
  uint64_t random;
  bool careless; /* takes no locks: a program at fault */
} worker;

static place places[MUTEXES];
static atomic_uint reports;

static void
report(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  (void) context, (void) t, (void) property;
  atomic_fetch_add(&reports, 1);
}

static void
take(worker *w, place *p)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  if (!w->careless)
    pthread_mutex_lock(&p->mutex);
  if (!hd_mttl_take_again(w->t, &p->baton) && !hd_mttl_take_quietly(w->t, &p->baton))
    hd_mttl_take(w->t, &p->baton, &e);
}

static void
give(worker *w, place *p)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  if (!(hd_mttl_is_idle_at_once(w->t) && hd_mttl_give_again(w->t, &p->baton)) && !hd_mttl_give_quietly(w->t, &p->baton))
    hd_mttl_give(w->t, &p->baton, &e);
  if (!w->careless)
    pthread_mutex_unlock(&p->mutex);
}

static void *
work(void *argument)
{
  worker *w = argument;
  uint64_t at = 0;
  for (unsigned i = 0; i < ROUNDS; i++)
  {
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    unsigned a = (unsigned) (w->random >> 20) % MUTEXES, b = (unsigned) (w->random >> 40) % MUTEXES;
    if (a == b)
    {
      at = hd_mttl_follow(w->t, w->rules, 1, at); /* f ends */
      take(w, &places[0]);
      hd_mttl_internal(w->t, 0, (hd_mttl_value){.type = HD_MTTL_INT, .number = i + 1});
      hd_mttl_internal(w->t, 0, (hd_mttl_value){.type = HD_MTTL_INT});
      give(w, &places[0]);
    }
    if (!at || !hd_mttl_follow_again(w->t, w->rules, at)) /* it ends and begins again; there is but one place */
      at = hd_mttl_follow(w->t, w->rules, w->nrules, at);
    take(w, &places[a < b ? a : b]);
    if (a != b)
      take(w, &places[a < b ? b : a]);
    give(w, &places[a]);
    if (a != b)
      give(w, &places[b]);
  }
  hd_mttl_exits(w->t, &w->token);
  hd_mttl_thread_free(w->t);
  return NULL;
}

static unsigned
run(const char *properties, bool careless)
{
  hd_string messages = {0};
  hd_mttl_file *f = hd_mttl_parse("threads", properties, strlen(properties), &messages);
  if (!f)
    fail_msg("%s", messages.text);
  hd_mttl_monitor *m = hd_mttl_monitor_new(f, report, NULL);
  hd_mttl_thread *first = hd_mttl_thread_new(m, NULL, NULL);
  worker workers[THREADS];
  pthread_t handles[THREADS];
  atomic_store(&reports, 0);
  for (unsigned i = 0; i < MUTEXES; i++)
    pthread_mutex_init(&places[i].mutex, NULL);
  for (unsigned i = 0; i < THREADS; i++)
  {
    workers[i] = (worker){.t = hd_mttl_thread_new(m, first, NULL), .random = i + 1, .careless = careless};
    for (unsigned k = 0; k < 2; k++) /* what the end of f says, and then its beginning */
      for (size_t r = 0; r < f->nrules; r++)
        if ((f->rules[r].moment == HD_MTTL_EXIT) == (k == 0))
          workers[i].rules[workers[i].nrules++] = &f->rules[r];
  }
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&handles[i], NULL, work, &workers[i]);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(handles[i], NULL);
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  for (unsigned i = 0; i < THREADS; i++)
  {
    hd_mttl_acquire(first, &workers[i].token, &e);
    hd_mttl_object_clear(&workers[i].token);
  }
  for (unsigned i = 0; i < MUTEXES; i++)
  {
    assert_true(hd_mttl_take_quietly(first, &places[i].baton) || careless); /* it has seen all of them */
    hd_mttl_baton_clear(&places[i].baton);
    pthread_mutex_destroy(&places[i].mutex);
  }
  hd_mttl_thread_free(first);
  hd_mttl_monitor_free(m);
  hd_mttl_free(f);
  return atomic_load(&reports);
}

static void
test_locked(void **unused)
{
  (void) unused;
  assert_int_equal(run(text, false), 0);
  assert_int_equal(run(one, false), 0);
}

/* Nothing is said of what is known then; but nothing breaks. */
static void
test_careless(void **unused)
{
  (void) unused;
  run(text, true);
  run(one, true);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_locked), cmocka_unit_test(test_careless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
