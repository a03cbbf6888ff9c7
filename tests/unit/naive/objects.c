/* objects.c: the built-in specifications, as the makers of histories see them. */
#include "naive/objects.h"

#include <string.h>

#include "base/base.h"
#include "specs/specs.h"

const naive_object naive_objects[NAIVE_OBJECTS] = {
    {.name = "counter",
     .initial = true,
     .methods = {{"inc", "", 'm', 3}, {"dec", "", 'm', 2}, {"add", "a", 'm', 2}, {"get", "", 'c', 4}}},
    {.name = "lock", .methods = {{"acquire", "", 'd', 2}, {"release", "", 'd', 2}, {"try", "", 'b', 3}}},
    {.name = "map",
     .texts = true,
     .methods = {{"get", "k", 'v', 4}, {"put", "kv", 'd', 4}, {"append", "kt", 'd', 3}, {"del", "k", 'b', 2}}},
    {.name = "multiset",
     .methods = {{"insert", "k", 'b', 4}, {"delete", "k", 'b', 3}, {"count", "k", 'c', 2}, {"contains", "k", 'b', 2}}},
    {.name = "pqueue", .methods = {{"insert", "v", 'd', 5}, {"delmin", "", 'v', 4}}},
    {.name = "queue",
     .methods = {{"enqueue", "v", 'd', 3}, {"enq", "v", 'd', 2}, {"dequeue", "", 'v', 2}, {"deq", "", 'v', 2}}},
    {.name = "register",
     .initial = true,
     .methods = {{"read", "", 'v', 5}, {"write", "v", 'd', 4}, {"cas", "vv", 'b', 3}}},
    {.name = "set", .methods = {{"add", "k", 'b', 4}, {"remove", "k", 'b', 3}, {"contains", "k", 'b', 3}}},
    {.name = "stack", .methods = {{"push", "v", 'd', 5}, {"pop", "", 'v', 4}}},
};

const hd_spec *
naive_spec(const naive_object *object)
{
  return object->spec ? object->spec : hd_specs_find(object->name);
}

uint32_t
naive_method_index(const hd_spec *spec, const char *name)
{
  uint32_t i = 0;
  while (i < spec->nmethods && strcmp(spec->methods[i].name, name) != 0)
    i++;
  HD_CHECK(i < spec->nmethods);
  return i;
}

const naive_method *
naive_method_get(const naive_object *object, uint32_t method)
{
  const char *name = naive_spec(object)->methods[method].name;
  for (size_t i = 0; i < NAIVE_METHODS && object->methods[i].name; i++)
    if (strcmp(object->methods[i].name, name) == 0)
      return &object->methods[i];
  HD_CHECK(!"a method that nobody described");
  return NULL;
}
