/* growth.c: a key of a map whose text grows by append, seen through what its gets returned.
 *
 * Many appends that overlap can be put in many orders, but only those matter that some get has shown: a value that is
 * not the beginning of any text that was returned is as good as lost, whatever it is, until a put replaces it. So the
 * state is a beginning of one of these texts (the first of them in their order, and a length), or "lost"; the search
 * treats all lost states as one, in which an append may have happened or may still happen (search.c). */
#include "linear/growth.h"

#include <stdlib.h>
#include <string.h>

#include "linear/special_parts.h"

/* The methods of the built-in map. */
enum
{
  GET,
  PUT,
  APPEND,
  DEL,
  NMETHODS
};

struct growth
{
  hd_value *texts; /* what gets returned, sorted; absent is the empty text */
  size_t n;
  uint32_t type; /* of all texts */
  hd_value self; /* the configuration through which a state finds this */
  hd_value key;
};

typedef struct text_state
{
  const growth *g;
  size_t text; /* the first text that begins with the value; N: lost */
  uint32_t length;
} text_state;

/* ---- values ---- */

/* Text I against the first LENGTH bytes of BASE followed by MORE: does it lie before them, begin with them (0), or lie
 * after them? */
static int
compare(hd_value text, const char *base, uint32_t length, hd_value more)
{
  uint32_t n = text.length < length ? text.length : length;
  int c = n ? memcmp(text.s, base, n) : 0;
  if (c != 0 || text.length < length)
    return c != 0 ? c : -1;
  uint32_t rest = text.length - length;
  n = rest < more.length ? rest : more.length;
  c = n ? memcmp(text.s + length, more.s, n) : 0;
  return c != 0 || rest >= more.length ? c : -1;
}

/* The value of S with MORE behind it; S itself is not lost. */
static text_state
grown(const text_state *s, bool fresh, hd_value more)
{
  const growth *g = s->g;
  const char *base = fresh ? "" : g->texts[s->text].s;
  uint32_t length = fresh ? 0 : s->length;
  size_t low = 0, high = g->n;
  while (low < high)
  {
    size_t middle = low + (high - low) / 2;
    if (compare(g->texts[middle], base, length, more) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == g->n || compare(g->texts[low], base, length, more) != 0)
    return (text_state){g, g->n, 0};
  return (text_state){g, low, length + more.length};
}

/* ---- the specification ---- */

static void *
create(const hd_value *config, size_t n)
{
  (void) n;
  text_state *s = hd_alloc(sizeof *s);
  *s = (text_state){.g = config[0].p};
  return s;
}

static void *
copy(const void *s)
{
  text_state *c = hd_alloc(sizeof *c);
  *c = *(const text_state *) s;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  const text_state *x = a, *y = b;
  return x->text == y->text && x->length == y->length;
}

static uint64_t
hash(const void *state)
{
  const text_state *s = state;
  return hd_mix(s->text * 0x10001 + s->length);
}

static bool
lost(const void *state)
{
  const text_state *s = state;
  return s->text == s->g->n;
}

static hd_value
value(const text_state *s)
{
  return (hd_value){.type = s->g->type, .length = s->length, .s = s->g->texts[s->text].s};
}

static text_state
after(const text_state *s, const hd_op *op)
{
  switch (op->method)
  {
  case PUT:
    return grown(s, true, op->args[1]);
  case APPEND:
    return lost(s) ? *s : grown(s, false, op->args[1]);
  case DEL: /* says nothing: it may have been there or not */
    return (text_state){.g = s->g};
  default:
    return *s;
  }
}

static hd_step
apply(void *state, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  text_state *s = state;
  if (op->method == GET || (op->method == DEL && value_is(op->ret, 0)))
  {
    bool seen = !lost(s)
                && (op->method == GET && !value_absent(op->ret) ? hd_value_equal(value(s), op->ret) : s->length == 0);
    return seen ? HD_SAME : HD_REJECT;
  }
  text_state next = after(s, op);
  if (equal(s, &next))
    return HD_SAME;
  *s = next;
  return HD_CHANGED;
}

static hd_step
test(const void *state, const hd_op *op)
{
  text_state s = *(const text_state *) state;
  return apply(&s, op, NULL);
}

static size_t
outcomes(const void *state, const hd_op *op, hd_value *ret, size_t max)
{
  const text_state *s = state;
  if (max == 0 || (op->method == GET && lost(s)))
    return 0;
  ret[0] = op->method == GET ? value(s) : hd_nil();
  return 1;
}

static uint32_t
traits(const hd_op *op)
{
  bool looks = op->method == GET || (op->method == DEL && value_is(op->ret, 0));
  return HD_ANYONE | (looks ? HD_LOOKS : op->method == APPEND ? HD_TOTAL : HD_BLIND);
}

static bool
view(const void *state, hd_value key, hd_value *out)
{
  (void) key;
  const text_state *s = state;
  *out = lost(s) ? hd_str("something that nobody saw") : value(s);
  return lost(s) || s->length > 0;
}

static void
keys(const void *state, hd_keys *all)
{
  const text_state *s = state;
  if (lost(s) || s->length > 0)
    hd_touch(all, s->g->key);
}

static const hd_method methods[NMETHODS] = {
    [GET] = {"get", HD_OBSERVER, "*", '*'},
    [PUT] = {"put", HD_MUTATOR, "**", '*'},
    [APPEND] = {"append", HD_MUTATOR, "**", '*'},
    [DEL] = {"del", HD_MUTATOR, "*", '*'},
};

static const hd_spec text_map = {.abi = HD_SPEC_ABI,
                                 .size = sizeof(hd_spec),
                                 .name = "map",
                                 .methods = methods,
                                 .nmethods = NMETHODS,
                                 .create = create,
                                 .destroy = free,
                                 .apply = apply,
                                 .test = test,
                                 .copy = copy,
                                 .equal = equal,
                                 .hash = hash,
                                 .outcomes = outcomes,
                                 .traits = traits,
                                 .view = view,
                                 .keys = keys};

/* ---- life ---- */

static int
by_text(const void *a, const void *b)
{
  const hd_value *x = a, *y = b;
  uint32_t n = x->length < y->length ? x->length : y->length;
  int c = n ? memcmp(x->s, y->s, n) : 0;
  return c != 0 ? c : x->length < y->length ? -1 : x->length > y->length;
}

/* Is O of a kind that this specification says the same of as the map's own? */
static bool
fits(const hd_linear_op *o, hd_value key, uint32_t *type)
{
  if (o->unchanged || o->any_ret || o->exceptional || !hd_value_equal(o->args[0], key))
    return false;
  hd_value text = o->method == GET ? o->ret : o->args[1];
  switch (o->method)
  {
  case DEL:
    return o->pending || o->ret.type == HD_NIL || value_is(o->ret, 0);
  case GET:
    if (o->pending || value_absent(o->ret))
      return true;
    break;
  default:
    if (text.length == 0 || !(o->pending || value_done(o->ret)))
      return false;
    break;
  }
  if (text.type < HD_STR || (*type != HD_NIL && text.type != *type))
    return false;
  *type = text.type;
  return true;
}

HD_GIVE growth *
hd_linear_growth_use(linear_part *part)
{
  const hd_spec *spec = part->spec;
  if (!spec->standard || strcmp(spec->name, "map") != 0 || part->keys || part->n == 0)
    return NULL;
  bool appends = false;
  uint32_t type = HD_NIL;
  for (uint32_t i = 0; i < part->n; i++)
  {
    if (!fits(part_op(part, i), part_op(part, 0)->args[0], &type))
      return NULL;
    appends |= part_op(part, i)->method == APPEND;
  }
  if (!appends)
    return NULL;
  growth *g = hd_alloc_zero(sizeof *g);
  g->type = type;
  g->key = part_op(part, 0)->args[0];
  g->texts = hd_alloc_array((size_t) part->n + 1, sizeof *g->texts);
  g->texts[g->n++] = (hd_value){.type = type, .s = ""}; /* absent */
  for (uint32_t i = 0; i < part->n; i++)
    if (part_op(part, i)->method == GET && !part_op(part, i)->pending && !value_absent(part_op(part, i)->ret))
      g->texts[g->n++] = part_op(part, i)->ret;
  qsort(g->texts, g->n, sizeof *g->texts, by_text);
  g->self = (hd_value){.type = HD_BYTES, .p = g};
  part->spec = &text_map;
  part->config = &g->self;
  part->nconfig = 1;
  part->lost = lost;
  return g;
}

void
hd_linear_growth_free(HD_TAKE growth *g)
{
  if (!g)
    return;
  free(g->texts);
  free(g);
}
