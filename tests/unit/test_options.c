/* test_options.c: the table of options, its parser, --help, and the progress line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"

enum
{
  MAX_WORDS = 32
};

/* Read LINE, split at blanks ("''" is an empty word), as a command line. WORDS must live as long as *O. */
static bool
read_line(const char *line, char *buffer, char **words, hd_cli_options *o, hd_string *error)
{
  int n = 0;
  strcpy(buffer, line);
  for (char *word = strtok(buffer, " "); word; word = strtok(NULL, " "))
    words[n++] = strcmp(word, "''") == 0 ? word + 2 : word;
  words[n] = NULL;
  const hd_command *command = hd_command_find(words[0]);
  assert_non_null(command);
  return hd_options_read(command, n, words, o, error);
}

static void
expect_error(const char *line, const char *expected)
{
  char buffer[512], *words[MAX_WORDS];
  hd_cli_options o;
  hd_string error = {0};
  assert_false(read_line(line, buffer, words, &o, &error));
  assert_string_equal(error.text, expected);
  hd_string_free(&error);
  hd_options_free(&o);
}

/* ---- what is allowed ---- */

static void
defaults(void **state)
{
  (void) state;
  char buffer[512], *words[MAX_WORDS];
  hd_cli_options o;
  hd_string error = {0};
  assert_true(read_line("check a.hlog", buffer, words, &o, &error));
  assert_null(error.text);
  assert_string_equal(o.command->name, "check");
  assert_int_equal(o.operands.n, 1);
  assert_string_equal(o.operands.items[0], "a.hlog");
  assert_int_equal(o.view, 0);
  assert_int_equal(o.color, HD_COLOR_AUTO);
  assert_true(o.jobs >= 1);
  assert_true(o.time == 0 && o.memory == 0 && o.specs.n == 0 && o.objects.n == 0);
  assert_false(o.json || o.stats || o.quiet || o.paranoid || o.help);
  assert_null(o.program);
  hd_options_free(&o);
}

static void
everything_at_once(void **state)
{
  (void) state;
  char buffer[512], *words[MAX_WORDS];
  hd_cli_options o;
  hd_string error = {0};
  assert_true(read_line("check --spec a.so --spec=b.so -qvv x.hlog --view=off --paranoid -j4 --json --stats "
                        "--color never --object m --time 0.5 --memory 64 --object=n",
                        buffer, words, &o, &error));
  assert_int_equal(o.specs.n, 2);
  assert_string_equal(o.specs.items[0], "a.so");
  assert_string_equal(o.specs.items[1], "b.so");
  assert_int_equal(o.objects.n, 2);
  assert_string_equal(o.objects.items[1], "n");
  assert_int_equal(o.view, 2);
  assert_int_equal(o.jobs, 4);
  assert_int_equal(o.color, HD_COLOR_NEVER);
  assert_int_equal(o.memory, 64);
  assert_int_equal(o.verbose, 2);
  assert_true(o.time == 0.5);
  assert_true(o.json && o.stats && o.quiet && o.paranoid);
  assert_string_equal(o.operands.items[0], "x.hlog");
  hd_options_free(&o);
}

static void
spellings_of_values(void **state)
{
  (void) state;
  static const char *const lines[]
      = {"check l -j 3", "check l -j3", "check l --jobs 3", "check l --jobs=3", "check l -qj3", "check -vj 3 l"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
  {
    char buffer[512], *words[MAX_WORDS];
    hd_cli_options o;
    hd_string error = {0};
    assert_true(read_line(lines[i], buffer, words, &o, &error));
    assert_int_equal(o.jobs, 3);
    hd_options_free(&o);
  }
}

/* The value of --atomic may be left out; an operand and a program go together. */
static void
values_left_out(void **state)
{
  (void) state;
  static const struct
  {
    const char *line, *atomic;
  } table[] = {{"monitor --atomic f,g -- ./prog", "f,g"},   {"monitor --atomic=f -- ./prog", "f"},
               {"monitor --atomic --race -- ./prog", ""},   {"monitor --atomic -- ./prog", ""},
               {"monitor --race -- ./prog --atomic", NULL}, {"trace record --atomic f -- ./prog", "f"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
  {
    char buffer[512], *words[MAX_WORDS];
    hd_cli_options o;
    hd_string error = {0};
    assert_true(read_line(table[i].line, buffer, words, &o, &error));
    assert_string_equal(o.program[0], "./prog");
    if (table[i].atomic)
      assert_string_equal(o.atomic, table[i].atomic);
    else
      assert_null(o.atomic);
    hd_options_free(&o);
  }
}

static void
dashes(void **state)
{
  (void) state;
  char buffer[512], *words[MAX_WORDS];
  hd_cli_options o;
  hd_string error = {0};
  assert_true(read_line("check -- --odd", buffer, words, &o, &error));
  assert_string_equal(o.operands.items[0], "--odd");
  hd_options_free(&o);
  assert_true(read_line("check -", buffer, words, &o, &error)); /* a single dash is an operand */
  assert_string_equal(o.operands.items[0], "-");
  hd_options_free(&o);
}

static void
program_after_dashes(void **state)
{
  (void) state;
  char buffer[512], *words[MAX_WORDS];
  hd_cli_options o;
  hd_string error = {0};
  assert_true(read_line("run --spec s.so --log l --policy=drop -- ./prog --spec -- x", buffer, words, &o, &error));
  assert_int_equal(o.specs.n, 1);
  assert_string_equal(o.log, "l");
  assert_int_equal(o.policy, HD_POLICY_DROP);
  assert_string_equal(o.program[0], "./prog");
  assert_string_equal(o.program[1], "--spec");
  assert_string_equal(o.program[2], "--");
  assert_string_equal(o.program[3], "x");
  assert_null(o.program[4]);
  hd_options_free(&o);
}

static void
help_needs_nothing_else(void **state)
{
  (void) state;
  for (size_t i = 0; i < hd_command_count; i++)
  {
    char *words[] = {(char *) hd_command_table[i].name, "--help", NULL};
    hd_cli_options o;
    hd_string error = {0};
    assert_true(hd_options_read(&hd_command_table[i], 2, words, &o, &error));
    assert_true(o.help);
    hd_options_free(&o);
  }
}

/* ---- what is not ---- */

static void
unknown_options(void **state)
{
  (void) state;
  expect_error("check l --spce x", "heddle check: unknown option '--spce'; did you mean '--spec'?\n");
  expect_error("check l --verb", "heddle check: unknown option '--verb'; did you mean '--verbose'?\n");
  expect_error("check l -json", "heddle check: option '-j' takes a whole number from 1 to 1024, not 'son'\n");
  expect_error("check l -stats", "heddle check: unknown option '-stats'; did you mean '--stats'?\n");
  expect_error("check l --frobnicate=3",
               "heddle check: unknown option '--frobnicate'; 'heddle check --help' lists what is allowed\n");
  expect_error("check l -x", "heddle check: unknown option '-x'; 'heddle check --help' lists what is allowed\n");
  expect_error("check l -qx", "heddle check: unknown option '-x'; 'heddle check --help' lists what is allowed\n");
  expect_error("check l --log f", "heddle check: option '--log' belongs to 'heddle run'; 'heddle check --help' lists "
                                  "what is allowed here\n");
}

static void
wrong_values(void **state)
{
  (void) state;
  expect_error("check l --view=ful",
               "heddle check: option '--view' takes touched, full or off, not 'ful'; did you mean 'full'?\n");
  expect_error("check l --view 17", "heddle check: option '--view' takes touched, full or off, not '17'\n");
  expect_error("check l --view", "heddle check: option '--view' needs a value: --view touched|full|off\n");
  expect_error("check l --spec", "heddle check: option '--spec' needs a value: --spec PATH\n");
  expect_error("check l --spec=", "heddle check: option '--spec' needs a value: --spec=PATH\n");
  expect_error("check l --spec --json", "heddle check: option '--spec' needs a value: --spec PATH\n");
  expect_error("check l --spec ''", "heddle check: option '--spec' needs a value: --spec PATH\n");
  expect_error("check l --json=yes", "heddle check: option '--json' takes no value, so leave out '=yes'\n");
  expect_error("check l -j0", "heddle check: option '-j' takes a whole number from 1 to 1024, not '0'\n");
  expect_error("check l -j 1025", "heddle check: option '-j' takes a whole number from 1 to 1024, not '1025'\n");
  expect_error("check l -j 2x", "heddle check: option '-j' takes a whole number from 1 to 1024, not '2x'\n");
  expect_error("check l --jobs=-1", "heddle check: option '--jobs' takes a whole number from 1 to 1024, not '-1'\n");
  expect_error("check l --memory 99999999999999999999",
               "heddle check: option '--memory' takes a whole number, at least 1, not '99999999999999999999'\n");
  expect_error("check l --time 0", "heddle check: option '--time' takes a number of seconds above 0, not '0'\n");
  expect_error("check l --time nan", "heddle check: option '--time' takes a number of seconds above 0, not 'nan'\n");
  expect_error("check l --time 5m", "heddle check: option '--time' takes a number of seconds above 0, not '5m'\n");
}

static void
wrong_operands(void **state)
{
  (void) state;
  expect_error("check", "heddle check: no LOG given; usage: heddle check LOG... --spec PATH [OPTION]...\n");
  expect_error("log print a b", "heddle log: unexpected 'b'; usage: heddle log print|stats|cut LOG [OPTION]...\n");
  expect_error("run --spec s",
               "heddle run: no PROG given; usage: heddle run --spec PATH [OPTION]... -- PROG [ARG]...\n");
  expect_error("run --spec s --",
               "heddle run: no PROG given; usage: heddle run --spec PATH [OPTION]... -- PROG [ARG]...\n");
  expect_error("run ./prog", "heddle run: unexpected './prog'; write -- before the program: heddle run --spec PATH "
                             "[OPTION]... -- PROG [ARG]...\n");
}

/* ---- the table ---- */

/* --help fits a screen of 80 columns and 24 lines and starts with an example; every option says what it is. */
static void
help_fits_a_screen(void **state)
{
  (void) state;
  for (size_t i = 0; i < hd_command_count; i++)
  {
    hd_string help = {0};
    hd_options_help(&help, &hd_command_table[i]);
    assert_memory_equal(help.text, "Example: heddle ", 16);
    int lines = 0;
    for (char *line = help.text, *end; (end = strchr(line, '\n')); line = end + 1, lines++)
      if (end - line > 80)
        fail_msg("too wide: %.*s", (int) (end - line), line);
    if (lines > 24)
      fail_msg("heddle %s --help has %d lines", hd_command_table[i].name, lines);
    hd_string_free(&help);
  }
}

static void
table_is_sound(void **state)
{
  (void) state;
  for (size_t i = 0; i < hd_option_count; i++)
  {
    const hd_option *a = &hd_option_table[i];
    assert_non_null(a->help);
    assert_non_null(a->manual);
    assert_true(a->manual[strlen(a->manual) - 1] == '\n');
    assert_true(a->field < sizeof(hd_cli_options));
    bool takes_value = a->kind != HD_OPTION_FLAG && a->kind != HD_OPTION_COUNT;
    assert_true(takes_value == (a->value != NULL));
    if (a->kind == HD_OPTION_NUMBER)
      assert_true(a->max > a->min);
    for (size_t k = 0; k < i; k++)
    {
      const hd_option *b = &hd_option_table[k];
      /* One option means one thing in all commands; its values may differ between some. */
      bool same = strcmp(a->name, b->name) == 0;
      assert_false(same && (a->commands & b->commands));
      assert_true(same || !a->letter || a->letter != b->letter);
      assert_true(same || a->field != b->field);
    }
  }
}

static void
suggestions(void **state)
{
  (void) state;
  const char *words[] = {"check", "run", "log", "help"};
  assert_string_equal(hd_options_suggest("chekc", words, 4), "check");
  assert_string_equal(hd_options_suggest("ch", words, 4), "check");
  assert_string_equal(hd_options_suggest("lgo", words, 4), "log");
  assert_string_equal(hd_options_suggest("hlep", words, 4), "help");
  assert_null(hd_options_suggest("monitor", words, 4));
  assert_null(hd_options_suggest("", words, 4));
  assert_null(hd_options_suggest("a-very-long-word-that-nobody-would-ever-mean", words, 4));
}

/* ---- the terminal ---- */

static void
colours(void **state)
{
  (void) state;
  FILE *f = tmpfile();
  assert_true(hd_terminal_color(HD_COLOR_ALWAYS, f));
  assert_false(hd_terminal_color(HD_COLOR_AUTO, f));
  assert_false(hd_terminal_color(HD_COLOR_NEVER, f));
  assert_int_equal(hd_terminal_width(fileno(f)), 80);
  fclose(f);
}

static void
progress_waits_and_wipes(void **state)
{
  (void) state;
  const uint64_t ms = 1000000;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  hd_progress p = hd_progress_start(false);
  p.out = NULL; /* as without a terminal */
  assert_false(hd_progress_due(&p, UINT64_MAX));
  hd_progress_show(&p, "nobody sees this");
  hd_progress_end(&p);

  uint64_t start = hd_terminal_now();
  p = hd_progress_start(false);
  p.out = f;
  assert_false(hd_progress_due(&p, start + 1999 * ms));
  assert_true(hd_progress_due(&p, start + 1000 * 1000 * ms));
  assert_false(hd_progress_due(&p, start + 1000 * 1000 * ms + 199 * ms));
  assert_true(hd_progress_due(&p, start + 1000 * 1000 * ms + 200 * ms));
  hd_progress_end(&p); /* nothing was shown: nothing to wipe */
  fflush(f);
  assert_int_equal(size, 0);
  hd_progress_show(&p, "%d operations", 7);
  hd_progress_end(&p);
  hd_progress_end(&p);
  fclose(f);
  assert_string_equal(text, "\r7 operations\033[K\r\033[K");
  free(text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(everything_at_once),
      cmocka_unit_test(spellings_of_values),
      cmocka_unit_test(values_left_out),
      cmocka_unit_test(dashes),
      cmocka_unit_test(program_after_dashes),
      cmocka_unit_test(help_needs_nothing_else),
      cmocka_unit_test(unknown_options),
      cmocka_unit_test(wrong_values),
      cmocka_unit_test(wrong_operands),
      cmocka_unit_test(help_fits_a_screen),
      cmocka_unit_test(table_is_sound),
      cmocka_unit_test(suggestions),
      cmocka_unit_test(colours),
      cmocka_unit_test(progress_waits_and_wipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
