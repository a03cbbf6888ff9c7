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

typedef struct method_facts
{
  const cell_rule *rules; /* NULL: we do not know it */
  /* Which of its arguments are not the key; where it has none the rules do not ask for it. */
  uint32_t first, second;
} method_facts;

struct hd_linear_stream
{
  method_facts methods[MAX_METHODS];
  bool keyed;
  bool map;
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

static uint32_t
cell_of(hd_linear_stream *s, int64_t key)
{
  size_t k = place_of(s, key);
  for (; s->table[k]; k = (k + 1) & (s->table_size - 1))
    if (s->cells[s->table[k] - 1].key == key)
      return s->table[k] - 1;
  size_t number = new_cell(s, key);
  s->table[k] = (uint32_t) number + 1;
  if (s->ncells * 2 > s->table_size)
    grow_table(s);
  return (uint32_t) number;
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

bool
hd_linear_stream_call(hd_linear_stream *s, uint32_t process, uint32_t method, const int64_t args[2])
{
  while (HD_UNLIKELY(s->nclients <= process))
    HD_PUSH(s->clients, s->nclients, s->clients_cap, (client){0});
  client *p = &s->clients[process];
  const method_facts *m = &s->methods[method];
  int64_t first = args[m->first], second = args[m->second];
  /* What means "absent" cannot be written. */
  if (p->rules || !m->rules || first == CELL_ABSENT || second == CELL_ABSENT || (s->map && first == -1))
    return false;
  p->rules = m->rules;
  p->first = first;
  p->second = second;
  p->cell = s->keyed ? cell_of(s, args[0]) : 0;
  cell *c = &s->cells[p->cell];
  if (c->nopen++ == 0 && c->nvalues == 1)
  {
    c->process = process;
    return true;
  }
  if (!c->overlaps)
  {
    c->overlaps = new_episode(s);
    if (c->nopen > 1)
      join_episode(c->overlaps, &s->clients[c->process]);
  }
  join_episode(c->overlaps, p);
  return c->overlaps->n <= EPISODE_LONGEST;
}

bool
hd_linear_stream_return(hd_linear_stream *s, uint32_t process, const int64_t *ret)
{
  client *p = process < s->nclients ? &s->clients[process] : NULL;
  int64_t n = ret ? *ret : 0;
  uint64_t above = (uint64_t) n + 1; /* CELL_MINUS, CELL_FALSE and CELL_TRUE stand in this order */
  unsigned returned = !ret ? CELL_NIL : above < CELL_NUMBER ? (unsigned) above : CELL_NUMBER;
  cell_op o;
  if (!p || !p->rules || n == CELL_ABSENT || !cell_understand(p->rules, p->first, p->second, returned, n, &o))
    return false;
  p->rules = NULL;
  cell *c = &s->cells[p->cell];
  c->nopen--;
  if (!c->overlaps)
    return cell_step(&o, &c->value);
  c->overlaps->ops[p->op] = o;
  HD_PUSH(c->overlaps->events, c->overlaps->nevents, c->overlaps->events_cap, 2 * p->op + 1);
  return c->nopen > 0 || judge_episode(s, c);
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
  s->map = is_map;
  s->keyed = is_map || is_set;
  for (size_t i = 0; i < spec->nmethods; i++)
    s->methods[i] = (method_facts){.rules = hd_cell_rules(roles[i], is_map), .first = s->keyed, .second = 1};
  s->initial = s->keyed ? CELL_ABSENT : initial;
  cell_configuration **lists[] = {&s->search.now, &s->search.next, &s->search.work};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    *lists[i] = hd_alloc_array(CELL_VALUES, sizeof **lists[i]);
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
  free(s->search.now);
  free(s->search.next);
  free(s->search.work);
  free(s->cells);
  free(s->table);
  free(s->clients);
  free(s);
}
