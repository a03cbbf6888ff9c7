/* controller.c: reads a controller file: text, tokens, tree, names, types, model. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/certificate.h"
#include "control/syntax.h"

enum
{
  MOST_STATES = 64, /* what controller.h can check at run time */
  LARGEST_FILE = 16 << 20
};

/* What is wrong with the whole, although every declaration may be right. */
static void
check_whole(const hd_control_source *s, const hd_control_names *names, hd_control_place end, hd_control_messages *m)
{
  size_t edges = 0, threads = 0;
  for (size_t i = 0; i < s->n; i++)
  {
    const hd_control_declaration *d = &s->items[i];
    edges += d->kind == DECL_EDGE;
    if (d->kind == DECL_THREADS && threads++ > 0)
      hd_control_error(m, d->place, "THREADS stands in a file once");
    if (d->kind == DECL_THREADS && d->relation && strcmp(d->relation, "<") == 0 && d->number == 0)
      hd_control_error(m, d->place, "there cannot be fewer than 0 threads");
    for (size_t k = 0; k < i && d->kind == DECL_EDGE && d->nnames == 3; k++)
    {
      const hd_control_declaration *old = &s->items[k];
      if (old->kind != DECL_EDGE || old->nnames != 3 || strcmp(old->names[0].text, d->names[0].text) != 0
          || strcmp(old->names[1].text, d->names[1].text) != 0)
        continue;
      if (strcmp(old->names[2].text, d->names[2].text) == 0)
        hd_control_error(m, d->place, "this edge is declared twice; the first is in line %u", old->place.line);
      else
        hd_control_warning(m, d->place,
                           "'%s' leads from '%s' to two states (the other edge is in line %u); threads may take either",
                           d->names[1].text, d->names[0].text, old->place.line);
      break;
    }
  }
  if (names->nstates == 0)
    hd_control_error(m, end, "there is no interface state; STATE(idle) declares one, and threads begin in the first");
  if (names->nstates > MOST_STATES)
    hd_control_error(m, end, "there are %u interface states, and at most %d are allowed", names->nstates, MOST_STATES);
  if (names->nactions == 0)
    hd_control_error(m, end, "there is no action; BLOCKING(enter) WHEN(guard) DO(update) END declares one");
  else if (edges == 0)
    hd_control_error(m, end, "there is no edge, so no thread could ever do anything; EDGE(idle, enter, inside) is one");
}

static const char *
base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void
check_file_name(const hd_control_tokens *t, const char *path, hd_control_messages *m)
{
  if (t->file && strcmp(base_name(t->file), base_name(path)) != 0)
    hd_control_warning(m, t->file_place,
                       "HD_CONTROLLER_FILE is \"%s\", but this file is %s: the code would be another one", t->file,
                       base_name(path));
}

hd_controller *
hd_control_parse(const char *path, const char *text, size_t n, hd_string *messages)
{
  hd_arena *arena = hd_arena_new();
  hd_control_messages m = {0};
  hd_control_tokens tokens;
  hd_control_source *source = hd_arena_alloc(arena, sizeof *source);
  hd_control_names names;
  hd_controller *c = hd_arena_alloc(arena, sizeof *c);

  hd_control_lex(&tokens, text, n, arena, &m);
  check_file_name(&tokens, path, &m);
  hd_control_parse_tokens(source, &tokens, arena, &m);
  hd_control_names_collect(&names, source, &m);
  hd_control_check_types(source, &names);
  if (tokens.found)
    check_whole(source, &names, tokens.items[tokens.n - 1].place, &m);
  *c = (hd_controller){.arena = arena,
                       .path = hd_control_copy(arena, path, strlen(path)),
                       .name = tokens.name,
                       .file = tokens.file,
                       .source = source};
  if (m.errors == 0)
    hd_control_lower(c, source, &names, &m);
  bool good = m.errors == 0;
  hd_control_messages_flush(&m, path, messages);
  hd_control_names_free(&names);
  free(tokens.items);
  if (good)
    return c;
  hd_control_free(c);
  return NULL;
}

hd_controller *
hd_control_read(const char *path, hd_string *messages)
{
  FILE *f = fopen(path, "rb");
  hd_string text = {0};
  char buffer[1 << 14];
  hd_controller *c = NULL;
  size_t got;
  while (f && text.length <= LARGEST_FILE && (got = fread(buffer, 1, sizeof buffer, f)) > 0)
    hd_string_add_n(&text, buffer, got);
  if (!f || ferror(f))
    hd_string_printf(messages, "%s: error: cannot be read: %s\n", path, strerror(errno));
  else if (text.length > LARGEST_FILE)
    hd_string_printf(messages, "%s: error: this is larger than %d MiB, which no controller is\n", path,
                     LARGEST_FILE >> 20);
  else
    c = hd_control_parse(path, text.text ? text.text : "", text.length, messages);
  if (f)
    fclose(f);
  hd_string_free(&text);
  return c;
}

bool
hd_control_select(hd_controller *c, const char *const *names, size_t n, hd_string *error)
{
  bool *wanted = hd_alloc_zero(c->nspecs + 1);
  const char **known = hd_alloc_array(c->nspecs + 1, sizeof *known);
  for (size_t i = 0; i < c->nspecs; i++)
    known[i] = c->specs[i].name;
  for (size_t k = 0; k < n && !error->length; k++)
  {
    size_t i = 0;
    while (i < c->nspecs && strcmp(known[i], names[k]) != 0)
      i++;
    wanted[i] = true;
    if (i < c->nspecs)
      continue;
    const char *meant = hd_control_suggest(names[k], known, c->nspecs);
    hd_string_printf(error, "%s has no property '%s'", c->path, names[k]);
    if (meant)
      hd_string_printf(error, "; did you mean '%s'?", meant);
  }
  if (!error->length)
  {
    hd_control_spec *specs = hd_arena_alloc(c->arena, (n + 1) * sizeof *specs);
    size_t kept = 0;
    c->digest = hd_certificate_digest(c);
    for (size_t i = 0; i < c->nspecs; i++)
      if (wanted[i])
        specs[kept++] = c->specs[i];
    c->specs = specs;
    c->nspecs = kept;
  }
  free(known);
  free(wanted);
  return error->length == 0;
}

void
hd_control_free(hd_controller *c)
{
  if (!c)
    return;
  hd_control_source_free((hd_control_source *) c->source);
  hd_arena_free(c->arena); /* C is in it */
}
