/* hash.c: hashing of bytes and of values. The results are for tables in memory: they are not kept in files. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"

uint64_t
hd_hash_bytes(const void *p, size_t n)
{
  return XXH3_64bits(p, n);
}

/* Equal values (hd_value_equal) hash alike: a number's hash does not depend on whether it is signed, unsigned or a
 * boolean. */
uint64_t
hd_value_hash(hd_value v)
{
  if (v.type >= HD_STR)
    return hd_hash_bytes(v.p, v.length) ^ v.type;
  if (v.type == HD_NIL)
    return hd_mix(0x9e3779b97f4a7c15ull);
  return hd_mix(v.u + 1);
}
