/* solver.c: z3 and cvc5 as sessions: questions one after the other to one process, which forgets everything in between,
 * by push and pop. Starting anew with other options costs as much as many small questions, so that is done when the way
 * of searching changes, and now and then, because pop leaves something behind.
 *
 * Each question ends with an echo of a mark that no answer contains; everything before the mark is the answer. A solver
 * that does not keep to its time is killed and started again for the next question. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "smt/process.h"
#include "smt/smt.h"

#define MARK "heddle-end-of-answer"

static const double patience = 20; /* seconds for an answer that needs no search */

/* Seconds that a solver may need to notice that its time is over. */
static double
grace(double seconds)
{
  return seconds < 0.2 ? 10 * seconds : 2;
}

enum
{
  MOST_WORDS = 300 /* bytes of what a solver says that are shown */
};

struct hd_smt_solver
{
  hd_smt_kind kind;
  const char *program;
  hd_smt_process process;
  char *version;
  hd_string error;
  bool asked;      /* since it was started */
  unsigned scopes; /* questions since the last reset; 0: its options are not set */
  hd_smt_tactic tactic;
  unsigned long ms;
};

enum
{
  MOST_SCOPES = 300
};

hd_smt_solver *
hd_smt_solver_new(hd_smt_kind kind, const char *program)
{
  hd_smt_solver *s = hd_alloc_zero(sizeof *s);
  s->kind = kind;
  s->program = program ? program : kind == HD_SMT_Z3 ? "z3" : "cvc5";
  return s;
}

void
hd_smt_solver_free(hd_smt_solver *s)
{
  if (!s)
    return;
  hd_smt_process_kill(&s->process);
  free(s->version);
  hd_string_free(&s->error);
  free(s);
}

const char *
hd_smt_solver_name(const hd_smt_solver *s)
{
  return s->program;
}

double
hd_smt_solver_worked(const hd_smt_solver *s)
{
  return hd_smt_process_worked(&s->process);
}

const char *
hd_smt_solver_error(const hd_smt_solver *s)
{
  return s->error.text ? s->error.text : "";
}

static hd_smt_reply
fail(hd_smt_solver *s, const char *format, ...)
{
  va_list args;
  hd_string_clear(&s->error);
  hd_string_printf(&s->error, "%s ", s->program);
  va_start(args, format);
  hd_string_vprintf(&s->error, format, args);
  va_end(args);
  hd_smt_process_kill(&s->process);
  return HD_SMT_FAILED;
}

static bool
start(hd_smt_solver *s)
{
  static const char *const options[2][7]
      = {[HD_SMT_Z3] = {NULL, "-smt2", "-in", NULL},
         [HD_SMT_CVC5] = {NULL, "--quiet", "--lang=smt2", "--incremental", "--produce-models", NULL}};
  const char *argv[7];
  int error;
  if (s->process.pid)
    return true;
  memcpy(argv, options[s->kind], sizeof argv);
  argv[0] = s->program;
  if (hd_smt_process_start(&s->process, argv, &error))
  {
    s->asked = false;
    s->scopes = 0;
    return true;
  }
  if (error == ENOENT)
    fail(s, "is not installed, or not in PATH");
  else
    fail(s, "cannot be started: %s", strerror(error));
  return false;
}

/* Wait for the end of the answer. FAILED: it says why; TIMEOUT: the process is gone; else UNKNOWN, and the answer is
 * what was heard. */
static hd_smt_reply
listen(hd_smt_solver *s, double seconds)
{
  hd_smt_process *p = &s->process;
  hd_smt_hearing heard;
  hd_smt_process_wait(&p, 1, MARK, hd_smt_process_now() + seconds, &heard);
  if (heard == HD_SMT_HEARD)
    return HD_SMT_UNKNOWN;
  if (heard == HD_SMT_WAITS)
  {
    hd_smt_process_kill(p);
    return HD_SMT_TIMEOUT;
  }
  /* What it said last fits a message if it is one line. */
  const char *said = p->heard.text ? p->heard.text : "", *end = said + p->heard.length;
  while (end > said && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
    end--;
  const char *line = end;
  while (line > said && line[-1] != '\n')
    line--;
  if (line < end)
    return fail(s, "ended unexpectedly; its last words: %.*s",
                end - line < MOST_WORDS ? (int) (end - line) : MOST_WORDS, line);
  return fail(s, "ended unexpectedly without a word; was it killed, or is there too little memory?");
}

const char *
hd_smt_solver_version(hd_smt_solver *s)
{
  if (s->version)
    return s->version;
  if (!start(s))
    return NULL;
  hd_string_clear(&s->process.heard);
  hd_smt_process_say(&s->process, "(get-info :version)\n(echo \"" MARK "\")\n");
  if (listen(s, patience) != HD_SMT_UNKNOWN)
    return NULL;
  /* (:version "4.8.12 - build hashcode 1234") */
  const char *quote = s->process.heard.text ? strchr(s->process.heard.text, '"') : NULL;
  size_t n = quote ? strcspn(quote + 1, " \"") : 0;
  if (!n)
  {
    fail(s, "does not say which version it is: %.*s", MOST_WORDS, s->process.heard.text ? s->process.heard.text : "");
    return NULL;
  }
  s->version = hd_strndup(quote + 1, n);
  return s->version;
}

/* What to say to start anew. */
static void
say_options(const hd_smt_solver *s, hd_string *out)
{
  const hd_smt_tactic *t = &s->tactic;
  if (s->kind == HD_SMT_CVC5)
  {
    hd_string_printf(out,
                     "(set-option :incremental true)\n(set-option :produce-models true)\n(set-option :tlimit-per %lu)\n"
                     "(set-option :seed %u)\n%s(set-logic ALL)\n",
                     s->ms, t->seed, t->mbqi ? "(set-option :finite-model-find true)\n" : "");
    return;
  }
  hd_string_printf(out,
                   "(set-option :auto_config false)\n(set-option :timeout %lu)\n(set-option :type_check true)\n"
                   "(set-option :pp.bv_literals false)\n(set-option :model.v2 true)\n"
                   "(set-option :smt.phase_selection 0)\n(set-option :smt.restart_strategy 0)\n"
                   "(set-option :smt.restart_factor 1.5)\n(set-option :smt.arith.random_initial_value true)\n"
                   "(set-option :smt.case_split %d)\n(set-option :smt.delay_units true)\n"
                   "(set-option :nnf.sk_hack true)\n(set-option :smt.mbqi %s)\n"
                   "(set-option :smt.qi.eager_threshold 100)\n(set-option :smt.random_seed %u)\n"
                   "(set-option :smt.qi.max_instances %u)\n",
                   s->ms, t->case_split, t->mbqi ? "true" : "false", t->seed, t->instances ? t->instances : UINT_MAX);
}

/* What to say before a question. The push also chooses z3's core that has a candidate when it does not know. */
static void
prepare(hd_smt_solver *s, const hd_smt_tactic *t, double seconds, hd_string *out)
{
  unsigned long ms = seconds * 1000 < 1 ? 1 : (unsigned long) (seconds * 1000);
  bool same = s->scopes && s->scopes < MOST_SCOPES && s->ms == ms && s->tactic.case_split == t->case_split
              && s->tactic.mbqi == t->mbqi && s->tactic.seed == t->seed && s->tactic.instances == t->instances;
  if (same)
  {
    s->scopes++;
    hd_string_add(out, "(pop 1)\n(push 1)\n");
    return;
  }
  s->tactic = *t;
  s->ms = ms;
  s->scopes = 1;
  if (s->asked)
    hd_string_add(out, "(reset)\n");
  s->asked = true;
  say_options(s, out);
  hd_string_add(out, "(push 1)\n");
}

/* Whether "unknown" is for lack of time. */
static hd_smt_reply
ask_why(hd_smt_solver *s)
{
  hd_string_clear(&s->process.heard);
  hd_smt_process_say(&s->process, "(get-info :reason-unknown)\n(echo \"" MARK "\")\n");
  hd_smt_reply reply = listen(s, patience);
  const char *text = s->process.heard.text;
  if (reply == HD_SMT_UNKNOWN && text
      && (strstr(text, "timeout") || strstr(text, "canceled") || strstr(text, "resource") || strstr(text, "memout")))
    return HD_SMT_TIMEOUT;
  return reply;
}

/* What the answer means: one line with a verdict, and nothing else: a solver goes on after an error, with what it has
 * understood. */
static hd_smt_reply
interpret(hd_smt_solver *s)
{
  static const struct
  {
    const char *word;
    hd_smt_reply reply;
  } words[] = {{"unsat", HD_SMT_UNSAT}, {"sat", HD_SMT_SAT}, {"unknown", HD_SMT_UNKNOWN}, {"timeout", HD_SMT_TIMEOUT}};
  const char *text = s->process.heard.text ? s->process.heard.text : "";
  hd_smt_reply reply = HD_SMT_FAILED;
  for (const char *line = text, *next; *line; line = next)
  {
    size_t n = strcspn(line, "\r\n");
    next = line + n + strspn(line + n, "\r\n");
    hd_smt_reply here = HD_SMT_FAILED;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (n == strlen(words[i].word) && memcmp(line, words[i].word, n) == 0)
        here = words[i].reply;
    if (n && (here == HD_SMT_FAILED || reply != HD_SMT_FAILED))
      return fail(s, "says: %.*s", (int) (n < MOST_WORDS ? n : MOST_WORDS), line);
    reply = n ? here : reply;
  }
  if (reply == HD_SMT_UNKNOWN)
    return ask_why(s);
  return reply == HD_SMT_FAILED ? fail(s, "does not answer the question") : reply;
}

/* Say TEXT, without waiting. */
static bool
say(hd_smt_solver *s, const char *before, const char *text)
{
  if (!start(s))
    return false;
  hd_string_clear(&s->process.heard);
  hd_smt_process_say(&s->process, before);
  hd_smt_process_say(&s->process, text);
  hd_smt_process_say(&s->process, "(check-sat)\n(echo \"" MARK "\")\n");
  return true;
}

hd_smt_reply
hd_smt_solver_ask(hd_smt_solver *s, const char *text, const hd_smt_tactic *tactic, double seconds)
{
  size_t winner;
  return hd_smt_solver_race(&s, 1, &text, tactic, seconds, &winner);
}

hd_smt_reply
hd_smt_solver_more(hd_smt_solver *s, const char *text, double seconds)
{
  if (!s->process.pid)
    return fail(s, "was asked to go on, but it does not run");
  if (!say(s, "", text))
    return HD_SMT_FAILED;
  hd_smt_reply reply = listen(s, seconds + grace(seconds));
  return reply == HD_SMT_UNKNOWN ? interpret(s) : reply;
}

const char *
hd_smt_solver_values(hd_smt_solver *s, const char *terms)
{
  if (!s->process.pid)
    return NULL;
  hd_string_clear(&s->process.heard);
  hd_smt_process_say(&s->process, "(get-value (");
  hd_smt_process_say(&s->process, terms);
  hd_smt_process_say(&s->process, "))\n(echo \"" MARK "\")\n");
  if (listen(s, patience) != HD_SMT_UNKNOWN)
    return NULL;
  const char *text = s->process.heard.text;
  return text && strncmp(text, "((", 2) == 0 ? text : NULL;
}

hd_smt_reply
hd_smt_solver_race(hd_smt_solver **s, size_t n, const char *const *texts, const hd_smt_tactic *tactic, double seconds,
                   size_t *winner)
{
  hd_smt_process *running[4];
  size_t who[4], left = 0;
  hd_smt_reply best = HD_SMT_FAILED;
  HD_CHECK(n <= 4);
  *winner = 0;
  for (size_t i = 0; i < n; i++)
  {
    hd_string before = {0};
    if (start(s[i]))
      prepare(s[i], tactic, seconds, &before);
    if (s[i]->process.pid && say(s[i], before.text ? before.text : "", texts[i]))
    {
      running[left] = &s[i]->process;
      who[left++] = i;
    }
    hd_string_free(&before);
  }
  double deadline = hd_smt_process_now() + seconds + grace(seconds);
  while (left)
  {
    hd_smt_hearing heard[4];
    hd_smt_process_wait(running, left, MARK, deadline, heard);
    size_t stay = 0;
    for (size_t i = 0; i < left; i++)
    {
      hd_smt_solver *x = s[who[i]];
      hd_smt_reply reply = HD_SMT_TIMEOUT;
      if (heard[i] == HD_SMT_WAITS && hd_smt_process_now() < deadline)
      {
        running[stay] = running[i];
        who[stay++] = who[i];
        continue;
      }
      if (heard[i] == HD_SMT_HEARD)
        reply = interpret(x);
      else if (heard[i] == HD_SMT_DIED)
        reply = listen(x, 0);
      else
        hd_smt_process_kill(&x->process);
      if (reply < best)
      {
        best = reply;
        *winner = who[i];
      }
    }
    left = stay;
    if (best == HD_SMT_UNSAT || best == HD_SMT_SAT)
      break;
  }
  /* Whoever is still searching would not hear the next question. */
  for (size_t i = 0; i < left; i++)
    hd_smt_process_kill(running[i]);
  return best;
}
