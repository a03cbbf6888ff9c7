/* prove_text.c: answers for people: what fails and where, and how the program gets there, line by line with the values
 * that change. */
#include <string.h>

#include "cli/prove_answer.h"
#include "cli/prove_story.h"

enum
{
  WIDTH = 110,       /* of a line with values; they go on in the next one */
  VALUES_AT = 44,    /* column where values begin */
  MOST_SHOWN = 60,   /* bytes of a value; JSON has more of it */
  MOST_LINES = 40,   /* of a path: of a longer one, both ends are shown */
  KEPT_AT_START = 12 /* of such a one */
};

/* Go to column COLUMN of the line that begins at START. */
static void
pad(hd_string *out, size_t start, size_t column)
{
  while (out->length - start < column)
    hd_string_add(out, " ");
}

static void
put_values(hd_string *out, size_t start, size_t column, const hd_vc_value *values, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    const hd_vc_value *v = &values[i];
    size_t length = strlen(v->value), shown = length > MOST_SHOWN ? MOST_SHOWN : length;
    while (shown < length && shown > 0 && ((unsigned char) v->value[shown] & 0xc0) == 0x80)
      shown--;
    if (i && out->length - start + strlen(v->name) + shown + 5 > WIDTH)
    {
      hd_string_add(out, ",\n");
      start = out->length;
      pad(out, start, column);
    }
    else if (i)
      hd_string_add(out, ", ");
    hd_string_printf(out, "%s = %.*s%s", v->name, (int) shown, v->value, shown < length ? "..." : "");
  }
}

static void
put_line(hd_string *out, const hd_prove_line *l)
{
  size_t start = out->length;
  hd_string_add(out, "    ");
  if (l->at.line)
    hd_string_printf(out, "%s:%u", l->at.file, l->at.line);
  if (l->at.line && (l->text || l->in || l->what))
    hd_string_add(out, "  ");
  if (l->what)
    hd_string_add(out, l->what);
  else if (l->text)
    hd_string_add(out, l->text);
  if (l->in)
    hd_string_printf(out, "  (in %s)", l->in);
  if (l->nvalues)
  {
    pad(out, start, VALUES_AT - 2);
    hd_string_add(out, "  ");
    put_values(out, start, VALUES_AT, l->values, l->nvalues);
  }
  hd_string_add(out, "\n");
}

static void
put_path(hd_string *out, const hd_prove_story *s)
{
  size_t left_out = s->nlines > MOST_LINES ? s->nlines - MOST_LINES : 0;
  for (size_t i = 0; i < s->nlines; i++)
  {
    if (left_out && i == KEPT_AT_START)
    {
      hd_string_printf(out, "    ... %zu lines, which --json has ...\n", left_out);
      i += left_out;
    }
    put_line(out, &s->lines[i]);
  }
  if (s->nbefore)
  {
    size_t start = out->length;
    hd_string_add(out, "    when this stretch began: ");
    put_values(out, start, 8, s->before, s->nbefore);
    hd_string_add(out, "\n");
  }
  if (s->end && s->certain)
    hd_string_printf(out, "    %s\n", s->end);
}

static void
put_failure(hd_string *out, const hd_prove_item *item, const hd_vc_failure *f)
{
  hd_prove_story *s = hd_prove_story_new(item->impl, item->task, f);
  hd_prove_place(out, s->at);
  hd_string_printf(out, ": error: %s", s->message);
  if (!item->task || item->task->check == HD_CIVL_SEQUENTIAL)
  {
    hd_string_printf(out, " (%s", s->procedure);
    if (item->task && item->task->layered)
      hd_string_printf(out, ", layer %d", (int) item->task->layer);
    hd_string_add(out, ")");
  }
  hd_string_printf(out, " [%s]\n", hd_civl_check_name(s->check));
  if (s->related.line)
  {
    hd_prove_place(out, s->related);
    hd_string_printf(out, ": note: %s\n", s->related_message);
  }
  if (s->nlines)
    hd_string_printf(out, "  %s\n",
                     s->certain ? "it can happen like this:" : "the solver does not know whether this can happen:");
  put_path(out, s);
  hd_prove_story_free(s);
}

static void
put_outcome(hd_string *out, const hd_prove_item *item, const char *name, bool quiet)
{
  const hd_vc_result *r = item->result;
  hd_boogie_place at = item->task && item->task->at.line ? item->task->at : item->impl->at;
  switch (r->outcome)
  {
  case HD_VC_PROVED:
    if (!quiet)
      hd_string_printf(out, "%s: proved%s\n", name, r->cached ? " before" : "");
    break;
  case HD_VC_FAILS:
    if (!quiet)
      hd_string_printf(out, "%s: %zu check%s\n", name, r->nfailures,
                       hd_prove_only_candidates(r) ? r->nfailures == 1 ? " is open" : "s are open"
                       : r->nfailures == 1         ? " fails"
                                                   : "s fail");
    break;
  case HD_VC_OUT_OF_TIME:
    hd_prove_place(out, at);
    hd_string_printf(out, ": incomplete: no answer about %s in time%s; try more with --time\n", name,
                     r->nfailures ? " beyond this" : "");
    break;
  case HD_VC_NO_ANSWER:
    hd_prove_place(out, at);
    hd_string_printf(out, ": incomplete: no answer about %s: %s\n", name, r->message);
    break;
  case HD_VC_UNSUPPORTED:
    hd_prove_place(out, r->at);
    hd_string_printf(out, ": error: %s (%s)\n", r->message, name);
    break;
  }
}

void
hd_prove_text(hd_string *out, const hd_prove_item *item, bool quiet)
{
  hd_string name = {0};
  hd_prove_name(&name, item);
  const hd_vc_failure *f;
  for (size_t i = 0; (f = hd_prove_found(item->result, i)); i++)
    put_failure(out, item, f);
  put_outcome(out, item, name.text, quiet);
  hd_string_free(&name);
}

void
hd_prove_text_end(hd_string *out, const hd_prove_totals *t)
{
  hd_string_printf(out, "%zu procedure%s: %zu proved", t->procedures, t->procedures == 1 ? "" : "s", t->proved);
  if (t->fails)
    hd_string_printf(out, ", %zu with errors", t->fails);
  if (t->incomplete)
    hd_string_printf(out, ", %zu incomplete", t->incomplete);
  if (t->unsupported)
    hd_string_printf(out, ", %zu not understood", t->unsupported);
  hd_string_add(out, "\n");
}
