/* shrink.c: taking records away and stamping the rest again. */
#include "shrink.h"

#include "oracle_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kept records of FROM, stamped anew. */
static void
replay(const trace *from, const bool *keep, trace *to)
{
  trace_start(to, from->kind, from->views);
  to->seed = from->seed;
  to->family = from->family;
  to->outcomes = from->outcomes;
  to->right = false;
  for (size_t i = 0; i < from->n; i++)
  {
    const trace_record *r = &from->record[i];
    unsigned thread = r->thread;
    model_return ret = {r->nvalues ? r->values[0] : hd_nil(), r->kind == HD_K_RETURN_EXC || r->kind == HD_K_COMMIT_EXC};
    if (!keep[i])
      continue;
    switch (r->kind)
    {
    case HD_K_CALL:
    case HD_K_CALL_NOCOMMIT:
      record_call(to, thread, r->method, r->values, r->kind == HD_K_CALL_NOCOMMIT);
      break;
    case HD_K_RETURN:
    case HD_K_RETURN_EXC:
      (r->ticked ? record_return_tick : record_return)(to, thread, ret);
      break;
    case HD_K_COMMIT:
      record_commit(to, thread);
      break;
    case HD_K_COMMIT_RET:
    case HD_K_COMMIT_EXC:
      record_commit_return(to, thread, ret);
      break;
    case HD_K_WINDOW:
      record_window(to, thread);
      break;
    case HD_K_BLOCK_BEGIN:
      record_block_begin(to, thread);
      break;
    case HD_K_BLOCK_END:
      record_block_end(to, thread);
      break;
    case HD_K_WRITE:
    case HD_K_FREE_WRITE:
      record_write(to, thread, (unsigned) r->values[0].u, r->values[1].i);
      break;
    case HD_K_WRITE_OLD:
    case HD_K_FREE_WRITE_OLD:
      record_write_old(to, thread, (unsigned) r->values[0].u, r->values[1].i, r->values[2].i);
      break;
    case HD_K_INTERNAL_BEGIN:
      record_internal_begin(to, thread);
      break;
    case HD_K_INTERNAL_END:
      record_internal_end(to, thread);
      break;
    case HD_K_ABANDON:
      record_abandon(to, thread);
      break;
    case HD_K_OBJECT_END:
      record_object_end(to, thread);
      break;
    default:
      record_misuse(to, thread, (unsigned) r->values[0].u);
    }
  }
}

static bool
ask(const trace *t, shrink_test trouble)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
  {
    alarm(10);
    HD_CHECK(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
    _exit(trouble(t) ? 1 : 0);
  }
  int status = 0;
  HD_CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return status != 0;
}

/* Does RECORD go if OP goes? */
static bool
belongs(const parsed *p, size_t record, unsigned op)
{
  return p->op_of[record] == (int) op;
}

static bool
try_without(trace *t, const bool *keep, shrink_test trouble)
{
  static trace smaller;
  replay(t, keep, &smaller);
  if (!ask(&smaller, trouble))
    return false;
  *t = smaller;
  return true;
}

static void
keep_all(bool *keep, size_t n)
{
  for (size_t i = 0; i < n; i++)
    keep[i] = true;
}

static bool
without_an_operation(trace *t, shrink_test trouble)
{
  static parsed p;
  bool keep[TRACE_RECORDS];
  oracle_parse(&p, t);
  for (unsigned o = 0; o < p.nops; o++)
  {
    for (size_t i = 0; i < t->n; i++)
      keep[i] = !belongs(&p, i, o);
    if (try_without(t, keep, trouble))
      return true;
  }
  return false;
}

/* A write, a window, a commit; or a block's two ends. */
static bool
without_a_record(trace *t, shrink_test trouble)
{
  static parsed p;
  bool keep[TRACE_RECORDS];
  oracle_parse(&p, t);
  for (size_t i = 0; i < t->n; i++)
  {
    const trace_record *r = &t->record[i];
    if (!parsed_is_write(r) && r->kind != HD_K_WINDOW && r->kind != HD_K_COMMIT && r->kind != HD_K_OBJECT_END)
      continue;
    keep_all(keep, t->n);
    keep[i] = false;
    if (try_without(t, keep, trouble))
      return true;
  }
  for (unsigned b = 0; b < p.nblocks; b++)
  {
    keep_all(keep, t->n);
    keep[p.block[b].begin] = false;
    if (p.block[b].end >= 0)
      keep[p.block[b].end] = false;
    if (try_without(t, keep, trouble))
      return true;
  }
  return false;
}

static bool
without_the_end(trace *t, shrink_test trouble)
{
  bool keep[TRACE_RECORDS];
  for (size_t n = t->n / 2; n < t->n; n++)
  {
    for (size_t i = 0; i < t->n; i++)
      keep[i] = i < n;
    if (try_without(t, keep, trouble))
      return true;
  }
  return false;
}

void
shrink(trace *t, shrink_test trouble)
{
  while (without_the_end(t, trouble) || without_an_operation(t, trouble) || without_a_record(t, trouble))
    ;
}
