/* Springs between vertices, and the links of particles: springs too, or rigid. */
#include "core/field.h"
#include "core/order.h"
#include "world/def.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const lil_field lil_spring_fields[LIL_SPRING_FIELDS] = {
    LIL_FIELD_REAL(lil_spring_config, stiffness, NAN, 0, 1e300, "N/m", "stiffness of each spring"),
    LIL_FIELD_REAL(lil_spring_config, length, -1, 0, 1e300, "m", "rest length (default: the initial length)"),
    LIL_FIELD_REAL(lil_spring_config, damping, 0, 0, 1e12, "s",
                   "damping time kD along the spring. Its form is that of the `damping` of the body that lists the "
                   "spring; springs of particles have the form `exact`"),
};

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static lil_status add_set(lil_world *w, int count, const lil_spring *springs, lil_damping_def damping)
{
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->springs, w->spring_set_count, 1, &w->room.springs, sizeof *w->springs));
    w->springs[w->spring_set_count++] = (lil_spring_set){ { count, springs }, damping };
    return LIL_OK;
}

/* ---- from vertices to what is nearest ---- */

typedef struct end {
    double x;
    int vertex;
} end;

static int order_end(const void *a, const void *b)
{
    const end *p = a, *q = b;
    return p->x != q->x ? lil_order_real(p->x, q->x) : lil_order(p->vertex, q->vertex);
}

/* The end that is nearest to v, of several the first vertex; -1: there is none, or none at a finite distance. Ends
 * are sorted by x, so that only those in a slab about v are looked at. */
static int find_nearest(const lil_world *w, int v, const end *ends, int count, double *least)
{
    const double *x = w->x + 3 * (size_t)v;
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
            double d = distance(x, w->x + 3 * (size_t)other);
            if (other != v && isfinite(d) && (d < *least || (d == *least && other < nearest))) {
                *least = d;
                nearest = other;
            }
        }
    return nearest;
}

/* A point of space becomes a vertex that is held. Vertices may still be added before it: until the world is
 * numbered it is -1 - its number. */
static lil_status add_anchor(lil_world *w, const double at[3], int *anchor)
{
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->anchors, w->anchor_count, 1, &w->room.anchors, 3 * sizeof *w->anchors));
    memcpy(w->anchors + 3 * (size_t)w->anchor_count, at, 3 * sizeof *at);
    *anchor = -1 - w->anchor_count++;
    return LIL_OK;
}

static lil_status tie_to_point(lil_world *w, const double at[3], int first, const int *vertices, int count,
                               const lil_spring_config *c, lil_spring *springs)
{
    int anchor = 0;
    LIL_TRY(add_anchor(w, at, &anchor));
    for (int i = 0; i < count; i++) {
        int v = first + vertices[i];
        double far = distance(w->x + 3 * (size_t)v, at);
        if (!isfinite(far))
            return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "the length of a spring is not finite");
        springs[i] =
            (lil_spring){ .i = v, .j = anchor, .k = c->stiffness, .length = c->length >= 0 ? c->length : far };
    }
    return LIL_OK;
}

static lil_status tie_to_vertices(lil_world *w, const lil_spring_end *to, int first, const int *vertices, int count,
                                  const lil_spring_config *c, lil_spring *springs)
{
    end *ends;
    LIL_ALLOC(w->ctx, &w->arena, ends, to->count);
    for (int k = 0; k < to->count; k++) {
        int v = w->list[to->body].first + to->vertices[k];
        ends[k] = (end){ w->x[3 * (size_t)v], v };
    }
    int only = ends[0].vertex;
    qsort(ends, (size_t)to->count, sizeof *ends, order_end);
    for (int i = 0; i < count; i++) {
        double least;
        int v = first + vertices[i], nearest = find_nearest(w, v, ends, to->count, &least);
        if (nearest < 0)
            return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "%s",
                                    to->count > 1 || only != v ? "the length of a spring is not finite"
                                                               : "a spring has the same vertex at both ends");
        springs[i] =
            (lil_spring){ .i = v, .j = nearest, .k = c->stiffness, .length = c->length >= 0 ? c->length : least };
    }
    return LIL_OK;
}

lil_status lil_world_tie(lil_world *w, const lil_spring_end *from, const lil_spring_end *to,
                         const lil_spring_config *c)
{
    const lil_body *body = &w->list[from->body];
    if (isnan(c->stiffness))
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "'stiffness' is missing here");
    lil_spring *springs;
    LIL_ALLOC(w->ctx, &w->arena, springs, from->count);
    LIL_TRY(to->body < 0 ? tie_to_point(w, to->at, body->first, from->vertices, from->count, c, springs)
                         : tie_to_vertices(w, to, body->first, from->vertices, from->count, c, springs));
    return add_set(w, from->count, springs, (lil_damping_def){ c->damping, body->damping.form });
}

/* ---- along links ---- */

static lil_status measure_link(lil_world *w, const lil_body *body, int link, double *length)
{
    const int *ends = body->links.at[link];
    *length = distance(body->mesh.x + 3 * ends[0], body->mesh.x + 3 * ends[1]);
    if (!(*length > 0) || !isfinite(*length))
        return lil_world_refuse(w, "links", LIL_ERR_INPUT,
                                "link %d of '%.60s' has zero length: particles %d and %d coincide", link, body->name,
                                ends[0], ends[1]);
    return LIL_OK;
}

lil_status lil_world_link(lil_world *w, int index, const lil_spring_config *c)
{
    const lil_body *body = &w->list[index];
    lil_spring *springs;
    LIL_ALLOC(w->ctx, &w->arena, springs, body->links.count);
    if (isnan(c->stiffness))
        return lil_world_refuse(w, "links", LIL_ERR_INPUT, "'stiffness' is missing here");
    for (int i = 0; i < body->links.count; i++) {
        double length;
        LIL_TRY(measure_link(w, body, i, &length));
        springs[i] = (lil_spring){ .i = body->first + body->links.at[i][0],
                                   .j = body->first + body->links.at[i][1],
                                   .k = c->stiffness,
                                   .length = c->length >= 0 ? c->length : length };
    }
    return add_set(w, body->links.count, springs, (lil_damping_def){ c->damping, LIL_DAMP_EXACT });
}

/* As long as they are; those between what is held anyway are left out when the world is numbered. */
lil_status lil_world_link_rigidly(lil_world *w, int index, const char *label)
{
    lil_body *body = &w->list[index];
    lil_link *links = LIL_NEW(&w->arena, lil_link, body->links.count);
    const char *own = lil_arena_copy(&w->arena, label, strlen(label));
    LIL_HAVE(w->ctx, links && own);
    for (int i = 0; i < body->links.count; i++) {
        links[i] = (lil_link){ .i = body->first + body->links.at[i][0], .j = body->first + body->links.at[i][1] };
        LIL_TRY(measure_link(w, body, i, &links[i].length));
    }
    body->rigid = true;
    return lil_world_bind(w, &lil_constraint_distance, links, body->links.count, own, body->name);
}

/* ---- from a def ---- */

lil_spring_def lil_spring_def_default(void)
{
    return (lil_spring_def){ .size = sizeof(lil_spring_def), .to = -1, .stiffness = NAN, .length = -1 };
}

lil_status lil_world_add_springs(lil_world *w, const lil_spring_def *def)
{
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_NEED(w->ctx, def->vertices, "def->vertices");
    LIL_TRY(lil_world_check_vertices(w, def->body, def->vertices, def->vertex_count));
    if (def->to >= 0) {
        LIL_NEED(w->ctx, def->to_vertices, "def->to_vertices");
        LIL_TRY(lil_world_check_vertices(w, def->to, def->to_vertices, def->to_count));
    }
    const lil_spring_config config = { def->stiffness, def->length < 0 ? -1 : def->length, def->damping };
    LIL_TRY(lil_fields_check(w->ctx, lil_spring_fields, LIL_SPRING_FIELDS, &config));
    const lil_spring_end from = { .body = def->body, .vertices = def->vertices, .count = def->vertex_count };
    lil_spring_end to = { .body = def->to < 0 ? -1 : def->to, .vertices = def->to_vertices, .count = def->to_count };
    memcpy(to.at, def->point, sizeof to.at);
    return lil_world_tie(w, &from, &to, &config);
}
