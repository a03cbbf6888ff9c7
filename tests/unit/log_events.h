/* log_events.h: for tests of the writer: read a log back into an array of events. */
#ifndef HD_TEST_LOG_EVENTS_H
#define HD_TEST_LOG_EVENTS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"

typedef struct seen
{
  hd_event e; /* VALUES is not valid: use V */
  hd_value v[HD_SITE_VALUES];
  char text[HD_SITE_VALUES][40]; /* the begin of strings and byte strings */
} seen;

typedef struct seen_log
{
  hd_log *log;
  seen *events;
  size_t n, cap;
  size_t damages;
} seen_log;

static bool
seen_add(void *context, const hd_event *e)
{
  seen_log *l = context;
  if (l->n == l->cap)
  {
    l->cap = l->cap ? 2 * l->cap : 64;
    l->events = realloc(l->events, l->cap * sizeof *l->events);
    if (!l->events)
      abort();
  }
  seen *s = &l->events[l->n++];
  memset(s, 0, sizeof *s);
  s->e = *e;
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    s->v[i] = e->values[i];
    if (e->values[i].type >= HD_STR)
    {
      size_t n = e->values[i].length < sizeof s->text[i] - 1 ? e->values[i].length : sizeof s->text[i] - 1;
      memcpy(s->text[i], e->values[i].p, n);
    }
  }
  return true;
}

static void
seen_frontier(void *context, uint32_t object, uint64_t f)
{
  (void) context, (void) object, (void) f;
}

/* The whole log. Damage is printed, and counted for the caller to judge. */
static inline seen_log
read_log(const char *path)
{
  seen_log l = {0};
  char *error = NULL;
  l.log = hd_log_open(path, &error);
  if (!l.log)
    fail_msg("%s", error);
  hd_log_sink sink = {.context = &l, .event = seen_add, .frontier = seen_frontier};
  assert_true(hd_log_read(l.log, &sink));
  const hd_log_damage *damages;
  l.damages = hd_log_damages(l.log, &damages);
  for (size_t i = 0; i < l.damages; i++)
    print_message("damage at %llu: %s\n", (unsigned long long) damages[i].offset, damages[i].what);
  return l;
}

static inline void
free_log(seen_log *l)
{
  hd_log_free(l->log);
  free(l->events);
  *l = (seen_log){0};
}

/* A path for a log of its own; the same in forked processes if it was asked for before. */
static inline const char *
test_path(void)
{
  static char path[256];
  const char *dir = getenv("TMPDIR");
  if (!path[0])
    snprintf(path, sizeof path, "%s/heddle-test-%d.hlog", dir ? dir : "/tmp", (int) getpid());
  return path;
}

#endif
