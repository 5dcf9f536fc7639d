/* Reading values of a scene: numbers are expressions over the parameters, options go through field tables. */
#ifndef LIL_SCENE_READ_H
#define LIL_SCENE_READ_H

#include "expr/scope.h"
#include "scene/node.h"

struct lil_settings;

typedef struct lil_reader {
    lil_context *ctx;
    lil_arena *arena;
    lil_scope scope;         /* the parameters */
    char up;                 /* y or z */
    const char *const *live; /* names of parameters that may change while it runs */
    int live_count;
    const struct lil_settings *settings; /* integrator, solver, time; once they are read */
    bool timeless;                       /* it is not simulated: `time` may be missing */
} lil_reader;

/* One number, or a list of them: "1/w", [1, 0, 2*pi], list(i, 1, n, i^2). */
lil_status lil_read_numbers(const lil_reader *rd, const lil_node *node, const char *what, bool scalar, double **x,
                            int *count);

/* Three numbers; NULL node: x stays as it is. */
lil_status lil_read_vector(const lil_reader *rd, const lil_node *node, const char *what, double x[3]);
/* The member of a map that must be there. */
lil_status lil_read_member(const lil_reader *rd, const lil_node *map, const char *key, const lil_node **node);

/* After a failure whose sentence does not say where: puts "file:line:column: " before it. */
lil_status lil_read_fail_at(const lil_reader *rd, const lil_node *node, lil_status status);

/* Expressions inside { } that were torn at a comma end too early: says so after the message. */
lil_status lil_read_hint(lil_context *ctx, const lil_node *node, lil_status status);
bool lil_read_torn(const lil_node *node);

#endif
