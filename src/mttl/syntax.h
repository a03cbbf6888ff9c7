/* syntax.h: formulas as trees, and the cells in which a thread keeps what it has computed.
 *
 * A cell is a property, the body of an @, or a temporal operator. Its value depends on the thread that computes it and
 * on the threads that stand for the variables that are free in it, its parameters; the variable that stands for the
 * computing thread itself is none of them. Cells are numbered from the inside to the outside. */
#ifndef HD_MTTL_SYNTAX_H
#define HD_MTTL_SYNTAX_H

#include "mttl/mttl.h"

enum
{
  HD_MTTL_SLOTS = 8,   /* thread variables of a property */
  HD_MTTL_DEPTH = 200, /* of nested formulas */
  HD_MTTL_HIGH = 1000  /* of formulas with everything that is in them */
};

typedef enum hd_mttl_kind
{
  HD_MTTL_CONST,
  HD_MTTL_LOCAL_VALUE,  /* INDEX: the variable */
  HD_MTTL_SHARED_VALUE, /* INDEX: the variable */
  HD_MTTL_OP,
  HD_MTTL_LOC_VALUE,
  HD_MTTL_ALIVE,
  HD_MTTL_READ,   /* INDEX: the variable */
  HD_MTTL_WRITE,  /* INDEX: the variable */
  HD_MTTL_LOCKED, /* INDEX: the lock */
  HD_MTTL_UNLOCKED,
  HD_MTTL_AT,     /* INDEX: the function */
  HD_MTTL_REMOTE, /* TID; INDEX: the cell */
  HD_MTTL_FORALL, /* A; INDEX: the slot; TID: the thread that is left out */
  HD_MTTL_EXISTS,
  HD_MTTL_TEMPORAL, /* INDEX: the cell */
  HD_MTTL_NOT,
  HD_MTTL_AND,
  HD_MTTL_OR,
  HD_MTTL_IMPLIES,
  HD_MTTL_IFF,
  HD_MTTL_EQ,
  HD_MTTL_NE,
  HD_MTTL_LT,
  HD_MTTL_LE,
  HD_MTTL_GT,
  HD_MTTL_GE,
  HD_MTTL_ADD,
  HD_MTTL_SUB,
  HD_MTTL_MUL,
  HD_MTTL_DIV,
  HD_MTTL_REM,
  HD_MTTL_NEG
} hd_mttl_kind;

typedef struct hd_mttl_tid
{
  enum
  {
    HD_MTTL_NOBODY,
    HD_MTTL_SLOT,
    HD_MTTL_NAMED
  } kind;
  uint32_t index;
} hd_mttl_tid;

typedef struct hd_mttl_node
{
  hd_mttl_kind kind;
  hd_mttl_place place;
  hd_mttl_type type;
  const char *text; /* as written, LENGTH bytes */
  size_t length;
  uint32_t height;
  const struct hd_mttl_node *a, *b;
  hd_mttl_value value;
  uint32_t index;
  hd_mttl_tid tid;
  uint32_t slots; /* thread variables that are free in it, one bit each */
  bool access;    /* it is false at every event that accesses no variable */
} hd_mttl_node;

typedef enum hd_mttl_role
{
  HD_MTTL_ITEM, /* others may ask for it; the values of the items are what a thread passes on */
  HD_MTTL_TOP,  /* a property */
  HD_MTTL_PREV,
  HD_MTTL_PAST_ONCE,
  HD_MTTL_PAST_ALWAYS,
  HD_MTTL_SINCE
} hd_mttl_role;

typedef struct hd_mttl_cell
{
  hd_mttl_role role;
  const hd_mttl_node *a, *b; /* SINCE: a since b */
  int32_t self;              /* the slot of the computing thread, or -1 */
  hd_mttl_tid owner;         /* TOP: whose property it is */
  uint32_t nparameters;
  uint32_t parameters[HD_MTTL_SLOTS];
  uint32_t item; /* ITEM: its number among the items */
} hd_mttl_cell;

/* ---- tokens (lexer.c) ---- */

typedef enum hd_mttl_token_kind
{
  HD_MTTL_END,
  HD_MTTL_WORD,
  HD_MTTL_INTEGER,
  HD_MTTL_REAL_NUMBER,
  HD_MTTL_QUOTED,
  HD_MTTL_SIGN /* operators and punctuation */
} hd_mttl_token_kind;

typedef struct hd_mttl_token
{
  hd_mttl_token_kind kind;
  hd_mttl_place place;
  const char *start; /* in the text */
  size_t length;
  hd_mttl_value value; /* of numbers and strings */
} hd_mttl_token;

/* The tokens of TEXT, the last one an END, in ARENA. False: MESSAGES says what is wrong. */
bool hd_mttl_lex(const char *path, const char *text, size_t n, hd_arena *arena, hd_mttl_token **tokens,
                 hd_string *messages);

/* ---- parsing ---- */

typedef struct hd_mttl_bound
{
  const char *name;
  size_t length;
} hd_mttl_bound;

typedef struct hd_mttl_parser
{
  const char *path;
  hd_arena *arena;
  const hd_mttl_token *at;
  hd_string *messages;
  bool bad; /* in this declaration */
  unsigned depth;
  hd_mttl_bound bound[HD_MTTL_SLOTS]; /* thread variables of this property; unnamed ones are out of scope */
  uint32_t nbound;
  int32_t self; /* the slot of the thread whose state is spoken of, or -1 */
  hd_mttl_variable *variables;
  size_t nvariables, variables_cap;
  hd_mttl_name *names;
  size_t nnames, names_cap;
  const char **functions;
  size_t nfunctions, functions_cap;
  const char **locks;
  size_t nlocks, locks_cap;
  hd_mttl_place *function_places, *lock_places; /* as many, where they are first named */
  size_t nfunction_places, function_places_cap, nlock_places, lock_places_cap;
  hd_mttl_cell *cells;
  size_t ncells, cells_cap;
  uint32_t nitems;
  bool everything; /* all memory passes knowledge on */
} hd_mttl_parser;

void hd_mttl_error(hd_mttl_parser *p, hd_mttl_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool hd_mttl_is(const hd_mttl_parser *p, const char *text);
bool hd_mttl_accept(hd_mttl_parser *p, const char *text);
bool hd_mttl_expect(hd_mttl_parser *p, const char *text, const char *where);
const char *hd_mttl_copy(hd_mttl_parser *p, const char *start, size_t length);
uint32_t hd_mttl_add_name(hd_mttl_parser *p, hd_mttl_name name);
/* N bytes of a property file on one line, without comments. */
void hd_mttl_print_source(hd_string *out, const char *text, size_t n);
const char *hd_mttl_quote(hd_mttl_parser *p, const hd_mttl_node *n); /* for messages: its beginning, if it is long */
/* A path such as accounts[2].balance, without blanks; NULL: there is none. */
const char *hd_mttl_path(hd_mttl_parser *p);
/* A thread: a variable, a name or a number. */
hd_mttl_tid hd_mttl_thread_reference(hd_mttl_parser *p);
uint32_t hd_mttl_add_variable(hd_mttl_parser *p, hd_mttl_variable v);
int64_t hd_mttl_find_variable(const hd_mttl_parser *p, const char *name); /* -1: none */
uint32_t hd_mttl_intern(hd_mttl_parser *p, const char ***list, size_t *n, size_t *cap, const char *name);
uint32_t hd_mttl_add_cell(hd_mttl_parser *p, hd_mttl_role role, const hd_mttl_node *a, const hd_mttl_node *b);

/* A formula or expression (formula.c); NULL: there is none, and it was said. */
const hd_mttl_node *hd_mttl_formula(hd_mttl_parser *p);
const hd_mttl_node *hd_mttl_inner(hd_mttl_parser *p); /* the same, inside another one */
const char *hd_mttl_type_name(hd_mttl_type type);

/* What stands alone (primary.c), and how nodes are made. */
const hd_mttl_node *hd_mttl_primary(hd_mttl_parser *p);
bool hd_mttl_too_deep(hd_mttl_parser *p); /* true: it was said */
hd_mttl_node *hd_mttl_make(hd_mttl_parser *p, hd_mttl_kind kind, const hd_mttl_token *from, hd_mttl_type type);
void hd_mttl_contain(hd_mttl_node *n, const hd_mttl_node *a); /* A, if any, is a part of N */
/* N is finished: it was written from FROM to here. NULL: it is too large to be judged by going into it. */
const hd_mttl_node *hd_mttl_done(hd_mttl_parser *p, hd_mttl_node *n, const hd_mttl_token *from);

#endif
