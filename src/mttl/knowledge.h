/* knowledge.h: what a thread knows, at a moment: immutable, shared and counted.
 *
 * An entry is what one thread passes on: the values of its items. Its version is the C of the knowledge of its thread
 * in which they first were what they are, so that of two entries of one thread the one with the larger version is the
 * later one. Knowledge has an entry for every thread
 * that is known to exist, and the value of every tracked variable with a version of its own. It is somebody's: the C-th
 * of thread OWN. Whoever has seen it has seen all that is in it, which makes "is there anything new?" one comparison.
 *
 * The entries of the others change seldom, so they are a list of their own, which many share; the owner's entry, which
 * changes often, stands beside it.
 *
 * References are counted. The owner of a knowledge has taken many in advance, which it gives out and takes back without
 * an atomic operation; all have come back when the count equals what the owner has in hand. It frees it then, or finds
 * it among those that it has RETIRED, its former ones; when the thread ends it returns what it has. */
#ifndef HD_MTTL_KNOWLEDGE_H
#define HD_MTTL_KNOWLEDGE_H

#include <stdatomic.h>

#include "mttl/mttl.h"

enum
{
  HD_MTTL_OF_NOBODY = UINT32_MAX, /* joined from several threads: must be looked at each time */
  HD_MTTL_CREDIT = 1 << 20        /* references taken in advance */
};

typedef struct hd_mttl_entry
{
  atomic_uint references;
  uint64_t version;
  hd_mttl_origin origin;  /* the event that made it so */
  uint32_t radix;         /* threads that its parameters range over, and one for all others, which comes first */
  hd_mttl_value values[]; /* of all items, each with all its parameters */
} hd_mttl_entry;

typedef struct hd_mttl_people
{
  atomic_uint references;
  uint32_t n;
  hd_mttl_entry *entries[]; /* by thread; NULL: not known to exist. The owner's is not looked at */
} hd_mttl_people;

typedef struct hd_mttl_shared
{
  uint32_t version;
  hd_mttl_value value;
} hd_mttl_shared;

typedef struct hd_mttl_knowledge
{
  atomic_uint references;
  uint32_t credit; /* the owner's alone, as the next two: how many of them it has in hand */
  uint32_t own;
  uint32_t nthreads;
  uint64_t c;
  struct hd_mttl_knowledge *previous, *next; /* among those that the owner has retired */
  uint64_t clock;                            /* of the last origin in it */
  hd_mttl_entry *mine;                       /* of OWN; NULL: of nobody */
  hd_mttl_people *people;                    /* the others; NULL: none */
  uint64_t *seen;                            /* by thread: the largest C of its knowledge that is in this one */
  hd_mttl_shared *shared;                    /* by number among the tracked variables */
} hd_mttl_knowledge;

/* What is known of thread I; NULL: not known to exist. */
static inline hd_mttl_entry *
hd_mttl_entry_of(const hd_mttl_knowledge *k, uint32_t i)
{
  if (i == k->own)
    return k->mine;
  return k->people && i < k->people->n ? k->people->entries[i] : NULL;
}

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
/* More references for the owner of K, who has none in hand. */
void hd_mttl_take_credit(hd_mttl_knowledge *k);
/* For the owner of K, whose present knowledge it is: a reference from those in hand. */
static inline HD_GIVE hd_mttl_knowledge *
hd_mttl_hand_out(hd_mttl_knowledge *k)
{
  if (k->credit == 0)
    hd_mttl_take_credit(k);
  k->credit--;
  return k;
}
/* The former knowledge of a thread that others still have; and some that nobody has any more, for the next ones. */
typedef struct hd_mttl_retired
{
  hd_mttl_knowledge *first;
  uint32_t n, sweep; /* from SWEEP on it is looked which of them have come back */
  uint32_t nspare;
  hd_mttl_knowledge *spare; /* by NEXT */
} hd_mttl_retired;
/* K is not its owner's present knowledge any more. */
void hd_mttl_retire(hd_mttl_retired *r, HD_TAKE hd_mttl_knowledge *k);
/* The owner of K, which is retired, has a reference back, the last one. */
void hd_mttl_retired_back(hd_mttl_retired *r, HD_TAKE hd_mttl_knowledge *k);
/* As hd_mttl_knowledge_copy for K's owner, from what it has to spare if it can be. SEEN is left for the caller to fill.
 * RENEWING: MINE is about to change, so that it need not be K's, but may be any that has K's place in memory, or shared
 * with others. */
HD_GIVE hd_mttl_knowledge *hd_mttl_retired_copy(hd_mttl_retired *r, const hd_mttl_knowledge *k, uint32_t nthreads,
                                                size_t nshared, bool renewing);
/* The owner ends: now they are those of who has them. */
void hd_mttl_retired_leave(hd_mttl_retired *r);
/* Has the owner of K all references in hand? */
static inline bool
hd_mttl_is_back(const hd_mttl_knowledge *k)
{
  /* acquire: pairs with the release in hd_mttl_drop: who had it has read it */
  return atomic_load_explicit(&k->references, memory_order_acquire) == k->credit;
}

/* With room for NTHREADS threads and NSHARED variables, nothing known; of OWN, who has references in hand. */
HD_GIVE hd_mttl_knowledge *hd_mttl_knowledge_new(uint32_t own, uint32_t nthreads, size_t nshared);
HD_GIVE hd_mttl_knowledge *hd_mttl_knowledge_copy(const hd_mttl_knowledge *k, uint32_t own, uint32_t nthreads,
                                                  size_t nshared);
/* The entry of thread I, which is not the owner, is E; K is nobody else's. */
void hd_mttl_know(hd_mttl_knowledge *k, uint32_t i, HD_TAKE hd_mttl_entry *e);
/* Is there something in FROM, other than about thread EXCEPT, that is newer than in THAN? */
bool hd_mttl_knowledge_newer(const hd_mttl_knowledge *from, const hd_mttl_knowledge *than, size_t nshared,
                             uint32_t except);

/* What can differ from one state of a thread to the next: a set. */
typedef uint64_t hd_mttl_changes;
enum
{
  HD_MTTL_VARIABLES = 32, /* bits for tracked variables; if there are more, several share one */
  HD_MTTL_LOCALS = 16     /* the same for variables of threads */
};
#define HD_MTTL_CHANGED_SHARED(number) (1ull << (number) % HD_MTTL_VARIABLES)
#define HD_MTTL_CHANGED_LOCAL(variable) (1ull << (HD_MTTL_VARIABLES + (variable) % HD_MTTL_LOCALS))
#define HD_MTTL_CHANGED_EVENT (1ull << 60)  /* what formulas see of the event */
#define HD_MTTL_CHANGED_OTHERS (1ull << 61) /* who is known, and what is known of them; ALIVE */
#define HD_MTTL_CHANGED_ITEMS (1ull << 62)  /* the thread's own items */
#define HD_MTTL_CHANGED_PAST (1ull << 63)   /* the values of temporal operators */
#define HD_MTTL_CHANGED_ALL (~0ull)

/* Take what is newer in FROM into INTO, which nobody else has and which has room for the threads of FROM, except about
 * thread EXCEPT. The answer: what was. */
hd_mttl_changes hd_mttl_knowledge_merge(hd_mttl_knowledge *into, const hd_mttl_knowledge *from, size_t nshared,
                                        uint32_t except);

#endif
