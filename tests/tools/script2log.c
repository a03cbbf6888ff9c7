/* script2log.c: a script (tests/unit/script/script.h) becomes a log that heddle check judges.
 *
 *   script2log SCRIPT LOG [TYPE]
 *
 * Objects that the script does not declare are of TYPE ("multiset"), without a configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"

int
main(int argc, char **argv)
{
  if (argc < 3 || argc > 4)
  {
    fputs("usage: script2log SCRIPT LOG [TYPE]\n", stderr);
    return 2;
  }
  FILE *in = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
  hd_string text = {0};
  char buffer[4096];
  for (size_t n; in && (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
    hd_string_add_n(&text, buffer, n);
  if (!in || ferror(in))
  {
    perror(argv[1]);
    return 2;
  }
  fclose(in);
  const char *file = strrchr(argv[1], '/');
  file = in == stdin ? "script" : file ? file + 1 : argv[1];
  script_write(text.text ? text.text : "", &(script_names){.file = file, .type = argc > 3 ? argv[3] : "multiset"},
               argv[2]);
  hd_string_free(&text);
  return 0;
}
