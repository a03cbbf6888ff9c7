/* scan.h: where the words of a line end, and what they mean, without a loop or a branch.
 *
 * Lines differ at random, so a loop over the bytes of a word mostly ends where the processor did not expect it; and
 * where each word must be read before the next one is found, the processor waits. Here bitmaps say where the blanks of
 * a line and its end are: all its words, and the next line, are known at once.
 *
 * Behind the start of each line SCAN_ROOM bytes must exist that may be read, not all of them of the text. Private to
 * words.c. */
#ifndef HD_HISTORY_SCAN_H
#define HD_HISTORY_SCAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/base.h"

enum
{
  SCAN_LINE = 64, /* the longest line, with its end */
  SCAN_ROOM = SCAN_LINE + 8,
};

#define EACH_BYTE(b) (0x0101010101010101ull * (b))

/* The eight bytes at S, the first in the lowest byte. */
static inline uint64_t
eight_bytes(const char *s)
{
  uint64_t bytes;
  memcpy(&bytes, s, sizeof bytes);
  return le64toh(bytes);
}

/* ---- lines ---- */

#ifdef __SSE2__
static inline uint32_t
equal_bytes(const char *s, char c)
{
  __m128i all = _mm_set1_epi8(c);
  __m128i low = _mm_loadu_si128((const __m128i *) s), high = _mm_loadu_si128((const __m128i *) s + 1);
  return (uint32_t) _mm_movemask_epi8(_mm_cmpeq_epi8(low, all))
         | (uint32_t) _mm_movemask_epi8(_mm_cmpeq_epi8(high, all)) << 16;
}
#else
static inline uint32_t
equal_bytes(const char *s, char c)
{
  uint32_t map = 0;
  for (unsigned i = 0; i < 32; i += 8)
  {
    uint64_t other = eight_bytes(s + i) ^ EACH_BYTE((unsigned char) c);
    /* The highest bit of each byte that is 0; then these bits next to each other in the highest byte. */
    uint64_t equal = ~((other & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f)) & ~other & EACH_BYTE(0x80);
    map |= (uint32_t) ((equal >> 7) * 0x0102040810204080ull >> 56) << i;
  }
  return map;
}
#endif

/* Where the words of the line at S end, as bits; the highest is *END, where the line ends. 0: it is too long. */
static inline uint64_t
word_ends(const char *s, size_t *end)
{
  uint64_t ends = equal_bytes(s, '\n'), blanks = equal_bytes(s, ' ');
  if (HD_UNLIKELY(ends == 0))
  {
    ends = (uint64_t) equal_bytes(s + 32, '\n') << 32;
    blanks |= (uint64_t) equal_bytes(s + 32, ' ') << 32;
    if (ends == 0)
      return 0;
  }
  *end = (size_t) __builtin_ctzll(ends);
  return (blanks | ends) & (ends ^ (ends - 1));
}

/* The first of ENDS, which is taken away. There must be one. */
static inline size_t
next_end(uint64_t *ends)
{
  size_t end = (size_t) __builtin_ctzll(*ends);
  *ends &= *ends - 1;
  return end;
}

/* ---- words ---- */

/* The word of N bytes at S, 1 <= N <= 8, its last byte in the highest one, zeros below. */
static inline uint64_t
short_word(const char *s, size_t n)
{
  return eight_bytes(s) << (-(8 * n) & 63);
}

static inline unsigned
digit(char c)
{
  return (unsigned char) c - '0'; /* above 9: it is none */
}

/* The word of N bytes at S, if it is a number of at most two digits. There is a blank before it. */
static inline bool
tiny_number(const char *s, size_t n, uint32_t *v)
{
  const char *last = s + n - 1;
  *v = (last[-1] & 0xfu) * 10 + digit(*last); /* of the blank before a single digit these bits are 0 */
  return n <= 2 && digit(*s) <= 9 && digit(*last) <= 9;
}

/* The word of N bytes at S, behind which there is a blank or a line end, if it is a number of at most eight digits. */
static inline bool
short_number(const char *s, size_t n, int64_t *v)
{
  uint64_t d = (eight_bytes(s) ^ EACH_BYTE('0')) << (-(8 * n) & 63);
  /* Is a byte above 9? Of no bytes the first one is. */
  bool good = (((d + EACH_BYTE(0x80 - 10)) | d) & EACH_BYTE(0x80)) == 0;
  /* Neighbours together: 2, 4, 8 digits. */
  d = (d * (1 + (10 << 8)) >> 8) & 0x00ff00ff00ff00ffull;
  d = (d * (1 + (100 << 16)) >> 16) & 0x0000ffff0000ffffull;
  *v = (int64_t) (d * (1 + (10000ull << 32)) >> 32);
  return good && n <= 8;
}

#endif
