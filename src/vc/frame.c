/* frame.c: what names mean, and the pieces of the flow graph. */
#include <stdarg.h>
#include <string.h>

#include "vc/internal.h"

void *
hd_vc_alloc(condition *c, size_t n)
{
  return memset(hd_arena_alloc(c->arena, n + 1), 0, n);
}

void *
hd_vc_grow(condition *c, const void *old, size_t n, size_t *cap, size_t size)
{
  *cap = *cap ? 2 * *cap : 4;
  void *new = hd_vc_alloc(c, *cap * size);
  if (n)
    memcpy(new, old, n * size);
  return new;
}

const char *
hd_vc_text(condition *c, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  char *copy = memcpy(hd_arena_alloc(c->arena, s.length + 1), s.length ? s.text : "", s.length + 1);
  hd_string_free(&s);
  return copy;
}

void
hd_vc_unsupported(condition *c, hd_boogie_place at, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  c->message = hd_vc_text(c, "%s", s.text);
  hd_string_free(&s);
  c->at = at;
  longjmp(c->unsupported, 1);
}

uint32_t
hd_vc_instance(condition *c, const hd_boogie_var *decl, const char *name, const frame *f, bool shown)
{
  ADD(c, c->instances, c->ninstances, c->instances_cap,
      (instance){.decl = decl, .name = name, .frame = f, .shown = shown});
  return (uint32_t) c->ninstances - 1;
}

static size_t
find(const binding *table, size_t cap, const hd_boogie_var *decl)
{
  size_t i = hd_mix(decl->id + 1) & (cap - 1);
  while (table[i].decl && table[i].decl != decl)
    i = (i + 1) & (cap - 1);
  return i;
}

static void
put(condition *c, binding **table, size_t *n, size_t *cap, const hd_boogie_var *decl, uint32_t instance)
{
  if (2 * (*n + 1) > *cap)
  {
    const binding *old = *table;
    size_t before = *cap;
    *cap = before ? 2 * before : 8;
    *table = hd_vc_alloc(c, *cap * sizeof **table);
    for (size_t i = 0; i < before; i++)
      if (old[i].decl)
        (*table)[find(*table, *cap, old[i].decl)] = old[i];
  }
  size_t i = find(*table, *cap, decl);
  *n += !(*table)[i].decl;
  (*table)[i] = (binding){.decl = decl, .instance = instance};
}

void
hd_vc_bind(condition *c, frame *f, const hd_boogie_var *decl, uint32_t instance)
{
  put(c, &f->names, &f->nnames, &f->names_cap, decl, instance);
}

void
hd_vc_bind_old(condition *c, frame *f, const hd_boogie_var *decl, uint32_t instance)
{
  put(c, &f->olds, &f->nolds, &f->olds_cap, decl, instance);
}

static uint32_t
get(const binding *table, size_t cap, const hd_boogie_var *decl)
{
  if (!cap)
    return NOT_AN_INSTANCE;
  size_t i = find(table, cap, decl);
  return table[i].decl ? table[i].instance : NOT_AN_INSTANCE;
}

uint32_t
hd_vc_lookup(const frame *f, const hd_boogie_var *decl, bool in_old, bool *initial)
{
  *initial = false;
  if (decl->kind == HD_BOOGIE_GLOBAL && in_old)
  {
    uint32_t old = get(f->olds, f->olds_cap, decl);
    if (old != NOT_AN_INSTANCE)
      return old;
    *initial = !f->keeps_old;
  }
  for (; f; f = f->outer)
  {
    uint32_t i = get(f->names, f->names_cap, decl);
    if (i != NOT_AN_INSTANCE)
      return i;
  }
  return NOT_AN_INSTANCE;
}

uint32_t
hd_vc_node(condition *c, const char *label, hd_boogie_place at, bool hidden)
{
  ADD(c, c->nodes, c->nnodes, c->nodes_cap, (node){.label = label, .at = at, .hidden = hidden});
  return (uint32_t) c->nnodes - 1;
}

void
hd_vc_edge(condition *c, uint32_t from, uint32_t to)
{
  /* A goto may name a block twice. */
  for (size_t i = 0; i < c->nodes[from].nto; i++)
    if (c->nodes[from].to[i] == to)
      return;
  ADD(c, c->nodes[from].to, c->nodes[from].nto, c->nodes[from].to_cap, to);
  ADD(c, c->nodes[to].from, c->nodes[to].nfrom, c->nodes[to].from_cap, from);
}

command *
hd_vc_command(condition *c, uint32_t number, command_kind kind, const frame *f)
{
  node *n = &c->nodes[number];
  ADD(c, n->commands, n->n, n->cap,
      (command){.kind = kind, .at = c->here, .inlined = c->inside, .silent = kind == ASSERT, .frame = f});
  return &n->commands[n->n - 1];
}

void
hd_vc_havoc(condition *c, uint32_t number, size_t n, const uint32_t *targets)
{
  if (!n)
    return;
  command *x = hd_vc_command(c, number, HAVOC, NULL);
  x->n = n;
  x->targets = memcpy(hd_vc_alloc(c, n * sizeof *targets), targets, n * sizeof *targets);
  for (size_t i = 0; i < n; i++)
  {
    const instance *v = &c->instances[targets[i]];
    if (v->decl->where)
      hd_vc_command(c, number, ASSUME, v->frame)->expr = v->decl->where;
  }
}
