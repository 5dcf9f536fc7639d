/* fixed, handles, loads, springs: what a body is held, moved, pushed and pulled by. */
#include "scene/bodies.h"

#include "core/field.h"
#include "scene/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lil_status select_of(const lil_reader *rd, const lil_body *body, const lil_node *node, lil_group *selection)
{
    return lil_select(rd, node, &body->mesh, body->groups, body->group_count, selection);
}

/* What a member of a map selects; of particles, where it is not there, all. *node is where to point at. */
static lil_status select_by(const lil_reader *rd, const lil_body *body, const lil_node *map, const char *key,
                            const lil_node **node, lil_group *selection)
{
    static const lil_node all = { .kind = LIL_NODE_SCALAR, .text = "all" };
    bool whole = body->particles && !lil_node_get(map, key);
    *node = map;
    if (!whole)
        LIL_TRY(lil_read_member(rd, map, key, node));
    return select_of(rd, body, whole ? &all : *node, selection);
}

/* A list of maps, or one map alone. */
static const lil_node *first_of(const lil_node *node)
{
    return node->kind == LIL_NODE_LIST ? node->first : node;
}

static const lil_node *next_of(const lil_node *list, const lil_node *node)
{
    return list->kind == LIL_NODE_LIST ? node->next : NULL;
}

/* ---- fixed and handles ---- */

static lil_status read_handle(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs)
{
    static const char *const keys[] = { "select", "move", NULL };
    const lil_node *on, *text;
    lil_group selection;
    lil_script *script = &bs->scripts[bs->script_count];
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "handles"));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "a handle"));
    LIL_TRY(select_by(rd, body, node, "select", &on, &selection));
    LIL_TRY(lil_read_member(rd, node, "move", &text));
    LIL_TRY(lil_read_texts(rd, text, "move", &(lil_texts_def){ .t = true, .xyz = true, .rates = true },
                           &script->program));
    for (int i = 0; i < selection.vertex_count; i++) {
        int v = selection.vertices[i] += body->first;
        if (bs->held[v])
            return lil_node_fail(rd->ctx, on, LIL_ERR_INPUT, "vertex %d of '%.60s' is held already", v - body->first,
                                 body->name);
        bs->held[v] = true;
    }
    script->vertices = selection.vertices;
    script->count = selection.vertex_count;
    bs->script_count++;
    return LIL_OK;
}

lil_status lil_read_body_holds(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    const lil_node *fixed = lil_node_get(body->node, "fixed"), *handles = lil_node_get(body->node, "handles");
    if (fixed) {
        lil_group selection;
        LIL_TRY(select_of(rd, body, fixed, &selection));
        for (int i = 0; i < selection.vertex_count; i++)
            bs->held[body->first + selection.vertices[i]] = true;
    }
    for (const lil_node *node = handles ? first_of(handles) : NULL; node; node = next_of(handles, node))
        LIL_TRY(read_handle(rd, node, body, bs));
    return LIL_OK;
}

/* ---- loads ---- */

/* A third of the area of each face of the surface whose vertices are all selected. */
static double share_area(const lil_body *body, const lil_group *selection, double *weights)
{
    const double *x = body->mesh.x;
    double total = 0;
    for (int f = 0; f < body->mesh.face_count; f++) {
        const int *face = body->mesh.faces[f];
        int at[3], found = 0;
        for (int k = 0; k < 3; k++) {
            int low = 0, high = selection->vertex_count;
            while (low < high) { /* ascending */
                int middle = (low + high) / 2;
                if (selection->vertices[middle] < face[k])
                    low = middle + 1;
                else
                    high = middle;
            }
            at[k] = low;
            found += low < selection->vertex_count && selection->vertices[low] == face[k];
        }
        if (found < 3)
            continue;
        double a[3], b[3];
        for (int d = 0; d < 3; d++) {
            a[d] = x[3 * face[1] + d] - x[3 * face[0] + d];
            b[d] = x[3 * face[2] + d] - x[3 * face[0] + d];
        }
        double n[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
        double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        total += area;
        for (int k = 0; k < 3; k++)
            weights[at[k]] += area / 3;
    }
    return total;
}

static lil_status read_load(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs)
{
    static const char *const keys[] = { "select", "force", "traction", NULL };
    const lil_node *on, *force, *traction;
    lil_group selection;
    lil_load_def *load = &bs->loads[bs->load_count];
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "loads"));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "a load"));
    LIL_TRY(select_by(rd, body, node, "select", &on, &selection));
    force = lil_node_get(node, "force");
    traction = lil_node_get(node, "traction");
    if (!force == !traction)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "a load has a 'force' in N or a 'traction' in N/m^2%s",
                             force ? ", not both" : "");
    double *weights = LIL_NEW(rd->arena, double, selection.vertex_count);
    lil_program *program = LIL_NEW(rd->arena, lil_program, 1);
    if (!weights || !program)
        return lil_fail_memory(rd->ctx);
    double area = share_area(body, &selection, weights);
    if (traction && area == 0)
        return lil_node_fail(rd->ctx, on, LIL_ERR_INPUT, "no face of the surface of '%.60s' is selected here",
                             body->name);
    for (int i = 0; force && i < selection.vertex_count;
         i++) /* a whole force: by area, or alike where there is none */
        weights[i] = area > 0 ? weights[i] / area : 1.0 / selection.vertex_count;
    for (int i = 0; i < selection.vertex_count; i++)
        selection.vertices[i] += body->first;
    LIL_TRY(lil_read_texts(rd, force ? force : traction, force ? "force" : "traction", &(lil_texts_def){ .t = true },
                           program));
    *load = (lil_load_def){ .program = program,
                            .uses_t = program->time_slot >= 0,
                            .vertices = selection.vertices,
                            .weights = weights,
                            .count = selection.vertex_count };
    bs->load_count++;
    return LIL_OK;
}

lil_status lil_read_body_loads(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    const lil_node *loads = lil_node_get(body->node, "loads");
    for (const lil_node *node = loads ? first_of(loads) : NULL; node; node = next_of(loads, node))
        LIL_TRY(read_load(rd, node, body, bs));
    return LIL_OK;
}

/* ---- springs ---- */

const lil_field lil_spring_fields[] = {
    { .name = "stiffness",
      .kind = LIL_REAL,
      .offset = offsetof(lil_spring_config, stiffness),
      .preset = NAN,
      .least = 0,
      .most = 1e300,
      .unit = "N/m",
      .doc = "of each spring" },
    { .name = "length",
      .kind = LIL_REAL,
      .offset = offsetof(lil_spring_config, length),
      .preset = -1,
      .least = 0,
      .most = 1e300,
      .unit = "m",
      .doc = "at which a spring is at rest (default: as long as it is at the start)" },
    { .name = "damping",
      .kind = LIL_REAL,
      .offset = offsetof(lil_spring_config, damping),
      .preset = 0,
      .least = 0,
      .most = 1e12,
      .unit = "s",
      .doc = "kD along the spring, in the body's form of damping" },
};
const int lil_spring_field_count = sizeof lil_spring_fields / sizeof lil_spring_fields[0];

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static lil_status find_body(const lil_reader *rd, const lil_node *node, const lil_bodies *bs, const lil_body **body)
{
    char hint[LIL_HINT_MAX];
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "body"));
    for (int i = 0; i < bs->count; i++)
        if (strcmp(bs->list[i].name, node->text) == 0) {
            *body = &bs->list[i];
            return LIL_OK;
        }
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "there is no body '%.60s'%s", node->text,
                         lil_hint(lil_nearest(node->text, &bs->list[0].name, bs->count, sizeof *bs->list), hint));
}

/* The other end: a point of space, which becomes a vertex that is held, or vertices of a body, of which each spring takes the
 * nearest. */
static lil_status read_other_end(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs,
                                 const int **ends, int *count)
{
    const lil_node *of = node->kind == LIL_NODE_MAP ? lil_node_get(node, "body") : NULL, *what = node;
    lil_group selection;
    if (node->kind == LIL_NODE_LIST) {
        int *anchor = LIL_NEW(rd->arena, int, 1);
        if (!anchor)
            return lil_fail_memory(rd->ctx);
        *anchor = bs->vertex_count + bs->anchor_count++;
        LIL_TRY(lil_read_vector(rd, node, "to", bs->x + 3 * *anchor));
        bs->held[*anchor] = true;
        *ends = anchor;
        *count = 1;
        return LIL_OK;
    }
    if (of) {
        static const char *const keys[] = { "body", "select", NULL };
        LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "to"));
        LIL_TRY(lil_read_member(rd, node, "select", &what));
        LIL_TRY(find_body(rd, of, bs, &body));
    }
    LIL_TRY(select_of(rd, body, what, &selection));
    for (int i = 0; i < selection.vertex_count; i++)
        selection.vertices[i] += body->first;
    *ends = selection.vertices;
    *count = selection.vertex_count;
    return LIL_OK;
}

typedef struct end {
    double x;
    int vertex;
} end;

static int order_end(const void *a, const void *b)
{
    const end *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* The end that is nearest to v, of several the first vertex; -1: there is none, or none at a finite distance. Ends are sorted by
 * x, so that only those in a slab about v are looked at. */
static int find_nearest(const lil_bodies *bs, int v, const end *ends, int count, double *least)
{
    const double *x = bs->x + 3 * (size_t)v;
    int low = 0, high = count, nearest = -1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (ends[middle].x < x[0])
            low = middle + 1;
        else
            high = middle;
    }
    *least = INFINITY;
    for (int way = -1; way <= 1; way += 2)
        for (int k = way < 0 ? low - 1 : low; k >= 0 && k < count && fabs(ends[k].x - x[0]) <= *least; k += way) {
            int other = ends[k].vertex;
            double d = distance(x, bs->x + 3 * (size_t)other);
            if (other != v && isfinite(d) && (d < *least || (d == *least && other < nearest))) {
                *least = d;
                nearest = other;
            }
        }
    return nearest;
}

static lil_status tie(const lil_reader *rd, const lil_node *node, const lil_bodies *bs, const lil_spring_config *c,
                      const lil_group *from, const int *to, int end_count, lil_springs *out)
{
    lil_spring *springs = LIL_NEW(rd->arena, lil_spring, from->vertex_count);
    end *ends = LIL_NEW(rd->arena, end, end_count);
    if (!springs || !ends)
        return lil_fail_memory(rd->ctx);
    for (int k = 0; k < end_count; k++)
        ends[k] = (end){ bs->x[3 * (size_t)to[k]], to[k] };
    qsort(ends, (size_t)end_count, sizeof *ends, order_end);
    for (int i = 0; i < from->vertex_count; i++) {
        double least;
        int v = from->vertices[i], nearest = find_nearest(bs, v, ends, end_count, &least);
        if (nearest < 0)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s",
                                 end_count > 1 || to[0] != v ? "a spring is longer than can be said"
                                                             : "a spring has the same vertex at both ends");
        springs[i] =
            (lil_spring){ .i = v, .j = nearest, .k = c->stiffness, .length = c->length >= 0 ? c->length : least };
    }
    *out = (lil_springs){ from->vertex_count, springs };
    return LIL_OK;
}

static lil_status read_spring(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs)
{
    const lil_node *from, *to;
    lil_group selection;
    const int *ends = NULL;
    int end_count = 0;
    lil_spring_config c;
    const char *const keys[] = { "from", "to", "stiffness", "length", "damping", NULL };
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "springs"));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "a spring"));
    lil_fields_default(lil_spring_fields, lil_spring_field_count, &c);
    LIL_TRY(lil_read_known_fields(rd, node, lil_spring_fields, lil_spring_field_count, &c));
    if (isnan(c.stiffness))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'stiffness' is missing here");
    LIL_TRY(select_by(rd, body, node, "from", &from, &selection));
    LIL_TRY(lil_read_member(rd, node, "to", &to));
    for (int i = 0; i < selection.vertex_count; i++)
        selection.vertices[i] += body->first;
    LIL_TRY(read_other_end(rd, to, body, bs, &ends, &end_count));
    lil_spring_set *set = &bs->springs[bs->spring_set_count++];
    set->damping = (lil_damping_def){ c.damping, body->damping.form };
    return tie(rd, node, bs, &c, &selection, ends, end_count, &set->springs);
}

lil_status lil_read_body_springs(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    const lil_node *springs = lil_node_get(body->node, "springs");
    for (const lil_node *node = springs ? first_of(springs) : NULL; node; node = next_of(springs, node))
        LIL_TRY(read_spring(rd, node, body, bs));
    return LIL_OK;
}
