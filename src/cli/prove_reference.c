/* prove_reference.c: answers as Boogie 2.4.1 prints them, for comparison. */
#include "cli/prove_answer.h"

static const struct
{
  const char *words, *code;
} reasons[] = {
    [HD_BOOGIE_WRITTEN] = {"This assertion might not hold.", "BP5001"},
    [HD_BOOGIE_PRECONDITION] = {"A precondition for this call might not hold.", "BP5002"},
    [HD_BOOGIE_POSTCONDITION] = {"A postcondition might not hold on this return path.", "BP5003"},
    [HD_BOOGIE_LOOP_ENTRY] = {"This loop invariant might not hold on entry.", "BP5004"},
    [HD_BOOGIE_LOOP_KEPT] = {"This loop invariant might not be maintained by the loop.", "BP5005"},
};

static bool
has_related(const hd_vc_assertion *a)
{
  return a->reason == HD_BOOGIE_PRECONDITION || a->reason == HD_BOOGIE_POSTCONDITION;
}

static void
place(hd_string *out, hd_boogie_place at)
{
  hd_string_printf(out, "%s(%u,%u)", at.line ? at.file : "", at.line, at.line ? at.column : 0);
}

static void
failure(hd_string *out, const hd_vc_failure *f)
{
  const hd_vc_assertion *a = f->assertion;
  bool plain = a->reason == HD_BOOGIE_WRITTEN;
  if (a->said)
    hd_string_printf(out, "%s%s\n", plain ? "" : "Error: ", a->said);
  else
  {
    place(out, f->at);
    if (plain && a->message)
      hd_string_printf(out, ": Error: %s\n", a->message);
    else
      hd_string_printf(out, ": Error %s: %s\n", reasons[a->reason].code,
                       a->reason == HD_BOOGIE_PRECONDITION && a->message ? a->message : reasons[a->reason].words);
    if (has_related(a))
    {
      place(out, a->related);
      hd_string_printf(out, ": Related location: %s\n",
                       a->related_message                    ? a->related_message
                       : a->reason == HD_BOOGIE_PRECONDITION ? "This is the precondition that might not hold."
                                                             : "This is the postcondition that might not hold.");
    }
    else if (!plain && a->message)
    {
      place(out, f->at);
      hd_string_printf(out, ": Related message: %s\n", a->message);
    }
  }
  hd_string_add(out, "Execution trace:\n");
  for (size_t i = 0; i < f->nsteps; i++)
    if (f->steps[i].label)
    {
      hd_string_add(out, "    ");
      place(out, f->steps[i].at);
      hd_string_printf(out, ": %s\n", f->steps[i].label);
    }
}

void
hd_prove_reference(hd_string *out, const hd_prove_item *item, double seconds)
{
  const hd_vc_result *r = item->result;
  for (size_t i = 0; i < r->nfailures; i++)
    failure(out, &r->failures[i]);
  if (r->outcome == HD_VC_OUT_OF_TIME)
  {
    place(out, item->impl->at);
    hd_string_printf(out, ": Verification of '%s' timed out after %.0f seconds\n", item->impl->name, seconds);
  }
  else if (r->outcome == HD_VC_NO_ANSWER)
  {
    place(out, item->impl->at);
    hd_string_printf(out, ": Verification inconclusive (%s)\n", item->impl->name);
  }
}

void
hd_prove_reference_end(hd_string *out, const hd_prove_totals *t)
{
  hd_string_printf(out, "\nBoogie program verifier finished with %zu verified, %zu error%s", t->proved, t->failures,
                   t->failures == 1 ? "" : "s");
  if (t->undecided)
    hd_string_printf(out, ", %zu inconclusive%s", t->undecided, t->undecided == 1 ? "" : "s");
  if (t->late)
    hd_string_printf(out, ", %zu time out%s", t->late, t->late == 1 ? "" : "s");
  hd_string_add(out, "\n");
}
