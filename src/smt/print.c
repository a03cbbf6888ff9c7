/* print.c: terms as SMT-LIB 2.
 *
 * What a set of assertions needs is declared first. A subterm with arguments that is used more than once gets a name: a
 * closed one by define-fun before the assertion that uses it first; one with bound variables by let, under the
 * quantifier that binds the highest of its levels, which is the innermost one that it may not leave. Patterns are
 * written out: solvers want to see their functions. */
#include <ctype.h>
#include <string.h>

#include "smt/term.h"

typedef struct printer
{
  hd_string *out;
  const hd_smt *u;
  uint32_t *uses;       /* by term: how often it occurs as an argument, once for each different parent */
  uint32_t *named;      /* by term: 0 or the number of its name + 1 */
  uint32_t names;       /* given so far */
  uint8_t *declared;    /* by symbol */
  uint8_t *sorts;       /* by sort */
  uint32_t *seen, mark; /* by term: the last quantifier whose lets looked at it */
  uint32_t *lets;       /* terms that have names now, the innermost quantifier's last */
  size_t nlets, lets_cap;
} printer;

static const char *const words[] = {
    [HD_SMT_TRUE] = "true",     [HD_SMT_FALSE] = "false",   [HD_SMT_NOT] = "not",
    [HD_SMT_AND] = "and",       [HD_SMT_OR] = "or",         [HD_SMT_IMPLIES] = "=>",
    [HD_SMT_EQUAL] = "=",       [HD_SMT_ITE] = "ite",       [HD_SMT_DISTINCT] = "distinct",
    [HD_SMT_ADD] = "+",         [HD_SMT_SUB] = "-",         [HD_SMT_MUL] = "*",
    [HD_SMT_MINUS] = "-",       [HD_SMT_DIV] = "div",       [HD_SMT_MOD] = "mod",
    [HD_SMT_DIVIDE] = "/",      [HD_SMT_LT] = "<",          [HD_SMT_LE] = "<=",
    [HD_SMT_GT] = ">",          [HD_SMT_GE] = ">=",         [HD_SMT_TO_REAL] = "to_real",
    [HD_SMT_TO_INT] = "to_int", [HD_SMT_SELECT] = "select", [HD_SMT_STORE] = "store",
    [HD_SMT_FORALL] = "forall", [HD_SMT_EXISTS] = "exists",
};

void
hd_smt_print_name(hd_string *out, const char *name)
{
  bool plain = *name && !isdigit((unsigned char) *name);
  for (const char *p = name; *p && plain; p++)
    plain = isalnum((unsigned char) *p) || strchr("~!@$%^&*_-+=<>.?/", *p);
  hd_string_printf(out, plain ? "%s" : "|%s|", name);
}

void
hd_smt_print_sort(hd_string *out, const hd_smt_sort *sort)
{
  if (sort->kind == HD_SMT_ARRAY)
  {
    hd_string_add(out, "(Array ");
    hd_smt_print_sort(out, sort->index);
    hd_string_add(out, " ");
    hd_smt_print_sort(out, sort->value);
    hd_string_add(out, ")");
  }
  else if (sort->kind == HD_SMT_NAMED)
    hd_smt_print_name(out, sort->name);
  else
    hd_string_add(out, sort->name);
}

/* ---- declarations ---- */

static void declare_sort(printer *p, const hd_smt_sort *sort);

/* The datatypes that SORT needs and that are not declared yet, itself among them: they are declared together, because
 * they may need each other. */
static void
gather_datatypes(printer *p, const hd_smt_sort *sort, const hd_smt_datatype **list, size_t *n)
{
  if (sort->kind == HD_SMT_ARRAY)
  {
    gather_datatypes(p, sort->index, list, n);
    gather_datatypes(p, sort->value, list, n);
    return;
  }
  if (p->sorts[sort->id])
    return;
  if (!sort->datatype)
  {
    declare_sort(p, sort);
    return;
  }
  p->sorts[sort->id] = 1;
  const hd_smt_datatype *d = sort->datatype;
  list[(*n)++] = d;
  for (size_t i = 0; i < d->nconstructors; i++)
    for (size_t j = 0; j < d->constructors[i].nfields; j++)
      gather_datatypes(p, d->constructors[i].fields[j]->sort, list, n);
}

static void
declare_datatypes(printer *p, const hd_smt_sort *sort)
{
  const hd_smt_datatype **list = hd_alloc_array(p->u->nsorts, sizeof *list);
  size_t n = 0;
  gather_datatypes(p, sort, list, &n);
  hd_string_add(p->out, "(declare-datatypes (");
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(p->out, i ? " (" : "(");
    hd_smt_print_name(p->out, list[i]->sort->name);
    hd_string_add(p->out, " 0)");
  }
  hd_string_add(p->out, ") (");
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(p->out, i ? " (" : "(");
    for (size_t j = 0; j < list[i]->nconstructors; j++)
    {
      const hd_smt_constructor *c = &list[i]->constructors[j];
      hd_string_add(p->out, j ? " (" : "(");
      hd_smt_print_name(p->out, c->make->name);
      for (size_t k = 0; k < c->nfields; k++)
      {
        hd_string_add(p->out, " (");
        hd_smt_print_name(p->out, c->fields[k]->name);
        hd_string_add(p->out, " ");
        hd_smt_print_sort(p->out, c->fields[k]->sort);
        hd_string_add(p->out, ")");
      }
      hd_string_add(p->out, ")");
    }
    hd_string_add(p->out, ")");
  }
  hd_string_add(p->out, "))\n");
  free(list);
}

static void
declare_sort(printer *p, const hd_smt_sort *sort)
{
  if (sort->kind == HD_SMT_ARRAY)
  {
    declare_sort(p, sort->index);
    declare_sort(p, sort->value);
  }
  else if (sort->kind == HD_SMT_NAMED && !p->sorts[sort->id])
  {
    if (sort->datatype)
    {
      declare_datatypes(p, sort);
      return;
    }
    p->sorts[sort->id] = 1;
    hd_string_add(p->out, "(declare-sort ");
    hd_smt_print_name(p->out, sort->name);
    hd_string_add(p->out, " 0)\n");
  }
}

static void
declare_symbol(printer *p, const hd_smt_symbol *f)
{
  if (p->declared[f->id])
    return;
  p->declared[f->id] = 1;
  for (size_t i = 0; i < f->nargs; i++)
    declare_sort(p, f->args[i]);
  declare_sort(p, f->sort);
  if (f->kind != HD_SMT_FUNCTION)
    return;
  hd_string_add(p->out, "(declare-fun ");
  hd_smt_print_name(p->out, f->name);
  hd_string_add(p->out, " (");
  for (size_t i = 0; i < f->nargs; i++)
  {
    hd_string_add(p->out, i ? " " : "");
    hd_smt_print_sort(p->out, f->args[i]);
  }
  hd_string_add(p->out, ") ");
  hd_smt_print_sort(p->out, f->sort);
  hd_string_add(p->out, ")\n");
}

/* Count the uses of T's parts and declare what they need. PATTERN: inside one, where nothing is named. */
static void
visit(printer *p, const hd_smt_term *t, bool pattern)
{
  if (!pattern && p->uses[t->id]++)
    return;
  if (t->symbol)
    declare_symbol(p, t->symbol);
  if (t->op == HD_SMT_CONST)
    declare_sort(p, t->sort);
  for (uint32_t i = 0; i < t->nargs; i++)
    visit(p, t->args[i], pattern);
  if (t->quantifier)
  {
    for (size_t i = 0; i < t->quantifier->nvars; i++)
      declare_symbol(p, t->quantifier->vars[i]);
    for (size_t i = 0; i < t->quantifier->npatterns; i++)
      for (size_t j = 0; j < t->quantifier->patterns[i].n; j++)
        visit(p, t->quantifier->patterns[i].terms[j], true);
  }
}

/* ---- terms ---- */

static void print_term(printer *p, const hd_smt_term *t, bool pattern);

/* Worth a name: used twice, and more than a negated constant. */
static bool
wants_name(const printer *p, const hd_smt_term *t)
{
  return p->uses[t->id] > 1 && t->nargs > 0 && !p->named[t->id]
         && !((t->op == HD_SMT_NOT || t->op == HD_SMT_MINUS) && t->args[0]->nargs == 0);
}

static void
print_pattern(printer *p, const hd_smt_pattern *pattern)
{
  hd_string_add(p->out, pattern->negative ? " :no-pattern " : " :pattern (");
  for (size_t i = 0; i < pattern->n; i++)
  {
    hd_string_add(p->out, i ? " " : "");
    print_term(p, pattern->terms[i], true);
  }
  hd_string_add(p->out, pattern->negative ? "" : ")");
}

/* Print lets for the parts of T, deepest first, that belong under the quantifier number MARK, whose levels are MASK. */
static void
open_lets(printer *p, const hd_smt_term *t, uint64_t mask, uint32_t mark)
{
  if (!t->levels || p->seen[t->id] == mark || p->named[t->id])
    return;
  p->seen[t->id] = mark;
  for (uint32_t i = 0; i < t->nargs; i++)
    open_lets(p, t->args[i], mask, mark);
  uint64_t highest = 1ull << (63 - __builtin_clzll(t->levels));
  if ((highest & mask) && wants_name(p, t))
  {
    uint32_t name = ++p->names;
    hd_string_printf(p->out, "(let (($%u ", name);
    print_term(p, t, false);
    hd_string_add(p->out, ")) ");
    p->named[t->id] = name;
    HD_PUSH(p->lets, p->nlets, p->lets_cap, t->id);
  }
}

static void
print_quantifier(printer *p, const hd_smt_term *t, bool pattern)
{
  const hd_smt_quantifier *q = t->quantifier;
  uint64_t mask = 0;
  hd_string_printf(p->out, "(%s (", words[t->op]);
  for (size_t i = 0; i < q->nvars; i++)
  {
    mask |= 1ull << q->vars[i]->level;
    hd_string_add(p->out, i ? " (" : "(");
    hd_smt_print_name(p->out, q->vars[i]->name);
    hd_string_add(p->out, " ");
    hd_smt_print_sort(p->out, q->vars[i]->sort);
    hd_string_add(p->out, ")");
  }
  hd_string_add(p->out, ") ");
  bool annotated = q->npatterns || q->weight >= 0;
  if (annotated)
    hd_string_add(p->out, "(! ");
  size_t before = p->nlets;
  if (!pattern)
    open_lets(p, t->args[0], mask, ++p->mark);
  print_term(p, t->args[0], pattern);
  /* The names end here; another quantifier may have the same terms. */
  for (; p->nlets > before; p->nlets--)
  {
    p->named[p->lets[p->nlets - 1]] = 0;
    hd_string_add(p->out, ")");
  }
  for (size_t i = 0; i < q->npatterns; i++)
    print_pattern(p, &q->patterns[i]);
  if (q->weight >= 0)
    hd_string_printf(p->out, " :weight %ld", q->weight);
  hd_string_add(p->out, annotated ? "))" : ")");
}

static void
print_term(printer *p, const hd_smt_term *t, bool pattern)
{
  if (!pattern && p->named[t->id])
  {
    hd_string_printf(p->out, "$%u", p->named[t->id]);
    return;
  }
  switch (t->op)
  {
  case HD_SMT_NUMBER:
    hd_string_add(p->out, t->text);
    return;
  case HD_SMT_FORALL:
  case HD_SMT_EXISTS:
    print_quantifier(p, t, pattern);
    return;
  case HD_SMT_CONST:
    hd_string_add(p->out, "((as const ");
    hd_smt_print_sort(p->out, t->sort);
    hd_string_add(p->out, ")");
    break;
  case HD_SMT_APPLY:
    hd_string_add(p->out, t->nargs ? "(" : "");
    if (t->symbol->kind == HD_SMT_BUILTIN || t->symbol->kind == HD_SMT_TESTER)
      hd_string_add(p->out, t->symbol->name);
    else
      hd_smt_print_name(p->out, t->symbol->name);
    break;
  default:
    hd_string_printf(p->out, t->nargs ? "(%s" : "%s", words[t->op]);
  }
  for (uint32_t i = 0; i < t->nargs; i++)
  {
    hd_string_add(p->out, " ");
    print_term(p, t->args[i], pattern);
  }
  if (t->nargs)
    hd_string_add(p->out, ")");
}

/* Define the closed parts of T that are used more than once, deepest first. */
static void
define_shared(printer *p, const hd_smt_term *t, uint8_t *seen)
{
  if (seen[t->id])
    return;
  seen[t->id] = 1;
  for (uint32_t i = 0; i < t->nargs; i++)
    define_shared(p, t->args[i], seen);
  if (t->levels || !wants_name(p, t))
    return;
  hd_string_printf(p->out, "(define-fun $%u () ", ++p->names);
  uint32_t name = p->names;
  hd_smt_print_sort(p->out, t->sort);
  hd_string_add(p->out, " ");
  print_term(p, t, false);
  hd_string_add(p->out, ")\n");
  p->named[t->id] = name;
}

void
hd_smt_print(hd_string *out, const hd_smt *u, const hd_smt_term *const *asserted, size_t n)
{
  printer p = {.out = out, .u = u};
  p.uses = hd_alloc_zero((u->nterms + 1) * sizeof *p.uses);
  p.named = hd_alloc_zero((u->nterms + 1) * sizeof *p.named);
  p.declared = hd_alloc_zero(u->nsymbols + 1);
  p.sorts = hd_alloc_zero(u->nsorts + 1);
  p.seen = hd_alloc_zero((u->nterms + 1) * sizeof *p.seen);
  uint8_t *seen = hd_alloc_zero(u->nterms + 1);
  for (size_t i = 0; i < n; i++)
    visit(&p, asserted[i], false);
  for (size_t i = 0; i < n; i++)
  {
    define_shared(&p, asserted[i], seen);
    hd_string_add(out, "(assert ");
    print_term(&p, asserted[i], false);
    hd_string_add(out, ")\n");
  }
  free(p.uses);
  free(p.named);
  free(p.declared);
  free(p.sorts);
  free(p.seen);
  free(p.lets);
  free(seen);
}

static void
mark_used(const hd_smt_term *t, uint8_t *seen, uint8_t *used)
{
  if (seen[t->id])
    return;
  seen[t->id] = 1;
  if (t->symbol)
    used[t->symbol->id] = 1;
  for (uint32_t i = 0; i < t->nargs; i++)
    mark_used(t->args[i], seen, used);
}

uint8_t *
hd_smt_used(const hd_smt *u, const hd_smt_term *const *terms, size_t n)
{
  uint8_t *used = hd_alloc_zero(u->nsymbols + 1), *seen = hd_alloc_zero(u->nterms + 1);
  for (size_t i = 0; i < n; i++)
    mark_used(terms[i], seen, used);
  free(seen);
  return used;
}
