/* prove_answer.h: what `heddle prove` prints.
 *
 *   prove_answer.c     counts and the verdict; names of what was proved
 *   prove_story.c      a failing check in the program's words, which the forms below share
 *   prove_text.c       for people
 *   prove_reference.c  as the reference prints it
 *   prove_json.c       for programs
 *   prove_sarif.c      for editors
 *   prove_stats.c      numbers, by kind of check and by layer */
#ifndef HD_PROVE_ANSWER_H
#define HD_PROVE_ANSWER_H

#include "civl/civl.h"
#include "vc/vc.h"

/* One implementation and what was found about it. */
typedef struct hd_prove_item
{
  const hd_boogie_impl *impl;
  const hd_civl_task *task; /* or null */
  hd_vc_result *result;
} hd_prove_item;

typedef struct hd_prove_totals
{
  size_t procedures, proved, fails, candidates, incomplete, unsupported;
  size_t failures, checks; /* single assertions */
  size_t late, undecided;  /* of the incomplete ones: out of time; without an answer */
} hd_prove_totals;

void hd_prove_count(hd_prove_totals *t, const hd_vc_result *r);
hd_verdict hd_prove_verdict(const hd_prove_totals *t);
/* There are failures, and of none it is known that it can happen. */
bool hd_prove_only_candidates(const hd_vc_result *r);
/* What there is to tell: the failures, in the order of the text, then what there was no answer about in time. NULL:
 * there are not more than I. */
const hd_vc_failure *hd_prove_found(const hd_vc_result *r, size_t i);
/* "P", "P at layer 2", "commutativity of A and B at layer 2" */
void hd_prove_name(hd_string *out, const hd_prove_item *item);
/* "file:line:column" */
void hd_prove_place(hd_string *out, hd_boogie_place at);

/* For people. QUIET: only what does not hold. */
void hd_prove_text(hd_string *out, const hd_prove_item *item, bool quiet);
void hd_prove_text_end(hd_string *out, const hd_prove_totals *t);
/* As the reference prints it, for comparison. */
void hd_prove_reference(hd_string *out, const hd_prove_item *item, double seconds);
void hd_prove_reference_end(hd_string *out, const hd_prove_totals *t);
/* For programs. */
void hd_prove_json(hd_string *out, const hd_prove_item *items, size_t n, const hd_prove_totals *t);
void hd_prove_sarif(hd_string *out, const hd_prove_item *items, size_t n, const hd_prove_totals *t);
void hd_prove_stats(hd_string *out, const hd_prove_item *items, size_t n, double seconds);

#endif
