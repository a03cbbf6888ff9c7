/* genhistory.h: a random history, between the simulation that makes it and the lines that say it. */
#ifndef GENHISTORY_H
#define GENHISTORY_H

#include "base/base.h"

#include <heddle/spec.h>

/* How a client calls an operation. */
typedef struct call
{
  const char *name;
  const char *args; /* k: a key, v: a value from a small range, u: one that occurs once, p: the same, in no order */
  unsigned weight;
  bool observes; /* never changes the object */
  bool silent;   /* returns nothing */
} call;

typedef struct object
{
  const char *name, *spec;
  int64_t initial; /* configuration */
  int64_t keys;
  call calls[4];
  int change, look; /* the two calls that end in the wrong result of a bad history */
  int64_t wrong;    /* that result */
  int reinsert;     /* of containers: 1 if their values go back in the order in which they came out, -1: in the other */
} object;

/* The object of that name, or NULL; NAMES gets all names. */
const object *genhistory_object(const char *name, HD_GIVE hd_string *names);

typedef enum verdict
{
  RIGHT,
  BAD,         /* no order explains it */
  WRONG_ORDER, /* one removal took the second value instead of the first; some order may explain it all the same */
} verdict;

typedef struct wishes
{
  const object *object;
  uint64_t clients, operations, seed;
  uint64_t pending; /* how many never return */
  uint64_t percent; /* of the operations that show their commit */
  bool windows;
  uint64_t window; /* how many commits a window opens before its own */
  verdict verdict;
} wishes;

typedef struct operation
{
  const call *call;
  uint64_t client;
  int64_t args[2], result;
  uint64_t invoked; /* index of the event */
  bool annotated;   /* its commit is shown */
  bool wrong;       /* its result is the wrong one */
} operation;

typedef struct event
{
  char letter; /* I, C or R */
  uint64_t operation;
} event;

typedef struct history
{
  operation *operations;
  size_t noperations, cap_operations;
  event *events;
  size_t nevents, cap_events;
} history;

void genhistory_simulate(const wishes *w, history *h);
/* To the standard output. */
void genhistory_write(const wishes *w, const history *h);

#endif
