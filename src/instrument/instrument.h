/* instrument.h: what the heddle command does for programs that were built with heddle-cc: reads what the runtime inside
 * them (rt_*.c, libheddle-rt) reports, finds names and source lines, and prints.
 *
 * Handles are used by one thread at a time. */
#ifndef HD_INSTRUMENT_H
#define HD_INSTRUMENT_H

#include "base/base.h"

/* ---- names of addresses, from the debug information of a program and its libraries ---- */

typedef struct hd_symbols hd_symbols;
typedef struct hd_symbols_frame
{
  const char *function; /* NULL: unknown */
  const char *file;     /* NULL: unknown */
  const char *module;   /* the file of the program or library; NULL: unknown */
  int line;
  uint64_t offset; /* in the module */
} hd_symbols_frame;

HD_GIVE hd_symbols *hd_symbols_new(void);
void hd_symbols_free(HD_TAKE hd_symbols *s);
/* A line of /proc/PID/maps. Strings of frames stay valid until the handle is freed. */
void hd_symbols_map(hd_symbols *s, const char *line);
/* What is at PC, which is a return address: functions that were inlined there, innermost first. Returns at least one.
 */
size_t hd_symbols_frames(hd_symbols *s, uint64_t pc, hd_symbols_frame *frames, size_t max);
/* The name of the variable, member or element of SIZE bytes at ADDRESS: "table[3].lock". False: there is none known.
 * *WHERE: its declaration, in function, file and line; file NULL: not known. */
bool hd_symbols_data(hd_symbols *s, uint64_t address, uint64_t size, hd_string *name, hd_symbols_frame *where);

/* Where a variable is. */
typedef struct hd_symbols_root
{
  enum
  {
    HD_SYMBOLS_GLOBAL,
    HD_SYMBOLS_FRAME, /* of a function: PC is a return address in it, SP its stack pointer, CFA that of its caller */
    HD_SYMBOLS_OWN    /* each thread has it: OFFSET in what module MODULE has of these */
  } kind;
  uint64_t cfa, sp, pc;
  uint64_t module, offset;
} hd_symbols_root;
/* One step from a variable to a piece of memory: something is at ADDRESS. If it is not the last step it is a pointer,
 * it holds VALUE, and what that points into ends at END. DEEP: it begins far before VALUE, so that what follows the
 * first element is probably something else, as in a pool of memory. */
typedef struct hd_symbols_step
{
  uint64_t address, value, end;
  bool deep;
} hd_symbols_step;
/* The name of SIZE bytes at the end of N steps: "table->buckets[3].lock". False: it is not known. *WHERE: the
 * variable's declaration; its function is NULL if that is global. */
bool hd_symbols_path(hd_symbols *s, const hd_symbols_root *root, const hd_symbols_step *steps, size_t n, uint64_t size,
                     hd_string *name, hd_symbols_frame *where);
/* The same for SIZE bytes at OFFSET in a block of BLOCK bytes, by the variable that the call at PC was stored to. */
bool hd_symbols_allocated(hd_symbols *s, uint64_t pc, uint64_t block, uint64_t offset, uint64_t size, hd_string *name,
                          hd_symbols_frame *where);

/* The code of the functions called NAME, also of copies that a compiler made; at most MAX. *INLINED: at how many places
 * one of them was inlined, as far as there is debug information. */
typedef struct hd_symbols_range
{
  uint64_t low, high;
} hd_symbols_range;
size_t hd_symbols_functions(hd_symbols *s, const char *name, hd_symbols_range *ranges, size_t max, size_t *inlined);

/* The nearest to NAME, or NULL. */
const char *hd_symbols_suggest_function(hd_symbols *s, const char *name);

/* A global variable, or a member or element of one. */
typedef struct hd_symbols_variable
{
  uint64_t address, size;
  unsigned bits, from; /* of a bit-field: how many, from which on; BITS 0: it is none */
  char kind;           /* 'i', 'u' integers, 'b' a truth value, 'f' a floating number, 'c' an array of characters, 's' a
                          pointer to some; '-': something else */
  const char *type;    /* its name, or NULL */
} hd_symbols_variable;
/* What PATH, such as accounts[2].balance, means. False: ERROR says why it means nothing, and what may be meant. */
bool hd_symbols_lookup(hd_symbols *s, const char *path, hd_symbols_variable *out, hd_string *error);

/* ---- races ---- */

typedef struct hd_races_options
{
  const char *suppressions; /* a file in ThreadSanitizer's format, or NULL */
  bool live;                /* print each when it is found, on OUT; else at the end */
  bool json;
  bool sarif;
  bool quiet;
  FILE *out;
} hd_races_options;

typedef struct hd_races hd_races;
/* NULL: *ERROR says what is wrong with the suppressions. */
HD_GIVE hd_races *hd_races_new(const hd_races_options *options, HD_GIVE char **error);
void hd_races_free(HD_TAKE hd_races *r);
/* What came from the program, in pieces of any size. */
void hd_races_feed(hd_races *r, const char *bytes, size_t n);
/* The program came to its own end. */
bool hd_races_ended(const hd_races *r);
/* The program is gone: prints what is left. NOTE, or NULL: how it ended; KILLED: by a signal, so that it could not say
 * so. HD_VIOLATED if there was a race that is not suppressed, HD_INCOMPLETE if something was not seen. */
hd_verdict hd_races_finish(hd_races *r, const char *note, bool killed);

/* ---- children: what a program said about the processes that it started (the lines of rt_children.c) ---- */

typedef struct hd_children hd_children;

/* What the program is watched for; children of a fork are watched for races alone. */
typedef enum hd_children_watch
{
  HD_CHILDREN_RACES,
  HD_CHILDREN_RECORDING,
  HD_CHILDREN_PROPERTIES
} hd_children_watch;

HD_GIVE hd_children *hd_children_new(void);
void hd_children_free(HD_TAKE hd_children *c);
/* A line from the program, without its end. False: it is about something else. */
bool hd_children_take(hd_children *c, const char *line);
/* Another program took the place of this one: its runtime could not say that it ended. */
bool hd_children_became(const hd_children *c);
/* Sentences, a line each: LOSSES make an answer incomplete, NOTES do not. */
void hd_children_tell(const hd_children *c, hd_children_watch watch, hd_string *losses, hd_string *notes);

#endif
