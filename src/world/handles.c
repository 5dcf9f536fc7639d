/* Fixed vertices, handles, loads and drag. */
#include "world/def.h"

#include <math.h>
#include <string.h>

/* Their numbers among all vertices, in the arena; NULL: no memory. */
static int *number(lil_world *w, const lil_body *body, const int *vertices, int count)
{
    int *all = LIL_NEW(&w->arena, int, count);
    for (int i = 0; all && i < count; i++)
        all[i] = body->first + vertices[i];
    return all;
}

/* ---- fixed and handles ---- */

lil_status lil_world_hold(lil_world *w, int index, const int *vertices, int count)
{
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    for (int i = 0; i < count; i++) {
        w->held[body->first + vertices[i]] = true;
        w->released[body->first + vertices[i]] = 0;
    }
    return LIL_OK;
}

void lil_world_middle(const lil_world *w, int index, const int *vertices, int count, double middle[3])
{
    const double *x = w->x + 3 * (size_t)w->list[index].first;
    memset(middle, 0, 3 * sizeof *middle);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            middle[d] += x[3 * vertices[i] + d] / count;
}

lil_status lil_world_drive(lil_world *w, int index, const int *vertices, int count, const lil_script *by)
{
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    int *all = number(w, body, vertices, count);
    LIL_HAVE(w->ctx, all && lil_world_grow(w, &w->scripts, w->script_count, 1, &w->room.scripts, sizeof *w->scripts));
    for (int i = 0; i < count; i++) {
        if (w->held[all[i]]) {
            int held = vertices[i];
            while (i-- > 0) /* as it was */
                w->held[all[i]] = false;
            return lil_world_refuse(w, "select", LIL_ERR_INPUT, "vertex %d of '%.60s' is pinned already", held,
                                    body->name);
        }
        w->held[all[i]] = true;
    }
    w->scripts[w->script_count] = *by;
    w->scripts[w->script_count].vertices = all;
    w->scripts[w->script_count++].count = count;
    return LIL_OK;
}

/* ---- letting go ---- */

lil_status lil_world_release(lil_world *w, int index, const int *vertices, int count, double t,
                             const struct lil_node *node)
{
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    if (!isfinite(t))
        return lil_world_refuse(w, "until", LIL_ERR_INPUT, "'until' must be finite, not %g", t);
    for (int i = 0; i < count; i++) {
        int v = body->first + vertices[i];
        /* of strands in space the first two particles are pinned when the world is numbered */
        if (!w->held[v] && !(body->strands && body->strands->on < 0 && vertices[i] % body->strands->nodes < 2))
            return lil_world_refuse(w, "select", LIL_ERR_INPUT, "vertex %d of '%.60s' is not pinned", vertices[i],
                                    body->name);
    }
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->releases, w->release_count, 1, &w->room.releases, sizeof *w->releases));
    w->releases[w->release_count++] = (lil_release){ t, node };
    for (int i = 0; i < count; i++)
        w->released[body->first + vertices[i]] = w->release_count;
    return LIL_OK;
}

/* ---- loads ---- */

/* The integrals of the shape functions over a quadratic face: nothing at corners, a third at mid nodes. */
static double share_quadratic(const lil_mesh *mesh, const int (*parts)[3], const int *at, double *weights)
{
    const int *mid = parts[LIL_FACE_PARTS - 1],
              nodes[6] = { parts[0][0], parts[1][0], parts[2][0], mid[0], mid[1], mid[2] };
    double share[6];
    for (int k = 0; k < 6; k++)
        if (at[nodes[k]] < 0)
            return 0;
    double area = lil_quadratic_face(mesh->x, nodes, share);
    for (int k = 0; k < 6; k++)
        weights[at[nodes[k]]] += share[k];
    return area;
}

/* A third of the area of each face of the surface whose vertices are all selected; `at`: of each vertex its place
 * in the selection, or -1. */
static double share_area(const lil_body *body, const int *at, double *weights)
{
    const double *x = body->mesh.x;
    double total = 0;
    for (int f = 0; body->mesh.mids && f < body->mesh.face_count; f += LIL_FACE_PARTS)
        total += share_quadratic(&body->mesh, (const int(*)[3])body->mesh.faces + f, at, weights);
    if (body->mesh.mids)
        return total;
    for (int f = 0; f < body->mesh.face_count; f++) {
        const int *face = body->mesh.faces[f];
        if (at[face[0]] < 0 || at[face[1]] < 0 || at[face[2]] < 0)
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
            weights[at[face[k]]] += area / 3;
    }
    return total;
}

lil_status lil_world_load(lil_world *w, int index, const int *vertices, int count, bool traction,
                          const lil_program *force)
{
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    int *all = number(w, body, vertices, count), *at = LIL_NEW(&w->arena, int, body->mesh.vertex_count);
    double *weights = LIL_NEW(&w->arena, double, count);
    lil_program *program = LIL_NEW(&w->arena, lil_program, 1);
    LIL_HAVE(w->ctx, all && at && weights && program &&
                         lil_world_grow(w, &w->loads, w->load_count, 1, &w->room.loads, sizeof *w->loads));
    for (int i = 0; i < body->mesh.vertex_count; i++)
        at[i] = -1;
    for (int i = 0; i < count; i++)
        at[vertices[i]] = i;
    double area = share_area(body, at, weights);
    if (traction && area == 0)
        return lil_world_refuse(w, "select", LIL_ERR_INPUT, "no face of the surface of '%.60s' is selected here",
                                body->name);
    for (int i = 0; !traction && i < count; i++) /* a whole force: by area, or alike where there is none */
        weights[i] = area > 0 ? weights[i] / area : 1.0 / count;
    *program = *force;
    w->loads[w->load_count++] = (lil_load_def){
        .program = program, .uses_t = program->time_slot >= 0, .vertices = all, .weights = weights, .count = count
    };
    return LIL_OK;
}

/* ---- drag ---- */

lil_status lil_world_drag(lil_world *w, int index, double c, const lil_program *wind, const lil_program *slopes)
{
    static const double MOST = 1e100;
    const lil_body *body = &w->list[index];
    if (!(c >= 0 && c <= MOST))
        return lil_world_refuse(w, "drag", LIL_ERR_INPUT, "'drag' must be 0 or more, not %g kg/s", c);
    if (c == 0)
        return LIL_OK;
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->drags, w->drag_count, 1, &w->room.drags, sizeof *w->drags));
    w->drags[w->drag_count++] = (lil_drag_def){ c, body->first, body->mesh.vertex_count, wind, slopes };
    return LIL_OK;
}

/* ---- from defs ---- */

lil_status lil_world_fix(lil_world *w, int body, const int *vertices, int count)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_TRY(lil_world_open(w, __func__));
    return lil_world_hold(w, body, vertices, count);
}

lil_status lil_world_add_handle(lil_world *w, int body, const int *vertices, int count, const lil_vector_def *move)
{
    lil_program *program;
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_NEED(w->ctx, move, "move");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_body(w, body));
    LIL_ALLOC(w->ctx, &w->arena, program, 1);
    LIL_TRY(lil_world_program(w, w->list[body].name, "move", move,
                              &(lil_texts_def){ .t = true, .xyz = true, .rates = true }, program));
    return lil_world_drive(w, body, vertices, count, &(lil_script){ .move = program });
}

lil_status lil_world_add_turning_handle(lil_world *w, int body, const int *vertices, int count,
                                        const lil_vector_def *turn, const double about[3])
{
    lil_program *program;
    lil_script script = { 0 };
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_NEED(w->ctx, turn, "turn");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_vertices(w, body, vertices, count));
    LIL_ALLOC(w->ctx, &w->arena, program, 1);
    LIL_TRY(lil_world_program(w, w->list[body].name, "turn", turn, &(lil_texts_def){ .t = true, .rates = true },
                              program));
    script.turn.turn = program;
    lil_world_middle(w, body, vertices, count, script.turn.centre);
    if (about) {
        LIL_TRY(lil_check_numbers(w->ctx, w->list[body].name, "about", about, 3));
        memcpy(script.turn.centre, about, sizeof script.turn.centre);
    }
    return lil_world_drive(w, body, vertices, count, &script);
}

lil_status lil_world_add_following_handle(lil_world *w, int body, const int *vertices, int count,
                                          const lil_samples_def *samples)
{
    lil_script script = { 0 };
    lil_samples *own;
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_NEED(w->ctx, samples, "samples");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_vertices(w, body, vertices, count));
    LIL_TRY(lil_world_take_samples(w, w->list[body].name, samples, &own));
    LIL_TRY(lil_world_follow(w, body, vertices, count, own, &script));
    return lil_world_drive(w, body, vertices, count, &script);
}

lil_status lil_world_let_go(lil_world *w, int body, const int *vertices, int count, double t)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_TRY(lil_world_open(w, __func__));
    return lil_world_release(w, body, vertices, count, t, NULL);
}

static lil_status add_load(lil_world *w, int body, const int *vertices, int count, bool traction,
                           const lil_vector_def *force, const char *function)
{
    lil_program program;
    LIL_NEED(NULL, w, "world");
    LIL_WORLD_NEED(w, vertices, "vertices");
    LIL_WORLD_NEED(w, force, traction ? "traction" : "force");
    LIL_TRY(lil_world_open(w, function));
    LIL_TRY(lil_world_check_body(w, body));
    LIL_TRY(lil_world_program(w, w->list[body].name, traction ? "traction" : "force", force,
                              &(lil_texts_def){ .t = true }, &program));
    return lil_world_load(w, body, vertices, count, traction, &program);
}

lil_status lil_world_add_load(lil_world *w, int body, const int *vertices, int count, const lil_vector_def *force)
{
    return add_load(w, body, vertices, count, false, force, __func__);
}

lil_status lil_world_add_traction(lil_world *w, int body, const int *vertices, int count,
                                  const lil_vector_def *traction)
{
    return add_load(w, body, vertices, count, true, traction, __func__);
}

lil_status lil_world_add_force(lil_world *w, int body, lil_point_force_fn *force, lil_point_force_slopes_fn *slopes,
                               void *user)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, force, "force");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_body(w, body));
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->forces, w->force_count, 1, &w->room.forces, sizeof *w->forces));
    const lil_body *b = &w->list[body];
    w->forces[w->force_count++] = (lil_point_force_def){ b->first, b->mesh.vertex_count, force, slopes, user };
    return LIL_OK;
}
