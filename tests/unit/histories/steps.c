/* steps.c: histories in tests, and what was read of them as text. */
#include "histories/steps.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

hd_history *
history_from_text(const char *text, hd_history_form form, char **error)
{
  int fd = memfd_create("history", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  return hd_history_new_fd(fd, "h", form, error);
}

void
history_add_value(hd_string *s, hd_value v)
{
  hd_string_add(s, " ");
  hd_value_print(s, v, SIZE_MAX);
}

/* One word for the step, the process, the method, the arguments, and what was returned. */
bool
history_dump_step(void *context, const hd_history_op *op)
{
  static const char *const names[] = {"call", "window", "commit", "return", "failed", "never"};
  history_dump *d = context;
  if ((d->skip_never && op->step == HD_HISTORY_STEP_NEVER) || (op->number < d->nfailed && d->failed[op->number]))
    return true;
  hd_string_printf(&d->text, "%s %" PRId64 " %s", names[op->step], op->process, op->rule.f);
  if (op->has_object)
  {
    hd_string_add(&d->text, " of");
    history_add_value(&d->text, op->object);
  }
  for (uint32_t i = 0; op->step == HD_HISTORY_STEP_CALL && i < op->nargs; i++)
    history_add_value(&d->text, op->args[i]);
  if (op->has_ret)
  {
    hd_string_add(&d->text, " ->");
    history_add_value(&d->text, op->ret.type == HD_BOOL ? hd_int(op->ret.i) : op->ret);
  }
  hd_string_add(&d->text, "\n");
  return true;
}
