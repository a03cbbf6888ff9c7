/* A service is told to stop by a plain variable and its state is thrown away at once; right: it is joined in between.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

static atomic_int stop;
static struct service
{
  long requests;
  char *buffer;
} * service;

static void *
serve(void *argument)
{
  do
    service->requests++;
  while (!stop);
  service->buffer[0] = 0;
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  service = calloc(1, sizeof *service);
  service->buffer = malloc(8);
  pthread_create(&thread, NULL, serve, NULL);
  stop = 1;
#ifdef RIGHT
  pthread_join(thread, NULL);
#else
  after(1);
#endif
  free(service->buffer);
  free(service);
#ifndef RIGHT
  pthread_join(thread, NULL);
#endif
  return 0;
}
