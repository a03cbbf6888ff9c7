/* svg.c: a drawing as a picture, for where dot is not installed: nodes in layers by their distance from the first,
 * ordered in each layer by where their neighbours are (barycentres, swept forth and back), arcs as arches of one bend.
 *
 * "Along" is the direction of the layers, "across" the other; interfaces are drawn from left to right, states from top
 * to bottom. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "control/drawing.h"

enum
{
  SWEEPS = 12,
  SWEEP_WORK = 20000000,
  LETTER = 7, /* pixels: the width of a letter, the height of a line, and what lies around and between nodes */
  LINE = 15,
  MARGIN = 20,
  PADDING = 9,
  GAP = 28
};

/* Of libm, in a few lines: no command has to load it for a drawing. */
static double
larger(double a, double b)
{
  return a > b ? a : b;
}

static double
smaller(double a, double b)
{
  return a < b ? a : b;
}

/* Of the line from (0, 0) to (X, Y), by Newton's method. */
static double
length(double x, double y)
{
  double square = x * x + y * y, root = __builtin_fabs(x) + __builtin_fabs(y);
  for (int i = 0; i < 30 && root > 0; i++)
    root = (root + square / root) / 2;
  return root;
}

typedef struct point
{
  double x, y;
} point;

typedef struct box
{
  double width, height;
  size_t rank;
  double order; /* within the rank, while it is looked for */
  double across;
  point centre;
} box;

/* Arcs between the same two nodes in the same direction, as one. */
typedef struct bundle
{
  uint32_t from, to;
  bool dashed;
  hd_string label; /* lines */
} bundle;

typedef struct area
{
  point low, high;
} area;

typedef struct layout
{
  const hd_control_drawing *d;
  box *boxes;
  bundle *bundles;
  size_t nbundles, bundles_cap;
  uint32_t *sorted; /* the nodes by rank and order */
  size_t *first;    /* of each rank in it, and the end */
  size_t nranks;
  point low, high; /* of all that is drawn */
  area *labels;    /* of arcs, that stand already */
  size_t nlabels, labels_cap;
} layout;

static size_t
count_lines(const char *text)
{
  size_t n = 1;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static size_t
widest_line(const char *text)
{
  size_t widest = 0;
  while (*text)
  {
    size_t n = strcspn(text, "\n");
    widest = n > widest ? n : widest;
    text += n + (text[n] != 0);
  }
  return widest;
}

/* ---- layers ---- */

static void
measure(layout *l)
{
  for (size_t i = 0; i < l->d->n; i++)
  {
    const char *label = l->d->nodes[i].label;
    /* A round node needs room for its corners. */
    double around = l->d->interface ? 1.25 : 1;
    l->boxes[i].width = ((double) widest_line(label) * LETTER + 2 * PADDING) * around;
    l->boxes[i].height = ((double) count_lines(label) * LINE + PADDING) * around;
  }
}

static int
by_ends(const void *x, const void *y)
{
  const hd_control_arc *a = *(const hd_control_arc *const *) x, *b = *(const hd_control_arc *const *) y;
  if (a->from != b->from || a->to != b->to)
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->to < b->to ? -1 : 1);
  return (a > b) - (a < b);
}

static void
make_bundles(layout *l)
{
  const hd_control_drawing *d = l->d;
  const hd_control_arc **arcs = hd_alloc_array(d->narcs + 1, sizeof *arcs);
  for (size_t i = 0; i < d->narcs; i++)
    arcs[i] = &d->arcs[i];
  qsort(arcs, d->narcs, sizeof *arcs, by_ends);
  for (size_t i = 0; i < d->narcs; i++)
  {
    if (i == 0 || arcs[i]->from != arcs[i - 1]->from || arcs[i]->to != arcs[i - 1]->to)
      HD_PUSH(l->bundles, l->nbundles, l->bundles_cap, (bundle){arcs[i]->from, arcs[i]->to, true, {0}});
    bundle *last = &l->bundles[l->nbundles - 1];
    hd_string_printf(&last->label, "%s%s", last->label.length ? "\n" : "", arcs[i]->label);
    last->dashed = last->dashed && arcs[i]->dashed;
  }
  free(arcs);
}

/* The distance of each node from the first; those that it does not lead to come last. */
static void
make_ranks(layout *l)
{
  size_t n = l->d->n, done = 0, known = 1;
  uint32_t *queue = hd_alloc_array(n + 1, sizeof *queue);
  for (size_t i = 0; i < n; i++)
    l->boxes[i].rank = SIZE_MAX;
  l->boxes[0].rank = 0;
  queue[0] = 0;
  while (done < known)
  {
    uint32_t s = queue[done++];
    /* The bundles are sorted by where they begin. */
    size_t low = 0, high = l->nbundles;
    while (low < high)
    {
      size_t middle = (low + high) / 2;
      if (l->bundles[middle].from < s)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < l->nbundles && l->bundles[low].from == s; low++)
    {
      box *to = &l->boxes[l->bundles[low].to];
      if (to->rank != SIZE_MAX)
        continue;
      to->rank = l->boxes[s].rank + 1;
      queue[known++] = l->bundles[low].to;
    }
  }
  l->nranks = l->boxes[queue[known - 1]].rank + 1;
  for (size_t i = 0; i < n; i++)
    if (l->boxes[i].rank == SIZE_MAX)
    {
      l->boxes[i].rank = l->nranks;
      queue[known++] = (uint32_t) i;
    }
  l->nranks = l->boxes[queue[n - 1]].rank + 1;
  l->sorted = queue;
  l->first = hd_alloc_zero((l->nranks + 1) * sizeof *l->first);
  for (size_t i = 0; i < n; i++)
    l->first[l->boxes[i].rank + 1]++;
  for (size_t r = 0; r < l->nranks; r++)
    l->first[r + 1] += l->first[r];
}

/* ---- places ---- */

/* How far a node reaches across the layers. */
static double
extent(const layout *l, const box *b)
{
  return l->d->interface ? b->height : b->width;
}

/* The nodes of a rank side by side, as near as possible to where they want to be. */
static void
place_rank(layout *l, size_t rank)
{
  size_t begin = l->first[rank], end = l->first[rank + 1];
  /* Nodes that would overlap are pushed on; then the whole is moved so that all are moved alike on average. */
  double shift = 0, edge = -DBL_MAX;
  for (size_t i = begin; i < end; i++)
  {
    box *b = &l->boxes[l->sorted[i]];
    double wanted = b->order, least = edge + extent(l, b) / 2 + GAP * (l->d->interface ? 2 : 1.5);
    b->across = i > begin && wanted < least ? least : wanted;
    shift += b->across - wanted;
    edge = b->across + extent(l, b) / 2;
  }
  for (size_t i = begin; i < end; i++)
    l->boxes[l->sorted[i]].across -= shift / (double) (end - begin);
}

static void
sort_rank(layout *l, size_t rank)
{
  /* Insertion keeps equal ones as they are; a rank is short, and nearly sorted after the first sweeps. */
  for (size_t i = l->first[rank] + 1; i < l->first[rank + 1]; i++)
    for (size_t k = i; k > l->first[rank] && l->boxes[l->sorted[k]].order < l->boxes[l->sorted[k - 1]].order; k--)
    {
      uint32_t other = l->sorted[k];
      l->sorted[k] = l->sorted[k - 1];
      l->sorted[k - 1] = other;
    }
}

/* Give every node of ranks that lie BEFORE (or behind) its own neighbours' mean place as the one that it wants. */
static void
sweep(layout *l, bool before)
{
  size_t n = l->d->n, *neighbours = hd_alloc_array(n, sizeof *neighbours);
  double *sum = hd_alloc_array(n, sizeof *sum);
  for (size_t turn = 0; turn < l->nranks; turn++)
  {
    size_t rank = before ? turn : l->nranks - 1 - turn;
    for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++)
    {
      neighbours[l->sorted[i]] = 0;
      sum[l->sorted[i]] = 0;
    }
    for (size_t i = 0; i < l->nbundles; i++)
    {
      uint32_t ends[2] = {l->bundles[i].from, l->bundles[i].to};
      for (int k = 0; k < 2; k++)
      {
        const box *here = &l->boxes[ends[k]], *there = &l->boxes[ends[1 - k]];
        if (here->rank != rank || (before ? there->rank >= rank : there->rank <= rank))
          continue;
        neighbours[ends[k]]++;
        sum[ends[k]] += there->across;
      }
    }
    for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++)
    {
      uint32_t s = l->sorted[i];
      l->boxes[s].order = neighbours[s] ? sum[s] / (double) neighbours[s] : l->boxes[s].across;
    }
    sort_rank(l, rank);
    place_rank(l, rank);
  }
  free(neighbours);
  free(sum);
}

static void
place(layout *l)
{
  const hd_control_drawing *d = l->d;
  double along = 0, *room = hd_alloc_zero((l->nranks + 1) * sizeof *room);
  for (size_t r = 0; r < l->nranks; r++)
  {
    for (size_t i = l->first[r]; i < l->first[r + 1]; i++)
      l->boxes[l->sorted[i]].order = (double) i;
    place_rank(l, r);
  }
  /* A sweep looks at every arc once for each rank: large graphs get few. */
  size_t work = l->nranks * l->nbundles, sweeps = work < SWEEP_WORK / SWEEPS ? SWEEPS : 2;
  for (size_t i = 0; i < sweeps; i++)
    sweep(l, i % 2 == 0);
  /* Between two ranks there is room for the labels of the arcs that join them. */
  for (size_t i = 0; i < l->nbundles; i++)
  {
    const bundle *b = &l->bundles[i];
    size_t rank = l->boxes[b->from].rank, other = l->boxes[b->to].rank, low = rank < other ? rank : other;
    double need = d->interface ? (double) widest_line(b->label.text) * LETTER + GAP
                               : (double) count_lines(b->label.text) * LINE + GAP;
    if (rank != other && need > room[low])
      room[low] = need;
  }
  for (size_t r = 0; r < l->nranks; r++)
  {
    double thick = 0;
    for (size_t i = l->first[r]; i < l->first[r + 1]; i++)
    {
      const box *b = &l->boxes[l->sorted[i]];
      thick = larger(thick, d->interface ? b->width : b->height);
    }
    along += thick / 2;
    for (size_t i = l->first[r]; i < l->first[r + 1]; i++)
    {
      box *b = &l->boxes[l->sorted[i]];
      b->centre = d->interface ? (point){along, b->across} : (point){b->across, along};
    }
    along += thick / 2 + larger(room[r], 2 * GAP);
  }
  free(room);
}

/* ---- printing ---- */

static void
reach(layout *l, double x, double y)
{
  l->low = (point){smaller(l->low.x, x), smaller(l->low.y, y)};
  l->high = (point){larger(l->high.x, x), larger(l->high.y, y)};
}

/* Lines of text with their middle at P. */
static void
print_text(layout *l, hd_string *out, point p, const char *text, const char *class)
{
  size_t lines = count_lines(text);
  double y = p.y - (double) (lines - 1) * LINE / 2 + 4, half = (double) widest_line(text) * LETTER / 2;
  reach(l, p.x - half, p.y - (double) lines * LINE / 2);
  reach(l, p.x + half, p.y + (double) lines * LINE / 2);
  for (;; y += LINE)
  {
    size_t n = strcspn(text, "\n");
    hd_string_printf(out, "<text%s x=\"%.1f\" y=\"%.1f\">", class, p.x, y);
    for (size_t i = 0; i < n; i++)
    {
      const char *escaped = text[i] == '<' ? "&lt;" : text[i] == '>' ? "&gt;" : text[i] == '&' ? "&amp;" : NULL;
      hd_string_add_n(out, escaped ? escaped : text + i, escaped ? strlen(escaped) : 1);
    }
    hd_string_add(out, "</text>\n");
    if (!text[n])
      break;
    text += n + 1;
  }
}

static void
print_node(layout *l, hd_string *out, size_t i)
{
  static const char *const looks[] = {[HD_CONTROL_LOOK_PLAIN] = "",
                                      [HD_CONTROL_LOOK_START] = " class=\"start\"",
                                      [HD_CONTROL_LOOK_DEADLOCK] = " class=\"deadlock\"",
                                      [HD_CONTROL_LOOK_FINISHED] = " class=\"finished\"",
                                      [HD_CONTROL_LOOK_OPEN] = " class=\"open\""};
  const box *b = &l->boxes[i];
  double w = b->width / 2, h = b->height / 2;
  reach(l, b->centre.x - w, b->centre.y - h);
  reach(l, b->centre.x + w, b->centre.y + h);
  if (l->d->interface)
    hd_string_printf(out, "<ellipse%s cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\"/>\n", looks[l->d->nodes[i].look],
                     b->centre.x, b->centre.y, w, h);
  else
    hd_string_printf(out, "<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n",
                     looks[l->d->nodes[i].look], b->centre.x - w, b->centre.y - h, b->width, b->height);
  print_text(l, out, b->centre, l->d->nodes[i].label, "");
}

/* Where the line from the middle of B towards P leaves it. */
static point
border(const layout *l, const box *b, point p)
{
  double x = p.x - b->centre.x, y = p.y - b->centre.y, w = b->width / 2 + 2, h = b->height / 2 + 2;
  double scale = l->d->interface ? 1 / larger(length(x / w, y / h), 1e-6)
                                 : 1 / larger(larger(__builtin_fabs(x) / w, __builtin_fabs(y) / h), 1e-6);
  return (point){b->centre.x + x * scale, b->centre.y + y * scale};
}

static bool
has_bundle(const layout *l, uint32_t from, uint32_t to)
{
  size_t low = 0, high = l->nbundles;
  while (low < high)
  {
    size_t middle = (low + high) / 2;
    const bundle *b = &l->bundles[middle];
    if (b->from == from && b->to == to)
      return true;
    if (b->from < from || (b->from == from && b->to < to))
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* How far the middle of an arc lies from the straight line, to the right of its direction (or, below 0, the left).
 * Straight if nothing is in the way; there and back differ; what passes other ranks goes round them on the shorter
 * side. */
static double
bend_of(const layout *l, const bundle *b, double x, double y)
{
  const box *from = &l->boxes[b->from], *to = &l->boxes[b->to];
  size_t first = (from->rank < to->rank ? from->rank : to->rank) + 1, end = from->rank + to->rank + 1 - first;
  bool back = has_bundle(l, b->to, b->from);
  double distance = length(x, y), middle = (from->across + to->across) / 2, up = 0, down = 0;
  if (first >= end && from->rank != to->rank)
    return back ? 14 : 0;
  if (from->rank == to->rank)
    return 20 + distance * 0.18;
  for (size_t i = l->first[first]; i < l->first[end]; i++)
  {
    const box *other = &l->boxes[l->sorted[i]];
    up = larger(up, middle - other->across + extent(l, other) / 2);
    down = larger(down, other->across + extent(l, other) / 2 - middle);
  }
  bool turn = !back && (l->d->interface ? x : -y) * (up < down ? -1 : 1) < 0;
  double bend
      = smaller(larger((back ? larger(up, down) : smaller(up, down)) + GAP, 20 + distance * 0.12), distance * 0.6);
  return turn ? -bend : bend;
}

static bool
overlap(area a, area b)
{
  return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

/* The label of an arc at a place of the curve where there is room for it. */
static void
print_label(layout *l, hd_string *out, const char *text, point p, point control, point q)
{
  static const double places[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8};
  double w = (double) widest_line(text) * LETTER / 2, h = (double) count_lines(text) * LINE / 2;
  point best = {0, 0};
  area taken = {{0, 0}, {0, 0}};
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < sizeof places / sizeof *places && least > 0; i++)
  {
    double t = places[i], a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
    point at = {a * p.x + b * control.x + c * q.x, a * p.y + b * control.y + c * q.y};
    area here = {{at.x - w, at.y - h}, {at.x + w, at.y + h}};
    size_t hits = 0;
    for (size_t k = 0; k < l->nlabels; k++)
      hits += overlap(here, l->labels[k]);
    if (hits < least)
    {
      least = hits;
      best = at;
      taken = here;
    }
  }
  HD_PUSH(l->labels, l->nlabels, l->labels_cap, taken);
  print_text(l, out, best, text, " class=\"arc\"");
}

static void
print_bundle(layout *l, hd_string *out, const bundle *b)
{
  const box *from = &l->boxes[b->from], *to = &l->boxes[b->to];
  const char *dashed = b->dashed ? " class=\"dashed\"" : "";
  if (b->from == b->to)
  {
    double w = from->width / 2, h = from->height / 2;
    point p = {from->centre.x + w * 0.6, from->centre.y - h * (l->d->interface ? 0.8 : 1)};
    point label = {p.x + 26 + (double) widest_line(b->label.text) * LETTER / 2, p.y - 24};
    hd_string_printf(out, "<path%s d=\"M %.1f %.1f C %.1f %.1f, %.1f %.1f, %.1f %.1f\"/>\n", dashed, p.x - 6, p.y,
                     p.x - 2, p.y - 40, p.x + 42, p.y - 30, from->centre.x + w * 0.95 + 2,
                     from->centre.y - h * (l->d->interface ? 0.3 : 0.6));
    reach(l, p.x + 42, p.y - 40);
    print_text(l, out, label, b->label.text, " class=\"arc\"");
    return;
  }
  double x = to->centre.x - from->centre.x, y = to->centre.y - from->centre.y, distance = larger(length(x, y), 1);
  double bend = bend_of(l, b, x, y);
  point middle = {(from->centre.x + to->centre.x) / 2 - y / distance * bend,
                  (from->centre.y + to->centre.y) / 2 + x / distance * bend};
  /* The bend of a quadratic curve lies half-way to its control point. */
  point control
      = {2 * middle.x - (from->centre.x + to->centre.x) / 2, 2 * middle.y - (from->centre.y + to->centre.y) / 2};
  point p = border(l, from, control), q = border(l, to, control);
  hd_string_printf(out, "<path%s d=\"M %.1f %.1f Q %.1f %.1f, %.1f %.1f\"/>\n", dashed, p.x, p.y, control.x, control.y,
                   q.x, q.y);
  print_label(l, out, b->label.text, p, control, q);
}

void
hd_control_drawing_svg(hd_string *out, const hd_control_drawing *d)
{
  layout l = {.d = d, .low = {DBL_MAX, DBL_MAX}, .high = {-DBL_MAX, -DBL_MAX}};
  hd_string body = {0};
  l.boxes = hd_alloc_zero((d->n + 1) * sizeof *l.boxes);
  measure(&l);
  make_bundles(&l);
  make_ranks(&l);
  place(&l);
  /* Labels keep clear of the nodes too. */
  for (size_t i = 0; i < d->n; i++)
  {
    const box *b = &l.boxes[i];
    HD_PUSH(l.labels, l.nlabels, l.labels_cap,
            (area){{b->centre.x - b->width / 2, b->centre.y - b->height / 2},
                   {b->centre.x + b->width / 2, b->centre.y + b->height / 2}});
  }
  for (size_t i = 0; i < l.nbundles; i++)
    print_bundle(&l, &body, &l.bundles[i]);
  for (size_t i = 0; i < d->n; i++)
    print_node(&l, &body, i);
  double width = l.high.x - l.low.x + 2 * MARGIN, height = l.high.y - l.low.y + 2 * MARGIN;
  hd_string_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.1f %.1f %.1f "
                   "%.1f\">\n<title>%s</title>\n",
                   width, height, l.low.x - MARGIN, l.low.y - MARGIN, width, height, d->name);
  hd_string_add(
      out, "<style>\n"
           "text { font: 12px monospace; text-anchor: middle; fill: #222 }\n"
           "text.arc { font-size: 11px; fill: #135; stroke: #fff; stroke-width: 4px; paint-order: stroke }\n"
           "rect, ellipse { fill: #f6f8fa; stroke: #555 }\n"
           ".start { stroke: #000; stroke-width: 2.5px }\n"
           ".deadlock { fill: #fdd; stroke: #c00; stroke-width: 2px }\n"
           ".finished { fill: #e3f4e1; stroke: #383 }\n"
           ".open { stroke-dasharray: 2 3 }\n"
           "path { fill: none; stroke: #777; marker-end: url(#arrow) }\n"
           ".dashed { stroke-dasharray: 5 4 }\n"
           "</style>\n"
           "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
           "markerHeight=\"7\" orient=\"auto\"><polygon points=\"0,1 10,5 0,9\" fill=\"#777\"/></marker></defs>\n");
  hd_string_printf(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" style=\"fill: #fff; stroke: none\"/>\n",
                   l.low.x - MARGIN, l.low.y - MARGIN, width, height);
  hd_string_add_n(out, body.text ? body.text : "", body.length);
  hd_string_add(out, "</svg>\n");
  for (size_t i = 0; i < l.nbundles; i++)
    hd_string_free(&l.bundles[i].label);
  hd_string_free(&body);
  free(l.boxes);
  free(l.bundles);
  free(l.sorted);
  free(l.first);
  free(l.labels);
}
