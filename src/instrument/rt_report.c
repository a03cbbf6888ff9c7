/* rt_report.c: a race becomes lines of text for the heddle command, written at once, so that whatever becomes of the
 * program the report is out. The command finds names and source lines, leaves out what it has told already, and prints.
 *
 *   start PID                                 when the program begins
 *   race PID ADDRESS BYTES
 *   new|old KIND SIZE THREAD DOING PC...      KIND: read, write, atomic-read, atomic-write; innermost PC first
 *   then where that is:
 *   global
 *   stack THREAD GONE CFA SP PC               PC: a place in the function whose frame it is; 0: not known
 *   own MODULE OFFSET THREAD                  a thread's own variable
 *   heap START SIZE THREAD FREED-BY PC...
 *   by CHILD ADDRESS VALUE WHERE...           a word that points into the block of "by" line CHILD; 0: the race's
 *   thread ID KERNEL-ID PARENT START-ROUTINE NAME PC...     for each thread that was mentioned
 *   map LINE-OF-/proc/self/maps               before the first race, and when it changed
 *   end
 *   child, becomes, remains                   see rt_children.c
 *   lost WHAT COUNT                           at the end of the program
 *   quit PID                                  ... if it came to its end
 */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"
#include "instrument/rt_where.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

enum
{
  FRAMES = 48,
  PLACES = 4096,      /* table of places that reported: a power of two */
  PER_PLACE = 8,      /* different races that one place may report */
  MAX_REPORTS = 1000, /* of a process */
  HOLDERS = 64,       /* that are told of a block */
};

static int out = -1, out_done = -1;
static pid_t owner;
static hd_rt_lock lock;
static struct
{
  uintptr_t pc;
  uint32_t n;
} places[PLACES];
static uint64_t pairs[PLACES];
static uint32_t reports;
static uint64_t maps_seen;

/* ---- text ---- */

static char text[8192];
static size_t used;

static void
flush(void)
{
  for (size_t done = 0; done < used;)
  {
    ssize_t n = send(out, text + done, used - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break; /* nobody listens any more */
    done += (size_t) n;
  }
  used = 0;
}

static void
put_char(char c)
{
  if (used == sizeof text)
    flush();
  text[used++] = c;
}

static void
put(const char *s)
{
  while (*s)
    put_char(*s++);
}

static void
put_number(uint64_t n, unsigned base)
{
  char digits[24];
  unsigned k = 0;
  do
    digits[k++] = "0123456789abcdef"[n % base];
  while (n /= base);
  put_char(' ');
  if (base == 16)
    put("0x");
  while (k)
    put_char(digits[--k]);
}

static void
put_pcs(const uintptr_t *pcs, size_t n)
{
  for (size_t i = 0; i < n && pcs[i]; i++)
    put_number(pcs[i], 16);
  put_char('\n');
}

/* ---- parts ---- */

/* FNV-1a of what is mapped from files; with TELL the lines go out. */
static uint64_t
maps(bool tell)
{
  char buffer[4096], line[1024];
  size_t length = 0;
  uint64_t hash = 14695981039346656037ull;
  /* Not /proc/self: that is empty if the first thread has ended. */
  int fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t n; fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < n; i++)
    {
      if (buffer[i] != '\n')
      {
        if (length + 1 < sizeof line)
          line[length++] = buffer[i];
        continue;
      }
      line[length] = 0;
      bool file = false;
      for (size_t k = 0; k + 1 < length; k++)
        file = file || (line[k] == ' ' && line[k + 1] == '/');
      for (size_t k = 0; file && k < length; k++)
        hash = (hash ^ (unsigned char) line[k]) * 1099511628211ull;
      if (file && tell)
      {
        put("map ");
        put(line);
        put_char('\n');
      }
      length = 0;
    }
  if (fd >= 0)
    close(fd);
  return hash;
}

static void
access_line(const char *which, uint32_t kind, size_t size, uint32_t thread, const char *doing, const uintptr_t *pcs,
            size_t n)
{
  put(which);
  put(kind & HD_RT_ATOMIC ? " atomic-" : " ");
  put(kind & HD_RT_WRITE ? "write" : "read");
  put_number(size, 10);
  put_number(thread, 10);
  put_char(' ');
  put(doing ? doing : "-");
  put_pcs(pcs, n);
}

static void
thread_line(uint32_t id)
{
  const hd_rt_thread *t = hd_rt_thread_get(id);
  if (!t)
    return;
  put("thread");
  put_number(t->id, 10);
  put_number((uint64_t) t->kernel_id, 10);
  put_number(t->parent, 10);
  put_number(t->start_routine, 16);
  put_char(' ');
  if (!t->name[0])
    put_char('-');
  for (const char *c = t->name; *c; c++)
    put_char(*c <= ' ' ? '_' : *c);
  put_pcs(t->created, sizeof t->created / sizeof *t->created);
}

/* What kind of place, and what the command needs to know about it. */
static void
put_where(const hd_rt_where *w)
{
  static const char *const kinds[] = {"global", "stack", "own", "heap"};
  put(kinds[w->kind]);
  if (w->kind == HD_RT_ON_STACK)
  {
    put_number(w->thread, 10);
    put_number(w->gone, 10);
    put_number(w->cfa, 16);
    put_number(w->sp, 16);
    put_number(w->pc, 16);
  }
  else if (w->kind != HD_RT_GLOBAL)
  {
    put_number(w->start, 16);
    put_number(w->size, 10);
    put_number(w->thread, 10);
  }
}

static void
where_lines(uintptr_t p, uintptr_t pc, uint32_t *thread)
{
  static hd_rt_holder *holders; /* mapped: among the program's variables it would be found itself */
  hd_rt_where w;
  if (!holders)
    holders = hd_rt_map(HOLDERS * sizeof *holders, 4096);
  hd_rt_where_begin();
  hd_rt_where_is(p, pc, &w);
  put_where(&w);
  if (w.block)
  {
    put_number(w.freed_by, 10);
    put_pcs(w.block->pcs, sizeof w.block->pcs / sizeof *w.block->pcs);
  }
  else
    put_char('\n');
  *thread = w.thread;
  unsigned n = holders && w.block && !w.freed_by ? hd_rt_holders(w.start, w.size, pc, holders, HOLDERS) : 0;
  for (unsigned i = 0; i < n; i++)
  {
    put("by");
    put_number(holders[i].child, 10);
    put_number(holders[i].address, 16);
    put_number(holders[i].value, 16);
    put_char(' ');
    put_where(&holders[i].where);
    put_char('\n');
  }
  hd_rt_where_end();
}

/* ---- which races are told ---- */

/* Has this place told enough? Cheap: a race in a loop comes here each time. */
static bool
place_is_done(uintptr_t pc)
{
  for (unsigned i = 0; i < 16; i++)
  {
    unsigned k = (unsigned) ((pc * 0x9e3779b97f4a7c15ull >> 40) + i) % PLACES;
    if (places[k].pc == pc || !places[k].pc)
    {
      places[k].pc = pc;
      return places[k].n++ >= PER_PLACE;
    }
  }
  return true;
}

static bool
pair_is_new(uintptr_t pc, uintptr_t old, uint32_t kinds)
{
  uint64_t key = (pc * 31 + old) * 16 + kinds;
  for (unsigned i = 0; i < PLACES; i++)
  {
    unsigned k = (unsigned) ((key * 0x9e3779b97f4a7c15ull >> 40) + i) % PLACES;
    if (pairs[k] == key)
      return false;
    if (!pairs[k])
    {
      pairs[k] = key;
      return true;
    }
  }
  return false;
}

static void
tell(const hd_rt_race *race)
{
  uintptr_t pcs[FRAMES], old_pcs[FRAMES];
  size_t old_size;
  hd_rt_thread *other = hd_rt_thread_of(race->old);
  size_t old_n = hd_rt_history_find(other, race->old, race->p, old_pcs, FRAMES, &old_size);
  if (!pair_is_new(race->pc, old_n ? old_pcs[0] : 0, race->kind << 2 | race->old_kind))
    return;
  reports++;
  uint64_t seen = maps(false);
  if (seen != maps_seen)
  {
    maps_seen = seen;
    maps(true);
  }
  put("race");
  put_number((uint64_t) getpid(), 10);
  put_number(race->p, 16);
  put_number(race->bytes, 10);
  put_char('\n');
  uint32_t me = hd_rt_here.self->id, it = other ? other->id : 0, third = 0;
  access_line("new", race->kind, race->size, me, hd_rt_here.doing, pcs, hd_rt_history_stack(race->pc, pcs, FRAMES));
  access_line("old", race->old_kind, old_size, it, NULL, old_pcs, old_n);
  where_lines(race->p, race->pc, &third);
  thread_line(me);
  thread_line(it);
  if (third != me && third != it)
    thread_line(third);
  put("end\n");
  flush();
}

static void
on_race(const hd_rt_race *race)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (out >= 0 && reports < MAX_REPORTS && !place_is_done(race->pc))
    tell(race);
  hd_rt_release(&lock);
  hd_rt_leave();
}

void
hd_rt_report_start(int fd, int done)
{
  out = fd;
  out_done = done;
  owner = getpid();
  hd_rt_on_race = on_race;
  put("start");
  put_number((uint64_t) owner, 10);
  put_char('\n');
  flush();
}

void
hd_rt_report_send(const char *bytes, size_t n)
{
  if (out < 0 || getpid() != owner)
    return;
  hd_rt_enter();
  hd_rt_acquire(&lock);
  for (size_t i = 0; i < n; i++)
    put_char(bytes[i]);
  flush();
  hd_rt_release(&lock);
  hd_rt_leave();
}

void
hd_rt_report_end(void)
{
  static const char *const what[] = {"threads", "clocks", "reads", "objects"};
  if (out < 0 || getpid() != owner)
    return;
  hd_rt_enter();
  hd_rt_children_tell(hd_rt_report_send);
  hd_rt_acquire(&lock);
  for (unsigned i = 0; i < HD_RT_LOSSES; i++)
    if (hd_rt_lost[i])
    {
      put("lost ");
      put(what[i]);
      put_number(hd_rt_lost[i], 10);
      put_char('\n');
    }
  put("quit");
  put_number((uint64_t) owner, 10);
  put_char('\n');
  flush();
  shutdown(out, SHUT_WR);
  if (out_done >= 0)
  {
    /* The command that we started prints; the program ends when that is done. */
    char byte;
    while (read(out_done, &byte, 1) < 0 && errno == EINTR)
      ;
  }
  out = -1;
  hd_rt_release(&lock);
  hd_rt_leave();
}
