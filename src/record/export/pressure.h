/* The pressure of contact on the vertices of bodies, from the contacts that a trajectory has of each frame. */
#ifndef LIL_RECORD_EXPORT_PRESSURE_H
#define LIL_RECORD_EXPORT_PRESSURE_H

#include "record/file/contacts.h"
#include "record/file/motion.h"

typedef struct lil_pressure {
    lil_motion *motion; /* borrowed */
    const double *end;  /* of contacts; NULL: the trajectory has none */
    lil_contact_parts parts;
    int *body; /* of each part; -1: it is no body */
    lil_contacts contacts;
    double *q, *force, *area;
    double *rows[2]; /* Pa, of all vertices, at two frames */
    int64_t frames[2];
} lil_pressure;

/* In the motion's arena. */
lil_status lil_pressure_open(lil_motion *motion, lil_pressure *pressure);
/* Of every vertex of q at a time, Pa: as it is at a frame's own time, straight from frame to frame in between.
 * Each contact pushes the corners of the triangle that is nearest to it, by their shares of the point; a vertex is
 * pushed by |f| over its share of the surface as seen along f. The pressure, integrated over what of the surface
 * faces it, is then the force. */
lil_status lil_pressure_at(lil_pressure *pressure, double t, double *values);

#endif
