/* parts.h: what the files of this folder share: the page that text is set on, and names. Private to src/report. */
#ifndef HD_REPORT_PARTS_H
#define HD_REPORT_PARTS_H

#include "report/report.h"

/* ---- page.c: clean text, measured in columns, with or without colour ---- */
typedef enum hd_tone
{
  HD_TONE_PLAIN,
  HD_TONE_BOLD,
  HD_TONE_DIM,
  HD_TONE_BAD,
  HD_TONE_GOOD,
  HD_TONE_WARN,
} hd_tone;

typedef struct hd_report_page
{
  hd_string text;
  bool color, utf8;
  size_t width;
} hd_report_page;

/* Append TEXT without control characters, line breaks and bad UTF-8; without UTF8 also as pure ASCII. */
void hd_report_clean(hd_string *out, const char *text, bool utf8);
/* Columns that cleaned text takes on a terminal. */
size_t hd_report_columns(const char *text);
/* Cut cleaned text to COLUMNS, with a mark; true if something was cut. */
bool hd_report_cut(hd_string *s, size_t columns, bool utf8);

/* Append cleaned text in a tone. */
void hd_report_put(hd_report_page *p, hd_tone tone, const char *text);
void hd_report_putf(hd_report_page *p, hd_tone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
void hd_report_spaces(hd_report_page *p, size_t n);
void hd_report_newline(hd_report_page *p);
/* LABEL, padded to HANG columns from INDENT on, then TEXT broken at spaces into lines that start under its beginning.
 */
void hd_report_paragraph(hd_report_page *p, size_t indent, size_t hang, hd_tone label_tone, const char *label,
                         hd_tone tone, const char *text);

/* ---- names.c ---- */
const char *hd_report_kind_name(hd_finding_kind kind);
const char *hd_report_blame_name(hd_blame blame);
/* The file and the line of a place; false where the log has none. */
bool hd_report_place(const hd_report *r, uint32_t place, hd_log_place *p);
/* "multiset.c:40", or nothing and false. */
bool hd_report_place_text(hd_string *out, const hd_report *r, uint32_t place);
/* "T3", or "T3 reader". */
void hd_report_thread_text(hd_string *out, const hd_report *r, uint32_t thread);
/* "InsertPair(5, 7) → true"; values longer than MAX bytes are cut. WITH_RETURN false: only up to the parenthesis. */
void hd_report_op_text(hd_string *out, const hd_op_info *op, size_t max, bool with_return, bool utf8);
/* "tick 7", "after tick 6". */
void hd_report_position_text(hd_string *out, uint64_t position);
const hd_op_info *hd_report_find_op(const hd_finding *f, uint64_t number);
const hd_op_info *hd_report_failing_op(const hd_finding *f);
/* Found with all operations at hand (src/linear): where the history stops having an order is exact. */
bool hd_report_found_as_a_whole(const hd_finding *f);
/* 1234567 as "1,234,567". */
void hd_report_number(hd_string *out, uint64_t n);
/* "1 commit", "2 commits". */
void hd_report_count(hd_string *out, uint64_t n, const char *one, const char *many);

/* How often and how long comparisons of states had to wait for windows to end; false: never. */
bool hd_report_waits_text(hd_string *out, const hd_report *r, const hd_refine_result *result);

/* Peak memory in bytes: as given, else of this process. */
uint64_t hd_report_memory(const hd_report *r);

static inline bool
hd_report_is_tick(uint64_t position)
{
  return position & 1;
}

/* The number of the tick, or what the look read (docs/rules.md 1.1). */
static inline uint64_t
hd_report_stamp(uint64_t position)
{
  return position / 2;
}

/* ---- lanes.c: the picture ---- */
void hd_report_lanes(hd_report_page *p, const hd_report *r, const hd_finding *f);

/* ---- finding.c: everything about one violated object ---- */
void hd_report_finding(hd_report_page *p, const hd_report *r, const hd_refine_result *result);
/* The object's name for people: multiset "m". */
void hd_report_object_text(hd_string *out, const hd_refine_result *result);

#endif
