/* Names of addresses: a small program (symbols/named.c) says what its own memory and code are called, and the debug
 * information that the compiler wrote must say the same, in several forms of it and for each compiler that is there. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "instrument/instrument.h"

/* ---- the program ---- */

static char folder[] = "/tmp/test_symbols.XXXXXX";

static bool
there_is(const char *compiler)
{
  hd_string s = {0};
  hd_string_printf(&s, "command -v %s >/dev/null", compiler);
  bool answer = system(s.text) == 0;
  hd_string_free(&s);
  return answer;
}

/* What the program says when it is compiled so; all lines. */
static char *
say(const char *compiler, const char *options)
{
  hd_string command = {0}, out = {0};
  char block[4096];
  hd_string_printf(&command,
                   "%s %s -D_GNU_SOURCE -fno-omit-frame-pointer %s/tests/unit/symbols/named.c -o %s/named && %s/named",
                   compiler, options, TEST_SOURCE_ROOT, folder, folder);
  FILE *f = popen(command.text, "r");
  assert_non_null(f);
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
    hd_string_add_n(&out, block, n);
  assert_int_equal(pclose(f), 0);
  hd_string_free(&command);
  return out.text;
}

/* ---- questions ---- */

/* Numbers at *TEXT, hexadecimal ones with 0x; stops where there are no more. */
static size_t
numbers(char **text, uint64_t *list, size_t max)
{
  size_t n = 0;
  for (char *end; n < max; *text = end)
  {
    list[n] = strtoull(*text, &end, 0);
    if (end == *text || (*end != ' ' && *end != 0))
      break;
    n++;
  }
  while (**text == ' ')
    ++*text;
  return n;
}

/* The answer to a line of WORD, from the numbers behind it. False: nobody knows. */
static bool
ask(hd_symbols *s, const char *word, const uint64_t *v, size_t n, hd_string *name)
{
  hd_symbols_frame where, frames[8];
  hd_symbols_step steps[8] = {0};
  hd_symbols_root root = {0};
  if (strcmp(word, "data") == 0 && n == 2)
    return hd_symbols_data(s, v[0], v[1], name, &where);
  if (strcmp(word, "allocated") == 0 && n == 4)
    return hd_symbols_allocated(s, v[0], v[1], v[2], v[3], name, &where);
  if (strcmp(word, "local") == 0 && n == 5)
  {
    root = (hd_symbols_root){.kind = HD_SYMBOLS_FRAME, .cfa = v[0], .sp = v[1], .pc = v[2]};
    steps[0].address = v[3];
    return hd_symbols_path(s, &root, steps, 1, v[4], name, &where) && where.function
           && strcmp(where.function, "locals") == 0;
  }
  if (strcmp(word, "own") == 0 && n == 4)
  {
    root = (hd_symbols_root){.kind = HD_SYMBOLS_OWN, .module = v[0], .offset = v[1]};
    steps[0].address = v[2];
    return hd_symbols_path(s, &root, steps, 1, v[3], name, &where);
  }
  if (strcmp(word, "path") == 0 && n % 3 == 2)
  {
    size_t count = n / 3;
    for (size_t i = 0; i < count; i++)
      steps[i] = (hd_symbols_step){v[3 * i], v[3 * i + 1], v[3 * i + 2], false};
    steps[count].address = v[n - 2];
    return hd_symbols_path(s, &root, steps, count + 1, v[n - 1], name, &where);
  }
  if (strcmp(word, "code") != 0 || n != 2)
    fail_msg("the program says '%s' with %zu numbers", word, n);
  hd_symbols_frames(s, v[0], frames, 8);
  if (!frames[0].function || !frames[0].file || frames[0].line != (int) v[1]
      || !strstr(frames[0].file, "symbols/named.c"))
    return false;
  hd_string_add(name, frames[0].function);
  return true;
}

static size_t wrong;

static size_t
judge_line(hd_symbols *s, const char *how, char *line)
{
  uint64_t v[32];
  char *rest = strchr(line, ' ');
  *rest++ = 0;
  if (strcmp(line, "map") == 0)
  {
    hd_symbols_map(s, rest);
    return 0;
  }
  size_t n = numbers(&rest, v, 32);
  hd_string name = {0};
  bool known = ask(s, line, v, n, &name);
  if (!known || strcmp(name.text, rest) != 0)
  {
    print_message("# %s: %s of %s is called %s\n", how, line, rest, known ? name.text : "nothing");
    wrong++;
  }
  hd_string_free(&name);
  return 1;
}

static void
judge(const char *compiler, const char *options)
{
  if (!there_is(compiler))
  {
    print_message("# there is no %s\n", compiler);
    return;
  }
  hd_string how = {0};
  hd_string_printf(&how, "%s %s", compiler, options);
  hd_symbols *s = hd_symbols_new();
  char *all = say(compiler, options);
  size_t asked = 0;
  for (char *rest = all, *line; (line = strsep(&rest, "\n"));)
    if (*line)
      asked += judge_line(s, how.text, line);
  assert_true(asked > 40);
  assert_int_equal(wrong, 0);
  hd_symbols_free(s);
  free(all);
  hd_string_free(&how);
}

/* ---- tests ---- */

static void
test_gcc(void **state)
{
  (void) state;
  judge("gcc", "-g -O0");
  judge("gcc", "-gdwarf-4 -O1");
  judge("gcc", "-g -O2");
}

static void
test_clang(void **state)
{
  (void) state;
  judge("clang", "-g -O0");
  judge("clang", "-gdwarf-4 -O1");
  judge("clang", "-g -O2");
}

/* Without debug information there are the symbols of functions and of variables, and nothing is made up. */
static void
test_without(void **state)
{
  (void) state;
  if (!there_is("gcc"))
    skip();
  hd_symbols *s = hd_symbols_new();
  char *all = say("gcc", "-g0 -O0");
  for (char *rest = all, *line; (line = strsep(&rest, "\n"));)
  {
    uint64_t v[32];
    hd_string name = {0};
    hd_symbols_frame where, frames[8];
    char *text = strchr(line, ' ');
    if (strncmp(line, "map ", 4) == 0)
      hd_symbols_map(s, text + 1);
    else if (strncmp(line, "data ", 5) == 0 && numbers(&text, v, 32) == 2)
    {
      /* "table" is in "table.size". */
      if (hd_symbols_data(s, v[0], v[1], &name, &where) && strncmp(name.text, text, strcspn(name.text, "+")) != 0)
        fail_msg("%s is called %s", text, name.text);
    }
    else if (strncmp(line, "code ", 5) == 0 && numbers(&text, v, 32) == 2)
    {
      hd_symbols_frames(s, v[0], frames, 8);
      assert_null(frames[0].file);
      assert_string_equal(frames[0].function, "caller"); /* that something was inlined is not known */
    }
    hd_string_free(&name);
  }
  hd_symbols_free(s);
  free(all);
}

/* Addresses that are nothing's. */
static void
test_nothing(void **state)
{
  (void) state;
  hd_symbols *s = hd_symbols_new();
  hd_string name = {0};
  hd_symbols_frame where = {0}, frames[8];
  assert_false(hd_symbols_data(s, 0x1000, 4, &name, &where));
  assert_int_equal(hd_symbols_frames(s, 0x1000, frames, 8), 1);
  assert_null(frames[0].function);
  assert_null(frames[0].file);
  hd_symbols_map(s, "this is no mapping");
  hd_symbols_map(s, "1000-2000 r-xp 00000000 00:00 0 /there/is/none");
  assert_false(hd_symbols_data(s, 0x1800, 4, &name, &where));
  assert_int_equal(hd_symbols_frames(s, 0x1800, frames, 8), 1);
  assert_null(frames[0].function);
  hd_string_free(&name);
  hd_symbols_free(s);
}

static int
make_folder(void **state)
{
  (void) state;
  return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
  (void) state;
  hd_string path = {0};
  hd_string_printf(&path, "%s/named", folder);
  unlink(path.text);
  hd_string_free(&path);
  return rmdir(folder);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gcc),
      cmocka_unit_test(test_clang),
      cmocka_unit_test(test_without),
      cmocka_unit_test(test_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
