/* primary.c: what stands alone in a formula: constants, variables, flags of the event, @thread(...), and parentheses.
 */
#include <string.h>

#include "mttl/syntax.h"

hd_mttl_node *
hd_mttl_make(hd_mttl_parser *p, hd_mttl_kind kind, const hd_mttl_token *from, hd_mttl_type type)
{
  hd_mttl_node *n = hd_arena_alloc(p->arena, sizeof *n);
  *n = (hd_mttl_node){.kind = kind, .place = from->place, .type = type};
  return n;
}

void
hd_mttl_contain(hd_mttl_node *n, const hd_mttl_node *a)
{
  if (!a)
    return;
  n->slots |= a->slots;
  n->height = a->height >= n->height ? a->height + 1 : n->height;
}

const hd_mttl_node *
hd_mttl_done(hd_mttl_parser *p, hd_mttl_node *n, const hd_mttl_token *from)
{
  n->text = from->start;
  n->length = (size_t) (p->at[-1].start + p->at[-1].length - from->start);
  hd_mttl_contain(n, n->a);
  hd_mttl_contain(n, n->b);
  n->access = n->kind == HD_MTTL_READ || n->kind == HD_MTTL_WRITE
              || (n->kind == HD_MTTL_OR && n->a->access && n->b->access)
              || (n->kind == HD_MTTL_AND && (n->a->access || n->b->access));
  if (n->height < HD_MTTL_HIGH)
    return n;
  hd_mttl_error(p, from->place, "this formula has more than %d operators around one another", HD_MTTL_HIGH);
  return NULL;
}

/* ---- what stands alone ---- */

static const hd_mttl_node *
constant(hd_mttl_parser *p, hd_mttl_type type, int64_t number)
{
  const hd_mttl_token *from = p->at++;
  hd_mttl_node *n = hd_mttl_make(p, HD_MTTL_CONST, from, type);
  n->value = (hd_mttl_value){.type = type, .number = number};
  return hd_mttl_done(p, n, from);
}

/* read(x), write(x), lock(m), unlock(m), at(f) */
static const hd_mttl_node *
flag(hd_mttl_parser *p, hd_mttl_kind kind)
{
  const hd_mttl_token *from = p->at++;
  hd_mttl_node *n = hd_mttl_make(p, kind, from, HD_MTTL_BOOL);
  hd_mttl_place place = p->at[1].place;
  if (!hd_mttl_expect(p, "(", "after it"))
    return NULL;
  const char *name = hd_mttl_path(p);
  if (!name || !hd_mttl_expect(p, ")", "after the name"))
    return NULL;
  if (kind == HD_MTTL_AT)
  {
    n->index = hd_mttl_intern(p, &p->functions, &p->nfunctions, &p->functions_cap, name);
    if (p->nfunctions > p->nfunction_places)
      HD_PUSH(p->function_places, p->nfunction_places, p->function_places_cap, place);
  }
  else if (kind == HD_MTTL_LOCKED || kind == HD_MTTL_UNLOCKED)
  {
    n->index = hd_mttl_intern(p, &p->locks, &p->nlocks, &p->locks_cap, name);
    if (p->nlocks > p->nlock_places)
      HD_PUSH(p->lock_places, p->nlock_places, p->lock_places_cap, place);
  }
  else
  {
    int64_t found = hd_mttl_find_variable(p, name);
    if (found >= 0 && !p->variables[found].shared)
    {
      hd_mttl_error(p, place, "'%s' is a thread's own variable: only shared ones are read and written by others", name);
      return NULL;
    }
    n->index = found >= 0 ? (uint32_t) found
                          : hd_mttl_add_variable(p, (hd_mttl_variable){.name = name,
                                                                       .place = place,
                                                                       .shared = true,
                                                                       .type = HD_MTTL_INT,
                                                                       .initial = {.type = HD_MTTL_UNDEFINED}});
  }
  return hd_mttl_done(p, n, from);
}

static const hd_mttl_node *
remote(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at++;
  hd_mttl_tid tid = hd_mttl_thread_reference(p);
  if (tid.kind == HD_MTTL_NOBODY || !hd_mttl_expect(p, "(", "after the thread"))
    return NULL;
  int32_t self = p->self;
  p->self = tid.kind == HD_MTTL_SLOT ? (int32_t) tid.index : -1;
  const hd_mttl_node *body = hd_mttl_inner(p);
  hd_mttl_node *n = NULL;
  if (body && hd_mttl_expect(p, ")", "at the end of what is said of a thread"))
  {
    n = hd_mttl_make(p, HD_MTTL_REMOTE, from, body->type);
    n->tid = tid;
    hd_mttl_contain(n, body);
    if (tid.kind == HD_MTTL_SLOT)
      n->slots |= 1u << tid.index;
    n->index = hd_mttl_add_cell(p, HD_MTTL_ITEM, body, NULL);
  }
  p->self = self;
  return n ? hd_mttl_done(p, n, from) : NULL;
}

static const hd_mttl_node *
variable(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const char *name = hd_mttl_path(p);
  int64_t found = name ? hd_mttl_find_variable(p, name) : -1;
  if (!name)
    return NULL;
  if (found < 0)
  {
    hd_string known = {0};
    for (size_t i = 0; i < p->nvariables; i++)
      hd_string_printf(&known, "%s%s", i ? ", " : "; known are ", p->variables[i].name);
    hd_mttl_error(p, from->place, "there is no variable '%s' (declare it with 'shared' or 'local')%s", name,
                  known.text ? known.text : "");
    hd_string_free(&known);
    return NULL;
  }
  hd_mttl_variable *v = &p->variables[found];
  v->tracked = v->tracked || v->shared;
  hd_mttl_node *n = hd_mttl_make(p, v->shared ? HD_MTTL_SHARED_VALUE : HD_MTTL_LOCAL_VALUE, from, v->type);
  n->index = (uint32_t) found;
  return hd_mttl_done(p, n, from);
}

static const struct
{
  const char *word;
  hd_mttl_kind kind;
} flags[] = {{"read", HD_MTTL_READ},
             {"write", HD_MTTL_WRITE},
             {"lock", HD_MTTL_LOCKED},
             {"unlock", HD_MTTL_UNLOCKED},
             {"at", HD_MTTL_AT}};

static const hd_mttl_node *
word(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (hd_mttl_is(p, flags[i].word) && p->at[1].length == 1 && *p->at[1].start == '(')
      return flag(p, flags[i].kind);
  if (hd_mttl_is(p, "true") || hd_mttl_is(p, "false"))
    return constant(p, HD_MTTL_BOOL, hd_mttl_is(p, "true"));
  if (hd_mttl_is(p, "none") || hd_mttl_is(p, "R") || hd_mttl_is(p, "W"))
    return constant(p, HD_MTTL_INT, hd_mttl_is(p, "R") ? HD_MTTL_R : hd_mttl_is(p, "W") ? HD_MTTL_W : HD_MTTL_NONE);
  p->everything = p->everything || hd_mttl_is(p, "op") || hd_mttl_is(p, "loc");
  if (hd_mttl_accept(p, "op"))
    return hd_mttl_done(p, hd_mttl_make(p, HD_MTTL_OP, from, HD_MTTL_INT), from);
  if (hd_mttl_accept(p, "loc"))
    return hd_mttl_done(p, hd_mttl_make(p, HD_MTTL_LOC_VALUE, from, HD_MTTL_LOC), from);
  if (hd_mttl_accept(p, "alive"))
    return hd_mttl_done(p, hd_mttl_make(p, HD_MTTL_ALIVE, from, HD_MTTL_BOOL), from);
  return variable(p);
}

bool
hd_mttl_too_deep(hd_mttl_parser *p)
{
  if (p->depth < HD_MTTL_DEPTH)
    return false;
  hd_mttl_error(p, p->at->place, "formulas are nested more than %d deep here", HD_MTTL_DEPTH);
  return true;
}

const hd_mttl_node *
hd_mttl_primary(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  switch (from->kind)
  {
  case HD_MTTL_WORD:
    return word(p);
  case HD_MTTL_INTEGER:
  case HD_MTTL_REAL_NUMBER:
  case HD_MTTL_QUOTED:
  {
    hd_mttl_node *n = hd_mttl_make(p, HD_MTTL_CONST, from, from->value.type);
    n->value = from->value;
    p->at++;
    return hd_mttl_done(p, n, from);
  }
  case HD_MTTL_SIGN:
    if (hd_mttl_is(p, "@"))
      return remote(p);
    if (hd_mttl_accept(p, "("))
    {
      const hd_mttl_node *inner = hd_mttl_inner(p);
      return inner && hd_mttl_expect(p, ")", "to close '('") ? inner : NULL;
    }
    if (hd_mttl_accept(p, "-"))
    {
      if (hd_mttl_too_deep(p))
        return NULL;
      p->depth++;
      const hd_mttl_node *inner = hd_mttl_primary(p);
      p->depth--;
      if (inner && inner->type != HD_MTTL_INT && inner->type != HD_MTTL_REAL)
      {
        hd_mttl_error(p, inner->place, "'-' takes a number, and '%s' is of type %s", hd_mttl_quote(p, inner),
                      hd_mttl_type_name(inner->type));
        return NULL;
      }
      if (!inner)
        return NULL;
      hd_mttl_node *n = hd_mttl_make(p, HD_MTTL_NEG, from, inner->type);
      n->a = inner;
      return hd_mttl_done(p, n, from);
    }
    break;
  case HD_MTTL_END:
    break;
  }
  hd_mttl_error(p, from->place, "a value or a condition is missing here");
  return NULL;
}
