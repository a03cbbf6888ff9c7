/* inside.c: the tickets of the README, in a program that checks itself while it runs. */
#include <heddle/heddle.h>
#include <heddle/verify.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

extern const hd_spec heddle_spec; /* HD_SPEC in ../readme/spec.c defines it */

static long next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hd_object desk;

static long
draw(void)
{
  HD_CALL(&desk, "draw");
  pthread_mutex_lock(&lock);
  long mine = next;
  pthread_mutex_unlock(&lock);
  usleep(1);
  pthread_mutex_lock(&lock);
  next = mine + 1;
  HD_COMMIT(&desk);
  pthread_mutex_unlock(&lock);
  HD_RETURN(&desk, mine);
  return mine;
}

static void *
customer(void *unused)
{
  for (int i = 0; i < 1000; i++)
    draw();
  return unused;
}

/* Called by the verification thread. A server would log this and go on; a test could call abort(). */
static void
say(void *context, const char *object, const char *headline, const char *text)
{
  (void) context, (void) text;
  printf("%s does not refine its specification: %s\n", object, headline);
}

int
main(void)
{
  const hd_spec *specs[] = {&heddle_spec};
  const char *problem = hd_verify_start(&(hd_verify_options){.specs = specs, .nspecs = 1, .violation = say});
  if (problem)
  {
    fprintf(stderr, "not checked: %s\n", problem);
    return 2;
  }
  hd_object_init(&desk, "tickets", "desk"); /* after the start: older objects are not logged */
  pthread_t other;
  pthread_create(&other, NULL, customer, NULL);
  customer(NULL);
  pthread_join(other, NULL);
  return hd_verify_stop(); /* 0 holds, 1 violated, 2 bad specification, 3 incomplete */
}
