/* relation_path.c: the formula of one path through an action, or through two actions one after the other.
 *
 * Each assignment and each havoc gives its targets a new copy, so that a path is a set of equations (copy == expression
 * over older copies) and of assumed conditions. Copies that are the state before, the state after or inputs are given.
 * The rest is to be got rid of: a copy whose equation speaks of given ones only is replaced by its value, again and
 * again; then copies may be defined by some that have no value (initial values of locals, the state between the two
 * actions, havocked values), so that only those remain. What remains is bound by an existential quantifier, or guessed
 * by a witness function. Each of these steps keeps the meaning (a copy that has the value e may be replaced by e), so
 * the order only decides how easy the formula is for a solver. */
#include "civl/relation_path.h"

#include <stdlib.h>

/* ---- variables and copies ---- */

static tracked *
find(const relation *r, const hd_boogie_var *v)
{
  return v->id < r->first_id && r->number[v->id] ? &r->vars[r->number[v->id] - 1] : NULL;
}

static copy *
copy_of(const relation *r, const hd_boogie_var *v)
{
  if (v->id < r->first_id || v->id - r->first_id >= r->cap_copies)
    return NULL;
  copy *c = &r->copies[v->id - r->first_id];
  return c->owner ? c : NULL;
}

static tracked *
track(relation *r, hd_boogie_var *v)
{
  tracked *t = find(r, v);
  if (t)
    return t;
  HD_CHECK(v->id < r->first_id);
  HD_PUSH(r->vars, r->n_vars, r->cap_vars, (tracked){.var = v, .guess = SIZE_MAX});
  r->number[v->id] = r->n_vars;
  return &r->vars[r->n_vars - 1];
}

static void
track_code(relation *r, const relation_code *code)
{
  for (size_t i = 0; i < code->ins->n; i++)
    track(r, code->ins->items[i])->is_in = true;
  for (size_t i = 0; i < code->outs->n; i++)
    track(r, code->outs->items[i])->is_out = true;
  for (size_t i = 0; i < code->locals->n; i++)
    track(r, code->locals->items[i])->is_local = true;
}

void
hd_civl_relation_track(relation *r)
{
  const relation_question *q = r->q;
  r->now = hd_boogie_subst_new();
  r->known = hd_boogie_subst_new();
  r->final = hd_boogie_subst_new();
  r->number = hd_alloc_zero((r->first_id + 1) * sizeof *r->number);
  for (size_t i = 0; i < q->frame->n; i++)
    track(r, q->frame->items[i])->in_frame = true;
  track_code(r, &q->first);
  if (q->second.blocks)
    track_code(r, &q->second);
  for (size_t i = 0; i < q->n_guessed; i++)
  {
    tracked *t = find(r, q->guessed[i]);
    if (t && t->in_frame)
      t->guess = i;
  }
}

void
hd_civl_relation_forget(relation *r)
{
  hd_boogie_subst_free(r->now);
  hd_boogie_subst_free(r->known);
  hd_boogie_subst_free(r->final);
  free(r->number);
  free(r->vars);
  free(r->copies);
  free(r->path);
  free(r->equations);
}

static hd_boogie_var *
newest(const tracked *t)
{
  return t->copies.items[t->last];
}

/* Make copy NUMBER of T its newest one. */
static void
renew(relation *r, tracked *t, size_t number)
{
  if (number == t->copies.n)
  {
    hd_boogie_var *v = hd_boogie_new_var(r->p, HD_BOOGIE_LOCAL, (hd_boogie_place){.file = t->var->at.file},
                                         hd_boogie_text(r->p, "%s#%zu", t->var->name, number), t->var->type);
    HD_BOOGIE_ADD(r->p, t->copies, v);
    hd_grow_zero(&r->copies, &r->cap_copies, v->id - r->first_id + 1, sizeof *r->copies);
    r->copies[v->id - r->first_id] = (copy){.owner = (size_t) (t - r->vars) + 1, .number = number};
  }
  t->last = number;
  hd_boogie_subst_set(r->now, t->var, hd_boogie_use(r->p, newest(t)));
  if (!t->in_frame || number == 0) /* old() changes the meaning of globals only */
    hd_boogie_subst_set_old(r->now, t->var, hd_boogie_use(r->p, newest(t)));
}

static void
renew_target(relation *r, const hd_boogie_expr *target)
{
  tracked *t = find(r, hd_boogie_target_var(target));
  HD_CHECK(t && !t->is_in); /* the frame has every global that the code uses */
  renew(r, t, t->last + 1);
}

/* ---- from commands to equations ---- */

static hd_boogie_expr *
read_now(relation *r, hd_boogie_expr *e)
{
  hd_boogie_rewriter w = {.program = r->p, .subst = r->now, .drop_old = true};
  return hd_boogie_rewrite_expr(&w, e);
}

/* x := e says newest(x) == e over the copies before; {:backward} x := e says the copy of x before == e over the copies
 * after. */
static void
do_assign(relation *r, const hd_boogie_cmd *cmd)
{
  bool backward = hd_boogie_attr_flag(cmd->attrs, "backward");
  const hd_boogie_cmd *plain = hd_boogie_assign_plain(r->p, (hd_boogie_cmd *) cmd);
  size_t first = r->n_equations;
  for (size_t i = 0; i < plain->targets.n; i++)
  {
    const tracked *t = find(r, hd_boogie_target_var(plain->targets.items[i]));
    HD_CHECK(t);
    equation e = backward ? (equation){newest(t), plain->values.items[i]}
                          : (equation){NULL, read_now(r, plain->values.items[i])};
    HD_PUSH(r->equations, r->n_equations, r->cap_equations, e);
  }
  for (size_t i = 0; i < plain->targets.n; i++)
    renew_target(r, plain->targets.items[i]);
  for (size_t i = 0; i < plain->targets.n; i++)
  {
    equation *e = &r->equations[first + i];
    if (backward)
      e->value = read_now(r, e->value);
    else
      e->target = newest(find(r, hd_boogie_target_var(plain->targets.items[i])));
  }
}

static void
start_second(relation *r)
{
  for (size_t i = 0; i < r->n_vars; i++)
  {
    tracked *t = &r->vars[i];
    t->middle = t->last;
    if (t->in_frame)
      hd_boogie_subst_set_old(r->now, t->var, hd_boogie_use(r->p, newest(t)));
  }
}

static void
read_path(relation *r)
{
  r->n_equations = 0;
  r->assumes = r->conjuncts = (hd_boogie_exprs){0};
  for (size_t i = 0; i < r->n_vars; i++)
    renew(r, &r->vars[i], 0);
  for (size_t i = 0; i < r->n_path; i++)
  {
    const hd_boogie_cmd *cmd = r->path[i];
    if (r->q->second.blocks && i == r->joint)
      start_second(r);
    switch (cmd->kind)
    {
    case HD_BOOGIE_ASSIGN:
      do_assign(r, cmd);
      break;
    case HD_BOOGIE_ASSUME:
      HD_BOOGIE_ADD(r->p, r->assumes, read_now(r, cmd->expr));
      break;
    default:
      HD_CHECK(cmd->kind == HD_BOOGIE_HAVOC); /* actions were checked to have no other commands */
      for (size_t k = 0; k < cmd->targets.n; k++)
        renew_target(r, cmd->targets.items[k]);
    }
  }
  if (r->q->second.blocks && r->joint == r->n_path)
    start_second(r);
}

/* ---- elimination ---- */

static void
set_states(relation *r)
{
  for (size_t i = 0; i < r->cap_copies; i++)
  {
    copy *c = &r->copies[i];
    c->state = COPY_OPEN;
    c->allowed = c->spoken = false;
    c->value = NULL;
    c->bound = NULL;
  }
  for (size_t i = 0; i < r->n_vars; i++)
  {
    tracked *t = &r->vars[i];
    for (size_t k = 0; k < t->copies.n; k++) /* what other paths said of them */
    {
      hd_boogie_subst_set(r->known, t->copies.items[k], NULL);
      hd_boogie_subst_set(r->final, t->copies.items[k], NULL);
    }
    if (t->in_frame || t->is_in)
      copy_of(r, t->copies.items[0])->state = COPY_GIVEN;
    if ((t->in_frame || t->is_out) && !r->q->enabled_only)
      copy_of(r, newest(t))->state = COPY_GIVEN;
  }
}

typedef struct search
{
  const relation *r;
  const hd_boogie_var *wanted; /* or null: any copy that a definition may not speak of */
  bool found;
  size_t visited;
} search;

static bool
search_visit(void *context, hd_boogie_expr *e, bool in_old)
{
  (void) in_old;
  search *s = context;
  if (e->kind == HD_BOOGIE_VAR && e->u.id.var)
  {
    const copy *c = copy_of(s->r, e->u.id.var);
    if (s->wanted ? e->u.id.var == s->wanted : c && c->state == COPY_OPEN && !c->allowed)
      s->found = true;
  }
  return !s->found && ++s->visited < RELATION_SIZE;
}

static bool
speaks_of(relation *r, hd_boogie_expr *e, const hd_boogie_var *wanted)
{
  search s = {.r = r, .wanted = wanted};
  hd_boogie_walk_expr(e, search_visit, &s);
  r->too_large |= s.visited >= RELATION_SIZE;
  return s.found;
}

/* V == E from now on; no defined copy occurs in E, and V does not. */
static void
define(relation *r, hd_boogie_var *v, hd_boogie_expr *e)
{
  hd_boogie_subst *one = NULL;
  for (size_t i = 0; copy_of(r, v)->spoken && i < r->n_vars; i++)
    for (size_t k = 0; k < r->vars[i].copies.n; k++)
    {
      hd_boogie_var *w = r->vars[i].copies.items[k];
      copy *c = copy_of(r, w);
      if (c->state == COPY_DEFINED && speaks_of(r, c->value, v))
      {
        if (!one)
          hd_boogie_subst_set(one = hd_boogie_subst_new(), v, e);
        c->value = hd_boogie_substitute(r->p, one, c->value);
        hd_boogie_subst_set(r->known, w, c->value);
      }
    }
  hd_boogie_subst_free(one);
  copy *c = copy_of(r, v);
  c->state = COPY_DEFINED;
  c->value = e;
  hd_boogie_subst_set(r->known, v, e);
}

/* Turn equations into definitions as long as that works. */
static void
eliminate(relation *r)
{
  for (bool changed = true; changed && !r->too_large;)
  {
    changed = false;
    size_t kept = 0;
    for (size_t i = 0; i < r->n_equations && !r->too_large; i++)
    {
      equation e = r->equations[i];
      const copy *c = copy_of(r, e.target);
      e.value = hd_boogie_substitute(r->p, r->known, e.value);
      r->too_large |= e.value->depth > HD_BOOGIE_DEPTH;
      if (!r->too_large && c->state == COPY_OPEN && !c->allowed && !speaks_of(r, e.value, NULL))
      {
        define(r, e.target, e.value);
        changed = true;
      }
      else
        r->equations[kept++] = e;
    }
    r->n_equations = kept;
  }
}

typedef enum round
{
  ROUND_GIVEN,   /* definitions speak of given copies */
  ROUND_LOCALS,  /* and of initial values of locals */
  ROUND_MIDDLE,  /* and of the state between the actions */
  ROUND_GUESSED, /* of that only where it can be guessed */
  ROUND_REST,    /* and of everything that has no equation */
  ROUNDS
} round;

static bool
is_target(const relation *r, const hd_boogie_var *v)
{
  for (size_t i = 0; i < r->n_equations; i++)
    if (r->equations[i].target == v)
      return true;
  return false;
}

static void
set_allowed(relation *r, round round)
{
  for (size_t i = 0; i < r->n_vars; i++)
  {
    const tracked *t = &r->vars[i];
    for (size_t k = 0; k <= t->last; k++)
    {
      bool is_middle = r->q->second.blocks && t->in_frame && k == t->middle;
      copy *c = copy_of(r, t->copies.items[k]);
      c->allowed = (round >= ROUND_LOCALS && t->is_local && k == 0)
                   || (is_middle && (round == ROUND_MIDDLE || (round > ROUND_MIDDLE && t->guess != SIZE_MAX)))
                   || (round == ROUND_REST && !is_target(r, t->copies.items[k]));
      c->spoken |= c->allowed;
    }
  }
}

/* ---- the formula ---- */

static void
add_conjuncts(relation *r, hd_boogie_expr *e)
{
  if (e->kind == HD_BOOGIE_AND)
  {
    add_conjuncts(r, e->args.items[0]);
    add_conjuncts(r, e->args.items[1]);
  }
  else
    HD_BOOGIE_ADD(r->p, r->conjuncts, e);
}

static void
make_conjuncts(relation *r)
{
  for (size_t i = 0; i < r->assumes.n; i++)
    add_conjuncts(r, hd_boogie_substitute(r->p, r->known, r->assumes.items[i]));
  for (size_t i = 0; i < r->n_equations; i++)
  {
    hd_boogie_expr *target = hd_boogie_substitute(r->p, r->known, hd_boogie_use(r->p, r->equations[i].target));
    hd_boogie_expr *value = hd_boogie_substitute(r->p, r->known, r->equations[i].value);
    HD_BOOGIE_ADD(r->p, r->conjuncts, hd_boogie_eq(r->p, target, value));
  }
}

typedef struct binding
{
  relation *r;
  hd_boogie_vars *bound;
  hd_boogie_vars *guessed; /* open copies that a witness gives */
} binding;

static bool
bind_visit(void *context, hd_boogie_expr *e, bool in_old)
{
  (void) in_old;
  binding *b = context;
  hd_boogie_var *v = e->kind == HD_BOOGIE_VAR ? e->u.id.var : NULL;
  copy *c = v ? copy_of(b->r, v) : NULL;
  if (!c || c->state != COPY_OPEN || c->bound)
    return true;
  const tracked *t = &b->r->vars[c->owner - 1];
  if (b->r->q->second.blocks && t->guess != SIZE_MAX && c->number == t->middle)
  {
    c->bound = v;
    HD_BOOGIE_ADD(b->r->p, *b->guessed, v);
    return true;
  }
  c->bound = hd_boogie_copy_var(b->r->p, v, v->name);
  c->bound->kind = HD_BOOGIE_BOUND;
  HD_BOOGIE_ADD(b->r->p, *b->bound, c->bound);
  hd_boogie_subst_set(b->r->final, v, hd_boogie_use(b->r->p, c->bound));
  return true;
}

/* Given copies become what they stand for; a global that the path does not change is the same before and after. */
static void
name_given(relation *r)
{
  for (size_t i = 0; i < r->n_vars; i++)
  {
    const tracked *t = &r->vars[i];
    hd_boogie_expr *after = hd_boogie_use(r->p, t->var);
    hd_boogie_expr *before = t->in_frame && !r->q->enabled_only ? hd_boogie_old(r->p, after) : after;
    if ((t->in_frame || t->is_out) && !r->q->enabled_only)
      hd_boogie_subst_set(r->final, newest(t), after);
    if (t->in_frame || t->is_in)
      hd_boogie_subst_set(r->final, t->copies.items[0], before);
    if (t->in_frame && t->last == 0 && !r->q->enabled_only)
      HD_BOOGIE_ADD(r->p, r->conjuncts, hd_boogie_eq(r->p, before, after));
  }
}

/* E once for each choice of a guess for each of GUESSED from I on. */
static void
add_guesses(relation *r, const hd_boogie_vars *guessed, size_t i, hd_boogie_subst *choice, hd_boogie_expr *e,
            hd_boogie_exprs *out)
{
  if (i == guessed->n)
  {
    HD_BOOGIE_ADD(r->p, *out, hd_boogie_substitute(r->p, choice, e));
    return;
  }
  const copy *c = copy_of(r, guessed->items[i]);
  const hd_boogie_exprs *guesses = &r->q->guesses[r->vars[c->owner - 1].guess];
  for (size_t k = 0; k < guesses->n; k++)
  {
    hd_boogie_subst_set(choice, guessed->items[i], guesses->items[k]);
    add_guesses(r, guessed, i + 1, choice, e, out);
  }
}

static hd_boogie_expr *
make_formula(relation *r)
{
  hd_boogie_vars bound = {0}, guessed = {0};
  binding b = {r, &bound, &guessed};
  for (size_t i = 0; i < r->conjuncts.n; i++)
    hd_boogie_walk_expr(r->conjuncts.items[i], bind_visit, &b);
  size_t n = r->conjuncts.n;
  name_given(r);
  for (size_t i = 0; i < n; i++)
    r->conjuncts.items[i] = hd_boogie_substitute(r->p, r->final, r->conjuncts.items[i]);

  hd_boogie_expr *e = hd_boogie_and(r->p, &r->conjuncts);
  if (guessed.n)
  {
    hd_boogie_subst *choice = hd_boogie_subst_new();
    hd_boogie_exprs all = {0};
    add_guesses(r, &guessed, 0, choice, e, &all);
    hd_boogie_subst_free(choice);
    e = hd_boogie_or(r->p, &all);
  }
  return bound.n ? hd_boogie_quantify(r->p, HD_BOOGIE_EXISTS, &bound, NULL, e) : e;
}

hd_boogie_expr *
hd_civl_relation_path(relation *r)
{
  r->too_large |= r->n_path > RELATION_BLOCKS;
  if (r->too_large)
    return NULL;
  read_path(r);
  set_states(r);
  for (round round = ROUND_GIVEN; round < ROUNDS; round++)
  {
    set_allowed(r, round);
    eliminate(r);
  }
  if (r->too_large)
    return NULL;
  make_conjuncts(r);
  return make_formula(r);
}
