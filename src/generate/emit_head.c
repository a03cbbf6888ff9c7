/* emit_head.c: the comment at the head of a generated header: who wakes whom, and why that is enough. */
#include <string.h>

#include "generate/plan.h"

enum
{
  COLUMNS = 118
};

/* Adds WORDS as lines of a comment that begin with FIRST and then with INDENT spaces. */
static void
add_wrapped(hd_string *out, const char *first, int indent, const char *words)
{
  hd_string_printf(out, " *%s", first);
  size_t column = 2 + strlen(first);
  while (*words)
  {
    size_t n = strcspn(words, " ");
    if (column + 1 + n > COLUMNS)
    {
      hd_string_printf(out, "\n *%*s", indent, "");
      column = 2 + (size_t) indent;
    }
    hd_string_printf(out, " %.*s", (int) n, words);
    column += 1 + n;
    words += n + (words[n] == ' ');
  }
  hd_string_add(out, "\n");
}

/* "w_exit: all of r_enter; one of w_enter if nR == 0" */
static void
add_wakes(const hd_generate_emitting *x, size_t action)
{
  const hd_generate_plan *p = x->p;
  const hd_control_action *a = &x->c->actions[action];
  for (size_t i = 0; i < a->ncommands; i++)
  {
    hd_string words = {0}, first = {0};
    for (size_t q = 0; q < p->nqueues; q++)
    {
      const hd_generate_wake *w = &p->wakes[(p->first_command[action] + i) * p->nqueues + q];
      if (w->when == HD_GENERATE_NEVER)
        continue;
      hd_string_printf(&words, "%s%s %s", words.length ? "; " : "",
                       p->queues[q].rule == HD_GENERATE_ALL ? "all who wait for" : "one who waits for",
                       x->c->actions[p->queues[q].action].name);
      if (w->when == HD_GENERATE_IF)
        hd_string_printf(&words, " if %s", w->test);
    }
    hd_string_printf(&first, "   %s", a->name);
    if (a->ncommands > 1)
      hd_string_printf(&first, " when %s", a->commands[i].guard_text);
    hd_string_add(&first, " wakes");
    if (words.length)
      add_wrapped(x->out, first.text, 5, words.text);
    hd_string_free(&words);
    hd_string_free(&first);
  }
}

static void
add_silent(const hd_generate_emitting *x)
{
  hd_string words = {0};
  for (size_t a = 0; a < x->c->nactions; a++)
  {
    bool silent = true;
    for (size_t i = x->p->first_command[a] * x->p->nqueues; i < x->p->first_command[a + 1] * x->p->nqueues; i++)
      silent = silent && x->p->wakes[i].when == HD_GENERATE_NEVER;
    if (silent)
      hd_string_printf(&words, "%s%s", words.length ? ", " : "", x->c->actions[a].name);
  }
  if (words.length)
  {
    add_wrapped(x->out, "   These make no guard true that somebody waits for:", 5, words.text);
  }
  hd_string_free(&words);
}

static void
add_reasons(const hd_generate_emitting *x)
{
  const hd_generate_plan *p = x->p;
  size_t unproved = 0;
  for (size_t q = 0; q < p->nqueues; q++)
  {
    const hd_generate_queue *queue = &p->queues[q];
    const char *name = x->c->actions[queue->action].name;
    hd_string words = {0}, first = {0};
    hd_string_printf(&first, "   %s:", name);
    if (queue->refuge)
      hd_string_printf(&words, "all are woken%s, because %s.", queue->proved ? "" : " by every change", queue->refuge);
    else if (queue->rule == HD_GENERATE_ALL)
      hd_string_add(&words, "when its guard becomes true, several can execute it one after the other.");
    else if (queue->rule == HD_GENERATE_ONE)
      hd_string_add(&words, "executing it makes its guards false, so that a second one would be woken for nothing.");
    else
      hd_string_add(&words, "a guard may still hold when one has executed it; then that one wakes the next.");
    add_wrapped(x->out, first.text, 5, words.text);
    unproved += !queue->proved;
    hd_string_free(&words);
    hd_string_free(&first);
  }
  hd_string_add(x->out, " *\n");
  add_wrapped(x->out, "", 0,
              "A thread sleeps only while its action's wait bit is set, which is set only where no guard of the action "
              "holds. Whoever makes a guard true clears the bit and wakes. One who was woken alone is responsible for "
              "the others until it has woken the next or set the bit again, also if it gives up. "
              "(heddle/controller_packed.h, heddle/controller_monitor.h)");
  if (p->nqueues > 0 && unproved == 0)
    add_wrapped(x->out, "", 0,
                "Proved for any number of threads and all values of the constants: whenever a guard holds and somebody "
                "sleeps for it, somebody is on the way to wake a sleeper, or is awake in its place.");
}

static void
add_layout(const hd_generate_emitting *x)
{
  if (!x->packed)
  {
    add_wrapped(x->out, "", 0,
                x->o->backend == HD_GENERATE_PTHREAD ? "One mutex, and a condition for each blocking action."
                : x->o->backend == HD_GENERATE_LOCK
                    ? "One lock, and a queue for each blocking action."
                    : "The variables do not fit one word, so there is a lock, and a queue for each blocking action.");
    return;
  }
  add_wrapped(x->out, "", 0, "All variables are in one word; an action that need not wait is one compare-and-swap.");
  bool guesses = false;
  for (size_t a = 0; a < x->c->nactions; a++)
    guesses = guesses || x->p->alone[a].plain;
  if (guesses)
    add_wrapped(x->out, "", 0,
                "It guesses what a thread finds that has the controller for itself (hd_..._alone_...), which is quicker "
                "than to look, and looks if that was wrong.");
  for (size_t v = 0; v < x->c->nvariables; v++)
    if (x->fields[v].most != INT64_MAX)
    {
      hd_string words = {0};
      hd_string_printf(&words,
                       "There is room for %lld in %s, which is never more than the number of threads; the program is "
                       "stopped if it is.",
                       (long long) x->fields[v].most, x->c->variables[v].name);
      add_wrapped(x->out, "", 0, words.text);
      hd_string_free(&words);
    }
}

void
hd_generate_emit_head(const hd_generate_emitting *x)
{
  const char *slash = strrchr(x->o->output, '/'), *source = strrchr(x->o->source, '/');
  hd_string_printf(x->out,
                   "/* %s: controller %s with wake-ups for those alone who can go on.\n"
                   " * Made by heddle control generate from %s; change that, not this. To use it:\n *\n"
                   " *   #define HD_CONTROLLER_GENERATED \"%s\"\n"
                   " *   #include \"%s\"\n *\n",
                   slash ? slash + 1 : x->o->output, x->c->name, source ? source + 1 : x->o->source,
                   slash ? slash + 1 : x->o->output, source ? source + 1 : x->o->source);
  hd_string_add(x->out, " * Who wakes whom, when something has changed:\n *\n");
  for (size_t a = 0; a < x->c->nactions; a++)
    add_wakes(x, a);
  add_silent(x);
  hd_string_add(x->out, " *\n * Why one, or all:\n *\n");
  add_reasons(x);
  hd_string_add(x->out, " *\n");
  add_layout(x);
  x->out->length--; /* the last line break */
  hd_string_add(x->out, " */\n");
}
