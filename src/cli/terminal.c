/* terminal.c: colours and the progress line. Nothing here prints unless a terminal is there to see it. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum
{
  PATIENCE_MS = 2000, /* before the first line */
  REFRESH_MS = 200,
};

bool
hd_terminal_color(int choice, FILE *out)
{
  if (choice != HD_COLOR_AUTO)
    return choice == HD_COLOR_ALWAYS;
  const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
  return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}

unsigned
hd_terminal_width(int fd)
{
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

uint64_t
hd_terminal_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

hd_progress
hd_progress_start(bool quiet)
{
  return (hd_progress){.out = !quiet && isatty(STDERR_FILENO) ? stderr : NULL,
                       .next = hd_terminal_now() + PATIENCE_MS * 1000000ull};
}

bool
hd_progress_due(hd_progress *p, uint64_t now)
{
  if (!p->out || now < p->next)
    return false;
  p->next = now + REFRESH_MS * 1000000ull;
  return true;
}

void
hd_progress_show(hd_progress *p, const char *format, ...)
{
  if (!p->out)
    return;
  hd_string line = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&line, format, args);
  va_end(args);
  /* A line that wraps could not be wiped; the last column stays free, since some terminals wrap on it. */
  size_t width = hd_terminal_width(fileno(p->out)) - 1;
  fprintf(p->out, "\r%.*s\033[K", (int) (line.length < width ? line.length : width), line.text);
  fflush(p->out);
  p->shown = true;
  hd_string_free(&line);
}

void
hd_progress_end(hd_progress *p)
{
  if (p->shown)
  {
    fputs("\r\033[K", p->out);
    fflush(p->out);
  }
  p->shown = false;
}
