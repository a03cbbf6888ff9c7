/* words.c: histories in words (docs/histories.md) that hold whole numbers only, quickly.
 *
 * The file is mapped and read by a loop that knows nothing but such lines as genhistory and recorders write: one blank
 * between words, each process below a limit. Whatever it does not know, a mistake too, makes it give up. The events go
 * into an array of operations, or into a stream that judges them at once. */
#include "history/internal.h"
#include "history/scan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum
{
  MAX_PROCESS = 4096, /* numbers of processes below it have a place of their own */
  MAX_DIGITS = 18,
  MAX_RULES = 16,
  NAME_BITS = 6,
  NAME_PLACES = 1 << NAME_BITS,
  BYTES_A_LOOK = 1 << 16, /* from one look at the caller's wish to stop to the next */
  LARGE_PAGE = 2 << 20,
};

/* An operation of the history, by its name in one word of the machine. */
typedef struct short_rule
{
  uint64_t name;
  uint32_t method;
  uint8_t nargs;
  bool may_say[2]; /* may it return nothing, may it return a number? */
  bool observes;
  char ret; /* type of what it returns, and of its arguments: */
  const char *letters;
  uint64_t most_args, most_ret; /* numbers, taken without a sign, that fit them are not above these */
  uint64_t calls;
} short_rule;

typedef struct words_process
{
  short_rule *rule; /* of its open operation; NULL: it has none */
  uint32_t op;      /* the operation */
  bool windowed, committed;
} words_process;

typedef struct words
{
  const hd_spec *spec;
  const hd_history_options *options;
  hd_history_ops *out;
  hd_linear_stream *stream; /* or NULL: operations are kept */
  const char *end;          /* of the text */
  short_rule rules[MAX_RULES], no_rule;
  size_t nrules;
  short_rule *by_name[NAME_PLACES]; /* a hash table; where it is free, NO_RULE */
  words_process *processes;
  size_t nprocesses, processes_cap;
  uint64_t events; /* calls and returns, and annotations */
} words;

/* ---- names ---- */

static inline unsigned
name_place(uint64_t name)
{
  return (unsigned) (name * 0x9e3779b97f4a7c15ull >> (64 - NAME_BITS));
}

/* The greatest number, taken without a sign, that LETTER means as a type; false: it means no number. */
static bool
greatest(char letter, uint64_t *most)
{
  *most = letter == 'b' ? 1 : letter == 'u' ? INT64_MAX : UINT64_MAX;
  return letter == 'b' || letter == 'u' || letter == 'i' || letter == '*';
}

static bool
make_rule(words *w, const hd_history_rule *from)
{
  size_t length = strlen(from->f), nargs = strlen(from->args);
  uint32_t method = hd_history_method(w->spec, from->method);
  if (length == 0 || length > sizeof(uint64_t) || method == UINT32_MAX || nargs > 2 || w->nrules == MAX_RULES)
    return false;
  const hd_method *m = &w->spec->methods[method];
  short_rule *rule = &w->rules[w->nrules++];
  char name[sizeof rule->name] = "";
  memcpy(name, from->f, length);
  *rule = (short_rule){.name = short_word(name, length),
                       .method = method,
                       .nargs = (uint8_t) nargs,
                       .letters = m->args,
                       .ret = m->ret,
                       .most_args = UINT64_MAX,
                       .may_say = {m->ret == '*' || m->ret == 'n', greatest(m->ret, &(uint64_t){0})},
                       .observes = m->role == HD_OBSERVER};
  greatest(m->ret, &rule->most_ret);
  for (size_t i = 0; i < nargs; i++)
  {
    uint64_t most;
    if (!greatest(m->args[i], &most))
      return false;
    rule->most_args = most < rule->most_args ? most : rule->most_args;
  }
  unsigned k = name_place(rule->name);
  while (w->by_name[k] != &w->no_rule)
    k = (k + 1) % NAME_PLACES;
  w->by_name[k] = rule;
  return true;
}

static bool
make_rules(words *w)
{
  size_t n;
  hd_history_rule *rules = hd_history_rules(w->spec, &n);
  bool fit = true;
  w->no_rule.nargs = UINT8_MAX; /* no line fits it, even if a name is zeros */
  for (size_t k = 0; k < NAME_PLACES; k++)
    w->by_name[k] = &w->no_rule;
  for (size_t i = 0; i < n && fit; i++)
    fit = make_rule(w, &rules[i]);
  free(rules);
  return fit;
}

/* The rule for the word of N bytes at S; NULL: there is none. */
static inline short_rule *
find_rule(const words *w, const char *s, size_t n)
{
  uint64_t name = short_word(s, n);
  unsigned k = name_place(name);
  while (HD_UNLIKELY(w->by_name[k]->name != name))
  {
    if (w->by_name[k] == &w->no_rule)
      return NULL;
    k = (k + 1) % NAME_PLACES;
  }
  return HD_LIKELY(n <= sizeof name) ? w->by_name[k] : NULL;
}

/* The word of N bytes at S, if it is a number with a sign, or a long one. False: it is not, or it is too long. Out of
 * line, because it is rare. */
static __attribute__((noinline)) bool
any_number(const char *s, size_t n, int64_t *v)
{
  size_t i = n > 0 && *s == '-';
  bool good = i < n && n - i <= MAX_DIGITS, minus = i;
  for (*v = 0; good && i < n; i++)
  {
    good = s[i] >= '0' && s[i] <= '9';
    *v = *v * 10 + (s[i] - '0');
  }
  *v = minus ? -*v : *v;
  return good;
}

/* The word of N bytes at S as a number, which is at most MOST if its sign is not looked at. False: it is not so. */
static inline bool
read_number(const char *s, size_t n, uint64_t most, int64_t *v)
{
  return (HD_LIKELY(short_number(s, n, v)) || any_number(s, n, v)) && (uint64_t) *v <= most;
}

/* V becomes N as a value of the type that LETTER says. Field by field, here and below: what is made elsewhere and
 * copied is read back before it has been written. */
static inline void
set_number(hd_value *v, int64_t n, char letter)
{
  v->type = HD_INT;
  v->length = 0;
  v->i = n;
  if (letter != '*' && letter != 'i')
    hd_value_convert(v, letter);
}

static inline void
set_nil(hd_value *v)
{
  v->type = HD_NIL;
  v->length = 0;
  v->i = 0;
}

static inline void
set_argument(hd_linear_op *o, const short_rule *rule, unsigned i, int64_t n)
{
  if (i < rule->nargs)
    set_number(&o->args[i], n, rule->letters[i]);
  else
    set_nil(&o->args[i]);
}

/* ---- lines: at S, with a word from AT on that ends first of ENDS; false: not good ---- */

/* Out of line: it is large, and a stream does not need it. */
static __attribute__((noinline)) void
push_op(words *w, uint32_t process, const short_rule *rule, const int64_t args[2])
{
  hd_history_ops *out = w->out;
  if (out->n == out->cap)
    hd_grow(&out->ops, &out->cap, out->n + 1, sizeof *out->ops);
  hd_linear_op *o = &out->ops[out->n];
  o->method = rule->method;
  o->thread = process + 1;
  o->nargs = (uint8_t) rule->nargs;
  o->pending = true;
  o->unchanged = o->any_ret = o->exceptional = false;
  set_argument(o, rule, 0, args[0]);
  set_argument(o, rule, 1, args[1]);
  o->many = NULL;
  set_nil(&o->ret);
  o->start = w->events;
  o->end = 0;
  o->id = out->n++;
}

/* An argument of RULE, which ends at END. Keys are small mostly. */
static inline bool
argument(const short_rule *rule, const char *s, const char *end, int64_t *v)
{
  uint32_t tiny;
  if (tiny_number(s, (size_t) (end - s), &tiny))
  {
    *v = tiny;
    return tiny <= rule->most_args;
  }
  return read_number(s, (size_t) (end - s), rule->most_args, v);
}

/* STREAM is W's, or NULL where operations are kept: the compiler makes a loop for each. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE bool
read_call(words *w, hd_linear_stream *stream, const char *s, size_t at, uint64_t ends, uint32_t process)
{
  while (HD_UNLIKELY(w->nprocesses <= process))
    HD_PUSH(w->processes, w->nprocesses, w->processes_cap, (words_process){0});
  words_process *p = &w->processes[process];
  if (p->rule || !ends)
    return false;
  size_t end = next_end(&ends);
  short_rule *rule = find_rule(w, s + at, end - at);
  if (!rule)
    return false;
  /* The line says how many arguments there are long before it is clear what the operation is. */
  unsigned nargs = 0;
  int64_t args[2] = {0};
  if (ends)
  {
    at = end + 1;
    end = next_end(&ends);
    nargs = 1;
    if (!argument(rule, s + at, s + end, &args[0]))
      return false;
    if (ends)
    {
      at = end + 1;
      end = next_end(&ends);
      nargs = 2;
      if (!read_number(s + at, end - at, rule->most_args, &args[1]) || ends)
        return false;
    }
  }
  if (nargs != rule->nargs)
    return false;
  p->rule = rule;
  p->windowed = p->committed = false;
  rule->calls++;
  if (stream)
    return hd_linear_stream_call(stream, process, rule->method, args);
  p->op = (uint32_t) w->out->n;
  push_op(w, process, rule, args);
  return true;
}

static ALWAYS_INLINE bool
read_return(words *w, hd_linear_stream *stream, const char *s, size_t at, uint64_t ends, uint32_t process)
{
  if (process >= w->nprocesses || !w->processes[process].rule)
    return false;
  words_process *p = &w->processes[process];
  const short_rule *rule = p->rule;
  bool says = ends != 0;
  int64_t ret = 0;
  if (says)
  {
    size_t end = next_end(&ends);
    unsigned only = digit(s[at]);
    if (end - at == 1 && only <= 9)
      ret = only;
    else if (!read_number(s + at, end - at, UINT64_MAX, &ret))
      return false;
  }
  if (ends || (uint64_t) ret > rule->most_ret || !rule->may_say[says])
    return false;
  p->rule = NULL;
  if (stream)
    return hd_linear_stream_return(stream, process, says, ret);
  hd_linear_op *o = &w->out->ops[p->op];
  if (says)
    set_number(&o->ret, ret, rule->ret);
  o->pending = false;
  o->end = w->events;
  return true;
}

static bool
read_annotation(words *w, uint64_t ends, uint32_t process, char letter)
{
  words_process *p = process < w->nprocesses ? &w->processes[process] : NULL;
  if (!p || !p->rule || ends || !w->options->ignore_commits)
    return false;
  bool *seen = letter == 'W' ? &p->windowed : &p->committed;
  bool good = !*seen && !p->committed;
  *seen = true;
  return good;
}

/* A line whose words have these ENDS. */
static ALWAYS_INLINE bool
read_line(words *w, hd_linear_stream *stream, const char *s, uint64_t ends)
{
  enum
  {
    LETTER_ENDS = 1 << 1,
    PROCESS = 2, /* where it is */
  };
  bool good = (ends & (2 * LETTER_ENDS - 1)) == LETTER_ENDS;
  ends &= ends - 1;
  if (!good || !ends)
    return false;
  size_t end = next_end(&ends);
  uint32_t process;
  if (HD_UNLIKELY(!tiny_number(s + PROCESS, end - PROCESS, &process)))
  {
    int64_t any;
    if (s[PROCESS] == '-' || !any_number(s + PROCESS, end - PROCESS, &any) || any >= MAX_PROCESS)
      return false;
    process = (uint32_t) any;
  }
  w->events++;
  if (*s == 'I')
    return read_call(w, stream, s, end + 1, ends, process);
  if (*s == 'R')
    return read_return(w, stream, s, end + 1, ends, process);
  return (*s == 'C' || *s == 'W') && read_annotation(w, ends, process, *s);
}

/* ---- the file ---- */

/* Lines from S on that start before LIMIT. Where the first one behind them starts; NULL: one is not good, or the caller
 * wishes to stop. */
static ALWAYS_INLINE const char *
read_lines(words *w, hd_linear_stream *stream, const char *s, const char *limit)
{
  while (s < limit)
  {
    if (w->options->cancel && __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED))
      return NULL;
    const char *look = limit - s > BYTES_A_LOOK ? s + BYTES_A_LOOK : limit;
    while (s < look)
    {
      size_t end = 0;
      uint64_t ends = word_ends(s, &end);
      if (HD_LIKELY(*s != '#'))
      {
        if (!read_line(w, stream, s, ends))
          return NULL;
      }
      else if (!ends) /* a comment that is longer than lines */
        end = (size_t) ((const char *) memchr(s, '\n', (size_t) (w->end - s)) - s);
      s += end + 1;
    }
  }
  return s;
}

static __attribute__((noinline)) const char *
read_into_stream(words *w, const char *s, const char *limit)
{
  return read_lines(w, w->stream, s, limit);
}

static __attribute__((noinline)) const char *
read_into_array(words *w, const char *s, const char *limit)
{
  return read_lines(w, NULL, s, limit);
}

/* Nothing may be read behind the text, which perhaps ends with a page: its last lines are read elsewhere. */
static bool
read_text(words *w, const char *text, size_t n)
{
  const char *(*read)(words *, const char *, const char *) = w->stream ? read_into_stream : read_into_array;
  const char *end = w->end = text + n, *s = text;
  if (text[n - 1] != '\n' || !make_rules(w))
    return false;
  if (n > SCAN_ROOM && !(s = read(w, s, end - SCAN_ROOM)))
    return false;
  char last[2 * SCAN_ROOM] = "";
  size_t left = (size_t) (end - s);
  memcpy(last, s, left);
  w->end = last + left;
  return read(w, last, w->end) != NULL;
}

/* How many there were of what. */
static void
count(const words *w)
{
  hd_history_ops *out = w->out;
  out->n = 0;
  for (size_t i = 0; i < w->nrules; i++)
  {
    out->n += w->rules[i].calls;
    out->observers += w->rules[i].observes ? w->rules[i].calls : 0;
  }
  out->returned = out->n;
  for (size_t i = 0; i < w->nprocesses; i++)
    out->returned -= w->processes[i].rule != NULL;
  out->events = w->events;
}

/* Room for the operations of N bytes, on large pages if there are many: else most of the time goes into pages that the
 * system hands out one by one. */
static void
make_room(words *w, size_t n)
{
  size_t bytes = (n / 16 + 16) * sizeof *w->out->ops;
#ifdef MADV_HUGEPAGE
  void *block = NULL;
  if (bytes >= LARGE_PAGE / 2)
    bytes = (bytes + LARGE_PAGE - 1) & -(size_t) LARGE_PAGE;
  if (bytes >= LARGE_PAGE && posix_memalign(&block, LARGE_PAGE, bytes) == 0)
  {
    madvise(block, bytes, MADV_HUGEPAGE); /* if they cannot be had, it is slower */
    w->out->ops = block;
    w->out->cap = bytes / sizeof *w->out->ops;
    return;
  }
#endif
  hd_grow(&w->out->ops, &w->out->cap, bytes / sizeof *w->out->ops, sizeof *w->out->ops);
}

bool
hd_history_words(hd_history *h, const hd_spec *spec, const hd_history_options *options, hd_linear_stream *stream,
                 hd_history_ops *out)
{
  struct stat s;
  if (h->form != HD_HISTORY_SYNTHETIC || fstat(h->in.fd, &s) != 0 || s.st_size <= 0
      || (uint64_t) s.st_size >= UINT32_MAX)
    return false;
  size_t n = (size_t) s.st_size;
  char *text = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, h->in.fd, 0);
  if (text == MAP_FAILED)
    return false;
  words w = {.spec = spec, .options = options, .out = out, .stream = stream};
  if (!stream)
    make_room(&w, n);
  bool good = read_text(&w, text, n);
  count(&w);
  munmap(text, n);
  free(w.processes);
  return good;
}
