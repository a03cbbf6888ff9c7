/* prove_answer.c: what the answers of `heddle prove` share: counts, the verdict, names and places. */
#include <string.h>

#include "cli/prove_answer.h"

bool
hd_prove_only_candidates(const hd_vc_result *r)
{
  for (size_t i = 0; i < r->nfailures; i++)
    if (!r->failures[i].candidate)
      return false;
  return r->nfailures > 0;
}

const hd_vc_failure *
hd_prove_found(const hd_vc_result *r, size_t i)
{
  return i < r->nfailures ? &r->failures[i] : i == r->nfailures ? r->suspect : NULL;
}

void
hd_prove_count(hd_prove_totals *t, const hd_vc_result *r)
{
  bool candidates = hd_prove_only_candidates(r);
  t->procedures++;
  t->failures += r->nfailures;
  t->checks += r->assertions;
  t->unsupported += r->outcome == HD_VC_UNSUPPORTED;
  t->proved += r->outcome == HD_VC_PROVED;
  t->fails += r->nfailures && !candidates;
  t->candidates += candidates;
  t->late += r->outcome == HD_VC_OUT_OF_TIME;
  t->undecided += r->outcome == HD_VC_NO_ANSWER;
  t->incomplete += r->outcome == HD_VC_OUT_OF_TIME || r->outcome == HD_VC_NO_ANSWER || candidates;
}

hd_verdict
hd_prove_verdict(const hd_prove_totals *t)
{
  if (t->unsupported)
    return HD_BAD_INPUT;
  if (t->fails)
    return HD_VIOLATED;
  return t->incomplete ? HD_INCOMPLETE : HD_HOLDS;
}

void
hd_prove_name(hd_string *out, const hd_prove_item *item)
{
  const hd_civl_task *t = item->task;
  if (!t || !t->layered)
  {
    hd_string_add(out, item->impl->name);
    return;
  }
  const char *between = t->check == HD_CIVL_LINEARITY       ? " in domain "
                        : t->check == HD_CIVL_COMMUTATIVITY ? " and "
                                                            : " by ";
  if (t->check != HD_CIVL_SEQUENTIAL)
    hd_string_printf(out, "%s of ", hd_civl_check_name(t->check));
  hd_string_printf(out, "%s%s%s at layer %d", t->subject, t->other ? between : "", t->other ? t->other : "",
                   (int) t->layer);
}

void
hd_prove_place(hd_string *out, hd_boogie_place at)
{
  if (at.line)
    hd_string_printf(out, "%s:%u:%u", at.file, at.line, at.column);
  else
    hd_string_add(out, "(generated)");
}
