/* library.c: specifications from shared libraries. Not in the heddle command itself, which is linked statically
 * (dynamic.c). */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/judge.h"

struct hd_spec_library
{
  void *handle;
  const hd_spec *spec;
};

HD_GIVE hd_spec_library *
hd_spec_library_open(const char *path, HD_GIVE char **error)
{
  *error = NULL;
  if (access(path, R_OK) != 0)
  {
    *error = hd_text("%s: no such file, or it cannot be read", path);
    return NULL;
  }
  /* dlopen searches the system's folders for a name without a slash. */
  char *file = strchr(path, '/') ? hd_text("%s", path) : hd_text("./%s", path);
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  free(file);
  if (!handle)
  {
    *error = hd_text("%s: cannot be loaded: %s", path, dlerror());
    return NULL;
  }
  const hd_spec *spec = dlsym(handle, "heddle_spec");
  char *problem
      = spec ? hd_spec_problem(spec) : hd_text("it defines no specification: use HD_SPEC(...) of <heddle/spec.h>");
  if (problem)
  {
    *error = hd_text("%s: not a usable specification: %s", path, problem);
    free(problem);
    dlclose(handle);
    return NULL;
  }
  hd_spec_library *l = hd_alloc(sizeof *l);
  *l = (hd_spec_library){.handle = handle, .spec = spec};
  return l;
}

const hd_spec *
hd_spec_library_get(const hd_spec_library *l)
{
  return l->spec;
}

void
hd_spec_library_close(HD_TAKE hd_spec_library *l)
{
  if (!l)
    return;
  dlclose(l->handle);
  free(l);
}
