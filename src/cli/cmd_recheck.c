/* cmd_recheck.c: heddle control recheck: proves a certificate again. */
#include "cli/cli.h"
#include "recheck/recheck.h"

#include <string.h>

static const char *
keep(hd_arena *arena, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(arena, s->length + 1), s->text, s->length + 1);
  hd_string_free(s);
  return text;
}

/* The claim about a property that was proved: what a second look says. */
static void
confirm_answer(hd_control_result *r, hd_control_answer *a, const hd_recheck_claim *claim)
{
  hd_string s = {0};
  if (claim->status == HD_RECHECK_WRONG)
  {
    hd_string_printf(&s,
                     "it was proved, but the proof does not pass its check (it is not true that %s): this is a mistake "
                     "of heddle, please report it",
                     claim->obligation);
    a->verdict = HD_INCOMPLETE;
    a->incomplete = keep(r->arena, &s);
    a->how = NULL;
    return;
  }
  hd_string_printf(&s, "%s; %s", a->how,
                   claim->status == HD_RECHECK_PROVED ? "checked again" : "the check of it did not come to an end");
  a->how = keep(r->arena, &s);
}

void
hd_control_confirm(const hd_controller *c, hd_control_result *r)
{
  hd_recheck_result *second = hd_recheck_run(c, r->certificate, 0);
  for (size_t i = 0; i < c->nspecs; i++)
    if (r->answers[i].verdict == HD_HOLDS && r->answers[i].how)
      confirm_answer(r, &r->answers[i], &second->claims[i]);
  bool wrong = second->claims[c->nspecs].status == HD_RECHECK_WRONG;
  for (size_t i = 0; i < c->nspecs; i++)
    wrong = wrong || second->claims[i].status == HD_RECHECK_WRONG;
  r->no_deadlock = r->no_deadlock && second->claims[c->nspecs].status != HD_RECHECK_WRONG;
  if (wrong)
  {
    r->complete = false;
    r->incomplete = "a proof does not pass its check";
    r->verdict = r->verdict == HD_VIOLATED ? HD_VIOLATED : HD_INCOMPLETE;
  }
  hd_recheck_free(second);
}

int
hd_control_recheck(const hd_cli_options *o)
{
  const char *file = o->operands.items[1], *path = o->operands.items[2];
  hd_string text = {0};
  int status = HD_BAD_INPUT;
  hd_arena *arena = hd_arena_new();
  hd_controller *c = hd_control_read(file, &text);
  const hd_control_certificate *certificate = c ? hd_certificate_read(c, path, arena, &text) : NULL;
  if (text.length)
    fputs(text.text, stderr);
  hd_string_clear(&text);
  if (certificate)
  {
    hd_recheck_result *r = hd_recheck_run(c, certificate, 0);
    status = (int) r->verdict;
    if (o->json)
      hd_recheck_json(&text, c, path, r);
    else
      hd_recheck_text(&text, c, r, o->quiet);
    if (text.length)
      fputs(text.text, stdout);
    hd_recheck_free(r);
  }
  hd_arena_free(arena);
  hd_control_free(c);
  hd_string_free(&text);
  return status;
}
