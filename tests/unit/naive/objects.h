/* objects.h: what the methods of an object take and return, for making histories of it. */
#ifndef NAIVE_OBJECTS_H
#define NAIVE_OBJECTS_H

#include <heddle/spec.h>

enum
{
  NAIVE_METHODS = 7,
};

/* ARGS has a letter for each argument: k a key, v a value, t a text, a an amount.
 * RET: d "it is done", b a boolean, v a value or nothing, c a small number, m a small number or nothing. */
typedef struct naive_method
{
  const char *name, *args;
  char ret;
  unsigned weight; /* how often it is chosen */
} naive_method;

typedef struct naive_object
{
  const char *name; /* of the specification */
  bool texts;       /* a half of its histories has texts for values; methods that take texts are only in these */
  bool initial;     /* it can be given an initial value */
  naive_method methods[NAIVE_METHODS];
  const hd_spec *spec; /* NULL: the built-in one of this name */
} naive_object;

enum
{
  NAIVE_OBJECTS = 9,
};
extern const naive_object naive_objects[NAIVE_OBJECTS]; /* the built-in specifications */

const hd_spec *naive_spec(const naive_object *object);
uint32_t naive_method_index(const hd_spec *spec, const char *name);
/* The description of method METHOD of the specification. */
const naive_method *naive_method_get(const naive_object *object, uint32_t method);

#endif
