/* trace.c: stamping records by the rules of the commit clock, and printing them. */
#include "trace.h"

#include <stdio.h>

void
trace_start(trace *t, model_kind kind, bool views)
{
  memset(t, 0, offsetof(trace, record));
  t->kind = kind;
  t->model = &models[kind];
  t->views = views && models[kind].nkeys > 0;
  t->outcomes = true;
}

trace_frame *
trace_top(trace *t, unsigned thread)
{
  return t->depth[thread] ? &t->frame[thread][t->depth[thread] - 1] : NULL;
}

static trace_record *
add(trace *t, unsigned thread, uint8_t kind)
{
  HD_CHECK(t->n < TRACE_RECORDS);
  trace_record *r = &t->record[t->n++];
  *r = (trace_record){.kind = kind, .thread = (uint8_t) thread};
  return r;
}

static void
value(trace_record *r, hd_value v)
{
  r->values[r->nvalues++] = v;
}

static void
look(trace *t, trace_record *r)
{
  r->stamped = true;
  r->stamp = t->ticks;
}

static void
tick(trace *t, trace_record *r)
{
  r->stamped = r->ticked = true;
  r->stamp = t->ticks++;
}

static void
push(trace *t, unsigned thread, trace_frame f)
{
  HD_CHECK(t->depth[thread] < TRACE_DEPTH);
  t->frame[thread][t->depth[thread]++] = f;
}

void
record_call(trace *t, unsigned thread, unsigned method, const hd_value *args, bool nocommit)
{
  trace_record *r = add(t, thread, nocommit ? HD_K_CALL_NOCOMMIT : HD_K_CALL);
  r->method = (uint8_t) method;
  for (size_t i = 0; i < strlen(t->model->methods[method].args); i++)
    value(r, args[i]);
  if (nocommit)
  {
    tick(t, r);
    t->open++;
  }
  else
    look(t, r);
  push(t, thread, (trace_frame){.nocommit = nocommit});
}

static void
make_return(trace *t, unsigned thread, model_return ret, bool must_tick)
{
  trace_frame *f = trace_top(t, thread);
  trace_record *r = add(t, thread, ret.exceptional ? HD_K_RETURN_EXC : HD_K_RETURN);
  if (ret.value.type != HD_NIL)
    value(r, ret.value);
  if (!f->committed && (f->nocommit || f->window)) /* its own window ends here */
  {
    tick(t, r);
    t->open--;
  }
  else if (must_tick || (!f->committed && t->open > 0))
    tick(t, r);
  else
    look(t, r);
  t->depth[thread]--;
}

void
record_return(trace *t, unsigned thread, model_return ret)
{
  make_return(t, thread, ret, false);
}

void
record_return_tick(trace *t, unsigned thread, model_return ret)
{
  make_return(t, thread, ret, true);
}

void
record_window(trace *t, unsigned thread)
{
  trace_frame *f = trace_top(t, thread);
  tick(t, add(t, thread, HD_K_WINDOW));
  t->open += !f->window;
  f->window = true;
}

static void
commit(trace *t, trace_record *r)
{
  trace_frame *f = trace_top(t, r->thread);
  tick(t, r);
  if (f->window)
    t->open--;
  f->window = false;
  f->committed = true;
  f->block_committed = f->block;
}

void
record_commit(trace *t, unsigned thread)
{
  commit(t, add(t, thread, HD_K_COMMIT));
}

void
record_commit_return(trace *t, unsigned thread, model_return ret)
{
  trace_record *r = add(t, thread, ret.exceptional ? HD_K_COMMIT_EXC : HD_K_COMMIT_RET);
  value(r, ret.value);
  commit(t, r);
}

void
record_block_begin(trace *t, unsigned thread)
{
  trace_frame *f = trace_top(t, thread);
  add(t, thread, HD_K_BLOCK_BEGIN);
  f->block = true;
  f->block_committed = false;
}

void
record_block_end(trace *t, unsigned thread)
{
  trace_frame *f = trace_top(t, thread);
  trace_record *r = add(t, thread, HD_K_BLOCK_END);
  if (!f->block_committed)
    tick(t, r);
  f->block = false;
}

static void
stamp_write(trace *t, trace_record *r)
{
  trace_frame *f = trace_top(t, r->thread);
  if (f && f->block)
    look(t, r);
  else
    tick(t, r);
}

void
record_write(trace *t, unsigned thread, unsigned var, int64_t v)
{
  trace_record *r = add(t, thread, t->depth[thread] ? HD_K_WRITE : HD_K_FREE_WRITE);
  value(r, hd_uint(var));
  value(r, hd_int(v));
  stamp_write(t, r);
}

void
record_write_old(trace *t, unsigned thread, unsigned var, int64_t v, int64_t old)
{
  trace_record *r = add(t, thread, t->depth[thread] ? HD_K_WRITE_OLD : HD_K_FREE_WRITE_OLD);
  value(r, hd_uint(var));
  value(r, hd_int(v));
  value(r, hd_int(old));
  stamp_write(t, r);
}

void
record_internal_begin(trace *t, unsigned thread)
{
  look(t, add(t, thread, HD_K_INTERNAL_BEGIN));
  push(t, thread, (trace_frame){.internal = true});
}

void
record_internal_end(trace *t, unsigned thread)
{
  tick(t, add(t, thread, HD_K_INTERNAL_END));
  t->depth[thread]--;
}

void
record_abandon(trace *t, unsigned thread)
{
  add(t, thread, HD_K_ABANDON);
  t->depth[thread]--; /* a window that it had stays open on the clock */
}

void
record_misuse(trace *t, unsigned thread, unsigned what)
{
  value(add(t, thread, HD_K_MISUSE), hd_uint(what));
}

void
record_object_end(trace *t, unsigned thread)
{
  tick(t, add(t, thread, HD_K_OBJECT_END));
}

void
trace_cut(trace *t, size_t n)
{
  t->n = n;
}

static const char *const kind_names[HD_K_COUNT] = {
    [HD_K_CALL] = "call",
    [HD_K_CALL_NOCOMMIT] = "call-nocommit",
    [HD_K_RETURN] = "return",
    [HD_K_RETURN_EXC] = "return-exception",
    [HD_K_COMMIT] = "commit",
    [HD_K_COMMIT_RET] = "commit-ret",
    [HD_K_COMMIT_EXC] = "commit-exception",
    [HD_K_WINDOW] = "window",
    [HD_K_BLOCK_BEGIN] = "block-begin",
    [HD_K_BLOCK_END] = "block-end",
    [HD_K_WRITE] = "write",
    [HD_K_WRITE_OLD] = "write-old",
    [HD_K_FREE_WRITE] = "free-write",
    [HD_K_FREE_WRITE_OLD] = "free-write-old",
    [HD_K_INTERNAL_BEGIN] = "internal-begin",
    [HD_K_INTERNAL_END] = "internal-end",
    [HD_K_OBJECT_END] = "object-end",
    [HD_K_MISUSE] = "misuse",
    [HD_K_ABANDON] = "abandon",
};

void
trace_print(const trace *t)
{
  printf("-- family %s, object %s, seed %llu%s%s%s; real time runs downwards\n", t->family, t->model->name,
         (unsigned long long) t->seed, t->views ? ", views" : "", t->outcomes ? "" : ", without outcomes()",
         t->right ? ", right implementation" : "");
  for (size_t i = 0; i < t->n; i++)
  {
    const trace_record *r = &t->record[i];
    printf("%3zu %*sT%u %s", i, (r->thread - 1) * 22, "", r->thread, kind_names[r->kind]);
    if (r->kind == HD_K_CALL || r->kind == HD_K_CALL_NOCOMMIT)
      printf(" %s", t->model->methods[r->method].name);
    for (unsigned v = 0; v < r->nvalues; v++)
      if (r->values[v].type == HD_BOOL)
        printf(" %s", r->values[v].u ? "true" : "false");
      else if (r->values[v].type == HD_NIL)
        printf(" nil");
      else
        printf(" %lld", (long long) r->values[v].i);
    if (r->stamped)
      printf(" %c%u", r->ticked ? '#' : '@', r->stamp); /* #k tick k, @n look that reads n */
    printf("\n");
  }
}
