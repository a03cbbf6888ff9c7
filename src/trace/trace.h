/* trace.h: the event trace of a program: who read, wrote, locked, forked what, in which order and where.
 *
 * Traces are streams: a reader fills blocks of events, and neither it nor a writer holds more than one block, so a
 * trace may be longer than memory. Two forms: ours (".htrace", format.h says it byte by byte) and the STD text of
 * RAPID, one event a line, `thread|operation|location`. docs/monitor.md says both in words.
 *
 * Nothing here has state outside its handle; a handle is used by one thread at a time. */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include "base/base.h"

/* ---- events ---- */

/* The numbers are those of the file. */
typedef enum hd_trace_kind
{
  HD_TRACE_READ = 1, /* of a variable, or of SIZE bytes from an address on */
  HD_TRACE_WRITE = 2,
  HD_TRACE_ACQUIRE = 3, /* a mutex, or a reader-writer lock for writing */
  HD_TRACE_RELEASE = 4,
  HD_TRACE_ACQUIRE_SHARED = 5, /* a reader-writer lock for reading */
  HD_TRACE_RELEASE_SHARED = 6,
  HD_TRACE_FORK = 7, /* target: the thread that starts, or that was waited for */
  HD_TRACE_JOIN = 8,
  HD_TRACE_BEGIN = 9, /* of an atomic block */
  HD_TRACE_END = 10,
  HD_TRACE_ATOMIC_LOAD = 11, /* these four have a memory order */
  HD_TRACE_ATOMIC_STORE = 12,
  HD_TRACE_ATOMIC_RMW = 13, /* read, modify, write; a comparison that failed is a load */
  HD_TRACE_FENCE = 14,
  HD_TRACE_WAIT = 15, /* a condition variable: about to wait, woken up (the mutex has its own events) */
  HD_TRACE_WAKE = 16,
  HD_TRACE_SIGNAL = 17,
  HD_TRACE_BROADCAST = 18,
  HD_TRACE_POST = 19, /* a semaphore: up, down */
  HD_TRACE_PEND = 20,
  HD_TRACE_ARRIVE = 21, /* a barrier; SIZE: how many it waits for, 0: unknown */
  HD_TRACE_LEAVE = 22,
  HD_TRACE_ALLOC = 23, /* SIZE bytes of memory begin or end their life */
  HD_TRACE_FREE = 24,
  HD_TRACE_KINDS = 25
} hd_trace_kind;

/* What the target of an event is. */
typedef enum hd_trace_class
{
  HD_TRACE_NOTHING,
  HD_TRACE_VARIABLE, /* SIZE 0: a number that stands for a name; else an address */
  HD_TRACE_LOCK,
  HD_TRACE_THREAD,
  HD_TRACE_OBJECT,  /* condition variable, semaphore, barrier */
  HD_TRACE_ADDRESS, /* names only: a variable that is an address */
  HD_TRACE_CLASSES
} hd_trace_class;

typedef enum hd_trace_order
{
  HD_TRACE_RELAXED,
  HD_TRACE_CONSUME,
  HD_TRACE_ACQUIRES,
  HD_TRACE_RELEASES,
  HD_TRACE_ACQ_REL,
  HD_TRACE_SEQ_CST,
  HD_TRACE_ORDERS
} hd_trace_order;

enum hd_trace_flag
{
  HD_TRACE_TRIED = 1 /* a lock that was taken by a call that never waits */
};

enum
{
  HD_TRACE_MAX_THREADS = 1 << 16,
  HD_TRACE_MAX_NAME = 1 << 16,   /* bytes of one name */
  HD_TRACE_MAX_ACCESS = 1 << 16, /* bytes of one access; who copies more has several */
};

typedef struct hd_trace_event
{
  uint64_t number; /* from 1, in the order of the trace */
  uint64_t target;
  uint32_t thread;   /* from 0 */
  uint32_t location; /* 0: unknown; else hd_trace_names_location */
  uint32_t stack;    /* 0: unknown; else hd_trace_names_stack */
  uint32_t size;     /* bytes of an access or a block of memory; 0: the target is a number. See ARRIVE */
  uint8_t kind;      /* hd_trace_kind */
  uint8_t order;     /* hd_trace_order */
  uint8_t flags;     /* enum hd_trace_flag */
} hd_trace_event;

/* The table of kinds. */
typedef struct hd_trace_kind_info
{
  const char *word;     /* in STD: "acq" */
  const char *sentence; /* "acquires" */
  uint8_t class;        /* hd_trace_class of the target */
  bool sized, ordered;
} hd_trace_kind_info;
const hd_trace_kind_info *hd_trace_kind_get(unsigned kind); /* NULL: there is no such kind */
extern const char *const hd_trace_order_words[HD_TRACE_ORDERS];

static inline bool
hd_trace_is_access(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_READ || e->kind == HD_TRACE_WRITE;
}

/* ---- names ---- */

/* A place in the source. What is not known is NULL or 0. TEXT: a place that is only a word, such as "17" in STD. */
typedef struct hd_trace_location
{
  const char *text, *file, *function;
  uint32_t line;
} hd_trace_location;

typedef struct hd_trace_names hd_trace_names;
HD_GIVE hd_trace_names *hd_trace_names_new(void);
void hd_trace_names_free(HD_TAKE hd_trace_names *n);
/* Name TARGET, once: a second name is ignored. */
void hd_trace_names_set(hd_trace_names *n, hd_trace_class class, uint64_t target, const char *text, size_t length);
const char *hd_trace_names_get(const hd_trace_names *n, hd_trace_class class, uint64_t target); /* NULL: it has none */
/* The same; *PLAIN: no other target of the class has it, and it can stand in a line of STD. */
const char *hd_trace_names_plain(const hd_trace_names *n, hd_trace_class class, uint64_t target, bool *plain);
/* Locations and stacks are numbered from 1. A location whose text, file and function are all NULL is unknown. */
void hd_trace_names_set_location(hd_trace_names *n, uint32_t id, hd_trace_location where);
hd_trace_location hd_trace_names_location(const hd_trace_names *n, uint32_t id);
/* Innermost place first. */
void hd_trace_names_set_stack(hd_trace_names *n, uint32_t id, const uint32_t *locations, size_t count);
const uint32_t *hd_trace_names_stack(const hd_trace_names *n, uint32_t id, size_t *count);
/* All of them, in the order in which they were named. */
typedef struct hd_trace_name_visitor
{
  void *context;
  void (*name)(void *context, hd_trace_class class, uint64_t target, const char *text);
  void (*location)(void *context, uint32_t id, hd_trace_location where);
  void (*stack)(void *context, uint32_t id, const uint32_t *locations, size_t count);
} hd_trace_name_visitor;
void hd_trace_names_visit(const hd_trace_names *n, const hd_trace_name_visitor *v);

/* As a person would say it: "counter", "0x7f..:8", "T2", "bank.c:12 (deposit)", "location 17". */
void hd_trace_print_target(hd_string *out, const hd_trace_names *n, hd_trace_class class, uint64_t target,
                           uint32_t size);
void hd_trace_print_location(hd_string *out, const hd_trace_names *n, uint32_t id);

/* ---- reading ---- */

typedef enum hd_trace_form
{
  HD_TRACE_AUTO, /* by content */
  HD_TRACE_STD,
  HD_TRACE_BINARY
} hd_trace_form;
#define HD_TRACE_FORMS "auto|std|htrace"

typedef struct hd_trace hd_trace;
/* PATH "-" is the standard input; what cannot be mapped is copied to TMPDIR first. NULL: *ERROR says why. */
HD_GIVE hd_trace *hd_trace_open(const char *path, hd_trace_form form, HD_GIVE char **error);
/* The same of N bytes in memory; PATH is for messages. */
HD_GIVE hd_trace *hd_trace_open_memory(HD_KEEP const void *data, size_t n, const char *path, hd_trace_form form,
                                       HD_GIVE char **error);
void hd_trace_free(HD_TAKE hd_trace *t);
/* The next events, at most N, numbered. 0: there are no more, and then: */
size_t hd_trace_read(hd_trace *t, hd_trace_event *events, size_t n);
/* ... not NULL: the trace is malformed, and where. */
const char *hd_trace_error(const hd_trace *t);
/* ... not NULL: the trace was cut or damaged, and where. What was read is the part before. */
const char *hd_trace_cut(const hd_trace *t);
void hd_trace_rewind(hd_trace *t);
hd_trace_form hd_trace_form_get(const hd_trace *t); /* never auto */
/* Grows while events are read; complete at the end. The trace's own. */
const hd_trace_names *hd_trace_names_of(const hd_trace *t);
/* Where event NUMBER, which was the last that was read, stands: "x.std:7" or "x.htrace: event 7". */
void hd_trace_print_place(hd_string *out, const hd_trace *t, uint64_t number);

/* ---- writing ---- */

typedef struct hd_trace_writer hd_trace_writer;
/* FORM is not auto. Events are kept in the order in which they come. NAMES is asked in _event (std) or at the end. */
HD_GIVE hd_trace_writer *hd_trace_writer_new(HD_KEEP FILE *out, hd_trace_form form,
                                             HD_KEEP const hd_trace_names *names);
void hd_trace_writer_event(hd_trace_writer *w, const hd_trace_event *e);
/* How many events were of kinds that RAPID does not know (STD only). */
uint64_t hd_trace_writer_foreign(const hd_trace_writer *w);
/* Writes what is left and frees W; OUT stays open. False: writing failed, errno says why. */
bool hd_trace_writer_finish(HD_TAKE hd_trace_writer *w);
void hd_trace_print_std(hd_string *out, const hd_trace_names *n, const hd_trace_event *e); /* one line, with its end */

/* ---- order in a trace ---- */

/* Says of each event whether a program can have done it there, and takes out what means nothing: inner levels of a lock
 * that its holder takes again, and of nested blocks. */
typedef struct hd_trace_check hd_trace_check;
typedef enum hd_trace_checked
{
  HD_TRACE_TAKE,
  HD_TRACE_LEAVE_OUT,
  HD_TRACE_IMPOSSIBLE
} hd_trace_checked;
HD_GIVE hd_trace_check *hd_trace_check_new(void);
/* IMPOSSIBLE: a sentence without a place is added to WHY. */
hd_trace_checked hd_trace_check_event(hd_trace_check *c, const hd_trace_names *n, const hd_trace_event *e,
                                      hd_string *why);
void hd_trace_check_free(HD_TAKE hd_trace_check *c);

/* ---- numbers for addresses ---- */

/* From any 64-bit key to 0, 1, 2, ... in the order of appearance. */
typedef struct hd_trace_ids
{
  uint64_t *keys;
  uint32_t *values;
  size_t cap;
  uint32_t n;
} hd_trace_ids;
uint32_t hd_trace_ids_get(hd_trace_ids *ids, uint64_t key);                  /* makes one if there is none */
bool hd_trace_ids_find(const hd_trace_ids *ids, uint64_t key, uint32_t *id); /* false: there is none */
void hd_trace_ids_free(hd_trace_ids *ids);

#endif
