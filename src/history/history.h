/* history.h: histories of calls and returns in plain text: reading, understanding and writing them.
 *
 * docs/histories.md describes the forms. A history passes two layers: its EVENTS, as the text has them, and the steps
 * of its OPERATIONS, as a specification understands them: which method, which arguments, which return value. A history
 * is untrusted input; what is wrong with it is said as file:line:column: error: message.
 *
 * Memory depends on the processes and their open operations, not on the length of the history; making a log also keeps
 * two bits for each operation. Threads: one per handle. */
#ifndef HD_HISTORY_H
#define HD_HISTORY_H

#include "base/base.h"
#include "linear/linear.h"
#include "log/log.h"

#include <heddle/spec.h>

typedef enum hd_history_form
{
  HD_HISTORY_AUTO,      /* recognised by content */
  HD_HISTORY_EDN,       /* Jepsen's history.edn: maps, in a vector or one after the other */
  HD_HISTORY_ETCD,      /* INFO jepsen.util - 3 :invoke :write 5 */
  HD_HISTORY_KV,        /* as EDN; a history of a map */
  HD_HISTORY_SYNTHETIC, /* I 3 write 5; W 3; C 3; R 3 */
  HD_HISTORY_JSONL,     /* {"process":3,"type":"invoke","f":"write","value":5} */
} hd_history_form;
#define HD_HISTORY_FORMS "auto|edn|etcd|kv|synthetic|jsonl" /* in the order of the enumeration */
const char *hd_history_form_name(hd_history_form form);

typedef struct hd_history hd_history;

/* Open a history and find out its form. "-" is the standard input. A pipe is first copied to a temporary file. NULL:
 * *ERROR says why; the caller frees it. */
HD_GIVE hd_history *hd_history_new(const char *path, hd_history_form form, HD_GIVE char **error);
/* The same on a descriptor, which the history then owns; PATH is for messages. */
HD_GIVE hd_history *hd_history_new_fd(HD_TAKE int fd, const char *path, hd_history_form form, HD_GIVE char **error);
void hd_history_free(HD_TAKE hd_history *h);

hd_history_form hd_history_get_form(const hd_history *h); /* never HD_HISTORY_AUTO */
/* The specification that the history names itself, in its head or by its form; NULL: it does not say. */
const char *hd_history_spec_name(const hd_history *h);
/* The object's initial value as the history gives it; false: it is the specification's own. */
bool hd_history_initial(const hd_history *h, hd_value *initial);

/* ---- events ---- */

typedef enum hd_history_type
{
  HD_HISTORY_INVOKE,
  HD_HISTORY_WINDOW, /* the object may apply the process's open operation from now on; the commit ends that */
  HD_HISTORY_COMMIT, /* the object applied the process's open operation now, or since its window began */
  HD_HISTORY_OK,
  HD_HISTORY_FAIL, /* it did not happen */
  HD_HISTORY_INFO, /* nobody knows: it may have happened, or may yet; the process is not used again */
} hd_history_type;

/* What it points to is valid during the call of the sink only. */
typedef struct hd_history_event
{
  hd_history_type type;
  uint32_t line, column;
  int64_t process;
  const char *f; /* the operation's name; NULL: the form does not repeat it (all but calls in synthetic) */
  bool has_key, has_value, is_list;
  hd_value key;
  hd_value value;        /* what is not a number, boolean, string or nil is a string here: its text */
  uint32_t nitems;       /* a list's length, or how many words the synthetic form has */
  const hd_value *items; /* the first HD_SITE_VALUES of them */
} hd_history_event;

/* Read all events, from the first. The sink answers false to stop. False: *ERROR says why, or is NULL if the sink
 * stopped it. */
typedef bool (*hd_history_event_sink)(void *context, const hd_history_event *e);
bool hd_history_read_events(hd_history *h, hd_history_event_sink sink, void *context, HD_GIVE char **error);

/* ---- operations ---- */

typedef enum hd_history_step
{
  HD_HISTORY_STEP_CALL,
  HD_HISTORY_STEP_WINDOW,
  HD_HISTORY_STEP_COMMIT,
  HD_HISTORY_STEP_RETURN,
  HD_HISTORY_STEP_FAILED, /* it did not happen, or returned nobody knows what without changing anything */
  HD_HISTORY_STEP_NEVER,  /* it will never return */
} hd_history_step;

/* How the text of a history says what a method takes and returns. */
typedef struct hd_history_rule
{
  const char *f;      /* the operation's name in the history */
  const char *method; /* in the specification */
  /* One letter for each argument. k: the key. v: the value, or the next element of the list that is the value.
   * e: the value or else the key. Where k and e do not stand, the key names one of several objects. */
  const char *args;
  /* v: the value. b: the value, which is true or false. -: nothing; the value repeats the argument.
   * c: true unless the value is false. o: true or false if it is one of them, else nothing, as for -.
   * g: the value unless it repeats the argument. In the synthetic form the value is the result, whatever the letter. */
  char ret;
} hd_history_rule;

/* The rule for METHOD (an index) of SPEC: of our table for the built-in names, else derived from its types. */
hd_history_rule hd_history_rule_get(const hd_spec *spec, uint32_t method);

/* What it points to is valid during the call of the sink only. */
typedef struct hd_history_op
{
  hd_history_step step;
  uint32_t line, column;
  uint64_t number; /* of the operation, from 0, in the order of the calls */
  int64_t process; /* as the history numbers it */
  uint32_t slot;   /* processes in order of appearance, from 0 */
  uint32_t method; /* index into the specification's methods */
  bool has_object; /* the history is about several objects; OBJECT is this one's key */
  hd_value object;
  hd_history_rule rule;
  uint32_t nargs;
  const hd_value *args; /* in every step */
  bool has_ret;
  hd_value ret; /* nil if it has none */
} hd_history_op;

typedef bool (*hd_history_op_sink)(void *context, const hd_history_op *op);
/* Read all operations, from the first. Operations that are open at the end get no further step. As above. */
bool hd_history_read(hd_history *h, const hd_spec *spec, hd_history_op_sink sink, void *context, HD_GIVE char **error);

/* ---- to logs ---- */

typedef struct hd_history_options
{
  bool ignore_commits; /* judge calls and returns alone, without windows too */
  const int *cancel;   /* not NULL: stop once it is not 0 (read atomically), without an error */
  bool *uncommitted;   /* not NULL: is set to whether some operation that may change the object has no commit */
} hd_history_options;

/* Write the history as a log to PATH. A mutator with a commit is one with an exact commit or with a window, one without
 * either was called with HD_CALL_NOCOMMIT. All returns tick: the order of the lines is kept. Each event has its line.
 * OPTIONS may be NULL. False: *ERROR says why. */
bool hd_history_write_log(hd_history *h, const hd_spec *spec, const hd_history_options *options, const char *path,
                          HD_GIVE char **error);

/* The history at PATH as a log to read: written to TMPDIR, opened and unlinked. Its path is PATH. NULL: *ERROR says
 * why. SPEC need not be the one that the history names. */
HD_GIVE hd_log *hd_history_open(const char *path, hd_history_form form, const hd_spec *spec,
                                const hd_history_options *options, HD_GIVE char **error);

/* ---- to operations ---- */

/* Calls and returns alone: what src/linear judges. The interval of an operation is from the number of its call among
 * all events to that of its return; one that never returned is pending, one that failed is not there. */
typedef struct hd_history_ops
{
  hd_linear_op *ops; /* NULL: they were not kept */
  size_t n, cap;     /* places behind the first N are nobody's: the memory may be used */
  uint64_t events, returned;
  uint64_t observers; /* operations of methods that only look */
  char *object;       /* its name */
  bool has_initial;
  hd_value initial;
  hd_arena *texts; /* of the values */
} hd_history_ops;

/* False: the history is about several objects, has commits that count, cannot be read, or was cancelled; what is wrong
 * with it the ways above say. */
bool hd_history_gather(hd_history *h, const hd_spec *spec, const hd_history_options *options, hd_history_ops *out);
/* Judge them while they are read (hd_linear_stream), under RULES. True: they are linearizable; OUT has all but the
 * operations. False: nothing is known, and there is nothing to free. */
bool hd_history_holds(hd_history *h, const hd_spec *spec, const hd_history_options *options, uint32_t rules,
                      hd_history_ops *out);
void hd_history_ops_free(hd_history_ops *o);

/* ---- to text ---- */

typedef struct hd_history_printer hd_history_printer;
/* Print to OUT in FORM: edn, jsonl or synthetic. INITIAL: the initial value, or NULL for the specification's own.
 * NULL: the form cannot say it, *ERROR says why. */
HD_GIVE hd_history_printer *hd_history_printer_new(HD_KEEP FILE *out, hd_history_form form, const hd_spec *spec,
                                                   const hd_value *initial, HD_GIVE char **error);
/* One step, in the order of the history. The synthetic form has no failed operations: leave them out. False: the form
 * cannot say it, *ERROR says why, without a place. */
bool hd_history_printer_add(hd_history_printer *p, const hd_history_op *op, HD_GIVE char **error);
void hd_history_printer_free(HD_TAKE hd_history_printer *p);

/* Print the whole history. False: *ERROR says why. */
bool hd_history_print(hd_history *h, const hd_spec *spec, hd_history_form form, const hd_history_options *options,
                      FILE *out, HD_GIVE char **error);

#endif
