/* judge.c: from cases to verdicts. */
#include "naive/judge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/build.h"
#include "specs/specs.h"

static struct
{
  char path[PATH_MAX];
  const hd_spec *specs[NAIVE_OBJECTS];
} judge;

void
naive_judge_start(const char *folder)
{
  snprintf(judge.path, sizeof judge.path, "%s/cases.hlog", folder);
  for (size_t i = 0; i < NAIVE_OBJECTS; i++)
    judge.specs[i] = naive_spec(&naive_objects[i]);
}

void
naive_judge_stop(void)
{
  unlink(judge.path);
}

/* ---- writing ---- */

enum
{
  MAX_VALUES = 3,
};

typedef struct writing
{
  hd_log_build *build;
  uint32_t call_sites[2][NAIVE_OBJECTS][NAIVE_METHODS]; /* [without commit][specification][method] */
  uint32_t other_sites[HD_K_COUNT][MAX_VALUES];         /* by the number of values */
  uint32_t threads[NAIVE_LANES + 1];                    /* the thread that plays a lane; 0: none */
  uint32_t nthreads;
} writing;

static uint32_t
site(const writing *w, uint32_t kind, const char *method, uint32_t nvalues)
{
  static const uint8_t types[MAX_VALUES] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC};
  return hd_log_build_site(w->build, kind, method, "case.c", "run", 1, types, nvalues);
}

static void
write_event(writing *w, const naive_case *c, const naive_event *e, naive_stamp stamp, uint32_t object)
{
  static const uint8_t kinds[] = {HD_K_CALL, HD_K_WINDOW, HD_K_COMMIT, HD_K_RETURN, HD_K_ABANDON};
  const naive_call *o = &c->ops[e->op];
  uint32_t *thread = &w->threads[o->lane];
  if (*thread == 0)
    *thread = ++w->nthreads;
  hd_event event = {.kind = kinds[e->kind],
                    .ticked = stamp.ticked,
                    .stamped = e->kind != NAIVE_ABANDON,
                    .thread = *thread,
                    .object = object,
                    .stamp = stamp.number};
  if (e->kind == NAIVE_CALL)
  {
    event.kind = o->nocommit ? HD_K_CALL_NOCOMMIT : HD_K_CALL;
    event.values = o->args;
    event.nvalues = o->nargs;
    size_t spec = (size_t) (c->object - naive_objects);
    uint32_t *known = &w->call_sites[o->nocommit][spec][o->method];
    if (*known == 0)
      *known = site(w, event.kind, judge.specs[spec]->methods[o->method].name, o->nargs);
    event.site = *known;
  }
  else if (e->kind != NAIVE_ABANDON)
  {
    bool tells = e->kind == NAIVE_COMMIT && o->ret_at_commit;
    if (tells)
      event.kind = HD_K_COMMIT_RET;
    event.values = &o->ret;
    event.nvalues = tells || (e->kind == NAIVE_RETURN && o->ret.type != HD_NIL);
    uint32_t *known = &w->other_sites[event.kind][event.nvalues];
    if (*known == 0)
      *known = site(w, event.kind, "", event.nvalues);
    event.site = *known;
  }
  hd_log_build_event(w->build, &event);
}

static void
write_case(writing *w, const naive_case *c, size_t number)
{
  char name[32];
  naive_stamp stamps[NAIVE_EVENTS];
  bool open[NAIVE_LANES + 1] = {false};
  snprintf(name, sizeof name, "case %zu", number);
  uint32_t object = hd_log_build_object(w->build, c->object->name, name, c->config, c->nconfig);
  naive_stamps(c, stamps);
  for (size_t i = 0; i < c->nevents; i++)
  {
    write_event(w, c, &c->events[i], stamps[i], object);
    open[c->ops[c->events[i].op].lane] = c->events[i].kind != NAIVE_RETURN && c->events[i].kind != NAIVE_ABANDON;
  }
  for (size_t lane = 1; lane <= NAIVE_LANES; lane++)
    if (open[lane])
    {
      if (c->ends)
        hd_log_build_thread_end(w->build, w->threads[lane]);
      w->threads[lane] = 0;
    }
}

void
naive_log_write(const naive_case *cases, size_t n)
{
  static writing w;
  char *error = NULL;
  memset(&w, 0, sizeof w);
  w.build = hd_log_build_new(judge.path, &error);
  HD_CHECK(w.build);
  for (size_t i = 0; i < n; i++)
    write_case(&w, &cases[i], i);
  HD_CHECK(hd_log_build_close(w.build, true, &error));
}

/* ---- judging ---- */

static hd_log *
open_log(void)
{
  char *error = NULL;
  hd_log *log = hd_log_open(judge.path, &error);
  HD_CHECK(log);
  return log;
}

/* As cmd_check.c does it. */
static void
read_and_judge(const naive_judging *how, uint64_t max_configurations, size_t n, naive_verdict *verdicts, bool *gave_up)
{
  hd_log *log = open_log();
  hd_refine_options options = {.no_diagnosis = !how->diagnosis, .max_configurations = max_configurations};
  hd_checks *checks = hd_checks_new(log, judge.specs, NAIVE_OBJECTS, &options, how->workers, NULL, 0);
  hd_log_sink sink = hd_checks_sink(checks);
  size_t nresults;
  const hd_log_damage *damages;
  hd_log_read(log, &sink);
  HD_CHECK(hd_log_damages(log, &damages) == 0);
  hd_checks_finish(checks, NULL);
  const hd_refine_result *const *results = hd_checks_results(checks, &nresults);
  HD_CHECK(nresults == n);
  for (size_t i = 0; i < n; i++)
    verdicts[i].first = results[i]->verdict;
  if (hd_checks_wants_again(checks))
  {
    hd_log *second = open_log();
    sink = hd_checks_again_sink(checks);
    hd_log_read(second, &sink);
    hd_log_free(second);
    hd_checks_settle(checks);
  }
  *gave_up = hd_checks_gave_up(checks);
  for (size_t i = 0; i < n; i++)
  {
    const hd_refine_result *r = results[i];
    const char *text = r->incomplete ? r->incomplete : r->finding.headline ? r->finding.headline : "";
    verdicts[i].verdict = r->verdict;
    verdicts[i].blame = r->finding.blame;
    snprintf(verdicts[i].text, sizeof verdicts[i].text, "%s", text);
  }
  hd_checks_free(checks);
  hd_log_free(log);
}

void
naive_log_judge(const naive_judging *how, size_t n, naive_verdict *verdicts)
{
  bool gave_up;
  read_and_judge(how, how->max_configurations, n, verdicts, &gave_up);
  if (gave_up && how->in_earnest)
    read_and_judge(how, 0, n, verdicts, &gave_up);
}
