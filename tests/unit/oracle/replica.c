/* replica.c: the implementation's state, rebuilt from the log from scratch each time it is asked for. */
#include "oracle_private.h"

static bool
replica_write(model_replica *r, const trace_record *w, bool judge)
{
  unsigned var = (unsigned) w->values[0].u;
  if (judge && w->nvalues == 3 && r->var[var] != w->values[2].i)
    return false;
  r->var[var] = (int8_t) w->values[1].i;
  return true;
}

static bool
replica_block(const search *s, model_replica *r, int block, bool judge)
{
  for (size_t i = 0; i < s->p.log->n; i++)
    if (parsed_is_write(&s->p.log->record[i]) && s->p.block_of[i] == block)
      if (!replica_write(r, &s->p.log->record[i], judge))
        return false;
  return true;
}

bool
oracle_replica(const search *s, uint32_t last, bool passed, model_replica *r)
{
  *r = (model_replica){{0}};
  unsigned next = 0;
  bool judge = true;
  for (uint32_t k = 0; k <= last; k++)
  {
    for (; next < s->npath && s->path_slot[next] == k; next++)
    {
      const parsed_op *o = &s->p.op[s->path_op[next]];
      if (!s->at[s->path_op[next]].required || (o->block >= 0 && s->p.block[o->block].end < 0))
        judge = false;
      if (o->block >= 0 && !replica_block(s, r, o->block, judge && !s->lenient))
        return false;
    }
    if (k + 1 >= s->nslots || (k == last && !passed))
      break;
    if (s->lenient)
      judge = k < s->pending_from && !s->open_before[k];
    int i = s->boundary[k];
    const trace_record *w = &s->p.log->record[i];
    if (s->p.effect_of[i] >= 0 && !replica_block(s, r, s->p.effect_of[i], judge))
      return false;
    if (parsed_is_write(w) && s->p.block_of[i] < 0 && !replica_write(r, w, judge))
      return false;
  }
  return true;
}

bool
oracle_views_agree(const search *s, const model_state *state, const model_replica *r)
{
  const model *m = s->p.log->model;
  for (unsigned key = 0; key < m->nkeys; key++)
  {
    int64_t a = 0, b = 0;
    bool has_a = m->view(state, key, &a), has_b = m->replica_view(r, key, &b);
    if (has_a != has_b || (has_a && a != b))
      return false;
  }
  return !m->replica_sound || m->replica_sound(r);
}
