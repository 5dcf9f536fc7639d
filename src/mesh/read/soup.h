/* Filled by the readers of surfaces: vertices and polygons in the order of the file. */
#ifndef LIL_MESH_READ_SOUP_H
#define LIL_MESH_READ_SOUP_H

#include "mesh/read/scan.h"
#include "mesh/surface.h"

/* Scratch that grows as the file is read; freed by lil_soup_end. */
typedef struct lil_soup {
    lil_context *ctx;
    double *x; /* 3 per vertex */
    size_t vertex_count, x_room;
    int *corners; /* of all polygons, one after the other */
    size_t corner_count, corner_room;
    size_t *first; /* of the corners of each polygon */
    int *line;     /* where it stands */
    size_t face_count, first_room, line_room;
    char **names; /* of groups, in the order of the file */
    size_t name_count, name_room;
    int *current; /* numbers of the groups that the next faces are in */
    size_t current_count, current_room;
    struct lil_membership {
        int group, face;
    } * members; /* by face */
    size_t member_count, member_room;
} lil_soup;

void lil_soup_end(lil_soup *p);

/* Is the coordinate a number that a body can have? */
lil_status lil_soup_check(const lil_scan *s, double x);
lil_status lil_soup_vertex(lil_soup *p, const lil_scan *s, const double x[3]);
/* The polygons that follow are in no group; in this one too. */
void lil_soup_leave_groups(lil_soup *p);
lil_status lil_soup_enter_group(lil_soup *p, const char *name);
/* A polygon takes the corners that come after it. One with fewer than three is forgotten when the next begins. */
lil_status lil_soup_face(lil_soup *p, const lil_scan *s);
lil_status lil_soup_corner(lil_soup *p, const lil_scan *s, int64_t vertex);

/* Looks every corner up, joins equal vertices if asked, cuts the polygons up. */
lil_status lil_soup_finish(lil_soup *p, lil_arena *arena, const char *name, bool join, lil_surface *surface);

/* Reads the whole of `s` into `p`. */
typedef lil_status lil_surface_reader(lil_scan *s, lil_soup *p);
lil_surface_reader lil_read_obj, lil_read_stl, lil_read_ply;

#endif
