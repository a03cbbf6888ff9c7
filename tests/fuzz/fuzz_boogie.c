/* fuzz_boogie.c: the reader of Boogie programs on anything at all.
 *
 * What cannot be read has messages with places. What can be read is printed and, read again, prints the same; every
 * implementation is copied and its graph of blocks is made. */
#include <stdlib.h>
#include <string.h>

#include "boogie/boogie.h"

static hd_boogie_program *
read_text(const char *text, size_t n, bool infer)
{
  hd_boogie_options options = {.infer_modifies = infer};
  hd_boogie_messages m = {0};
  hd_string ours = {0}, theirs = {0};
  hd_boogie_program *p = hd_boogie_read_text("fuzz.bpl", text, n, &options, &m);
  hd_boogie_messages_print(&m, &ours);
  hd_boogie_messages_reference(&m, "fuzz.bpl", &theirs);
  if (!p && (!m.errors || !strstr(ours.text, ": error: ")))
    abort();
  if (p && m.errors)
    abort();
  hd_string_free(&ours);
  hd_string_free(&theirs);
  hd_boogie_messages_free(&m);
  return p;
}

static void
print_and_read_again(const hd_boogie_program *p)
{
  hd_string first = {0}, second = {0};
  hd_boogie_print_program(p, &first);
  hd_boogie_program *copy = read_text(first.text ? first.text : "", first.length, true);
  if (!copy)
    abort();
  hd_boogie_print_program(copy, &second);
  if (first.length != second.length || (first.length && memcmp(first.text, second.text, first.length) != 0))
    abort();
  hd_boogie_program_free(copy);
  hd_string_free(&first);
  hd_string_free(&second);
}

static void
use(hd_boogie_program *p)
{
  hd_boogie_subst *s = hd_boogie_subst_new();
  for (size_t i = 0, n = p->decls.n; i < n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_IMPL)
    {
      const hd_boogie_impl *impl = p->decls.items[i].impl;
      hd_boogie_impl *copy = hd_boogie_copy_impl(p, impl, "copy", impl->proc, NULL, s);
      hd_boogie_graph *g = hd_boogie_graph_new(&copy->blocks);
      if (copy->blocks.n && (!g->n || g->nodes[0] != copy->blocks.items[0]))
        abort();
      hd_boogie_graph_free(g);
    }
  hd_boogie_subst_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hd_boogie_program_free(read_text((const char *) data, size, false));
  hd_boogie_program *p = read_text((const char *) data, size, true);
  if (p)
  {
    print_and_read_again(p);
    use(p);
  }
  hd_boogie_program_free(p);
  return 0;
}
