/* Pressure on faces of bodies: which faces, and whether they enclose a volume. */
#include "core/order.h"
#include "world/def.h"

#include <stdlib.h>
#include <string.h>

/* The faces of the surface whose vertices are all selected, by their numbers in the world. */
static lil_status list_faces(lil_world *w, const lil_body *body, const int *vertices, int count,
                             lil_pressure_def *def)
{
    bool *selected = LIL_NEW(&w->arena, bool, body->mesh.vertex_count);
    int(*faces)[3] = lil_arena_alloc(&w->arena, (size_t)body->mesh.face_count, sizeof *faces);
    LIL_HAVE(w->ctx, selected && faces);
    for (int i = 0; i < count; i++)
        selected[vertices[i]] = true;
    for (int f = 0; f < body->mesh.face_count; f++) {
        const int *face = body->mesh.faces[f];
        if (!selected[face[0]] || !selected[face[1]] || !selected[face[2]])
            continue;
        for (int k = 0; k < 3; k++)
            faces[def->face_count][k] = body->first + face[k];
        def->face_count++;
    }
    def->faces = (const int(*)[3])faces;
    return LIL_OK;
}

lil_status lil_world_press(lil_world *w, int index, const int *vertices, int count, const lil_program *pressure)
{
    lil_pressure_def def = { 0 };
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    if (body->particles)
        return lil_world_refuse(w, "pressure", LIL_ERR_INPUT, "'%.60s' are particles: they have no surface",
                                body->name);
    lil_program *program = LIL_NEW(&w->arena, lil_program, 1);
    LIL_HAVE(w->ctx, program && lil_world_grow(w, &w->pressures, w->pressure_count, 1, &w->room.pressures,
                                               sizeof *w->pressures));
    LIL_TRY(list_faces(w, body, vertices, count, &def));
    if (!def.face_count)
        return lil_world_refuse(w, "select", LIL_ERR_INPUT, "no face of the surface of '%.60s' is selected here",
                                body->name);
    *program = *pressure;
    def.pressure = program;
    w->pressures[w->pressure_count++] = def;
    return LIL_OK;
}

lil_status lil_world_add_pressure(lil_world *w, int body, const int *vertices, int count,
                                  const lil_vector_def *pressure)
{
    lil_program program;
    LIL_NEED(NULL, w, "world");
    LIL_WORLD_NEED(w, vertices, "vertices");
    LIL_WORLD_NEED(w, pressure, "pressure");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_body(w, body));
    LIL_TRY(lil_world_program(w, w->list[body].name, "pressure", pressure,
                              &(lil_texts_def){ .t = true, .rates = true }, &program));
    return lil_world_press(w, body, vertices, count, &program);
}

/* ---- whether they enclose a volume ---- */

/* An edge of a face, its smaller vertex first, and which way the face has it. */
typedef struct way {
    int a, b, forward;
} way;

static int by_edge(const void *x, const void *y)
{
    const way *p = x, *r = y;
    return p->a != r->a ? lil_order(p->a, r->a) : lil_order(p->b, r->b);
}

static bool is_moved(const lil_world *w, int vertex)
{
    for (int s = 0; s < w->script_count; s++)
        for (int k = 0; k < w->scripts[s].count; k++)
            if (w->scripts[s].vertices[k] == vertex)
                return true;
    return false;
}

static bool is_fixed(const lil_world *w, int vertex)
{
    return lil_world_stays(w, vertex) && !is_moved(w, vertex);
}

bool lil_world_pressure_has_potential(const lil_world *w, lil_pressure_def *def)
{
    int total = 3 * def->face_count;
    way *ways = malloc((size_t)total * sizeof *ways);
    bool has = ways;
    def->vertex = def->faces[0][0];
    for (int i = 0; ways && i < total; i++) {
        int a = def->faces[i / 3][i % 3], b = def->faces[i / 3][(i + 1) % 3];
        ways[i] = a < b ? (way){ a, b, 1 } : (way){ b, a, -1 };
    }
    if (ways)
        qsort(ways, (size_t)total, sizeof *ways, by_edge);
    for (int from = 0, end = 0; has && from < total; from = end) {
        int sum = 0;
        for (; end < total && by_edge(&ways[from], &ways[end]) == 0; end++)
            sum += ways[end].forward;
        if (sum == 0)
            continue;
        has = is_fixed(w, ways[from].a) && is_fixed(w, ways[from].b);
        def->vertex = ways[from].a; /* of the rim */
    }
    free(ways);
    return has;
}
