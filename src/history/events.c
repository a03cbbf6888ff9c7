/* events.c: the forms whose events are maps: EDN (and with it kv) and JSON lines. */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- fields of a map ---- */

bool
hd_history_fields_set(fields *f, const char *name, size_t n, const element *e)
{
  const struct
  {
    const char *name;
    bool *has;
    element *to;
  } known[] = {
      {"process", &f->has_process, &f->process},
      {"type", &f->has_type, &f->type},
      {"f", &f->has_f, &f->f},
      {"value", &f->has_value, &f->value},
      {"key", &f->has_key, &f->key},
      {"object", &f->has_object, &f->object},
      {"initial", &f->has_initial, &f->initial},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == n && memcmp(known[i].name, name, n) == 0)
    {
      if (*known[i].has)
        return false;
      *known[i].has = true;
      *known[i].to = *e;
      return true;
    }
  return true;
}

/* A name: a keyword without its colon, or a string. NULL: it is neither. */
static const char *
name_of(const element *e)
{
  if (e->value.type != HD_STR || e->is_list || e->value.length == 0 || memchr(e->value.s, 0, e->value.length))
    return NULL;
  const char *s = e->value.s + (e->nitems == UINT32_MAX && e->value.s[0] == ':');
  switch (*s)
  {
  case 0:
  case '0' ... '9':
  case '{':
  case '(':
  case '#':
  case '\\':
  case '-':
  case '+':
    return NULL;
  default:
    return s;
  }
}

static bool
event_type(const char *name, hd_history_type *type)
{
  static const char *const names[] = {"invoke", "window", "commit", "ok", "fail", "info"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i][0] == name[0] && strcmp(names[i], name) == 0)
    {
      *type = (hd_history_type) i;
      return true;
    }
  return false;
}

static bool
done_head(reader *r, const fields *f)
{
  if (f->object.value.type != HD_STR)
    return hd_history_fail(r->in, f->object.where, "\"object\" is the name of a specification, such as \"queue\"");
  if (!hd_history_head_object(r, f->object.where, f->object.value))
    return false;
  if (f->has_initial)
    hd_history_head_initial(r, f->initial.value);
  return true;
}

/* Is it about the nemesis, Jepsen's maker of faults, and thus no operation on the object? */
static bool
is_nemesis(const fields *f)
{
  const char *name = f->has_process ? name_of(&f->process) : NULL;
  return name && strcmp(name, "nemesis") == 0;
}

bool
hd_history_fields_done(reader *r, const fields *f)
{
  input *in = r->in;
  if (f->has_object && !f->has_type && !f->has_process)
    return done_head(r, f);
  if (is_nemesis(f))
    return true;
  hd_history_event e = {.line = f->where.line,
                        .column = f->where.column,
                        .has_key = f->has_key,
                        .has_value = f->has_value,
                        .is_list = f->value.is_list,
                        .key = f->key.value,
                        .value = f->value.value,
                        .nitems = f->value.is_list ? f->value.nitems : 0,
                        .items = f->value.items};
  if (!f->has_process)
    return hd_history_fail(in, f->where, "this event has no process; an event has at least process, type and f");
  if (f->process.value.type != HD_INT)
    return hd_history_fail(in, f->process.where, "a process is a whole number (only nemesis is another, and left out)");
  e.process = f->process.value.i;
  if (!f->has_type)
    return hd_history_fail(in, f->where, "this event has no type: invoke, ok, fail or info");
  const char *type = name_of(&f->type);
  if (!type || !event_type(type, &e.type))
    return hd_history_fail(in, f->type.where, "'%.*s' is no type of event; there are invoke, ok, fail and info",
                           f->type.value.type == HD_STR ? (int) (f->type.value.length < 40 ? f->type.value.length : 40)
                                                        : 5,
                           f->type.value.type == HD_STR ? f->type.value.s : "value");
  if (f->has_f)
    e.f = name_of(&f->f);
  if (f->has_f ? !e.f : e.type == HD_HISTORY_INVOKE)
    return hd_history_fail(in, f->has_f ? f->f.where : f->where,
                           f->has_f ? "f is the name of an operation"
                                    : "this event has no f, the name of the operation");
  return r->sink(r->context, &e);
}

/* ---- EDN ---- */

/* After '{': one event. */
static bool
edn_event(reader *r, place where)
{
  input *in = r->in;
  fields f = {.where = where};
  hd_arena_reset(in->arena);
  for (;;)
  {
    element name, value;
    if (!hd_history_edn_blanks(in, 0))
      return false;
    int c = peek(in);
    if (c == '}')
      break;
    if (c < 0)
      return hd_history_fail(in, where, "this '{' is never closed");
    if (!hd_history_read_edn(in, &name, 0) || !hd_history_edn_blanks(in, 0))
      return false;
    if (peek(in) == '}')
      return hd_history_fail(in, here(in), "a map has a value for each key; one is missing here");
    if (!hd_history_read_edn(in, &value, 0))
      return false;
    const char *s = name_of(&name);
    if (s && !hd_history_fields_set(&f, s, strlen(s), &value))
      return hd_history_fail(in, name.where, "this event has :%s twice", s);
  }
  pass(in);
  return hd_history_fields_done(r, &f);
}

/* A comment at the start may be the head: "; object=queue". */
static bool
edn_head(reader *r)
{
  input *in = r->in;
  char line[512];
  size_t n = 0;
  if (peek(in) != ';')
    return true;
  pass(in);
  place where = here(in);
  for (int c = peek(in); c >= 0 && c != '\n' && n + 1 < sizeof line; pass(in), c = peek(in))
    line[n++] = (char) c;
  line[n] = 0;
  while (peek(in) >= 0 && peek(in) != '\n') /* the rest of a long comment */
    pass(in);
  return hd_history_head_words(r, line, n, where);
}

bool
hd_history_edn(reader *r)
{
  input *in = r->in;
  int close = 0; /* of the list that the events are in */
  place opened = {0};
  if (!edn_head(r))
    return false;
  for (;;)
  {
    if (!hd_history_edn_blanks(in, 0))
      return false;
    int c = peek(in);
    place where = here(in);
    char shown[32];
    switch (c)
    {
    case -1:
      return close && !in->error ? hd_history_fail(in, opened, "this '%c' is never closed", close == ']' ? '[' : '(')
                                 : !in->error;
    case '{':
      pass(in);
      if (!edn_event(r, where))
        return false;
      break;
    case '[':
    case '(':
      pass(in);
      if (close)
        return hd_history_fail(in, where, "the events are maps, {:process 3, ...}, in one list");
      close = c == '[' ? ']' : ')';
      opened = where;
      break;
    case '#': /* #jepsen.history.Op{...} */
      pass(in);
      hd_history_shown(in, shown, sizeof shown);
      break;
    case ']':
    case ')':
      pass(in);
      if (c != close)
        return hd_history_fail(in, where, "'%c' closes nothing here", c);
      close = 0;
      break;
    default:
      hd_history_shown(in, shown, sizeof shown);
      return hd_history_fail(in, where,
                             "an event should stand here, a map such as {:process 3, :type :invoke, "
                             ":f :read, :value nil}, not '%s'",
                             shown);
    }
  }
}

/* ---- JSON lines ---- */

static bool
json_event(reader *r, place where)
{
  input *in = r->in;
  fields f = {.where = where};
  hd_arena_reset(in->arena);
  for (bool first = true;; first = false)
  {
    element value;
    hd_value name;
    hd_history_json_blanks(in);
    int c = peek(in);
    if (c == '}')
      break;
    if (c < 0)
      return hd_history_fail(in, where, "this '{' is never closed");
    if (!first)
    {
      if (c != ',')
        return hd_history_fail(in, here(in), "a comma or '}' should stand here");
      pass(in);
      hd_history_json_blanks(in);
    }
    place at = here(in);
    if (peek(in) != '"')
      return hd_history_fail(in, at, "a name in quotes should stand here: \"process\", \"type\", \"f\", \"value\"");
    if (!hd_history_read_string(in, true, &name))
      return false;
    hd_history_json_blanks(in);
    if (peek(in) != ':')
      return hd_history_fail(in, here(in), "a colon should stand here, between the name and its value");
    pass(in);
    hd_history_json_blanks(in);
    if (!hd_history_read_json(in, &value, 0))
      return false;
    if (!hd_history_fields_set(&f, name.s, name.length, &value))
      return hd_history_fail(in, at, "this event has \"%s\" twice", name.s);
  }
  pass(in);
  return hd_history_fields_done(r, &f);
}

bool
hd_history_jsonl(reader *r)
{
  input *in = r->in;
  bool list = false; /* an array of events serves as well as one event a line */
  for (uint64_t events = 0;;)
  {
    hd_history_json_blanks(in);
    int c = peek(in);
    place where = here(in);
    char shown[32];
    if (c == '{')
    {
      pass(in);
      if (!json_event(r, where))
        return false;
      events++;
    }
    else if (c == '[' && events == 0 && !list)
    {
      list = true;
      pass(in);
    }
    else if (list && (c == ',' || c == ']'))
      pass(in);
    else if (c < 0)
      return !in->error;
    else
    {
      hd_history_shown(in, shown, sizeof shown);
      return hd_history_fail(in, where,
                             "an event should stand here, such as {\"process\":3,\"type\":\"invoke\","
                             "\"f\":\"read\"}, one a line, not '%s'",
                             shown);
    }
  }
}
