/* rt_property_setup.c: the settings that the heddle command sends before main, a line each:
 *
 *   action file|continue|stop|abort|call     what is done when a property is violated
 *   file PATH                                a property file; its text follows
 *   text LINE
 *   parse                                    the text is complete
 *   variable FILE INDEX LOW BYTES KIND BITS FROM     hd_rt_watch
 *   lock|function|rule|start|call FILE INDEX LOW BYTES     hd_rt_area: in the file's locks, functions, rules, names of
 *                                            threads, properties
 *
 * Numbers are decimal; FILE counts from 0. The command has checked the files: what is wrong here is a mistake of ours,
 * and the program goes on without a monitor, which the command says. */
#include "instrument/rt_property.h"

#include <string.h>

static hd_string text;
static const char *path;

static uint64_t
number(const char **at)
{
  uint64_t n = 0;
  while (**at == ' ')
    ++*at;
  for (; **at >= '0' && **at <= '9'; ++*at)
    n = n * 10 + (uint64_t) (**at - '0');
  return n;
}

/* LINE begins with WORD: what comes behind it; else NULL. */
static const char *
after(const char *line, const char *word)
{
  size_t n = strlen(word);
  if (strncmp(line, word, n) != 0 || (line[n] != ' ' && line[n] != 0))
    return NULL;
  return line[n] ? line + n + 1 : line + n;
}

static bool
parse(void)
{
  hd_string messages = {0};
  if (hd_rt_all.nfiles == HD_RT_FILES || !path)
    return false;
  hd_mttl_file *f = hd_mttl_parse(path, text.text ? text.text : "", text.length, &messages);
  hd_string_free(&messages);
  hd_string_free(&text);
  if (!f)
    return false;
  hd_rt_all.everything = hd_rt_all.everything || f->everything;
  hd_rt_all.files[hd_rt_all.nfiles++].f = f;
  path = NULL;
  return true;
}

static bool
read_area(const char **at, hd_rt_area *a)
{
  a->file = (uint32_t) number(at);
  a->index = (uint32_t) number(at);
  a->low = number(at);
  a->high = a->low + number(at);
  return a->file < hd_rt_all.nfiles && a->low < a->high;
}

static bool
add_variable(const char *at)
{
  hd_rt_watch w = {0};
  if (!read_area(&at, &w.area) || *at++ != ' ')
    return false;
  w.kind = *at++;
  w.bits = (uint32_t) number(&at);
  w.from = (uint32_t) number(&at);
  const hd_mttl_file *f = hd_rt_all.files[w.area.file].f;
  if (w.area.index >= f->nvariables)
    return false;
  w.tracked = f->variables[w.area.index].tracked;
  HD_PUSH(hd_rt_all.watches, hd_rt_all.nwatches, hd_rt_all.watches_cap, w);
  return true;
}

#define ADD(name, list)                                                                                                \
  static bool name(const char *at)                                                                                     \
  {                                                                                                                    \
    hd_rt_area a;                                                                                                      \
    if (!read_area(&at, &a))                                                                                           \
      return false;                                                                                                    \
    HD_PUSH(hd_rt_all.list, hd_rt_all.n##list, hd_rt_all.list##_cap, a);                                               \
    return true;                                                                                                       \
  }
ADD(add_lock, locks)
ADD(add_function, functions)
ADD(add_rule, rules)
ADD(add_start, starts)
ADD(add_call, calls)

static bool
set_action(const char *word)
{
  static const char *const words[] = {"file", "continue", "stop", "abort", "call"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0)
    {
      hd_rt_all.action = i;
      return true;
    }
  return false;
}

/* What of it is used at all, so that the rest costs nothing. */
void
hd_rt_setup_end(void)
{
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    for (size_t k = 0; k < hd_rt_all.files[i].f->nnames; k++)
      hd_rt_all.named = hd_rt_all.named || hd_rt_all.files[i].f->names[k].means;
  hd_rt_all.entered = hd_alloc_zero(hd_rt_all.nfunctions + 1);
}

bool
hd_rt_setup_line(const char *line)
{
  static const struct
  {
    const char *word;
    bool (*add)(const char *at);
  } words[] = {{"action", set_action}, {"variable", add_variable}, {"lock", add_lock}, {"function", add_function},
               {"rule", add_rule},     {"start", add_start},       {"call", add_call}};
  const char *rest;
  if ((rest = after(line, "text")) != NULL)
  {
    hd_string_add(&text, rest);
    hd_string_add(&text, "\n");
    return true;
  }
  if ((rest = after(line, "file")) != NULL)
  {
    path = hd_rt_text_keep(rest, strlen(rest));
    return true;
  }
  if (after(line, "parse"))
    return parse();
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if ((rest = after(line, words[i].word)) != NULL)
      return words[i].add(rest);
  return false;
}
