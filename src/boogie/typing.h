/* typing.h: what resolver and type checker share. Private to src/boogie. */
#ifndef HD_BOOGIE_TYPING_H
#define HD_BOOGIE_TYPING_H

#include "boogie/front.h"

hd_boogie_type *hd_boogie_new_type(hd_boogie_program *p, hd_boogie_type_kind kind, hd_boogie_place at);
/* SIZE from those of the parts. */
void hd_boogie_measure_type(hd_boogie_type *t);
/* T itself is one of TYPES. */
bool hd_boogie_type_listed(const hd_boogie_types *types, const hd_boogie_type *t);
/* Print the name of T, if it is a type that every program has. */
bool hd_boogie_print_base_type(const hd_boogie_type *t, hd_string *out);
/* The type variables that are free in T, each once, in the order of the text, appended. */
void hd_boogie_free_type_vars(hd_boogie_program *p, const hd_boogie_type *t, hd_boogie_types *out);
/* PARAMS in the order in which they occur in TYPES; those that do not come last. */
void hd_boogie_sort_type_params(hd_boogie_program *p, hd_boogie_types *params, const hd_boogie_types *types);

/* ---- the resolver ---- */
typedef enum hd_boogie_state
{
  HD_BOOGIE_SINGLE,    /* one state: no old() */
  HD_BOOGIE_STATELESS, /* no global variables either */
  HD_BOOGIE_TWO        /* old() is allowed */
} hd_boogie_state;

typedef struct hd_boogie_hidden /* what a name meant outside */
{
  const char *name;
  hd_boogie_var *var;
} hd_boogie_hidden;

typedef struct hd_boogie_resolver
{
  hd_boogie_program *program;
  hd_boogie_messages *messages;
  hd_boogie_table *types, *globals, *callables, *locals, *blocks, *ids, *axioms;
  HD_BOOGIE_LIST(hd_boogie_hidden) hidden; /* undone from the end when a scope closes */
  hd_boogie_types binders;
  hd_boogie_vars assumed; /* {:assumption} variables that were assigned */
  hd_boogie_state state;
  bool in_trigger;
  size_t errors;
} hd_boogie_resolver;

/* A function or a procedure; they share one space of names. */
typedef struct hd_boogie_callable
{
  hd_boogie_function *function;
  hd_boogie_proc *proc;
} hd_boogie_callable;

void hd_boogie_resolve_error(hd_boogie_resolver *r, hd_boogie_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Scopes of variables: remember the mark, add, close. */
size_t hd_boogie_scope_open(hd_boogie_resolver *r);
void hd_boogie_scope_add(hd_boogie_resolver *r, hd_boogie_var *v);
void hd_boogie_scope_close(hd_boogie_resolver *r, size_t mark);
hd_boogie_callable *hd_boogie_find_callable(hd_boogie_resolver *r, const char *name);
bool hd_boogie_is_ignored(void *context, const hd_boogie_decl *d); /* {:ignore} */
void hd_boogie_resolve_type_decls(hd_boogie_resolver *r);

void hd_boogie_add_binders(hd_boogie_resolver *r, const hd_boogie_types *params);
hd_boogie_type *hd_boogie_resolve_type(hd_boogie_resolver *r, hd_boogie_type *t);
/* Every parameter must occur in TYPES or MORE. WHERE: "function arguments" and such. */
void hd_boogie_check_occurrences(hd_boogie_resolver *r, const hd_boogie_types *params, const hd_boogie_types *types,
                                 const hd_boogie_types *more, hd_boogie_place at, const char *where);
void hd_boogie_resolve_expr(hd_boogie_resolver *r, hd_boogie_expr *e);
void hd_boogie_resolve_attrs(hd_boogie_resolver *r, hd_boogie_attr *attrs);
void hd_boogie_resolve_locals(hd_boogie_resolver *r, const hd_boogie_vars *vars);
void hd_boogie_resolve_where(hd_boogie_resolver *r, hd_boogie_var *v);
void hd_boogie_resolve_blocks(hd_boogie_resolver *r, const hd_boogie_blocks *blocks, hd_boogie_attr *attrs,
                              hd_boogie_state state);

#endif
