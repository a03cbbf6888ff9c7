/* cell.c: a register and what can happen to a program that is watched. Each argument is done in turn:
 *   NUMBER   so many right writes, each followed by a read
 *   wrong    a read that returns what nobody wrote
 *   threads  two threads that make 20,000 right calls each
 *   wait     for the end of the input
 *   fork     a child writes as well; it logs nothing, or elsewhere
 *   segv     a crash;  kill: SIGKILL to itself, in the middle of a write;  fail: exit with status 7 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heddle/heddle.h>

static hd_object object;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void
write_value(int v)
{
  HD_CALL(&object, "write", v);
  pthread_mutex_lock(&lock);
  value = v;
  HD_COMMIT(&object);
  pthread_mutex_unlock(&lock);
  HD_RETURN(&object);
}

static void
read_value(int error)
{
  HD_CALL(&object, "read");
  pthread_mutex_lock(&lock);
  int v = value + error;
  pthread_mutex_unlock(&lock);
  HD_RETURN(&object, v);
}

static void
work(int n)
{
  for (int i = 1; i <= n; i++)
  {
    write_value(i);
    read_value(0);
  }
}

static void *
run(void *unused)
{
  (void) unused;
  work(10000);
  return NULL;
}

static void
two_threads(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

static void
fork_child(void)
{
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
  {
    read_value(1000); /* of its own copy; if it went into our log it would be a violation */
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
}

static void
killed_while_writing(void)
{
  HD_CALL(&object, "write", 99);
  pthread_mutex_lock(&lock);
  value = 99;
  HD_COMMIT(&object);
  kill(getpid(), SIGKILL);
}

int
main(int argc, char **argv)
{
  hd_value initial = hd_int(0);
  hd_object_init_config(&object, "register", "R", &initial, 1);
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "wrong") == 0)
      read_value(1000);
    else if (strcmp(argv[i], "threads") == 0)
      two_threads();
    else if (strcmp(argv[i], "fork") == 0)
      fork_child();
    else if (strcmp(argv[i], "wait") == 0)
      while (getchar() != EOF)
        ;
    else if (strcmp(argv[i], "segv") == 0)
      raise(SIGSEGV);
    else if (strcmp(argv[i], "kill") == 0)
      killed_while_writing();
    else if (strcmp(argv[i], "fail") == 0)
      return 7;
    else
      work(atoi(argv[i]));
  hd_object_destroy(&object);
  puts("the program ends");
  return 0;
}
