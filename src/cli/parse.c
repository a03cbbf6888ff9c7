/* parse.c: reads the command line by the table of options.c.
 *
 * --name VALUE and --name=VALUE, -n VALUE and -nVALUE, flags in one word (-qv), operands anywhere, -- before the
 * program (or before operands that begin with a dash). Every error says what is wrong and what is allowed. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- suggestions ---- */

static size_t
min3(size_t a, size_t b, size_t c)
{
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

/* Edits (insert, delete, change, swap of neighbours) from A to B: Damerau's distance, restricted. */
static size_t
distance(const char *a, const char *b)
{
  enum
  {
    LONGEST = 32
  };
  size_t n = strlen(a), m = strlen(b);
  if (n >= LONGEST || m >= LONGEST)
    return LONGEST;
  size_t d[LONGEST][LONGEST];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++)
    {
      if (i == 0 || j == 0)
      {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
        d[i][j] = d[i - 2][j - 2] + 1;
    }
  return d[n][m];
}

const char *
hd_options_suggest(const char *word, const char *const *words, size_t n)
{
  const char *best = NULL;
  size_t best_distance = 0, length = strlen(word);
  for (size_t i = 0; i < n; i++)
  {
    size_t d = distance(word, words[i]);
    if (length >= 2 && strncmp(word, words[i], length) == 0)
      d = 1; /* an abbreviation */
    size_t allowed = strlen(words[i]) / 3 + 1;
    if (d <= (allowed < 3 ? allowed : 3) && d < strlen(words[i]) && (!best || d < best_distance))
    {
      best = words[i];
      best_distance = d;
    }
  }
  return best;
}

/* ---- options ---- */

typedef struct parser
{
  const hd_command *command;
  int argc, at;
  char **argv;
  hd_cli_options *o;
  hd_string *error;
} parser;

static bool fail(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool
fail(parser *p, const char *format, ...)
{
  hd_string_printf(p->error, "heddle %s: ", p->command->name);
  va_list args;
  va_start(args, format);
  hd_string_vprintf(p->error, format, args);
  va_end(args);
  hd_string_add(p->error, "\n");
  return false;
}

static const hd_option *
find_long(const char *name, size_t length, uint32_t commands)
{
  for (size_t i = 0; i < hd_option_count; i++)
  {
    const hd_option *option = &hd_option_table[i];
    if ((option->commands & commands) && strlen(option->name) == length && memcmp(option->name, name, length) == 0)
      return option;
  }
  return NULL;
}

static const hd_option *
find_letter(char letter, uint32_t commands)
{
  for (size_t i = 0; i < hd_option_count; i++)
    if ((hd_option_table[i].commands & commands) && hd_option_table[i].letter == letter)
      return &hd_option_table[i];
  return NULL;
}

/* SHOWN: as the user wrote it. FOREIGN: the option of that name that other commands have, or NULL. */
static bool
unknown_option(parser *p, const char *shown, const char *name, const hd_option *foreign)
{
  if (foreign)
  {
    const char *owner = "";
    for (size_t i = 0; i < hd_command_count; i++)
      if (foreign->commands & hd_command_table[i].bit)
        owner = hd_command_table[i].name;
    return fail(p, "option '%s' belongs to 'heddle %s'; 'heddle %s --help' lists what is allowed here", shown, owner,
                p->command->name);
  }
  const char *names[64];
  size_t n = 0;
  for (size_t i = 0; i < hd_option_count && n < 64; i++)
    if (hd_option_table[i].commands & p->command->bit)
      names[n++] = hd_option_table[i].name;
  const char *meant = name ? hd_options_suggest(name, names, n) : NULL;
  if (meant)
    return fail(p, "unknown option '%s'; did you mean '--%s'?", shown, meant);
  return fail(p, "unknown option '%s'; 'heddle %s --help' lists what is allowed", shown, p->command->name);
}

/* Split the words of a choice ("a|b|c"), at most MAX, into BUFFER; returns how many. */
static size_t
split_choice(const char *value, char *buffer, size_t size, const char **words, size_t max)
{
  size_t n = 0;
  snprintf(buffer, size, "%s", value);
  for (char *rest = buffer, *word; n < max && (word = strsep(&rest, "|"));)
    words[n++] = word;
  return n;
}

static bool
read_choice(parser *p, const hd_option *option, const char *shown, const char *text, int *field)
{
  char buffer[128];
  const char *words[16];
  size_t n = split_choice(option->value, buffer, sizeof buffer, words, 16);
  for (size_t i = 0; i < n; i++)
    if (strcmp(words[i], text) == 0)
    {
      *field = (int) i;
      return true;
    }
  hd_string allowed = {0};
  for (size_t i = 0; i < n; i++)
    hd_string_printf(&allowed, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", words[i]);
  const char *meant = hd_options_suggest(text, words, n);
  if (meant)
    fail(p, "option '%s' takes %s, not '%s'; did you mean '%s'?", shown, allowed.text, text, meant);
  else
    fail(p, "option '%s' takes %s, not '%s'", shown, allowed.text, text);
  hd_string_free(&allowed);
  return false;
}

static bool
read_number(parser *p, const hd_option *option, const char *shown, const char *text, uint64_t *field)
{
  char *end;
  errno = 0;
  /* strtoull takes signs and blanks, which mean nothing here. */
  uintmax_t n = isdigit((unsigned char) text[0]) ? strtoumax(text, &end, 10) : (end = (char *) text, 0);
  if (end == text || *end || errno || n < option->min || n > option->max)
  {
    if (option->max > UINT32_MAX)
      return fail(p, "option '%s' takes a whole number, at least %" PRIu64 ", not '%s'", shown, option->min, text);
    return fail(p, "option '%s' takes a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", shown, option->min,
                option->max, text);
  }
  *field = n;
  return true;
}

static bool
read_seconds(parser *p, const char *shown, const char *text, double *field)
{
  char *end;
  double n = strtod(text, &end);
  if (end == text || *end || !isfinite(n) || n <= 0)
    return fail(p, "option '%s' takes a number of seconds above 0, not '%s'", shown, text);
  *field = n;
  return true;
}

/* Store OPTION, with TEXT if it takes a value. */
static bool
store(parser *p, const hd_option *option, const char *shown, const char *text)
{
  void *field = (char *) p->o + option->field;
  HD_CHECK(text || option->kind == HD_OPTION_FLAG || option->kind == HD_OPTION_COUNT);
  switch (option->kind)
  {
  case HD_OPTION_FLAG:
    *(bool *) field = true;
    return true;
  case HD_OPTION_COUNT:
    ++*(int *) field;
    return true;
  case HD_OPTION_TEXT:
  case HD_OPTION_MAYBE:
    *(const char **) field = text;
    return true;
  case HD_OPTION_LIST:
  {
    hd_cli_list *list = field;
    HD_PUSH(list->items, list->n, list->cap, text);
    return true;
  }
  case HD_OPTION_NUMBER:
    return read_number(p, option, shown, text, field);
  case HD_OPTION_SECONDS:
    return read_seconds(p, shown, text, field);
  case HD_OPTION_CHOICE:
    return read_choice(p, option, shown, text, field);
  }
  HD_CHECK(!"kind of option");
  return false;
}

/* The next word as the value of OPTION. An empty one, or one that is an option, was forgotten. */
static const char *
next_value(parser *p, const hd_option *option, const char *shown)
{
  const char *text = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
  if (!text || !*text || (text[0] == '-' && text[1]))
  {
    fail(p, "option '%s' needs a value: %s %s", shown, shown, option->value);
    return NULL;
  }
  p->at++;
  return text;
}

/* The next word as a value that may be left out. */
static const char *
maybe_value(parser *p)
{
  const char *text = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
  if (!text || text[0] == '-')
    return "";
  p->at++;
  return text;
}

static bool
read_long(parser *p, const char *word)
{
  const char *name = word + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t) (equals - name) : strlen(name);
  const hd_option *option = find_long(name, length, p->command->bit);
  char *shown = hd_strndup(word, length + 2);
  bool good;
  if (!option)
    good = unknown_option(p, shown, shown + 2, find_long(name, length, HD_CMD_ALL));
  else if (!option->value)
    good = equals ? fail(p, "option '%s' takes no value, so leave out '%s'", shown, equals)
                  : store(p, option, shown, NULL);
  else if (equals && !equals[1])
    good = fail(p, "option '%s' needs a value: %s=%s", shown, shown, option->value);
  else
  {
    const char *text = equals                            ? equals + 1
                       : option->kind == HD_OPTION_MAYBE ? maybe_value(p)
                                                         : next_value(p, option, shown);
    good = text && store(p, option, shown, text);
  }
  free(shown);
  return good;
}

static bool
read_letters(parser *p, const char *word)
{
  for (const char *letter = word + 1; *letter; letter++)
  {
    char shown[3] = {'-', *letter, 0};
    const hd_option *option = find_letter(*letter, p->command->bit);
    if (!option)
      return unknown_option(p, letter == word + 1 ? word : shown, letter == word + 1 && letter[1] ? word + 1 : NULL,
                            find_letter(*letter, HD_CMD_ALL));
    if (option->value)
    {
      const char *text = letter[1] ? letter + 1 : next_value(p, option, shown);
      return text && store(p, option, shown, text);
    }
    store(p, option, shown, NULL);
  }
  return true;
}

static bool
read_operand(parser *p, const char *word)
{
  hd_cli_list *operands = &p->o->operands;
  if (p->command->program && p->command->max_operands == 0)
    return fail(p, "unexpected '%s'; write -- before the program: heddle %s %s", word, p->command->name,
                p->command->usage);
  if (operands->n == (size_t) p->command->max_operands)
    return fail(p, "unexpected '%s'; usage: heddle %s %s", word, p->command->name, p->command->usage);
  HD_PUSH(operands->items, operands->n, operands->cap, word);
  return true;
}

static uint64_t
processors(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t) CPU_COUNT(&set) : 1;
}

bool
hd_options_read(const hd_command *command, int argc, char **argv, hd_cli_options *o, hd_string *error)
{
  parser p = {.command = command, .argc = argc, .argv = argv, .o = o, .error = error};
  bool only_operands = false;
  *o = (hd_cli_options){.command = command};
  for (p.at = 1; p.at < argc; p.at++)
  {
    const char *word = argv[p.at];
    if (only_operands || word[0] != '-' || !word[1])
    {
      if (!read_operand(&p, word))
        return false;
    }
    else if (strcmp(word, "--") == 0)
    {
      if (command->program)
      {
        o->program = p.at + 1 < argc ? argv + p.at + 1 : NULL;
        break;
      }
      only_operands = true;
    }
    else if (!(word[1] == '-' ? read_long(&p, word) : read_letters(&p, word)))
      return false;
  }
  if (o->help)
    return true;
  if (o->operands.n < (size_t) command->min_operands || (command->program && !command->program_optional && !o->program))
    return fail(&p, "no %s given; usage: heddle %s %s", command->operands, command->name, command->usage);
  if (o->jobs == 0)
    o->jobs = processors();
  return true;
}

int
hd_options_parse(const char *name, int argc, char **argv, hd_cli_options *o)
{
  const hd_command *command = hd_command_find(name);
  HD_CHECK(command);
  hd_string text = {0};
  int status = HD_OPTIONS_GO_ON;
  if (!hd_options_read(command, argc, argv, o, &text))
  {
    fputs(text.text, stderr);
    status = HD_BAD_INPUT;
  }
  else if (o->help)
  {
    hd_options_help(&text, command);
    fputs(text.text, stdout);
    status = HD_HOLDS;
  }
  hd_string_free(&text);
  if (status != HD_OPTIONS_GO_ON)
    hd_options_free(o);
  return status;
}

void
hd_options_free(hd_cli_options *o)
{
  free(o->specs.items);
  free(o->objects.items);
  free(o->constants.items);
  free(o->properties.items);
  free(o->operands.items);
  *o = (hd_cli_options){0};
}
