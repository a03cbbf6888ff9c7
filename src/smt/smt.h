/* smt.h: terms of many-sorted logic, their text in SMT-LIB 2, and solver processes that answer questions about them.
 *
 * Terms and sorts are hash-consed: equal ones of one universe are the same pointer. They live as long as their
 * universe. Bound variables carry the depth at which they are bound (their level), so that the printer knows under
 * which quantifier a shared subterm may be named; whoever makes a quantifier inside another must use a higher level.
 *
 * Threads: a universe and a solver belong to one thread at a time; a cache may be shared. */
#ifndef HD_SMT_H
#define HD_SMT_H

#include "base/base.h"

/* ---- sorts ---- */

typedef enum hd_smt_sort_kind
{
  HD_SMT_BOOL,
  HD_SMT_INT,
  HD_SMT_REAL,
  HD_SMT_ARRAY, /* index, element */
  HD_SMT_NAMED, /* declared, or a datatype */
  HD_SMT_KNOWN  /* to the solver: NAME is printed as it stands, brackets included */
} hd_smt_sort_kind;

struct hd_smt_datatype;

typedef struct hd_smt_sort
{
  hd_smt_sort_kind kind;
  uint32_t id;
  const char *name;                        /* of a named or known one, as it is printed */
  const struct hd_smt_sort *index, *value; /* of an array */
  struct hd_smt_datatype *datatype;        /* of a named one, or NULL */
} hd_smt_sort;

/* ---- symbols: functions, constants, bound variables ---- */

typedef enum hd_smt_symbol_kind
{
  HD_SMT_FUNCTION,    /* to be declared; without arguments: a constant */
  HD_SMT_BOUND,       /* variable of a quantifier */
  HD_SMT_BUILTIN,     /* the solver knows it: NAME is printed as it stands, brackets included */
  HD_SMT_CONSTRUCTOR, /* declared by its datatype, as are the next two */
  HD_SMT_SELECTOR,
  HD_SMT_TESTER
} hd_smt_symbol_kind;

typedef struct hd_smt_symbol
{
  hd_smt_symbol_kind kind;
  uint32_t id, level; /* level: of a bound variable */
  const char *name;
  const hd_smt_sort *sort;
  size_t nargs;
  const hd_smt_sort *const *args;
  const hd_smt_sort *owner; /* the datatype's sort */
} hd_smt_symbol;

typedef struct hd_smt_constructor
{
  const hd_smt_symbol *make, *is;
  size_t nfields;
  const hd_smt_symbol **fields; /* selectors */
} hd_smt_constructor;

typedef struct hd_smt_datatype
{
  const hd_smt_sort *sort;
  size_t nconstructors;
  hd_smt_constructor *constructors;
} hd_smt_datatype;

/* ---- terms ---- */

typedef enum hd_smt_op
{
  HD_SMT_TRUE,
  HD_SMT_FALSE,
  HD_SMT_NUMBER, /* literal: of a number that is not negative, or a value of a known sort */
  HD_SMT_APPLY,  /* of a symbol */
  HD_SMT_NOT,
  HD_SMT_AND,
  HD_SMT_OR,
  HD_SMT_IMPLIES,
  HD_SMT_EQUAL,
  HD_SMT_ITE,
  HD_SMT_DISTINCT,
  HD_SMT_ADD,
  HD_SMT_SUB,
  HD_SMT_MUL,
  HD_SMT_MINUS,
  HD_SMT_DIV,
  HD_SMT_MOD,
  HD_SMT_DIVIDE, /* of reals */
  HD_SMT_LT,
  HD_SMT_LE,
  HD_SMT_GT,
  HD_SMT_GE,
  HD_SMT_TO_REAL,
  HD_SMT_TO_INT,
  HD_SMT_SELECT,
  HD_SMT_STORE,
  HD_SMT_CONST, /* the array that has its argument everywhere */
  HD_SMT_FORALL,
  HD_SMT_EXISTS
} hd_smt_op;

struct hd_smt_term;

typedef struct hd_smt_pattern
{
  size_t n;
  const struct hd_smt_term **terms;
  bool negative; /* no pattern may be made of this term */
} hd_smt_pattern;

typedef struct hd_smt_quantifier
{
  size_t nvars;
  const hd_smt_symbol **vars; /* of higher levels than the free variables of the whole */
  size_t npatterns;
  hd_smt_pattern *patterns;
  long weight; /* -1: none was given */
} hd_smt_quantifier;

typedef struct hd_smt_term
{
  hd_smt_op op;
  uint32_t id;
  uint64_t levels; /* bit i: a variable of level i is free in it */
  const hd_smt_sort *sort;
  const hd_smt_symbol *symbol;         /* of APPLY */
  const char *text;                    /* of NUMBER */
  const hd_smt_quantifier *quantifier; /* of FORALL, EXISTS; the body is args[0] */
  uint32_t nargs;
  const struct hd_smt_term *args[];
} hd_smt_term;

enum
{
  HD_SMT_MOST_LEVELS = 64 /* quantifiers inside each other */
};

typedef struct hd_smt hd_smt;
HD_GIVE hd_smt *hd_smt_new(void);
void hd_smt_free(HD_TAKE hd_smt *u);
hd_arena *hd_smt_arena(hd_smt *u);   /* for what must live as long as the terms */
size_t hd_smt_size(const hd_smt *u); /* terms so far; their ids are smaller */

const hd_smt_sort *hd_smt_basic(hd_smt *u, hd_smt_sort_kind kind); /* BOOL, INT, REAL */
const hd_smt_sort *hd_smt_array(hd_smt *u, const hd_smt_sort *index, const hd_smt_sort *value);
/* The sort that solvers know as NAME: (_ BitVec 8). */
const hd_smt_sort *hd_smt_known(hd_smt *u, const char *name);
/* A new sort; its name is NAME or, if that is taken, close to it. So for symbols. */
const hd_smt_sort *hd_smt_named(hd_smt *u, const char *name);
/* Let SORT be a datatype of N constructors, which are filled in by hd_smt_constructor_set. */
hd_smt_datatype *hd_smt_datatype_new(hd_smt *u, const hd_smt_sort *sort, size_t n);
void hd_smt_constructor_set(hd_smt *u, hd_smt_datatype *d, size_t i, const char *name, size_t nfields,
                            const char *const *fields, const hd_smt_sort *const *sorts);
const hd_smt_symbol *hd_smt_function(hd_smt *u, const char *name, const hd_smt_sort *sort, size_t nargs,
                                     const hd_smt_sort *const *args);
const hd_smt_symbol *hd_smt_builtin(hd_smt *u, const char *name, const hd_smt_sort *sort, size_t nargs,
                                    const hd_smt_sort *const *args);
const hd_smt_symbol *hd_smt_bound(hd_smt *u, const char *name, const hd_smt_sort *sort, uint32_t level);

const hd_smt_term *hd_smt_true(hd_smt *u);
const hd_smt_term *hd_smt_false(hd_smt *u);
const hd_smt_term *hd_smt_number(hd_smt *u, const char *digits, const hd_smt_sort *sort);
const hd_smt_term *hd_smt_apply(hd_smt *u, const hd_smt_symbol *f, size_t n, const hd_smt_term *const *args);
const hd_smt_term *hd_smt_constant(hd_smt *u, const char *name, const hd_smt_sort *sort); /* a new one */
/* OP on ARGS, made simpler where that is cheap. Sorts must fit. */
const hd_smt_term *hd_smt_make(hd_smt *u, hd_smt_op op, size_t n, const hd_smt_term *const *args);
const hd_smt_term *hd_smt_not(hd_smt *u, const hd_smt_term *a);
const hd_smt_term *hd_smt_and(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b);
const hd_smt_term *hd_smt_or(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b);
const hd_smt_term *hd_smt_implies(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b);
const hd_smt_term *hd_smt_equal(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b);
const hd_smt_term *hd_smt_select(hd_smt *u, const hd_smt_term *a, const hd_smt_term *i);
const hd_smt_term *hd_smt_const_array(hd_smt *u, const hd_smt_sort *array, const hd_smt_term *value);
/* OP is FORALL or EXISTS; Q is copied. */
const hd_smt_term *hd_smt_quantify(hd_smt *u, hd_smt_op op, const hd_smt_quantifier *q, const hd_smt_term *body);
/* T with other arguments, and with the binder Q if it is a quantifier. */
const hd_smt_term *hd_smt_rebuild(hd_smt *u, const hd_smt_term *t, const hd_smt_quantifier *q,
                                  const hd_smt_term *const *args);

/* ---- text ---- */

/* By symbol: it occurs in one of the N terms. */
HD_GIVE uint8_t *hd_smt_used(const hd_smt *u, const hd_smt_term *const *terms, size_t n);

/* Declarations of everything that the N terms need, and an assertion of each. Subterms that occur more than once are
 * named, so that the text is linear in the number of different subterms. */
void hd_smt_print(hd_string *out, const hd_smt *u, const hd_smt_term *const *asserted, size_t n);
void hd_smt_print_sort(hd_string *out, const hd_smt_sort *sort);
void hd_smt_print_name(hd_string *out, const char *name); /* with bars where it needs them */

/* What solvers print: a word, or a list. */
typedef struct hd_smt_sexp
{
  const char *word; /* without bars; NULL: a list */
  size_t n;
  const struct hd_smt_sexp *items;
} hd_smt_sexp;
/* The expression at *TEXT, which moves behind it; NULL: there is none, or it is broken. */
const hd_smt_sexp *hd_smt_parse(hd_arena *arena, const char **text);
/* The value X in words of a program: -5, true, 7bv8, [1 := 2, else 0]. At most about MAX bytes. */
void hd_smt_show_value(hd_string *out, const hd_smt_sexp *x, size_t max);

/* ---- solvers ---- */

typedef enum hd_smt_kind
{
  HD_SMT_Z3,
  HD_SMT_CVC5
} hd_smt_kind;

typedef enum hd_smt_reply
{
  HD_SMT_UNSAT,
  HD_SMT_SAT,
  HD_SMT_UNKNOWN, /* it gave up */
  HD_SMT_TIMEOUT, /* the time was over */
  HD_SMT_FAILED   /* it could not be asked, died, or printed an error: hd_smt_solver_error */
} hd_smt_reply;

/* How to search; each is a way that helped where another one did not. */
typedef struct hd_smt_tactic
{
  const char *name;
  int case_split; /* z3: smt.case_split */
  bool mbqi;      /* model-based instantiation of quantifiers */
  unsigned seed;
  unsigned instances; /* z3: give up after so many instances of quantifiers, with a candidate; 0: do not */
} hd_smt_tactic;

typedef struct hd_smt_solver hd_smt_solver;
/* A solver, which is started when it is first asked. PROGRAM: NULL, or what to call instead of z3 or cvc5. */
HD_GIVE hd_smt_solver *hd_smt_solver_new(hd_smt_kind kind, const char *program);
void hd_smt_solver_free(HD_TAKE hd_smt_solver *s); /* ends the process */
const char *hd_smt_solver_name(const hd_smt_solver *s);
/* "4.8.12", or NULL: it does not start. */
const char *hd_smt_solver_version(hd_smt_solver *s);
const char *hd_smt_solver_error(const hd_smt_solver *s); /* of the last FAILED */
double hd_smt_solver_worked(const hd_smt_solver *s);     /* processor seconds so far */
/* Forget everything, then assert TEXT, and decide it for at most SECONDS. */
hd_smt_reply hd_smt_solver_ask(hd_smt_solver *s, const char *text, const hd_smt_tactic *tactic, double seconds);
/* Assert more, and decide again. */
hd_smt_reply hd_smt_solver_more(hd_smt_solver *s, const char *text, double seconds);
/* After SAT or UNKNOWN: the values of the terms TEXT, in brackets, as the solver prints them; NULL: it has none.
 * Good until the next question. */
const char *hd_smt_solver_values(hd_smt_solver *s, const char *terms);
/* Ask N solvers at once, each its text; the first one that says sat or unsat wins and is *WINNER, and the others are
 * stopped. Without a winner the answer is of the one that *WINNER names. */
hd_smt_reply hd_smt_solver_race(hd_smt_solver **s, size_t n, const char *const *texts, const hd_smt_tactic *tactic,
                                double seconds, size_t *winner);

/* ---- what was proved before ---- */

typedef struct hd_smt_cache hd_smt_cache;
/* The folder PATH, which is made if it does not exist. NULL: *ERROR says why. */
HD_GIVE hd_smt_cache *hd_smt_cache_open(const char *path, hd_string *error);
void hd_smt_cache_close(HD_TAKE hd_smt_cache *c);
/* TEXT was found to be unsat by this solver of this version. NOTES gets a line if an entry is broken. */
bool hd_smt_cache_has(hd_smt_cache *c, const char *text, const char *solver, const char *version, hd_string *notes);
/* NOTES gets a line if it cannot be written. */
void hd_smt_cache_add(hd_smt_cache *c, const char *text, const char *solver, const char *version, hd_string *notes);

/* ---- what was proved in this run ---- */

/* Threads: all that are about the same run. */
typedef struct hd_smt_proved hd_smt_proved;
HD_GIVE hd_smt_proved *hd_smt_proved_new(void);
void hd_smt_proved_free(HD_TAKE hd_smt_proved *p);
/* The N bytes TEXT were proved. False: it is for the caller to find out, who must tell by hd_smt_proved_settle. Waits
 * while somebody else finds out. */
bool hd_smt_proved_before(hd_smt_proved *p, const char *text, size_t n);
void hd_smt_proved_settle(hd_smt_proved *p, const char *text, size_t n, bool proved);

#endif
