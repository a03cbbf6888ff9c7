/* keyed.h: a specification whose operations concern one key, two, or all: for tests of components and partition. */
#ifndef NAIVE_KEYED_H
#define NAIVE_KEYED_H

#include "naive/objects.h"

enum
{
  NAIVE_KEYS = 4,
};

/* Keys 0 to NAIVE_KEYS - 1, all 0 at first.
 *   get k    put k v    copy k l: what K has, L has, too    sum k l    zero k l: both are 0
 *   size: how many are not 0    clear: all are 0 */
extern const naive_object naive_keyed;

#endif
