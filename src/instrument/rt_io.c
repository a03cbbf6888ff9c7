/* rt_io.c: threads that talk through pipes, sockets and event descriptors. Writing to a descriptor releases, reading
 * from it acquires; the two ends of a pipe or of a pair of sockets count as one. What the calls read from and write to
 * memory is recorded as well. */
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *p, size_t size, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict p, size_t size, size_t room, int flags, __SOCKADDR_ARG from,
                       socklen_t *restrict length);

HD_RT_DECLARE(__read_chk);
HD_RT_DECLARE(__recv_chk);
HD_RT_DECLARE(__recvfrom_chk);
HD_RT_DECLARE(read);
HD_RT_DECLARE(write);
HD_RT_DECLARE(readv);
HD_RT_DECLARE(writev);
HD_RT_DECLARE(recv);
HD_RT_DECLARE(send);
HD_RT_DECLARE(recvfrom);
HD_RT_DECLARE(sendto);
HD_RT_DECLARE(recvmsg);
HD_RT_DECLARE(sendmsg);
HD_RT_DECLARE(eventfd_read);
HD_RT_DECLARE(eventfd_write);
HD_RT_DECLARE(pipe);
HD_RT_DECLARE(pipe2);
HD_RT_DECLARE(socketpair);
HD_RT_DECLARE(close);
HD_RT_DECLARE(dup);
HD_RT_DECLARE(dup2);
HD_RT_DECLARE(dup3);

enum
{
  DESCRIPTORS = 4096
};
/* Only their addresses are used: an object for each descriptor, or for the other end's. */
static uint64_t objects[DESCRIPTORS];
static uint16_t number_of[DESCRIPTORS]; /* plus one; 0: its own */

static uintptr_t
object_of(int fd)
{
  if (fd < 0 || fd >= DESCRIPTORS)
    return 0;
  uint16_t n = __atomic_load_n(&number_of[fd], __ATOMIC_RELAXED);
  return (uintptr_t) &objects[n ? n - 1 : fd];
}

static void
same(int fd, int as)
{
  if (fd < 0 || fd >= DESCRIPTORS || as < 0 || as >= DESCRIPTORS)
    return;
  uint16_t n = number_of[as];
  __atomic_store_n(&number_of[fd], n ? n : (uint16_t) (as + 1), __ATOMIC_RELAXED);
}

static void
joined(int fds[2])
{
  if (fds[0] >= 0 && fds[0] < DESCRIPTORS)
    number_of[fds[0]] = 0;
  same(fds[1], fds[0]);
}

static void
before_write(int fd)
{
  uintptr_t o = object_of(fd);
  if (o)
    hd_rt_post(o);
}

static void
after_read(int fd)
{
  uintptr_t o = object_of(fd);
  if (o)
    hd_rt_pend(o);
}

/* A buffer that was filled, or is about to be sent. */
static void
filled(void *p, ssize_t n, uintptr_t pc)
{
  if (n > 0)
    hd_rt_range_write((uintptr_t) p, (size_t) n, pc);
}

static void
sent(const void *p, size_t n, uintptr_t pc)
{
  if (n)
    hd_rt_range_read((uintptr_t) p, n, pc);
}

static void
parts_filled(const struct iovec *parts, size_t count, ssize_t n, uintptr_t pc)
{
  for (size_t i = 0; i < count && n > 0; n -= (ssize_t) parts[i++].iov_len)
    filled(parts[i].iov_base, n < (ssize_t) parts[i].iov_len ? n : (ssize_t) parts[i].iov_len, pc);
}

static void
parts_sent(const struct iovec *parts, size_t count, uintptr_t pc)
{
  for (size_t i = 0; i < count; i++)
    sent(parts[i].iov_base, parts[i].iov_len, pc);
}

/* An end of file is news as well. */
#define READ(call, memory)                                                                                             \
  ssize_t n = call;                                                                                                    \
  if (n >= 0 && hd_rt_on())                                                                                            \
  {                                                                                                                    \
    after_read(fd);                                                                                                    \
    memory;                                                                                                            \
  }                                                                                                                    \
  return n
#define WRITE(call, memory)                                                                                            \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    memory;                                                                                                            \
    before_write(fd);                                                                                                  \
  }                                                                                                                    \
  return call

HD_RT_WRAP(ssize_t, read)(int fd, void *p, size_t size)
{
  READ(HD_RT_REAL(read)(fd, p, size), filled(p, n, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, write)(int fd, const void *p, size_t size)
{
  WRITE(HD_RT_REAL(write)(fd, p, size), sent(p, size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, readv)(int fd, const struct iovec *parts, int count)
{
  READ(HD_RT_REAL(readv)(fd, parts, count), parts_filled(parts, (size_t) count, n, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, writev)(int fd, const struct iovec *parts, int count)
{
  WRITE(HD_RT_REAL(writev)(fd, parts, count), parts_sent(parts, count > 0 ? (size_t) count : 0, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, recv)(int fd, void *p, size_t size, int flags)
{
  READ(HD_RT_REAL(recv)(fd, p, size, flags), filled(p, n < (ssize_t) size ? n : (ssize_t) size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, send)(int fd, const void *p, size_t size, int flags)
{
  WRITE(HD_RT_REAL(send)(fd, p, size, flags), sent(p, size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, recvfrom)
(int fd, void *restrict p, size_t size, int flags, struct sockaddr *restrict from, socklen_t *restrict length)
{
  READ(HD_RT_REAL(recvfrom)(fd, p, size, flags, from, length),
       filled(p, n < (ssize_t) size ? n : (ssize_t) size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, sendto)
(int fd, const void *p, size_t size, int flags, const struct sockaddr *to, socklen_t length)
{
  WRITE(HD_RT_REAL(sendto)(fd, p, size, flags, to, length), sent(p, size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, recvmsg)(int fd, struct msghdr *message, int flags)
{
  READ(HD_RT_REAL(recvmsg)(fd, message, flags), parts_filled(message->msg_iov, message->msg_iovlen, n, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, sendmsg)(int fd, const struct msghdr *message, int flags)
{
  WRITE(HD_RT_REAL(sendmsg)(fd, message, flags), parts_sent(message->msg_iov, message->msg_iovlen, HD_RT_PLACE));
}

HD_RT_WRAP(int, eventfd_read)(int fd, eventfd_t *p)
{
  READ(HD_RT_REAL(eventfd_read)(fd, p), filled(p, n == 0 ? (ssize_t) sizeof *p : 0, HD_RT_PLACE));
}

HD_RT_WRAP(int, eventfd_write)(int fd, eventfd_t value)
{
  WRITE(HD_RT_REAL(eventfd_write)(fd, value), (void) 0);
}

/* Under _FORTIFY_SOURCE; ROOM is that of the buffer. */
HD_RT_WRAP(ssize_t, __read_chk)(int fd, void *p, size_t size, size_t room)
{
  READ(HD_RT_REAL(__read_chk)(fd, p, size, room), filled(p, n, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, __recv_chk)(int fd, void *p, size_t size, size_t room, int flags)
{
  READ(HD_RT_REAL(__recv_chk)(fd, p, size, room, flags),
       filled(p, n < (ssize_t) size ? n : (ssize_t) size, HD_RT_PLACE));
}

HD_RT_WRAP(ssize_t, __recvfrom_chk)
(int fd, void *restrict p, size_t size, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *restrict length)
{
  READ(HD_RT_REAL(__recvfrom_chk)(fd, p, size, room, flags, from, length),
       filled(p, n < (ssize_t) size ? n : (ssize_t) size, HD_RT_PLACE));
}

/* ---- which descriptors belong together ---- */

HD_RT_WRAP(int, pipe)(int fds[2])
{
  int result = HD_RT_REAL(pipe)(fds);
  if (result == 0 && hd_rt_on())
    joined(fds);
  return result;
}

HD_RT_WRAP(int, pipe2)(int fds[2], int flags)
{
  int result = HD_RT_REAL(pipe2)(fds, flags);
  if (result == 0 && hd_rt_on())
    joined(fds);
  return result;
}

HD_RT_WRAP(int, socketpair)(int domain, int type, int protocol, int fds[2])
{
  int result = HD_RT_REAL(socketpair)(domain, type, protocol, fds);
  if (result == 0 && hd_rt_on())
    joined(fds);
  return result;
}

/* The other end may still be read: closing it is news there. */
HD_RT_WRAP(int, close)(int fd)
{
  if (hd_rt_on() && fd >= 0 && fd < DESCRIPTORS)
  {
    before_write(fd);
    __atomic_store_n(&number_of[fd], 0, __ATOMIC_RELAXED);
  }
  return HD_RT_REAL(close)(fd);
}

HD_RT_WRAP(int, dup)(int fd)
{
  int new = HD_RT_REAL(dup)(fd);
  if (new >= 0 && hd_rt_on())
    same(new, fd);
  return new;
}

HD_RT_WRAP(int, dup2)(int fd, int as)
{
  int new = HD_RT_REAL(dup2)(fd, as);
  if (new >= 0 && new != fd && hd_rt_on())
    same(new, fd);
  return new;
}

HD_RT_WRAP(int, dup3)(int fd, int as, int flags)
{
  int new = HD_RT_REAL(dup3)(fd, as, flags);
  if (new >= 0 && hd_rt_on())
    same(new, fd);
  return new;
}
