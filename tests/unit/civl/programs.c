#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "civl/civl.h"
#include "civl/programs.h"

hd_boogie_program *
read_program(const char *text, hd_boogie_messages *m)
{
  hd_boogie_messages own = {0}, *messages = m ? m : &own;
  hd_boogie_options options = {0};
  hd_boogie_program *p = hd_boogie_read_text("p.bpl", text, strlen(text), &options, messages);
  if (!p || own.errors)
  {
    hd_string out = {0};
    hd_boogie_messages_print(messages, &out);
    fail_msg("%s for\n%s", out.text, text);
  }
  hd_boogie_messages_free(&own);
  return p;
}

hd_boogie_impl *
impl_named(const hd_boogie_program *p, const char *name)
{
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_IMPL && strcmp(p->decls.items[i].impl->name, name) == 0)
      return p->decls.items[i].impl;
  fail_msg("no implementation %s", name);
  return NULL;
}

relation_code
code_of(const hd_boogie_impl *impl)
{
  return (relation_code){&impl->ins, &impl->outs, &impl->locals, &impl->blocks};
}

static void
read_text(const char *path, hd_string *out)
{
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
    hd_string_add_n(out, part, n);
  fclose(f);
}

static void
find_expected(const char *text, hd_string *out)
{
  static const char mark[] = "//! ";
  hd_string_add(out, "");
  while ((text = strstr(text, mark)))
  {
    text += strlen(mark);
    hd_string_add_n(out, text, strcspn(text, "\n") + 1);
  }
}

static bool
check_program(const char *name, const hd_string *text, const hd_civl_options *options)
{
  hd_boogie_messages m = {0};
  hd_boogie_options reading = {0};
  hd_boogie_program *p = hd_boogie_read_text("", text->text, text->length, &reading, &m);
  hd_civl *c = p ? hd_civl_transform(p, options, &m) : NULL;
  hd_string expected = {0}, given = {0};
  find_expected(text->text, &expected);
  hd_boogie_messages_reference(&m, "", &given);
  hd_string_add(&given, "");
  char *summary = strstr(given.text, m.errors ? " errors detected" : "\n\n"); /* the line with the count */
  while (summary && summary > given.text && summary[-1] != '\n')
    summary--;
  if (summary)
    *summary = '\0';
  bool good = !strcmp(given.text, expected.text) && (c != NULL) == (m.errors == 0);
  if (!good)
    print_error("%s:\nexpected\n%s\ngiven\n%s", name, expected.text, given.text);
  hd_string_free(&expected);
  hd_string_free(&given);
  if (p)
    hd_boogie_program_free(p);
  hd_boogie_messages_free(&m);
  return good;
}

void
check_programs(const char *root, const char *folder, const hd_civl_options *options)
{
  hd_string path = {0}, text = {0};
  hd_string_printf(&path, "%s/tests/unit/civl/%s", root, folder);
  DIR *d = opendir(path.text);
  assert_non_null(d);
  size_t checked = 0, failed = 0;
  for (struct dirent *e; (e = readdir(d));)
  {
    if (!strstr(e->d_name, ".bpl"))
      continue;
    hd_string_clear(&path);
    hd_string_clear(&text);
    hd_string_printf(&path, "%s/tests/unit/civl/%s/%s", root, folder, e->d_name);
    read_text(path.text, &text);
    failed += !check_program(e->d_name, &text, options);
    checked++;
  }
  closedir(d);
  hd_string_free(&path);
  hd_string_free(&text);
  assert_true(checked > 0);
  assert_int_equal(failed, 0);
}
