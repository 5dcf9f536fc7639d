/* strands: particles in a row with rigid links, which resist being bent and keep their curl. What they have in common with other
 * particles is read there. */
#include "scene/bodies.h"

#include "core/field.h"
#include "math/matrix3.h"
#include "mesh/tuft.h"
#include "scene/reference.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- the tables ---- */

typedef struct config {
    int count, nodes, seed;
    double length, radius, young, density, damping, spread;
} config;

#define FIELD(kind_, member, preset_, least_, most_, unit_, doc_)                                                    \
    {                                                                                                                \
        .name = #member, .kind = kind_, .offset = offsetof(config, member), .preset = preset_, .least = least_,      \
        .most = most_, .unit = unit_, .doc = doc_                                                                    \
    }

const lil_field lil_strand_fields[] = {
    FIELD(LIL_INTEGER, count, 100, 1, 1e5, "", "how many strands; with a list of roots, one each"),
    FIELD(LIL_INTEGER, nodes, 20, 4, 1e4, "", "particles of a strand, its ends included; the first two are held"),
    FIELD(LIL_REAL, length, 0.3, 1e-6, 1e6, "m", "along a strand"),
    FIELD(LIL_REAL, radius, 4e-5, 1e-9, 1e3, "m", "of its cross-section"),
    FIELD(LIL_REAL, young, 4e9, 1e-9, 1e15, "Pa", "how stiff its material is, Young's modulus"),
    FIELD(LIL_REAL, density, 1300, 1e-9, 1e9, "kg/m^3", "of its material"),
    FIELD(LIL_REAL, damping, 0, 0, 1e6, "s", "kD of bending: how slow it is to bend"),
    FIELD(LIL_REAL, spread, 0.1, 0, 1, "", "how much strands differ in length, direction and curl"),
    FIELD(LIL_INTEGER, seed, 1, 0, 1e9, "", "another one, and they differ in another way"),
};
const int lil_strand_field_count = sizeof lil_strand_fields / sizeof lil_strand_fields[0];

typedef struct curl {
    double radius, pitch;
} curl;

const lil_field lil_curl_fields[] = {
    { .name = "radius",
      .kind = LIL_REAL,
      .offset = offsetof(curl, radius),
      .preset = 0.005,
      .least = 1e-9,
      .most = 1e6,
      .unit = "m",
      .doc = "of the helix that a strand is without its weight" },
    { .name = "pitch",
      .kind = LIL_REAL,
      .offset = offsetof(curl, pitch),
      .preset = 0.03,
      .least = 1e-9,
      .most = 1e6,
      .unit = "m",
      .doc = "how far a turn takes it" },
};
const int lil_curl_field_count = sizeof lil_curl_fields / sizeof lil_curl_fields[0];

typedef struct roots {
    int type;
    lil_list centre, axis;
    double radius, from, to;
} roots;

enum { CAP, DISC };
static const char *const root_types[] = { "cap", "disc", NULL };

const lil_field lil_root_fields[] = {
    { .name = "type",
      .kind = LIL_CHOICE,
      .offset = offsetof(roots, type),
      .preset = CAP,
      .choices = root_types,
      .unit = "",
      .doc = "part of a sphere, which strands leave outwards, or a disc, which they leave along its axis" },
    { .name = "centre",
      .kind = LIL_LIST,
      .offset = offsetof(roots, centre),
      .least = -1e9,
      .most = 1e9,
      .unit = "m",
      .doc = "of the sphere or the disc (default [0, 0, 0])" },
    { .name = "radius",
      .kind = LIL_REAL,
      .offset = offsetof(roots, radius),
      .preset = 0.09,
      .least = 1e-9,
      .most = 1e9,
      .unit = "m",
      .doc = "of the sphere or the disc" },
    { .name = "axis",
      .kind = LIL_LIST,
      .offset = offsetof(roots, axis),
      .least = -1e9,
      .most = 1e9,
      .unit = "",
      .doc = "of the cap or the disc (default [0, 0, 1])" },
    { .name = "from",
      .kind = LIL_REAL,
      .offset = offsetof(roots, from),
      .preset = 0,
      .least = 0,
      .most = 180,
      .unit = "degrees",
      .doc = "of a cap: where it begins, from the axis" },
    { .name = "to",
      .kind = LIL_REAL,
      .offset = offsetof(roots, to),
      .preset = 90,
      .least = 0,
      .most = 180,
      .unit = "degrees",
      .doc = "and where it ends" },
};
const int lil_root_field_count = sizeof lil_root_fields / sizeof lil_root_fields[0];

/* ---- roots ---- */

typedef struct places {
    double (*root)[3], (*direction)[3];
} places;

static lil_status allocate_places(const lil_reader *rd, int count, places *p)
{
    p->root = lil_arena_alloc(rd->arena, (size_t)count, sizeof *p->root);
    p->direction = lil_arena_alloc(rd->arena, (size_t)count, sizeof *p->direction);
    return p->root && p->direction ? LIL_OK : lil_fail_memory(rd->ctx);
}

static lil_status read_three(const lil_reader *rd, const lil_node *node, const char *name, const lil_list *list,
                             double x[3])
{
    if (list->n && list->n != 3)
        return lil_node_fail(rd->ctx, lil_node_get(node, name), LIL_ERR_INPUT, "'%s' must have 3 numbers, not %d",
                             name, list->n);
    if (list->n)
        memcpy(x, list->x, 3 * sizeof *x);
    return LIL_OK;
}

static lil_status check_direction(const lil_reader *rd, const lil_node *node, const char *name, const double x[3])
{
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    return square > 1e-200 && isfinite(square)
               ? LIL_OK
               : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' has no direction", name);
}

static lil_status read_shape(const lil_reader *rd, const lil_node *node, int count, places *p)
{
    roots r;
    double centre[3] = { 0 }, axis[3] = { 0, 0, 1 };
    lil_fields_default(lil_root_fields, lil_root_field_count, &r);
    LIL_TRY(lil_read_fields(rd, node, lil_root_fields, lil_root_field_count, &r, "roots", NULL));
    LIL_TRY(read_three(rd, node, "centre", &r.centre, centre));
    LIL_TRY(read_three(rd, node, "axis", &r.axis, axis));
    LIL_TRY(check_direction(rd, lil_node_get(node, "axis"), "axis", axis));
    if (!(r.from < r.to))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "a cap goes 'from' a smaller angle 'to' a larger one");
    LIL_TRY(allocate_places(rd, count, p));
    if (r.type == DISC)
        lil_roots_on_disc(count, centre, r.radius, axis, p->root, p->direction);
    else
        lil_roots_on_cap(count, centre, r.radius, axis, (double[2]){ r.from * PI / 180, r.to * PI / 180 }, p->root,
                         p->direction);
    return LIL_OK;
}

static lil_status read_list(const lil_reader *rd, const lil_node *node, const lil_body *body, places *p)
{
    const lil_node *way = lil_node_get(body->node, "direction"), *count = lil_node_get(body->node, "count");
    double direction[3] = { 0, 0, -1 };
    int k = 0;
    if (count)
        return lil_node_fail_key(rd->ctx, count, "'count' is that of the list of roots here");
    if (!node->count)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'roots' is an empty list");
    LIL_TRY(allocate_places(rd, node->count, p));
    LIL_TRY(lil_read_vector(rd, way, "direction", direction));
    LIL_TRY(check_direction(rd, way, "direction", direction));
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (const lil_node *child = node->first; child; child = child->next, k++) {
        LIL_TRY(lil_read_vector(rd, child, "roots", p->root[k]));
        for (int d = 0; d < 3; d++)
            p->direction[k][d] = direction[d] / length;
    }
    return LIL_OK;
}

static lil_status read_roots(const lil_reader *rd, const lil_body *body, config *c, places *p)
{
    const lil_node *node = lil_node_get(body->node, "roots"), *direction = lil_node_get(body->node, "direction");
    if (node && node->kind == LIL_NODE_LIST) {
        c->count = node->count;
        return read_list(rd, node, body, p);
    }
    if (direction)
        return lil_node_fail_key(rd->ctx, direction, "'direction' belongs to a list of roots");
    if (!node || node->kind != LIL_NODE_MAP)
        return lil_node_fail(
            rd->ctx, node ? node : body->node, LIL_ERR_INPUT,
            "the strands '%.60s' need 'roots': a list of points, or a map, {type: cap, radius: 0.09}", body->name);
    return read_shape(rd, node, c->count, p);
}

/* ---- one tuft ---- */

static void edges_of(int count, const double (*x)[3], double l, double (*e)[3])
{
    for (int k = 0; k < count; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = (x[k + 1][d] - x[k][d]) / l;
}

/* How stiff a strand of links l is against being bent and twisted out of how it is at rest; it is twisted as a round rod is,
 * G J = E I / (1 + nu). Where it is nearly straight it has no screw to keep. */
static void stiffen(const double (*rest)[3], double l, double B, bool curled, int first, int nodes, lil_strands *all)
{
    const double NU = 0.3, STRAIGHT = 1e-4;
    for (int k = 0; k + 2 < nodes; k++) {
        double e[3][3], c, natural;
        bool twist = curled && k + 3 < nodes;
        edges_of(twist ? 3 : 2, rest + k, l, e);
        c = lil_dot3(e[0], e[1]);
        natural = 4 * (1 - c) / (1 + c);
        all->bend[all->bends.count++] =
            (lil_bend){ { first + k, first + k + 1, first + k + 2 }, B / (2 * l), natural > STRAIGHT ? natural : 0 };
        if (!twist || natural <= STRAIGHT)
            continue;
        double normal[3] = { e[1][1] * e[2][2] - e[1][2] * e[2][1], e[1][2] * e[2][0] - e[1][0] * e[2][2],
                             e[1][0] * e[2][1] - e[1][1] * e[2][0] };
        all->twist[all->twists.count++] = (lil_twist){ { first + k, first + k + 1, first + k + 2, first + k + 3 },
                                                       l * l * l,
                                                       B / ((1 + NU) * l),
                                                       lil_dot3(e[0], normal) };
    }
}

/* the group of what is held: the first two particles of each */
static lil_status add_roots(const lil_reader *rd, const config *c, lil_mesh *mesh)
{
    lil_group *held = &mesh->groups[mesh->group_count++];
    *held = (lil_group){ "roots", LIL_NEW(rd->arena, int, 2 * (size_t)c->count), 2 * c->count };
    if (!held->vertices)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < held->vertex_count; i++)
        held->vertices[i] = i / 2 * c->nodes + i % 2;
    return LIL_OK;
}

static lil_status allocate_tuft(const lil_reader *rd, const config *c, lil_body *body)
{
    double total = (double)c->count * c->nodes;
    lil_strands *all = body->strands = LIL_NEW(rd->arena, lil_strands, 1);
    lil_status status = lil_arrangement_alloc(rd->ctx, rd->arena, body->name, total,
                                              (double)c->count * (c->nodes - 1), 2, &body->mesh, &body->links);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, body->node, status);
    if (!all)
        return lil_fail_memory(rd->ctx);
    *all = (lil_strands){ .damping = c->damping, .nodes = c->nodes };
    all->bend = LIL_NEW(rd->arena, lil_bend, total);
    all->twist = LIL_NEW(rd->arena, lil_twist, total);
    all->mass = LIL_NEW(rd->arena, double, total);
    all->weightless = LIL_NEW(rd->arena, double, 3 * total);
    all->roots = LIL_NEW(rd->arena, int, total);
    if (!all->roots || !all->bend || !all->twist || !all->mass || !all->weightless)
        return lil_fail_memory(rd->ctx);
    all->bends.bends = all->bend;
    all->twists.twists = all->twist;
    LIL_TRY(lil_arrangement_group(rd->ctx, rd->arena, &body->mesh, "tips", c->nodes - 1, c->nodes, c->count));
    return add_roots(rd, c, &body->mesh);
}

static double distance(const double a[3], const double b[3])
{
    double e[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    return sqrt(lil_dot3(e, e));
}

static lil_status hang_all(const lil_reader *rd, const lil_tuft *tuft, const places *p, int count, lil_body *body)
{
    lil_strands *all = body->strands;
    double *scratch = LIL_NEW(rd->arena, double, lil_tuft_scratch(tuft));
    int nodes = tuft->nodes;
    if (!scratch)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < count; i++) {
        int first = i * nodes;
        double(*x)[3] = (double(*)[3])(body->mesh.x + 3 * first),
        (*rest)[3] = (double(*)[3])(all->weightless + 3 * first);
        lil_status status = lil_tuft_hang(rd->ctx, tuft, i, p->root[i], p->direction[i], scratch, x, rest);
        if (status != LIL_OK)
            return lil_read_fail_at(rd, lil_node_get(body->node, "curl"), status);
        double l = distance(rest[0], rest[1]);
        stiffen((const double(*)[3])rest, l, tuft->B, tuft->curl_radius > 0, first, nodes, all);
        for (int k = 0; k + 1 < nodes; k++) {
            int *ends = body->links.at[body->links.count++];
            ends[0] = first + k;
            ends[1] = first + k + 1;
            for (int e = 0; e < 2; e++)
                all->mass[ends[e]] += tuft->density * l / 2;
        }
    }
    return LIL_OK;
}

static lil_status check_keys(const lil_reader *rd, const lil_node *node)
{
    enum { KEYS_MAX = 32 };
    const char *keys[KEYS_MAX] = { NULL };
    int count = 0;
    for (const lil_key *k = lil_strand_keys(); k->name; k++)
        keys[count++] = k->name;
    for (int i = 0; i < lil_strand_field_count; i++)
        keys[count++] = lil_strand_fields[i].name;
    return lil_node_check_keys(rd->ctx, node, keys, "strands");
}

lil_status lil_read_strands(const lil_reader *rd, const double gravity[3], lil_body *body)
{
    const lil_node *curls = lil_node_get(body->node, "curl");
    config c;
    places p = { 0 };
    curl bent = { 0 };
    LIL_TRY(check_keys(rd, body->node));
    lil_fields_default(lil_strand_fields, lil_strand_field_count, &c);
    LIL_TRY(lil_read_known_fields(rd, body->node, lil_strand_fields, lil_strand_field_count, &c));
    if (curls) {
        lil_fields_default(lil_curl_fields, lil_curl_field_count, &bent);
        LIL_TRY(lil_read_fields(rd, curls, lil_curl_fields, lil_curl_field_count, &bent, "curl", NULL));
    }
    body->radius = c.radius;
    LIL_TRY(read_roots(rd, body, &c, &p));
    LIL_TRY(allocate_tuft(rd, &c, body));
    lil_tuft tuft = { .nodes = c.nodes,
                      .length = c.length,
                      .B = c.young * PI * pow(c.radius, 4) / 4,
                      .density = c.density * PI * c.radius * c.radius,
                      .curl_radius = bent.radius,
                      .pitch = bent.pitch,
                      .spread = c.spread,
                      .seed = c.seed };
    memcpy(tuft.gravity, gravity, sizeof tuft.gravity);
    return hang_all(rd, &tuft, &p, c.count, body);
}

/* ---- into the model ---- */

void lil_read_strand_start(const lil_body *body, lil_bodies *bs)
{
    int n = body->mesh.vertex_count;
    memcpy(bs->x + 3 * body->first, body->mesh.x, 3 * (size_t)n * sizeof *bs->x);
    memcpy(bs->mass + body->first, body->strands->mass, (size_t)n * sizeof *bs->mass);
    for (int k = 0; k < body->strands->bends.count; k++)
        for (int i = 0; i < 3; i++)
            body->strands->bend[k].vertex[i] += body->first;
    for (int k = 0; k < body->strands->twists.count; k++)
        for (int i = 0; i < 4; i++)
            body->strands->twist[k].vertex[i] += body->first;
}

/* after handles, which hold what they move */
void lil_hold_strand_roots(const lil_body *body, lil_bodies *bs)
{
    for (int i = 0; i < body->mesh.vertex_count; i++)
        if (i % body->strands->nodes < 2)
            bs->held[body->first + i] = true;
}

lil_status lil_add_strand_terms(const lil_reader *rd, const lil_body *body, lil_model *model)
{
    lil_strands *s = body->strands;
    lil_term damping;
    LIL_TRY(lil_model_add(rd->ctx, model, lil_bends_term(&s->bends)));
    if (s->twists.count)
        LIL_TRY(lil_model_add(rd->ctx, model, lil_twists_term(&s->twists)));
    if (s->damping == 0)
        return LIL_OK;
    LIL_TRY(lil_bends_damping(rd->ctx, rd->arena, &s->bends, s->damping, &damping));
    return lil_model_add(rd->ctx, model, damping);
}
