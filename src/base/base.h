/* base.h: what every part of Heddle stands on; knows nothing of the rest.
 *
 * Ownership in signatures: HD_GIVE the caller owns the result, HD_TAKE the callee owns the argument from now on,
 * HD_KEEP the argument must outlive the callee's object. */
#ifndef HD_BASE_H
#define HD_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <heddle/value.h>

#define HD_GIVE
#define HD_TAKE
#define HD_KEEP

#define HD_LIKELY(e) __builtin_expect(!!(e), 1)
#define HD_UNLIKELY(e) __builtin_expect(!!(e), 0)

/* A broken invariant of ours: says where and aborts. On in release builds. */
#define HD_CHECK(e) (HD_LIKELY(e) ? (void) 0 : hd_check_failed(#e, __FILE__, __LINE__))
_Noreturn void hd_check_failed(const char *what, const char *file, int line);

/* Exit statuses and verdicts, everywhere. */
typedef enum hd_verdict
{
  HD_HOLDS = 0,
  HD_VIOLATED = 1,
  HD_BAD_INPUT = 2,
  HD_INCOMPLETE = 3
} hd_verdict;

/* ---- memory: these never return null; out of memory is fatal with a message (exit status 3) ---- */
/* HOOK is called first when memory runs out; if it does not return, the program goes on without us. */
void hd_memory_hook(void (*hook)(void));
HD_GIVE void *hd_alloc(size_t n);
HD_GIVE void *hd_alloc_zero(size_t n);
HD_GIVE void *hd_realloc(HD_TAKE void *p, size_t n);
HD_GIVE void *hd_alloc_array(size_t n, size_t size); /* checked multiplication */
HD_GIVE char *hd_strndup(const char *s, size_t n);   /* exactly N bytes, zero bytes among them, and a zero byte after */

/* ---- arena: allocation with mark and release; pointers stay valid until released ---- */
typedef struct hd_arena hd_arena;
typedef struct hd_arena_mark
{
  void *block;
  size_t used;
} hd_arena_mark;
HD_GIVE hd_arena *hd_arena_new(void);
void hd_arena_free(HD_TAKE hd_arena *a);
void *hd_arena_alloc(hd_arena *a, size_t n); /* aligned to 16 */
hd_arena_mark hd_arena_get_mark(const hd_arena *a);
void hd_arena_release(hd_arena *a, hd_arena_mark mark);
void hd_arena_reset(hd_arena *a); /* keeps the first block */

/* ---- vector: grow the array *P of elements of SIZE so that it can hold N; *CAP is kept up to date ---- */
void hd_grow(void *p, size_t *cap, size_t n, size_t size);
/* The same, and every place beyond the old *CAP is zero. */
void hd_grow_zero(void *p, size_t *cap, size_t n, size_t size);
#define HD_PUSH(array, n, cap, ...)                                                                                    \
  do                                                                                                                   \
  {                                                                                                                    \
    if ((n) == (cap))                                                                                                  \
      hd_grow(&(array), &(cap), (n) + 1, sizeof *(array));                                                             \
    (array)[(n)++] = (__VA_ARGS__);                                                                                    \
  } while (0)

/* ---- strings: a buffer that grows; always zero-terminated once something was added ---- */
typedef struct hd_string
{
  char *text;
  size_t length, cap;
} hd_string;
void hd_string_add(hd_string *s, const char *text);
void hd_string_add_n(hd_string *s, const char *text, size_t n);
void hd_string_printf(hd_string *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
HD_GIVE char *hd_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a string of its own */
void hd_string_vprintf(hd_string *s, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void hd_string_clear(hd_string *s);
void hd_string_free(hd_string *s);

/* The UTF-8 character at S, of which N > 0 bytes may be read. Returns how many bytes it has and its number in *CODE.
 * Malformed, overlong, surrogate or cut: *GOOD is false and the answer is how many bytes to skip as one error, as
 * Unicode recommends (the longest part that could have begun a character, at least one byte). */
size_t hd_utf8_read(const char *s, size_t n, uint32_t *code, bool *good);

/* ---- values ---- */
/* Let V be of the type that LETTER means (hd_method in heddle/spec.h). False: it cannot be. */
bool hd_value_convert(hd_value *v, char letter);
/* As a person would write it: 5, true, "text", 0x0a0b…, nil. Long ones are cut after MAX bytes with a mark. */
void hd_value_print(hd_string *out, hd_value v, size_t max);
/* As JSON: integers as numbers, byte strings as {"bytes":"0a0b"}. */
void hd_value_json(hd_string *out, hd_value v);
void hd_json_string(hd_string *out, const char *s, size_t n); /* with quotes; bad UTF-8 becomes U+FFFD */
void hd_json_text(hd_string *out, const char *key, const char *text); /* "key":"text"; null for NULL */
/* SARIF 2.1.0: a path as a URI, relative ones stay so; and a log of one run, from the texts of its rules and results.
 */
void hd_sarif_uri(hd_string *out, const char *path);
/* A location; what is not known is NULL or 0. */
void hd_sarif_location(hd_string *out, const char *message, const char *file, int line, const char *function);
void hd_sarif_log(hd_string *out, const char *rules, const char *results, const char *summary, bool complete);
const char *hd_type_name(uint32_t type);

/* ---- what not to report (suppressions.c): the format is ThreadSanitizer's ---- */
typedef struct hd_suppression
{
  const char *kind, *pattern;
} hd_suppression;
typedef struct hd_suppressions
{
  hd_arena *texts;
  hd_suppression *lines;
  size_t n, cap;
} hd_suppressions;
/* NULL: *ERROR says what is wrong, with the place. */
HD_GIVE hd_suppressions *hd_suppressions_read(const char *path, HD_GIVE char **error);
void hd_suppressions_free(HD_TAKE hd_suppressions *s);
/* PATTERN somewhere in TEXT (NULL: in none); ^ is its start, $ its end, * anything. */
bool hd_suppression_fits(const char *pattern, const char *text);

/* ---- hash: a good 64-bit mix, and of bytes ---- */
uint64_t hd_hash_bytes(const void *p, size_t n);
static inline uint64_t
hd_mix(uint64_t x)
{
  x ^= x >> 32;
  x *= 0xe9846af9b1a615dull;
  x ^= x >> 32;
  x *= 0xe9846af9b1a615dull;
  x ^= x >> 28;
  return x;
}

/* Equal values (hd_value_equal) hash alike: a number's hash does not depend on whether it is signed, unsigned or a
 * boolean. */
uint64_t hd_value_hash_other(hd_value v); /* of what is no number */
static inline uint64_t
hd_value_hash(hd_value v)
{
  return HD_LIKELY(v.type != HD_NIL && v.type < HD_STR) ? hd_mix(v.u + 1) : hd_value_hash_other(v);
}

/* ---- random numbers for tests and stress: splitmix64, the same everywhere for one seed ---- */
static inline uint64_t
hd_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

#endif
