/* resolve_synonyms.c: declarations of types. Synonyms are resolved in the order in which the reference does it, so that
 * errors come in its order; those in a cycle are errors, and become bool so that the rest can be looked at. */
#include <stdlib.h>
#include <string.h>

#include "boogie/typing.h"

static void
resolve_synonym(hd_boogie_resolver *r, hd_boogie_type_decl *d)
{
  size_t mark = r->binders.n;
  hd_boogie_resolve_attrs(r, d->attrs);
  hd_boogie_add_binders(r, &d->params);
  d->body = hd_boogie_resolve_type(r, d->body);
  r->binders.n = mark;
}

/* Synonyms may be used before they are declared. The reference goes over all of them again and again and resolves those
 * that only use resolved ones; ROUND is in which of these passes each one's turn comes, found without the passes. */
typedef struct synonym
{
  hd_boogie_type_decl *decl;
  size_t place, round, waits; /* in the text; and for how many others it waits */
  size_t users;               /* the first of USES that are of this one, or SIZE_MAX */
} synonym;

typedef struct synonym_use
{
  size_t user, next;
} synonym_use;

typedef struct synonym_order
{
  hd_boogie_resolver *resolver;
  synonym *all;
  size_t n, all_cap;
  synonym_use *uses;
  size_t n_uses, uses_cap;
  size_t *place_of; /* by the declaration's id; SIZE_MAX: no synonym */
} synonym_order;

/* Note which synonyms T, part of the synonym USER, uses. */
static void
note_uses(synonym_order *o, size_t user, const hd_boogie_type *t)
{
  if (t->kind == HD_BOOGIE_TYPE_NAME)
  {
    const hd_boogie_type_decl *d = hd_boogie_table_get(o->resolver->types, t->name, strlen(t->name));
    size_t used = d ? o->place_of[d->id] : SIZE_MAX;
    if (used != SIZE_MAX)
    {
      synonym_use use = {.user = user, .next = o->all[used].users};
      o->all[used].users = o->n_uses;
      o->all[user].waits++;
      HD_PUSH(o->uses, o->n_uses, o->uses_cap, use);
    }
  }
  for (size_t i = 0; i < t->args.n; i++)
    note_uses(o, user, t->args.items[i]);
  if (t->kind == HD_BOOGIE_MAP)
    note_uses(o, user, t->result);
}

static int
by_round(const void *x, const void *y)
{
  const synonym *a = x, *b = y;
  if (a->round != b->round)
    return a->round < b->round ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

/* Rounds for all that are in no cycle; the others keep SIZE_MAX. */
static void
find_rounds(synonym_order *o)
{
  size_t *queue = hd_alloc_array(o->n + 1, sizeof *queue), first = 0, end = 0;
  size_t *round = hd_alloc_zero((o->n + 1) * sizeof *round);
  for (size_t i = 0; i < o->n; i++)
    if (!o->all[i].waits)
      queue[end++] = i;
  while (first < end)
  {
    size_t i = queue[first++];
    o->all[i].round = round[i];
    for (size_t u = o->all[i].users; u != SIZE_MAX; u = o->uses[u].next)
    {
      size_t user = o->uses[u].user, least = round[i] + (i > user);
      if (round[user] < least)
        round[user] = least;
      if (!--o->all[user].waits)
        queue[end++] = user;
    }
  }
  free(queue);
  free(round);
}

static void
resolve_synonyms(synonym_order *o)
{
  hd_boogie_resolver *r = o->resolver;
  for (size_t i = 0; i < o->n; i++)
    note_uses(o, i, o->all[i].decl->body);
  find_rounds(o);
  if (o->n)
    qsort(o->all, o->n, sizeof *o->all, by_round);
  for (size_t i = 0; i < o->n; i++)
  {
    hd_boogie_type_decl *d = o->all[i].decl;
    if (o->all[i].round == SIZE_MAX)
    {
      hd_boogie_resolve_error(r, d->at,
                              "type synonym could not be resolved because of cycles: %s (replacing body with \"bool\" "
                              "to continue resolving)",
                              d->name);
      d->body = r->program->bool_type;
    }
    resolve_synonym(r, d);
  }
}

void
hd_boogie_resolve_type_decls(hd_boogie_resolver *r)
{
  hd_boogie_program *p = r->program;
  synonym_order o = {.resolver = r, .place_of = hd_alloc_array(p->n_type_decls + 1, sizeof *o.place_of)};
  for (size_t i = 0; i < p->n_type_decls; i++)
    o.place_of[i] = SIZE_MAX;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_TYPE || hd_boogie_is_ignored(NULL, d))
      continue;
    if (d->type->body)
    {
      synonym s = {.decl = d->type, .place = o.n, .round = SIZE_MAX, .users = SIZE_MAX};
      o.place_of[d->type->id] = o.n;
      HD_PUSH(o.all, o.n, o.all_cap, s);
    }
    else
      hd_boogie_resolve_attrs(r, d->type->attrs);
  }
  resolve_synonyms(&o);
  free(o.all);
  free(o.uses);
  free(o.place_of);
}
