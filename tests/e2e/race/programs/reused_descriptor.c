/* One thread closes a descriptor that another still uses: its number is soon somebody else's. Right: the user is joined
 * first. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "order.h"

static int log_file = -1;

static void *
writes(void *argument)
{
  if (write(log_file, "x", 1) != 1)
    return NULL;
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  log_file = open("/dev/null", O_WRONLY);
  pthread_create(&thread, NULL, writes, NULL);
#ifdef RIGHT
  pthread_join(thread, NULL);
  close(log_file);
  log_file = -1;
#else
  after(1);
  close(log_file);
  log_file = -1;
  pthread_join(thread, NULL);
#endif
  return 0;
}
