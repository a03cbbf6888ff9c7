/* signals.c: while the command runs a program, signals that would end the command are the program's: we stay to tell
 * what it did. */
#include <signal.h>

#include "cli/signals.h"

static volatile sig_atomic_t receiver;

static void
pass_on(int sig)
{
  if (receiver)
    kill(receiver, sig);
}

void
hd_cli_pass_signals(pid_t child)
{
  receiver = child;
  if (!child)
    return;
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGINT, SIG_IGN); /* these reach the program too */
  signal(SIGQUIT, SIG_IGN);
}
