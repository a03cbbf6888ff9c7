/* input.c: the bytes of a history, in pieces, with line and column, and the errors that have a place. */
#include "history/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  FIRST_PIECE = 1 << 12, /* enough to recognise the form, and for the head */
  PIECE = 1 << 16,
};

bool
hd_history_fail(input *in, place where, const char *format, ...)
{
  if (in->error)
    return false;
  hd_string s = {0};
  hd_string_printf(&s, "%s:%" PRIu32 ":%" PRIu32 ": error: ", in->path, where.line, where.column);
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  in->error = s.text;
  return false;
}

void
hd_history_input_rewind(input *in)
{
  if (!in->buffer)
    in->buffer = hd_alloc(PIECE);
  if (!in->arena)
    in->arena = hd_arena_new();
  bool at_hand = in->base == 0 && in->end > 0 && !in->error; /* what was read first is still in the buffer */
  free(in->error);
  in->error = NULL;
  in->at = 0;
  in->line_start = 0;
  in->line = 1;
  if (at_hand)
    return;
  in->end = 0;
  in->base = 0;
  in->ended = false;
  if (lseek(in->fd, 0, SEEK_SET) != 0)
    hd_history_fail(in, here(in), "the file cannot be read from its start: %s", strerror(errno));
}

int
hd_history_input_fill(input *in)
{
  while (!in->ended && !in->error)
  {
    ssize_t n = read(in->fd, in->buffer, in->base + in->end == 0 ? FIRST_PIECE : PIECE);
    if (n < 0 && errno == EINTR)
      continue;
    in->base += in->end;
    in->at = 0;
    in->end = n > 0 ? (size_t) n : 0;
    if (n < 0)
      hd_history_fail(in, here(in), "the file cannot be read: %s", strerror(errno));
    in->ended = n <= 0;
    if (n > 0)
      return (unsigned char) in->buffer[0];
  }
  return -1;
}

int
hd_history_input_second(input *in)
{
  if (in->at + 1 < in->end)
    return (unsigned char) in->buffer[in->at + 1];
  /* The last byte of the piece moves to the front; the next piece follows it. */
  in->buffer[0] = in->buffer[in->at];
  in->base += in->at;
  in->at = 0;
  in->end = 1;
  ssize_t n;
  do
    n = in->ended ? 0 : read(in->fd, in->buffer + 1, PIECE - 1);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    hd_history_fail(in, here(in), "the file cannot be read: %s", strerror(errno));
  if (n <= 0)
  {
    in->ended = true;
    return -1;
  }
  in->end += (size_t) n;
  return (unsigned char) in->buffer[1];
}

void
hd_history_shown(input *in, char *out, size_t n)
{
  size_t length = 0;
  for (int c = peek(in); c > ' ' && c < 0x7f && !strchr(",()[]{}", c) && length + 1 < n; pass(in), c = peek(in))
    out[length++] = (char) c;
  out[length] = 0;
}
