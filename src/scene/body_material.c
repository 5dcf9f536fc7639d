/* material and damping. */
#include "scene/bodies.h"

/* Materials, then presets, which have the fields of theirs. */
static bool material_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    int own = lil_material_count();
    if (i >= own + lil_material_preset_count())
        return false;
    const lil_material_preset *preset = i < own ? NULL : lil_material_preset_at(i - own);
    const lil_material_table *m = preset ? lil_material_find(preset->table) : lil_material_at(i);
    static const char *const notes[] = { "Not objective; needs det F > 0.", "Objective; needs det F > 0.",
                                         "Not objective; also defined for det F <= 0.",
                                         "Objective; also defined for det F <= 0." };
    *v = (lil_variant){
        .name = preset ? preset->name : m->name,
        .doc = m->doc,
        .formula = m->formula,
        .note = notes[(m->holds & LIL_MATERIAL_OBJECTIVE ? 1 : 0) + (m->holds & LIL_MATERIAL_INVERTS ? 2 : 0)],
        .source = m->citation,
        .fields = m->fields,
        .field_count = m->field_count,
        .bare = preset,
        .listed = !preset,
    };
    return true;
}

const lil_mapping lil_materials_table = { .in = "material",
                                          LIL_FIELDS(lil_material_fields),
                                          .partial = true,
                                          .brief = "model",
                                          .choice = "model",
                                          .variant = material_at };

const lil_mapping lil_damping_table = { .in = "damping", LIL_FIELDS(lil_damping_fields), .brief = "kD" };

/* ---- material ---- */

static lil_status read_material(const lil_reader *rd, const lil_node *node, lil_world *w, lil_material *material)
{
    bool map = node->kind == LIL_NODE_MAP;
    const lil_node *model = map ? lil_node_get(node, "model") : node;
    const lil_material_table *table;
    lil_material_def def = { 0 };
    if (model)
        LIL_TRY(lil_node_expect(rd->ctx, model, LIL_NODE_SCALAR, "material"));
    LIL_TRY(lil_read_blame(rd, node, w, lil_world_find_material(w, model ? model->text : NULL, &table)));
    void *config = lil_arena_alloc(rd->arena, 1, table->config_size);
    LIL_HAVE(rd->ctx, config);
    lil_fields_default(lil_material_fields, LIL_MATERIAL_FIELDS, &def);
    lil_fields_default(table->fields, table->field_count, config);
    lil_material_own(table, config);
    const lil_variant own = { .name = table->name, .fields = table->fields, .field_count = table->field_count };
    if (map) {
        LIL_TRY(lil_read_own_fields(rd, node, &lil_materials_table, &own, config));
        LIL_TRY(lil_read_known_fields(rd, node, lil_material_fields, LIL_MATERIAL_FIELDS, &def));
    }
    def.name = model ? model->text : NULL;
    return lil_read_blame(rd, node, w, lil_world_material(w, &def, config, material));
}

lil_status lil_read_body_material(const lil_reader *rd, lil_world *w, lil_body *body)
{
    const lil_node *node = lil_node_get(body->node, "material");
    LIL_TRY(read_material(rd, node, w, &body->material));
    return lil_read_table(rd, lil_node_get(body->node, "damping"), &lil_damping_table, &body->damping);
}
