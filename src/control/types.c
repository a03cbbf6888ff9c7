/* types.c: types, linearity, and what may stand where.
 *
 * int, bool and every ENUM are different types: C would mix them, and the mixture would usually be a mistake. ACTL has
 * no negation of temporal operators, so none of them stands under !, on the left of IMPLIES or inside a comparison. */
#include <string.h>

#include "control/syntax.h"

typedef enum place_kind
{
  IN_ASSUMPTION, /* constants alone */
  IN_START,      /* the same: an initial value */
  IN_ACTION,     /* constants and variables */
  IN_SPEC        /* all of it, count(state), temporal operators */
} place_kind;

typedef struct checker
{
  hd_control_names *names;
  hd_control_messages *m;
  place_kind where;
} checker;

static uint32_t check(checker *k, hd_control_expression *e);

static const char *
type_name(const checker *k, uint32_t type, char buffer[80])
{
  switch (type)
  {
  case TYPE_INT:
    return "an int";
  case TYPE_BOOL:
    return "a bool";
  case TYPE_FORMULA:
    return "a temporal formula";
  case TYPE_UNKNOWN:
    return "unknown";
  default:
    snprintf(buffer, 80, "a value of ENUM '%.50s'", k->names->variables[type - TYPE_ENUM]->name.text);
    return buffer;
  }
}

/* E must be of TYPE. */
static void
want(checker *k, const hd_control_expression *e, uint32_t type, const char *what)
{
  char wanted[80], is[80];
  if (e->type == type || e->type == TYPE_UNKNOWN)
    return;
  const char *hint = "";
  if (type == TYPE_BOOL && e->type == TYPE_INT)
    hint = "; write a comparison such as n != 0";
  else if (type == TYPE_INT && e->type == TYPE_BOOL)
    hint = "; write b ? 1 : 0 for a number";
  else if (e->type == TYPE_FORMULA)
    hint = "; AX, AF, AG and AU may stand under && and ||, on the right of IMPLIES, and inside each other";
  hd_control_error(k->m, e->start, "%s must be %s, but this is %s%s", what, type_name(k, type, wanted),
                   type_name(k, e->type, is), hint);
}

static uint32_t
check_name(checker *k, hd_control_expression *e)
{
  static const char *const what[] = {[IN_ASSUMPTION] = "a constant",
                                     [IN_START] = "a value that is known at the start",
                                     [IN_ACTION] = "a value",
                                     [IN_SPEC] = "a value"};
  e->symbol = hd_control_names_find(k->names, SPACE_VALUES, e->name, e->place, what[k->where]);
  if ((k->where == IN_ASSUMPTION || k->where == IN_START) && e->symbol.kind == SYMBOL_VARIABLE)
  {
    hd_control_error(k->m, e->place, "'%s' is a variable; %s", e->name,
                     k->where == IN_START ? "initial values are linear expressions over constants"
                                          : "assumptions are about constants alone");
    return TYPE_UNKNOWN;
  }
  return e->symbol.type;
}

static uint32_t
check_count(checker *k, hd_control_expression *e)
{
  e->symbol = hd_control_names_find(k->names, SPACE_STATES, e->name, e->place, "an interface state");
  if (k->where != IN_SPEC)
    hd_control_error(k->m, e->start,
                     "count(%s) is known to the checker, not to the code; it is allowed in a SPEC alone", e->name);
  return TYPE_INT;
}

static bool
is_number(const hd_control_expression *e)
{
  switch (e->kind)
  {
  case EXPR_NUMBER:
    return true;
  case EXPR_NEGATE:
    return is_number(e->a);
  case EXPR_ADD:
  case EXPR_SUBTRACT:
  case EXPR_MULTIPLY:
    return is_number(e->a) && is_number(e->b);
  default:
    return false;
  }
}

static uint32_t
check_arithmetic(checker *k, hd_control_expression *e)
{
  check(k, e->a);
  want(k, e->a, TYPE_INT, e->b ? "the left side" : "what has a minus");
  if (e->b)
  {
    check(k, e->b);
    want(k, e->b, TYPE_INT, "the right side");
  }
  if (e->kind == EXPR_MULTIPLY && !is_number(e->a) && !is_number(e->b))
    hd_control_error(k->m, e->place, "this product is not linear: one of its factors must be a number");
  return TYPE_INT;
}

static uint32_t
check_order(checker *k, hd_control_expression *e)
{
  hd_control_expression *sides[] = {e->a, e->b};
  for (int i = 0; i < 2; i++)
  {
    check(k, sides[i]);
    bool chain = sides[i]->type == TYPE_BOOL && sides[i]->kind >= EXPR_LESS && sides[i]->kind <= EXPR_GREATER_EQUAL;
    if (chain)
      hd_control_error(k->m, e->place, "comparisons do not chain in C; write a < b && b < c");
    else if (sides[i]->type >= TYPE_ENUM)
      hd_control_error(k->m, sides[i]->start, "the values of an ENUM have no order; compare them with == and !=");
    else
      want(k, sides[i], TYPE_INT, "what is compared by order");
  }
  return TYPE_BOOL;
}

/* Both sides of == and != and both results of ?: are of one type. */
static uint32_t
same(checker *k, const hd_control_expression *a, const hd_control_expression *b, hd_control_place place,
     const char *what)
{
  char first[80], second[80];
  if (a->type == TYPE_UNKNOWN || b->type == TYPE_UNKNOWN)
    return a->type == TYPE_UNKNOWN ? b->type : a->type;
  if (a->type == TYPE_FORMULA || b->type == TYPE_FORMULA)
    want(k, a->type == TYPE_FORMULA ? a : b, TYPE_BOOL, what);
  else if (a->type != b->type)
  {
    hd_control_error(k->m, place, "%s must be of one type, but they are %s and %s", what, type_name(k, a->type, first),
                     type_name(k, b->type, second));
    return TYPE_UNKNOWN;
  }
  return a->type == TYPE_FORMULA ? TYPE_BOOL : a->type;
}

static uint32_t
check_logic(checker *k, hd_control_expression *e)
{
  check(k, e->a);
  check(k, e->b);
  if (e->a->type != TYPE_FORMULA)
    want(k, e->a, TYPE_BOOL, "the left side");
  if (e->b->type != TYPE_FORMULA)
    want(k, e->b, TYPE_BOOL, "the right side");
  return e->a->type == TYPE_FORMULA || e->b->type == TYPE_FORMULA ? TYPE_FORMULA : TYPE_BOOL;
}

static const char *
temporal_word(expression_kind kind)
{
  switch (kind)
  {
  case EXPR_AX:
    return "AX";
  case EXPR_AF:
    return "AF";
  case EXPR_AG:
    return "AG";
  case EXPR_AU:
    return "AU";
  case EXPR_IMPLIES:
    return "IMPLIES";
  default:
    return "RIGID";
  }
}

static uint32_t
check_temporal(checker *k, hd_control_expression *e)
{
  if (k->where != IN_SPEC)
    hd_control_error(k->m, e->place, "%s is allowed in a SPEC alone%s", temporal_word(e->kind),
                     e->kind == EXPR_IMPLIES ? "; write !p || q" : "");
  if (e->kind == EXPR_RIGID)
  {
    hd_control_error(k->m, e->start, "RIGID stands around the whole formula: SPEC(name, RIGID(x, AG(...)))");
    return TYPE_FORMULA;
  }
  check(k, e->a);
  if (e->kind == EXPR_IMPLIES)
    want(k, e->a, TYPE_BOOL, "the left side of IMPLIES");
  else if (e->a->type != TYPE_FORMULA)
    want(k, e->a, TYPE_BOOL, "a formula");
  if (e->b)
  {
    check(k, e->b);
    if (e->b->type != TYPE_FORMULA)
      want(k, e->b, TYPE_BOOL, "a formula");
  }
  if (e->kind == EXPR_IMPLIES && e->b)
    return e->b->type == TYPE_FORMULA ? TYPE_FORMULA : TYPE_BOOL;
  return TYPE_FORMULA;
}

static uint32_t
type_of(checker *k, hd_control_expression *e)
{
  switch (e->kind)
  {
  case EXPR_NUMBER:
    return TYPE_INT;
  case EXPR_TRUE:
  case EXPR_FALSE:
    return TYPE_BOOL;
  case EXPR_NAME:
    return check_name(k, e);
  case EXPR_COUNT:
    return check_count(k, e);
  case EXPR_NOT:
    check(k, e->a);
    want(k, e->a, TYPE_BOOL, "what ! negates");
    return TYPE_BOOL;
  case EXPR_NEGATE:
  case EXPR_MULTIPLY:
  case EXPR_ADD:
  case EXPR_SUBTRACT:
    return check_arithmetic(k, e);
  case EXPR_LESS:
  case EXPR_LESS_EQUAL:
  case EXPR_GREATER:
  case EXPR_GREATER_EQUAL:
    return check_order(k, e);
  case EXPR_EQUAL:
  case EXPR_NOT_EQUAL:
    check(k, e->a);
    check(k, e->b);
    same(k, e->a, e->b, e->place, "what is compared");
    return TYPE_BOOL;
  case EXPR_AND:
  case EXPR_OR:
    return check_logic(k, e);
  case EXPR_CONDITIONAL:
    check(k, e->a);
    want(k, e->a, TYPE_BOOL, "the condition before ?");
    check(k, e->b);
    check(k, e->c);
    return same(k, e->b, e->c, e->place, "both results of ?:");
  case EXPR_IMPLIES:
  case EXPR_AX:
  case EXPR_AF:
  case EXPR_AG:
  case EXPR_AU:
  case EXPR_RIGID:
    return check_temporal(k, e);
  }
  HD_CHECK(!"kind of expression");
  return TYPE_UNKNOWN;
}

static uint32_t
check(checker *k, hd_control_expression *e)
{
  return e->type = type_of(k, e);
}

/* ---- declarations ---- */

static bool
has_conditional(const hd_control_expression *e)
{
  return e && (e->kind == EXPR_CONDITIONAL || has_conditional(e->a) || has_conditional(e->b));
}

static void
check_start(checker *k, hd_control_declaration *d, uint32_t type)
{
  hd_control_expression *e = d->expr;
  k->where = IN_START;
  check(k, e);
  want(k, e, type, "the initial value");
  if (e->type != type)
    return;
  if (d->kind == DECL_BOOL && e->kind != EXPR_TRUE && e->kind != EXPR_FALSE)
    hd_control_error(k->m, e->start, "the initial value of a BOOL is true or false");
  else if (d->kind == DECL_ENUM && e->kind != EXPR_NAME)
    hd_control_error(k->m, e->start, "the initial value of an ENUM is one of its values");
  else if (d->kind == DECL_INT && has_conditional(e))
    hd_control_error(k->m, e->start, "initial values are linear expressions over constants, without ?:");
}

static void
check_assignment(checker *k, hd_control_assignment *a)
{
  a->symbol = hd_control_names_find(k->names, SPACE_VALUES, a->target.text, a->target.place, "a variable");
  if (a->value)
    check(k, a->value);
  if (a->symbol.kind != SYMBOL_VARIABLE && a->symbol.kind != SYMBOL_UNKNOWN)
  {
    hd_control_error(k->m, a->target.place, "'%s' cannot be assigned: it is %s", a->target.text,
                     a->symbol.kind == SYMBOL_CONSTANT ? "a constant" : "a value of an ENUM");
    return;
  }
  if (a->symbol.kind == SYMBOL_UNKNOWN || !a->value)
    return;
  if (a->op != '=' && a->symbol.type != TYPE_INT)
    hd_control_error(k->m, a->place, "'%s' is no int; only ints are counted up and down", a->target.text);
  else
    want(k, a->value, a->symbol.type, "what is assigned");
}

static void
check_commands(checker *k, hd_control_declaration *d)
{
  k->where = IN_ACTION;
  for (size_t i = 0; i < d->ncommands; i++)
  {
    hd_control_guarded *g = &d->commands[i];
    if (g->guard)
    {
      check(k, g->guard);
      want(k, g->guard, TYPE_BOOL, "a guard");
    }
    for (size_t j = 0; j < g->n; j++)
      check_assignment(k, &g->assignments[j]);
  }
}

static void
check_edge(checker *k, const hd_control_declaration *d)
{
  static const name_space spaces[] = {SPACE_STATES, SPACE_ACTIONS, SPACE_STATES};
  static const char *const what[] = {"an interface state", "an action", "an interface state"};
  for (size_t i = 0; i < d->nnames; i++)
    hd_control_names_find(k->names, spaces[i], d->names[i].text, d->names[i].place, what[i]);
}

/* RIGID(x, RIGID(y, formula)): the names are known inside this property alone. */
static void
check_spec(checker *k, hd_control_declaration *d)
{
  hd_control_names *names = k->names;
  size_t before = names->n[SPACE_VALUES];
  hd_control_expression *e = d->expr;
  k->where = IN_SPEC;
  for (; e->kind == EXPR_RIGID; e = e->a)
  {
    for (size_t i = 0; i < names->n[SPACE_VALUES]; i++)
      if (strcmp(names->items[SPACE_VALUES][i].name, e->name) == 0)
      {
        hd_control_error(k->m, e->place, "'%s' has a meaning already; a rigid variable needs a name of its own",
                         e->name);
        break;
      }
    hd_control_symbol symbol
        = {.name = e->name, .place = e->place, .kind = SYMBOL_RIGID, .type = TYPE_INT, .index = names->nrigid};
    size_t n = names->nrigid;
    HD_PUSH(names->rigid, n, names->rigid_cap, e->name);
    names->nrigid++;
    e->symbol = symbol;
    e->type = TYPE_FORMULA;
    HD_PUSH(names->items[SPACE_VALUES], names->n[SPACE_VALUES], names->cap[SPACE_VALUES], symbol);
  }
  check(k, e);
  if (e->type != TYPE_FORMULA)
    want(k, e, TYPE_BOOL, "a property");
  /* Names that were found to be unknown stay, so that they are not reported again. */
  size_t keep = before;
  for (size_t i = before; i < names->n[SPACE_VALUES]; i++)
    if (names->items[SPACE_VALUES][i].kind != SYMBOL_RIGID)
      names->items[SPACE_VALUES][keep++] = names->items[SPACE_VALUES][i];
  names->n[SPACE_VALUES] = keep;
}

void
hd_control_check_types(hd_control_source *s, hd_control_names *names)
{
  checker k = {.names = names, .m = names->messages};
  uint32_t variable = 0;
  for (size_t i = 0; i < s->n; i++)
  {
    hd_control_declaration *d = &s->items[i];
    switch (d->kind)
    {
    case DECL_CONST:
    case DECL_ASSUME:
      k.where = IN_ASSUMPTION;
      if (d->expr)
      {
        check(&k, d->expr);
        want(&k, d->expr, TYPE_BOOL, "an assumption");
      }
      break;
    case DECL_INT:
    case DECL_BOOL:
    case DECL_ENUM:
      if (d->expr && d->name.text && !(d->kind == DECL_ENUM && d->broken))
        check_start(&k, d, d->kind == DECL_INT ? TYPE_INT : d->kind == DECL_BOOL ? TYPE_BOOL : TYPE_ENUM + variable);
      variable += d->name.text != NULL;
      break;
    case DECL_BLOCKING:
    case DECL_NONBLOCKING:
      check_commands(&k, d);
      break;
    case DECL_EDGE:
      check_edge(&k, d);
      break;
    case DECL_SPEC:
    case DECL_SPEC_FAIR:
      if (d->expr)
        check_spec(&k, d);
      break;
    case DECL_THREADS:
    case DECL_STATE:
    case DECL_BROKEN:
      break;
    }
  }
}
