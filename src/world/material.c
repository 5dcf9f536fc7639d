/* A material by name: a table or a preset, with moduli of one kind or the other. */
#include "core/field.h"
#include "core/kind.h"
#include "world/world.h"

#include <math.h>

#define FIELD(member, least_, most_, unit_, doc_)                                                                    \
    {                                                                                                                \
        .name = #member, .kind = LIL_REAL, .offset = offsetof(lil_material_def, member), .preset = NAN,              \
        .least = least_, .most = most_, .unit = unit_, .doc = doc_                                                   \
    }

const lil_field lil_material_fields[LIL_MATERIAL_FIELDS] = {
    FIELD(young, -INFINITY, INFINITY, "Pa", "Young's modulus E"),
    FIELD(poisson, -INFINITY, INFINITY, "", "Poisson's ratio, above -1 and below 0.5"),
    FIELD(mu, -INFINITY, INFINITY, "Pa", "shear modulus"),
    FIELD(kappa, -INFINITY, INFINITY, "Pa", "bulk modulus"),
    FIELD(density, 1e-300, 1e300, "kg/m^3", "density at rest"),
};
const lil_field lil_damping_fields[LIL_DAMPING_FIELDS] = {
    LIL_FIELD_REAL(lil_damping_def, kD, 0, 0, 1e12, "s",
                   "damping time: the amplitude of a vibration of angular frequency omega decays at the rate kD "
                   "omega^2/2"),
    LIL_FIELD_CHOICE(lil_damping_def, "form", form, 0, lil_damping_names, "how damping enters a step (below)"),
};

static lil_status refuse_unknown(lil_world *w, const char *name)
{
    int presets = lil_material_preset_count(), tables = presets + lil_material_count();
    int all = tables + lil_kind_count(w->ctx, LIL_KIND_MATERIAL);
    const char **names = LIL_NEW(&w->arena, const char *, all);
    char hint[512];
    LIL_HAVE(w->ctx, names);
    for (int i = 0; i < tables; i++)
        names[i] = i < presets ? lil_material_preset_at(i)->name : lil_material_at(i - presets)->name;
    for (int i = tables; i < all; i++)
        lil_kind_at(w->ctx, LIL_KIND_MATERIAL, i - tables, &names[i]);
    const char *near = lil_nearest(name, names, all, sizeof *names);
    return lil_world_refuse(w, "model", LIL_ERR_INPUT, "unknown material '%.60s'%s", name,
                            near ? lil_hint(near, hint) : lil_hint_all(names, all, hint, sizeof hint));
}

lil_status lil_world_find_material(lil_world *w, const char *name, const lil_material_table **table)
{
    const lil_material_preset *preset = name ? lil_material_preset_find(name) : NULL;
    *table = lil_material_named(w->ctx, preset ? preset->table : name ? name : "neo-hookean");
    return *table ? LIL_OK : refuse_unknown(w, name);
}

static lil_status set_moduli(lil_world *w, const lil_material_def *d, lil_moduli *m)
{
    bool engineers = !isnan(d->young) || !isnan(d->poisson), physicists = !isnan(d->mu) || !isnan(d->kappa);
    if (engineers && physicists)
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT,
                                "a material takes young and poisson, or mu and kappa, not both");
    if (physicists ? isnan(d->mu) || isnan(d->kappa) : isnan(d->young) || isnan(d->poisson))
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "the material needs %s%s",
                                physicists ? "both mu and kappa" : "young and poisson, or mu and kappa",
                                !engineers && !physicists ? ""
                                : physicists              ? (isnan(d->mu) ? ": mu is missing" : ": kappa is missing")
                                : isnan(d->young)         ? ": young is missing"
                                                          : ": poisson is missing");
    if (physicists)
        *m = (lil_moduli){ d->mu, d->kappa };
    w->blame = (lil_blame){ physicists     ? (d->mu > 0 ? "kappa" : "mu")
                            : d->young > 0 ? "poisson"
                                           : "young",
                            false, NULL };
    LIL_TRY(physicists ? lil_moduli_check(w->ctx, m) : lil_moduli_from_young(w->ctx, d->young, d->poisson, m));
    w->blame = (lil_blame){ NULL, false, NULL };
    return LIL_OK;
}

lil_status lil_world_material(lil_world *w, const lil_material_def *def, const void *config, lil_material *material)
{
    const lil_material_preset *preset = def->name ? lil_material_preset_find(def->name) : NULL;
    lil_material_def d = *def;
    *material = (lil_material){ .config = config };
    w->blame = (lil_blame){ NULL, false, NULL };
    LIL_TRY(lil_world_find_material(w, d.name, &material->table));
    if (preset) { /* what is not given is the preset's */
        bool other = !isnan(d.mu) || !isnan(d.kappa);
        d.young = isnan(d.young) && !other ? preset->young : d.young;
        d.poisson = isnan(d.poisson) && !other ? preset->poisson : d.poisson;
        d.density = isnan(d.density) ? preset->density : d.density;
    }
    LIL_TRY(lil_fields_check(w->ctx, lil_material_fields, LIL_MATERIAL_FIELDS, def));
    if (isnan(d.density))
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "the material needs a 'density' in kg/m^3");
    material->density = d.density;
    LIL_TRY(set_moduli(w, &d, &material->moduli));
    return lil_material_check(w->ctx, material);
}
