/* lttng_provider.h: a tracepoint with the payload of a call with one argument. The layout is what lttng/tracepoint.h
 * asks for: this file is included several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER heddle_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_provider.h"

#if !defined(HD_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define HD_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
  heddle_bench, call,
  LTTNG_UST_TP_ARGS(uint32_t, site, uint32_t, object, uint64_t, argument),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint32_t, site, site)
    lttng_ust_field_integer(uint32_t, object, object)
    lttng_ust_field_integer(uint64_t, argument, argument)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
