/* driver.h: inside src/replay: the program that executes traces. */
#ifndef HD_REPLAY_DRIVER_H
#define HD_REPLAY_DRIVER_H

#include "control/control.h"

/* The program for N traces of C, whose file has the absolute path PATH. */
void hd_replay_write_driver(hd_string *out, const hd_controller *c, const char *path,
                            const hd_control_finding *const *findings, size_t n);
/* Read a line that the program prints. False: it is none. *TRACE is the trace that it is about; *ABOUT is NULL if that
 * went as it should, else a sentence about it, to be freed; *UNABLE: it could not be executed, which says nothing. */
bool hd_replay_read_line(const char *line, const hd_controller *c, const hd_control_finding *const *findings, size_t n,
                         size_t *trace, char **about, bool *unable);

#endif
