/* lanes.c: the picture of a finding: lanes of threads along the object's clock.
 *
 * One row for each operation, the rows of a thread together; time runs to the right. The label stands in a column of
 * its own at the left, so that a span may be short and a label long, and the eye compares spans only. A commit that
 * belongs to the explanation throws a dotted line over the empty part of the other rows: one sees at once what lies
 * before it and what after. */
#include "report/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell
{
  const char *glyph; /* NULL: empty */
  hd_tone tone;
} cell;

/* How one operation is drawn. */
typedef struct pen
{
  const char *start, *fill, *window, *commit, *end, *open;
  hd_tone tone;
} pen;

static pen
pen_of(const hd_lane_picture *pic, const hd_op_info *op)
{
  bool grey = !op->explains && !op->failing;
  if (!pic->page->utf8)
  {
    pen p = {"[", "-", "~", "*", "]", ">", HD_TONE_PLAIN};
    if (op->observer)
      p.fill = ".";
    if (op->internal)
      p.start = "{", p.fill = "=", p.end = "}";
    if (op->failing)
      p.fill = "#", p.tone = HD_TONE_BAD;
    if (grey)
      p.start = "(", p.commit = "o", p.end = ")", p.tone = HD_TONE_DIM;
    if (hd_report_lanes_fails_at_commit(pic->finding, op))
      p.commit = "X";
    return p;
  }
  pen p = {"├", "─", "░", "●", "┤", "▷", HD_TONE_PLAIN};
  if (op->observer)
    p.fill = "┄";
  if (op->internal)
    p.start = "╞", p.fill = "═", p.end = "╡";
  if (op->failing)
  {
    p.start = "┣", p.end = "┫", p.window = "▓", p.tone = HD_TONE_BAD;
    p.fill = op->internal ? "═" : op->observer ? "╍" : "━";
  }
  if (grey)
  {
    p.start = "╶", p.commit = "○", p.end = "╴", p.tone = HD_TONE_DIM;
    p.fill = op->internal ? "=" : "┄";
  }
  if (hd_report_lanes_fails_at_commit(pic->finding, op))
    p.commit = "✗";
  return p;
}

static void
draw_row(hd_lane_picture *pic, size_t r, cell *cells)
{
  const hd_lane_row *w = &pic->rows[r];
  const hd_op_info *op = w->op;
  pen p = pen_of(pic, op);
  size_t start = w->x[MARK_CALL], last = op->returned ? w->x[MARK_END] : pic->axis_width - 1;
  if (last <= start)
    last = start + 1 < pic->axis_width ? start + 1 : start;
  size_t open = op->nocommit ? start : op->windowed ? w->x[MARK_WINDOW] : SIZE_MAX;
  size_t shut = op->nocommit ? last : op->committed ? w->x[MARK_COMMIT] : last;
  for (size_t x = start; x <= last; x++)
  {
    bool in_window = open != SIZE_MAX && x >= open && x <= shut;
    cells[x] = (cell){in_window ? p.window : p.fill, p.tone};
  }
  for (size_t i = 0; i < pic->nmarks; i++)
    if (pic->marks[i].row == r && pic->marks[i].kind == MARK_WRITE)
    {
      cells[pic->marks[i].x].glyph = "w";
      pic->used_write = true;
    }
  cells[start].glyph = p.start;
  cells[last].glyph = op->returned ? p.end : p.open;
  if (op->committed && w->x[MARK_COMMIT] < pic->axis_width)
  {
    cells[w->x[MARK_COMMIT]].glyph = p.commit;
    pic->used_commit |= !hd_report_lanes_fails_at_commit(pic->finding, op);
  }
  cell cross = {pic->page->utf8 ? "✗" : "X", HD_TONE_BAD};
  if (w->has[MARK_FAIL])
    cells[w->x[MARK_FAIL]] = cross;
  else if (op->failing && !hd_report_lanes_fails_at_commit(pic->finding, op) && last + 2 < pic->axis_width)
    cells[last + 2] = cross;
  pic->used_failing |= op->failing;
  bool grey = !op->explains && !op->failing;
  pic->used_grey |= grey;
  pic->used_window |= open != SIZE_MAX;
  pic->used_open |= !op->returned;
  bool normal = !grey && !op->failing;
  pic->used_internal |= op->internal && normal;
  pic->used_observer |= op->observer && normal && open == SIZE_MAX;
  pic->used_span |= !op->observer && !op->internal && normal;
}

static void
draw_guides(hd_lane_picture *pic, size_t r, cell *cells)
{
  for (size_t i = 0; i < pic->nmarks; i++)
  {
    const hd_lane_mark *m = &pic->marks[i];
    const hd_op_info *op = pic->rows[m->row].op;
    bool matters = m->kind == MARK_COMMIT || m->kind == MARK_FAIL;
    if (matters && m->row != r && (op->explains || op->failing) && !cells[m->x].glyph)
      cells[m->x] = (cell){pic->page->utf8 ? "┊" : ":", HD_TONE_DIM};
  }
}

/* The number over mark M: its tick, or its line in a history. False: it has none. */
static bool
number_of(const hd_lane_picture *pic, const hd_lane_mark *m, uint64_t *number)
{
  const hd_op_info *op = pic->rows[m->row].op;
  if (!pic->lines)
  {
    *number = hd_report_stamp(m->position);
    return hd_report_is_tick(m->position);
  }
  uint32_t place = m->kind == MARK_CALL     ? op->call_site
                   : m->kind == MARK_WINDOW ? op->window_site
                   : m->kind == MARK_COMMIT ? op->commit_site
                   : m->kind == MARK_END    ? op->return_site
                                            : 0;
  hd_log_place p;
  if (!hd_report_place(pic->report, place, &p))
    return false;
  *number = p.line;
  return true;
}

/* The numbers over the marks, as many as find room: the failing position first, then what explains. */
static void
print_axis(hd_lane_picture *pic)
{
  size_t n = pic->page->width > pic->axis + pic->axis_width ? pic->page->width - pic->axis : pic->axis_width;
  char *line = hd_alloc(n + 1);
  memset(line, ' ', n);
  line[n] = 0;
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = 0; i < pic->nmarks; i++)
    {
      const hd_lane_mark *m = &pic->marks[i];
      const hd_op_info *op = pic->rows[m->row].op;
      bool matters = op->explains || op->failing;
      bool here = pic->lines ? op->failing : m->position == pic->finding->position,
           next = pic->lines ? matters : m->kind == MARK_COMMIT && matters;
      uint64_t shown;
      if (!number_of(pic, m, &shown) || (pass == 0 && !here) || (pass == 1 && !next))
        continue;
      char number[32];
      size_t length = (size_t) snprintf(number, sizeof number, "%" PRIu64, shown);
      size_t from = m->x ? m->x - 1 : 0;
      bool last = m->x + length == n; /* nothing can follow that it would run into */
      if (m->x + length > n || strspn(line + from, " ") < length + (m->x - from) + !last)
        continue;
      memcpy(line + m->x, number, length);
    }
  while (n && line[n - 1] == ' ')
    line[--n] = 0;
  hd_report_page *p = pic->page;
  hd_report_spaces(p, 2);
  hd_report_putf(p, HD_TONE_DIM, "%-*s  ", (int) pic->thread_width, "thread");
  if (pic->order_width)
    hd_report_putf(p, HD_TONE_DIM, "%*s  ", (int) pic->order_width, "order");
  hd_report_putf(p, HD_TONE_DIM, "%-*s ", (int) (pic->label_width - 3), "operation");
  hd_report_put(p, HD_TONE_DIM, n ? (pic->lines ? "line " : "tick ") : "");
  hd_report_put(p, HD_TONE_DIM, line);
  hd_report_newline(p);
  free(line);
}

static void
print_row(hd_lane_picture *pic, size_t r)
{
  const hd_lane_row *w = &pic->rows[r];
  hd_report_page *p = pic->page;
  bool failing = w->op->failing, grey = !w->op->explains && !failing;
  hd_tone tone = failing ? HD_TONE_BAD : grey ? HD_TONE_DIM : HD_TONE_PLAIN;
  hd_report_put(p, HD_TONE_BAD, failing ? (p->utf8 ? "▶ " : "> ") : "  ");

  hd_string thread = {0}, clean = {0};
  if (r == 0 || pic->rows[r - 1].op->thread != w->op->thread)
    hd_report_thread_text(&thread, pic->report, w->op->thread);
  hd_report_clean(&clean, thread.length ? thread.text : "", p->utf8);
  hd_report_cut(&clean, pic->thread_width, p->utf8);
  hd_report_put(p, HD_TONE_PLAIN, clean.text);
  hd_report_spaces(p, pic->thread_width + 2 - hd_report_columns(clean.text));
  hd_string_free(&thread);
  hd_string_free(&clean);

  if (pic->order_width)
  {
    char order[32] = "";
    if (w->op->witness)
      snprintf(order, sizeof order, "%" PRIu64, w->op->witness);
    hd_report_putf(p, tone, "%*s  ", (int) pic->order_width, order);
  }
  hd_report_put(p, tone, w->label.text);
  hd_report_spaces(p, pic->label_width - hd_report_columns(w->label.text) + 3);

  cell *cells = hd_alloc_zero((pic->axis_width + 1) * sizeof *cells);
  draw_row(pic, r, cells);
  draw_guides(pic, r, cells);
  hd_string run = {0};
  for (size_t x = 0; x < pic->axis_width; x++)
  {
    hd_string_add(&run, cells[x].glyph ? cells[x].glyph : " ");
    if (x + 1 == pic->axis_width || cells[x + 1].tone != cells[x].tone)
    {
      hd_report_put(p, cells[x].tone, run.text);
      hd_string_clear(&run);
    }
  }
  hd_string_free(&run);
  free(cells);
  hd_report_newline(p);
}

/* Only what was drawn is explained; a glyph and its meaning stay on one line. */
static void
print_legend(hd_lane_picture *pic)
{
  hd_report_page *p = pic->page;
  bool u = p->utf8;
  const struct
  {
    bool used;
    const char *text;
  } items[] = {
      {pic->used_span, u ? "├─┤ call to return" : "[--] call to return"},
      {pic->used_observer, u ? "├┄┤ without a commit" : "[..] without a commit"},
      {pic->used_internal, u ? "╞═╡ internal task" : "{==} internal task"},
      {pic->used_commit, u ? "● commit" : "* commit"},
      {pic->used_window, u ? "░ window: took effect somewhere here" : "~ window: took effect somewhere here"},
      {pic->used_write, "w write to a key in question"},
      {pic->used_open, u ? "▷ never returned" : "> never returned"},
      {pic->used_failing, u ? "┣━┫ ✗ fails" : "[##] X fails"},
      {pic->used_grey, p->color ? "grey: beside the explanation" : "( ) beside the explanation"},
      {pic->order_width != 0, "order: the witness (order of commits)"},
  };
  hd_report_newline(p);
  size_t column = 0;
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
  {
    size_t w = hd_report_columns(items[i].text);
    if (!items[i].used)
      continue;
    if (column && column + 3 + w > p->width)
    {
      hd_report_newline(p);
      column = 0;
    }
    hd_report_spaces(p, column ? 3 : 2);
    hd_report_put(p, HD_TONE_DIM, items[i].text);
    column += (column ? 3 : 2) + w;
  }
  hd_report_newline(p);
}

void
hd_report_lanes(hd_report_page *p, const hd_report *r, const hd_finding *f)
{
  if (f->nops == 0)
    return;
  hd_lane_picture pic = {.page = p, .report = r, .finding = f};
  hd_report_lanes_layout(&pic);
  print_axis(&pic);
  for (size_t i = 0; i < pic.nrows; i++)
    print_row(&pic, i);
  print_legend(&pic);
  for (size_t i = 0; i < pic.nrows; i++)
    if (pic.rows[i].cut && (pic.rows[i].op->explains || pic.rows[i].op->failing))
    {
      char number[32];
      snprintf(number, sizeof number, "#%" PRIu64, pic.rows[i].op->number);
      hd_report_paragraph(p, 2, strlen(number) + 1, HD_TONE_PLAIN, number, HD_TONE_PLAIN, pic.rows[i].full.text);
    }
  if (pic.left_out)
  {
    hd_report_spaces(p, 2);
    hd_report_putf(p, HD_TONE_PLAIN, "%zu more operations are not drawn; --json lists them.", pic.left_out);
    hd_report_newline(p);
  }
  hd_report_lanes_free(&pic);
}
