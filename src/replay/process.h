/* process.h: inside src/replay: a temporary folder, and programs that run in it. */
#ifndef HD_REPLAY_PROCESS_H
#define HD_REPLAY_PROCESS_H

#include <signal.h>

#include "base/base.h"

enum
{
  HD_REPLAY_MOST_FILES = 2
};

/* Signals that would end the process are held back while this is open. */
typedef struct hd_replay_scratch
{
  char *folder;
  char *files[HD_REPLAY_MOST_FILES];
  size_t nfiles;
  sigset_t before; /* the signals that were held back before */
  int signals;     /* a descriptor that becomes readable when one arrives */
  int arrived;     /* the signal that did; 0: none */
} hd_replay_scratch;

/* False: there is no folder, and errno says why. */
bool hd_replay_scratch_open(hd_replay_scratch *x);
/* The path of a file in the folder, which is removed with it. */
const char *hd_replay_scratch_file(hd_replay_scratch *x, const char *name);
/* Write TEXT to the file at PATH. False: errno says why. */
bool hd_replay_scratch_write(const char *path, const char *text, size_t n);
/* Removes everything; a signal that has arrived takes effect, so this may not return. */
void hd_replay_scratch_close(hd_replay_scratch *x);

typedef enum hd_replay_ending
{
  HD_REPLAY_DONE,       /* its status is 0 */
  HD_REPLAY_FAILED,     /* another status, or a signal */
  HD_REPLAY_NO_PROGRAM, /* it could not be started; errno says why */
  HD_REPLAY_TOO_LONG,
  HD_REPLAY_STOPPED /* a signal has arrived here */
} hd_replay_ending;

/* Run ARGV (ends with NULL; looked for in PATH) with INPUT (a path) as standard input. OUT gets what it prints; BOTH:
 * its messages as well, which are else left out. */
hd_replay_ending hd_replay_process(hd_replay_scratch *x, const char *const *argv, const char *input, unsigned seconds,
                                   bool both, hd_string *out);

#endif
