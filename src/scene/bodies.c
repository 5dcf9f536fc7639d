#include "scene/bodies.h"

#include "core/field.h"
#include "scene/constraints.h"
#include "scene/obstacles.h"
#include "scene/reference.h"
#include "scene/select.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

lil_status lil_read_text_scope(const lil_reader *rd, const lil_texts_def *def, lil_scope *scope)
{
    static const char *const axes[] = { "x", "y", "z" };
    int known = rd->scope.count;
    lil_symbol *symbols = LIL_NEW(rd->arena, lil_symbol, known + 4);
    if (!symbols)
        return lil_fail_memory(rd->ctx);
    *scope = (lil_scope){ .symbols = symbols, .work = rd->scope.work };
    for (int d = 0; def->xyz && d < 3; d++)
        symbols[scope->count++] = (lil_symbol){ axes[d], LIL_SYMBOL_INPUT, 0, NULL, lil_input_q(d) };
    if (def->t)
        symbols[scope->count++] = (lil_symbol){ "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T };
    for (int i = 0; i < known; i++) /* a parameter called x gives way to the place */
        if (!lil_scope_find(scope, rd->scope.symbols[i].name))
            symbols[scope->count++] = rd->scope.symbols[i];
    return lil_scope_sort(rd->ctx, rd->arena, scope);
}

/* df/dt, df/dx, df/dy, df/dz */
static lil_status derive(lil_graph *g, lil_ex f, lil_ex by[4])
{
    lil_tape tape = { 0 };
    int inputs[1 + 2 * 3], count = 0;
    lil_ex d[1 + 2 * 3];
    lil_status status = lil_ex_gradient(&tape, g, f, inputs, d, &count);
    for (int k = 0; k < 4; k++)
        by[k] = lil_ex_const(g, 0);
    for (int k = 0; status == LIL_OK && k < count; k++)
        if (inputs[k] <= lil_input_q(2))
            by[inputs[k]] = d[k];
    lil_tape_free(&tape);
    return status;
}

static lil_status build_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_scope *scope,
                              const lil_texts_def *def, lil_graph *g, lil_ex *out)
{
    const lil_node *child = node->first;
    for (int d = 0; d < 3; d++, child = child->next) {
        lil_ex *nodes, by[4];
        int count;
        LIL_TRY(lil_node_expect(rd->ctx, child, LIL_NODE_SCALAR, what));
        lil_source plain = lil_node_source(child, what), *source = lil_source_copy(rd->arena, &plain);
        if (!source)
            return lil_fail_memory(rd->ctx);
        LIL_TRY(lil_read_hint(rd->ctx, child, lil_build(g, rd->arena, scope, source, true, &nodes, &count)));
        out[d] = *nodes;
        LIL_TRY(derive(g, out[d], by));
        if (def->rates)
            out[3 + d] = by[0];
        for (int k = 0; def->slopes && k < 3; k++)
            out[3 + 3 * d + k] = by[1 + k];
    }
    return g->status;
}

lil_status lil_read_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_texts_def *def,
                          lil_program *program)
{
    lil_scope scope;
    lil_graph g;
    lil_ex out[12];
    int count = def->slopes ? 12 : def->rates ? 6 : 3;
    if (node->kind != LIL_NODE_LIST || node->count != 3)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' is a list of three expressions, for x, y and z",
                             what);
    LIL_TRY(lil_read_text_scope(rd, def, &scope));
    LIL_TRY(lil_graph_init(&g, rd->ctx));
    lil_status status = build_texts(rd, node, what, &scope, def, &g, out);
    if (status == LIL_OK)
        status = lil_program_compile(&g, rd->arena, 3, out, count, program);
    lil_graph_free(&g);
    return status;
}

/* ---- one body ---- */

static lil_status read_groups(const lil_reader *rd, lil_body *body)
{
    const lil_node *map = lil_node_get(body->node, "groups");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "groups"));
    if (!(body->groups = LIL_NEW(rd->arena, lil_group, map->count)))
        return lil_fail_memory(rd->ctx);
    for (const lil_node *node = map->first; node; node = node->next) {
        lil_group *group = &body->groups[body->group_count];
        LIL_TRY(lil_check_name(rd->ctx, node, "group"));
        LIL_TRY(lil_select(rd, node, &body->mesh, body->groups, body->group_count, group));
        if (!(group->name = lil_arena_copy(rd->arena, node->key, strlen(node->key))))
            return lil_fail_memory(rd->ctx);
        body->group_count++;
    }
    return LIL_OK;
}

/* `what`: bodies, particles or strands, which are particles too */
static lil_status read_body(const lil_reader *rd, const lil_node *node, const char *what, const double gravity[3],
                            lil_body *body)
{
    bool strands = strcmp(what, "strands") == 0, particles = strands || strcmp(what, "particles") == 0;
    LIL_TRY(lil_check_name(rd->ctx, node, particles ? "particle" : "body"));
    if (strcmp(node->key, "anchor") == 0) /* the ends of springs in space */
        return lil_node_fail_key(rd->ctx, node, "'anchor' has a meaning already and cannot name a %s",
                                 particles ? "particle" : "body");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, node->key));
    *body = (lil_body){ .node = node,
                        .particles = particles,
                        .name = lil_arena_copy(rd->arena, node->key, strlen(node->key)) };
    if (!body->name)
        return lil_fail_memory(rd->ctx);
    if (particles) {
        LIL_TRY(strands ? lil_read_strands(rd, gravity, body) : lil_read_particles(rd, body));
        return read_groups(rd, body);
    }
    LIL_TRY(lil_keys_check(rd->ctx, node, lil_body_keys(), "a body"));
    LIL_TRY(lil_read_body_mesh(rd, body));
    LIL_TRY(lil_read_body_material(rd, body));
    return read_groups(rd, body);
}

static lil_status read_all(const lil_reader *rd, const lil_node *map, const char *what, lil_bodies *bs)
{
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, what));
    if (!map->count)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "there are no %s, so nothing can move", what);
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_body(rd, node, what, bs->gravity, &bs->list[bs->count++]));
    return LIL_OK;
}

/* ---- all bodies together ---- */

/* how many maps stand in this part of all bodies */
static int count_parts(const lil_bodies *bs, const char *key)
{
    int count = 0;
    for (int i = 0; i < bs->count; i++) {
        const lil_node *node = lil_node_get(bs->list[i].node, key);
        count += !node ? 0 : node->kind == LIL_NODE_LIST ? node->count : 1;
    }
    return count;
}

static lil_status allocate(const lil_reader *rd, const lil_node *root, const lil_node *node, lil_bodies *bs)
{
    enum { VERTICES_MAX = 100 * 1000 * 1000 };
    int springs = count_parts(bs, "springs");
    int64_t total = springs; /* each may end at an anchor */
    springs += count_parts(bs, "links");
    for (int i = 0; i < bs->count; i++) {
        bs->list[i].first = bs->vertex_count;
        total += bs->list[i].mesh.vertex_count;
        if (total > VERTICES_MAX)
            return lil_node_fail(rd->ctx, node, LIL_ERR_LIMIT, "more than %d vertices", VERTICES_MAX);
        bs->vertex_count += bs->list[i].mesh.vertex_count;
    }
    bs->room = (int)total;
    bs->x = LIL_NEW(rd->arena, double, 3 * (size_t)total);
    bs->v = LIL_NEW(rd->arena, double, 3 * (size_t)total);
    bs->mass = LIL_NEW(rd->arena, double, total);
    bs->held = LIL_NEW(rd->arena, bool, total);
    bs->scripts = LIL_NEW(rd->arena, lil_script, count_parts(bs, "handles"));
    bs->loads = LIL_NEW(rd->arena, lil_load_def, count_parts(bs, "loads"));
    bs->springs = LIL_NEW(rd->arena, lil_spring_set, springs);
    bs->drags = LIL_NEW(rd->arena, lil_drag_def, count_parts(bs, "drag"));
    bs->constraints = LIL_NEW(rd->arena, lil_constraint, bs->count + lil_point_constraint_sets(root));
    return bs->x && bs->v && bs->mass && bs->held && bs->scripts && bs->loads && bs->springs && bs->drags &&
                   bs->constraints
               ? LIL_OK
               : lil_fail_memory(rd->ctx);
}

/* rho V / 4 to each vertex of a tet */
static void lump_mass(const lil_body *body, double *mass)
{
    for (int e = 0; e < body->mesh.tet_count; e++)
        for (int a = 0; a < 4; a++)
            mass[body->first + body->mesh.tets[e][a]] +=
                body->material.density * lil_tet_volume(body->mesh.x, body->mesh.tets[e]) / 4;
}

static lil_status read_parts(const lil_reader *rd, lil_bodies *bs)
{
    for (int i = 0; i < bs->count; i++) {
        lil_body *body = &bs->list[i];
        lump_mass(body, bs->mass);
        if (body->strands)
            lil_read_strand_start(body, bs);
        else
            LIL_TRY(body->particles ? lil_read_particle_start(rd, body, bs) : lil_read_body_start(rd, body, bs));
        LIL_TRY(lil_read_body_holds(rd, body, bs));
        if (body->strands)
            lil_hold_strand_roots(body, bs);
        LIL_TRY(lil_read_body_loads(rd, body, bs));
        if (body->particles)
            LIL_TRY(lil_read_particle_drag(rd, body, bs));
    }
    for (int i = 0; i < bs->count; i++) { /* which may end at any body */
        LIL_TRY(lil_read_body_springs(rd, &bs->list[i], bs));
        if (bs->list[i].particles)
            LIL_TRY(lil_read_particle_links(rd, &bs->list[i], bs));
    }
    bs->vertex_count += bs->anchor_count;
    return LIL_OK;
}

static lil_status read_gravity(const lil_reader *rd, const lil_node *root, lil_bodies *bs)
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
            "'gravity' as one number is how strongly things fall, so %g would let them rise: a list of three "
            "has a direction",
            x[0]);
    else if (count == 1)
        bs->gravity[rd->up == 'y' ? 1 : 2] = -x[0];
    else
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'gravity' is one number, downwards, or three, not %d",
                             count);
    return LIL_OK;
}

/* ---- names and marks ---- */

static lil_status name_coordinates(const lil_reader *rd, const lil_bodies *bs, lil_system *sys)
{
    sys->n = 3 * bs->vertex_count;
    sys->names = LIL_NEW(rd->arena, const char *, sys->n);
    if (!sys->names)
        return lil_fail_memory(rd->ctx);
    int at = 0;
    for (int b = 0; b <= bs->count; b++) {
        int count = b < bs->count ? bs->list[b].mesh.vertex_count : bs->anchor_count;
        for (int i = 0; i < 3 * count; i++)
            if (!(sys->names[at++] = lil_arena_format(
                      rd->arena, "%s.%d.%c", b < bs->count ? bs->list[b].name : "anchor", i / 3, "xyz"[i % 3])))
                return lil_fail_memory(rd->ctx);
    }
    return LIL_OK;
}

/* of a whole body by mass, of a group alike */
static lil_status add_mark(const lil_reader *rd, const char *name, const lil_body *body, const lil_group *group,
                           lil_bodies *bs)
{
    int count = group ? group->vertex_count : body->mesh.vertex_count;
    int *vertices = LIL_NEW(rd->arena, int, count);
    double *weights = LIL_NEW(rd->arena, double, count), total = 0;
    if (!vertices || !weights)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < count; i++) {
        vertices[i] = body->first + (group ? group->vertices[i] : i);
        weights[i] = group ? 1 : bs->mass[vertices[i]];
        total += weights[i];
    }
    for (int i = 0; i < count; i++)
        weights[i] /= total;
    bs->marks[bs->mark_count++] = (lil_mark_set){ name, vertices, weights, count };
    return LIL_OK;
}

static lil_status list_marks(const lil_reader *rd, lil_bodies *bs)
{
    int count = 0;
    for (int i = 0; i < bs->count; i++)
        count += 1 + bs->list[i].group_count;
    bs->marks = LIL_NEW(rd->arena, lil_mark_set, count);
    if (!bs->marks)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < bs->count; i++) {
        const lil_body *body = &bs->list[i];
        LIL_TRY(add_mark(rd, body->name, body, NULL, bs));
        for (int g = 0; g < body->group_count; g++)
            LIL_TRY(add_mark(rd, body->groups[g].name, body, &body->groups[g], bs));
    }
    return LIL_OK;
}

/* where the scene names a mark */
static const lil_node *mark_node(const lil_bodies *bs, int mark)
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
static lil_status mark_scope(const lil_reader *rd, const lil_bodies *bs, lil_system *sys)
{
    int known = rd->scope.count, n = 3 * bs->mark_count;
    lil_symbol *symbols = LIL_NEW(rd->arena, lil_symbol, known + 1 + 2 * bs->mark_count);
    if (!symbols)
        return lil_fail_memory(rd->ctx);
    if (known)
        memcpy(symbols, rd->scope.symbols, (size_t)known * sizeof *symbols);
    sys->inputs = n;
    sys->scope = (lil_scope){ .symbols = symbols, .count = known, .work = rd->scope.work };
    symbols[sys->scope.count++] = (lil_symbol){ "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T };
    for (int m = 0; m < 2 * bs->mark_count; m++) {
        const char *bare = bs->marks[m / 2].name, *name = m % 2 ? lil_arena_format(rd->arena, "d%s", bare) : bare;
        if (!name)
            return lil_fail_memory(rd->ctx);
        if (lil_scope_find(&sys->scope, name))
            return lil_node_fail_key(rd->ctx, mark_node(bs, m / 2),
                                     "two things are called '%.60s': bodies, particles, groups and parameters share "
                                     "their names%s",
                                     name, m % 2 ? ", also with a d before, which is their velocity" : "");
        symbols[sys->scope.count++] = (lil_symbol){ name, LIL_SYMBOL_INPUT, 3, NULL,
                                                    m % 2 ? lil_input_v(n, 3 * (m / 2)) : lil_input_q(3 * (m / 2)) };
    }
    return lil_scope_sort(rd->ctx, rd->arena, &sys->scope);
}

/* ---- the model ---- */

/* Nothing of it can move: it is there to be seen. */
static bool is_scenery(const lil_bodies *bs, const lil_body *body)
{
    for (int i = 0; i < body->mesh.vertex_count; i++)
        if (!bs->held[body->first + i])
            return false;
    return bs->script_count == 0;
}

static lil_status add_body_terms(const lil_reader *rd, const lil_bodies *bs, const lil_body *body, lil_model *model)
{
    lil_tets *tets;
    lil_term damping;
    if (body->particles)
        return body->strands ? lil_add_strand_terms(rd, body, model) : LIL_OK;
    if (bs->count > 1 && is_scenery(bs, body))
        return LIL_OK;
    LIL_TRY(lil_tets_create(rd->ctx, rd->arena, body->name, &body->material, body->mesh.x,
                            (const int(*)[4])body->mesh.tets, body->mesh.tet_count, body->first, &tets));
    LIL_TRY(lil_model_add(rd->ctx, model, lil_tets_term(tets)));
    if (!(body->material.table->holds & LIL_MATERIAL_OBJECTIVE))
        model->points.angular = false;
    if (body->damping.kD == 0)
        return LIL_OK;
    LIL_TRY(lil_tets_damping(rd->ctx, rd->arena, tets, body->damping.kD, body->damping.form, &damping));
    return lil_model_add(rd->ctx, model, damping);
}

static lil_status add_spring_terms(const lil_reader *rd, lil_spring_set *set, lil_model *model)
{
    lil_term damping;
    LIL_TRY(lil_model_add(rd->ctx, model, lil_springs_term(&set->springs)));
    if (set->damping.kD == 0)
        return LIL_OK;
    LIL_TRY(lil_springs_damping(rd->ctx, rd->arena, &set->springs, set->damping.kD, set->damping.form, &damping));
    return lil_model_add(rd->ctx, model, damping);
}

static lil_status add_terms(const lil_reader *rd, lil_bodies *bs, lil_model *model)
{
    lil_term term;
    for (int i = 0; i < bs->count; i++)
        LIL_TRY(add_body_terms(rd, bs, &bs->list[i], model));
    for (int i = 0; i < bs->spring_set_count; i++)
        LIL_TRY(add_spring_terms(rd, &bs->springs[i], model));
    bool weight = bs->gravity[0] != 0 || bs->gravity[1] != 0 || bs->gravity[2] != 0;
    if (weight) {
        LIL_TRY(lil_term_gravity(rd->ctx, rd->arena, bs->gravity, bs->mass, bs->vertex_count, &term));
        LIL_TRY(lil_model_add(rd->ctx, model, term));
    }
    for (int i = 0; i < bs->load_count; i++) {
        LIL_TRY(lil_term_load(rd->ctx, rd->arena, &bs->loads[i], &term));
        LIL_TRY(lil_model_add(rd->ctx, model, term));
    }
    for (int i = 0; i < bs->drag_count; i++) {
        LIL_TRY(lil_term_drag(rd->ctx, rd->arena, &bs->drags[i], &term));
        LIL_TRY(lil_model_add(rd->ctx, model, term));
    }
    LIL_TRY(lil_add_contact_terms(rd, bs, model));
    if (weight || bs->load_count || bs->drag_count || bs->obstacle_count || bs->bound_outside)
        model->points.linear = model->points.angular = false;
    return LIL_OK;
}

static lil_status build_model(const lil_reader *rd, lil_bodies *bs, lil_system *sys)
{
    const lil_points_def def = { .count = bs->vertex_count,
                                 .names = sys->names,
                                 .x = bs->x,
                                 .mass = bs->mass,
                                 .held = bs->held,
                                 .scripts = bs->scripts,
                                 .script_count = bs->script_count,
                                 .marks = bs->marks,
                                 .mark_count = bs->mark_count };
    lil_status status = lil_model_create_points(rd->ctx, &def, &sys->model);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, sys->node, status);
    lil_model *model = sys->model;
    lil_model_bind(model, bs->constraints, bs->constraint_count);
    sys->q = LIL_NEW(rd->arena, double, model->n);
    sys->v = LIL_NEW(rd->arena, double, model->n);
    status = sys->q && sys->v ? add_terms(rd, bs, model) : lil_fail_memory(rd->ctx);
    for (int i = 0; status == LIL_OK && i < model->n; i++) {
        int k = model->dofs.free ? model->dofs.free[i] : i;
        sys->q[i] = bs->x[k];
        sys->v[i] = bs->v[k];
    }
    if (status != LIL_OK)
        lil_model_destroy(&sys->model);
    return status;
}

static lil_status refuse_text_keys(const lil_reader *rd, const lil_node *root, const char *what)
{
    static const char *const keys[] = { "lagrangian", "start", "force", "loop" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const lil_node *node = lil_node_get(root, keys[i]);
        if (node)
            return lil_node_fail_key(rd->ctx, node, "'%s' belongs to a text Lagrangian, not to %s%s", keys[i], what,
                                     strcmp(keys[i], "start") == 0   ? ": how a body starts stands in the body"
                                     : strcmp(keys[i], "force") == 0 ? ": they have 'loads'"
                                                                     : "");
    }
    return LIL_OK;
}

lil_status lil_read_bodies(const lil_reader *rd, const lil_node *root, lil_system *sys)
{
    static const char *const kinds[] = { "bodies", "particles", "strands" };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    int count = 0, first = KINDS;
    lil_bodies *bs = LIL_NEW(rd->arena, lil_bodies, 1);
    for (int k = KINDS - 1; k >= 0; k--)
        if (lil_node_get(root, kinds[k])) {
            count += lil_node_get(root, kinds[k])->count;
            first = k;
        }
    LIL_TRY(refuse_text_keys(rd, root, kinds[first]));
    if (!bs || !(bs->list = LIL_NEW(rd->arena, lil_body, count)))
        return lil_fail_memory(rd->ctx);
    sys->node = lil_node_get(root, kinds[first]);
    sys->bodies = bs;
    LIL_TRY(read_gravity(rd, root, bs));
    for (int k = 0; k < KINDS; k++)
        LIL_TRY(read_all(rd, lil_node_get(root, kinds[k]), kinds[k], bs));
    LIL_TRY(allocate(rd, root, sys->node, bs));
    LIL_TRY(read_parts(rd, bs));
    LIL_TRY(name_coordinates(rd, bs, sys));
    LIL_TRY(list_marks(rd, bs));
    LIL_TRY(mark_scope(rd, bs, sys));
    LIL_TRY(lil_read_point_constraints(rd, root, bs));
    LIL_TRY(lil_read_obstacles(rd, root, bs));
    return build_model(rd, bs, sys);
}
