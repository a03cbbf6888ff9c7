/* rt_delay.c: other schedules: threads are held up for a moment where they synchronise, at random.
 *
 * Which ones, and for how long, follows from a seed, the thread and how many such places it has passed, so that a seed
 * means the same delays each time; what the system's scheduler makes of them may differ. Threads that begin are held up
 * most, since what was created last runs last otherwise. The more places a thread has passed the less often it is. */
#include "instrument/rt_runtime.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool hd_rt_delays;
static uint64_t seed;
static uint32_t held_up; /* threads that are, now */
static __thread uint32_t passed __attribute__((tls_model("initial-exec")));

void
hd_rt_delay_start(uint64_t with)
{
  seed = with;
  hd_rt_delays = with != 0;
}

static uint64_t
mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

static void
wait(uint64_t microseconds)
{
  struct timespec time = {.tv_nsec = (long) (microseconds * 1000)};
  __atomic_fetch_add(&held_up, 1, __ATOMIC_RELAXED);
  syscall(SYS_nanosleep, &time, NULL);
  __atomic_fetch_sub(&held_up, 1, __ATOMIC_RELAXED);
}

void
hd_rt_delay_slow(hd_rt_delay_place place)
{
  uint32_t n = passed++, often = n < 16 ? 3 : n < 64 ? 8 : n < 65536 ? 512 : 65536;
  uint64_t r = mix(seed * 0x9e3779b97f4a7c15ull + ((uint64_t) hd_rt_here.self->id << 32) + n);
  uint32_t choice = (uint32_t) r & 0xffff, length = (uint32_t) (r >> 32);
  if (place == HD_RT_DELAY_BEGIN)
  {
    if (choice % 4 < 2)
      wait(choice % 4 == 0 ? 20000 + length % 20000 : length % 6000);
  }
  else if (place == HD_RT_DELAY_CREATED && n < 64)
  {
    if (choice % 3 == 0)
      wait(length % 6000);
  }
  else if (choice % often == 0)
    wait(length % 4 == 0 ? length % 30000 : length % 3000);
}

/* ---- the end ---- */

static void
pause_for(unsigned milliseconds)
{
  struct timespec time = {.tv_nsec = milliseconds * 1000000l};
  syscall(SYS_nanosleep, &time, NULL);
}

static bool
is_alone(void)
{
  for (uint32_t id = hd_rt_thread_count(); id > 0; id--)
  {
    const hd_rt_thread *t = hd_rt_thread_get(id);
    if (t != hd_rt_here.self && __atomic_load_n(&t->alive, __ATOMIC_RELAXED))
      return false;
  }
  return true;
}

/* Nanoseconds that the program computed. */
static int64_t
computed(void)
{
  struct timespec t = {0};
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

void
hd_rt_linger(void)
{
  enum
  {
    MOST = 100, /* milliseconds in all, */
    IDLE = 10   /* ... and without anything that happens */
  };
  int64_t before = computed();
  for (unsigned i = 0, idle = 0; i < MOST && idle < IDLE && !is_alone(); i++)
  {
    pause_for(1);
    int64_t now = computed();
    idle = now - before < 100000 ? idle + 1 : 0;
    before = now;
  }
}

/* Those who were held up so far that the program ends without them may go on for a moment. */
void
hd_rt_delay_end(void)
{
  if (!hd_rt_delays)
    return;
  for (unsigned i = 0; i < 12; i++)
  {
    bool last = !__atomic_load_n(&held_up, __ATOMIC_RELAXED);
    pause_for(5);
    if (last)
      break;
  }
}
