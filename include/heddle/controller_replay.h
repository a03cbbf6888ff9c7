/* controller_replay.h: executes traces of a controller on its code, thread by thread, for `heddle control verify`. The
 * program that heddle writes includes the controller and this, fills in the tables, and calls hd_replay_main.
 *
 * Every thread of a trace is a thread here. One at a time is told to take a step and says what came of it; blocking
 * actions are called with a deadline that has passed, so that one whose guard holds takes effect and no other waits.
 * After each step the variables of the controller are compared with those of the trace. Each trace has a process of its
 * own: whatever happens there, the others are executed.
 *
 * For each trace a line is printed: its number and
 *   same                       all is as the trace says
 *   value STEP VARIABLE VALUE  after the step the variable has another value
 *   loop VARIABLE VALUE        after the last step the variable has another value than after step LOOP
 *   guard STEP HELD            a guard held (1) or none did (0), and the trace says the opposite
 *   edge STEP                  the interface of the code does not lead this way
 *   goes THREAD ACTION         the trace ends here, but the thread can take the action
 *   threads N                  only so many threads could be started
 *   late                       a step took longer than HD_REPLAY_SECONDS
 *   died SIGNAL                the code ended the process */
#ifndef HEDDLE_CONTROLLER_REPLAY_H
#define HEDDLE_CONTROLLER_REPLAY_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HD_REPLAY_SECONDS
#define HD_REPLAY_SECONDS 20
#endif

typedef struct hd_replay_edge
{
  int from, action, to;
} hd_replay_edge;

/* The controller; C is an instance. */
typedef struct hd_replay_controller
{
  size_t size;
  int variables, actions, edges;
  const bool *blocking; /* by action */
  const hd_replay_edge *edge;
  void (*init)(void *c, const int *constants);
  void (*destroy)(void *c);
  void (*values)(const void *c, int *values);
  bool (*act)(void *c, int action); /* whether a guard held; never waits */
  int (*next_state)(int state, int action);
} hd_replay_controller;

typedef struct hd_replay_step
{
  int thread; /* from 0 */
  int edge;
  bool held; /* a guard of the action */
} hd_replay_step;

typedef enum hd_replay_end
{
  HD_REPLAY_STATE,    /* nothing more to show */
  HD_REPLAY_DEADLOCK, /* no thread can go on */
  HD_REPLAY_FINISHED, /* no thread has anything left to do */
  HD_REPLAY_LOOP      /* the values are those after step LOOP */
} hd_replay_end;

typedef struct hd_replay_trace
{
  int threads, steps, loop;
  hd_replay_end end;
  const int *constants;
  const hd_replay_step *step;
  const int *values; /* a row for the start and for each step */
} hd_replay_trace;

struct hd_replay_run;

typedef struct hd_replay_thread
{
  struct hd_replay_run *run;
  pthread_t id;
  sem_t go;
  int state; /* of the interface */
  bool started;
} hd_replay_thread;

typedef struct hd_replay_run
{
  const hd_replay_controller *controller;
  const hd_replay_trace *trace;
  int number; /* of the trace */
  void *c;
  int *values;
  hd_replay_thread *threads;
  sem_t done;
  /* The baton: set by who posts GO, answered by who posts DONE. */
  int action; /* -1: end */
  bool held;
} hd_replay_run;

static inline void *
hd_replay_thread_main(void *argument)
{
  hd_replay_thread *t = (hd_replay_thread *) argument;
  hd_replay_run *r = t->run;
  for (;;)
  {
    while (sem_wait(&t->go) != 0)
      continue;
    if (r->action < 0)
      return NULL;
    r->held = r->controller->act(r->c, r->action);
    sem_post(&r->done);
  }
}

static inline bool
hd_replay_start_thread(hd_replay_thread *t)
{
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t) 256 << 10); /* there may be a thousand of them */
  t->started = sem_init(&t->go, 0, 0) == 0 && pthread_create(&t->id, &attributes, hd_replay_thread_main, t) == 0;
  pthread_attr_destroy(&attributes);
  return t->started;
}

/* Let thread T call ACTION; *HELD is its answer. False: there is no such thread, and that was printed. */
static inline bool
hd_replay_call(hd_replay_run *r, int t, int action, bool *held)
{
  if (!r->threads[t].started && !hd_replay_start_thread(&r->threads[t]))
  {
    int started = 0;
    for (int i = 0; i < r->trace->threads; i++)
      started += r->threads[i].started;
    printf("%d threads %d\n", r->number, started);
    return false;
  }
  r->action = action;
  sem_post(&r->threads[t].go);
  while (sem_wait(&r->done) != 0)
    continue;
  *held = r->held;
  return true;
}

/* Are the variables those after STEP? LOOP: those to which a loop returns. */
static inline bool
hd_replay_compare(hd_replay_run *r, int step, bool loop)
{
  const int n = r->controller->variables;
  r->controller->values(r->c, r->values);
  for (int v = 0; v < n; v++)
    if (r->values[v] != r->trace->values[step * n + v])
    {
      if (loop)
        printf("%d loop %d %d\n", r->number, v, r->values[v]);
      else
        printf("%d value %d %d %d\n", r->number, step, v, r->values[v]);
      return false;
    }
  return true;
}

static inline bool
hd_replay_take_step(hd_replay_run *r, int i)
{
  const hd_replay_step *s = &r->trace->step[i];
  const hd_replay_edge *e = &r->controller->edge[s->edge];
  hd_replay_thread *t = &r->threads[s->thread];
  /* An action may lead from one state to two, of which the function names the first. */
  bool known = t->state == e->from && r->controller->next_state(e->from, e->action) >= 0, held;
  for (int k = 0; k < r->controller->edges && known; k++)
    if (r->controller->edge[k].from == e->from && r->controller->edge[k].action == e->action)
    {
      known = r->controller->next_state(e->from, e->action) == r->controller->edge[k].to;
      break;
    }
  if (!known)
  {
    printf("%d edge %d\n", r->number, i + 1);
    return false;
  }
  if (!hd_replay_call(r, s->thread, e->action, &held))
    return false;
  if (held != s->held)
  {
    printf("%d guard %d %d\n", r->number, i + 1, held);
    return false;
  }
  t->state = e->to;
  return hd_replay_compare(r, i + 1, false);
}

/* No thread can go on: each calls whatever the interface allows it. */
static inline bool
hd_replay_check_stuck(hd_replay_run *r)
{
  const hd_replay_controller *k = r->controller;
  for (int t = 0; t < r->trace->threads; t++)
    for (int a = 0; a < k->actions; a++)
    {
      bool held = true;
      if (k->next_state(r->threads[t].state, a) < 0)
        continue;
      if (r->trace->end == HD_REPLAY_DEADLOCK && k->blocking[a] && !hd_replay_call(r, t, a, &held))
        return false;
      if (held)
      {
        printf("%d goes %d %d\n", r->number, t + 1, a);
        return false;
      }
      if (!hd_replay_compare(r, r->trace->steps, false))
        return false;
    }
  return true;
}

static inline bool
hd_replay_execute(hd_replay_run *r)
{
  const hd_replay_trace *t = r->trace;
  r->controller->init(r->c, t->constants);
  if (!hd_replay_compare(r, 0, false))
    return false;
  for (int i = 0; i < t->steps; i++)
  {
    alarm(HD_REPLAY_SECONDS);
    if (!hd_replay_take_step(r, i))
      return false;
  }
  alarm(HD_REPLAY_SECONDS);
  if ((t->end == HD_REPLAY_DEADLOCK || t->end == HD_REPLAY_FINISHED) && !hd_replay_check_stuck(r))
    return false;
  return t->end != HD_REPLAY_LOOP || hd_replay_compare(r, t->loop, true);
}

/* In a process of its own. */
static inline void
hd_replay_one(const hd_replay_controller *controller, const hd_replay_trace *trace, int number)
{
  hd_replay_run r = {.controller = controller, .trace = trace, .number = number};
  r.c = calloc(1, controller->size);
  r.values = (int *) calloc((size_t) controller->variables + 1, sizeof *r.values);
  r.threads = (hd_replay_thread *) calloc((size_t) trace->threads + 1, sizeof *r.threads);
  if (r.c == NULL || r.values == NULL || r.threads == NULL || sem_init(&r.done, 0, 0) != 0)
    abort();
  for (int t = 0; t < trace->threads; t++)
    r.threads[t].run = &r;
  if (hd_replay_execute(&r))
    printf("%d same\n", number);
  fflush(stdout);
  r.action = -1;
  for (int t = 0; t < trace->threads; t++)
    if (r.threads[t].started)
    {
      sem_post(&r.threads[t].go);
      pthread_join(r.threads[t].id, NULL);
    }
  controller->destroy(r.c);
  free(r.threads);
  free(r.values);
  free(r.c);
}

static inline int
hd_replay_main(const hd_replay_controller *controller, const hd_replay_trace *traces, int n)
{
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none); /* a controller that ends its process leaves nothing behind */
  for (int i = 0; i < n; i++)
  {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
      return 1;
    if (child == 0)
    {
      hd_replay_one(controller, &traces[i], i);
      _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
      if (errno != EINTR)
        return 1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      printf("%d late\n", i);
    else if (WIFSIGNALED(status))
      printf("%d died %d\n", i, WTERMSIG(status));
  }
  fflush(stdout);
  return 0;
}

#endif
