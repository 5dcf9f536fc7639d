/* Polygons in space, cut into triangles. */
#ifndef LIL_MESH_READ_TRIANGULATE_H
#define LIL_MESH_READ_TRIANGULATE_H

/* The corners (3 or more, indices of `x`) as count - 2 triangles of the same sense. `left` has room for `count`. */
void lil_triangulate(const double *x, const int *corners, int count, int *left, int (*triangles)[3]);

#endif
