/* rt_handshake.c: a program that heddle started asks, before main, what it is to do.
 *
 *   program:  hello PID, then its mappings: a line "maps", the lines of /proc/self/maps, an empty line
 *   command:  client NAME, settings of that client, a line each, delays SEED if there are to be any (rt_delay.c), go
 *   program:  whatever the client sends; at the end lines about its children (rt_children.c), its mappings again, and
 *             quit PID
 *
 * The command may look up names in the program's debug information before it answers, and settings have the addresses.
 * "client none" sends the program off without one. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int command = -1;
static pid_t owner;
static hd_rt_lock lock;

static const hd_rt_client *const clients[] = {&hd_rt_recorder, &hd_rt_property};

/* ---- sending ---- */

static void
put_all(const char *bytes, size_t n)
{
  while (n > 0)
  {
    ssize_t done = send(command, bytes, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return; /* nobody listens any more */
    bytes += done;
    n -= (size_t) done;
  }
}

static void
put_line(const char *word, uint64_t number)
{
  char text[64], digits[24];
  size_t n = 0, k = 0;
  while (*word)
    text[n++] = *word++;
  text[n++] = ' ';
  do
    digits[k++] = (char) ('0' + number % 10);
  while (number /= 10);
  while (k)
    text[n++] = digits[--k];
  text[n++] = '\n';
  put_all(text, n);
}

static void
put_maps(void)
{
  char block[4096];
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  put_all("maps\n", 5);
  for (ssize_t n; fd >= 0 && (n = read(fd, block, sizeof block)) > 0;)
    put_all(block, (size_t) n);
  put_all("\n", 1);
  if (fd >= 0)
    close(fd);
}

void
hd_rt_client_send(const char *bytes, size_t n)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (command >= 0 && getpid() == owner)
    put_all(bytes, n);
  hd_rt_release(&lock);
  hd_rt_leave();
}

void
hd_rt_client_send_maps(void)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (command >= 0 && getpid() == owner)
    put_maps();
  hd_rt_release(&lock);
  hd_rt_leave();
}

/* Once: in a static program exit comes here again by _exit. */
void
hd_rt_client_quit(void)
{
  static bool said;
  if (command < 0 || getpid() != owner || __atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    return;
  hd_rt_enter();
  hd_rt_delay_end();
  if (hd_rt_client_now->quit)
    hd_rt_client_now->quit();
  hd_rt_children_tell(hd_rt_client_send);
  hd_rt_acquire(&lock);
  put_maps();
  put_line("quit", (uint64_t) owner);
  hd_rt_release(&lock);
  hd_rt_leave();
}

/* ---- receiving ---- */

/* A line without its end. False: there is none. */
static bool
take_line(char *line, size_t max)
{
  size_t n = 0;
  for (;;)
  {
    char c;
    ssize_t got = read(command, &c, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0 || n + 1 >= max)
      return false;
    if (c == '\n')
      break;
    line[n++] = c;
  }
  line[n] = 0;
  return true;
}

bool
hd_rt_handshake(int fd)
{
  enum
  {
    LONGEST = 65536
  };
  char *line = hd_rt_map(LONGEST, 4096);
  const hd_rt_client *chosen = NULL;
  bool good = false;
  if (!line)
    return false;
  command = fd;
  owner = getpid();
  put_line("hello", (uint64_t) owner);
  put_maps();
  while (take_line(line, LONGEST))
  {
    if (strcmp(line, "go") == 0)
    {
      good = chosen != NULL;
      break;
    }
    if (strncmp(line, "client ", 7) == 0)
    {
      for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (strcmp(line + 7, clients[i]->name) == 0)
          chosen = clients[i];
    }
    else if (strncmp(line, "delays ", 7) == 0)
      hd_rt_delay_start(strtoull(line + 7, NULL, 10));
    else if (!chosen || !chosen->setting || !chosen->setting(line))
      break;
  }
  munmap(line, LONGEST);
  if (good)
    hd_rt_client_set(chosen);
  else
  {
    close(command);
    command = -1;
  }
  return good;
}

bool
hd_rt_handshake_start(void)
{
  if (!hd_rt_client_now->start || hd_rt_client_now->start())
    return true;
  put_line("failed", (uint64_t) owner);
  hd_rt_client_set(NULL);
  return false;
}
