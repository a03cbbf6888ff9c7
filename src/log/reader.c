/* reader.c: opening a log, what is known of it as a whole, and what was wrong with it.
 *
 * The fixed part of the header is checked here and nowhere else; from then on everything that the file says is
 * compared with what is really there. Threads: one per handle. */
#include "log/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The ring of free units behind this is of use to a live reader only, which maps it. */
#define HEADER_BYTES offsetof(hd_log_header, free_ring)

void
hd_reader_damage(hd_log *log, uint64_t offset, const char *format, ...)
{
  if (log->ndamages > HD_READER_MAX_DAMAGES)
    return;
  hd_string s = {0};
  if (log->ndamages == HD_READER_MAX_DAMAGES)
    hd_string_add(&s, "more damage follows that is not listed");
  else
  {
    va_list args;
    va_start(args, format);
    hd_string_vprintf(&s, format, args);
    va_end(args);
  }
  HD_PUSH(log->damages, log->ndamages, log->cap_damages, (hd_log_damage){.offset = offset, .what = s.text});
}

static void
clear_damages(hd_log *log)
{
  for (size_t i = 0; i < log->ndamages; i++)
    free((char *) log->damages[i].what);
  log->ndamages = 0;
}

size_t
hd_reader_pread(hd_log *log, void *to, size_t n, uint64_t offset)
{
  size_t got = 0;
  while (got < n)
  {
    ssize_t r = pread(log->fd, (char *) to + got, n - got, (off_t) (offset + got));
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      break;
    got += (size_t) r;
  }
  return got;
}

bool
hd_reader_refresh_header(hd_log *log)
{
  struct stat st;
  /* The size after the header: a program that is still running makes the file longer before it says so. */
  if (hd_reader_pread(log, &log->header, HEADER_BYTES, 0) != HEADER_BYTES || fstat(log->fd, &st) != 0)
    return false;
  log->size = (uint64_t) st.st_size;
  return true;
}

void
hd_reader_reset(hd_log *log)
{
  clear_damages(log);
  for (uint32_t i = 0; i <= log->max_thread && i < log->cap_threads; i++)
  {
    hd_reader_thread_free(log->threads[i]);
    log->threads[i] = NULL;
  }
  log->nthreads = 0;
  for (uint32_t i = 1; i <= log->max_object; i++)
  {
    hd_reader_object *o = log->objects[i];
    if (!o)
      continue;
    o->seen = o->sum = o->frontier = o->proved = o->round = o->segment = o->torn = 0;
    o->cap = UINT64_MAX;
    o->dirty = o->clocked = false;
  }
  log->segment = 0;
  log->ntouched = log->nheap = log->ndirty = 0;
  hd_reader_torn_clear(log);
}

/* Why the header is not one that we can read, or NULL. */
static char *
header_error(const hd_log_header *h, size_t got, const char *path)
{
  if (got == 0)
    return hd_text("%s: the file is empty; no event was logged, or the log was not copied whole", path);
  size_t known = got < sizeof h->magic ? got : sizeof h->magic;
  if (memcmp(h->magic, HD_LOG_MAGIC, known) != 0)
    return hd_text("%s: this is not a Heddle log; a log is what a program writes when HEDDLE_LOG=file is set", path);
  if (got < HEADER_BYTES)
    return hd_text("%s: the log is cut inside its header (%zu bytes); nothing of it can be read", path, got);
  if (h->version != HD_LOG_VERSION)
    return hd_text("%s: this is a log of version %u; this heddle reads version %u: use the heddle that belongs to the "
                   "library that wrote it, or log again",
                   path, h->version, HD_LOG_VERSION);
  if (h->checksum != XXH3_64bits(h, offsetof(hd_log_header, checksum)))
    return hd_text("%s: the header is damaged (checksum mismatch); nothing of the log can be trusted", path);
  if (h->unit != HD_LOG_UNIT)
    return hd_text("%s: the log has units of %u bytes; this heddle reads units of %u", path, h->unit, HD_LOG_UNIT);
  return NULL;
}

hd_log *
hd_log_open(const char *path, char **error)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
  {
    *error = hd_text("%s: cannot open the log: %s", path, strerror(errno));
    return NULL;
  }
  return hd_log_open_fd(fd, path, error);
}

hd_log *
hd_log_open_fd(int fd, const char *path, char **error)
{
  struct stat st;
  *error = NULL;
  if (fstat(fd, &st) != 0)
    *error = hd_text("%s: cannot read the log: %s", path, strerror(errno));
  else if (!S_ISREG(st.st_mode))
    *error = hd_text("%s: this is not a regular file; give the file that HEDDLE_LOG named", path);
  if (*error)
  {
    close(fd);
    return NULL;
  }
  hd_log *log = hd_alloc_zero(sizeof *log);
  log->fd = fd;
  log->path = hd_strndup(path, strlen(path));
  log->size = (uint64_t) st.st_size;
  size_t got = hd_reader_pread(log, &log->header, HEADER_BYTES, 0);
  *error = header_error(&log->header, got, path);
  log->arena = hd_arena_new();
  if (*error)
  {
    hd_log_free(log);
    return NULL;
  }
  hd_reader_index(log);
  log->fresh = true;
  return log;
}

void
hd_log_free(hd_log *log)
{
  if (!log)
    return;
  hd_reader_live_free(log);
  hd_reader_torn_clear(log);
  for (size_t i = 0; i <= log->max_thread && i < log->cap_threads; i++)
    hd_reader_thread_free(log->threads[i]);
  for (size_t i = 0; i < log->nclocks; i++)
    free(log->clocks[i].owner);
  clear_damages(log);
  free(log->damages);
  free(log->clocks);
  free(log->threads);
  free(log->names);
  free(log->objects);
  free(log->sites);
  free(log->places);
  free(log->buffer);
  free(log->touched);
  free(log->heap);
  free(log->dirty);
  free(log->torn);
  free(log->path);
  hd_arena_free(log->arena);
  close(log->fd);
  free(log);
}

/* Ids that the tables do not explain (they were lost) still have an entry, so that nobody meets a null pointer. */
uint32_t
hd_log_objects(const hd_log *log)
{
  return log->max_object;
}

const hd_log_object *
hd_log_object_get(const hd_log *log, uint32_t id)
{
  static const hd_log_object unknown = {.type = "?", .name = "?"};
  const hd_reader_object *o = hd_reader_object_find(log, id);
  return o ? &o->info : id - 1u < log->max_object ? &unknown : NULL;
}

uint32_t
hd_log_sites(const hd_log *log)
{
  return log->max_site;
}

const hd_log_site *
hd_log_site_get(const hd_log *log, uint32_t id)
{
  static const hd_log_site unknown = {.file = "?", .function = "?", .method = "?"};
  if (id == 0 || id > log->max_site)
    return NULL;
  return log->sites[id] ? log->sites[id] : &unknown;
}

bool
hd_log_place_get(const hd_log *log, uint32_t place, hd_log_place *p)
{
  const hd_log_site *s = place & HD_PLACE_LINE ? NULL : hd_log_site_get(log, place);
  *p = (hd_log_place){.file = "", .function = ""};
  if (s)
    *p = (hd_log_place){.file = s->file, .function = s->function, .line = s->line};
  else if ((place & HD_PLACE_LINE) && log->lined_file)
    *p = (hd_log_place){.file = log->lined_file, .function = "", .line = place & ~HD_PLACE_LINE};
  return p->line != 0 && *p->file;
}

uint32_t
hd_log_threads(const hd_log *log)
{
  return log->max_thread;
}

const char *
hd_log_thread_name(const hd_log *log, uint32_t number)
{
  return number < log->cap_names && log->names[number] ? log->names[number] : "";
}

const char *
hd_log_path(const hd_log *log)
{
  return log->path;
}

bool
hd_log_closed(const hd_log *log)
{
  return log->header.state == HD_LOG_CLOSED;
}

uint64_t
hd_log_dropped(const hd_log *log)
{
  return log->header.dropped;
}

bool
hd_log_lost(const hd_log *log)
{
  return log->header.lost != 0;
}

size_t
hd_log_damages(const hd_log *log, const hd_log_damage **damages)
{
  *damages = log->damages;
  return log->ndamages;
}

hd_log_facts
hd_log_get_facts(const hd_log *log)
{
  const hd_log_header *h = &log->header;
  return (hd_log_facts){.program = memchr(h->program, 0, sizeof h->program) ? h->program : "",
                        .pid = h->pid,
                        .start_ns = h->start_ns,
                        .size = log->size};
}
