/* cell.c: what operations do to one value, and a small search over operations that overlap.
 *
 * The search is the one of search.c in its simplest form (Lowe's just-in-time form of Wing and Gong's): at the return
 * of an operation that has not taken effect, all chains of open operations that end with it are tried; what only looks
 * takes effect as soon as a value fits, because it changes nothing; what a blind write hides is not tried but marked as
 * optional (absorption, flash: docs/linear.md 6). Episodes are short, mostly two operations, so the
 * configurations are few and a list is enough. The result is exact: *all* values that are possible afterwards. */
#include "linear/cell.h"

#include <string.h>

/* ---- what an operation does ---- */

#define NOTHING                                                                                                        \
  {                                                                                                                    \
    .fit = true, .any = true, .keep = -1                                                                               \
  }
#define LOOKS_AT(...)                                                                                                  \
  {                                                                                                                    \
    .fit = true, .keep = -1, __VA_ARGS__                                                                               \
  }
#define WRITES(...)                                                                                                    \
  {                                                                                                                    \
    .fit = true, .any = true, __VA_ARGS__                                                                              \
  }
#define SWAPS(...)                                                                                                     \
  {                                                                                                                    \
    .fit = true, __VA_ARGS__                                                                                           \
  }
#define ADDS(...)                                                                                                      \
  {                                                                                                                    \
    .fit = true, .any = true, .keep = -1, __VA_ARGS__                                                                  \
  }
/* Whatever number it returned. */
#define ANY_NUMBER CELL_MINUS... CELL_NUMBER
#define ALL -1

static const cell_rule rules[][CELL_RETURNS] = {
    [ROLE_READ]
    = {[CELL_NEVER] = NOTHING, [CELL_NIL] = LOOKS_AT(.a = CELL_ABSENT), [ANY_NUMBER] = LOOKS_AT(.a_ret = ALL)},
    [ROLE_WRITE] = {[CELL_NEVER] = WRITES(.b_first = ALL),
                    [CELL_NIL] = WRITES(.b_first = ALL),
                    [CELL_TRUE] = WRITES(.b_first = ALL)},
    [ROLE_CAS] = {[CELL_NEVER] = SWAPS(.a_first = ALL, .b_second = ALL),
                  [CELL_FALSE] = LOOKS_AT(.a_first = ALL, .unless = true),
                  [CELL_TRUE] = SWAPS(.a_first = ALL, .b_second = ALL)},
    [ROLE_DEL] = {[CELL_NEVER] = WRITES(.b = CELL_ABSENT),
                  [CELL_NIL] = WRITES(.b = CELL_ABSENT),
                  [CELL_FALSE] = LOOKS_AT(.a = CELL_ABSENT),
                  [CELL_TRUE] = SWAPS(.a = CELL_ABSENT, .unless = true, .b = CELL_ABSENT)},
    [ROLE_ADD] = {[CELL_NEVER] = WRITES(.b = 1),
                  [CELL_NIL] = WRITES(.b = 1),
                  [CELL_FALSE] = LOOKS_AT(.a = 1),
                  [CELL_TRUE] = SWAPS(.a = CELL_ABSENT, .b = 1)},
    [ROLE_REMOVE] = {[CELL_NEVER] = WRITES(.b = CELL_ABSENT),
                     [CELL_NIL] = WRITES(.b = CELL_ABSENT),
                     [CELL_FALSE] = LOOKS_AT(.a = CELL_ABSENT),
                     [CELL_TRUE] = SWAPS(.a = 1, .b = CELL_ABSENT)},
    [ROLE_CONTAINS]
    = {[CELL_NEVER] = NOTHING, [CELL_FALSE] = LOOKS_AT(.a = CELL_ABSENT), [CELL_TRUE] = LOOKS_AT(.a = 1)},
    [ROLE_INC] = {[CELL_NEVER] = ADDS(.b = 1),
                  [CELL_NIL] = ADDS(.b = 1),
                  [ANY_NUMBER] = SWAPS(.a = -1, .a_ret = ALL, .b_ret = ALL)},
    [ROLE_DEC] = {[CELL_NEVER] = ADDS(.b = -1),
                  [CELL_NIL] = ADDS(.b = -1),
                  [ANY_NUMBER] = SWAPS(.a = 1, .a_ret = ALL, .b_ret = ALL)},
    [ROLE_PLUS] = {[CELL_NEVER] = ADDS(.b_first = ALL), [CELL_NIL] = ADDS(.b_first = ALL)},
    [ROLE_GET] = {[CELL_NEVER] = NOTHING, [ANY_NUMBER] = LOOKS_AT(.a_ret = ALL)},
};

static const cell_rule map_get[CELL_RETURNS] = {
    [CELL_NEVER] = NOTHING,
    [CELL_NIL] = LOOKS_AT(.a = CELL_ABSENT),
    [CELL_MINUS] = LOOKS_AT(.a = CELL_ABSENT),
    [CELL_FALSE... CELL_NUMBER] = LOOKS_AT(.a_ret = ALL),
};

const cell_rule *
hd_cell_rules(special_role role, bool map)
{
  if (role >= sizeof rules / sizeof *rules || role == ROLE_APPEND)
    return NULL;
  return map && role == ROLE_READ ? map_get : rules[role];
}

/* ---- the search ---- */

enum
{
  /* Comparisons of configurations. Where more are needed there is a better way. */
  EFFORT = 1 << 12,
  EFFORT_AN_EVENT = 8,
};

/* Operations that are open, as sets of slots. */
typedef struct slots
{
  const cell_op *ops[64];
  uint64_t open;
  uint64_t looks; /* of these, those that only look */
  uint64_t total; /* those that accept every value, and change it; */
  uint64_t blind; /* of these, those that leave no trace of what was there */
} slots;

/* Can A do all that C can? What is optional in A may have been placed in C, or still be optional there. */
static inline bool
covers(const cell_configuration *a, const cell_configuration *c)
{
  return ((uint64_t) (a->value ^ c->value) | (a->placed & ~c->placed)
          | ((c->placed | c->optional) & ~(a->placed | a->optional)) | (uint64_t) (a->flash & !c->flash))
         == 0;
}

/* False: there are too many. */
static bool
add(cell_search *s, cell_configuration *list, size_t *n, const cell_configuration *c)
{
  s->effort += 1 + *n;
  for (size_t i = 0; i < *n; i++)
    if (covers(&list[i], c))
      return true;
  if (*n == CELL_VALUES)
    return false;
  list[(*n)++] = *c;
  return true;
}

/* All that only looks and accepts the value of C takes effect. */
static inline void
look(const slots *s, cell_configuration *c)
{
  for (uint64_t some = s->looks & ~c->placed; some != 0; some &= some - 1)
  {
    unsigned slot = (unsigned) __builtin_ctzll(some);
    c->placed |= (uint64_t) cell_step(s->ops[slot], &c->value) << slot;
  }
}

/* The operation in SLOT, which has not taken effect in any configuration of WORK, returns.
 *
 * What is placed and seen by nobody before something blind comes might as well be left for that to hide: so after such
 * a step (FLASH) nothing blind is tried, and what is blind makes the total ones optional. */
static bool
force(cell_search *s, const slots *open, unsigned slot)
{
  uint64_t bit = 1ull << slot, changes = open->open & ~open->looks;
  for (size_t i = 0; i < s->nwork; i++)
    for (uint64_t some = changes & ~s->work[i].placed & ~(s->work[i].flash ? open->blind : 0); some != 0;
         some &= some - 1)
    {
      unsigned x = (unsigned) __builtin_ctzll(some);
      cell_configuration c = s->work[i];
      if (!cell_step(open->ops[x], &c.value))
        continue;
      c.placed |= 1ull << x;
      c.optional = (c.optional | ((open->blind >> x & 1) ? open->total : 0)) & ~c.placed;
      uint64_t before = c.placed;
      look(open, &c);
      bool ends = c.placed & bit;
      c.flash = !ends && c.placed == before && (open->total >> x & 1);
      if (c.flash && !(changes & ~open->blind & ~c.placed)) /* nothing could follow */
        continue;
      c.placed &= ~bit;
      if (!add(s, ends ? s->next : s->work, ends ? &s->nnext : &s->nwork, &c))
        return false;
    }
  return true;
}

static void
call(cell_search *s, slots *open, cell_op *o, unsigned slot)
{
  bool looks = cell_looks(o), total = o->any && !looks;
  o->slot = (uint8_t) slot;
  open->ops[slot] = o;
  open->open |= 1ull << slot;
  open->looks |= (uint64_t) looks << slot;
  open->total |= (uint64_t) total << slot;
  open->blind |= (uint64_t) (total && o->keep == 0) << slot;
  for (size_t i = 0; looks && i < s->nnow; i++)
    s->now[i].placed |= (uint64_t) cell_step(o, &s->now[i].value) << slot;
}

/* The operation in SLOT, which has not taken effect everywhere, returns: what follows from that goes to NEXT. */
static bool
settle(cell_search *s, slots *open, unsigned slot)
{
  uint64_t bit = 1ull << slot;
  s->nnext = s->nwork = 0;
  for (size_t i = 0; i < s->nnow; i++)
  {
    cell_configuration c = s->now[i];
    s->work[s->nwork] = c;
    s->nwork += !(c.placed & bit);
    if (!((c.placed | c.optional) & bit))
      continue;
    c.placed &= ~bit;
    c.optional &= ~bit;
    if (!add(s, s->next, &s->nnext, &c))
      return false;
  }
  bool good = force(s, open, slot) && s->nnext > 0;
  cell_configuration *list = s->now;
  s->now = s->next;
  s->next = list;
  s->nnow = s->nnext;
  return good;
}

/* The operation in SLOT returns: it took effect in all that is left. */
static bool
give_back(cell_search *s, slots *open, unsigned slot)
{
  uint64_t bit = 1ull << slot, everywhere = bit;
  for (size_t i = 0; i < s->nnow; i++)
    everywhere &= s->now[i].placed;
  s->effort += s->nnow;
  bool good = everywhere || settle(s, open, slot);
  for (size_t i = 0; everywhere && i < s->nnow; i++)
    s->now[i].placed &= ~bit;
  open->open &= ~bit;
  open->looks &= ~bit;
  open->total &= ~bit;
  open->blind &= ~bit;
  return good;
}

/* At the end nothing is open but what never returned, and a value is all that is left of a configuration. */
static void
only_values(cell_search *s)
{
  size_t n = 0;
  for (size_t i = 0; i < s->nnow; i++)
  {
    size_t k = 0;
    while (k < n && s->now[k].value != s->now[i].value)
      k++;
    s->now[k] = s->now[i];
    n += k == n;
  }
  s->nnow = n;
}

bool
hd_cell_run(cell_search *s, episode *e)
{
  slots open;
  open.open = open.looks = open.total = open.blind = 0;
  s->effort = 0;
  for (size_t i = 0; i < e->nevents; i++)
  {
    cell_op *o = &e->ops[e->events[i] >> 1];
    if (e->events[i] & 1)
    {
      if (!give_back(s, &open, o->slot) || s->effort > EFFORT + EFFORT_AN_EVENT * e->nevents)
        return false;
    }
    else if (~open.open == 0)
      return false;
    else
      call(s, &open, o, (unsigned) __builtin_ctzll(~open.open));
  }
  only_values(s);
  return true;
}
