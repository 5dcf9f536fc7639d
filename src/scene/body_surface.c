/* surface: the body's tets fill it, and it rides in them. */
#include "scene/bodies.h"

#include "mesh/fill/implicit.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

enum { VERTICES = 2000, CELLS = 40 }; /* where the scene does not say */

/* A formula's zero set: {inside: expression, box: [[x, y, z], [x, y, z]], cells: 40} */
static const lil_key formula_keys[] = {
    { LIL_KEY("inside", "number", ""), .required = LIL_REQUIRED },
    { LIL_KEY("box", "box", ""), .required = LIL_REQUIRED },
    { LIL_KEY("cells", "number", "") },
    { 0 },
};
const lil_mapping lil_formula_table = { .in = "surface", .keys = formula_keys };

static const char *const fillings[] = { "vertices", "edge", "thickness" };

lil_status lil_refuse_filling(const lil_reader *rd, const lil_node *body)
{
    for (int i = 0; i < 3; i++) {
        const lil_node *node = lil_node_get(body, fillings[i]);
        if (node)
            return lil_node_fail_key(rd->ctx, node,
                                     "'%s' sets how a 'surface' is filled with tets, but this body has no 'surface'",
                                     fillings[i]);
    }
    return LIL_OK;
}

static lil_status read_filling(const lil_reader *rd, const lil_node *body, lil_filling *filling)
{
    double value[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        const lil_node *node = lil_node_get(body, fillings[i]);
        double *x;
        int count;
        if (!node)
            continue;
        LIL_TRY(lil_read_numbers(rd, node, fillings[i], true, &x, &count));
        if (!(*x > 0 && *x < 1e100))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' must be positive and finite, not %g",
                                 fillings[i], *x);
        if (i == 0 && !(*x <= INT_MAX && *x == floor(*x)))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "'vertices' must be a whole number up to %d, not %.10g", INT_MAX, *x);
        value[i] = *x;
    }
    if (value[0] > 0 && value[1] > 0)
        return lil_node_fail_key(rd->ctx, lil_node_get(body, "edge"),
                                 "a surface is filled by 'vertices' or by 'edge', not both");
    *filling = (lil_filling){ .vertices = value[0] > 0   ? (int)value[0]
                                          : value[1] > 0 ? 0
                                                         : VERTICES,
                              .edge = value[1],
                              .thickness = value[2] };
    return LIL_OK;
}

/* If the file is missing, the message says where to get it. */
static lil_status fail_missing(const lil_reader *rd, const lil_node *body, const char *path, const lil_node *node,
                               lil_status status)
{
    const lil_node *source = lil_node_get(body, "source");
    if (!source || access(path, F_OK) == 0)
        return lil_read_fail_at(rd, node, status);
    LIL_TRY(lil_node_expect(rd->ctx, source, LIL_NODE_SCALAR, "source"));
    return lil_node_fail(rd->ctx, node, LIL_ERR_FILE, "%.200s: does not exist; get it from %.200s", path,
                         source->text);
}

/* ---- in one formula ---- */

typedef struct formula {
    lil_program program;
    double *slots;
} formula;

static double formula_value(void *user, const double x[3])
{
    formula *f = user;
    double out;
    lil_program_run(&f->program, f->slots, 0, x, NULL, &out);
    return out;
}

static lil_status read_formula(const lil_reader *rd, const lil_node *node, formula *f)
{
    static const lil_texts_def places = { .xyz = true };
    lil_scope scope;
    lil_graph g;
    lil_ex *out;
    int count;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "inside"));
    lil_source plain = lil_node_source(node, "inside"), *source = lil_source_copy(rd->arena, &plain);
    LIL_HAVE(rd->ctx, source);
    LIL_TRY(lil_read_text_scope(rd, &places, &scope));
    LIL_TRY(lil_graph_init(&g, rd->ctx));
    lil_status status = lil_read_hint(rd->ctx, node, lil_build(&g, rd->arena, &scope, source, true, &out, &count));
    if (status == LIL_OK)
        status = lil_program_compile(&g, rd->arena, 3, out, 1, &f->program);
    lil_graph_free(&g);
    LIL_TRY(status);
    f->slots = lil_program_slots(&f->program, rd->arena);
    return f->slots ? LIL_OK : lil_fail_memory(rd->ctx);
}

/* {inside: expression, box: [[x, y, z], [x, y, z]], cells: 40} */
static lil_status read_implicit(const lil_reader *rd, const lil_node *map, lil_surface *surface)
{
    const lil_node *box = lil_node_get(map, "box"), *cells = lil_node_get(map, "cells");
    formula f;
    lil_implicit def = { .name = "inside", .cells = CELLS, .value = formula_value, .user = &f };
    LIL_TRY(lil_table_check(rd, map, &lil_formula_table, NULL));
    if (box->kind != LIL_NODE_LIST || box->count != 2)
        return lil_node_fail(rd->ctx, box, LIL_ERR_INPUT, "a box is two corners, [[x, y, z], [x, y, z]]");
    LIL_TRY(lil_read_vector(rd, box->first, "a corner of a box", def.low));
    LIL_TRY(lil_read_vector(rd, box->first->next, "a corner of a box", def.high));
    if (cells) {
        double *x;
        int count;
        LIL_TRY(lil_read_numbers(rd, cells, "cells", true, &x, &count));
        if (!(*x >= 2 && *x <= LIL_IMPLICIT_CELLS && *x == floor(*x)))
            return lil_node_fail(rd->ctx, cells, LIL_ERR_INPUT, "'cells' must be a whole number from 2 to %d, not %g",
                                 LIL_IMPLICIT_CELLS, *x);
        def.cells = (int)*x;
    }
    LIL_TRY(read_formula(rd, lil_node_get(map, "inside"), &f));
    lil_status status = lil_surface_implicit(rd->ctx, rd->arena, &def, surface);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, map, status);
}

/* ---- all together ---- */

static lil_status read_file(const lil_reader *rd, const lil_node *node, const lil_node *body, lil_surface *surface)
{
    const char *path;
    LIL_TRY(lil_read_body_path(rd, node, "surface", &path));
    lil_status status = lil_surface_read(rd->ctx, rd->arena, path, surface);
    return status == LIL_OK ? LIL_OK : fail_missing(rd, body, path, node, status);
}

/* Scaled before it is filled: tets are then as good, and as large, as they are asked for. */
static void scale(lil_surface *surface, double by[3])
{
    for (int i = 0; i < surface->vertex_count; i++)
        for (int d = 0; d < 3; d++)
            surface->x[3 * (size_t)i + (size_t)d] *= by[d];
    for (int d = 0; d < 3; d++)
        by[d] = 1;
}

lil_status lil_read_body_surface(const lil_reader *rd, const lil_node *node, lil_body *body, lil_world *w)
{
    lil_filling filling;
    LIL_TRY(read_filling(rd, body->node, &filling));
    LIL_TRY(node->kind == LIL_NODE_MAP ? read_implicit(rd, node, &body->surface)
                                       : read_file(rd, node, body->node, &body->surface));
    body->placement.sheet = filling.thickness / 2;
    LIL_TRY(lil_settle_body(rd, body, w));
    scale(&body->surface, body->placement.scale);
    lil_status status = lil_surface_tetrahedralise(rd->ctx, rd->arena, &body->surface, &filling, &body->mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}
