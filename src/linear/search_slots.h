/* search_slots.h: what the rules of the search know of the open operations. Private to src/linear.
 *
 * An open operation has a slot; sets of open operations are words of bits, one for each slot. */
#ifndef HD_LINEAR_SEARCH_SLOTS_H
#define HD_LINEAR_SEARCH_SLOTS_H

#include "linear/search.h"

/* What is known of an operation before the search begins. */
enum linear_kind
{
  LINEAR_LOOKS = 1u << 0,      /* cannot change the state: placed as soon as a state accepts it */
  LINEAR_BLIND = 1u << 1,      /* every state accepts it, and the old state leaves no trace in what it concerns */
  LINEAR_ANYONE = 1u << 2,     /* its thread does not matter */
  LINEAR_SKIPPED = 1u << 3,    /* never returned, and cannot have changed anything */
  LINEAR_UNKNOWABLE = 1u << 4, /* nobody knows what it returned, and the specification cannot say what it may have */
  LINEAR_ALONE = 1u << 5,      /* nothing else is open on its only key while it is: it needs no slot */
  LINEAR_TOTAL = 1u << 6,      /* every state accepts it; blind ones too */
  LINEAR_KNOWN = 1u << 7,      /* the others are set */
};

typedef struct linear_slots
{
  size_t words;
  uint32_t rules;
  uint8_t *kind;  /* by operation */
  uint32_t *slot; /* by operation, while it is open */
  uint32_t *op;   /* by slot */
  uint32_t *key;  /* by slot: the only key of its operation, or UINT32_MAX: it has more, or there are none */
  uint64_t *open, *looks, *blind, *multi, *pending, *total; /* multi: concerns several keys */
  /* By slot, WORDS words each: */
  uint64_t *touches; /* the slots that share a key with it, itself too */
  uint64_t *hides;   /* the total ones that leave no trace if this one, which is blind, comes after them */
  uint64_t *before;  /* equal operations that end earlier */
  uint32_t nopen;
  bool symmetry;
  bool whole; /* all operations concern the same key */
  const uint32_t *key_first, *keys;
} linear_slots;

void hd_linear_slots_init(linear_slots *t, const linear_part *part, uint32_t rules);
void hd_linear_slots_done(linear_slots *t);
/* Find the operations that are LINEAR_ALONE. */
void hd_linear_slots_find_alone(linear_slots *t, const linear_part *part);
/* What is known of OP: of enum linear_kind. */
uint8_t hd_linear_kind(linear_slots *t, const linear_part *part, uint32_t op);
/* OP, which is blind, is open and ends at EVENT: can nobody see its effect if it takes effect there? False: perhaps. */
bool hd_linear_unread(linear_slots *t, const linear_part *part, uint32_t op, uint32_t event);
uint32_t hd_linear_slot_open(linear_slots *t, const linear_part *part, uint32_t op);
void hd_linear_slot_close(linear_slots *t, uint32_t slot);
/* OUT: the slots connected with SLOT through shared keys, itself too; all open ones unless CONNECTED. True: one of them
 * concerns several keys. */
bool hd_linear_slot_component(const linear_slots *t, uint32_t slot, bool connected, uint64_t *out);

static inline hd_op
linear_view(const hd_linear_op *o)
{
  return (hd_op){.method = o->method,
                 .nargs = o->nargs,
                 .thread = o->thread,
                 .exceptional = o->exceptional,
                 .args = hd_linear_args(o),
                 .ret = o->pending || o->any_ret ? hd_nil() : o->ret};
}

#endif
