/* watched.h: running a program that was built with heddle-cc, with a socket to the runtime inside it. */
#ifndef HD_CLI_WATCHED_H
#define HD_CLI_WATCHED_H

#include "base/base.h"

typedef struct hd_watched
{
  const char *command;  /* for messages: "heddle monitor" */
  char **program;       /* ends with a null pointer */
  const char *variable; /* of the environment: the number of the socket */
  void *context;
  void (*start)(void *context, int socket);                 /* the program has been started; may be NULL */
  void (*take)(void *context, const char *bytes, size_t n); /* what the program sends, in pieces of any size */
  void (*idle)(void *context);                              /* at least every few milliseconds; may be NULL */
  /* Answers. */
  int status; /* as waitpid has it */
  bool spoke; /* the runtime said something */
} hd_watched;

/* Runs the program to its end and reads all that it sent. False: it could not be started; a message was printed. */
bool hd_watched_run(hd_watched *w);
/* "the program was ended by signal 11 (Segmentation fault)"; NULL: it ended with status 0. */
HD_GIVE char *hd_watched_end(const hd_watched *w);
/* The runtime never spoke: says what may be the matter, and answers the exit status. */
int hd_watched_silent(const hd_watched *w);

#endif
