/* Arrays that come from outside: checked, and copied. */
#ifndef LIL_MESH_ARRAYS_H
#define LIL_MESH_ARRAYS_H

#include "mesh/make/arrangement.h"
#include "mesh/surface.h"

/* Numbers that are finite, indices that exist: `each` to a tet, a triangle, a link ... of `name`. */
lil_status lil_check_numbers(lil_context *ctx, const char *name, const char *what, const double *x, int count);
lil_status lil_check_indices(lil_context *ctx, const char *name, const char *what, const int *at, int each, int count,
                             int vertices);
/* `to`: the address of a pointer, which gets a copy in the arena. */
lil_status lil_copy_array(lil_context *ctx, lil_arena *arena, const void *from, size_t count, size_t size, void *to);

/* Triangles as a surface of the part with this name, checked; `member` is the name of x in messages. */
lil_status lil_surface_of_triangles(lil_context *ctx, lil_arena *arena, const char *name, const char *member,
                                    const double *x, int vertices, const int (*triangles)[3], int count,
                                    lil_surface *surface);

lil_status lil_mesh_copy(lil_context *ctx, lil_arena *arena, const lil_mesh *from, lil_mesh *to);
lil_status lil_surface_copy(lil_context *ctx, lil_arena *arena, const lil_surface *from, lil_surface *to);
lil_status lil_edges_copy(lil_context *ctx, lil_arena *arena, const lil_edges *from, lil_edges *to);

#endif
