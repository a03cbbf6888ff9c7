/* answers.c: see answers.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "answers.h"

void
answers_of(const char *text, const hd_vc_options *options, hd_string *out)
{
  hd_boogie_messages m = {0};
  hd_boogie_options reading = {0};
  hd_boogie_program *p = hd_boogie_read_text("t.bpl", text, strlen(text), &reading, &m);
  if (!p)
  {
    hd_boogie_messages_print(&m, out);
    fail_msg("%s", out->text);
  }
  hd_vc_program *program = hd_vc_program_new(p);
  hd_vc_prover *prover = hd_vc_prover_new(program, options);
  for (size_t i = 0; i < p->decls.n; i++)
  {
    if (p->decls.items[i].kind != HD_BOOGIE_DECL_IMPL || !hd_vc_wanted(p->decls.items[i].impl))
      continue;
    hd_vc_result *r = hd_vc_prove(prover, p->decls.items[i].impl);
    hd_string_printf(out, "%s%s", out->length ? "; " : "", p->decls.items[i].impl->name);
    if (r->outcome == HD_VC_PROVED)
      hd_string_add(out, " ok");
    else if (r->outcome == HD_VC_OUT_OF_TIME)
      hd_string_add(out, " late");
    else if (r->message)
      hd_string_printf(out, " %u: %s", r->at.line, r->message);
    for (size_t j = 0; j < r->nfailures; j++)
      hd_string_printf(out, " %u%s", r->failures[j].at.line, r->failures[j].candidate ? "?" : "");
    hd_vc_result_free(r);
  }
  hd_vc_prover_free(prover);
  hd_vc_program_free(program);
  hd_boogie_program_free(p);
  hd_boogie_messages_free(&m);
}

void
answers_check_with(const char *text, const hd_vc_options *options, const char *expected)
{
  hd_string out = {0};
  answers_of(text, options, &out);
  assert_string_equal(out.text ? out.text : "", expected);
  hd_string_free(&out);
}

void
answers_check(const char *text, const char *expected)
{
  hd_vc_options options = {.seconds = 20};
  answers_check_with(text, &options, expected);
}
