/* prove_layers.c: heddle prove --explain and --dump-layer. */
#include <errno.h>
#include <stdlib.h>

#include "cli/prove_layers.h"

int
hd_prove_explain(const char *name)
{
  hd_civl_check check;
  if (hd_civl_check_named(name, &check))
  {
    fputs(hd_civl_check_explained(check), stdout);
    return HD_HOLDS;
  }
  fprintf(stderr, "heddle prove: there is no check %s; there are", name);
  for (int i = 0; i < HD_CIVL_CHECKS; i++)
    fprintf(stderr, "%s %s", i ? "," : "", hd_civl_check_name((hd_civl_check) i));
  fputs("\n", stderr);
  return HD_BAD_INPUT;
}

int
hd_prove_dump_layer(const hd_civl *c, const char *text)
{
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (end == text || *end || errno || n < INT32_MIN || n > INT32_MAX)
  {
    fprintf(stderr, "heddle prove: --dump-layer wants the number of a layer, not %s\n", text);
    return HD_BAD_INPUT;
  }
  hd_string out = {0};
  bool found = hd_civl_dump(c, (int32_t) n, &out);
  fprintf(found ? stdout : stderr, "%s%s", found ? "" : "heddle prove: ", out.text);
  hd_string_free(&out);
  return found ? HD_HOLDS : HD_BAD_INPUT;
}
