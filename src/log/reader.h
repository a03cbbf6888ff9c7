/* reader.h: what the files of the log reader share. Private to src/log/reader*.c.
 *
 *   reader.c         opening, facts, damage
 *   reader_table.c   sites, objects, threads, clocks
 *   reader_decode.c  records of one chunk: the hot loop, used for whole files and for live logs alike
 *   reader_torn.c    records that were announced and never finished
 *   reader_file.c    a whole file in one pass (hd_log_read)
 *   reader_live.c    a file that is still being written (hd_log_poll, hd_log_finish)
 *
 * Invariants: an event is delivered only if its stamp is not below the frontier that its object was given, whatever
 * the file says; every length is compared with the bytes that are really there before anything is read or allocated. */
#ifndef HD_LOG_READER_H
#define HD_LOG_READER_H

#include "log/log.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the log is little-endian and is read in place");

#define HD_READER_MAX_SITES 65536u
#define HD_READER_MAX_DAMAGES 1000u

/* An object of the log, with what the reader must remember of it. The first fields are what each event needs. */
typedef struct hd_reader_object
{
  uint64_t frontier; /* delivered */
  uint64_t seen;     /* ticks delivered */
  uint64_t sum;      /* of their stamps, modulo 2^64 */
  uint64_t segment;  /* file: the last segment that touched it, */
  uint64_t claim;    /* and the frontier that its stamps there will prove */
  uint64_t proved;   /* file: frontier proved so far, not yet delivered */
  uint64_t cap;      /* no frontier may pass this: an unfinished tick may still get that stamp */
  uint64_t clock;    /* live: the clock before the barrier of round ROUND */
  uint64_t round;
  size_t torn;                    /* unfinished records that may have ticked */
  uint32_t slot_unit, slot_index; /* where its clock is */
  const hd_slot *slot;            /* live: its clock, or NULL */
  bool handed_on;                 /* its slot has a new owner: INFO.TICKS is final */
  bool clocked;                   /* file: its clock was found */
  bool dirty;                     /* waits in hd_log.dirty */
  hd_log_object info;
  struct hd_reader_object *next_new;
} hd_reader_object;

/* An open operation or internal task of a thread. */
typedef struct hd_reader_frame
{
  hd_reader_object *object; /* NULL: one that is not logged */
  bool internal;
  bool block;     /* inside a commit block */
  bool committed; /* a commit fell into the block */
  uint64_t floor; /* no later stamp of this thread on the object is below this */
} hd_reader_frame;

typedef struct hd_reader_thread
{
  uint32_t number;
  uint32_t ordinal; /* of the next segment */
  bool active;      /* a segment of it is being read */
  bool skip;        /* damaged: nothing of it is delivered any more */
  bool ended;
  uint64_t next;      /* sequence number of the chunk in which it said it goes on, or 0 */
  uint64_t next_from; /* file offset where it said so */
  uint32_t depth, cap;
  hd_reader_frame *frames;
} hd_reader_thread;

/* A chunk that is being read. */
typedef struct hd_reader_chunk
{
  const unsigned char *data; /* starts with the chunk header */
  size_t size;               /* bytes that may be read from DATA */
  size_t mapped;             /* live: length of the mapping */
  size_t pos;
  uint64_t seq;
  uint64_t offset; /* in the file */
  uint32_t unit, units;
  hd_reader_thread *thread; /* whose segment POS is in, or NULL */
  bool finished;            /* ended with HD_K_NEXT: nobody will write here again */
} hd_reader_chunk;

/* A record that was announced but never got its stamp. Owns its values. */
typedef struct hd_reader_torn
{
  hd_event event;
  bool may_tick;
  uint64_t floor;
} hd_reader_torn;

/* Nothing below F of OBJECT will come once all chunks up to number NEED have been read. */
typedef struct hd_reader_claim
{
  uint64_t need, f;
  hd_reader_object *object;
} hd_reader_claim;

/* Where a chunk lies, for the pass over the file in order of sequence numbers. */
typedef struct hd_reader_place
{
  uint64_t seq;
  uint32_t unit, units;
  uint32_t kind, pad;
} hd_reader_place;

/* A clocks chunk, and who owns each of its slots. */
typedef struct hd_reader_clocks
{
  uint32_t unit;
  uint32_t nslots;
  uint32_t *owner;
  const hd_slot *slots; /* live: mapped, else NULL */
  size_t mapped;
} hd_reader_clocks;

typedef struct hd_reader_live hd_reader_live;

struct hd_log
{
  int fd;
  char *path;
  hd_log_header header; /* as read last */
  uint64_t size;        /* of the file, as seen last */
  hd_arena *arena;      /* names, configurations, objects, sites */
  bool fresh;           /* the index was made at opening and nothing was read since */

  hd_log_site **sites; /* by id */
  uint32_t max_site;
  size_t cap_sites;
  const char *lined_file; /* that records with lines of their own are about: the first site's without a line, or NULL */
  hd_reader_object **objects; /* by id */
  uint32_t max_object;
  size_t cap_objects, nobjects;
  hd_reader_object *new_objects; /* not yet taken over by the live reader */
  const char **names;            /* of threads, by number */
  hd_reader_thread **threads;
  uint32_t max_thread;
  size_t cap_names, cap_threads, nthreads;
  hd_reader_clocks *clocks; /* in order of UNIT */
  size_t nclocks, cap_clocks;

  hd_log_damage *damages;
  size_t ndamages, cap_damages;

  /* File mode. */
  hd_reader_place *places;
  size_t nplaces, cap_places;
  unsigned char *buffer;
  size_t cap_buffer;
  uint64_t all_read; /* when the current chunk has been read, all up to this sequence number have */
  uint64_t segment;
  hd_reader_object **touched; /* objects of the current segment */
  size_t ntouched, cap_touched;
  hd_reader_claim *heap; /* claims that wait for chunks, smallest NEED first */
  size_t nheap, cap_heap;
  hd_reader_object **dirty;
  size_t ndirty, cap_dirty;

  hd_reader_torn *torn;
  size_t ntorn, cap_torn;

  hd_reader_live *live;
  uint64_t round;
  uint64_t events; /* delivered in the current call */
};

typedef enum hd_reader_mode
{
  HD_READER_FILE,  /* the whole file; claims are collected */
  HD_READER_LIVE,  /* unfinished records are waited for */
  HD_READER_FINAL, /* live, after the program has ended */
} hd_reader_mode;

typedef enum hd_reader_status
{
  HD_READER_END,     /* everything that is there was read */
  HD_READER_DAMAGED, /* the rest of the chunk cannot be read */
  HD_READER_STOPPED, /* by the sink */
} hd_reader_status;

/* reader.c */
void hd_reader_damage(hd_log *log, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Forget everything that reading events has produced: a new pass begins. */
void hd_reader_reset(hd_log *log);
bool hd_reader_refresh_header(hd_log *log);
/* Read N bytes at OFFSET; fewer at the end of the file. */
size_t hd_reader_pread(hd_log *log, void *to, size_t n, uint64_t offset);

/* reader_table.c */
/* Read the entries from POS on, as far as they are there; returns the position after them. */
size_t hd_reader_table(hd_log *log, const unsigned char *data, size_t size, size_t pos, uint64_t offset);
hd_reader_clocks *hd_reader_clocks_add(hd_log *log, uint32_t unit, uint32_t nslots);
hd_reader_clocks *hd_reader_clocks_find(const hd_log *log, uint32_t unit);
/* Find the slot of O among the clocks chunks that are known, and whose slot it was before. */
void hd_reader_take_slot(hd_log *log, hd_reader_object *o);
/* Take over what the slots of a clocks chunk say. */
void hd_reader_slots(hd_log *log, const hd_reader_clocks *c, const hd_slot *slots);
/* The state of thread NUMBER, made if it is new; NULL: the number cannot be true. */
hd_reader_thread *hd_reader_thread_get(hd_log *log, uint32_t number);
void hd_reader_thread_free(hd_reader_thread *t);
static inline hd_reader_object *
hd_reader_object_find(const hd_log *log, uint32_t id)
{
  return id - 1u < log->max_object ? log->objects[id] : NULL;
}
/* Decode one value of TYPE (a type of a site) at *P; false: it does not fit before END or makes no sense. */
bool hd_reader_value(const unsigned char **p, const unsigned char *end, uint8_t type, hd_value *v);

/* reader_decode.c */
hd_reader_status hd_reader_decode(hd_log *log, hd_reader_chunk *c, const hd_log_sink *sink, hd_reader_mode mode);

/* reader_torn.c */
void hd_reader_torn_add(hd_log *log, const hd_event *e, bool may_tick, uint64_t floor);
/* At the end: give them their stamps where only one is possible and deliver them. False: the sink stopped it. */
bool hd_reader_torn_deliver(hd_log *log, const hd_log_sink *sink);
void hd_reader_torn_clear(hd_log *log);

/* reader_file.c */
/* Find all chunks, read the tables and the clocks. */
void hd_reader_index(hd_log *log);
bool hd_reader_place_find(const hd_log *log, uint64_t seq);
/* A segment of T has ended: what it touched holds once all chunks up to NEED have been read. */
void hd_reader_claim_segment(hd_log *log, uint64_t need);

/* reader_live.c */
void hd_reader_live_free(hd_log *log);
/* Look for new chunks, and read what the tables have got since. */
void hd_reader_live_tables(hd_log *log);

#endif
