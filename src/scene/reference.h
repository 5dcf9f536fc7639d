/* The keys of a scene as a table: what may stand in one, the reference page and the JSON Schema all come from it. */
#ifndef LIL_SCENE_REFERENCE_H
#define LIL_SCENE_REFERENCE_H

#include "core/context.h"

typedef struct lil_key {
    const char *name;
    bool required;
    const char *doc;         /* one sentence */
    const char *more;        /* Markdown: rules and an example; "" where the table of fields says it all */
    const lil_field *fields; /* of the map that it is; NULL: it is no such map */
    const char *also;   /* a member of the map that is no field, with its schema: "\"monitor\": {...}"; NULL: none */
    const char *schema; /* JSON Schema of anything else */
} lil_key;

/* Ended by a key without a name. */
const lil_key *lil_scene_keys(void);

#endif
