/* main.c: heddle: finds the command and runs it. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"

static const struct
{
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"check", hd_cmd_check}, {"control", hd_cmd_control}, {"help", hd_cmd_help},   {"history", hd_cmd_history},
    {"log", hd_cmd_log},     {"monitor", hd_cmd_monitor}, {"prove", hd_cmd_prove}, {"run", hd_cmd_run},
    {"spec", hd_cmd_spec},   {"trace", hd_cmd_trace},
};

enum
{
  NCOMMANDS = sizeof commands / sizeof *commands
};

static int
unknown_command(const char *name)
{
  const char *names[NCOMMANDS + 2] = {"--help", "--version"};
  for (size_t i = 0; i < NCOMMANDS; i++)
    names[i + 2] = commands[i].name;
  const char *meant = hd_options_suggest(name, names, NCOMMANDS + 2);
  fprintf(stderr, "heddle: there is no %s '%s'", name[0] == '-' ? "option" : "command", name);
  if (meant)
    fprintf(stderr, "; did you mean 'heddle %s'?\n", meant);
  else
    fprintf(stderr, "; 'heddle help' lists what there is\n");
  return HD_BAD_INPUT;
}

static int
dispatch(int argc, char **argv)
{
  for (size_t i = 0; i < NCOMMANDS; i++)
    if (strcmp(argv[0], commands[i].name) == 0)
      return commands[i].run(argc, argv);
  if (strcmp(argv[0], "race-reports") == 0)
    return hd_cmd_race_reports(argc, argv); /* for programs, not for people: in no list */
  if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
    return hd_cmd_help(1, argv);
  if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0)
  {
    puts("heddle " HD_VERSION);
    return HD_HOLDS;
  }
  return unknown_command(argv[0]);
}

int
main(int argc, char **argv)
{
  if (argc < 2)
  {
    fputs("heddle: no command given; 'heddle help' lists them, for example:\n"
          "  heddle check run.hlog --spec ./multiset.so\n",
          stderr);
    return HD_BAD_INPUT;
  }
  int status = dispatch(argc - 1, argv + 1);
  /* A verdict that did not reach its reader was not given. */
  if (fflush(stdout) != 0 || ferror(stdout))
  {
    fprintf(stderr, "heddle: the output could not be written: %s\n", strerror(errno));
    return HD_INCOMPLETE;
  }
  return status;
}
