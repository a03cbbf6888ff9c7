/* log.h: reading logs (whole, damaged or still being written) and making them.
 *
 * A log is untrusted input: nothing in it may crash the reader or make it claim more than it read. */
#ifndef HD_LOG_H
#define HD_LOG_H

#include "base/base.h"
#include "log/format.h"

/* One record, decoded. VALUES and what they point to are valid during the call of the sink only. */
typedef struct hd_event
{
  uint8_t kind; /* enum hd_kind; FREE_WRITE.. stay as they are */
  bool ticked;
  bool stamped;    /* STAMP is valid. False for a torn record: announced by its header, then the program died. */
  uint32_t thread; /* Heddle's number, from 1 */
  uint32_t object; /* found through the thread's open operations where the record does not name it; 0: not logged */
  uint32_t site;   /* 0: none */
  uint32_t line;   /* where it happened, if the record has a line of its own (HD_K_LINE); else 0: where its site is */
  uint64_t stamp;
  uint32_t nvalues;
  const hd_value *values; /* a commit's or return's: the return value; a write's: see enum hd_kind */
} hd_event;

typedef struct hd_log_site
{
  uint32_t id, kind, line, nvalues;
  uint8_t types[HD_SITE_VALUES];
  const char *file, *function, *method;
} hd_log_site;

/* Where something happened, in one number: a site's id, or a line of the one file that all records with lines of their
 * own are about. 0: not known. */
#define HD_PLACE_LINE 0x80000000u
static inline uint32_t
hd_event_place(const hd_event *e)
{
  return e->line ? HD_PLACE_LINE | e->line : e->site;
}

typedef struct hd_log_place
{
  const char *file, *function; /* "": not known */
  uint32_t line;
} hd_log_place;

typedef struct hd_log_object
{
  uint32_t id;
  const char *type, *name;
  uint64_t first;   /* the number of its first tick */
  uint64_t ticks;   /* what its clock showed when last read: ticks FIRST .. TICKS-1 were made */
  uint64_t lost_at; /* 1 + ticks at the first operation that was not logged, or 0 */
  uint64_t dropped;
  uint32_t nconfig;
  const hd_value *config;
} hd_log_object;

/* Where events go. All calls come from the thread that reads. */
typedef struct hd_log_sink
{
  void *context;
  /* In each thread's order; between threads in any order. Operations that a thread left open when it ended come as
   * abandoned. False: stop reading. */
  bool (*event)(void *context, const hd_event *e);
  /* No look below F of OBJECT, and no tick below F, will come any more. F only grows. UINT64_MAX: nothing at all. */
  void (*frontier)(void *context, uint32_t object, uint64_t f);
} hd_log_sink;

/* What was wrong with the file. */
typedef struct hd_log_damage
{
  uint64_t offset;
  const char *what;
} hd_log_damage;

typedef struct hd_log hd_log;

/* Open a log for reading. NULL: *ERROR says why (missing file, not a log, other version); the caller frees it. */
HD_GIVE hd_log *hd_log_open(const char *path, HD_GIVE char **error);
/* The same on a descriptor, which the log then owns; PATH is for messages. */
HD_GIVE hd_log *hd_log_open_fd(HD_TAKE int fd, const char *path, HD_GIVE char **error);
void hd_log_free(HD_TAKE hd_log *log);

/* Read the whole log as a stream: memory depends on the number of threads, not on the length.
 * At the end every object gets the frontier UINT64_MAX. False: the sink stopped it. */
bool hd_log_read(hd_log *log, const hd_log_sink *sink);

/* One round over a log that is still being written: everything that is there now, then new frontiers.
 * BARRIER makes a process-wide memory barrier in the program's threads (membarrier); false: it could not.
 * GIVE_BACK: return consumed chunks to the program (ring). Returns the number of events, or -1: the sink stopped it. */
typedef bool (*hd_log_barrier)(void *context);
int64_t hd_log_poll(hd_log *log, const hd_log_sink *sink, hd_log_barrier barrier, void *context, bool give_back);
/* After the program has ended: the rest, and UINT64_MAX for every object. */
bool hd_log_finish(hd_log *log, const hd_log_sink *sink);

/* Tables. They grow while a live log is read; pointers stay valid until hd_log_free. */
uint32_t hd_log_objects(const hd_log *log); /* ids are 1 .. this */
const hd_log_object *hd_log_object_get(const hd_log *log, uint32_t id);
uint32_t hd_log_sites(const hd_log *log);
const hd_log_site *hd_log_site_get(const hd_log *log, uint32_t id);
/* The file and the line of PLACE. False: it has none. */
bool hd_log_place_get(const hd_log *log, uint32_t place, hd_log_place *p);
uint32_t hd_log_threads(const hd_log *log);
const char *hd_log_thread_name(const hd_log *log, uint32_t number); /* "" if it has none */

/* Facts. */
const char *hd_log_path(const hd_log *log);
bool hd_log_closed(const hd_log *log);      /* the program closed it; else it is running, was killed or crashed */
uint64_t hd_log_dropped(const hd_log *log); /* operations not logged */
bool hd_log_lost(const hd_log *log);
size_t hd_log_damages(const hd_log *log, const hd_log_damage **damages); /* known once read */

typedef struct hd_log_facts
{
  const char *program; /* its name; "" if unknown. Belongs to the log. */
  uint64_t pid;        /* 0: made, not recorded */
  uint64_t start_ns;   /* CLOCK_REALTIME when the log was begun, or 0 */
  uint64_t size;       /* of the file, in bytes */
} hd_log_facts;
hd_log_facts hd_log_get_facts(const hd_log *log);

/* ---- Making logs: converters, cutters, tests ----
 * Events are given with their stamps; nothing is checked, so that tests can make nonsense. A ticking event gives
 * ticked = true. Events are given in an order in which they can have happened: stamps of one object do not go back
 * except between equal positions; a log that does not keep to this is read as damaged where it is long enough to show.
 * The file appears under PATH when it is closed. */
typedef struct hd_log_build hd_log_build;
HD_GIVE hd_log_build *hd_log_build_new(const char *path, HD_GIVE char **error);
uint32_t hd_log_build_object(hd_log_build *b, const char *type, const char *name, const hd_value *config, size_t n);
uint32_t hd_log_build_site(hd_log_build *b, uint32_t kind, const char *method, const char *file, const char *function,
                           uint32_t line, const uint8_t *types, uint32_t nvalues);
/* THREAD numbers start at 1. The site's value types must fit the event's values, or be HD_TYPE_DYNAMIC. An event with a
 * line of its own has a site without one; all such sites name the same file. */
void hd_log_build_event(hd_log_build *b, const hd_event *e);
void hd_log_build_thread_end(hd_log_build *b, uint32_t thread);
/* Close and free. CLEAN: as a program that ended normally. False: it could not be written, *ERROR says why. */
bool hd_log_build_close(HD_TAKE hd_log_build *b, bool clean, HD_GIVE char **error);

#endif
