/* cmd_monitor_exec.c: in the heddle command, what watches a running program is in another one, heddle-races, which is
 * beside it: it needs a library for debug information that no other command should have to load. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static const char *const name = "heddle-races";

/* The words of our own command line; NULL ends them. */
static HD_GIVE char **
own_arguments(hd_string *text)
{
  char block[4096];
  ssize_t n;
  char **list = NULL;
  size_t count = 0, cap = 0;
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
    hd_string_add_n(text, block, (size_t) n);
  if (fd >= 0)
    close(fd);
  for (size_t at = 0; at < text->length; at += strlen(text->text + at) + 1)
    HD_PUSH(list, count, cap, text->text + at);
  HD_PUSH(list, count, cap, NULL);
  return list;
}

static int
become_the_other(void)
{
  hd_string text = {0}, path = {0};
  char own[4096];
  ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
  own[n > 0 ? n : 0] = 0;
  char *slash = strrchr(own, '/');
  char **arguments = own_arguments(&text);
  if (slash && arguments[0])
  {
    hd_string_printf(&path, "%.*s/%s", (int) (slash - own), own, name);
    fflush(NULL);
    execv(path.text, arguments);
  }
  fprintf(stderr, "heddle: %s cannot be run: %s\n", path.text ? path.text : name, strerror(errno));
  free(arguments);
  hd_string_free(&text);
  hd_string_free(&path);
  return HD_INCOMPLETE;
}

int
hd_monitor_program(const hd_cli_options *o)
{
  (void) o;
  return become_the_other();
}

int
hd_monitor_watched_properties(const hd_cli_options *o, struct hd_mttl_file **files)
{
  (void) o;
  (void) files;
  return become_the_other();
}

int
hd_trace_record(const hd_cli_options *o)
{
  (void) o;
  return become_the_other();
}

int
hd_cmd_race_reports(int argc, char **argv)
{
  (void) argc;
  (void) argv;
  return become_the_other();
}
