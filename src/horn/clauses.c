/* clauses.c: properties as constrained Horn clauses, in the form of the logic HORN of SMT-LIB.
 *
 * A formula is asked for in the states of a body, which is at first the start. It is taken apart from the outside: an
 * implication makes the body smaller, AX goes to the relation of the states one step later, AG to that of all states
 * that can be reached, and what is bad when a predicate is met must not exist. This takes a path to one violation with
 * it. A disjunction of two temporal formulas needs a violation of both from the same state; the first is then described
 * by a relation of its own, of the states in which it fails.
 *
 * The clauses have a solution if the relations can be chosen such that all of them are true, that is, if no bad state
 * is in the smallest ones. */
#include "horn/clauses.h"

typedef struct writer
{
  const hd_horn_model *m;
  hd_string *out;
  hd_string binders, state, equal; /* of every clause; known of every state */
  unsigned relations;
} writer;

static void
begin(writer *w, hd_string *out, const hd_horn_model *m)
{
  *w = (writer){.m = m, .out = out};
  hd_horn_binders(&w->binders, m);
  hd_horn_state(&w->state, m);
  hd_horn_equal(&w->equal, m);
  hd_string_add(out, "(set-logic HORN)\n");
}

static void
end(writer *w)
{
  hd_string_add(w->out, "(check-sat)\n");
  hd_string_free(&w->binders);
  hd_string_free(&w->state);
  hd_string_free(&w->equal);
}

/* A new relation over states; its number. */
static unsigned
declare(writer *w)
{
  unsigned n = w->relations++;
  hd_string_printf(w->out, "(declare-fun relation.%u (", n);
  for (size_t i = 0; i < hd_control_rigid_dimension(w->m->c, 0) + w->m->nrigid; i++)
    hd_string_add(w->out, " Int");
  hd_string_add(w->out, ") Bool)\n");
  return n;
}

static void
add_member(hd_string *out, unsigned relation, const char *state)
{
  hd_string_printf(out, " (relation.%u%s)", relation, state);
}

/* BODY implies HEAD, in every state. */
static void
add_clause(writer *w, const char *body, const char *head)
{
  hd_string_printf(w->out, "(assert (forall (%s) (=> (and true%s)%s)))\n", w->binders.text, body, head);
}

/* ---- clauses for all steps ---- */

typedef struct stepping
{
  writer *w;
  const char *body;  /* before the step */
  unsigned from, to; /* relations */
  bool back;         /* FROM has the state after the step, TO the one before it; else TO has the one after it */
} stepping;

static void
add_step(void *context, const hd_horn_step *step)
{
  const stepping *x = context;
  writer *w = x->w;
  hd_string after = {0}, body = {0}, head = {0};
  hd_horn_after(&after, w->m, step);
  hd_string_add(&body, x->body);
  hd_string_add(&body, w->equal.text);
  hd_horn_guard(&body, w->m, step);
  if (x->back)
    add_member(&body, x->from, after.text);
  add_member(&head, x->to, x->back ? w->state.text : after.text);
  add_clause(w, body.text, head.text);
  hd_string_free(&after);
  hd_string_free(&body);
  hd_string_free(&head);
}

/* Every step from the states of BODY leads into relation TO. */
static void
add_steps(writer *w, const char *body, unsigned to)
{
  hd_horn_each_step(w->m->c, add_step, &(stepping){.w = w, .body = body, .to = to});
}

/* Every step into relation FROM comes from relation TO. */
static void
add_steps_back(writer *w, unsigned from, unsigned to)
{
  hd_horn_each_step(w->m->c, add_step, &(stepping){.w = w, .body = "", .from = from, .to = to, .back = true});
}

/* ---- where a formula fails ---- */

static void
add_inclusion(writer *w, const char *body, unsigned relation)
{
  hd_string head = {0};
  add_member(&head, relation, w->state.text);
  add_clause(w, body, head.text);
  hd_string_free(&head);
}

/* A relation that has every state in which F fails, and as its smallest solution those alone. */
static unsigned
fails(writer *w, const hd_control_formula *f)
{
  unsigned left = f->left && f->kind != HD_CONTROL_IMPLIES ? fails(w, f->left) : 0;
  unsigned right = f->right ? fails(w, f->right) : 0;
  unsigned own = declare(w);
  hd_string body = {0};
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    hd_horn_set(&body, w->m->c, &f->fails);
    break;
  case HD_CONTROL_AND:
    add_member(&body, left, w->state.text);
    add_inclusion(w, body.text, own);
    hd_string_clear(&body);
    add_member(&body, right, w->state.text);
    break;
  case HD_CONTROL_OR:
    add_member(&body, left, w->state.text);
    add_member(&body, right, w->state.text);
    break;
  case HD_CONTROL_IMPLIES:
    hd_horn_set(&body, w->m->c, &f->left->holds);
    add_member(&body, right, w->state.text);
    break;
  case HD_CONTROL_AX:
    add_steps_back(w, left, own);
    break;
  case HD_CONTROL_AG:
    add_steps_back(w, own, own);
    add_member(&body, left, w->state.text);
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    HD_CHECK(!"AF and AU are no questions for Horn clauses");
  }
  if (body.length)
    add_inclusion(w, body.text, own);
  hd_string_free(&body);
  return own;
}

/* ---- where it must not ---- */

/* F must hold in all states of BODY. */
static void
demand(writer *w, const char *body, const hd_control_formula *f)
{
  hd_string next = {0};
  unsigned relation;
  hd_string_add(&next, body);
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    hd_horn_set(&next, w->m->c, &f->fails);
    add_clause(w, next.text, " false");
    break;
  case HD_CONTROL_AND:
    demand(w, body, f->left);
    demand(w, body, f->right);
    break;
  case HD_CONTROL_IMPLIES:
    hd_horn_set(&next, w->m->c, &f->left->holds);
    demand(w, next.text, f->right);
    break;
  case HD_CONTROL_OR:
  {
    bool swap = f->left->kind != HD_CONTROL_PREDICATE && f->right->kind == HD_CONTROL_PREDICATE;
    const hd_control_formula *one = swap ? f->right : f->left, *other = swap ? f->left : f->right;
    if (one->kind == HD_CONTROL_PREDICATE)
      hd_horn_set(&next, w->m->c, &one->fails);
    else
      add_member(&next, fails(w, one), w->state.text);
    demand(w, next.text, other);
    break;
  }
  case HD_CONTROL_AX:
  case HD_CONTROL_AG:
    relation = declare(w);
    if (f->kind == HD_CONTROL_AX)
      add_steps(w, body, relation);
    else
      add_inclusion(w, body, relation);
    hd_string_clear(&next);
    add_member(&next, relation, w->state.text);
    if (f->kind == HD_CONTROL_AG)
      add_steps(w, next.text, relation);
    hd_string_add(&next, w->equal.text);
    demand(w, next.text, f->left);
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    HD_CHECK(!"AF and AU are no questions for Horn clauses");
  }
  hd_string_free(&next);
}

const char *
hd_horn_obstacle(const hd_control_formula *f)
{
  if (!f)
    return NULL;
  if (f->kind == HD_CONTROL_AF || f->kind == HD_CONTROL_AU)
    return "it is not a safety property";
  const char *left = hd_horn_obstacle(f->left);
  return left ? left : hd_horn_obstacle(f->right);
}

void
hd_horn_property(hd_string *out, const hd_horn_model *m, const hd_control_formula *f)
{
  writer w;
  hd_string body = {0};
  begin(&w, out, m);
  hd_horn_start(&body, m);
  demand(&w, body.text, f);
  end(&w);
  hd_string_free(&body);
}

void
hd_horn_no_deadlock(hd_string *out, const hd_horn_model *m)
{
  writer w;
  hd_string body = {0};
  begin(&w, out, m);
  hd_horn_start(&body, m);
  unsigned reached = declare(&w);
  add_inclusion(&w, body.text, reached);
  hd_string_clear(&body);
  add_member(&body, reached, w.state.text);
  add_steps(&w, body.text, reached);
  hd_string_add(&body, w.equal.text);
  hd_horn_deadlock(&body, m);
  add_clause(&w, body.text, " false");
  end(&w);
  hd_string_free(&body);
}

/* ---- the equalities ---- */

typedef struct keeping
{
  const hd_horn_model *m;
  hd_string *out;
} keeping;

/* STEP is taken, and they do not hold after it. */
static void
add_breaking(void *context, const hd_horn_step *step)
{
  keeping *x = context;
  hd_string_add(x->out, "\n (and");
  hd_horn_guard(x->out, x->m, step);
  hd_string_add(x->out, " (not (state.equal");
  hd_horn_after(x->out, x->m, step);
  hd_string_add(x->out, ")))");
}

void
hd_horn_kept(hd_string *out, const hd_horn_model *m)
{
  hd_string state = {0}, binders = {0};
  hd_horn_state(&state, m);
  hd_horn_binders(&binders, m);
  hd_string_printf(out, "(set-logic LIA)\n(define-fun state.equal (%s) Bool", binders.text);
  hd_horn_equal(out, m);
  hd_string_printf(out, ")\n(assert (exists (%s) (or (and", binders.text);
  hd_horn_start(out, m);
  hd_string_printf(out, " (not (state.equal%s))) (and", state.text);
  hd_horn_domain(out, m);
  hd_string_printf(out, " (state.equal%s) (or false", state.text);
  hd_horn_each_step(m->c, add_breaking, &(keeping){m, out});
  hd_string_add(out, ")))))\n(check-sat)\n");
  hd_string_free(&state);
  hd_string_free(&binders);
}
