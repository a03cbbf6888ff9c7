/* knowledge.h: what a thread knows, at a moment: immutable, shared and counted.
 *
 * An entry is what one thread passes on: the values of its items. Its version counts how often they changed, so that of
 * two entries of one thread the one with the larger version is the later one. Knowledge has an entry for every thread
 * that is known to exist, and the value of every tracked variable with a version of its own. It is somebody's: the C-th
 * of thread OWN. Whoever has seen it has seen all that is in it, which makes "is there anything new?" one comparison.
 */
#ifndef HD_MTTL_KNOWLEDGE_H
#define HD_MTTL_KNOWLEDGE_H

#include <stdatomic.h>

#include "mttl/mttl.h"

enum
{
  HD_MTTL_OF_NOBODY = UINT32_MAX /* joined from several threads: must be looked at each time */
};

typedef struct hd_mttl_entry
{
  atomic_uint references;
  uint32_t version;
  uint32_t radix;         /* threads that its parameters range over, and one for all others, which comes first */
  hd_mttl_value values[]; /* of all items, each with all its parameters */
} hd_mttl_entry;

typedef struct hd_mttl_shared
{
  uint32_t version;
  hd_mttl_value value;
} hd_mttl_shared;

typedef struct hd_mttl_knowledge
{
  atomic_uint references;
  uint32_t own, c;
  uint32_t nthreads;
  hd_mttl_entry **entries; /* by thread; NULL: not known to exist */
  uint32_t *seen;          /* by thread: the largest C of its knowledge that is in this one */
  hd_mttl_shared *shared;  /* by number among the tracked variables */
} hd_mttl_knowledge;

static inline hd_mttl_entry *
hd_mttl_entry_keep(hd_mttl_entry *e)
{
  if (e)
    atomic_fetch_add_explicit(&e->references, 1, memory_order_relaxed);
  return e;
}
void hd_mttl_entry_drop(hd_mttl_entry *e);

static inline hd_mttl_knowledge *
hd_mttl_keep(hd_mttl_knowledge *k)
{
  if (k)
    atomic_fetch_add_explicit(&k->references, 1, memory_order_relaxed);
  return k;
}
void hd_mttl_drop(hd_mttl_knowledge *k);

/* With room for NTHREADS threads and NSHARED variables, nothing known. */
HD_GIVE hd_mttl_knowledge *hd_mttl_knowledge_new(uint32_t nthreads, size_t nshared);
HD_GIVE hd_mttl_knowledge *hd_mttl_knowledge_copy(const hd_mttl_knowledge *k, uint32_t nthreads, size_t nshared);
/* Take what is newer in FROM into INTO, which nobody else has, except about thread EXCEPT. True: something was. */
bool hd_mttl_knowledge_merge(hd_mttl_knowledge **into, const hd_mttl_knowledge *from, size_t nshared, uint32_t except);

#endif
