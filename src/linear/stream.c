/* stream.c: histories of cells (cell.h), judged while they are read.
 *
 * A register, a counter, and each key of a map or set is a cell, an object of its own (locality). What is open on a
 * cell alone, from its call to its return, takes effect then; there is nothing to choose. Operations that overlap are
 * kept, from the moment at which nothing is open on their cell to the next such moment, an episode; then a small search
 * (cell.c) says which values are possible afterwards. So memory depends on the number of cells and of operations that
 * overlap, and the usual operation costs a few instructions.
 *
 * Only "holds" is an answer here. Whatever else comes, a violation, a value that is no number, an episode that does not
 * end or has too many configurations, makes it give up: then hd_linear_decide judges the operations together. */
#include "linear/cell.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell
{
  int64_t key;
  int64_t value;   /* if NVALUES is 1 */
  int64_t *values; /* if there are several */
  uint32_t nvalues;
  uint32_t nopen;
  uint32_t process;  /* the one that is open, if it is alone */
  episode *overlaps; /* the operations that are open, or overlapped with one that is; NULL: one at most */
} cell;

typedef struct client
{
  const cell_rule *rules; /* of its open operation; NULL: it has none */
  uint32_t cell;
  uint32_t op;           /* of the episode */
  int64_t first, second; /* arguments */
} client;

enum
{
  MAX_METHODS = 4,
};

struct hd_linear_stream
{
  const cell_rule *methods[MAX_METHODS]; /* NULL: we do not know it */
  bool keyed;                            /* the first argument is the key; else the only cell is number 0 */
  int64_t forbidden;                     /* besides CELL_ABSENT, what cannot be written */
  int64_t initial;
  cell *cells;
  size_t ncells, cells_cap;
  uint32_t *table;   /* of cells by key: number + 1; 0: free */
  size_t table_size; /* 1 << (64 - TABLE_SHIFT) */
  unsigned table_shift;
  client *clients;
  size_t nclients, clients_cap;
  episode *free_episodes;
  cell_search search;
  cell_configuration *lists; /* of the search, in one block */
};

/* ---- cells ---- */

static size_t
new_cell(hd_linear_stream *s, int64_t key)
{
  HD_PUSH(s->cells, s->ncells, s->cells_cap, (cell){.key = key, .value = s->initial, .nvalues = 1});
  return s->ncells - 1;
}

static size_t
place_of(const hd_linear_stream *s, int64_t key)
{
  return (uint64_t) key * 0x9e3779b97f4a7c15ull >> s->table_shift;
}

static void
grow_table(hd_linear_stream *s)
{
  free(s->table);
  s->table_size = s->table_size ? s->table_size * 4 : 1024;
  s->table_shift = 64 - (unsigned) __builtin_ctzll(s->table_size);
  s->table = hd_alloc_zero(s->table_size * sizeof *s->table);
  for (size_t i = 0; i < s->ncells; i++)
  {
    size_t k = place_of(s, s->cells[i].key);
    while (s->table[k])
      k = (k + 1) & (s->table_size - 1);
    s->table[k] = (uint32_t) i + 1;
  }
}

enum
{
  NO_CELL = UINT32_MAX,
};

/* The cell of KEY. NO_CELL: it has none yet. */
static inline uint32_t
cell_of(const hd_linear_stream *s, int64_t key)
{
  size_t k = place_of(s, key);
  for (uint32_t number; (number = s->table[k]); k = (k + 1) & (s->table_size - 1))
    if (HD_LIKELY(s->cells[number - 1].key == key))
      return number - 1;
  return NO_CELL;
}

static void
add_key(hd_linear_stream *s, int64_t key)
{
  if (s->ncells * 2 >= s->table_size)
    grow_table(s);
  size_t k = place_of(s, key);
  while (s->table[k])
    k = (k + 1) & (s->table_size - 1);
  s->table[k] = (uint32_t) new_cell(s, key) + 1;
}

/* ---- episodes ---- */

static episode *
new_episode(hd_linear_stream *s)
{
  episode *e = s->free_episodes;
  if (e)
    s->free_episodes = e->next;
  else
    e = hd_alloc_zero(sizeof *e);
  return e;
}

/* The operation of P is called in E. */
static void
join_episode(episode *e, client *p)
{
  p->op = (uint32_t) e->n;
  HD_PUSH(e->ops, e->n, e->ops_cap, (cell_op){0});
  HD_PUSH(e->events, e->nevents, e->events_cap, 2 * p->op);
}

/* Nothing is open on C: what values are possible? False: give up. */
static bool
judge_episode(hd_linear_stream *s, cell *c)
{
  cell_search *search = &s->search;
  search->nnow = c->nvalues;
  search->now[0] = (cell_configuration){.value = c->value};
  for (size_t i = 0; i < c->nvalues && c->nvalues > 1; i++)
    search->now[i] = (cell_configuration){.value = c->values[i]};
  if (!hd_cell_run(search, c->overlaps))
    return false;
  c->nvalues = (uint32_t) search->nnow;
  c->value = search->now[0].value;
  if (c->nvalues > 1)
    c->values = hd_realloc(c->values, c->nvalues * sizeof *c->values);
  for (size_t i = 0; i < c->nvalues && c->nvalues > 1; i++)
    c->values[i] = search->now[i].value;
  c->overlaps->n = c->overlaps->nevents = 0;
  c->overlaps->next = s->free_episodes;
  s->free_episodes = c->overlaps;
  c->overlaps = NULL;
  return true;
}

/* ---- events ---- */

/* The usual way, an operation that is alone on its cell, calls nothing but at its end; so it needs not save registers,
 * which would be a good part of its work. */

/* P called an operation on C that is not alone there, or C has several values. */
static __attribute__((noinline)) bool
call_overlapping(hd_linear_stream *s, cell *c, client *p)
{
  if (!c->overlaps)
  {
    c->overlaps = new_episode(s);
    if (c->nopen > 1)
      join_episode(c->overlaps, &s->clients[c->process]);
  }
  join_episode(c->overlaps, p);
  return c->overlaps->n <= EPISODE_LONGEST;
}

/* ... and it returned. */
static __attribute__((noinline)) bool
return_overlapping(hd_linear_stream *s, cell *c, client *p, unsigned returned, int64_t ret)
{
  episode *e = c->overlaps;
  if (!cell_understand(p->rules, p->first, p->second, returned, ret, &e->ops[p->op]))
    return false;
  p->rules = NULL;
  c->nopen--;
  HD_PUSH(e->events, e->nevents, e->events_cap, 2 * p->op + 1);
  return c->nopen > 0 || judge_episode(s, c);
}

/* A call of a process, or with a key, that was not there before. */
static __attribute__((noinline)) bool
call_new(hd_linear_stream *s, uint32_t process, uint32_t method, const int64_t args[2])
{
  while (s->nclients <= process)
    HD_PUSH(s->clients, s->nclients, s->clients_cap, (client){0});
  if (s->keyed && cell_of(s, args[0]) == NO_CELL)
    add_key(s, args[0]);
  return hd_linear_stream_call(s, process, method, args);
}

bool
hd_linear_stream_call(hd_linear_stream *s, uint32_t process, uint32_t method, const int64_t args[2])
{
  uint32_t number = s->keyed ? cell_of(s, args[0]) : 0;
  if (HD_UNLIKELY(s->nclients <= process || number == NO_CELL))
    return call_new(s, process, method, args);
  client *p = &s->clients[process];
  cell *c = &s->cells[number];
  const cell_rule *rules = s->methods[method];
  /* Of an operation that has no such argument the rules do not ask for it. */
  int64_t first = args[s->keyed], second = args[1];
  if (p->rules || !rules || first == CELL_ABSENT || second == CELL_ABSENT || first == s->forbidden)
    return false;
  p->rules = rules;
  p->first = first;
  p->second = second;
  p->cell = number;
  if (c->nopen++ > 0 || c->nvalues > 1)
    return call_overlapping(s, c, p);
  c->process = process;
  return true;
}

bool
hd_linear_stream_return(hd_linear_stream *s, uint32_t process, bool says, int64_t ret)
{
  if (process >= s->nclients || !s->clients[process].rules)
    return false;
  client *p = &s->clients[process];
  cell *c = &s->cells[p->cell];
  ret = says ? ret : 0;
  uint64_t above = (uint64_t) ret + 1; /* CELL_MINUS, CELL_FALSE and CELL_TRUE stand in this order */
  unsigned returned = above < CELL_NUMBER ? (unsigned) above : CELL_NUMBER;
  returned = says ? returned : CELL_NIL;
  if (ret == CELL_ABSENT)
    return false;
  if (c->overlaps)
    return return_overlapping(s, c, p, returned, ret);
  cell_op o;
  if (!cell_understand(p->rules, p->first, p->second, returned, ret, &o) || !cell_step(&o, &c->value))
    return false;
  p->rules = NULL;
  c->nopen--;
  return true;
}

bool
hd_linear_stream_end(hd_linear_stream *s)
{
  for (size_t i = 0; i < s->nclients; i++)
  {
    client *p = &s->clients[i];
    cell_op o;
    if (!p->rules)
      continue;
    if (!cell_understand(p->rules, p->first, p->second, CELL_NEVER, 0, &o))
      return false;
    if (s->cells[p->cell].overlaps) /* else nobody can tell whether it took effect */
      s->cells[p->cell].overlaps->ops[p->op] = o;
  }
  for (size_t i = 0; i < s->ncells; i++)
    if (s->cells[i].overlaps && !judge_episode(s, &s->cells[i]))
      return false;
  return true;
}

/* ---- the handle ---- */

/* What cells are there at first? False: none that we know. */
static bool
first_value(const hd_linear_options *options, bool is_counter, int64_t *value)
{
  *value = is_counter ? 0 : CELL_ABSENT;
  return options->nconfig == 0 || (value_number(options->config[0], value) && (is_counter || *value != CELL_ABSENT));
}

hd_linear_stream *
hd_linear_stream_new(const hd_spec *spec, const hd_linear_options *options)
{
  const special_role *roles = spec->standard && (options->rules & HD_LINEAR_SPECIAL) ? hd_special_roles(spec) : NULL;
  bool is_map = strcmp(spec->name, "map") == 0, is_set = strcmp(spec->name, "set") == 0;
  bool is_register = strcmp(spec->name, "register") == 0, is_counter = strcmp(spec->name, "counter") == 0;
  int64_t initial;
  if (!roles || !(is_map || is_set || is_register || is_counter) || (is_map && !(options->rules & HD_LINEAR_PARTITION))
      || !first_value(options, is_counter, &initial))
    return NULL;
  hd_linear_stream *s = hd_alloc_zero(sizeof *s);
  s->forbidden = is_map ? -1 : CELL_ABSENT;
  s->keyed = is_map || is_set;
  for (size_t i = 0; i < spec->nmethods; i++)
    s->methods[i] = hd_cell_rules(roles[i], is_map);
  s->initial = s->keyed ? CELL_ABSENT : initial;
  s->lists = hd_alloc_array(3 * CELL_VALUES, sizeof *s->lists);
  s->search.now = s->lists;
  s->search.next = s->lists + CELL_VALUES;
  s->search.work = s->lists + 2 * CELL_VALUES;
  if (s->keyed)
    grow_table(s);
  else
    new_cell(s, 0);
  return s;
}

static void
free_episode(episode *e)
{
  if (e)
  {
    free(e->ops);
    free(e->events);
  }
  free(e);
}

void
hd_linear_stream_free(hd_linear_stream *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->ncells; i++)
  {
    free(s->cells[i].values);
    free_episode(s->cells[i].overlaps);
  }
  while (s->free_episodes)
  {
    episode *e = s->free_episodes;
    s->free_episodes = e->next;
    free_episode(e);
  }
  free(s->lists);
  free(s->cells);
  free(s->table);
  free(s->clients);
  free(s);
}
