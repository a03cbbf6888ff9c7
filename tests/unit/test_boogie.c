/* test_boogie.c: reading Boogie programs: what is accepted, what is refused where and with which words, what blocks,
 * types and copies come out. The messages are the reference's, observed by
 * running it on these texts, except for the comment without an end, which the reference does not mind. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "boogie/boogie.h"

static hd_boogie_program *
read_text(const char *text, hd_boogie_messages *m)
{
  hd_boogie_options options = {0};
  return hd_boogie_read_text("f.bpl", text, strlen(text), &options, m);
}

/* TEXT is accepted, without a warning. */
static hd_boogie_program *
accept(const char *text)
{
  hd_boogie_messages m = {0};
  hd_boogie_program *p = read_text(text, &m);
  hd_string out = {0};
  hd_boogie_messages_print(&m, &out);
  if (m.n)
    print_error("%s\n%s", text, out.text);
  assert_non_null(p);
  assert_int_equal(m.n, 0);
  hd_boogie_messages_free(&m);
  hd_string_free(&out);
  return p;
}

typedef struct refusal
{
  const char *text, *messages;
} refusal;

static void
refuse(const refusal *cases, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    hd_boogie_messages m = {0};
    hd_string out = {0};
    assert_null(read_text(cases[i].text, &m));
    hd_boogie_messages_reference(&m, "f.bpl", &out);
    assert_string_equal(out.text, cases[i].messages);
    hd_string_free(&out);
    hd_boogie_messages_free(&m);
  }
}
#define REFUSE(cases) refuse(cases, sizeof(cases) / sizeof *(cases))

static void
test_syntax_errors(void **state)
{
  static const refusal cases[] = {
      {"axiom 0x1.ffffffe0f24e8 == 0x0.8e32f24e8;",
       "f.bpl(1,7): error: incorrectly formatted floating point, The given significand cannot fit in the bit size 23\n"
       "1 parse errors detected in f.bpl\n"},
      {"axiom 0x1.0e32f24e8 == 0x0.000004e-32f24e8;",
       "f.bpl(1,7): error: incorrectly formatted floating point, The given exponent cannot fit in the bit size 8\n"
       "f.bpl(1,24): error: incorrectly formatted floating point, The given exponent cannot fit in the bit size 8\n"
       "2 parse errors detected in f.bpl\n"},
      {"axiom 0x0.0e0f2e1 == 0x0.0e0f1e2;",
       "f.bpl(1,7): error: incorrectly formatted floating point, Exponent size must be greater than 1\n"
       "f.bpl(1,22): error: incorrectly formatted floating point, Significand size must be greater than 1\n"
       "2 parse errors detected in f.bpl\n"},
      {"var x int;", "f.bpl(1,7): error: \":\" expected\n1 parse errors detected in f.bpl\n"},
      {"procedure P() { x := ; }", "f.bpl(1,22): error: invalid UnaryExpression\n1 parse errors detected in f.bpl\n"},
      {"axiom a && b || c;", "f.bpl(1,14): error: \";\" expected\n1 parse errors detected in f.bpl\n"},
      {"procedure P() { goto L; }",
       "f.bpl(1,17): error: Error: goto label 'L' is undefined\n1 parse errors detected in f.bpl\n"},
      {"procedure P() { break; }",
       "f.bpl(1,17): error: Error: break statement is not inside a loop\n1 parse errors detected in f.bpl\n"},
      {"hello, world\n", "f.bpl(1,1): error: EOF expected\n1 parse errors detected in f.bpl\n"},
      {"var x: int; /* no end", "f.bpl(1,13): error: this comment has no end\n1 parse errors detected in f.bpl\n"},
      {"#pragma\nvar x: int;", "f.bpl(1,0): error: Unrecognized pragma: #pragma\n1 parse errors detected in f.bpl\n"},
      {"implementation P({:a} x: int) {}",
       "f.bpl(1,21): error: attributes are not allowed on the 'implementation' copies of formals\n1 parse errors "
       "detected in f.bpl\n"},
  };
  (void) state;
  REFUSE(cases);
}

static void
test_resolution_errors(void **state)
{
  static const refusal cases[] = {
      {"axiom x;", "f.bpl(1,6): Error: undeclared identifier: x\n1 name resolution errors detected in f.bpl\n"},
      {"var x: T;", "f.bpl(1,7): Error: undeclared type: T\n1 name resolution errors detected in f.bpl\n"},
      {"var g: int; axiom g == 0;",
       "f.bpl(1,18): Error: cannot refer to a global variable in this context: g\n1 name resolution errors detected in "
       "f.bpl\n"},
      {"type A = [int]B; type B = A;",
       "f.bpl(1,5): Error: type synonym could not be resolved because of cycles: A (replacing body with \"bool\" to "
       "continue resolving)\nf.bpl(1,22): Error: type synonym could not be resolved because of cycles: B (replacing "
       "body "
       "with \"bool\" to continue resolving)\n2 name resolution errors detected in f.bpl\n"},
      {"procedure P(x: int, x: bool);", "f.bpl(1,20): Error: more than one declaration of variable name: x\n1 name "
                                        "resolution errors detected in f.bpl\n"},
      {"procedure P() { call Q(); }",
       "f.bpl(1,16): Error: call to undeclared procedure: Q\n1 name resolution errors detected in f.bpl\n"},
      {"procedure P() requires old(true);", "f.bpl(2,1): error: \"{\" expected\n1 parse errors detected in f.bpl\n"},
      {"procedure P(); requires old(true);",
       "f.bpl(1,24): Error: old expressions allowed only in two-state contexts\n1 name resolution errors detected in "
       "f.bpl\n"},
      {"procedure P() { if (x) { } }",
       "f.bpl(1,20): Error: undeclared identifier: x\nf.bpl(1,20): Error: undeclared identifier: x\n2 name resolution "
       "errors detected in f.bpl\n"},
      {"function f(int): int; axiom (forall x: int, y: int :: {f(x)} f(x) == y);",
       "f.bpl(1,54): Error: trigger must mention all quantified variables, but does not mention: y\n1 name resolution "
       "errors detected in f.bpl\n"},
  };
  (void) state;
  REFUSE(cases);
}

static void
test_type_errors(void **state)
{
  static const refusal cases[] = {
      {"axiom 1;", "f.bpl(1,0): Error: axioms must be of type bool\n1 type checking errors detected in f.bpl\n"},
      {"procedure P(a: int) { if (a) {} while (a + true) {} if (a == true) {} }",
       "f.bpl(1,22): Error: an assumed expression must be of type bool (got: int)\n(0,-1): Error: invalid argument "
       "type "
       "(int) to unary operator !\nf.bpl(1,41): Error: invalid argument types (int and bool) to binary operator +\n"
       "f.bpl(1,58): Error: invalid argument types (int and bool) to binary operator ==\n(0,-1): Error: invalid "
       "argument "
       "types (int and bool) to binary operator !=\n5 type checking errors detected in f.bpl\n"},
      {"var m: [int]bool; procedure P() modifies m; { m[true] := 1; }",
       "f.bpl(1,48): Error: invalid type for argument 0 in map assignment: bool (expected: int)\nf.bpl(1,47): Error: "
       "mismatched types in assignment command (cannot assign int to bool)\n2 type checking errors detected in "
       "f.bpl\n"},
      {"var g: int; procedure P() { g := 0; }",
       "f.bpl(1,30): Error: command assigns to a global variable that is not in the enclosing procedure's modifies "
       "clause: g\n1 type checking errors detected in f.bpl\n"},
      {"procedure P(x: int) { x := 0; }",
       "f.bpl(1,24): Error: command assigns to an immutable variable: x\n1 type checking errors detected in f.bpl\n"},
      {"procedure P() { yield; }",
       "f.bpl(1,16): Error: enclosing procedure of a yield command must yield\n1 type checking errors detected in "
       "f.bpl\n"},
      {"function f(x: int): int; axiom f(true) == f(1, 2);",
       "f.bpl(1,33): Error: invalid type for argument 0 in application of f: bool (expected: int)\nf.bpl(1,42): Error: "
       "wrong number of arguments to function: f (2 instead of 1)\n2 type checking errors detected in f.bpl\n"},
      {"type T; function {:constructor} C(x: int): T;",
       "f.bpl(1,32): Error: The output type of a constructor must be a datatype\n1 type checking errors detected in "
       "f.bpl\n"},
      {"procedure P(x: int); implementation P(y: bool) {}",
       "f.bpl(1,36): Error: mismatched type of in-parameter in implementation P: x (named y in implementation)\n1 type "
       "checking errors detected in f.bpl\n"},
  };
  (void) state;
  REFUSE(cases);
}

/* The labels, and where each block goes. */
static void
test_block_labels(void **state)
{
  (void) state;
  hd_boogie_program *p = accept("procedure P(n: int) returns (r: int) {\n"
                                "  r := 0;\n"
                                "  while (r < n) invariant r >= 0; { if (*) { r := r + 1; } else { break; } }\n"
                                "  if (r > n) { return; }\n"
                                "}\n");
  hd_string out = {0};
  hd_boogie_impl *impl = p->decls.items[1].impl;
  for (size_t i = 0; i < impl->blocks.n; i++)
  {
    const hd_boogie_block *b = impl->blocks.items[i];
    hd_string_printf(&out, "%s(%zu)", b->label, b->cmds.n);
    for (size_t j = 0; j < b->transfer.targets.n; j++)
      hd_string_printf(&out, "%s%s", j ? "," : ">", b->transfer.targets.items[j]->label);
    hd_string_add(&out, b->transfer.kind == HD_BOOGIE_RETURN ? " return\n" : "\n");
  }
  assert_string_equal(out.text, "anon0(1)>anon6_LoopHead\n"
                                "anon6_LoopHead(1)>anon6_LoopDone,anon6_LoopBody\n"
                                "anon6_LoopBody(1)>anon7_Then,anon7_Else\n"
                                "anon7_Then(1)>anon6_LoopHead\n"
                                "anon7_Else(0)>anon4\n"
                                "anon6_LoopDone(1)>anon4\n"
                                "anon4(0)>anon8_Then,anon8_Else\n"
                                "anon8_Then(1) return\n"
                                "anon8_Else(1) return\n");
  hd_string_free(&out);
  hd_boogie_program_free(p);
}

static hd_boogie_impl *
only_impl(const hd_boogie_program *p)
{
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_IMPL)
      return p->decls.items[i].impl;
  fail();
  return NULL;
}

static void
test_graph(void **state)
{
  (void) state;
  hd_boogie_program *p
      = accept("procedure P() { A: goto B; B: goto C, E; C: goto D; D: goto C, B; E: return; X: goto X; }");
  hd_boogie_impl *impl = only_impl(p);
  hd_boogie_graph *g = hd_boogie_graph_new(&impl->blocks);
  size_t number[6];
  for (size_t i = 0; i < 6; i++)
    number[i] = hd_boogie_graph_number(g, impl->blocks.items[i]);
  size_t b = number[1], c = number[2], d = number[3], e = number[4];
  assert_int_equal(g->n, 5);
  assert_true(number[5] == SIZE_MAX);
  assert_true(g->reducible && g->is_head[b] && g->is_head[c] && !g->is_head[d]);
  assert_true(hd_boogie_graph_in_loop(g, b, d) && hd_boogie_graph_in_loop(g, c, d)
              && !hd_boogie_graph_in_loop(g, b, e));
  assert_true(g->inner_head[d] == c && g->inner_head[b] == b && g->inner_head[e] == SIZE_MAX);
  assert_true(hd_boogie_graph_dominates(g, b, e) && !hd_boogie_graph_dominates(g, c, e));
  hd_boogie_graph_free(g);
  hd_boogie_program_free(p);
  p = accept("procedure P() { A: goto B, C; B: goto C; C: goto B; }");
  g = hd_boogie_graph_new(&only_impl(p)->blocks);
  assert_false(g->reducible);
  assert_true(g->irreducible < g->n);
  hd_boogie_graph_free(g);
  hd_boogie_program_free(p);
}

static void
test_datatypes(void **state)
{
  (void) state;
  hd_boogie_program *p = accept("type {:datatype} list; function {:constructor} nil(): list;\n"
                                "function {:constructor} cons(head: int, tail: list): list;\n"
                                "axiom (forall l: list :: is#cons(l) ==> l == cons(head#cons(l), tail#cons(l)));\n");
  const hd_boogie_type_decl *d = hd_boogie_find_type(p, "list");
  assert_true(d->is_datatype && d->constructors.n == 2);
  const hd_boogie_function *cons = hd_boogie_find_function(p, "cons");
  assert_true(cons->role == HD_BOOGIE_CONSTRUCTOR && cons->selectors.n == 2 && cons->datatype == d);
  assert_ptr_equal(cons->selectors.items[1], hd_boogie_find_function(p, "tail#cons"));
  assert_ptr_equal(cons->tester, hd_boogie_find_function(p, "is#cons"));
  hd_boogie_program_free(p);
}

static const char *
show_type(const hd_boogie_type *t, hd_string *out)
{
  hd_string_clear(out);
  hd_boogie_type_key(t, out);
  return out->text;
}

static void
test_inferred_types(void **state)
{
  (void) state;
  hd_string s = {0};
  hd_boogie_program *p = accept("type Box a; type Pair a b = [int]Box (Box b);\n"
                                "function wrap<a>(x: a): Box a; function open<a>(b: Box a): a;\n"
                                "var m: <a>[Box a]a; var n: Pair int bool;\n"
                                "procedure P() modifies m; { m[wrap(true)] := open(wrap(false)); }\n");
  const hd_boogie_cmd *c = only_impl(p)->blocks.items[0]->cmds.items[0];
  assert_string_equal(show_type(c->targets.items[0]->type, &s), "bool");
  assert_string_equal(show_type(c->targets.items[0]->u.call.type_args.items[0], &s), "bool");
  assert_string_equal(show_type(c->values.items[0]->u.call.type_args.items[0], &s), "bool");
  assert_string_equal(show_type(hd_boogie_find_var(p, "n")->type, &s), "[int]Box(Box(bool))");
  assert_string_equal(show_type(hd_boogie_find_var(p, "m")->type, &s), "<1>[Box(%0)]%0");
  hd_string_free(&s);
  hd_boogie_program_free(p);
}

static void
test_ambiguous_type(void **state)
{
  hd_boogie_messages m = {0};
  hd_string out = {0};
  (void) state;
  hd_boogie_program *p = read_text("function f<a>(): a; axiom f() == f();", &m);
  assert_non_null(p);
  hd_boogie_messages_reference(&m, "f.bpl", &out);
  assert_string_equal(out.text, "f.bpl(1,26): Warning: type parameter a is ambiguous, instantiating to int\n");
  hd_string_free(&out);
  hd_boogie_messages_free(&m);
  hd_boogie_program_free(p);
}

static void
test_inferred_modifies(void **state)
{
  static const char text[] = "var x: int; var y: int; var z: int; procedure A() { x := 1; call B(); }\n"
                             "procedure B() { havoc y; call A(); async call C(); } procedure C(); modifies z;\n";
  hd_boogie_options options = {.infer_modifies = true};
  hd_boogie_messages m = {0};
  (void) state;
  hd_boogie_program *p = hd_boogie_read_text("f.bpl", text, sizeof text - 1, &options, &m);
  assert_non_null(p);
  const hd_boogie_proc *a = hd_boogie_find_proc(p, "A"), *c = hd_boogie_find_proc(p, "C");
  assert_int_equal(a->modifies.n, 3);
  assert_true(hd_boogie_attr_flag(a->attrs, "yields") && hd_boogie_attr_flag(c->attrs, "yields"));
  hd_boogie_messages_free(&m);
  hd_boogie_program_free(p);
}

/* A copy has variables of its own; substitution does not capture; old is told apart. */
static void
test_copies(void **state)
{
  hd_string out = {0};
  (void) state;
  hd_boogie_program *p = accept("var g: int; procedure P(x: int) returns (y: int) requires x > 0; modifies g;\n"
                                "  ensures old(g) + x == g && (exists x': int :: x' > g);\n"
                                "{ var l: int; L: l := x; g := g + l; y := old(g); goto L, E; E: return; }\n");
  hd_boogie_subst *s = hd_boogie_subst_new();
  hd_boogie_proc *q = hd_boogie_copy_proc(p, hd_boogie_find_proc(p, "P"), "Q", s);
  hd_boogie_impl *i = hd_boogie_copy_impl(p, only_impl(p), "Q", q, NULL, s);
  assert_ptr_not_equal(q->ins.items[0], i->ins.items[0]);
  hd_boogie_print_impl(i, &out);
  assert_string_equal(out.text, "implementation Q(x: int) returns (y: int)\n{\n  var l: int;\n  L:\n    l := x;\n"
                                "    g := g + l;\n    y := old(g);\n    goto L, E;\n  E:\n    return;\n}\n");
  assert_ptr_equal(i->blocks.items[0]->transfer.targets.items[0], i->blocks.items[0]);
  assert_ptr_equal(i->blocks.items[0]->cmds.items[0]->values.items[0]->u.id.var, i->ins.items[0]);
  hd_boogie_subst_free(s);
  s = hd_boogie_subst_new();
  hd_boogie_var *g = hd_boogie_find_var(p, "g");
  hd_boogie_subst_set(s, g, hd_boogie_int(p, 7));
  hd_boogie_subst_set_old(s, g, hd_boogie_int(p, 3));
  hd_boogie_rewriter r = {.program = p, .subst = s, .drop_old = true, .bound_prefix = "b_"};
  hd_boogie_expr *e = hd_boogie_rewrite_expr(&r, hd_boogie_find_proc(p, "P")->ensures.items[0]->expr);
  hd_string_clear(&out);
  hd_boogie_print_expr(e, &out);
  assert_string_equal(out.text, "3 + x == 7 && (exists b_x': int :: b_x' > 7)");
  hd_boogie_subst_free(s);
  hd_string_free(&out);
  hd_boogie_program_free(p);
}

/* N times A, then B, then N times C. */
static char *
nested(size_t n, const char *before, const char *a, const char *b, const char *c, const char *after)
{
  hd_string s = {0};
  hd_string_add(&s, before);
  for (size_t i = 0; i < n; i++)
    hd_string_add(&s, a);
  hd_string_add(&s, b);
  for (size_t i = 0; i < n; i++)
    hd_string_add(&s, c);
  hd_string_add(&s, after);
  return s.text;
}

static void
test_limits(void **state)
{
  enum
  {
    MANY = 100000
  };
  char *deep[] = {
      nested(MANY, "axiom ", "(", "true", ")", ";"),
      nested(MANY, "axiom ", "!", "true", "", ";"),
      nested(MANY, "axiom ", "true ==> ", "true", "", ";"),
      nested(MANY, "axiom ", "true && ", "true", "", ";"),
      nested(MANY, "var x: ", "[int]", "int", "", ";"),
      nested(MANY, "procedure P() {", "if (*) {", "", "}", "}"),
      nested(MANY, "axiom ", "(forall x: int :: ", "true", ")", ";"),
  };
  (void) state;
  for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
  {
    hd_boogie_messages m = {0};
    assert_null(read_text(deep[i], &m));
    assert_int_equal(m.errors, 1);
    assert_int_equal(m.items[0].at.line, 1);
    assert_non_null(strstr(m.items[0].text, "levels"));
    hd_boogie_messages_free(&m);
    free(deep[i]);
  }
  char *long_chain = nested(9000, "axiom ", "true && ", "true", "", ";"),
       *else_ifs = nested(MANY, "procedure P() {", "if (*) {} else ", "{}", "", "}");
  hd_boogie_program_free(accept(long_chain));
  hd_boogie_program_free(accept(else_ifs));
  free(long_chain);
  free(else_ifs);
  hd_boogie_messages m = {0};
  hd_boogie_options options = {0};
  assert_null(hd_boogie_read_text("f.bpl", "var x\0: int;", 12, &options, &m));
  assert_int_equal(m.items[0].at.column, 6);
  hd_boogie_messages_free(&m);
  const char *missing = "no/such/file.bpl";
  assert_null(hd_boogie_read(&missing, 1, &options, &m));
  assert_int_equal(m.errors, 1);
  hd_boogie_messages_free(&m);
}

static bool
has_type(void *context, hd_boogie_expr *e, bool in_old)
{
  const char *where = context;
  (void) in_old;
  if (!e->type || e->type->kind >= HD_BOOGIE_TYPE_UNKNOWN || e->type->kind == HD_BOOGIE_SYNONYM)
    fail_msg("%s: an expression of kind %d at line %u has no type", where, (int) e->kind, e->at.line);
  return true;
}

/* Every expression has a type, written out at its top. */
static void
check_types(const hd_boogie_program *p, const char *where)
{
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_AXIOM)
      hd_boogie_walk_expr(d->axiom->expr, has_type, (void *) where);
    if (d->kind == HD_BOOGIE_DECL_FUNCTION && d->function->body)
      hd_boogie_walk_expr(d->function->body, has_type, (void *) where);
    if (d->kind == HD_BOOGIE_DECL_IMPL)
      hd_boogie_walk_blocks(&d->impl->blocks, has_type, (void *) where);
    for (size_t j = 0; d->kind == HD_BOOGIE_DECL_PROC && j < d->proc->ensures.n; j++)
      hd_boogie_walk_expr(d->proc->ensures.items[j]->expr, has_type, (void *) where);
  }
}

static void
test_all_typed(void **state)
{
  (void) state;
  hd_boogie_program *p = accept(
      "type S = [int]S2; type S2 = bool; function id<a>(x: a): a; function {:inline} g(s: S): bool { id(s)[1] }\n"
      "var m: S; procedure P(s: S) returns (t: S) ensures t == id(old(m)); modifies m;\n"
      "{ m, t := (lambda i: int :: id(s)[i]), m; t[id(1)] := (var x := id(s); x[0]); assume (exists u: S :: u == s); "
      "call t := P(t); assert |{ var z: S; A: z := s; return z == t; }|; }\n");
  check_types(p, "text");
  hd_boogie_program_free(p);
}

/* ---- the reference's own programs, if HEDDLE_BOOGIE_SUITE is their folder: what is accepted prints and reads back
 * ---- */
static void
round_trip(const char *path, size_t *accepted)
{
  for (int infer = 0; infer < 2; infer++)
  {
    hd_boogie_messages m = {0}, again = {0};
    hd_boogie_options options = {.infer_modifies = infer != 0};
    hd_string first = {0}, second = {0};
    hd_boogie_program *p = hd_boogie_read(&path, 1, &options, &m), *q = NULL;
    if (p)
    {
      *accepted += !infer;
      check_types(p, path);
      hd_boogie_print_program(p, &first);
      q = hd_boogie_read_text(path, first.text ? first.text : "", first.length, &options, &again);
      if (!q)
        fail_msg("%s does not read back", path);
      hd_boogie_print_program(q, &second);
      if (first.text)
        assert_string_equal(first.text, second.text);
    }
    hd_boogie_program_free(p);
    hd_boogie_program_free(q);
    hd_boogie_messages_free(&m);
    hd_boogie_messages_free(&again);
    hd_string_free(&first);
    hd_string_free(&second);
  }
}

static void
visit_folder(const char *folder, size_t *accepted)
{
  DIR *d = opendir(folder);
  if (!d)
    return;
  for (struct dirent *e; (e = readdir(d));)
  {
    hd_string path = {0};
    hd_string_printf(&path, "%s/%s", folder, e->d_name);
    size_t n = strlen(e->d_name);
    struct stat s;
    if (e->d_name[0] != '.' && !stat(path.text, &s))
    {
      if (S_ISDIR(s.st_mode))
        visit_folder(path.text, accepted);
      else if (n > 4 && !strcmp(e->d_name + n - 4, ".bpl"))
        round_trip(path.text, accepted);
    }
    hd_string_free(&path);
  }
  closedir(d);
}

static void
test_suite(void **state)
{
  const char *suite = getenv("HEDDLE_BOOGIE_SUITE");
  size_t accepted = 0;
  (void) state;
  if (!suite)
    skip();
  visit_folder(suite, &accepted);
  print_message("%zu programs of %s are accepted and read back\n", accepted, suite);
  assert_true(accepted > 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_syntax_errors),  cmocka_unit_test(test_resolution_errors),
      cmocka_unit_test(test_type_errors),    cmocka_unit_test(test_block_labels),
      cmocka_unit_test(test_graph),          cmocka_unit_test(test_datatypes),
      cmocka_unit_test(test_inferred_types), cmocka_unit_test(test_ambiguous_type),
      cmocka_unit_test(test_all_typed),      cmocka_unit_test(test_inferred_modifies),
      cmocka_unit_test(test_copies),         cmocka_unit_test(test_limits),
      cmocka_unit_test(test_suite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
