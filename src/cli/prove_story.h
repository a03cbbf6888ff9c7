/* prove_story.h: a failing check in the words of the program that the user wrote. Text, JSON and SARIF tell the same
 * story, each in its form. */
#ifndef HD_PROVE_STORY_H
#define HD_PROVE_STORY_H

#include "civl/civl.h"
#include "vc/vc.h"

/* A statement on the way. */
typedef struct hd_prove_line
{
  hd_boogie_place at; /* line 0: no statement of the program: see WHAT */
  const char *what;   /* "at the start", "at the head of the loop", or null */
  const char *text;   /* the line of the source, without the space around it, or null: it cannot be read */
  const char *in;     /* the action or procedure, as written, in which it stands, if that is not the one looked at */
  size_t nvalues;
  hd_vc_value *values; /* of variables that have others now than before */
} hd_prove_line;

typedef struct hd_prove_story
{
  hd_arena *arena;
  const hd_civl_task *task; /* or null */
  hd_civl_check check;
  const char *reason;  /* "assertion", "precondition", "postcondition", "invariant-entry" or "invariant-kept" */
  const char *message; /* what can happen, without a dot */
  bool certain;        /* false: the solver does not know whether it can */
  const char *procedure;
  const char *other; /* the action that disturbs, the procedure that waits, the action that is refined; or null */
  hd_boogie_place at, related; /* RELATED: line 0: there is none */
  const char *related_message;
  size_t nlines;
  hd_prove_line *lines;
  /* Of checks of the stretch between two yields: what it changed, as it was when it began. */
  size_t nbefore;
  hd_vc_value *before;
  const char *end; /* what is wrong with where the way ends, or null */
} hd_prove_story;

/* The story of failure F of IMPL. TASK: null: a program without layers. */
HD_GIVE hd_prove_story *hd_prove_story_new(const hd_boogie_impl *impl, const hd_civl_task *task,
                                           const hd_vc_failure *f);
void hd_prove_story_free(HD_TAKE hd_prove_story *s);

#endif
