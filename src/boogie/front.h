/* front.h: what the files of the reader share: tokens, the parser's state, the phases. Private to src/boogie. */
#ifndef HD_BOOGIE_FRONT_H
#define HD_BOOGIE_FRONT_H

#include "boogie/boogie.h"

/* ---- tokens: the number, and what "... expected" calls it ---- */
#define HD_BOOGIE_TOKENS(X)                                                                                            \
  X(EOF, "EOF")                                                                                                        \
  X(IDENT, "ident")                                                                                                    \
  X(BVLIT, "bvlit")                                                                                                    \
  X(DIGITS, "digits")                                                                                                  \
  X(STRING, "string")                                                                                                  \
  X(DECIMAL, "decimal")                                                                                                \
  X(DEC_FLOAT, "dec_float")                                                                                            \
  X(FLOAT, "float")                                                                                                    \
  HD_BOOGIE_KEYWORDS(X)                                                                                                \
  HD_BOOGIE_SIGNS(X)                                                                                                   \
  X(NONE, "???")
#define HD_BOOGIE_KEYWORDS(X)                                                                                          \
  X(VAR, "\"var\"")                                                                                                    \
  X(WHERE, "\"where\"")                                                                                                \
  X(INT, "\"int\"")                                                                                                    \
  X(REAL, "\"real\"")                                                                                                  \
  X(BOOL, "\"bool\"")                                                                                                  \
  X(CONST, "\"const\"")                                                                                                \
  X(UNIQUE, "\"unique\"")                                                                                              \
  X(EXTENDS, "\"extends\"")                                                                                            \
  X(COMPLETE, "\"complete\"")                                                                                          \
  X(FUNCTION, "\"function\"")                                                                                          \
  X(RETURNS, "\"returns\"")                                                                                            \
  X(AXIOM, "\"axiom\"")                                                                                                \
  X(TYPE, "\"type\"")                                                                                                  \
  X(PROCEDURE, "\"procedure\"")                                                                                        \
  X(IMPLEMENTATION, "\"implementation\"")                                                                              \
  X(MODIFIES, "\"modifies\"")                                                                                          \
  X(FREE, "\"free\"")                                                                                                  \
  X(REQUIRES, "\"requires\"")                                                                                          \
  X(ENSURES, "\"ensures\"")                                                                                            \
  X(GOTO, "\"goto\"")                                                                                                  \
  X(RETURN, "\"return\"")                                                                                              \
  X(IF, "\"if\"")                                                                                                      \
  X(ELSE, "\"else\"")                                                                                                  \
  X(WHILE, "\"while\"")                                                                                                \
  X(INVARIANT, "\"invariant\"")                                                                                        \
  X(BREAK, "\"break\"")                                                                                                \
  X(ASSERT, "\"assert\"")                                                                                              \
  X(ASSUME, "\"assume\"")                                                                                              \
  X(HAVOC, "\"havoc\"")                                                                                                \
  X(YIELD, "\"yield\"")                                                                                                \
  X(ASYNC, "\"async\"")                                                                                                \
  X(CALL, "\"call\"")                                                                                                  \
  X(PAR, "\"par\"")                                                                                                    \
  X(DIV, "\"div\"")                                                                                                    \
  X(MOD, "\"mod\"")                                                                                                    \
  X(FALSE, "\"false\"")                                                                                                \
  X(TRUE, "\"true\"")                                                                                                  \
  X(RNE_LONG, "\"roundNearestTiesToEven\"")                                                                            \
  X(RNE, "\"RNE\"")                                                                                                    \
  X(RNA_LONG, "\"roundNearestTiesToAway\"")                                                                            \
  X(RNA, "\"RNA\"")                                                                                                    \
  X(RTP_LONG, "\"roundTowardPositive\"")                                                                               \
  X(RTP, "\"RTP\"")                                                                                                    \
  X(RTN_LONG, "\"roundTowardNegative\"")                                                                               \
  X(RTN, "\"RTN\"")                                                                                                    \
  X(RTZ_LONG, "\"roundTowardZero\"")                                                                                   \
  X(RTZ, "\"RTZ\"")                                                                                                    \
  X(OLD, "\"old\"")                                                                                                    \
  X(THEN, "\"then\"")                                                                                                  \
  X(FORALL, "\"forall\"")                                                                                              \
  X(EXISTS, "\"exists\"")                                                                                              \
  X(LAMBDA, "\"lambda\"")
/* A sign that begins with another one stands before it: the first that fits is taken. */
#define HD_BOOGIE_SIGNS(X)                                                                                             \
  X(SEMICOLON, "\";\"")                                                                                                \
  X(LPAREN, "\"(\"")                                                                                                   \
  X(RPAREN, "\")\"")                                                                                                   \
  X(BECOMES, "\":=\"")                                                                                                 \
  X(QSEP, "\"::\"")                                                                                                    \
  X(COLON, "\":\"")                                                                                                    \
  X(COMMA, "\",\"")                                                                                                    \
  X(LBRACKET, "\"[\"")                                                                                                 \
  X(RBRACKET, "\"]\"")                                                                                                 \
  X(EQUIV, "\"<==>\"")                                                                                                 \
  X(EXPLIES, "\"<==\"")                                                                                                \
  X(LE, "\"<=\"")                                                                                                      \
  X(SUBTYPE, "\"<:\"")                                                                                                 \
  X(LT, "\"<\"")                                                                                                       \
  X(GE, "\">=\"")                                                                                                      \
  X(GT, "\">\"")                                                                                                       \
  X(LBRACE, "\"{\"")                                                                                                   \
  X(RCODE, "\"}|\"")                                                                                                   \
  X(RBRACE, "\"}\"")                                                                                                   \
  X(IMPLIES, "\"==>\"")                                                                                                \
  X(EQ, "\"==\"")                                                                                                      \
  X(IS, "\"=\"")                                                                                                       \
  X(POW, "\"**\"")                                                                                                     \
  X(STAR, "\"*\"")                                                                                                     \
  X(OR, "\"||\"")                                                                                                      \
  X(LCODE, "\"|{\"")                                                                                                   \
  X(BAR, "\"|\"")                                                                                                      \
  X(AND, "\"&&\"")                                                                                                     \
  X(NEQ, "\"!=\"")                                                                                                     \
  X(NOT, "\"!\"")                                                                                                      \
  X(CONCAT, "\"++\"")                                                                                                  \
  X(PLUS, "\"+\"")                                                                                                     \
  X(MINUS, "\"-\"")                                                                                                    \
  X(SLASH, "\"/\"")

#define HD_BOOGIE_TOKEN_NUMBER(name, text) HD_BOOGIE_T_##name,
typedef enum hd_boogie_token_kind
{
  HD_BOOGIE_TOKENS(HD_BOOGIE_TOKEN_NUMBER) HD_BOOGIE_T_COUNT
} hd_boogie_token_kind;
#undef HD_BOOGIE_TOKEN_NUMBER

typedef struct hd_boogie_token
{
  hd_boogie_token_kind kind;
  uint32_t length;
  hd_boogie_place at;
  const char *text; /* in the source, LENGTH bytes */
} hd_boogie_token;

/* ---- the lexer ---- */
typedef struct hd_boogie_lexer
{
  const char *text, *end, *next; /* NEXT: the next byte to read */
  hd_boogie_program *program;
  hd_boogie_messages *messages;
  const char *file;
  uint32_t line, column; /* of the byte before NEXT */
} hd_boogie_lexer;
/* TEXT must end with a newline and have no carriage returns (hd_boogie_prepare sees to it). */
void hd_boogie_lexer_start(hd_boogie_lexer *l, hd_boogie_program *p, hd_boogie_messages *m, const char *file,
                           const char *text, size_t length);
hd_boogie_token hd_boogie_lexer_next(hd_boogie_lexer *l);
const char *hd_boogie_token_name(hd_boogie_token_kind kind);
/* Line ends made uniform, branches of #if taken out, as the reference does before it reads. NUMBER: of the file, from
 * 0. */
void hd_boogie_prepare(const char *text, size_t length, size_t number, hd_string *out);

/* ---- the parser ---- */
enum
{
  HD_BOOGIE_NESTING = 2500 /* parentheses, blocks and such inside each other; HD_BOOGIE_DEPTH is for what is built */
};

typedef struct hd_boogie_parser
{
  hd_boogie_program *program;
  hd_boogie_messages *messages;
  hd_boogie_lexer lexer;
  hd_boogie_token last, ahead; /* the token just taken, and the next one */
  unsigned distance;           /* tokens since the last error: one that follows too soon is not said */
  unsigned depth;
  bool stopped; /* nested too deeply: everything ahead is the end of the file, and nothing more is said */
  size_t errors;
} hd_boogie_parser;
void hd_boogie_get(hd_boogie_parser *p);
void hd_boogie_expect(hd_boogie_parser *p, hd_boogie_token_kind kind);
bool hd_boogie_take(hd_boogie_parser *p, hd_boogie_token_kind kind); /* if it is ahead */
void hd_boogie_syntax(hd_boogie_parser *p, const char *text);        /* "invalid ..." at the token ahead */
void hd_boogie_semantic(hd_boogie_parser *p, const char *text);      /* at the token just taken */
void hd_boogie_parse_error(hd_boogie_parser *p, hd_boogie_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One level deeper; false: too deep, said, and the parser stops. Each true needs one leave. */
bool hd_boogie_enter(hd_boogie_parser *p);
void hd_boogie_leave(hd_boogie_parser *p);
void hd_boogie_check_depth(hd_boogie_parser *p, const hd_boogie_expr *e);

const char *hd_boogie_copy_text(hd_boogie_program *p, const char *text, size_t n);
const char *hd_boogie_ident(hd_boogie_parser *p); /* takes an identifier; its place is p->last.at */
bool hd_boogie_starts_expr(hd_boogie_token_kind kind);
bool hd_boogie_starts_type(hd_boogie_token_kind kind);
hd_boogie_expr *hd_boogie_parse_expr(hd_boogie_parser *p);
hd_boogie_expr *hd_boogie_parse_atom(hd_boogie_parser *p); /* what is ahead begins one */
/* A node of at most two parts, either of which may be null; and something to go on with after an error. */
hd_boogie_expr *hd_boogie_parse_node(hd_boogie_parser *p, hd_boogie_expr_kind kind, hd_boogie_place at,
                                     hd_boogie_expr *a, hd_boogie_expr *b);
hd_boogie_expr *hd_boogie_parse_dummy(hd_boogie_parser *p);
/* N decimal digits as a number of bits or the like; too large ones become INT32_MAX, which the type checker refuses. */
uint32_t hd_boogie_small_number(const char *s, size_t n);
hd_boogie_type *hd_boogie_parse_type(hd_boogie_parser *p);
hd_boogie_types hd_boogie_parse_type_params(hd_boogie_parser *p);
void hd_boogie_parse_attrs(hd_boogie_parser *p, hd_boogie_attr **attrs); /* while there are some */
/* One of them, put at *ATTRS or *TRIGGERS, which must be the ends of their lists. */
void hd_boogie_parse_attr_or_trigger(hd_boogie_parser *p, hd_boogie_attr **attrs, hd_boogie_trigger **triggers);
/* ids : type [where e], ...; WITH_ATTRS: each group may have attributes of its own, allowed if ALLOW_ATTRS. */
typedef struct hd_boogie_var_group
{
  hd_boogie_var_kind kind;
  bool with_attrs, allow_attrs, allow_where;
  const char *context;
  hd_boogie_attr *attrs; /* of all, if not WITH_ATTRS */
} hd_boogie_var_group;
void hd_boogie_parse_vars(hd_boogie_parser *p, const hd_boogie_var_group *group, hd_boogie_vars *out);
void hd_boogie_parse_locals(hd_boogie_parser *p, hd_boogie_vars *out);
hd_boogie_stmts *hd_boogie_parse_stmts(hd_boogie_parser *p); /* after the opening brace; takes the closing one */
hd_boogie_cmd *hd_boogie_parse_label_or_cmd(hd_boogie_parser *p, hd_boogie_token *label); /* null: a label */
bool hd_boogie_starts_cmd(hd_boogie_token_kind kind);
/* Parse all of TEXT into P. */
void hd_boogie_parse(hd_boogie_program *program, hd_boogie_messages *m, const char *file, const char *text,
                     size_t length);
/* Blocks of IMPL from its structured code; errors of labels are parse errors. */
void hd_boogie_make_blocks(hd_boogie_parser *p, hd_boogie_impl *impl);
/* Selectors and testers of datatypes, after all files were parsed. */
void hd_boogie_make_datatypes(hd_boogie_program *p, hd_boogie_messages *m);

/* {:yield_assert}, before names are resolved. */
void hd_boogie_desugar_yield_assert(hd_boogie_program *p);

/* ---- names ---- */
typedef struct hd_boogie_table hd_boogie_table; /* from names to anything */
HD_GIVE hd_boogie_table *hd_boogie_table_new(void);
void hd_boogie_table_free(HD_TAKE hd_boogie_table *t);
void *hd_boogie_table_get(const hd_boogie_table *t, const char *name, size_t n);
void hd_boogie_table_set(hd_boogie_table *t, const char *name, size_t n, void *value); /* NAME must stay */

/* ---- the later phases; each returns how many errors it added ---- */
size_t hd_boogie_resolve(hd_boogie_program *p, hd_boogie_messages *m);
size_t hd_boogie_check(hd_boogie_program *p, hd_boogie_messages *m, const hd_boogie_options *options);
void hd_boogie_infer_modifies(hd_boogie_program *p);

#endif
