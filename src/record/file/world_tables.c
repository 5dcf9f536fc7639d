/* The constant data of a world in a trajectory file: meshes, materials, links, obstacles. */
#include "core/hash.h"
#include "record/file/file_tables.h"
#include "record/file/shot_tables.h"
#include "record/file/world_record.h"
#include "world/barriers.h"

#include <math.h>
#include <string.h>

enum { PART_TABLES = 3 }; /* two of contact by barrier, and those of animations */

/* Each body's mesh and material. */
static lil_status list_body(lil_world_record *r, const lil_body *body, lil_table *tables, int *count,
                            lil_label *label)
{
    const lil_mesh *mesh = &body->mesh;
    const lil_material *m = &body->material;
    int fields = m->table->field_count;
    double *options = LIL_NEW(r->arena, double, fields);
    lil_recorded_body *b = LIL_NEW(r->arena, lil_recorded_body, 1);
    LIL_HAVE(r->ctx, options && b);
    for (int i = 0; i < fields; i++)
        options[i] = *(const double *)((const char *)m->config + m->table->fields[i].offset);
    *b = (lil_recorded_body){ .first = body->first,
                              .vertex_count = mesh->vertex_count,
                              .tet_count = mesh->tet_count,
                              .face_count = mesh->face_count,
                              .rest = mesh->x,
                              .tets = (const int(*)[4])mesh->tets,
                              .mids = (const int(*)[6])mesh->mids,
                              .faces = (const int(*)[3])mesh->faces,
                              .moduli = { m->moduli.mu, m->moduli.kappa, m->density },
                              .option_count = fields,
                              .options = options };
    LIL_TRY(lil_file_tables_list(r->ctx, r->arena, &lil_body_tables, body->name, b, tables, count));
    *label = (lil_label){ lil_arena_format(r->arena, "bodies/%s/material", body->name), m->table->name };
    return label->name ? LIL_OK : lil_fail_memory(r->ctx);
}

/* The surface that a body was made of, and how it is carried. */
static lil_status list_surface(lil_world_record *r, const lil_body *body, lil_table *tables, int *count)
{
    const lil_surface *s = &body->surface;
    const lil_embedding *e = &body->embedding;
    int outside = e->outside.begin[e->count];
    lil_recorded_body b = { .surface = { .vertex_count = s->vertex_count,
                                         .face_count = s->face_count,
                                         .corner_count = s->first[s->face_count],
                                         .triangle_count = s->triangle_count,
                                         .outside_count = outside,
                                         .rest = s->x,
                                         .first = s->first,
                                         .corners = s->corners,
                                         .triangles = (const int(*)[3])s->triangles,
                                         .tet = e->tet,
                                         .weights = (const double(*)[3])e->weights } };
    if (outside)
        b.surface.outside = e->outside;
    return lil_file_tables_list(r->ctx, r->arena, &lil_surface_tables, body->name, &b, tables, count);
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
    LIL_HAVE(r->ctx, *list = lil_arena_alloc(r->arena, (size_t)(to - from), sizeof **list));
    for (int v = body->first; any && v < body->first + body->mesh.vertex_count; v++)
        for (int k = b->grow_first[v]; k < b->grow_first[v + 1]; k++) {
            (*list)[*count][0] = v;
            (*list)[(*count)++][1] = b->grow_part[k];
        }
    return LIL_OK;
}

/* Where particles are among the vertices, their masses, how thick they are, which of strands grow out of
 * something, what of them can touch, and where they are at rest. */
static lil_status list_particles(lil_world_record *r, const lil_body *body, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    int(*touching)[3], (*grows)[2];
    lil_recorded_particles *p;
    LIL_ALLOC(r->ctx, r->arena, p, 1);
    *p = (lil_recorded_particles){ .first = body->first,
                                   .count = body->mesh.vertex_count,
                                   .mass = w->mass + body->first,
                                   .radius = body->radius,
                                   .rest = w->barriers ? w->barriers->rest + 3 * (size_t)body->first : body->mesh.x };
    if (body->strands) {
        p->roots = body->strands->roots;
        p->root_count = body->strands->root_count;
    }
    LIL_TRY(lil_particle_elements(r->ctx, r->arena, body, &touching, &p->touching_count));
    LIL_TRY(list_growth(r, body, &grows, &p->grow_count));
    p->touching = (const int(*)[3])touching;
    p->grows = (const int(*)[2])grows;
    return lil_file_tables_list(r->ctx, r->arena, &lil_particle_tables, body->name, p, tables, count);
}

/* A set of rigid links of particles, which are listed from their body: no constraint needs those between what is
 * pinned, or tied to one body, but an eye does. */
static bool is_of_body(const lil_world *w, const lil_constraint *set)
{
    for (int b = 0; b < w->count; b++)
        if (w->list[b].rigid && set->name == w->list[b].name)
            return true;
    return false;
}

static bool is_rod(const lil_world *w, const lil_body *body, int link)
{
    const int *ends = body->links.at[link];
    return body->strands || !lil_world_stays(w, body->first + ends[0]) || !lil_world_stays(w, body->first + ends[1]);
}

/* Which vertices rigid links join; without a list it counts. */
static int find_rods(const lil_world *w, int (*ends)[2])
{
    int count = 0;
    for (int b = 0; b < w->count; b++)
        for (int k = 0; w->list[b].rigid && k < w->list[b].links.count; k++)
            if (is_rod(w, &w->list[b], k)) {
                for (int e = 0; ends && e < 2; e++)
                    ends[count][e] = w->list[b].first + w->list[b].links.at[k][e];
                count++;
            }
    for (int i = 0; i < w->constraint_count; i++) {
        const lil_constraint *set = &w->constraints[i];
        const lil_link *links = set->data;
        for (int k = 0; set->table == &lil_constraint_distance && !is_of_body(w, set) && k < set->count; k++) {
            if (ends)
                memcpy(ends[count], (int[2]){ links[k].i, links[k].j }, sizeof *ends);
            count++;
        }
    }
    return count;
}

static lil_status list_rods(lil_world_record *r, lil_recorded_world *to)
{
    to->rod_count = find_rods(r->world, NULL);
    int(*ends)[2] = lil_arena_alloc(r->arena, (size_t)to->rod_count, sizeof *ends);
    LIL_HAVE(r->ctx, ends);
    find_rods(r->world, ends);
    to->rods = (const int(*)[2])ends;
    return LIL_OK;
}

/* Which vertices springs join. */
static lil_status list_springs(lil_world_record *r, lil_recorded_world *to)
{
    const lil_world *w = r->world;
    int at = 0;
    for (int i = 0; i < w->spring_set_count; i++)
        to->spring_count += w->springs[i].springs.count;
    int *ends;
    LIL_ALLOC(r->ctx, r->arena, ends, 2 * (size_t)to->spring_count);
    for (int i = 0; i < w->spring_set_count; i++)
        for (int k = 0; k < w->springs[i].springs.count; k++) {
            ends[at++] = w->springs[i].springs.springs[k].i;
            ends[at++] = w->springs[i].springs.springs[k].j;
        }
    to->springs = (const int(*)[2])ends;
    return LIL_OK;
}

/* The description of an obstacle, see recorder.h. */
static lil_status list_obstacle(lil_world_record *r, const lil_world_obstacle *from, lil_table *tables, int *count)
{
    const lil_obstacle *o = &from->contact.obstacle;
    bool own =
        o->kind < LIL_OBSTACLE_MESH; /* the file knows planes, balls and boxes; all others are their triangles */
    lil_recorded_obstacle *to = LIL_NEW(r->arena, lil_recorded_obstacle, 1);
    LIL_HAVE(r->ctx, to);
    to->shape[0] = own ? o->kind : LIL_OBSTACLE_MESH;
    memcpy(to->shape + 1, o->point, sizeof o->point);
    memcpy(to->shape + 4, o->normal, sizeof o->normal);
    to->shape[7] = o->radius;
    memcpy(to->shape + 8, o->half, sizeof o->half);
    memcpy(to->shape + 11, o->R, sizeof o->R);
    if (!own) {
        to->vertex_count = from->mesh.vertex_count;
        to->face_count = from->mesh.triangle_count;
        to->x = from->mesh.x;
        to->faces = (const int(*)[3])from->mesh.triangles;
    }
    return lil_file_tables_list(r->ctx, r->arena, &lil_obstacle_tables, from->name, to, tables, count);
}

/* Two halves of a hash of each animation that is followed: a run is not resumed with another one. */
static lil_status list_animations(lil_world_record *r, lil_table *tables, int *count)
{
    const lil_world *w = r->world;
    int(*halves)[2] = lil_arena_alloc(r->arena, (size_t)(w->script_count + w->obstacle_count), sizeof *halves),
    rows = 0;
    LIL_HAVE(r->ctx, halves);
    for (int i = 0; i < w->script_count + w->obstacle_count; i++) {
        const lil_samples *s =
            i < w->script_count ? w->scripts[i].samples : w->obstacles[i - w->script_count].drive.samples;
        if (!s)
            continue;
        uint64_t hash = lil_hash(LIL_HASH_EMPTY, s->t, (size_t)s->count * sizeof *s->t);
        hash = lil_hash(hash, s->x, 3 * (size_t)s->points * (size_t)s->count * sizeof *s->x);
        halves[rows][0] = (int)(hash & 0x7fffffff);
        halves[rows++][1] = (int)(hash >> 33);
    }
    if (rows)
        tables[(*count)++] = (lil_table){ "follow", rows, 2, NULL, halves[0] };
    return LIL_OK;
}

/* Vertices that stay fixed; those with a handle; and those, with a handle or not, whose pins let go. */
static lil_status list_held(lil_world_record *r, lil_recorded_world *to)
{
    const lil_world *w = r->world;
    bool *still = LIL_NEW(r->arena, bool, w->vertex_count), *moved = LIL_NEW(r->arena, bool, w->vertex_count);
    int *list = LIL_NEW(r->arena, int, w->vertex_count), *driven = LIL_NEW(r->arena, int, w->vertex_count),
        *let_go = LIL_NEW(r->arena, int, w->vertex_count);
    double *until = LIL_NEW(r->arena, double, w->vertex_count);
    LIL_HAVE(r->ctx, still && moved && list && driven && let_go && until);
    lil_world_still(w, still);
    for (int s = 0; s < w->script_count; s++)
        for (int k = 0; k < w->scripts[s].count; k++)
            moved[w->scripts[s].vertices[k]] = true;
    for (int v = 0; v < w->vertex_count; v++) {
        if (still[v])
            list[to->still_count++] = v;
        if (moved[v])
            driven[to->driven_count++] = v;
        if (!w->held[v] || !w->released[v])
            continue;
        until[to->let_go_count] = w->releases[w->released[v] - 1].t;
        let_go[to->let_go_count++] = v;
    }
    to->still = list;
    to->driven = driven;
    to->let_go = let_go;
    to->until = until;
    return LIL_OK;
}

/* Pairs of parts that the barrier lets pass each other; obstacles pass each other anyway. */
static lil_status list_ignored(lil_world_record *r, lil_recorded_world *to)
{
    const lil_world *w = r->world;
    int parts = w->count + w->obstacle_count;
    int(*list)[2] = lil_arena_alloc(r->arena, (size_t)parts * (size_t)(parts + 1), sizeof *list);
    LIL_HAVE(r->ctx, list);
    for (int i = 0; w->barriers && i < w->count; i++)
        for (int k = i; k < parts; k++)
            if (!lil_barrier_meets(w->barriers, i, k)) {
                list[to->ignored_count][0] = i;
                list[to->ignored_count++][1] = k;
            }
    to->ignored = (const int(*)[2])list;
    return LIL_OK;
}

/* Parts with barrier contact: names, d_hat and stiffness. */
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
    LIL_HAVE(r->ctx, names && d_hat && stiffness);
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

static lil_status list_look(lil_world_record *r, const char *name, const lil_look *look, lil_table *tables,
                            int *count)
{
    return look->set ? lil_file_tables_list(r->ctx, r->arena, &lil_look_tables, name, look->numbers, tables, count)
                     : LIL_OK;
}

static int count_tables(const lil_world_record *r)
{
    const lil_world *w = r->world;
    return w ? (lil_body_tables.count + lil_surface_tables.count + lil_particle_tables.count +
                lil_look_tables.count) *
                       w->count +
                   (lil_obstacle_tables.count + lil_look_tables.count) * w->obstacle_count + lil_world_tables.count +
                   PART_TABLES
             : 0;
}

static lil_status list_world(lil_world_record *r, lil_table *tables, lil_label *labels, lil_recorder_def *rd)
{
    const lil_world *w = r->world;
    int *count = &rd->table_count;
    lil_recorded_world joined = { 0 };
    for (int i = 0; i < w->count; i++) {
        const lil_body *body = &w->list[i];
        LIL_TRY(body->particles ? list_particles(r, body, tables, count)
                                : list_body(r, body, tables, count, &labels[rd->label_count++]));
        if (body->surface.vertex_count)
            LIL_TRY(list_surface(r, body, tables, count));
        LIL_TRY(list_look(r, body->name, &body->look, tables, count));
    }
    for (int i = 0; i < w->obstacle_count; i++) {
        LIL_TRY(list_obstacle(r, &w->obstacles[i], tables, count));
        LIL_TRY(list_look(r, w->obstacles[i].name, &w->obstacles[i].look, tables, count));
    }
    LIL_TRY(list_animations(r, tables, count));
    LIL_TRY(list_rods(r, &joined));
    LIL_TRY(list_held(r, &joined));
    LIL_TRY(list_ignored(r, &joined));
    LIL_TRY(list_springs(r, &joined));
    LIL_TRY(lil_file_tables_list(r->ctx, r->arena, &lil_world_tables, "", &joined, tables, count));
    return list_contact_parts(r, tables, rd);
}

lil_status lil_record_tables(lil_world_record *r, const lil_shot *shot, const int *links, int link_count, char up,
                             lil_recorder_def *rd)
{
    const lil_world *w = r->world;
    lil_table *tables = LIL_NEW(r->arena, lil_table, count_tables(r) + (shot ? lil_shot_tables_max(shot) : 0) + 1);
    lil_label *labels = LIL_NEW(r->arena, lil_label, (w ? w->count : 0) + 1);
    LIL_HAVE(r->ctx, tables && labels);
    rd->tables = tables;
    rd->labels = labels;
    if (w)
        LIL_TRY(list_world(r, tables, labels, rd));
    if (up == 'y')
        labels[rd->label_count++] = (lil_label){ "up", "y" };
    if (shot)
        LIL_TRY(lil_shot_tables(shot, r->arena, tables, &rd->table_count));
    if (link_count)
        tables[rd->table_count++] = (lil_table){ "links", link_count, 2, NULL, links };
    return LIL_OK;
}
