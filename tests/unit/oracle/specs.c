/* specs.c: the models as specifications. Touched keys are exactly those whose view changed, so that a checker that
 * forgets to carry a key to the next comparison is found out. */
#include "specs.h"

#include "base/base.h"

#include <stdlib.h>

long specs_alive;

typedef struct state
{
  const model *model;
  model_state s;
} state;

typedef struct replica
{
  const model *model;
  model_replica r;
} replica;

static const model *
model_of(const hd_value *config, size_t n)
{
  HD_CHECK(n == 1 && config[0].u < MODEL_COUNT);
  return &models[config[0].u];
}

static void *
create(const hd_value *config, size_t n)
{
  state *s = hd_alloc_zero(sizeof *s);
  s->model = model_of(config, n);
  specs_alive++;
  return s;
}

static void
destroy(void *s)
{
  specs_alive--;
  free(s);
}

static void *
copy(const void *s)
{
  state *c = hd_alloc(sizeof *c);
  *c = *(const state *) s;
  specs_alive++;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  return memcmp(&((const state *) a)->s, &((const state *) b)->s, sizeof(model_state)) == 0;
}

static uint64_t
hash(const void *s)
{
  const model_state *m = &((const state *) s)->s;
  uint64_t h = (uint64_t) m->n;
  for (int i = 0; i < MODEL_CELLS; i++)
    h = hd_mix(h * 31 + (uint8_t) m->cell[i]);
  return h;
}

static hd_step
apply(void *p, const hd_op *op, hd_keys *touched)
{
  state *s = p;
  model_state before = s->s;
  hd_step step = s->model->apply(&s->s, op->method, op->args, (model_return){op->ret, op->exceptional});
  for (unsigned key = 0; step == HD_CHANGED && touched && key < s->model->nkeys; key++)
  {
    int64_t a = 0, b = 0;
    bool has_a = s->model->view(&before, key, &a), has_b = s->model->view(&s->s, key, &b);
    if (has_a != has_b || a != b)
      hd_touch(touched, hd_int(key));
  }
  return step;
}

static hd_step
test(const void *p, const hd_op *op)
{
  state copy = *(const state *) p;
  return copy.model->apply(&copy.s, op->method, op->args, (model_return){op->ret, op->exceptional});
}

static size_t
outcomes(const void *p, const hd_op *op, hd_value *ret, size_t max)
{
  const state *s = p;
  hd_value out[MODEL_OUTCOMES];
  size_t n = s->model->outcomes(&s->s, op->method, op->args, out);
  for (size_t i = 0; i < n && i < max; i++)
    ret[i] = out[i];
  return n;
}

static bool
view(const void *p, hd_value key, hd_value *out)
{
  const state *s = p;
  int64_t v = 0;
  if (!s->model->view(&s->s, (unsigned) key.u, &v))
    return false;
  *out = hd_int(v);
  return true;
}

static void
keys(const void *p, hd_keys *all)
{
  const state *s = p;
  int64_t v;
  for (unsigned key = 0; key < s->model->nkeys; key++)
    if (s->model->view(&s->s, key, &v))
      hd_touch(all, hd_int(key));
}

static void *
replica_create(const hd_value *config, size_t n)
{
  replica *r = hd_alloc_zero(sizeof *r);
  r->model = model_of(config, n);
  specs_alive++;
  return r;
}

static void *
replica_copy(const void *p)
{
  replica *r = hd_alloc(sizeof *r);
  *r = *(const replica *) p;
  specs_alive++;
  return r;
}

static void
replica_write(void *p, uint64_t var, hd_value v, hd_keys *touched)
{
  replica *r = p;
  model_replica before = r->r;
  HD_CHECK(var < r->model->nvars);
  r->r.var[var] = (int8_t) v.i;
  for (unsigned key = 0; touched && key < r->model->nkeys; key++)
  {
    int64_t a = 0, b = 0;
    bool has_a = r->model->replica_view(&before, key, &a), has_b = r->model->replica_view(&r->r, key, &b);
    if (has_a != has_b || a != b)
      hd_touch(touched, hd_int(key));
  }
}

static bool
replica_read(const void *p, uint64_t var, hd_value *v)
{
  *v = hd_int(((const replica *) p)->r.var[var]);
  return true;
}

static bool
replica_view(const void *p, hd_value key, hd_value *out)
{
  const replica *r = p;
  int64_t v = 0;
  if (!r->model->replica_view(&r->r, (unsigned) key.u, &v))
    return false;
  *out = hd_int(v);
  return true;
}

static void
replica_keys(const void *p, hd_keys *all)
{
  const replica *r = p;
  int64_t v;
  for (unsigned key = 0; key < r->model->nkeys; key++)
    if (r->model->replica_view(&r->r, key, &v))
      hd_touch(all, hd_int(key));
}

static const char *
replica_invariant(const void *p)
{
  const replica *r = p;
  return !r->model->replica_sound || r->model->replica_sound(&r->r) ? NULL : "a variable is negative";
}

static const hd_replica the_replica = {
    .create = replica_create,
    .destroy = destroy,
    .copy = replica_copy,
    .write = replica_write,
    .read = replica_read,
    .view = replica_view,
    .keys = replica_keys,
    .invariant = replica_invariant,
};

const hd_spec *
specs_get(model_kind kind, unsigned variant)
{
  static hd_spec specs[MODEL_COUNT][SPEC_VARIANTS];
  hd_spec *s = &specs[kind][variant];
  bool views = models[kind].nkeys > 0 && !(variant & SPEC_NO_VIEW);
  *s = (hd_spec){
      .abi = HD_SPEC_ABI,
      .size = sizeof(hd_spec),
      .name = models[kind].name,
      .methods = models[kind].methods,
      .nmethods = models[kind].nmethods,
      .create = create,
      .destroy = destroy,
      .apply = apply,
      .test = variant & SPEC_WITH_TEST ? test : NULL,
      .copy = copy,
      .equal = equal,
      .hash = hash,
      .outcomes = variant & SPEC_NO_OUTCOMES ? NULL : outcomes,
      .view = views ? view : NULL,
      .keys = views ? keys : NULL,
      .replica = views ? &the_replica : NULL,
  };
  return s;
}
