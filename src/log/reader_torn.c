/* reader_torn.c: records that were announced and never finished, because the program died in between.
 *
 * Such a record is the last one of its thread. Whether its tick was made can be seen from the object's clock: if
 * exactly one tick of the object is missing in the log and exactly one unfinished record can have made it, that record
 * has that stamp (docs/rules.md, 3.3). The missing tick is found without remembering the others: it is the difference
 * of two sums. */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

void
hd_reader_torn_add(hd_log *log, const hd_event *e, bool may_tick, uint64_t floor)
{
  hd_reader_torn t = {.event = *e, .may_tick = may_tick, .floor = floor};
  hd_value *values = NULL;
  if (e->nvalues)
  {
    values = hd_alloc_array(e->nvalues, sizeof *values);
    for (uint32_t i = 0; i < e->nvalues; i++)
    {
      values[i] = e->values[i];
      if (values[i].type >= HD_STR)
      {
        char *copy = hd_alloc(values[i].length);
        memcpy(copy, values[i].p, values[i].length);
        values[i].p = copy;
      }
    }
  }
  t.event.values = values;
  if (may_tick)
    log->objects[e->object]->torn++;
  HD_PUSH(log->torn, log->ntorn, log->cap_torn, t);
}

void
hd_reader_torn_clear(hd_log *log)
{
  for (size_t i = 0; i < log->ntorn; i++)
  {
    hd_event *e = &log->torn[i].event;
    for (uint32_t k = 0; k < e->nvalues; k++)
      if (e->values[k].type >= HD_STR)
        free((void *) e->values[k].p);
    free((void *) e->values);
  }
  log->ntorn = 0;
}

/* The one tick of O that is missing. False: none or several are. */
static bool
missing_tick(const hd_reader_object *o, uint64_t *stamp)
{
  uint64_t first = o->info.first, ticks = o->info.ticks;
  if (ticks <= first || ticks - first != o->seen + 1)
    return false;
  unsigned __int128 all = (unsigned __int128) (ticks - first) * (first + ticks - 1) / 2;
  *stamp = (uint64_t) all - o->sum;
  return *stamp >= first && *stamp < ticks;
}

bool
hd_reader_torn_deliver(hd_log *log, const hd_log_sink *sink)
{
  for (size_t i = 0; i < log->ntorn; i++)
  {
    hd_reader_torn *t = &log->torn[i];
    hd_event *e = &t->event;
    hd_reader_object *o = t->may_tick ? log->objects[e->object] : NULL;
    uint64_t stamp;
    if (o && o->torn == 1 && missing_tick(o, &stamp) && stamp >= t->floor)
    {
      e->stamped = e->ticked = true;
      e->stamp = stamp;
    }
    log->events++;
    if (!sink->event(sink->context, e))
      return false;
  }
  return true;
}
