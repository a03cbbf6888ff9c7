/* feed.c: giving a trace to the checker under test: directly, with any arrival order and any sound frontiers, and
 * through a log file. */
#include "feed.h"

#include "specs.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum
{
  METHODS = 5,
  SITE_VALUES = 4,
};

typedef struct sites
{
  uint32_t id[HD_K_COUNT][METHODS][SITE_VALUES]; /* by kind, method of a call, number of values */
} sites;

static struct
{
  char directory[PATH_MAX - 64];
  hd_log *names[MODEL_COUNT]; /* logs without events: what the checker takes names, sites and objects from */
  sites sites[MODEL_COUNT];
} feed;

static void
declare(hd_log_build *b, model_kind kind, sites *s, unsigned k, unsigned method, const char *name, unsigned nvalues)
{
  static const uint8_t types[SITE_VALUES] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC};
  uint32_t line = 100 * (k + 1) + method;
  s->id[k][method][nvalues] = hd_log_build_site(b, k, name, "program.c", models[kind].name, line, types, nvalues);
}

/* The object and all sites that a trace of this kind can need. */
static void
declare_all(hd_log_build *b, model_kind kind, sites *s)
{
  static const struct
  {
    uint8_t kind, nvalues;
  } plain[] = {
      {HD_K_RETURN, 0},      {HD_K_RETURN, 1},         {HD_K_RETURN_EXC, 0},   {HD_K_RETURN_EXC, 1},
      {HD_K_COMMIT, 0},      {HD_K_COMMIT_RET, 1},     {HD_K_COMMIT_EXC, 1},   {HD_K_WINDOW, 0},
      {HD_K_BLOCK_BEGIN, 0}, {HD_K_BLOCK_END, 0},      {HD_K_WRITE, 2},        {HD_K_WRITE_OLD, 3},
      {HD_K_FREE_WRITE, 2},  {HD_K_FREE_WRITE_OLD, 3}, {HD_K_INTERNAL_END, 0}, {HD_K_OBJECT_END, 0},
      {HD_K_MISUSE, 1},      {HD_K_ABANDON, 0},
  };
  hd_value config = hd_int(kind);
  HD_CHECK(hd_log_build_object(b, models[kind].name, "o", &config, 1) == 1);
  for (unsigned m = 0; m < models[kind].nmethods; m++)
  {
    const hd_method *method = &models[kind].methods[m];
    declare(b, kind, s, HD_K_CALL, m, method->name, (unsigned) strlen(method->args));
    declare(b, kind, s, HD_K_CALL_NOCOMMIT, m, method->name, (unsigned) strlen(method->args));
  }
  declare(b, kind, s, HD_K_INTERNAL_BEGIN, 0, "compress", 0);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    declare(b, kind, s, plain[i].kind, 0, "", plain[i].nvalues);
}

static hd_log_build *
build_new(const char *path)
{
  char *error = NULL;
  hd_log_build *b = hd_log_build_new(path, &error);
  HD_CHECK(b);
  return b;
}

static hd_log *
build_close(hd_log_build *b, const char *path)
{
  char *error = NULL;
  HD_CHECK(hd_log_build_close(b, true, &error));
  hd_log *log = hd_log_open(path, &error);
  HD_CHECK(log);
  unlink(path);
  return log;
}

void
feed_start(const char *directory)
{
  snprintf(feed.directory, sizeof feed.directory, "%s", directory);
  for (unsigned kind = 0; kind < MODEL_COUNT; kind++)
  {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/names-%u.hlog", feed.directory, kind);
    hd_log_build *b = build_new(path);
    declare_all(b, kind, &feed.sites[kind]);
    feed.names[kind] = build_close(b, path);
  }
}

void
feed_stop(void)
{
  for (unsigned kind = 0; kind < MODEL_COUNT; kind++)
    hd_log_free(feed.names[kind]);
}

static hd_event
event_of(const trace *t, const sites *s, const trace_record *r)
{
  bool call = r->kind == HD_K_CALL || r->kind == HD_K_CALL_NOCOMMIT;
  return (hd_event){
      .kind = r->kind,
      .ticked = r->ticked,
      .stamped = r->stamped,
      .thread = r->thread,
      .object = 1,
      .site = s->id[r->kind][call ? r->method : 0][r->nvalues],
      .stamp = r->stamp,
      .nvalues = r->nvalues,
      .values = t->record[r - t->record].values,
  };
}

static hd_refine *
refine_new(const trace *t, const hd_log *names, const feed_plan *plan)
{
  unsigned variant
      = (t->views ? 0 : SPEC_NO_VIEW) | (t->outcomes ? 0 : SPEC_NO_OUTCOMES) | (plan->test ? SPEC_WITH_TEST : 0);
  return hd_refine_new(specs_get(t->kind, variant), names, 1, &plan->options);
}

static feed_result
conclude(hd_refine *r, const char *why)
{
  feed_result f = {.verdict = hd_refine_finish(r, why)};
  const hd_refine_result *result = hd_refine_get_result(r);
  HD_CHECK(result->verdict == f.verdict);
  f.kind = result->finding.kind;
  f.blame = result->finding.blame;
  f.position = result->finding.position;
  f.view_comparisons = result->stats.view_comparisons;
  f.configurations_peak = result->stats.configurations_peak;
  for (size_t i = 0; i < result->finding.nops; i++)
    if (result->finding.ops[i].failing)
    {
      f.nfailing++;
      f.failing_thread = result->finding.ops[i].thread;
      f.failing_call = result->finding.ops[i].call;
    }
  if (result->finding.headline)
    snprintf(f.headline, sizeof f.headline, "%s", result->finding.headline);
  if (result->incomplete)
    snprintf(f.incomplete, sizeof f.incomplete, "%s", result->incomplete);
  hd_refine_free(r);
  return f;
}

/* ---- directly ---- */

typedef struct arrival
{
  const trace *t;
  size_t next[TRACE_THREADS]; /* the next record of each thread */
  size_t left;
  unsigned thread, burst;
} arrival;

static void
skip_others(arrival *a, unsigned thread)
{
  while (a->next[thread] < a->t->n && a->t->record[a->next[thread]].thread != thread)
    a->next[thread]++;
}

static void
arrival_start(arrival *a, const trace *t)
{
  *a = (arrival){.t = t, .left = t->n};
  for (unsigned i = 1; i < TRACE_THREADS; i++)
    skip_others(a, i);
}

static const trace_record *
arrive(arrival *a, const feed_plan *plan)
{
  unsigned thread = 0;
  if (!plan->random || plan->orderly)
    thread = a->t->record[a->t->n - a->left].thread;
  else
  {
    thread = a->thread;
    while (thread == 0 || a->burst == 0 || a->next[thread] >= a->t->n)
    {
      thread = 1 + (unsigned) (hd_random(plan->random) % (TRACE_THREADS - 1));
      a->burst = 1 + (unsigned) (hd_random(plan->random) % (hd_random(plan->random) % 3 ? 4 : 40));
    }
    a->thread = thread;
    a->burst--;
  }
  const trace_record *r = &a->t->record[a->next[thread]++];
  skip_others(a, thread);
  a->left--;
  return r;
}

/* The highest sound frontier now: no record that is still to come has a smaller stamp, and the clock has come so far.
 */
static uint64_t
highest_frontier(const arrival *a)
{
  uint64_t f = 0;
  for (size_t i = 0; i < a->t->n; i++)
    if (a->t->record[i].stamped && a->t->record[i].stamp + a->t->record[i].ticked > f)
      f = a->t->record[i].stamp + a->t->record[i].ticked;
  for (unsigned thread = 1; thread < TRACE_THREADS; thread++)
    for (size_t i = a->next[thread]; i < a->t->n; i++)
    {
      const trace_record *r = &a->t->record[i];
      if (r->thread == thread && r->stamped && r->stamp < f)
        f = r->stamp;
    }
  return f;
}

feed_result
feed_check(const trace *t, const feed_plan *plan)
{
  hd_refine *r = refine_new(t, feed.names[t->kind], plan);
  arrival a;
  uint64_t told = 0;
  unsigned every = plan->random ? 1 + (unsigned) (hd_random(plan->random) % 20) : 0;
  bool on = true;
  arrival_start(&a, t);
  while (on && a.left)
  {
    hd_event e = event_of(t, &feed.sites[t->kind], arrive(&a, plan));
    on = hd_refine_event(r, &e);
    if (on && every && hd_random(plan->random) % every == 0)
    {
      uint64_t f = highest_frontier(&a);
      if (f > told && hd_random(plan->random) % 3 == 0)
        f -= hd_random(plan->random) % (f - told);
      told = f > told ? f : told;
      on = hd_refine_frontier(r, told);
    }
  }
  if (on)
    hd_refine_frontier(r, UINT64_MAX);
  return conclude(r, NULL);
}

/* ---- through a file ---- */

static bool
sink_event(void *context, const hd_event *e)
{
  return hd_refine_event(context, e);
}

static void
sink_frontier(void *context, uint32_t object, uint64_t f)
{
  HD_CHECK(object == 1);
  hd_refine_frontier(context, f);
}

feed_result
feed_check_file(const trace *t, const feed_plan *plan)
{
  char path[PATH_MAX];
  sites s;
  snprintf(path, sizeof path, "%s/case.hlog", feed.directory);
  hd_log_build *b = build_new(path);
  declare_all(b, t->kind, &s);
  for (size_t i = 0; i < t->n; i++)
  {
    hd_event e = event_of(t, &s, &t->record[i]);
    hd_log_build_event(b, &e);
  }
  hd_log *log = build_close(b, path);
  hd_refine *r = refine_new(t, log, plan);
  hd_log_sink sink = {r, sink_event, sink_frontier};
  hd_log_read(log, &sink);
  const hd_log_damage *damages;
  feed_result f = conclude(r, hd_log_damages(log, &damages) ? damages[0].what : NULL);
  hd_log_free(log);
  return f;
}
