/* recorder_names.c: what places, stacks, objects, memory and threads of a recorded program are called. */
#include "cli/recorder_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct routine
{
  char *name;
  uint32_t threads;
} routine;

struct hd_recorder_names
{
  hd_symbols *symbols;
  hd_trace_names *names;
  const hd_record_shared *shared;
  routine *routines; /* start routines, and how many threads each has */
  size_t nroutines, routines_cap;
  uint32_t locations; /* numbers that are given out */
};

hd_recorder_names *
hd_recorder_names_new(hd_symbols *symbols, hd_trace_names *names)
{
  hd_recorder_names *r = hd_alloc_zero(sizeof *r);
  r->symbols = symbols;
  r->names = names;
  return r;
}

void
hd_recorder_names_free(hd_recorder_names *r)
{
  for (size_t i = 0; i < r->nroutines; i++)
    free(r->routines[i].name);
  free(r->routines);
  free(r);
}

/* "worker-2": the second thread that began there. */
void
hd_recorder_name_thread(hd_recorder_names *r, uint32_t thread, uint64_t start)
{
  hd_symbols_frame frame = {0};
  hd_string s = {0};
  if (start)
    hd_symbols_frames(r->symbols, start + 1, &frame, 1);
  size_t i = 0;
  while (frame.function && i < r->nroutines && strcmp(r->routines[i].name, frame.function) != 0)
    i++;
  if (frame.function && i == r->nroutines)
    HD_PUSH(r->routines, r->nroutines, r->routines_cap,
            (routine){hd_strndup(frame.function, strlen(frame.function)), 0});
  if (thread == 0)
    hd_string_add(&s, "main");
  else if (frame.function)
    hd_string_printf(&s, "%s-%u", frame.function, ++r->routines[i].threads);
  if (s.length)
    hd_trace_names_set(r->names, HD_TRACE_THREAD, thread, s.text, s.length);
  hd_string_free(&s);
}

/* What calls main and start routines is nothing to tell. */
static bool
is_library(const hd_symbols_frame *f)
{
  const char *slash = f->module ? strrchr(f->module, '/') : NULL;
  return slash && (strncmp(slash, "/libc.so", 8) == 0 || strncmp(slash, "/ld-linux", 9) == 0);
}

/* The place of PC gets number ID, and what it was inlined into the numbers in MORE, innermost first. False: it lies in
 * the C library. */
static bool
name_place(hd_recorder_names *r, uint32_t id, uint64_t pc, uint32_t *more, size_t max)
{
  hd_symbols_frame frames[16];
  size_t n = hd_symbols_frames(r->symbols, pc, frames, 16), count = 0;
  for (size_t i = 0; i < n && count < max; i++)
  {
    hd_string text = {0};
    hd_trace_location where
        = {.file = frames[i].file, .function = frames[i].function, .line = (uint32_t) frames[i].line};
    if (!frames[i].file && !frames[i].function)
    {
      const char *slash = frames[i].module ? strrchr(frames[i].module, '/') : NULL;
      hd_string_printf(&text, "%s+0x%" PRIx64, slash ? slash + 1 : "?", slash ? frames[i].offset : pc);
      where.function = text.text;
    }
    uint32_t number = i == 0 ? id : ++r->locations;
    hd_trace_names_set_location(r->names, number, where);
    if (i > 0)
      more[count++] = number;
    hd_string_free(&text);
  }
  return n > 0 && !is_library(&frames[0]);
}

static void
name_places(hd_recorder_names *r)
{
  enum
  {
    DEEPEST = 64,
    INLINED = 8
  };
  const hd_record_shared *s = r->shared;
  uint32_t nplaces = s->nplaces < HD_RECORD_PLACES ? s->nplaces : HD_RECORD_PLACES - 1;
  uint32_t nstacks = s->nstacks < HD_RECORD_STACKS ? s->nstacks : HD_RECORD_STACKS - 1;
  uint32_t(*inlined)[INLINED] = hd_alloc_zero(((size_t) nplaces + 1) * sizeof *inlined);
  r->locations = nplaces;
  bool *ours = hd_alloc_zero((size_t) nplaces + 1);
  for (uint32_t i = 1; i <= nplaces; i++)
    ours[i] = name_place(r, i, s->places[i], inlined[i], INLINED);
  for (uint32_t i = 1; i <= nstacks; i++)
  {
    uint32_t list[DEEPEST], n = 0;
    for (uint64_t node = s->stacks[i]; n < DEEPEST;)
    {
      uint32_t place = (uint32_t) node, up = (uint32_t) (node >> 32);
      if (place == 0 || place > nplaces || up >= i)
        break;
      if (!up && !ours[place])
        break;
      list[n++] = place;
      for (unsigned k = 0; k < INLINED && inlined[place][k] && n < DEEPEST; k++)
        list[n++] = inlined[place][k];
      if (!up)
        break;
      node = s->stacks[up];
    }
    hd_trace_names_set_stack(r->names, i, list, n);
  }
  free(ours);
  free(inlined);
}

/* Of locks and the like. Where two have the same name, the second is another one at the same place. */
static void
name_objects(hd_recorder_names *r)
{
  const hd_record_shared *s = r->shared;
  for (uint32_t i = 1; i <= s->nobjects && i < HD_RECORD_OBJECTS; i++)
  {
    uint64_t address = s->objects[i] & ((1ull << 47) - 1);
    hd_string name = {0};
    hd_symbols_frame where;
    if (!hd_symbols_data(r->symbols, address, 4, &name, &where))
      hd_string_printf(&name, "0x%" PRIx64, address);
    char *inside = strstr(name.text, ".__"); /* what the C library has in it */
    size_t length = inside ? (size_t) (inside - name.text) : name.length;
    hd_trace_names_set(r->names, HD_TRACE_LOCK, i, name.text, length);
    hd_trace_names_set(r->names, HD_TRACE_OBJECT, i, name.text, length);
    hd_string_free(&name);
  }
}

static void
name_addresses(hd_recorder_names *r)
{
  const hd_record_shared *s = r->shared;
  for (uint32_t i = 1; i <= s->naddresses && i < HD_RECORD_ADDRESSES; i++)
  {
    uint64_t address = s->addresses[i] & ((1ull << 47) - 1);
    hd_string name = {0};
    hd_symbols_frame where;
    if (hd_symbols_data(r->symbols, address, s->addresses[i] >> 47, &name, &where))
      hd_trace_names_set(r->names, HD_TRACE_ADDRESS, address, name.text, name.length);
    hd_string_free(&name);
  }
}

void
hd_recorder_name(hd_recorder_names *r, const hd_record_shared *shared)
{
  r->shared = shared;
  name_places(r);
  name_objects(r);
  name_addresses(r);
}
