/* rt_where.c: what the command needs to name an address: in which frame of whose stack, in which thread's own variables
 * or in which block of the heap it lies; and for a block, which words of the program point to it, from a variable on:
 * with the types of these the command says "table->buckets[3].lock".
 *
 * Other threads go on meanwhile, so memory is read through /proc, where memory that is gone is an error and
 * not a crash. What is found is a hint: the command believes it if it fits the debug information. */
#include "instrument/rt_where.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

enum
{
  CHUNK = 1 << 16,      /* read at once; a power of two */
  CHUNKS = 4096,        /* read for one report, */
  ALL_CHUNKS = 1 << 16, /* and for all of them */
  BLOCKS = 1 << 20,     /* looked at for one report */
  LEVELS = 4,           /* pointers from a variable to the block */
  TARGETS = 8,          /* blocks of one level whose holders are looked for */
  FRAME_BYTES = 1 << 16
};

/* ---- reading ---- */

static struct
{
  int fd;
  uint32_t chunks, all;
  uintptr_t at; /* what CHUNK holds */
  size_t n;
  char *chunk; /* mapped: among the program's variables it would be looked at itself */
} memory = {.fd = -1};

/* The word at P, which is aligned; false: it cannot be read. */
static bool
word_at(uintptr_t p, uintptr_t *value)
{
  /* From the beginning of the chunk or, if that is not mapped, from the page on. */
  uintptr_t from[] = {p & ~(uintptr_t) (CHUNK - 1), p & ~(uintptr_t) 4095};
  for (unsigned i = 0; i < 2 && p - memory.at >= memory.n; i++)
  {
    if (memory.fd < 0 || memory.chunks >= CHUNKS || memory.all >= ALL_CHUNKS)
      return false;
    memory.chunks++;
    memory.all++;
    ssize_t n = pread(memory.fd, memory.chunk, from[0] + CHUNK - from[i], (off_t) from[i]);
    memory.at = from[i];
    memory.n = n > 0 ? (size_t) n : 0;
  }
  if (p - memory.at >= memory.n)
    return false;
  *value = *(uintptr_t *) (void *) (memory.chunk + (p - memory.at));
  return true;
}

void
hd_rt_where_begin(void)
{
  if (!memory.chunk)
    memory.chunk = hd_rt_map(CHUNK, 4096);
  memory.fd = memory.chunk ? open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC) : -1;
  memory.chunks = 0;
  memory.n = 0;
}

void
hd_rt_where_end(void)
{
  if (memory.fd >= 0)
    close(memory.fd);
  memory.fd = -1;
}

/* ---- stacks ---- */

/* The frame of T that P lies in: its function was entered with the stack at SP, and its caller's ends at the CFA. */
static bool
frame_of(hd_rt_thread *t, uintptr_t p, uintptr_t own_pc, hd_rt_where *w)
{
  uint32_t depth = hd_rt_thread_depth(t), d = 1;
  const hd_rt_frame *f = t->frames;
  while (d <= depth && f[d].sp + 16 > p)
    d++;
  if (!f || d > depth)
    return false;
  uintptr_t sp = f[d].sp + 16, end = d > 1 ? f[d - 1].sp + 16 : sp + FRAME_BYTES, cfa = 0, word;
  if (end > t->stack_high)
    end = t->stack_high;
  if (end - sp > FRAME_BYTES)
    end = sp + FRAME_BYTES;
  for (uintptr_t q = sp; q < end; q += 8)
    if (!word_at(q, &word))
      break;
    else if (word == f[d].pc)
    {
      cfa = q + 8;
      if (d == 1)
        break; /* above is what called it first, which nobody knows: the nearest counts */
    }
  if (p >= cfa)
    return false;
  /* A place in the function: where it called the next one; or the last that it called left its return address. */
  if (d < depth)
    w->pc = f[d + 1].pc;
  else if (t == hd_rt_here.self)
    w->pc = own_pc;
  else if (!word_at(sp - 8, &w->pc))
    return false;
  w->cfa = cfa;
  w->sp = sp;
  return true;
}

static bool
on_stack(uintptr_t p, uintptr_t own_pc, hd_rt_where *w)
{
  uint32_t ended = 0;
  for (uint32_t id = hd_rt_thread_count(); id >= 1; id--)
  {
    hd_rt_thread *t = hd_rt_thread_get(id);
    if (p < t->stack_low || p >= t->stack_high)
      continue;
    if (t->alive)
    {
      *w = (hd_rt_where){.kind = HD_RT_ON_STACK, .thread = id};
      frame_of(t, p, own_pc, w);
      return true;
    }
    if (!ended)
      ended = id;
  }
  if (ended)
    *w = (hd_rt_where){.kind = HD_RT_ON_STACK, .thread = ended, .gone = true};
  return ended != 0;
}

/* ---- modules: variables, and those that each thread has ---- */

typedef struct target
{
  uintptr_t low, high;
  uint32_t number; /* of the holder in it, from 1; 0: the block in question */
} target;

typedef struct search
{
  uintptr_t p;
  hd_rt_where *w;
  bool found;
  /* looking for holders */
  target targets[TARGETS];
  unsigned ntargets;
  uintptr_t own_pc;
  hd_rt_holder *list;
  unsigned n, max;
  bool variable; /* one was found that is global or a thread's own */
} search;

static int
own_variable(struct dl_phdr_info *info, size_t size, void *context)
{
  search *s = context;
  (void) size;
  if (!info->dlpi_tls_data)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
  {
    if (info->dlpi_phdr[i].p_type != PT_TLS)
      continue;
    /* Every thread has it at the same distance from its handle, if the module was there from the beginning. */
    uintptr_t distance = (uintptr_t) info->dlpi_tls_data - (uintptr_t) pthread_self();
    for (uint32_t id = hd_rt_thread_count(); id >= 1; id--)
    {
      const hd_rt_thread *t = hd_rt_thread_get(id);
      uintptr_t low = (uintptr_t) t->handle + distance;
      if (t->alive && t->handle && s->p - low < info->dlpi_phdr[i].p_memsz)
      {
        *s->w = (hd_rt_where){.kind = HD_RT_THREAD_LOCAL, .thread = id, .start = info->dlpi_addr, .size = s->p - low};
        s->found = true;
        return 1;
      }
    }
  }
  return 0;
}

void
hd_rt_where_is(uintptr_t p, uintptr_t own_pc, hd_rt_where *w)
{
  uintptr_t start;
  search s = {.p = p, .w = w};
  const hd_rt_block_info *b = hd_rt_block_find(p, &start);
  *w = (hd_rt_where){0};
  dl_iterate_phdr(own_variable, &s);
  if (s.found || on_stack(p, own_pc, w))
    return;
  if (b)
    *w = (hd_rt_where){.kind = HD_RT_IN_HEAP,
                       .start = start,
                       .size = b->size,
                       .thread = b->thread,
                       .freed_by = b->freed_by,
                       .block = b};
}

/* ---- holders ---- */

static void
look_at(search *s, uintptr_t p)
{
  uintptr_t value;
  if (s->n == s->max || !word_at(p, &value))
    return;
  for (unsigned i = 0; i < s->ntargets; i++)
    if (value >= s->targets[i].low && value < s->targets[i].high)
    {
      hd_rt_holder *h = &s->list[s->n];
      *h = (hd_rt_holder){.child = s->targets[i].number, .address = p, .value = value};
      hd_rt_where_is(p, s->own_pc, &h->where);
      if (h->where.kind == HD_RT_IN_HEAP && h->where.freed_by)
        return;
      s->variable = s->variable || h->where.kind == HD_RT_GLOBAL || h->where.kind == HD_RT_THREAD_LOCAL;
      s->n++;
      return;
    }
}

static int
look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
  search *s = context;
  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W))
    {
      uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, high = low + info->dlpi_phdr[i].p_memsz;
      for (uintptr_t p = (low + 7) & ~7ull; p + 8 <= high; p += 8)
        look_at(s, p);
    }
  return 0;
}

static int
look_at_own(struct dl_phdr_info *info, size_t size, void *context)
{
  search *s = context;
  (void) size;
  for (int i = 0; info->dlpi_tls_data && i < info->dlpi_phnum; i++)
    for (uint32_t id = 1; info->dlpi_phdr[i].p_type == PT_TLS && id <= hd_rt_thread_count(); id++)
    {
      const hd_rt_thread *t = hd_rt_thread_get(id);
      uintptr_t low = (uintptr_t) t->handle + (uintptr_t) info->dlpi_tls_data - (uintptr_t) pthread_self();
      for (uintptr_t p = (low + 7) & ~7ull; t->alive && t->handle && p + 8 <= low + info->dlpi_phdr[i].p_memsz; p += 8)
        look_at(s, p);
    }
  return 0;
}

static void
look_at_stacks(search *s)
{
  for (uint32_t id = 1; id <= hd_rt_thread_count(); id++)
  {
    hd_rt_thread *t = hd_rt_thread_get(id);
    uint32_t depth = t->alive ? hd_rt_thread_depth(t) : 0;
    if (!depth)
      continue;
    uintptr_t low = t->frames[depth].sp + 16, high = t->frames[1].sp + 4096;
    for (uintptr_t p = low; low >= t->stack_low && p < high && p < t->stack_high; p += 8)
      look_at(s, p);
  }
}

static void
look_at_blocks(search *s)
{
  hd_rt_block_info b;
  for (uint32_t number = 1; number <= BLOCKS && s->n < s->max && memory.chunks < CHUNKS; number++)
  {
    int there = hd_rt_block_by_number(number, &b);
    if (there < 0)
      break;
    for (uintptr_t p = b.start; there && !b.freed_by && p + 8 <= b.start + b.size; p += 8)
      look_at(s, p);
  }
}

unsigned
hd_rt_holders(uintptr_t start, size_t size, uintptr_t own_pc, hd_rt_holder *list, unsigned max)
{
  search s = {.targets = {{start, start + size, 0}}, .ntargets = 1, .own_pc = own_pc, .list = list};
  for (unsigned level = 0; level < LEVELS && s.ntargets && !s.variable; level++)
  {
    unsigned first = s.n;
    s.max = first + max / LEVELS;
    dl_iterate_phdr(look_at_module, &s);
    dl_iterate_phdr(look_at_own, &s);
    if (s.variable)
      break;                          /* no way can be shorter */
    s.max = first + max / LEVELS / 2; /* stacks leave room for blocks */
    look_at_stacks(&s);
    s.max = first + max / LEVELS;
    look_at_blocks(&s);
    s.ntargets = 0;
    for (unsigned i = first; i < s.n && s.ntargets < TARGETS; i++)
      if (list[i].where.kind == HD_RT_IN_HEAP && list[i].where.start != start)
        s.targets[s.ntargets++] = (target){list[i].where.start, list[i].where.start + list[i].where.size, i + 1};
  }
  return s.n;
}
