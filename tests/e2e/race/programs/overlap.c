/* Two threads copy into one buffer, into parts that overlap by four bytes; right: side by side. */
#include <pthread.h>
#include <string.h>

#include "order.h"

static char frame[64];
static const char left[32] = "left", right[32] = "right";

static void *
copy_left(void *argument)
{
  memcpy(frame, left, sizeof left);
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, copy_left, NULL);
  after(1);
#ifdef RIGHT
  memcpy(frame + 32, right, sizeof right);
#else
  memcpy(frame + 28, right, sizeof right);
#endif
  pthread_join(thread, NULL);
  return frame[30] == 'x';
}
