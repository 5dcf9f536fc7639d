/*
 * Contacts of each frame, any number per frame, in their own rows:
 *
 *     /contacts/end                      a frame: how many contacts there are up to and with it
 *     /contacts/point /force /gap        of each contact: where, halfway across the gap, m; the force on its first part, N; the gap, m
 *     /contacts/parts                    of each contact: its two parts, ascending, in the order of /contacts/names
 *
 * Forces are those of the barrier at the frame's positions; the force during a step is a mean between its ends.
 * Points, forces and gaps are in single precision.
 */
#ifndef LIL_RECORD_FILE_CONTACTS_H
#define LIL_RECORD_FILE_CONTACTS_H

#include "record/file/h5.h"
#include "terms/touch.h"

enum { LIL_CONTACT_SETS = 4 };

/* ---- writing ---- */

typedef struct lil_contact_writer {
    hid_t sets[LIL_CONTACT_SETS];
    float *point, *force, *gap; /* waiting to be written */
    int *parts;
    int64_t waiting, room;
    int64_t written; /* rows that count */
} lil_contact_writer;

/* Makes the datasets, or opens those of an earlier run. */
bool lil_contacts_create(hid_t file, lil_contact_writer *w);
bool lil_contacts_open(hid_t file, lil_contact_writer *w);
/* False: memory ran out. */
bool lil_contacts_add(lil_contact_writer *w, const lil_touching *list, int count);
/* Writes what waits, and flushes the file from time to time: what a kill can tear is bounded. */
bool lil_contacts_write(hid_t file, lil_contact_writer *w);
bool lil_contacts_close(lil_contact_writer *w); /* also if it was never opened */

/* Bytes that are in the file without having been flushed, at most. */
enum { LIL_CONTACT_BATCH = 1 << 15, LIL_CONTACT_BYTES = 36 * LIL_CONTACT_BATCH };

/* ---- reading ---- */

typedef struct lil_contact_parts {
    int count; /* 0: the trajectory has no contacts */
    const char **names;
} lil_contact_parts;

/* Contacts of one frame. */
typedef struct lil_contacts {
    int count, room;
    float (*point)[3], (*force)[3], *gap;
    int (*parts)[2];
} lil_contacts;

struct lil_trajectory;

/* In the arena; none in a file that has no contacts. */
lil_status lil_contacts_parts(struct lil_trajectory *trajectory, lil_arena *arena, lil_contact_parts *parts);
/* Those of frame i, in the arena and until the next call. `end`, of all frames, is from lil_contacts_ends. */
lil_status lil_contacts_read(struct lil_trajectory *trajectory, lil_arena *arena, const double *end, int64_t i,
                             lil_contacts *contacts);
/* In the arena; NULL where the file has no contacts. Ascending whole numbers, and as many rows are there. */
lil_status lil_contacts_ends(struct lil_trajectory *trajectory, lil_arena *arena, const double **end);

#endif
