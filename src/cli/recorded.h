/* recorded.h: what heddle monitor does with a program whose run must be recorded first. */
#ifndef HD_CLI_RECORDED_H
#define HD_CLI_RECORDED_H

#include "cli/cli.h"

int hd_monitor_recorded(const hd_cli_options *o);

#endif
