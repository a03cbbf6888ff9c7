/* build.c: constructors of typed expressions and commands for what later phases make. */
#include "boogie/boogie.h"

static const hd_boogie_place nowhere = {.file = ""};

hd_boogie_expr *
hd_boogie_bool(hd_boogie_program *p, bool truth)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, HD_BOOGIE_LIT_BOOL, nowhere);
  e->type = p->bool_type;
  e->u.truth = truth;
  return e;
}

static hd_boogie_expr *
unary(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_expr *arg, hd_boogie_type *type)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, kind, arg->at);
  hd_boogie_add_arg(p, e, arg);
  e->type = type;
  return e;
}

hd_boogie_expr *
hd_boogie_int(hd_boogie_program *p, int64_t value)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, HD_BOOGIE_LIT_INT, nowhere);
  uint64_t size = value < 0 ? -(uint64_t) value : (uint64_t) value;
  e->type = p->int_type;
  e->u.lit.text = hd_boogie_text(p, "%llu", (unsigned long long) size);
  return value < 0 ? unary(p, HD_BOOGIE_NEG, e, p->int_type) : e;
}

hd_boogie_expr *
hd_boogie_use(hd_boogie_program *p, hd_boogie_var *v)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, HD_BOOGIE_VAR, nowhere);
  e->u.id.name = v->name;
  e->u.id.var = v;
  e->type = hd_boogie_expand(v->type);
  return e;
}

hd_boogie_expr *
hd_boogie_not(hd_boogie_program *p, hd_boogie_expr *e)
{
  if (e->kind == HD_BOOGIE_NOT)
    return e->args.items[0];
  if (e->kind == HD_BOOGIE_LIT_BOOL)
    return hd_boogie_bool(p, !e->u.truth);
  return unary(p, HD_BOOGIE_NOT, e, p->bool_type);
}

hd_boogie_expr *
hd_boogie_old(hd_boogie_program *p, hd_boogie_expr *e)
{
  return unary(p, HD_BOOGIE_OLD, e, e->type);
}

hd_boogie_expr *
hd_boogie_binary(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_expr *a, hd_boogie_expr *b)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, kind, nowhere);
  hd_boogie_add_arg(p, e, a);
  hd_boogie_add_arg(p, e, b);
  if (kind <= HD_BOOGIE_SUBTYPE)
    e->type = p->bool_type;
  else if (kind == HD_BOOGIE_REAL_DIV && hd_boogie_expand(a->type)->kind == HD_BOOGIE_INT)
    e->type = p->real_type;
  else if (kind == HD_BOOGIE_CONCAT)
    e->type = hd_boogie_bv_type(p, hd_boogie_expand(a->type)->width + hd_boogie_expand(b->type)->width);
  else
    e->type = a->type;
  return e;
}

hd_boogie_expr *
hd_boogie_eq(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b)
{
  return hd_boogie_binary(p, HD_BOOGIE_EQ, a, b);
}

static bool
is_literal(const hd_boogie_expr *e, bool truth)
{
  return e->kind == HD_BOOGIE_LIT_BOOL && e->u.truth == truth;
}

/* The N parts at ITEMS as a balanced tree. */
static hd_boogie_expr *
balanced(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_expr **items, size_t n)
{
  if (n == 1)
    return items[0];
  hd_boogie_expr *left = balanced(p, kind, items, n / 2);
  return hd_boogie_binary(p, kind, left, balanced(p, kind, items + n / 2, n - n / 2));
}

static hd_boogie_expr *
join(hd_boogie_program *p, hd_boogie_expr_kind kind, const hd_boogie_exprs *parts)
{
  bool neutral = kind == HD_BOOGIE_AND;
  hd_boogie_exprs kept = {0};
  for (size_t i = 0; i < parts->n; i++)
    if (!is_literal(parts->items[i], neutral))
      HD_BOOGIE_ADD(p, kept, parts->items[i]);
  return kept.n ? balanced(p, kind, kept.items, kept.n) : hd_boogie_bool(p, neutral);
}

hd_boogie_expr *
hd_boogie_and(hd_boogie_program *p, const hd_boogie_exprs *parts)
{
  return join(p, HD_BOOGIE_AND, parts);
}

hd_boogie_expr *
hd_boogie_or(hd_boogie_program *p, const hd_boogie_exprs *parts)
{
  return join(p, HD_BOOGIE_OR, parts);
}

hd_boogie_expr *
hd_boogie_and2(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b)
{
  return is_literal(a, true) ? b : is_literal(b, true) ? a : hd_boogie_binary(p, HD_BOOGIE_AND, a, b);
}

hd_boogie_expr *
hd_boogie_or2(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b)
{
  return is_literal(a, false) ? b : is_literal(b, false) ? a : hd_boogie_binary(p, HD_BOOGIE_OR, a, b);
}

hd_boogie_expr *
hd_boogie_implies(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b)
{
  return is_literal(a, true) ? b : hd_boogie_binary(p, HD_BOOGIE_IMPLIES, a, b);
}

hd_boogie_expr *
hd_boogie_ite(hd_boogie_program *p, hd_boogie_expr *c, hd_boogie_expr *a, hd_boogie_expr *b)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, HD_BOOGIE_ITE, nowhere);
  hd_boogie_add_arg(p, e, c);
  hd_boogie_add_arg(p, e, a);
  hd_boogie_add_arg(p, e, b);
  e->type = a->type;
  return e;
}

/* ---- type arguments by matching ---- */
/* Where T, which mentions PARAMS, and ACTUAL differ, ARGS is filled in. */
static void
match(const hd_boogie_type *formal, const hd_boogie_type *actual, const hd_boogie_types *params, hd_boogie_types *args)
{
  const hd_boogie_type *t = hd_boogie_expand(formal);
  hd_boogie_type *a = hd_boogie_expand(actual);
  for (size_t i = 0; t->kind == HD_BOOGIE_TYPE_VAR && i < params->n; i++)
    if (params->items[i] == t)
    {
      args->items[i] = a;
      return;
    }
  for (size_t i = 0; i < t->args.n && i < a->args.n; i++)
    match(t->args.items[i], a->args.items[i], params, args);
  if (t->kind == HD_BOOGIE_MAP && a->kind == HD_BOOGIE_MAP)
    match(t->result, a->result, params, args);
}

static hd_boogie_types
matched(hd_boogie_program *p, const hd_boogie_types *params, hd_boogie_type *const *formals,
        hd_boogie_expr *const *args, size_t n)
{
  hd_boogie_types found = {0};
  for (size_t i = 0; i < params->n; i++)
    HD_BOOGIE_ADD(p, found, NULL);
  for (size_t i = 0; i < n; i++)
    match(formals[i], args[i]->type, params, &found);
  for (size_t i = 0; i < params->n; i++)
    HD_CHECK(found.items[i]); /* the caller sees to it that the arguments determine them */
  return found;
}

static hd_boogie_expr *
map_access(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_expr *map, const hd_boogie_exprs *indices)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, kind, nowhere);
  const hd_boogie_type *t = hd_boogie_expand(map->type);
  HD_CHECK(t->kind == HD_BOOGIE_MAP && t->args.n == indices->n);
  hd_boogie_add_arg(p, e, map);
  for (size_t i = 0; i < indices->n; i++)
    hd_boogie_add_arg(p, e, indices->items[i]);
  e->u.call.type_args = matched(p, &t->params, t->args.items, indices->items, indices->n);
  return e;
}

hd_boogie_expr *
hd_boogie_select(hd_boogie_program *p, hd_boogie_expr *map, const hd_boogie_exprs *indices)
{
  hd_boogie_expr *e = map_access(p, HD_BOOGIE_SELECT, map, indices);
  const hd_boogie_type *t = hd_boogie_expand(map->type);
  e->type = hd_boogie_expand(hd_boogie_type_substitute(p, t->result, &t->params, &e->u.call.type_args));
  return e;
}

hd_boogie_expr *
hd_boogie_store(hd_boogie_program *p, hd_boogie_expr *map, const hd_boogie_exprs *indices, hd_boogie_expr *value)
{
  hd_boogie_expr *e = map_access(p, HD_BOOGIE_STORE, map, indices);
  hd_boogie_add_arg(p, e, value);
  e->type = hd_boogie_expand(map->type);
  return e;
}

hd_boogie_expr *
hd_boogie_apply(hd_boogie_program *p, hd_boogie_function *f, const hd_boogie_exprs *args)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p, HD_BOOGIE_APPLY, nowhere);
  hd_boogie_types formals = {0};
  HD_CHECK(args->n == f->ins.n);
  e->u.call.name = f->name;
  e->u.call.function = f;
  for (size_t i = 0; i < args->n; i++)
  {
    hd_boogie_add_arg(p, e, args->items[i]);
    HD_BOOGIE_ADD(p, formals, f->ins.items[i]->type);
  }
  e->u.call.type_args = matched(p, &f->type_params, formals.items, args->items, args->n);
  e->type = hd_boogie_expand(hd_boogie_type_substitute(p, f->out->type, &f->type_params, &e->u.call.type_args));
  return e;
}

hd_boogie_expr *
hd_boogie_quantify(hd_boogie_program *p, hd_boogie_expr_kind kind, const hd_boogie_vars *bound,
                   hd_boogie_trigger *triggers, hd_boogie_expr *body)
{
  if (!bound->n)
    return body;
  hd_boogie_expr *e = hd_boogie_new_expr(p, kind, nowhere);
  hd_boogie_types types = {0};
  for (size_t i = 0; i < bound->n; i++)
  {
    HD_BOOGIE_ADD(p, e->u.binder->bound, bound->items[i]);
    HD_BOOGIE_ADD(p, types, bound->items[i]->type);
  }
  e->u.binder->triggers = triggers;
  hd_boogie_add_arg(p, e, body);
  e->type = kind == HD_BOOGIE_LAMBDA ? hd_boogie_map_type(p, types, body->type) : p->bool_type;
  return e;
}

/* ---- commands ---- */
hd_boogie_cmd *
hd_boogie_assert(hd_boogie_program *p, hd_boogie_place at, hd_boogie_expr *e)
{
  hd_boogie_cmd *c = hd_boogie_new_cmd(p, HD_BOOGIE_ASSERT, at);
  c->expr = e;
  return c;
}

hd_boogie_cmd *
hd_boogie_assume(hd_boogie_program *p, hd_boogie_place at, hd_boogie_expr *e)
{
  hd_boogie_cmd *c = hd_boogie_new_cmd(p, HD_BOOGIE_ASSUME, at);
  c->expr = e;
  return c;
}

hd_boogie_cmd *
hd_boogie_assign(hd_boogie_program *p, hd_boogie_place at, hd_boogie_var *v, hd_boogie_expr *e)
{
  hd_boogie_cmd *c = hd_boogie_new_cmd(p, HD_BOOGIE_ASSIGN, at);
  HD_BOOGIE_ADD(p, c->targets, hd_boogie_use(p, v));
  HD_BOOGIE_ADD(p, c->values, e);
  return c;
}

hd_boogie_cmd *
hd_boogie_assign_plain(hd_boogie_program *p, hd_boogie_cmd *assign)
{
  bool plain = true;
  for (size_t i = 0; i < assign->targets.n; i++)
    plain &= assign->targets.items[i]->kind == HD_BOOGIE_VAR;
  if (plain)
    return assign;
  hd_boogie_cmd *c = hd_boogie_new_cmd(p, HD_BOOGIE_ASSIGN, assign->at);
  *c = *assign;
  c->targets = c->values = (hd_boogie_exprs){0};
  for (size_t i = 0; i < assign->targets.n; i++)
  {
    hd_boogie_expr *t = assign->targets.items[i], *value = assign->values.items[i];
    for (; t->kind == HD_BOOGIE_SELECT; t = t->args.items[0])
    {
      hd_boogie_expr *store = hd_boogie_new_expr(p, HD_BOOGIE_STORE, t->at);
      for (size_t j = 0; j < t->args.n; j++)
        hd_boogie_add_arg(p, store, t->args.items[j]);
      hd_boogie_add_arg(p, store, value);
      store->u.call.type_args = t->u.call.type_args;
      store->type = t->args.items[0]->type;
      value = store;
    }
    HD_BOOGIE_ADD(p, c->targets, t);
    HD_BOOGIE_ADD(p, c->values, value);
  }
  return c;
}
