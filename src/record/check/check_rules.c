#include "record/check/check_rules.h"

#include "record/check/check_thick.h"
#include "record/file/contacts.h"

#include <math.h>
#include <string.h>

/* ---- rules from the file ---- */

static const char UNKNOWN_PART[] = "its contact pairs refer to missing parts";

/* Bodies and particles come first in the file's list of parts, in any order, then obstacles. -1: there is no such
 * part. */
static int part_of(const lil_motion *m, const lil_contact_parts *parts, int i)
{
    if (i < 0 || i >= parts->count)
        return -1;
    int own = m->body_count + m->particles_count;
    for (int k = 0; k < m->body_count && i < own; k++)
        if (strcmp(m->bodies[k].name, parts->names[i]) == 0)
            return k;
    for (int k = 0; k < m->particles_count && i < own; k++)
        if (strcmp(m->particles[k].name, parts->names[i]) == 0)
            return m->body_count + k;
    for (int k = 0; k < m->obstacle_count && i >= own; k++)
        if (strcmp(m->obstacles[k].name, parts->names[i]) == 0)
            return own + k;
    return -1;
}

static lil_status list_passing(const lil_motion *m, lil_arena *arena, const lil_contact_parts *parts, lil_rules *r)
{
    const lil_recorded_world *w = &m->world;
    bool *pass;
    LIL_ALLOC(m->trajectory->ctx, arena, pass, (size_t)r->part_count * (size_t)r->part_count);
    for (int i = 0; i < w->ignored_count; i++) {
        int a = part_of(m, parts, w->ignored[i][0]), b = part_of(m, parts, w->ignored[i][1]);
        if (a < 0 || b < 0)
            return lil_trajectory_damaged(m->trajectory, UNKNOWN_PART);
        r->passing += !pass[a * r->part_count + b];
        pass[a * r->part_count + b] = pass[b * r->part_count + a] = true;
    }
    r->pass = pass;
    return LIL_OK;
}

/* Vertices as the file says; points that they carry if all that carry them are; points of obstacles without a track. */
static lil_status list_still(const lil_motion *m, lil_arena *arena, int point_count, lil_rules *r)
{
    bool *still = LIL_NEW(arena, bool, point_count);
    int at = m->trajectory->n / 3;
    LIL_HAVE(m->trajectory->ctx, still);
    r->still = still;
    for (int i = 0; i < m->world.still_count; i++)
        still[m->world.still[i]] = true;
    for (int b = 0; b < m->body_count; b++) {
        const lil_recorded_body *body = &m->bodies[b];
        const lil_recorded_surface *s = &body->surface;
        for (int i = 0; i < s->vertex_count; i++, at++) {
            int from = s->outside.count ? s->outside.begin[i] : 0,
                to = s->outside.count ? s->outside.begin[i + 1] : 0;
            still[at] = true;
            for (int k = from; k < to; k++)
                still[at] = still[at] && still[body->first + s->outside.vertex[k]];
            int room[4];
            const int *tet = lil_recorded_part(body, s->tet[i], room);
            for (int k = 0; k < 4 && from == to; k++)
                still[at] = still[at] && still[body->first + tet[k]];
        }
    }
    return LIL_OK;
}

/* In files from before links had a list of the parts they grow from, roots have no contact. */
static lil_status list_growth(const lil_motion *m, lil_arena *arena, const lil_contact_parts *parts, lil_rules *r)
{
    int own = m->trajectory->n / 3, total = 0;
    for (int i = 0; i < m->particles_count; i++)
        total += m->particles[i].grow_count ? m->particles[i].grow_count : m->particles[i].root_count;
    int *first = LIL_NEW(arena, int, own + 2), *list = LIL_NEW(arena, int, total);
    LIL_HAVE(m->trajectory->ctx, first && list);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->particles_count; i++) {
            const lil_recorded_particles *p = &m->particles[i];
            for (int k = 0; k < (p->grow_count ? p->grow_count : p->root_count); k++) {
                int vertex = p->grow_count ? p->grows[k][0] : p->roots[k],
                    part = p->grow_count ? part_of(m, parts, p->grows[k][1]) : -1;
                if (p->grow_count && part < 0)
                    return lil_trajectory_damaged(m->trajectory, UNKNOWN_PART);
                if (pass)
                    list[first[vertex + 1]++] = part;
                else
                    first[vertex + 2]++;
            }
        }
        for (int v = 0; v < own && !pass; v++)
            first[v + 2] += first[v + 1];
    }
    r->grow_first = first;
    r->grow_part = list;
    return LIL_OK;
}

lil_status lil_rules_create(lil_context *ctx, lil_arena *arena, lil_motion *m, int point_count, lil_rules *r)
{
    *r = (lil_rules){ .own_count = m->trajectory->n / 3,
                      .part_count = m->body_count + m->particles_count + m->obstacle_count };
    lil_contact_parts parts;
    double *radius;
    LIL_ALLOC(ctx, arena, radius, r->part_count);
    for (int i = 0; i < m->particles_count; i++)
        radius[m->body_count + i] = m->particles[i].radius;
    for (int i = 0; i < m->obstacle_count; i++)
        if (m->obstacles[i].shape[0] == 1)
            radius[m->body_count + m->particles_count + i] = m->obstacles[i].shape[7];
    r->radius = radius;
    LIL_TRY(lil_contacts_parts(m->trajectory, arena, &parts));
    LIL_TRY(list_passing(m, arena, &parts, r));
    LIL_TRY(list_still(m, arena, point_count, r));
    return list_growth(m, arena, &parts, r);
}

/* ---- two of them ---- */

static bool lets_pass(const lil_rules *r, int a, int b)
{
    return !r->all && r->pass[a * r->part_count + b];
}

/* The link that begins at v, or v alone, out of a part. */
static bool grows(const lil_rules *r, int v, int part)
{
    for (int k = r->grow_first[v]; k < r->grow_first[v + 1]; k++)
        if (r->grow_part[k] == part || r->grow_part[k] < 0)
            return true;
    return false;
}

/* Strands are numbered from their roots on: a link begins at the lower of its vertices. */
static bool element_grows(const lil_rules *r, const lil_checked *c, int part)
{
    int n = lil_checked_corners(c), v = n == 2 && c->at[1] < c->at[0] ? c->at[1] : c->at[0];
    return n < 3 && v < r->own_count && grows(r, v, part);
}

static bool is_still(const lil_rules *r, const lil_checked *c)
{
    for (int i = 0; i < lil_checked_corners(c); i++)
        if (!r->still[c->at[i]])
            return false;
    return true;
}

bool lil_rules_let_pass(const lil_rules *r, const lil_checked *a, const lil_checked *b)
{
    if (lets_pass(r, a->part, b->part) || (is_still(r, a) && is_still(r, b)))
        return true;
    int n = lil_checked_corners(a), m = lil_checked_corners(b);
    if (n == 1 && m == 1 && r->radius[a->part] + r->radius[b->part] == 0)
        return true; /* points without a size */
    return a->part != b->part && (element_grows(r, a, b->part) || element_grows(r, b, a->part));
}

bool lil_rules_let_in(const lil_rules *r, int v, int part, int obstacle, bool stays)
{
    return lets_pass(r, part, obstacle) || (stays && r->still[v]) || (v < r->own_count && grows(r, v, obstacle));
}

bool lil_rules_overlap_at_rest(const lil_rules *r, const lil_checked *a, const lil_checked *b)
{
    double size = 0;
    if (a->part != b->part || !r->rest)
        return false;
    for (int k = 0; k < 3 && a->at[1] >= 0; k++)
        size = fmax(size, fabs(r->rest[3 * a->at[1] + k] - r->rest[3 * a->at[0] + k]));
    return lil_thick_distance(a, b, r->rest, NULL) <= lil_thick_sum(r->radius, a, b) + 1e-6 * size;
}
