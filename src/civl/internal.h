/* internal.h: what a layered program is made of, as all of src/civl sees it after classification (classify.c).
 *
 * Order of phases (transform.c): classify and check layers, yield sufficiency, linear types; then the program is
 * changed: linear assumptions, mover checks, layers' copies, linearity checks; last the originals go. Lists have the
 * order of the declarations; so do messages. All memory is the program's arena. */
#ifndef HD_CIVL_INTERNAL_H
#define HD_CIVL_INTERNAL_H

#include "civl/civl.h"

/* ---- layers ---- */
enum
{
  LAYER_MIN = INT32_MIN, /* below everything: a local without a layer is introduced here */
  LAYER_MAX = INT32_MAX
};
typedef struct layer_range
{
  int32_t lower, upper;
} layer_range;
typedef HD_BOOGIE_LIST(int32_t) layer_list; /* ascending, each once */
static inline bool
range_contains(layer_range r, int32_t layer)
{
  return r.lower <= layer && layer <= r.upper;
}
static inline bool
range_inside(layer_range inner, layer_range outer)
{
  return outer.lower <= inner.lower && inner.upper <= outer.upper;
}
bool hd_civl_layers_have(const layer_list *l, int32_t layer);

/* ---- movers ---- */
typedef enum mover
{
  MOVER_ATOMIC,
  MOVER_RIGHT,
  MOVER_LEFT,
  MOVER_BOTH
} mover;
static inline bool
mover_is_right(mover m)
{
  return m == MOVER_RIGHT || m == MOVER_BOTH;
}
static inline bool
mover_is_left(mover m)
{
  return m == MOVER_LEFT || m == MOVER_BOTH;
}

/* ---- sets of variables: LIST in the order of insertion, HAS by id ---- */
typedef struct var_set
{
  hd_boogie_vars list;
  uint64_t *bits;
  size_t words;
} var_set;
void hd_civl_set_add(hd_boogie_program *p, var_set *s, hd_boogie_var *v);
void hd_civl_set_add_all(hd_boogie_program *p, var_set *s, const var_set *other);
bool hd_civl_set_has(const var_set *s, const hd_boogie_var *v);
bool hd_civl_set_meets(const var_set *a, const var_set *b);
/* The global variables that occur in E (in old() and in triggers, too), or anywhere in the blocks. */
void hd_civl_globals_of_expr(hd_boogie_program *p, var_set *s, hd_boogie_expr *e);
void hd_civl_globals_of_blocks(hd_boogie_program *p, var_set *s, const hd_boogie_blocks *blocks);

/* ---- tables from pointers to pointers ---- */
typedef struct table
{
  const void **keys;
  void **values;
  size_t n, cap;
} table;
void hd_civl_table_set(hd_boogie_program *p, table *t, const void *key, void *value);
void *hd_civl_table_get(const table *t, const void *key); /* null: not there */

/* ---- atomic actions ---- */
typedef struct action action;
typedef struct action_copy action_copy;
typedef struct yielding yielding;

struct action
{
  size_t number; /* in hd_civl.actions */
  hd_boogie_proc *proc;
  hd_boogie_impl *impl; /* its formals have the attributes of the procedure's; unreachable blocks are gone */
  mover mover;
  layer_range range;
  size_t gate_length;   /* so many asserts at the front of the first block */
  int32_t async_free;   /* the lowest layer from which on it has no pending asyncs */
  action_copy **copies; /* by the number of the layer in action_layers; null where it is not available */
};

/* The variables, the gate and the body under other names: first_x, second_x; bound variables, too. */
typedef struct renamed
{
  hd_boogie_vars ins, outs, locals; /* in the order of the copy's implementation; attributes of ins and outs kept */
  hd_boogie_cmds gate;
  hd_boogie_blocks blocks; /* without the gate; labels have the prefix, too */
} renamed;

/* An action at one layer: A_n, {:inline 1}, its pending asyncs resolved and inlined. Declared in the program. */
struct action_copy
{
  action *action;
  int32_t layer;
  hd_boogie_proc *proc;
  hd_boogie_impl *impl; /* without the gate */
  hd_boogie_cmds gate;  /* ASSERTs over the formals of IMPL */
  renamed first, second;
  var_set gate_globals, body_globals, modified; /* globals used in the gate, used in the body, assigned in the body */
  bool has_assume;
};
/* The copy of A at LAYER (an action layer), or null if A is not available there. */
action_copy *hd_civl_copy_at(const hd_civl *c, const action *a, int32_t layer);

/* ---- yielding procedures ---- */
typedef enum yielding_kind
{
  YIELDING_SKIP,  /* acts as a both mover */
  YIELDING_MOVER, /* with its own mover type */
  YIELDING_ACTION /* {:refines} */
} yielding_kind;

struct yielding
{
  size_t number; /* in hd_civl.yieldings */
  hd_boogie_proc *proc;
  yielding_kind kind;
  mover mover; /* of an action procedure: the action's */
  int32_t layer;
  action *refined;             /* of an action procedure */
  var_set modifies;            /* of a mover procedure: its modifies clause */
  bool terminates;             /* {:terminates} */
  hd_boogie_proc *add_pending; /* of an action procedure in a program with pending asyncs: adds one, {:inline 1} */
  hd_boogie_function *pending; /* the constructor of the pending async */
};

typedef struct yielding_impl /* a procedure may have none, or several */
{
  yielding *yielding;
  hd_boogie_impl *impl; /* unreachable blocks are gone after the yield check */
} yielding_impl;

/* ---- introduction procedures: every other procedure ---- */
typedef struct introduction
{
  hd_boogie_proc *proc;
  layer_range range;
  bool leaky; /* has outputs or modifies something: exists only at the layer of its caller */
} introduction;

/* ---- witnesses: {:witness "g A B layers"} on a function ---- */
typedef enum witness_argument
{
  WITNESS_PRE,   /* global, before */
  WITNESS_POST,  /* global, after */
  WITNESS_FIRST, /* parameter of the first action */
  WITNESS_SECOND
} witness_argument;
typedef struct witness
{
  hd_boogie_function *function;
  hd_boogie_var *global;
  action *first, *second;
  layer_list layers;
  witness_argument *kinds; /* one for each argument of FUNCTION */
  const char **names;      /* without the prefix or the ' that said the kind */
} witness;

/* ---- all of it ---- */
typedef struct linear linear;   /* linear*.c */
typedef struct modules modules; /* module.c */

struct hd_civl
{
  hd_boogie_program *program;
  hd_civl_options options;
  hd_boogie_messages *messages;

  hd_boogie_vars globals; /* all of the program, pending_asyncs last if it exists */
  HD_BOOGIE_LIST(action *) actions;
  HD_BOOGIE_LIST(yielding *) yieldings;
  HD_BOOGIE_LIST(yielding_impl) yielding_impls;
  HD_BOOGIE_LIST(introduction *) introductions;
  HD_BOOGIE_LIST(witness) witnesses;
  layer_list refinement_layers;  /* where some yielding procedure disappears */
  layer_list action_layers;      /* those, and both ends of each action's range */
  hd_boogie_var *pending_asyncs; /* the global multiset of pending asyncs, or null: the program has none */

  linear *linear;
  modules *modules;

  HD_BOOGIE_LIST(hd_civl_task) tasks;
  table impl_task; /* by hd_boogie_impl: its place in TASKS, plus one */
  hd_civl_counts counts;

  /* Asked by the functions below only. */
  layer_range *global_ranges; /* by id of the variable, n_ranges of them */
  int32_t *local_layers;
  size_t n_ranges, n_layers;
  table proc_action, proc_yielding, proc_introduction; /* by hd_boogie_proc */
  table spec_layers;                                   /* by hd_boogie_spec or hd_boogie_cmd: layer_list */
  table call_layers;                                   /* by hd_boogie_cmd: int32_t */
  table proc_impls;                                    /* by hd_boogie_proc: impl_list (layers.h) */
  table adders;                                        /* by hd_boogie_proc: the body of an add_pending */
};

/* What a procedure is; null: something else. Each procedure is exactly one of the three. */
action *hd_civl_action_of(const hd_civl *c, const hd_boogie_proc *proc);
yielding *hd_civl_yielding_of(const hd_civl *c, const hd_boogie_proc *proc);
introduction *hd_civl_introduction_of(const hd_civl *c, const hd_boogie_proc *proc);
layer_range hd_civl_global_range(const hd_civl *c, const hd_boogie_var *g); /* all layers if it has none */
/* LAYER_MIN if it has none, and for every variable that was made later: ask about the original. */
int32_t hd_civl_local_layer(const hd_civl *c, const hd_boogie_var *v);
/* The layers of a requires, ensures or assert of a yielding procedure; null: it has none (made later, or free). The
 * pointers are those of the original program. */
const layer_list *hd_civl_spec_layers(const hd_civl *c, const hd_boogie_spec *s);
const layer_list *hd_civl_assert_layers(const hd_civl *c, const hd_boogie_cmd *cmd);
/* Whether CALL of an introduction procedure, in a yielding procedure that disappears at CALLER, is there at LAYER. */
bool hd_civl_call_exists(const hd_civl *c, const hd_boogie_cmd *call, int32_t caller, int32_t layer);
/* Whether Y at LAYER is a mover procedure at its own layer: a sequential procedure, not instrumented. */
static inline bool
is_mover_at(const yielding *y, int32_t layer)
{
  return y->kind == YIELDING_MOVER && y->layer == layer;
}

/* ---- messages: phase CHECK, at a place of the program ---- */
void hd_civl_error(hd_civl *c, hd_boogie_place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void hd_civl_warn(hd_civl *c, hd_boogie_place at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- for the makers of checks ---- */
/* Declare TASK's implementation and procedure and list it. */
void hd_civl_add_task(hd_civl *c, hd_civl_task task);
/* {:inline 1} on both; declares them, no task. */
void hd_civl_add_helper(hd_civl *c, hd_boogie_proc *proc, hd_boogie_impl *impl);
/* Whether a check between FIRST and SECOND, which have variables in common, is to be made. */
bool hd_civl_pair_wanted(hd_civl *c, const action_copy *first, const action_copy *second);
/* ---- modules (module.c); without --module there is one, 0, without a name ---- */
size_t hd_civl_module_count(const hd_civl *c);
const char *hd_civl_module_name(const hd_civl *c, size_t module);
size_t hd_civl_module_of(hd_civl *c, const hd_boogie_proc *proc);
size_t hd_civl_module_of_copy(hd_civl *c, const action_copy *copy); /* at its layer */
/* Whether the checks of this module are to be made: with --only-module not all. */
bool hd_civl_module_wanted(const hd_civl *c, size_t module);

/* ---- code ---- */
/* Replace each call in IMPL of a procedure in BODIES (hd_boogie_proc to hd_boogie_impl) by the body; again in what was
 * put in. BODIES must not be recursive. */
void hd_civl_inline_calls(hd_boogie_program *p, hd_boogie_impl *impl, const table *bodies);
/* Blocks that the entry does not reach are dropped. */
void hd_civl_prune(hd_boogie_program *p, hd_boogie_impl *impl);

/* ---- phases; each adds its errors to C's messages ---- */
void hd_civl_classify(hd_civl *c);         /* classify*.c: everything above up to `linear`, copies, yielding bodies */
void hd_civl_check_yields(hd_civl *c);     /* yields.c */
void hd_civl_check_linear(hd_civl *c);     /* linear*.c */
void hd_civl_check_modules(hd_civl *c);    /* module.c */
void hd_civl_transform_linear(hd_civl *c); /* linear*.c: free assumptions */
void hd_civl_make_movers(hd_civl *c);      /* movers*.c: commutativity, gate and failure preservation, non-blocking */
void hd_civl_make_copies(hd_civl *c);      /* copies*.c, refine*.c, interfere*.c */
void hd_civl_make_linearity(hd_civl *c);   /* linear*.c */

#endif
