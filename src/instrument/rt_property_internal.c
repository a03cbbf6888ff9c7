/* rt_property_internal.c: <heddle/monitor.h>: variables of threads that the program sets itself. They are visible, for
 * the program and its libraries; without a monitor they do nothing. */
#include "instrument/rt_property.h"

#include "instrument/rt_runtime.h"

#include <heddle/monitor.h>
#include <string.h>

/* VALUE as TYPE; undefined: it cannot be. */
static hd_mttl_value
convert(hd_mttl_value value, hd_mttl_type type)
{
  if (value.type == HD_MTTL_INT && type == HD_MTTL_BOOL)
    return (hd_mttl_value){.type = HD_MTTL_BOOL, .number = value.number != 0};
  if (value.type == HD_MTTL_INT && type == HD_MTTL_REAL)
    return (hd_mttl_value){.type = HD_MTTL_REAL, .real = (double) value.number};
  if (value.type != type)
    return (hd_mttl_value){.type = HD_MTTL_UNDEFINED};
  return value;
}

/* Names are short, and strcmp is one of the functions that are taken over. */
static inline bool
is_name(const char *a, const char *b)
{
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

/* ---- calls that are made again and again ---- */

/* A mark is in one of two places. */
static inline hd_rt_mark *
mark_at(hd_rt_knower *me, uintptr_t pc, unsigned which)
{
  return &me->marks[((pc * 0x9e3779b97f4a7c15u >> 32) ^ which) % HD_RT_MARKS];
}

/* The only variable that a call at PC means by NAME. */
static void
remember(uintptr_t pc, const char *name, uint32_t file, uint32_t variable)
{
  hd_rt_knower *me = hd_rt_me;
  hd_rt_mark *mark = mark_at(me, pc, 0);
  if (mark->pc && mark->pc != pc)
    mark = mark_at(me, pc, me->nmarks++ & 1);
  size_t n = strlen(name) + 1;
  if (n > sizeof mark->words || hd_rt_all.files[file].f->variables[variable].type != HD_MTTL_INT)
    return;
  *mark = (hd_rt_mark){.pc = pc, .file = file, .variable = variable};
  memcpy(mark->words, name, n);
  memset(mark->mask, 0xff, n);
}

/* All bytes of NAME at once: it may be another text than last time. More is read than it has, but no other page. */
static inline bool
has_name(const hd_rt_mark *mark, const char *name)
{
  uint64_t words[2];
  if (HD_RT_UNLIKELY((uintptr_t) name % 4096 > 4096 - sizeof words))
    return false;
  __asm__("movq (%2), %0\n\tmovq 8(%2), %1" : "=&r"(words[0]), "=r"(words[1]) : "r"(name) : "memory");
  return !(((words[0] ^ mark->words[0]) & mark->mask[0]) | ((words[1] ^ mark->words[1]) & mark->mask[1]));
}

/* Is the stack what it was last time, as far as events keep it? From now on it is. */
static inline bool
is_called_again(hd_rt_mark *mark)
{
  const uint32_t depth = hd_rt_client_depth(), most = HD_MTTL_FRAMES - 1, n = depth < most ? depth : most;
  const hd_rt_frame *frame = &hd_rt_here.frames[depth];
  uint32_t same = 0;
  while (same < n && mark->frames[same] == frame[-(ptrdiff_t) same].pc)
    same++;
  if (HD_RT_LIKELY(same == n && mark->depth == depth))
    return true;
  mark->depth = depth;
  for (; same < n; same++)
    mark->frames[same] = frame[-(ptrdiff_t) same].pc;
  return false;
}

/* A thread that has nothing else to do sets a number where it did before. False: nothing was done. */
static inline bool
set_again(const char *name, int64_t value, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(!hd_rt_client_is_swift()))
    return false;
  hd_rt_knower *me = hd_rt_me;
  hd_rt_mark *mark = mark_at(me, pc, 0);
  if (HD_RT_UNLIKELY(mark->pc != pc))
    mark = mark_at(me, pc, 1);
  if (HD_RT_UNLIKELY(mark->pc != pc || !has_name(mark, name)))
    return false;
  hd_mttl_thread *t = me->t[mark->file];
  me->pc = pc;
  mark->place = hd_mttl_internal_again(t, mark->variable, (hd_mttl_value){.type = HD_MTTL_INT, .number = value},
                                       is_called_again(mark) ? mark->place : 0);
  if (HD_RT_UNLIKELY(!hd_mttl_is_idle_at_once(t)))
    hd_rt_event_end(); /* else that would say what it said last */
  return true;
}

/* ---- all others ---- */

static __attribute__((noinline)) void
set(const char *name, hd_mttl_value value, uintptr_t pc)
{
  uint32_t found = 0, file = 0, variable = 0;
  if (!hd_rt_event_begin(pc))
    return;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    const hd_mttl_file *f = hd_rt_all.files[i].f;
    for (uint32_t k = 0; k < f->nvariables; k++)
    {
      if (f->variables[k].shared || !is_name(f->variables[k].name, name))
        continue;
      found++;
      file = i;
      variable = k;
      hd_mttl_value as = convert(value, f->variables[k].type);
      if (as.type == HD_MTTL_UNDEFINED)
        __atomic_fetch_add(&hd_rt_all.wrong_types, 1, __ATOMIC_RELAXED);
      else
        hd_mttl_internal(hd_rt_me->t[i], k, as);
    }
  }
  if (found == 1 && value.type == HD_MTTL_INT)
    remember(pc, name, file, variable);
  hd_rt_event_end();
}

static inline void
set_number(const char *name, int64_t value, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(!set_again(name, value, pc)))
    set(name, (hd_mttl_value){.type = HD_MTTL_INT, .number = value}, pc);
}

void
hd_rt_internal_number(const char *name, int64_t value, uintptr_t pc)
{
  set_number(name, value, pc);
}

HD_RT_EXPORT void
hd_monitor_set_int(const char *name, int64_t value)
{
  if (!hd_rt_on() || hd_rt_client_now != &hd_rt_property)
    return;
  hd_rt_enter();
  set_number(name, value, HD_RT_PLACE);
  hd_rt_leave();
}

HD_RT_EXPORT void
hd_monitor_set_real(const char *name, double value)
{
  if (!hd_rt_on() || hd_rt_client_now != &hd_rt_property)
    return;
  hd_rt_enter();
  set(name, (hd_mttl_value){.type = HD_MTTL_REAL, .real = value}, HD_RT_PLACE);
  hd_rt_leave();
}

HD_RT_EXPORT void
hd_monitor_set_text(const char *name, const char *value)
{
  if (!hd_rt_on() || hd_rt_client_now != &hd_rt_property)
    return;
  hd_rt_enter();
  set(name,
      (hd_mttl_value){.type = HD_MTTL_STRING, .text = hd_rt_text_keep(value ? value : "", value ? strlen(value) : 0)},
      HD_RT_PLACE);
  hd_rt_leave();
}

HD_RT_EXPORT void
hd_monitor_on_violation(hd_monitor_recovery *recovery, void *context)
{
  if (!hd_rt_running)
    return;
  hd_rt_enter();
  hd_rt_report_recovery(recovery, context);
  hd_rt_leave();
}
