/* What a trajectory file has of a world that does not change: meshes, materials, who is linked to whom, obstacles. */
#include "record/file/world_record.h"
#include "world/barriers.h"

#include <math.h>
#include <string.h>

enum { BODY_TABLES = 6, SURFACE_TABLES = 9, PARTICLE_TABLES = 7, OBSTACLE_TABLES = 3, WORLD_TABLES = 6 };

/* Each body's mesh and material. */
static lil_status list_body_tables(lil_world_record *r, const lil_body *body, lil_table *tables, int *count,
                                   lil_label *label)
{
    const lil_mesh *mesh = &body->mesh;
    const lil_material *m = &body->material;
    int fields = m->table->field_count;
    double *moduli = LIL_NEW(r->arena, double, 3), *options = LIL_NEW(r->arena, double, fields);
    if (!moduli || !options)
        return lil_fail_memory(r->ctx);
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
        if (!(table->name = lil_arena_format(r->arena, "bodies/%s/%s", body->name, own[k].name)))
            return lil_fail_memory(r->ctx);
    }
    *label = (lil_label){ lil_arena_format(r->arena, "bodies/%s/material", body->name), m->table->name };
    return label->name ? LIL_OK : lil_fail_memory(r->ctx);
}

/* The surface that a body was made of, and how it is carried. */
static lil_status list_surface_tables(lil_world_record *r, const lil_body *body, lil_table *tables, int *count)
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
        if (!(table->name = lil_arena_format(r->arena, "bodies/%s/surface/%s", body->name, own[k].name)))
            return lil_fail_memory(r->ctx);
    }
    return LIL_OK;
}

/* Vertices that grow out of something, and the part that this is. */
static lil_status list_growth(lil_world_record *r, const lil_body *body, int (**list)[2], int *count)
{
    const lil_world *w = r->world;
    const lil_barriers *b = w->barriers;
    bool any = b && b->grow_first;
    int from = any ? b->grow_first[body->first] : 0,
        to = any ? b->grow_first[body->first + body->mesh.vertex_count] : 0;
    *count = 0;
    if (!(*list = lil_arena_alloc(r->arena, (size_t)(to - from), sizeof **list)))
        return lil_fail_memory(r->ctx);
    for (int v = body->first; any && v < body->first + body->mesh.vertex_count; v++)
        for (int k = b->grow_first[v]; k < b->grow_first[v + 1]; k++) {
            (*list)[*count][0] = v;
            (*list)[(*count)++][1] = b->grow_part[k];
        }
    return LIL_OK;
}

/* Where particles are among the vertices, their masses, how thick they are, which of strands grow out of something, what of them can touch, and
 * where they are at rest. */
static lil_status list_particle_tables(lil_world_record *r, const lil_body *body, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    const lil_strands *strands = body->strands;
    const double *rest = w->barriers ? w->barriers->rest + 3 * (size_t)body->first : body->mesh.x;
    int(*touching)[3], count_touching;
    LIL_TRY(lil_particle_elements(r->ctx, r->arena, body, &touching, &count_touching));
    int(*grows)[2], grow_count;
    LIL_TRY(list_growth(r, body, &grows, &grow_count));
    const lil_table own[PARTICLE_TABLES] = { { "first", 1, 1, NULL, &body->first },
                                             { "mass", body->mesh.vertex_count, 1, w->mass + body->first, NULL },
                                             { "radius", 1, 1, &body->radius, NULL },
                                             { "touching", count_touching, 3, NULL, touching[0] },
                                             { "rest", body->mesh.vertex_count, 3, rest, NULL },
                                             { "roots", strands ? strands->root_count : 0, 1, NULL,
                                               strands ? strands->roots : NULL },
                                             { "grows", grow_count, 2, NULL, grows[0] } };
    for (int k = 0; k < PARTICLE_TABLES; k++) {
        if (own[k].rows == 0)
            continue;
        lil_table *table = &tables[(*count)++];
        *table = own[k];
        if (!(table->name = lil_arena_format(r->arena, "particles/%s/%s", body->name, own[k].name)))
            return lil_fail_memory(r->ctx);
    }
    return LIL_OK;
}

/* A link of a strand between what is held, which no constraint needs, but an eye does. */
static bool is_held_link(const lil_world *w, const lil_body *body, int link)
{
    const int *ends = body->links.at[link];
    return body->strands && w->held[body->first + ends[0]] && w->held[body->first + ends[1]];
}

/* Which vertices rigid links join; without a list it counts. */
static int find_rods(const lil_world *w, int *ends)
{
    int pairs = 0;
    for (int i = 0; i < w->constraint_count; i++) {
        const lil_link *links = w->constraints[i].data;
        for (int k = 0; w->constraints[i].table == &lil_constraint_distance && k < w->constraints[i].count;
             k++, pairs++)
            if (ends) {
                ends[2 * pairs] = links[k].i;
                ends[2 * pairs + 1] = links[k].j;
            }
    }
    for (int b = 0; b < w->count; b++)
        for (int k = 0; k < w->list[b].links.count; k++)
            if (is_held_link(w, &w->list[b], k)) {
                for (int e = 0; ends && e < 2; e++)
                    ends[2 * pairs + e] = w->list[b].first + w->list[b].links.at[k][e];
                pairs++;
            }
    return pairs;
}

static lil_status list_rods(lil_world_record *r, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    int pairs = find_rods(w, NULL), *ends = LIL_NEW(r->arena, int, 2 * (size_t)pairs);
    if (!ends)
        return lil_fail_memory(r->ctx);
    find_rods(w, ends);
    if (pairs)
        tables[(*count)++] = (lil_table){ "rods", pairs, 2, NULL, ends };
    return LIL_OK;
}

/* Which vertices springs join. */
static lil_status list_springs(lil_world_record *r, lil_table *table)
{
    const lil_world *w = r->world;
    int pairs = 0, at = 0;
    for (int i = 0; i < w->spring_set_count; i++)
        pairs += w->springs[i].springs.count;
    int *ends = LIL_NEW(r->arena, int, 2 * (size_t)pairs);
    if (!ends)
        return lil_fail_memory(r->ctx);
    for (int i = 0; i < w->spring_set_count; i++)
        for (int k = 0; k < w->springs[i].springs.count; k++) {
            ends[at++] = w->springs[i].springs.springs[k].i;
            ends[at++] = w->springs[i].springs.springs[k].j;
        }
    *table = (lil_table){ "springs", pairs, 2, NULL, ends };
    return LIL_OK;
}

/* What each obstacle is, as recorder.h says. */
static lil_status list_obstacles(lil_world_record *r, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    enum { NUMBERS = 20 };
    double *x = LIL_NEW(r->arena, double, NUMBERS *(size_t)w->obstacle_count);
    if (!x)
        return lil_fail_memory(r->ctx);
    for (int i = 0; i < w->obstacle_count; i++, x += NUMBERS) {
        const lil_obstacle *o = &w->obstacles[i].contact.obstacle;
        const char *name = lil_arena_format(r->arena, "obstacles/%s", w->obstacles[i].name);
        if (!name)
            return lil_fail_memory(r->ctx);
        bool own =
            o->kind < LIL_OBSTACLE_MESH; /* the file knows planes, balls and boxes; all others are their triangles */
        x[0] = own ? o->kind : LIL_OBSTACLE_MESH;
        memcpy(x + 1, o->point, sizeof o->point);
        memcpy(x + 4, o->normal, sizeof o->normal);
        x[7] = o->radius;
        memcpy(x + 8, o->half, sizeof o->half);
        memcpy(x + 11, o->R, sizeof o->R);
        tables[(*count)++] = (lil_table){ name, 1, NUMBERS, x, NULL };
        const lil_surface *mesh = &w->obstacles[i].mesh;
        const char *points = lil_arena_format(r->arena, "obstacle_mesh/%s/x", w->obstacles[i].name),
                   *faces = lil_arena_format(r->arena, "obstacle_mesh/%s/faces", w->obstacles[i].name);
        if (!points || !faces)
            return lil_fail_memory(r->ctx);
        if (own)
            continue;
        tables[(*count)++] = (lil_table){ points, mesh->vertex_count, 3, mesh->x, NULL };
        tables[(*count)++] = (lil_table){ faces, mesh->triangle_count, 3, NULL, mesh->triangles[0] };
    }
    return LIL_OK;
}

/* What is fixed and has no handle. */
static lil_status list_still(lil_world_record *r, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    bool *still = LIL_NEW(r->arena, bool, w->vertex_count);
    int *list = LIL_NEW(r->arena, int, w->vertex_count), rows = 0;
    if (!still || !list)
        return lil_fail_memory(r->ctx);
    lil_world_still(w, still);
    for (int v = 0; v < w->vertex_count; v++)
        if (still[v])
            list[rows++] = v;
    if (rows)
        tables[(*count)++] = (lil_table){ "still", rows, 1, NULL, list };
    return LIL_OK;
}

/* Pairs of parts that the barrier lets pass each other; obstacles pass each other anyway. */
static lil_status list_ignored(lil_world_record *r, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    const lil_barriers *b = w->barriers;
    int parts = w->count + w->obstacle_count, rows = 0;
    int *list = LIL_NEW(r->arena, int, (size_t)parts *(size_t)(parts + 1));
    if (!list)
        return lil_fail_memory(r->ctx);
    for (int i = 0; i < w->count; i++)
        for (int k = i; k < parts; k++)
            if (!lil_barrier_meets(b, i, k)) {
                list[2 * rows] = i;
                list[2 * rows++ + 1] = k;
            }
    if (rows)
        tables[(*count)++] = (lil_table){ "contacts/ignore", rows, 2, NULL, list };
    return LIL_OK;
}

/* What touches by barrier: names, d_hat and stiffness. */
static lil_status list_contact_parts(lil_world_record *r, lil_table *tables, lil_recorder_def *rd)
{
    const lil_model *model = r->sim->model;
    const lil_term *term = NULL;
    lil_touching_part part;
    int count = 0;
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->contact && model->terms[i].table->contact->part)
            term = &model->terms[i];
    while (term && term->table->contact->part(term->data, count, &part))
        count++;
    const char **names = LIL_NEW(r->arena, const char *, count);
    double *d_hat = LIL_NEW(r->arena, double, count), *stiffness = LIL_NEW(r->arena, double, count);
    if (!names || !d_hat || !stiffness)
        return lil_fail_memory(r->ctx);
    for (int i = 0; i < count && term->table->contact->part(term->data, i, &part); i++) {
        names[i] = part.name;
        d_hat[i] = part.d_hat;
        r->d_hat = fmax(r->d_hat, part.d_hat);
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

int lil_world_record_tables_max(const lil_world_record *r)
{
    const lil_world *w = r->world;
    return w ? (BODY_TABLES + SURFACE_TABLES + PARTICLE_TABLES) * w->count + OBSTACLE_TABLES * w->obstacle_count +
                   WORLD_TABLES
             : 0;
}

lil_status lil_world_record_tables(lil_world_record *r, lil_table *tables, lil_label *labels, lil_recorder_def *rd)
{
    const lil_world *w = r->world;
    for (int i = 0; i < w->count; i++) {
        const lil_body *body = &w->list[i];
        LIL_TRY(body->particles ? list_particle_tables(r, body, tables, &rd->table_count)
                                : list_body_tables(r, body, tables, &rd->table_count, &labels[rd->label_count++]));
        if (body->surface.vertex_count)
            LIL_TRY(list_surface_tables(r, body, tables, &rd->table_count));
    }
    LIL_TRY(list_rods(r, tables, &rd->table_count));
    LIL_TRY(list_obstacles(r, tables, &rd->table_count));
    LIL_TRY(list_still(r, tables, &rd->table_count));
    if (w->barriers)
        LIL_TRY(list_ignored(r, tables, &rd->table_count));
    if (w->spring_set_count)
        LIL_TRY(list_springs(r, &tables[rd->table_count++]));
    return list_contact_parts(r, tables, rd);
}
