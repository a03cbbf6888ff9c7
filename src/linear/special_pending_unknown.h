/* special_pending_unknown.h: the variables of the search for what unknown removals took; see special_pending_unknown.c.
 */
#ifndef HD_LINEAR_SPECIAL_PENDING_UNKNOWN_H
#define HD_LINEAR_SPECIAL_PENDING_UNKNOWN_H

#include "linear/special_parts.h"

enum
{
  NEAR = 32, /* choices that are put in order by their deadlines */
};

#define NOTHING (NONE - 1)

typedef struct variable
{
  uint32_t op, p, q; /* Q is INF for a pending one */
  uint32_t allowed;  /* values from the front of ORDER */
  bool unknown;
  bool may_be_empty;                 /* there is a time at which no known value is surely inside */
  bool empty_early;                  /* try that before values that nobody asks for */
  uint32_t choice;                   /* a value, NOTHING, or NONE: not chosen */
  uint32_t wish;                     /* what is tried first: the last choice, for a start */
  uint32_t turn;                     /* of the next choice */
  uint32_t nnear, asked, near[NEAR]; /* places in ORDER; the first ASKED have deadlines */
  uint32_t beyond;                   /* the place in ORDER from which on values are not in NEAR */
  bool bound;                        /* only these values help: */
  uint32_t nhelp, help[NEAR];
} variable;

typedef struct saved
{
  uint32_t value, put, e1, e2, last; /* LAST: the variables from here on cannot take it */
} saved;

typedef struct unknowns
{
  special_job *job;
  special_pending *p;
  variable *vars;
  uint32_t n;
  uint32_t nempty;               /* of the container, without variables */
  uint32_t *taker;               /* by value: variable, or NONE */
  saved *saved;                  /* of LEFT, then of MAYBE */
  uint32_t *earliest;            /* by place in ORDER: the least e1 up to there */
  uint32_t *place;               /* of a value in ORDER; NONE: of MAYBE */
  uint32_t *conflict, nconflict; /* the values that a failure depends on, */
  uint32_t no_value;             /* and an operation that found nothing, or NONE */
  uint64_t *named;               /* a row of bits for each variable: the variables that its failures depend on */
  size_t words;
} unknowns;

/* ---- variables and their choices (special_pending_choices.c) ---- */
void hd_special_choices_open(unknowns *u); /* fills VARS, TAKER, SAVED, EARLIEST and PLACE, and lowers deadlines */
/* Can X take V, for all that the known values say? */
bool hd_special_choices_can(const unknowns *u, const variable *x, uint32_t v);
bool hd_special_choices_help(const variable *x, uint32_t choice); /* V is not ruled out by BOUND */
void hd_special_choices_begin(unknowns *u, variable *x);          /* X has not chosen yet: put what is near in order */
/* Variable I chooses something else; who took what it would have liked is named to it. False: nothing is left. */
bool hd_special_choices_next(unknowns *u, uint32_t i);
void hd_special_choices_take_back(unknowns *u, uint32_t i);
void hd_special_choices_wish(unknowns *u); /* make first wishes */

/* Name to variable WHO that its failures depend on WHOM. */
static inline void
name(unknowns *u, uint32_t who, uint32_t whom)
{
  u->named[who * u->words + whom / 64] |= 1ull << (whom % 64);
}

#endif
