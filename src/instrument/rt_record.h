/* rt_record.h: the memory that a program shares with the heddle command that records its trace.
 *
 * Each thread fills chunks of its own with events as .htrace blocks have them (trace/format.h). A chunk that is full is
 * the command's, which writes it to the file and gives it back. So whatever becomes of the program, what it said is
 * there: its open chunks as well. Places and stacks are numbers; here is what they stand for.
 *
 * Both sides are of the same version and machine: the command checks VERSION. */
#ifndef HD_RT_RECORD_H
#define HD_RT_RECORD_H

#include <stdint.h>

enum
{
  HD_RECORD_VERSION = 1,
  HD_RECORD_CHUNKS = 8192, /* threads may each have one; more: their events are lost, which is said */
  HD_RECORD_PAYLOAD = 32768 - 64,
  HD_RECORD_PLACES = 1 << 20, /* different places in the program that are told apart, at most */
  HD_RECORD_STACKS = 1 << 21,
  HD_RECORD_BLOCKS = 256,        /* pieces of code whose calls are atomic blocks */
  HD_RECORD_OBJECTS = 1 << 20,   /* locks, semaphores and so on */
  HD_RECORD_ADDRESSES = 1 << 20, /* memory that several threads accessed, for names */
};

#define HD_RECORD_PAIR(address, n) (((address) & ((1ull << 47) - 1)) | (uint64_t) ((n) &0x1ffff) << 47)

enum hd_record_state
{
  HD_RECORD_FREE,
  HD_RECORD_OPEN, /* a thread's */
  HD_RECORD_FULL, /* the command's */
};

enum hd_record_loss
{
  HD_RECORD_LOST_THREADS, /* more threads than numbers or chunks */
  HD_RECORD_LOST_PLACES,
  HD_RECORD_LOST_STACKS,
  HD_RECORD_LOST_OBJECTS,
  HD_RECORD_LOST_ADDRESSES, /* some have no names */
  HD_RECORD_LOST_DEPTH,     /* calls are too deep to tell where a block ends */
  HD_RECORD_LOSSES
};

typedef struct hd_record_chunk
{
  uint32_t stream, sequence; /* of the block */
  uint64_t order;            /* the largest of the stream before */
  uint64_t filled;           /* events << 32 | bytes: both change at once */
  uint8_t payload[HD_RECORD_PAYLOAD];
} hd_record_chunk;

typedef struct hd_record_shared
{
  uint32_t version;
  uint32_t owner;   /* the process; the first one takes it */
  uint32_t stopped; /* nothing more is recorded: the program ended, or the command cannot write */
  uint32_t freed;   /* counts chunks that were given back; who waits for one waits here (futex) */
  uint32_t lost[HD_RECORD_LOSSES];
  uint32_t nplaces, nstacks, nobjects, naddresses; /* how many there are, from 1 on */
  uint64_t order __attribute__((aligned(64)));     /* the last order number */
  uint8_t state[HD_RECORD_CHUNKS] __attribute__((aligned(64)));
  uint64_t entered[HD_RECORD_BLOCKS];      /* how often each piece was */
  uint64_t places[HD_RECORD_PLACES];       /* by number: a return address */
  uint64_t stacks[HD_RECORD_STACKS];       /* by number: the stack of the caller << 32 | the place of the call */
  uint64_t objects[HD_RECORD_OBJECTS];     /* by number: HD_RECORD_PAIR of address and a number of its own */
  uint64_t addresses[HD_RECORD_ADDRESSES]; /* HD_RECORD_PAIR of address and size */
  hd_record_chunk chunks[HD_RECORD_CHUNKS] __attribute__((aligned(4096)));
} hd_record_shared;

#endif
