/* dynamic.c: what the heddle command leaves to another one, heddle-dynamic, which is beside it: the same command with
 * the dynamic linker, which loads specifications that users have compiled, and debug information through a library. The
 * heddle command is linked statically and needs neither; so its runs, which are often short, are shorter. The other one
 * starts from the beginning with our command line: nothing may have been read or said before. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/judge.h"

static const char *const name = "heddle-dynamic";

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

/* Returns only if that is not possible: why. */
static HD_GIVE char *
become_the_other(void)
{
  hd_string text = {0}, path = {0}, why = {0};
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
  hd_string_printf(&why, "%s cannot be run: %s", path.text ? path.text : name, strerror(errno));
  free(arguments);
  hd_string_free(&text);
  hd_string_free(&path);
  return why.text;
}

static int
leave_it_to_the_other(void)
{
  char *why = become_the_other();
  fprintf(stderr, "heddle: %s\n", why);
  free(why);
  return HD_INCOMPLETE;
}

/* ---- specifications that users have compiled ---- */

HD_GIVE hd_spec_library *
hd_spec_library_open(const char *path, HD_GIVE char **error)
{
  (void) path;
  *error = become_the_other();
  return NULL;
}

const hd_spec *
hd_spec_library_get(const hd_spec_library *l)
{
  (void) l;
  return NULL;
}

void
hd_spec_library_close(HD_TAKE hd_spec_library *l)
{
  (void) l;
}

/* ---- programs that are watched ---- */

int
hd_monitor_program(const hd_cli_options *o)
{
  (void) o;
  return leave_it_to_the_other();
}

int
hd_monitor_watched_properties(const hd_cli_options *o, struct hd_mttl_file **files)
{
  (void) o;
  (void) files;
  return leave_it_to_the_other();
}

int
hd_trace_record(const hd_cli_options *o)
{
  (void) o;
  return leave_it_to_the_other();
}

int
hd_cmd_race_reports(int argc, char **argv)
{
  (void) argc;
  (void) argv;
  return leave_it_to_the_other();
}
