/* property_names.c: what the variables, locks, functions and threads in property files are in a program, by its debug
 * information; the answer is settings for the runtime inside the program. */
#include "cli/property_watch.h"

#include <inttypes.h>
#include <string.h>

enum
{
  COPIES = 64,    /* of a function */
  LONGEST = 60000 /* of a line that the runtime takes */
};

typedef struct names
{
  hd_watch_run *run;
  uint32_t file;
  const hd_mttl_file *f;
  hd_string *answer, *messages;
} names;

static void complain(names *n, hd_mttl_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void
complain(names *n, hd_mttl_place place, const char *format, ...)
{
  va_list args;
  hd_string_printf(n->messages, "%s:%u:%u: error: ", n->f->path, place.line, place.column);
  va_start(args, format);
  hd_string_vprintf(n->messages, format, args);
  va_end(args);
  hd_string_add(n->messages, "\n");
}

/* ---- variables ---- */

/* The type that a property file has for what the program has. */
static const char *
fitting(char kind)
{
  return kind == 'f' ? "real" : kind == 'c' || kind == 's' ? "string" : kind == 'b' ? "bool" : "int";
}

static bool
fits(char kind, hd_mttl_type type)
{
  bool whole = kind == 'i' || kind == 'u' || kind == 'b';
  switch (type)
  {
  case HD_MTTL_BOOL:
  case HD_MTTL_INT:
    return whole || (kind == 's' && type == HD_MTTL_INT);
  case HD_MTTL_REAL:
    return whole || kind == 'f';
  case HD_MTTL_STRING:
    return kind == 'c' || kind == 's';
  default:
    return false;
  }
}

static void
add_variable(names *n, uint32_t index)
{
  const hd_mttl_variable *v = &n->f->variables[index];
  hd_symbols_variable found;
  hd_string error = {0};
  if (!hd_symbols_lookup(n->run->symbols, v->name, &found, &error))
    complain(n, v->place, "%s", error.text);
  else if (v->tracked && (found.kind == '-' || found.size > 16 + (found.kind == 'c' ? UINT32_MAX : 0)))
    complain(n, v->place, "'%s' has no value that a property can speak of: it is %s%s; name a member or an element",
             v->name, found.type ? "of type " : "a structure or an array", found.type ? found.type : "");
  else if (v->tracked && !fits(found.kind, v->type))
    complain(n, v->place, "'%s' is of type %s in the program; declare it with 'shared %s %s'", v->name,
             found.type ? found.type : fitting(found.kind), fitting(found.kind), v->name);
  else
    hd_string_printf(n->answer, "variable %u %u %" PRIu64 " %" PRIu64 " %c %u %u\n", n->file, index, found.address,
                     found.size, v->type == HD_MTTL_INT && found.kind == 's' ? 'u' : found.kind, found.bits,
                     found.from);
  hd_string_free(&error);
}

static void
add_lock(names *n, const char *word, uint32_t index, const char *name, hd_mttl_place place)
{
  hd_symbols_variable found;
  hd_string error = {0};
  if (hd_symbols_lookup(n->run->symbols, name, &found, &error))
    hd_string_printf(n->answer, "%s %u %u %" PRIu64 " %" PRIu64 "\n", word, n->file, index, found.address, found.size);
  else
    complain(n, place, "%s", error.text);
  hd_string_free(&error);
}

/* ---- functions ---- */

static void
add_function(names *n, const char *word, uint32_t index, const char *name, hd_mttl_place place)
{
  hd_symbols_range ranges[COPIES];
  size_t inlined, found = hd_symbols_functions(n->run->symbols, name, ranges, COPIES, &inlined);
  for (size_t i = 0; i < found; i++)
    hd_string_printf(n->answer, "%s %u %u %" PRIu64 " %" PRIu64 "\n", word, n->file, index, ranges[i].low,
                     ranges[i].high - ranges[i].low);
  if (found == 0 && inlined > 0)
    complain(n, place,
             "every call of '%s' was inlined, so nobody sees where it begins; build the program with heddle-cc "
             "-fno-inline, or mark the function __attribute__((noinline))",
             name);
  else if (found == 0)
  {
    const char *like = hd_symbols_suggest_function(n->run->symbols, name);
    complain(n, place, "there is no function '%s' in the program%s%s%s", name, like ? "; did you mean '" : "",
             like ? like : "", like ? "'?" : "");
  }
  else if (inlined > 0 && strcmp(word, "start") != 0 && strcmp(word, "call") != 0)
    hd_string_printf(&n->run->incomplete,
                     "%s was inlined at %zu place%s, where its calls are not seen; heddle-cc -fno-inline keeps all "
                     "calls\n",
                     name, inlined, inlined == 1 ? "" : "s");
}

static void
add_rule(names *n, uint32_t index)
{
  const hd_mttl_rule *rule = &n->f->rules[index];
  if (rule->moment == HD_MTTL_ENTER || rule->moment == HD_MTTL_EXIT)
    add_function(n, "rule", index, rule->name, rule->place);
  else
    add_lock(n, "rule", index, rule->name, rule->place);
}

/* A name that no function has is one that the program gives to a thread itself. */
static void
add_start(names *n, uint32_t index)
{
  hd_symbols_range ranges[COPIES];
  size_t inlined;
  const char *means = n->f->names[index].means;
  size_t found = means ? hd_symbols_functions(n->run->symbols, means, ranges, COPIES, &inlined) : 0;
  for (size_t i = 0; i < found; i++)
    hd_string_printf(n->answer, "start %u %u %" PRIu64 " %" PRIu64 "\n", n->file, index, ranges[i].low,
                     ranges[i].high - ranges[i].low);
}

/* ---- all of it ---- */

static void
add_text(names *n)
{
  hd_string_printf(n->answer, "file %s\n", n->f->path);
  uint32_t number = 1;
  for (const char *line = n->f->text, *end = line + n->f->length; line < end; number++)
  {
    size_t length = strcspn(line, "\n");
    if (length > LONGEST)
      complain(n, (hd_mttl_place){number, 1}, "this line has more than %d bytes", LONGEST);
    hd_string_add(n->answer, "text ");
    hd_string_add_n(n->answer, line, length);
    hd_string_add(n->answer, "\n");
    line += length + 1;
  }
  hd_string_add(n->answer, "parse\n");
}

bool
hd_watch_resolve(hd_watch_run *run, hd_string *answer, hd_string *messages)
{
  for (uint32_t i = 0; i < run->nfiles; i++)
  {
    names n = {.run = run, .file = i, .f = run->files[i], .answer = answer, .messages = messages};
    add_text(&n);
    for (uint32_t k = 0; k < n.f->nvariables; k++)
      if (n.f->variables[k].shared)
        add_variable(&n, k);
    for (uint32_t k = 0; k < n.f->nlocks; k++)
      add_lock(&n, "lock", k, n.f->locks[k], n.f->lock_places[k]);
    for (uint32_t k = 0; k < n.f->nfunctions; k++)
      add_function(&n, "function", k, n.f->functions[k], n.f->function_places[k]);
    for (uint32_t k = 0; k < n.f->nrules; k++)
      add_rule(&n, k);
    for (uint32_t k = 0; k < n.f->nnames; k++)
      add_start(&n, k);
    for (uint32_t k = 0; k < n.f->nproperties; k++)
      if (n.f->properties[k].action == HD_MTTL_CALL)
        add_function(&n, "call", k, n.f->properties[k].function, n.f->properties[k].place);
  }
  return messages->length == 0;
}
