/* The script that sets exported bodies up in Blender. */
#ifndef LIL_RECORD_EXPORT_BLENDER_H
#define LIL_RECORD_EXPORT_BLENDER_H

#include <stdint.h>
#include <stdio.h>

typedef struct lil_blender_def {
    const char *name;           /* of the scene */
    const char *const *names;   /* of the bodies, */
    const char *const *files;   /* and of their files without .obj and .mdd */
    const double *const *looks; /* red, green, blue, opacity, roughness of each; NaN: not given */
    int body_count;
    char up; /* y or z */
    double fps;
    int64_t frames;
    double low[3], high[3]; /* of everything at all frames */
} lil_blender_def;

void lil_blender_script(FILE *file, const lil_blender_def *def);

#endif
