/* A scene as a tree: scalars, lists and maps, each with its location. */
#ifndef LIL_SCENE_NODE_H
#define LIL_SCENE_NODE_H

#include "core/arena.h"
#include "core/context.h"
#include "expr/source.h"

/* Stands where a file's name does in messages about overrides, before their text. */
#define LIL_OVERRIDE "override "

typedef enum lil_node_kind { LIL_NODE_SCALAR, LIL_NODE_LIST, LIL_NODE_MAP } lil_node_kind;

typedef struct lil_node {
    lil_node_kind kind;
    const char *text;     /* of a scalar */
    const char *file;     /* a path, or the --set it comes from */
    int line, column;     /* from 1 */
    bool quoted, in_flow; /* a scalar in quotes; inside { } or [ ] */
    bool single_line;
    const char *key; /* of a member of a map */
    int key_line, key_column;
    struct lil_node *first, *next; /* children */
    int count;
} lil_node;

/* Reads YAML (JSON is YAML). One document, no aliases, no duplicate keys. */
lil_status lil_yaml_parse(lil_context *ctx, lil_arena *arena, const char *file, const char *text, size_t size,
                          lil_node **root);

const lil_node *lil_node_get(const lil_node *map, const char *key); /* NULL: not there */

/* `base` with the members of `over` in place of its own, maps merged key by key. An integrator that names its
 * method, a shape that names its type and a selection of vertices are new choices and replace the old one whole.
 * Neither is changed. NULL: no memory. */
lil_node *lil_node_merge(lil_arena *arena, const lil_node *base, const lil_node *over);

/* A map with one member at the end of a dotted path. NULL: no memory. */
lil_node *lil_node_at_path(lil_arena *arena, const char *path, const lil_node *value);

/* "file:line:column: " and the sentence. */
lil_status lil_node_fail(lil_context *ctx, const lil_node *node, lil_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, pointing at the member's key. */
lil_status lil_node_fail_key(lil_context *ctx, const lil_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Every key of the map is one of `keys` (ended by NULL). */
lil_status lil_node_check_keys(lil_context *ctx, const lil_node *map, const char *const *keys, const char *in);
lil_status lil_node_expect(lil_context *ctx, const lil_node *node, lil_node_kind kind, const char *what);

/* A scalar as an expression. */
lil_source lil_node_source(const lil_node *node, const char *what);

#endif
