/* witness.c: {:witness "g A B layers"} on a function: what the global variable g was between A and B, when a
 * commutativity check cannot find it out itself. The function's arguments say by their names what they get: first_x and
 * second_x parameters of A and B, g' a variable after both, everything else a variable before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "civl/layers.h"

/* ---- reading the text ---- */

typedef struct reader
{
  hd_civl *c;
  hd_boogie_function *function;
  const char *next;
  bool good;
} reader;

/* The next word, or null; WANTED says what is missing then. */
static const char *
read_word(reader *r, const char *wanted)
{
  r->next += strspn(r->next, " \t");
  size_t n = strcspn(r->next, " \t");
  if (!n)
  {
    if (wanted)
    {
      hd_civl_error(r->c, r->function->at, "%s", wanted);
      r->good = false;
    }
    return NULL;
  }
  const char *word = hd_boogie_text(r->c->program, "%.*s", (int) n, r->next);
  r->next += n;
  return word;
}

static void
complain(reader *r, const char *what, const char *word)
{
  hd_civl_error(r->c, r->function->at, "%s%s", what, word ? word : "");
  r->good = false;
}

static hd_boogie_var *
find_global(const hd_civl *c, const char *name)
{
  for (size_t i = 0; name && i < c->globals.n; i++)
    if (!strcmp(c->globals.items[i]->name, name))
      return c->globals.items[i];
  return NULL;
}

static action *
read_action(reader *r)
{
  const char *word = read_word(r, "Expected procedure name.");
  const hd_boogie_proc *proc = word ? hd_boogie_find_proc(r->c->program, word) : NULL;
  if (!proc)
  {
    complain(r, "No procedure found with name of ", word);
    return NULL;
  }
  action *a = hd_civl_action_of(r->c, proc);
  if (!a)
  {
    hd_civl_warn(r->c, r->function->at, "Procedure %s does not have a mover type, witness function is ignored.",
                 proc->name);
    r->good = false;
  }
  return a;
}

static void
read_witness_layers(reader *r, witness *w)
{
  for (const char *word = read_word(r, "Expected layer number"); word; word = read_word(r, NULL))
  {
    char *end;
    errno = 0;
    long n = strtol(word, &end, 10);
    if (*end || errno || n <= LAYER_MIN || n >= LAYER_MAX)
      complain(r, "Expected integer layer number but received ", word);
    else
      HD_BOOGIE_ADD(r->c->program, w->layers, (int32_t) n);
  }
}

/* ---- checking ---- */

static void
check_layers(reader *r, const witness *w, layer_range range, const char *name)
{
  for (size_t i = 0; i < w->layers.n; i++)
    if (!range_contains(range, w->layers.items[i]))
    {
      hd_civl_error(r->c, r->function->at, "%s does not exist at layer %d", name, w->layers.items[i]);
      r->good = false;
    }
}

static const char *
type_text(const hd_civl *c, const hd_boogie_type *t)
{
  hd_string s = {0};
  hd_boogie_print_type(t, &s);
  const char *text = hd_boogie_text(c->program, "%s", s.text ? s.text : "");
  hd_string_free(&s);
  return text;
}

static void
check_global(reader *r, const witness *w, const hd_boogie_type *type, const char *name)
{
  const hd_boogie_var *g = find_global(r->c, name);
  if (!g)
  {
    complain(r, "No matching global variable named ", name);
    return;
  }
  if (!hd_boogie_type_equal(type, g->type))
  {
    hd_civl_error(r->c, r->function->at, "Type mismatch for variable %s. Expected %s found %s", name,
                  type_text(r->c, g->type), type_text(r->c, type));
    r->good = false;
  }
  check_layers(r, w, hd_civl_global_range(r->c, g), g->name);
}

static bool
has_parameter(const hd_boogie_vars *vars, const hd_boogie_type *type, const char *name)
{
  for (size_t i = 0; i < vars->n; i++)
    if (!strcmp(vars->items[i]->name, name) && hd_boogie_type_equal(vars->items[i]->type, type))
      return true;
  return false;
}

static void
check_parameter(reader *r, const action *a, const hd_boogie_type *type, const char *name)
{
  if (has_parameter(&a->proc->ins, type, name) || has_parameter(&a->proc->outs, type, name))
    return;
  hd_civl_error(r->c, r->function->at, "No parameter %s:%s found in %s", name, type_text(r->c, type), a->proc->name);
  r->good = false;
}

static void
check_argument(reader *r, witness *w, size_t i)
{
  static const char first[] = "first_", second[] = "second_";
  const hd_boogie_var *v = r->function->ins.items[i];
  size_t length = strlen(v->name);
  w->names[i] = v->name;
  if (!strncmp(v->name, first, strlen(first)))
  {
    w->kinds[i] = WITNESS_FIRST;
    w->names[i] += strlen(first);
    check_parameter(r, w->first, v->type, w->names[i]);
  }
  else if (!strncmp(v->name, second, strlen(second)))
  {
    w->kinds[i] = WITNESS_SECOND;
    w->names[i] += strlen(second);
    check_parameter(r, w->second, v->type, w->names[i]);
  }
  else
  {
    w->kinds[i] = WITNESS_PRE;
    if (length && v->name[length - 1] == '\'')
    {
      w->kinds[i] = WITNESS_POST;
      w->names[i] = hd_boogie_text(r->c->program, "%.*s", (int) length - 1, v->name);
    }
    check_global(r, w, v->type, w->names[i]);
  }
}

static void
check_witness(reader *r, witness *w)
{
  hd_boogie_program *p = r->c->program;
  check_global(r, w, w->global->type, w->global->name);
  if (!hd_boogie_type_equal(r->function->out->type, w->global->type))
  {
    hd_civl_error(r->c, r->function->at, "The witness function's result must have the type of %s", w->global->name);
    r->good = false;
  }
  check_layers(r, w, w->first->range, w->first->proc->name);
  check_layers(r, w, w->second->range, w->second->proc->name);
  w->kinds = hd_boogie_alloc(p, r->function->ins.n * sizeof *w->kinds);
  w->names = hd_boogie_alloc(p, r->function->ins.n * sizeof *w->names);
  for (size_t i = 0; i < r->function->ins.n; i++)
    check_argument(r, w, i);
  for (size_t i = 0; r->good && i < w->layers.n; i++)
    if (!hd_civl_layers_have(&r->c->action_layers, w->layers.items[i]))
    {
      hd_civl_error(r->c, r->function->at, "No action begins, ends or is refined at layer %d", w->layers.items[i]);
      r->good = false;
    }
}

static void
read_witness(hd_civl *c, hd_boogie_function *f, const hd_boogie_attr *attr)
{
  if (attr->args.n != 1 || !attr->args.items[0].text)
  {
    hd_civl_error(c, f->at, "Witness attribute has to be a string.");
    return;
  }
  reader r = {.c = c, .function = f, .next = attr->args.items[0].text, .good = true};
  witness w = {.function = f};
  const char *name = read_word(&r, "Expected global variable name");
  w.global = find_global(c, name);
  if (!w.global)
    complain(&r, "No global variable found with name of ", name);
  w.first = read_action(&r);
  w.second = read_action(&r);
  read_witness_layers(&r, &w);
  if (r.good)
    check_witness(&r, &w);
  if (r.good)
    HD_BOOGIE_ADD(c->program, c->witnesses, w);
}

void
hd_civl_read_witnesses(hd_civl *c)
{
  for (size_t i = 0; i < c->program->decls.n; i++)
  {
    const hd_boogie_decl *d = &c->program->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_FUNCTION)
      continue;
    for (const hd_boogie_attr *a = d->function->attrs; (a = hd_boogie_attr_find(a, "witness")); a = a->next)
      read_witness(c, d->function, a);
  }
}
