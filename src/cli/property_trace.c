/* property_trace.c: judging a trace by properties: it is read and checked, and what is violated is kept. */
#include "cli/property_feed.h"

#include <stdlib.h>
#include <string.h>

enum
{
  BATCH = 512
};

/* ---- reports ---- */

static void
report(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  hd_feed *f = context;
  uint32_t index = (uint32_t) (property - f->f->properties);
  bool first = f->run->count[index]++ == 0;
  f->run->stopped = f->run->stopped || property->action == HD_MTTL_STOP || property->action == HD_MTTL_ABORT;
  if (!first && property->action != HD_MTTL_EACH)
    return;
  hd_string why = {0};
  hd_mttl_explain(&why, t, property);
  uint32_t number = hd_mttl_thread_number(t);
  hd_violation v = {.property = index,
                    .thread = number < f->nnumbers ? f->trace_thread[number] : f->e->thread,
                    .number = number,
                    .event = *f->e,
                    .why = why.text};
  HD_PUSH(f->run->violations, f->run->nviolations, f->run->violations_cap, v);
}

static void
print_location(void *context, hd_string *out, uint64_t loc, uint32_t size)
{
  const hd_feed *f = context;
  bool number = loc & HD_FEED_NUMBER;
  uint64_t target = number ? (loc & ~HD_FEED_NUMBER) / HD_FEED_WORD : loc;
  hd_trace_print_target(out, f->names, HD_TRACE_VARIABLE, target, number ? 0 : size);
}

/* ---- all of it ---- */

/* What a trace does not tell. */
static void
add_notes(hd_feed *f)
{
  hd_string *out = &f->run->notes;
  for (size_t i = 0; i < f->f->nfunctions; i++)
    hd_string_printf(out, "a trace does not tell when %s is entered: at(%s) is false\n", f->f->functions[i],
                     f->f->functions[i]);
  for (size_t i = 0; i < f->f->nrules; i++)
    if (f->f->rules[i].moment == HD_MTTL_ENTER || f->f->rules[i].moment == HD_MTTL_EXIT)
      hd_string_printf(out, "a trace does not tell when %s is entered or left: %s stays as it is\n",
                       f->f->rules[i].name, f->f->variables[f->f->rules[i].variable].name);
}

/* Of a variable that was never met it is not known whether it was accessed, if not all that was has a name. */
static void
add_unmet(hd_feed *f)
{
  for (size_t i = 0; f->nameless && i < f->f->nvariables; i++)
    if (f->f->variables[i].shared && !f->met[i])
      hd_string_printf(&f->run->notes,
                       "the trace does not say which memory is %s: its accesses, if any, were not seen\n",
                       f->f->variables[i].name);
}

static void
free_places(hd_mttl_location **list, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    hd_mttl_location_clear(list[i]);
    free(list[i]);
  }
  free(list);
}

static void
free_objects(hd_mttl_object *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    hd_mttl_object_clear(&list[i]);
  free(list);
}

static void
end(hd_feed *f)
{
  for (size_t i = 0; i < f->nthreads; i++)
  {
    hd_mttl_object_clear(&f->threads[i].token);
    hd_mttl_object_clear(&f->threads[i].released);
    hd_mttl_object_clear(&f->threads[i].loaded);
    hd_mttl_thread_free(f->threads[i].t);
  }
  for (size_t i = 0; i < f->nbarriers; i++)
  {
    hd_mttl_object_clear(&f->barriers[i].now[0]);
    hd_mttl_object_clear(&f->barriers[i].now[1]);
  }
  free_places(f->bytes, f->nbytes);
  free_places(f->variables, f->nvariables);
  free_places(f->locks, f->nlocks);
  free_objects(f->atomics, f->natomics);
  free_objects(f->objects, f->nobjects);
  hd_trace_ids_free(&f->byte_ids);
  hd_trace_ids_free(&f->variable_ids);
  hd_trace_ids_free(&f->lock_ids);
  hd_trace_ids_free(&f->atomic_ids);
  hd_trace_ids_free(&f->object_ids);
  free(f->threads);
  free(f->met);
  free(f->trace_thread);
  free(f->byte_keys);
  free(f->barriers);
  free(f->touched);
  hd_mttl_monitor_free(f->m);
}

bool
hd_property_trace(hd_property_run *out, const hd_mttl_file *file, hd_trace *t, bool (*go_on)(void *, uint64_t),
                  void *context, hd_string *error)
{
  hd_feed f = {.run = out, .f = file, .names = hd_trace_names_of(t), .atomic = -1};
  hd_trace_event events[BATCH];
  hd_trace_check *check = hd_trace_check_new();
  *out = (hd_property_run){.count = hd_alloc_zero((file->nproperties + 1) * sizeof *out->count)};
  f.m = hd_mttl_monitor_new(file, report, &f);
  hd_mttl_monitor_locations(f.m, print_location);
  for (size_t i = 0; i < file->nvariables; i++)
    if (!file->variables[i].shared && strcmp(file->variables[i].name, "atomic") == 0
        && (file->variables[i].type == HD_MTTL_INT || file->variables[i].type == HD_MTTL_BOOL))
      f.atomic = (int64_t) i;
  f.met = hd_alloc_zero(file->nvariables + 1);
  add_notes(&f);
  hd_trace_rewind(t);
  bool good = true;
  for (size_t n; good && !out->stopped && !out->late && (n = hd_trace_read(t, events, BATCH)) > 0;)
  {
    out->late = !go_on(context, out->events);
    for (size_t i = 0; i < n && good && !out->stopped; i++)
    {
      hd_string why = {0};
      hd_trace_checked checked = hd_trace_check_event(check, f.names, &events[i], &why);
      out->events = events[i].number;
      f.e = &events[i];
      good = checked != HD_TRACE_IMPOSSIBLE;
      if (checked == HD_TRACE_TAKE)
        hd_feed_take(&f, &events[i]);
      if (!good)
      {
        hd_trace_print_place(error, t, events[i].number);
        hd_string_printf(error, ": error: %s\n", why.text);
      }
      hd_string_free(&why);
    }
  }
  if (good && hd_trace_error(t))
  {
    good = false;
    hd_string_printf(error, "%s\n", hd_trace_error(t));
  }
  add_unmet(&f);
  out->threads = (uint32_t) f.nnumbers;
  end(&f);
  hd_trace_check_free(check);
  return good;
}

void
hd_property_run_free(hd_property_run *run)
{
  for (size_t i = 0; i < run->nviolations; i++)
    free(run->violations[i].why);
  free(run->violations);
  free(run->count);
  hd_string_free(&run->notes);
}
