/* parse.c: a log taken apart into operations, blocks and writes, and the overlap of holds. */
#include "oracle_private.h"

static bool
has_window(const parsed_op *o)
{
  return o->nocommit || o->window >= 0;
}

static void
parse_commit(parsed *p, parsed_op *o, int i, int block)
{
  const trace_record *r = &p->log->record[i];
  if (o->commit >= 0)
  {
    p->misused = true;
    return;
  }
  o->commit = i;
  if (o->window >= 0)
    p->opens[i] = -1;
  if (r->kind != HD_K_COMMIT)
  {
    o->has_ret = true;
    o->ret = (model_return){r->values[0], r->kind == HD_K_COMMIT_EXC};
  }
  if (block >= 0)
  {
    p->block[block].committed = true;
    o->block = block;
    if (o->window < 0) /* the block of a window takes effect wherever its operation is placed */
    {
      p->block[block].effect = i;
      p->effect_of[i] = block;
    }
  }
}

static void
parse_return(parsed *p, parsed_op *o, int i)
{
  const trace_record *r = &p->log->record[i];
  o->end = i;
  o->has_ret = true;
  o->ret = (model_return){r->nvalues ? r->values[0] : hd_nil(), r->kind == HD_K_RETURN_EXC};
  if (o->commit < 0 && has_window(o))
    p->opens[i] = -1;
}

void
oracle_parse(parsed *p, const trace *t)
{
  int stack[TRACE_THREADS][TRACE_DEPTH], depth[TRACE_THREADS] = {0};
  int open_block[ORACLE_OPS];
  p->log = t;
  p->nops = p->nblocks = 0;
  p->misused = p->old_values = false;
  for (int i = 0; i < (int) t->n; i++)
  {
    const trace_record *r = &t->record[i];
    unsigned thread = r->thread;
    int top = depth[thread] ? stack[thread][depth[thread] - 1] : -1;
    parsed_op *o = top >= 0 ? &p->op[top] : NULL;
    p->op_of[i] = top;
    p->block_of[i] = p->effect_of[i] = -1;
    p->opens[i] = 0;
    switch (r->kind)
    {
    case HD_K_CALL_NOCOMMIT:
      p->opens[i] = 1; /* fall through */
    case HD_K_CALL:
    case HD_K_INTERNAL_BEGIN:
      HD_CHECK(p->nops < ORACLE_OPS);
      open_block[p->nops] = -1;
      p->op_of[i] = stack[thread][depth[thread]++] = (int) p->nops;
      p->op[p->nops++] = (parsed_op){
          .internal = r->kind == HD_K_INTERNAL_BEGIN,
          .nocommit = r->kind == HD_K_CALL_NOCOMMIT,
          .observer = r->kind != HD_K_INTERNAL_BEGIN && t->model->methods[r->method].role == HD_OBSERVER,
          .thread = thread,
          .method = r->method,
          .args = r->values,
          .call = i,
          .window = -1,
          .commit = -1,
          .end = -1,
          .block = -1,
      };
      break;
    case HD_K_RETURN:
    case HD_K_RETURN_EXC:
      parse_return(p, o, i);
      depth[thread]--;
      break;
    case HD_K_INTERNAL_END:
      o->end = i;
      depth[thread]--;
      break;
    case HD_K_ABANDON:
      depth[thread]--;
      break;
    case HD_K_COMMIT:
    case HD_K_COMMIT_RET:
    case HD_K_COMMIT_EXC:
      parse_commit(p, o, i, open_block[top]);
      break;
    case HD_K_WINDOW:
      p->opens[i] = o->window < 0;
      o->window = i;
      break;
    case HD_K_BLOCK_BEGIN:
      HD_CHECK(p->nblocks < ORACLE_BLOCKS);
      open_block[top] = (int) p->nblocks;
      p->block[p->nblocks++]
          = (parsed_block){.thread = thread, .op = top, .begin = i, .end = -1, .effect = -1, .committed = false};
      break;
    case HD_K_BLOCK_END:
    {
      parsed_block *b = &p->block[open_block[top]];
      b->end = i;
      if (!b->committed)
      {
        b->effect = i;
        p->effect_of[i] = open_block[top];
      }
      open_block[top] = -1;
      break;
    }
    case HD_K_MISUSE:
      p->misused = true;
      break;
    default:
      break;
    }
    if (parsed_is_write(r) && top >= 0)
      p->block_of[i] = open_block[top];
    if (r->kind == HD_K_WRITE_OLD || r->kind == HD_K_FREE_WRITE_OLD)
      p->old_values = true;
  }
}

/* Tick k has position 2k+1, a look that reads n has position 2n. */
static uint32_t
position(const trace_record *r)
{
  return 2 * r->stamp + r->ticked;
}

typedef struct hold
{
  unsigned thread;
  bool held; /* false: an unblocked write */
  uint32_t low, high;
} hold;

/* The holds of VAR, and the unblocked writes to it. A block whose commit ends a window has no hold: its writes take
 * effect somewhere in the window, which others may overlap rightly. STRICT: nor has any other block of an operation
 * with a window or without annotation, nor one that never ended. */
static unsigned
holds(const parsed *p, unsigned var, bool strict, hold *out)
{
  const trace_record *record = p->log->record;
  unsigned n = 0;
  for (unsigned b = 0; b < p->nblocks; b++)
  {
    if (p->block[b].effect < 0 || (strict && (p->block[b].end < 0 || has_window(&p->op[p->block[b].op]))))
      continue;
    uint32_t at = position(&record[p->block[b].effect]);
    hold h = {p->block[b].thread, true, at, at};
    bool writes = false;
    for (size_t i = 0; i < p->log->n; i++)
      if (parsed_is_write(&record[i]) && p->block_of[i] == (int) b && record[i].values[0].u == var)
      {
        uint32_t w = position(&record[i]);
        writes = true;
        h.low = w < h.low ? w : h.low;
        h.high = w > h.high ? w : h.high;
      }
    if (writes)
      out[n++] = h;
  }
  for (size_t i = 0; i < p->log->n; i++)
    if (parsed_is_write(&record[i]) && p->block_of[i] < 0 && record[i].values[0].u == var)
      out[n++] = (hold){record[i].thread, false, position(&record[i]), position(&record[i])};
  return n;
}

bool
oracle_overlap(const parsed *p, bool strict)
{
  hold h[ORACLE_BLOCKS + TRACE_RECORDS];
  for (unsigned var = 0; var < p->log->model->nvars; var++)
  {
    unsigned n = holds(p, var, strict, h);
    for (unsigned i = 0; i < n; i++)
      for (unsigned j = 0; j < n; j++)
        if (h[i].held && h[i].thread != h[j].thread)
        {
          if (h[j].held ? h[i].low < h[j].high && h[j].low < h[i].high : h[i].low < h[j].low && h[j].low < h[i].high)
            return true;
        }
  }
  return false;
}
