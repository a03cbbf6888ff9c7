/* A connection that is opened when it is first needed, with a check outside of the lock; right: the pointer is atomic.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

typedef struct connection
{
  int socket;
  char host[16];
} connection;

#ifdef RIGHT
static connection *_Atomic shared;
#else
static connection *shared;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static connection *
connect(void)
{
  if (!shared)
  {
    pthread_mutex_lock(&lock);
    if (!shared)
    {
      connection *c = malloc(sizeof *c);
      c->socket = 3;
      shared = c;
    }
    pthread_mutex_unlock(&lock);
  }
  return shared;
}

static void *
work(void *argument)
{
  connect();
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
  int socket = connect()->socket;
  pthread_join(thread, NULL);
  return socket != 3;
}
