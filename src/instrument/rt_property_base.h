/* rt_property_base.h: included before all else in what of src/base and src/mttl is built into the runtime.
 *
 * A program may be linked with libheddle as well, which has the functions of src/base too; so here they have other
 * names. And they take their memory from the runtime's own heap (rt_property_heap.c): the program's malloc may be what
 * called us. */
#ifndef HD_RT_PROPERTY_BASE_H
#define HD_RT_PROPERTY_BASE_H

#include <stddef.h>
#include <stdlib.h>

#define hd_alloc hd_rt_base_alloc
#define hd_alloc_array hd_rt_base_alloc_array
#define hd_alloc_zero hd_rt_base_alloc_zero
#define hd_arena_alloc hd_rt_base_arena_alloc
#define hd_arena_free hd_rt_base_arena_free
#define hd_arena_get_mark hd_rt_base_arena_get_mark
#define hd_arena_new hd_rt_base_arena_new
#define hd_arena_release hd_rt_base_arena_release
#define hd_arena_reset hd_rt_base_arena_reset
#define hd_check_failed hd_rt_base_check_failed
#define hd_grow hd_rt_base_grow
#define hd_grow_zero hd_rt_base_grow_zero
#define hd_realloc hd_rt_base_realloc
#define hd_string_add hd_rt_base_string_add
#define hd_string_add_n hd_rt_base_string_add_n
#define hd_string_clear hd_rt_base_string_clear
#define hd_string_free hd_rt_base_string_free
#define hd_string_printf hd_rt_base_string_printf
#define hd_string_vprintf hd_rt_base_string_vprintf
#define hd_strndup hd_rt_base_strndup
#define hd_text hd_rt_base_text
#define hd_utf8_read hd_rt_base_utf8_read

#pragma GCC visibility push(hidden)
void *hd_rt_heap_take(size_t n); /* zero bytes are not promised; never NULL */
void hd_rt_heap_give(void *p);
void hd_rt_heap_end(void); /* the calling thread ends: what it has put by goes back */
#pragma GCC visibility pop

#define free(p) hd_rt_heap_give(p)

#endif
