/* writer_start.c: beginning and end of a log: hd_start and hd_stop, the environment, exit and fork.
 *
 * At most one log is running in a process. Logs are numbered; an object belongs to the log in which it was made. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MEMBARRIER_GLOBAL_REGISTER (1 << 2)  /* MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED */
#define MEMBARRIER_PRIVATE_REGISTER (1 << 4) /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */

uint32_t hd_writer_running;
uint64_t hd_writer_first_tick;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static hd_writer *current; /* under the mutex, like all below */
static uint32_t nlogs;
static char error[512] = "logging was not started; set HEDDLE_LOG=file or call hd_start";

/* The options of the last start, for a forked process. */
static struct
{
  hd_options options;
  char path[4096];
} last;
static uint32_t pending; /* atomic: this process was forked and starts its own log with its first object */
static sigset_t fork_signals;

void
hd_writer_block(sigset_t *old)
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, old);
}

void
hd_writer_unblock(const sigset_t *old)
{
  pthread_sigmask(SIG_SETMASK, old, NULL);
}

void
hd_writer_lock(sigset_t *old)
{
  hd_writer_block(old);
  pthread_mutex_lock(&mutex);
}

void
hd_writer_unlock(const sigset_t *old)
{
  pthread_mutex_unlock(&mutex);
  hd_writer_unblock(old);
}

hd_writer *
hd_writer_current(void)
{
  return current;
}

uint32_t
hd_writer_tid(void)
{
  return (uint32_t) syscall(SYS_gettid);
}

/* ---- starting ---- */

static bool __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(error, sizeof error, format, args);
  va_end(args);
  return false;
}

/* %p is the process id, %% a percent sign. False: too long. */
static bool
expand(const char *path, char *out, size_t size)
{
  size_t n = 0;
  for (; *path && n + 1 < size; path++)
  {
    if (path[0] == '%' && path[1] == 'p')
    {
      int m = snprintf(out + n, size - n, "%d", (int) getpid());
      if (m < 0 || (size_t) m >= size - n)
        return false;
      n += (size_t) m;
      path++;
    }
    else
    {
      if (path[0] == '%' && path[1] == '%')
        path++;
      out[n++] = *path;
    }
  }
  out[n] = 0;
  return *path == 0;
}

static bool
has_pid(const char *path)
{
  for (; *path; path++)
    if (path[0] == '%')
    {
      if (path[1] == 'p')
        return true;
      if (path[1] == '%')
        path++;
    }
  return false;
}

/* Remove an old log under PATH, unless somebody is writing it or it is something else. */
static bool
make_way(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return errno == ENOENT || fail("%s: cannot replace the old file: %s", path, strerror(errno));
  struct stat st;
  char magic[8] = "";
  bool good = false;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
    fail("%s: exists and is not a regular file; give another name in HEDDLE_LOG", path);
  else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    fail("%s: another running process writes this log; use %%p in the name to have one for each process", path);
  else if (st.st_size > 0 && (pread(fd, magic, 8, 0) != 8 || memcmp(magic, HD_LOG_MAGIC, 8) != 0))
    fail("%s: exists and is not a Heddle log; it is left as it is, give another name in HEDDLE_LOG", path);
  else
    good = unlink(path) == 0 || fail("%s: cannot replace the old log: %s", path, strerror(errno));
  close(fd);
  return good;
}

static int
create(const char *path)
{
  if (!make_way(path))
    return -1;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
  {
    fail("%s: cannot create the log: %s", path, strerror(errno));
    return -1;
  }
  flock(fd, LOCK_EX | LOCK_NB);
  return fd;
}

static void
fill_header(hd_writer *w, const hd_options *options)
{
  hd_log_header *h = w->header;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  memcpy(h->magic, HD_LOG_MAGIC, sizeof h->magic);
  h->version = HD_LOG_VERSION;
  h->unit = HD_LOG_UNIT;
  h->pid = (uint64_t) getpid();
  h->start_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
  strncpy(h->program, program_invocation_short_name, sizeof h->program - 1);
  h->state = HD_LOG_OPEN;
  h->units = 1;
  h->file_size = HD_SEGMENT_SIZE;
  h->reader_pid = options->reader;
  h->limit_units = w->limit_units;
  /* release: a reader that waits for the checksum finds the rest */
  __atomic_store_n(&h->checksum, XXH3_64bits(h, offsetof(hd_log_header, checksum)), __ATOMIC_RELEASE);
}

/* A new log, not yet running. NULL: ERROR says why. */
static hd_writer *
open_log(const hd_options *options)
{
  char path[4096];
  if (!options->path || !*options->path || !expand(options->path, path, sizeof path))
  {
    fail("the name of the log is %s", options->path && *options->path ? "too long" : "empty");
    return NULL;
  }
  size_t directory = HD_SEGMENTS * sizeof(hd_segment);
  char *memory = mmap(NULL, sizeof(hd_writer) + directory, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
  {
    fail("no memory for the log: %s", strerror(errno));
    return NULL;
  }
  hd_writer *w = (hd_writer *) (void *) memory;
  w->segments = (hd_segment *) (void *) (memory + sizeof(hd_writer));
  pthread_mutex_init(&w->grow_lock, NULL);
  w->policy = options->policy;
  w->recycle = options->reader != 0;
  uint64_t limit = options->limit / HD_LOG_UNIT, ahead = options->ahead ? options->ahead / HD_LOG_UNIT : 128;
  /* Less than the header, a table, the clocks and a chunk makes no sense. */
  w->limit_units = options->limit == 0 ? 0 : limit < 4 ? 4 : limit > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t) limit;
  w->ahead_units = ahead > HD_SEGMENTS ? HD_SEGMENTS : (uint32_t) ahead;
  memcpy(w->path, path, sizeof path);
  w->fd = create(path);
  if (w->fd >= 0)
  {
    if (hd_writer_first_segment(w))
    {
      fill_header(w, options);
      w->number = nlogs + 1;
      if (hd_writer_tables_begin(w))
        return w;
      fail("%s: cannot write the log's tables", path);
      munmap(w->header, HD_SEGMENT_SIZE);
    }
    else
      fail("%s: cannot allocate the log (%zu KiB): %s", path, HD_SEGMENT_SIZE / 1024, strerror(errno));
    close(w->fd);
    unlink(path);
  }
  munmap(memory, sizeof(hd_writer) + directory);
  return NULL;
}

/* Under the lock. */
static bool
start(const hd_options *options)
{
  if (current)
    return fail("a log is running already; call hd_stop first");
  hd_writer *w = open_log(options);
  if (!w)
    return false;
  /* So that a reader's membarrier reaches our threads. Without it the reader checks only what is old enough. */
  syscall(SYS_membarrier, MEMBARRIER_GLOBAL_REGISTER, 0, 0);
  syscall(SYS_membarrier, MEMBARRIER_PRIVATE_REGISTER, 0, 0);
  hd_writer_helper_start(w);
  nlogs++;
  current = w;
  error[0] = 0;
  /* seq_cst: also the release that pairs with the acquire in hd_log_event */
  __atomic_store_n(&hd_writer_running, w->number, __ATOMIC_SEQ_CST);
  return true;
}

static bool
parse_number(const char *name, const char *text, uint64_t *out)
{
  char *end;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 10);
  unsigned shift = *end == 'k' || *end == 'K'   ? 10
                   : *end == 'm' || *end == 'M' ? 20
                   : *end == 'g' || *end == 'G' ? 30
                                                : 0;
  if (shift)
    end++;
  if (errno || end == text || *end || text[0] == '-' || v > UINT64_MAX >> shift)
    return fail("%s=%s: not a number; write for example %s=64M", name, text, name);
  *out = v << shift;
  return true;
}

/* What the environment says. False: ERROR. */
static bool
from_environment(hd_options *options)
{
  const char *policy = secure_getenv("HEDDLE_POLICY"), *limit = secure_getenv("HEDDLE_LIMIT"),
             *reader = secure_getenv("HEDDLE_READER");
  uint64_t pid = 0;
  *options = (hd_options){.path = secure_getenv("HEDDLE_LOG")};
  if (!options->path)
    return fail("logging was not started; set HEDDLE_LOG=file or call hd_start");
  if (policy && strcmp(policy, "block") == 0)
    options->policy = HD_POLICY_BLOCK;
  else if (policy && strcmp(policy, "drop") == 0)
    options->policy = HD_POLICY_DROP;
  else if (policy && strcmp(policy, "spill") != 0)
    return fail("HEDDLE_POLICY=%s: not a policy; it is block, spill or drop", policy);
  if ((limit && !parse_number("HEDDLE_LIMIT", limit, &options->limit))
      || (reader && !parse_number("HEDDLE_READER", reader, &pid)))
    return false;
  options->reader = (uint32_t) pid;
  return true;
}

bool
hd_start(const hd_options *options)
{
  hd_options from_env;
  sigset_t old;
  hd_writer_lock(&old);
  bool good = (options || from_environment(&from_env));
  if (good)
  {
    if (!options)
      options = &from_env;
    good = start(options);
    if (good)
    {
      last.options = *options;
      strncpy(last.path, options->path, sizeof last.path - 1);
      __atomic_store_n(&pending, 0, __ATOMIC_RELAXED);
    }
  }
  hd_writer_unlock(&old);
  return good;
}

void
hd_writer_start_pending(void)
{
  if (HD_LIKELY_(!__atomic_load_n(&pending, __ATOMIC_RELAXED)))
    return;
  sigset_t old;
  hd_writer_lock(&old);
  if (__atomic_load_n(&pending, __ATOMIC_RELAXED))
  {
    __atomic_store_n(&pending, 0, __ATOMIC_RELAXED);
    hd_options options = last.options;
    options.path = last.path;
    options.reader = 0; /* nobody reads the log of a process that nobody knew of */
    start(&options);
  }
  hd_writer_unlock(&old);
}

/* ---- stopping ---- */

void
hd_stop(void)
{
  sigset_t old;
  hd_writer_lock(&old);
  hd_writer *w = current;
  __atomic_store_n(&pending, 0, __ATOMIC_RELAXED);
  if (w)
  {
    /* seq_cst: with alive() in writer_thread.c */
    __atomic_store_n(&hd_writer_running, 0, __ATOMIC_SEQ_CST);
    current = NULL;
    hd_writer_threads_stop(w);
    /* A thread that has linked its chunk to the next must have that, else the file is not whole. seq_cst, also the
     * acquire that pairs with the release in refill() */
    while (__atomic_load_n(&w->moving, __ATOMIC_SEQ_CST) != 0)
      sched_yield();
    /* From now on nobody takes a chunk; those that are taken lie below UNITS. */
    uint64_t units = __atomic_fetch_or(&w->next, HD_WRITER_CLOSED, __ATOMIC_SEQ_CST);
    hd_writer_helper_stop(w);
    if (w->table)
    {
      w->table->used = (uint32_t) w->table_used;
      hd_writer_retire(w, w->table_unit);
    }
    uint32_t ready = w->ready / HD_SEGMENT_UNITS;
    for (uint32_t s = (uint32_t) ((units + HD_SEGMENT_UNITS - 1) / HD_SEGMENT_UNITS); s < ready; s++)
    {
      munmap(w->segments[s].base, HD_SEGMENT_SIZE);
      __atomic_store_n(&w->segments[s].base, NULL, __ATOMIC_RELAXED);
    }
    if (!w->recycle)
      hd_writer_seal(w);
    hd_log_header *h = w->header;
    __atomic_store_n(&h->file_size, units * HD_LOG_UNIT, __ATOMIC_RELAXED);
    int ignored = ftruncate(w->fd, (off_t) (units * HD_LOG_UNIT));
    (void) ignored;
    /* release: pairs with the reader's acquire of STATE */
    __atomic_store_n(&h->state, HD_LOG_CLOSED, __ATOMIC_RELEASE);
    /* The mappings keep the open file, and with it the lock, alive. */
    flock(w->fd, LOCK_UN);
    close(w->fd);
    fail("logging was stopped");
  }
  hd_writer_unlock(&old);
}

const char *
hd_path(void)
{
  sigset_t old;
  hd_writer_lock(&old);
  const char *path = current ? current->path : NULL; /* logs are never freed */
  hd_writer_unlock(&old);
  return path;
}

const char *
hd_error(void)
{
  return __atomic_load_n(&hd_writer_running, __ATOMIC_ACQUIRE) ? NULL : error;
}

/* ---- fork ---- */

static void
before_fork(void)
{
  sigset_t old;
  hd_writer_lock(&old);
  fork_signals = old;
  if (current)
    pthread_mutex_lock(&current->grow_lock);
}

static void
after_fork_parent(void)
{
  sigset_t old = fork_signals;
  if (current)
    pthread_mutex_unlock(&current->grow_lock);
  hd_writer_unlock(&old);
}

/* The child logs nothing of what it inherits: no object belongs to a log that is running there. Memory of its own
 * replaces the parent's chunks, so that nothing can reach the parent's log, and the lock on its file ends with it. */
static void
after_fork_child(void)
{
  sigset_t old = fork_signals;
  if (current)
  {
    pthread_mutex_unlock(&current->grow_lock);
    for (uint32_t s = 0; s < current->ready / HD_SEGMENT_UNITS; s++)
      if (current->segments[s].base)
        (void) mmap(current->segments[s].base, HD_SEGMENT_SIZE, PROT_READ | PROT_WRITE,
                    MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    close(current->fd);
    current = NULL;
    __atomic_store_n(&pending, has_pid(last.path), __ATOMIC_RELAXED);
    fail("this process was forked; it logs the objects that it makes itself if the name of the log has a %%p");
  }
  __atomic_store_n(&hd_writer_running, 0, __ATOMIC_SEQ_CST);
  hd_writer_threads_fork();
  hd_writer_unlock(&old);
}

__attribute__((constructor)) static void
on_load(void)
{
  hd_writer_threads_init();
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
  if (secure_getenv("HEDDLE_LOG") && !hd_start(NULL) && secure_getenv("HEDDLE_VERBOSE"))
    fprintf(stderr, "heddle: not logging: %s\n", hd_error());
}

__attribute__((destructor)) static void
on_exit_(void)
{
  hd_stop();
}
