/* test_base.c: arena, growing arrays, strings, values as text and as JSON, hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

/* ---- memory ---- */

static void
memory_is_never_null(void **state)
{
  (void) state;
  void *p = hd_alloc(0), *q = hd_alloc_zero(0), *r = hd_realloc(NULL, 0);
  assert_non_null(p);
  assert_non_null(q);
  assert_non_null(r);
  free(p);
  free(q);
  free(r);
  char *s = hd_strndup("heddle", 3);
  assert_string_equal(s, "hed");
  free(s);
  s = hd_strndup("ab\0cd", 5); /* strings of a log may hold zero bytes */
  assert_memory_equal(s, "ab\0cd", 6);
  free(s);
  s = hd_strndup(NULL, 0);
  assert_string_equal(s, "");
  free(s);
}

/* The status a child ends with that runs F; its messages are thrown away. */
static int
status_of(void (*f)(void))
{
  pid_t child = fork();
  if (child == 0)
  {
    if (!freopen("/dev/null", "w", stderr))
      _exit(99);
    f();
    _exit(98);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void
ask_for_too_much(void)
{
  volatile size_t n = SIZE_MAX / 4;
  free(hd_alloc_array(n, 16));
}

static void
break_an_invariant(void)
{
  volatile int one = 1;
  HD_CHECK(one == 2);
}

static void
fatal_ends(void **state)
{
  (void) state;
  int status = status_of(ask_for_too_much);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), HD_INCOMPLETE);
  status = status_of(break_an_invariant);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void
vector_grows(void **state)
{
  (void) state;
  struct pair
  {
    int a, b;
  } *array = NULL;
  size_t n = 0, cap = 0;
  for (int i = 0; i < 10000; i++)
    HD_PUSH(array, n, cap, (struct pair){i, -i});
  assert_int_equal(n, 10000);
  assert_true(cap >= n && cap < 2 * n);
  for (int i = 0; i < 10000; i++)
    assert_true(array[i].a == i && array[i].b == -i);
  size_t before = cap;
  hd_grow(&array, &cap, 5, sizeof *array); /* enough already */
  assert_int_equal(cap, before);
  hd_grow(&array, &cap, 100000, sizeof *array);
  assert_true(cap >= 100000);
  free(array);
}

/* ---- arena ---- */

static void
arena_keeps_what_it_gave(void **state)
{
  (void) state;
  uint64_t seed = 7;
  hd_arena *a = hd_arena_new();
  enum
  {
    N = 2000
  };
  unsigned char *p[N];
  size_t size[N];
  for (int i = 0; i < N; i++)
  {
    size[i] = hd_random(&seed) % (i % 100 ? 64 : 20000);
    p[i] = hd_arena_alloc(a, size[i]);
    assert_int_equal((uintptr_t) p[i] % 16, 0);
    memset(p[i], i & 255, size[i]);
  }
  for (int i = 0; i < N; i++)
    for (size_t k = 0; k < size[i]; k++)
      assert_int_equal(p[i][k], i & 255);
  hd_arena_free(a);
  hd_arena_free(NULL);
}

/* Random marks, allocations and releases against what must still be there. */
static void
arena_marks_nest(void **state)
{
  (void) state;
  enum
  {
    STEPS = 20000,
    DEPTH = 32
  };
  uint64_t seed = 20250;
  hd_arena *a = hd_arena_new();
  hd_arena_mark marks[DEPTH];
  struct item
  {
    uint64_t *p;
    size_t words;
    uint64_t content;
  } *items = NULL;
  size_t nitems = 0, cap = 0, at[DEPTH], depth = 0;
  for (int step = 0; step < STEPS; step++)
  {
    uint64_t r = hd_random(&seed);
    if (r % 8 == 0 && depth < DEPTH)
    {
      marks[depth] = hd_arena_get_mark(a);
      at[depth++] = nitems;
    }
    else if (r % 8 == 1 && depth > 0)
    {
      depth -= 1 + (r >> 8) % depth; /* several levels at once */
      for (size_t i = 0; i < nitems; i++)
        for (size_t k = 0; k < items[i].words; k++)
          if (items[i].p[k] != items[i].content)
            fail_msg("seed 20250, step %d: item %zu was overwritten", step, i);
      hd_arena_release(a, marks[depth]);
      nitems = at[depth];
    }
    else
    {
      size_t words = (r >> 8) % 50 == 0 ? 3000 : (r >> 16) % 20;
      struct item item = {hd_arena_alloc(a, words * 8), words, r};
      for (size_t k = 0; k < words; k++)
        item.p[k] = r;
      HD_PUSH(items, nitems, cap, item);
    }
  }
  free(items);
  hd_arena_free(a);
}

static void
arena_resets(void **state)
{
  (void) state;
  hd_arena *a = hd_arena_new();
  hd_arena_reset(a); /* empty */
  hd_arena_mark empty = hd_arena_get_mark(a);
  void *first = hd_arena_alloc(a, 100);
  hd_arena_alloc(a, 1 << 22);
  hd_arena_reset(a);
  assert_ptr_equal(hd_arena_alloc(a, 100), first);
  hd_arena_release(a, empty);
  assert_ptr_equal(hd_arena_alloc(a, 100), first);
  hd_arena_free(a);
}

/* ---- strings ---- */

static void
strings_grow(void **state)
{
  (void) state;
  hd_string s = {0};
  hd_string_add(&s, "");
  assert_string_equal(s.text, "");
  hd_string_add_n(&s, NULL, 0);
  for (int i = 0; i < 1000; i++)
    hd_string_printf(&s, "%d,", i);
  assert_int_equal(s.length, 10 * 2 + 90 * 3 + 900 * 4);
  assert_int_equal(strlen(s.text), s.length);
  assert_memory_equal(s.text + s.length - 8, "998,999,", 9);
  hd_string_clear(&s);
  assert_string_equal(s.text, "");
  hd_string_add_n(&s, "a\0b", 3);
  assert_int_equal(s.length, 3);
  assert_memory_equal(s.text, "a\0b", 4);
  hd_string_free(&s);
  assert_null(s.text);
  hd_string_clear(&s);
}

/* ---- values ---- */

static void
expect_print(hd_value v, size_t max, const char *expected)
{
  hd_string s = {0};
  hd_value_print(&s, v, max);
  assert_string_equal(s.text, expected);
  hd_string_free(&s);
}

static void
expect_json(hd_value v, const char *expected)
{
  hd_string s = {0};
  hd_value_json(&s, v);
  assert_string_equal(s.text, expected);
  hd_string_free(&s);
}

static void
values_print(void **state)
{
  (void) state;
  expect_print(hd_nil(), 9, "nil");
  expect_print(hd_int(-5), 9, "-5");
  expect_print(hd_int(INT64_MIN), 0, "-9223372036854775808");
  expect_print(hd_uint(UINT64_MAX), 0, "18446744073709551615");
  expect_print(hd_bool(true), 9, "true");
  expect_print(hd_bool(false), 9, "false");
  expect_print(hd_str(""), 9, "\"\"");
  expect_print(hd_str("say \"hi\"\\\n\t\r"), 99, "\"say \\\"hi\\\"\\\\\\n\\t\\r\"");
  expect_print(hd_str("\033[31mred\177"), 99, "\"\\x1b[31mred\\x7f\"");
  expect_print(hd_str("\xc2\x9b"), 99, "\"\\xc2\\x9b\""); /* U+009B: a control character too */
  expect_print(hd_str("gr\xc3\xbc\xc3\x9f"), 99, "\"gr\xc3\xbc\xc3\x9f\"");
  expect_print(hd_str("a\xff\xfe"), 99, "\"a\\xff\\xfe\"");
  expect_print((hd_value){.type = HD_STR, .length = 3, .s = "a\0b"}, 99, "\"a\\x00b\"");
  /* Cut between characters, never inside one. */
  expect_print(hd_str("abcdef"), 6, "\"abcdef\"");
  expect_print(hd_str("abcdef"), 5, "\"abcde\"…");
  expect_print(hd_str("abcdef"), 0, "\"\"…");
  expect_print(hd_str("ab\xc3\xbc"), 3, "\"ab\"…");
  expect_print(hd_str("ab\xc3\xbc"), 4, "\"ab\xc3\xbc\"");
  expect_print(hd_bytes("\x0a\x0b\xff", 3), 9, "0x0a0bff");
  expect_print(hd_bytes("\x0a\x0b\xff", 3), 2, "0x0a0b…");
  expect_print(hd_bytes(NULL, 0), 2, "0x");
  expect_print((hd_value){.type = 77}, 2, "<unknown type 77>");
  assert_string_equal(hd_type_name(HD_BYTES), "bytes");
  assert_string_equal(hd_type_name(77), "unknown type");
}

static void
values_json(void **state)
{
  (void) state;
  expect_json(hd_nil(), "null");
  expect_json(hd_int(-5), "-5");
  expect_json(hd_uint(UINT64_MAX), "18446744073709551615");
  expect_json(hd_bool(true), "true");
  expect_json(hd_bytes("\x0a\x0b", 2), "{\"bytes\":\"0a0b\"}");
  expect_json(hd_bytes(NULL, 0), "{\"bytes\":\"\"}");
  expect_json(hd_str("a\"b\\c/\n\r\t\b\001\177"), "\"a\\\"b\\\\c/\\n\\r\\t\\u0008\\u0001\\u007f\"");
  expect_json((hd_value){.type = HD_STR, .length = 3, .s = "a\0b"}, "\"a\\u0000b\"");
}

#define BAD "\xef\xbf\xbd"

static void
json_repairs_utf8(void **state)
{
  (void) state;
  static const struct
  {
    const char *in, *out;
  } cases[] = {
      {"\xc3\xbc", "\xc3\xbc"},
      {"\xe2\x82\xac", "\xe2\x82\xac"},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
      {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
      {"\x80", BAD},
      {"\xff", BAD},
      {"\xc3", BAD},     /* cut */
      {"\xe2\x82", BAD}, /* cut: one error */
      {"\xe2\x82"        /* cut by a letter, which stays */
       "a",
       BAD "a"},
      {"\xc0\xaf", BAD BAD},                 /* overlong */
      {"\xe0\x80\xaf", BAD BAD BAD},         /* overlong */
      {"\xed\xa0\x80", BAD BAD BAD},         /* surrogate */
      {"\xf4\x90\x80\x80", BAD BAD BAD BAD}, /* above U+10FFFF */
      {"\xf0\x9f\x98"                        /* cut by a quote, which must still be escaped */
       "\"",
       BAD "\\\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string got = {0}, expected = {0};
    hd_json_string(&got, cases[i].in, strlen(cases[i].in));
    hd_string_printf(&expected, "\"%s\"", cases[i].out);
    assert_string_equal(got.text, expected.text);
    hd_string_free(&got);
    hd_string_free(&expected);
  }
}

/* Whatever comes in, what comes out is a JSON string: well-formed UTF-8, no control characters, quotes escaped. */
static void
json_survives_anything(void **state)
{
  (void) state;
  const uint64_t first_seed = 99;
  uint64_t seed = first_seed;
  for (int round = 0; round < 20000; round++)
  {
    char in[24];
    size_t n = hd_random(&seed) % (sizeof in + 1);
    for (size_t i = 0; i < n; i++)
      in[i] = (char) hd_random(&seed);
    /* A copy of exactly N bytes, so that AddressSanitizer sees a read beyond it. */
    char *exact = hd_alloc(n);
    memcpy(exact, in, n);
    hd_string out = {0};
    hd_json_string(&out, exact, n);
    free(exact);
    bool right = out.length >= 2 && out.text[0] == '"' && out.text[out.length - 1] == '"';
    for (size_t i = 1; right && i + 1 < out.length;)
    {
      uint32_t code;
      bool good;
      i += hd_utf8_read(out.text + i, out.length - i, &code, &good);
      right = good && code >= 0x20 && code != '"';
      if (code == '\\')
        i++; /* the escaped character */
    }
    if (!right)
      fail_msg("seed %d, round %d: %s", (int) first_seed, round, out.text);
    hd_string_free(&out);
  }
}

/* ---- hashes ---- */

static void
equal_values_hash_alike(void **state)
{
  (void) state;
  char text[] = "text";
  hd_value values[]
      = {hd_nil(),      hd_int(0),         hd_uint(0),        hd_bool(false), hd_int(1),          hd_uint(1),
         hd_bool(true), hd_int(-1),        hd_uint(-1),       hd_str("text"), hd_str(text),       hd_bytes("text", 4),
         hd_str(""),    hd_bytes(NULL, 0), hd_int(INT64_MIN), hd_int(5),      hd_uint(1ull << 63)};
  size_t n = sizeof values / sizeof *values;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      if (hd_value_equal(values[i], values[k]))
        assert_true(hd_value_hash(values[i]) == hd_value_hash(values[k]));
  assert_true(hd_value_equal(hd_int(1), hd_bool(true)));
  assert_false(hd_value_equal(hd_int(-1), hd_uint(-1)));
  assert_false(hd_value_equal(hd_str("text"), hd_bytes("text", 4)));
  assert_true(hd_value_hash(hd_str("text")) != hd_value_hash(hd_bytes("text", 4)));
}

/* Neighbours must spread over all buckets: 2^16 consecutive integers into 2^16 buckets leave about 1/e empty. */
static void
hashes_spread(void **state)
{
  (void) state;
  enum
  {
    N = 1 << 16
  };
  for (int shift = 0; shift <= 48; shift += 16)
  {
    unsigned char *seen = hd_alloc_zero(N);
    int used = 0;
    for (uint64_t i = 0; i < N; i++)
    {
      uint64_t bucket = hd_value_hash(hd_uint(i << 3)) >> shift & (N - 1);
      used += !seen[bucket];
      seen[bucket] = 1;
    }
    free(seen);
    assert_in_range(used, N * 60 / 100, N * 66 / 100);
  }
  assert_true(hd_hash_bytes("ab", 2) != hd_hash_bytes("ba", 2));
  assert_true(hd_hash_bytes("", 0) == hd_hash_bytes(NULL, 0));
}

static void
random_numbers_repeat(void **state)
{
  (void) state;
  uint64_t seed = 0;
  assert_true(hd_random(&seed) == 0xe220a8397b1dcdafull); /* splitmix64's published first number */
}

/* Patterns of suppressions. */
static void
test_suppressions(void **unused)
{
  (void) unused;
  static const struct
  {
    const char *pattern, *text;
    bool fits;
  } cases[] = {{"lock", "unlock_all", true},
               {"^lock", "unlock", false},
               {"^un*all", "unlock_all", true},
               {"lock$", "unlock", true},
               {"lock$", "unlocked", false},
               {"^unlock$", "unlock", true},
               {"^lock$", "unlock", false},
               {"a*b$", "xaxxb", true},
               {"a*b$", "xbxxa", false},
               {"*", "", true},
               {"$", "anything", true},
               {"^$", "anything", false},
               {"ab*ab$", "xxabab", true},
               {"^ab*ab$", "ab", false},
               {"race", NULL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(hd_suppression_fits(cases[i].pattern, cases[i].text), cases[i].fits);
  /* A matcher that tries every way would not come back from this. */
  char text[2000], pattern[201];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = 0;
  for (size_t i = 0; i < 200; i += 2)
    memcpy(pattern + i, "a*", 2);
  pattern[199] = 'b';
  pattern[200] = 0;
  assert_false(hd_suppression_fits(pattern, text));
}

static void
test_grow_zero(void **unused)
{
  (void) unused;
  uint32_t *a = NULL;
  size_t cap = 0;
  for (size_t n = 1; n < 3000; n = n * 3 + 1)
  {
    size_t old = cap;
    hd_grow_zero(&a, &cap, n, sizeof *a);
    assert_true(cap >= n);
    for (size_t i = 0; i < cap; i++)
      assert_int_equal(a[i], i < old ? 7 : 0);
    for (size_t i = 0; i < cap; i++)
      a[i] = 7;
  }
  free(a);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suppressions),
      cmocka_unit_test(test_grow_zero),
      cmocka_unit_test(memory_is_never_null),
      cmocka_unit_test(fatal_ends),
      cmocka_unit_test(vector_grows),
      cmocka_unit_test(arena_keeps_what_it_gave),
      cmocka_unit_test(arena_marks_nest),
      cmocka_unit_test(arena_resets),
      cmocka_unit_test(strings_grow),
      cmocka_unit_test(values_print),
      cmocka_unit_test(values_json),
      cmocka_unit_test(json_repairs_utf8),
      cmocka_unit_test(json_survives_anything),
      cmocka_unit_test(equal_values_hash_alike),
      cmocka_unit_test(hashes_spread),
      cmocka_unit_test(random_numbers_repeat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
