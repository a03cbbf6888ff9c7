/* help.c: heddle help: the list of commands, or a manual page.
 *
 * A page is looked for beside the executable first, so that `build/heddle help check` works from the tree. */
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static const struct
{
  const char *topic, *page;
  int section;
} pages[] = {
    {"heddle", "heddle", 1},           {"check", "heddle-check", 1},     {"run", "heddle-run", 1},
    {"log", "heddle-log", 1},          {"spec", "heddle-spec", 1},       {"specification", "heddle-spec", 7},
    {"lib", "libheddle", 3},           {"libheddle", "libheddle", 3},    {"macros", "libheddle", 3},
    {"verify", "libheddle-verify", 3}, {"history", "heddle-history", 1}, {"control", "heddle-control", 1},
    {"prove", "heddle-prove", 1},      {"monitor", "heddle-monitor", 1}, {"trace", "heddle-trace", 1},
    {"cc", "heddle-cc", 1},
};

enum
{
  NPAGES = sizeof pages / sizeof *pages
};

/* The file of the page, in the build directory or where it was installed; false: neither has it. */
static bool
find_page(size_t i, char path[PATH_MAX])
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0)
    return false;
  self[n] = 0;
  const char *folder = dirname(self);
  int length = snprintf(path, PATH_MAX, "%s/docs/man/%s.%d", folder, pages[i].page, pages[i].section);
  if (length < PATH_MAX && access(path, R_OK) == 0)
    return true;
  length = snprintf(path, PATH_MAX, "%s/../share/man/man%d/%s.%d", folder, pages[i].section, pages[i].page,
                    pages[i].section);
  return length < PATH_MAX && access(path, R_OK) == 0;
}

static int
open_page(size_t i)
{
  char path[PATH_MAX], section[2] = {(char) ('0' + pages[i].section), 0};
  bool found = find_page(i, path);
  fflush(stdout);
  if (found)
  {
    execlp("man", "man", "-l", path, (char *) NULL);
    execlp("mandoc", "mandoc", "-a", path, (char *) NULL);
    fprintf(stderr, "heddle help: neither man nor mandoc could be started; the page is %s\n", path);
  }
  else
  {
    execlp("man", "man", section, pages[i].page, (char *) NULL);
    fprintf(stderr, "heddle help: man could not be started; install man-db or read docs/ in the source\n");
  }
  return HD_BAD_INPUT;
}

static void
print_commands(void)
{
  puts("Heddle checks concurrent C code against an atomic specification.\n");
  for (size_t i = 0; i < hd_command_count; i++)
    printf("  heddle %-8s %s\n", hd_command_table[i].name, hd_command_table[i].summary);
  puts("  heddle help     open a manual page: heddle help check\n"
       "\n"
       "heddle COMMAND --help is short; heddle --version says which Heddle this is.\n"
       "Exit status: 0 holds, 1 violated, 2 bad usage or input, 3 incomplete.");
}

int
hd_cmd_help(int argc, char **argv)
{
  const char *topics[NPAGES];
  if (argc <= 1)
  {
    print_commands();
    return HD_HOLDS;
  }
  if (argc > 2)
  {
    fprintf(stderr, "heddle help: one command at a time: heddle help %s\n", argv[1]);
    return HD_BAD_INPUT;
  }
  for (size_t i = 0; i < NPAGES; i++)
  {
    topics[i] = pages[i].topic;
    if (strcmp(argv[1], pages[i].topic) == 0 || strcmp(argv[1], pages[i].page) == 0)
      return open_page(i);
  }
  const char *meant = hd_options_suggest(argv[1], topics, NPAGES);
  fprintf(stderr, "heddle help: there is no page '%s'; ", argv[1]);
  if (meant)
    fprintf(stderr, "did you mean '%s'?\n", meant);
  for (size_t i = 0; i < NPAGES && !meant; i++)
    fprintf(stderr, "%s%s%s", i == 0 ? "there are " : "", topics[i],
            i + 1 == NPAGES   ? "\n"
            : i + 2 == NPAGES ? " and "
                              : ", ");
  return HD_BAD_INPUT;
}
