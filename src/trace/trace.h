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
#include "trace/kinds.h"

/* ---- events ---- */

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
/* A block of events as a traced program makes them (htrace only): format.h has the bytes and what the numbers are. */
typedef struct hd_trace_piece
{
  uint32_t stream, sequence, thread;
  uint64_t order, count;
  const void *payload;
  uint32_t length;
} hd_trace_piece;
void hd_trace_writer_piece(hd_trace_writer *w, const hd_trace_piece *p);
/* Something that happened is not in the trace: who reads it is told (hd_trace_cut). */
void hd_trace_writer_loss(hd_trace_writer *w, const char *text);
/* At the end of pieces: the last order number. Without it the trace has no end: its program was killed. */
void hd_trace_writer_whole(hd_trace_writer *w, uint64_t order);
/* Writing failed: errno as it was then; 0: it did not. */
int hd_trace_writer_error(const hd_trace_writer *w);
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
