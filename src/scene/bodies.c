#include "scene/bodies.h"

#include "scene/constraints.h"
#include "scene/look.h"
#include "scene/obstacles.h"
#include "scene/select.h"

#include <stdio.h>
#include <string.h>

static const lil_key body_keys[] = {
    { LIL_KEY("mesh", "text",
              "a file of tetrahedra: `.msh` (gmsh 2.2 and 4.1, text and binary), `.node` + `.ele` (tetgen), `.mesh` "
              "(medit) or `.vtk`") },
    { LIL_KEY("shape", "shape", "a built-in shape: a name, or a map with its `type` and options") },
    { LIL_KEY("surface", "text | formula",
              "a file of polygons (`.obj`, `.stl`, `.ply`) or a formula; Lilyan fills it with tets, and the surface "
              "moves with them") },
    { LIL_KEY("vertices", "number", "with `surface`: approximate number of vertices of the tets (default 2000)") },
    { LIL_KEY("edge", "number",
              "with `surface`: edge length of the tets, m, after `scale` and `size`; replaces `vertices`") },
    { LIL_KEY("thickness", "number",
              "with a `surface` that encloses no volume: thickness of the sheet, m, after `scale`; the bounding box "
              "of `size` and `at` includes it") },
    { LIL_KEY("elements", "'linear' | 'quadratic'",
              "`quadratic`: tets with 10 nodes, a vertex more on each edge, which do not lock; `linear`: tets with 4 "
              "(default: those of the file, with `mesh`; otherwise linear)") },
    { LIL_KEY("source", "text", "where to get the file of the surface; printed if the file is missing") },
    { LIL_KEY(
        "at", "vector | place",
        "position, m, of one of: the origin of the mesh, `[x, y, z]`; the middle of the bounding box, `{centre: "
        "[x, y, z]}`; the lowest point, `{floor: HEIGHT}` (default [0, 0, 0])") },
    { LIL_KEY("rotate", "vector | rotation",
              "rotation before `at`, in degrees about x, then y, then z: `[x, y, z]` about the origin of the mesh, "
              "`{degrees: [x, y, z], about: centre}` about the middle of the bounding box (default [0, 0, 0])") },
    { LIL_KEY("scale", "number | vector", "one factor, or one for each axis; applied before `rotate` (default 1)") },
    { LIL_KEY("size", "number",
              "length of the longest side of the bounding box before `rotate`, m: after `scale`, the body is scaled "
              "uniformly to this length") },
    { LIL_KEY("refine", "refine+", "regions with smaller tets: one map, or a list of them") },
    { LIL_KEY("material", "material", "the material: a preset's name, or a map"), .required = LIL_REQUIRED },
    { LIL_KEY("damping", "damping", "stiffness-proportional damping: kD in s, or a map (default 0)") },
    { LIL_KEY("groups", "{selection}", "named selections of vertices") },
    { LIL_KEY("fixed", "selection | pin | [selection | pin]",
              "vertices that do not move: a selection, as under `groups`, or pins, which hold vertices `until` a "
              "time and then release them") },
    { LIL_KEY("handles", "handle+", "vertices with prescribed motion: one map, or a list of them") },
    { LIL_KEY("loads", "load+", "external forces: one map, or a list of them") },
    { LIL_KEY("springs", "spring+",
              "springs from vertices to fixed points, to other vertices of the body or to another body: one map, or "
              "a list of them") },
    { LIL_KEY("start", "body_start", "initial positions and velocities (default: the rest shape, not moving)") },
    LIL_FRICTION_KEY,
    LIL_LOOK_KEYS,
    { 0 },
};
const lil_mapping lil_body_table = {
    .in = "a body", .named = "the body", .keys = body_keys, .one_of = "mesh surface shape"
};

/* ---- values ---- */

lil_status lil_read_text_scope(const lil_reader *rd, const lil_texts_def *def, lil_scope *scope)
{
    return lil_texts_scope(rd->ctx, rd->arena, &rd->scope, def, scope);
}

lil_status lil_read_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_texts_def *def,
                          lil_program *program)
{
    const lil_node *children[3], *child = node->first;
    const lil_source *sources[3];
    lil_scope scope;
    int wrong = 0;
    if (node->kind != LIL_NODE_LIST || node->count != 3)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' is a list of three expressions, for x, y and z",
                             what);
    for (int d = 0; d < 3; d++, child = child->next) {
        LIL_TRY(lil_node_expect(rd->ctx, child, LIL_NODE_SCALAR, what));
        lil_source plain = lil_node_source(child, what);
        LIL_HAVE(rd->ctx, sources[d] = lil_source_copy(rd->arena, &plain));
        children[d] = child;
    }
    LIL_TRY(lil_read_text_scope(rd, def, &scope));
    lil_status status = lil_texts_compile(rd->ctx, rd->arena, &scope, sources, def, program, &wrong);
    return lil_read_hint(rd->ctx, children[wrong], status);
}

/* ---- what the world blames ---- */

/* "roots.axis" in a map; as far as it is there. */
static const lil_node *find_member(const lil_node *node, const char *path)
{
    while (path && node->kind == LIL_NODE_MAP) {
        char key[64];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        const lil_node *member = lil_node_get(node, key);
        if (!member)
            break;
        node = member;
        path = path[length] ? path + length + 1 : NULL;
    }
    return node;
}

lil_status lil_read_blame(const lil_reader *rd, const lil_node *node, const lil_world *w, lil_status status)
{
    node = w->blame.node ? w->blame.node : node;
    if (status == LIL_OK || status == LIL_ERR_MEMORY)
        return status;
    node = find_member(node, w->blame.member);
    char sentence[LIL_MESSAGE_MAX];
    memcpy(sentence, rd->ctx->message, sizeof sentence);
    return w->blame.key ? lil_node_fail_key(rd->ctx, node, "%s", sentence) : lil_read_fail_at(rd, node, status);
}

/* ---- one body ---- */

static lil_status read_groups(const lil_reader *rd, int index, lil_world *w)
{
    const lil_node *map = lil_node_get(w->list[index].node, "groups");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "groups"));
    for (const lil_node *node = map->first; node; node = node->next) {
        const lil_body *body = &w->list[index];
        lil_group group;
        LIL_TRY(lil_check_name(rd->ctx, node, "group"));
        LIL_TRY(lil_select(rd, node, &body->mesh, body->groups, body->group_count, &group));
        LIL_TRY(lil_read_blame(rd, node, w,
                               lil_world_add_group(w, index, node->key, group.vertices, group.vertex_count)));
    }
    return LIL_OK;
}

static lil_status read_elements(const lil_reader *rd, lil_body *body)
{
    static const char *const names[] = { "linear", "quadratic" };
    const lil_node *node = lil_node_get(body->node, "elements");
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "elements"));
    for (int i = 0; i < 2; i++)
        if (strcmp(node->text, names[i]) == 0)
            body->elements = i ? LIL_ELEMENTS_QUADRATIC : LIL_ELEMENTS_LINEAR;
    return body->elements ? LIL_OK
                          : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                          "'elements' are linear or quadratic, not '%.40s'", node->text);
}

static lil_status read_solid(const lil_reader *rd, lil_body *body, lil_world *w, int *index)
{
    const lil_node *origin;
    LIL_TRY(lil_table_check(rd, body->node, &lil_body_table, NULL));
    LIL_TRY(read_elements(rd, body));
    LIL_TRY(lil_read_body_mesh(rd, body, w, &origin));
    LIL_TRY(lil_read_body_refine(rd, body));
    LIL_TRY(lil_read_body_material(rd, w, body));
    lil_status status = lil_world_add_solid(w, body, index);
    bool mesh = w->blame.member && strcmp(w->blame.member, "mesh") == 0;
    return lil_read_blame(rd, mesh ? origin : body->node, w, status);
}

/* `what`: bodies, particles or strands, which are particles too */
static lil_status read_body(const lil_reader *rd, const lil_node *node, const char *what, lil_world *w)
{
    bool strands = strcmp(what, "strands") == 0, particles = strands || strcmp(what, "particles") == 0;
    int index = 0;
    LIL_TRY(lil_check_name(rd->ctx, node, particles ? "particle" : "body"));
    if (strcmp(node->key, "anchor") == 0) /* the ends of springs in space */
        return lil_node_fail_key(rd->ctx, node, "'anchor' is reserved and cannot name a %s",
                                 particles ? "particle" : "body");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, node->key));
    lil_body body = { .node = node,
                      .particles = particles,
                      .name = lil_arena_copy(rd->arena, node->key, strlen(node->key)) };
    LIL_HAVE(rd->ctx, body.name);
    LIL_TRY(strands     ? lil_read_strands(rd, &body, w, &index)
            : particles ? lil_read_particles(rd, &body, w, &index)
                        : read_solid(rd, &body, w, &index));
    LIL_TRY(lil_read_look(rd, node, body.name, w));
    LIL_TRY(lil_read_own_friction(rd, node, index, w));
    return read_groups(rd, index, w);
}

static lil_status read_all(const lil_reader *rd, const lil_node *map, const char *what, lil_world *w)
{
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, what));
    if (!map->count)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "there are no %s, so nothing can move", what);
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_body(rd, node, what, w));
    return LIL_OK;
}

/* ---- all bodies together ---- */

static lil_status read_parts(const lil_reader *rd, lil_world *w)
{
    for (int i = 0; i < w->count; i++) {
        if (!w->list[i].particles)
            LIL_TRY(lil_read_body_start(rd, i, w));
        LIL_TRY(lil_read_body_handles(rd, i, w));
        LIL_TRY(lil_read_body_loads(rd, i, w));
        if (w->list[i].particles)
            LIL_TRY(lil_read_particle_drag(rd, i, w));
    }
    for (int i = 0; i < w->count; i++) { /* which may end at any body */
        LIL_TRY(lil_read_body_springs(rd, i, w));
        if (w->list[i].particles)
            LIL_TRY(lil_read_particle_links(rd, i, w));
    }
    return LIL_OK;
}

static lil_status read_gravity(const lil_reader *rd, const lil_node *root, lil_world *bs)
{
    const lil_node *node = lil_node_get(root, "gravity");
    double *x;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "gravity", false, &x, &count));
    if (count == 3)
        memcpy(bs->gravity, x, sizeof bs->gravity);
    else if (count == 1 && x[0] < 0)
        return lil_node_fail(
            rd->ctx, node, LIL_ERR_INPUT,
            "'gravity' as one number points down, so %g would point up: give a list of three to set a direction",
            x[0]);
    else if (count == 1)
        bs->gravity[rd->up == 'y' ? 1 : 2] = -x[0];
    else
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'gravity' must be one number, downwards, or three, not %d", count);
    return LIL_OK;
}

/* ---- marks ---- */

/* where the scene names a mark */
static const lil_node *mark_node(const lil_world *bs, int mark)
{
    for (int i = 0; i < bs->count; mark -= 1 + bs->list[i++].group_count) {
        if (mark == 0)
            return bs->list[i].node;
        if (mark > bs->list[i].group_count)
            continue;
        const lil_node *node = lil_node_get(bs->list[i].node, "groups")->first;
        while (--mark)
            node = node->next;
        return node;
    }
    return bs->list[0].node;
}

/* parameters, t, and of each mark its mean position tip[1..3] and velocity dtip[1..3] */
static lil_status mark_scope(const lil_reader *rd, const lil_world *bs, lil_system *sys)
{
    int known = rd->scope.count, n = 3 * bs->mark_count;
    lil_symbol *symbols;
    LIL_ALLOC(rd->ctx, rd->arena, symbols, known + 1 + 2 * bs->mark_count);
    if (known)
        memcpy(symbols, rd->scope.symbols, (size_t)known * sizeof *symbols);
    sys->inputs = n;
    sys->scope = (lil_scope){ .symbols = symbols, .count = known, .work = rd->scope.work };
    symbols[sys->scope.count++] = (lil_symbol){ "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T };
    for (int m = 0; m < 2 * bs->mark_count; m++) {
        const char *bare = bs->marks[m / 2].name, *name = m % 2 ? lil_arena_format(rd->arena, "d%s", bare) : bare;
        LIL_HAVE(rd->ctx, name);
        if (lil_scope_find(&sys->scope, name))
            return lil_node_fail_key(
                rd->ctx, mark_node(bs, m / 2),
                "the name '%.60s' is used twice: bodies, particles, groups and parameters share one set of names%s",
                name, m % 2 ? ", and names with a d in front are velocities" : "");
        symbols[sys->scope.count++] = (lil_symbol){ name, LIL_SYMBOL_INPUT, 3, NULL,
                                                    m % 2 ? lil_input_v(n, 3 * (m / 2)) : lil_input_q(3 * (m / 2)) };
    }
    return lil_scope_sort(rd->ctx, rd->arena, &sys->scope);
}

lil_status lil_read_carrier(const lil_reader *rd, const lil_node *node, const char *key, const char *use,
                            const lil_world *w, int *body)
{
    char hint[LIL_MESSAGE_MAX / 4];
    const char **names;
    int count = 0;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, key));
    for (*body = 0; *body < w->count; ++*body)
        if (strcmp(w->list[*body].name, node->text) == 0)
            return LIL_OK;
    LIL_ALLOC(rd->ctx, rd->arena, names, w->count);
    for (int i = 0; i < w->count; i++)
        if (!w->list[i].particles)
            names[count++] = w->list[i].name;
    const char *near = lil_nearest(node->text, names, count, sizeof *names);
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "there is no body '%.60s' to %s%s", node->text, use,
                         near    ? lil_hint(near, hint)
                         : count ? lil_hint_all(names, count, hint, sizeof hint)
                                 : ": the scene has none");
}

/* ---- the model ---- */

static lil_status build_model(const lil_reader *rd, lil_world *w, lil_system *sys)
{
    sys->n = 3 * w->vertex_count;
    sys->names = w->names;
    LIL_TRY(lil_read_blame(rd, sys->node, w, lil_world_model(w, &sys->model)));
    sys->q = LIL_NEW(rd->arena, double, sys->model->n);
    sys->v = LIL_NEW(rd->arena, double, sys->model->n);
    if (!sys->q || !sys->v) {
        lil_model_destroy(&sys->model);
        return lil_fail_memory(rd->ctx);
    }
    lil_world_start(w, sys->model, sys->q, sys->v);
    return LIL_OK;
}

static lil_status refuse_text_keys(const lil_reader *rd, const lil_node *root, const char *what)
{
    static const char *const keys[] = { "lagrangian", "start", "force", "loop" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const lil_node *node = lil_node_get(root, keys[i]);
        if (node)
            return lil_node_fail_key(rd->ctx, node, "'%s' belongs to a text Lagrangian, not to %s%s", keys[i], what,
                                     strcmp(keys[i], "start") == 0   ? ": each body has its own 'start'"
                                     : strcmp(keys[i], "force") == 0 ? ": they have 'loads'"
                                                                     : "");
    }
    return LIL_OK;
}

lil_status lil_read_bodies(const lil_reader *outer, const lil_node *root, lil_system *sys)
{
    static const char *const kinds[] = { "bodies", "particles", "strands" };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    int first = KINDS;
    for (int k = KINDS - 1; k >= 0; k--)
        first = lil_node_get(root, kinds[k]) ? k : first;
    LIL_TRY(refuse_text_keys(outer, root, kinds[first]));
    LIL_TRY(lil_world_create(outer->ctx, &sys->bodies));
    lil_world *w = sys->bodies;
    lil_reader own = *outer, *rd = &own;
    own.arena = &w->arena;
    sys->node = lil_node_get(root, kinds[first]);
    LIL_TRY(read_gravity(rd, root, w));
    for (int k = 0; k < KINDS; k++)
        LIL_TRY(read_all(rd, lil_node_get(root, kinds[k]), kinds[k], w));
    LIL_TRY(read_parts(rd, w));
    if (w->release_count && lil_node_get(root, "keys"))
        return lil_node_fail_key(rd->ctx, w->releases[0].node,
                                 "a shot does not support 'until': what is pinned in a shot stays pinned");
    LIL_TRY(lil_world_number(w));
    LIL_TRY(mark_scope(rd, w, sys));
    LIL_TRY(lil_read_point_constraints(rd, root, w));
    LIL_TRY(lil_read_obstacles(rd, root, w));
    return build_model(rd, w, sys);
}
