/* registry.c: the table of the built-in specifications. */
#include "specs.h"

#include <string.h>

#include "builtin.h"

static const hd_spec *const all[] = {
    &hd_specs_counter, &hd_specs_lock,     &hd_specs_map, &hd_specs_multiset, &hd_specs_pqueue,
    &hd_specs_queue,   &hd_specs_register, &hd_specs_set, &hd_specs_stack,
};

const hd_spec *
hd_specs_get(size_t i)
{
  return i < sizeof all / sizeof *all ? all[i] : NULL;
}

const hd_spec *
hd_specs_find(const char *name)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0)
      return all[i];
  return NULL;
}
