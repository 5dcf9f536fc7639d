/* The warnings of a run in a trajectory file: /warnings/KIND, "" if there was none. */
#ifndef LIL_RECORD_FILE_RECORDED_WARNINGS_H
#define LIL_RECORD_FILE_RECORDED_WARNINGS_H

#include "record/file/h5.h"
#include "sim/warnings.h"

/* Creates the datasets, or writes into them. Does nothing in a file that was begun without them. */
bool lil_warnings_create(hid_t file, const lil_warnings *warnings);
bool lil_warnings_write(hid_t file, const lil_warnings *warnings);
/* What the file has not is left empty. */
void lil_warnings_read(hid_t file, lil_warnings *warnings);

#endif
