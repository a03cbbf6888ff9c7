/* rt_client.h: who is told what a program does.
 *
 * A program that was built with heddle-cc has at most one client: none, the race detector, or one of those here, which
 * are told of events and do with them what they want: the recorder of traces, the monitor of properties. Which it is,
 * and its settings, is what the heddle command answers before main begins (rt_handshake.c).
 *
 * The race detector's paths stay as they are. A client here leaves the planes W and R0 empty, and hd_rt_here.epoch is
 * not 0 while anything is told, so that no access counts as recorded already; hd_rt_here.unaligned then has all bits
 * set, which sends each access to the full path, and that looks here first. What the other functions of rt_core.h do
 * for the detector, they hand on to the client instead. Threads (hd_rt_thread), blocks of memory and open calls
 * (hd_rt_here.frames) are kept for all clients. The planes R1, R2 and R3 are the client's own.
 *
 * Clients run on the program's threads: libc's system calls alone, no malloc, nothing that the runtime takes over. */
#ifndef HD_RT_CLIENT_H
#define HD_RT_CLIENT_H

#include "instrument/rt_core.h"

#pragma GCC visibility push(hidden)

/* What is told of objects, all by the thread that does it. A taking is told after it, a giving before it. */
typedef enum hd_rt_event
{
  HD_RT_EV_LOCK, /* a mutex or spin lock, the outermost time; COUNT 1: it was only tried */
  HD_RT_EV_UNLOCK,
  HD_RT_EV_READ_LOCK, /* a reader-writer lock */
  HD_RT_EV_READ_UNLOCK,
  HD_RT_EV_WRITE_LOCK,
  HD_RT_EV_WRITE_UNLOCK,
  HD_RT_EV_STRAY_UNLOCK, /* of a lock that the thread does not hold; ID is the last that is told of it: a POST of the
                          * lock that it is from now on follows, and a PEND before each time that one is taken */
  HD_RT_EV_WAIT,         /* a condition variable: about to wait; the mutex's unlock follows */
  HD_RT_EV_WAKE,         /* woken up, after the mutex's lock */
  HD_RT_EV_SIGNAL,
  HD_RT_EV_BROADCAST,
  HD_RT_EV_POST,   /* a semaphore, or what is like one (once, pipes): what was done before is handed on */
  HD_RT_EV_PEND,   /* ... to who comes here after it */
  HD_RT_EV_ARRIVE, /* a barrier; COUNT: how many it waits for */
  HD_RT_EV_LEAVE,
  HD_RT_EV_GONE, /* an object was made or ends: nothing is left of what was there */
} hd_rt_event;

typedef enum hd_rt_atomic_kind
{
  HD_RT_ATOMIC_LOAD,
  HD_RT_ATOMIC_STORE,
  HD_RT_ATOMIC_MODIFY
} hd_rt_atomic_kind;

struct hd_rt_thread;

/* What a client is. A call that is NULL is left out. PC: where in the program, a return address. */
typedef struct hd_rt_client
{
  const char *name; /* as the command says it */
  /* Before the first event: a line of the command's answer, without its end. False: the line is wrong; the program goes
   * on without a client. */
  bool (*setting)(const char *line);
  /* All settings came. False: as above. */
  bool (*start)(void);
  /* N bytes from P on are about to be read or written, N at least 1, any alignment. */
  void (*access)(uintptr_t p, size_t n, bool write, uintptr_t pc);
  /* Instead of hd_rt_client_tell_access, which calls ACCESS; or NULL. N is at most 16. */
  void (*touch)(uintptr_t p, size_t n, bool write, uintptr_t pc);
  /* An atomic operation was made, and none of another thread on the same bytes will be before this returns. ORDER: as
   * __ATOMIC_ACQUIRE and so on. */
  void (*atomic)(hd_rt_atomic_kind kind, uintptr_t p, size_t n, int order, uintptr_t pc);
  void (*fence)(int order);
  /* ID: a number that no other object has or had at this address or elsewhere; 0: not known. */
  void (*sync)(hd_rt_event event, uintptr_t p, uint32_t id, uint32_t count, uintptr_t pc);
  /* The mutex at P was locked, or is about to be unlocked: all that is to be done then, NULL: hd_rt_client_locked and
   * _unlock, which tell SYNC. */
  void (*locked)(uintptr_t p);
  void (*unlock)(uintptr_t p);
  /* The program makes T, which is about to start, or does not (GONE, at once: it could not be started). */
  void (*create)(struct hd_rt_thread *t, uintptr_t pc);
  void (*uncreate)(struct hd_rt_thread *t);
  void (*begin)(
      void);         /* in the new thread, which hd_rt_here.self is; the first has begun already when START is called */
  void (*end)(void); /* the calling thread's last words */
  void (*join)(struct hd_rt_thread *t, uintptr_t pc);
  /* A function was entered: PC lies in it, early, FROM is where it was called; hd_rt_client_depth() counts it. Its end
   * is not told: it is over when an event comes at a smaller depth, or another entry at the same. */
  void (*enter)(uintptr_t pc, uintptr_t from);
  void (*call)(void); /* instead of hd_rt_client_call, which calls ENTER; or NULL */
  /* Memory begins (malloc, mmap) or ends its life. */
  void (*memory)(uintptr_t p, size_t n, bool begins, uintptr_t pc);
  /* Something is to be done outside the runtime, where no lock is held and the program's functions may be called: asked
   * for by hd_rt_here.acting. */
  void (*act)(void);
  /* In the child of a fork, which has only the calling thread: from here on nothing is told. */
  void (*forked)(void);
  void (*quit)(void); /* the program ends by itself; other threads may still be running */
} hd_rt_client;

extern const hd_rt_client hd_rt_recorder; /* rt_record.c */
extern const hd_rt_client hd_rt_property; /* rt_property.c */

void hd_rt_client_set(const hd_rt_client *client); /* it is hd_rt_client_now; NULL: there is none */

/* Tell the client, if there is one and it wants to know; true: there is one, the race detector has no business here. */
#define HD_RT_TELL(call, ...)                                                                                          \
  (HD_RT_UNLIKELY(hd_rt_client_now != NULL)                                                                            \
   && (hd_rt_client_now->call ? (hd_rt_client_tell_##call(__VA_ARGS__), true) : true))

/* Inside the runtime, so that signals wait. */
void hd_rt_client_tell_access(uintptr_t p, size_t n, bool write, uintptr_t pc);
void hd_rt_client_tell_fence(int order);
void hd_rt_client_tell_create(struct hd_rt_thread *t, uintptr_t pc);
void hd_rt_client_tell_uncreate(struct hd_rt_thread *t);
void hd_rt_client_tell_begin(void);
void hd_rt_client_tell_end(void);
void hd_rt_client_tell_join(struct hd_rt_thread *t, uintptr_t pc);
void hd_rt_client_call(void);
void hd_rt_client_tell_memory(uintptr_t p, size_t n, bool begins, uintptr_t pc);

/* Mutexes: hd_rt_mutex_locked and _unlock for clients that have nothing of their own. */
void hd_rt_client_locked(uintptr_t p);
void hd_rt_client_unlock(uintptr_t p);
/* Objects: the functions of rt_sync.c for clients. They keep who holds what, tell, and use hd_rt_here.place. */
uint32_t hd_rt_client_wait(uintptr_t mutex);
void hd_rt_client_woken(uintptr_t mutex, uint32_t depth);
void hd_rt_client_read_locked(uintptr_t p);
void hd_rt_client_write_locked(uintptr_t p);
void hd_rt_client_rwlock_unlock(uintptr_t p);
void hd_rt_client_object(hd_rt_event event, uintptr_t p); /* POST, PEND, SIGNAL, BROADCAST */
void hd_rt_client_barrier_init(uintptr_t p, uint32_t count);
uint32_t hd_rt_client_arrive(uintptr_t p);
void hd_rt_client_leave(uint32_t number);
void hd_rt_client_gone(uintptr_t p);

/* For the same reason as in hd_rt_client_giver: a client may keep a pointer of its own with a lock, in the line of the
 * cache that is looked at anyway. It begins as NULL and is gone when the lock is. */
static inline void **
hd_rt_client_slot(hd_rt_object *o)
{
  return (void **) (void *) &o->release.words;
}

/* ---- delays (rt_delay.c) ---- */

typedef enum hd_rt_delay_place
{
  HD_RT_DELAY_BEGIN,   /* a thread begins */
  HD_RT_DELAY_CREATED, /* ... or was created */
  HD_RT_DELAY_OTHER
} hd_rt_delay_place;
extern bool hd_rt_delays; /* are there any? */
void hd_rt_delay_start(uint64_t seed);
void hd_rt_delay_slow(hd_rt_delay_place place);
void hd_rt_delay_end(void); /* before the program ends */
/* The program ends by itself. Threads that still run are let go on for a moment, as long as they do: what they are about
 * to do may race with what was done. Up to a tenth of a second; none if all have ended. */
void hd_rt_linger(void);
static inline void
hd_rt_delay(hd_rt_delay_place place)
{
  if (HD_RT_UNLIKELY(hd_rt_delays))
    hd_rt_delay_slow(place);
}

/* A place in the function that was entered last. The frame is the hook's: above its saved frame pointer is the address
 * that it returns to, in the function. */
static inline uintptr_t
hd_rt_client_entered(const hd_rt_frame *f)
{
  return ((const uintptr_t *) f->sp)[1];
}

/* How many calls of the calling thread are open. */
static inline uint32_t
hd_rt_client_depth(void)
{
  return hd_rt_here.depth & (HD_RT_DEPTH - 1);
}

/* ---- the command at the other end (rt_handshake.c) ---- */

/* Asks the command at socket FD which client there is to be, and starts it. False: there is none. */
bool hd_rt_handshake(int fd);
/* The first thread is known: the client begins. */
bool hd_rt_handshake_start(void);
/* Sends N bytes to the command, whole, from any thread; nothing is sent in between. */
void hd_rt_client_send(const char *bytes, size_t n);
/* The lines of /proc/self/maps, after a line "maps" and before an empty one. */
void hd_rt_client_send_maps(void);
void hd_rt_client_quit(void); /* at the end of the program */

#pragma GCC visibility pop

#endif
