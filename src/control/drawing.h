/* drawing.h: a graph that is to be shown: made by dot.c, printed there in the language of dot or by svg.c as a
 * picture. */
#ifndef HD_CONTROL_DRAWING_H
#define HD_CONTROL_DRAWING_H

#include "control/control.h"

typedef enum hd_control_look
{
  HD_CONTROL_LOOK_PLAIN,
  HD_CONTROL_LOOK_START,
  HD_CONTROL_LOOK_DEADLOCK, /* threads wait, and none can go on */
  HD_CONTROL_LOOK_FINISHED, /* nobody has anything left to do */
  HD_CONTROL_LOOK_OPEN      /* what follows is not drawn */
} hd_control_look;

typedef struct hd_control_node
{
  const char *label; /* lines, separated by \n */
  hd_control_look look;
} hd_control_node;

typedef struct hd_control_arc
{
  uint32_t from, to;
  const char *label;
  bool dashed;
} hd_control_arc;

typedef struct hd_control_drawing
{
  hd_arena *arena; /* of the labels */
  const char *name;
  bool interface; /* from left to right, nodes are round; else from top to bottom, and they are boxes */
  hd_control_node *nodes;
  size_t n, nodes_cap;
  hd_control_arc *arcs;
  size_t narcs, arcs_cap;
} hd_control_drawing;

/* A layout in layers, for graphs of a size that people look at. */
void hd_control_drawing_svg(hd_string *out, const hd_control_drawing *d);

#endif
