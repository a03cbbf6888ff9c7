/* rewrite.c: copies of expressions, commands, procedures and implementations, with variables replaced.
 *
 * Bound variables of a copy are new objects, so a copy never captures or shares one: the rewriter keeps its own map for
 * them while it is inside. Expressions without anything to change come back as they are. */
#include <stdlib.h>
#include <string.h>

#include "boogie/rewriting.h"

/* ---- maps from variables: open addressing, at most half full, so that a small map stays small in a large program ----
 */
struct hd_boogie_subst
{
  hd_boogie_subst_entry *entries; /* VAR null: free */
  size_t n, cap;                  /* CAP is a power of two, or 0 */
};

hd_boogie_subst *
hd_boogie_subst_new(void)
{
  return hd_alloc_zero(sizeof(hd_boogie_subst));
}

void
hd_boogie_subst_free(hd_boogie_subst *s)
{
  if (!s)
    return;
  free(s->entries);
  free(s);
}

/* The entry of V, or the free one where it would be. There must be one. */
static hd_boogie_subst_entry *
place_of(const hd_boogie_subst *s, const hd_boogie_var *v)
{
  size_t i = hd_mix(v->id) & (s->cap - 1);
  while (s->entries[i].var && s->entries[i].var != v)
    i = (i + 1) & (s->cap - 1);
  return &s->entries[i];
}

static hd_boogie_subst_entry *
entry(hd_boogie_subst *s, const hd_boogie_var *v)
{
  if (2 * (s->n + 1) > s->cap)
  {
    hd_boogie_subst old = *s;
    s->cap = old.cap ? 2 * old.cap : 16;
    s->entries = hd_alloc_zero(s->cap * sizeof *s->entries);
    for (size_t i = 0; i < old.cap; i++)
      if (old.entries[i].var)
        *place_of(s, old.entries[i].var) = old.entries[i];
    free(old.entries);
  }
  hd_boogie_subst_entry *e = place_of(s, v);
  s->n += !e->var;
  e->var = v;
  return e;
}

void
hd_boogie_subst_set(hd_boogie_subst *s, const hd_boogie_var *v, hd_boogie_expr *e)
{
  entry(s, v)->now = e;
}

void
hd_boogie_subst_set_old(hd_boogie_subst *s, const hd_boogie_var *v, hd_boogie_expr *e)
{
  entry(s, v)->old = e;
}

void
hd_boogie_subst_set_var(hd_boogie_subst *s, hd_boogie_program *p, const hd_boogie_var *v, hd_boogie_var *w)
{
  entry(s, v)->now = hd_boogie_use(p, w);
}

hd_boogie_expr *
hd_boogie_subst_get(const hd_boogie_subst *s, const hd_boogie_var *v, bool in_old)
{
  if (!s || !s->cap)
    return NULL;
  const hd_boogie_subst_entry *e = place_of(s, v);
  return in_old && e->old ? e->old : e->now;
}

/* ---- expressions ---- */
static hd_boogie_type *
rewrite_type(const hd_boogie_rewriter *r, hd_boogie_type *t)
{
  return t && r->type_params ? hd_boogie_type_substitute(r->program, t, r->type_params, r->type_args) : t;
}

static hd_boogie_types
rewrite_types(const hd_boogie_rewriter *r, const hd_boogie_types *types)
{
  hd_boogie_types out = {0};
  for (size_t i = 0; i < types->n; i++)
    HD_BOOGIE_ADD(r->program, out, rewrite_type(r, types->items[i]));
  return out;
}

static hd_boogie_expr *
rewrite_var(hd_boogie_rewriter *r, hd_boogie_expr *e)
{
  for (const hd_boogie_renaming *n = r->renaming; n; n = n->outer)
    if (n->from == e->u.id.var)
    {
      hd_boogie_expr *use = hd_boogie_use(r->program, n->to);
      use->at = e->at;
      return use;
    }
  hd_boogie_expr *with = hd_boogie_subst_get(r->subst, e->u.id.var, r->in_old > 0);
  if (!with)
    return NULL;
  if (with->kind == HD_BOOGIE_VAR && with->at.line == 0 && e->at.line)
  {
    hd_boogie_expr *use = hd_boogie_use(r->program, with->u.id.var);
    use->at = e->at; /* a renamed variable stays where the reader sees it */
    return use;
  }
  return with;
}

hd_boogie_attr *
hd_boogie_rewrite_attrs(hd_boogie_rewriter *r, const hd_boogie_attr *attrs)
{
  hd_boogie_attr *first = NULL, **place = &first;
  for (; attrs; attrs = attrs->next)
  {
    hd_boogie_attr *a = *place = hd_boogie_alloc(r->program, sizeof *a);
    a->at = attrs->at;
    a->key = attrs->key;
    for (size_t i = 0; i < attrs->args.n; i++)
    {
      hd_boogie_attr_arg arg = attrs->args.items[i];
      if (arg.expr)
        arg.expr = hd_boogie_rewrite_expr(r, arg.expr);
      HD_BOOGIE_ADD(r->program, a->args, arg);
    }
    place = &a->next;
  }
  return first;
}

static hd_boogie_trigger *
rewrite_triggers(hd_boogie_rewriter *r, const hd_boogie_trigger *triggers)
{
  hd_boogie_trigger *first = NULL, **place = &first;
  for (; triggers; triggers = triggers->next)
  {
    hd_boogie_trigger *t = *place = hd_boogie_alloc(r->program, sizeof *t);
    t->at = triggers->at;
    t->positive = triggers->positive;
    for (size_t i = 0; i < triggers->exprs.n; i++)
      HD_BOOGIE_ADD(r->program, t->exprs, hd_boogie_rewrite_expr(r, triggers->exprs.items[i]));
    place = &t->next;
  }
  return first;
}

/* A binder: its variables are copied and renamed in its parts; the values of a let are outside. */
static hd_boogie_expr *
rewrite_binder(hd_boogie_rewriter *r, hd_boogie_expr *e)
{
  const hd_boogie_binder *b = e->u.binder;
  hd_boogie_expr *copy = hd_boogie_new_expr(r->program, e->kind, e->at);
  hd_boogie_binder *made = copy->u.binder;
  const hd_boogie_renaming *outside = r->renaming;
  hd_boogie_renaming *names = hd_alloc_array(b->bound.n + 1, sizeof *names);
  size_t values = e->kind == HD_BOOGIE_LET ? e->args.n - 1 : 0;
  for (size_t i = 0; i < values; i++)
    hd_boogie_add_arg(r->program, copy, hd_boogie_rewrite_expr(r, e->args.items[i]));
  made->type_params = b->type_params;
  for (size_t i = 0; i < b->bound.n; i++)
  {
    hd_boogie_var *v = b->bound.items[i];
    const char *name = r->bound_prefix ? hd_boogie_text(r->program, "%s%s", r->bound_prefix, v->name) : v->name;
    hd_boogie_var *w = hd_boogie_copy_var(r->program, v, name);
    w->type = rewrite_type(r, v->type);
    HD_BOOGIE_ADD(r->program, made->bound, w);
    names[i] = (hd_boogie_renaming){.outer = r->renaming, .from = v, .to = w};
    r->renaming = &names[i];
  }
  made->attrs = hd_boogie_rewrite_attrs(r, b->attrs);
  made->triggers = rewrite_triggers(r, b->triggers);
  if (e->kind == HD_BOOGIE_CODE)
  {
    for (size_t i = 0; i < made->bound.n; i++)
      if (made->bound.items[i]->where)
        made->bound.items[i]->where = hd_boogie_rewrite_expr(r, made->bound.items[i]->where);
    made->blocks = hd_boogie_rewrite_blocks(r, &b->blocks);
    copy->depth = e->depth;
  }
  for (size_t i = values; i < e->args.n; i++)
    hd_boogie_add_arg(r->program, copy, hd_boogie_rewrite_expr(r, e->args.items[i]));
  copy->type = rewrite_type(r, e->type);
  r->renaming = outside;
  free(names);
  return copy;
}

static hd_boogie_expr *
rewrite_parts(hd_boogie_rewriter *r, hd_boogie_expr *e)
{
  bool changed = false;
  hd_boogie_expr *copy = hd_boogie_new_expr(r->program, e->kind, e->at);
  copy->u = e->u;
  for (size_t i = 0; i < e->args.n; i++)
  {
    hd_boogie_expr *part = hd_boogie_rewrite_expr(r, e->args.items[i]);
    changed |= part != e->args.items[i];
    hd_boogie_add_arg(r->program, copy, part);
  }
  if (r->type_params)
  {
    changed = true;
    if (e->kind == HD_BOOGIE_APPLY || e->kind == HD_BOOGIE_SELECT || e->kind == HD_BOOGIE_STORE)
      copy->u.call.type_args = rewrite_types(r, &e->u.call.type_args);
    if (e->kind == HD_BOOGIE_COERCE)
      copy->u.coerced.type = rewrite_type(r, e->u.coerced.type);
  }
  copy->type = rewrite_type(r, e->type);
  return changed ? copy : e;
}

hd_boogie_expr *
hd_boogie_rewrite_expr(hd_boogie_rewriter *r, hd_boogie_expr *e)
{
  hd_boogie_expr *other = e->kind == HD_BOOGIE_VAR ? rewrite_var(r, e) : NULL;
  if (!other && r->expr)
    other = r->expr(r, e);
  if (other)
    return other;
  switch (e->kind)
  {
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
  case HD_BOOGIE_LAMBDA:
  case HD_BOOGIE_LET:
  case HD_BOOGIE_CODE:
    return rewrite_binder(r, e);
  case HD_BOOGIE_OLD:
    r->in_old++;
    other = r->drop_old ? hd_boogie_rewrite_expr(r, e->args.items[0]) : rewrite_parts(r, e);
    r->in_old--;
    return other;
  default:
    return e->args.n || r->type_params ? rewrite_parts(r, e) : e;
  }
}

hd_boogie_expr *
hd_boogie_substitute(hd_boogie_program *p, const hd_boogie_subst *s, hd_boogie_expr *e)
{
  hd_boogie_rewriter r = {.program = p, .subst = s};
  return hd_boogie_rewrite_expr(&r, e);
}

/* ---- commands and blocks ---- */
static hd_boogie_exprs
rewrite_exprs(hd_boogie_rewriter *r, const hd_boogie_exprs *list)
{
  hd_boogie_exprs out = {0};
  for (size_t i = 0; i < list->n; i++)
    HD_BOOGIE_ADD(r->program, out, hd_boogie_rewrite_expr(r, list->items[i]));
  return out;
}

hd_boogie_cmd *
hd_boogie_rewrite_cmd(hd_boogie_rewriter *r, const hd_boogie_cmd *c)
{
  hd_boogie_cmd *copy = hd_boogie_new_cmd(r->program, c->kind, c->at);
  *copy = *c;
  copy->attrs = hd_boogie_rewrite_attrs(r, c->attrs);
  if (c->expr)
    copy->expr = hd_boogie_rewrite_expr(r, c->expr);
  copy->targets = rewrite_exprs(r, &c->targets);
  copy->values = rewrite_exprs(r, &c->values);
  copy->type_args = rewrite_types(r, &c->type_args);
  copy->calls = (hd_boogie_cmds){0};
  for (size_t i = 0; i < c->calls.n; i++)
    HD_BOOGIE_ADD(r->program, copy->calls, hd_boogie_rewrite_cmd(r, c->calls.items[i]));
  return copy;
}

/* From blocks to their copies, by address. */
static int
by_original(const void *x, const void *y)
{
  const hd_boogie_block_pair *a = x, *b = y;
  return a->from < b->from ? -1 : a->from > b->from;
}

hd_boogie_blocks
hd_boogie_rewrite_blocks(hd_boogie_rewriter *r, const hd_boogie_blocks *blocks)
{
  hd_boogie_blocks out = {0};
  hd_boogie_block_pair *pairs = hd_alloc_array(blocks->n + 1, sizeof *pairs);
  for (size_t i = 0; i < blocks->n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    hd_boogie_block *copy = hd_boogie_new_block(r->program, b->at, b->label);
    pairs[i] = (hd_boogie_block_pair){.from = b, .to = copy};
    HD_BOOGIE_ADD(r->program, out, copy);
  }
  qsort(pairs, blocks->n, sizeof *pairs, by_original);
  for (size_t i = 0; i < blocks->n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    hd_boogie_block *copy = out.items[i];
    for (size_t j = 0; j < b->cmds.n; j++)
    {
      hd_boogie_cmd *c = hd_boogie_rewrite_cmd(r, b->cmds.items[j]);
      if (r->cmd)
        r->cmd(r, c, b->cmds.items[j], &copy->cmds);
      else
        HD_BOOGIE_ADD(r->program, copy->cmds, c);
    }
    copy->transfer.kind = b->transfer.kind;
    copy->transfer.at = b->transfer.at;
    if (b->transfer.expr)
      copy->transfer.expr = hd_boogie_rewrite_expr(r, b->transfer.expr);
    for (size_t j = 0; j < b->transfer.targets.n; j++)
    {
      hd_boogie_block_pair key = {.from = b->transfer.targets.items[j]};
      const hd_boogie_block_pair *pair = bsearch(&key, pairs, blocks->n, sizeof *pairs, by_original);
      HD_CHECK(pair); /* a goto stays inside its list of blocks */
      HD_BOOGIE_ADD(r->program, copy->transfer.targets, pair->to);
    }
  }
  free(pairs);
  return out;
}
