/* names.c: what the names of a controller file mean.
 *
 * Constants, variables and the values of enumerations share one space, as they do in the C code; interface states,
 * actions and properties have one each. Every name is collected before any use is looked at, so the order of
 * declarations does not matter. */
#include <stdlib.h>
#include <string.h>

#include "control/syntax.h"

static const char *
kind_name(symbol_kind kind)
{
  switch (kind)
  {
  case SYMBOL_CONSTANT:
    return "a constant";
  case SYMBOL_VARIABLE:
    return "a variable";
  case SYMBOL_VALUE:
    return "a value of an ENUM";
  case SYMBOL_RIGID:
    return "a rigid variable";
  case SYMBOL_STATE:
    return "an interface state";
  case SYMBOL_ACTION:
    return "an action";
  case SYMBOL_SPEC:
    return "a property";
  case SYMBOL_UNKNOWN:
    break;
  }
  return "unknown";
}

static const hd_control_symbol *
look(const hd_control_names *names, name_space space, const char *name)
{
  for (size_t i = names->n[space]; i-- > 0;)
    if (strcmp(names->items[space][i].name, name) == 0)
      return &names->items[space][i];
  return NULL;
}

static void
add(hd_control_names *names, name_space space, hd_control_symbol symbol)
{
  const hd_control_symbol *old = look(names, space, symbol.name);
  if (old && old->kind != SYMBOL_UNKNOWN && symbol.kind != SYMBOL_UNKNOWN)
    hd_control_error(names->messages, symbol.place, "'%s' is declared twice: it is %s already, from line %u",
                     symbol.name, kind_name(old->kind), old->place.line);
  HD_PUSH(names->items[space], names->n[space], names->cap[space], symbol);
}

static void
collect(hd_control_names *names, const hd_control_declaration *d)
{
  hd_control_symbol symbol = {.name = d->name.text, .place = d->name.place, .type = TYPE_UNKNOWN};
  if (!d->name.text)
    return;
  switch (d->kind)
  {
  case DECL_CONST:
    symbol.kind = SYMBOL_CONSTANT;
    symbol.index = names->nconstants++;
    symbol.type = TYPE_INT;
    add(names, SPACE_VALUES, symbol);
    break;
  case DECL_INT:
  case DECL_BOOL:
  case DECL_ENUM:
  {
    symbol.kind = SYMBOL_VARIABLE;
    symbol.index = (uint32_t) names->nvariables;
    symbol.type = d->kind == DECL_INT ? TYPE_INT : d->kind == DECL_BOOL ? TYPE_BOOL : TYPE_ENUM + symbol.index;
    HD_PUSH(names->variables, names->nvariables, names->variables_cap, d);
    add(names, SPACE_VALUES, symbol);
    for (size_t i = 0; i < d->nnames; i++)
      add(names, SPACE_VALUES,
          (hd_control_symbol){.name = d->names[i].text,
                              .place = d->names[i].place,
                              .kind = SYMBOL_VALUE,
                              .index = (uint32_t) i,
                              .type = symbol.type});
    break;
  }
  case DECL_STATE:
    symbol.kind = SYMBOL_STATE;
    symbol.index = names->nstates++;
    add(names, SPACE_STATES, symbol);
    break;
  case DECL_BLOCKING:
  case DECL_NONBLOCKING:
    symbol.kind = SYMBOL_ACTION;
    symbol.index = names->nactions++;
    add(names, SPACE_ACTIONS, symbol);
    break;
  case DECL_SPEC:
  case DECL_SPEC_FAIR:
    symbol.kind = SYMBOL_SPEC;
    symbol.index = names->nspecs++;
    add(names, SPACE_SPECS, symbol);
    break;
  case DECL_BROKEN:
    symbol.kind = SYMBOL_UNKNOWN;
    for (int space = 0; space < SPACES; space++)
      if (!look(names, (name_space) space, symbol.name))
        add(names, (name_space) space, symbol);
    break;
  case DECL_ASSUME:
  case DECL_THREADS:
  case DECL_EDGE:
    break;
  }
}

void
hd_control_names_collect(hd_control_names *names, const hd_control_source *s, hd_control_messages *m)
{
  *names = (hd_control_names){.messages = m};
  for (size_t i = 0; i < s->n; i++)
    collect(names, &s->items[i]);
}

void
hd_control_names_free(hd_control_names *names)
{
  for (int space = 0; space < SPACES; space++)
    free(names->items[space]);
  free(names->variables);
  free(names->rigid);
  *names = (hd_control_names){0};
}

hd_control_symbol
hd_control_names_find(hd_control_names *names, name_space space, const char *name, hd_control_place place,
                      const char *what)
{
  const hd_control_symbol *found = look(names, space, name);
  if (found)
    return *found;
  hd_control_symbol unknown = {.name = name, .kind = SYMBOL_UNKNOWN, .type = TYPE_UNKNOWN, .place = place};
  for (int other = 0; other < SPACES; other++)
    if ((found = look(names, (name_space) other, name)) && found->kind != SYMBOL_UNKNOWN)
    {
      hd_control_error(names->messages, place, "'%s' is %s, but here must be %s", name, kind_name(found->kind), what);
      return unknown;
    }
  const char **words = hd_alloc_array(names->n[space] + 1, sizeof *words);
  for (size_t i = 0; i < names->n[space]; i++)
    words[i] = names->items[space][i].name;
  const char *meant = hd_control_suggest(name, words, names->n[space]);
  free(words);
  const char *declare = space == SPACE_STATES    ? "STATE(name) declares one"
                        : space == SPACE_ACTIONS ? "BLOCKING(name) or NONBLOCKING(name) declares one"
                                                 : "INT, BOOL, ENUM and CONST declare names";
  if (meant)
    hd_control_error(names->messages, place, "'%s' is declared nowhere; did you mean '%s'?", name, meant);
  else
    hd_control_error(names->messages, place, "'%s' is declared nowhere, but here must be %s; %s", name, what, declare);
  /* Once is enough. */
  add(names, space, unknown);
  return unknown;
}
