/* contact: {ignore, between}: which parts meet, and how two of them rub. */
#ifndef LIL_SCENE_MEETINGS_H
#define LIL_SCENE_MEETINGS_H

#include "scene/read.h"

/* Over parts by name. Both tables are symmetric, meet[a * count + b], and come in with their defaults. */
typedef struct lil_meetings {
    int count;
    const char *const *names;
    bool *meet;
    double *friction; /* Coulomb's mu */
} lil_meetings;

/* `contact` may be NULL. */
lil_status lil_read_meetings(const lil_reader *rd, const lil_node *contact, lil_meetings *meetings);

/* The keys themselves, for the reader of `contact`, the reference and the schema. */
extern const char *const lil_meeting_keys[]; /* ended by NULL */
extern const char lil_meeting_schema[];
extern const lil_field lil_meeting_fields[];
extern const int lil_meeting_field_count;

#endif
