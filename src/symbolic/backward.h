/* backward.h: which states can reach a set of states. */
#ifndef HD_SYMBOLIC_BACKWARD_H
#define HD_SYMBOLIC_BACKWARD_H

#include "symbolic/system.h"

typedef enum hd_symbolic_outcome
{
  HD_SYMBOLIC_CLOSED,  /* all states are found, and none is a start */
  HD_SYMBOLIC_REACHED, /* a start is among them */
  HD_SYMBOLIC_GAVE_UP
} hd_symbolic_outcome;

typedef struct hd_symbolic_piece
{
  isl_basic_set *full;         /* within INSIDE */
  isl_basic_set *gist;         /* what has to be known of a state of INSIDE to be in it */
  hd_control_conjunction rows; /* the gist again, to try points on */
} hd_symbolic_piece;

typedef struct hd_symbolic_search
{
  hd_symbolic_system *s;
  hd_symbolic_piece *pieces;
  size_t n, cap;
  int64_t *point; /* scratch */
} hd_symbolic_search;

enum
{
  HD_SYMBOLIC_PIECES = 1500
};

/* From BAD backwards, through states of THROUGH (NULL: all). STOP: at the first start; else every state is found,
 * starts or not. Initialises X in any case; states that are known to be unreachable are left out. */
hd_symbolic_outcome hd_symbolic_backward(hd_symbolic_search *x, hd_symbolic_system *s, __isl_take isl_set *bad,
                                         __isl_keep isl_set *through, bool stop);
/* All that was found. */
isl_set *hd_symbolic_found(const hd_symbolic_search *x);
void hd_symbolic_search_free(hd_symbolic_search *x);

/* X is closed: what it found is unreachable. Remember that in EXCLUDED. */
void hd_symbolic_rule_out(const hd_symbolic_search *x);
/* Show that no state of BAD is reachable, and remember it. */
hd_symbolic_outcome hd_symbolic_exclude(hd_symbolic_system *s, __isl_take isl_set *bad);
/* Every reachable state is in LEMMA, as a search has shown: use it from now on if it has one part alone. */
void hd_symbolic_learn(hd_symbolic_system *s, __isl_take isl_set *lemma);

#endif
