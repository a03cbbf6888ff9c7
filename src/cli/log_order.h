/* log_order.h: the events of each object in the order of their positions (docs/rules.md 1.1), for people and for
 * cutting.
 *
 * A log gives each thread's events in order and says with frontiers when nothing older can come; in between, events
 * wait here. Private to the commands. */
#ifndef HD_LOG_ORDER_H
#define HD_LOG_ORDER_H

#include "log/log.h"

/* An event in its place. */
typedef struct hd_ordered
{
  hd_event event;
  uint64_t position; /* tick k: 2k+1; a look that reads n: 2n; without a stamp: that of the thread's last event there */
  const char *method; /* of the operation or task that it belongs to, or "" */
} hd_ordered;

typedef struct hd_log_order hd_log_order;
typedef void (*hd_ordered_sink)(void *context, const hd_ordered *o);

HD_GIVE hd_log_order *hd_log_order_new(HD_KEEP const hd_log *log, hd_ordered_sink sink, HD_KEEP void *context);
void hd_log_order_free(HD_TAKE hd_log_order *order);
/* The sink to read the log with. At the end of hd_log_read everything has been handed on, except what belongs to
 * objects that were not logged; hd_log_order_flush hands that on too. */
hd_log_sink hd_log_order_sink(hd_log_order *order);
void hd_log_order_flush(hd_log_order *order);

#endif
