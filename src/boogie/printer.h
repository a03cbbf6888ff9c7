/* printer.h: what the two files of the printer share. Private to src/boogie. */
#ifndef HD_BOOGIE_PRINTER_H
#define HD_BOOGIE_PRINTER_H

#include "boogie/boogie.h"

void hd_boogie_print_name(const char *name, hd_string *out);
void hd_boogie_print_type_params(const hd_boogie_types *params, hd_string *out);
void hd_boogie_print_attrs(const hd_boogie_attr *attrs, hd_string *out); /* each with a space after it */
void hd_boogie_print_var(const hd_boogie_var *v, bool with_attrs, hd_string *out);
void hd_boogie_print_vars(const hd_boogie_vars *vars, bool with_attrs, hd_string *out);
void hd_boogie_print_locals(const hd_boogie_vars *locals, hd_string *out);
void hd_boogie_print_blocks(const hd_boogie_blocks *blocks, hd_string *out);

#endif
