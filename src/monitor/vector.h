/* vector.h: vector clocks that are shared until somebody changes them. Private to src/monitor.
 *
 * NULL is the vector of zeros. A holder that wants to change its vector calls hd_monitor_vector_own first, which copies
 * it if somebody else holds it too; so a release publishes a thread's knowledge by counting a reference, and only who
 * learns something new pays for a copy. */
#ifndef HD_MONITOR_VECTOR_H
#define HD_MONITOR_VECTOR_H

#include "base/base.h"

typedef struct vector
{
  uint32_t refs, n;
  uint32_t clock[];
} vector;

static inline uint32_t
vector_get(const vector *v, uint32_t i)
{
  return v && i < v->n ? v->clock[i] : 0;
}

static inline vector *
vector_share(vector *v)
{
  if (v)
    v->refs++;
  return v;
}

void hd_monitor_vector_drop(HD_TAKE vector *v);
/* Make *V its holder's alone, with room for N entries at least. */
void hd_monitor_vector_own(vector **v, uint32_t n);
void hd_monitor_vector_set(vector **v, uint32_t i, uint32_t clock);
/* True: *V was changed. The entry SKIP of W does not count. */
bool hd_monitor_vector_join(vector **v, const vector *w, uint32_t skip);
enum
{
  VECTOR_NO_SKIP = UINT32_MAX
};

/* What a thread knew when it published it: V, but for the thread's own entry, which is CLOCK. One publication for each
 * value of a thread's clock: who knows (THREAD, CLOCK) knows all of it. CLOCK 0: nothing. */
typedef struct known
{
  vector *v;
  uint32_t thread, clock;
} known;

static inline void
known_drop(known *k)
{
  hd_monitor_vector_drop(k->v);
  *k = (known){0};
}

#endif
