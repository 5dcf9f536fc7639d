/* Obstacles as a file has them, at a time: where they are, how they are turned, and the triangles of boxes and
 * meshes. */
#ifndef LIL_RECORD_FILE_RECORDED_OBSTACLES_H
#define LIL_RECORD_FILE_RECORDED_OBSTACLES_H

#include "record/file/motion.h"

typedef struct lil_solid_at {
    int kind; /* 0 a plane, 1 a ball, 2 a box, 3 a mesh */
    double point[3], normal[3], radius, half[3], R[9];
} lil_solid_at;

lil_status lil_solid_read(lil_motion *motion, const lil_recorded_obstacle *o, double t, lil_solid_at *solid);

/* Planes and balls have none. */
int lil_solid_point_count(const lil_recorded_obstacle *o);
int lil_solid_face_count(const lil_recorded_obstacle *o);
const int *lil_solid_face(const lil_recorded_obstacle *o, int f);
/* The points of a solid that was read at t, three numbers each. */
lil_status lil_solid_points(lil_motion *motion, const lil_recorded_obstacle *o, const lil_solid_at *solid, double t,
                            double *x);
/* It neither moves nor turns nor deforms. */
bool lil_solid_stays(const lil_recorded_obstacle *o);

#endif
