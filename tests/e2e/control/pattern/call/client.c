/* A writer that leaves as a reader: the controller would count a reader less than there are. */
#include "rw.h"

static rw lock;

static void
update(void)
{
  rw_w_enter(&lock);
  rw_r_exit(&lock);
}

static void *
client(void *arg)
{
  rw_r_enter(&lock);
  rw_r_exit(&lock);
  update();
  return arg;
}

int
main(void)
{
  rw_init(&lock);
  rw_r_enter(&lock);
  rw_r_exit(&lock);
  pthread_t id;
  pthread_create(&id, NULL, client, NULL);
  pthread_join(id, NULL);
  rw_destroy(&lock);
  return 0;
}
