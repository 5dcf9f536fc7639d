/* Defs of <lilyan/world.h> are checked and copied where their noun is; this is what these places share. */
#ifndef LIL_WORLD_DEF_H
#define LIL_WORLD_DEF_H

#include "expr/texts.h"
#include "mesh/arrays.h"
#include "world/world.h"

/* A member of a def, in functions that have no public name. */
#define LIL_WORLD_NEED(w, member, name)                                                                              \
    do {                                                                                                             \
        if (!(member))                                                                                               \
            return lil_fail((w)->ctx, LIL_ERR_ARGUMENT, "'%s' is NULL", name);                                       \
    } while (0)

/* A name that expressions can use; `what` it names. */
lil_status lil_world_copy_name(lil_world *world, const char *what, const char *name, const char **out);
/* A callback or three expressions as a program with the inputs and outputs that `texts` says: `what` of `owner`. */
lil_status lil_world_program(lil_world *world, const char *owner, const char *what, const lil_vector_def *def,
                             const lil_texts_def *texts, lil_program *program);

#endif
