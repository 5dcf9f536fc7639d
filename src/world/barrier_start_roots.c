/* Contact by barrier: what links of strands touch at the start, and what strands grow out of. */
#include "world/barrier_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lil_status lil_start_list_strands(lil_start_check *c)
{
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->strand_sets, c->w->count);
    for (int i = 0; i < c->w->count; i++) {
        const lil_body *body = &c->w->list[i];
        if (!body->strands)
            continue;
        lil_strand_set *t = &c->strand_sets[c->strand_set_count++];
        *t = (lil_strand_set){ body, i, LIL_NEW(&c->w->arena, int, body->links.count),
                               lil_arena_alloc(&c->w->arena, (size_t)body->links.count, sizeof *t->at) };
        LIL_HAVE(c->w->ctx, t->touches && t->at);
    }
    return LIL_OK;
}

/* ---- what links touch ---- */

/* The link of a strand that a point or an edge of it is, from its root on; -1: it is none of the set. */
static int link_of(const lil_strand_set *t, const int *at, int count, int part)
{
    int nodes = t->body->strands->nodes, v = at[0] - t->body->first;
    if (part != t->part)
        return -1;
    if (count == 2 && at[1] - t->body->first < v)
        v = at[1] - t->body->first;
    if (v % nodes == nodes - 1)
        v--;
    return v / nodes * (nodes - 1) + v % nodes;
}

static void add_growth(lil_start_check *c, lil_growths *g, int vertex, int part)
{
    if (g->count == g->room) {
        lil_growth *list = LIL_NEW(&c->w->arena, lil_growth, 2 * (size_t)g->room + 64);
        c->out_of_memory = c->out_of_memory || !list;
        if (!list)
            return;
        if (g->count)
            memcpy(list, g->list, (size_t)g->count * sizeof *list);
        g->list = list;
        g->room = 2 * g->room + 64;
    }
    g->list[g->count++] = (lil_growth){ vertex, part };
}

static void note_link(lil_start_check *c, lil_strand_set *t, int link, int part, const double *x)
{
    t->touches[link] = part;
    memcpy(t->at[link], x, sizeof *t->at);
    add_growth(c, &c->touched, t->body->first + t->body->links.at[link][0], part);
}

/* A strand may be growing out of what it touches, which is seen when all of it is known; or it would hang through
 * it or another one. */
bool lil_start_note_strand(lil_start_check *c, const lil_start_contact *it)
{
    bool noted = false, own = lil_barrier_is_own(c->b, it->part[0], it->part[1]);
    for (int i = 0; i < c->strand_set_count && !(own && c->again); i++) {
        lil_strand_set *t = &c->strand_sets[i];
        int link[2] = { link_of(t, it->a, it->a_count, it->part[0]), link_of(t, it->b, it->b_count, it->part[1]) };
        for (int side = 0; side < 2; side++)
            if (link[side] >= 0) {
                bool point = (side ? it->b_count : it->a_count) == 1;
                int v = (side ? it->b : it->a)[0] - t->body->first, nodes = t->body->strands->nodes;
                note_link(c, t, link[side], it->part[1 - side], it->x);
                if (point && v % nodes > 0 && v % nodes < nodes - 1) /* it ends another link too */
                    note_link(c, t, link[side] - 1, it->part[1 - side], it->x);
                noted = true;
            }
    }
    return noted;
}

void lil_start_forget_touched(lil_start_check *c)
{
    for (int i = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < c->strand_sets[i].body->links.count; k++)
            c->strand_sets[i].touches[k] = -1;
    c->touched.count = 0;
}

static int by_vertex(const void *p, const void *q)
{
    const lil_growth *a = p, *b = q;
    return a->vertex != b->vertex ? (a->vertex > b->vertex) - (a->vertex < b->vertex)
                                  : (a->part > b->part) - (a->part < b->part);
}

lil_status lil_start_sort_touched(lil_start_check *c)
{
    if (c->touched.count)
        qsort(c->touched.list, (size_t)c->touched.count, sizeof *c->touched.list, by_vertex);
    return c->out_of_memory ? lil_fail_memory(c->w->ctx) : LIL_OK;
}

/* ---- roots ---- */

/* From the root on, as far as links touch something or are fixed, the strand grows out of what it touches. */
int lil_start_touches_beyond(const lil_start_check *c, const lil_strand_set *t, int strand, int *roots)
{
    int links = t->body->strands->nodes - 1, first = strand * links;
    bool root = true;
    *roots = 0;
    for (int k = first; k < first + links; k++) {
        const int *at = t->body->links.at[k];
        bool still = c->b->still[t->body->first + at[0]] && c->b->still[t->body->first + at[1]];
        root = root && (still || (t->touches[k] >= 0 && t->touches[k] != t->part));
        *roots += root;
        if (!root && t->touches[k] >= 0)
            return k;
    }
    return -1;
}

/* The link that begins at a vertex is a root, and grows out of all that it and the roots beyond it, up to the
 * last, touch: what is behind the place where a strand comes out of something is in it. */
static void take_root(lil_start_check *c, const lil_strand_set *t, int vertex, int last)
{
    lil_strands *strands = t->body->strands;
    int before = c->grown.count, low = 0, high = c->touched.count;
    strands->roots[strands->root_count++] = vertex;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->touched.list[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->touched.count && c->touched.list[low].vertex <= last; low++) {
        const lil_growth *g = &c->touched.list[low];
        bool known = g->part == t->part;
        for (int k = before; k < c->grown.count && !known; k++)
            known = c->grown.list[k].part == g->part;
        if (!known)
            add_growth(c, &c->grown, vertex, g->part);
    }
}

static lil_status set_strand_roots(lil_start_check *c, const lil_strand_set *t, int strand)
{
    int links = t->body->strands->nodes - 1, roots, k = lil_start_touches_beyond(c, t, strand, &roots);
    if (k >= 0) {
        int none = c->b->vertex_count,
            at[2] = { t->body->first + t->body->links.at[k][0], t->body->first + t->body->links.at[k][1] };
        return lil_start_refuse(c, &(lil_start_contact){ at, &none, 2, 1, { t->part, t->touches[k] }, t->at[k] });
    }
    int first = t->body->first + t->body->links.at[strand * links][0];
    for (k = first; k < first + roots; k++)
        take_root(c, t, k, first + roots - 1);
    return LIL_OK;
}

/* From here on nothing that grows collides with what it grows out of, and the rest of a strand collides with it from
 * where it is at the start. */
static lil_status set_growth(lil_start_check *c)
{
    lil_barriers *b = c->roots->barriers;
    int n = b->shell.part_count, at = 0;
    int *first = LIL_NEW(&c->w->arena, int, b->vertex_count + 1), *part = LIL_NEW(&c->w->arena, int, c->grown.count);
    bool *grown = LIL_NEW(&c->w->arena, bool, (size_t)n *(size_t)n);
    double *gap = LIL_NEW(&c->w->arena, double, (size_t)b->plane_count *(size_t)b->touching_count);
    if (!first || !part || !grown || !gap || c->out_of_memory)
        return lil_fail_memory(c->w->ctx);
    if (c->grown.count == 0)
        return LIL_OK;
    for (int v = 0; v <= b->vertex_count; v++) {
        first[v] = at;
        for (; at < c->grown.count && c->grown.list[at].vertex == v; at++)
            part[at] = c->grown.list[at].part;
    }
    for (int i = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < c->grown.count; k++) {
            const lil_body *body = c->strand_sets[i].body;
            int own = c->strand_sets[i].part, v = c->grown.list[k].vertex, other = c->grown.list[k].part;
            if (v >= body->first && v < body->first + body->mesh.vertex_count)
                grown[own * n + other] = grown[other * n + own] = true;
        }
    for (int i = 0; i < b->plane_count * b->touching_count; i++) {
        const lil_barrier_plane *plane = &b->planes[i / b->touching_count];
        int k = i % b->touching_count, own = b->touching_part[k];
        gap[i] = grown[own * n + plane->part] ? lil_start_plane_gap(c, plane, k) : INFINITY;
    }
    b->grow_first = first;
    b->grow_part = part;
    b->grown = grown;
    b->start = c->y;
    b->plane_gap = gap;
    return LIL_OK;
}

lil_status lil_start_set_roots(lil_start_check *c)
{
    for (int i = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < lil_strand_set_size(&c->strand_sets[i]); k++)
            LIL_TRY(set_strand_roots(c, &c->strand_sets[i], k));
    return set_growth(c);
}
