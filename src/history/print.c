/* print.c: writes histories: as JSON lines, as EDN (one map a line), in the synthetic form. */
#include "history/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hd_history_printer
{
  FILE *out;
  hd_history_form form;
  hd_string line;
};

/* ---- values ---- */

static void
edn_string(hd_string *s, hd_value v)
{
  hd_string_add(s, "\"");
  for (uint32_t i = 0; i < v.length; i++)
  {
    unsigned char c = (unsigned char) v.s[i];
    const char *escaped = c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : NULL;
    if (escaped)
      hd_string_add(s, escaped);
    else if (c < ' ' || c == 0x7f)
      hd_string_printf(s, "\\u%04x", c);
    else
      hd_string_add_n(s, (const char *) &v.s[i], 1);
  }
  hd_string_add(s, "\"");
}

/* Can it be written without quotes in the synthetic form, and be read as the same string? */
static bool
is_plain(hd_value v)
{
  static const char *const taken[] = {"nil", "true", "false"};
  hd_value number;
  if (v.length == 0 || hd_history_number(v.s, v.length, &number))
    return false;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (v.length == strlen(taken[i]) && memcmp(v.s, taken[i], v.length) == 0)
      return false;
  for (uint32_t i = 0; i < v.length; i++)
    if (v.s[i] <= ' ' || v.s[i] >= 0x7f || v.s[i] == '"')
      return false;
  return true;
}

static void
add_value(hd_history_printer *p, hd_value v)
{
  hd_string *s = &p->line;
  if (v.type == HD_BYTES) /* only logs have them */
    v.type = HD_STR;
  if (p->form == HD_HISTORY_JSONL)
    hd_value_json(s, v);
  else if (v.type != HD_STR)
    hd_value_print(s, v, SIZE_MAX);
  else if (p->form == HD_HISTORY_EDN)
    edn_string(s, v);
  else if (is_plain(v))
    hd_string_add_n(s, v.s, v.length);
  else
    hd_json_string(s, v.s, v.length);
}

/* ---- the forms with fields ---- */

/* The name of a field, after a comma unless it is the first. */
static void
field(hd_history_printer *p, const char *name)
{
  bool json = p->form == HD_HISTORY_JSONL, first = p->line.length == 1;
  if (json)
    hd_string_printf(&p->line, "%s\"%s\":", first ? "" : ",", name);
  else
    hd_string_printf(&p->line, "%s:%s ", first ? "" : ", ", name);
}

static void
add_name(hd_history_printer *p, const char *name)
{
  if (p->form == HD_HISTORY_JSONL)
    hd_json_string(&p->line, name, strlen(name));
  else
    hd_string_printf(&p->line, ":%s", name);
}

/* The arguments that are not the key. */
static void
add_args(hd_history_printer *p, const hd_history_op *op, uint32_t from)
{
  uint32_t n = op->nargs - from;
  if (n == 1)
    add_value(p, op->args[from]);
  else if (n == 0)
    add_value(p, hd_nil());
  else
  {
    hd_string_add(&p->line, "[");
    for (uint32_t i = from; i < op->nargs; i++)
    {
      hd_string_add(&p->line, i == from ? "" : p->form == HD_HISTORY_JSONL ? "," : " ");
      add_value(p, op->args[i]);
    }
    hd_string_add(&p->line, "]");
  }
}

static void
add_result(hd_history_printer *p, const hd_history_op *op, uint32_t from)
{
  char ret = op->rule.ret;
  bool number = op->has_ret && op->ret.type != HD_NIL && op->ret.type < HD_STR;
  bool truth = number && op->ret.u <= 1 && (ret == 'c' || ret == 'o' || ret == 'b');
  if (ret == 'v' || (ret == 'g' && op->has_ret))
    add_value(p, op->ret);
  else if (truth && !(ret == 'c' && op->ret.u))
    add_value(p, hd_bool(op->ret.u));
  else if (ret == 'o' && op->nargs > 0 && op->args[op->nargs - 1].type == HD_BOOL)
    add_value(p, hd_nil()); /* written again it would look like a result */
  else
    add_args(p, op, from); /* as Jepsen does: what was written is written again */
}

static void
add_fields(hd_history_printer *p, const hd_history_op *op)
{
  static const char *const types[] = {"invoke", "window", "commit", "ok", "fail", "info"};
  uint32_t from = op->rule.args[0] == 'k';
  hd_string_add(&p->line, "{");
  field(p, "process");
  hd_string_printf(&p->line, "%" PRId64, op->process);
  field(p, "type");
  add_name(p, types[op->step]);
  field(p, "f");
  add_name(p, op->rule.f);
  if (from || op->has_object)
  {
    field(p, "key");
    add_value(p, from ? op->args[0] : op->object);
  }
  if (op->step != HD_HISTORY_STEP_WINDOW && op->step != HD_HISTORY_STEP_COMMIT)
  {
    field(p, "value");
    if (op->step == HD_HISTORY_STEP_RETURN)
      add_result(p, op, from);
    else
      add_args(p, op, from);
  }
  hd_string_add(&p->line, "}\n");
}

/* ---- the synthetic form ---- */

static bool
add_words(hd_history_printer *p, const hd_history_op *op, char **error)
{
  static const char several[] = "the synthetic form has one object, and here are several, told apart by their keys";
  hd_string *s = &p->line;
  if (op->has_object)
  {
    *error = hd_strndup(several, sizeof several - 1);
    return false;
  }
  switch (op->step)
  {
  case HD_HISTORY_STEP_CALL:
    hd_string_printf(s, "I %" PRId64 " %s", op->process, op->rule.f);
    for (uint32_t i = 0; i < op->nargs; i++)
    {
      hd_string_add(s, " ");
      add_value(p, op->args[i]);
    }
    break;
  case HD_HISTORY_STEP_WINDOW:
    hd_string_printf(s, "W %" PRId64, op->process);
    break;
  case HD_HISTORY_STEP_COMMIT:
    hd_string_printf(s, "C %" PRId64, op->process);
    break;
  case HD_HISTORY_STEP_RETURN:
    hd_string_printf(s, "R %" PRId64, op->process);
    if (op->has_ret)
    {
      hd_string_add(s, " ");
      add_value(p, op->ret.type == HD_BOOL ? hd_int(op->ret.i) : op->ret);
    }
    break;
  case HD_HISTORY_STEP_FAILED: /* left out by the caller */
  case HD_HISTORY_STEP_NEVER:  /* what has no R is open to the end */
    return true;
  }
  hd_string_add(s, "\n");
  return true;
}

/* ---- the whole ---- */

static void
print_head(hd_history_printer *p, const char *object, const hd_value *initial)
{
  hd_string *s = &p->line;
  if (p->form == HD_HISTORY_JSONL)
  {
    hd_string_add(s, "{\"object\":");
    hd_json_string(s, object, strlen(object));
    hd_string_add(s, initial ? ",\"initial\":" : "");
  }
  else
    hd_string_printf(s, "%s object=%s%s", p->form == HD_HISTORY_EDN ? ";" : "#", object, initial ? " initial=" : "");
  if (initial && p->form != HD_HISTORY_JSONL && initial->type >= HD_STR)
    hd_string_add_n(s, initial->s, initial->length); /* a plain word */
  else if (initial)
    add_value(p, *initial);
  hd_string_add(s, p->form == HD_HISTORY_JSONL ? "}\n" : "\n");
  fwrite(s->text, 1, s->length, p->out);
}

hd_history_printer *
hd_history_printer_new(FILE *out, hd_history_form form, const hd_spec *spec, const hd_value *initial, char **error)
{
  static const char unsaid[] = "only JSON lines can say this initial value (--into=jsonl)";
  HD_CHECK(form == HD_HISTORY_JSONL || form == HD_HISTORY_EDN || form == HD_HISTORY_SYNTHETIC);
  *error = NULL;
  if (initial && initial->type >= HD_STR && form != HD_HISTORY_JSONL && !is_plain(*initial))
  {
    *error = hd_strndup(unsaid, sizeof unsaid - 1);
    return NULL;
  }
  hd_history_printer *p = hd_alloc_zero(sizeof *p);
  hd_value nil = hd_nil();
  p->out = out;
  p->form = form;
  /* The synthetic register starts with -1 unless it says otherwise. */
  if (!initial && form == HD_HISTORY_SYNTHETIC && strcmp(spec->name, "register") == 0)
    initial = &nil;
  print_head(p, spec->name, initial);
  return p;
}

bool
hd_history_printer_add(hd_history_printer *p, const hd_history_op *op, char **error)
{
  hd_string_clear(&p->line);
  if (p->form != HD_HISTORY_SYNTHETIC)
    add_fields(p, op);
  else if (!add_words(p, op, error))
    return false;
  if (p->line.length)
    fwrite(p->line.text, 1, p->line.length, p->out);
  return true;
}

void
hd_history_printer_free(hd_history_printer *p)
{
  hd_string_free(&p->line);
  free(p);
}

/* Printing a history: for the synthetic form, first which operations failed. */
typedef struct job
{
  hd_history *h;
  hd_history_printer *printer;
  bool ignore_commits;
  uint64_t *failed; /* numbers, then sorted */
  size_t nfailed, cap_failed;
} job;

static bool
note_failed(void *context, const hd_history_op *op)
{
  job *j = context;
  if (op->step == HD_HISTORY_STEP_FAILED)
    HD_PUSH(j->failed, j->nfailed, j->cap_failed, op->number);
  return true;
}

static int
compare_numbers(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return x < y ? -1 : x > y;
}

static bool
print_step(void *context, const hd_history_op *op)
{
  job *j = context;
  char *error = NULL;
  if (j->ignore_commits && (op->step == HD_HISTORY_STEP_WINDOW || op->step == HD_HISTORY_STEP_COMMIT))
    return true;
  if (j->nfailed && bsearch(&op->number, j->failed, j->nfailed, sizeof *j->failed, compare_numbers))
    return true;
  if (hd_history_printer_add(j->printer, op, &error))
    return true;
  hd_history_fail(&j->h->in, (place){op->line, op->column}, "%s", error);
  free(error);
  return false;
}

bool
hd_history_print(hd_history *h, const hd_spec *spec, hd_history_form form, const hd_history_options *options, FILE *out,
                 char **error)
{
  job j = {.h = h, .ignore_commits = options && options->ignore_commits};
  *error = NULL;
  if (form == HD_HISTORY_SYNTHETIC && !hd_history_read(h, spec, note_failed, &j, error))
  {
    free(j.failed);
    return false;
  }
  if (j.nfailed)
    qsort(j.failed, j.nfailed, sizeof *j.failed, compare_numbers);
  hd_value initial;
  bool has_initial = hd_history_initial(h, &initial);
  j.printer = hd_history_printer_new(out, form, spec, has_initial ? &initial : NULL, error);
  bool good = j.printer && hd_history_read(h, spec, print_step, &j, error);
  if (j.printer)
    hd_history_printer_free(j.printer);
  free(j.failed);
  return good;
}
