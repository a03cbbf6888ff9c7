/* generate.h: fast code for a controller: who has to be woken by which action, a proof that this is enough, and a C
 * header that does it (HD_CONTROLLER_GENERATED in include/heddle/controller.h).
 *
 * The wake-ups are those of docs/controllers.md, "Fast code": each blocking action has a queue and a wait bit; the bit
 * is set only where no guard of the action holds, and whoever makes one true clears it and wakes one sleeper or all.
 *
 * Threads: a plan belongs to one. */
#ifndef HD_GENERATE_H
#define HD_GENERATE_H

#include "control/control.h"

/* Does a command of an action make a guard of a blocking action true that was not? */
typedef enum hd_generate_when
{
  HD_GENERATE_NEVER,
  HD_GENERATE_ALWAYS,
  HD_GENERATE_IF /* where a condition on the variables afterwards holds */
} hd_generate_when;

typedef struct hd_generate_wake
{
  hd_generate_when when;
  const char *test;     /* IF: in C */
  hd_control_set where; /* the same, over constants and variables; all states if ALWAYS, none if NEVER */
} hd_generate_wake;

/* Who is woken when a guard has become true. */
typedef enum hd_generate_rule
{
  HD_GENERATE_ONE,   /* one sleeper; executing the action makes the guards false again */
  HD_GENERATE_CHAIN, /* one sleeper, who wakes the next if a guard still holds after its own step */
  HD_GENERATE_ALL
} hd_generate_rule;

typedef struct hd_generate_queue
{
  uint32_t action;
  hd_generate_rule rule;
  bool proved;         /* hd_generate_prove: its wake-ups are enough, for any number of threads */
  const char *refuge;  /* why it is woken as a whole although that was not the first choice; NULL: it was */
  const bool *keepers; /* by queue: who waits there may keep this one, for a guard holds there whenever one does here */
} hd_generate_queue;

/* What is known of a variable in every reachable state. */
typedef struct hd_generate_range
{
  bool has_least, has_most;
  int64_t least, most;
  bool by_threads; /* at most the number of threads and one more */
} hd_generate_range;

typedef struct hd_generate_command
{
  uint32_t line;      /* of WHEN, in the controller's file */
  uint32_t do_line;   /* of DO */
  const char *guard;  /* as the file has it, without comments; lines are kept */
  const char *update; /* the same; "" for DO() */
} hd_generate_command;

/* What a thread finds that has the controller for itself. */
typedef struct hd_generate_alone
{
  bool plain;              /* always the same when it executes the action, as far as was seen: */
  size_t n;                /* what these N actions leave behind, */
  const uint32_t *actions; /* executed one after the other from the start */
} hd_generate_alone;

typedef struct hd_generate_plan
{
  const hd_controller *c;
  hd_arena *arena;
  size_t nqueues;
  hd_generate_queue *queues;
  size_t *queue_of;              /* an action; SIZE_MAX: it is nonblocking */
  size_t *first_command;         /* of an action, in COMMANDS; one more than there are actions */
  hd_generate_command *commands; /* of all actions */
  hd_generate_wake *wakes;       /* [command * nqueues + queue] */
  hd_generate_range *ranges;     /* of the variables */
  hd_generate_alone *alone;      /* by action */
  bool shares;                   /* when a blocking action has been executed, a guard of one may hold */
  hd_control_set unreachable;    /* no start is in it, and no step leads into it */
  const char *text;              /* of the declarations, as the preprocessor would write them */
} hd_generate_plan;

/* C was read from TEXT, N bytes. NULL: *ERROR says why there can be no code for it. C must outlive the plan. */
HD_GIVE hd_generate_plan *hd_generate_plan_new(HD_KEEP const hd_controller *c, const char *text, size_t n,
                                               hd_string *error);
void hd_generate_plan_free(HD_TAKE hd_generate_plan *p);

/* The wake-ups of QUEUE as a controller file: its last property, awake, says that they are enough. */
void hd_generate_protocol(hd_string *out, const hd_generate_plan *p, size_t queue);
/* Prove the protocol of QUEUE for any number of threads. Violated: TEXT says how sleepers are forgotten. */
hd_verdict hd_generate_prove_queue(const hd_generate_plan *p, size_t queue, hd_string *text);
/* Prove all of them. Where that fails, all sleepers are woken by every change, which needs no proof; messages say so.
 */
void hd_generate_prove(hd_generate_plan *p, hd_string *messages);

typedef enum hd_generate_backend
{
  HD_GENERATE_FUTEX, /* Linux; all variables in one word if they fit, else like LOCK */
  HD_GENERATE_LOCK,  /* Linux; a lock, and a queue for each blocking action */
  HD_GENERATE_PTHREAD,
  HD_GENERATE_MODELS /* no code, for hd_generate_protocol */
} hd_generate_backend;

typedef struct hd_generate_options
{
  hd_generate_backend backend;
  const char *source; /* the controller's file and the new one, for #line */
  const char *output;
} hd_generate_options;

/* The header. */
void hd_generate_emit(hd_string *out, const hd_generate_plan *p, const hd_generate_options *o);

#endif
