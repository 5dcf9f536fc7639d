/* What `lilyan drop` makes of a surface: its size, its tets, its scene. */
#ifndef LILYAN_CLI_DROP_H
#define LILYAN_CLI_DROP_H

#include "cli.h"

#include <stdio.h>

typedef struct drop_plan {
    const char *mesh; /* its file */
    const char *material, *onto;
    char up;
    lil_surface_measures measures; /* in units of the file */
    double extent;                 /* the largest side of its box, in units of the file */
    double size;                   /* the same in the scene, m */
    const char *units;             /* what that takes the file's units for */
    int vertices;                  /* of the tets */
    double edge;                   /* about as long as theirs, m */
    double thinnest;               /* m; NaN: it encloses nothing */
    double thickness;              /* m; 0: the inside is filled */
} drop_plan;

/* Reads the file, fills it with tets to see how many there are, and chooses. */
lil_status drop_choose(lil_context *ctx, drop_plan *plan);
/* What was read, assumed and chosen. */
void drop_describe(const drop_plan *plan);

extern const char *const drop_places[]; /* NULL ends them */

/* The scene as text, to be freed; surface: how it names the file. stem: of the files beside it. NULL: no memory.
 * `line`: where the material is, from 1. */
char *drop_scene(const drop_plan *plan, const char *surface, const char *stem, int *line);
/* A name as a shell reads it. */
void drop_quote(FILE *file, const char *name);

#endif
