/* finding.c: findings in words. What a finding points to it owns: it outlives the operations. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

char *
describe_place(hd_refine *r, uint32_t place)
{
  hd_log_place p;
  return hd_log_place_get(r->log, place, &p) ? hd_text("%s:%u", p.file, p.line) : hd_text("an unknown place");
}

static void
add_value(hd_string *s, hd_value v)
{
  hd_value_print(s, v, 60);
}

char *
describe_op(hd_refine *r, const op *o)
{
  hd_string s = {0};
  if (o->flags & OP_INTERNAL)
  {
    hd_string_printf(&s, "internal task %s", o->task);
    return s.text;
  }
  hd_string_printf(&s, "%s(", r->spec->methods[o->method].name);
  for (uint32_t i = 0; i < o->nargs; i++)
  {
    if (i)
      hd_string_add(&s, ", ");
    add_value(&s, o->args[i]);
  }
  hd_string_add(&s, ")");
  if (o->flags & OP_RET_KNOWN)
  {
    if (o->flags & OP_EXCEPTIONAL)
      hd_string_add(&s, " raised ");
    else if (o->ret.type != HD_NIL)
      hd_string_add(&s, " = ");
    if ((o->flags & OP_EXCEPTIONAL) || o->ret.type != HD_NIL)
      add_value(&s, o->ret);
  }
  return s.text;
}

void
finding_add_op(hd_refine *r, hd_finding *f, const op *o, bool failing, bool explains)
{
  bool internal = (o->flags & OP_INTERNAL) != 0;
  hd_value *args = hd_alloc_array(o->nargs ? o->nargs : 1, sizeof *args);
  for (uint32_t i = 0; i < o->nargs; i++)
    args[i] = value_own(o->args[i]);
  f->ops = hd_realloc(f->ops, (f->nops + 1) * sizeof *f->ops);
  f->ops[f->nops++] = (hd_op_info){
      .number = o->number,
      .thread = o->thread,
      .method = internal ? o->task : r->spec->methods[o->method].name,
      .nargs = o->nargs,
      .args = args,
      .ret = value_own(o->ret),
      .returned = (o->flags & OP_RETURNED) != 0,
      .exceptional = (o->flags & OP_EXCEPTIONAL) != 0,
      .internal = internal,
      .observer = !internal && op_observes(o),
      .nocommit = (o->flags & OP_NOCOMMIT) != 0,
      .windowed = (o->flags & OP_WINDOW) != 0 && ((o->flags & OP_COMMITTED) || !(o->flags & OP_RETURNED)),
      .committed = (o->flags & OP_COMMITTED) != 0,
      .call = op_call_position(o),
      .window = tick_position(o->window),
      .commit = tick_position(o->commit),
      .end = op_end_position(o),
      .call_site = o->call_site,
      .window_site = o->window_site,
      .commit_site = o->commit_site,
      .return_site = o->return_site,
      .failing = failing,
      .explains = explains,
  };
}

HD_GIVE char *
blame_text(hd_blame blame, bool commits, bool of_state)
{
  const char *inside = commits ? ", inside their calls and returns," : "";
  const char *what = of_state ? "the state" : "what they returned";
  switch (blame)
  {
  case HD_BLAME_IMPLEMENTATION:
    return hd_text("%sno order of the operations%s explains %s",
                   commits && !of_state ? "it is not linearizable at all: " : "", inside, what);
  case HD_BLAME_ANNOTATION:
    return hd_text("%sanother order of the same operations%s explains %s",
                   of_state ? "" : "it violates its own commit order: ", inside, what);
  default:
    return hd_text("more orders are possible than could be tried");
  }
}

HD_GIVE char *
ties_text(void)
{
  return hd_text("an order exists only if two operations overlapped whose stamps cannot tell that; call the methods "
                 "with HD_CALL_NOCOMMIT in another run to know");
}

static void
clear_ops(hd_finding *f)
{
  for (size_t i = 0; i < f->nops; i++)
  {
    for (uint32_t k = 0; k < f->ops[i].nargs; k++)
      value_disown(f->ops[i].args[k]);
    free((void *) (uintptr_t) f->ops[i].args);
    value_disown(f->ops[i].ret);
  }
  free(f->ops);
  f->ops = NULL;
  f->nops = 0;
}

void
finding_take_annotation(hd_refine *r)
{
  hd_finding *f = &r->result.finding;
  *f = r->annotation_finding;
  r->annotation = false;
  r->result.verdict = HD_VIOLATED;
  r->decided = true;
  /* What became of the operation since: it may have returned. */
  for (size_t i = 0; f->nops == 1 && i < r->tail.n; i++)
    if (r->tail.ops[i]->number == f->ops[0].number)
    {
      clear_ops(f);
      finding_add_op(r, f, r->tail.ops[i], true, true);
      return;
    }
}

void
finding_clear(hd_finding *f)
{
  free(f->headline);
  free(f->expected);
  free(f->actual);
  free(f->why);
  free(f->suggestion);
  clear_ops(f);
  for (size_t i = 0; i < f->ndifferences; i++)
  {
    hd_key_difference *d = &f->differences[i];
    value_disown(d->key);
    value_disown(d->spec_value);
    value_disown(d->replica_value);
    for (size_t k = 0; k < d->nwriters; k++)
    {
      free(d->writers[k].variable);
      value_disown(d->writers[k].value);
    }
    free(d->writers);
  }
  free(f->differences);
  for (size_t i = 0; i < f->nstates; i++)
    free(f->states[i]);
  free(f->states);
  free(f->repairs);
  *f = (hd_finding){0};
}

/* ---- what the specification would have accepted ---- */

/* The returns that STATE allows for O, in words, or NULL if the specification does not say. */
static char *
allowed_returns(hd_refine *r, op *o, const void *state)
{
  hd_value list[8];
  size_t n = 0;
  uint32_t flags = o->flags;
  hd_value ret = o->ret;
  o->flags &= ~(uint32_t) (OP_RET_KNOWN | OP_EXCEPTIONAL);
  n = search_outcomes(&r->search, state, o, list, 8);
  r->search.stopped = NULL;
  hd_string s = {0};
  size_t shown = 0;
  for (size_t i = 0; i < n && i < 8; i++)
  {
    o->ret = list[i];
    hd_step step = HD_REJECT;
    if (r->spec->test || (flags & OP_OBSERVER) || r->spec->copy)
      step = search_test(&r->search, state, o);
    if (step == HD_REJECT)
      continue;
    hd_string_add(&s, shown++ ? " or " : "");
    add_value(&s, list[i]);
  }
  o->ret = ret;
  o->flags = flags;
  return s.text;
}

static void
say_commit(hd_refine *r, hd_finding *f, op *o)
{
  char *what = describe_op(r, o), *at = describe_place(r, o->commit_site);
  f->site = o->commit_site;
  if (r->search.nconfigs == 1)
    f->expected = allowed_returns(r, o, search_state(&r->search));
  hd_string actual = {0};
  add_value(&actual, o->ret);
  f->actual = actual.text;
  f->headline
      = f->expected
            ? hd_text("%s (thread %u, committed at %s) is not possible: at its commit the specification allows %s",
                      what, o->thread, at, f->expected)
            : hd_text("%s (thread %u, committed at %s) is not possible: the specification does not allow it at its "
                      "commit",
                      what, o->thread, at);
  free(what);
  free(at);
}

static void
say_observer(hd_refine *r, hd_finding *f, op *o)
{
  char *what = describe_op(r, o), *at = describe_place(r, o->return_site);
  f->site = o->return_site;
  if (r->search.nconfigs == 1)
    f->expected = allowed_returns(r, o, search_state(&r->search));
  hd_string actual = {0};
  add_value(&actual, o->ret);
  f->actual = actual.text;
  if (f->expected)
    f->headline
        = hd_text("%s (thread %u, returned at %s): no state between its call and its return allows that; at its "
                  "return the specification expects %s",
                  what, o->thread, at, f->expected);
  else
    f->headline = hd_text("%s (thread %u, returned at %s): no state between its call and its return allows that", what,
                          o->thread, at);
  free(what);
  free(at);
}

static void
say_order(hd_refine *r, hd_finding *f, op *o)
{
  if (!o)
  {
    f->headline = hd_text("no order of the overlapping operations explains what they returned");
    return;
  }
  char *what = describe_op(r, o), *at = describe_place(r, o->commit_site ? o->commit_site : o->return_site);
  f->site = o->commit_site ? o->commit_site : o->return_site;
  hd_string actual = {0};
  add_value(&actual, o->ret);
  f->actual = actual.text;
  f->headline = hd_text("%s (thread %u, %s): no order of the operations whose windows overlap explains it", what,
                        o->thread, at);
  free(what);
  free(at);
}

static void
say_missing_commit(hd_refine *r, hd_finding *f, op *o)
{
  char *what = describe_op(r, o), *at = describe_place(r, o->return_site);
  f->site = o->return_site;
  f->headline
      = hd_text("missing commit: %s (thread %u, returned at %s) returned without a commit, but its return value "
                "means that it changed the object",
                what, o->thread, at);
  f->suggestion = hd_text("mark the commit on this path with HD_COMMIT, or call with HD_CALL_NOCOMMIT");
  f->blame = HD_BLAME_ANNOTATION;
  free(what);
  free(at);
}

static void
say_view(hd_refine *r, hd_finding *f, op *o)
{
  f->differences = r->view_differences;
  f->ndifferences = r->nview_differences;
  r->view_differences = NULL;
  r->nview_differences = 0;
  const hd_key_difference *d = &f->differences[0];
  hd_string key = {0}, spec = {0}, impl = {0};
  add_value(&key, d->key);
  if (d->spec_has)
    add_value(&spec, d->spec_value);
  else
    hd_string_add(&spec, "absent");
  if (d->replica_has)
    add_value(&impl, d->replica_value);
  else
    hd_string_add(&impl, "absent");
  f->expected = hd_text("%s", spec.text);
  f->actual = hd_text("%s", impl.text);
  uint32_t site = o ? (o->commit_site ? o->commit_site : o->return_site) : 0;
  f->site = site;
  char *what = o ? describe_op(r, o) : hd_text("the end of the log");
  char *at = describe_place(r, site);
  if (f->kind == HD_FOUND_INTERNAL)
    f->headline = hd_text("%s (thread %u, %s) changed the view: key %s is %s in the specification, %s in the "
                          "implementation",
                          what, o ? o->thread : 0, at, key.text, spec.text, impl.text);
  else if (o)
    f->headline
        = hd_text("the states differ at the %s of %s (thread %u, %s): key %s is %s in the specification, %s in the "
                  "implementation",
                  o->flags & OP_COMMITTED ? "commit" : "end", what, o->thread, at, key.text, spec.text, impl.text);
  else
    f->headline = hd_text("the states differ at the end of the log: key %s is %s in the specification, %s in the "
                          "implementation",
                          key.text, spec.text, impl.text);
  hd_string_free(&key);
  hd_string_free(&spec);
  hd_string_free(&impl);
  free(what);
  free(at);
}

hd_finding *
finding_make(hd_refine *r, hd_finding_kind kind, uint64_t position, op *failing)
{
  hd_finding *f = &r->result.finding;
  *f = (hd_finding){.kind = kind, .position = position};
  switch (kind)
  {
  case HD_FOUND_COMMIT:
    say_commit(r, f, failing);
    break;
  case HD_FOUND_OBSERVER:
    say_observer(r, f, failing);
    break;
  case HD_FOUND_ORDER:
    say_order(r, f, failing);
    break;
  case HD_FOUND_ANNOTATION:
    say_missing_commit(r, f, failing);
    break;
  case HD_FOUND_VIEW:
  case HD_FOUND_INTERNAL:
    say_view(r, f, failing);
    break;
  case HD_FOUND_INVARIANT:
  {
    char *what = failing ? describe_op(r, failing) : hd_text("the end of the log");
    f->headline = hd_text("the invariant does not hold after %s (thread %u): %s", what, failing ? failing->thread : 0,
                          r->invariant_text);
    f->site = failing ? failing->commit_site : 0;
    f->actual = hd_text("%s", r->invariant_text);
    free(what);
    break;
  }
  default:
    f->headline = hd_text("the log does not refine the specification");
    break;
  }
  return f;
}

bool
refine_bad_spec(hd_refine *r, const op *o, uint32_t site, HD_TAKE char *headline)
{
  if (r->aftermath.active)
    diagnose_view_end(r); /* the first finding stands */
  if (r->decided)
  {
    free(headline);
    return false;
  }
  hd_finding *f = &r->result.finding;
  *f = (hd_finding){.kind = HD_FOUND_BAD_SPEC, .headline = headline, .site = site};
  if (o)
    finding_add_op(r, f, o, true, true);
  r->result.verdict = HD_BAD_INPUT;
  r->decided = true;
  return false;
}

bool
refine_incomplete(hd_refine *r, HD_TAKE char *why)
{
  if (r->aftermath.active)
    diagnose_view_end(r);
  if (r->decided)
  {
    free(why);
    return false;
  }
  r->result.incomplete = why;
  r->result.verdict = HD_INCOMPLETE;
  r->decided = true;
  return false;
}
