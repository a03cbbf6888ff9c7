/* controller_check.h: -DHD_CHECK_INTERFACE, the interface of a controller checked while the program runs. Each thread's
 * state at each instance is kept in a table of the thread; the first call that the interface does not allow, and the
 * first access to data (HD_DATA) in a state that does not permit it, are reported. All source files that share an
 * instance must be compiled alike.
 *
 * The functions of a controller cannot be told where they are called from, so each of them is inlined and asks
 * controller_lines.h to look the return address up in the debug information; compile with -g. */
#ifndef HEDDLE_CONTROLLER_CHECK_H
#define HEDDLE_CONTROLLER_CHECK_H

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <heddle/controller_lines.h>

/* What a user's function is told instead of what would be printed. Valid during the call. */
typedef struct hd_controller_violation
{
  const char *controller; /* rw */
  unsigned instance;      /* which one, in the order of their init */
  unsigned thread;        /* in the order of their first action */
  const char *state;      /* where the thread is; "a or b" if the interface leaves that open */
  const char *action;     /* NULL: an access to data */
  const char *allowed;    /* actions, or states that permit the access */
  const char *text;       /* all of it and both source lines, several lines of text */
} hd_controller_violation;

typedef void hd_controller_handler(const hd_controller_violation *violation);

typedef struct hd_controller_edge
{
  int from, action, to;
} hd_controller_edge;

typedef struct hd_controller_interface
{
  const char *name;
  const char *file; /* as HD_CONTROLLER_FILE says */
  const char *const *actions;
  int nactions;
  const char *const *states; /* the first is where threads begin */
  int nstates;
  const hd_controller_edge *edges; /* ends with an action below 0 */
} hd_controller_interface;

/* Where a thread is at one instance. An interface may have two edges with the same action from one state, so it is a
 * set of states, one bit each. */
typedef struct hd_controller_place
{
  uint32_t instance; /* 0: free */
  int action;        /* that led here; -1: none yet */
  uint64_t states;
  const void *from; /* an address in the code that called it */
} hd_controller_place;

/* A thread's table: open addressing, CAPACITY a power of two. */
typedef struct hd_controller_thread
{
  unsigned number;
  unsigned rounds; /* of destructors at its end */
  size_t capacity, used;
  hd_controller_place *places;
} hd_controller_thread;

/* One for the whole program, whichever source files define it. */
#define HD_CC_SHARED __attribute__((weak, visibility("default")))
typedef struct hd_controller_checks
{
  pthread_once_t once;
  pthread_key_t key;
  uint32_t instances, threads;
  hd_controller_handler *handler;
} hd_controller_checks;
extern hd_controller_checks hd_controller_shared;
HD_CC_SHARED hd_controller_checks hd_controller_shared = {PTHREAD_ONCE_INIT, 0, 0, 0, NULL};

/* HANDLER is called for each violation instead of printing it and aborting; the call or access goes on when it returns.
 * NULL: print and abort. Any thread; HANDLER may be called by several at once. */
static inline void
hd_controller_on_violation(hd_controller_handler *handler)
{
  __atomic_store_n(&hd_controller_shared.handler, handler, __ATOMIC_SEQ_CST);
}

/* A text that grows to what fits. */
typedef struct hd_controller_text
{
  size_t length;
  char bytes[2048];
} hd_controller_text;

static HD_CC_UNUSED __attribute__((format(printf, 2, 3))) void
hd_controller_add(hd_controller_text *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, args);
  va_end(args);
  if (n > 0)
    t->length += (size_t) n < sizeof t->bytes - t->length ? (size_t) n : sizeof t->bytes - t->length - 1;
}

/* Other destructors of thread-specific data may still use controllers, so the table goes in the last round. */
static HD_CC_UNUSED void
hd_controller_thread_ends(void *thread)
{
  hd_controller_thread *t = (hd_controller_thread *) thread;
  if (++t->rounds < 4) /* glibc's PTHREAD_DESTRUCTOR_ITERATIONS, and the least that POSIX allows */
  {
    pthread_setspecific(hd_controller_shared.key, t);
    return;
  }
  free(t->places);
  free(t);
}

static HD_CC_UNUSED void
hd_controller_make_key(void)
{
  if (pthread_key_create(&hd_controller_shared.key, hd_controller_thread_ends) != 0)
    abort();
}

static HD_CC_UNUSED hd_controller_place *
hd_controller_slot(hd_controller_place *places, size_t capacity, uint32_t instance)
{
  size_t i = (instance * UINT32_C(2654435769)) & (capacity - 1);
  while (places[i].instance != 0 && places[i].instance != instance)
    i = (i + 1) & (capacity - 1);
  return &places[i];
}

/* Makes room in T. A thread in the first state is where one is that never came, so such places are dropped: a program
 * that makes and destroys instances for ever does not grow. */
static HD_CC_UNUSED void
hd_controller_grow(hd_controller_thread *t)
{
  size_t keep = 0;
  for (size_t i = 0; i < t->capacity; i++)
    keep += t->places[i].instance != 0 && t->places[i].states != 1;
  size_t capacity = 16;
  while (capacity < 4 * keep)
    capacity *= 2;
  hd_controller_place *places = (hd_controller_place *) calloc(capacity, sizeof *places);
  if (places == NULL)
    abort();
  for (size_t i = 0; i < t->capacity; i++)
    if (t->places[i].instance != 0 && t->places[i].states != 1)
      *hd_controller_slot(places, capacity, t->places[i].instance) = t->places[i];
  free(t->places);
  t->places = places;
  t->capacity = capacity;
  t->used = keep;
}

/* The calling thread's table, and in *PLACE where it is at INSTANCE. */
static HD_CC_UNUSED hd_controller_thread *
hd_controller_me(uint32_t instance, hd_controller_place **place)
{
  pthread_once(&hd_controller_shared.once, hd_controller_make_key);
  hd_controller_thread *t = (hd_controller_thread *) pthread_getspecific(hd_controller_shared.key);
  if (t == NULL)
  {
    t = (hd_controller_thread *) calloc(1, sizeof *t);
    if (t == NULL || pthread_setspecific(hd_controller_shared.key, t) != 0)
      abort();
    t->number = __atomic_add_fetch(&hd_controller_shared.threads, 1, __ATOMIC_RELAXED); /* only a number */
    hd_controller_grow(t);
  }
  *place = hd_controller_slot(t->places, t->capacity, instance);
  if ((*place)->instance == 0)
  {
    if (2 * t->used >= t->capacity)
    {
      hd_controller_grow(t);
      *place = hd_controller_slot(t->places, t->capacity, instance);
    }
    t->used++;
    (*place)->instance = instance;
    (*place)->states = 1;
    (*place)->action = -1;
  }
  return t;
}

/* Where ACTION leads from the set FROM; none: it is not allowed. */
static HD_CC_UNUSED uint64_t
hd_controller_after_action(const hd_controller_interface *f, uint64_t from, int action)
{
  uint64_t to = 0;
  for (const hd_controller_edge *e = f->edges; e->action >= 0; e++)
    if (e->action == action && (from >> e->from & 1) != 0)
      to |= UINT64_C(1) << e->to;
  return to;
}

static HD_CC_UNUSED void
hd_controller_add_states(hd_controller_text *t, const hd_controller_interface *f, uint64_t states, const char *between)
{
  const char *separator = "";
  for (int s = 0; s < f->nstates; s++)
    if ((states >> s & 1) != 0)
    {
      hd_controller_add(t, "%s%s", separator, f->states[s]);
      separator = between;
    }
}

static HD_CC_UNUSED void
hd_controller_add_actions(hd_controller_text *t, const hd_controller_interface *f, uint64_t states)
{
  const char *separator = "";
  for (int a = 0; a < f->nactions; a++)
    if (hd_controller_after_action(f, states, a) != 0)
    {
      hd_controller_add(t, "%s%s", separator, f->actions[a]);
      separator = ", ";
    }
  if (*separator == '\0')
    hd_controller_add(t, "none");
}

/* Thread T at P called ACTION (below 0: touched data, which is permitted in the states PERMITTED) and may not. HERE is
 * the source line. */
static HD_CC_UNUSED void
hd_controller_violated(const hd_controller_interface *f, const hd_controller_thread *t, const hd_controller_place *p,
                       int action, uint64_t permitted, const char *here)
{
  hd_controller_text state = {0, ""}, allowed = {0, ""}, text = {0, ""};
  hd_controller_add_states(&state, f, p->states, " or ");
  if (action >= 0)
    hd_controller_add_actions(&allowed, f, p->states);
  else
    hd_controller_add_states(&allowed, f, permitted, ", ");

  hd_controller_add(&text, "heddle: the interface of controller %s is violated\n", f->name);
  hd_controller_add(&text, "  thread %u %s%s of instance %" PRIu32 " in state %s\n    at %s\n", t->number,
                    action >= 0 ? "calls " : "touches data", action >= 0 ? f->actions[action] : "", p->instance,
                    state.bytes, here);
  if (p->action >= 0)
  {
    char line[512];
    hd_controller_line(p->from, f->file, line, sizeof line);
    hd_controller_add(&text, "  it is in this state since it called %s\n    at %s\n", f->actions[p->action], line);
  }
  else
    hd_controller_add(&text, "  it has not called an action of this instance before\n");
  hd_controller_add(&text, "  %s: %s\n", action >= 0 ? "allowed in this state" : "permitted in", allowed.bytes);

  hd_controller_handler *handler = __atomic_load_n(&hd_controller_shared.handler, __ATOMIC_SEQ_CST);
  if (handler == NULL)
  {
    fputs(text.bytes, stderr);
    abort();
  }
  const hd_controller_violation violation = {
      f->name, p->instance, t->number, state.bytes, action >= 0 ? f->actions[action] : NULL, allowed.bytes, text.bytes};
  handler(&violation);
}

/* Before and after an action of the calling thread. They stand in functions that are inlined, so their return addresses
 * are in the code of the caller. */
static HD_CC_UNUSED __attribute__((noinline)) void
hd_controller_before(const hd_controller_interface *f, uint32_t instance, int action)
{
  hd_controller_place *p;
  const hd_controller_thread *t = hd_controller_me(instance, &p);
  if (hd_controller_after_action(f, p->states, action) != 0)
    return;
  char line[512];
  hd_controller_line(__builtin_return_address(0), f->file, line, sizeof line);
  hd_controller_violated(f, t, p, action, 0, line);
}

static HD_CC_UNUSED __attribute__((noinline)) void
hd_controller_after(const hd_controller_interface *f, uint32_t instance, int action)
{
  hd_controller_place *p;
  hd_controller_me(instance, &p);
  uint64_t to = hd_controller_after_action(f, p->states, action);
  if (to == 0) /* not allowed, and the handler went on: where the action leads from anywhere */
    to = hd_controller_after_action(f, ~UINT64_C(0), action);
  if (to != 0)
    p->states = to;
  p->action = action;
  p->from = __builtin_return_address(0);
}

static HD_CC_UNUSED __attribute__((noinline)) void
hd_controller_data(const hd_controller_interface *f, uint32_t instance, uint64_t permitted, const char *file, int line,
                   const char *function)
{
  hd_controller_place *p;
  const hd_controller_thread *t = hd_controller_me(instance, &p);
  if ((p->states & permitted) != 0)
    return;
  char here[512];
  snprintf(here, sizeof here, "%s:%d, in %s", file, line, function);
  hd_controller_violated(f, t, p, -1, permitted, here);
}

#define HD_CONTROLLER_MEMBERS uint32_t hd_instance;
#define HD_CC_OUTER HD_CC_INLINE
/* Not inlined: the more code there is between the two calls below, the sooner a compiler tears it apart, and addr2line
 * then loses sight of where it was inlined. */
#define HD_CC_GENERATED_FUNCTION static HD_CC_UNUSED __attribute__((noinline))
#define HD_CC_BORN(c) (c)->hd_instance = __atomic_add_fetch(&hd_controller_shared.instances, 1, __ATOMIC_RELAXED)
/* The empty instruction keeps a call from becoming a jump: its return address would be somebody else's. */
#define HD_CC_BEFORE(c, action)                                                                                        \
  hd_controller_before(&HD_CC_INNER(_interface), (c)->hd_instance, HD_CC_NAME(_action_##action));                      \
  __asm__ volatile("");
#define HD_CC_AFTER(c, action, did)                                                                                    \
  if (did)                                                                                                             \
    hd_controller_after(&HD_CC_INNER(_interface), (c)->hd_instance, HD_CC_NAME(_action_##action));                     \
  __asm__ volatile("");

#define HD_CC_BIT(name, state) | UINT64_C(1) << name##_state_##state
#define HD_DATA(c, name, ...)                                                                                          \
  hd_controller_data(&hd_##name##_interface, (c)->hd_instance, UINT64_C(0) HD_CC_EACH(HD_CC_BIT, name, __VA_ARGS__),   \
                     __FILE__, __LINE__, __func__)

#endif
