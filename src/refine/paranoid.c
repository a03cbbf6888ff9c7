/* paranoid.c: --paranoid: does the specification keep its promises at this step? It must be deterministic, leave the
 * state alone where it says so, have the traits that it claims, and declare every key of the view that it changes. */
#include "refine/internal.h"

/* The first key whose view differs between BEFORE and AFTER although it is not among TOUCHED, in words, or NULL. */
static char *
undeclared_key(const hd_spec *spec, const void *before, const void *after, const keyset *touched)
{
  keyset all;
  keyset_init(&all);
  spec->keys(before, &all.base);
  spec->keys(after, &all.base);
  char *found = NULL;
  for (size_t i = 0; i < all.n && !found; i++)
  {
    hd_value a = hd_nil(), b = hd_nil();
    bool had = spec->view(before, all.keys[i], &a), has = spec->view(after, all.keys[i], &b);
    if ((had == has && (!had || hd_value_equal(a, b))) || keyset_has(touched, all.keys[i]))
      continue;
    hd_string key = {0};
    hd_value_print(&key, all.keys[i], 40);
    found = hd_text("apply() changes the view of key %s without hd_touch", key.text);
    hd_string_free(&key);
  }
  keyset_done(&all);
  return found;
}

/* FIRST is what apply() answers to OP in BEFORE. */
static const char *
broken_trait(const hd_spec *spec, const void *before, const hd_op *op, hd_step first)
{
  uint32_t traits = spec->traits ? spec->traits(op) : 0;
  if ((traits & HD_LOOKS) && first == HD_CHANGED)
    return "traits() says HD_LOOKS of an operation that changes the state";
  if ((traits & (HD_BLIND | HD_TOTAL)) && first == HD_REJECT)
    return "traits() says HD_BLIND or HD_TOTAL of an operation that a state rejects";
  if (!(traits & HD_ANYONE))
    return NULL;
  hd_op other = *op;
  other.thread++;
  void *c = spec->copy(before);
  bool same = spec->apply(c, &other, NULL) == first;
  spec->destroy(c);
  return same ? NULL : "traits() says HD_ANYONE of an operation for which the thread matters";
}

static const char *
broken_promise(const hd_spec *spec, const void *before, const hd_op *op, const void *a, const void *b, hd_step first,
               hd_step second)
{
  if (first != second)
    return "apply() answers differently on two copies of one state: it is not deterministic, or copy() is wrong";
  if (!spec->equal(a, b))
    return "apply() leads from two copies of one state to different states: it is not deterministic, or copy() or "
           "equal() is wrong";
  if (spec->hash && spec->hash(a) != spec->hash(b))
    return "hash() differs for equal states";
  if (first == HD_REJECT && !spec->equal(a, before))
    return "apply() rejects the operation but changes the state";
  if (first == HD_SAME && !spec->equal(a, before))
    return "apply() says HD_SAME but changes the state";
  if (spec->test && spec->test(before, op) != first)
    return "test() and apply() answer differently";
  return broken_trait(spec, before, op, first);
}

HD_GIVE char *
paranoid_step(const hd_spec *spec, const void *before, const hd_op *op, bool views)
{
  keyset touched;
  keyset_init(&touched);
  void *a = spec->copy(before), *b = spec->copy(before);
  hd_step first = spec->apply(a, op, &touched.base), second = spec->apply(b, op, NULL);
  const char *wrong = broken_promise(spec, before, op, a, b, first, second);
  char *text = wrong ? hd_text("%s", wrong) : NULL;
  if (!text && views && spec->view && spec->keys)
    text = undeclared_key(spec, before, a, &touched);
  spec->destroy(a);
  spec->destroy(b);
  keyset_done(&touched);
  return text;
}
