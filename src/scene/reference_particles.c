/* The keys of particles and the kinds of constraints, and what the page and the schema say about them. */
#include "mesh/arrangement.h"
#include "scene/bodies.h"
#include "scene/constraints.h"
#include "scene/reference.h"

#include <ctype.h>
#include <string.h>

#define REF(name) "{\"$ref\": \"#/definitions/" name "\"}"
#define ONE_OR_MORE(name) "{\"anyOf\": [" REF(name) ", {\"type\": \"array\", \"items\": " REF(name) "}]}"
#define LIST_OF(x) "{\"type\": \"array\", \"items\": " x "}"

/* ---- the keys ---- */

static const lil_key keys[] = {
    { .name = "at",
      .doc = "where it is, [x, y, z], or a list of such for several, m; with a `type`, where its origin is put",
      .more = "",
      .schema = "{\"anyOf\": [" REF("vector") ", " LIST_OF(REF("vector")) "]}" },
    { .name = "type",
      .doc = "how several are arranged: `chain`, `rope`, `grid` or `net`, with its options",
      .more = "" },
    { .name = "rotate",
      .doc = "with a `type`: turns about x, then y, then z, before that, in degrees (default [0, 0, 0])",
      .more = "",
      .schema = REF("vector") },
    { .name = "mass",
      .required = true,
      .doc = "of each particle, kg: one number, or one each",
      .more = "",
      .schema = REF("numbers") },
    { .name = "radius",
      .doc = "how thick particles and their links are, m, for contact by barrier (default 0)",
      .more = "",
      .schema = REF("number") },
    { .name = "velocity",
      .doc = "at the start, m/s: three expressions of the place `x`, `y`, `z`, or three numbers each (default 0)",
      .more = "",
      .schema = "{\"anyOf\": [" REF("texts") ", " LIST_OF(REF("vector")) "]}" },
    { .name = "pairs",
      .doc = "without a `type`: which particles are linked, by number, [[0, 1], [1, 2]]",
      .more = "",
      .schema = LIST_OF(LIST_OF(REF("number"))) },
    { .name = "links",
      .doc = "what links are: `rigid` (the default), `none`, or a map of springs like those of bodies",
      .more = "A rigid link is a constraint of distance; one between two particles that are held is left out.\n\n"
              "```yaml\n"
              "links: {stiffness: 100, damping: 0.01}\n"
              "```\n" },
    { .name = "drag",
      .doc = "force against the motion of each particle through the air, -drag (v - wind), kg/s (default 0)",
      .more = "",
      .schema = REF("number") },
    { .name = "wind",
      .doc = "velocity of the air, m/s: three expressions of `t` and the place `x`, `y`, `z` (default 0)",
      .more = "```yaml\n"
              "drag: 0.02\n"
              "wind: [3 + sin(2*t), 0, 0.1*x]\n"
              "```\n",
      .schema = REF("texts") },
    { .name = "groups",
      .doc = "names for selections, as of bodies; a bare number is that particle",
      .more = "",
      .schema = "{\"type\": \"object\", \"additionalProperties\": " REF("particle_selection") "}" },
    { .name = "fixed", .doc = "those that never move, a selection", .more = "", .schema = REF("particle_selection") },
    { .name = "handles",
      .doc = "those that move as they are told, as of bodies; without `select` all of them",
      .more = "",
      .schema = ONE_OR_MORE("particle_handle") },
    { .name = "loads",
      .doc = "forces from outside, as of bodies; without `select` on all of them together",
      .more = "",
      .schema = ONE_OR_MORE("particle_load") },
    { .name = "springs",
      .doc = "springs to points of space, other particles or bodies, as of bodies; without `from` one from each",
      .more = "```yaml\n"
              "springs: {to: [0, 0, 2], stiffness: 50}\n"
              "```\n",
      .schema = ONE_OR_MORE("particle_spring") },
    { 0 },
};

const lil_key *lil_particle_keys(void)
{
    return keys;
}

/* ---- the page ---- */

static void arrangements_page(lil_text *text)
{
    lil_text_add(text, "\nTheir options stand beside the other keys. Each has the group `all` too.\n");
    for (int i = 0; i < lil_arrangement_count(); i++) {
        const lil_arrangement *a = lil_arrangement_at(i);
        lil_text_add(text, "\n#### %s\n\n%s\n\n", a->name, a->doc);
        lil_reference_fields(text, a->fields, a->field_count, "required");
    }
}

void lil_reference_particles(lil_text *text)
{
    lil_text_add(text, "\n| key of particles | | |\n|---|---|---|\n");
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(text, "| `%s` | %s | %s |\n", k->name, k->required ? "required" : "", k->doc);
    }
    for (const lil_key *k = keys; k->name; k++) {
        bool types = strcmp(k->name, "type") == 0;
        if (!types && !k->more[0])
            continue; /* the table has said it all */
        lil_text_add(text, "\n### %s of particles\n\n%c%s.\n", k->name, toupper((unsigned char)k->doc[0]),
                     k->doc + 1);
        if (types)
            arrangements_page(text);
        if (k->more[0])
            lil_text_add(text, "\n%s", k->more);
    }
}

void lil_reference_constraints(lil_text *text)
{
    const lil_constraint_kind *k;
    lil_text_add(
        text,
        "\nOf particles and bodies a constraint is a map with one of these. A point is the name of a particle "
        "alone, of a\ngroup, or `NAME.3`, particle or vertex 3 of NAME, counted from 0; `NAME.last` is a group of "
        "NAME. Where points\nstay on something, sets of them and lists of such will do; between sets of as many "
        "points, `distance: [left, "
        "right]`,\nit is a constraint for each pair.\n\n"
        "| kind | | |\n|---|---|---|\n");
    for (int i = 0; (k = lil_constraint_kind_at(i)); i++)
        lil_text_add(text, "| `%s` | %s | `%s` |\n", k->name, k->doc, k->example);
}

/* ---- the schema ---- */

/* The members that all particles have, as "\"mass\": {...}, ..."; `left_out` is not among them. */
static void common_schema(lil_text *text, const char *left_out)
{
    bool first = true;
    for (const lil_key *k = keys; k->name; k++) {
        if (strcmp(k->name, left_out) == 0 || strcmp(k->name, "type") == 0)
            continue;
        lil_text_add(text, "%s\"%s\": ", first ? "" : ", ", k->name);
        first = false;
        if (strcmp(k->name, "links") == 0) {
            lil_text_add(text, "{\"anyOf\": [{\"enum\": [\"rigid\", \"none\"]}, ");
            lil_schema_map(text, &(lil_schema_def){ .fields = lil_spring_fields,
                                                    .count = lil_spring_field_count,
                                                    .required = "\"stiffness\"" });
            lil_text_add(text, "]}");
        } else {
            lil_text_add(text, "%s", k->schema);
        }
    }
}

void lil_schema_particles(lil_text *text)
{
    lil_text placed = { 0 }, arranged = { 0 };
    common_schema(&placed, "rotate");
    common_schema(&arranged, "pairs");
    text->failed = text->failed || placed.failed || arranged.failed;
    lil_text_add(text, "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": [");
    lil_schema_map(text, &(lil_schema_def){ .also = placed.data, .required = "\"at\", \"mass\"" });
    for (int i = 0; i < lil_arrangement_count(); i++) {
        const lil_arrangement *a = lil_arrangement_at(i);
        lil_text_add(text, ",\n   ");
        lil_schema_map(text, &(lil_schema_def){ .fields = a->fields,
                                                .count = a->field_count,
                                                .choice = "type",
                                                .names = &a->name,
                                                .name_count = 1,
                                                .also = arranged.data,
                                                .required = "\"type\", \"mass\"" });
    }
    lil_text_add(text, "]}}");
    lil_text_free(&placed);
    lil_text_free(&arranged);
}

void lil_schema_constraints(lil_text *text)
{
    const lil_constraint_kind *k;
    lil_text_add(text, "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [" LIL_SCHEMA_NUMBER);
    for (int i = 0; (k = lil_constraint_kind_at(i)); i++) {
        lil_text_add(text, ",\n   ");
        lil_schema_map(text, &(lil_schema_def){ .also = k->schema, .required = k->required });
    }
    lil_text_add(text, "]}}");
}
