/* prove.c: that the wake-ups of a queue are enough, for any number of threads.
 *
 * The properties of a protocol (protocol.c) are chosen so that together they are kept by every step: the wait bit is
 * set only where no guard holds, and a sleeper is covered by the bit or by somebody who is awake. So it is tried first
 * whether all of them follow from themselves in one step. Only if they do not, each is proved by a search backwards. */
#include <string.h>

#include "generate/plan.h"
#include "symbolic/symbolic.h"

enum
{
  OPERATIONS = 50000000, /* of isl, for one step */
  SECONDS = 20
};

typedef struct proving
{
  const hd_generate_plan *p;
  size_t queue;
  const hd_controller *c; /* the protocol */
  hd_symbolic_system *s;
} proving;

/* ---- what is known of the controller, said of its protocol ---- */

/* LINEAR of the controller in the protocol: the threads of a state are also those that wait there. The protocol has the
 * controller's constants, variables and states first, then its own. */
static hd_control_linear
lift_linear(const proving *x, hd_arena *arena, const hd_control_linear *linear)
{
  const hd_controller *old = x->p->c, *new = x->c;
  const size_t first = hd_control_counter_dimension(old, 0);
  hd_control_term *terms = hd_arena_alloc(arena, (new->nstates + linear->n + 1) * sizeof *terms);
  hd_control_linear out = {linear->constant, 0, terms};
  for (size_t i = 0; i < linear->n; i++)
  {
    hd_control_term t = linear->terms[i];
    if (t.dimension < first)
    {
      terms[out.n++] = t;
      continue;
    }
    const size_t state = t.dimension - first;
    terms[out.n++] = (hd_control_term){(uint32_t) hd_control_counter_dimension(new, state), t.factor};
    size_t own = old->nstates;
    for (size_t r = 0; r < state; r++)
      own += hd_generate_protocol_kinds(x->p, x->queue, r);
    const size_t kinds = hd_generate_protocol_kinds(x->p, x->queue, state);
    for (size_t k = 0; k < kinds; k++)
      terms[out.n++] = (hd_control_term){(uint32_t) hd_control_counter_dimension(new, own + k), t.factor};
  }
  return out;
}

/* What is unreachable for the controller, in the protocol. It is unreachable there too: a step of the protocol changes
 * the controller's variables and the numbers of threads, those who wait included, as a step of the controller does, or
 * not at all. */
static isl_set *
lift_unreachable(const proving *x)
{
  hd_arena *arena = hd_arena_new();
  isl_set *all = hd_symbolic_nothing(x->s);
  for (size_t i = 0; i < x->p->unreachable.n; i++)
  {
    const hd_control_conjunction *k = &x->p->unreachable.conjunctions[i];
    hd_control_atom *atoms = hd_arena_alloc(arena, (k->n + 1) * sizeof *atoms);
    for (size_t j = 0; j < k->n; j++)
      atoms[j] = (hd_control_atom){k->atoms[j].relation, lift_linear(x, arena, &k->atoms[j].linear)};
    hd_control_conjunction lifted = {k->n, atoms};
    all = isl_set_union(all, hd_symbolic_set(x->s, &(hd_control_set){1, &lifted}));
  }
  hd_arena_free(arena);
  return all;
}

/* The wait bit is set, a guard holds, and nobody is the keeper. */
static isl_set *
marked_and_open(const proving *x)
{
  const hd_control_action *a = &x->c->actions[x->p->queues[x->queue].action];
  isl_set *open = hd_symbolic_nothing(x->s);
  for (size_t i = 0; i < a->ncommands; i++)
    open = isl_set_union(open, hd_symbolic_set(x->s, &a->commands[i].guard));
  const unsigned own = (unsigned) x->p->c->nvariables; /* waits, asleep, owed, kept */
  if (x->p->queues[x->queue].rule != HD_GENERATE_ALL)
    open = isl_set_upper_bound_si(open, isl_dim_set, own + 3, 0);
  return isl_set_lower_bound_si(open, isl_dim_set, own, 1);
}

/* ---- one step ---- */

static bool
is_empty(const proving *x, __isl_take isl_set *set)
{
  isl_bool empty = isl_set_is_empty(set);
  isl_set_free(set);
  return empty == isl_bool_true && !hd_symbolic_over(x->s);
}

/* No start is in BAD, and no step leads into it from outside, except from what is UNREACHABLE. */
static bool
is_avoided(const proving *x, __isl_keep isl_set *unreachable, __isl_take isl_set *bad)
{
  hd_symbolic_allow(x->s, OPERATIONS);
  bad = isl_set_intersect(bad, isl_set_copy(x->s->inside));
  bool avoided = is_empty(x, isl_set_intersect(isl_set_copy(x->s->start), isl_set_copy(bad)));
  for (size_t i = 0; i < x->s->nsteps && avoided; i++)
  {
    hd_symbolic_allow(x->s, OPERATIONS);
    isl_set *before = hd_symbolic_before(x->s, &x->s->steps[i], bad);
    before = hd_symbolic_tidy(x->s, isl_set_subtract(hd_symbolic_tidy(x->s, before), isl_set_copy(bad)));
    avoided = is_empty(x, isl_set_subtract(before, isl_set_copy(unreachable)));
  }
  isl_set_free(bad);
  return avoided;
}

/* The wait bit may stay when the last thread that waited has given up. Mostly this cannot be, and then it is simpler
 * that the bit is never set where a guard holds; else that is so as long as somebody is there. */
static bool
prove(const proving *x)
{
  isl_set *unreachable = lift_unreachable(x), *bad = hd_symbolic_nothing(x->s);
  size_t lemmas = x->c->nspecs - HD_GENERATE_OWN_SPECS;
  for (size_t i = lemmas; i < x->c->nspecs; i++)
  {
    isl_set *fails = NULL;
    hd_generate_fails(x->s, x->c->specs[i].formula->left, &fails);
    bad = isl_set_union(bad, fails);
  }
  bool proved = is_avoided(x, unreachable, isl_set_copy(bad))
                || is_avoided(x, unreachable, isl_set_union(isl_set_copy(bad), marked_and_open(x)));
  isl_set_free(bad);
  isl_set_free(unreachable);
  if (proved)
    return true;
  isl_set *invariant = isl_set_copy(x->s->inside);
  double end = hd_symbolic_now() + SECONDS;
  for (size_t i = 0; i < x->c->nspecs && hd_symbolic_now() < end; i++)
  {
    isl_set *fails = NULL;
    hd_generate_fails(x->s, x->c->specs[i].formula->left, &fails);
    proved = hd_generate_exclude(x->s, &invariant, fails) && i + 1 == x->c->nspecs; /* awake is the last one */
  }
  isl_set_free(invariant);
  return proved;
}

hd_verdict
hd_generate_prove_queue(const hd_generate_plan *p, size_t queue, hd_string *text)
{
  hd_string protocol = {0}, messages = {0}, path = {0};
  hd_generate_protocol(&protocol, p, queue);
  hd_string_printf(&path, "%s_%s.h", p->c->name, p->c->actions[p->queues[queue].action].name);
  hd_controller *c = hd_control_parse(path.text, protocol.text, protocol.length, &messages);
  hd_verdict verdict = HD_INCOMPLETE;
  if (c)
  {
    hd_arena *arena = hd_arena_new();
    proving x = {p, queue, c, hd_symbolic_system_new(arena, c, 0, UINT64_MAX, NULL, 0)};
    hd_symbolic_allow(x.s, OPERATIONS);
    hd_symbolic_find_equalities(x.s);
    if (prove(&x))
      verdict = HD_HOLDS;
    hd_symbolic_system_free(x.s);
    hd_arena_free(arena);
  }
  if (c && verdict != HD_HOLDS && text)
  {
    hd_control_options options = {.least_threads = 0, .most_threads = UINT64_MAX};
    hd_control_result *r = hd_symbolic_verify(c, &options, &messages);
    if (r && r->answers[c->nspecs - 1].verdict == HD_VIOLATED)
      verdict = HD_VIOLATED;
    if (r)
      hd_control_result_text(text, c, r, false);
    hd_control_result_free(r);
  }
  if (!c && text)
    hd_string_add(text, messages.text);
  hd_control_free(c);
  hd_string_free(&protocol);
  hd_string_free(&messages);
  hd_string_free(&path);
  return verdict;
}
