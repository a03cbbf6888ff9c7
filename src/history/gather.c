/* gather.c: a history straight into operations, for judging calls and returns alone.
 *
 * The line order is the clock: an operation's interval is from the number of its call among all events to that of its
 * return. Histories in words that hold whole numbers only, as most do, are read by words.c; whatever that does not
 * know, a mistake too, makes it give up, and the general reader starts anew. */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct gathering
{
  const hd_spec *spec;
  const hd_history_options *options;
  hd_history_ops *out;
  size_t *open; /* by slot: 1 + its operation */
  size_t nopen, open_cap;
  bool unfit;
} gathering;

static bool
cancelled(const gathering *g)
{
  return (g->out->events & 0xfff) == 0 && g->options->cancel && __atomic_load_n(g->options->cancel, __ATOMIC_RELAXED);
}

static hd_value
keep(hd_history_ops *out, hd_value v)
{
  if (v.type < HD_STR)
    return v;
  char *text = hd_arena_alloc(out->texts, v.length + 1u);
  memcpy(text, v.p, v.length);
  text[v.length] = '\0';
  v.p = text;
  return v;
}

static void
call(gathering *g, const hd_history_op *op)
{
  hd_linear_op o = {.method = op->method,
                    .thread = op->slot + 1,
                    .nargs = (uint8_t) op->nargs,
                    .pending = true,
                    .start = g->out->events,
                    .id = g->out->n};
  hd_value *args = o.args;
  if (op->nargs > 2)
    o.many = args = hd_arena_alloc(g->out->texts, op->nargs * sizeof *args);
  const char *letters = g->spec->methods[op->method].args;
  for (uint32_t i = 0; i < op->nargs; i++)
  {
    args[i] = keep(g->out, op->args[i]);
    g->unfit |= !hd_value_convert(&args[i], letters[i]);
  }
  HD_PUSH(g->out->ops, g->out->n, g->out->cap, o);
  while (g->nopen <= op->slot)
    HD_PUSH(g->open, g->nopen, g->open_cap, 0);
  g->open[op->slot] = g->out->n;
}

static bool
step(void *context, const hd_history_op *op)
{
  gathering *g = context;
  g->out->events++;
  if (cancelled(g))
    return false;
  hd_linear_op *o = op->step != HD_HISTORY_STEP_CALL ? &g->out->ops[g->open[op->slot] - 1] : NULL;
  switch (op->step)
  {
  case HD_HISTORY_STEP_CALL:
    g->unfit |= op->has_object;
    call(g, op);
    break;
  case HD_HISTORY_STEP_WINDOW:
  case HD_HISTORY_STEP_COMMIT:
    g->unfit |= !g->options->ignore_commits;
    break;
  case HD_HISTORY_STEP_RETURN:
    o->pending = false;
    o->end = g->out->events;
    o->ret = keep(g->out, op->ret);
    g->unfit |= !hd_value_convert(&o->ret, g->spec->methods[o->method].ret);
    g->out->returned++;
    break;
  case HD_HISTORY_STEP_FAILED:
    o->nargs = UINT8_MAX; /* it did not happen: dropped at the end */
    break;
  case HD_HISTORY_STEP_NEVER:
    break;
  }
  return !g->unfit;
}

static void
drop_failed(const hd_spec *spec, hd_history_ops *out)
{
  size_t n = 0;
  for (size_t i = 0; i < out->n; i++)
    if (out->ops[i].nargs != UINT8_MAX)
    {
      out->ops[n] = out->ops[i];
      out->ops[n].id = n;
      out->observers += spec->methods[out->ops[n].method].role == HD_OBSERVER;
      n++;
    }
  out->n = n;
}

/* ---- both ---- */

/* What the head of H says, into OUT. False: not for SPEC. */
static bool
take_head(const hd_history *h, const hd_spec *spec, hd_history_ops *out)
{
  const char *object = h->head.object ? h->head.object : spec->name;
  out->object = hd_strndup(object, strlen(object));
  out->has_initial = hd_history_initial(h, &out->initial);
  if (out->has_initial)
    out->initial = keep(out, out->initial);
  return !out->has_initial || strcmp(spec->name, "counter") != 0 || out->initial.type == HD_INT;
}

bool
hd_history_gather(hd_history *h, const hd_spec *spec, const hd_history_options *options, hd_history_ops *out)
{
  *out = (hd_history_ops){.texts = hd_arena_new()};
  bool good = hd_history_words(h, spec, options, NULL, out);
  if (!good)
  {
    gathering g = {.spec = spec, .options = options, .out = out};
    char *error = NULL;
    free(out->ops);
    *out = (hd_history_ops){.texts = out->texts};
    good = hd_history_read(h, spec, step, &g, &error) && !g.unfit;
    free(error);
    free(g.open);
    drop_failed(spec, out);
  }
  good = take_head(h, spec, out) && good;
  if (!good)
    hd_history_ops_free(out);
  return good;
}

bool
hd_history_holds(hd_history *h, const hd_spec *spec, const hd_history_options *options, uint32_t rules,
                 hd_history_ops *out)
{
  *out = (hd_history_ops){.texts = hd_arena_new()};
  hd_linear_stream *s = NULL;
  if (take_head(h, spec, out))
    s = hd_linear_stream_new(
        spec, &(hd_linear_options){.config = &out->initial, .nconfig = out->has_initial, .rules = rules});
  bool holds = s && hd_history_words(h, spec, options, s, out) && hd_linear_stream_end(s);
  hd_linear_stream_free(s);
  if (!holds)
    hd_history_ops_free(out);
  return holds;
}

void
hd_history_ops_free(hd_history_ops *o)
{
  if (o->texts)
    hd_arena_free(o->texts);
  free(o->ops);
  free(o->object);
  *o = (hd_history_ops){0};
}
