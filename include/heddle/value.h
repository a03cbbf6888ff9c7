/* value.h: the values that calls, returns and writes carry.
 *
 * Included by heddle.h (the program that logs) and by spec.h (the specification that judges). A string or byte
 * string is borrowed: whoever keeps a value beyond the call that handed it over must copy what it points to. */
#ifndef HEDDLE_VALUE_H
#define HEDDLE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum hd_type
{
  HD_NIL = 0,
  HD_INT = 1,
  HD_UINT = 2,
  HD_BOOL = 3,
  HD_STR = 4,   /* LENGTH bytes, not necessarily followed by a zero byte */
  HD_BYTES = 5, /* LENGTH bytes of anything */
} hd_type;

typedef struct hd_value
{
  uint32_t type;   /* an hd_type */
  uint32_t length; /* bytes of a string or byte string, else 0 */
  union
  {
    int64_t i;
    uint64_t u; /* also a boolean: 0 or 1 */
    const char *s;
    const void *p;
  };
} hd_value;

static inline hd_value
hd_nil(void)
{
  return (hd_value){.type = HD_NIL};
}

static inline hd_value
hd_int(int64_t i)
{
  return (hd_value){.type = HD_INT, .i = i};
}

static inline hd_value
hd_uint(uint64_t u)
{
  return (hd_value){.type = HD_UINT, .u = u};
}

static inline hd_value
hd_bool(bool b)
{
  return (hd_value){.type = HD_BOOL, .u = b};
}

static inline hd_value
hd_str(const char *s)
{
  return (hd_value){.type = HD_STR, .length = (uint32_t) strlen(s), .s = s};
}

static inline hd_value
hd_bytes(const void *p, size_t n)
{
  return (hd_value){.type = HD_BYTES, .length = (uint32_t) n, .p = p};
}

/* Equal in type and content. Integers, unsigned integers and booleans are equal if they are the same number. */
static inline bool
hd_value_equal(hd_value a, hd_value b)
{
  bool a_text = a.type >= HD_STR, b_text = b.type >= HD_STR;
  if (a_text || b_text)
    return a.type == b.type && a.length == b.length && (a.length == 0 || memcmp(a.p, b.p, a.length) == 0);
  if (a.type == HD_NIL || b.type == HD_NIL)
    return a.type == b.type;
  if ((a.type == HD_INT && a.i < 0) != (b.type == HD_INT && b.i < 0))
    return false;
  return a.u == b.u;
}

#endif
