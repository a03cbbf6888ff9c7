/* internal.h: what the readers of histories share. Private to this folder. */
#ifndef HD_HISTORY_INTERNAL_H
#define HD_HISTORY_INTERNAL_H

#include "history/history.h"

#define HD_HISTORY_LONGEST (16u << 20) /* bytes of a word, a string or a line */
#define HD_HISTORY_DEEPEST 64          /* lists in lists */

/* A file of its own in TMPDIR that nobody else sees; -1: it cannot be made. */
int hd_history_temporary(void);

/* ---- input: bytes with their place; everything is read through it ---- */

typedef struct place
{
  uint32_t line, column;
} place;

typedef struct input
{
  const char *path;
  int fd;
  char *buffer;
  size_t at, end;
  uint64_t base; /* offset in the file of buffer[0] */
  uint64_t line_start;
  uint32_t line;
  bool ended;      /* nothing follows END */
  char *error;     /* the first one */
  hd_arena *arena; /* what the event that is being read points to */
} input;

void hd_history_input_rewind(input *in);
int hd_history_input_fill(input *in);   /* the next byte, or -1: the end */
int hd_history_input_second(input *in); /* the byte after the one that peek() showed, or -1 */

/* The byte that comes, or -1. */
static inline int
peek(input *in)
{
  return HD_LIKELY(in->at < in->end) ? (unsigned char) in->buffer[in->at] : hd_history_input_fill(in);
}

/* Pass the byte that peek() showed. */
static inline void
pass(input *in)
{
  if (in->buffer[in->at++] == '\n')
  {
    in->line++;
    in->line_start = in->base + in->at;
  }
}

static inline place
here(const input *in)
{
  uint64_t column = in->base + in->at - in->line_start + 1;
  return (place){in->line, column < UINT32_MAX ? (uint32_t) column : UINT32_MAX};
}

/* Note an error, the first one only. Returns false. */
bool hd_history_fail(input *in, place where, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The text between the bytes that are about to come and the first blank, comma or bracket, for messages. */
void hd_history_shown(input *in, char *out, size_t n);

/* ---- values, in the notation of EDN or JSON ---- */

typedef struct element
{
  hd_value value; /* of a list or map: its text */
  place where;
  bool is_list;
  uint32_t nitems;
  hd_value *items; /* in the arena; at most HD_SITE_VALUES */
} element;

/* Decimal digits, perhaps with a sign. False: not a whole number, or too large. */
bool hd_history_number(const char *s, size_t n, hd_value *v);
/* A string in quotes. JSON: its escapes; else those of EDN. */
bool hd_history_read_string(input *in, bool json, hd_value *v);
bool hd_history_read_edn(input *in, element *e, uint32_t depth);
bool hd_history_read_json(input *in, element *e, uint32_t depth);
/* Blanks, commas, comments and discarded forms. False: an error. */
bool hd_history_edn_blanks(input *in, uint32_t depth);
void hd_history_json_blanks(input *in);

/* ---- forms ---- */

/* What the head of a history says. */
typedef struct head
{
  char *object; /* or NULL */
  bool has_initial;
  hd_value initial; /* its string is owned */
} head;

struct hd_history
{
  input in;
  char *path;
  hd_history_form form;
  head head;
};

/* Each reads all events into SINK; false: an error, or the sink stopped it. The head is written to *HEAD. */
typedef struct reader
{
  input *in;
  hd_history_event_sink sink;
  void *context;
  head *head; /* NULL: known already */
} reader;
bool hd_history_edn(reader *r);
bool hd_history_etcd(reader *r);
bool hd_history_synthetic(reader *r);
bool hd_history_jsonl(reader *r);

/* The fields of an event that is a map. */
typedef struct fields
{
  place where;
  bool has_process, has_type, has_f, has_key, has_value, has_object, has_initial;
  element process, type, f, key, value, object, initial;
} fields;
/* Store ELEMENT under NAME (N bytes); other names are ignored. False: it was there already. */
bool hd_history_fields_set(fields *f, const char *name, size_t n, const element *e);
/* Make the event and hand it on; a head is stored. */
bool hd_history_fields_done(reader *r, const fields *f);

bool hd_history_head_object(reader *r, place where, hd_value object);
void hd_history_head_initial(reader *r, hd_value initial);
/* "object=K ... initial=V": the rest of a line. */
bool hd_history_head_words(reader *r, const char *text, size_t n, place where);

/* The operations of a history in words and whole numbers: into OUT->ops; with STREAM, into that alone. OUT also counts
 * them. False: it is not such a history, STREAM wants no more, or it was cancelled. */
bool hd_history_words(hd_history *h, const hd_spec *spec, const hd_history_options *options, hd_linear_stream *stream,
                      hd_history_ops *out);

/* ---- rules ---- */

/* The rules for SPEC; *N of them. The caller frees the array. */
HD_GIVE hd_history_rule *hd_history_rules(const hd_spec *spec, size_t *n);
/* The index of the method called NAME, or UINT32_MAX. */
uint32_t hd_history_method(const hd_spec *spec, const char *name);

#endif
