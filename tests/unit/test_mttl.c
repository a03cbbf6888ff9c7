/* test_mttl.c: properties of threads on chosen executions: the paper's examples, the cases in which readings of the
 * paper differ, races, atomic blocks, synchronisation, values, messages and explanations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mttlref/script.h"

static void
expect_at(int line, const char *text, unsigned nthreads, const char *script, const char *want)
{
  char *got = script_judge(text, nthreads, script, NULL);
  if (strcmp(got, want) != 0)
    fail_msg("line %d: %s\n  %s\n  is '%s', not '%s'", line, text, script, got, want);
  free(got);
}
#define expect(...) expect_at(__LINE__, __VA_ARGS__)

/* ---- the paper's examples ---- */

/* Figure 2: what threads believe, while u is really 9. */
static void
test_figure_2(void **unused)
{
  (void) unused;
  expect("shared x = 0, y = 0, u = 0, v = 0;"
         "property e35: @2( !(x == 1 && y == 1 && u == 3 && v == 1) );"
         "property e24: @1( !(x == 1 && y == 1 && u == 3 && v == 4) );"
         "property e27: @1( !(x == 1 && y == 1 && u == 3 && v == 5) );"
         "property never: forall i: @i( !(u == 9 && v == 5) );",
         3,
         "0 w x 1; 0 r x; 0 w y 1; 1 w u 2; 2 r x; 2 w v 1; 2 r y; 2 r u; 2 w u 3; 1 r u; 1 r v; 1 w v 4; 1 r v;"
         "0 w u 9; 1 r x; 1 w v 5",
         "2.5:e35 1.4:e24 1.5:e24 1.6:e24 1.7:e27");
}

#define FULL                                                                                                           \
  "property race: forall i: @i( forall j != i: ((op == R -> !(@j(op) == W && @j(loc) == loc))"                         \
  " && (op == W -> !(@j(op) != none && @j(loc) == loc))) );"
#define PUBLISHED                                                                                                      \
  "property published: forall i: @i( forall j != i: (((read(x) && once write(x)) -> !@j(write(x)))"                    \
  " && (write(x) -> !@j(read(x) && once write(x))) && (write(x) -> !@j(write(x)))) );"
#define ATOMIC                                                                                                         \
  "local int atomic = 0;"                                                                                              \
  "property atomic: forall i: @i( atomic > 0 -> !(exists j != i: (atomic == @j(@i(atomic)))) );"

/* The bank of section 3: thread 0 is calcBalance, thread 1 is transfer. */
static void
test_bank(void **unused)
{
  (void) unused;
  const char *first = "0 set atomic 1; 1 set atomic 1; 0 r checking; 1 r checking; 1 w checking; 0 r saving;"
                      "1 r saving; 1 w saving; 0 set atomic 0; 1 set atomic 0";
  const char *second = "0 set atomic 1; 1 set atomic 1; 1 r checking; 1 w checking; 0 r checking; 0 r saving;"
                       "1 r saving; 1 w saving; 0 set atomic 0; 1 set atomic 0";
  expect(ATOMIC, 2, first, "");
  expect(ATOMIC, 2, second, "1.5:atomic");
  /* Both have races on both accounts; the published formula is silent, because calcBalance only reads. */
  expect(FULL, 2, first, "1.3:race 1.5:race");
  expect(FULL, 2, second, "0.2:race 1.5:race");
  expect("property a: forall i: @i( forall j != i: (((read(checking) && once write(checking)) -> !@j(write(checking)))"
         "&& (write(checking) -> !@j(read(checking) && once write(checking)))"
         "&& (write(checking) -> !@j(write(checking)))) );",
         2, second, "");
  /* One lock around each method: silent. */
  expect(ATOMIC FULL, 2,
         "1 set atomic 1; 1 acq m; 1 r checking; 1 w checking; 1 r saving; 1 w saving; 1 rel m; 1 set atomic 0;"
         "0 set atomic 1; 0 acq m; 0 r checking; 0 r saving; 0 rel m; 0 set atomic 0",
         "");
  /* One lock for each account: no race, but the second order is not atomic, as thread 1 learns at its second lock. */
  expect(ATOMIC FULL, 2,
         "0 set atomic 1; 1 set atomic 1; 1 acq c; 1 r checking; 1 w checking; 1 rel c; 0 acq c; 0 r checking; 0 rel c;"
         "0 acq s; 0 r saving; 0 rel s; 1 acq s; 1 r saving; 1 w saving; 1 rel s; 0 set atomic 0; 1 set atomic 0",
         "1.6:atomic 1.7:atomic 1.8:atomic 1.9:atomic");
  expect(ATOMIC FULL, 2,
         "0 set atomic 1; 1 set atomic 1; 0 acq c; 0 r checking; 0 rel c; 1 acq c; 1 r checking; 1 w checking; 1 rel c;"
         "0 acq s; 0 r saving; 0 rel s; 1 acq s; 1 r saving; 1 w saving; 1 rel s; 0 set atomic 0; 1 set atomic 0",
         "");
}

/* ---- where readings of the paper differ ---- */

static void
test_readings(void **unused)
{
  (void) unused;
  /* 1: of a thread of which nothing is known the initial values are. */
  expect("local int v = 7; property p: @0( @1(v == 7 && prev v == 7) && @5(v == 7) );", 2, "1 set v 3; 0 step", "");
  /* 2: a first access brings nothing that is worse than what is known. */
  expect("shared y = 0; property p: @0( y == 0 );", 1, "0 r x", "");
  expect("local int v = 1; property p: @0( @1(v) == 1 );", 2, "0 w x 1; 0 r x", "");
  /* 3: the initial state belongs to the history. */
  expect("shared x = 2; property p: @2( prev x == 0 );", 3, "2 w x 0", "2.1:p");
  expect("shared x = 2; property p: @2( once x == 2 );", 3, "2 w x 0", "");
  /* 4: prev is the state immediately before. */
  expect("shared y = 2; property p: @1( prev y > 1 );", 2, "1 w y 1; 1 r x", "1.2:p");
  /* 5: once, always and since include the present. */
  expect("property p: @1( once read(x) ); property q: @1( always !read(x) ); property s: @1( false since read(x) );", 2,
         "1 r x", "1.1:q");
  /* 6: knowledge comes before the judgement, and the judgement before it is passed on. */
  expect("shared x = 2; property p: @0( x > 0 );", 1, "0 w x 0", "0.1:p");
  expect("shared x = 2; property p: @1( @0(x) < 1 );", 2, "0 w x 0; 1 w x 0", "");
  /* 8 */
  expect("shared x = 0; property p: @2( x == 0 );", 3, "1 w x 1; 1 w x 2; 2 w x 0", "");
  /* 9: what others wrote is known when one hears of it. */
  expect("shared x = 0; property p: @0( x == 0 );", 2, "1 w x 1; 0 r y; 0 r x", "0.2:p");
  /* 10: two reads are not ordered; a write comes after a read. */
  expect("property p: @0( !@1(read(x)) );", 2, "1 r x; 0 r x", "");
  expect("property p: @2( @0(read(x)) );", 3, "0 r x; 2 w x 2", "");
  /* 11: a thread speaks of itself at this state. */
  expect("shared x = 2; property p: @0( @0(x > 0) );", 1, "0 w x 0", "0.1:p");
  expect("shared x = 2; property p: forall i: @i( @0(@i(x > 0)) );", 1, "0 w x 0", "0.1:p");
  /* 12: the past of another thread is its own, not that of what was believed of it. */
  expect("local bool b = false; property in: @0( !@1(prev b) ); property out: @0( !prev @1(b) );", 2,
         "1 set b 1; 1 w x; 1 w y; 0 r x; 0 r y", "0.1:in 0.2:in 0.2:out");
  expect("local bool b = false; property in: @0( !@1(prev b) ); property out: @0( !prev @1(b) );", 2,
         "1 set b 1; 1 set b 0; 1 w x; 0 r x; 0 step", "");
  /* 13: every temporal operator sees every state. */
  expect("shared x = 1; property p: @1( x == 0 -> prev read(x) );", 2, "1 r x; 1 w x 0", "");
  /* 14: what was passed on does not change. */
  expect("shared x = 0; property p: @0( @1(x < 1) );", 2, "1 w x 1; 0 w y 1", "");
  /* 15: read and write belong to the access itself. */
  expect("property p: forall i: @i( forall j != i: (write(x) -> !@j(write(x))) );", 2, "0 w x 1; 1 w x 1", "1.1:p");
  /* 16: a property is judged at the events of its thread. */
  expect("shared x = 0; property p: @0( x == 0 );", 2, "1 w x 1; 1 w x 2; 0 r x; 1 w x 3", "0.1:p");
}

/* ---- races ---- */

static void
test_races(void **unused)
{
  (void) unused;
  expect(FULL PUBLISHED, 2, "0 w x; 1 r x", "1.1:race");
  expect(FULL PUBLISHED, 2, "0 r x; 1 w x", "1.1:race");
  expect(FULL PUBLISHED, 2, "0 w x; 1 w x", "1.1:race 1.1:published");
  expect(FULL PUBLISHED, 2, "0 r x; 1 r x", "");
  expect(FULL PUBLISHED, 2, "0 w x; 0 w y; 1 r y; 1 w x", "1.1:race");
  expect(FULL PUBLISHED, 2, "0 w x; 1 r x; 1 w x", "1.1:race 1.2:race 1.2:published");
  expect(FULL PUBLISHED, 2, "0 acq m; 0 w x; 0 rel m; 1 w x", "1.1:race 1.1:published");
  expect(FULL PUBLISHED, 2, "0 w x; 0 acq m; 0 rel m; 1 acq m; 1 rel m; 1 w x", "");
  expect(FULL PUBLISHED, 2, "0 acq m; 0 w x; 0 rel m; 1 acq m; 1 w x; 1 rel m", "");
  expect(FULL PUBLISHED, 2, "0 r x; 0 w x; 1 r x; 1 w x", "1.1:race 1.2:race 1.2:published");
  /* Events that look alike are told apart where it matters. */
  expect(FULL, 2, "0 r y; 0 r y; 0 r x; 1 w x", "1.1:race");
  expect("shared x = 2; local int l = 0; property p: @1( !prev x == l );", 2, "1 w x 0; 1 step; 1 step", "1.2:p 1.3:p");
}

/* ---- atomic blocks ---- */

static void
test_atomic(void **unused)
{
  (void) unused;
  /* Released and taken again inside the block, and somebody in between. */
  expect(ATOMIC, 2,
         "0 set atomic 1; 0 acq m; 0 w y; 0 rel m; 1 acq m; 1 r y; 1 rel m; 0 acq m; 0 r y; 0 rel m; 0 set atomic 0",
         "0.5:atomic 0.6:atomic 0.7:atomic");
  /* A cycle that needs two blocks is missed: documented. */
  expect(ATOMIC, 2, "0 set atomic 1; 0 r x; 1 set atomic 1; 1 w y; 1 w x; 0 r y; 0 set atomic 0; 1 set atomic 0", "");
  /* What is known of an earlier block of the thread does not count. */
  expect(ATOMIC, 2,
         "1 set atomic 1; 1 acq m; 1 w x; 1 rel m; 1 set atomic 0; 0 acq m; 0 rel m; 1 set atomic 2; 1 acq m; 1 rel m;"
         "1 set atomic 0",
         "");
  expect("local bool atomic = false;"
         "property boolean: forall i: @i( atomic -> !(exists j != i: (@j(@i(atomic)))) );",
         2, "1 set atomic 1; 1 acq m; 1 w x; 1 rel m; 1 set atomic 0; 0 acq m; 0 rel m; 1 set atomic 1; 1 acq m",
         "1.7:boolean");
}

/* ---- synchronisation ---- */

static void
test_synchronisation(void **unused)
{
  (void) unused;
  /* Create and join. */
  expect(FULL, 1, "0 w x; 0 fork 1; 1 w x; 1 exit; 0 join 1; 0 w x", "");
  expect(FULL, 1, "0 fork 1; 0 w x; 1 w x; 1 exit", "1.2:race");
  expect(FULL, 1, "0 fork 1; 1 w x; 0 w x; 1 exit; 0 join 1", "0.2:race");
  expect(FULL, 2, "0 w x; 1 w x; 1 exit; 0 w x", "1.1:race 0.2:race");
  /* A reader-writer lock: a write under a read lock is a race, which treating it as a mutex would hide. */
  expect(FULL, 2, "0 rdlock m; 0 w x; 0 rdunlock m; 1 rdlock m; 1 w x; 1 rdunlock m", "1.2:race");
  expect(FULL, 2, "0 acq m; 0 w x; 0 rel m; 1 acq m; 1 w x; 1 rel m", "");
  expect(FULL, 2, "0 wrlock m; 0 w x; 0 wrunlock m; 1 rdlock m; 1 r x; 1 rdunlock m; 0 wrlock m; 0 w x", "");
  /* A semaphore: a wait comes after all posts, and no post after a wait. */
  expect(FULL, 3, "0 w x; 0 rel s; 1 w y; 1 rel s; 2 acq s; 2 r x; 2 r y", "");
  expect("local int v = 0; property p: @1( !@2(v == 1) );", 3, "2 set v 1; 2 acq s; 0 rel s; 1 acq s; 1 step", "");
  /* A store forgets what was released before; adding does not. */
  expect(FULL, 3, "0 w x; 0 rel s; 1 store s; 2 acq s; 2 r x", "2.2:race");
  /* A relaxed flag orders nothing. */
  expect(FULL, 2, "0 w x; 0 step; 1 step; 1 r x", "1.2:race");
  expect(FULL, 2, "0 w x; 0 store flag; 1 acq flag; 1 r x", "");
  /* A condition variable: the mutex is released and taken again, also when nobody signalled. */
  expect(FULL, 2, "0 acq m; 0 rel m; 0 acq m; 0 rel m; 1 acq m; 1 w ready; 1 rel m; 0 acq m; 0 r ready; 0 rel m", "");
  expect(FULL, 2, "0 acq m; 0 rel m; 1 w ready; 0 acq m; 0 r ready; 0 rel m", "0.4:race");
}

/* Threads that come later, that end, and that have names. */
static void
test_threads(void **unused)
{
  (void) unused;
  expect("property p: @0( !(exists j: (@j(!alive))) );", 1, "0 fork 1; 1 exit; 0 step; 0 join 1", "0.3:p");
  /* A thread is known from its creation on; before its first event nobody is known, not even oneself. */
  expect("property p: @0( !(exists j != i: true) );", 1, "0 step",
         "script:1:31: error: there is no thread 'i' (bind it "
         "with 'forall i:', or declare 'thread i = "
         "\"name\";')\n");
  expect("property p: forall i: @i( !(exists j != i: true) );", 2, "0 step; 1 step; 0 w x; 1 r x", "1.2:p");
  expect("property p: forall i: @i( !(exists j != i: true) );", 1, "0 step; 0 fork 1; 1 step", "0.2:p 1.1:p 1.2:p");
  expect("property p: @0( prev exists j: true );", 1, "0 step; 0 step", "0.1:p");
  expect("local int v = 0; thread boss = \"b\"; property p: forall i: @i( @boss(v) == 0 );", 2,
         "1 set v 1; 1 w x; 0 r x", "1.1:p 1.2:p 0.1:p");
  expect("local int v = 0; thread one = b; property p: @one( v == 0 );", 2, "0 set v 1; 1 set v 1", "1.1:p");
  expect("local int v = 0; thread two = 2; property p: @two( v == 0 );", 1,
         "0 set v 1; 0 fork 1; 1 fork 2; 1 set v 1; 2 set v 1", "2.2:p");
}

static void
test_flags(void **unused)
{
  (void) unused;
  expect("property p: forall i: @i( write(x) -> (!unlock(m) since lock(m)) );", 2,
         "0 acq m; 0 w x; 0 rel m; 0 w x; 1 acq n; 1 w x", "0.4:p 1.2:p");
  expect("property p: forall i: @i( at(g) -> once at(f) );", 1, "0 enter g; 0 enter f; 0 step; 0 enter g", "0.1:p");
  expect("property p: @0( op == none ); property q: @0( loc != loc );", 1, "0 r x; 0 step", "0.1:p 0.1:q");
}

/* ---- values ---- */

static void
test_values(void **unused)
{
  (void) unused;
  /* Each is true at the only event. */
  static const char *const truths[] = {
      "1 + 2 * 3 == 7",
      "(1 + 2) * 3 == 9",
      "7 / 2 == 3 && 7 % 4 == 3 && -7 / 2 == -3",
      "7 / 2.0 == 3.5 && 1 < 1.5 && -1.5 < -1",
      "0x10 == 16 && 1e3 == 1000.0",
      "\"abc\" < \"abd\" && \"a\\\"b\" != \"ab\" && \"\" < \"a\"",
      "!(1 / 0 == 1) && !(1 / 0 != 1) && !(1 % 0 == 0) && !(1.0 / 0 == 1.0)",
      "!(9223372036854775807 + 1 > 0) && !(9223372036854775807 + 1 <= 0) && !(9223372036854775807 * 2 != 0)",
      "1 - 2 - 3 == -4",
      "true -> false -> false",
      "(false -> false) -> true",
      "!(true && false) || false",
      "true || false && false",
      "false <-> false",
      "true && true since true",
      "(true since false) == false",
      "!true || true",
      "prev n == 3",
      "s == \"hello\" && r == 0.5 && b",
      "undefined == 0 -> false",
      "!(undefined == undefined) && !(undefined != undefined)",
      "@0(n) + @0(@0(n)) == 2 * n",
      "forall i: exists j: @i(@j(n)) == 3",
      "always once n == 3",
  };
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
  {
    hd_string text = {0};
    hd_string_printf(&text,
                     "local int n = 3; local string s = \"hello\"; local real r = 0.5; local bool b = true;"
                     "shared undefined = 5; property p: @0( write(undefined) -> %s );",
                     truths[i]);
    expect(text.text, 1, "0 w undefined", "");
    hd_string_free(&text);
  }
  expect("local real r = -1; local string s = \"\"; property p: @0( r < 0 && s == \"\" );", 1,
         "0 step; 0 set r 2.5; 0 set r -1; 0 set s x", "0.2:p 0.4:p");
}

/* ---- messages ---- */

static void
test_messages(void **unused)
{
  (void) unused;
  static const struct
  {
    const char *text, *message;
  } cases[] = {
      {"", "1:1: error: there is no property in this file"},
      {"property p: @0( 1 );", "1:17: error: a property is a condition, and '1' is of type int"},
      {"property p: @0( !1 );", "1:18: error: '!' takes a condition, and '1' is of type int"},
      {"property p: @0( once (1 + 2) );", "1:23: error: once takes a condition, and '1 + 2' is of type int"},
      {"property p: @0( true && 2 );", "1:25: error: '&&' takes a condition, and '2' is of type int"},
      {"property p: @0( true + 2 == 2 );", "1:17: error: '+' takes numbers, and 'true' is of type bool"},
      {"property p: @0( 1.5 % 2 == 2 );", "1:17: error: '%' takes integers, and '1.5' is of type real"},
      {"property p: @0( -true );", "1:18: error: '-' takes a number, and 'true' is of type bool"},
      {"property p: @0( \"a\" == 1 );", "1:17: error: '==' cannot compare '\"a\"' of type string with '1' of type int"},
      {"property p: @0( true < false );",
       "1:17: error: '<' cannot compare 'true' of type bool with 'false' of type bool"},
      {"property p: @0( loc < loc );", "1:17: error: '<' cannot compare 'loc' of type loc with 'loc' of type loc"},
      {"property p: @0( n == 1 );", "1:17: error: there is no variable 'n' (declare it with 'shared' or 'local')"},
      {"local int a = 1;\nshared b.c[2];\nproperty p: @0( b.c == 1 );",
       "3:17: error: there is no variable 'b.c' (declare it with 'shared' or 'local'); known are a, b.c[2]"},
      {"local int a = 1; property p: @0( read(a) );",
       "1:39: error: 'a' is a thread's own variable: only shared ones are read and written by others"},
      {"property p: @i( true );",
       "1:14: error: there is no thread 'i' (bind it with 'forall i:', or declare 'thread i = \"name\";')"},
      {"property p: forall i: @i( (forall j: true) && @j(true) );",
       "1:48: error: there is no thread 'j' (bind it with 'forall j:', or declare 'thread j = \"name\";')"},
      {"property p: @( true );", "1:14: error: a thread is missing here: a variable, a name or a number"},
      {"property p: @0( forall : true );",
       "1:24: error: the name of a thread variable is missing, as in 'forall j != i:'"},
      {"property p: @0( forall j != 1: true );",
       "1:29: error: a thread variable is left out by another one, as in 'forall j != i:'"},
      {"property p: @0( true ); property p: @0( true );", "1:34: error: there are two properties 'p'"},
      {"property p: @0( true )", "1:23: error: the file ends, and ';' is missing at the end of the property"},
      {"property p: @0( true && );", "1:25: error: a value or a condition is missing here"},
      {"property p: @0( (true ;", "1:23: error: ')' is missing to close '('; here is ';'"},
      {"property p: @0( true ) report never;", "1:31: error: 'report' is followed by each, once, stop, abort or call"},
      {"property : @0( true );", "1:10: error: a name is missing here"},
      {"property p: @0( read(x.) );", "1:24: error: the name of a field is missing after '.'"},
      {"property p: @0( read(x[y]) );", "1:24: error: a number is missing after '['"},
      {"local a = 1;", "1:7: error: the type is missing: bool, int, real or string"},
      {"local int a;", "1:12: error: the initial value is missing: 'local int a = ...;'"},
      {"local int a = true;", "1:15: error: this is no constant of type int"},
      {"local int a = 1, a = 2;", "1:18: error: 'a' is declared twice"},
      {"thread t = 1; thread t = 2;", "1:22: error: the thread 't' is declared twice"},
      {"thread t = -;", "1:12: error: a thread is named by a string, a function or a number"},
      {"on start f: a = 1;", "1:4: error: 'on' is followed by enter, exit, lock or unlock"},
      {"on enter f: a = 1;", "1:13: error: 'a' is no thread's own variable; declare it with 'local'"},
      {"local int a = 0; on enter f: a = true;", "1:34: error: 'a' is of type int, and 'true' of type bool"},
      {"local bool a = 0; on enter f: a = once a;", "1:35: error: a value that is set can have no @ and no past in it"},
      {"what p;", "1:1: error: a declaration begins with shared, local, thread, on or property, not with 'what'"},
      {"property p:\n  @0( s == \"abc );\n", "2:12: error: this string does not end on its line"},
      {"property p: @0( 1 == 12x );", "1:22: error: this is not a number, or it is too large"},
      {"property p: @0( 1 == 99999999999999999999 );", "1:22: error: this is not a number, or it is too large"},
      {"property p: @0( 1 $ 2 );", "1:19: error: this character means nothing here"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string got = {0}, want = {0};
    hd_mttl_file *f = hd_mttl_parse("p.mttl", cases[i].text, strlen(cases[i].text), &got);
    hd_string_printf(&want, "p.mttl:%s\n", cases[i].message);
    assert_null(f);
    assert_string_equal(got.text, want.text);
    hd_string_free(&got);
    hd_string_free(&want);
  }
}

/* Every declaration has its message; what follows from a mistake has none. */
static void
test_several_messages(void **unused)
{
  (void) unused;
  hd_string got = {0};
  const char *text = "# a file\nlocal int a = 0;\nproperty p: @0( a + );\nproperty q: @0( b == c );\n// end\nlocal;\n";
  assert_null(hd_mttl_parse("p.mttl", text, strlen(text), &got));
  assert_string_equal(got.text, "p.mttl:3:21: error: a value or a condition is missing here\n"
                                "p.mttl:4:17: error: there is no variable 'b' (declare it with 'shared' or 'local'); "
                                "known are a\n"
                                "p.mttl:6:6: error: the type is missing: bool, int, real or string\n");
  hd_string_free(&got);
  assert_null(hd_mttl_read("/nowhere/p.mttl", &got));
  assert_string_equal(got.text, "/nowhere/p.mttl: error: cannot read it: No such file or directory\n");
  hd_string_free(&got);
}

static void
parse_repeated(const char *part, size_t n, const char *end, const char *message)
{
  hd_string text = {0}, got = {0};
  hd_string_add(&text, "property p: forall i: @i( ");
  for (size_t i = 0; i < n; i++)
    hd_string_add(&text, part);
  hd_string_add(&text, end);
  hd_mttl_file *f = hd_mttl_parse("p", text.text, text.length, &got);
  if (message)
    assert_string_equal(got.text, message);
  else
    assert_int_equal(got.length, 0);
  hd_mttl_free(f);
  hd_string_free(&text);
  hd_string_free(&got);
}

static void
test_nesting(void **unused)
{
  (void) unused;
  parse_repeated("!", 150, "true );", NULL);
  parse_repeated("!", 5000, "true );", "p:1:226: error: formulas are nested more than 200 deep here\n");
  parse_repeated("(", 5000, "true );", "p:1:127: error: formulas are nested more than 200 deep here\n");
  parse_repeated("@i(", 5000, "true );", "p:1:327: error: formulas are nested more than 200 deep here\n");
  parse_repeated("-", 5000, "1 == 1 );", "p:1:226: error: formulas are nested more than 200 deep here\n");
  parse_repeated("true -> ", 5000, "true );", "p:1:1619: error: formulas are nested more than 200 deep here\n");
  parse_repeated("true && ", 900, "true );", NULL);
  parse_repeated("true && ", 5000, "true );",
                 "p:1:27: error: this formula has more than 1000 operators around one another\n");
  parse_repeated("true since ", 5000, "true );",
                 "p:1:27: error: this formula has more than 1000 operators around one another\n");
  parse_repeated("forall j: ", 7, "true );", NULL);
  parse_repeated("forall j: ", 8, "true );", "p:1:104: error: a property can have at most 8 thread variables\n");
}

/* ---- explanations ---- */

static void
test_explanations(void **unused)
{
  (void) unused;
  hd_string why = {0};
  free(script_judge("local int n = 2; # a number\nproperty p: forall i: @i( n > 0 &&\n  forall j != i: (@j(n) <= n) );",
                    3, "1 set n 5; 1 w x; 0 r x", &why));
  assert_string_equal(why.text, "n > 0 && forall j != i: (@j(n) <= n): false\n"
                                "  forall j != i: (@j(n) <= n): false, because of thread 1\n"
                                "    @j(n) <= n: false\n"
                                "      @j(n): 5 (as far as is known here)\n"
                                "      n: 2\n");
  hd_string_clear(&why);
  free(script_judge(FULL, 2, "0 w x; 1 r x", &why));
  assert_non_null(strstr(why.text, "@j(op): W (as far as is known here)\n"));
  assert_non_null(strstr(why.text, "loc: 8 bytes at 0x0\n"));
  hd_string_clear(&why);
  free(script_judge("property p: @0( false );", 1, "0 step", &why));
  assert_string_equal(why.text, "false: false\n");
  hd_string_clear(&why);
  free(script_judge("local string s = \"a # b\"; property p: @0( s == \"a  # c\" # not\n || 1 / 0 == 1.5 );", 1,
                    "0 step", &why));
  assert_string_equal(why.text, "s == \"a  # c\" || 1 / 0 == 1.5: false\n"
                                "  s == \"a  # c\": false\n"
                                "    s: \"a # b\"\n"
                                "  1 / 0 == 1.5: false\n"
                                "    1 / 0: undefined\n");
  hd_string_free(&why);
}

/* ---- what comes with Heddle ---- */

/* Which files are about all memory. */
static void
test_all_memory(void **unused)
{
  (void) unused;
  static const struct
  {
    const char *text;
    bool everything;
  } files[] = {{"shared x; property p: @0( x == 1 );", false},
               {"shared *; property p: @0( true );", true},
               {"property p: @0( op == W );", true},
               {"property p: forall i: @i( forall j != i: (loc != @j(loc)) );", true},
               {"property p: @0( read(x) );", false}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
  {
    hd_string messages = {0};
    hd_mttl_file *f = hd_mttl_parse("p.mttl", files[i].text, strlen(files[i].text), &messages);
    assert_non_null(f);
    assert_int_equal(f->everything, files[i].everything);
    assert_string_equal(f->text, files[i].text);
    hd_mttl_free(f);
  }
}

static void
test_library(void **unused)
{
  (void) unused;
  static const char *const names[]
      = {"race", "race_published", "atomicity", "mutex", "lock_discipline", "init_first", "order"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
  {
    hd_string path = {0}, messages = {0};
    hd_string_printf(&path, "%s/properties/%s.mttl", TEST_SOURCE_ROOT, names[i]);
    hd_mttl_file *f = hd_mttl_read(path.text, &messages);
    if (!f)
      fail_msg("%s", messages.text);
    assert_int_equal(f->nproperties, 1);
    assert_string_equal(f->properties[0].name, names[i]);
    assert_int_equal(f->properties[0].action, HD_MTTL_EACH);
    hd_mttl_free(f);
    hd_string_free(&path);
    hd_string_free(&messages);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure_2),         cmocka_unit_test(test_bank),
                                     cmocka_unit_test(test_readings),         cmocka_unit_test(test_races),
                                     cmocka_unit_test(test_atomic),           cmocka_unit_test(test_synchronisation),
                                     cmocka_unit_test(test_threads),          cmocka_unit_test(test_flags),
                                     cmocka_unit_test(test_values),           cmocka_unit_test(test_messages),
                                     cmocka_unit_test(test_nesting),          cmocka_unit_test(test_explanations),
                                     cmocka_unit_test(test_several_messages), cmocka_unit_test(test_all_memory),
                                     cmocka_unit_test(test_library)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
