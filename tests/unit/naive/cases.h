/* cases.h: small histories as a program would log them: what each thread does, in real time, with its annotations. */
#ifndef NAIVE_CASES_H
#define NAIVE_CASES_H

#include "naive/objects.h"
#include "naive/orders.h"

#include "base/base.h"

enum
{
  NAIVE_OPS = 32, /* operations of a case at most */
  NAIVE_LANES = 6,
  NAIVE_EVENTS = NAIVE_OPS * 6,
};

typedef enum naive_event_kind
{
  NAIVE_CALL,
  NAIVE_WINDOW,
  NAIVE_COMMIT,
  NAIVE_RETURN,
  NAIVE_ABANDON, /* the operation will never return, and its thread goes on; no event on the clock */
} naive_event_kind;

typedef struct naive_event
{
  uint8_t op, kind;
} naive_event;

typedef struct naive_call
{
  uint32_t method, nargs, lane; /* LANE: the thread, from 1 */
  hd_value args[2], ret;
  bool nocommit;      /* HD_CALL_NOCOMMIT */
  bool ret_at_commit; /* the commit tells what will be returned */
} naive_call;

/* How the mutators are annotated. */
typedef enum naive_notes
{
  NAIVE_EXACT,
  NAIVE_WINDOWS,
  NAIVE_NONE,
  NAIVE_MIXED,
  NAIVE_NOTES,
} naive_notes;
extern const char *const naive_notes_names[NAIVE_NOTES];

/* The order of the events is real time. A thread whose last operation has neither a return nor is abandoned has died
 * in it. */
typedef struct naive_case
{
  const naive_object *object;
  naive_notes notes;
  hd_value config[1];
  size_t nconfig;
  size_t n, nevents;
  naive_call ops[NAIVE_OPS];
  naive_event events[NAIVE_EVENTS];
  bool texts, unique, ends; /* ENDS: threads that died end, else the log does */
  unsigned values;          /* of them were used, if each is unique */
} naive_case;

typedef struct naive_plan
{
  const naive_object *object;
  naive_notes notes;
  size_t n;
  unsigned lanes;
  unsigned pending; /* percent: how often a step is an operation's last */
  unsigned keys;    /* how many there are; 0: 2 */
  bool unique;      /* each value is put in once */
  bool calm;        /* nothing unusual: commits that are left out, windows opened twice, results said in another way */
  bool wild;        /* results are invented, not those of the specification */
} naive_plan;

/* Forget the texts of all cases made so far. */
void naive_start(void);
void naive_make(naive_case *c, const naive_plan *plan, uint64_t *random);
/* Change one thing: a result, two results, a place. */
void naive_mutate(naive_case *c, uint64_t *random);
/* Drop operations as long as STILL says that the case is one that is wanted. */
void naive_shrink(naive_case *c, bool (*still)(const naive_case *c));
void naive_print(const naive_case *c);

/* A result that METHOD might have had. */
hd_value naive_plausible(const naive_case *c, uint32_t method, uint64_t *random);

/* ---- the object's clock (docs/rules.md 1.1, 1.2) ---- */
typedef struct naive_stamp
{
  uint64_t number;
  bool ticked;
} naive_stamp;
void naive_stamps(const naive_case *c, naive_stamp *stamps); /* one for each event; of ABANDON it means nothing */

/* The operations that constrain the order, with the intervals in which they took effect: positions on the clock, or
 * real time. Returns how many. */
size_t naive_intervals(const naive_case *c, bool real_time, naive_op *ops);
/* The same over calls and returns, in real time, whatever the annotations say. */
size_t naive_whole(const naive_case *c, naive_op *ops);

/* ---- random numbers ---- */
static inline uint64_t
naive_below(uint64_t *random, uint64_t n)
{
  return hd_random(random) % n;
}

static inline bool
naive_chance(uint64_t *random, unsigned percent)
{
  return hd_random(random) % 100 < percent;
}

#endif
