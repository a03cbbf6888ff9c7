/* memory.c: operations, blocks and threads of a check: what is used over and over, and tables that stay as small as the
 * program. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- operations and blocks ---- */

hd_value
value_own(hd_value v)
{
  if (v.type >= HD_STR && v.length)
  {
    char *copy = hd_alloc(v.length);
    memcpy(copy, v.p, v.length);
    v.p = copy;
  }
  return v;
}

void
value_disown(hd_value v)
{
  if (v.type >= HD_STR && v.length)
    free((void *) (uintptr_t) v.p);
}

op *
op_new(hd_refine *r)
{
  op *o = r->free_ops;
  if (o)
    r->free_ops = o->next;
  else
    o = hd_alloc(sizeof *o);
  memset(o, 0, offsetof(op, inline_args));
  o->slot = -1;
  o->args = o->inline_args;
  return o;
}

void
op_release(hd_refine *r, op *o)
{
  for (uint32_t i = 0; i < o->nargs; i++)
    value_disown(o->args[i]);
  value_disown(o->ret);
  if (o->args != o->inline_args)
    free(o->args);
  if (o->block)
    block_release(r, o->block);
  if (o->commit_block && o->commit_block != o->block)
    block_release(r, o->commit_block);
  o->next = r->free_ops;
  r->free_ops = o;
}

block *
block_new(hd_refine *r, op *owner, uint32_t thread, uint32_t site)
{
  block *b = r->free_blocks;
  if (b)
    r->free_blocks = (block *) b->owner;
  else
    b = hd_alloc_zero(sizeof *b);
  b->owner = owner;
  b->number = owner ? owner->number : 0;
  b->thread = thread;
  b->site = site;
  b->nwrites = 0;
  return b;
}

void
block_release(hd_refine *r, block *b)
{
  for (size_t i = 0; i < b->nwrites; i++)
  {
    value_disown(b->writes[i].value);
    value_disown(b->writes[i].old);
  }
  b->nwrites = 0;
  b->owner = (op *) r->free_blocks;
  r->free_blocks = b;
}

/* ---- threads ---- */

thread *
thread_get(hd_refine *r, uint32_t number)
{
  if (number < r->nthreads)
    return &r->threads[number];
  if (number < DIRECT_THREADS)
  {
    size_t n = r->nthreads ? r->nthreads : 8;
    while (number >= n)
      n *= 2;
    r->threads = hd_realloc(r->threads, n * sizeof *r->threads);
    for (size_t i = r->nthreads; i < n; i++)
      r->threads[i] = (thread){.number = (uint32_t) i};
    r->nthreads = n;
    return &r->threads[number];
  }
  if (r->nothers * 2 >= r->others_size)
  {
    size_t old_size = r->others_size;
    thread *old = r->others;
    r->others_size = old_size ? old_size * 2 : 64;
    r->others = hd_alloc_zero(r->others_size * sizeof *r->others);
    for (size_t i = 0; i < old_size; i++)
      if (old[i].used)
      {
        size_t k = hd_mix(old[i].number) & (r->others_size - 1);
        while (r->others[k].used)
          k = (k + 1) & (r->others_size - 1);
        r->others[k] = old[i];
      }
    free(old);
  }
  size_t mask = r->others_size - 1, k = hd_mix(number) & mask;
  while (r->others[k].used && r->others[k].number != number)
    k = (k + 1) & mask;
  if (!r->others[k].used)
  {
    r->others[k] = (thread){.number = number, .used = true};
    r->nothers++;
  }
  return &r->others[k];
}

/* A thread with nothing open needs no memory: programs may start millions of them. */
void
thread_forget(hd_refine *r, thread *t)
{
  if (t->number < DIRECT_THREADS || t->top)
    return;
  size_t mask = r->others_size - 1, hole = (size_t) (t - r->others);
  for (size_t k = (hole + 1) & mask; r->others[k].used; k = (k + 1) & mask)
  {
    size_t home = hd_mix(r->others[k].number) & mask;
    if (((k - home) & mask) >= ((k - hole) & mask))
    {
      r->others[hole] = r->others[k];
      hole = k;
    }
  }
  r->others[hole] = (thread){0};
  r->nothers--;
}
