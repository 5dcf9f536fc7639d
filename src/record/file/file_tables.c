#include "record/file/file_tables.h"

#include "record/file/h5.h"

#include <stddef.h>
#include <string.h>

/* ---- the lists ---- */

#define LIST_(array)                                                                                                 \
    {                                                                                                                \
        (int)(sizeof array / sizeof array[0]), array                                                                 \
    }

#define AT_(member) offsetof(lil_recorded_body, member)
static const lil_file_table body[] = {
    { "bodies/%/rest", false, true, 3, AT_(rest), AT_(vertex_count), 0, 0 },
    { "bodies/%/tets", true, true, 4, AT_(tets), AT_(tet_count), 0, AT_(vertex_count) },
    { "bodies/%/mids", true, false, LIL_TET_EDGES, AT_(mids), AT_(tet_count), 0, AT_(vertex_count) },
    { "bodies/%/faces", true, true, 3, AT_(faces), AT_(face_count), 0, AT_(vertex_count) },
    { "bodies/%/first", true, true, 1, AT_(first), LIL_ONE_ROW, 0, 0 },
    { "bodies/%/moduli", false, true, 3, AT_(moduli), LIL_ONE_ROW, 0, 0 },
    { "bodies/%/options", false, true, 0, AT_(options), AT_(option_count), 0, 0 },
};
const lil_file_list lil_body_tables = LIST_(body);

static const lil_file_table surface[] = {
    { "bodies/%/surface/rest", false, true, 3, AT_(surface.rest), AT_(surface.vertex_count), 0, 0 },
    { "bodies/%/surface/first", true, true, 1, AT_(surface.first), AT_(surface.face_count), 1, 0 },
    { "bodies/%/surface/corners", true, true, 1, AT_(surface.corners), AT_(surface.corner_count), 0,
      AT_(surface.vertex_count) },
    { "bodies/%/surface/tet", true, true, 1, AT_(surface.tet), AT_(surface.vertex_count), 0, AT_(part_count) },
    { "bodies/%/surface/weights", false, true, 3, AT_(surface.weights), AT_(surface.vertex_count), 0, 0 },
    { "bodies/%/surface/triangles", true, false, 3, AT_(surface.triangles), AT_(surface.triangle_count), 0,
      AT_(surface.vertex_count) },
    { "bodies/%/surface/outside_first", true, false, 1, AT_(surface.outside.begin), AT_(surface.vertex_count), 1, 0 },
    { "bodies/%/surface/outside_vertex", true, false, 1, AT_(surface.outside.vertex), AT_(surface.outside_count), 0,
      AT_(vertex_count) },
    { "bodies/%/surface/outside_weight", false, false, 1, AT_(surface.outside.weight), AT_(surface.outside_count), 0,
      0 },
    { "bodies/%/surface/key_times", false, false, 1, AT_(surface.key_times), AT_(surface.key_count), 0, 0 },
    { "bodies/%/surface/key_weights", false, false, 3, AT_(surface.key_weights), AT_(surface.key_weight_count), 0,
      0 },
};
const lil_file_list lil_surface_tables = LIST_(surface);

#undef AT_
#define AT_(member) offsetof(lil_recorded_particles, member)
static const lil_file_table particles[] = {
    { "particles/%/first", true, true, 1, AT_(first), LIL_ONE_ROW, 0, 0 },
    { "particles/%/mass", false, true, 1, AT_(mass), AT_(count), 0, 0 },
    { "particles/%/radius", false, false, 1, AT_(radius), LIL_ONE_ROW, 0, 0 },
    { "particles/%/touching", true, false, 3, AT_(touching), AT_(touching_count), 0, 0 },
    { "particles/%/rest", false, false, 3, AT_(rest), AT_(count), 0, 0 },
    { "particles/%/roots", true, false, 1, AT_(roots), AT_(root_count), 0, LIL_VERTICES },
    { "particles/%/grows", true, false, 2, AT_(grows), AT_(grow_count), 0, 0 },
};
const lil_file_list lil_particle_tables = LIST_(particles);

#undef AT_
#define AT_(member) offsetof(lil_recorded_obstacle, member)
static const lil_file_table obstacle[] = {
    { "obstacles/%", false, true, LIL_OBSTACLE_NUMBERS, AT_(shape), LIL_ONE_ROW, 0, 0 },
    { "obstacle_mesh/%/x", false, false, 3, AT_(x), AT_(vertex_count), 0, 0 },
    { "obstacle_mesh/%/faces", true, false, 3, AT_(faces), AT_(face_count), 0, AT_(vertex_count) },
};
const lil_file_list lil_obstacle_tables = LIST_(obstacle);

#undef AT_
#define AT_(member) offsetof(lil_recorded_world, member)
static const lil_file_table world[] = {
    { "rods", true, false, 2, AT_(rods), AT_(rod_count), 0, LIL_VERTICES },
    { "still", true, false, 1, AT_(still), AT_(still_count), 0, LIL_VERTICES },
    { "driven", true, false, 1, AT_(driven), AT_(driven_count), 0, LIL_VERTICES },
    { "let_go/vertices", true, false, 1, AT_(let_go), AT_(let_go_count), 0, LIL_VERTICES },
    { "let_go/until", false, false, 1, AT_(until), AT_(let_go_count), 0, 0 },
    { "contacts/ignore", true, false, 2, AT_(ignored), AT_(ignored_count), 0, 0 },
    { "springs", true, false, 2, AT_(springs), AT_(spring_count), 0, LIL_VERTICES },
};
const lil_file_list lil_world_tables = LIST_(world);

static const lil_file_table look[] = {
    { "look/%", false, false, LIL_RECORDED_LOOK, 0, LIL_ONE_ROW, 0, 0 },
};
const lil_file_list lil_look_tables = LIST_(look);

/* ---- writing and reading by them ---- */

static const char *path_of(lil_arena *arena, const lil_file_table *table, const char *name)
{
    const char *mark = strchr(table->path, '%');
    int before = (int)(mark ? (size_t)(mark - table->path) : strlen(table->path));
    return lil_arena_format(arena, "%.*s%s%s", before, table->path, mark ? name : "", mark ? mark + 1 : "");
}

static int number_at(const void *thing, size_t offset)
{
    int number;
    memcpy(&number, (const char *)thing + offset, sizeof number);
    return number;
}

lil_status lil_file_tables_list(lil_context *ctx, lil_arena *arena, const lil_file_list *list, const char *name,
                                const void *from, lil_table *tables, int *count)
{
    for (int i = 0; i < list->count; i++) {
        const lil_file_table *t = &list->tables[i];
        const void *data = (const char *)from + t->data;
        bool one = t->count == LIL_ONE_ROW;
        int rows = one ? 1 : number_at(from, t->count) + t->more;
        if (!one)
            memcpy(&data, data, sizeof data);
        if (!data || !rows)
            continue;
        const char *path = path_of(arena, t, name);
        LIL_HAVE(ctx, path);
        tables[(*count)++] = (lil_table){ path, t->width ? rows : 1, t->width ? t->width : rows,
                                          t->whole ? NULL : data, t->whole ? data : NULL };
    }
    return LIL_OK;
}

lil_status lil_trajectory_damaged(const lil_trajectory *tr, const char *what)
{
    return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: a damaged trajectory: %s", tr->path, what);
}

/* Whether an earlier table of the list has the same count. */
static bool is_counted(const lil_file_list *list, int i)
{
    for (int k = 0; k < i; k++)
        if (list->tables[k].count == list->tables[i].count)
            return true;
    return false;
}

static bool all_below(const int *x, int64_t count, int limit)
{
    for (int64_t i = 0; i < count; i++)
        if (x[i] < 0 || x[i] >= limit)
            return false;
    return true;
}

/* NULL: it is complete; otherwise the fault. */
static const char *read_rows(lil_trajectory *tr, lil_arena *arena, const lil_file_list *list, int i, const char *path,
                             void *to)
{
    const lil_file_table *t = &list->tables[i];
    bool one = t->count == LIL_ONE_ROW;
    int width = t->width ? t->width : number_at(to, t->count), count;
    int64_t rows;
    const void *data = t->whole ? (const void *)lil_h5_read_wholes(arena, tr->file, path, width, &rows)
                                : (const void *)lil_h5_read_reals(arena, tr->file, path, width, &rows);
    if (!data || ((one || !t->width) && rows != 1))
        return "is incomplete";
    if (one) {
        memcpy((char *)to + t->data, data, (size_t)width * (t->whole ? sizeof(int) : sizeof(double)));
        return NULL;
    }
    count = t->width ? (int)rows - t->more : width;
    if (count < 0 || (is_counted(list, i) && count != number_at(to, t->count)))
        return "does not have as many rows as others";
    memcpy((char *)to + t->count, &count, sizeof count);
    memcpy((char *)to + t->data, &data, sizeof data);
    int limit = t->below == LIL_VERTICES ? tr->n / 3 : t->below ? number_at(to, t->below) : 0;
    return t->below && !all_below(data, rows * width, limit) ? "refers to missing tets or vertices" : NULL;
}

lil_status lil_file_tables_read(lil_trajectory *tr, lil_arena *arena, const lil_file_list *list, const char *name,
                                void *to)
{
    for (int i = 0; i < list->count; i++) {
        const lil_file_table *t = &list->tables[i];
        if (!t->width && !number_at(to, t->count))
            continue;
        const char *path = path_of(arena, t, name);
        LIL_HAVE(tr->ctx, path);
        bool there = H5Lexists(tr->file, path, H5P_DEFAULT) > 0;
        const char *wrong = there       ? read_rows(tr, arena, list, i, path, to)
                            : t->needed ? "is missing, and the rest is incomplete without it"
                                        : NULL;
        if (wrong)
            return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: a damaged trajectory: '%.100s' %s", tr->path, path,
                            wrong);
    }
    return LIL_OK;
}
