/* The keys of a scene as a table: what may stand in one, the reference page and the JSON Schema all come from it. */
#ifndef LIL_SCENE_REFERENCE_H
#define LIL_SCENE_REFERENCE_H

#include "core/text.h"
#include "scene/node.h"

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
const lil_key *lil_body_keys(void);
const lil_key *lil_particle_keys(void);
const lil_key *lil_strand_keys(void); /* beside lil_strand_fields */

/* Every key of the map is one of these. */
lil_status lil_keys_check(lil_context *ctx, const lil_node *map, const lil_key *keys, const char *in);

/* ---- what pages and schemas are made of ---- */

/* a number, or a text that is an expression */
#define LIL_SCHEMA_NUMBER "{\"type\": [\"number\", \"string\"]}"
#define LIL_SCHEMA_NUMBERS                                                                                           \
    "{\"anyOf\": [" LIL_SCHEMA_NUMBER ", {\"type\": \"array\", \"items\": " LIL_SCHEMA_NUMBER "}]}"

/* A table of fields; `missing` stands where one has no default. */
void lil_reference_fields(lil_text *text, const lil_field *fields, int count, const char *missing);
void lil_reference_bodies(lil_text *text);
void lil_reference_particles(lil_text *text);
void lil_reference_strands(lil_text *text);
void lil_reference_constraints(lil_text *text); /* of points */
extern const char lil_reference_keys[], lil_schema_keys[];

/* A map with fields and a member that is one of some names. */
typedef struct lil_schema_def {
    const lil_field *fields, *more;
    int count, more_count;
    const char *choice; /* the member's key; NULL: none */
    const char *const *names;
    int name_count;
    const char *also;     /* other members with their schemas; NULL: none */
    const char *required; /* "\"from\", \"to\""; NULL or "": none */
} lil_schema_def;

void lil_schema_map(lil_text *text, const lil_schema_def *def);
void lil_schema_bodies(lil_text *text);
void lil_schema_particles(lil_text *text);
void lil_schema_strands(lil_text *text);
void lil_schema_constraints(lil_text *text);
void lil_schema_definitions(lil_text *text);

#endif
