/* The data of a shot in a trajectory file beside its frames: keys, result, and history of the solution. */
#ifndef LIL_RECORD_FILE_SHOT_TABLES_H
#define LIL_RECORD_FILE_SHOT_TABLES_H

#include "keyframes/shot.h"
#include "record/file/recorder.h"

/* For a solved shot: there is room for so many. Names are in the arena, numbers in the shot. */
int lil_shot_tables_max(const lil_shot *shot);
lil_status lil_shot_tables(const lil_shot *shot, lil_arena *arena, lil_table *tables, int *count);

#endif
