/* layout.c: which operations the picture shows, and where their marks stand on the time axis.
 *
 * Distances mean nothing: each distinct position gets one step, so that a million ticks between two operations take no
 * room. Equal looks of different threads are unordered and share a step; those of one thread are set one after the
 * other, because program order is known. */
#include "report/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 40    /* drawn; the rest is counted in a sentence */
#define LABEL_MIN 16   /* columns */
#define THREAD_MAX 14  /* columns */
#define STEP_MAX 6     /* columns from one position to the next */
#define VALUE_BYTES 24 /* of one value in a label */
#define FULL_BYTES 256 /* of one value where a label was cut */
#define AXIS_MIN 16    /* columns that labels must leave */

/* ---- rows ---- */

/* Which operations to draw when there are too many: what explains, then the newest. */
static int
by_worth(const void *a, const void *b)
{
  const hd_op_info *p = *(const hd_op_info *const *) a, *q = *(const hd_op_info *const *) b;
  int wp = p->failing ? 2 : p->explains, wq = q->failing ? 2 : q->explains;
  if (wp != wq)
    return wq - wp;
  return (p->number < q->number) - (p->number > q->number);
}

static uint64_t
first_call(const hd_op_info **ops, size_t n, uint32_t thread)
{
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < n; i++)
    if (ops[i]->thread == thread && ops[i]->number < first)
      first = ops[i]->number;
  return first;
}

static void
make_rows(hd_lane_picture *pic)
{
  const hd_finding *f = pic->finding;
  const hd_op_info **ops = hd_alloc_array(f->nops, sizeof *ops);
  for (size_t i = 0; i < f->nops; i++)
    ops[i] = &f->ops[i];
  qsort(ops, f->nops, sizeof *ops, by_worth);
  size_t n = f->nops < ROWS_MAX ? f->nops : ROWS_MAX;
  pic->left_out = f->nops - n;

  /* Threads in the order of their first drawn call, operations in the order of calls; N is small. */
  pic->rows = hd_alloc_zero(n * sizeof *pic->rows);
  for (size_t i = 0; i < n; i++)
  {
    uint64_t t = first_call(ops, n, ops[i]->thread);
    size_t at = i;
    for (; at; at--)
    {
      const hd_op_info *before = pic->rows[at - 1].op;
      uint64_t tb = first_call(ops, n, before->thread);
      if (tb < t || (tb == t && before->number < ops[i]->number))
        break;
      pic->rows[at].op = before;
    }
    pic->rows[at].op = ops[i];
  }
  pic->nrows = n;
  free(ops);
}

/* The label in two parts: what was called, and what came back. A label that is too long loses of the first part. */
static void
make_label(hd_lane_picture *pic, hd_lane_row *w)
{
  bool utf8 = pic->page->utf8;
  bool parentheses = !w->op->explains && !w->op->failing && !pic->page->color;
  hd_string called = {0}, whole = {0};
  hd_report_op_text(&called, w->op, VALUE_BYTES, false, utf8);
  hd_report_op_text(&whole, w->op, VALUE_BYTES, true, utf8);
  hd_report_op_text(&w->full, w->op, FULL_BYTES, true, utf8);
  w->cut = strcmp(whole.text, w->full.text) != 0;
  hd_string_printf(&w->label, "%s#%" PRIu64 " ", parentheses ? "(" : "", w->op->number);
  hd_report_clean(&w->label, called.text, utf8);
  hd_report_clean(&w->result, whole.text + called.length, utf8);
  if (parentheses)
    hd_string_add(&w->result, ")");
  hd_string_free(&called);
  hd_string_free(&whole);
}

/* Bring the label to its final length, at most COLUMNS. */
static void
fit_label(hd_lane_row *w, size_t columns, bool utf8)
{
  size_t result = hd_report_columns(w->result.text);
  if (hd_report_columns(w->label.text) + result > columns)
  {
    w->cut = true;
    if (result > columns / 2)
      hd_report_cut(&w->result, columns / 2, utf8);
    hd_report_cut(&w->label, columns - hd_report_columns(w->result.text), utf8);
  }
  hd_string_add(&w->label, w->result.text);
}

static void
make_labels(hd_lane_picture *pic)
{
  size_t widest = 0;
  for (size_t i = 0; i < pic->nrows; i++)
  {
    hd_lane_row *w = &pic->rows[i];
    make_label(pic, w);
    size_t columns = hd_report_columns(w->label.text) + hd_report_columns(w->result.text);
    widest = columns > widest ? columns : widest;

    hd_string thread = {0};
    hd_report_thread_text(&thread, pic->report, w->op->thread);
    columns = hd_report_columns(thread.text);
    columns = columns > THREAD_MAX ? THREAD_MAX : columns;
    pic->thread_width = columns > pic->thread_width ? columns : pic->thread_width;
    hd_string_free(&thread);

    char order[32];
    columns = (size_t) (w->op->witness ? snprintf(order, sizeof order, "%" PRIu64, w->op->witness) : 0);
    pic->order_width = columns > pic->order_width ? columns : pic->order_width;
  }
  if (pic->thread_width < strlen("thread"))
    pic->thread_width = strlen("thread");
  if (pic->order_width && pic->order_width < strlen("order"))
    pic->order_width = strlen("order");

  /* The labels get what they need, but never more than leaves half of the page to the spans. */
  size_t before = 2 + pic->thread_width + 2 + (pic->order_width ? pic->order_width + 2 : 0);
  size_t page = pic->page->width, most = page > before + 2 * AXIS_MIN ? (page - before) / 2 : LABEL_MIN;
  most = most < LABEL_MIN ? LABEL_MIN : most;
  pic->label_width = widest < LABEL_MIN ? LABEL_MIN : widest < most ? widest : most;
  pic->axis = before + pic->label_width + 3;
  pic->axis_width = page > pic->axis + AXIS_MIN ? page - pic->axis : AXIS_MIN;
  for (size_t i = 0; i < pic->nrows; i++)
    fit_label(&pic->rows[i], pic->label_width, pic->page->utf8);
}

/* ---- the time axis ---- */

/* The places of the operations are lines of the very file that was judged: it is a plain history. */
static bool
is_history(const hd_lane_picture *pic)
{
  const hd_report *r = pic->report;
  const char *path = r->log_path ? r->log_path : r->log ? hd_log_path(r->log) : NULL;
  for (size_t i = 0; i < pic->nrows; i++)
  {
    hd_log_place p;
    if (!path || !hd_report_place(r, pic->rows[i].op->call_site, &p) || strcmp(p.file, path) != 0)
      return false;
  }
  return true;
}

static void
add_mark(hd_lane_picture *pic, size_t r, enum hd_lane_mark_kind kind, uint64_t position)
{
  HD_PUSH(pic->marks, pic->nmarks, pic->mark_cap, (hd_lane_mark){.position = position, .row = r, .kind = kind});
}

/* The writes to the keys in question that were made in operation R, each at its own place. */
static void
add_writes(hd_lane_picture *pic, size_t r)
{
  const hd_finding *f = pic->finding;
  const hd_op_info *op = pic->rows[r].op;
  for (size_t d = 0; d < f->ndifferences; d++)
    for (size_t i = 0; i < f->differences[d].nwriters; i++)
    {
      const hd_writer_info *w = &f->differences[d].writers[i];
      bool marked = (op->committed && w->position == op->commit)
                    || (hd_report_lanes_fails_inside(f, op) && w->position == f->position);
      if (w->op == op->number && !marked && w->position >= op->call && (!op->returned || w->position <= op->end))
        add_mark(pic, r, MARK_WRITE, w->position);
    }
}

static int
by_step(const void *a, const void *b)
{
  const hd_lane_mark *p = a, *q = b;
  if (p->position != q->position)
    return p->position < q->position ? -1 : 1;
  if (p->slot != q->slot)
    return p->slot < q->slot ? -1 : 1;
  return (p->row > q->row) - (p->row < q->row);
}

static int
by_program_order(const void *a, const void *b)
{
  const hd_lane_mark *p = a, *q = b;
  if (p->row != q->row)
    return p->row < q->row ? -1 : 1;
  if (p->position != q->position)
    return p->position < q->position ? -1 : 1;
  return (int) p->kind - (int) q->kind;
}

static void
make_axis(hd_lane_picture *pic)
{
  for (size_t i = 0; i < pic->nrows; i++)
  {
    const hd_op_info *op = pic->rows[i].op;
    add_mark(pic, i, MARK_CALL, op->call);
    if (op->windowed)
      add_mark(pic, i, MARK_WINDOW, op->window);
    add_writes(pic, i);
    if (hd_report_lanes_fails_inside(pic->finding, op))
      add_mark(pic, i, MARK_FAIL, pic->finding->position);
    if (op->committed)
      add_mark(pic, i, MARK_COMMIT, op->commit);
    if (op->returned)
      add_mark(pic, i, MARK_END, op->end);
  }
  /* Rows of one thread are neighbours in the order of calls, so row order is program order within a thread. */
  qsort(pic->marks, pic->nmarks, sizeof *pic->marks, by_program_order);
  for (size_t i = 0; i < pic->nmarks; i++)
  {
    hd_lane_mark *m = &pic->marks[i];
    uint32_t thread = pic->rows[m->row].op->thread;
    for (size_t j = i; j-- && pic->rows[pic->marks[j].row].op->thread == thread;)
    {
      hd_lane_mark *other = &pic->marks[j];
      bool same_write = other->kind == MARK_WRITE && m->kind == MARK_WRITE && other->row == m->row;
      if (other->position == m->position)
      {
        m->slot = other->slot + !same_write;
        break;
      }
    }
  }
  qsort(pic->marks, pic->nmarks, sizeof *pic->marks, by_step);
  size_t steps = 0;
  for (size_t i = 0; i < pic->nmarks; i++)
  {
    if (i && (pic->marks[i].position != pic->marks[i - 1].position || pic->marks[i].slot != pic->marks[i - 1].slot))
      steps++;
    pic->marks[i].x = steps;
  }
  size_t room = pic->axis_width - 1 - HD_LANE_TAIL;
  size_t step = steps ? room / steps : 1;
  step = step > STEP_MAX ? STEP_MAX : step;
  for (size_t i = 0; i < pic->nmarks; i++)
  {
    hd_lane_mark *m = &pic->marks[i];
    m->x = step ? m->x * step : m->x * room / steps; /* more positions than columns: some share one */
    pic->rows[m->row].has[m->kind] = true;
    pic->rows[m->row].x[m->kind] = m->x;
  }
  if (step)
    pic->axis_width = steps * step + 1 + HD_LANE_TAIL;
}

void
hd_report_lanes_layout(hd_lane_picture *pic)
{
  make_rows(pic);
  pic->lines = is_history(pic);
  make_labels(pic);
  make_axis(pic);
}

void
hd_report_lanes_free(hd_lane_picture *pic)
{
  for (size_t i = 0; i < pic->nrows; i++)
  {
    hd_string_free(&pic->rows[i].label);
    hd_string_free(&pic->rows[i].result);
    hd_string_free(&pic->rows[i].full);
  }
  free(pic->rows);
  free(pic->marks);
}
