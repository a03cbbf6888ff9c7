/* script.h: an execution in words, through src/mttl. */
#ifndef TEST_MTTLREF_SCRIPT_H
#define TEST_MTTLREF_SCRIPT_H

#include "mttl/mttl.h"

/* Judge SCRIPT by the properties in TEXT. NTHREADS threads, named "a", "b", ... and numbered from 0, are there from the
 * start. A script is events separated by semicolons, each with its thread first:
 *   0 r x          0 w x [value]     read, write the location x; without a value it is undefined
 *   0 set v value                    an internal event; a step if the file has no such variable
 *   0 acq m        0 rel m           a lock or semaphore: release adds to what is there
 *   0 store m                        release that replaces
 *   0 rdlock m     0 rdunlock m      a reader-writer lock: reads of it; wrlock, wrunlock: writes
 *   0 enter f      0 step            an event that orders nothing
 *   0 fork 2       0 exit    1 join 0
 * The answer names each violation, as in "1.3:race": thread 1, its third event, property race; free it. WHY, if not
 * NULL, gets the explanation of the last one. */
char *script_judge(const char *text, unsigned nthreads, const char *script, hd_string *why);

#endif
