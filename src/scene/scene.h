/* A scene file and its overrides. */
#ifndef LIL_SCENE_SCENE_H
#define LIL_SCENE_SCENE_H

#include "scene/node.h"

enum { LIL_SETS_MAX = 256 };

struct lil_scene {
    lil_context *ctx;
    lil_arena arena;
    const char *file;
    const char *text;
    size_t size;
    const lil_node *root;
    const lil_node *sets[LIL_SETS_MAX]; /* maps to be merged in, in order */
    const char *set_texts[LIL_SETS_MAX];
    int set_count;
};

/* The scene with one variant (NULL: none) and all overrides applied, without its `variants`; in the arena given. */
lil_status lil_scene_effective(const lil_scene *scene, lil_context *ctx, lil_arena *arena, const char *variant,
                               const lil_node **root);

#endif
