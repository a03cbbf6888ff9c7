/* format.h: the layout of a log, byte by byte. docs/log-format.md says the same in words; change both together.
 *
 * A log is a file of UNITS of 64 KiB. Unit 0 is the header; the others form chunks of one or more consecutive units.
 * All numbers are little-endian. The program that logs has the file mapped; a reader may read it meanwhile. */
#ifndef HD_LOG_FORMAT_H
#define HD_LOG_FORMAT_H

#include <stdint.h>

#define HD_LOG_MAGIC "HEDDLELG"
#define HD_LOG_VERSION 1u
#define HD_LOG_UNIT 65536u
#define HD_LOG_RING 8192u /* entries of the ring of free units, a power of two */

enum hd_log_state
{
  HD_LOG_OPEN = 0,  /* the program is running, or died */
  HD_LOG_CLOSED = 1 /* the program closed the log; FILE_SIZE is exact */
};

/* Unit 0. The first 192 bytes never change after creation and are covered by CHECKSUM (of the bytes before it). */
typedef struct hd_log_header
{
  char magic[8];
  uint32_t version;
  uint32_t unit;     /* HD_LOG_UNIT */
  uint64_t pid;      /* of the program */
  uint64_t start_ns; /* CLOCK_REALTIME at creation */
  char program[152]; /* its name, zero-terminated */
  uint64_t checksum; /* XXH3_64bits of the 184 bytes before */

  /* Live part. */
  uint32_t state;      /* enum hd_log_state */
  uint32_t units;      /* units handed out so far, with unit 0: the next new chunk starts at this unit */
  uint64_t file_size;  /* bytes that the file has, or must have to be whole */
  uint64_t chunk_seq;  /* sequence number of the newest chunk; the first chunk is 1 */
  uint64_t dropped;    /* operations not logged because no room could be had */
  uint32_t lost;       /* not 0: something could not be recorded (a table is full, the disk is full) */
  uint32_t reader_pid; /* an outside reader that gives units back, or 0 */

  /* Units given back by a reader: it advances HEAD, the program's threads take from TAIL with compare-and-swap. */
  uint32_t free_head;
  uint32_t free_tail;
  uint32_t reader_wake; /* futex word: changed by a reader whenever it gives units back */
  uint32_t limit_units; /* policies block and drop: at most this many units; 0: no limit */
  uint8_t pad[256 - 192 - 56];
  uint32_t free_ring[HD_LOG_RING];
} hd_log_header;

enum hd_chunk_kind
{
  HD_CHUNK_EVENTS = 1,
  HD_CHUNK_TABLE = 2,  /* sites, objects, threads */
  HD_CHUNK_CLOCKS = 3, /* one 64-byte slot per object */
};

#define HD_CHUNK_MAGIC 0x4b434448u /* "HDCK" */

/* At the start of each chunk. SEQ is stored last (release) when the chunk is handed out: 0 means not in use. */
typedef struct hd_chunk_header
{
  uint32_t magic;
  uint32_t kind;   /* enum hd_chunk_kind */
  uint64_t seq;    /* order of allocation over all chunks */
  uint32_t units;  /* length */
  uint32_t sealed; /* 1: USED and CHECKSUM are valid and the payload will not change any more */
  uint32_t used;   /* bytes of payload in use */
  uint32_t pad0;
  uint64_t checksum; /* XXH3_64bits of the used payload */
  uint8_t pad[64 - 40];
} hd_chunk_header;

/* ---- Events ----
 *
 * Records are 8-byte aligned. Word 0:
 *   bits  0..7   kind
 *   bits  8..15  number of values
 *   bits 16..31  site (0: none)
 *   bits 32..63  stamp field: 0                       not yet known
 *                             0x7fffffff              a record without a stamp
 *                             0xffffffff              the next record is HD_K_STAMP and holds the stamp
 *                             else bit 63 = it ticked, the rest = stamp + 1
 * Then, for the kinds that name an object, a word with the object's id in the low half (high half 0).
 * Then the values, encoded by the types in the site table:
 *   int, uint, bool: one word; nil: nothing; str, bytes: a word with the length, then the bytes padded with zeros to 8;
 *   dynamic: a word type | length << 8, then as above without the length word.
 * The low half of word 0 is stored (release) before the clock is read or moved, the stamp field (release) last. */
enum hd_kind
{
  HD_K_NONE = 0,
  HD_K_THREAD = 1,     /* what follows belongs to a thread. Site 0, then two words: number | ordinal << 32, OS tid.
                          ORDINAL counts the segments of the thread from 0. No stamp. */
  HD_K_THREAD_END = 2, /* the thread has ended. One word: chunk_seq then. No stamp. */
  HD_K_NEXT = 3,       /* the thread goes on in another chunk. One word: the sequence number of that chunk. No stamp. */
  HD_K_STAMP = 4,      /* one word: stamp | ticked << 63. Its own stamp field is 0x7fffffff. */
  HD_K_CALL = 5,       /* names an object. Looks. */
  HD_K_CALL_NOCOMMIT = 6, /* names an object. Ticks, opens a window that the return ends. */
  HD_K_RETURN = 7,      /* 0 or 1 values. Looks; ticks if a window of its own ends here or, uncommitted, if one is open.
                           Any return may tick, to say that it came before what is called next; histories are so exact. */
  HD_K_RETURN_EXC = 8,  /* the same, exceptional */
  HD_K_COMMIT = 9,      /* ticks; ends the operation's window if it has one */
  HD_K_COMMIT_RET = 10, /* the same with the return value */
  HD_K_COMMIT_EXC = 11, /* the same with the exceptional return value */
  HD_K_WINDOW = 12,     /* ticks; opens a window, or replaces the operation's open one */
  HD_K_BLOCK_BEGIN = 13, /* no stamp */
  HD_K_BLOCK_END = 14,   /* ticks if no commit fell into the block, else no stamp */
  HD_K_WRITE = 15,       /* values: variable (uint), new value. In a block: looks. Else ticks. */
  HD_K_WRITE_OLD = 16,   /* values: variable, new value, old value */
  HD_K_REPLAY = 17,      /* values: kind (uint), payload. As HD_K_WRITE. */
  HD_K_FREE_WRITE = 18,  /* as 15..17, by a thread outside any operation on the object: names an object. Ticks. */
  HD_K_FREE_WRITE_OLD = 19,
  HD_K_FREE_REPLAY = 20,
  HD_K_INTERNAL_BEGIN = 21, /* names an object. Looks. The site's method is the task's name. */
  HD_K_INTERNAL_END = 22,   /* ticks */
  HD_K_OBJECT_END = 23,     /* names an object: it was destroyed. Ticks. */
  HD_K_MISUSE = 24,  /* names an object. One value (uint): enum hd_misuse. No stamp. The macro did nothing else. */
  HD_K_ABANDON = 25, /* the innermost open operation will never return (longjmp, cancellation). No stamp. */
  HD_K_LINE = 26,    /* one word, alone: bits 32..63 are a line, 1 .. HD_MAX_LINE, in the place of a stamp field; bits
                        8..31 are 0. The line of the record that follows it in the same chunk, in place of its site's.
                        For logs with more lines than there can be sites: histories. */
  HD_K_COUNT
};

#define HD_MAX_LINE 0x7fffffffu

#define HD_STAMP_NONE 0x7fffffffu
#define HD_STAMP_LONG 0xffffffffu
#define HD_STAMP_TICK 0x80000000u
#define HD_STAMP_MAX_SHORT 0x7ffffffdull

/* Annotations that make no sense where they stand; the site tells which macro and where. */
enum hd_misuse
{
  HD_MISUSE_OTHER_OBJECT = 1, /* the innermost open operation of this thread is not on this object, or there is none */
  HD_MISUSE_NESTED_BLOCK = 2,
  HD_MISUSE_NO_BLOCK = 3,   /* block end without begin */
  HD_MISUSE_OPEN_BLOCK = 4, /* return inside a block: the block is ended, without effect, and the return follows */
  HD_MISUSE_SECOND_COMMIT = 5,
  HD_MISUSE_WINDOW_AFTER_COMMIT = 6,
  HD_MISUSE_INTERNAL = 7, /* commit, window or return inside an internal task, or its end in an operation */
  HD_MISUSE_TOO_DEEP = 8, /* more than HD_MAX_DEPTH operations open in one thread; this one is not logged */
  HD_MISUSE_NOCOMMIT = 9, /* window inside an operation that was called with HD_CALL_NOCOMMIT */
};

/* The clock word: open windows in the upper 16 bits, ticks in the lower 48. */
#define HD_CLOCK_WINDOW (1ull << 48)
#define HD_CLOCK_TICKS (HD_CLOCK_WINDOW - 1)

/* A slot of a clocks chunk: the payload is an array of these. Slot 0 of the first clocks chunk belongs to object 0,
 * which stands for objects that are not logged. */
typedef struct hd_slot
{
  uint64_t clock;   /* the clock word */
  uint64_t first;   /* its value at creation */
  uint64_t lost_at; /* 1 + ticks at the first operation on it that was not logged, or 0 */
  uint64_t dropped; /* operations on it that were not logged */
  uint32_t object;  /* id, or 0: free */
  uint32_t ended;   /* 1: destroyed */
  uint8_t pad[64 - 40];
} hd_slot;

/* ---- Tables ----
 * Entries are 8-byte aligned: a 4-byte length of the whole entry (stored last, release; 0: end so far), a 4-byte kind,
 * then the fields below, each string as a 4-byte length and its bytes without padding; the entry is padded to 8. */
enum hd_table_kind
{
  HD_T_SITE
  = 1, /* u32 id, u32 kind (enum hd_kind), u32 line, u32 number of values, u8 types[8]; file, function, method */
  HD_T_OBJECT = 2, /* u32 id, u32 number of config values, u32 first unit of the clocks chunk, u32 index of the slot
                      there, u64 first; type, name; config values, each dynamic (8-aligned in the entry) */
  HD_T_THREAD = 3, /* u32 number, u32 0, u64 OS tid; name */
};

#define HD_SITE_VALUES 8  /* values of one record at most */
#define HD_TYPE_DYNAMIC 7 /* in a site's types: the record says */
#define HD_MAX_DEPTH 64   /* open operations of one thread at most */

_Static_assert(sizeof(hd_chunk_header) == 64, "chunk header");
_Static_assert(sizeof(hd_slot) == 64, "slot");

#endif
