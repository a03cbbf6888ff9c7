/* model.h: small sequential models of objects, the common ground of generators, oracle and specifications.
 *
 * A model is pure: states and replicas are small values that are copied by assignment. The oracle steps models
 * directly; specs.c wraps them as the hd_spec that the checker under test gets. Nothing here knows src/refine. */
#ifndef ORACLE_MODEL_H
#define ORACLE_MODEL_H

#include <heddle/spec.h>

enum
{
  MODEL_CELLS = 23, /* cells of a state */
  MODEL_VARS = 24,  /* variables of a replica */
  MODEL_KEYS = 24,  /* view keys are 0 .. keys-1 */
  MODEL_ARGS = 2,
  MODEL_OUTCOMES = 4,
  SLOTS = 4,  /* of the array multiset */
  NODES = 10, /* of the linked stack */
};

typedef struct model_state
{
  int8_t n;
  int8_t cell[MODEL_CELLS];
} model_state;

/* The values of a replica's variables; a variable that was never written is 0. */
typedef struct model_replica
{
  int8_t var[MODEL_VARS];
} model_replica;

/* A return: a value, or an exception with a value. */
typedef struct model_return
{
  hd_value value;
  bool exceptional;
} model_return;

typedef enum model_kind
{
  MODEL_MULTISET,       /* view: key x -> number of x; replica: variable x holds that number */
  MODEL_MULTISET_SLOTS, /* the same, but the replica is the array of paper 000: elt and valid of each slot */
  MODEL_REGISTER,       /* view: key 0 -> value; replica: variable 0 */
  MODEL_COUNTER,        /* the same */
  MODEL_STACK,          /* view: key d -> value at depth d; replica: top, value and next of each node */
  MODEL_QUEUE,          /* no view */
  MODEL_COUNT
} model_kind;

typedef struct model
{
  const char *name;
  const hd_method *methods;
  size_t nmethods;
  unsigned nkeys; /* 0: no view */
  unsigned nvars;
  /* The step with this return; a rejected step leaves the state as it was. */
  hd_step (*apply)(model_state *s, unsigned method, const hd_value *args, model_return ret);
  /* The non-exceptional returns that are possible now. */
  size_t (*outcomes)(const model_state *s, unsigned method, const hd_value *args, hd_value *out);
  bool (*view)(const model_state *s, unsigned key, int64_t *out);
  bool (*replica_view)(const model_replica *r, unsigned key, int64_t *out);
  bool (*replica_sound)(const model_replica *r); /* the invariant; may be null */
} model;

extern const model models[MODEL_COUNT];

/* The methods, by kind. */
enum
{
  MS_INSERT,
  MS_INSERT_PAIR,
  MS_DELETE,
  MS_LOOKUP,
  MS_HOW_MANY
};
enum
{
  REG_WRITE,
  REG_CAS,
  REG_SWAP,
  REG_READ
};
enum
{
  CTR_INC,
  CTR_RESET,
  CTR_GET
};
enum
{
  SEQ_PUT, /* push, enqueue */
  SEQ_TAKE,
  SEQ_LOOK /* top, peek */
};

/* The variables of the two structured replicas. A slot's element and a node's index are stored plus one, so that a
 * variable that was never written means "none". */
#define VAR_ELT(i) ((unsigned) (2 * (i)))
#define VAR_VALID(i) ((unsigned) (2 * (i) + 1))
#define VAR_TOP 0u
#define VAR_VALUE(i) ((unsigned) (1 + 2 * (i)))
#define VAR_NEXT(i) ((unsigned) (2 + 2 * (i)))

#define MODEL_EXCEPTION 7 /* the exception that insert and take may end with */

/* Can this operation return this, and change nothing? */
bool model_same(const model *m, const model_state *s, unsigned method, const hd_value *args, model_return ret);

#endif
