/* cell.c: what operations do to one value, and a small search over operations that overlap.
 *
 * The search is the one of search.c in its simplest form (Lowe's just-in-time form of Wing and Gong's): at the return
 * of an operation that has not taken effect, all chains of open operations that end with it are tried; what only looks
 * takes effect as soon as a value fits, because it changes nothing. Episodes are short, mostly two operations, so the
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
  EFFORT = 1 << 14,
  EFFORT_AN_EVENT = 32,
};

typedef struct slots
{
  const cell_op *ops[64];
  uint64_t open;  /* slots in use */
  uint64_t looks; /* of these, of operations that only look */
} slots;

/* False: there are too many. */
static bool
add(cell_search *s, cell_configuration *list, size_t *n, cell_configuration c)
{
  s->effort += 1 + *n;
  for (size_t i = 0; i < *n; i++)
    if (list[i].value == c.value && list[i].placed == c.placed)
      return true;
  if (*n == CELL_VALUES)
    return false;
  list[(*n)++] = c;
  return true;
}

/* All that only looks and accepts the value of C takes effect. */
static void
look(const slots *s, cell_configuration *c)
{
  for (uint64_t some = s->looks & ~c->placed; some != 0; some &= some - 1)
  {
    unsigned slot = (unsigned) __builtin_ctzll(some);
    if (cell_step(s->ops[slot], &c->value))
      c->placed |= 1ull << slot;
  }
}

/* The operation in SLOT, which has not taken effect in any configuration of WORK, returns. */
static bool
force(cell_search *s, const slots *open, unsigned slot)
{
  uint64_t bit = 1ull << slot;
  for (size_t i = 0; i < s->nwork; i++)
    for (uint64_t some = open->open & ~open->looks & ~s->work[i].placed; some != 0; some &= some - 1)
    {
      unsigned x = (unsigned) __builtin_ctzll(some);
      cell_configuration c = s->work[i];
      if (!cell_step(open->ops[x], &c.value))
        continue;
      c.placed |= 1ull << x;
      look(open, &c);
      bool ends = c.placed & bit;
      c.placed &= ~bit;
      if (!add(s, ends ? s->next : s->work, ends ? &s->nnext : &s->nwork, c))
        return false;
    }
  return true;
}

static void
call(cell_search *s, slots *open, cell_op *o, unsigned slot)
{
  o->slot = (uint8_t) slot;
  open->ops[slot] = o;
  open->open |= 1ull << slot;
  if (!cell_looks(o))
    return;
  open->looks |= 1ull << slot;
  for (size_t i = 0; i < s->nnow; i++)
    if (cell_step(o, &s->now[i].value))
      s->now[i].placed |= 1ull << slot;
}

/* The operation in SLOT returns: it took effect in all that is left. Configurations that agree about it stay different
 * when it is forgotten, so only what FORCE makes has to be compared. */
static bool
give_back(cell_search *s, slots *open, unsigned slot)
{
  uint64_t bit = 1ull << slot;
  s->nnext = s->nwork = 0;
  for (size_t i = 0; i < s->nnow; i++)
  {
    bool done = s->now[i].placed & bit;
    s->next[s->nnext] = (cell_configuration){.value = s->now[i].value, .placed = s->now[i].placed & ~bit};
    s->work[s->nwork] = s->now[i];
    s->nnext += done;
    s->nwork += !done;
  }
  s->effort += s->nnow;
  bool good = force(s, open, slot) && s->nnext > 0;
  cell_configuration *list = s->now;
  s->now = s->next;
  s->next = list;
  s->nnow = s->nnext;
  open->open &= ~bit;
  open->looks &= ~bit;
  return good;
}

bool
hd_cell_run(cell_search *s, episode *e)
{
  slots open;
  open.open = open.looks = 0;
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
  return true;
}
