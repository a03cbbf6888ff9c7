/* words.c: histories in words (docs/histories.md) that hold whole numbers only, quickly.
 *
 * The file is mapped and read by a loop that knows nothing but such lines as genhistory and recorders write: one blank
 * between words, each process below a limit. Whatever it does not know, a mistake too, makes it give up. The events go
 * into an array of operations, or into a stream that judges them at once. */
#include "history/internal.h"

#include <endian.h>
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
  LINES_A_LOOK = 4096, /* from one look at the caller's wish to stop to the next */
  LARGE_PAGE = 2 << 20,
};

/* An operation of the history, by its name in one word of the machine. */
typedef struct short_rule
{
  uint64_t name;
  uint32_t method;
  uint32_t nargs;
  const char *letters; /* types of its arguments, and of what it returns: */
  char ret;
  uint64_t most_args, most_ret;   /* numbers, taken without a sign, that fit them are not above these */
  bool says_nothing, says_number; /* may it return so? */
  bool observes;
} short_rule;

typedef struct words_process
{
  uint32_t op; /* 1 + its open operation, or 0 */
  bool windowed, committed;
  const short_rule *rule;
} words_process;

typedef struct words
{
  const hd_spec *spec;
  const hd_history_options *options;
  hd_history_ops *out;
  hd_linear_stream *stream; /* or NULL: operations are kept */
  const char *end;          /* of the text */
  short_rule rules[MAX_RULES];
  size_t nrules;
  uint8_t by_name[NAME_PLACES]; /* a hash table: number of the rule + 1; 0: free */
  words_process *processes;
  size_t nprocesses, processes_cap;
} words;

/* ---- names ---- */

/* The eight bytes at S, the first in the lowest byte; zeros behind the end of the text. Lines differ at random, so a
 * loop over the bytes of a word mostly ends where the processor did not expect it; this has no loop. */
static inline uint64_t
eight_bytes(const words *w, const char *s)
{
  uint64_t bytes = 0;
  size_t n = (size_t) (w->end - s);
  if (HD_LIKELY(n >= sizeof bytes))
    memcpy(&bytes, s, sizeof bytes);
  else
    memcpy(&bytes, s, n);
  return le64toh(bytes);
}

#define EACH_BYTE(b) (0x0101010101010101ull * (b))

/* The lowest bytes of BYTES, N < 8 of them; the others are zero. */
static inline uint64_t
lowest(uint64_t bytes, unsigned n)
{
  return bytes & ((1ull << 8 * n) - 1);
}

static uint64_t
short_name(const char *s, size_t n)
{
  uint64_t name = 0;
  memcpy(&name, s, n);
  return le64toh(name);
}

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
  if (length > sizeof(uint64_t) || method == UINT32_MAX || nargs > 2 || w->nrules == MAX_RULES)
    return false;
  const hd_method *m = &w->spec->methods[method];
  short_rule *rule = &w->rules[w->nrules++];
  *rule = (short_rule){.name = short_name(from->f, length),
                       .method = method,
                       .nargs = (uint32_t) nargs,
                       .letters = m->args,
                       .ret = m->ret,
                       .most_args = UINT64_MAX,
                       .says_nothing = m->ret == '*' || m->ret == 'n',
                       .observes = m->role == HD_OBSERVER};
  rule->says_number = greatest(m->ret, &rule->most_ret);
  for (size_t i = 0; i < nargs; i++)
  {
    uint64_t most;
    if (!greatest(m->args[i], &most))
      return false;
    rule->most_args = most < rule->most_args ? most : rule->most_args;
  }
  unsigned k = name_place(rule->name);
  while (w->by_name[k])
    k = (k + 1) % NAME_PLACES;
  w->by_name[k] = (uint8_t) w->nrules;
  return true;
}

static bool
make_rules(words *w)
{
  size_t n;
  hd_history_rule *rules = hd_history_rules(w->spec, &n);
  bool fit = true;
  for (size_t i = 0; i < n && fit; i++)
    fit = make_rule(w, &rules[i]);
  free(rules);
  return fit;
}

/* The rule for the word at *S, which is passed; NULL: there is none. */
static inline const short_rule *
read_name(const words *w, const char **s)
{
  uint64_t name = eight_bytes(w, *s);
  /* The highest bit of the first byte that is a blank or below; bytes from 128 on are part of a word. */
  uint64_t ends = (name - EACH_BYTE(0x21)) & ~name & EACH_BYTE(0x80);
  unsigned n = ends ? (unsigned) __builtin_ctzll(ends) / 8 : sizeof name;
  if (ends)
    name = lowest(name, n);
  *s += n;
  for (unsigned k = name_place(name); w->by_name[k]; k = (k + 1) % NAME_PLACES)
    if (w->rules[w->by_name[k] - 1].name == name)
      return &w->rules[w->by_name[k] - 1];
  return NULL;
}

/* ---- numbers ---- */

static inline bool
is_digit(char c)
{
  return (unsigned char) (c - '0') < 10;
}

/* The rest of a number, of which V is the beginning, from FIRST to S. Where it ends; NULL: it is too long. */
static const char *
more_digits(const char *first, const char *s, uint64_t *v)
{
  for (; is_digit(*s); s++)
    *v = *v * 10 + (uint64_t) (*s - '0');
  return s - first <= MAX_DIGITS ? s : NULL;
}

/* Digits at S. Where they end; NULL: there are none, or too many. The text ends with a line end, so nothing is read
 * behind it. One and two digits, the most usual, take the same way. */
static inline const char *
digits(const char *s, uint64_t *out)
{
  if (!is_digit(s[0]))
    return NULL;
  uint64_t first = (uint64_t) (s[0] - '0'), second = (unsigned char) (s[1] - '0');
  bool two = second < 10;
  *out = two ? first * 10 + second : first;
  const char *end = s + 1 + two;
  return HD_LIKELY(!is_digit(*end)) ? end : more_digits(s, end, out);
}

/* As digits(), for any length: up to eight at once, without a loop that ends somewhere else each time. */
static inline const char *
any_digits(const words *w, const char *s, uint64_t *out)
{
  uint64_t d = eight_bytes(w, s) ^ EACH_BYTE('0');
  /* The highest bit of the first byte that is above 9, and of some behind it. */
  uint64_t ends = ((d + EACH_BYTE(0x80 - 10)) | d) & EACH_BYTE(0x80);
  unsigned n = ends ? (unsigned) __builtin_ctzll(ends) / 8 : sizeof d;
  if (n == 0)
    return NULL;
  /* The last digit into the highest byte, zeros before the first; then neighbours together: 2, 4, 8 digits. */
  d <<= 64 - 8 * n;
  d = (d * 10 + (d >> 8)) & 0x00ff00ff00ff00ffull;
  d = (d * 100 + (d >> 16)) & 0x0000ffff0000ffffull;
  *out = (d * 10000 + (d >> 32)) & 0xffffffffull;
  return HD_LIKELY(n < sizeof d) ? s + n : more_digits(s, s + n, out);
}

/* One blank, then a number, as digits(). */
static inline const char *
number(const words *w, const char *s, int64_t *out)
{
  bool minus = s[1] == '-'; /* behind a blank there is more */
  uint64_t v;
  if (*s != ' ' || !(s = any_digits(w, s + 1 + minus, &v)))
    return NULL;
  *out = minus ? -(int64_t) v : (int64_t) v;
  return s;
}

static hd_value
converted(int64_t n, char letter)
{
  hd_value v = hd_int(n);
  if (letter != '*' && letter != 'i')
    hd_value_convert(&v, letter);
  return v;
}

/* ---- lines: what follows the process, at S; where it ends, or NULL ---- */

/* Out of line: it is large, and a stream does not need it. */
static __attribute__((noinline)) void
push_op(words *w, uint32_t process, const short_rule *rule, const int64_t *args)
{
  hd_history_ops *out = w->out;
  if (out->n == out->cap)
    hd_grow(&out->ops, &out->cap, out->n + 1, sizeof *out->ops);
  /* Field by field: one that is made elsewhere and copied is read back before it has been written. */
  hd_linear_op *o = &out->ops[out->n];
  o->method = rule->method;
  o->thread = process + 1;
  o->nargs = (uint8_t) rule->nargs;
  o->pending = true;
  o->unchanged = o->any_ret = o->exceptional = false;
  o->args[0] = rule->nargs > 0 ? converted(args[0], rule->letters[0]) : hd_nil();
  o->args[1] = rule->nargs > 1 ? converted(args[1], rule->letters[1]) : hd_nil();
  o->many = NULL;
  o->ret = hd_nil();
  o->start = out->events;
  o->end = 0;
  o->id = out->n++;
}

static inline const char *
read_call(words *w, const char *s, uint32_t process)
{
  while (HD_UNLIKELY(w->nprocesses <= process))
    HD_PUSH(w->processes, w->nprocesses, w->processes_cap, (words_process){0});
  words_process *p = &w->processes[process];
  if (p->op || *s++ != ' ')
    return NULL;
  const short_rule *rule = read_name(w, &s);
  int64_t args[2] = {0};
  if (!rule)
    return NULL;
  for (uint32_t i = 0; i < rule->nargs; i++)
    if (!(s = number(w, s, &args[i])) || (uint64_t) args[i] > rule->most_args)
      return NULL;
  w->out->observers += rule->observes;
  p->op = (uint32_t) w->out->n + 1;
  p->rule = rule;
  p->windowed = p->committed = false;
  if (!w->stream)
    push_op(w, process, rule, args);
  else if (hd_linear_stream_call(w->stream, process, rule->method, args))
    w->out->n++;
  else
    return NULL;
  return s;
}

static inline const char *
read_return(words *w, const char *s, uint32_t process)
{
  words_process *p = process < w->nprocesses ? &w->processes[process] : NULL;
  if (!p || !p->op)
    return NULL;
  const short_rule *rule = p->rule;
  int64_t ret;
  bool silent = *s != ' ';
  if (silent ? !rule->says_nothing : !(s = number(w, s, &ret)) || !rule->says_number || (uint64_t) ret > rule->most_ret)
    return NULL;
  uint32_t op = p->op - 1;
  p->op = 0;
  w->out->returned++;
  if (w->stream)
    return hd_linear_stream_return(w->stream, process, silent ? NULL : &ret) ? s : NULL;
  hd_linear_op *o = &w->out->ops[op];
  o->ret = silent ? hd_nil() : converted(ret, rule->ret);
  o->pending = false;
  o->end = w->out->events;
  return s;
}

static const char *
read_annotation(words *w, const char *s, uint32_t process, char letter)
{
  words_process *p = process < w->nprocesses ? &w->processes[process] : NULL;
  if (!p || !p->op || !w->options->ignore_commits)
    return NULL;
  bool *seen = letter == 'W' ? &p->windowed : &p->committed;
  bool good = !*seen && !p->committed;
  *seen = true;
  return good ? s : NULL;
}

static inline const char *
read_line(words *w, const char *s)
{
  char letter = *s;
  uint64_t process;
  if (letter == '#')
    return memchr(s, '\n', (size_t) (w->end - s));
  if (s[0] == '\n' || s[1] != ' ' || !(s = digits(s + 2, &process)) || process >= MAX_PROCESS)
    return NULL;
  w->out->events++;
  if (letter == 'I')
    return read_call(w, s, (uint32_t) process);
  if (letter == 'R')
    return read_return(w, s, (uint32_t) process);
  return letter == 'C' || letter == 'W' ? read_annotation(w, s, (uint32_t) process, letter) : NULL;
}

/* ---- the file ---- */

static bool
read_text(words *w, const char *text, size_t n)
{
  const char *s = text, *end = w->end = text + n;
  if (text[n - 1] != '\n' || !make_rules(w))
    return false;
  while (s < end)
  {
    if (w->options->cancel && __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED))
      return false;
    for (unsigned i = 0; i < LINES_A_LOOK && s < end; i++)
    {
      s = read_line(w, s);
      if (!s || *s++ != '\n')
        return false;
    }
  }
  return true;
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
  munmap(text, n);
  free(w.processes);
  return good;
}
