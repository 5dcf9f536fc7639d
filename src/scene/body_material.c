/* material and damping. */
#include "scene/bodies.h"

#include "core/field.h"

#include <math.h>
#include <string.h>

typedef struct common {
    double young, poisson, mu, kappa, density;
} common;

#define FIELD(member, least_, most_, unit_, doc_)                                                                    \
    {                                                                                                                \
        .name = #member, .kind = LIL_REAL, .offset = offsetof(common, member), .preset = NAN, .least = least_,       \
        .most = most_, .unit = unit_, .doc = doc_                                                                    \
    }

const lil_field lil_material_fields[] = {
    FIELD(young, -INFINITY, INFINITY, "Pa", "Young's modulus E; with poisson, or mu and kappa instead"),
    FIELD(poisson, -INFINITY, INFINITY, "", "Poisson's ratio, above -1 and below 0.5"),
    FIELD(mu, -INFINITY, INFINITY, "Pa", "shear modulus"),
    FIELD(kappa, -INFINITY, INFINITY, "Pa", "bulk modulus"),
    FIELD(density, 1e-300, 1e300, "kg/m^3", "density at rest"),
};
const int lil_material_field_count = sizeof lil_material_fields / sizeof lil_material_fields[0];

const lil_field lil_damping_fields[] = {
    { .name = "kD",
      .kind = LIL_REAL,
      .offset = offsetof(lil_damping_def, kD),
      .preset = 0,
      .least = 0,
      .most = 1e12,
      .unit = "s",
      .doc = "the damping: a vibration of frequency omega decays at the rate kD omega^2/2" },
    { .name = "form",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_damping_def, form),
      .choices = lil_damping_names,
      .unit = "",
      .doc =
          "kicks about the step that do what was asked for at any step; a quadratic form in the Lilyan; the paper's "
          "energy in the Lilyan; the paper's explicit force" },
};
const int lil_damping_field_count = sizeof lil_damping_fields / sizeof lil_damping_fields[0];

/* ---- material ---- */

static lil_status fail_unknown(const lil_reader *rd, const lil_node *node)
{
    int presets = lil_material_preset_count(), tables = lil_material_count();
    const char **names = LIL_NEW(rd->arena, const char *, presets + tables);
    char hint[LIL_HINT_MAX];
    if (!names)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < presets + tables; i++)
        names[i] = i < presets ? lil_material_preset_at(i)->name : lil_material_at(i - presets)->name;
    const char *near = lil_nearest(node->text, names, presets + tables, sizeof *names);
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "unknown material '%.60s'%s", node->text,
                         near ? lil_hint(near, hint) : ": see 'lilyan list materials'");
}

/* The table's own fields follow the common ones, as one table over one struct. */
static lil_status join_fields(const lil_reader *rd, const lil_material_table *table, lil_field **fields,
                              void **config)
{
    int own = table->field_count, all = lil_material_field_count + own;
    *fields = LIL_NEW(rd->arena, lil_field, all);
    *config = lil_arena_alloc(rd->arena, 1, sizeof(common) + table->config_size);
    if (!*fields || !*config)
        return lil_fail_memory(rd->ctx);
    memcpy(*fields, lil_material_fields, sizeof lil_material_fields);
    for (int i = 0; i < own; i++) {
        (*fields)[lil_material_field_count + i] = table->fields[i];
        (*fields)[lil_material_field_count + i].offset += sizeof(common);
    }
    lil_fields_default(*fields, all, *config);
    return LIL_OK;
}

static lil_status set_moduli(const lil_reader *rd, const lil_node *node, const common *c, lil_moduli *m)
{
    bool engineers = !isnan(c->young) || !isnan(c->poisson), physicists = !isnan(c->mu) || !isnan(c->kappa);
    bool map = node->kind == LIL_NODE_MAP;
    if (engineers && physicists)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "a material takes young and poisson, or mu and kappa, not both");
    if (physicists ? isnan(c->mu) || isnan(c->kappa) : isnan(c->young) || isnan(c->poisson))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the material needs %s%s",
                             physicists ? "both mu and kappa" : "young and poisson, or mu and kappa",
                             !engineers && !physicists ? ""
                             : physicists              ? (isnan(c->mu) ? ": mu is missing" : ": kappa is missing")
                             : isnan(c->young)         ? ": young is missing"
                                                       : ": poisson is missing");
    if (physicists)
        *m = (lil_moduli){ c->mu, c->kappa };
    lil_status status =
        physicists ? lil_moduli_check(rd->ctx, m) : lil_moduli_from_young(rd->ctx, c->young, c->poisson, m);
    const char *key = physicists ? (c->mu > 0 ? "kappa" : "mu") : c->young > 0 ? "poisson" : "young";
    const lil_node *bad = map ? lil_node_get(node, key) : NULL;
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, bad ? bad : node, status);
}

static lil_status read_material(const lil_reader *rd, const lil_node *node, lil_material *material)
{
    const lil_node *model = node->kind == LIL_NODE_MAP ? lil_node_get(node, "model") : node;
    const lil_material_preset *preset = NULL;
    const char *name = "neo-hookean";
    if (model) {
        LIL_TRY(lil_node_expect(rd->ctx, model, LIL_NODE_SCALAR, "material"));
        preset = lil_material_preset_find(model->text);
        name = preset ? preset->table : model->text;
    }
    const lil_material_table *table = lil_material_find(name);
    if (!table)
        return fail_unknown(rd, model);
    lil_field *fields;
    void *config;
    LIL_TRY(join_fields(rd, table, &fields, &config));
    common *c = config;
    if (node->kind == LIL_NODE_MAP)
        LIL_TRY(lil_read_fields(rd, node, fields, lil_material_field_count + table->field_count, config, "material",
                                "model"));
    if (preset) { /* what is not given is the preset's */
        bool other = !isnan(c->mu) || !isnan(c->kappa);
        c->young = isnan(c->young) && !other ? preset->young : c->young;
        c->poisson = isnan(c->poisson) && !other ? preset->poisson : c->poisson;
        c->density = isnan(c->density) ? preset->density : c->density;
    }
    if (isnan(c->density))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the material needs a 'density' in kg/m^3");
    *material = (lil_material){ .table = table, .config = (char *)config + sizeof(common), .density = c->density };
    LIL_TRY(set_moduli(rd, node, c, &material->moduli));
    lil_status status = lil_material_check(rd->ctx, material);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

/* ---- damping: a number, or a map ---- */

static lil_status read_damping(const lil_reader *rd, const lil_node *node, lil_damping_def *damping)
{
    lil_fields_default(lil_damping_fields, lil_damping_field_count, damping);
    if (!node)
        return LIL_OK;
    if (node->kind == LIL_NODE_MAP)
        return lil_read_fields(rd, node, lil_damping_fields, lil_damping_field_count, damping, "damping", NULL);
    double *x;
    int count;
    LIL_TRY(lil_read_numbers(rd, node, "damping", true, &x, &count));
    lil_status status = lil_field_set_numbers(rd->ctx, &lil_damping_fields[0], damping, x, count);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

lil_status lil_read_body_material(const lil_reader *rd, lil_body *body)
{
    const lil_node *node = lil_node_get(body->node, "material");
    if (!node)
        return lil_node_fail_key(rd->ctx, body->node, "the body '%.60s' has no 'material'", body->name);
    LIL_TRY(read_material(rd, node, &body->material));
    return read_damping(rd, lil_node_get(body->node, "damping"), &body->damping);
}
