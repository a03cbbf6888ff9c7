/* certificate_read.c: reads certificates (the form is described in docs/controllers.md).
 *
 * One line says one thing, and begins with the word for it; a line that begins with | is one conjunction of the set
 * that the line with a word above it began. So a mistake in one line does not touch the next. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/certificate_reader.h"

enum
{
  LARGEST_FILE = 64 << 20
};

/* ---- closing what was read ---- */

static void
close_set(hd_certificate_reader *r)
{
  size_t n = r->conjunctions.n;
  if (r->target)
  {
    hd_control_conjunction *kept = hd_arena_alloc(r->arena, (n + 1) * sizeof *kept);
    if (n)
      memcpy(kept, r->conjunctions.items, n * sizeof *kept);
    *r->target = (hd_control_set){n, kept};
  }
  r->target = NULL;
  r->conjunctions.n = 0;
}

static void
close_stage(hd_certificate_reader *r)
{
  close_set(r);
  if (r->stage)
  {
    hd_control_linear *kept = hd_arena_alloc(r->arena, (r->nranks + 1) * sizeof *kept);
    if (r->nranks)
      memcpy(kept, r->ranks, r->nranks * sizeof *kept);
    r->stage->nranks = r->nranks;
    r->stage->ranks = kept;
    HD_PUSH(r->stages.items, r->stages.n, r->stages.cap, *r->stage);
  }
  r->stage = NULL;
  r->nranks = 0;
}

static void
close_node(hd_certificate_reader *r)
{
  close_stage(r);
  if (r->formula)
  {
    size_t n = r->stages.n;
    hd_control_stage *kept = hd_arena_alloc(r->arena, (n + 1) * sizeof *kept);
    if (n)
      memcpy(kept, r->stages.items, n * sizeof *kept);
    r->nodes[r->formula->number].nstages = n;
    r->nodes[r->formula->number].stages = kept;
  }
  r->formula = NULL;
  r->stages.n = 0;
}

static void
close_proof(hd_certificate_reader *r, size_t at)
{
  close_node(r);
  if (r->proof && !r->invariant_given)
    hd_certificate_fail(r, at, "there is no invariant for %s%s above this line", r->spec ? "property " : "deadlock",
                        r->spec ? r->spec->name : "");
  free(r->node_given);
  r->node_given = NULL;
  r->proof = NULL;
  r->spec = NULL;
  r->nodes = NULL;
  r->invariant_given = false;
}

/* ---- lines that begin with a word; AT is where the word stands ---- */

static hd_control_proof *
new_proof(hd_certificate_reader *r)
{
  r->proof = hd_arena_alloc(r->arena, sizeof *r->proof);
  *r->proof = (hd_control_proof){0};
  return r->proof;
}

static void
line_property(hd_certificate_reader *r, size_t at)
{
  const char *word;
  size_t n, start = (hd_certificate_skip_blanks(r), r->at);
  close_proof(r, at);
  if (!hd_certificate_read_word(r, &word, &n))
  {
    hd_certificate_fail(r, start, "the name of a property should stand here");
    return;
  }
  size_t i = 0;
  while (i < r->c->nspecs && !hd_certificate_is(word, n, r->c->specs[i].name))
    i++;
  if (i == r->c->nspecs)
    hd_certificate_fail(r, start, "'%.*s' is not a property of '%s'", (int) (n < 60 ? n : 60), word, r->c->name);
  else if (r->proofs[i])
    hd_certificate_fail(r, start, "there is a proof of '%s' already", r->c->specs[i].name);
  if (r->broken)
    return;
  r->spec = &r->c->specs[i];
  r->nodes = hd_arena_alloc(r->arena, (r->spec->nodes + 1) * sizeof *r->nodes);
  memset(r->nodes, 0, (r->spec->nodes + 1) * sizeof *r->nodes);
  r->node_given = hd_alloc_zero(r->spec->nodes + 1);
  r->proofs[i] = new_proof(r);
  r->proof->nodes = r->nodes;
}

static void
line_deadlock(hd_certificate_reader *r, size_t at)
{
  close_proof(r, at);
  if (r->out->deadlock)
    hd_certificate_fail(r, at, "there is a proof that no deadlock is reachable already");
  else
    r->out->deadlock = new_proof(r);
}

static void
line_invariant(hd_certificate_reader *r, size_t at)
{
  close_node(r);
  if (!r->proof)
    hd_certificate_fail(r, at, "an invariant belongs to a property or to deadlock, and none is open here");
  else if (r->invariant_given)
    hd_certificate_fail(r, at, "there is an invariant already");
  else
    r->target = &r->proof->invariant;
  r->invariant_given = true;
}

static void
line_without(hd_certificate_reader *r, size_t at)
{
  bool follows = r->proof && r->target == &r->proof->invariant;
  close_node(r);
  if (!follows)
    hd_certificate_fail(r, at, "'without' follows an invariant");
  else
    r->target = &r->proof->excluded;
}

static const hd_control_formula *
find_node(const hd_control_formula *f, uint64_t number)
{
  const hd_control_formula *found = f->number == number ? f : NULL;
  if (!found && f->left)
    found = find_node(f->left, number);
  if (!found && f->right)
    found = find_node(f->right, number);
  return found;
}

static void
line_node(hd_certificate_reader *r, size_t at)
{
  uint64_t number;
  size_t start = (hd_certificate_skip_blanks(r), r->at);
  close_node(r);
  if (!r->spec)
  {
    hd_certificate_fail(r, at, "a node belongs to a property, and none is open here");
    return;
  }
  if (!hd_certificate_read_number(r, UINT32_MAX, &number))
    return;
  const hd_control_formula *f = find_node(r->spec->formula, number);
  if (!f)
    hd_certificate_fail(r, start, "the nodes of this property are 0 to %u", r->spec->nodes - 1);
  else if (r->node_given[number])
    hd_certificate_fail(r, start, "node %" PRIu64 " is there already", number);
  else
  {
    r->formula = f;
    r->node_given[number] = true;
    r->target = &r->nodes[number].states;
  }
}

static void
line_stage(hd_certificate_reader *r, size_t at)
{
  close_stage(r);
  if (!r->formula)
    hd_certificate_fail(r, at, "a stage belongs to a node, and none is open here");
  else if (r->formula->kind != HD_CONTROL_AF && r->formula->kind != HD_CONTROL_AU)
    hd_certificate_fail(r, at, "only AF and AU have stages, and this is a node of another kind");
  else
  {
    r->stage = hd_arena_alloc(r->arena, sizeof *r->stage);
    *r->stage = (hd_control_stage){.helpful = -1};
    r->target = &r->stage->states;
  }
}

static void
line_rank(hd_certificate_reader *r, size_t at)
{
  close_set(r);
  if (!r->stage)
  {
    hd_certificate_fail(r, at, "a rank belongs to a stage, and none is open here");
    return;
  }
  hd_certificate_clear_sums(r);
  if (hd_certificate_read_sum(r, 1))
  {
    hd_control_linear rank = hd_certificate_take_sums(r);
    HD_PUSH(r->ranks, r->nranks, r->ranks_cap, rank);
  }
}

static void
line_helpful(hd_certificate_reader *r, size_t at)
{
  const char *action;
  size_t n;
  uint32_t from, to;
  close_set(r);
  if (!r->stage)
    hd_certificate_fail(r, at, "a helpful edge belongs to a stage, and none is open here");
  else if (r->stage->helpful >= 0)
    hd_certificate_fail(r, at, "the stage has a helpful edge already");
  else if (!r->out->fair && !r->spec->fair)
    hd_certificate_fail(
        r, at, "a helpful edge needs fairness, which this certificate does not claim: put 'fair' below 'threads'");
  if (r->broken || !hd_certificate_read_state(r, &from))
    return;
  size_t start = (hd_certificate_skip_blanks(r), r->at);
  if (!hd_certificate_read_word(r, &action, &n))
  {
    hd_certificate_fail(r, start, "the name of an action should stand here");
    return;
  }
  if (!hd_certificate_read_state(r, &to))
    return;
  for (size_t e = 0; e < r->c->nedges; e++)
  {
    const hd_control_edge *edge = &r->c->edges[e];
    if (edge->from == from && edge->to == to && hd_certificate_is(action, n, r->c->actions[edge->action].name))
      r->stage->helpful = (int32_t) e;
  }
  if (r->stage->helpful < 0)
    hd_certificate_fail(r, at, "'%s' has no such edge", r->c->name);
}

static void
line_end(hd_certificate_reader *r, size_t at)
{
  close_proof(r, at);
  bool any = r->out->deadlock != NULL;
  for (size_t i = 0; i < r->c->nspecs; i++)
    any |= r->proofs[i] != NULL;
  if (!any)
    hd_certificate_fail(r, at, "this certificate proves nothing");
  r->ended = true;
}

static void
must_end(hd_certificate_reader *r)
{
  if (!hd_certificate_line_over(r))
    hd_certificate_fail(r, r->at, "the line should end here");
}

/* ---- lines ---- */

typedef enum opening
{
  OPENS_NOTHING,
  OPENS_PROOF,
  OPENS_SET
} opening;

/* In the order in which the first ones must come, each once; then PROPERTY and the others as they like. */
static const struct
{
  const char *word;
  void (*read)(hd_certificate_reader *r, size_t at);
  opening opens;
} lines[] = {
    {"heddle", hd_certificate_line_heddle, OPENS_NOTHING},
    {"controller", hd_certificate_line_controller, OPENS_NOTHING},
    {"model", hd_certificate_line_model, OPENS_NOTHING},
    {"threads", hd_certificate_line_threads, OPENS_NOTHING},
    {"fair", hd_certificate_line_fair, OPENS_NOTHING},
    {"constant", hd_certificate_line_constant, OPENS_NOTHING},
    {"property", line_property, OPENS_PROOF},
    {"deadlock", line_deadlock, OPENS_PROOF},
    {"invariant", line_invariant, OPENS_SET},
    {"without", line_without, OPENS_SET},
    {"node", line_node, OPENS_SET},
    {"stage", line_stage, OPENS_SET},
    {"rank", line_rank, OPENS_NOTHING},
    {"helpful", line_helpful, OPENS_NOTHING},
    {"end", line_end, OPENS_NOTHING},
};

enum
{
  NEEDED = 4, /* first lines that must be there */
  FAIR = 4,
  CONSTANT = 5, /* any number of them, after FAIR and before the first proof */
  WORDS = sizeof lines / sizeof *lines
};

/* Line I of the table, unless it belongs to something that was not understood. */
static void
read_word_line(hd_certificate_reader *r, size_t i, size_t at)
{
  bool opens_proof = lines[i].opens == OPENS_PROOF, opens_set = lines[i].opens == OPENS_SET;
  if (opens_proof || i + 1 == WORDS) /* end */
    r->lost_proof = r->lost_set = false;
  if (r->lost_proof || (r->lost_set && !opens_set))
  {
    r->at = r->end;
    return;
  }
  r->lost_set = false;
  lines[i].read(r, at);
  r->lost_proof = opens_proof && r->broken;
  r->lost_set = opens_set && r->broken;
}

/* *NEXT: the number of first lines that have been there. */
static void
read_line(hd_certificate_reader *r, size_t *next)
{
  const char *word;
  size_t n, at = (hd_certificate_skip_blanks(r), r->at);
  if (*next >= NEEDED && hd_certificate_eat(r, "|"))
  {
    if (!r->lost_proof && !r->lost_set)
      hd_certificate_read_conjunction(r);
    return;
  }
  size_t i = WORDS;
  if (hd_certificate_read_word(r, &word, &n))
    for (i = 0; i < WORDS && !hd_certificate_is(word, n, lines[i].word); i++)
      ;
  if (*next < NEEDED && i != *next)
  {
    hd_certificate_fail(
        r, at, *next == 0 ? "a certificate begins with a line that begins with '%s'" : "here comes the line '%s'",
        lines[*next].word);
    r->wrong_file = true;
  }
  else if (i == WORDS)
    hd_certificate_fail(
        r, at,
        "a line begins with | or a word: property, deadlock, invariant, without, node, stage, rank, helpful, end");
  else if (*next >= NEEDED && (i < NEEDED || (i == FAIR && *next > FAIR) || (i == CONSTANT && *next > CONSTANT)))
    hd_certificate_fail(r, at, "'%s' stands at the beginning, %s", lines[i].word,
                        i == CONSTANT ? "before the first proof" : "once");
  else if (r->ended)
    hd_certificate_fail(r, at, "nothing comes after 'end'");
  else
  {
    *next = i <= FAIR ? i + 1 : i == CONSTANT ? CONSTANT : CONSTANT + 1;
    read_word_line(r, i, at);
    if (!r->broken)
      must_end(r);
  }
}

/* Where the line ends that begins here; without its comment. */
static size_t
find_end(const hd_certificate_reader *r, size_t *next_line)
{
  const char *start = r->text + r->line_start;
  size_t left = r->n - r->line_start;
  const char *newline = memchr(start, '\n', left);
  size_t length = newline ? (size_t) (newline - start) : left;
  *next_line = r->line_start + length + (newline != NULL);
  const char *comment = memchr(start, '#', length);
  return r->line_start + (comment ? (size_t) (comment - start) : length);
}

const hd_control_certificate *
hd_certificate_parse(const hd_controller *c, const char *path, const char *text, size_t n, hd_arena *arena,
                     hd_string *messages)
{
  hd_certificate_reader r = {.c = c, .text = text, .n = n, .arena = arena};
  r.out = hd_arena_alloc(arena, sizeof *r.out);
  r.proofs = hd_arena_alloc(arena, (c->nspecs + 1) * sizeof *r.proofs);
  memset(r.proofs, 0, (c->nspecs + 1) * sizeof *r.proofs);
  *r.out = (hd_control_certificate){.most_threads = UINT64_MAX, .proofs = r.proofs};
  r.out->bindings = r.bindings = hd_arena_alloc(arena, (c->nconstants + 1) * sizeof *r.bindings);
  r.sums = hd_alloc_array(hd_control_dimensions(c) + 1, sizeof *r.sums);
  size_t known = 0, next_line = 0;
  while (next_line < n && !r.wrong_file)
  {
    r.line++;
    r.line_start = r.at = next_line;
    r.end = find_end(&r, &next_line);
    r.broken = false;
    if (!hd_certificate_line_over(&r))
      read_line(&r, &known);
  }
  r.broken = false;
  r.line += r.line == 0;
  if (!r.ended && !r.wrong_file)
    hd_certificate_fail(&r, r.n > r.line_start ? r.end : r.at,
                        known == 0 ? "this is not a certificate: it is empty"
                                   : "the last line, 'end', is missing: something was cut off");
  close_proof(&r, r.at);
  bool good = r.m.errors == 0;
  hd_control_messages_flush(&r.m, path, messages);
  free(r.conjunctions.items);
  free(r.stages.items);
  free(r.ranks);
  free(r.sums);
  return good ? r.out : NULL;
}

const hd_control_certificate *
hd_certificate_read(const hd_controller *c, const char *path, hd_arena *arena, hd_string *messages)
{
  FILE *f = fopen(path, "rb");
  hd_string text = {0};
  char buffer[1 << 14];
  const hd_control_certificate *out = NULL;
  size_t got;
  while (f && text.length <= LARGEST_FILE && (got = fread(buffer, 1, sizeof buffer, f)) > 0)
    hd_string_add_n(&text, buffer, got);
  if (!f || ferror(f))
    hd_string_printf(messages, "%s: error: cannot be read: %s\n", path, strerror(errno));
  else if (text.length > LARGEST_FILE)
    hd_string_printf(messages, "%s: error: this is larger than %d MiB, which no certificate is\n", path,
                     LARGEST_FILE >> 20);
  else
    out = hd_certificate_parse(c, path, text.text ? text.text : "", text.length, arena, messages);
  if (f)
    fclose(f);
  hd_string_free(&text);
  return out;
}
