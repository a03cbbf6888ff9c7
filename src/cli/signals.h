/* signals.h: a program that the command runs gets the signals that are sent to the command. */
#ifndef HD_CLI_SIGNALS_H
#define HD_CLI_SIGNALS_H

#include <sys/types.h>

/* From now on CHILD gets SIGTERM and SIGHUP, and SIGINT and SIGQUIT do not end us. 0: it ended. */
void hd_cli_pass_signals(pid_t child);

#endif
