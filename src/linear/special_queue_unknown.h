/* special_queue_unknown.h: the configurations of the walk in special_queue_unknown.c. */
#ifndef HD_LINEAR_SPECIAL_QUEUE_UNKNOWN_H
#define HD_LINEAR_SPECIAL_QUEUE_UNKNOWN_H

#include "linear/special_parts.h"

enum
{
  MAX_OPEN = 64,  /* unknown removals at one time */
  MAX_EXTRA = 60, /* values taken before one with a smaller e2: they were put in at the same time */
};

typedef struct config
{
  uint64_t used;    /* by slot: the unknown removals that have taken something */
  uint32_t flush;   /* the gap at which the queue was empty last */
  uint32_t first;   /* the candidates below are taken; this one is not, */
  uint32_t pending; /* so many of the pending removals took something */
  uint32_t maybe;   /* so many values of pending insertions are taken */
  uint32_t nextra;  /* and these, ascending, are taken, too */
  uint32_t extra[MAX_EXTRA];
} config;

typedef struct configs
{
  config *list;
  size_t n, cap;
} configs;

typedef struct candidate
{
  uint32_t value, release, deadline;
} candidate;

typedef struct sweep
{
  special_job *job;
  const special_container *c;
  candidate *left;               /* by e2 */
  uint32_t *maybe;               /* releases of what pending insertions put in, ascending */
  uint32_t *released_at, *next;  /* by time: a candidate + 1 that is released there; by candidate: another one */
  uint32_t *released, nreleased; /* candidates, ascending */
  uint32_t ninside;              /* the candidates below were put in before this moment */
  uint32_t ndue;                 /* the candidates below must have been taken */
  uint32_t nmaybe, npending;     /* released, and called */
  uint32_t cover;                /* known values that are certainly inside */
  uint32_t open[MAX_OPEN];       /* unknown removals, by slot; NONE */
  unsigned nopen;                /* of them */
  uint32_t *empty, nempty;       /* starts of the removals that found nothing and are open */
  configs now, then;
  uint64_t work;
  uint32_t blamed; /* a candidate that kept a configuration from going on */
  bool full;       /* a limit was reached */
} sweep;

/* ---- special_queue_configs.c ---- */
void hd_special_queue_keep(sweep *s, const config *c); /* in THEN */
void hd_special_queue_turn(sweep *s);                  /* what THEN holds is now, but for what is superfluous */
bool hd_special_queue_is_taken(const config *c, uint32_t i);
/* Take the best value that is released. False: there is none. */
bool hd_special_queue_take_best(sweep *s, config *c);
/* From C on, take all candidates below UPTO; then the queue was empty at the gap FLUSH, if that is not 0. Keep what
 * comes of it. */
void hd_special_queue_take_all(sweep *s, config c, uint32_t upto, uint32_t flush);

/* Is the unknown removal in SLOT explained only by a value or by a flush to come? */
static inline bool
needs_flush(const sweep *s, const config *c, unsigned slot)
{
  return !(c->used >> slot & 1) && s->job->start[s->open[slot]] > c->flush;
}

#endif
