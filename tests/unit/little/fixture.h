/* fixture.h: controllers written in a test: the controller part alone, wrapped into a file named t.h. */
#ifndef TEST_LITTLE_FIXTURE_H
#define TEST_LITTLE_FIXTURE_H

#include <string.h>

#include "control/control.h"

/* The first line of the part is line 6 of the file. */
static inline hd_controller *
fixture_parse(const char *part, hd_string *messages)
{
  hd_string file = {0};
  hd_string_printf(&file,
                   "#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER t\n#define HD_CONTROLLER_FILE \"t.h\"\n"
                   "#include <heddle/controller.h>\n#else\n%s\n#endif\n",
                   part);
  hd_controller *c = hd_control_parse("t.h", file.text, file.length, messages);
  hd_string_free(&file);
  return c;
}

#endif
