/* lower.c: from a syntax tree without mistakes to the model.
 *
 * An update is executed on symbols: every assignment replaces the variable's expression, and where a value depends on a
 * condition the way splits in two. What remains is, for each way, its condition and one map from the state before. */
#include <string.h>

#include "control/lower.h"

typedef struct lowering
{
  hd_controller *c;
  hd_control_builder b;
  const hd_control_linear *identity; /* every variable as itself */
  hd_control_messages *m;
} lowering;

/* Report what was too large since the last call, at PLACE. */
static void
report(lowering *l, hd_control_place place)
{
  if (l->b.trouble)
    hd_control_error(l->m, place, "%s; split it into simpler parts", l->b.trouble);
  l->b.trouble = NULL;
}

static const char *
text_of(lowering *l, const hd_control_expression *e)
{
  hd_string s = {0};
  hd_control_print_expression(&s, e);
  const char *text = hd_control_copy(l->b.arena, s.text, s.length);
  hd_string_free(&s);
  return text;
}

static hd_control_context
context(lowering *l, const hd_control_linear *map)
{
  return (hd_control_context){&l->b, l->c, map ? map : l->identity};
}

#define ARRAY(l, n, type)                                                                                              \
  ((type *) memset(hd_arena_alloc((l)->b.arena, ((n) + 1) * sizeof(type)), 0, ((n) + 1) * sizeof(type)))

/* ---- updates ---- */

typedef struct ways
{
  hd_control_case *items;
  size_t n;
} ways;

static void
add_way(lowering *l, ways *to, hd_control_set when, const hd_control_linear *map, uint32_t variable,
        hd_control_linear value)
{
  if (when.n == 0)
    return;
  if (to->n == HD_CONTROL_MOST_CASES)
  {
    l->b.trouble = l->b.trouble ? l->b.trouble : "this update has too many cases, more than 256";
    return;
  }
  hd_control_linear *copy = ARRAY(l, l->c->nvariables, hd_control_linear);
  memcpy(copy, map, l->c->nvariables * sizeof *copy);
  copy[variable] = value;
  to->items[to->n++] = (hd_control_case){when, copy};
}

/* Continue the way FROM with assignment A. */
static void
assign(lowering *l, ways *to, const hd_control_case *from, const hd_control_assignment *a)
{
  hd_control_context x = context(l, from->map);
  uint32_t v = a->symbol.index;
  if (a->symbol.type == TYPE_BOOL)
  {
    hd_control_linear bit;
    if (hd_control_lower_bit(&x, a->value, &bit))
    {
      add_way(l, to, from->when, from->map, v, bit);
      return;
    }
    for (int64_t value = 1; value >= 0; value--)
    {
      hd_control_set when = hd_control_lower_condition(&x, a->value, value);
      when = hd_control_and(&l->b, &from->when, &when);
      add_way(l, to, when, from->map, v, hd_control_number(value));
    }
    return;
  }
  hd_control_choices choices = hd_control_lower_number(&x, a->value);
  for (size_t i = 0; i < choices.n; i++)
  {
    hd_control_linear value = choices.items[i].value;
    if (a->op != '=')
      value = hd_control_combine(&l->b, 1, &from->map[v], a->op == '+' ? 1 : -1, &value);
    hd_control_set when = hd_control_and(&l->b, &from->when, &choices.items[i].when);
    add_way(l, to, when, from->map, v, value);
  }
}

static void
lower_update(lowering *l, const hd_control_guarded *g, hd_control_command *out)
{
  ways now = {ARRAY(l, 1, hd_control_case), 1};
  now.items[0] = (hd_control_case){hd_control_true(&l->b), l->identity};
  for (size_t i = 0; i < g->n && !l->b.trouble; i++)
  {
    ways next = {ARRAY(l, HD_CONTROL_MOST_CASES, hd_control_case), 0};
    for (size_t k = 0; k < now.n && !l->b.trouble; k++)
      assign(l, &next, &now.items[k], &g->assignments[i]);
    report(l, g->assignments[i].target.place);
    now = next;
  }
  out->ncases = now.n;
  out->cases = now.items;
}

static void
lower_action(lowering *l, const hd_control_declaration *d, hd_control_action *out)
{
  hd_control_command *commands = ARRAY(l, d->ncommands, hd_control_command);
  hd_control_context x = context(l, NULL);
  hd_control_set none = hd_control_true(&l->b); /* of the guards so far */
  for (size_t i = 0; i < d->ncommands; i++)
  {
    const hd_control_guarded *g = &d->commands[i];
    hd_control_command *k = &commands[i];
    k->place = g->place;
    k->guard_text = text_of(l, g->guard);
    k->guard = hd_control_lower_condition(&x, g->guard, true);
    k->not_guard = hd_control_lower_condition(&x, g->guard, false);
    k->first = hd_control_and(&l->b, &none, &k->guard);
    none = hd_control_and(&l->b, &none, &k->not_guard);
    report(l, g->place);
    lower_update(l, g, k);
  }
  *out = (hd_control_action){.name = d->name.text,
                             .place = d->name.place,
                             .blocking = d->kind == DECL_BLOCKING,
                             .ncommands = d->ncommands,
                             .commands = commands,
                             .none = none};
}

/* ---- properties ---- */

static bool
has_implies(const hd_control_expression *e)
{
  return e->kind == EXPR_IMPLIES
         || ((e->kind == EXPR_AND || e->kind == EXPR_OR) && (has_implies(e->a) || has_implies(e->b)));
}

static hd_control_formula *
new_formula(lowering *l, const hd_control_expression *e, uint32_t *nodes)
{
  hd_control_formula *f = ARRAY(l, 1, hd_control_formula);
  *f = (hd_control_formula){.place = e->start, .text = text_of(l, e), .number = (*nodes)++};
  return f;
}

static const hd_control_formula *
lower_predicate(lowering *l, const hd_control_expression *e, uint32_t *nodes)
{
  hd_control_formula *f = new_formula(l, e, nodes);
  hd_control_context x = context(l, NULL);
  f->kind = HD_CONTROL_PREDICATE;
  f->holds = hd_control_lower_condition(&x, e, true);
  f->fails = hd_control_lower_condition(&x, e, false);
  report(l, e->start);
  return f;
}

static const hd_control_formula *
lower_formula(lowering *l, const hd_control_expression *e, uint32_t *nodes)
{
  static const hd_control_operator kinds[]
      = {[EXPR_AND] = HD_CONTROL_AND, [EXPR_OR] = HD_CONTROL_OR, [EXPR_IMPLIES] = HD_CONTROL_IMPLIES,
         [EXPR_AX] = HD_CONTROL_AX,   [EXPR_AF] = HD_CONTROL_AF, [EXPR_AG] = HD_CONTROL_AG,
         [EXPR_AU] = HD_CONTROL_AU};
  /* IMPLIES remains as it stands, so that a left side that is never true can be reported. */
  if (e->type != TYPE_FORMULA && !has_implies(e))
    return lower_predicate(l, e, nodes);
  hd_control_formula *f = new_formula(l, e, nodes);
  f->kind = kinds[e->kind];
  f->left = e->kind == EXPR_IMPLIES ? lower_predicate(l, e->a, nodes) : lower_formula(l, e->a, nodes);
  if (e->b)
    f->right = lower_formula(l, e->b, nodes);
  return f;
}

static void
lower_spec(lowering *l, const hd_control_declaration *d, hd_control_spec *out, uint32_t *rigid)
{
  const hd_control_expression *e = d->expr;
  *out = (hd_control_spec){.name = d->name.text,
                           .place = d->name.place,
                           .text = text_of(l, e),
                           .fair = d->kind == DECL_SPEC_FAIR,
                           .first_rigid = *rigid};
  for (; e->kind == EXPR_RIGID; e = e->a)
    out->nrigid++;
  *rigid += out->nrigid;
  out->formula = lower_formula(l, e, &out->nodes);
}

/* ---- the whole ---- */

static uint32_t
index_of(const hd_control_names *names, name_space space, const char *name)
{
  for (size_t i = 0; i < names->n[space]; i++)
    if (strcmp(names->items[space][i].name, name) == 0)
      return names->items[space][i].index;
  HD_CHECK(!"name");
  return 0;
}

static void
lower_variable(lowering *l, const hd_control_declaration *d, hd_control_variable *out)
{
  const char **values = ARRAY(l, d->nnames, const char *);
  for (size_t i = 0; i < d->nnames; i++)
    values[i] = d->names[i].text;
  *out = (hd_control_variable){.name = d->name.text,
                               .place = d->name.place,
                               .type = d->kind == DECL_INT    ? HD_CONTROL_INT
                                       : d->kind == DECL_BOOL ? HD_CONTROL_BOOL
                                                              : HD_CONTROL_ENUM,
                               .nvalues = d->nnames,
                               .values = values};
  hd_control_context x = context(l, NULL);
  if (d->kind == DECL_BOOL)
    out->start = hd_control_number(d->expr->kind == EXPR_TRUE);
  else
    out->start = hd_control_lower_number(&x, d->expr).items[0].value;
  report(l, d->expr->start);
}

static void
lower_threads(hd_controller *c, const hd_control_declaration *d)
{
  uint64_t n = (uint64_t) d->number, least = 0, most = UINT64_MAX;
  if (d->relation[0] == '>' || d->relation[0] == '=')
    least = n + (strcmp(d->relation, ">") == 0);
  if (d->relation[0] == '<' || d->relation[0] == '=')
    most = n - (strcmp(d->relation, "<") == 0);
  c->least_threads = least > c->least_threads ? least : c->least_threads;
  c->most_threads = most < c->most_threads ? most : c->most_threads;
}

void
hd_control_lower(hd_controller *c, const hd_control_source *s, const hd_control_names *names, hd_control_messages *m)
{
  lowering l = {.c = c, .b.arena = c->arena, .m = m};
  size_t nedges = 0;
  for (size_t i = 0; i < s->n; i++)
    nedges += s->items[i].kind == DECL_EDGE;
  hd_control_constant *constants = ARRAY(&l, names->nconstants, hd_control_constant);
  hd_control_variable *variables = ARRAY(&l, names->nvariables, hd_control_variable);
  hd_control_state *states = ARRAY(&l, names->nstates, hd_control_state);
  hd_control_action *actions = ARRAY(&l, names->nactions, hd_control_action);
  hd_control_edge *edges = ARRAY(&l, nedges, hd_control_edge);
  hd_control_spec *specs = ARRAY(&l, names->nspecs, hd_control_spec);
  const char **rigid = ARRAY(&l, names->nrigid, const char *);
  if (names->nrigid)
    memcpy(rigid, names->rigid, names->nrigid * sizeof *rigid);
  /* The numbers of everything are fixed first: dimensions depend on them. */
  c->nconstants = names->nconstants;
  c->nvariables = names->nvariables;
  c->nstates = names->nstates;
  c->nactions = names->nactions;
  c->nspecs = names->nspecs;
  c->nrigid = names->nrigid;
  c->constants = constants;
  c->variables = variables;
  c->states = states;
  c->actions = actions;
  c->edges = edges;
  c->specs = specs;
  c->rigid = rigid;
  c->most_threads = UINT64_MAX;
  c->assumption = hd_control_true(&l.b);
  hd_control_linear *identity = ARRAY(&l, c->nvariables, hd_control_linear);
  for (size_t v = 0; v < c->nvariables; v++)
    identity[v] = hd_control_dimension(&l.b, hd_control_variable_dimension(c, v));
  l.identity = identity;

  size_t nconstants = 0, nvariables = 0, nstates = 0;
  for (size_t i = 0; i < s->n; i++) /* conditions use the ranges of variables */
    if (s->items[i].kind == DECL_INT || s->items[i].kind == DECL_BOOL || s->items[i].kind == DECL_ENUM)
      lower_variable(&l, &s->items[i], &variables[nvariables++]);
  size_t nactions = 0, nspecs = 0;
  uint32_t nrigid = 0;
  for (size_t i = 0; i < s->n; i++)
  {
    const hd_control_declaration *d = &s->items[i];
    if (d->kind == DECL_CONST)
      constants[nconstants++] = (hd_control_constant){d->name.text, d->name.place};
    else if (d->kind == DECL_STATE)
      states[nstates++] = (hd_control_state){d->name.text, d->name.place};
    else if (d->kind == DECL_THREADS)
      lower_threads(c, d);
    else if (d->kind == DECL_BLOCKING || d->kind == DECL_NONBLOCKING)
      lower_action(&l, d, &actions[nactions++]);
    else if (d->kind == DECL_EDGE)
      edges[c->nedges++] = (hd_control_edge){index_of(names, SPACE_STATES, d->names[0].text),
                                             index_of(names, SPACE_ACTIONS, d->names[1].text),
                                             index_of(names, SPACE_STATES, d->names[2].text), d->place};
    else if (d->kind == DECL_SPEC || d->kind == DECL_SPEC_FAIR)
      lower_spec(&l, d, &specs[nspecs++], &nrigid);
    if (d->kind == DECL_CONST || d->kind == DECL_ASSUME)
    {
      hd_control_context x = context(&l, NULL);
      hd_control_set more = hd_control_lower_condition(&x, d->expr, true);
      c->assumption = hd_control_and(&l.b, &c->assumption, &more);
      report(&l, d->expr->start);
    }
  }
}
