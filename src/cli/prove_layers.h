/* prove_layers.h: what `heddle prove` says about layers without proving anything. */
#ifndef HD_PROVE_LAYERS_H
#define HD_PROVE_LAYERS_H

#include "civl/civl.h"

/* --explain NAME. Returns the exit status. */
int hd_prove_explain(const char *name);
/* --dump-layer TEXT. Returns the exit status. */
int hd_prove_dump_layer(const hd_civl *c, const char *text);

#endif
