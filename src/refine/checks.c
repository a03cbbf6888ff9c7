/* checks.c: one check per object, in the reading thread or on several threads.
 *
 * Objects are independent, so each worker owns some of them and gets their events, copied into batches, through a short
 * bounded queue. */
#include "refine/again.h"
#include "refine/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES (1u << 18)
#define QUEUE 8

/* A message in a batch: an event with its values behind it, or a frontier (kind HD_K_NONE, the stamp is the frontier).
 */
typedef struct message
{
  hd_event event;
  uint32_t bytes; /* of the whole message */
} message;

typedef struct batch
{
  size_t used, size;
  char *bytes;
} batch;

typedef struct worker
{
  struct hd_checks *all;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  batch queue[QUEUE];
  size_t head, tail; /* head - tail batches are waiting */
  bool ending;
  batch open; /* being filled by the reading thread */
} worker;

typedef struct entry
{
  hd_refine *check; /* NULL: not seen yet, or not judged */
  bool seen;
  again *again; /* a second reading of it is under way */
  bool decided; /* written by the owner of the check; read by the reading thread if it is the same */
} entry;

struct hd_checks
{
  const hd_log *log;
  const hd_spec *const *specs;
  size_t nspecs;
  hd_refine_options options;
  const char *const *names;
  size_t nnames;
  entry *entries; /* by object id */
  size_t nentries;
  unsigned nworkers;
  worker *workers;
  uint64_t events, events_again;
  bool damaged; /* something is missing in the log */
  void (*tell)(void *context, const hd_refine_result *result);
  void *tell_context;
  const hd_refine_result **results;
  size_t nresults;
  uint32_t *unmatched;
  size_t nunmatched, unmatched_cap;
};

static const hd_spec *
spec_for(const hd_checks *c, const hd_log_object *o)
{
  for (size_t i = 0; i < c->nspecs; i++)
    if (strcmp(c->specs[i]->name, o->type) == 0)
      return c->specs[i];
  return NULL;
}

static bool
selected(const hd_checks *c, const hd_log_object *o)
{
  for (size_t i = 0; i < c->nnames; i++)
    if (strcmp(c->names[i], o->name) == 0)
      return true;
  return c->nnames == 0;
}

static entry *
entry_get(hd_checks *c, uint32_t id)
{
  if (id >= c->nentries)
  {
    size_t n = c->nentries ? c->nentries : 64;
    while (id >= n)
      n *= 2;
    c->entries = hd_realloc(c->entries, n * sizeof *c->entries);
    memset(c->entries + c->nentries, 0, (n - c->nentries) * sizeof *c->entries);
    c->nentries = n;
  }
  entry *e = &c->entries[id];
  if (e->seen)
    return e;
  e->seen = true;
  const hd_log_object *o = hd_log_object_get(c->log, id);
  if (!o || !selected(c, o))
    return e;
  const hd_spec *spec = spec_for(c, o);
  if (spec)
  {
    e->check = hd_refine_new(spec, c->log, id, &c->options);
    if (c->options.whole && !e->check->decided)
      e->again = again_new(e->check);
  }
  else
    HD_PUSH(c->unmatched, c->nunmatched, c->unmatched_cap, id);
  return e;
}

/* ---- workers ---- */

static void
worker_run_batch(const hd_checks *c, batch *b)
{
  for (size_t at = 0; at < b->used;)
  {
    message *m = (message *) (b->bytes + at);
    const entry *t = &c->entries[m->event.object];
    at += m->bytes;
    if (m->event.kind == HD_K_NONE)
      hd_refine_frontier(t->check, m->event.stamp);
    else
    {
      hd_value *values = (hd_value *) (m + 1);
      char *text = (char *) (values + m->event.nvalues);
      for (uint32_t i = 0; i < m->event.nvalues; i++)
        if (values[i].type >= HD_STR)
        {
          values[i].p = text;
          text += values[i].length;
        }
      m->event.values = values;
      if (t->again)
        again_event(t->again, &m->event);
      else
        hd_refine_event(t->check, &m->event);
    }
  }
  b->used = 0;
}

static void *
worker_main(void *arg)
{
  worker *w = arg;
  pthread_mutex_lock(&w->lock);
  for (;;)
  {
    while (w->head == w->tail && !w->ending)
      pthread_cond_wait(&w->changed, &w->lock);
    if (w->head == w->tail)
      break;
    batch *b = &w->queue[w->tail % QUEUE];
    pthread_mutex_unlock(&w->lock);
    worker_run_batch(w->all, b);
    pthread_mutex_lock(&w->lock);
    w->tail++;
    pthread_cond_signal(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void
worker_flush(worker *w)
{
  if (!w->open.used)
    return;
  pthread_mutex_lock(&w->lock);
  while (w->head - w->tail == QUEUE)
    pthread_cond_wait(&w->changed, &w->lock);
  batch *slot = &w->queue[w->head % QUEUE];
  batch empty = *slot;
  *slot = w->open;
  w->open = empty;
  w->head++;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static void
worker_send(worker *w, const hd_event *e)
{
  size_t n = sizeof(message) + e->nvalues * sizeof(hd_value);
  for (uint32_t i = 0; i < e->nvalues; i++)
    if (e->values[i].type >= HD_STR)
      n += e->values[i].length;
  n = (n + 15) & ~(size_t) 15;
  if (w->open.used + n > w->open.size && w->open.used)
    worker_flush(w);
  if (w->open.used + n > w->open.size)
  {
    w->open.size = n > BATCH_BYTES ? n : BATCH_BYTES;
    w->open.bytes = hd_realloc(w->open.bytes, w->open.size);
  }
  message *m = (message *) (w->open.bytes + w->open.used);
  m->event = *e;
  m->bytes = (uint32_t) n;
  hd_value *values = (hd_value *) (m + 1);
  char *text = (char *) (values + e->nvalues);
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    values[i] = e->values[i];
    if (values[i].type >= HD_STR && values[i].length)
    {
      memcpy(text, values[i].p, values[i].length);
      text += values[i].length;
    }
  }
  w->open.used += n;
}

/* ---- the sink ---- */

static bool
cancelled(const hd_checks *c)
{
  return c->options.cancel && __atomic_load_n(c->options.cancel, __ATOMIC_RELAXED);
}

/* Everything that can be judged is: no need to read on. */
static bool
nothing_left(const hd_checks *c)
{
  uint32_t n = hd_log_objects(c->log);
  for (uint32_t id = 1; id <= n; id++)
    if (id >= c->nentries || !c->entries[id].seen || (c->entries[id].check && !c->entries[id].decided))
      return false;
  return true;
}

static void
decided(hd_checks *c, entry *t)
{
  t->decided = true;
  const hd_refine_result *result = hd_refine_get_result(t->check);
  if (c->tell && result->verdict == HD_VIOLATED)
    c->tell(c->tell_context, result);
}

static bool
sink_event(void *context, const hd_event *e)
{
  hd_checks *c = context;
  c->events++;
  if (e->object == 0)
    return true;
  entry *t = entry_get(c, e->object);
  if (!t->check || t->decided)
    return true;
  if (c->nworkers > 1)
  {
    worker_send(&c->workers[e->object % c->nworkers], e);
    return (c->events & 0xfff) != 0 || !cancelled(c);
  }
  if (t->again)
    again_event(t->again, e);
  else if (HD_UNLIKELY(!hd_refine_event(t->check, e)))
  {
    decided(c, t);
    return !nothing_left(c);
  }
  return (c->events & 0xfff) != 0 || !cancelled(c);
}

static void
sink_frontier(void *context, uint32_t object, uint64_t f)
{
  hd_checks *c = context;
  entry *t = entry_get(c, object);
  if (!t->check || t->decided || t->again)
    return;
  if (c->nworkers > 1)
    worker_send(&c->workers[object % c->nworkers], &(hd_event){.kind = HD_K_NONE, .object = object, .stamp = f});
  else if (!hd_refine_frontier(t->check, f))
    decided(c, t);
}

hd_log_sink
hd_checks_sink(hd_checks *c)
{
  return (hd_log_sink){.context = c, .event = sink_event, .frontier = sink_frontier};
}

/* ---- life ---- */

HD_GIVE hd_checks *
hd_checks_new(HD_KEEP const hd_log *log, HD_KEEP const hd_spec *const *specs, size_t nspecs,
              const hd_refine_options *options, unsigned workers, HD_KEEP const char *const *names, size_t nnames)
{
  hd_checks *c = hd_alloc_zero(sizeof *c);
  c->log = log;
  c->specs = specs;
  c->nspecs = nspecs;
  c->options = *options;
  c->nworkers = workers;
  c->names = names;
  c->nnames = nnames;
  if (workers > 1)
  {
    /* The table must not move while workers use it: all objects are known before the first event. */
    uint32_t n = hd_log_objects(log);
    for (uint32_t id = 0; id <= n; id++)
      entry_get(c, id);
    c->workers = hd_alloc_zero(workers * sizeof *c->workers);
    for (unsigned i = 0; i < workers; i++)
    {
      worker *w = &c->workers[i];
      w->all = c;
      pthread_mutex_init(&w->lock, NULL);
      pthread_cond_init(&w->changed, NULL);
      HD_CHECK(pthread_create(&w->thread, NULL, worker_main, w) == 0);
    }
  }
  return c;
}

static void
join_workers(hd_checks *c)
{
  if (!c->workers)
    return;
  for (unsigned i = 0; i < c->nworkers; i++)
  {
    worker *w = &c->workers[i];
    worker_flush(w);
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    for (size_t k = 0; k < QUEUE; k++)
      free(w->queue[k].bytes);
    free(w->open.bytes);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
  }
  free(c->workers);
  c->workers = NULL;
}

void
hd_checks_free(HD_TAKE hd_checks *c)
{
  if (!c)
    return;
  join_workers(c);
  for (size_t i = 0; i < c->nentries; i++)
  {
    again_free(c->entries[i].again);
    hd_refine_free(c->entries[i].check);
  }
  free(c->entries);
  free(c->results);
  free(c->unmatched);
  free(c);
}

void
hd_checks_tell(hd_checks *c, void (*tell)(void *context, const hd_refine_result *result), void *context)
{
  c->tell = tell;
  c->tell_context = context;
}

uint64_t
hd_checks_events(const hd_checks *c)
{
  return c->events;
}

/* Which verdict speaks for the whole: the worst news first. */
static int
weight(hd_verdict v)
{
  switch (v)
  {
  case HD_VIOLATED:
    return 3;
  case HD_BAD_INPUT:
    return 2;
  case HD_INCOMPLETE:
    return 1;
  default:
    return 0;
  }
}

static hd_verdict
overall(const hd_checks *c)
{
  hd_verdict verdict = c->damaged ? HD_INCOMPLETE : HD_HOLDS;
  for (size_t i = 0; i < c->nresults; i++)
    if (weight(c->results[i]->verdict) > weight(verdict))
      verdict = c->results[i]->verdict;
  return verdict;
}

hd_verdict
hd_checks_finish(hd_checks *c, const char *why_incomplete)
{
  join_workers(c);
  uint32_t n = hd_log_objects(c->log);
  for (uint32_t id = 1; id <= n; id++)
    entry_get(c, id);
  c->damaged = why_incomplete != NULL;
  c->results = hd_alloc_array(c->nentries ? c->nentries : 1, sizeof *c->results);
  for (size_t id = 1; id < c->nentries; id++)
    if (c->entries[id].check)
    {
      bool known = c->entries[id].decided;
      if (c->entries[id].again && cancelled(c))
        refine_incomplete(c->entries[id].check, hd_text("it was given up: a limit was reached"));
      else if (c->entries[id].again)
        again_settle(c->entries[id].again);
      hd_refine_finish(c->entries[id].check, why_incomplete);
      if (!known && c->nworkers == 1)
        decided(c, &c->entries[id]);
      c->results[c->nresults++] = hd_refine_get_result(c->entries[id].check);
    }
  return overall(c);
}

/* ---- the second reading ---- */

bool
hd_checks_gave_up(const hd_checks *c)
{
  for (size_t id = 1; id < c->nentries; id++)
  {
    const hd_refine *r = c->entries[id].check;
    if (r && r->result.verdict == HD_INCOMPLETE && r->search.stopped && !cancelled(c))
      return true;
  }
  return false;
}

bool
hd_checks_unfit(const hd_checks *c)
{
  for (size_t id = 1; id < c->nentries; id++)
    if (c->options.whole && c->entries[id].again && c->entries[id].again->unfit)
      return true;
  return false;
}

bool
hd_checks_wants_again(hd_checks *c)
{
  bool wanted = false;
  if (c->options.whole)
    return false;
  for (size_t id = 1; id < c->nentries; id++)
    if (c->entries[id].check && again_wanted(c->entries[id].check))
    {
      c->entries[id].again = again_new(c->entries[id].check);
      wanted = true;
    }
  return wanted;
}

static bool
again_sink_event(void *context, const hd_event *e)
{
  hd_checks *c = context;
  if (e->object < c->nentries && c->entries[e->object].again)
    again_event(c->entries[e->object].again, e);
  return (++c->events_again & 0xfff) != 0 || !cancelled(c);
}

static void
again_sink_frontier(void *context, uint32_t object, uint64_t f)
{
  (void) context, (void) object, (void) f;
}

hd_log_sink
hd_checks_again_sink(hd_checks *c)
{
  return (hd_log_sink){.context = c, .event = again_sink_event, .frontier = again_sink_frontier};
}

hd_verdict
hd_checks_settle(hd_checks *c)
{
  for (size_t id = 1; id < c->nentries; id++)
    if (c->entries[id].again && !cancelled(c))
      again_settle(c->entries[id].again);
  return overall(c);
}

const hd_refine_result *const *
hd_checks_results(const hd_checks *c, size_t *n)
{
  *n = c->nresults;
  return c->results;
}

const uint32_t *
hd_checks_unmatched(const hd_checks *c, size_t *n)
{
  *n = c->nunmatched;
  return c->unmatched;
}
