/* lanes.h: a picture between its layout (layout.c) and its drawing (lanes.c). Private to these two. */
#ifndef HD_REPORT_LANES_H
#define HD_REPORT_LANES_H

#include "report/parts.h"

#define HD_LANE_TAIL 2 /* columns after the last position: open ends, the mark of the failing operation */

enum hd_lane_mark_kind
{
  MARK_CALL,
  MARK_WINDOW,
  MARK_WRITE,
  MARK_FAIL, /* where a failing operation fails, if none of its own marks stands there */
  MARK_COMMIT,
  MARK_END,
  MARK_KINDS
};

typedef struct hd_lane_mark
{
  uint64_t position;
  size_t slot; /* order among the marks of one thread at one position */
  size_t row;
  enum hd_lane_mark_kind kind;
  size_t x;
} hd_lane_mark;

typedef struct hd_lane_row
{
  const hd_op_info *op;
  hd_string label, result, full; /* RESULT is appended to LABEL once the width is known */
  bool cut;                      /* FULL says more */
  size_t x[MARK_KINDS];
  bool has[MARK_KINDS];
} hd_lane_row;

typedef struct hd_lane_picture
{
  hd_report_page *page;
  const hd_report *report;
  const hd_finding *finding;
  hd_lane_row *rows;
  size_t nrows, left_out;
  hd_lane_mark *marks;
  size_t nmarks, mark_cap;
  size_t thread_width, order_width, label_width, axis, axis_width; /* AXIS: its first column */
  bool lines; /* a plain history: its lines tell the time, not the ticks */
  bool used_window, used_observer, used_internal, used_open, used_write, used_grey, used_commit, used_span,
      used_failing;
} hd_lane_picture;

/* Choose and sort the rows, make the labels, and give every mark its column. */
void hd_report_lanes_layout(hd_lane_picture *pic);
void hd_report_lanes_free(hd_lane_picture *pic);

static inline bool
hd_report_lanes_fails_at_commit(const hd_finding *f, const hd_op_info *op)
{
  return op->failing && op->committed && op->commit == f->position;
}

static inline bool
hd_report_lanes_fails_inside(const hd_finding *f, const hd_op_info *op)
{
  return op->failing && !hd_report_lanes_fails_at_commit(f, op) && f->position > op->call
         && (op->returned ? f->position < op->end : true);
}

#endif
