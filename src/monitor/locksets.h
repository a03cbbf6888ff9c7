/* locksets.h: the locks that a thread holds, and numbers for sets of locks. Private to src/monitor. */
#ifndef HD_MONITOR_LOCKSETS_H
#define HD_MONITOR_LOCKSETS_H

#include "base/base.h"

typedef struct hd_monitor_held_lock
{
  uint32_t lock;
  uint32_t mark; /* the holder's own */
  bool shared;
} hd_monitor_held_lock;

/* In the order in which they were taken. */
typedef struct hd_monitor_held
{
  hd_monitor_held_lock *items;
  size_t n, cap;
  uint32_t set; /* its number, if KNOWN */
  bool known;
} hd_monitor_held;

void hd_monitor_held_add(hd_monitor_held *h, hd_monitor_held_lock l);
bool hd_monitor_held_remove(hd_monitor_held *h, uint32_t lock, uint32_t *mark); /* false: it is not held */

typedef struct hd_monitor_locksets hd_monitor_locksets;
HD_GIVE hd_monitor_locksets *hd_monitor_locksets_new(void);
void hd_monitor_locksets_free(HD_TAKE hd_monitor_locksets *s);
/* Equal sets have equal numbers; 0 is the empty one. */
uint32_t hd_monitor_locksets_of(hd_monitor_locksets *s, hd_monitor_held *h);
/* Can two threads never hold A and B at one time? So it is if a lock is in both, and not for reading in both. */
bool hd_monitor_locksets_exclude(const hd_monitor_locksets *s, uint32_t a, uint32_t b);
/* Is LOCK in the set, and for reading alone? */
bool hd_monitor_locksets_has(const hd_monitor_locksets *s, uint32_t set, uint32_t lock, bool *shared);
/* The locks of a set, in ascending order, each as 2 * number + shared. */
const uint32_t *hd_monitor_locksets_get(const hd_monitor_locksets *s, uint32_t set, size_t *n);

#endif
