/* slots.c: when things happen: boundaries, the intervals of operations, and the points at which views are compared. */
#include "oracle_private.h"

static uint32_t
first_slot(const search *s, int record)
{
  const trace_record *r = &s->p.log->record[record];
  if (s->time == ORACLE_REAL_TIME)
    return (uint32_t) record + 1;
  return r->stamp + r->ticked;
}

static uint32_t
last_slot(const search *s, int record)
{
  if (s->time == ORACLE_REAL_TIME)
    return (uint32_t) record;
  return s->p.log->record[record].stamp;
}

void
oracle_find_boundaries(search *s)
{
  const trace *t = s->p.log;
  uint32_t n = 0;
  s->missing = false;
  if (s->time == ORACLE_REAL_TIME)
    for (; n < t->n; n++)
      s->boundary[n] = (int) n;
  else
  {
    uint32_t known = 0; /* ticks that the log speaks of */
    for (size_t i = 0; i < t->n; i++)
      if (t->record[i].stamped && t->record[i].stamp + t->record[i].ticked > known)
        known = t->record[i].stamp + t->record[i].ticked;
    for (uint32_t k = 0; k < known && !s->missing; k++)
    {
      s->missing = true;
      for (size_t i = 0; i < t->n; i++)
        if (t->record[i].ticked && t->record[i].stamp == k)
        {
          s->boundary[n++] = (int) i;
          s->missing = false;
        }
    }
  }
  s->nslots = n + 1;
}

static bool
return_is_unknown(const search *s, const parsed_op *o)
{
  char ret = s->p.log->model->methods[o->method].ret;
  return !o->has_ret && !s->p.log->outcomes && ret != 'n' && ret != 'b';
}

static interval
find_interval(const search *s, const parsed_op *o)
{
  interval at = {.form = FREE, .unknown = false};
  if (o->internal || (o->observer && o->end < 0)) /* an observer without its return asks for nothing */
    return at;
  at.unknown = return_is_unknown(s, o);
  if (o->nocommit || (o->window >= 0 && (o->commit >= 0 || o->end < 0)))
  {
    int end = o->nocommit ? o->end : o->commit;
    at.form = SPAN;
    at.first = first_slot(s, o->nocommit ? o->call : o->window);
    at.required = end >= 0;
    at.last = end >= 0 ? last_slot(s, end) : UINT32_MAX;
  }
  else if (o->commit >= 0)
  {
    at.form = EXACT;
    at.first = at.last = last_slot(s, o->commit);
  }
  else if (o->end >= 0)
  {
    at.form = LOOKER;
    at.first = first_slot(s, o->call);
    at.last = last_slot(s, o->end);
  }
  return at;
}

void
oracle_find_intervals(search *s)
{
  s->unknown_from = s->pending_from = UINT32_MAX;
  for (unsigned o = 0; o < s->p.nops; o++)
  {
    s->at[o] = find_interval(s, &s->p.op[o]);
    if (s->at[o].form == SPAN && s->at[o].unknown && s->at[o].first < s->unknown_from)
      s->unknown_from = s->at[o].first;
    int block = s->p.op[o].block;
    bool open = !s->at[o].required || (block >= 0 && s->p.block[block].end < 0);
    if (s->at[o].form == SPAN && open && s->at[o].first < s->pending_from)
      s->pending_from = s->at[o].first;
  }
}

static bool
is_commit(const trace_record *r)
{
  return r->kind == HD_K_COMMIT || r->kind == HD_K_COMMIT_RET || r->kind == HD_K_COMMIT_EXC;
}

/* Views are compared after a boundary that leaves no window open and is a commit, the end of a window, the end of a
 * block without a commit, or the end of an internal task. */
void
oracle_find_comparisons(search *s)
{
  const parsed *p = &s->p;
  int open = 0;
  s->windows = false;
  s->views_until = UINT32_MAX;
  for (unsigned b = 0; b < p->nblocks; b++)
    if (p->block[b].committed && p->block[b].end < 0)
    {
      uint32_t at = last_slot(s, p->op[p->block[b].op].commit);
      s->views_until = at < s->views_until ? at : s->views_until;
    }
  for (uint32_t k = 0; k + 1 < s->nslots; k++)
  {
    int i = s->boundary[k];
    const trace_record *r = &p->log->record[i];
    s->open_before[k] = open > 0;
    s->windows = s->windows || open > 0;
    open += p->opens[i];
    s->compare[k] = p->log->views && open == 0 && k < s->views_until
                    && (is_commit(r) || p->opens[i] < 0 || (r->kind == HD_K_BLOCK_END && r->ticked)
                        || r->kind == HD_K_INTERNAL_END);
  }
  s->compare_end = p->log->views && open == 0 && s->views_until == UINT32_MAX && !s->missing;
  for (unsigned o = 0; o < p->nops; o++) /* who is in the middle of something may have written half of it */
    if (p->op[o].end < 0)
      s->compare_end = false;
}
