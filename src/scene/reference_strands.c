/* The keys of strands, and what the page and the schema say about them. */
#include "scene/bodies.h"
#include "scene/reference.h"

#define REF(name) "{\"$ref\": \"#/definitions/" name "\"}"

/* Beside lil_strand_fields. */
static const lil_key keys[] = {
    { .name = "roots",
      .required = true,
      .doc = "where strands begin: a list of points, or a map of what they are spread over",
      .more = "",
      .schema = NULL },
    { .name = "direction",
      .doc = "of a list of roots: which way strands leave (default [0, 0, -1])",
      .more = "",
      .schema = REF("vector") },
    { .name = "curl", .doc = "the helix that they are by nature, a map (default: they are straight)", .more = "" },
    { .name = "drag",
      .doc = "force of the air on each particle, -drag (v - wind), kg/s (default 0)",
      .more = "",
      .schema = REF("number") },
    { .name = "wind",
      .doc = "velocity of the air, m/s: three expressions of `t` and the place `x`, `y`, `z` (default 0)",
      .more = "",
      .schema = REF("texts") },
    { .name = "groups",
      .doc = "names for selections, as of particles",
      .more = "",
      .schema = "{\"type\": \"object\", \"additionalProperties\": " REF("particle_selection") "}" },
    { .name = "handles",
      .doc = "those that move as they are told, as of particles: with `select: roots` a head turns",
      .more = "",
      .schema =
          "{\"anyOf\": [" REF("particle_handle") ", {\"type\": \"array\", \"items\": " REF("particle_handle") "}]}" },
    { 0 },
};

const lil_key *lil_strand_keys(void)
{
    return keys;
}

void lil_reference_strands(lil_text *text)
{
    lil_text_add(text, "\n| key of strands | | |\n|---|---|---|\n");
    for (const lil_key *k = keys; k->name; k++)
        lil_text_add(text, "| `%s` | %s | %s |\n", k->name, k->required ? "required" : "", k->doc);
    lil_text_add(text, "\n");
    lil_reference_fields(text, lil_strand_fields, lil_strand_field_count, "required");
    lil_text_add(text, "\n### roots of strands\n\nWhat they are spread over, evenly.\n\n");
    lil_reference_fields(text, lil_root_fields, lil_root_field_count, "required");
    lil_text_add(text, "\n### curl of strands\n\nA helix, right-handed. Where gravity acts it starts drawn out along "
                       "the line in which a straight\nstrand would hang.\n\n");
    lil_reference_fields(text, lil_curl_fields, lil_curl_field_count, "required");
}

void lil_schema_strands(lil_text *text)
{
    lil_text also = { 0 };
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(&also, "%s\"%s\": ", k == keys ? "" : ", ", k->name);
        if (k->schema) {
            lil_text_add(&also, "%s", k->schema);
        } else if (k == keys) { /* roots */
            lil_text_add(&also, "{\"anyOf\": [{\"type\": \"array\", \"items\": " REF("vector") "}, ");
            lil_schema_map(&also, &(lil_schema_def){ .fields = lil_root_fields, .count = lil_root_field_count });
            lil_text_add(&also, "]}");
        } else {
            lil_schema_map(&also, &(lil_schema_def){ .fields = lil_curl_fields, .count = lil_curl_field_count });
        }
    }
    text->failed = text->failed || also.failed;
    lil_text_add(text, "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": ");
    lil_schema_map(text, &(lil_schema_def){ .fields = lil_strand_fields,
                                            .count = lil_strand_field_count,
                                            .also = also.data,
                                            .required = "\"roots\"" });
    lil_text_add(text, "}");
    lil_text_free(&also);
}
