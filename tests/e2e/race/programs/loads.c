/* A library that is loaded while the program runs; wrong: its function is called without a lock. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*bump)(void);

static void *
work(void *argument)
{
#ifdef RIGHT
  pthread_mutex_lock(&lock);
#endif
  bump();
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  void *library = dlopen("./library.so", RTLD_NOW);
  if (!library || !(bump = (int (*)(void)) dlsym(library, "bump")))
    return 2;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  dlclose(library);
  return 0;
}
