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

static void
set(const char *name, hd_mttl_value value, uintptr_t pc)
{
  if (!hd_rt_event_begin(pc))
    return;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    const hd_mttl_file *f = hd_rt_all.files[i].f;
    for (uint32_t k = 0; k < f->nvariables; k++)
    {
      if (f->variables[k].shared || !is_name(f->variables[k].name, name))
        continue;
      hd_mttl_value as = convert(value, f->variables[k].type);
      if (as.type == HD_MTTL_UNDEFINED)
        __atomic_fetch_add(&hd_rt_all.wrong_types, 1, __ATOMIC_RELAXED);
      else
        hd_mttl_internal(hd_rt_me->t[i], k, as);
    }
  }
  hd_rt_event_end();
}

void
hd_rt_internal_number(const char *name, int64_t value, uintptr_t pc)
{
  set(name, (hd_mttl_value){.type = HD_MTTL_INT, .number = value}, pc);
}

HD_RT_EXPORT void
hd_monitor_set_int(const char *name, int64_t value)
{
  if (!hd_rt_on() || !hd_rt_client_now || !hd_rt_client_now->mark)
    return;
  hd_rt_enter();
  hd_rt_client_now->mark(name, value, HD_RT_PLACE);
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
