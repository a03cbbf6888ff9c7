/* verify.c: a counter that is checked from inside; with the argument "wrong" it loses an update. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>
#include <heddle/verify.h>

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  if (op->ret.i != *(int *) s + 1)
    return HD_REJECT;
  ++*(int *) s;
  return HD_CHANGED;
}

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(int));
}

static void *
copy(const void *s)
{
  int *c = malloc(sizeof *c);
  *c = *(const int *) s;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  return *(const int *) a == *(const int *) b;
}

static const hd_method methods[] = {{"inc", HD_MUTATOR, "", 'i'}};
static hd_spec counter = {.abi = HD_SPEC_ABI,
                          .size = sizeof(hd_spec),
                          .name = "counter",
                          .methods = methods,
                          .nmethods = 1,
                          .create = create,
                          .destroy = free,
                          .apply = apply,
                          .copy = copy,
                          .equal = equal};

static hd_object object;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static sem_t told;

static void
violation(void *context, const char *name, const char *headline, const char *text)
{
  printf("%s %s: %s\n", (const char *) context, name, headline);
  printf("the explanation %s\n", strstr(text, "implementation is wrong") ? "blames the implementation" : text);
  sem_post(&told);
}

static void
inc(bool lose, bool window)
{
  HD_CALL(&object, "inc");
  if (window)
    HD_WINDOW(&object);
  pthread_mutex_lock(&lock);
  int mine = value + 1;
  if (!lose)
    value = mine;
  HD_COMMIT(&object);
  pthread_mutex_unlock(&lock);
  HD_RETURN(&object, mine);
}

static void *
work(void *window)
{
  for (int i = 0; i < 1000; i++)
    inc(false, window != NULL);
  return NULL;
}

int
main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  sem_init(&told, 0, 0);
  if (strcmp(what, "bad-spec") == 0)
    counter.apply = NULL;
  const hd_spec *specs[] = {&counter};
  const char *why = hd_verify_start(&(hd_verify_options){
      .specs = specs, .nspecs = 1, .paranoid = true, .violation = violation, .context = "told of"});
  if (why)
  {
    printf("not started: %s\n", why);
    return 2;
  }
  hd_object_init(&object, "counter", "C");
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, strcmp(what, "window") == 0 ? what : NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  if (strcmp(what, "wrong") == 0)
  {
    inc(true, false);
    inc(false, false);
    inc(false, false); /* what is judged lies before the latest tick */
    sem_wait(&told);   /* while we run */
    puts("and goes on");
  }
  hd_object_destroy(&object);
  return hd_verify_stop();
}
