/* What holds strands: the first two particles of each are fixed, have a handle, or move with the body from which they
 * grow. */
#include "math/matrix3.h"
#include "mesh/fill/embedding.h"
#include "world/def.h"

#include <math.h>

/* ---- on a surface ---- */

typedef struct skin {
    const double *x;
    const int (*triangles)[3];
    int count;
} skin;

static skin skin_of(const lil_body *body)
{
    const lil_surface *s = &body->surface;
    return s->vertex_count ? (skin){ s->x, (const int(*)[3])s->triangles, s->triangle_count }
                           : (skin){ body->mesh.x, (const int(*)[3])body->mesh.faces, body->mesh.face_count };
}

/* The area, m^2, and the unit normal. */
static double area_of(const skin *s, int t, double n[3])
{
    const double *x = s->x + 3 * s->triangles[t][0], *y = s->x + 3 * s->triangles[t][1],
                 *z = s->x + 3 * s->triangles[t][2];
    double a[3], b[3];
    for (int d = 0; d < 3; d++) {
        a[d] = y[d] - x[d];
        b[d] = z[d] - x[d];
    }
    lil_cross3(a, b, n);
    double twice = sqrt(lil_dot3(n, n));
    for (int d = 0; d < 3; d++)
        n[d] = twice > 0 ? n[d] / twice : 0;
    return twice / 2;
}

/* Two numbers between 0 and 1 for each i, evenly spread over the square (Roberts' sequence). */
static void spread(int i, double *u, double *v)
{
    const double A = 0.7548776662466927, B = 0.5698402909980532;
    *u = i * A - floor(i * A);
    *v = i * B - floor(i * B);
    if (*u + *v > 1) {
        *u = 1 - *u;
        *v = 1 - *v;
    }
}

lil_status lil_world_roots_on(lil_world *w, const char *name, const lil_strands_def *def, double (*root)[3],
                              double (*direction)[3])
{
    const double RADIANS = acos(-1) / 180, length = sqrt(lil_dot3(def->axis, def->axis));
    LIL_TRY(lil_world_check_body(w, def->on));
    const lil_body *body = &w->list[def->on];
    const skin s = skin_of(body);
    double *until, total = 0, n[3];
    if (body->particles)
        return lil_world_refuse(w, "roots", LIL_ERR_INPUT, "'%.60s' grows from '%.60s', which is no body of tets",
                                name, body->name);
    if (!(length > 0) || !isfinite(length) || !(def->from < def->to))
        return lil_world_refuse(w, "roots", LIL_ERR_INPUT,
                                "roots on a body need an axis and go 'from' a smaller angle 'to' a larger one");
    LIL_ALLOC(w->ctx, &w->arena, until, s.count);
    for (int t = 0; t < s.count; t++) {
        double area = area_of(&s, t, n), angle = acos(fmax(-1, fmin(1, lil_dot3(n, def->axis) / length))) / RADIANS;
        total += angle >= def->from && angle <= def->to ? area : 0;
        until[t] = total;
    }
    if (!(total > 0))
        return lil_world_refuse(w, "roots", LIL_ERR_INPUT,
                                "no face of '%.60s' has a normal from %g to %g degrees off the axis", body->name,
                                def->from, def->to);
    for (int i = 0, t = 0; i < def->count; i++) {
        double u, v;
        while (t + 1 < s.count && until[t] < (i + 0.5) / def->count * total)
            t++;
        area_of(&s, t, direction[i]);
        spread(i, &u, &v);
        for (int d = 0; d < 3; d++)
            root[i][d] = (1 - u - v) * s.x[3 * s.triangles[t][0] + d] + u * s.x[3 * s.triangles[t][1] + d] +
                         v * s.x[3 * s.triangles[t][2] + d];
    }
    return LIL_OK;
}

/* ---- what holds them ---- */

typedef struct holder {
    lil_world *w;
    const lil_body *strands, *body;
    int *script;           /* of each vertex: one more than its number; 0: none */
    int **moved;           /* of each script: roots that it moves too, */
    int (**carriers)[4];   /*   the points of its samples that carry them, */
    double (**weights)[3]; /*   and their weights */
    int *moved_count;
    int *point;    /* of each vertex: of the samples of its script */
    int *in_a_row; /* 0, 1, 2 ... */
    lil_tied *tied;
    int tied_count;
} holder;

/* The script of a tet moves a root that is in it, too. */
static void move_with(holder *h, int script, int root, int tet)
{
    int at = h->moved_count[script]++, room[4];
    const int *vertices = lil_mesh_part(&h->body->mesh, tet, room);
    h->moved[script][at] = root;
    for (int k = 0; k < 4; k++)
        h->carriers[script][at][k] = h->point[h->body->first + vertices[k]];
    lil_embedding_weights(&h->body->mesh, tet, h->w->x + 3 * (size_t)root, h->weights[script][at]);
}

/* As its tet: fixed, or moved by one handle; tied to one that moves by itself, now or when its pins let go. */
static void hold_strand(holder *h, int first, int tet)
{
    lil_world *w = h->w;
    int v[4], room[4], script = 0;
    bool held = true;
    for (int k = 0; k < 4; k++) {
        v[k] = h->body->first + lil_mesh_part(&h->body->mesh, tet, room)[k];
        script = k ? script : h->script[v[k]];
        held = held && lil_world_stays(w, v[k]) && h->script[v[k]] == script;
    }
    for (int root = first; root < first + 2; root++) {
        if (w->held[root])
            continue;
        if (!held) {
            lil_make_tied(&h->body->mesh, h->body->first, tet, root, w->x + 3 * (size_t)root,
                          &h->tied[h->tied_count++]);
            continue;
        }
        w->held[root] = true;
        if (script)
            move_with(h, script - 1, root, tet);
    }
}

static lil_status follow(holder *h, int scripts)
{
    lil_world *w = h->w;
    for (int s = 0; s < scripts; s++) {
        if (!h->moved_count[s])
            continue;
        LIL_HAVE(w->ctx, lil_world_grow(w, &w->scripts, w->script_count, 1, &w->room.scripts, sizeof *w->scripts));
        lil_script *to = &w->scripts[w->script_count++];
        *to = w->scripts[s];
        to->vertices = h->moved[s];
        to->count = h->moved_count[s];
        if (!to->samples)
            continue;
        LIL_TRY(lil_world_carry_samples(w, to->samples, (const int(*)[4])h->carriers[s], h->weights[s], to->count,
                                        &to->samples));
        to->points = h->in_a_row;
    }
    const char *name = lil_arena_format(&w->arena, "%s_roots", h->strands->name);
    LIL_HAVE(w->ctx, name);
    if (!h->tied_count)
        return LIL_OK;
    LIL_TRY(lil_world_bind(w, &lil_constraint_tie, h->tied, h->tied_count, name, name));
    return lil_world_drop_tied_links(w);
}

static lil_status hold_on_body(lil_world *w, const lil_body *strands)
{
    int nodes = strands->strands->nodes, count = strands->mesh.vertex_count / nodes, scripts = w->script_count;
    holder h = { .w = w, .strands = strands, .body = &w->list[strands->strands->on] };
    lil_mesh mesh = h.body->mesh;
    lil_body placed = *h.body;
    lil_embedding at;
    double *x;
    mesh.x = w->x + 3 * (size_t)h.body->first;
    placed.mesh = mesh;
    h.body = &placed;
    LIL_ALLOC(w->ctx, &w->arena, x, 3 * (size_t)count);
    LIL_ALLOC(w->ctx, &w->arena, h.script, w->vertex_count);
    LIL_ALLOC(w->ctx, &w->arena, h.tied, 2 * (size_t)count);
    LIL_ALLOC(w->ctx, &w->arena, h.moved, scripts);
    LIL_ALLOC(w->ctx, &w->arena, h.moved_count, scripts);
    LIL_ALLOC(w->ctx, &w->arena, h.carriers, scripts);
    LIL_ALLOC(w->ctx, &w->arena, h.weights, scripts);
    LIL_ALLOC(w->ctx, &w->arena, h.point, w->vertex_count);
    LIL_ALLOC(w->ctx, &w->arena, h.in_a_row, 2 * (size_t)count);
    for (int i = 0; i < 2 * count; i++)
        h.in_a_row[i] = i;
    for (int s = 0; s < scripts; s++) {
        LIL_ALLOC(w->ctx, &w->arena, h.moved[s], 2 * (size_t)count);
        LIL_ALLOC(w->ctx, &w->arena, h.carriers[s], 2 * (size_t)count);
        LIL_ALLOC(w->ctx, &w->arena, h.weights[s], 2 * (size_t)count);
        for (int k = 0; k < w->scripts[s].count; k++) {
            int v = w->scripts[s].vertices[k];
            h.script[v] = s + 1;
            h.point[v] = w->scripts[s].points ? w->scripts[s].points[k] : 0;
        }
    }
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = w->x[3 * (size_t)(strands->first + i * nodes) + (size_t)d];
    LIL_TRY(lil_embed(w->ctx, &w->arena, &mesh, x, count, &at));
    for (int i = 0; i < count; i++)
        hold_strand(&h, strands->first + i * nodes, at.tet[i]);
    return follow(&h, scripts);
}

lil_status lil_world_hold_roots(lil_world *w)
{
    for (int b = 0; b < w->count; b++) {
        const lil_body *body = &w->list[b];
        if (body->strands && body->strands->on >= 0)
            LIL_TRY(hold_on_body(w, body));
        for (int i = 0; body->strands && body->strands->on < 0 && i < body->mesh.vertex_count; i++)
            if (i % body->strands->nodes < 2)
                w->held[body->first + i] = true;
    }
    return LIL_OK;
}
