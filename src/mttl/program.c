/* program.c: short ways from a change to the judgement, for as long as a thread hears nothing new of others.
 *
 * Programs: parts of properties as a list of tests. It is settled which threads a quantifier ranges over and where in
 * memory all values are that a condition asks for. So each comparison becomes a test of two addresses, and what decides
 * after it is the number of the next one: there is nothing left of the connectives, the quantifiers and the search for
 * who is asked.
 *
 * Conditions of other kinds, and such as would become too long, are left to hd_mttl_truth.
 *
 * Plans: what follows from a new value of a variable of the thread, where that is nothing but copying it to what the
 * thread passes on, and programs. If these compare the variable with nothing but what stays as it is while the plan is
 * valid, then each comparison comes out the same for all numbers on the same side; so where all was true for one number
 * it is known for a range of them, and the next numbers are mostly in it. */
#include <stdlib.h>

#include "mttl/monitor.h"

enum
{
  LONG = 1024 /* tests of one part */
};

typedef struct maker
{
  const hd_mttl_thread *t;
  hd_mttl_program *p;
  uint32_t slots[HD_MTTL_SLOTS];
  bool possible;
} maker;

static const hd_mttl_value none = {.type = HD_MTTL_BOOL, .number = 0};

/* Where the value of N is. SHARED: the bit that says that it is a tracked variable. */
static hd_mttl_operand
operand(maker *k, const hd_mttl_node *n, uint8_t *shared, uint8_t bit)
{
  const hd_mttl_thread *t = k->t;
  switch (n->kind)
  {
  case HD_MTTL_CONST:
    return (hd_mttl_operand){.at = &n->value};
  case HD_MTTL_LOCAL_VALUE:
    return (hd_mttl_operand){.at = &t->locals[n->index]};
  case HD_MTTL_SHARED_VALUE:
    *shared |= bit;
    return (hd_mttl_operand){.shared = t->m->shared_of[n->index]};
  case HD_MTTL_REMOTE:
  case HD_MTTL_TEMPORAL:
    return (hd_mttl_operand){.at = hd_mttl_kept(t->m, t, n, k->slots)};
  default:
    k->possible = false;
    return (hd_mttl_operand){.at = &none};
  }
}

/* The test of A, and of B if there is one: its number. */
static uint16_t
add(maker *k, hd_mttl_kind kind, const hd_mttl_node *a, const hd_mttl_node *b, uint16_t yes, uint16_t no)
{
  static const uint8_t masks[] = {[HD_MTTL_NOT] = 0,
                                  [HD_MTTL_EQ] = HD_MTTL_EQUAL,
                                  [HD_MTTL_NE] = HD_MTTL_LESS | HD_MTTL_MORE,
                                  [HD_MTTL_LT] = HD_MTTL_LESS,
                                  [HD_MTTL_LE] = HD_MTTL_LESS | HD_MTTL_EQUAL,
                                  [HD_MTTL_GT] = HD_MTTL_MORE,
                                  [HD_MTTL_GE] = HD_MTTL_MORE | HD_MTTL_EQUAL};
  hd_mttl_test test = {.yes = yes, .no = no, .kind = (uint8_t) kind, .mask = masks[kind]};
  test.a = operand(k, a, &test.shared, HD_MTTL_SHARED_A);
  test.b = b ? operand(k, b, &test.shared, HD_MTTL_SHARED_B) : (hd_mttl_operand){.at = &none};
  if (k->p->n == LONG)
    k->possible = false;
  if (!k->possible)
    return HD_MTTL_NO;
  HD_PUSH(k->p->tests, k->p->n, k->p->cap, test);
  return (uint16_t) (k->p->n - 1);
}

/* The first test of N, which goes on at YES if N is true, else at NO. */
static uint16_t
make(maker *k, const hd_mttl_node *n, uint16_t yes, uint16_t no)
{
  if (!k->possible)
    return no;
  switch (n->kind)
  {
  case HD_MTTL_NOT:
    return make(k, n->a, no, yes);
  case HD_MTTL_AND:
    return make(k, n->a, make(k, n->b, yes, no), no);
  case HD_MTTL_OR:
    return make(k, n->a, yes, make(k, n->b, yes, no));
  case HD_MTTL_IMPLIES:
    return make(k, n->a, make(k, n->b, yes, no), yes);
  case HD_MTTL_FORALL:
  case HD_MTTL_EXISTS:
  {
    bool forall = n->kind == HD_MTTL_FORALL;
    uint32_t except = hd_mttl_thread_of(k->t->m, n->tid, k->slots), before = k->slots[n->index];
    uint16_t next = forall ? yes : no;
    for (uint32_t who = k->t->k->nthreads; who > 0; who--) /* the last one first, as each needs the next */
    {
      if (who == except || !hd_mttl_entry_of(k->t->k, who - 1))
        continue;
      k->slots[n->index] = who;
      next = forall ? make(k, n->a, next, no) : make(k, n->a, yes, next);
    }
    k->slots[n->index] = before;
    return next;
  }
  case HD_MTTL_EQ:
  case HD_MTTL_NE:
  case HD_MTTL_LT:
  case HD_MTTL_LE:
  case HD_MTTL_GT:
  case HD_MTTL_GE:
    return add(k, n->kind, n->a, n->b, yes, no);
  case HD_MTTL_CONST:
  case HD_MTTL_LOCAL_VALUE:
  case HD_MTTL_SHARED_VALUE:
  case HD_MTTL_REMOTE:
  case HD_MTTL_TEMPORAL: /* a truth value: is it another one than false? */
    return add(k, HD_MTTL_NOT, n, NULL, yes, no);
  default:
    k->possible = false;
    return no;
  }
}

void
hd_mttl_program_make(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  size_t n = m->first_part[m->f->ncells];
  if (!t->programs)
    t->programs = hd_alloc_zero(n * sizeof *t->programs + 1);
  t->planned++;
  for (size_t i = 0; i < n; i++)
  {
    hd_mttl_program *p = &t->programs[i];
    if (p->never)
      continue;
    maker k = {.t = t, .p = p, .possible = true};
    const hd_mttl_cell *cell = m->parts[i].cell;
    if (cell->self >= 0)
      k.slots[cell->self] = t->number + 1;
    p->n = 0;
    p->first = make(&k, m->parts[i].node, HD_MTTL_YES, HD_MTTL_NO);
    p->never = !k.possible;
  }
}

void
hd_mttl_program_free(hd_mttl_thread *t)
{
  for (size_t i = 0; t->programs && i < t->m->first_part[t->m->f->ncells]; i++)
    free(t->programs[i].tests);
  for (size_t i = 0; i < t->m->f->nvariables; i++)
  {
    free(t->plans[i].copies);
    free(t->plans[i].programs);
  }
  free(t->programs);
  free(t->plans);
}

/* ---- plans ---- */

/* Is the value at P that of the variable, which is at VALUE? */
static bool
is_source(const hd_mttl_plan *plan, const hd_mttl_value *value, const hd_mttl_value *p)
{
  for (uint32_t i = 0; i < plan->ncopies; i++)
    if (p == plan->copies[i])
      return true;
  return p == value;
}

/* Is the value at P another one of T's own, which may change? */
static bool
is_own(const hd_mttl_thread *t, const hd_mttl_value *p)
{
  const hd_mttl_file *f = t->m->f;
  bool own = p >= t->locals && p < t->locals + f->nvariables;
  for (size_t i = 0; i < f->ncells; i++)
  {
    size_t n = 1;
    for (uint32_t k = 0; k < f->cells[i].nparameters; k++)
      n *= t->radix;
    own = own || (p >= t->tables[i].now && p < t->tables[i].now + n);
  }
  return own;
}

static bool
is_alone(const hd_mttl_thread *t, const hd_mttl_plan *plan, uint32_t variable)
{
  const hd_mttl_value *value = &t->locals[variable];
  for (uint32_t i = 0; i < plan->nprograms; i++)
    for (size_t k = 0; k < plan->programs[i]->n; k++)
    {
      const hd_mttl_test *test = &plan->programs[i]->tests[k];
      if (test->shared || (!is_source(plan, value, test->a.at) && is_own(t, test->a.at))
          || (!is_source(plan, value, test->b.at) && is_own(t, test->b.at)))
        return false;
    }
  return true;
}

/* What hd_mttl_step would do, if it is nothing else than copying and testing. */
void
hd_mttl_plan_make(hd_mttl_thread *t, uint32_t variable)
{
  const hd_mttl_monitor *m = t->m;
  const hd_mttl_file *f = m->f;
  hd_mttl_plan *plan = &t->plans[variable];
  hd_mttl_changes changed = HD_MTTL_CHANGED_LOCAL(variable);
  plan->made = t->planned;
  plan->possible = true;
  plan->ncopies = plan->nprograms = 0;
  for (size_t i = 0; i < f->ncells; i++)
  {
    hd_mttl_shape shape = m->shapes[i];
    if (!(m->depends[i] & changed) && t->tables[i].settled)
      continue;
    if (m->source[i] == variable)
    {
      HD_PUSH(plan->copies, plan->ncopies, plan->copies_cap,
              &t->tables[i].now[shape == HD_MTTL_COPY_ITEM ? t->number + 1 : 0]);
      changed |= HD_MTTL_CHANGED_ITEMS;
    }
    else if (shape == HD_MTTL_COMPUTED && f->cells[i].role != HD_MTTL_TOP)
      plan->possible = false;
    for (size_t p = m->first_part[i]; p < m->first_part[i + 1]; p++)
    {
      if (!(m->parts[p].depends & changed))
        continue;
      if (t->programs[p].never)
        plan->possible = false;
      HD_PUSH(plan->programs, plan->nprograms, plan->programs_cap, &t->programs[p]);
    }
  }
  plan->alone = plan->possible
                && (f->variables[variable].type == HD_MTTL_INT || f->variables[variable].type == HD_MTTL_BOOL)
                && is_alone(t, plan, variable);
  plan->type = f->variables[variable].type;
  plan->swift = plan->alone && plan->ncopies && t->locals[variable].type == plan->type ? t->planned : 0;
  plan->oldest = 0;
  plan->ranges[0] = plan->ranges[1] = (hd_mttl_range){1, 0};
}

/* TEST compares NUMBER, which is the one side or the other, with the other one: *R shrinks to where the answer stays.
 */
static void
narrow(hd_mttl_range *r, const hd_mttl_value *number, const hd_mttl_value *other)
{
  bool ordered = number->type == HD_MTTL_INT && other->type == HD_MTTL_INT && number->number != other->number;
  if (!ordered)
    *r = (hd_mttl_range){number->number, number->number};
  else if (number->number < other->number && r->high >= other->number)
    r->high = other->number - 1;
  else if (number->number > other->number && r->low <= other->number)
    r->low = other->number + 1;
}

bool
hd_mttl_plan_run(const hd_mttl_thread *t, hd_mttl_plan *plan, uint32_t variable)
{
  const hd_mttl_value *value = &t->locals[variable];
  bool ranges = plan->alone && value->type == plan->type;
  hd_mttl_range r = {INT64_MIN, INT64_MAX};
  for (uint32_t i = 0; i < plan->nprograms; i++)
  {
    const hd_mttl_program *p = plan->programs[i];
    if (!hd_mttl_program_run(p, t->k->shared))
      return false;
    for (unsigned at = p->first; ranges && at < HD_MTTL_NO;)
    {
      const hd_mttl_test *test = &p->tests[at];
      const hd_mttl_value *a = test->a.at, *b = test->b.at;
      if (is_source(plan, value, a))
        narrow(&r, a, b);
      if (is_source(plan, value, b))
        narrow(&r, b, a);
      at = hd_mttl_test_run(test, a, b) ? test->yes : test->no;
    }
  }
  if (ranges)
  {
    plan->ranges[plan->oldest] = r;
    plan->oldest ^= 1;
  }
  return true;
}
