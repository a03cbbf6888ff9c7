/* unify.c: unification of types, with polymorphic maps up to the names of their type parameters. */
#include "boogie/checker.h"

const char *
hd_boogie_show_type(hd_boogie_checker *c, const hd_boogie_type *t)
{
  hd_string s = {0};
  hd_boogie_print_type(t, &s);
  const char *text = hd_boogie_copy_text(c->program, s.text, s.length);
  hd_string_free(&s);
  return text;
}

hd_boogie_type *
hd_boogie_unknown(hd_boogie_checker *c, const char *name)
{
  hd_boogie_type *t = hd_boogie_new_type(c->program, HD_BOOGIE_TYPE_UNKNOWN, (hd_boogie_place){.file = ""});
  t->name = hd_boogie_text(c->program, "%s$proxy#%u", name, c->unknowns++);
  return t;
}

/* Skolem constants for the type parameters of the polymorphic maps around; no unknown may become one of them. */
typedef struct skolems
{
  const struct skolems *outer;
  const hd_boogie_types *vars;
} skolems;

/* Whether T contains the unknown U or a skolem. */
static bool
mentions(const hd_boogie_type *t, const hd_boogie_type *u, const skolems *around)
{
  t = hd_boogie_expand(t);
  if (t == u)
    return true;
  if (t->kind == HD_BOOGIE_TYPE_VAR)
    for (const skolems *s = around; s; s = s->outer)
      for (size_t i = 0; i < s->vars->n; i++)
        if (s->vars->items[i] == t)
          return true;
  for (size_t i = 0; i < t->args.n; i++)
    if (mentions(t->args.items[i], u, around))
      return true;
  return t->kind == HD_BOOGIE_MAP && mentions(t->result, u, around);
}

static bool
fill_in(hd_boogie_checker *c, hd_boogie_type *u, hd_boogie_type *t, const skolems *around)
{
  if (mentions(t, u, around))
    return false;
  u->result = t;
  HD_BOOGIE_ADD(c->program, c->trail, u);
  return true;
}

static bool unify(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b, const skolems *around);

static bool
unify_maps(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b, const skolems *around)
{
  hd_boogie_types fresh = {0};
  skolems inner = {.outer = around, .vars = &fresh};
  if (a->params.n)
  {
    for (size_t i = 0; i < a->params.n; i++)
    {
      hd_boogie_type *v = hd_boogie_new_type(c->program, HD_BOOGIE_TYPE_VAR, a->at);
      v->name = a->params.items[i]->name;
      HD_BOOGIE_ADD(c->program, fresh, v);
    }
    around = &inner;
  }
  for (size_t i = 0; i <= a->args.n; i++)
  {
    hd_boogie_type *x = i < a->args.n ? a->args.items[i] : a->result;
    hd_boogie_type *y = i < b->args.n ? b->args.items[i] : b->result;
    x = hd_boogie_type_substitute(c->program, x, &a->params, &fresh);
    y = hd_boogie_type_substitute(c->program, y, &b->params, &fresh);
    if (!unify(c, x, y, around))
      return false;
  }
  return true;
}

static bool
unify(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b, const skolems *around)
{
  a = hd_boogie_expand(a);
  b = hd_boogie_expand(b);
  if (a == b)
    return true;
  if (a->kind == HD_BOOGIE_TYPE_UNKNOWN)
    return fill_in(c, a, b, around);
  if (b->kind == HD_BOOGIE_TYPE_UNKNOWN)
    return fill_in(c, b, a, around);
  if (a->kind != b->kind || a->args.n != b->args.n || a->params.n != b->params.n)
    return false;
  switch (a->kind)
  {
  case HD_BOOGIE_BOOL:
  case HD_BOOGIE_INT:
  case HD_BOOGIE_REAL:
  case HD_BOOGIE_RMODE:
    return true;
  case HD_BOOGIE_BV:
    return a->width == b->width;
  case HD_BOOGIE_FLOAT:
    return a->width == b->width && a->exponent == b->exponent;
  case HD_BOOGIE_MAP:
    return unify_maps(c, a, b, around);
  case HD_BOOGIE_CTOR:
    if (a->decl != b->decl)
      return false;
    for (size_t i = 0; i < a->args.n; i++)
      if (!unify(c, a->args.items[i], b->args.items[i], around))
        return false;
    return true;
  default:
    return false;
  }
}

bool
hd_boogie_unify(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b)
{
  return unify(c, a, b, NULL);
}

bool
hd_boogie_comparable(hd_boogie_checker *c, hd_boogie_type *a, hd_boogie_type *b)
{
  size_t mark = c->trail.n;
  if (unify(c, a, b, NULL))
    return true;
  while (c->trail.n > mark)
    c->trail.items[--c->trail.n]->result = NULL;
  hd_boogie_types vars = {0}, unknowns = {0};
  hd_boogie_free_type_vars(c->program, a, &vars);
  hd_boogie_free_type_vars(c->program, b, &vars);
  for (size_t i = 0; i < vars.n; i++)
    HD_BOOGIE_ADD(c->program, unknowns, hd_boogie_unknown(c, vars.items[i]->name));
  a = hd_boogie_type_substitute(c->program, a, &vars, &unknowns);
  b = hd_boogie_type_substitute(c->program, b, &vars, &unknowns);
  return vars.n && unify(c, a, b, NULL);
}

/* ---- afterwards ---- */
hd_boogie_type *
hd_boogie_settle_type(hd_boogie_checker *c, hd_boogie_type *t, bool *ambiguous)
{
  t = hd_boogie_expand(t);
  if (t->kind == HD_BOOGIE_TYPE_UNKNOWN)
  {
    t->result = c->program->int_type;
    if (ambiguous)
      *ambiguous = true;
    return t->result;
  }
  if (t->kind != HD_BOOGIE_MAP && t->kind != HD_BOOGIE_CTOR)
    return t;
  hd_boogie_types args = {0};
  bool changed = false;
  for (size_t i = 0; i < t->args.n; i++)
  {
    hd_boogie_type *x = hd_boogie_settle_type(c, t->args.items[i], ambiguous);
    changed |= x != t->args.items[i];
    HD_BOOGIE_ADD(c->program, args, x);
  }
  hd_boogie_type *result = t->kind == HD_BOOGIE_MAP ? hd_boogie_settle_type(c, t->result, ambiguous) : NULL;
  if (!changed && result == t->result)
    return t;
  hd_boogie_type *copy = hd_boogie_new_type(c->program, t->kind, t->at);
  *copy = *t;
  copy->args = args;
  copy->result = result;
  return copy;
}
