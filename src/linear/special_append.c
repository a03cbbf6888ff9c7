/* special_append.c: a key of a map whose values grow by append, if what is put and appended is unique.
 *
 * A get shows which pieces the value was made of, and in which order: an append that some get has seen replaced the
 * value before it by a longer one, as a successful cas would. One that nobody saw came last before a put, or after
 * everything: it may as well have written something that nobody reads. So the key is a register with cas and unique
 * values (special_zones.c).
 *
 * It must be possible to take a text apart in one way only: no piece may be the beginning of another. */
#include "linear/special_parts.h"

#include <string.h>

enum
{
  MAX_LENGTHS = 32, /* different lengths of pieces: each is tried at each place */
};

typedef struct pieces
{
  special_register r;
  special_values values; /* all pieces */
  uint32_t *op;          /* by piece: who put or appended it */
  uint32_t *node;        /* by operation that puts or appends: the value that it made, or NONE */
  uint32_t *parent;      /* by value: what it was made from; NONE: by put */
  uint32_t *seen_by;     /* by value: a get that saw it, or one that begins with it */
  uint32_t lengths[MAX_LENGTHS];
  uint32_t nlengths;
  uint32_t type; /* of all texts */
} pieces;

static hd_value
cut(hd_value text, uint32_t from, uint32_t length)
{
  text.s += from;
  text.length = length;
  return text;
}

static bool
puts_piece(const special_job *job, uint32_t op)
{
  return job_role(job, op) == ROLE_WRITE || job_role(job, op) == ROLE_APPEND;
}

static bool
add_length(pieces *p, uint32_t length)
{
  for (uint32_t i = 0; i < p->nlengths; i++)
    if (p->lengths[i] == length)
      return true;
  if (p->nlengths == MAX_LENGTHS)
    return false;
  p->lengths[p->nlengths++] = length;
  return true;
}

/* False: not fit. */
static bool
gather_pieces(special_job *job, pieces *p)
{
  special_range range = {.other = true};
  for (uint32_t i = 0; i < job->n; i++)
  {
    const hd_linear_op *o = &job->ops[i];
    if (job_role(job, i) == ROLE_DEL && (o->pending || !value_is(o->ret, 0)))
      return false;
    if (!puts_piece(job, i))
      continue;
    hd_value v = o->args[1];
    if (v.type < HD_STR || v.length == 0 || (range.n > 0 && v.type != p->type) || !(o->pending || value_done(o->ret)))
      return false;
    p->type = v.type;
    range.n++;
    if (!add_length(p, v.length))
      return false;
  }
  hd_special_values_open(job, &p->values, &range);
  p->op = hd_special_array(job, range.n + 1, sizeof *p->op);
  for (uint32_t i = 0; i < job->n; i++)
  {
    bool fresh = true;
    if (puts_piece(job, i))
      p->op[hd_special_values_add(&p->values, job->ops[i].args[1], &fresh)] = i;
    if (!fresh)
      return false;
  }
  for (uint32_t k = 0; k < p->values.n; k++)
    for (uint32_t l = 0; l < p->nlengths; l++)
      if (p->lengths[l] < p->values.values[k].length
          && hd_special_values_find(&p->values, cut(p->values.values[k], 0, p->lengths[l])) != NONE)
        return false;
  return true;
}

/* ---- taking texts apart ---- */

static uint32_t
new_value(pieces *p, uint32_t writer, uint32_t parent, uint32_t seen_by)
{
  uint32_t node = p->r.n++;
  p->r.writer[node] = writer;
  p->parent[node] = parent;
  p->seen_by[node] = seen_by;
  return node;
}

/* Who put or appended the piece that TEXT has at AT, or NONE. */
static uint32_t
piece_at(const pieces *p, hd_value text, uint32_t at)
{
  for (uint32_t l = 0; l < p->nlengths; l++)
    if (p->lengths[l] <= text.length - at)
    {
      uint32_t k = hd_special_values_find(&p->values, cut(text, at, p->lengths[l]));
      if (k != NONE)
        return p->op[k];
    }
  return NONE;
}

static special_answer
seen_twice(special_job *job, uint32_t op, uint32_t one, uint32_t other)
{
  hd_special_show(job, op);
  hd_special_show(job, one);
  hd_special_show(job, other);
  return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, false, "%s and %s saw %s at different places",
                             hd_special_op_text(job, one), hd_special_op_text(job, other), hd_special_op_text(job, op));
}

/* The value that GET saw. SPECIAL_HOLDS: it is in NODE. */
static special_answer
take_apart(special_job *job, pieces *p, uint32_t get, uint32_t *node)
{
  hd_value text = job->ops[get].ret;
  *node = 0;
  if (value_absent(text))
    return SPECIAL_HOLDS;
  if (text.type != p->type)
    return hd_special_from_nowhere(job, get);
  for (uint32_t at = 0; at < text.length;)
  {
    uint32_t op = piece_at(p, text, at);
    bool puts = op != NONE && job_role(job, op) == ROLE_WRITE;
    if (op == NONE || (puts && at > 0))
      return hd_special_from_nowhere(job, get);
    uint32_t parent = puts ? NONE : *node;
    if (p->node[op] == NONE)
      p->node[op] = new_value(p, op, parent, get);
    else if (p->parent[p->node[op]] != parent)
      return seen_twice(job, op, p->seen_by[p->node[op]], get);
    *node = p->node[op];
    at += job->ops[op].args[1].length;
    job->steps++;
  }
  return SPECIAL_HOLDS;
}

/* ---- as a register ---- */

static void
describe_writer(special_job *job, pieces *p, uint32_t op)
{
  special_register *r = &p->r;
  uint32_t node = p->node[op];
  if (node == NONE && job->ops[op].pending)
  {
    r->kind[op] = REGISTER_NOTHING;
    r->value[op] = r->saw[op] = 0;
    return;
  }
  bool seen = node != NONE;
  if (!seen)
    node = new_value(p, op, NONE, NONE);
  r->value[op] = node;
  bool swaps = job_role(job, op) == ROLE_APPEND && seen;
  r->kind[op] = swaps ? REGISTER_SWAPS : REGISTER_WRITES;
  r->saw[op] = swaps ? p->parent[node] : node;
  r->ncas += swaps;
}

special_answer
hd_special_append(special_job *job)
{
  pieces p = {.r.initial = hd_nil(), .r.n = 1};
  special_register *r = &p.r;
  if (!gather_pieces(job, &p))
    return SPECIAL_NOT_FIT;
  uint32_t **by_op[] = {&p.node, &r->value, &r->saw}, **by_value[] = {&r->writer, &p.parent, &p.seen_by};
  for (size_t k = 0; k < 3; k++)
  {
    *by_op[k] = hd_special_array(job, job->n, sizeof(uint32_t));
    memset(*by_op[k], 0xff, job->n * sizeof(uint32_t)); /* NONE */
    *by_value[k] = hd_special_array(job, (size_t) p.values.n + 1, sizeof(uint32_t));
    **by_value[k] = NONE;
  }
  r->kind = hd_special_array(job, job->n, sizeof *r->kind);
  for (uint32_t i = 0; i < job->n; i++)
  {
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (puts_piece(job, i))
      continue;
    bool looks = !job->ops[i].pending;
    r->kind[i] = looks ? REGISTER_LOOKS : REGISTER_NOTHING;
    r->value[i] = 0;
    special_answer answer
        = looks && job_role(job, i) == ROLE_READ ? take_apart(job, &p, i, &r->value[i]) : SPECIAL_HOLDS;
    if (answer != SPECIAL_HOLDS)
      return answer;
    r->saw[i] = r->value[i];
  }
  for (uint32_t i = 0; i < job->n; i++)
    if (puts_piece(job, i))
      describe_writer(job, &p, i);
  r->nwritten = r->n - 1;
  special_answer answer = hd_special_zones(job, r);
  if (job->why)
    job->why->alone = false; /* a get is understood only together with all that made its value */
  return answer;
}
