/* rt_property_report.c: a property that is false: what is told to the command, and what is done then.
 *
 *   violation FILE PROPERTY NUMBER          NUMBER: of the thread
 *   why LINE                                each line of the explanation
 *   step NUMBER TEXT                        an event of a thread that led to it, in order; the last one is the present
 *   at PC...                                ... and where; innermost first
 *   thread FILE NUMBER KERNEL-ID START NAME of each thread that is mentioned; NAME -: none
 *   end
 *   stopped | aborted                       the program ends because of it
 *   count FILE PROPERTY N                   at the end of the program
 *   threads N, never FILE INDEX, unseen FILE INDEX N, deep, nobody, wrong N, lost N     ... and: how many threads; a
 *                                           function that nobody entered; what could not be seen or done
 *
 * In texts, byte 1, an address and a size, and byte 2 stand for the name of what is there, which the command knows.
 *
 * The report is made at the event, while the locks of what it touches are held; it is sent, and the program's function
 * is called, when the thread leaves the runtime. */
#include "instrument/rt_property.h"

#include "instrument/rt_runtime.h"

#include <heddle/monitor.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum
{
  WITNESSES = 16,
  TOLD = 1000 /* violations that are told, at most */
};

static uint32_t told;
static hd_rt_lock recovery_lock;
static hd_monitor_recovery *recovery_function;
static void *recovery_context;

void
hd_rt_report_recovery(void *function, void *context)
{
  hd_rt_acquire(&recovery_lock);
  recovery_function = (hd_monitor_recovery *) function;
  recovery_context = context;
  hd_rt_release(&recovery_lock);
}

/* ---- texts ---- */

void
hd_rt_report_location(void *file, hd_string *out, uint64_t loc, uint32_t size)
{
  (void) file;
  hd_string_printf(out, "\1%" PRIu64 " %u\2", loc, size);
}

static void
add_event(hd_string *out, const hd_mttl_file *f, const hd_mttl_event *e)
{
  if (e->set >= 0)
  {
    hd_string_printf(out, "sets %s = ", f->variables[e->set].name);
    hd_mttl_print_value(out, e->value);
  }
  else if (e->op != HD_MTTL_NONE)
  {
    hd_string_add(out, e->op == HD_MTTL_W ? "writes " : "reads ");
    if (e->variable >= 0)
      hd_string_add(out, f->variables[e->variable].name);
    else
      hd_rt_report_location(NULL, out, e->loc, e->size);
    if (e->value.type != HD_MTTL_UNDEFINED)
    {
      hd_string_add(out, " = ");
      hd_mttl_print_value(out, e->value);
    }
  }
  else if (e->function >= 0)
    hd_string_printf(out, "enters %s", f->functions[e->function]);
  else if (e->doing)
  {
    hd_string_printf(out, "%s%s", e->doing, e->loc ? " " : "");
    if (e->lock >= 0)
      hd_string_add(out, f->locks[e->lock]);
    else if (e->loc)
      hd_rt_report_location(NULL, out, e->loc, e->size);
  }
  else
    hd_string_add(out, "goes on");
}

static void
add_places(hd_string *out, const uintptr_t *pcs, size_t n)
{
  hd_string_add(out, "at");
  for (size_t i = 0; i < n && pcs[i]; i++)
    hd_string_printf(out, " %" PRIu64, (uint64_t) pcs[i]);
  hd_string_add(out, "\n");
}

static void
add_thread(hd_string *out, const hd_rt_file *file, uint32_t number)
{
  const hd_rt_thread *t = number < hd_rt_thread_count() ? hd_rt_thread_get(file->ids[number]) : NULL;
  if (!t)
    return;
  hd_string_printf(out, "thread %u %u %d %" PRIu64 " %s\n", (unsigned) (file - hd_rt_all.files), number, t->kernel_id,
                   (uint64_t) t->start_routine, t->name[0] ? t->name : "-");
}

static void
add_steps(hd_string *out, const hd_rt_file *file, hd_mttl_thread *t, const hd_mttl_property *property)
{
  hd_mttl_witness witnesses[WITNESSES];
  uintptr_t pcs[HD_MTTL_FRAMES];
  size_t n = hd_mttl_witnesses(t, property, witnesses, WITNESSES);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(out, "step %u ", witnesses[i].thread);
    add_event(out, file->f, &witnesses[i].origin->event);
    hd_string_add(out, "\n");
    add_places(out, witnesses[i].origin->frames, witnesses[i].origin->nframes);
  }
  hd_string_printf(out, "step %u ", hd_mttl_thread_number(t));
  add_event(out, file->f, hd_mttl_present(t));
  hd_string_add(out, "\n");
  add_places(out, pcs, hd_rt_present_stack(pcs, HD_MTTL_FRAMES));
  add_thread(out, file, hd_mttl_thread_number(t));
  for (size_t i = 0; i < n; i++)
    if (witnesses[i].thread != hd_mttl_thread_number(t))
      add_thread(out, file, witnesses[i].thread);
}

static void
add_lines(hd_string *out, const char *word, const char *text)
{
  for (const char *line = text; *line;)
  {
    size_t n = strcspn(line, "\n");
    hd_string_printf(out, "%s ", word);
    hd_string_add_n(out, line, n);
    hd_string_add(out, "\n");
    line += n + (line[n] == '\n');
  }
}

/* ---- at the event ---- */

void
hd_rt_report_violation(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  hd_rt_file *file = context;
  hd_rt_knower *me = hd_rt_me;
  uint32_t index = (uint32_t) (property - file->f->properties);
  bool first = __atomic_fetch_add(&file->count[index], 1, __ATOMIC_RELAXED) == 0;
  bool calls
      = hd_rt_all.action == HD_RT_CALL || (hd_rt_all.action == HD_RT_AS_FILE && property->action == HD_MTTL_CALL);
  bool tells = (first || property->action == HD_MTTL_EACH) && __atomic_load_n(&told, __ATOMIC_RELAXED) < TOLD;
  if (!me || me->nviolations == HD_RT_VIOLATIONS || (!tells && !calls))
    return;
  hd_rt_violation *v = &me->violations[me->nviolations++];
  *v = (hd_rt_violation){.file = (uint32_t) (file - hd_rt_all.files), .property = property};
  v->thread = hd_mttl_thread_number(t);
  hd_rt_here.acting = 1;
  hd_mttl_explain(&v->reason, t, property);
  if (!tells)
    return;
  __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
  hd_string_printf(&v->text, "violation %u %u %u\n", v->file, index, v->thread);
  add_lines(&v->text, "why", v->reason.text ? v->reason.text : "");
  add_steps(&v->text, file, t, property);
  hd_string_add(&v->text, "end\n");
}

/* ---- after it ---- */

static void
say(const char *line)
{
  hd_rt_client_send(line, strlen(line));
}

static void
end_program(bool aborts)
{
  hd_rt_enter();
  hd_rt_all.ended = true; /* _exit is the program's, too, and would tell all again */
  hd_rt_report_count();
  say(aborts ? "aborted\n" : "stopped\n");
  if (!aborts)
    _exit(HD_VIOLATED);
  signal(SIGABRT, SIG_DFL);
  abort();
}

/* The function that the property names, or the one that the program gave. */
static hd_monitor_recovery *
recovery_for(const hd_rt_violation *v, void **context)
{
  uint32_t index = (uint32_t) (v->property - hd_rt_all.files[v->file].f->properties);
  *context = NULL;
  for (size_t i = 0; i < hd_rt_all.ncalls; i++)
    if (hd_rt_all.calls[i].file == v->file && hd_rt_all.calls[i].index == index)
      return (hd_monitor_recovery *) hd_rt_all.calls[i].low;
  hd_rt_acquire(&recovery_lock);
  hd_monitor_recovery *f = recovery_function;
  *context = recovery_context;
  hd_rt_release(&recovery_lock);
  return f;
}

static void
act_on(hd_rt_violation *v)
{
  hd_rt_knower *me = hd_rt_me;
  unsigned action = hd_rt_all.action;
  if (action == HD_RT_AS_FILE)
    action = v->property->action == HD_MTTL_STOP    ? HD_RT_STOP
             : v->property->action == HD_MTTL_ABORT ? HD_RT_ABORT
             : v->property->action == HD_MTTL_CALL  ? HD_RT_CALL
                                                    : HD_RT_CONTINUE;
  if (action == HD_RT_STOP || action == HD_RT_ABORT)
    end_program(action == HD_RT_ABORT);
  if (action != HD_RT_CALL || me->acting)
    return;
  void *context;
  hd_rt_enter();
  hd_monitor_recovery *f = recovery_for(v, &context);
  hd_rt_leave();
  hd_monitor_violation told_of = {.property = v->property->name,
                                  .file = hd_rt_all.files[v->file].f->path,
                                  .line = v->property->place.line,
                                  .formula = v->property->text,
                                  .reason = v->reason.text ? v->reason.text : "",
                                  .thread = v->thread};
  if (!f)
  {
    __atomic_store_n(&hd_rt_all.nobody, true, __ATOMIC_RELAXED);
    return;
  }
  /* The access before which we are has not been made: what is pending of it waits until F is over. */
  hd_rt_pending *pending = me->pending;
  uint32_t npending = me->npending, cap = me->pending_cap;
  me->pending = NULL;
  me->npending = me->pending_cap = 0;
  me->acting = true; /* what is violated in F is told, and no more */
  f(&told_of, context);
  me->acting = false;
  hd_rt_enter();
  if (me->npending)
    hd_rt_memory_settle();
  hd_rt_heap_give(me->pending);
  me->pending = pending;
  me->npending = npending;
  me->pending_cap = cap;
  hd_rt_event_end();
  hd_rt_leave();
}

void
hd_rt_report_act(void)
{
  hd_rt_knower *me = hd_rt_me;
  while (me && me->nviolations)
  {
    hd_rt_enter();
    hd_rt_violation v = me->violations[0];
    me->nviolations--;
    memmove(me->violations, me->violations + 1, me->nviolations * sizeof *me->violations);
    if (v.text.length)
      hd_rt_client_send(v.text.text, v.text.length);
    hd_rt_leave();
    act_on(&v);
    hd_rt_enter();
    hd_string_free(&v.text);
    hd_string_free(&v.reason);
    hd_rt_leave();
  }
}

void
hd_rt_report_count(void)
{
  hd_string out = {0};
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    for (uint32_t k = 0; k < hd_rt_all.files[i].f->nproperties; k++)
      hd_string_printf(&out, "count %u %u %" PRIu64 "\n", i, k,
                       __atomic_load_n(&hd_rt_all.files[i].count[k], __ATOMIC_RELAXED));
  for (size_t i = 0; i < hd_rt_all.nfunctions; i++)
    if (!hd_rt_all.entered[i])
      hd_string_printf(&out, "never %u %u\n", hd_rt_all.functions[i].file, hd_rt_all.functions[i].index);
  for (size_t i = 0; i < hd_rt_all.nwatches; i++)
    if (hd_rt_all.watches[i].unseen)
      hd_string_printf(&out, "unseen %u %u %" PRIu64 "\n", hd_rt_all.watches[i].area.file,
                       hd_rt_all.watches[i].area.index, hd_rt_all.watches[i].unseen);
  hd_string_printf(&out, "threads %u\n", hd_rt_thread_count());
  if (hd_rt_all.too_deep)
    hd_string_add(&out, "deep\n");
  if (hd_rt_all.nobody)
    hd_string_add(&out, "nobody\n");
  if (hd_rt_all.wrong_types)
    hd_string_printf(&out, "wrong %" PRIu64 "\n", hd_rt_all.wrong_types);
  if (hd_rt_lost[HD_RT_LOST_OBJECTS] || hd_rt_lost[HD_RT_LOST_THREAD])
    hd_string_printf(&out, "lost %u\n", hd_rt_lost[HD_RT_LOST_OBJECTS] + hd_rt_lost[HD_RT_LOST_THREAD]);
  hd_rt_client_send(out.text, out.length);
  hd_string_free(&out);
}
