/*
 * A kind of map in a scene is one const table: which keys it may have, of which type, with which default. What is
 * checked, the reference page and the JSON Schema come from it. Values that fit into a struct are fields (lilyan.h);
 * other keys say their type, and the reader of the map looks for them.
 */
#ifndef LIL_SCENE_TABLE_H
#define LIL_SCENE_TABLE_H

#include "core/field.h"
#include "core/text.h"
#include "scene/read.h"

/*
 * A type is a text:
 *     number, numbers     an expression; one or a list of them
 *     vector, texts       three numbers, three expressions of the place or of the time
 *     text, whole, flag, map    a string; a whole number; true or false; any map
 *     'rest'              this word
 *     NAME                what lil_definitions calls so
 *     [x]  [x; 3]  [x; 2+]  [x, y]     a list: of any length, of 3, of at least 2, of an x and a y
 *     {x}  {1 x}          a map of names to x, with at least one
 *     x+                  one x or a list of them
 *     x | y               one of these
 */
typedef struct lil_key {
    const char *name;
    const char *type;
    const struct lil_mapping *map; /* a map of its own in place of a type; NULL: none */
    const char *doc;               /* one sentence; "" where the key is explained with the map that has it */
    const char
        *only; /* NULL: always. Where one of several is chosen: "+". Where none is: "-". Or the name of the choice.
                         "?": the choice itself */
    enum { LIL_OPTIONAL, LIL_REQUIRED, LIL_REQUIRED_ALONE } required; /* the last: where nothing is chosen */
} lil_key;

#define LIL_KEY(name_, type_, doc_) .name = name_, .type = type_, .doc = doc_

/* One of several, with fields of its own: a method, a shape. */
typedef struct lil_variant {
    const char *name, *doc;
    const char *formula, *note, *source; /* NULL: none */
    const lil_field *fields;
    int field_count;
    bool bare;   /* its name may replace a map */
    bool listed; /* the page explains it */
} lil_variant;

typedef struct lil_mapping {
    const char *in;      /* how sentences call such a map: "a spring" */
    const char *named;   /* of one that has a name of its own: "the body"; NULL: it has none */
    const lil_key *keys; /* ended by one without a name; NULL: none */
    const lil_field *fields;
    int field_count;
    bool partial;        /* fields without a default may be left out */
    const char *brief;   /* the field or key that a value in place of the map sets; NULL: none */
    const char *one_of;  /* "mesh surface shape": exactly one of these */
    const char *any_of;  /* at least one */
    const char *exclude; /* "position stretch, position twist": not both */
    const char *choice;  /* the key that names a variant; NULL: there are none */
    bool chosen;         /* `choice` is required */
    bool (*variant)(const lil_context *ctx, int index, lil_variant *variant); /* false: there are no more */
} lil_mapping;

/* The targets of type names: a type, a table, or a function that writes its own schema. */
typedef struct lil_definition {
    const char *name;
    const char *type;
    const lil_mapping *table;
    void (*schema)(lil_text *text);
} lil_definition;

extern const lil_definition lil_definitions[]; /* ended by one without a name */

/* The readers. The second handles, loads and springs are those of particles. */
extern const lil_mapping lil_scene_table, lil_time_table, lil_integrator_table, lil_solver_table, lil_record_table,
    lil_adaptive_table, lil_body_table, lil_place_table, lil_rotation_table, lil_shape_table, lil_formula_table,
    lil_refine_table, lil_materials_table, lil_damping_table, lil_select_table, lil_sphere_table, lil_plane_table,
    lil_follow_table, lil_handle_tables[2], lil_pin_tables[2], lil_load_tables[2], lil_spring_tables[2],
    lil_end_table, lil_body_start_table, lil_particles_table, lil_link_table, lil_strands_table, lil_roots_table,
    lil_curl_table, lil_contact_table, lil_meeting_table, lil_quantity_table, lil_draw_table, lil_phase_loop_table,
    lil_key_table, lil_placing_table, lil_point_table, lil_frame_table, lil_shot_table;

/* ---- reading ---- */

/* Every key of the map is one of the table's or of `own` (NULL: none), and those that are required are there. */
lil_status lil_table_check(const lil_reader *rd, const lil_node *map, const lil_mapping *table,
                           const lil_variant *own);

/* The table's defaults and what the map says, into a struct. Without a map (NULL) the defaults alone. */
lil_status lil_read_table(const lil_reader *rd, const lil_node *map, const lil_mapping *table, void *config);

/* Those members of a map that are fields, into a configuration struct that holds its defaults. */
lil_status lil_read_known_fields(const lil_reader *rd, const lil_node *map, const lil_field *fields, int count,
                                 void *config);

/* The variant that a value, or the `choice` of a map, names; without a node the one called `preset`. */
lil_status lil_read_variant(const lil_reader *rd, const lil_node *node, const lil_mapping *table, const char *preset,
                            lil_variant *variant);
/* Its fields, which have their defaults, from a map that has no others but the table's. */
lil_status lil_read_own_fields(const lil_reader *rd, const lil_node *map, const lil_mapping *table,
                               const lil_variant *own, void *config);

/* A list of maps, or one map alone: the first (NULL node: none), and the next. */
const lil_node *lil_first_of(const lil_node *node);
const lil_node *lil_next_of(const lil_node *list, const lil_node *node);

/* ---- writing ---- */

void lil_schema_table(lil_text *text, const lil_context *ctx, const lil_mapping *table);
void lil_schema_type(lil_text *text, const char *type);

#endif
