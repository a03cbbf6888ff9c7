/* test_writer_off.c: with HEDDLE_OFF a file with annotations compiles to the same machine code as the file without. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ANNOTATE(...) is what it contains in one compilation and nothing in the other. */
static const char source[] = "#ifdef ANNOTATED\n"
                             "#include <heddle/heddle.h>\n"
                             "#define ANNOTATE(...) __VA_ARGS__\n"
                             "#define SET(lvalue, v) HD_ASSIGN(&object, &(lvalue), lvalue, v)\n"
                             "hd_object object;\n"
                             "#else\n"
                             "#include <stdbool.h>\n"
                             "#include <stddef.h>\n"
                             "#define ANNOTATE(...)\n"
                             "#define SET(lvalue, v) lvalue = v\n"
                             "#endif\n"
                             "extern void lock(void), unlock(void);\n"
                             "extern int side_effect(void);\n"
                             "struct node { struct node *next; int key; } *list;\n"
                             "int n;\n"
                             "bool insert(struct node *x, const char *name)\n"
                             "{\n"
                             "  (void) name;\n"
                             "  ANNOTATE(HD_CALL(&object, \"insert\", x->key, name, side_effect());)\n"
                             "  ANNOTATE(HD_GUARD(&object);)\n"
                             "  lock();\n"
                             "  ANNOTATE(HD_BLOCK_BEGIN(&object);)\n"
                             "  for (struct node *p = list; p; p = p->next)\n"
                             "    if (p->key == x->key)\n"
                             "    {\n"
                             "      ANNOTATE(HD_BLOCK_END(&object);)\n"
                             "      unlock();\n"
                             "      ANNOTATE(HD_RETURN(&object, false);)\n"
                             "      return false;\n"
                             "    }\n"
                             "  x->next = list;\n"
                             "  ANNOTATE(HD_WRITE(&object, &x->next, (uintptr_t) list);)\n"
                             "  ANNOTATE(HD_WRITE_RELEASE(&object, &list, hd_bytes(x, sizeof *x));)\n"
                             "  list = x;\n"
                             "  SET(n, n + 1);\n"
                             "  ANNOTATE(HD_WRITE(&object, 1, n); HD_REPLAY(&object, 1, x, sizeof *x);)\n"
                             "  ANNOTATE(HD_COMMIT_IF(side_effect() > 0, &object);)\n"
                             "  ANNOTATE(HD_BLOCK_END(&object);)\n"
                             "  unlock();\n"
                             "  ANNOTATE(HD_RETURN(&object, true);)\n"
                             "  return true;\n"
                             "}\n"
                             "struct node *pop(void)\n"
                             "{\n"
                             "  ANNOTATE(HD_CALL_NOCOMMIT(&object, \"pop\");)\n"
                             "  struct node *x = __atomic_load_n(&list, __ATOMIC_ACQUIRE);\n"
                             "  ANNOTATE(HD_WINDOW(&object); HD_INTERNAL_BEGIN(&object, \"t\");)\n"
                             "  while (x && !__atomic_compare_exchange_n(&list, &x, x->next, 0, 4, 2))\n"
                             "  {\n"
                             "    ANNOTATE(HD_ABANDON(&object);)\n"
                             "  }\n"
                             "  ANNOTATE(HD_COMMIT_RET(&object, x ? x->key : 0); HD_INTERNAL_END(&object);)\n"
                             "  ANNOTATE(hd_pause(); hd_resume(); hd_object_init(&object, \"a\", \"b\");)\n"
                             "  ANNOTATE(HD_RETURN(&object);)\n"
                             "  return x;\n"
                             "}\n";

static char directory[] = "/tmp/heddle-off-XXXXXX";

static void
run(const char *text)
{
  if (system(text) != 0)
    fail_msg("failed: %s", text);
}

/* Compile the source with FLAGS; the code and constants are in DIRECTORY/NAME.bin. */
static void
compile(const char *cc, const char *flags, const char *name)
{
  char text[1024];
  snprintf(text, sizeof text,
           "%s -std=gnu11 -Wall -Wextra -Werror %s -I%s/include -c %s/source.c -o %s/%s.o && objcopy -O binary "
           "-j .text -j .text.unlikely -j .rodata -j .data -j .tdata %s/%s.o %s/%s.bin",
           cc, flags, TEST_SOURCE_ROOT, directory, directory, name, directory, name, directory, name);
  run(text);
}

static void
same_code(void **state)
{
  (void) state;
  static const char *const compilers[] = {"gcc", "clang"}, *const levels[] = {"-O1", "-O2", "-O3 -fPIC"};
  char text[1024];
  assert_non_null(mkdtemp(directory));
  snprintf(text, sizeof text, "%s/source.c", directory);
  FILE *f = fopen(text, "w");
  assert_non_null(f);
  fputs(source, f);
  fclose(f);
  int compared = 0;
  for (int c = 0; c < 2; c++)
  {
    snprintf(text, sizeof text, "%s --version >/dev/null 2>&1", compilers[c]);
    if (system(text) != 0)
      continue;
    for (int i = 0; i < 3; i++)
    {
      char on[64], off[64];
      snprintf(off, sizeof off, "-DANNOTATED -DHEDDLE_OFF %s", levels[i]);
      snprintf(on, sizeof on, "-DANNOTATED %s", levels[i]);
      compile(compilers[c], levels[i], "plain");
      compile(compilers[c], off, "off");
      compile(compilers[c], on, "on");
      snprintf(text, sizeof text, "cmp %s/plain.bin %s/off.bin && test -s %s/plain.bin", directory, directory,
               directory);
      run(text);
      /* With the macros on, the same comparison must find a difference. */
      snprintf(text, sizeof text, "! cmp -s %s/plain.bin %s/on.bin", directory, directory);
      run(text);
      compared++;
    }
  }
  assert_true(compared > 0);
  snprintf(text, sizeof text, "rm -r %s", directory);
  run(text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
