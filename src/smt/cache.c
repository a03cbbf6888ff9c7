/* cache.c: a folder of what was proved. An entry is a small file whose name is a hash of the condition's text and of
 * the solver that proved it, and whose content repeats what it is about; it appears by renaming, so that it is whole or
 * not there. A file with another content is not believed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "smt/smt.h"

struct hd_smt_cache
{
  char *folder;
};

hd_smt_cache *
hd_smt_cache_open(const char *path, hd_string *error)
{
  struct stat st;
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
  {
    hd_string_printf(error, "%s: the folder cannot be made: %s", path, strerror(errno));
    return NULL;
  }
  if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
  {
    hd_string_printf(error, "%s: this is not a folder", path);
    return NULL;
  }
  hd_smt_cache *c = hd_alloc_zero(sizeof *c);
  c->folder = hd_strndup(path, strlen(path));
  return c;
}

void
hd_smt_cache_close(hd_smt_cache *c)
{
  if (!c)
    return;
  free(c->folder);
  free(c);
}

/* The path and the content of the entry for this condition. */
static void
describe(const hd_smt_cache *c, const char *text, const char *solver, const char *version, hd_string *path,
         hd_string *content)
{
  hd_string all = {0};
  size_t n = strlen(text);
  hd_string_printf(&all, "%s\n%s\n", solver, version);
  hd_string_add_n(&all, text, n);
  XXH128_hash_t h = XXH3_128bits(all.text, all.length);
  hd_string_printf(path, "%s/%016llx%016llx", c->folder, (unsigned long long) h.high64, (unsigned long long) h.low64);
  hd_string_printf(content, "heddle proved 1\n%s %s\n%zu bytes %016llx\n", solver, version, n,
                   (unsigned long long) XXH64(text, n, 1));
  hd_string_free(&all);
}

bool
hd_smt_cache_has(hd_smt_cache *c, const char *text, const char *solver, const char *version, hd_string *notes)
{
  hd_string path = {0}, content = {0};
  describe(c, text, solver, version, &path, &content);
  bool found = false;
  int fd = open(path.text, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
  {
    char *got = hd_alloc(content.length + 2);
    ssize_t n = read(fd, got, content.length + 1);
    found = n == (ssize_t) content.length && memcmp(got, content.text, content.length) == 0;
    if (!found)
      hd_string_printf(notes, "%s: this entry of the cache is damaged and was ignored\n", path.text);
    free(got);
    close(fd);
  }
  hd_string_free(&path);
  hd_string_free(&content);
  return found;
}

static bool
write_all(int fd, const char *text, size_t n)
{
  while (n)
  {
    ssize_t k = write(fd, text, n);
    if (k < 0 && errno != EINTR)
      return false;
    if (k > 0)
    {
      text += k;
      n -= (size_t) k;
    }
  }
  return true;
}

void
hd_smt_cache_add(hd_smt_cache *c, const char *text, const char *solver, const char *version, hd_string *notes)
{
  hd_string path = {0}, content = {0}, temporary = {0};
  describe(c, text, solver, version, &path, &content);
  hd_string_printf(&temporary, "%s.XXXXXX", path.text);
  int fd = mkostemp(temporary.text, O_CLOEXEC);
  bool good = fd >= 0;
  if (good)
  {
    good = fchmod(fd, 0644) == 0 && write_all(fd, content.text, content.length);
    good = close(fd) == 0 && good && rename(temporary.text, path.text) == 0;
    if (!good)
      unlink(temporary.text);
  }
  if (!good)
    hd_string_printf(notes, "%s: the cache cannot be written: %s\n", c->folder, strerror(errno));
  hd_string_free(&path);
  hd_string_free(&content);
  hd_string_free(&temporary);
}
