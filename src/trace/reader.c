/* reader.c: opens a trace, and gives it to the reader of its form. */
#include "trace/reader.h"
#include "trace/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void
hd_trace_fail(hd_trace *t, const char *place, const char *format, ...)
{
  if (t->error)
    return;
  hd_string s = {0};
  hd_string_printf(&s, "%s%s: error: ", t->path, place);
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  t->error = s.text;
}

static hd_trace *
start(hd_trace *t, hd_trace_form form, char **error)
{
  bool ours = t->size >= 8 && memcmp(t->data, HD_TRACE_MAGIC, 8) == 0;
  t->form = form != HD_TRACE_AUTO ? form : ours ? HD_TRACE_BINARY : HD_TRACE_STD;
  t->names = hd_trace_names_new();
  if (t->form == HD_TRACE_BINARY)
    hd_trace_binary_start(t);
  else
    hd_trace_std_start(t);
  if (!t->error)
    return t;
  *error = t->error;
  t->error = NULL;
  hd_trace_free(t);
  return NULL;
}

hd_trace *
hd_trace_open_memory(const void *data, size_t n, const char *path, hd_trace_form form, char **error)
{
  hd_trace *t = hd_alloc_zero(sizeof *t);
  t->data = data;
  t->size = n;
  t->path = hd_strndup(path, strlen(path));
  return start(t, form, error);
}

/* Copy what FD gives into a file without a name; returns that, or -1. */
static int
spool(int fd)
{
  const char *folder = getenv("TMPDIR");
  hd_string name = {0};
  hd_string_printf(&name, "%s/heddle-trace-XXXXXX", folder && *folder ? folder : "/tmp");
  int copy = mkstemp(name.text);
  if (copy >= 0)
    unlink(name.text);
  hd_string_free(&name);
  static const size_t PIECE = 1 << 16;
  char *piece = hd_alloc(PIECE);
  for (ssize_t n = 1; copy >= 0 && n != 0;)
  {
    n = read(fd, piece, PIECE);
    if (n < 0 && errno == EINTR)
      continue;
    bool good = n >= 0;
    for (ssize_t done = 0, m; good && done < n; done += m)
      good = (m = write(copy, piece + done, (size_t) (n - done))) > 0;
    if (!good)
    {
      int e = errno;
      close(copy);
      copy = -1;
      errno = e;
    }
  }
  free(piece);
  return copy;
}

hd_trace *
hd_trace_open(const char *path, hd_trace_form form, char **error)
{
  bool standard = strcmp(path, "-") == 0;
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  hd_trace *t = hd_alloc_zero(sizeof *t);
  t->path = hd_strndup(standard ? "stdin" : path, strlen(standard ? "stdin" : path));
  bool good = fd >= 0 && fstat(fd, &st) == 0;
  if (good && S_ISDIR(st.st_mode))
  {
    errno = EISDIR;
    good = false;
  }
  if (good && !S_ISREG(st.st_mode))
  {
    int copy = spool(fd);
    if (!standard)
      close(fd);
    fd = copy;
    standard = false;
    good = fd >= 0 && fstat(fd, &st) == 0;
  }
  t->size = good ? (size_t) st.st_size : 0;
  if (good && t->size > 0)
  {
    void *p = mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, fd, 0);
    good = p != MAP_FAILED;
    if (good)
    {
      t->data = p;
      t->mapped = true;
      madvise(p, t->size, MADV_SEQUENTIAL);
    }
  }
  if (!good)
  {
    hd_string s = {0};
    hd_string_printf(&s, "heddle: %s: %s", t->path, strerror(errno));
    *error = s.text;
  }
  if (fd >= 0 && !standard)
    close(fd);
  if (good)
    return start(t, form, error);
  hd_trace_free(t);
  return NULL;
}

void
hd_trace_free(hd_trace *t)
{
  if (!t)
    return;
  hd_trace_std_free(t);
  hd_trace_binary_free(t);
  hd_trace_names_free(t->names);
  if (t->mapped)
    munmap((void *) t->data, t->size);
  free(t->error);
  free(t->cut);
  free(t->loss);
  free(t->path);
  free(t);
}

size_t
hd_trace_read(hd_trace *t, hd_trace_event *events, size_t n)
{
  if (t->error)
    return 0;
  n = t->form == HD_TRACE_BINARY ? hd_trace_binary_read(t, events, n) : hd_trace_std_read(t, events, n);
  for (size_t i = 0; i < n; i++)
    events[i].number = ++t->count;
  return n;
}

const char *
hd_trace_error(const hd_trace *t)
{
  return t->error;
}

const char *
hd_trace_cut(const hd_trace *t)
{
  return t->cut;
}

void
hd_trace_rewind(hd_trace *t)
{
  free(t->error);
  free(t->cut);
  t->error = t->cut = NULL;
  t->count = 0;
  if (t->form == HD_TRACE_BINARY)
    hd_trace_binary_start(t);
  else
    hd_trace_std_start(t);
}

hd_trace_form
hd_trace_form_get(const hd_trace *t)
{
  return t->form;
}

const hd_trace_names *
hd_trace_names_of(const hd_trace *t)
{
  return t->names;
}

void
hd_trace_print_place(hd_string *out, const hd_trace *t, uint64_t number)
{
  if (t->form == HD_TRACE_STD && number == t->count)
    hd_string_printf(out, "%s:%" PRIu64, t->path, hd_trace_std_line(t));
  else
    hd_string_printf(out, "%s: event %" PRIu64, t->path, number);
}
