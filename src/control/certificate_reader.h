/* certificate_reader.h: what the parts of the reader of certificates share. A line is read from left to right; the
 * first mistake in it is the one that is reported. */
#ifndef HD_CONTROL_CERTIFICATE_READER_H
#define HD_CONTROL_CERTIFICATE_READER_H

#include "control/certificate.h"
#include "control/syntax.h"

/* Lists that grow while they are read. */
typedef struct hd_certificate_conjunctions
{
  hd_control_conjunction *items;
  size_t n, cap;
} hd_certificate_conjunctions;

typedef struct hd_certificate_stages
{
  hd_control_stage *items;
  size_t n, cap;
} hd_certificate_stages;

typedef struct hd_certificate_reader
{
  const hd_controller *c;
  const char *text;
  size_t n, at; /* AT is in the line that ends at END */
  size_t end;
  uint32_t line;
  size_t line_start;
  hd_arena *arena;
  hd_control_messages m;
  bool broken; /* this line has a mistake that was reported */
  bool wrong_file, ended;
  /* A line that opens something had a mistake: what belongs to it is not looked at. */
  bool lost_proof, lost_set;

  hd_control_certificate *out;
  hd_control_binding *bindings; /* room for one of each constant */
  const hd_control_proof **proofs;
  /* what is being read */
  hd_control_proof *proof;
  const hd_control_spec *spec;
  hd_control_proof_node *nodes; /* of the proof */
  bool *node_given, invariant_given;
  const hd_control_formula *formula; /* of the node */
  hd_control_set *target;            /* where conjunctions go */
  hd_certificate_conjunctions conjunctions;
  hd_certificate_stages stages;
  hd_control_stage *stage;
  hd_control_linear *ranks;
  size_t nranks, ranks_cap;
  __int128 *sums; /* one for each dimension, and the constant */
} hd_certificate_reader;

/* ---- words (certificate_words.c) ---- */

/* Report a mistake at the offset AT of the text. */
void hd_certificate_fail(hd_certificate_reader *r, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hd_certificate_skip_blanks(hd_certificate_reader *r);
bool hd_certificate_line_over(hd_certificate_reader *r);
/* The word (letters, digits, _) that stands here; false: none does. */
bool hd_certificate_read_word(hd_certificate_reader *r, const char **word, size_t *n);
/* Is the word NAME? */
bool hd_certificate_is(const char *word, size_t n, const char *name);
/* Go past TEXT if it stands here. */
bool hd_certificate_eat(hd_certificate_reader *r, const char *text);
/* A number without sign, at most MOST. False: reported. */
bool hd_certificate_read_number(hd_certificate_reader *r, uint64_t most, uint64_t *value);
/* The dimension that a bare name means, or SIZE_MAX and *NUMBER if it is true, false or a value of an enumeration.
 * False: it means nothing. */
bool hd_certificate_find_name(const hd_certificate_reader *r, const char *word, size_t n, size_t *dimension,
                              int64_t *number);
/* An interface state. False: reported. */
bool hd_certificate_read_state(hd_certificate_reader *r, uint32_t *state);

/* ---- expressions (certificate_sets.c) ---- */

/* Read a sum of terms and add it, times SIGN, to SUMS. False: reported. */
bool hd_certificate_read_sum(hd_certificate_reader *r, int sign);
void hd_certificate_clear_sums(hd_certificate_reader *r);
hd_control_linear hd_certificate_take_sums(hd_certificate_reader *r);
/* What comes after |, into CONJUNCTIONS. */
void hd_certificate_read_conjunction(hd_certificate_reader *r);

/* ---- the first lines (certificate_head.c); AT is where the word stands with which the line begins ---- */

void hd_certificate_line_heddle(hd_certificate_reader *r, size_t at);
void hd_certificate_line_controller(hd_certificate_reader *r, size_t at);
void hd_certificate_line_model(hd_certificate_reader *r, size_t at);
void hd_certificate_line_threads(hd_certificate_reader *r, size_t at);
void hd_certificate_line_fair(hd_certificate_reader *r, size_t at);
void hd_certificate_line_constant(hd_certificate_reader *r, size_t at);

#endif
