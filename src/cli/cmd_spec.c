/* cmd_spec.c: heddle spec list|show: what specifications there are, and what one says. */
#include "cli/cli.h"
#include "cli/judge.h"
#include "specs/specs.h"

#include <stdlib.h>
#include <string.h>

static const char *
type_word(char letter)
{
  switch (letter)
  {
  case 'i':
    return "int";
  case 'u':
    return "uint";
  case 'b':
    return "bool";
  case 's':
    return "string";
  case 'y':
    return "bytes";
  case 'n':
    return "nothing";
  default:
    return "any";
  }
}

/* "any, any", or "-" for none. */
static void
add_types(hd_string *s, const char *letters)
{
  for (const char *c = letters; *c; c++)
    hd_string_printf(s, "%s%s", c == letters ? "" : ", ", type_word(*c));
  if (!*letters)
    hd_string_add(s, "-");
}

static int
list(void)
{
  for (size_t i = 0; hd_specs_get(i); i++)
  {
    const hd_spec *spec = hd_specs_get(i);
    printf("%-10s", spec->name);
    for (size_t k = 0; k < spec->nmethods; k++)
      printf("%s%s", k == 0 ? "" : ", ", spec->methods[k].name);
    putchar('\n');
  }
  return HD_HOLDS;
}

static void
show_spec(const hd_spec *spec, const char *source)
{
  printf("%s, from %s\n\n%-12s %-12s %-10s %s\n", spec->name, source, "operation", "takes", "returns", "is");
  for (size_t i = 0; i < spec->nmethods; i++)
  {
    const hd_method *m = &spec->methods[i];
    hd_string takes = {0};
    add_types(&takes, m->args);
    printf("%-12s %-12s %-10s %s\n", m->name, takes.text, type_word(m->ret),
           m->role == HD_OBSERVER ? "an observer" : "a mutator");
    hd_string_free(&takes);
  }
  printf("\nviews: %s    parts by key: %s    windows and missing commits: %s\n", spec->view ? "yes" : "no",
         spec->key ? "yes" : "no", spec->copy && spec->equal && spec->hash ? "yes" : "no");
}

static int
show(const char *name)
{
  const hd_spec *spec = strchr(name, '/') ? NULL : hd_specs_find(name);
  if (spec)
  {
    char source[64];
    snprintf(source, sizeof source, "specs/%s.c of Heddle's source", spec->name);
    show_spec(spec, source);
    return HD_HOLDS;
  }
  char *error = NULL;
  hd_spec_library *library = strchr(name, '/') || strstr(name, ".so") ? hd_spec_library_open(name, &error) : NULL;
  if (library)
  {
    show_spec(hd_spec_library_get(library), name);
    hd_spec_library_close(library);
    return HD_HOLDS;
  }
  const char *names[32];
  size_t n = 0;
  for (; n < 32 && hd_specs_get(n); n++)
    names[n] = hd_specs_get(n)->name;
  const char *meant = hd_options_suggest(name, names, n);
  if (error)
    fprintf(stderr, "heddle: %s\n", error);
  else if (meant)
    fprintf(stderr, "heddle spec: there is no '%s'; did you mean '%s'?\n", name, meant);
  else
    fprintf(stderr, "heddle spec: there is no '%s'; 'heddle spec list' shows what is built in\n", name);
  free(error);
  return HD_BAD_INPUT;
}

int
hd_cmd_spec(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("spec", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  const char *what = o.operands.items[0];
  if (strcmp(what, "list") == 0 && o.operands.n == 1)
    status = list();
  else if (strcmp(what, "show") == 0 && o.operands.n == 2)
    status = show(o.operands.items[1]);
  else
  {
    fputs("heddle spec: usage: heddle spec list, or heddle spec show NAME\n", stderr);
    status = HD_BAD_INPUT;
  }
  hd_options_free(&o);
  return status;
}
