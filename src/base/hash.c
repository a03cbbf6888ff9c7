/* hash.c: hashing of bytes and of values. The results are for tables in memory: they are not kept in files. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"

uint64_t
hd_hash_bytes(const void *p, size_t n)
{
  return XXH3_64bits(p, n);
}

uint64_t
hd_value_hash_other(hd_value v)
{
  return v.type >= HD_STR ? hd_hash_bytes(v.p, v.length) ^ v.type : hd_mix(0x9e3779b97f4a7c15ull);
}
