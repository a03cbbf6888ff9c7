/* children.c: what a program said about the processes that it started (rt_children.c), for people.
 *
 * A child of a fork has memory of its own, which nobody else changes: with one thread it can neither race nor deadlock,
 * and no block of it is anything but atomic. Then nothing is lost by not looking. What a rule of a property says about
 * one thread it may well break. */
#include "instrument/instrument.h"
#include "instrument/rt_children.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct program
{
  char *text;
  bool shell;
  uint64_t count;
} program;

struct hd_children
{
  program *programs; /* that were executed */
  size_t nprograms, programs_cap;
  uint64_t quiet, threads, shares, running;
  bool many;
  char *becomes; /* NULL: the program stayed itself */
};

hd_children *
hd_children_new(void)
{
  return hd_alloc_zero(sizeof(hd_children));
}

static void
clear(hd_children *c)
{
  for (size_t i = 0; i < c->nprograms; i++)
    free(c->programs[i].text);
  free(c->programs);
  free(c->becomes);
  *c = (hd_children){0};
}

void
hd_children_free(hd_children *c)
{
  if (c)
    clear(c);
  free(c);
}

/* ---- lines ---- */

/* Is there a process that has not ended? The program may have ended without waiting for it. */
static bool
is_running(uint64_t pid)
{
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  size_t n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  const char *name_end = strrchr(text, ')');
  return !name_end || (name_end[1] && name_end[2] != 'Z' && name_end[2] != 'X');
}

static void
take_child(hd_children *c, const char *rest)
{
  uint64_t pid, flags, count;
  int at = 0;
  if (sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &pid, &flags, &count, &at) != 3 || !at || !count)
    return;
  if (flags & HD_RT_CHILD_EXECS)
    HD_PUSH(c->programs, c->nprograms, c->programs_cap,
            (program){hd_strndup(rest + at, strlen(rest + at)), (flags & HD_RT_CHILD_SHELL) != 0, count});
  if (flags & HD_RT_CHILD_MANY)
    c->many = true;
  else if (flags & HD_RT_CHILD_BEGINS)
    c->running += count;
  else if (flags & HD_RT_CHILD_THREADS)
    c->threads += count;
  else if (!(flags & HD_RT_CHILD_EXECS) && (flags & HD_RT_CHILD_SHARES))
    c->shares += count;
  else if (!(flags & (HD_RT_CHILD_EXECS | HD_RT_CHILD_ENDED)) && is_running(pid))
    c->running += count;
  else if (!(flags & HD_RT_CHILD_EXECS))
    c->quiet += count;
}

bool
hd_children_take(hd_children *c, const char *line)
{
  if (strncmp(line, "child ", 6) == 0)
    take_child(c, line + 6);
  else if (strncmp(line, "becomes ", 8) == 0)
  {
    free(c->becomes);
    c->becomes = hd_strndup(line + 8, strlen(line + 8));
  }
  else if (strcmp(line, "remains") == 0)
    clear(c); /* all is told again in the end */
  else
    return false;
  return true;
}

/* ---- sentences ---- */

/* Has the file the runtime in it, or does it ask for it? */
static bool
is_built_by_us(const char *path)
{
  static const char inside[] = "HEDDLE_CLIENT_FD", outside[] = "libheddle-rt.so";
  struct stat info;
  int fd = strchr(path, '/') ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  bool ours = false;
  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
  {
    size_t n = (size_t) info.st_size;
    void *data = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data && data != MAP_FAILED)
    {
      ours = memmem(data, n, inside, sizeof inside - 1) || memmem(data, n, outside, sizeof outside - 1);
      munmap(data, n);
    }
  }
  if (fd >= 0)
    close(fd);
  return ours;
}

static void
say_program(hd_string *out, const program *p)
{
  hd_string times = {0};
  if (p->count > 1)
    hd_string_printf(&times, ", %" PRIu64 " times", p->count);
  const char *n = times.length ? times.text : "";
  if (p->shell)
    hd_string_printf(out, "the program ran the command '%s'%s; what that starts is not watched\n", p->text, n);
  else if (is_built_by_us(p->text))
    hd_string_printf(out,
                     "the program started %s%s, which is not watched; give it a run of its own: heddle monitor -- %s\n",
                     p->text, n, p->text);
  else
    hd_string_printf(out, "the program started %s%s, which is not watched%s\n", p->text, n,
                     strchr(p->text, '/') ? ": it is not built with heddle-cc" : "");
  hd_string_free(&times);
}

static void
say_children(hd_string *out, uint64_t n, const char *one, const char *several, const char *rest)
{
  if (n == 1)
    hd_string_printf(out, "a child of fork %s%s\n", one, rest);
  else if (n > 1)
    hd_string_printf(out, "%" PRIu64 " children of fork %s%s\n", n, several, rest);
}

bool
hd_children_became(const hd_children *c)
{
  return c->becomes != NULL;
}

void
hd_children_tell(const hd_children *c, hd_children_watch watch, hd_string *losses, hd_string *notes)
{
  for (size_t i = 0; i < c->nprograms; i++)
    say_program(notes, &c->programs[i]);
  if (watch == HD_CHILDREN_PROPERTIES)
    say_children(losses, c->quiet + c->threads + c->shares + c->running, "was", "were", " not judged");
  else
  {
    say_children(losses, c->threads, "started threads", "started threads",
                 watch == HD_CHILDREN_RACES ? ", of which not all were watched"
                                            : ", which were not recorded; heddle monitor --race watches them");
    say_children(losses, c->shares, "has memory in common with the program", "have memory in common with the program",
                 "; what processes do to each other is not looked for");
    say_children(losses, c->running, "was still running when the program ended",
                 "were still running when the program ended", "; what came then was not watched");
  }
  if (c->many)
    hd_string_add(losses,
                  "there were more children of fork than can be told of; some may have started threads that were "
                  "not watched\n");
  if (c->becomes)
    hd_string_printf(losses, "the program executed %s in its own place, which was not watched\n", c->becomes);
}
