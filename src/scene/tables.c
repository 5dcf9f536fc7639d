/* What a trajectory file has of a run that does not change: meshes, materials, who is linked to whom, what a shot was. */
#include "scene/obstacles.h"
#include "scene/run.h"

#include <math.h>
#include <string.h>

enum { BODY_TABLES = 6, SURFACE_TABLES = 9, SURFACE_KEY_TABLES = 2 };

/* Each body's mesh and material. */
static lil_status list_body_tables(lil_run *run, const lil_body *body, lil_table *tables, int *count,
                                   lil_label *label)
{
    const lil_mesh *mesh = &body->mesh;
    const lil_material *m = &body->material;
    int fields = m->table->field_count;
    double *moduli = LIL_NEW(&run->arena, double, 3), *options = LIL_NEW(&run->arena, double, fields);
    if (!moduli || !options)
        return lil_fail_memory(run->ctx);
    moduli[0] = m->moduli.mu;
    moduli[1] = m->moduli.kappa;
    moduli[2] = m->density;
    for (int i = 0; i < fields; i++)
        options[i] = *(const double *)((const char *)m->config + m->table->fields[i].offset);
    const lil_table own[BODY_TABLES] = { { "rest", mesh->vertex_count, 3, mesh->x, NULL },
                                         { "tets", mesh->tet_count, 4, NULL, mesh->tets[0] },
                                         { "faces", mesh->face_count, 3, NULL, mesh->faces[0] },
                                         { "first", 1, 1, NULL, &body->first },
                                         { "moduli", 1, 3, moduli, NULL },
                                         { "options", fields ? 1 : 0, fields, options, NULL } };
    for (int k = 0; k < (fields ? BODY_TABLES : BODY_TABLES - 1); k++) {
        lil_table *table = &tables[(*count)++];
        *table = own[k];
        if (!(table->name = lil_arena_format(&run->arena, "bodies/%s/%s", body->name, own[k].name)))
            return lil_fail_memory(run->ctx);
    }
    *label = (lil_label){ lil_arena_format(&run->arena, "bodies/%s/material", body->name), m->table->name };
    return label->name ? LIL_OK : lil_fail_memory(run->ctx);
}

/* The surface that a body was made of, and how it is carried. */
static lil_status list_surface_tables(lil_run *run, const lil_body *body, lil_table *tables, int *count)
{
    const lil_surface *s = &body->surface;
    const lil_embedding *e = &body->embedding;
    const lil_table own[] = { { "rest", s->vertex_count, 3, s->x, NULL },
                              { "first", s->face_count + 1, 1, NULL, s->first },
                              { "corners", s->first[s->face_count], 1, NULL, s->corners },
                              { "tet", e->count, 1, NULL, e->tet },
                              { "weights", e->count, 3, e->weights[0], NULL },
                              { "triangles", s->triangle_count, 3, NULL, s->triangles[0] },
                              { "outside_first", e->count + 1, 1, NULL, e->outside.begin },
                              { "outside_vertex", e->outside.begin[e->count], 1, NULL, e->outside.vertex },
                              { "outside_weight", e->outside.begin[e->count], 1, e->outside.weight, NULL } };
    int outside = e->outside.begin[e->count] > 0 ? 0 : 3; /* tables that are empty */
    for (int k = 0; k < SURFACE_TABLES - outside; k++) {
        lil_table *table = &tables[(*count)++];
        *table = own[k];
        if (!(table->name = lil_arena_format(&run->arena, "bodies/%s/surface/%s", body->name, own[k].name)))
            return lil_fail_memory(run->ctx);
    }
    return LIL_OK;
}

/* How a surface is carried at keys, where one of them is a pose of it. */
static lil_status list_surface_keys(lil_run *run, int body, lil_table *tables, int *count)
{
    const lil_shot_settings *st = &run->shot;
    const lil_body *b = &run->system.bodies->list[body];
    size_t m = 3 * (size_t)b->embedding.count;
    double *times = LIL_NEW(&run->arena, double, st->count), *weights = LIL_NEW(&run->arena, double, m * st->count);
    int keys = 0;
    bool posed = false;
    if (!times || !weights)
        return lil_fail_memory(run->ctx);
    for (int i = 0; i < st->count; i++) {
        const double *w = st->weights[i * run->system.bodies->count + body];
        if (!w)
            continue;
        posed = posed || w != b->embedding.weights[0];
        times[keys] = st->shot->t[st->keys[i].frame];
        memcpy(weights + m * (size_t)keys++, w, m * sizeof *w);
    }
    if (!posed)
        return LIL_OK;
    const lil_table own[SURFACE_KEY_TABLES] = { { "key_times", keys, 1, times, NULL },
                                                { "key_weights", keys * b->embedding.count, 3, weights, NULL } };
    for (int k = 0; k < SURFACE_KEY_TABLES; k++) {
        lil_table *table = &tables[(*count)++];
        *table = own[k];
        if (!(table->name = lil_arena_format(&run->arena, "bodies/%s/surface/%s", b->name, own[k].name)))
            return lil_fail_memory(run->ctx);
    }
    return LIL_OK;
}

/* Where particles are among the vertices, their masses, how thick they are, and which of strands grow out of something. */
static lil_status list_particle_tables(lil_run *run, const lil_bodies *bs, const lil_body *body, lil_table *tables,
                                       int *count)
{
    const lil_table own[] = { { "first", 1, 1, NULL, &body->first },
                              { "mass", body->mesh.vertex_count, 1, bs->mass + body->first, NULL },
                              { "radius", 1, 1, &body->radius, NULL },
                              { "roots", body->strands ? body->strands->root_count : 0, 1, NULL,
                                body->strands ? body->strands->roots : NULL } };
    for (int k = 0; k < 4; k++) {
        if (k == 3 && own[k].rows == 0)
            continue;
        lil_table *table = &tables[(*count)++];
        *table = own[k];
        if (!(table->name = lil_arena_format(&run->arena, "particles/%s/%s", body->name, own[k].name)))
            return lil_fail_memory(run->ctx);
    }
    return LIL_OK;
}

/* A link of a strand between what is held, which no constraint needs, but an eye does. */
static bool is_held_link(const lil_bodies *bs, const lil_body *body, int link)
{
    const int *ends = body->links.at[link];
    return body->strands && bs->held[body->first + ends[0]] && bs->held[body->first + ends[1]];
}

/* Which vertices rigid links join; without a list it counts. */
static int find_rods(const lil_bodies *bs, int *ends)
{
    int pairs = 0;
    for (int i = 0; i < bs->constraint_count; i++) {
        const lil_link *links = bs->constraints[i].data;
        for (int k = 0; bs->constraints[i].table == &lil_constraint_distance && k < bs->constraints[i].count;
             k++, pairs++)
            if (ends) {
                ends[2 * pairs] = links[k].i;
                ends[2 * pairs + 1] = links[k].j;
            }
    }
    for (int b = 0; b < bs->count; b++)
        for (int k = 0; k < bs->list[b].links.count; k++)
            if (is_held_link(bs, &bs->list[b], k)) {
                for (int e = 0; ends && e < 2; e++)
                    ends[2 * pairs + e] = bs->list[b].first + bs->list[b].links.at[k][e];
                pairs++;
            }
    return pairs;
}

static lil_status list_rods(lil_run *run, const lil_bodies *bs, lil_table *tables, int *count)
{
    int pairs = find_rods(bs, NULL), *ends = LIL_NEW(&run->arena, int, 2 * (size_t)pairs);
    if (!ends)
        return lil_fail_memory(run->ctx);
    find_rods(bs, ends);
    if (pairs)
        tables[(*count)++] = (lil_table){ "rods", pairs, 2, NULL, ends };
    return LIL_OK;
}

/* Which vertices springs join. */
static lil_status list_springs(lil_run *run, const lil_bodies *bs, lil_table *table)
{
    int pairs = 0, at = 0;
    for (int i = 0; i < bs->spring_set_count; i++)
        pairs += bs->springs[i].springs.count;
    int *ends = LIL_NEW(&run->arena, int, 2 * (size_t)pairs);
    if (!ends)
        return lil_fail_memory(run->ctx);
    for (int i = 0; i < bs->spring_set_count; i++)
        for (int k = 0; k < bs->springs[i].springs.count; k++) {
            ends[at++] = bs->springs[i].springs.springs[k].i;
            ends[at++] = bs->springs[i].springs.springs[k].j;
        }
    *table = (lil_table){ "springs", pairs, 2, NULL, ends };
    return LIL_OK;
}

/* Which frames are keys, what it came to, the cost of each iteration and its level, the frames that each level ended with and, where they are not
 * too many, those after each iteration. */
static lil_status list_shot_tables(lil_run *run, lil_table *tables, int *count)
{
    const lil_shot_settings *st = &run->shot;
    const lil_shot_history *h = &st->history;
    int n = run->system.n;
    tables[(*count)++] = (lil_table){ "shot/keys", st->count, 1, NULL, st->key_frames };
    tables[(*count)++] = (lil_table){ "shot/cost", h->count, 1, h->cost, NULL };
    tables[(*count)++] = (lil_table){ "shot/level", h->count, 1, NULL, h->level };
    tables[(*count)++] = (lil_table){ "shot/strides", h->level_count, 1, NULL, h->strides };
    tables[(*count)++] = (lil_table){ "shot/residual", 1, 1, &st->result.residual, NULL };
    tables[(*count)++] = (lil_table){ "shot/key_error_max", 1, 1, &st->result.key_error_max, NULL };
    tables[(*count)++] = (lil_table){ "shot/soft_error_max", 1, 1, &st->result.soft_error_max, NULL };
    tables[(*count)++] = (lil_table){ "shot/pose_error_max", 1, 1, &st->result.pose_error_max, NULL };
    tables[(*count)++] = (lil_table){ "shot/ghost_force_max", 1, 1, &st->result.ghost_force_max, NULL };
    tables[(*count)++] = (lil_table){ "shot/ghost_share", 1, 1, &st->result.ghost_share, NULL };
    if (h->steps)
        tables[(*count)++] = (lil_table){ "shot/steps", h->count * (st->frames + 1), n, h->steps, NULL };
    for (int i = 0; i < h->level_count; i++) {
        const char *name = lil_arena_format(&run->arena, "shot/levels/%d", i);
        if (!name)
            return lil_fail_memory(run->ctx);
        tables[(*count)++] = (lil_table){ name, st->frames + 1, n, h->frames[i], NULL };
    }
    return LIL_OK;
}

/* What each obstacle is, as recorder.h says. */
static lil_status list_obstacles(lil_run *run, const lil_bodies *bs, lil_table *tables, int *count)
{
    enum { NUMBERS = 20 };
    double *x = LIL_NEW(&run->arena, double, NUMBERS *(size_t)bs->obstacle_count);
    if (!x)
        return lil_fail_memory(run->ctx);
    for (int i = 0; i < bs->obstacle_count; i++, x += NUMBERS) {
        const lil_obstacle *o = &bs->obstacles[i].contact.obstacle;
        const char *name = lil_arena_format(&run->arena, "obstacles/%s", bs->obstacles[i].name);
        if (!name)
            return lil_fail_memory(run->ctx);
        x[0] = o->kind;
        memcpy(x + 1, o->point, sizeof o->point);
        memcpy(x + 4, o->normal, sizeof o->normal);
        x[7] = o->radius;
        memcpy(x + 8, o->half, sizeof o->half);
        memcpy(x + 11, o->R, sizeof o->R);
        tables[(*count)++] = (lil_table){ name, 1, NUMBERS, x, NULL };
        const lil_surface *mesh = &bs->obstacles[i].mesh;
        const char *points = lil_arena_format(&run->arena, "obstacle_mesh/%s/x", bs->obstacles[i].name),
                   *faces = lil_arena_format(&run->arena, "obstacle_mesh/%s/faces", bs->obstacles[i].name);
        if (!points || !faces)
            return lil_fail_memory(run->ctx);
        if (!mesh->triangle_count)
            continue;
        tables[(*count)++] = (lil_table){ points, mesh->vertex_count, 3, mesh->x, NULL };
        tables[(*count)++] = (lil_table){ faces, mesh->triangle_count, 3, NULL, mesh->triangles[0] };
    }
    return LIL_OK;
}

/* What touches by barrier: names, d_hat and stiffness. */
static lil_status list_contact_parts(lil_run *run, lil_table *tables, lil_recorder_def *rd)
{
    const lil_model *model = run->system.model;
    const lil_term *term = NULL;
    lil_touching_part part;
    int count = 0;
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->touching_part)
            term = &model->terms[i];
    while (term && term->table->touching_part(term->data, count, &part))
        count++;
    const char **names = LIL_NEW(&run->arena, const char *, count);
    double *d_hat = LIL_NEW(&run->arena, double, count), *stiffness = LIL_NEW(&run->arena, double, count);
    if (!names || !d_hat || !stiffness)
        return lil_fail_memory(run->ctx);
    for (int i = 0; i < count && term->table->touching_part(term->data, i, &part); i++) {
        names[i] = part.name;
        d_hat[i] = part.d_hat;
        run->d_hat = fmax(run->d_hat, part.d_hat);
        stiffness[i] = part.modulus;
    }
    rd->parts = names;
    rd->part_count = count;
    if (count) {
        tables[rd->table_count++] = (lil_table){ "contacts/d_hat", count, 1, d_hat, NULL };
        tables[rd->table_count++] = (lil_table){ "contacts/stiffness", count, 1, stiffness, NULL };
    }
    return LIL_OK;
}

lil_status lil_run_tables(lil_run *run, lil_recorder_def *rd)
{
    const lil_bodies *bs = run->system.bodies;
    int bodies = bs ? bs->count : 0, obstacles = bs ? bs->obstacle_count : 0;
    lil_table *tables = LIL_NEW(&run->arena, lil_table,
                                (BODY_TABLES + SURFACE_TABLES + SURFACE_KEY_TABLES) * bodies + 3 * obstacles + 16 +
                                    run->shot.history.level_count);
    lil_label *labels = LIL_NEW(&run->arena, lil_label, bodies + 1);
    if (!tables || !labels)
        return lil_fail_memory(run->ctx);
    for (int i = 0; i < bodies; i++) {
        LIL_TRY(bs->list[i].particles
                    ? list_particle_tables(run, bs, &bs->list[i], tables, &rd->table_count)
                    : list_body_tables(run, &bs->list[i], tables, &rd->table_count, &labels[rd->label_count++]));
        if (bs->list[i].surface.vertex_count)
            LIL_TRY(list_surface_tables(run, &bs->list[i], tables, &rd->table_count));
        if (run->shot.shot)
            LIL_TRY(list_surface_keys(run, i, tables, &rd->table_count));
    }
    if (run->up == 'y')
        labels[rd->label_count++] = (lil_label){ "up", "y" };
    if (bs)
        LIL_TRY(list_rods(run, bs, tables, &rd->table_count));
    if (bs)
        LIL_TRY(list_obstacles(run, bs, tables, &rd->table_count));
    if (bs && bs->spring_set_count)
        LIL_TRY(list_springs(run, bs, &tables[rd->table_count++]));
    if (run->shot.shot)
        LIL_TRY(list_shot_tables(run, tables, &rd->table_count));
    if (run->draw.link_count)
        tables[rd->table_count++] = (lil_table){ "links", run->draw.link_count, 2, NULL, run->draw.links[0] };
    LIL_TRY(list_contact_parts(run, tables, rd));
    rd->tables = tables;
    rd->labels = labels;
    rd->points = run->draw.names;
    rd->point_count = run->draw.count;
    return LIL_OK;
}
