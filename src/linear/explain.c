/* explain.c: why nothing explains an operation at its end.
 *
 * The history of its part is searched once more up to there: the states that are reached are what the object could be.
 * Then with the return of the operation left open: the returns that can be placed are what would have been right. */
#include <stdlib.h>
#include <string.h>

#include "linear/growth.h"
#include "linear/partition.h"
#include "linear/search.h"
#include "linear/special_parts.h"

enum
{
  MAX_CONFIGURATIONS = 20000,
  MAX_STEPS = 5000000,
  MAX_STATES = 4096,  /* that are told apart */
  SHOWN_ENTRIES = 16, /* of a state */
  ENTRY_TEXT = 40,    /* bytes of a value */
  STATE_TEXT = 1024,
  SHOWN_OPEN = 8, /* operations */
  MAX_TRIED = 8,  /* returns, from each end of the list */
};

/* ---- states in words ---- */

typedef struct state_printer
{
  hd_keys base; /* first: the specification gets a pointer to it */
  const hd_spec *spec;
  const void *state;
  hd_string text;
  size_t n;
  bool list; /* the keys are 0, 1, 2, ...: only the values are shown */
} state_printer;

static void
add_entry(hd_keys *keys, hd_value key)
{
  state_printer *p = (state_printer *) keys;
  hd_value value;
  if (p->n++ >= SHOWN_ENTRIES || !p->spec->view(p->state, key, &value))
    return;
  hd_string_add(&p->text, p->n > 1 ? ", " : "");
  if (!p->list)
  {
    hd_value_print(&p->text, key, ENTRY_TEXT);
    hd_string_add(&p->text, ": ");
  }
  hd_value_print(&p->text, value, ENTRY_TEXT);
}

static void
look_at_key(hd_keys *keys, hd_value key)
{
  state_printer *p = (state_printer *) keys;
  int64_t number;
  p->list = p->list && value_number(key, &number) && number == (int64_t) p->n;
  p->n++;
}

HD_GIVE char *
hd_linear_state_text(const hd_spec *spec, const void *state)
{
  if (spec->show)
  {
    char *text = hd_alloc(STATE_TEXT);
    spec->show(state, text, STATE_TEXT);
    return text;
  }
  if (!spec->keys || !spec->view)
    return NULL;
  state_printer p = {.base.add = look_at_key, .spec = spec, .state = state, .list = true};
  spec->keys(state, &p.base);
  hd_value value;
  if (!p.list && p.n == 1 && spec->view(state, hd_nil(), &value))
  {
    hd_value_print(&p.text, value, ENTRY_TEXT); /* an object that is one value */
    return p.text.text;
  }
  if (p.n == 0)
  {
    hd_string_add(&p.text, "empty");
    return p.text.text;
  }
  p.base.add = add_entry;
  p.n = 0;
  hd_string_add(&p.text, p.list ? "[" : "{");
  spec->keys(state, &p.base);
  if (p.n > SHOWN_ENTRIES)
    hd_string_printf(&p.text, ", ... %zu more", p.n - SHOWN_ENTRIES);
  hd_string_add(&p.text, p.list ? "]" : "}");
  return p.text.text;
}

/* ---- what is not known ---- */

static void
add_op(hd_string *s, const hd_spec *spec, const hd_linear_op *o)
{
  hd_string_printf(s, "%s(", spec->methods[o->method].name);
  for (uint32_t i = 0; i < o->nargs; i++)
  {
    hd_string_add(s, i ? ", " : "");
    hd_value_print(s, hd_linear_args(o)[i], ENTRY_TEXT);
  }
  hd_string_add(s, ")");
  if (o->pending || o->any_ret || o->ret.type == HD_NIL)
    return;
  hd_string_add(s, " = ");
  hd_value_print(s, o->ret, ENTRY_TEXT);
}

HD_GIVE char *
hd_linear_unknown_text(const hd_spec *spec, const hd_linear_op *ops, size_t n, const hd_linear_result *result)
{
  hd_string s = {0};
  size_t explained = 0;
  for (size_t i = 0; i < n; i++)
    explained += !ops[i].pending && ops[i].end < result->legal_until;
  hd_string_printf(&s, "%s; the first %zu operations that ended can be explained (the longest prefix that was settled)",
                   result->stopped, explained);
  for (size_t i = 0; i < result->why.nids && i < SHOWN_OPEN; i++)
  {
    hd_string_add(&s, i ? ", " : "; open there: ");
    add_op(&s, spec, &ops[result->why.ids[i]]);
  }
  if (result->why.nids > SHOWN_OPEN)
    hd_string_printf(&s, " and %zu more", result->why.nids - SHOWN_OPEN);
  return s.text;
}

/* ---- watching the search ---- */

typedef struct scene_watcher
{
  linear_watcher base; /* first */
  const hd_spec *spec;
  hd_linear_scene *scene;
  void *seen[MAX_STATES]; /* copies */
  size_t nseen;
} scene_watcher;

static void
see_state(linear_watcher *watcher, const void *state)
{
  scene_watcher *w = (scene_watcher *) watcher;
  for (size_t i = 0; w->spec->equal && i < w->nseen; i++)
    if (w->spec->equal(w->seen[i], state))
      return;
  if (w->nseen < HD_LINEAR_STATES)
    w->scene->states[w->nseen] = hd_linear_state_text(w->spec, state);
  if (w->nseen < MAX_STATES)
    w->seen[w->nseen++] = w->spec->copy(state);
  w->scene->nstates++;
}

static void
keep_return(hd_linear_scene *scene, hd_value ret)
{
  if (scene->nreturns == HD_LINEAR_RETURNS)
    return;
  if (ret.type >= HD_STR)
    ret.p = hd_strndup(ret.p, ret.length);
  scene->returns[scene->nreturns++] = ret;
}

static void
see_return(linear_watcher *watcher, hd_value ret)
{
  hd_linear_scene *scene = ((scene_watcher *) watcher)->scene;
  for (size_t i = 0; i < scene->nreturns; i++)
    if (hd_value_equal(scene->returns[i], ret))
      return;
  scene->more_returns |= scene->nreturns == HD_LINEAR_RETURNS;
  if (scene->nreturns == HD_LINEAR_RETURNS)
    return;
  keep_return(scene, ret);
}

static void
see_nothing(linear_watcher *watcher, hd_value ret)
{
  (void) watcher, (void) ret;
}

static void
ignore_state(linear_watcher *watcher, const void *state)
{
  (void) watcher, (void) state;
}

static void
drop_return(hd_value v)
{
  if (v.type >= HD_STR)
    free((void *) (uintptr_t) v.p);
}

static bool
can_say_returns(const hd_spec *spec, uint32_t method)
{
  return spec->outcomes || spec->methods[method].ret == 'n' || spec->methods[method].ret == 'b';
}

/* What was seen of the search with the operation as it is, and of the one with its return left open. */
static void
watch(const linear_part *part, hd_linear_op *ops, uint32_t failing, const hd_linear_options *options,
      hd_linear_scene *scene)
{
  const hd_spec *spec = part->spec;
  uint64_t steps = MAX_STEPS;
  scene_watcher *watcher = hd_alloc_zero(sizeof *watcher);
  watcher->base = (linear_watcher){.op = failing, .state = see_state, .returned = see_nothing};
  watcher->spec = spec;
  watcher->scene = scene;
  linear_limits limits = {.rules = options->rules,
                          .max_configurations = MAX_CONFIGURATIONS,
                          .steps = &steps,
                          .cancel = options->cancel,
                          .watcher = &watcher->base};
  linear_found found;
  hd_linear_search(part, &limits, &found);
  scene->known = found.answer == HD_LINEAR_VIOLATED;
  for (size_t i = 0; i < watcher->nseen; i++)
    spec->destroy(watcher->seen[i]);
  scene->more_returns = !scene->known || !can_say_returns(spec, ops[failing].method) || ops[failing].unchanged;
  if (!scene->more_returns)
  {
    watcher->base.state = ignore_state;
    watcher->base.returned = see_return;
    hd_linear_op kept = ops[failing];
    ops[failing].any_ret = true;
    hd_linear_search(part, &limits, &found);
    scene->more_returns |= found.answer == HD_LINEAR_UNKNOWN;
    /* A return that could be placed may still not get to the end. */
    ops[failing] = kept;
    limits.watcher = NULL;
    size_t n = 0;
    for (size_t i = 0; i < scene->nreturns; i++)
    {
      ops[failing].ret = scene->returns[i];
      hd_linear_search(part, &limits, &found);
      scene->more_returns |= found.answer == HD_LINEAR_UNKNOWN;
      if (found.answer == HD_LINEAR_HOLDS)
        scene->returns[n++] = scene->returns[i];
      else
        drop_return(scene->returns[i]);
    }
    scene->nreturns = n;
    ops[failing] = kept;
  }
  free(watcher);
}

/* ---- without search ---- */

static int
by_start(const void *a, const void *b)
{
  const hd_linear_op *x = *(const hd_linear_op *const *) a, *y = *(const hd_linear_op *const *) b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static bool
is_explained(const linear_part *part, hd_linear_op *ops, uint32_t failing, hd_value ret,
             const hd_linear_options *options)
{
  special_options special = {.config = options->config, .nconfig = options->nconfig, .cancel = options->cancel};
  hd_value kept = ops[failing].ret;
  ops[failing].ret = ret;
  special_answer answer = hd_special_decide(part->spec, ops, part->n, &special, NULL);
  ops[failing].ret = kept;
  return answer == SPECIAL_HOLDS;
}

/* The search was too long; but what a container may have given out is what was put in and not given out, or nothing.
 * The oldest and the newest of these are tried. */
static void
try_returns(const linear_part *part, hd_linear_op *ops, uint32_t failing, const hd_linear_options *options,
            hd_linear_scene *scene)
{
  if (!part->spec->standard || ops[failing].nargs > 0)
    return;
  special_job job = {.ops = ops, .n = part->n};
  special_values taken;
  special_range range = {0};
  for (uint32_t i = 0; i < part->n; i++)
    if (ops[i].nargs == 0 && i != failing) /* also what is given out later, by those that are open */
      range_include(&range, ops[i].ret);
  hd_special_values_open(&job, &taken, &range);
  bool fresh;
  for (uint32_t i = 0; i < part->n; i++)
    if (ops[i].nargs == 0 && i != failing)
      hd_special_values_add(&taken, ops[i].ret, &fresh);
  const hd_linear_op **puts = hd_special_array(&job, part->n, sizeof *puts);
  uint32_t n = 0;
  for (uint32_t i = 0; i < part->n; i++)
    if (ops[i].nargs > 0 && hd_special_values_find(&taken, ops[i].args[0]) == NONE)
      puts[n++] = &ops[i];
  qsort(puts, n, sizeof *puts, by_start);
  scene->more_returns = n > 2 * MAX_TRIED;
  for (uint32_t i = 0; i < n && scene->nreturns < HD_LINEAR_RETURNS; i++)
  {
    if (i == MAX_TRIED && n > 2 * MAX_TRIED)
      i = n - MAX_TRIED;
    if (is_explained(part, ops, failing, puts[i]->args[0], options))
      keep_return(scene, puts[i]->args[0]);
  }
  if (is_explained(part, ops, failing, hd_nil(), options))
    keep_return(scene, hd_nil());
  hd_special_end(&job);
}

/* ---- the part of the operation, up to its end ---- */

/* The last operations before FAILING that may have changed the object. */
static void
show_before(const linear_part *part, const hd_linear_op *ops, uint32_t failing, hd_linear_scene *scene)
{
  for (uint32_t e = (uint32_t) ops[failing].start; e-- > 0 && scene->nbefore < HD_LINEAR_BEFORE;)
  {
    const hd_linear_op *o = &ops[part->events[e] >> 1];
    if ((part->events[e] & 1) && !o->unchanged && part->spec->methods[o->method].role == HD_MUTATOR)
      scene->before[scene->nbefore++] = o->id;
  }
}

static void
search_part(const hd_spec *spec, const hd_linear_op *ops, const hd_linear_options *options, const linear_parts *parts,
            uint32_t k, uint32_t failing, hd_linear_scene *scene)
{
  uint32_t n = parts->first[k + 1] - parts->first[k];
  hd_linear_op *local = hd_alloc_array(n, sizeof *local);
  linear_part part = {.spec = spec,
                      .config = options->config,
                      .nconfig = options->nconfig,
                      .ops = local,
                      .n = n,
                      .events = parts->events + parts->event_first[k]};
  uint32_t index = 0;
  for (uint32_t i = 0; i < n; i++)
  {
    local[i] = ops[parts_op(parts, parts->first[k] + i)];
    if (parts_op(parts, parts->first[k] + i) == failing)
      index = i;
  }
  /* Up to the end of the failing one. */
  while (part.events[part.nevents] != 2 * index + 1)
    part.nevents++;
  part.nevents++;
  for (uint32_t i = 0; i < n; i++)
    local[i].end = UINT64_MAX;
  for (uint32_t e = 0; e < part.nevents; e++)
    *(part.events[e] & 1 ? &local[part.events[e] >> 1].end : &local[part.events[e] >> 1].start) = e;
  uint32_t started = 0;
  for (uint32_t e = 0; e < part.nevents; e++)
    started += !(part.events[e] & 1);
  part.n = started; /* operations are numbered in the order of their starts */
  for (uint32_t i = 0; i < part.n; i++)
  {
    local[i].pending |= local[i].end == UINT64_MAX;
    bool with = local[i].pending || (local[i].end > local[index].start && i != index);
    if (with && scene->nopen < HD_LINEAR_SHOWN)
      scene->open[scene->nopen++] = local[i].id;
  }
  show_before(&part, local, index, scene);
  if (parts->keys && parts->nkeys[k] > 1)
  {
    part.key_first = parts->key_first + parts->first[k];
    part.keys = parts->keys;
    part.nkeys = parts->nkeys[k];
  }
  growth *g = hd_linear_growth_use(&part);
  watch(&part, local, index, options, scene);
  scene->more_returns |= g != NULL; /* it knows only what was returned */
  if (!scene->known && hd_special_knows(spec))
    try_returns(&part, local, index, options, scene);
  hd_linear_growth_free(g);
  free(local);
}

void
hd_linear_explain(const hd_spec *spec, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
                  uint64_t failing, hd_linear_scene *scene)
{
  *scene = (hd_linear_scene){0};
  special_job order = {.ops = ops, .n = (uint32_t) n};
  hd_special_events(&order);
  linear_parts parts;
  hd_linear_parts_init(&parts, spec, &order, (options->rules & HD_LINEAR_PARTITION) != 0);
  for (uint32_t k = 0; k < parts.nparts; k++)
    for (uint32_t i = parts.first[k]; i < parts.first[k + 1]; i++)
      if (ops[parts_op(&parts, i)].id == failing && !ops[parts_op(&parts, i)].pending)
        search_part(spec, ops, options, &parts, k, parts_op(&parts, i), scene);
  hd_linear_parts_done(&parts);
  hd_special_end(&order);
}

void
hd_linear_scene_clear(hd_linear_scene *scene)
{
  for (size_t i = 0; i < HD_LINEAR_STATES; i++)
    free(scene->states[i]);
  for (size_t i = 0; i < scene->nreturns; i++)
    drop_return(scene->returns[i]);
  *scene = (hd_linear_scene){0};
}
