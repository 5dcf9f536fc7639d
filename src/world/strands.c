/* Strands: particles in a row with rigid links, which resist being bent and keep their curl. */
#include "core/field.h"
#include "math/matrix3.h"
#include "mesh/make/hair_rest.h"
#include "world/def.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- the tables ---- */

#define FIELD(kind_, member, preset_, least_, most_, unit_, doc_)                                                    \
    {                                                                                                                \
        .name = #member, .kind = kind_, .offset = offsetof(lil_strands_def, member), .preset = preset_,              \
        .least = least_, .most = most_, .unit = unit_, .doc = doc_                                                   \
    }

const lil_field lil_strand_fields[LIL_STRAND_FIELDS] = {
    FIELD(LIL_INTEGER, count, 100, 1, 1e5, "", "number of strands; with a list of roots there is one for each root"),
    FIELD(LIL_INTEGER, nodes, 20, 4, 1e4, "", "particles in each strand, including its ends"),
    FIELD(LIL_REAL, length, 0.3, 1e-6, 1e6, "m", "length of each strand"),
    FIELD(LIL_REAL, radius, 4e-5, 1e-9, 1e3, "m", "radius of the cross-section"),
    FIELD(LIL_REAL, young, 4e9, 1e-9, 1e15, "Pa", "Young's modulus of the strand's material"),
    FIELD(LIL_REAL, density, 1300, 1e-9, 1e9, "kg/m^3", "density of the strand's material"),
    FIELD(LIL_REAL, damping, 0, 0, 1e6, "s", "kD of bending"),
    FIELD(LIL_REAL, spread, 0.1, 0, 1, "", "relative variation of length, direction and curl between strands"),
    FIELD(LIL_INTEGER, seed, 1, 0, 1e9, "", "random seed of that variation"),
};

const lil_field lil_curl_fields[LIL_CURL_FIELDS] = {
    LIL_FIELD(lil_strands_def, LIL_REAL, "radius", curl_radius, 0.005, 1e-9, 1e6, "m",
              "radius of the weightless helix"),
    LIL_FIELD(lil_strands_def, LIL_REAL, "pitch", curl_pitch, 0.03, 1e-9, 1e6, "m",
              "advance along the axis of the helix per turn"),
};

/* ---- one strand ---- */

static void edges_of(int count, const double (*x)[3], double l, double (*e)[3])
{
    for (int k = 0; k < count; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = (x[k + 1][d] - x[k][d]) / l;
}

/* How stiff a strand of links l is against being bent and twisted out of how it is at rest; it is twisted as a
 * round rod is, G J = E I / (1 + nu). Where it is nearly straight it has no screw to keep. */
static void stiffen(const double (*rest)[3], double l, double B, bool curled, int first, int nodes, lil_strands *all)
{
    const double NU = 0.3, STRAIGHT = 1e-4;
    for (int k = 0; k + 2 < nodes; k++) {
        double e[3][3], c, natural;
        bool twist = curled && k + 3 < nodes;
        edges_of(twist ? 3 : 2, rest + k, l, e);
        c = lil_dot3(e[0], e[1]);
        natural = 4 * (1 - c) / (1 + c);
        all->bend[all->bends.count++] = (lil_bend){ .vertex = { first + k, first + k + 1, first + k + 2 },
                                                    .weight = B / (2 * l),
                                                    .natural = natural > STRAIGHT ? natural : 0,
                                                    .stiffness = lil_bend_stiffness(B / (2 * l), l) };
        if (!twist || natural <= STRAIGHT)
            continue;
        double normal[3] = { e[1][1] * e[2][2] - e[1][2] * e[2][1], e[1][2] * e[2][0] - e[1][0] * e[2][2],
                             e[1][0] * e[2][1] - e[1][1] * e[2][0] };
        double C = B / ((1 + NU) * l);
        all->twist[all->twists.count++] =
            (lil_twist){ .vertex = { first + k, first + k + 1, first + k + 2, first + k + 3 },
                         .lengths = l * l * l,
                         .weight = C,
                         .natural = lil_dot3(e[0], normal),
                         .stiffness = lil_twist_stiffness(C, l) };
    }
}

/* the group of what is held: the first two particles of each */
static lil_status add_roots(lil_world *w, const lil_strands_def *c, lil_mesh *mesh)
{
    lil_group *held = &mesh->groups[mesh->group_count++];
    *held = (lil_group){ "roots", LIL_NEW(&w->arena, int, 2 * (size_t)c->count), 2 * c->count };
    LIL_HAVE(w->ctx, held->vertices);
    for (int i = 0; i < held->vertex_count; i++)
        held->vertices[i] = i / 2 * c->nodes + i % 2;
    return LIL_OK;
}

static lil_status allocate(lil_world *w, const lil_strands_def *c, lil_body *body)
{
    double total = (double)c->count * c->nodes;
    lil_strands *all = body->strands = LIL_NEW(&w->arena, lil_strands, 1);
    LIL_TRY(lil_arrangement_alloc(w->ctx, &w->arena, body->name, total, (double)c->count * (c->nodes - 1), 2,
                                  &body->mesh, &body->links));
    LIL_HAVE(w->ctx, all);
    *all = (lil_strands){ .damping = c->damping, .nodes = c->nodes, .on = c->roots ? -1 : c->on };
    LIL_ALLOC(w->ctx, &w->arena, all->bend, total);
    LIL_ALLOC(w->ctx, &w->arena, all->twist, total);
    LIL_ALLOC(w->ctx, &w->arena, all->mass, total);
    LIL_ALLOC(w->ctx, &w->arena, all->weightless, 3 * total);
    LIL_ALLOC(w->ctx, &w->arena, all->roots, total);
    all->bends.bends = all->bend;
    all->twists.twists = all->twist;
    LIL_TRY(lil_arrangement_group(w->ctx, &w->arena, &body->mesh, "tips", c->nodes - 1, c->nodes, c->count));
    return add_roots(w, c, &body->mesh);
}

/* ---- where they begin ---- */

typedef struct places {
    double (*root)[3], (*direction)[3];
} places;

static double length_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static lil_status check_direction(lil_world *w, const char *member, const char *name, const double x[3])
{
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    return square > 1e-200 && isfinite(square)
               ? LIL_OK
               : lil_world_refuse(w, member, LIL_ERR_INPUT, "'%s' is a zero vector", name);
}

/* Of a list. */
static lil_status take_roots(lil_world *w, const char *name, const lil_strands_def *c, places *p)
{
    LIL_TRY(lil_check_numbers(w->ctx, name, "roots", c->roots[0], 3 * c->count));
    for (int i = 0; i < c->count; i++) {
        const double down[3] = { 0, 0, -1 }, *way = c->directions ? c->directions[i] : down;
        LIL_TRY(check_direction(w, "direction", "direction", way));
        double length = length_of(way);
        memcpy(p->root[i], c->roots[i], sizeof p->root[i]);
        for (int d = 0; d < 3; d++)
            p->direction[i][d] = way[d] / length;
    }
    return LIL_OK;
}

static lil_status spread_roots(lil_world *w, const char *name, const lil_strands_def *c, places *p)
{
    const double angles[2] = { c->from * PI / 180, c->to * PI / 180 };
    LIL_TRY(lil_check_numbers(w->ctx, name, "centre", c->centre, 3));
    LIL_TRY(check_direction(w, "roots.axis", "axis", c->axis));
    if (!(c->from < c->to))
        return lil_world_refuse(w, "roots", LIL_ERR_INPUT, "a cap must go 'from' a smaller angle 'to' a larger one");
    if (!(c->root_radius > 0 && c->root_radius <= 1e9) || !(c->from >= 0 && c->to <= 180))
        return lil_world_refuse(w, "roots", LIL_ERR_INPUT,
                                "the roots of '%.60s' are spread over a radius of %g m, from %g to %g degrees", name,
                                c->root_radius, c->from, c->to);
    if (c->disc)
        lil_roots_on_disc(c->count, c->centre, c->root_radius, c->axis, p->root, p->direction);
    else
        lil_roots_on_cap(c->count, c->centre, c->root_radius, c->axis, angles, p->root, p->direction);
    return LIL_OK;
}

static lil_status find_roots(lil_world *w, const char *name, const lil_strands_def *c, places *p)
{
    LIL_ALLOC(w->ctx, &w->arena, p->root, c->count);
    LIL_ALLOC(w->ctx, &w->arena, p->direction, c->count);
    return c->roots     ? take_roots(w, name, c, p)
           : c->on >= 0 ? lil_world_roots_on(w, name, c, p->root, p->direction)
                        : spread_roots(w, name, c, p);
}

/* ---- all of them ---- */

static double distance(const double a[3], const double b[3])
{
    double e[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    return sqrt(lil_dot3(e, e));
}

static lil_status hang_all(lil_world *w, const lil_hair *hair, const lil_strands_def *c, const places *p,
                           lil_body *body)
{
    lil_strands *all = body->strands;
    double *scratch = LIL_NEW(&w->arena, double, lil_hair_scratch(hair));
    int nodes = hair->nodes, base = w->vertex_count;
    LIL_HAVE(w->ctx, scratch);
    for (int i = 0; i < c->count; i++) {
        int first = i * nodes;
        double(*x)[3] = (double(*)[3])(body->mesh.x + 3 * first),
        (*rest)[3] = (double(*)[3])(all->weightless + 3 * first);
        w->blame = (lil_blame){ "curl", false, NULL };
        LIL_TRY(lil_hair_hang(w->ctx, hair, i, p->root[i], p->direction[i], scratch, x, rest));
        double l = distance(rest[0], rest[1]);
        stiffen((const double(*)[3])rest, l, hair->B, hair->curl_radius > 0, base + first, nodes, all);
        for (int k = 0; k + 1 < nodes; k++) {
            int *ends = body->links.at[body->links.count++];
            ends[0] = first + k;
            ends[1] = first + k + 1;
            for (int e = 0; e < 2; e++)
                all->mass[ends[e]] += hair->density * l / 2;
        }
    }
    return LIL_OK;
}

lil_status lil_world_grow_strands(lil_world *w, const lil_body *given, const lil_strands_def *c, int *index)
{
    lil_body body = { .name = given->name, .node = given->node, .particles = true, .radius = c->radius };
    places p = { 0 };
    w->blame = (lil_blame){ NULL, false, NULL };
    LIL_TRY(lil_fields_check(w->ctx, lil_strand_fields, LIL_STRAND_FIELDS, c));
    if (c->curl_radius != 0)
        LIL_TRY(lil_fields_check(w->ctx, lil_curl_fields, LIL_CURL_FIELDS, c));
    lil_hair hair = { .nodes = c->nodes,
                      .length = c->length,
                      .B = c->young * PI * pow(c->radius, 4) / 4,
                      .density = c->density * PI * c->radius * c->radius,
                      .curl_radius = c->curl_radius,
                      .pitch = c->curl_pitch,
                      .spread = c->spread,
                      .seed = c->seed };
    memcpy(hair.gravity, w->gravity, sizeof hair.gravity);
    LIL_TRY(find_roots(w, body.name, c, &p));
    LIL_TRY(allocate(w, c, &body));
    LIL_TRY(hang_all(w, &hair, c, &p, &body));
    return lil_world_add_points(w, &body, body.strands->mass, NULL, index);
}

lil_status lil_add_strand_terms(lil_world *w, const lil_body *body, lil_model *model)
{
    lil_strands *s = body->strands;
    lil_term damping;
    LIL_TRY(lil_model_add(w->ctx, model, lil_bends_term(&s->bends)));
    if (s->twists.count)
        LIL_TRY(lil_model_add(w->ctx, model, lil_twists_term(&s->twists)));
    if (s->damping == 0)
        return LIL_OK;
    LIL_TRY(lil_bends_damping(w->ctx, &w->arena, &s->bends, s->damping, &damping));
    return lil_model_add(w->ctx, model, damping);
}

/* ---- from a def ---- */

lil_strands_def lil_strands_def_default(void)
{
    lil_strands_def def = { .size = sizeof def, .on = -1, .axis = { 0, 0, 1 }, .root_radius = 0.09, .to = 90 };
    lil_fields_default(lil_strand_fields, LIL_STRAND_FIELDS, &def);
    return def;
}

lil_status lil_world_add_strands(lil_world *w, const lil_strands_def *def, int *index)
{
    lil_body body = { 0 };
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_NEED(w->ctx, index, "body");
    LIL_TRY(lil_world_copy_name(w, "particle", def->name, &body.name));
    LIL_TRY(lil_world_grow_strands(w, &body, def, index));
    return lil_world_finish_points(w, *index, &(lil_points_finish){ .drag = def->drag, .wind = &def->wind });
}
