/* prove_json.c: the answer of `heddle prove --json`: docs/json.md describes it. */
#include <string.h>

#include "cli/prove_answer.h"
#include "cli/prove_story.h"

/* "key":"text", and a comma before it unless it comes first. */
static void
put_text(hd_string *out, bool first, const char *key, const char *text)
{
  hd_string_printf(out, "%s\"%s\":", first ? "" : ",", key);
  if (text)
    hd_json_string(out, text, strlen(text));
  else
    hd_string_add(out, "null");
}

static void
put_place(hd_string *out, bool first, hd_boogie_place at)
{
  put_text(out, first, "file", at.line ? at.file : NULL);
  hd_string_printf(out, ",\"line\":%u,\"column\":%u", at.line, at.line ? at.column : 0);
}

static void
put_values(hd_string *out, const char *key, const hd_vc_value *values, size_t n)
{
  hd_string_printf(out, ",\"%s\":{", key);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? "," : "");
    hd_json_string(out, values[i].name, strlen(values[i].name));
    hd_string_add(out, ":");
    hd_json_string(out, values[i].value, strlen(values[i].value));
  }
  hd_string_add(out, "}");
}

static void
put_failure(hd_string *out, const hd_prove_item *item, const hd_vc_failure *f)
{
  hd_prove_story *s = hd_prove_story_new(item->impl, item->task, f);
  hd_string_add(out, "\n  {");
  put_text(out, true, "check", hd_civl_check_name(s->check));
  put_text(out, false, "reason", s->reason);
  put_text(out, false, "message", s->message);
  hd_string_printf(out, ",\"certain\":%s", s->certain ? "true" : "false");
  put_text(out, false, "other", s->other);
  put_place(out, false, s->at);
  if (s->related.line)
  {
    hd_string_add(out, ",\"related\":{");
    put_place(out, true, s->related);
    put_text(out, false, "message", s->related_message);
    hd_string_add(out, "}");
  }
  else
    hd_string_add(out, ",\"related\":null");
  hd_string_add(out, ",\"path\":[");
  for (size_t i = 0; i < s->nlines; i++)
  {
    const hd_prove_line *l = &s->lines[i];
    hd_string_add(out, i ? ",\n    {" : "\n    {");
    put_place(out, true, l->at);
    put_text(out, false, "what", l->what);
    put_text(out, false, "text", l->text);
    put_text(out, false, "in", l->in);
    put_values(out, "values", l->values, l->nvalues);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]");
  put_values(out, "before", s->before, s->nbefore);
  put_text(out, false, "end", s->end);
  hd_string_add(out, "}");
  hd_prove_story_free(s);
}

static void
put_item(hd_string *out, const hd_prove_item *item)
{
  static const char *const outcomes[] = {"proved", "fails", "incomplete", "incomplete", "unsupported"};
  const hd_vc_result *r = item->result;
  const hd_civl_task *t = item->task;
  hd_string_add(out, "{");
  put_text(out, true, "name", item->impl->name);
  put_text(out, false, "check", hd_civl_check_name(t ? t->check : HD_CIVL_SEQUENTIAL));
  put_text(out, false, "subject", t ? t->subject : item->impl->name);
  put_text(out, false, "other", t ? t->other : NULL);
  if (t && t->layered)
    hd_string_printf(out, ",\"layer\":%d", (int) t->layer);
  else
    hd_string_add(out, ",\"layer\":null");
  put_text(out, false, "module", t ? t->module : NULL);
  put_place(out, false, t && t->at.line ? t->at : item->impl->at);
  put_text(out, false, "result",
           r->outcome == HD_VC_FAILS && hd_prove_only_candidates(r) ? "incomplete" : outcomes[r->outcome]);
  put_text(out, false, "message", r->message);
  hd_string_printf(out, ",\"checks\":%zu,\"seconds\":%.3f,\"cached\":%s,\"failures\":[", r->assertions, r->seconds,
                   r->cached ? "true" : "false");
  const hd_vc_failure *f;
  for (size_t j = 0; (f = hd_prove_found(r, j)); j++)
  {
    hd_string_add(out, j ? "," : "");
    put_failure(out, item, f);
  }
  hd_string_add(out, "]}");
}

void
hd_prove_json(hd_string *out, const hd_prove_item *items, size_t n, const hd_prove_totals *t)
{
  static const char *const verdicts[] = {"holds", "violated", "bad-input", "incomplete"};
  hd_verdict verdict = hd_prove_verdict(t);
  hd_string_add(out, "{\"schema\":1,\"command\":\"prove\"");
  put_text(out, false, "verdict", verdicts[verdict]);
  hd_string_printf(out, ",\"exit_status\":%d,\"procedures\":[", (int) verdict);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? ",\n" : "\n");
    put_item(out, &items[i]);
  }
  hd_string_printf(out, "],\n\"proved\":%zu,\"with_errors\":%zu,\"incomplete\":%zu,\"unsupported\":%zu}\n", t->proved,
                   t->fails, t->incomplete, t->unsupported);
}
