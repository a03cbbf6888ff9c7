/* check.c: judging a script through a log file, as heddle check does. */
#include "script/script.h"

#include <stdlib.h>
#include <unistd.h>

script_answer
script_check(const char *text, const script_setup *setup)
{
  /* In memory where that can be: thousands of logs are made. */
  char path[64];
  snprintf(path, sizeof path, "%s/heddle-script-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  int fd = mkstemp(path);
  HD_CHECK(fd >= 0);
  close(fd);
  script_write(text,
               &(script_names){
                   .file = "script", .type = setup->specs[0]->name, .config = setup->config, .nconfig = setup->nconfig},
               path);
  char *error = NULL;
  script_answer a = {.log = hd_log_open(path, &error)};
  unlink(path);
  if (!a.log)
    fprintf(stderr, "%s\n", error);
  HD_CHECK(a.log != NULL);
  a.checks = hd_checks_new(a.log, setup->specs, setup->nspecs, &setup->options, setup->workers ? setup->workers : 1,
                           NULL, 0);
  hd_log_sink sink = hd_checks_sink(a.checks);
  hd_log_read(a.log, &sink);
  const hd_log_damage *damages;
  const char *why = hd_log_damages(a.log, &damages) ? damages[0].what
                    : hd_log_dropped(a.log)         ? "operations were not logged"
                                                    : NULL;
  a.verdict = hd_checks_finish(a.checks, why);
  a.results = hd_checks_results(a.checks, &a.nresults);
  if (a.nresults)
  {
    a.result = a.results[0];
    a.finding = &a.result->finding;
  }
  return a;
}

void
script_done(script_answer *a)
{
  hd_checks_free(a->checks);
  hd_log_free(a->log);
  *a = (script_answer){0};
}

unsigned
script_line(const script_answer *a, uint32_t site)
{
  const hd_log_site *s = site ? hd_log_site_get(a->log, site) : NULL;
  return s ? s->line : 0;
}

const hd_op_info *
script_failing(const script_answer *a)
{
  const hd_op_info *found = NULL;
  for (size_t i = 0; i < a->finding->nops; i++)
    if (a->finding->ops[i].failing)
    {
      if (found)
        return NULL;
      found = &a->finding->ops[i];
    }
  return found;
}

const hd_op_info *
script_op(const script_answer *a, unsigned line)
{
  for (size_t i = 0; i < a->finding->nops; i++)
    if (script_line(a, a->finding->ops[i].call_site) == line)
      return &a->finding->ops[i];
  return NULL;
}
