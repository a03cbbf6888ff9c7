/* Transition relations: on random small actions over small domains the formula is true for exactly those states that
 * running the action gives, every choice of a havoc tried.
 *
 * HEDDLE_RELATION_CASES=n   how many random programs (default 500)
 * HEDDLE_RELATION_SEED=n    only this one, with its text and its formula */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "civl/programs.h"
#include "civl/relation.h"

/* ---- values: numbers from 0 to 2, truth values, and maps from such numbers to such numbers as digits to base 3 ----
 */

enum
{
  NUMBERS = 3,
  MAPS = 27,
  PROGRAM_VARS = 64, /* ids of a program's own variables are below */
  MOST_VARS = 8192   /* and of bound variables in formulas */
};

static const int power[NUMBERS] = {1, 3, 9};

static int
count_of(const hd_boogie_type *t)
{
  switch (hd_boogie_expand(t)->kind)
  {
  case HD_BOOGIE_BOOL:
    return 2;
  case HD_BOOGIE_INT:
    return NUMBERS;
  default:
    return MAPS;
  }
}

typedef struct env
{
  int8_t now[MOST_VARS], old[MOST_VARS]; /* by id */
} env;

static int evaluate(env *v, const hd_boogie_expr *e, bool in_old);

static int
exists(env *v, const hd_boogie_expr *e, size_t i, bool in_old)
{
  const hd_boogie_vars *bound = &e->u.binder->bound;
  if (i == bound->n)
    return evaluate(v, e->args.items[0], in_old);
  const hd_boogie_var *b = bound->items[i];
  assert_true(b->id < MOST_VARS);
  for (int k = 0; k < count_of(b->type); k++)
  {
    v->now[b->id] = v->old[b->id] = (int8_t) k;
    if (exists(v, e, i + 1, in_old))
      return 1;
  }
  return 0;
}

static int
evaluate(env *v, const hd_boogie_expr *e, bool in_old)
{
  hd_boogie_expr *const *a = e->args.items;
  int x, y;
  switch (e->kind)
  {
  case HD_BOOGIE_LIT_BOOL:
    return e->u.truth;
  case HD_BOOGIE_LIT_INT:
    return atoi(e->u.lit.text);
  case HD_BOOGIE_VAR:
    assert_true(e->u.id.var->id < MOST_VARS);
    return in_old && e->u.id.var->kind == HD_BOOGIE_GLOBAL ? v->old[e->u.id.var->id] : v->now[e->u.id.var->id];
  case HD_BOOGIE_OLD:
    return evaluate(v, a[0], true);
  case HD_BOOGIE_NOT:
    return !evaluate(v, a[0], in_old);
  case HD_BOOGIE_AND:
    return evaluate(v, a[0], in_old) && evaluate(v, a[1], in_old);
  case HD_BOOGIE_OR:
    return evaluate(v, a[0], in_old) || evaluate(v, a[1], in_old);
  case HD_BOOGIE_IMPLIES:
    return !evaluate(v, a[0], in_old) || evaluate(v, a[1], in_old);
  case HD_BOOGIE_EQ:
  case HD_BOOGIE_IFF:
    return evaluate(v, a[0], in_old) == evaluate(v, a[1], in_old);
  case HD_BOOGIE_NEQ:
    return evaluate(v, a[0], in_old) != evaluate(v, a[1], in_old);
  case HD_BOOGIE_LT:
    return evaluate(v, a[0], in_old) < evaluate(v, a[1], in_old);
  case HD_BOOGIE_LE:
    return evaluate(v, a[0], in_old) <= evaluate(v, a[1], in_old);
  case HD_BOOGIE_GE:
    return evaluate(v, a[0], in_old) >= evaluate(v, a[1], in_old);
  case HD_BOOGIE_ITE:
    return evaluate(v, a[evaluate(v, a[0], in_old) ? 1 : 2], in_old);
  case HD_BOOGIE_SELECT:
    return evaluate(v, a[0], in_old) / power[evaluate(v, a[1], in_old)] % NUMBERS;
  case HD_BOOGIE_STORE:
    x = evaluate(v, a[0], in_old);
    y = evaluate(v, a[1], in_old);
    return x + (evaluate(v, a[2], in_old) - x / power[y] % NUMBERS) * power[y];
  case HD_BOOGIE_EXISTS:
    return exists(v, e, 0, in_old);
  default:
    fail_msg("no evaluation of an expression of kind %d", (int) e->kind);
    return 0;
  }
}

/* ---- running an action directly ---- */

typedef struct run
{
  const hd_boogie_program *p;
  const hd_boogie_impl *impl[2]; /* the second may be null */
  const hd_boogie_vars *shown;   /* variables whose values at the end are the result */
  uint8_t *results;
} run;

static size_t
result_of(const hd_boogie_vars *shown, const env *v)
{
  size_t n = 0;
  for (size_t i = 0; i < shown->n; i++)
    n = n * (size_t) count_of(shown->items[i]->type) + (size_t) v->now[shown->items[i]->id];
  return n;
}

static void run_from(const run *r, size_t which, const hd_boogie_block *b, size_t at, env *v);

/* Every value for TARGETS from I on. BACKWARD: only if what the targets were is what the values then are. */
static void
choose(const run *r, size_t which, const hd_boogie_block *b, size_t at, env *v, const hd_boogie_cmd *cmd, size_t i,
       const int *before)
{
  if (i == cmd->targets.n)
  {
    for (size_t k = 0; before && k < cmd->targets.n; k++)
      if (evaluate(v, cmd->values.items[k], false) != before[k])
        return;
    run_from(r, which, b, at + 1, v);
    return;
  }
  const hd_boogie_var *t = cmd->targets.items[i]->u.id.var;
  int8_t was = v->now[t->id];
  for (int k = 0; k < count_of(t->type); k++)
  {
    v->now[t->id] = (int8_t) k;
    choose(r, which, b, at, v, cmd, i + 1, before);
  }
  v->now[t->id] = was;
}

static void
start(const run *r, size_t which, env *v)
{
  int8_t was[PROGRAM_VARS];
  memcpy(was, v->old, sizeof was);
  memcpy(v->old, v->now, sizeof was);
  run_from(r, which, r->impl[which]->blocks.items[0], 0, v);
  memcpy(v->old, was, sizeof was);
}

static void
run_assign(const run *r, size_t which, const hd_boogie_block *b, size_t at, env *v, hd_boogie_cmd *cmd)
{
  const hd_boogie_cmd *plain = hd_boogie_assign_plain((hd_boogie_program *) r->p, cmd);
  int values[8], before[8];
  for (size_t i = 0; i < plain->targets.n; i++)
  {
    values[i] = evaluate(v, plain->values.items[i], false);
    before[i] = v->now[plain->targets.items[i]->u.id.var->id];
  }
  if (hd_boogie_attr_flag(cmd->attrs, "backward"))
  {
    choose(r, which, b, at, v, plain, 0, before);
    return;
  }
  for (size_t i = 0; i < plain->targets.n; i++)
    v->now[plain->targets.items[i]->u.id.var->id] = (int8_t) values[i];
  run_from(r, which, b, at + 1, v);
  for (size_t i = 0; i < plain->targets.n; i++)
    v->now[plain->targets.items[i]->u.id.var->id] = (int8_t) before[i];
}

static void
run_from(const run *r, size_t which, const hd_boogie_block *b, size_t at, env *v)
{
  if (at < b->cmds.n)
  {
    hd_boogie_cmd *cmd = b->cmds.items[at];
    if (cmd->kind == HD_BOOGIE_ASSIGN)
      run_assign(r, which, b, at, v, cmd);
    else if (cmd->kind == HD_BOOGIE_HAVOC)
      choose(r, which, b, at, v, cmd, 0, NULL);
    else if (evaluate(v, cmd->expr, false))
      run_from(r, which, b, at + 1, v);
  }
  else if (b->transfer.kind == HD_BOOGIE_GOTO)
    for (size_t i = 0; i < b->transfer.targets.n; i++)
      run_from(r, which, b->transfer.targets.items[i], 0, v);
  else if (which == 0 && r->impl[1])
    start(r, 1, v);
  else
    r->results[result_of(r->shown, v)] = 1;
}

/* Initial values of locals and outputs are any. */
static void
run_all(const run *r, const hd_boogie_vars *open, size_t i, env *v)
{
  if (i == open->n)
  {
    start(r, 0, v);
    return;
  }
  for (int k = 0; k < count_of(open->items[i]->type); k++)
  {
    v->now[open->items[i]->id] = (int8_t) k;
    run_all(r, open, i + 1, v);
  }
}

/* ---- random actions: i, j, k are numbers, b, c truth values, m, n maps ---- */

typedef struct text
{
  hd_string s;
  uint64_t random;
  const char *suffix; /* of parameters and locals */
} text;

static size_t
pick(text *t, size_t n)
{
  return (size_t) (hd_random(&t->random) % n);
}

/* g, b, m are globals; x is an input, y an output, l and k locals. */
static void
number(text *t, int depth)
{
  static const char *const globals[] = {"g", "h"}, *const locals[] = {"x", "y", "l"};
  switch (pick(t, depth > 0 ? 6 : 4))
  {
  case 0:
    hd_string_printf(&t->s, "%zu", pick(t, NUMBERS));
    break;
  case 1:
    hd_string_add(&t->s, globals[pick(t, 2)]);
    break;
  case 2:
    hd_string_printf(&t->s, "%s%s", locals[pick(t, 3)], t->suffix);
    break;
  case 3:
    hd_string_printf(&t->s, "old(%s)", globals[pick(t, 2)]);
    break;
  case 4:
    hd_string_add(&t->s, pick(t, 3) ? "m[" : "old(m)[");
    number(t, depth - 1);
    hd_string_add(&t->s, "]");
    break;
  default:
    hd_string_add(&t->s, "(if ");
    number(t, 0);
    hd_string_add(&t->s, " == ");
    number(t, 0);
    hd_string_add(&t->s, " then ");
    number(t, depth - 1);
    hd_string_add(&t->s, " else ");
    number(t, depth - 1);
    hd_string_add(&t->s, ")");
  }
}

static void
condition(text *t, int depth)
{
  static const char *const compare[] = {" == ", " != ", " < "};
  switch (pick(t, depth > 0 ? 5 : 2))
  {
  case 0:
    hd_string_add(&t->s, "b");
    break;
  case 1:
    number(t, 1);
    hd_string_add(&t->s, compare[pick(t, 3)]);
    number(t, 1);
    break;
  case 2:
    hd_string_add(&t->s, "!(");
    condition(t, depth - 1);
    hd_string_add(&t->s, ")");
    break;
  default:
    hd_string_add(&t->s, "(");
    condition(t, depth - 1);
    hd_string_add(&t->s, pick(t, 2) ? " && " : " || ");
    condition(t, depth - 1);
    hd_string_add(&t->s, ")");
  }
}

static void
target(text *t, size_t which)
{
  hd_string_printf(&t->s, which < 2 ? "%s" : "%s%s", ((const char *const[]){"g", "h", "y", "l"})[which], t->suffix);
}

static void statements(text *t, int depth);

static void
statement(text *t, int depth)
{
  size_t a = pick(t, 4), b = pick(t, 4);
  switch (pick(t, depth > 0 ? 11 : 8))
  {
  case 0:
  case 1:
  case 2:
    target(t, a);
    hd_string_add(&t->s, " := ");
    number(t, 2);
    break;
  case 3:
    hd_string_add(&t->s, "m[");
    number(t, 1);
    hd_string_add(&t->s, "] := ");
    number(t, 1);
    break;
  case 4:
    hd_string_add(&t->s, "havoc ");
    if (pick(t, 6))
      target(t, a);
    else
      hd_string_add(&t->s, "b");
    break;
  case 5:
    hd_string_add(&t->s, "assume ");
    condition(t, 2);
    break;
  case 6:
    if (a == b)
      b = (a + 1) % 4;
    target(t, a);
    hd_string_add(&t->s, ", ");
    target(t, b);
    hd_string_add(&t->s, " := ");
    number(t, 1);
    hd_string_add(&t->s, ", ");
    number(t, 1);
    break;
  case 7:
    target(t, a);
    hd_string_add(&t->s, " := {:backward} ");
    number(t, 1);
    break;
  default:
    hd_string_add(&t->s, "if (");
    if (pick(t, 3))
      condition(t, 1);
    else
      hd_string_add(&t->s, "*");
    hd_string_add(&t->s, ") {\n");
    statements(t, depth - 1);
    hd_string_add(&t->s, "} else {\n");
    statements(t, depth - 1);
    hd_string_add(&t->s, "}\n");
    return;
  }
  hd_string_add(&t->s, ";\n");
}

static void
statements(text *t, int depth)
{
  for (size_t n = pick(t, depth > 1 ? 5 : 3) + (depth > 1); n > 0; n--)
    statement(t, depth);
}

static void
procedure(text *t, const char *name, const char *suffix)
{
  t->suffix = suffix;
  hd_string_printf(&t->s, "procedure %s(x%s: int) returns (y%s: int)\nmodifies g, h, b, m;\n{\nvar l%s: int;\n", name,
                   suffix, suffix, suffix);
  statements(t, 2);
  hd_string_add(&t->s, "}\n");
}

/* ---- comparing ---- */

static void
add_all(hd_boogie_program *p, hd_boogie_vars *out, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    HD_BOOGIE_ADD(p, *out, vars->items[i]);
}

static void
complain(const hd_boogie_expr *e, const char *program, uint64_t seed, const char *what, size_t state)
{
  hd_string formula = {0};
  hd_boogie_print_expr(e, &formula);
  fail_msg("HEDDLE_RELATION_SEED=%llu: %s (result %zu):\n%s\nfrom\n%s", (unsigned long long) seed, what, state,
           formula.text, program);
}

/* Compare for the state before that V has: for each state after, whether E says what running says. Of those that no run
 * has only some, if they are many. */
static void
compare(const run *r, const relation_question *q, const hd_boogie_expr *e, const hd_boogie_vars *open, env *v,
        const char *program, uint64_t seed, uint64_t *random)
{
  size_t n = 1;
  for (size_t i = 0; i < r->shown->n; i++)
    n *= (size_t) count_of(r->shown->items[i]->type);
  memset(r->results, 0, n);
  run_all(r, open, 0, v);

  if (q->enabled_only)
  {
    bool some = memchr(r->results, 1, n) != NULL;
    if (evaluate(v, e, false) != some)
      complain(e, program, seed, some ? "has a run, the formula denies it" : "has no run, the formula claims one", 0);
    return;
  }
  memcpy(v->old, v->now, sizeof v->now);
  for (size_t k = 0; k < n; k++)
  {
    if (!r->results[k] && n > 300 && hd_random(random) % (n / 300))
      continue;
    size_t rest = k;
    for (size_t i = r->shown->n; i-- > 0;)
    {
      size_t count = (size_t) count_of(r->shown->items[i]->type);
      v->now[r->shown->items[i]->id] = (int8_t) (rest % count);
      rest /= count;
    }
    bool said = evaluate(v, e, false);
    if (said != r->results[k])
      complain(e, program, seed,
               said ? "the formula allows a result that no run has" : "the formula forbids a result of a run", k);
  }
}

/* MODE 0: one action; 1: two, one after the other; 2: whether one has a run. */
static void
check_random(uint64_t seed, bool show)
{
  text t = {.random = seed};
  int mode = (int) pick(&t, 3);
  hd_string_add(&t.s, "var g, h: int; var b: bool; var m: [int]int;\n");
  procedure(&t, "A", "");
  if (mode == 1)
    procedure(&t, "B", "2");
  hd_boogie_program *p = read_program(t.s.text, NULL);
  assert_true(p->n_vars < PROGRAM_VARS);
  hd_boogie_vars frame = {0}, shown = {0}, open = {0}, ins = {0};
  for (size_t i = 0; i < 4; i++)
    HD_BOOGIE_ADD(p, frame, hd_boogie_find_var(p, ((const char *const[]){"g", "h", "b", "m"})[i]));
  run r = {.p = p, .impl = {impl_named(p, "A"), mode == 1 ? impl_named(p, "B") : NULL}};
  add_all(p, &shown, &frame);
  for (size_t i = 0; i < 2 && r.impl[i]; i++)
  {
    add_all(p, &ins, &r.impl[i]->ins);
    add_all(p, &shown, &r.impl[i]->outs);
    add_all(p, &open, &r.impl[i]->outs);
    add_all(p, &open, &r.impl[i]->locals);
  }
  r.shown = &shown;
  relation_question q = {.first = code_of(r.impl[0]), .frame = &frame, .enabled_only = mode == 2};
  if (mode == 1)
    q.second = code_of(r.impl[1]);
  hd_boogie_expr *e = hd_civl_relation(p, &q);
  assert_non_null(e);
  if (show)
  {
    hd_string formula = {0};
    hd_boogie_print_expr(e, &formula);
    print_message("%s\n%s\n", t.s.text, formula.text);
    hd_string_free(&formula);
  }

  r.results = malloc(NUMBERS * NUMBERS * 2 * MAPS * NUMBERS * NUMBERS);
  env *v = calloc(1, sizeof *v);
  for (size_t i = 0; i < 2; i++)
  {
    for (size_t k = 0; k < frame.n; k++)
      v->now[frame.items[k]->id] = (int8_t) pick(&t, (size_t) count_of(frame.items[k]->type));
    for (size_t k = 0; k < ins.n; k++)
      v->now[ins.items[k]->id] = (int8_t) pick(&t, NUMBERS);
    compare(&r, &q, e, &open, v, t.s.text, seed, &t.random);
  }
  free(v);
  free(r.results);
  hd_boogie_program_free(p);
  hd_string_free(&t.s);
}

static void
test_random(void **state)
{
  (void) state;
  const char *seed = getenv("HEDDLE_RELATION_SEED"), *cases = getenv("HEDDLE_RELATION_CASES");
  if (seed)
  {
    check_random(strtoull(seed, NULL, 10), true);
    return;
  }
  for (uint64_t i = 0; i < (cases ? strtoull(cases, NULL, 10) : 500); i++)
    check_random(i, false);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
