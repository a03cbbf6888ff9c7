/* syntax.h: the way from text to model inside src/control: messages, tokens, syntax trees.
 *
 * lexer.c cuts the controller part of a header into tokens; parse.c and expression.c make the syntax tree; names.c
 * finds what names mean; types.c checks types and linearity; lower.c makes the model. Each goes on after a mistake, so
 * that one run shows many; a tree with a mistake in it never reaches lower.c. */
#ifndef HD_CONTROL_SYNTAX_H
#define HD_CONTROL_SYNTAX_H

#include "control/control.h"

/* ---- messages ---- */

typedef struct hd_control_message
{
  hd_control_place place;
  size_t order;
  bool error;
  char *text;
} hd_control_message;

typedef struct hd_control_messages
{
  hd_control_message *items;
  size_t n, cap, errors;
} hd_control_messages;

void hd_control_error(hd_control_messages *m, hd_control_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hd_control_warning(hd_control_messages *m, hd_control_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Print them in the order of the text, and empty the list. */
void hd_control_messages_flush(hd_control_messages *m, const char *path, hd_string *out);
/* The one of the N WORDS that WORD may have been meant to be, or NULL. */
const char *hd_control_suggest(const char *word, const char *const *words, size_t n);
/* A copy in the arena. */
const char *hd_control_copy(hd_arena *arena, const char *text, size_t n);

/* ---- tokens ---- */

typedef enum token_kind
{
  TOKEN_END,
  TOKEN_NAME,
  TOKEN_NUMBER,
  TOKEN_OPERATOR /* also brackets and commas; what is no token of C at all has been reported and left out */
} token_kind;

typedef struct hd_control_token
{
  token_kind kind;
  hd_control_place place;
  const char *text; /* in the arena */
  int64_t number;
} hd_control_token;

typedef struct hd_control_tokens
{
  hd_control_token *items; /* the last one is TOKEN_END */
  size_t n, cap;
  const char *name; /* HD_CONTROLLER, or NULL */
  const char *file; /* HD_CONTROLLER_FILE without quotes, or NULL */
  hd_control_place file_place;
  bool found; /* there is a controller part */
} hd_control_tokens;

void hd_control_lex(hd_control_tokens *tokens, const char *text, size_t n, hd_arena *arena, hd_control_messages *m);

/* ---- syntax trees ---- */

typedef enum expression_kind
{
  EXPR_NUMBER,
  EXPR_TRUE,
  EXPR_FALSE,
  EXPR_NAME,
  EXPR_COUNT, /* count(name) */
  EXPR_NEGATE,
  EXPR_NOT,
  EXPR_MULTIPLY,
  EXPR_ADD,
  EXPR_SUBTRACT,
  EXPR_LESS,
  EXPR_LESS_EQUAL,
  EXPR_GREATER,
  EXPR_GREATER_EQUAL,
  EXPR_EQUAL,
  EXPR_NOT_EQUAL,
  EXPR_AND,
  EXPR_OR,
  EXPR_CONDITIONAL, /* a ? b : c */
  EXPR_IMPLIES,
  EXPR_AX,
  EXPR_AF,
  EXPR_AG,
  EXPR_AU,
  EXPR_RIGID /* RIGID(name, a) */
} expression_kind;

typedef enum symbol_kind
{
  SYMBOL_CONSTANT,
  SYMBOL_VARIABLE,
  SYMBOL_VALUE, /* of the enumeration that variable TYPE is */
  SYMBOL_RIGID,
  SYMBOL_STATE,
  SYMBOL_ACTION,
  SYMBOL_SPEC,
  SYMBOL_UNKNOWN /* was reported already; fits everywhere */
} symbol_kind;

/* What an expression is. Every ENUM is a type of its own: TYPE_ENUM + its variable. */
enum
{
  TYPE_UNKNOWN,
  TYPE_INT,
  TYPE_BOOL,
  TYPE_FORMULA, /* has a temporal operator in it */
  TYPE_ENUM
};

typedef struct hd_control_symbol
{
  const char *name;
  symbol_kind kind;
  uint32_t index;
  uint32_t type;
  hd_control_place place;
} hd_control_symbol;

typedef struct hd_control_expression
{
  expression_kind kind;
  hd_control_place place; /* of the operator, where there is one */
  hd_control_place start; /* of its first token */
  const char *name;
  int64_t number;
  struct hd_control_expression *a, *b, *c;
  uint32_t type;            /* types.c */
  hd_control_symbol symbol; /* types.c: what NAME means */
} hd_control_expression;

typedef struct hd_control_name
{
  const char *text;
  hd_control_place place;
} hd_control_name;

/* target OP value: =, +=, -=; ++ and -- are += 1 and -= 1. */
typedef struct hd_control_assignment
{
  hd_control_name target;
  char op; /* '=', '+', '-' */
  hd_control_place place;
  hd_control_expression *value;
  hd_control_symbol symbol; /* types.c */
} hd_control_assignment;

typedef struct hd_control_guarded
{
  hd_control_place place;
  hd_control_expression *guard;
  hd_control_assignment *assignments;
  size_t n, cap;
} hd_control_guarded;

typedef enum declaration_kind
{
  DECL_CONST,
  DECL_ASSUME,
  DECL_THREADS,
  DECL_INT,
  DECL_BOOL,
  DECL_ENUM,
  DECL_STATE,
  DECL_BLOCKING,
  DECL_NONBLOCKING,
  DECL_EDGE,
  DECL_SPEC,
  DECL_SPEC_FAIR,
  DECL_BROKEN /* could not be read beyond its name */
} declaration_kind;

typedef struct hd_control_declaration
{
  declaration_kind kind;
  hd_control_place place;      /* of the keyword */
  hd_control_name name;        /* text NULL: none */
  hd_control_expression *expr; /* CONST, ASSUME: what is assumed; variables: the start; SPEC and SPEC_FAIR: the formula */
  hd_control_name *names;      /* ENUM: its values; EDGE: from, action, to */
  size_t nnames, names_cap;
  hd_control_guarded *commands; /* of an action */
  size_t ncommands, commands_cap;
  const char *relation; /* THREADS */
  int64_t number;
  bool broken; /* a mistake inside was reported */
} hd_control_declaration;

typedef struct hd_control_source
{
  hd_control_declaration *items;
  size_t n, cap;
  const char *name, *file;
} hd_control_source;

/* The arrays of a source are not in the arena. */
void hd_control_source_free(hd_control_source *s);

typedef struct hd_control_parser
{
  const hd_control_token *tokens;
  size_t at;
  hd_arena *arena;
  hd_control_messages *messages;
  unsigned depth;
} hd_control_parser;

void hd_control_parse_tokens(hd_control_source *out, const hd_control_tokens *tokens, hd_arena *arena,
                             hd_control_messages *m);
/* An expression, or NULL: a mistake was reported and the parser stands at it. */
hd_control_expression *hd_control_parse_expression(hd_control_parser *p);
/* Assignments up to the closing bracket of DO. False: a mistake was reported. */
bool hd_control_parse_assignments(hd_control_parser *p, hd_control_guarded *command);
/* A name that may be declared or used; false: reported. */
bool hd_control_parse_name(hd_control_parser *p, const char *what, hd_control_name *name);
bool hd_control_at(const hd_control_parser *p, const char *text);
bool hd_control_eat(hd_control_parser *p, const char *text);
/* Is the text one of the words with which a declaration begins or goes on (INT, WHEN, END, ...)? */
bool hd_control_is_declaration_word(const char *text);
/* "'x'", or "the end of the controller part". */
const char *hd_control_show_token(const hd_control_parser *p);

void hd_control_print_expression(hd_string *out, const hd_control_expression *e);
void hd_control_print_source(hd_string *out, const hd_control_source *s);

/* ---- names and types ---- */

typedef enum name_space
{
  SPACE_VALUES, /* constants, variables, values of enumerations */
  SPACE_STATES,
  SPACE_ACTIONS,
  SPACE_SPECS,
  SPACES
} name_space;

typedef struct hd_control_names
{
  hd_control_symbol *items[SPACES];
  size_t n[SPACES], cap[SPACES];
  const hd_control_declaration **variables; /* by index */
  size_t nvariables, variables_cap;
  uint32_t nconstants, nstates, nactions, nspecs, nrigid;
  const char **rigid;
  size_t rigid_cap;
  hd_control_messages *messages;
} hd_control_names;

void hd_control_names_collect(hd_control_names *names, const hd_control_source *s, hd_control_messages *m);
void hd_control_names_free(hd_control_names *names);
/* What NAME means in SPACE; it is reported, with WHAT it should be, if it means nothing. Innermost rigid first. */
hd_control_symbol hd_control_names_find(hd_control_names *names, name_space space, const char *name,
                                        hd_control_place place, const char *what);
/* Check the types of everything in S and fill in the symbols. */
void hd_control_check_types(hd_control_source *s, hd_control_names *names);

/* ---- the model ---- */

/* Make the model of a source without mistakes. Mistakes that only show here (too many cases, numbers too large) are
 * reported; then C is not to be used. */
void hd_control_lower(hd_controller *c, const hd_control_source *s, const hd_control_names *names,
                      hd_control_messages *m);

#endif
