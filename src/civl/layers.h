/* layers.h: what the files that check layers share. Private to them. */
#ifndef HD_CIVL_LAYERS_H
#define HD_CIVL_LAYERS_H

#include "civl/internal.h"

void hd_civl_layers_add(hd_boogie_program *p, layer_list *l, int32_t layer);

/* The implementations of the program as it was read. */
typedef HD_BOOGIE_LIST(hd_boogie_impl *) impl_list;
void hd_civl_find_impls(hd_civl *c);
const impl_list *hd_civl_impls_of(const hd_civl *c, const hd_boogie_proc *proc); /* never null */

/* The VAR expressions in something, appended in the order of the text's reading (uses.c). */
void hd_civl_uses_of_expr(hd_boogie_program *p, hd_boogie_exprs *out, hd_boogie_expr *e);
void hd_civl_uses_of_cmd(hd_boogie_program *p, hd_boogie_exprs *out, const hd_boogie_cmd *c);

/* The numbers of all {:layer ...} in ATTRS, in their order, repeated ones too. */
layer_list hd_civl_read_layers(hd_civl *c, const hd_boogie_attr *attrs);
layer_range hd_civl_read_range(hd_civl *c, const hd_boogie_attr *attrs, hd_boogie_place at);
/* "layer 2", "layers 1 to 3" */
const char *hd_civl_range_text(hd_civl *c, layer_range r);
/* The first of {:atomic}, {:right}, {:left}, {:both}; false: none. A second one is a warning. */
bool hd_civl_read_mover(hd_civl *c, const hd_boogie_attr *attrs, mover *m);
bool hd_civl_is_yielding(const hd_boogie_proc *proc);

/* The layer from which on all inputs of PROC are there. */
int32_t hd_civl_inputs_layer(const hd_civl *c, const hd_boogie_proc *proc);

/* The parts of classification, in this order. */
void hd_civl_classify_actions(hd_civl *c);   /* actions.c: their declarations */
void hd_civl_classify_yieldings(hd_civl *c); /* yieldings.c: declarations with their specifications */
void hd_civl_check_actions(hd_civl *c);      /* actions.c: bodies */
void hd_civl_find_async_free(hd_civl *c);    /* actions.c */
void hd_civl_check_cycles(hd_civl *c);       /* actions.c: of actions through pending asyncs */
void hd_civl_make_pending(hd_civl *c);       /* pending.c */
void hd_civl_make_versions(hd_civl *c);      /* versions.c: the actions' copies at each layer */
void hd_civl_check_bodies(hd_civl *c);       /* bodies.c: of yielding procedures */
void hd_civl_read_witnesses(hd_civl *c);     /* witness.c */

void hd_civl_erase(hd_civl *c); /* erase.c: attributes of layers, at the very end */

/* A requires, ensures or assert of Y with EXPR was read: find its layers and check that everything in it is there.
 * False: it has no layers. */
bool hd_civl_check_spec(hd_civl *c, const yielding *y, const void *spec, hd_boogie_place at,
                        const hd_boogie_attr *attrs, const hd_boogie_exprs *uses);

#endif
