/* What `lilyan drop` makes of a surface: its size, its tets, its scene. */
#ifndef LILYAN_CLI_DROP_H
#define LILYAN_CLI_DROP_H

#include "cli.h"

#include <stdio.h>
#include <sys/types.h>

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
/* Of a path, behind its last slash. */
const char *drop_last_part(const char *path);
/* The bytes of the character that text begins with; 0 if a line of a scene cannot have it: it is no UTF-8, a control
 * character, or ends lines. */
size_t drop_character(const char *text);
/* A name as a shell reads it. */
void drop_quote(FILE *file, const char *name);

/* A page that was opened. */
typedef struct drop_opened {
    const char *page; /* borrowed */
    char *way;        /* a file that leads to it, or NULL */
    pid_t child;      /* 0: none, or it has ended */
    double since;
} drop_opened;

/* A file; or an address, by a file beside the others. False, here and below: one sentence was printed. */
bool drop_open(drop_opened *opened, const char *page);
bool drop_open_address(drop_opened *opened, const char *address, const char *stem);
/* Not if the program that opens it has failed. Waits a moment for that. */
bool drop_is_open(drop_opened *opened);
void drop_open_end(drop_opened *opened);

#endif
