/* Stress in the tets of a recorded body, for exports and pages. */
#ifndef LIL_RECORD_FILE_TET_STRESS_H
#define LIL_RECORD_FILE_TET_STRESS_H

#include "record/file/file_tables.h"
#include "terms/tets.h"

typedef struct lil_tet_stress {
    lil_tets
        *parts[2]; /* as in the world: what acts at the points of tets, and lil_tets_create_bulk (NULL: nothing) */
} lil_tet_stress;

lil_status lil_tet_stress_create(lil_context *ctx, lil_arena *arena, const lil_recorded_body *body,
                                 lil_tet_stress *stress);

/* The means over tet e with the body's vertices at x: Cauchy's stress, w, det F; returns V. */
double lil_tet_stress_mean(const lil_tet_stress *stress, const double *x, int e, double s[6], double *w, double *J);
/* F and Cauchy's stress at node a of 4 or 10 of tet e. */
void lil_tet_stress_at(const lil_tet_stress *stress, const double *x, int e, int a, double F[9], double s[6]);

#endif
