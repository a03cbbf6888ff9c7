/* replay.c: gives the files of a corpus to a fuzz target, one after the other, in a build without libFuzzer.
 * Arguments: files. A crash of the target is the failure; the last line on stderr names the file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *
read_file(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  uint8_t *data = NULL;
  *size = 0;
  for (size_t got = 1; got > 0; *size += got)
  {
    uint8_t *more = realloc(data, *size + 65536);
    if (!more)
      abort();
    data = more;
    got = fread(data + *size, 1, 65536, f);
  }
  fclose(f);
  return data;
}

int
main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
  {
    size_t size;
    uint8_t *data = read_file(argv[i], &size);
    if (!data)
    {
      fprintf(stderr, "replay: cannot read %s\n", argv[i]);
      return 2;
    }
    fprintf(stderr, "%s\n", argv[i]);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
  }
  return 0;
}
