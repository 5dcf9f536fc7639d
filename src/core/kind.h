/* Tables of the user's, which begin with their size: taken over into the context. */
#ifndef LIL_CORE_KIND_H
#define LIL_CORE_KIND_H

#include "core/arena.h"
#include "core/context.h"

/* The registered kinds. */
typedef enum lil_kind_of { LIL_KIND_MATERIAL, LIL_KIND_TERM, LIL_KIND_CONSTRAINT, LIL_KINDS } lil_kind_of;

/* A table of `known` bytes from one that says it has kind->size. A table of an older header is shorter, not below
 * `least`: what it lacks is 0. One of a newer header is longer: its unknown members must be 0. `what`: "material"
 * ... */
lil_status lil_kind_take(lil_context *ctx, const char *what, const void *kind, size_t least, size_t known, void *to);

/* Keeps a table that lives as long as the context; its name must be new. */
lil_status lil_kind_register(lil_context *ctx, lil_kind_of of, const char *name, const void *table);
const void *lil_kind_find(const lil_context *ctx, lil_kind_of of, const char *name); /* NULL: none */
int lil_kind_count(const lil_context *ctx, lil_kind_of of);
const void *lil_kind_at(const lil_context *ctx, lil_kind_of of, int i, const char **name);

/* "unknown term 'sprnig' (did you mean 'spring'?)" */
lil_status lil_kind_fail_unknown(lil_context *ctx, lil_kind_of of, const char *name);

/* How many coordinates, and which claims, a term or a constraint may have. */
lil_status lil_kind_check(lil_context *ctx, const char *what, const char *name, int coordinates, unsigned holds,
                          unsigned allowed);

/* Elements of a term or members of a constraint, as the user lists them. */
typedef struct lil_kind_use {
    const char *what; /* for sentences */
    int coordinates;  /* of each */
    size_t data_size; /* of each */
    int count;
    const int *at;
    const void *data;
} lil_kind_use;

/* Indices that are out of range or come twice in one element, data that are missing. */
lil_status lil_kind_use_check(lil_context *ctx, int n, const lil_kind_use *use);
lil_status lil_kind_use_copy(lil_context *ctx, lil_arena *arena, const lil_kind_use *use, const int **at,
                             const char **data);

#endif
