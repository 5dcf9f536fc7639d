#include "materials/registered.h"

#include "core/kind.h"
#include "math/difference.h"

#include <math.h>
#include <string.h>

/* The material's config as bodies see it: its owner, then the user's own. */
typedef struct registered {
    lil_material_table table;
    lil_material_kind kind;
} registered;

enum { HEAD = sizeof(void *) }; /* keeps doubles aligned */
_Static_assert(HEAD == sizeof(double), "the user's config follows a pointer");

static const registered *owner_of(const void *config)
{
    const registered *owner;
    memcpy(&owner, config, sizeof owner);
    return owner;
}

void lil_material_own(const lil_material_table *table, void *config)
{
    if (table->registered)
        memcpy(config, &table, sizeof table); /* the table is the owner's first member */
}

static const void *config_of(const void *config)
{
    return (const char *)config + HEAD;
}

/* ---- the table's functions ---- */

static void registered_stress(const lil_moduli *m, const void *config, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    const registered *own = owner_of(config);
    (void)J;
    for (int e = 0; e < count; e++)
        for (int lane = 0; lane < LIL_LANES; lane++) {
            double f[9], p[9], value = 0;
            for (int i = 0; i < 9; i++)
                f[i] = F[9 * e + i][lane];
            bool exists = own->kind.energy(m, config_of(config), f, &value, P ? p : NULL);
            if (w)
                w[e][lane] = exists ? value : INFINITY;
            for (int i = 0; P && i < 9; i++)
                P[9 * e + i][lane] = exists ? p[i] : NAN;
        }
}

bool lil_material_sample_stress(const void *sample, const double *F, double *P)
{
    const lil_material_sample *s = sample;
    double w;
    return s->kind->energy(s->moduli, s->config, F, &w, P);
}

/* by the kind, or from stresses differenced; NaN where it refuses */
static void tangent(const lil_moduli *m, const void *config, const double F[9], double A[81])
{
    const lil_material_sample sample = { &owner_of(config)->kind, m, config_of(config) };
    double room[27];
    if (sample.kind->tangent ? !sample.kind->tangent(m, sample.config, F, A)
                             : !lil_difference_all(lil_material_sample_stress, &sample, 9, 9, F, room, A))
        for (int i = 0; i < 81; i++)
            A[i] = NAN;
    else if (!sample.kind->tangent)
        lil_symmetrise(9, A);
}

/* For an isotropic and objective material w(F) = w(diag s): its tangent at diag s has the block, its stress dw/ds. */
static void principal(const lil_moduli *m, const void *config, const double s[3], lil_principal *p)
{
    double F[9] = { s[0], 0, 0, 0, s[1], 0, 0, 0, s[2] }, P[9], A[81], w;
    const registered *own = owner_of(config);
    if (!own->kind.energy(m, config_of(config), F, &w, P))
        for (int i = 0; i < 9; i++)
            P[i] = NAN;
    tangent(m, config, F, A);
    for (int i = 0; i < 9; i++)
        p->block[i] = A[9 * (4 * (i / 3)) + 4 * (i % 3)];
    lil_principal_pairs(s, (double[3]){ P[0], P[4], P[8] }, p);
}

/* ---- registering ---- */

lil_status lil_material_kind_take(lil_context *ctx, const lil_material_kind *kind, lil_material_kind *taken)
{
    const size_t least = offsetof(lil_material_kind, tangent) + sizeof kind->tangent;
    const unsigned claims = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_INVERTS | LIL_MATERIAL_ISOTROPIC;
    LIL_TRY(lil_kind_take(ctx, "material", kind, least, sizeof *taken, taken));
    if (!taken->name)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->name is NULL");
    if (!taken->energy)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->energy is NULL");
    if (taken->field_count < 0 || (taken->field_count && !taken->fields))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the material '%.60s' has %d fields, but kind->fields is %s",
                        taken->name, taken->field_count, taken->fields ? "there" : "NULL");
    for (int i = 0; i < taken->field_count; i++) {
        const lil_field *f = &taken->fields[i];
        if (!f->name || f->kind != LIL_REAL || f->offset > taken->config_size ||
            f->offset + sizeof(double) > taken->config_size)
            return lil_fail(
                ctx, LIL_ERR_ARGUMENT,
                "field %d of the material '%.60s' must have a name, be LIL_REAL and lie within its %zu bytes "
                "of config",
                i, taken->name, taken->config_size);
    }
    if (taken->holds & ~claims)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the material '%.60s' claims %u: there is no such claim", taken->name,
                        taken->holds & ~claims);
    return LIL_OK;
}

static lil_status set_table(lil_context *ctx, registered *r)
{
    const lil_material_kind *kind = &r->kind;
    lil_field *fields;
    LIL_ALLOC(ctx, &ctx->arena, fields, kind->field_count);
    for (int i = 0; i < kind->field_count; i++) {
        fields[i] = kind->fields[i];
        fields[i].offset += HEAD;
        fields[i].unit = fields[i].unit ? fields[i].unit : "";
        fields[i].doc = fields[i].doc ? fields[i].doc : "";
    }
    const unsigned both = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC;
    bool isotropic = (kind->holds & both) == both;
    r->table = (lil_material_table){ .name = kind->name,
                                     .doc = kind->doc ? kind->doc : "",
                                     .formula = kind->formula ? kind->formula : "",
                                     .citation = kind->citation ? kind->citation : "",
                                     .holds = kind->holds,
                                     .fields = fields,
                                     .field_count = kind->field_count,
                                     .config_size = HEAD + kind->config_size,
                                     .stress = registered_stress,
                                     .tangent = tangent,
                                     .principal = isotropic ? principal : NULL,
                                     .anisotropic = !isotropic,
                                     .registered = true };
    return LIL_OK;
}

lil_status lil_context_register_material(lil_context *ctx, const lil_material_kind *kind)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    registered *r;
    LIL_ALLOC(ctx, &ctx->arena, r, 1);
    LIL_TRY(lil_material_kind_take(ctx, kind, &r->kind));
    if (lil_material_find(r->kind.name) || lil_material_preset_find(r->kind.name))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a material '%.60s' exists already", r->kind.name);
    LIL_TRY(set_table(ctx, r));
    return lil_kind_register(ctx, LIL_KIND_MATERIAL, r->kind.name, &r->table);
}

const lil_material_table *lil_material_named(const lil_context *ctx, const char *name)
{
    const lil_material_table *own = lil_material_find(name);
    return own ? own : lil_kind_find(ctx, LIL_KIND_MATERIAL, name);
}
