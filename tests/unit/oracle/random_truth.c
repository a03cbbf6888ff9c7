/* random_truth.c: what honest and dishonest operations return and write, and who holds which variable. */
#include "random_private.h"

static hd_value
random_return(writer *w, unsigned method)
{
  switch (w->t->model->methods[method].ret)
  {
  case 'b':
    return hd_bool(writer_pick(w, 2));
  case 'i':
    return hd_int(writer_pick(w, VALUES));
  case '*':
    return writer_chance(w, 30) ? hd_nil() : hd_int(writer_pick(w, VALUES));
  default:
    return hd_nil();
  }
}

/* What operation A would return now. SAME: only if nothing changes by it. */
bool
writer_truthful_return(writer *w, const activity *a, bool same, model_return *ret)
{
  const model *m = w->t->model;
  hd_value out[MODEL_OUTCOMES];
  size_t n = m->outcomes(&w->truth, a->method, a->args, out);
  size_t start = writer_pick(w, (unsigned) n);
  *ret = (model_return){hd_int(MODEL_EXCEPTION), true};
  if (writer_chance(w, w->p_exception) && model_same(m, &w->truth, a->method, a->args, *ret))
    return true;
  for (size_t i = 0; i < n; i++)
  {
    *ret = (model_return){out[(start + i) % n], false};
    if (!same || model_same(m, &w->truth, a->method, a->args, *ret))
      return true;
  }
  return false;
}

static void
decide_return(writer *w, activity *a)
{
  if (a->honest && writer_truthful_return(w, a, a->plan == PLAN_LOOK, &a->ret))
    return;
  a->ret = (model_return){random_return(w, a->method), false};
  if (writer_chance(w, w->p_exception))
    a->ret = (model_return){hd_int(MODEL_EXCEPTION), true};
}

/* The writes that bring the replica from the truth before operation A to the truth after it. The stack's nodes are not
 * simulated here: its views have a generator of their own. */
void
writer_decide_writes(writer *w, activity *a, const model_state *after)
{
  a->nwrites = a->written = 0;
  if (!w->t->views)
    return;
  for (unsigned v = 0; v < w->t->model->nvars; v++)
    if (after->cell[v] != w->truth.cell[v] || writer_chance(w, 10))
    {
      if (a->nwrites > 0 && writer_chance(w, 5)) /* the same variable twice, the second time rightly */
      {
        a->var[a->nwrites] = v;
        a->value[a->nwrites++] = (int8_t) writer_pick(w, VALUES);
      }
      if (a->nwrites == MAX_WRITES)
        break;
      a->var[a->nwrites] = v;
      a->value[a->nwrites++] = after->cell[v];
    }
  if (!a->honest && writer_chance(w, 50))
  {
    unsigned i = a->nwrites < MAX_WRITES ? a->nwrites++ : writer_pick(w, MAX_WRITES);
    a->var[i] = writer_pick(w, w->t->model->nvars);
    a->value[i] = (int8_t) ((int) writer_pick(w, VALUES + 1) - (writer_chance(w, 10) ? 1 : 0));
  }
}

void
writer_decide_old_values(const writer *w, activity *a)
{
  for (unsigned i = 0; i < a->nwrites; i++)
  {
    a->old[i] = w->truth.cell[a->var[i]];
    for (unsigned j = 0; j < i; j++)
      if (a->var[j] == a->var[i])
        a->old[i] = a->value[j];
  }
}

void
writer_decide(writer *w, activity *a)
{
  decide_return(w, a);
  a->decided = true;
  model_state after = w->truth;
  w->t->model->apply(&after, a->method, a->args, a->ret);
  writer_decide_writes(w, a, &after);
  writer_decide_old_values(w, a);
}

/* The moment of effect. */
void
writer_take_effect(writer *w, activity *a)
{
  if (!a->decided)
    writer_decide(w, a);
  w->t->model->apply(&w->truth, a->method, a->args, a->ret);
  a->effective = true;
}

/* ---- variables are held by one block at a time ---- */

bool
writer_can_lock(writer *w, unsigned thread)
{
  if (!w->protect || !w->t->views)
    return true;
  for (unsigned v = 0; v < w->t->model->nvars; v++)
    if (w->owner[v] && w->owner[v] != thread)
      return false;
  return true;
}

bool
writer_lock(writer *w, unsigned thread, activity *a)
{
  if (!writer_can_lock(w, thread))
    return false;
  if (w->protect && w->t->views)
    for (unsigned v = 0; v < w->t->model->nvars; v++)
      w->owner[v] = thread;
  a->locked = true;
  return true;
}

/* Does the decision of A depend on variable V? */
static bool
concerns(const writer *w, const activity *a, unsigned v)
{
  if (a->plan == PLAN_INTERNAL)
    return false;
  if (w->t->kind != MODEL_MULTISET)
    return true;
  return v == a->args[0].u || (a->method == MS_INSERT_PAIR && v == a->args[1].u);
}

/* Keep only what the decision rests on and what is going to be written. */
void
writer_narrow(writer *w, unsigned thread, const activity *a)
{
  for (unsigned v = 0; v < MODEL_VARS; v++)
  {
    bool needed = concerns(w, a, v);
    for (unsigned i = 0; i < a->nwrites; i++)
      needed = needed || a->var[i] == v;
    if (w->owner[v] == thread && !needed)
      w->owner[v] = 0;
  }
}

void
writer_unlock(writer *w, unsigned thread, activity *a)
{
  for (unsigned v = 0; v < MODEL_VARS; v++)
    if (w->owner[v] == thread)
      w->owner[v] = 0;
  a->locked = false;
}
