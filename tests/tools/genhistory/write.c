/* write.c: a history in words: I, W, C and R lines. Line order is the clock.
 *
 * A window of k opens right before the k-th commit before its own, so that k commits of others lie in it; not before
 * the call, though. With k = 0 it would say what the commit alone says. */
#include "genhistory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer
{
  const history *h;
  uint64_t line;
  char *at, buffer[1 << 16];
} writer;

/* Room for one line. */
static void
line(writer *w, char letter, uint64_t client)
{
  if (w->at > w->buffer + sizeof w->buffer - 256)
  {
    fwrite(w->buffer, 1, (size_t) (w->at - w->buffer), stdout);
    w->at = w->buffer;
  }
  w->line++;
  *w->at++ = letter;
  *w->at++ = ' ';
  char digits[24];
  size_t n = 0;
  do
    digits[n++] = (char) ('0' + client % 10);
  while (client /= 10);
  while (n)
    *w->at++ = digits[--n];
}

static void
number(writer *w, int64_t value)
{
  char digits[24];
  size_t n = 0;
  uint64_t left = value < 0 ? -(uint64_t) value : (uint64_t) value;
  *w->at++ = ' ';
  if (value < 0)
    *w->at++ = '-';
  do
    digits[n++] = (char) ('0' + left % 10);
  while (left /= 10);
  while (n)
    *w->at++ = digits[--n];
}

static void
write_event(writer *w, const event *e)
{
  const operation *o = &w->h->operations[e->operation];
  if (e->letter == 'C' && !o->annotated)
    return;
  line(w, e->letter, o->client);
  if (e->letter == 'I')
  {
    size_t n = strlen(o->call->name);
    *w->at++ = ' ';
    memcpy(w->at, o->call->name, n);
    w->at += n;
    for (size_t i = 0; o->call->args[i]; i++)
      number(w, o->args[i]);
  }
  else if (e->letter == 'R' && !o->call->silent)
    number(w, o->result);
  *w->at++ = '\n';
}

/* The windows that begin right before each event: the first, and after each the next; numbers of operations + 1. */
typedef struct beginnings
{
  uint64_t *first, *next;
} beginnings;

static beginnings
place_windows(const wishes *w, const history *h)
{
  beginnings b = {hd_alloc_zero(h->nevents * sizeof *b.first), hd_alloc_zero(h->noperations * sizeof *b.next)};
  uint64_t *commits = hd_alloc_array(h->noperations + 1, sizeof *commits), n = 0; /* their events */
  for (uint64_t i = 0; i < h->nevents; i++)
  {
    uint64_t number = h->events[i].operation;
    const operation *o = &h->operations[number];
    if (h->events[i].letter != 'C')
      continue;
    commits[n++] = i;
    uint64_t at = n > w->window ? commits[n - 1 - w->window] : 0;
    if (at <= o->invoked)
      at = o->invoked + 1;
    if (!o->annotated)
      continue;
    b.next[number] = b.first[at];
    b.first[at] = number + 1;
  }
  free(commits);
  return b;
}

void
genhistory_write(const wishes *w, const history *h)
{
  static const char *const linearizable[] = {"yes", "no", "unknown"};
  writer *out = hd_alloc_zero(sizeof *out);
  out->h = h;
  out->line = 1;
  out->at = out->buffer;
  printf("# object=%s clients=%" PRIu64 " ops=%" PRIu64 " seed=%" PRIu64 " linearizable=%s\n", w->object->name,
         w->clients, w->operations, w->seed, linearizable[w->verdict]);
  beginnings b = {0};
  if (w->windows)
    b = place_windows(w, h);
  uint64_t wrong = 0;
  for (size_t i = 0; i < h->nevents; i++)
  {
    for (uint64_t o = b.first ? b.first[i] : 0; o; o = b.next[o - 1])
    {
      line(out, 'W', h->operations[o - 1].client);
      *out->at++ = '\n';
    }
    write_event(out, &h->events[i]);
    if (h->events[i].letter == 'R' && h->operations[h->events[i].operation].wrong)
      wrong = out->line;
  }
  fwrite(out->buffer, 1, (size_t) (out->at - out->buffer), stdout);
  if (wrong)
    printf("# wrong: line %" PRIu64 "\n", wrong);
  free(b.first);
  free(b.next);
  free(out);
}
