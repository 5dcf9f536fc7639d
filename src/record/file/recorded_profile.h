/* A profile in a trajectory file: /profile/steps, /profile/seconds, and of each phase seconds, whole and calls. */
#ifndef LIL_RECORD_FILE_RECORDED_PROFILE_H
#define LIL_RECORD_FILE_RECORDED_PROFILE_H

#include "record/file/h5.h"

/* NULL: it is not known yet. Creates the datasets, or writes into them. */
bool lil_profile_write(hid_t file, const lil_profile *profile);
/* False: there is none, or it is not known. */
bool lil_profile_read(hid_t file, lil_profile *profile);
/* Whether there is room for one: a file that others may read while it is written takes no new datasets. */
bool lil_profile_has_room(hid_t file);

#endif
