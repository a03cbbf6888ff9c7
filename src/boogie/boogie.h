/* boogie.h: programs in the Boogie 2 language, read, checked, rewritten and printed. Dialect, rules and messages are
 * those of Boogie 2.4.1, which comments here call the reference.
 *
 * One program owns one arena; every node lives in it until the program is freed, and nothing is freed on its own. Nodes
 * are plain structs that later phases read and build. Variables, functions, procedures, types' declarations and blocks
 * are objects with identity: an expression points to the variable it means, so that two variables of one name never get
 * mixed up, and a copy of a procedure is a copy with new variables. Expressions may be shared between places; whoever
 * wants to change one makes a new one (rewrite.c), except where the caller built it a moment ago.
 *
 * The way of a program: parse (lexer.c, parse*.c), lower structured code to blocks (blocks.c), resolve names
 * (resolve*.c), check types (types*.c, check*.c), modifies clauses (modifies.c). hd_boogie_read does all of it. What is
 * built later by the constructors below is resolved and typed from the start.
 *
 * Threads: one per program. Failure: messages are collected; out of memory ends the process (base.h). */
#ifndef HD_BOOGIE_H
#define HD_BOOGIE_H

#include "base/base.h"

/* Deeper nesting of an expression, type or statement is an error of the input, so that every walk may recurse. */
enum
{
  HD_BOOGIE_DEPTH = 10000,
  HD_BOOGIE_LARGEST_TYPE = 20000 /* nodes, synonyms expanded */
};

/* ---- places ---- */
/* LINE and COLUMN count from 1, as the reference's tokens do. Its messages of name resolution and type checking print
 * COLUMN - 1, its syntax errors and verification errors COLUMN (hd_boogie_message keeps what is printed). LINE 0:
 * generated. */
typedef struct hd_boogie_place
{
  const char *file; /* as given on the command line; never null after parsing */
  uint32_t line, column;
} hd_boogie_place;

/* ---- lists: grown in the arena of a program ---- */
typedef struct hd_boogie_program hd_boogie_program;
typedef struct hd_boogie_type hd_boogie_type;
typedef struct hd_boogie_type_decl hd_boogie_type_decl;
typedef struct hd_boogie_var hd_boogie_var;
typedef struct hd_boogie_expr hd_boogie_expr;
typedef struct hd_boogie_attr hd_boogie_attr;
typedef struct hd_boogie_trigger hd_boogie_trigger;
typedef struct hd_boogie_function hd_boogie_function;
typedef struct hd_boogie_axiom hd_boogie_axiom;
typedef struct hd_boogie_spec hd_boogie_spec;
typedef struct hd_boogie_proc hd_boogie_proc;
typedef struct hd_boogie_impl hd_boogie_impl;
typedef struct hd_boogie_cmd hd_boogie_cmd;
typedef struct hd_boogie_block hd_boogie_block;
typedef struct hd_boogie_big_block hd_boogie_big_block;
typedef struct hd_boogie_structured hd_boogie_structured;

#define HD_BOOGIE_LIST(T)                                                                                              \
  struct                                                                                                               \
  {                                                                                                                    \
    T *items;                                                                                                          \
    size_t n, cap;                                                                                                     \
  }
typedef HD_BOOGIE_LIST(hd_boogie_type *) hd_boogie_types;
typedef HD_BOOGIE_LIST(hd_boogie_var *) hd_boogie_vars;
typedef HD_BOOGIE_LIST(hd_boogie_expr *) hd_boogie_exprs;
typedef HD_BOOGIE_LIST(hd_boogie_spec *) hd_boogie_specs;
typedef HD_BOOGIE_LIST(hd_boogie_cmd *) hd_boogie_cmds;
typedef HD_BOOGIE_LIST(hd_boogie_block *) hd_boogie_blocks;
typedef HD_BOOGIE_LIST(hd_boogie_function *) hd_boogie_functions;
typedef HD_BOOGIE_LIST(const char *) hd_boogie_names;
/* Append ... to LIST (an lvalue of one of the types above). A list that was copied by assignment shares its items:
 * append to one of the two only. */
#define HD_BOOGIE_ADD(program, list, ...)                                                                              \
  do                                                                                                                   \
  {                                                                                                                    \
    if ((list).n == (list).cap)                                                                                        \
      hd_boogie_list_grow((program), &(list).items, (list).n, &(list).cap, sizeof *(list).items);                      \
    (list).items[(list).n++] = (__VA_ARGS__);                                                                          \
  } while (0)
void hd_boogie_list_grow(hd_boogie_program *p, void *items, size_t n, size_t *cap, size_t size);

/* ---- types ---- */
typedef enum hd_boogie_type_kind
{
  HD_BOOGIE_BOOL,
  HD_BOOGIE_INT,
  HD_BOOGIE_REAL,
  HD_BOOGIE_RMODE,        /* rounding modes of floating-point numbers */
  HD_BOOGIE_BV,           /* width */
  HD_BOOGIE_FLOAT,        /* width: bits of the significand; exponent: bits of the exponent */
  HD_BOOGIE_MAP,          /* params (bound in args and result), args, result */
  HD_BOOGIE_CTOR,         /* decl, args */
  HD_BOOGIE_SYNONYM,      /* decl, args; result is what it stands for, with the args put in */
  HD_BOOGIE_TYPE_VAR,     /* name; the object itself is its identity */
  HD_BOOGIE_TYPE_UNKNOWN, /* a type to be inferred: result, once known. Only inside the type checker */
  HD_BOOGIE_TYPE_NAME     /* name, args: not yet resolved. Only inside the front end */
} hd_boogie_type_kind;

struct hd_boogie_type
{
  hd_boogie_type_kind kind;
  uint32_t width, exponent;
  uint32_t size; /* how many nodes it has with synonyms expanded */
  hd_boogie_place at;
  const char *name;
  hd_boogie_type_decl *decl;
  hd_boogie_types params, args;
  hd_boogie_type *result;
};

/* `type T a b;` or, with BODY, the synonym `type T a b = BODY;`. */
struct hd_boogie_type_decl
{
  hd_boogie_place at;
  const char *name;
  hd_boogie_attr *attrs;
  hd_boogie_types params; /* of a synonym: its type variables; of a constructor: as many, in name only */
  hd_boogie_type *body;
  hd_boogie_functions constructors; /* of a {:datatype}, in the order of declaration */
  bool is_datatype;
  uint32_t id; /* dense, per program, over type declarations */
};

/* ---- attributes: {:key arg, arg} ---- */
typedef struct hd_boogie_attr_arg
{
  const char *text;     /* a string literal without its quotes, or null */
  hd_boogie_expr *expr; /* else */
} hd_boogie_attr_arg;

struct hd_boogie_attr
{
  hd_boogie_place at;
  const char *key;
  HD_BOOGIE_LIST(hd_boogie_attr_arg) args;
  hd_boogie_attr *next; /* in the order of the text */
};
/* The first attribute KEY at or after ATTRS, or null. To see all of one key: find(found->next, key). */
const hd_boogie_attr *hd_boogie_attr_find(const hd_boogie_attr *attrs, const char *key);
/* {:key} or {:key true}: present and not {:key false}. */
bool hd_boogie_attr_flag(const hd_boogie_attr *attrs, const char *key);
/* The text of {:key "text"}, the first of that form, or null. */
const char *hd_boogie_attr_text(const hd_boogie_attr *attrs, const char *key);
/* The number of {:key n}; false: there is none, or it does not fit. */
bool hd_boogie_attr_int(const hd_boogie_attr *attrs, const char *key, int64_t *value);
/* ATTRS with one more at the end (a copy of the list) or at the front of it (shared). */
hd_boogie_attr *hd_boogie_attr_add(hd_boogie_program *p, hd_boogie_attr *attrs, const char *key);
hd_boogie_attr *hd_boogie_attr_without(hd_boogie_program *p, hd_boogie_attr *attrs, const char *key);

/* ---- variables ---- */
typedef enum hd_boogie_var_kind
{
  HD_BOOGIE_GLOBAL,
  HD_BOOGIE_CONST,
  HD_BOOGIE_LOCAL,
  HD_BOOGIE_IN,   /* formal of a procedure, implementation or function */
  HD_BOOGIE_OUT,  /* result of a procedure, implementation or function */
  HD_BOOGIE_BOUND /* of a quantifier, lambda or let */
} hd_boogie_var_kind;

typedef struct hd_boogie_parent /* const c: T extends unique p, q complete; */
{
  hd_boogie_expr *parent;
  bool unique;
} hd_boogie_parent;

struct hd_boogie_var
{
  hd_boogie_var_kind kind;
  uint32_t id; /* dense, per program */
  hd_boogie_place at;
  const char *name; /* "" for an unnamed argument of a function */
  hd_boogie_type *type;
  hd_boogie_expr *where; /* or null */
  hd_boogie_attr *attrs;
  bool unique, extends, complete; /* of a constant */
  HD_BOOGIE_LIST(hd_boogie_parent) parents;
};

/* ---- expressions ---- */
typedef enum hd_boogie_expr_kind
{
  HD_BOOGIE_LIT_BOOL,  /* truth */
  HD_BOOGIE_LIT_INT,   /* text: decimal digits, no sign, no leading zeros */
  HD_BOOGIE_LIT_REAL,  /* text: as written, 12.5, 3e-7, 1.5e3 */
  HD_BOOGIE_LIT_BV,    /* text: decimal digits; width */
  HD_BOOGIE_LIT_FLOAT, /* text: as written */
  HD_BOOGIE_LIT_RMODE, /* text: RNE, RNA, RTP, RTN, RTZ */
  HD_BOOGIE_VAR,       /* var; name until resolved */
  HD_BOOGIE_NEG,       /* args 1 */
  HD_BOOGIE_NOT,       /* args 1 */
  HD_BOOGIE_IFF,       /* from here to CONCAT: args 2 */
  HD_BOOGIE_IMPLIES,
  HD_BOOGIE_AND,
  HD_BOOGIE_OR,
  HD_BOOGIE_EQ,
  HD_BOOGIE_NEQ,
  HD_BOOGIE_LT,
  HD_BOOGIE_LE,
  HD_BOOGIE_GT,
  HD_BOOGIE_GE,
  HD_BOOGIE_SUBTYPE, /* <: of constants' order */
  HD_BOOGIE_ADD_OP,
  HD_BOOGIE_SUB,
  HD_BOOGIE_MUL,
  HD_BOOGIE_DIV,
  HD_BOOGIE_MOD,
  HD_BOOGIE_REAL_DIV,
  HD_BOOGIE_POW,
  HD_BOOGIE_CONCAT,  /* bit vectors: ++ */
  HD_BOOGIE_EXTRACT, /* args 1, high, low: bits [high:low), high exclusive as in the text e[high:low] */
  HD_BOOGIE_SELECT,  /* args: map, indices; type_args: of a polymorphic map type */
  HD_BOOGIE_STORE,   /* args: map, indices, value; type_args */
  HD_BOOGIE_ITE,     /* args 3 */
  HD_BOOGIE_APPLY,   /* function, args, type_args */
  HD_BOOGIE_TO_INT,  /* int(e) */
  HD_BOOGIE_TO_REAL, /* real(e) */
  HD_BOOGIE_COERCE,  /* e : T, args 1, coerced is T; means e */
  HD_BOOGIE_OLD,     /* args 1 */
  HD_BOOGIE_FORALL,  /* type_params, bound, triggers, attrs, args 1: the body */
  HD_BOOGIE_EXISTS,
  HD_BOOGIE_LAMBDA, /* type_params, bound, attrs, args 1 */
  HD_BOOGIE_LET,    /* bound, args: the values, then the body */
  HD_BOOGIE_CODE,   /* |{ locals; blocks }|: bound are the locals, blocks */
  HD_BOOGIE_BOUNDS  /* high:low inside e[high:low]. Only inside the parser */
} hd_boogie_expr_kind;

struct hd_boogie_trigger
{
  hd_boogie_place at;
  bool positive; /* false: {:nopats e} */
  hd_boogie_exprs exprs;
  hd_boogie_trigger *next;
};

typedef struct hd_boogie_binder
{
  hd_boogie_types type_params;
  hd_boogie_vars bound; /* of CODE: the locals */
  hd_boogie_attr *attrs;
  hd_boogie_trigger *triggers;
  hd_boogie_blocks blocks; /* of CODE */
} hd_boogie_binder;

/* AT is the operator's place (of `[` for select and store, of the name for applications and variables, of the keyword
 * for quantifiers and old). TYPE is null until checked and never a synonym or unknown at its top afterwards. */
struct hd_boogie_expr
{
  hd_boogie_expr_kind kind;
  uint32_t depth; /* 1 + the largest of its parts */
  hd_boogie_place at;
  hd_boogie_type *type;
  hd_boogie_exprs args;
  union
  {
    bool truth;
    struct
    {
      const char *text;
      uint32_t width;
    } lit;
    struct
    {
      const char *name;
      hd_boogie_var *var;
    } id;
    struct
    {
      const char *name;
      hd_boogie_function *function;
      hd_boogie_types type_args; /* also of SELECT and STORE */
    } call;
    struct
    {
      uint32_t high, low;
    } bits;
    struct
    {
      hd_boogie_type *type;
    } coerced;
    hd_boogie_binder *binder; /* of FORALL, EXISTS, LAMBDA, LET, CODE */
  } u;
};

/* ---- declarations ---- */
typedef enum hd_boogie_role /* how a function came to be */
{
  HD_BOOGIE_ORDINARY,
  HD_BOOGIE_CONSTRUCTOR, /* of a datatype, declared with {:constructor} */
  HD_BOOGIE_SELECTOR,    /* field#Constructor, made */
  HD_BOOGIE_TESTER       /* is#Constructor, made */
} hd_boogie_role;

struct hd_boogie_function
{
  hd_boogie_place at;
  const char *name;
  uint32_t id; /* dense, per program, over functions */
  hd_boogie_attr *attrs;
  hd_boogie_types type_params;
  hd_boogie_vars ins;
  hd_boogie_var *out;
  hd_boogie_expr *body; /* of an inline function, over INS; of others null: see DEFINITION */
  bool is_inline;       /* {:inline}: the body is put in place of the application */
  hd_boogie_axiom
      *definition;     /* of a body that is not inline: the axiom (forall ins :: {f(ins)} f(ins) == body), made */
  const char *builtin; /* the text of {:builtin "..."} or {:bvbuiltin "..."}, or null */
  hd_boogie_role role;
  hd_boogie_function *constructor; /* of SELECTOR and TESTER */
  size_t field;                    /* of SELECTOR: which argument */
  hd_boogie_functions selectors;   /* of CONSTRUCTOR */
  hd_boogie_function *tester;      /* of CONSTRUCTOR */
  hd_boogie_type_decl *datatype;   /* of the three */
};

struct hd_boogie_axiom
{
  hd_boogie_place at;
  hd_boogie_expr *expr;
  hd_boogie_attr *attrs;
  hd_boogie_function *defines; /* made from this function's body; not printed */
};

/* A requires or ensures clause. */
struct hd_boogie_spec
{
  hd_boogie_place at;
  bool is_free;
  hd_boogie_expr *expr;
  hd_boogie_attr *attrs;
  const char *message; /* what to say when it fails, or null */
};

struct hd_boogie_proc
{
  hd_boogie_place at; /* of its name */
  const char *name;
  uint32_t id; /* dense, per program, over procedures */
  hd_boogie_attr *attrs;
  hd_boogie_types type_params;
  hd_boogie_vars ins, outs;
  hd_boogie_specs requires, ensures;
  hd_boogie_exprs modifies; /* each a VAR */
};

typedef struct hd_boogie_stmts
{
  HD_BOOGIE_LIST(hd_boogie_big_block *) blocks; /* at least one */
  hd_boogie_place end;                          /* of the closing brace */
} hd_boogie_stmts;

struct hd_boogie_impl
{
  hd_boogie_place at; /* of its name */
  const char *name;
  uint32_t id; /* dense, per program, over implementations */
  hd_boogie_attr *attrs;
  hd_boogie_types type_params;
  hd_boogie_vars ins, outs, locals; /* ins and outs are objects of their own, without where clauses */
  hd_boogie_stmts *structured;      /* as written, or null; it shares its commands with the blocks */
  hd_boogie_blocks blocks;          /* the first one is the entry */
  hd_boogie_proc *proc;
};

typedef enum hd_boogie_decl_kind
{
  HD_BOOGIE_DECL_TYPE,
  HD_BOOGIE_DECL_VAR, /* constant or global variable */
  HD_BOOGIE_DECL_FUNCTION,
  HD_BOOGIE_DECL_AXIOM,
  HD_BOOGIE_DECL_PROC,
  HD_BOOGIE_DECL_IMPL
} hd_boogie_decl_kind;

typedef struct hd_boogie_decl
{
  hd_boogie_decl_kind kind;
  bool joined; /* of a DECL_IMPL: written as the body of the procedure that stands before it */
  union
  {
    hd_boogie_type_decl *type;
    hd_boogie_var *var;
    hd_boogie_function *function;
    hd_boogie_axiom *axiom;
    hd_boogie_proc *proc;
    hd_boogie_impl *impl;
  };
} hd_boogie_decl;

struct hd_boogie_program
{
  hd_arena *arena;
  HD_BOOGIE_LIST(hd_boogie_decl) decls; /* in the order of the text; what is made is appended */
  uint32_t n_vars, n_functions, n_procs, n_impls, n_blocks, n_type_decls; /* the next ids */
  hd_boogie_type *bool_type, *int_type, *real_type, *rmode_type;
  void *names; /* hash tables of the declarations by name; private */
};

/* ---- commands ---- */
typedef enum hd_boogie_cmd_kind
{
  HD_BOOGIE_ASSERT, /* expr */
  HD_BOOGIE_ASSUME, /* expr */
  HD_BOOGIE_HAVOC,  /* targets: VARs */
  HD_BOOGIE_ASSIGN, /* targets := values, in parallel; a target is a VAR, or SELECTs around one: m[i][j] := e */
  HD_BOOGIE_CALL,   /* targets := name(values) */
  HD_BOOGIE_PAR,    /* calls */
  HD_BOOGIE_YIELD
} hd_boogie_cmd_kind;

/* What an ASSERT or ASSUME that a later phase made stands for. */
typedef enum hd_boogie_reason
{
  HD_BOOGIE_WRITTEN,      /* stands in the program */
  HD_BOOGIE_PRECONDITION, /* of CALL's procedure: SPEC */
  HD_BOOGIE_POSTCONDITION,
  HD_BOOGIE_LOOP_ENTRY, /* an invariant, before the loop */
  HD_BOOGIE_LOOP_KEPT   /* an invariant, after an iteration */
} hd_boogie_reason;

struct hd_boogie_cmd
{
  hd_boogie_cmd_kind kind;
  hd_boogie_place at; /* of the keyword; of := in an assignment; of `call`, `par` */
  hd_boogie_attr *attrs;
  hd_boogie_expr *expr;
  hd_boogie_exprs targets, values;
  const char *name; /* of the callee */
  hd_boogie_proc *proc;
  hd_boogie_types type_args; /* of a call to a polymorphic procedure */
  bool is_async, is_free;
  bool is_invariant;    /* ASSERT or ASSUME: a loop invariant, written after `while` */
  hd_boogie_cmds calls; /* of PAR */
  /* For later phases; the reader leaves them zero. */
  hd_boogie_reason reason;
  const hd_boogie_spec *spec;
  const hd_boogie_cmd *origin; /* the call or the invariant that this was made from */
  const char *message;         /* what to say when it fails, or null */
};

/* ---- blocks ---- */
typedef enum hd_boogie_transfer_kind
{
  HD_BOOGIE_GOTO,
  HD_BOOGIE_RETURN,
  HD_BOOGIE_RETURN_EXPR /* of a code expression */
} hd_boogie_transfer_kind;

typedef struct hd_boogie_transfer
{
  hd_boogie_transfer_kind kind;
  hd_boogie_place at;       /* of an implicit return: the closing brace */
  hd_boogie_names labels;   /* as written; only inside the front end */
  hd_boogie_blocks targets; /* of GOTO */
  hd_boogie_expr *expr;     /* of RETURN_EXPR */
} hd_boogie_transfer;

struct hd_boogie_block
{
  hd_boogie_place at;
  const char *label;
  uint32_t id; /* dense, per program */
  hd_boogie_cmds cmds;
  hd_boogie_transfer transfer;
};

/* ---- structured code, as written ---- */
struct hd_boogie_big_block
{
  hd_boogie_place at;
  const char *label; /* null until named: then ANONYMOUS */
  bool anonymous;
  hd_boogie_cmds cmds;
  hd_boogie_structured *structured; /* or null */
  hd_boogie_transfer *transfer;     /* or null; not both */
};

typedef enum hd_boogie_structured_kind
{
  HD_BOOGIE_IF,
  HD_BOOGIE_WHILE,
  HD_BOOGIE_BREAK
} hd_boogie_structured_kind;

struct hd_boogie_structured
{
  hd_boogie_structured_kind kind;
  hd_boogie_place at;
  hd_boogie_expr *guard;         /* null: * */
  hd_boogie_cmds invariants;     /* of WHILE */
  hd_boogie_stmts *body;         /* of WHILE; of IF: then */
  hd_boogie_structured *else_if; /* of IF, or null */
  hd_boogie_stmts *else_body;    /* of IF, or null */
  const char *label;             /* of BREAK, or null */
};

/* ---- reading ---- */
typedef enum hd_boogie_phase /* whose messages they are; the reference counts them apart */
{
  HD_BOOGIE_PHASE_READ,    /* the file could not be read */
  HD_BOOGIE_PHASE_PARSE,   /* "N parse errors detected in F" */
  HD_BOOGIE_PHASE_RESOLVE, /* "N name resolution errors detected in F" */
  HD_BOOGIE_PHASE_CHECK,   /* "N type checking errors detected in F" */
  HD_BOOGIE_PHASE_DONE
} hd_boogie_phase;

typedef struct hd_boogie_message
{
  hd_boogie_phase phase;
  hd_boogie_place at; /* as 1-based everywhere; hd_boogie_messages_reference prints what the reference prints */
  bool is_error;      /* else a warning, or */
  bool is_note;       /* more about the message before it, which the reference does not print */
  bool is_echo;       /* about a guard's negation: the guard has the error, too, with its place */
  const char *text;
} hd_boogie_message;

typedef struct hd_boogie_messages
{
  hd_arena *arena;
  hd_boogie_message *items;
  size_t n, cap, errors; /* errors of all phases */
} hd_boogie_messages;
void hd_boogie_messages_free(hd_boogie_messages *m);
void hd_boogie_message_add(hd_boogie_messages *m, hd_boogie_phase phase, bool is_error, hd_boogie_place at,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
void hd_boogie_message_vadd(hd_boogie_messages *m, hd_boogie_phase phase, bool is_error, hd_boogie_place at,
                            const char *format, va_list args) __attribute__((format(printf, 5, 0)));
/* About the message that was added last: why, where else to look, what to do. */
void hd_boogie_note_add(hd_boogie_messages *m, hd_boogie_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As Heddle prints them: file:line:column: error: text. */
void hd_boogie_messages_print(const hd_boogie_messages *m, hd_string *out);
/* As the reference prints them, with its columns, and its line with the count if there are errors. FILE: the last
 * input. */
void hd_boogie_messages_reference(const hd_boogie_messages *m, const char *file, hd_string *out);

typedef struct hd_boogie_options
{
  bool infer_modifies; /* compute modifies clauses instead of checking them */
  bool base_names; /* places have the file's name without its folder, as the reference with /useBaseNameForFileName */
  size_t largest_file; /* in bytes; 0: 8 MiB */
} hd_boogie_options;

/* Read the FILES as one program through all phases. NULL: M has the errors. Warnings come with a program, too. */
HD_GIVE hd_boogie_program *hd_boogie_read(const char *const *files, size_t n, const hd_boogie_options *options,
                                          hd_boogie_messages *m);
/* The same from memory; NAME is what messages call it. */
HD_GIVE hd_boogie_program *hd_boogie_read_text(const char *name, const char *text, size_t length,
                                               const hd_boogie_options *options, hd_boogie_messages *m);
HD_GIVE hd_boogie_program *hd_boogie_program_new(void);
void hd_boogie_program_free(HD_TAKE hd_boogie_program *p);

/* ---- looking things up by name ---- */
hd_boogie_type_decl *hd_boogie_find_type(const hd_boogie_program *p, const char *name);
hd_boogie_var *hd_boogie_find_var(const hd_boogie_program *p, const char *name); /* constants and globals */
hd_boogie_function *hd_boogie_find_function(const hd_boogie_program *p, const char *name);
hd_boogie_proc *hd_boogie_find_proc(const hd_boogie_program *p, const char *name);

/* ---- building: everything in P's arena; expressions come with their type ---- */
void *hd_boogie_alloc(hd_boogie_program *p, size_t n); /* zeroed */
const char *hd_boogie_text(hd_boogie_program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

hd_boogie_type *hd_boogie_bv_type(hd_boogie_program *p, uint32_t width);
hd_boogie_type *hd_boogie_map_type(hd_boogie_program *p, hd_boogie_types args, hd_boogie_type *result);
hd_boogie_type *hd_boogie_map1_type(hd_boogie_program *p, hd_boogie_type *arg, hd_boogie_type *result);
hd_boogie_type *hd_boogie_ctor_type(hd_boogie_program *p, hd_boogie_type_decl *decl, hd_boogie_types args);
/* Without synonyms (and solved unknowns) at the top; null stays null. */
hd_boogie_type *hd_boogie_expand(const hd_boogie_type *t);
/* Equal up to synonyms and names of bound type variables. Types that are not polymorphic maps and have no type
 * variables are equal exactly if they print the same after expansion everywhere (hd_boogie_type_key). */
bool hd_boogie_type_equal(const hd_boogie_type *a, const hd_boogie_type *b);
/* T with PARAMS[i] replaced by ARGS[i]. */
hd_boogie_type *hd_boogie_type_substitute(hd_boogie_program *p, hd_boogie_type *t, const hd_boogie_types *params,
                                          const hd_boogie_types *args);
/* A text that two types share exactly if they are equal: synonyms expanded, bound type variables numbered. */
void hd_boogie_type_key(const hd_boogie_type *t, hd_string *out);

/* KIND with a fresh id. TYPE may be shared. The variable is not added to any list. */
hd_boogie_var *hd_boogie_new_var(hd_boogie_program *p, hd_boogie_var_kind kind, hd_boogie_place at, const char *name,
                                 hd_boogie_type *type);
hd_boogie_var *hd_boogie_copy_var(hd_boogie_program *p, const hd_boogie_var *v, const char *name);
hd_boogie_function *hd_boogie_new_function(hd_boogie_program *p, hd_boogie_place at, const char *name);
hd_boogie_proc *hd_boogie_new_proc(hd_boogie_program *p, hd_boogie_place at, const char *name);
hd_boogie_impl *hd_boogie_new_impl(hd_boogie_program *p, hd_boogie_place at, const char *name, hd_boogie_proc *proc);
hd_boogie_block *hd_boogie_new_block(hd_boogie_program *p, hd_boogie_place at, const char *label);
/* Make a declaration part of the program: it is printed, found by name, and seen by later phases. */
void hd_boogie_declare_type(hd_boogie_program *p, hd_boogie_type_decl *d);
void hd_boogie_declare_var(hd_boogie_program *p, hd_boogie_var *v);
void hd_boogie_declare_function(hd_boogie_program *p, hd_boogie_function *f);
void hd_boogie_declare_axiom(hd_boogie_program *p, hd_boogie_axiom *a);
void hd_boogie_declare_proc(hd_boogie_program *p, hd_boogie_proc *proc);
void hd_boogie_declare_impl(hd_boogie_program *p, hd_boogie_impl *impl);
/* Take every declaration away for which GONE says so. */
void hd_boogie_remove(hd_boogie_program *p, bool (*gone)(void *context, const hd_boogie_decl *d), void *context);

hd_boogie_expr *hd_boogie_new_expr(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_place at);
void hd_boogie_add_arg(hd_boogie_program *p, hd_boogie_expr *e, hd_boogie_expr *arg); /* keeps DEPTH */
hd_boogie_expr *hd_boogie_bool(hd_boogie_program *p, bool truth);
hd_boogie_expr *hd_boogie_int(hd_boogie_program *p, int64_t value); /* negative: NEG of a literal */
hd_boogie_expr *hd_boogie_use(hd_boogie_program *p, hd_boogie_var *v);
hd_boogie_expr *hd_boogie_not(hd_boogie_program *p, hd_boogie_expr *e);
hd_boogie_expr *hd_boogie_old(hd_boogie_program *p, hd_boogie_expr *e);
/* KIND is one of IFF..POW; TYPE follows from it and the first argument. */
hd_boogie_expr *hd_boogie_binary(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_expr *a, hd_boogie_expr *b);
hd_boogie_expr *hd_boogie_eq(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b);
/* Balanced trees, so that thousands of parts are no deep expression; none: true and false. */
hd_boogie_expr *hd_boogie_and(hd_boogie_program *p, const hd_boogie_exprs *parts);
hd_boogie_expr *hd_boogie_or(hd_boogie_program *p, const hd_boogie_exprs *parts);
hd_boogie_expr *hd_boogie_and2(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b); /* true is left out */
hd_boogie_expr *hd_boogie_or2(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b);  /* false is left out */
hd_boogie_expr *hd_boogie_implies(hd_boogie_program *p, hd_boogie_expr *a, hd_boogie_expr *b);
hd_boogie_expr *hd_boogie_ite(hd_boogie_program *p, hd_boogie_expr *c, hd_boogie_expr *a, hd_boogie_expr *b);
hd_boogie_expr *hd_boogie_select(hd_boogie_program *p, hd_boogie_expr *map, const hd_boogie_exprs *indices);
hd_boogie_expr *hd_boogie_store(hd_boogie_program *p, hd_boogie_expr *map, const hd_boogie_exprs *indices,
                                hd_boogie_expr *value);
/* TYPE_ARGS are found by matching the arguments' types, so every type parameter of F must occur in them. */
hd_boogie_expr *hd_boogie_apply(hd_boogie_program *p, hd_boogie_function *f, const hd_boogie_exprs *args);
/* KIND: FORALL, EXISTS or LAMBDA. Without BOUND: the body. */
hd_boogie_expr *hd_boogie_quantify(hd_boogie_program *p, hd_boogie_expr_kind kind, const hd_boogie_vars *bound,
                                   hd_boogie_trigger *triggers, hd_boogie_expr *body);

hd_boogie_cmd *hd_boogie_new_cmd(hd_boogie_program *p, hd_boogie_cmd_kind kind, hd_boogie_place at);
hd_boogie_cmd *hd_boogie_assert(hd_boogie_program *p, hd_boogie_place at, hd_boogie_expr *e);
hd_boogie_cmd *hd_boogie_assume(hd_boogie_program *p, hd_boogie_place at, hd_boogie_expr *e);
hd_boogie_cmd *hd_boogie_assign(hd_boogie_program *p, hd_boogie_place at, hd_boogie_var *v, hd_boogie_expr *e);
/* An ASSIGN with only VARs as targets that means the same: m[i][j] := e becomes m := m[i := m[i][j := e]]. */
hd_boogie_cmd *hd_boogie_assign_plain(hd_boogie_program *p, hd_boogie_cmd *assign);
/* The variable that a target of an assignment changes. */
hd_boogie_var *hd_boogie_target_var(const hd_boogie_expr *target);

/* The literal TEXT of a floating-point number as SMT-LIB writes it; false: OUT says why there is no such number. */
bool hd_boogie_float_value(const char *text, hd_string *out);

/* ---- walking ---- */
/* Called before the parts of E; false: do not enter them. IN_OLD: inside old(). Attributes are not walked, triggers
 * are. */
typedef bool hd_boogie_expr_visitor(void *context, hd_boogie_expr *e, bool in_old);
void hd_boogie_walk_expr(hd_boogie_expr *e, hd_boogie_expr_visitor *visit, void *context);
/* All expressions of C, targets of assignments, havocs and calls included. */
void hd_boogie_walk_cmd(hd_boogie_cmd *c, hd_boogie_expr_visitor *visit, void *context);
void hd_boogie_walk_blocks(const hd_boogie_blocks *blocks, hd_boogie_expr_visitor *visit, void *context);
/* The variables that C changes, appended; of a call: its targets and the callee's modifies clause. */
void hd_boogie_cmd_modifies(hd_boogie_program *p, const hd_boogie_cmd *c, hd_boogie_vars *out);
bool hd_boogie_has_old(const hd_boogie_expr *e);

/* ---- copying and rewriting ---- */
/* What becomes of variables: a map from variables to expressions (their types' equality is the caller's care), and
 * another one for variables inside old(); without that one the first is used there, too. Variables that are in no map
 * stay. */
typedef struct hd_boogie_subst hd_boogie_subst;
HD_GIVE hd_boogie_subst *hd_boogie_subst_new(void);
void hd_boogie_subst_free(HD_TAKE hd_boogie_subst *s);
void hd_boogie_subst_set(hd_boogie_subst *s, const hd_boogie_var *v, hd_boogie_expr *e);
void hd_boogie_subst_set_old(hd_boogie_subst *s, const hd_boogie_var *v, hd_boogie_expr *e);
/* V becomes the variable W, which also works for targets of assignments. */
void hd_boogie_subst_set_var(hd_boogie_subst *s, hd_boogie_program *p, const hd_boogie_var *v, hd_boogie_var *w);
hd_boogie_expr *hd_boogie_subst_get(const hd_boogie_subst *s, const hd_boogie_var *v, bool in_old);

/* A bound variable and its copy, while the rewriter is inside its binder. */
typedef struct hd_boogie_renaming
{
  const struct hd_boogie_renaming *outer;
  const hd_boogie_var *from;
  hd_boogie_var *to;
} hd_boogie_renaming;

typedef struct hd_boogie_rewriter hd_boogie_rewriter;
struct hd_boogie_rewriter
{
  hd_boogie_program *program;
  const hd_boogie_subst *subst; /* or null */
  /* Type variables and what they become, for copies of polymorphic code, or null. */
  const hd_boogie_types *type_params, *type_args;
  /* Asked before a node's parts are rewritten, after the substitution did not apply: another expression to put there
   * as it is (rewrite its parts with hd_boogie_rewrite_expr), or null: copy and go on. May be null. */
  hd_boogie_expr *(*expr)(hd_boogie_rewriter *r, hd_boogie_expr *e);
  /* The command was copied and its expressions rewritten: append it, or others, or none, to OUT. Null: append it. */
  void (*cmd)(hd_boogie_rewriter *r, hd_boogie_cmd *copy, const hd_boogie_cmd *original, hd_boogie_cmds *out);
  void *context;
  const char *bound_prefix; /* put before the names of the copied bound variables, or null */
  bool drop_old;            /* old(e) becomes e rewritten by the map for old */
  /* Kept by the rewriter; begin with zero. */
  unsigned in_old; /* how many old() are around */
  const hd_boogie_renaming *renaming;
};
/* Copies; bound variables are always new objects. Parts that nothing changes may be shared with the original. */
hd_boogie_expr *hd_boogie_rewrite_expr(hd_boogie_rewriter *r, hd_boogie_expr *e);
hd_boogie_cmd *hd_boogie_rewrite_cmd(hd_boogie_rewriter *r, const hd_boogie_cmd *c);
/* New blocks with the same labels; their targets are the new blocks. */
hd_boogie_blocks hd_boogie_rewrite_blocks(hd_boogie_rewriter *r, const hd_boogie_blocks *blocks);
hd_boogie_attr *hd_boogie_rewrite_attrs(hd_boogie_rewriter *r, const hd_boogie_attr *attrs);
hd_boogie_expr *hd_boogie_substitute(hd_boogie_program *p, const hd_boogie_subst *s, hd_boogie_expr *e);

/* A copy named NAME with variables of its own, not declared. S gets the map from old formals to new ones and may be
 * used to rewrite more; it may hold other substitutions before. The copies of a procedure and its implementation have
 * different formals, as the originals have. */
hd_boogie_proc *hd_boogie_copy_proc(hd_boogie_program *p, const hd_boogie_proc *proc, const char *name,
                                    hd_boogie_subst *s);
hd_boogie_impl *hd_boogie_copy_impl(hd_boogie_program *p, const hd_boogie_impl *impl, const char *name,
                                    hd_boogie_proc *proc, hd_boogie_rewriter *r, hd_boogie_subst *s);
/* Map the procedure's formals to the implementation's, so that contracts can be read inside the body. */
void hd_boogie_subst_formals(hd_boogie_subst *s, hd_boogie_program *p, const hd_boogie_impl *impl);

/* ---- the graph of blocks ---- */
typedef struct hd_boogie_graph
{
  size_t n; /* blocks that the entry reaches; all arrays below are indexed by their number in this graph */
  hd_boogie_block **nodes; /* in reverse postorder: the entry first, every block before those it dominates */
  size_t **successors, *n_successors;
  size_t **predecessors, *n_predecessors;
  size_t *dominator;        /* immediate; of the entry: itself */
  bool *is_head;            /* of a natural loop */
  size_t *inner_head;       /* the head of the innermost natural loop around (a head: its own loop), or SIZE_MAX */
  bool reducible;           /* every cycle is a natural loop */
  size_t irreducible;       /* else: a block in a cycle that can be entered at two places */
  size_t **loops, *n_loops; /* of a head: the blocks of its natural loop, sorted; of others none */
  /* For hd_boogie_graph_number: all blocks by address, and their numbers. */
  hd_boogie_block **sorted;
  size_t n_sorted, *number;
} hd_boogie_graph;
HD_GIVE hd_boogie_graph *hd_boogie_graph_new(const hd_boogie_blocks *blocks);
void hd_boogie_graph_free(HD_TAKE hd_boogie_graph *g);
size_t hd_boogie_graph_number(const hd_boogie_graph *g, const hd_boogie_block *b); /* SIZE_MAX: not reachable */
bool hd_boogie_graph_dominates(const hd_boogie_graph *g, size_t a, size_t b);
/* Whether B is in the natural loop of HEAD (all its back edges together). */
bool hd_boogie_graph_in_loop(const hd_boogie_graph *g, size_t head, size_t b);

/* ---- printing: text that reads back as the same program ---- */
void hd_boogie_print_program(const hd_boogie_program *p, hd_string *out);
void hd_boogie_print_decl(const hd_boogie_decl *d, hd_string *out);
void hd_boogie_print_impl(const hd_boogie_impl *impl, hd_string *out); /* its blocks */
void hd_boogie_print_expr(const hd_boogie_expr *e, hd_string *out);
void hd_boogie_print_type(const hd_boogie_type *t, hd_string *out);
void hd_boogie_print_cmd(const hd_boogie_cmd *c, int level, hd_string *out);

#endif
