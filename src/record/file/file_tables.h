/*
 * The constant data of bodies, particles, obstacles and a world in a trajectory file. Each kind has one list of
 * tables, by which it is written (world_tables.c) and read (motion.c).
 */
#ifndef LIL_RECORD_FILE_FILE_TABLES_H
#define LIL_RECORD_FILE_FILE_TABLES_H

#include "materials/material.h"
#include "math/carried.h"
#include "mesh/quadratic.h"
#include "record/file/trajectory.h"

/* The surface that a body was made of, whose vertices ride in its tets (mesh/fill/embedding.h). */
typedef struct lil_recorded_surface {
    int vertex_count, face_count; /* 0: it was made of tets */
    const double *rest;           /* 3 per vertex */
    const int *first, *corners; /* the corners of face i, any polygon, begin at first[i]; they end at first[i + 1] */
    int corner_count, triangle_count;
    const int (*triangles)[3]; /* the faces cut up, as they touch */
    const int *tet;            /* a part of the body's tets */
    const double (*weights)[3];
    lil_carried outside; /* w_k of vertices outside of all tets, over the body's own; count 0: the file has none */
    int outside_count;   /* of all w_k */
    /* of a shot whose keys are poses of the surface: the weights at these keys, all vertices' of one after the
     * other's */
    int key_count, key_weight_count;
    const double *key_times, (*key_weights)[3];
} lil_recorded_surface;

/* red, green, blue (sRGB, 0 to 1), opacity, roughness of a part; NaN: not given. */
enum { LIL_RECORDED_LOOK = 5 };

typedef struct lil_recorded_body {
    const char *name;
    double look[LIL_RECORDED_LOOK];
    int first; /* its first vertex among those of q */
    int vertex_count, tet_count, face_count;
    int part_count;     /* lil_tet_parts: linear tets that fill it, in which its surface is embedded */
    const double *rest; /* 3 per vertex */
    const int (*tets)[4];
    const int (*mids)[6];  /* of quadratic tets; NULL: they are linear */
    const int (*faces)[3]; /* counter-clockwise seen from outside */
    lil_material material;
    double moduli[3]; /* mu, kappa, density */
    int option_count;
    const double *options; /* the material's own fields */
    lil_recorded_surface surface;
} lil_recorded_body;

typedef struct lil_recorded_particles {
    const char *name;
    double look[LIL_RECORDED_LOOK];
    int first, count; /* among the vertices of q */
    const double *mass;
    double radius;
    const int *roots; /* vertices of q: what begins there grows out of something */
    int root_count;
    int grow_count;
    const int (*grows)[2]; /* such a vertex, and the part of /contacts/names that it grows out of */
    int touching_count;
    const int (*touching)
        [3]; /* their colliding elements: triangles, links (the third is -1), points; 0: the file is older */
    const double *rest; /* 3 a particle; NULL: the file is older */
} lil_recorded_particles;

enum { LIL_OBSTACLE_NUMBERS = 20 };

typedef struct lil_recorded_obstacle {
    const char *name;
    double look[LIL_RECORDED_LOOK];
    double shape[LIL_OBSTACLE_NUMBERS]; /* as recorder.h says */
    const lil_track *place;             /* NULL: it stays */
    const lil_track *turn;              /* quaternions; NULL: it does not turn */
    const lil_track *points;            /* all vertices of a mesh; NULL: it does not deform */
    int vertex_count, face_count;       /* of a mesh */
    const double *x;
    const int (*faces)[3];
} lil_recorded_obstacle;

typedef struct lil_recorded_world {
    int spring_count, rod_count, still_count, driven_count, let_go_count, ignored_count;
    const int (*springs)[2], (*rods)[2]; /* vertices of q; of springs, of rigid links */
    const int *still;                    /* vertices that never move */
    const int *driven;                   /* vertices that handles move */
    const int *let_go;                   /* vertices whose pins let go, */
    const double *until;                 /*   and when, s */
    const int (*ignored)[2];             /* parts of /contacts/names that pass each other */
} lil_recorded_world;

/* A table of the file, and its place in one of the structs above. */
typedef struct lil_file_table {
    const char *path; /* "bodies/%/rest": the name of the body replaces % */
    bool whole;       /* ints; else doubles */
    bool needed;      /* a file without it is damaged */
    int width;        /* 0: one row, as wide as the count */
    size_t data;      /* offset of the pointer to the rows, */
    size_t count;     /*   and of their count; LIL_ONE_ROW: the row itself is in the struct */
    int more;         /* rows beyond the count */
    size_t
        below; /* offset of a count that all numbers are below, from 0 on; 0: any number; LIL_VERTICES: those of q */
} lil_file_table;

#define LIL_ONE_ROW SIZE_MAX
#define LIL_VERTICES SIZE_MAX

typedef struct lil_file_list {
    int count;
    const lil_file_table *tables;
} lil_file_list;

extern const lil_file_list lil_body_tables, lil_surface_tables; /* of a lil_recorded_body */
extern const lil_file_list lil_particle_tables, lil_obstacle_tables, lil_world_tables;
extern const lil_file_list lil_look_tables; /* of the `look` of a part */

/* The vertices of a part of a body. */
static inline const int *lil_recorded_part(const lil_recorded_body *body, int part, int room[4])
{
    return lil_tet_part(body->tets, body->mids, part, room);
}

/* Adds the tables that the struct has: those with a pointer and with rows. They borrow its data and its rows. */
lil_status lil_file_tables_list(lil_context *ctx, lil_arena *arena, const lil_file_list *list, const char *name,
                                const void *from, lil_table *tables, int *count);
/* Fills the struct. Counts that two tables share must agree. The sentence about a damaged file names the table. */
lil_status lil_file_tables_read(lil_trajectory *trajectory, lil_arena *arena, const lil_file_list *list,
                                const char *name, void *to);

lil_status lil_trajectory_damaged(const lil_trajectory *trajectory, const char *what);

#endif
