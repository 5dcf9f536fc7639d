/* The rows of /checkpoint: count, frames, words, and a hash of all that in two halves. */
#ifndef LIL_RECORD_FILE_CHECKPOINT_H
#define LIL_RECORD_FILE_CHECKPOINT_H

#include "record/file/h5.h"

/* Width of a row with so many words; the hash is computed from the words before it. */
int lil_checkpoint_width(int words);
void lil_checkpoint_seal(double *row, int width);

hid_t lil_checkpoint_create(hid_t file, int words);
bool lil_checkpoint_write(hid_t set, int width, const double *row);

/* The newest row that is whole and counts at most `frames` frames, in the arena; NULL: there is none. */
const double *lil_checkpoint_newest(lil_arena *arena, hid_t set, int64_t frames, int *width);

#endif
