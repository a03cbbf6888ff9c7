/* gather.c: a history straight into operations, for judging calls and returns alone.
 *
 * The line order is the clock: an operation's interval is from the number of its call among all events to that of its
 * return. Histories in words (docs/histories.md) that hold whole numbers only, as most do, are read by a loop that
 * knows nothing else; whatever it does not know, a mistake too, makes it give up, and the general reader starts anew.
 */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct gathering
{
  const hd_spec *spec;
  const hd_history_options *options;
  hd_history_ops *out;
  size_t cap;
  uint64_t events;
  size_t *open; /* by slot: 1 + its operation */
  size_t nopen, open_cap;
  bool unfit;
} gathering;

static bool
cancelled(const gathering *g)
{
  return (g->events & 0xfff) == 0 && g->options->cancel && __atomic_load_n(g->options->cancel, __ATOMIC_RELAXED);
}

/* ---- through the general reader ---- */

static hd_value
keep(gathering *g, hd_value v)
{
  if (v.type < HD_STR)
    return v;
  char *text = hd_arena_alloc(g->out->texts, v.length + 1u);
  memcpy(text, v.p, v.length);
  text[v.length] = '\0';
  v.p = text;
  return v;
}

static void
call(gathering *g, const hd_history_op *op)
{
  hd_linear_op o = {.method = op->method,
                    .thread = op->slot + 1,
                    .nargs = (uint8_t) op->nargs,
                    .pending = true,
                    .start = g->events,
                    .id = g->out->n};
  hd_value *args = o.args;
  if (op->nargs > 2)
    o.many = args = hd_arena_alloc(g->out->texts, op->nargs * sizeof *args);
  const char *letters = g->spec->methods[op->method].args;
  for (uint32_t i = 0; i < op->nargs; i++)
  {
    args[i] = keep(g, op->args[i]);
    g->unfit |= !hd_value_convert(&args[i], letters[i]);
  }
  HD_PUSH(g->out->ops, g->out->n, g->cap, o);
  while (g->nopen <= op->slot)
    HD_PUSH(g->open, g->nopen, g->open_cap, 0);
  g->open[op->slot] = g->out->n;
}

static bool
step(void *context, const hd_history_op *op)
{
  gathering *g = context;
  g->events++;
  if (cancelled(g))
    return false;
  hd_linear_op *o = op->step != HD_HISTORY_STEP_CALL ? &g->out->ops[g->open[op->slot] - 1] : NULL;
  switch (op->step)
  {
  case HD_HISTORY_STEP_CALL:
    g->unfit |= op->has_object;
    call(g, op);
    break;
  case HD_HISTORY_STEP_WINDOW:
  case HD_HISTORY_STEP_COMMIT:
    g->unfit |= !g->options->ignore_commits;
    break;
  case HD_HISTORY_STEP_RETURN:
    o->pending = false;
    o->end = g->events;
    o->ret = keep(g, op->ret);
    g->unfit |= !hd_value_convert(&o->ret, g->spec->methods[o->method].ret);
    g->out->returned++;
    break;
  case HD_HISTORY_STEP_FAILED:
    o->nargs = UINT8_MAX; /* it did not happen: dropped at the end */
    break;
  case HD_HISTORY_STEP_NEVER:
    break;
  }
  return !g->unfit;
}

static void
drop_failed(hd_history_ops *out)
{
  size_t n = 0;
  for (size_t i = 0; i < out->n; i++)
    if (out->ops[i].nargs != UINT8_MAX)
    {
      out->ops[n] = out->ops[i];
      out->ops[n].id = n;
      n++;
    }
  out->n = n;
}

/* ---- words and whole numbers ---- */

enum
{
  MAX_PROCESS = 4096, /* numbers of processes below it have a place of their own */
  MAX_DIGITS = 18,
  HUGE_PAGE = 2 << 20,
};

/* An operation of the history, by its name in one word of the machine. */
typedef struct short_rule
{
  uint64_t name;
  uint32_t method;
  uint32_t nargs;
  const char *letters;
  char ret, result; /* type of the method's return; how the history says it */
} short_rule;

typedef struct words
{
  gathering *g;
  const char *at, *end;
  short_rule rules[16];
  size_t nrules;
  struct
  {
    uint32_t op; /* 1 + its open operation, or 0 */
    const short_rule *rule;
    bool windowed, committed;
  } processes[MAX_PROCESS];
} words;

static uint64_t
short_name(const char *s, size_t n)
{
  uint64_t name = 0;
  memcpy(&name, s, n);
  return name;
}

static bool
make_rules(words *w)
{
  size_t n;
  const hd_spec *spec = w->g->spec;
  hd_history_rule *rules = hd_history_rules(spec, &n);
  bool fit = n <= sizeof w->rules / sizeof *w->rules;
  for (size_t i = 0; i < n && fit; i++)
  {
    size_t length = strlen(rules[i].f);
    uint32_t method = hd_history_method(spec, rules[i].method);
    fit = length <= sizeof(uint64_t) && method != UINT32_MAX && strlen(rules[i].args) <= 2;
    if (fit)
      w->rules[w->nrules++] = (short_rule){.name = short_name(rules[i].f, length),
                                           .method = method,
                                           .nargs = (uint32_t) strlen(rules[i].args),
                                           .letters = spec->methods[method].args,
                                           .ret = spec->methods[method].ret,
                                           .result = rules[i].ret};
  }
  free(rules);
  return fit;
}

/* One blank, then a number. The text ends with a line end, so nothing is read behind it. */
static inline bool
number(words *w, int64_t *out)
{
  const char *s = w->at;
  if (*s++ != ' ')
    return false;
  bool minus = *s == '-';
  s += minus;
  const char *first = s;
  int64_t v = 0;
  for (; (unsigned char) (*s - '0') < 10; s++)
  {
    if (s - first == MAX_DIGITS)
      return false;
    v = v * 10 + (*s - '0');
  }
  if (s == first)
    return false;
  *out = minus ? -v : v;
  w->at = s;
  return true;
}

static inline bool
value(words *w, char letter, hd_value *v)
{
  int64_t n;
  if (!number(w, &n))
    return false;
  *v = hd_int(n);
  return letter == '*' || letter == 'i' || hd_value_convert(v, letter);
}

static bool
words_call(words *w, uint32_t process)
{
  if (w->processes[process].op || *w->at++ != ' ')
    return false;
  const char *s = w->at;
  size_t n = 0;
  while (n <= sizeof(uint64_t) && s[n] > ' ')
    n++;
  if (n == 0 || n > sizeof(uint64_t))
    return false;
  uint64_t name = short_name(s, n);
  const short_rule *rule = w->rules, *end = w->rules + w->nrules;
  while (rule < end && rule->name != name)
    rule++;
  if (rule == end)
    return false;
  w->at += n;
  gathering *g = w->g;
  hd_linear_op o = {.method = rule->method,
                    .thread = process + 1,
                    .nargs = (uint8_t) rule->nargs,
                    .pending = true,
                    .start = g->events,
                    .id = g->out->n};
  for (uint32_t i = 0; i < rule->nargs; i++)
    if (!value(w, rule->letters[i], &o.args[i]))
      return false;
  HD_PUSH(g->out->ops, g->out->n, g->cap, o);
  w->processes[process].op = (uint32_t) g->out->n;
  w->processes[process].rule = rule;
  w->processes[process].windowed = w->processes[process].committed = false;
  return true;
}

static bool
words_return(words *w, uint32_t process)
{
  gathering *g = w->g;
  const short_rule *rule = w->processes[process].rule;
  if (!w->processes[process].op)
    return false;
  hd_linear_op *o = &g->out->ops[w->processes[process].op - 1];
  w->processes[process].op = 0;
  if (*w->at == ' ')
  {
    if (!value(w, rule->ret, &o->ret))
      return false;
  }
  else if (rule->ret != '*' && rule->ret != 'n')
    return false;
  o->pending = false;
  o->end = g->events;
  g->out->returned++;
  return true;
}

static bool
words_annotation(words *w, uint32_t process, char letter)
{
  bool *seen = letter == 'W' ? &w->processes[process].windowed : &w->processes[process].committed;
  bool good = w->g->options->ignore_commits && w->processes[process].op && !*seen && !w->processes[process].committed;
  *seen = true;
  return good;
}

static bool
words_line(words *w)
{
  char letter = *w->at++;
  int64_t process;
  if (letter == '#')
  {
    w->at = memchr(w->at, '\n', (size_t) (w->end - w->at));
    return true;
  }
  if (!number(w, &process) || process < 0 || process >= MAX_PROCESS)
    return false;
  w->g->events++;
  switch (letter)
  {
  case 'I':
    return words_call(w, (uint32_t) process);
  case 'R':
    return words_return(w, (uint32_t) process);
  case 'C':
  case 'W':
    return words_annotation(w, (uint32_t) process, letter);
  default:
    return false;
  }
}

static bool
read_words(gathering *g, const char *text, size_t n)
{
  words *w = hd_alloc_zero(sizeof *w);
  w->g = g;
  w->at = text;
  w->end = text + n;
  bool good = make_rules(w);
  while (good && w->at < w->end && !cancelled(g))
    good = words_line(w) && *w->at++ == '\n';
  good = good && w->at == w->end;
  free(w);
  return good;
}

/* The whole file as text. False: not possible, or not what the fast loop reads. */
static bool
gather_words(hd_history *h, gathering *g)
{
  struct stat s;
  if (h->form != HD_HISTORY_SYNTHETIC || fstat(h->in.fd, &s) != 0 || s.st_size <= 0
      || (uint64_t) s.st_size >= UINT32_MAX)
    return false;
  size_t n = (size_t) s.st_size;
  char *text = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, h->in.fd, 0);
  if (text == MAP_FAILED)
    return false;
  hd_grow(&g->out->ops, &g->cap, n / 16 + 16, sizeof *g->out->ops);
#ifdef MADV_HUGEPAGE
  uintptr_t from = ((uintptr_t) g->out->ops + HUGE_PAGE - 1) & -(uintptr_t) HUGE_PAGE;
  uintptr_t to = (uintptr_t) (g->out->ops + g->cap) & -(uintptr_t) HUGE_PAGE;
  if (from < to)
    madvise((void *) from, to - from, MADV_HUGEPAGE); /* if it cannot be had, it is slower */
#endif
  bool good = text[n - 1] == '\n' && read_words(g, text, n);
  munmap(text, n);
  return good;
}

/* ---- both ---- */

bool
hd_history_gather(hd_history *h, const hd_spec *spec, const hd_history_options *options, hd_history_ops *out)
{
  *out = (hd_history_ops){.texts = hd_arena_new()};
  gathering g = {.spec = spec, .options = options, .out = out};
  bool good = gather_words(h, &g);
  if (!good)
  {
    char *error = NULL;
    out->n = out->returned = 0;
    g.events = 0;
    good = hd_history_read(h, spec, step, &g, &error) && !g.unfit;
    free(error);
    drop_failed(out);
  }
  out->events = g.events;
  const char *object = h->head.object ? h->head.object : spec->name;
  out->object = hd_strndup(object, strlen(object));
  out->has_initial = hd_history_initial(h, &out->initial);
  if (out->has_initial)
    out->initial = keep(&g, out->initial);
  good = good && (!out->has_initial || strcmp(spec->name, "counter") != 0 || out->initial.type == HD_INT);
  free(g.open);
  if (!good)
    hd_history_ops_free(out);
  return good;
}

void
hd_history_ops_free(hd_history_ops *o)
{
  if (o->texts)
    hd_arena_free(o->texts);
  free(o->ops);
  free(o->object);
  *o = (hd_history_ops){0};
}
