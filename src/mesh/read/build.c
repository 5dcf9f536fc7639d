#include "mesh/read/build.h"

#include "core/grow.h"
#include "core/order.h"
#include "mesh/mids.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* beyond it volumes squared overflow; no body is so large */
static const double COORDINATE_MAX = 1e30;
enum { TETS_MAX = 500 * 1000 * 1000 }; /* 4 faces each are still counted by an int */

struct lil_cell {
    size_t first; /* of its nodes */
    int count;
    int line;
};

struct lil_cell_group {
    int64_t number;
    size_t cell;
    int dim;
};

struct lil_group_name {
    int64_t number;
    const char *name;
    int dim;
};

lil_build lil_build_begin(lil_context *ctx, lil_arena *arena)
{
    return (lil_build){ .ctx = ctx, .arena = arena };
}

void lil_build_end(lil_build *b)
{
    free(b->x);
    free(b->tag);
    free(b->cells);
    free(b->nodes);
    free(b->marks);
    free(b->labels);
    *b = (lil_build){ 0 };
}

/* ---- filling it ---- */

lil_status lil_build_vertex(lil_build *b, lil_scan *s, int64_t tag, int bytes)
{
    LIL_TRY(lil_grow(b->ctx, &b->x, &b->x_room, 3 * b->vertex_count, 3, sizeof *b->x));
    LIL_TRY(lil_grow(b->ctx, &b->tag, &b->tag_room, b->vertex_count, 1, sizeof *b->tag));
    if (b->vertex_count == INT_MAX)
        return lil_scan_fail(s, "more than %d vertices", INT_MAX);
    double *x = b->x + 3 * b->vertex_count;
    for (int d = 0; d < 3; d++) {
        LIL_TRY(lil_scan_real(s, bytes, "a coordinate", &x[d]));
        if (fabs(x[d]) > COORDINATE_MAX)
            return lil_scan_fail(s, "a coordinate is %g m, farther out than %g m", x[d], COORDINATE_MAX);
    }
    b->tag[b->vertex_count++] = tag;
    return LIL_OK;
}

lil_status lil_build_cell(lil_build *b, const lil_scan *s, const int64_t *nodes, int count)
{
    LIL_TRY(lil_grow(b->ctx, &b->cells, &b->cell_room, b->cell_count, 1, sizeof *b->cells));
    LIL_TRY(lil_grow(b->ctx, &b->nodes, &b->node_room, b->node_count, (size_t)count, sizeof *b->nodes));
    b->cells[b->cell_count++] = (struct lil_cell){ .first = b->node_count, .count = count, .line = lil_scan_line(s) };
    memcpy(b->nodes + b->node_count, nodes, (size_t)count * sizeof *nodes);
    b->node_count += (size_t)count;
    return LIL_OK;
}

lil_status lil_build_tet(lil_build *b, const lil_scan *s, const int64_t *nodes, int count)
{
    if (b->tet_count == TETS_MAX)
        return lil_scan_fail(s, "more than %d tets", TETS_MAX);
    b->tet_count++;
    b->quadratic_count += count == LIL_QUADRATIC_NODES;
    if (b->quadratic_count && b->quadratic_count < b->tet_count)
        return lil_scan_fail(s,
                             "tet %zu has %d vertices, and others before it have %d: export all of them as "
                             "first-order or all as second-order tets",
                             b->tet_count, count, count == 4 ? LIL_QUADRATIC_NODES : 4);
    LIL_TRY(lil_build_cell(b, s, nodes, count));
    b->cells[b->cell_count - 1].count = -count; /* distinguishes tets from quads */
    return LIL_OK;
}

bool lil_build_repeats(const lil_build *b, const int64_t *nodes, int count, int64_t number)
{
    if (!b->cell_count || !b->mark_count)
        return false;
    const struct lil_cell *cell = &b->cells[b->cell_count - 1];
    const struct lil_cell_group *mark = &b->marks[b->mark_count - 1];
    return cell->count == -count && mark->cell == b->cell_count - 1 && mark->number != number &&
           memcmp(b->nodes + cell->first, nodes, (size_t)count * sizeof *nodes) == 0;
}

lil_status lil_build_mark(lil_build *b, int dim, int64_t number)
{
    LIL_TRY(lil_grow(b->ctx, &b->marks, &b->mark_room, b->mark_count, 1, sizeof *b->marks));
    b->marks[b->mark_count++] = (struct lil_cell_group){ .number = number, .cell = b->cell_count - 1, .dim = dim };
    return LIL_OK;
}

lil_status lil_build_label(lil_build *b, int dim, int64_t number, const char *name)
{
    LIL_TRY(lil_grow(b->ctx, &b->labels, &b->label_room, b->label_count, 1, sizeof *b->labels));
    const char *copy = lil_arena_copy(b->arena, name, strlen(name));
    LIL_HAVE(b->ctx, copy);
    b->labels[b->label_count++] = (struct lil_group_name){ .number = number, .name = copy, .dim = dim };
    return LIL_OK;
}

/* ---- numbers of the file -> indices ---- */

typedef struct tagged {
    int64_t tag;
    int index;
} tagged;

typedef struct lookup {
    bool consecutive; /* tags count up from the first: no table is needed */
    int64_t first;
    int count;
    tagged *table;
} lookup;

static int order_tag(const void *x, const void *y)
{
    int64_t a = ((const tagged *)x)->tag, b = ((const tagged *)y)->tag;
    return (a > b) - (a < b);
}

static lil_status make_lookup(const lil_build *b, const char *file, lookup *l)
{
    size_t n = b->vertex_count;
    *l = (lookup){ .consecutive = true, .first = n ? b->tag[0] : 0, .count = (int)n };
    for (size_t i = 1; i < n && l->consecutive; i++)
        l->consecutive = b->tag[i - 1] < INT64_MAX && b->tag[i] == b->tag[i - 1] + 1;
    if (l->consecutive)
        return LIL_OK;
    l->table = malloc(n * sizeof *l->table);
    LIL_HAVE(b->ctx, l->table);
    for (size_t i = 0; i < n; i++)
        l->table[i] = (tagged){ .tag = b->tag[i], .index = (int)i };
    qsort(l->table, n, sizeof *l->table, order_tag);
    for (size_t i = 1; i < n; i++)
        if (l->table[i].tag == l->table[i - 1].tag)
            return lil_fail(b->ctx, LIL_ERR_INPUT, "%.200s: vertex %lld appears twice", file,
                            (long long)l->table[i].tag);
    return LIL_OK;
}

static int look_up(const lookup *l, int64_t tag) /* -1: there is none */
{
    if (l->consecutive)
        return tag >= l->first && tag - l->first < l->count ? (int)(tag - l->first) : -1;
    tagged key = { .tag = tag };
    const tagged *found = bsearch(&key, l->table, (size_t)l->count, sizeof key, order_tag);
    return found ? found->index : -1;
}

static lil_status fail_reference(const lil_build *b, const char *file, const lookup *l, const struct lil_cell *cell,
                                 size_t ordinal, int64_t tag)
{
    char place[32] = "", range[80] = "which does not exist";
    if (cell->line)
        snprintf(place, sizeof place, "%d:", cell->line);
    if (!l->count)
        snprintf(range, sizeof range, "but there are none");
    else if (l->consecutive)
        snprintf(range, sizeof range, "but vertices go from %lld to %lld", (long long)l->first,
                 (long long)(l->first + (l->count - 1)));
    return lil_fail(b->ctx, LIL_ERR_INPUT, "%.200s:%s %s %zu refers to vertex %lld, %s", file, place,
                    cell->count < 0 ? "tet" : "cell", ordinal, (long long)tag, range);
}

/* Tags in b->nodes become indices, and tets go into the mesh. */
static lil_status resolve(lil_build *b, const char *file, const lookup *l, lil_mesh *mesh)
{
    LIL_ALLOC(b->ctx, b->arena, mesh->tets, b->tet_count);
    LIL_ALLOC(b->ctx, b->arena, mesh->tet_line, b->tet_count);
    if (b->quadratic_count)
        LIL_ALLOC(b->ctx, b->arena, mesh->mids, b->tet_count);
    for (size_t c = 0; c < b->cell_count; c++) {
        const struct lil_cell *cell = &b->cells[c];
        int64_t *node = b->nodes + cell->first;
        bool tet = cell->count < 0;
        int count = abs(cell->count);
        for (int k = 0; k < count; k++) {
            int index = look_up(l, node[k]);
            if (index < 0)
                return fail_reference(b, file, l, cell, tet ? (size_t)mesh->tet_count + 1 : c + 1, node[k]);
            node[k] = index;
        }
        if (!tet)
            continue;
        for (int k = 0; k < 4; k++)
            mesh->tets[mesh->tet_count][k] = (int)node[k];
        for (int k = 4; k < count; k++)
            mesh->mids[mesh->tet_count][k - 4] = (int)node[k];
        mesh->tet_line[mesh->tet_count++] = cell->line;
    }
    return LIL_OK;
}

/* ---- groups ---- */

/* One (dimension, number) and the run of marks that belong to it. */
typedef struct kind {
    const char *name;
    bool labelled;
    int dim;
    size_t first, end;
} kind;

static int order_place(int dim_a, int64_t a, int dim_b, int64_t b)
{
    return dim_a != dim_b ? dim_a - dim_b : (a > b) - (a < b);
}

static int order_mark(const void *x, const void *y)
{
    const struct lil_cell_group *a = x, *b = y;
    int order = order_place(a->dim, a->number, b->dim, b->number);
    return order ? order : (a->cell > b->cell) - (a->cell < b->cell);
}

static int order_label(const void *x, const void *y)
{
    const struct lil_group_name *a = x, *b = y;
    return order_place(a->dim, a->number, b->dim, b->number);
}

static int order_kind(const void *x, const void *y)
{
    const kind *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Runs of equal marks, with their names. */
static lil_status find_kinds(lil_build *b, kind *kinds, size_t *count)
{
    qsort(b->marks, b->mark_count, sizeof *b->marks, order_mark);
    if (b->label_count)
        qsort(b->labels, b->label_count, sizeof *b->labels, order_label);
    *count = 0;
    for (size_t i = 0, end; i < b->mark_count; i = end) {
        const struct lil_cell_group *mark = &b->marks[i];
        for (end = i + 1; end < b->mark_count; end++)
            if (b->marks[end].dim != mark->dim || b->marks[end].number != mark->number)
                break;
        struct lil_group_name key = { .number = mark->number, .dim = mark->dim };
        const struct lil_group_name *label =
            b->label_count ? bsearch(&key, b->labels, b->label_count, sizeof key, order_label) : NULL;
        const char *name = label ? label->name : lil_arena_format(b->arena, "%lld", (long long)mark->number);
        LIL_HAVE(b->ctx, name);
        kinds[(*count)++] =
            (kind){ .name = name, .labelled = label != NULL, .dim = mark->dim, .first = i, .end = end };
    }
    return LIL_OK;
}

/* A bare number that several dimensions use says too little. Leaves the kinds sorted by their names. */
static lil_status tell_apart(lil_build *b, kind *kinds, size_t count)
{
    static const char *const dimensions[] = { "point", "curve", "surface", "volume" };
    qsort(kinds, count, sizeof *kinds, order_kind);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(kinds[i].name, kinds[end].name) == 0;)
            end++;
        for (size_t k = i; k < end && end > i + 1; k++)
            if (!kinds[k].labelled) {
                kinds[k].name = lil_arena_format(b->arena, "%s-%s", dimensions[kinds[k].dim], kinds[k].name);
                LIL_HAVE(b->ctx, kinds[k].name);
            }
    }
    qsort(kinds, count, sizeof *kinds, order_kind);
    return LIL_OK;
}

/* The vertices of all cells of kinds[0 .. count), which share a name. `seen` holds each vertex's latest group. */
static lil_status collect(lil_build *b, const kind *kinds, size_t count, int stamp, int *seen, int *found,
                          lil_group *group)
{
    int n = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t m = kinds[k].first; m < kinds[k].end; m++) {
            const struct lil_cell *cell = &b->cells[b->marks[m].cell];
            for (int i = 0; i < abs(cell->count); i++) {
                int vertex = (int)b->nodes[cell->first + (size_t)i];
                if (seen[vertex] != stamp)
                    found[n++] = vertex;
                seen[vertex] = stamp;
            }
        }
    qsort(found, (size_t)n, sizeof *found, lil_order_ints);
    *group = (lil_group){ .name = kinds[0].name, .vertices = LIL_NEW(b->arena, int, n), .vertex_count = n };
    LIL_HAVE(b->ctx, group->vertices);
    memcpy(group->vertices, found, (size_t)n * sizeof *found);
    return LIL_OK;
}

static lil_status collect_all(lil_build *b, kind *kinds, int *scratch, lil_mesh *mesh)
{
    size_t count;
    LIL_TRY(find_kinds(b, kinds, &count));
    LIL_TRY(tell_apart(b, kinds, count));
    LIL_ALLOC(b->ctx, b->arena, mesh->groups, count);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(kinds[i].name, kinds[end].name) == 0;)
            end++;
        lil_group *group = &mesh->groups[mesh->group_count++];
        LIL_TRY(collect(b, kinds + i, end - i, mesh->group_count, scratch, scratch + mesh->vertex_count, group));
    }
    return LIL_OK;
}

static lil_status make_groups(lil_build *b, lil_mesh *mesh)
{
    if (!b->mark_count)
        return LIL_OK;
    if (b->mark_count > INT_MAX)
        return lil_fail(b->ctx, LIL_ERR_LIMIT, "%.200s: its groups have too many cells", mesh->name);
    kind *kinds = calloc(b->mark_count, sizeof *kinds);
    int *scratch = calloc(2 * (size_t)mesh->vertex_count, sizeof *scratch);
    lil_status status = kinds && scratch ? collect_all(b, kinds, scratch, mesh) : lil_fail_memory(b->ctx);
    free(kinds);
    free(scratch);
    return status;
}

/* ---- the whole ---- */

static void exchange(int *a, int *b)
{
    int swap = *a;
    *a = *b;
    *b = swap;
}

/* Some exporters number every tet the other way round: that is no fault. A mixture is one, and stays. */
static void turn_left_handed(lil_mesh *mesh)
{
    for (int t = 0; t < mesh->tet_count; t++)
        if (!(lil_tet_volume(mesh->x, mesh->tets[t]) < 0))
            return;
    for (int t = 0; t < mesh->tet_count; t++) {
        exchange(&mesh->tets[t][2], &mesh->tets[t][3]);
        if (mesh->mids) { /* edges 12 and 13, 02 and 03 */
            exchange(&mesh->mids[t][1], &mesh->mids[t][4]);
            exchange(&mesh->mids[t][2], &mesh->mids[t][3]);
        }
    }
}

static lil_status copy_vertices(lil_build *b, lil_mesh *mesh)
{
    size_t n = b->vertex_count;
    mesh->vertex_count = (int)n;
    LIL_ALLOC(b->ctx, b->arena, mesh->x, 3 * n);
    LIL_ALLOC(b->ctx, b->arena, mesh->vertex_tag, n);
    if (n) {
        memcpy(mesh->x, b->x, 3 * n * sizeof *b->x);
        memcpy(mesh->vertex_tag, b->tag, n * sizeof *b->tag);
    }
    return LIL_OK;
}

lil_status lil_build_finish(lil_build *b, const char *file, lil_mesh *mesh)
{
    lookup l = { 0 };
    *mesh = (lil_mesh){ .name = lil_arena_copy(b->arena, file, strlen(file)) };
    LIL_HAVE(b->ctx, mesh->name);
    if (!b->tet_count)
        return lil_fail(b->ctx, LIL_ERR_INPUT, "%.200s: it has no tets%s", file,
                        b->left_out ? ", only solid cells of other kinds" : "");
    lil_status status = copy_vertices(b, mesh);
    if (status == LIL_OK)
        status = make_lookup(b, file, &l);
    if (status == LIL_OK)
        status = resolve(b, file, &l, mesh);
    if (status == LIL_OK)
        status = make_groups(b, mesh);
    free(l.table);
    LIL_TRY(status);
    if (mesh->mids && b->unordered && !lil_mesh_order_mids(mesh))
        return lil_fail(b->ctx, LIL_ERR_INPUT,
                        "%.200s: the nodes 5 to 10 of its tets are not in the middle of their edges", file);
    turn_left_handed(mesh);
    if (mesh->mids)
        LIL_TRY(lil_mesh_complete_groups(b->ctx, b->arena, mesh));
    if (b->left_out)
        lil_warn(b->ctx, "%.200s: solid cells that are not tets are ignored: %zu", file, b->left_out);
    return LIL_OK;
}
