/* cmd_prove.c: heddle prove: reads programs, proves their procedures side by side, and prints answers in the order of
 * the text. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "boogie/boogie.h"
#include "civl/civl.h"
#include "cli/cli.h"
#include "cli/prove_answer.h"
#include "cli/prove_layers.h"
#include "vc/vc.h"

/* The procedures to be proved, which threads take one by one. */
typedef struct queue
{
  const hd_vc_program *program;
  const hd_vc_options *options;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  hd_prove_item *items;
  size_t n, next;
  hd_prove_totals done; /* so far, in any order: for the progress line */
} queue;

static void *
work(void *argument)
{
  queue *q = argument;
  hd_vc_prover *prover = hd_vc_prover_new(q->program, q->options);
  for (;;)
  {
    pthread_mutex_lock(&q->lock);
    size_t i = q->next < q->n ? q->next++ : q->n;
    pthread_mutex_unlock(&q->lock);
    if (i == q->n)
      break;
    hd_vc_result *r = hd_vc_prove(prover, q->items[i].impl);
    pthread_mutex_lock(&q->lock);
    q->items[i].result = r;
    hd_prove_count(&q->done, r);
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
  }
  hd_vc_prover_free(prover);
  return NULL;
}

static void
print(const hd_string *text, FILE *out)
{
  if (text->length)
    fputs(text->text, out);
}

static void
show_progress(hd_progress *progress, const queue *q)
{
  const hd_prove_totals *t = &q->done;
  hd_string trouble = {0};
  if (t->fails)
    hd_string_printf(&trouble, ", %zu with errors", t->fails);
  if (t->incomplete)
    hd_string_printf(&trouble, ", %zu incomplete", t->incomplete);
  hd_progress_show(progress, "%zu of %zu procedures, %zu checks: %zu proved%s", t->procedures, q->n, t->checks,
                   t->proved, trouble.length ? trouble.text : "");
  hd_string_free(&trouble);
}

/* Print results as they come, in the order of the text. */
static void
report(queue *q, const hd_cli_options *o, hd_prove_totals *totals)
{
  hd_progress progress = hd_progress_start(o->quiet || o->json || o->sarif);
  hd_string text = {0};
  const char *last_message = NULL, *last_notes = NULL;
  for (size_t i = 0; i < q->n; i++)
  {
    pthread_mutex_lock(&q->lock);
    while (!q->items[i].result)
    {
      struct timespec soon;
      clock_gettime(CLOCK_REALTIME, &soon);
      soon.tv_nsec += 200000000;
      soon.tv_sec += soon.tv_nsec / 1000000000;
      soon.tv_nsec %= 1000000000;
      pthread_cond_timedwait(&q->changed, &q->lock, &soon);
      if (hd_progress_due(&progress, hd_terminal_now()))
        show_progress(&progress, q);
    }
    pthread_mutex_unlock(&q->lock);
    const hd_vc_result *r = q->items[i].result;
    hd_prove_count(totals, r);
    hd_string_clear(&text);
    /* A solver that is missing is missing for all: one line is enough. */
    bool again
        = r->outcome == HD_VC_NO_ANSWER && !r->nfailures && last_message && strcmp(last_message, r->message) == 0;
    if (r->outcome == HD_VC_NO_ANSWER)
      last_message = r->message;
    if (o->boogie_output)
      hd_prove_reference(&text, &q->items[i], q->options->seconds);
    else if (!o->json && !o->sarif && !again)
      hd_prove_text(&text, &q->items[i], o->quiet);
    /* So is a cache that cannot be written. */
    const char *notes = r->notes && last_notes && strcmp(last_notes, r->notes) == 0 ? NULL : r->notes;
    if (notes)
      last_notes = notes;
    if (!text.length && !notes)
      continue;
    hd_progress_end(&progress);
    if (notes)
      fprintf(stderr, "%s", notes);
    print(&text, stdout);
  }
  hd_progress_end(&progress);
  hd_string_free(&text);
}

static void
run(queue *q, const hd_cli_options *o, hd_prove_totals *totals)
{
  size_t n = o->jobs < q->n ? (size_t) o->jobs : q->n, started = 0;
  pthread_t *threads = hd_alloc_array(n + 1, sizeof *threads);
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->changed, NULL);
  while (started < n && pthread_create(&threads[started], NULL, work, q) == 0)
    started++;
  if (!started)
    work(q);
  report(q, o, totals);
  for (size_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&q->lock);
  pthread_cond_destroy(&q->changed);
  free(threads);
}

/* Returns false if something that was asked for could not be written. */
static bool
prove(const hd_boogie_program *p, const hd_civl *civl, const hd_cli_options *o, const hd_vc_options *options,
      hd_prove_totals *totals)
{
  uint64_t start = hd_terminal_now();
  hd_vc_program *program = hd_vc_program_new(p);
  queue q = {.program = program, .options = options};
  q.items = hd_alloc_array(p->decls.n + 1, sizeof *q.items);
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_IMPL && hd_vc_wanted(p->decls.items[i].impl))
    {
      const hd_boogie_impl *impl = p->decls.items[i].impl;
      q.items[q.n++] = (hd_prove_item){.impl = impl, .task = hd_civl_task_of(civl, impl)};
    }
  run(&q, o, totals);
  hd_string text = {0};
  if (o->json)
    hd_prove_json(&text, q.items, q.n, totals);
  else if (o->sarif)
    hd_prove_sarif(&text, q.items, q.n, totals);
  else if (o->boogie_output)
    hd_prove_reference_end(&text, totals);
  else if (!o->quiet)
    hd_prove_text_end(&text, totals);
  print(&text, stdout);
  hd_string_clear(&text);
  if (o->stats)
    hd_prove_stats(&text, q.items, q.n, (double) (hd_terminal_now() - start) / 1e9);
  print(&text, stderr);
  hd_string_free(&text);
  bool written = true;
  for (size_t i = 0; i < q.n; i++)
  {
    written = written && !q.items[i].result->dump_failed;
    hd_vc_result_free(q.items[i].result);
  }
  free(q.items);
  hd_vc_program_free(program);
  return written;
}

/* Open what the options name. False: a message was printed. */
static bool
prepare(const hd_cli_options *o, hd_vc_options *options)
{
  options->solvers = (hd_vc_solvers) o->solver;
  options->seconds = o->time > 0 ? o->time : 30;
  options->dump = o->dump_smt;
  options->no_array_theory = o->no_array_theory;
  if (o->dump_smt && mkdir(o->dump_smt, 0777) != 0 && errno != EEXIST)
  {
    fprintf(stderr, "heddle prove: the folder %s cannot be made: %s\n", o->dump_smt, strerror(errno));
    return false;
  }
  hd_string error = {0};
  if (o->cache && !(options->cache = hd_smt_cache_open(o->cache, &error)))
  {
    fprintf(stderr, "heddle prove: %s\n", error.text);
    hd_string_free(&error);
    return false;
  }
  return true;
}

static int
prove_files(const hd_cli_options *o)
{
  hd_vc_options options = {0};
  if (!prepare(o, &options))
    return HD_BAD_INPUT;
  hd_boogie_options reading = {.infer_modifies = o->infer_modifies, .base_names = o->boogie_output};
  hd_boogie_messages m = {0};
  hd_boogie_program *p = hd_boogie_read(o->operands.items, o->operands.n, &reading, &m);
  hd_civl_options layers = {.no_array_theory = options.no_array_theory,
                            .modules = o->modules || o->only_module,
                            .only_module = o->only_module};
  hd_civl *civl = p ? hd_civl_transform(p, &layers, &m) : NULL;
  bool good = civl != NULL;
  hd_string text = {0};
  if (o->boogie_output)
    hd_boogie_messages_reference(&m, o->operands.items[o->operands.n - 1], &text);
  else
    hd_boogie_messages_print(&m, &text);
  print(&text, o->boogie_output ? stdout : stderr);
  hd_string_free(&text);
  hd_prove_totals totals = {0};
  int status = HD_BAD_INPUT;
  if (good && o->dump_layer)
    status = hd_prove_dump_layer(civl, o->dump_layer);
  else if (good)
  {
    options.proved = hd_smt_proved_new();
    bool written = prove(p, civl, o, &options, &totals);
    status = (int) hd_prove_verdict(&totals);
    if (status == HD_HOLDS && !written)
      status = HD_BAD_INPUT;
  }
  hd_boogie_program_free(p);
  hd_boogie_messages_free(&m);
  hd_smt_cache_close(options.cache);
  hd_smt_proved_free(options.proved);
  return status;
}

int
hd_cmd_prove(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("prove", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  if (o.explain)
    status = hd_prove_explain(o.explain);
  else if (o.operands.n)
    status = prove_files(&o);
  else
  {
    fputs("heddle prove: no FILE given; usage: heddle prove FILE... [OPTION]...\n", stderr);
    status = HD_BAD_INPUT;
  }
  hd_options_free(&o);
  return status;
}
