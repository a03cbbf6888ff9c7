/* prove_stats.c: heddle prove --stats: how much was proved and how long it took, by kind of check and by layer.
 *
 * A copy of a procedure at a layer is one condition for three kinds of checks, which share its time: it is counted
 * once, in a row of its own; their assertions are counted apart, by their messages. */
#include <stdlib.h>

#include "cli/prove_answer.h"

typedef struct row
{
  size_t conditions, assertions, failures;
  double seconds;
} row;

typedef struct layer_row
{
  bool layered;
  int32_t layer;
  row row;
} layer_row;

typedef struct stats
{
  size_t bytes, questions, cached, repeated, trivial;
  double asked;
  row kinds[HD_CIVL_CHECKS];
  layer_row *layers;
  size_t nlayers, layers_cap;
} stats;

static hd_civl_check
kind_of(const hd_prove_item *item, const char *message)
{
  return item->task ? hd_civl_check_of(item->task, message) : HD_CIVL_SEQUENTIAL;
}

static row *
row_of_layer(stats *s, const hd_civl_task *t)
{
  bool layered = t && t->layered;
  for (size_t i = 0; i < s->nlayers; i++)
    if (s->layers[i].layered == layered && (!layered || s->layers[i].layer == t->layer))
      return &s->layers[i].row;
  hd_grow(&s->layers, &s->layers_cap, s->nlayers + 1, sizeof *s->layers);
  s->layers[s->nlayers] = (layer_row){.layered = layered, .layer = layered ? t->layer : 0};
  return &s->layers[s->nlayers++].row;
}

static void
add(row *to, const hd_vc_result *r)
{
  to->conditions++;
  to->seconds += r->seconds;
}

static void
count(stats *s, const hd_prove_item *item)
{
  const hd_vc_result *r = item->result;
  s->bytes += r->bytes;
  s->questions += r->questions;
  s->cached += r->cached;
  s->repeated += r->repeated;
  s->trivial += r->outcome == HD_VC_PROVED && !r->cached && !r->repeated && !r->questions;
  s->asked += r->seconds;
  row *layer = row_of_layer(s, item->task);
  add(&s->kinds[kind_of(item, NULL)], r);
  add(layer, r);
  layer->assertions += r->assertions;
  layer->failures += r->nfailures;
  for (size_t i = 0; i < r->ncounts; i++)
    s->kinds[kind_of(item, r->counts[i].message)].assertions += r->counts[i].n;
  for (size_t i = 0; i < r->nfailures; i++)
    s->kinds[kind_of(item, r->failures[i].assertion->message)].failures++;
}

static int
lower(const void *p, const void *q)
{
  const layer_row *a = p, *b = q;
  if (a->layered != b->layered)
    return a->layered ? -1 : 1;
  return a->layer < b->layer ? -1 : a->layer > b->layer;
}

static int
slower(const void *p, const void *q)
{
  const hd_prove_item *const *a = p, *const *b = q;
  double x = (*a)->result->seconds, y = (*b)->result->seconds;
  return x > y ? -1 : x < y;
}

static void
put_row(hd_string *out, const char *name, const row *r, bool shares)
{
  if (shares)
    hd_string_printf(out, "  %-22s %10s %10zu %8zu %9s\n", name, "-", r->assertions, r->failures, "-");
  else
    hd_string_printf(out, "  %-22s %10zu %10zu %8zu %9.2f\n", name, r->conditions, r->assertions, r->failures,
                     r->seconds);
}

static void
put_tables(hd_string *out, stats *s)
{
  static const char *const columns = "  %-22s %10s %10s %8s %9s\n";
  bool copies = s->kinds[HD_CIVL_NON_INTERFERENCE].assertions || s->kinds[HD_CIVL_REFINEMENT].assertions;
  hd_string_printf(out, columns, "check", "conditions", "assertions", "failures", "seconds");
  if (copies)
  {
    row all = s->kinds[HD_CIVL_SEQUENTIAL];
    for (int i = HD_CIVL_NON_INTERFERENCE; i <= HD_CIVL_REFINEMENT; i++)
    {
      all.assertions += s->kinds[i].assertions;
      all.failures += s->kinds[i].failures;
    }
    put_row(out, "procedures at layers", &all, false);
  }
  for (int i = 0; i < HD_CIVL_CHECKS; i++)
    if (s->kinds[i].conditions || s->kinds[i].assertions)
    {
      hd_string name = {0};
      bool shares = copies && i <= HD_CIVL_REFINEMENT;
      hd_string_printf(&name, "%s%s", shares ? "  " : "", hd_civl_check_name((hd_civl_check) i));
      put_row(out, name.text, &s->kinds[i], shares);
      hd_string_free(&name);
    }
  if (!s->nlayers || (s->nlayers == 1 && !s->layers[0].layered))
    return;
  qsort(s->layers, s->nlayers, sizeof *s->layers, lower);
  hd_string_printf(out, columns, "layer", "conditions", "assertions", "failures", "seconds");
  for (size_t i = 0; i < s->nlayers; i++)
  {
    hd_string name = {0};
    if (s->layers[i].layered)
      hd_string_printf(&name, "%d", (int) s->layers[i].layer);
    else
      hd_string_add(&name, "none");
    put_row(out, name.text, &s->layers[i].row, false);
    hd_string_free(&name);
  }
}

void
hd_prove_stats(hd_string *out, const hd_prove_item *items, size_t n, double seconds)
{
  stats s = {0};
  size_t assertions = 0;
  const hd_prove_item **order = hd_alloc_array(n + 1, sizeof *order);
  for (size_t i = 0; i < n; i++)
  {
    count(&s, &items[i]);
    assertions += items[i].result->assertions;
    order[i] = &items[i];
  }
  hd_string_printf(
      out,
      "%zu conditions with %zu assertions, %zu bytes: %zu with nothing to prove, %zu proved before, %zu the "
      "same as another one\n%zu questions, %.2f s in solvers, %.2f s in all\n",
      n, assertions, s.bytes, s.trivial, s.cached, s.repeated, s.questions, s.asked, seconds);
  if (n)
  {
    put_tables(out, &s);
    qsort(order, n, sizeof *order, slower);
  }
  for (size_t i = 0; i < n && i < 5 && order[i]->result->seconds > 0.1; i++)
  {
    hd_string name = {0};
    hd_prove_name(&name, order[i]);
    hd_string_printf(out, "%s  %.2f s %s%s%s\n", i ? "" : "slowest:\n", order[i]->result->seconds, name.text,
                     order[i]->result->tactic ? ": " : "", order[i]->result->tactic ? order[i]->result->tactic : "");
    hd_string_free(&name);
  }
  free(order);
  free(s.layers);
}
