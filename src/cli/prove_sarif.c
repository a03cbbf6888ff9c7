/* prove_sarif.c: failing checks as SARIF 2.1.0: a result is where the check fails, refers to the place that belongs to
 * it, and has the way there as a code flow. */
#include <string.h>

#include "cli/prove_answer.h"
#include "cli/prove_story.h"

static void
put_text(hd_string *out, const char *text)
{
  hd_string_add(out, "{\"text\": ");
  hd_json_string(out, text, strlen(text));
  hd_string_add(out, "}");
}

static void
put_location(hd_string *out, hd_boogie_place at, const char *message)
{
  hd_string_add(out, "{");
  if (message)
  {
    hd_string_add(out, "\"message\": ");
    put_text(out, message);
    hd_string_add(out, at.line ? ", " : "");
  }
  if (at.line)
  {
    hd_string_add(out, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
    hd_sarif_uri(out, at.file);
    hd_string_printf(out, "}, \"region\": {\"startLine\": %u, \"startColumn\": %u}}", at.line,
                     at.column ? at.column : 1);
  }
  hd_string_add(out, "}");
}

/* A line of the way: what it is, and what it changes. */
static void
put_step(hd_string *out, const hd_prove_line *l)
{
  hd_string text = {0};
  hd_string_add(&text, l->what ? l->what : l->text ? l->text : "");
  if (l->in)
    hd_string_printf(&text, " (in %s)", l->in);
  for (size_t i = 0; i < l->nvalues; i++)
    hd_string_printf(&text, "%s%s = %s", i ? ", " : ": ", l->values[i].name, l->values[i].value);
  hd_string_add(out, "{\"location\": ");
  put_location(out, l->at, text.length ? text.text : NULL);
  hd_string_add(out, "}");
  hd_string_free(&text);
}

static void
put_result(hd_string *out, const hd_prove_item *item, const hd_vc_failure *f)
{
  hd_prove_story *s = hd_prove_story_new(item->impl, item->task, f);
  hd_string message = {0};
  hd_string_add(&message, s->message);
  if (!item->task || item->task->check == HD_CIVL_SEQUENTIAL)
  {
    hd_string_printf(&message, ", in %s", s->procedure);
    if (item->task && item->task->layered)
      hd_string_printf(&message, " at layer %d", (int) item->task->layer);
  }
  hd_string_add(&message, ".");
  hd_string_printf(out, "{\"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"%s\",\n        \"message\": ",
                   hd_civl_check_name(s->check), (int) s->check, s->certain ? "error" : "warning");
  put_text(out, message.text);
  hd_string_add(out, ",\n        \"locations\": [");
  put_location(out, s->at, NULL);
  hd_string_add(out, "],\n        \"relatedLocations\": [");
  if (s->related.line)
    put_location(out, s->related, s->related_message);
  hd_string_add(out, "]");
  if (s->nlines)
  {
    hd_string_add(out, ",\n        \"codeFlows\": [{\"threadFlows\": [{\"locations\": [");
    for (size_t i = 0; i < s->nlines; i++)
    {
      hd_string_add(out, i ? ",\n          " : "\n          ");
      put_step(out, &s->lines[i]);
    }
    hd_string_add(out, "]}]}]");
  }
  hd_string_add(out, "}");
  hd_string_free(&message);
  hd_prove_story_free(s);
}

/* What was not decided is no result at a line, but must be said. */
static void
put_open(hd_string *out, const hd_prove_item *item)
{
  hd_string message = {0};
  const hd_vc_result *r = item->result;
  const hd_civl_task *t = item->task;
  hd_prove_name(&message, item);
  hd_string_printf(&message, ": %s.", r->outcome == HD_VC_OUT_OF_TIME ? "no answer in time" : r->message);
  int check = t ? (int) t->check : HD_CIVL_SEQUENTIAL;
  hd_string_printf(out, "{\"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"%s\", \"message\": ",
                   hd_civl_check_name((hd_civl_check) check), check,
                   r->outcome == HD_VC_UNSUPPORTED ? "error" : "warning");
  put_text(out, message.text);
  hd_string_add(out, ", \"locations\": [");
  put_location(out, r->outcome == HD_VC_UNSUPPORTED ? r->at : t && t->at.line ? t->at : item->impl->at, NULL);
  hd_string_add(out, "]}");
  hd_string_free(&message);
}

void
hd_prove_sarif(hd_string *out, const hd_prove_item *items, size_t n, const hd_prove_totals *t)
{
  hd_string rules = {0}, results = {0}, summary = {0};
  for (int i = 0; i < HD_CIVL_CHECKS; i++)
  {
    hd_string_printf(&rules, "%s{\"id\": \"%s\", \"fullDescription\": ", i ? ",\n      " : "",
                     hd_civl_check_name((hd_civl_check) i));
    put_text(&rules, hd_civl_check_explained((hd_civl_check) i));
    hd_string_add(&rules, "}");
  }
  for (size_t i = 0; i < n; i++)
  {
    const hd_vc_result *r = items[i].result;
    const hd_vc_failure *f;
    for (size_t j = 0; (f = hd_prove_found(r, j)); j++)
    {
      hd_string_add(&results, results.length ? ",\n      " : "\n      ");
      put_result(&results, &items[i], f);
    }
    if (r->outcome == HD_VC_OUT_OF_TIME || r->outcome == HD_VC_NO_ANSWER || r->outcome == HD_VC_UNSUPPORTED)
    {
      hd_string_add(&results, results.length ? ",\n      " : "\n      ");
      put_open(&results, &items[i]);
    }
  }
  hd_prove_text_end(&summary, t);
  if (summary.length)
    summary.text[--summary.length] = 0; /* the end of the line */
  hd_sarif_log(out, rules.text, results.length ? results.text : "", summary.text, !t->incomplete && !t->unsupported);
  hd_string_free(&rules);
  hd_string_free(&results);
  hd_string_free(&summary);
}
