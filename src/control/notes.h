/* notes.h: what is odd about a controller besides its properties. */
#ifndef HD_CONTROL_NOTES_H
#define HD_CONTROL_NOTES_H

#include "control/explore.h"

/* Fill in the notes of R from what has been SEEN. ALL: what was not seen never
 * happens. */
void hd_control_notes_make(const hd_controller *c, hd_control_result *r, const hd_control_seen *seen, bool all);

#endif
