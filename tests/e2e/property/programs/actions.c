/* actions.c: a counter that becomes too large three times; what happens then is chosen on the command line. */
#include <heddle/monitor.h>
#include <stdio.h>
#include <string.h>

int counter;

static void
recover(const hd_monitor_violation *v, void *context)
{
  printf("%s at %s:%u, thread %u: %s\n%s", v->property, v->file, v->line, v->thread, (const char *) context, v->reason);
  counter = 0;
}

void
repair(const hd_monitor_violation *v)
{
  printf("repair: %s\n", v->formula);
  counter = 0;
}

int
main(int argc, char **argv)
{
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 1 && strcmp(argv[1], "recovery") == 0)
    hd_on_violation(recover, "recovered");
  for (int i = 0; i < 3; i++)
  {
    counter = 5;
    printf("%d\n", counter);
    counter = 1;
  }
  return 0;
}
