/* cases.c: numbered cases, and what it means that oracle and checker agree. */
#include "cases.h"

#include "sim.h"

#include <stdio.h>

/* Two commits, or a macro where it makes no sense. */
static void
misused(trace *t, uint64_t seed)
{
  simulate_right(t, seed);
  t->family = "misused";
  t->right = false;
  uint64_t random = seed;
  uint64_t skip = hd_random(&random) % 4;
  bool second = hd_random(&random) & 1;
  for (size_t i = 0; i < t->n; i++)
    if (t->record[i].kind == HD_K_COMMIT && skip-- == 0)
    {
      trace_record extra = {.kind = HD_K_MISUSE, .thread = t->record[i].thread, .nvalues = 1};
      extra.values[0] = hd_uint(HD_MISUSE_SECOND_COMMIT);
      if (second) /* the record of a second commit itself, with a tick of its own */
      {
        extra = t->record[i];
        extra.stamp++;
        for (size_t j = 0; j < t->n; j++) /* all later ticks and looks move by one */
          if (t->record[j].stamped && t->record[j].stamp > t->record[i].stamp)
            t->record[j].stamp++;
      }
      memmove(&t->record[i + 2], &t->record[i + 1], (t->n - i - 1) * sizeof t->record[0]);
      t->record[i + 1] = extra;
      t->n++;
      return;
    }
}

/* One thread's log ends early although it ticked later: a tick is missing. */
static void
torn(trace *t, uint64_t seed)
{
  uint64_t random = seed;
  if (hd_random(&random) & 1)
    random_log(t, seed);
  else
    simulate_wrong(t, seed);
  t->family = "tick missing";
  t->right = false;
  unsigned thread = 1 + (unsigned) (hd_random(&random) % 3);
  size_t n = 0;
  uint64_t skip = hd_random(&random) % 4;
  bool gone = false;
  for (size_t i = 0; i < t->n; i++)
  {
    if (t->record[i].thread == thread && t->record[i].ticked && skip-- == 0)
      gone = true;
    if (!gone || t->record[i].thread != thread)
      t->record[n++] = t->record[i];
  }
  t->n = n;
}

void
case_make(trace *t, uint64_t seed)
{
  unsigned family = (unsigned) (seed % 40);
  if (family < 18)
    random_log(t, seed);
  else if (family < 22)
    random_unprotected(t, seed);
  else if (family < 28)
    simulate_right(t, seed);
  else if (family < 31)
  {
    uint64_t random = seed;
    simulate_right(t, seed);
    t->family = "simulated, right, cut";
    trace_cut(t, hd_random(&random) % (t->n + 1));
  }
  else if (family < 37)
    simulate_wrong(t, seed);
  else if (family < 38)
    misused(t, seed);
  else
    torn(t, seed);
  t->seed = seed;
}

static const char *
compare_verdict(const trace *t, const oracle_answer *a, const feed_result *f)
{
  if (t->right && f->verdict == HD_VIOLATED)
    return "a right run is accused";
  if (a->unsure)
    return NULL;
  if (a->violated)
    return f->verdict == HD_VIOLATED ? NULL : "a violation is missed";
  if (f->verdict == HD_VIOLATED)
    return "a false alarm";
  if (f->verdict == HD_BAD_INPUT)
    return "the input is refused";
  if (a->incomplete)
    return f->verdict == HD_INCOMPLETE ? NULL : "an incomplete check is not called so";
  if (t->views && a->busy_end) /* the last comparisons may have been impossible */
    return NULL;
  return f->verdict == HD_HOLDS ? NULL : "a complete check is called incomplete";
}

const char *
case_compare(const trace *t, const oracle_answer *a, const feed_result *f)
{
  const char *what = compare_verdict(t, a, f);
  if (what || !a->violated || f->verdict != HD_VIOLATED)
    return what;
  if (a->unsure || a->at_end || a->place_open || a->reasons & (REASON_OVERLAP | REASON_ANNOTATION))
    return NULL; /* several findings, or no place of its own */
  if (f->position / 2 != a->gap)
    return "the place differs";
  if (a->first_blamed >= 0 && f->nfailing == 1)
  {
    const trace_record *call = &t->record[a->first_blamed];
    if (f->failing_thread != call->thread || f->failing_call != 2 * (uint64_t) call->stamp + call->ticked)
      return "the operation that is blamed differs";
  }
  return NULL;
}

static void
print_reasons(unsigned reasons)
{
  static const char *const names[] = {"commit", "observer", "order", "view", "old-value", "overlap", "annotation"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (reasons & 1u << i)
      printf(" %s", names[i]);
}

void
case_print(const trace *t, const oracle_answer *a, const feed_result *f, const feed_plan *plan, const char *what)
{
  printf("\n==== %s; make it again with HEDDLE_SEED=%llu\n", what, (unsigned long long) t->seed);
  trace_print(t);
  printf("oracle:  %s%s%s",
         a->violated     ? "violated"
         : a->incomplete ? "incomplete"
                         : "holds",
         a->views_cut ? ", views cut" : "", a->unsure ? ", unsure" : "");
  if (a->violated)
  {
    printf(", gap %u%s, reasons:", a->gap, a->at_end ? " (at the end)" : "");
    print_reasons(a->reasons);
    if (a->first_blamed >= 0)
      printf(", blames the call at line %d", a->first_blamed);
  }
  printf("\nchecker: %s, finding %d, position %llu (gap %llu)",
         (const char *[]){"holds", "violated", "bad input", "incomplete"}[f->verdict], (int) f->kind,
         (unsigned long long) f->position, (unsigned long long) f->position / 2);
  if (f->nfailing)
    printf(", blames T%u's call at position %llu", f->failing_thread, (unsigned long long) f->failing_call);
  printf("\n         %s%s%s\n", f->headline, f->incomplete[0] ? "incomplete: " : "", f->incomplete);
  printf("options: view %d%s%s%s%s\n", (int) plan->options.view, plan->options.eager ? ", eager" : "",
         plan->options.paranoid ? ", paranoid" : "", plan->test ? ", test()" : "",
         plan->random && !plan->orderly ? ", any arrival" : "");
}
