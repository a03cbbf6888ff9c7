/* ask.c: the same operations in the forms that both sides want. */
#include "naive/ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
is_observer(const naive_history *h, const naive_op *o)
{
  return h->spec->methods[o->method].role == HD_OBSERVER;
}

void
naive_history_from(naive_history *h, const naive_case *c, bool real_time)
{
  h->object = c->object;
  h->spec = naive_spec(c->object);
  h->config[0] = c->config[0];
  h->nconfig = c->nconfig;
  h->n = naive_intervals(c, real_time, h->ops);
}

bool
naive_history_explained(const naive_history *h)
{
  return naive_explained(h->spec, h->config, h->nconfig, h->ops, h->n);
}

hd_linear_result
naive_history_ask(const naive_history *h, const hd_linear_options *options)
{
  hd_linear_op ops[NAIVE_OPS];
  hd_linear_options with_config = *options;
  hd_linear_result result;
  for (size_t i = 0; i < h->n; i++)
  {
    const naive_op *o = &h->ops[i];
    ops[i] = (hd_linear_op){.method = o->method,
                            .thread = o->thread,
                            .nargs = (uint8_t) o->nargs,
                            .pending = o->optional,
                            .unchanged = o->unchanged && !is_observer(h, o), /* those leave it as it is anyhow */
                            .any_ret = o->any_ret,
                            .args = {o->args[0], o->args[1]},
                            .ret = o->ret,
                            .start = o->start,
                            .end = o->end,
                            .id = 1000 + o->id};
  }
  with_config.config = h->config;
  with_config.nconfig = h->nconfig;
  hd_linear_decide(h->spec, ops, h->n, &with_config, &result);
  return result;
}

void
naive_history_cut(const naive_history *h, uint64_t at, bool with, bool foreseen, naive_history *cut)
{
  *cut = *h;
  cut->n = 0;
  for (size_t i = 0; i < h->n; i++)
  {
    naive_op o = h->ops[i];
    bool ended = !o.optional && (o.end < at || (with && o.end == at));
    if (o.start > at || (!ended && (o.unchanged || is_observer(h, &o))))
      continue;
    o.foreseen = foreseen && !o.optional && !ended;
    o.optional = !ended;
    cut->ops[cut->n++] = o;
  }
}

void
naive_history_shrink(naive_history *h, bool (*still)(const naive_history *h))
{
  for (size_t i = 0; i < h->n;)
  {
    naive_history smaller = *h;
    smaller.n--;
    memmove(&smaller.ops[i], &smaller.ops[i + 1], (h->n - i - 1) * sizeof *h->ops);
    if (still(&smaller))
    {
      *h = smaller;
      i = 0;
    }
    else
      i++;
  }
}

void
naive_history_print(const naive_history *h)
{
  hd_string s = {0};
  hd_string_add(&s, h->spec->name);
  for (size_t i = 0; i < h->nconfig; i++)
  {
    hd_string_add(&s, ", initially ");
    hd_value_print(&s, h->config[i], 40);
  }
  hd_string_add(&s, "\n");
  for (size_t i = 0; i < h->n; i++)
  {
    const naive_op *o = &h->ops[i];
    hd_string_printf(&s, "  %u: thread %" PRIu32 " [%" PRIu64 ",", 1000 + o->id, o->thread, o->start);
    if (o->optional)
      hd_string_add(&s, "-] ");
    else
      hd_string_printf(&s, "%" PRIu64 "] ", o->end);
    hd_string_add(&s, h->spec->methods[o->method].name);
    for (uint32_t k = 0; k < o->nargs; k++)
    {
      hd_string_add(&s, " ");
      hd_value_print(&s, o->args[k], 40);
    }
    hd_string_add(&s, " → ");
    if (o->optional || o->any_ret)
      hd_string_add(&s, "?");
    else
      hd_value_print(&s, o->ret, 40);
    hd_string_add(&s, o->unchanged && !is_observer(h, o) ? ", and nothing changed\n" : "\n");
  }
  fputs(s.text, stderr);
  hd_string_free(&s);
}
