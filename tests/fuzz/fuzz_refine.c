/* fuzz_refine.c: the checker on events in any order and with any stamps, as no program would log them.
 *
 * The reader delivers what a damaged or hostile log holds; the checker must answer, whatever it is. Two bytes of input
 * make an event; a third of them are sensible continuations, so that the search, the views and the diagnosis are
 * reached. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "log/log.h"
#include "refine/refine.h"
#include "specs/specs.h"

enum
{
  THREADS = 4,
  VARIABLES = 4
};

/* ---- a replica for the multiset: a variable per element ---- */

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(VARIABLES, sizeof(int64_t));
}

static void *
copy(const void *r)
{
  int64_t *c = create(NULL, 0);
  for (int i = 0; i < VARIABLES; i++)
    c[i] = ((const int64_t *) r)[i];
  return c;
}

static void
write_variable(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  ((int64_t *) r)[var % VARIABLES] = v.i;
  hd_touch(touched, hd_int((int64_t) (var % VARIABLES)));
}

static bool
read_variable(const void *r, uint64_t var, hd_value *v)
{
  *v = hd_int(((const int64_t *) r)[var % VARIABLES]);
  return true;
}

static bool
view(const void *r, hd_value key, hd_value *out)
{
  *out = hd_int(((const int64_t *) r)[key.u % VARIABLES]);
  return out->i > 0;
}

static const hd_replica replica
    = {.create = create, .destroy = free, .copy = copy, .write = write_variable, .read = read_variable, .view = view};

/* ---- a log that gives names and sites, made once ---- */

static hd_log *names;
static hd_spec spec;
static uint32_t sites[HD_K_COUNT][4];

static void
make_names(void)
{
  char folder[] = "/tmp/heddle-fuzz-refine-XXXXXX", path[64];
  if (!mkdtemp(folder))
    abort();
  snprintf(path, sizeof path, "%s/log", folder);
  char *error = NULL;
  hd_log_build *b = hd_log_build_new(path, &error);
  if (!b)
    abort();
  hd_log_build_object(b, "multiset", "m", NULL, 0);
  static const char *const methods[] = {"insert", "delete", "count", "unheard-of"};
  const uint8_t types[HD_SITE_VALUES] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC};
  for (uint32_t kind = HD_K_CALL; kind < HD_K_LINE; kind++)
    for (uint32_t i = 0; i < 4; i++)
      sites[kind][i] = hd_log_build_site(b, kind, methods[i], "f.c", "f", kind * 10 + i, types, 3);
  if (!hd_log_build_close(b, true, &error))
    abort();
  names = hd_log_open(path, &error);
  if (!names)
    abort();
  unlink(path);
  rmdir(folder);
  spec = *hd_specs_find("multiset");
  spec.replica = &replica;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!names)
    make_names();
  if (size < 1 || size > 512)
    return 0;
  hd_refine_options options = {.view = data[0] % 3,
                               .paranoid = data[0] >> 2 & 1,
                               .eager = data[0] >> 3 & 1,
                               .max_configurations = 500,
                               .max_steps = 2000};
  hd_refine *r = hd_refine_new(&spec, names, 1, &options);
  uint64_t clock = 0;
  for (size_t i = 1; i + 1 < size; i += 2)
  {
    uint8_t a = data[i], b = data[i + 1];
    if (a % 32 == 0)
    {
      hd_refine_frontier(r, clock);
      continue;
    }
    uint32_t kind = HD_K_CALL + a % 32 % (HD_K_LINE - HD_K_CALL);
    static const bool ticking[HD_K_COUNT]
        = {[HD_K_CALL_NOCOMMIT] = true,  [HD_K_COMMIT] = true,       [HD_K_COMMIT_RET] = true,
           [HD_K_COMMIT_EXC] = true,     [HD_K_WINDOW] = true,       [HD_K_FREE_WRITE] = true,
           [HD_K_FREE_WRITE_OLD] = true, [HD_K_INTERNAL_END] = true, [HD_K_OBJECT_END] = true};
    bool ticked = ticking[kind] != (b >> 7 & (a >> 7)); /* mostly as it should be */
    bool unstamped = kind == HD_K_BLOCK_BEGIN || kind == HD_K_ABANDON || kind == HD_K_MISUSE || b == 255;
    hd_value values[3] = {hd_int(b >> 2 & 3), hd_int(b >> 4 & 3), hd_int(b >> 5 & 1)};
    uint32_t nvalues = kind == HD_K_CALL || kind == HD_K_CALL_NOCOMMIT ? 1 : b >> 6 & 3;
    if (kind >= HD_K_WRITE && kind <= HD_K_FREE_REPLAY)
      nvalues = 2 + (b >> 6 & 1);
    uint64_t stamp = b == 254 ? clock + 1000000 : b == 253 && clock ? clock - 1 : clock;
    hd_event e = {.kind = (uint8_t) kind,
                  .thread = 1 + b % THREADS + (a == 200 ? 5000 : 0),
                  .object = 1,
                  .site = sites[kind][a >> 5 & 3],
                  .line = b & 4 ? b : 0,
                  .stamped = !unstamped,
                  .ticked = ticked && !unstamped,
                  .stamp = stamp,
                  .values = values,
                  .nvalues = nvalues};
    hd_refine_event(r, &e);
    if (e.ticked && stamp == clock)
      clock++;
  }
  hd_refine_finish(r, NULL);
  hd_refine_free(r);
  return 0;
}
