/* event.c: the table of kinds, and how targets and places are printed. */
#include "trace/trace.h"

#include <inttypes.h>

const char *const hd_trace_order_words[HD_TRACE_ORDERS]
    = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

static const hd_trace_kind_info kinds[HD_TRACE_KINDS] = {
    [HD_TRACE_READ] = {"r", "reads", HD_TRACE_VARIABLE, true, false},
    [HD_TRACE_WRITE] = {"w", "writes", HD_TRACE_VARIABLE, true, false},
    [HD_TRACE_ACQUIRE] = {"acq", "acquires", HD_TRACE_LOCK, false, false},
    [HD_TRACE_RELEASE] = {"rel", "releases", HD_TRACE_LOCK, false, false},
    [HD_TRACE_ACQUIRE_SHARED] = {"racq", "acquires for reading", HD_TRACE_LOCK, false, false},
    [HD_TRACE_RELEASE_SHARED] = {"rrel", "releases for reading", HD_TRACE_LOCK, false, false},
    [HD_TRACE_FORK] = {"fork", "starts", HD_TRACE_THREAD, false, false},
    [HD_TRACE_JOIN] = {"join", "joins", HD_TRACE_THREAD, false, false},
    [HD_TRACE_BEGIN] = {"begin", "begins a block", HD_TRACE_NOTHING, false, false},
    [HD_TRACE_END] = {"end", "ends a block", HD_TRACE_NOTHING, false, false},
    [HD_TRACE_ATOMIC_LOAD] = {"aload", "loads atomically", HD_TRACE_VARIABLE, true, true},
    [HD_TRACE_ATOMIC_STORE] = {"astore", "stores atomically", HD_TRACE_VARIABLE, true, true},
    [HD_TRACE_ATOMIC_RMW] = {"armw", "changes atomically", HD_TRACE_VARIABLE, true, true},
    [HD_TRACE_FENCE] = {"fence", "passes a fence", HD_TRACE_NOTHING, false, true},
    [HD_TRACE_WAIT] = {"wait", "waits for", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_WAKE] = {"wake", "is woken by", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_SIGNAL] = {"signal", "signals", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_BROADCAST] = {"broadcast", "broadcasts", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_POST] = {"post", "posts", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_PEND] = {"pend", "takes from", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_ARRIVE] = {"arrive", "arrives at", HD_TRACE_OBJECT, true, false},
    [HD_TRACE_LEAVE] = {"leave", "leaves", HD_TRACE_OBJECT, false, false},
    [HD_TRACE_ALLOC] = {"alloc", "allocates", HD_TRACE_VARIABLE, true, false},
    [HD_TRACE_FREE] = {"free", "frees", HD_TRACE_VARIABLE, true, false},
};

const hd_trace_kind_info *
hd_trace_kind_get(unsigned kind)
{
  return kind > 0 && kind < HD_TRACE_KINDS ? &kinds[kind] : NULL;
}

void
hd_trace_print_target(hd_string *out, const hd_trace_names *n, hd_trace_class class, uint64_t target, uint32_t size)
{
  bool address = class == HD_TRACE_VARIABLE && size > 0;
  const char *name = hd_trace_names_get(n, address ? HD_TRACE_ADDRESS : class, target);
  if (name)
    hd_string_add(out, name);
  else if (class == HD_TRACE_THREAD)
    hd_string_printf(out, "T%" PRIu64, target);
  else if (size > 0)
    hd_string_printf(out, "0x%" PRIx64 ":%" PRIu32, target, size);
  else
    hd_string_printf(out, "0x%" PRIx64, target);
}

void
hd_trace_print_location(hd_string *out, const hd_trace_names *n, uint32_t id)
{
  hd_trace_location where = hd_trace_names_location(n, id);
  if (where.text)
    hd_string_printf(out, "location %s", where.text);
  else if (!where.file && !where.function)
    hd_string_add(out, "an unknown place");
  else
  {
    if (where.file)
      hd_string_add(out, where.file);
    if (where.file && where.line > 0)
      hd_string_printf(out, ":%" PRIu32, where.line);
    if (where.function)
      hd_string_printf(out, where.file ? " (%s)" : "%s", where.function);
  }
}
