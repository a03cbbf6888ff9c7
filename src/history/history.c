/* history.c: a history as a handle: its file, its form, its head. */
#include "history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/internal.h"

static const char *const form_names[] = {"auto", "edn", "etcd", "kv", "synthetic", "jsonl"};

const char *
hd_history_form_name(hd_history_form form)
{
  return form_names[form];
}

/* ---- the head ---- */

bool
hd_history_head_object(reader *r, place where, hd_value object)
{
  if (!r->head)
    return true;
  if (r->head->object)
    return hd_history_fail(r->in, where, "the history says twice what object it is about");
  r->head->object = hd_strndup(object.s, object.length);
  return true;
}

void
hd_history_head_initial(reader *r, hd_value initial)
{
  if (!r->head || r->head->has_initial)
    return;
  r->head->has_initial = true;
  r->head->initial = initial;
  if (initial.type >= HD_STR)
    r->head->initial.s = hd_strndup(initial.s, initial.length);
}

static hd_value
head_value(const char *s, size_t n)
{
  hd_value v;
  if (n == 3 && memcmp(s, "nil", 3) == 0)
    return hd_nil();
  if (hd_history_number(s, n, &v))
    return v;
  return (hd_value){.type = HD_STR, .length = (uint32_t) n, .s = s};
}

bool
hd_history_head_words(reader *r, const char *text, size_t n, place where)
{
  for (size_t i = 0; i < n;)
  {
    size_t length = strcspn(text + i, " \t\r");
    if (i + length > n)
      length = n - i;
    const char *w = text + i;
    if (length > 7 && memcmp(w, "object=", 7) == 0
        && !hd_history_head_object(r, where, (hd_value){.type = HD_STR, .length = (uint32_t) length - 7, .s = w + 7}))
      return false;
    if (length > 8 && memcmp(w, "initial=", 8) == 0)
      hd_history_head_initial(r, head_value(w + 8, length - 8));
    i += length + 1;
  }
  return true;
}

/* ---- the form ---- */

static bool
has(const char *text, const char *what)
{
  return strstr(text, what);
}

/* EDN and kv are read alike; what is called kv is a history of a map. */
static hd_history_form
edn_or_kv(const char *s)
{
  const char *end = strchr(s, '}');
  char first[512];
  size_t n = end ? (size_t) (end - s) : strlen(s);
  snprintf(first, sizeof first, "%.*s", (int) (n < sizeof first ? n : sizeof first - 1), s);
  return has(first, ":key ") && (has(first, ":f :get") || has(first, ":f :put") || has(first, ":f :append"))
             ? HD_HISTORY_KV
             : HD_HISTORY_EDN;
}

/* By the first bytes, S, zero-terminated. HD_HISTORY_AUTO: it is none that we know. */
static hd_history_form
recognise(const char *s)
{
  const char *start = s;
  for (;;)
  {
    s += strspn(s, " \t\r\n,");
    if (*s != ';')
      break;
    s += strcspn(s, "\n");
  }
  if (strncmp(s, "INFO", 4) == 0)
    return HD_HISTORY_ETCD;
  if ((*s == '#' && (s[1] == ' ' || s[1] == '\t' || s[1] == '\n'))
      || (strchr("IWCR", *s) && *s && (s[1] == ' ' || s[1] == '\t')))
    return HD_HISTORY_SYNTHETIC;
  if (*s == '#' || (*s == 0 && strchr(start, ';')))
    return HD_HISTORY_EDN;
  const char *first = s + strspn(s, "[( \t\r\n");
  if (*first == 0 && (*s == '[' || *s == '('))
    return HD_HISTORY_EDN;
  if (*first == '{')
  {
    const char *name = first + 1 + strspn(first + 1, " \t\r\n");
    return *name == '"' ? HD_HISTORY_JSONL : edn_or_kv(first);
  }
  return *first == ']' || *first == ')' || *first == '#' ? HD_HISTORY_EDN : HD_HISTORY_AUTO;
}

static bool
find_form(hd_history *h)
{
  if (h->form != HD_HISTORY_AUTO)
    return true;
  input *in = &h->in;
  char text[4096];
  peek(in);
  size_t n = in->end < sizeof text ? in->end : sizeof text - 1;
  memcpy(text, in->buffer, n);
  for (char *zero = text; (zero = memchr(zero, 0, n - (size_t) (zero - text)));)
    *zero = 1; /* it would end the string */
  text[n] = 0;
  if (n == 0)
    return hd_history_fail(in, here(in), "the file is empty");
  h->form = recognise(text);
  if (h->form == HD_HISTORY_AUTO)
    return hd_history_fail(in, here(in),
                           "this is no history in a form that Heddle knows; 'heddle help history' shows "
                           "them, and --format says which one it is");
  return true;
}

/* ---- the file ---- */

static bool
stop_at_once(void *context, const hd_history_event *e)
{
  (void) context, (void) e;
  return false;
}

static bool
run(hd_history *h, hd_history_event_sink sink, void *context, head *head)
{
  reader r = {.in = &h->in, .sink = sink, .context = context, .head = head};
  switch (h->form)
  {
  case HD_HISTORY_EDN:
  case HD_HISTORY_KV:
    return hd_history_edn(&r);
  case HD_HISTORY_ETCD:
    return hd_history_etcd(&r);
  case HD_HISTORY_SYNTHETIC:
    return hd_history_synthetic(&r);
  case HD_HISTORY_JSONL:
    return hd_history_jsonl(&r);
  case HD_HISTORY_AUTO:
    break;
  }
  HD_CHECK(!"form");
  return false;
}

int
hd_history_temporary(void)
{
  const char *folder = getenv("TMPDIR");
  hd_string path = {0};
  hd_string_printf(&path, "%s/heddle-XXXXXX", folder && *folder ? folder : "/tmp");
  int fd = mkostemp(path.text, O_CLOEXEC);
  if (fd >= 0)
    unlink(path.text);
  hd_string_free(&path);
  return fd;
}

/* What cannot be read twice is copied to a temporary file. Out of line, so that others do not pay for its buffer. */
static __attribute__((noinline)) bool
make_seekable(input *in)
{
  int to = hd_history_temporary();
  char buffer[65536];
  ssize_t n = to < 0 ? -1 : 1;
  while (n > 0)
  {
    n = read(in->fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0 && write(to, buffer, (size_t) n) != n)
      n = -1;
  }
  if (n < 0)
  {
    int why = errno;
    if (to >= 0)
      close(to);
    return hd_history_fail(in, (place){1, 1}, "this is no file, and no copy of it could be made in TMPDIR: %s",
                           strerror(why));
  }
  close(in->fd);
  in->fd = to;
  return true;
}

hd_history *
hd_history_new_fd(int fd, const char *path, hd_history_form form, char **error)
{
  hd_history *h = hd_alloc_zero(sizeof *h);
  *error = NULL;
  h->path = hd_strndup(path, strlen(path));
  h->form = form;
  h->in.fd = fd;
  h->in.path = h->path;
  h->in.line = 1;
  if (lseek(fd, 0, SEEK_CUR) >= 0 || make_seekable(&h->in))
  {
    hd_history_input_rewind(&h->in);
    if (!h->in.error && find_form(h))
    {
      hd_history_input_rewind(&h->in);
      run(h, stop_at_once, NULL, &h->head);
    }
  }
  if (!h->in.error)
    return h;
  *error = h->in.error;
  h->in.error = NULL;
  hd_history_free(h);
  return NULL;
}

hd_history *
hd_history_new(const char *path, hd_history_form form, char **error)
{
  if (strcmp(path, "-") == 0)
    return hd_history_new_fd(dup(STDIN_FILENO), "stdin", form, error);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat s;
  if (fd >= 0 && fstat(fd, &s) == 0 && S_ISDIR(s.st_mode))
  {
    close(fd);
    fd = -1;
    errno = EISDIR;
  }
  if (fd >= 0)
    return hd_history_new_fd(fd, path, form, error);
  hd_string message = {0};
  hd_string_printf(&message, "%s: error: %s", path, strerror(errno));
  *error = message.text;
  return NULL;
}

void
hd_history_free(hd_history *h)
{
  if (!h)
    return;
  close(h->in.fd);
  free(h->in.buffer);
  free(h->in.error);
  if (h->in.arena)
    hd_arena_free(h->in.arena);
  free(h->head.object);
  if (h->head.has_initial && h->head.initial.type >= HD_STR)
    free((char *) h->head.initial.s);
  free(h->path);
  free(h);
}

/* ---- facts ---- */

hd_history_form
hd_history_get_form(const hd_history *h)
{
  return h->form;
}

const char *
hd_history_spec_name(const hd_history *h)
{
  const char *object = h->head.object;
  if (!object)
    return h->form == HD_HISTORY_ETCD ? "register" : h->form == HD_HISTORY_KV ? "map" : NULL;
  return strcmp(object, "uregister") == 0 ? "register" : strcmp(object, "kv") == 0 ? "map" : object;
}

bool
hd_history_initial(const hd_history *h, hd_value *initial)
{
  const char *name = hd_history_spec_name(h);
  if (h->head.has_initial)
    *initial = h->head.initial;
  else if (h->form == HD_HISTORY_SYNTHETIC && name && strcmp(name, "register") == 0)
    *initial = hd_int(-1);
  else
    return false;
  return true;
}

bool
hd_history_read_events(hd_history *h, hd_history_event_sink sink, void *context, char **error)
{
  *error = NULL;
  hd_history_input_rewind(&h->in);
  bool good = !h->in.error && run(h, sink, context, NULL);
  if (h->in.error)
  {
    *error = h->in.error;
    h->in.error = NULL;
    good = false;
  }
  return good;
}
