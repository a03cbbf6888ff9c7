/* refine.c: the life of a check, and its verdict. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_CONFIGURATIONS 1000000

/* What the options ask for and the specification cannot give, or NULL: nothing is left out silently. */
static const char *
lacking(const hd_refine *r)
{
  const hd_spec *spec = r->spec;
  bool paranoid = r->options.paranoid, full = r->views && r->options.view == HD_VIEW_FULL;
  if (paranoid && !spec->copy)
    return "copy()";
  if (paranoid && !spec->equal)
    return "equal()";
  if ((full || (paranoid && r->views)) && !spec->keys)
    return "keys()";
  if ((full || (paranoid && r->views)) && !spec->replica->keys)
    return "keys() in its replica";
  if (paranoid && r->views && !spec->replica->copy)
    return "copy() in its replica";
  return NULL;
}

HD_GIVE hd_refine *
hd_refine_new(HD_KEEP const hd_spec *spec, HD_KEEP const hd_log *log, uint32_t object, const hd_refine_options *options)
{
  hd_refine *r = hd_alloc_zero(sizeof *r);
  const hd_log_object *o = hd_log_object_get(log, object);
  r->spec = spec;
  r->log = log;
  r->object = object;
  if (options)
    r->options = *options;
  r->result.object = o ? o->name : "?";
  r->result.type = o ? o->type : "?";
  r->result.object_id = object;
  r->base = r->highest = o ? o->first : 0;
  r->arity = hd_alloc_array(spec->nmethods, 1);
  for (size_t i = 0; i < spec->nmethods; i++)
    r->arity[i] = (uint8_t) strlen(spec->methods[i].args);
  search_init(&r->search, spec, spec->create(o ? o->config : NULL, o ? o->nconfig : 0));
  r->search.eager = r->options.eager;
  r->search.paranoid = r->options.paranoid && spec->copy && spec->equal;
  r->search.cancel = r->options.cancel;
  r->search.max_configs = r->options.max_configurations ? r->options.max_configurations : DEFAULT_MAX_CONFIGURATIONS;
  if (r->options.view != HD_VIEW_OFF && spec->replica && spec->view && !r->options.whole)
  {
    r->views = r->result.views = true;
    replica_init(r, o);
    r->search.touched = &r->replica.keys.base;
    r->search.keep_steps = r->search.keep_effects = true;
  }
  tail_init(r);
  const char *lacks = lacking(r);
  if (lacks)
    refine_bad_spec(r, NULL, 0,
                    hd_text("specification '%s' lacks %s, which %s needs", spec->name, lacks,
                            r->options.paranoid ? "--paranoid" : "--view=full"));
  return r;
}

void
hd_refine_free(HD_TAKE hd_refine *r)
{
  if (!r)
    return;
  for (size_t i = 0; i < r->ticks_size; i++)
    if (r->ticks[i].block)
      block_release(r, r->ticks[i].block);
  views_forget(r);
  tail_done(r);
  search_done(&r->search);
  replica_done(r);
  keyset_done(&r->aftermath.keys);
  free(r->aftermath.open);
  finding_clear(&r->result.finding);
  if (r->annotation)
    finding_clear(&r->annotation_finding);
  free(r->result.incomplete);
  free(r->threads);
  free(r->others);
  free(r->arity);
  free(r->ticks);
  free(r->held);
  while (r->free_ops)
  {
    op *o = r->free_ops;
    r->free_ops = o->next;
    free(o);
  }
  while (r->free_blocks)
  {
    block *b = r->free_blocks;
    r->free_blocks = (block *) b->owner;
    free(b->writes);
    free(b);
  }
  free(r);
}

bool
hd_refine_frontier(hd_refine *r, uint64_t f)
{
  if (f > r->frontier)
    r->frontier = f;
  return refine_advance(r);
}

/* What never returned: a commit or a window without an end leaves the effect open, anything else was seen by nobody. */
static void
give_up_waiting(hd_refine *r)
{
  while (r->waiting)
  {
    op *o = r->waiting;
    waiting_remove(r, o);
    o->flags |= OP_GONE | OP_ENDED;
    op_cut(o);
  }
}

static void
finish(hd_refine *r, const char *why)
{
  give_up_waiting(r);
  r->frontier = UINT64_MAX;
  if (!refine_advance(r))
    return;
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  uint64_t ticks = object && object->ticks > r->shown ? object->ticks : r->shown;
  if (object && object->lost_at)
    refine_incomplete(
        r, hd_text("%llu operations on it were not logged, the first after tick %llu: nothing after that can be "
                   "judged",
                   (unsigned long long) object->dropped, (unsigned long long) object->lost_at - 1));
  else if (r->annotation)
    return; /* reported by the caller */
  else if (r->base < ticks && refine_cancelled(r))
    refine_incomplete(r, hd_text("it was given up at tick %llu: a limit was reached", (unsigned long long) r->base));
  else if (r->base < ticks)
    refine_incomplete(r, hd_text("tick %llu is missing in the log: nothing after it can be judged%s%s",
                                 (unsigned long long) r->base, why ? "; " : "", why ? why : ""));
  else if (refine_last_gap(r) && r->views_unfinished)
    refine_incomplete(r,
                      hd_text("the last states were not compared, because an operation that never returned may or may "
                              "not have taken effect"));
}

hd_verdict
hd_refine_finish(hd_refine *r, const char *why_incomplete)
{
  hd_refine_result *result = &r->result;
  if (!r->decided)
    finish(r, why_incomplete);
  if (r->aftermath.active)
    diagnose_view_end(r);
  if (r->annotation && !(r->decided && result->verdict != HD_INCOMPLETE))
    finding_take_annotation(r);
  if (!r->decided && why_incomplete)
    refine_incomplete(r, hd_text("%s", why_incomplete));
  r->decided = true;
  if (r->options.whole)
    return result->verdict;
  result->stats.pending = result->stats.operations - result->stats.returned;
  result->checked_to = r->base;
  result->stats.applications = r->search.applications;
  result->stats.configurations_peak = r->search.peak;
  result->stats.configurations_made = r->search.made;
  return result->verdict;
}

const hd_refine_result *
hd_refine_get_result(const hd_refine *r)
{
  return &r->result;
}
