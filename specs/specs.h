/* specs.h: the specifications that are built into heddle. docs/refine.md lists their operations.
 *
 * They serve objects that differ in small things, so they are lenient where nothing is lost:
 *   - a key, an element or a value is any value (numbers, strings, nil);
 *   - an operation that only "is done" may return nothing or true;
 *   - one that says whether it changed something (add, remove, del, delete) may also return nothing;
 *   - taking from an empty container, or reading what is not there, may return nil or -1. */
#ifndef HD_SPECS_H
#define HD_SPECS_H

#include <heddle/spec.h>

/* The built-in specification called NAME, or NULL. */
const hd_spec *hd_specs_find(const char *name);
/* The Ith one in alphabetical order, or NULL after the last. */
const hd_spec *hd_specs_get(size_t i);

#endif
