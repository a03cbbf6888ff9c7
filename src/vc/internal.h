/* internal.h: inside src/vc: a condition in the making.
 *
 * An implementation becomes a flow graph (flow.c) of nodes with simple commands about variables. A variable here is one
 * instance: a procedure that is put in place of a call has instances of its own. Expressions stay the program's, and
 * are read in a frame, which says what instance a name means; so nothing of the program is copied. Then loops are cut
 * (loops.c), instances that matter at each place are found (live.c), and the graph becomes a formula (passive.c) whose
 * parts translate.c makes. */
#ifndef HD_VC_INTERNAL_H
#define HD_VC_INTERNAL_H

#include <setjmp.h>

#include "vc/vc.h"

/* ---- program.c ---- */

typedef struct axiom
{
  const hd_boogie_axiom *axiom;
  uint32_t *functions, *constants; /* ids of what it mentions, inline functions' bodies included */
  size_t nfunctions, nconstants, functions_cap, constants_cap;
} axiom;

typedef struct users /* axioms that mention something */
{
  uint32_t *axioms;
  size_t n, cap;
} users;

struct hd_vc_program
{
  const hd_boogie_program *program;
  axiom *axioms;
  size_t naxioms, axioms_cap;
  users *of_function, *of_constant; /* by id */
  const hd_boogie_impl **body;      /* by procedure: its first implementation */
  const hd_boogie_var **globals;
  size_t nglobals, globals_cap;
};

/* ---- types without variables ---- */

/* A type of this condition: equal ones are the same pointer. A type variable of an implementation, or of a statement
 * that must be proved for all types, is a type of its own, of which nothing is known: it may be any other one. */
typedef struct type
{
  hd_boogie_type_kind kind; /* not SYNONYM, TYPE_UNKNOWN, TYPE_NAME */
  uint32_t id, depth;
  uint32_t width, exponent;        /* of TYPE_VAR: its number; and 1 if a map type around it binds it */
  const hd_boogie_type_decl *decl; /* of CTOR */
  bool open;                       /* there is an unknown type in it */
  size_t nparams, nargs;
  const struct type **args, *result;
  const char *name; /* of TYPE_VAR; of a polymorphic map, its parameters' names: as first written */
} type;

/* What type variables stand for. */
typedef struct types
{
  const hd_boogie_type *var;
  const type *type;
  const struct types *next;
} types;

/* A polymorphic function, or a polymorphic map type, at some type arguments. */
typedef struct use
{
  const void *what; /* const hd_boogie_function *, or const type * */
  size_t n;
  const type **args;
} use;

/* What is kept when a condition is made again with more instances: see generic.c. */
typedef struct generics
{
  hd_arena *arena;
  type **types;
  size_t ntypes, types_cap;
  use *uses;
  size_t nuses, uses_cap;
  size_t known; /* uses that were there before this round: what is about all types is said about these */
  unsigned rounds;
} generics;

/* The symbols of a use. */
typedef struct instantiated
{
  const void *what;
  const type **args;
  const hd_smt_symbol *symbol, *store; /* of a function; of a map: to read and to write */
} instantiated;

/* ---- the flow graph ---- */

typedef struct instance
{
  const hd_boogie_var *decl;
  const char *name;
  const struct frame *frame; /* of its type and where clause */
  bool shown;                /* a variable of the implementation, or a global one */
  bool local;                /* of a body that was put in */
} instance;

enum
{
  NOT_AN_INSTANCE = UINT32_MAX
};

/* What variables mean in a piece of code. */
typedef struct binding
{
  const hd_boogie_var *decl;
  uint32_t instance;
} binding;

typedef struct frame
{
  const struct frame *outer; /* NULL: of global variables */
  binding *names;            /* hashed by the variable's id; a power of two */
  size_t nnames, names_cap;
  binding *olds; /* what global variables mean inside old(), hashed likewise; those that are missing: the outer frame
                  * says, and at last their values at the implementation's start */
  size_t nolds, olds_cap;
  bool keeps_old; /* old() of a variable without an entry is its value now: it does not change in between */
  const types *types;
} frame;

typedef enum command_kind
{
  ASSERT,
  ASSUME,
  ASSIGN,
  HAVOC
} command_kind;

typedef struct command
{
  command_kind kind;
  hd_boogie_place at;         /* of the statement that it is part of; line 0: it is generated */
  const char *inlined;        /* the procedure whose body it stands in, if that was put in; or NULL */
  bool silent;                /* it does nothing that a path would show */
  bool loop;                  /* what the loop may have changed when its head is reached */
  const frame *frame;         /* of the expressions */
  const hd_boogie_expr *expr; /* of ASSERT, ASSUME; NULL: true */
  uint32_t assertion;         /* of ASSERT */
  /* ASSIGN: all at once. A value is an expression, or else the instance SOURCES[i]. A target's expression is NULL if it
   * is the whole instance. HAVOC: the instances. */
  size_t n;
  uint32_t *targets, *sources;
  const hd_boogie_expr **places, **values;
} command;

typedef struct node
{
  const char *label;
  hd_boogie_place at;
  bool hidden;             /* made by us: not part of a path that people see */
  bool absent;             /* show.c: it has nothing to show */
  const char *shown_label; /* show.c: NULL: it is not shown */
  hd_boogie_place shown_at;
  bool returns;
  hd_boogie_place return_at;
  command *commands;
  size_t n, cap;
  uint32_t *to, *from;
  size_t nto, to_cap, nfrom, from_cap;
  const hd_boogie_expr *returned; /* by a code expression that ends here */
  const frame *returned_frame;
  /* passive.c */
  uint64_t *live, *live_before; /* instances that matter after it, and before it */
  const hd_smt_term **out;      /* by instance that matters after it, in order: its term */
  struct fact *facts;           /* what its commands became */
  size_t nfacts, facts_cap;
  size_t kept;                  /* commands that are left, those that say nothing among them */
  const hd_smt_term *formula;   /* what must be true to fail from here on */
  const hd_smt_term *reach;     /* a constant that is true if it is on the way; NULL: FORMULA stands for itself */
  struct edge_equations *edges; /* by successor */
  struct change *changes;       /* of instances that people know, in order */
  size_t nchanges, changes_cap;
  struct mark *marks; /* its statements, in order */
  size_t nmarks, marks_cap;
} node;

typedef struct mark
{
  hd_boogie_place at;
  const char *inlined;
  bool silent, loop;
  size_t facts, changes; /* of the node before it */
} mark;

typedef struct change
{
  uint32_t instance;
  const hd_smt_term *term;
  size_t facts; /* of the node before it */
} change;

typedef struct fact
{
  const hd_smt_term *term;
  uint32_t assertion; /* or NOT_AN_INSTANCE: it is assumed */
} fact;

typedef struct edge_equations
{
  const hd_smt_term **terms;
  size_t n, cap;
  const hd_smt_term *taken; /* a constant that implies them; NULL: the successor's is enough */
} edge_equations;

typedef struct step /* what a formula's assertion stands for */
{
  const hd_smt_term *fail; /* constant; NULL: cannot fail */
} step;

typedef struct scope /* of bound variables, lets and parameters */
{
  const hd_boogie_var *var;
  const hd_smt_term *term;
  const struct scope *next;
} scope;

typedef struct known_type /* without variables */
{
  const hd_boogie_type *type;
  const hd_smt_sort *sort;
} known_type;

/* A function with an axiom of its own: a lifted lambda, or a builtin of maps that the solver does not know. */
typedef struct lifted
{
  const hd_smt_term *body; /* with parameters in place of what is not bound: equal for equal lambdas */
  const char *key;         /* of a builtin */
  const hd_smt_symbol *symbol;
  const hd_smt_sort *sort;
} lifted;

typedef struct canonical /* bound variables: the same for the same sort, level and position */
{
  const hd_smt_sort *sort;
  uint32_t level, index;
  const hd_smt_symbol *symbol;
} canonical;

typedef struct maps /* select and store of one map sort without array theory */
{
  const hd_smt_sort *sort, *index, *value;
  const hd_smt_symbol *select, *store;
} maps;

typedef struct order /* a function about the order <: of one sort */
{
  const hd_smt_sort *sort;
  const hd_smt_symbol *symbol;
} order;

typedef struct condition
{
  const hd_vc_program *program;
  const hd_boogie_impl *impl;
  hd_arena *arena; /* of everything here */
  hd_smt *u;
  bool portable;  /* for solvers without functions on whole arrays and weights */
  bool no_arrays; /* maps without a theory */
  bool all_axioms;

  generics *generics;
  jmp_buf unsupported;
  hd_boogie_place at; /* of what is not supported */
  const char *message;

  instance *instances;
  size_t ninstances, instances_cap;
  node *nodes;
  size_t nnodes, nodes_cap;
  uint32_t *order; /* reverse postorder of reachable nodes */
  size_t norder;
  frame *globals;
  hd_vc_assertion *assertions;
  size_t nassertions, assertions_cap;
  hd_boogie_place here; /* flow.c: the statement that commands are made from, and the procedure that it stands in */
  const char *inside;
  uint32_t *inlined; /* by procedure: how often it was put in; and how deep it is in itself now */
  uint32_t *depth;

  /* translate.c */
  const hd_smt_term **now;     /* by instance: its term here */
  const hd_smt_term **initial; /* by instance: its term at the start */
  uint32_t *versions;
  const hd_smt_symbol **functions;         /* by id */
  const hd_smt_term **constants;           /* by variable id */
  uint32_t *new_functions, *new_constants; /* used and not yet looked at by axioms.c */
  size_t nnew_functions, nnew_constants, new_functions_cap, new_constants_cap;
  known_type *known_types;
  size_t nknown_types, known_types_cap;
  const hd_smt_sort **sorts; /* by a type's id */
  size_t nsorts;
  instantiated *instantiated;
  size_t ninstantiated, instantiated_cap;
  uint32_t unknown_types;  /* type variables that got a type of their own */
  size_t type_quantifiers; /* that were translated so far */
  lifted *lifted;
  size_t nlifted, lifted_cap;
  canonical *canonical;
  size_t ncanonical, canonical_cap;
  maps *maps;
  size_t nmaps, maps_cap;
  order *orders, *steps_down; /* order.c */
  size_t norders, orders_cap, nsteps_down, steps_down_cap;
  const hd_smt_symbol *power; /* ** */
  unsigned expanding;         /* inline functions inside each other */
  size_t code;                /* code expressions that were translated so far */

  /* the result */
  step *steps; /* by assertion */
  const hd_smt_term **asserted;
  size_t nasserted, asserted_cap;
  size_t left_out; /* axioms that were not needed */
  bool weaker;     /* than the program: a counterexample may be none, because not all types were looked at */
  bool cut;        /* a bound of generic.c was met */
  bool trivial;    /* no assertion can fail */
  bool shown;      /* show.c was here */
} condition;

/* Append ... to an array in the condition's arena. */
#define ADD(c, array, n, cap, ...)                                                                                     \
  do                                                                                                                   \
  {                                                                                                                    \
    if ((n) == (cap))                                                                                                  \
      (array) = hd_vc_grow((c), (array), (n), &(cap), sizeof *(array));                                                \
    (array)[(n)++] = (__VA_ARGS__);                                                                                    \
  } while (0)
void *hd_vc_grow(condition *c, const void *old, size_t n, size_t *cap, size_t size);
void *hd_vc_alloc(condition *c, size_t n); /* zeroed */

/* Leave with a message about the place. */
_Noreturn void hd_vc_unsupported(condition *c, hd_boogie_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* flow.c, frame.c */
void hd_vc_flow(condition *c);
/* Nodes for the blocks of a code expression; MAY_CALL: it stands where variables have values. */
void hd_vc_code_graph(condition *c, const frame *f, const hd_boogie_blocks *blocks, bool may_call);
uint32_t hd_vc_instance(condition *c, const hd_boogie_var *decl, const char *name, const frame *f, bool shown);
void hd_vc_bind(condition *c, frame *f, const hd_boogie_var *decl, uint32_t instance);
void hd_vc_bind_old(condition *c, frame *f, const hd_boogie_var *decl, uint32_t instance);
/* The instance that DECL means; *INITIAL: its value at the start is meant. NOT_AN_INSTANCE: it is a constant, or bound.
 */
uint32_t hd_vc_lookup(const frame *f, const hd_boogie_var *decl, bool in_old, bool *initial);
uint32_t hd_vc_node(condition *c, const char *label, hd_boogie_place at, bool hidden);
void hd_vc_edge(condition *c, uint32_t from, uint32_t to);
command *hd_vc_command(condition *c, uint32_t node, command_kind kind, const frame *f);
void hd_vc_havoc(condition *c, uint32_t node, size_t n, const uint32_t *targets);
const char *hd_vc_text(condition *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- chains.c ---- */

/* Which blocks are parts of the block before them: a block whose only way on is to a block that nothing else leads to
 * is one with it, as in the reference, whose paths show the first of them. */
typedef struct chain
{
  uint32_t *index; /* by a block's id minus SMALLEST */
  uint32_t smallest;
  uint8_t *several;   /* more than one way leads to it */
  uint8_t *reachable; /* by index */
  uint8_t *inside;    /* part of another */
} chain;
chain hd_vc_chains(condition *c, const hd_boogie_blocks *blocks);
uint32_t hd_vc_chain_index(const chain *h, const hd_boogie_block *b);
/* The block that B goes on to, if it is one with B; or NULL. */
const hd_boogie_block *hd_vc_chain_next(const chain *h, const hd_boogie_block *b);

/* loops.c: after this the graph has no cycle, and ORDER is topological. */
void hd_vc_cut_loops(condition *c);
/* live.c */
void hd_vc_live(condition *c);
/* passive.c: the assertions of the condition, without axioms */
void hd_vc_passify(condition *c);
/* axioms.c: everything that the terms so far need */
void hd_vc_axioms(condition *c);

/* Where an expression stands. */
typedef struct context
{
  condition *c;
  const frame *frame;
  const scope *scope;
  bool in_old;
  const types *types;
  bool assumed;   /* it helps a proof if the expression is true, rather than that it must be proved: see codeexpr.c */
  bool mixed;     /* neither: its value matters */
  bool universal; /* inside something that is assumed for all values of a variable */
  uint32_t level; /* of the next variables to be bound */
} context;

/* translate.c, types.c, lift.c, maps.c, codeexpr.c */
const hd_smt_term *hd_vc_term(condition *c, const frame *f, const hd_boogie_expr *e);           /* that is assumed */
const hd_smt_term *hd_vc_assigned_value(condition *c, const frame *f, const hd_boogie_expr *e); /* that is assigned */
const hd_smt_term *hd_vc_obligation(condition *c, const frame *f, const hd_boogie_expr *e); /* that must be proved */
const hd_smt_term *hd_vc_term_in(const context *x, const hd_boogie_expr *e);
/* E as part of something whose truth does not grow with its own. */
const hd_smt_term *hd_vc_plain(const context *x, const hd_boogie_expr *e);
/* binders.c */
const hd_smt_term *hd_vc_quantifier(const context *x, const hd_boogie_expr *e);
const hd_smt_term *hd_vc_lambda(const context *x, const hd_boogie_expr *e);
const hd_smt_term *hd_vc_let(const context *x, const hd_boogie_expr *e);
const hd_smt_term *hd_vc_assigned_in(const context *x, const hd_boogie_expr *place, const hd_smt_term *value);
const hd_smt_term *hd_vc_code(const context *x, const hd_boogie_expr *e);
/* The term that the instance at the root of PLACE gets when PLACE := VALUE. */
const hd_smt_term *hd_vc_assigned(condition *c, const frame *f, const hd_boogie_expr *place, const hd_smt_term *value);
const hd_smt_term *hd_vc_now(condition *c, uint32_t instance);
const hd_smt_term *hd_vc_initial(condition *c, uint32_t instance);
const hd_smt_term *hd_vc_version(condition *c, uint32_t instance); /* a new constant for it */
const hd_smt_sort *hd_vc_sort(condition *c, const types *env, const hd_boogie_type *type, hd_boogie_place at);
const type *hd_vc_type(condition *c, const types *env, const hd_boogie_type *t);
const hd_smt_sort *hd_vc_type_sort(condition *c, const type *t, hd_boogie_place at);
/* ENV with PARAMS standing for ARGS. */
const types *hd_vc_types(condition *c, const types *env, const hd_boogie_types *params, const type *const *args);
const type **hd_vc_type_args(condition *c, const types *env, const hd_boogie_types *args);
/* A type that nothing is known about. */
const type *hd_vc_unknown_type(condition *c, const char *name);
const hd_smt_sort *hd_vc_instance_sort(condition *c, const instance *v);
const hd_smt_symbol *hd_vc_function(condition *c, const hd_boogie_function *f, const type **args, hd_boogie_place at);
const hd_smt_term *hd_vc_constant(condition *c, const hd_boogie_var *v);
const hd_smt_symbol *hd_vc_bound(condition *c, const char *name, const hd_smt_sort *sort, uint32_t level,
                                 uint32_t index);
const hd_smt_term *hd_vc_lift(condition *c, const hd_smt_sort *map, const hd_smt_symbol **vars, size_t n,
                              const hd_smt_term *body);
const hd_smt_term *hd_vc_builtin(const context *x, const hd_boogie_expr *e, const hd_smt_term *const *args);
const hd_smt_term *hd_vc_select(condition *c, const hd_smt_term *map, const hd_smt_term *index);
const hd_smt_term *hd_vc_store(condition *c, const hd_smt_term *map, const hd_smt_term *index,
                               const hd_smt_term *value);
const hd_smt_sort *hd_vc_map_index(condition *c, const hd_smt_sort *map);
const hd_smt_sort *hd_vc_map_value(condition *c, const hd_smt_sort *map);
const hd_smt_sort *hd_vc_map_sort(condition *c, const hd_smt_sort *index, const hd_smt_sort *value);
void hd_vc_assert(condition *c, const hd_smt_term *t);
/* What the solver knows as NAME, applied; equal applications are the same term. */
const hd_smt_term *hd_vc_known(condition *c, const char *name, const hd_smt_sort *sort, size_t n,
                               const hd_smt_term *const *args);
/* What nothing is known about. */
const hd_smt_term *hd_vc_opaque(condition *c, const char *name, const hd_smt_sort *sort, size_t n,
                                const hd_smt_term *const *args);
/* generic.c */
generics *hd_vc_generics_new(void);
void hd_vc_generics_free(HD_TAKE generics *g);
void hd_vc_use(condition *c, const void *what, const type **args, size_t n);
instantiated *hd_vc_instantiated(condition *c, const void *what, const type **args, size_t n);
instantiated *hd_vc_instantiate(condition *c, const void *what, const type **args);
/* PATTERN is T if PARAMS[i] stands for OUT[i]; those that are not NULL before must fit. */
bool hd_vc_match(condition *c, const types *env, const hd_boogie_types *params, const hd_boogie_type *pattern,
                 const type *t, const type **out);
/* Lists of types for the type parameters of the quantifier E for which it may be of use. */
const type ***hd_vc_choices(const context *x, const hd_boogie_expr *e, size_t *n);
/* MAP of a polymorphic type, read and written at N indices. */
const hd_smt_term *hd_vc_generic_read(const context *x, const hd_boogie_expr *e, size_t n,
                                      const hd_smt_term *const *args);
const hd_smt_term *hd_vc_generic_write(const context *x, const hd_boogie_expr *e, size_t n,
                                       const hd_smt_term *const *args);
bool hd_vc_is_generic(const hd_boogie_expr *map);
/* Whether the two may be equal, depending on what the unknown types are. */
bool hd_vc_may_be_equal(const type *a, const type *b);
/* order.c */
const hd_smt_term *hd_vc_below(condition *c, const hd_smt_term *a, const hd_smt_term *b);
/* Add what is known about constants in the order and not ADDED (by declaration) yet; false: nothing. *LEFT_OUT: how
 * much seems not to be needed. */
bool hd_vc_order_axioms(condition *c, uint8_t *added, size_t *left_out);
/* floats.c */
const hd_smt_sort *hd_vc_float_sort(condition *c, uint32_t width, uint32_t exponent, hd_boogie_place at);
const hd_smt_term *hd_vc_float_literal(condition *c, const hd_boogie_expr *e);
const hd_smt_term *hd_vc_mode_literal(condition *c, const hd_boogie_expr *e);
bool hd_vc_is_float(const hd_smt_sort *sort);
/* What E does to ARGS, of which the first is a floating-point number. */
const hd_smt_term *hd_vc_float_operation(condition *c, const hd_boogie_expr *e, const hd_smt_term *const *args);
/* bits.c */
const hd_smt_sort *hd_vc_bits_sort(condition *c, uint32_t width, hd_boogie_place at);
const hd_smt_term *hd_vc_bits_literal(condition *c, const hd_boogie_expr *e);
const hd_smt_term *hd_vc_concat(condition *c, const hd_boogie_expr *e, const hd_smt_term *a, const hd_smt_term *b);
const hd_smt_term *hd_vc_extract(condition *c, const hd_boogie_expr *e, const hd_smt_term *t);

enum /* levels of bound variables: see smt.h */
{
  PARAMETER_LEVEL = 31, /* of lifted functions */
  LAMBDA_LEVEL = 32
};

/* condition.c */
condition *hd_vc_condition_new(const hd_vc_program *p, const hd_boogie_impl *impl, bool portable, bool no_arrays,
                               bool all_axioms);
void hd_vc_condition_free(HD_TAKE condition *c);
/* False: it is not supported; c->message says why. */
bool hd_vc_condition_make(condition *c);
void hd_vc_condition_text(const condition *c, hd_string *out);

/* show.c: which nodes a path shows, and as what */
void hd_vc_show(condition *c);

/* trace.c: read the path and values from the solver's model. False: the model makes no sense. */
bool hd_vc_trace(condition *c, hd_smt_solver *s, hd_arena *arena, hd_vc_failure *failure, uint32_t *assertion);
void hd_vc_sort_failures(hd_vc_failure *failures, size_t n);

#endif
