#include "core/threads.h"
#include "geometry/neighbours_work.h"

#include <math.h>
#include <string.h>

/* ---- boxes ---- */

typedef int32_t int4 __attribute__((vector_size(16)));

static const box nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

LIL_INLINE lil_float4 choose(int4 mask, lil_float4 a, lil_float4 b)
{
    return (lil_float4)((mask & (int4)a) | (~mask & (int4)b));
}

LIL_INLINE void widen(box *b, const box *other)
{
    b->low = choose(other->low < b->low, other->low, b->low);
    b->high = choose(other->high > b->high, other->high, b->high);
}

LIL_INLINE bool apart(const box *a, const box *b)
{
    int4 any = (int4)(a->low > b->high) | (int4)(b->low > a->high);
#ifdef __SSE__
    return __builtin_ia32_movmskps((lil_float4)any) != 0;
#else
    return (any[0] | any[1] | any[2]) != 0;
#endif
}

/* by more than `within` along an axis */
LIL_INLINE bool far_apart(const box *a, const box *b, float within)
{
    lil_float4 w = { within, within, within, within };
    int4 any = (int4)(a->low - b->high > w) | (int4)(b->low - a->high > w);
#ifdef __SSE__
    return __builtin_ia32_movmskps((lil_float4)any) != 0;
#else
    return (any[0] | any[1] | any[2]) != 0;
#endif
}

/* around x0 and x1, and `more` */
static box around(const double *x0, const double *x1, double more)
{
    const double OUT = 0x1p-23; /* what rounding to float can do, twice */
    box b = { { 0 }, { 0 } };
    for (int d = 0; d < 3; d++) {
        double low = (x0[d] < x1[d] ? x0[d] : x1[d]) - more, high = (x0[d] < x1[d] ? x1[d] : x0[d]) + more;
        b.low[d] = (float)(low - OUT * fabs(low));
        b.high[d] = (float)(high + OUT * fabs(high));
    }
    return b;
}

static void fit_element(const lil_neighbours *n, const element *e, int view, features *to)
{
    double reach = n->shell->reach[e->part];
    to->all = nothing;
    for (int k = 0; k < e->count; k++) {
        int i = e->corners[k];
        to->vertex[k] = view == OTHERS
                            ? around(n->x0 + 3 * i, n->x1 + 3 * i, n->margin + reach)
                            : around(n->own->x + 3 * i, n->own->x + 3 * i, view == OWN ? n->own->far[i] + reach : 0);
        widen(&to->all, &to->vertex[k]);
    }
    for (int k = 0; k < e->count; k++) {
        to->edge[k] = to->vertex[k];
        widen(&to->edge[k], &to->vertex[(k + 1) % e->count]);
    }
}

/* A patch's box, by its points: from x0 and x1, each farther by `far` of it, and `more`. */
static box fit_points(const lil_neighbours *n, int patch, const double *x0, const double *x1, const double *far,
                      double more)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int k = n->begin[patch]; k < n->begin[patch + 1]; k++) {
        int i = n->points[k];
        double own = far ? far[i] : 0;
        for (int d = 0; d < 3; d++) {
            double a = x0[3 * i + d], b = x1[3 * i + d], least = (a < b ? a : b) - own, most = (a < b ? b : a) + own;
            low[d] = least < low[d] ? least : low[d];
            high[d] = most > high[d] ? most : high[d];
        }
    }
    return n->begin[patch] < n->begin[patch + 1] ? around(low, high, more) : nothing;
}

static void fit_patch(lil_neighbours *n, int patch)
{
    tree_node *to = &n->nodes[n->patches + patch];
    double reach = n->reach[patch];
    bool alone = n->own && to->part >= 0 && n->alone[to->part]; /* no other part collides with it */
    if (!alone)
        to->box[OTHERS] = fit_points(n, patch, n->x0, n->x1, NULL, n->margin + reach);
    to->box[OWN] = n->own ? fit_points(n, patch, n->own->x, n->own->x, n->own->far, reach) : to->box[OTHERS];
    if (alone)
        to->box[OTHERS] = to->box[OWN];
}

static void neighbours_fit_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    for (int patch = FIT * piece; patch < FIT * (piece + 1) && patch < n->patches; patch++)
        fit_patch(n, patch);
}

void lil_neighbours_fit(lil_neighbours *n, lil_threads *threads)
{
    lil_parallel(threads, (n->patches + FIT - 1) / FIT, neighbours_fit_piece, n);
    for (int i = n->patches - 1; i > 0; i--)
        for (int view = 0; view < STEP; view++) {
            n->nodes[i].box[view] = n->nodes[2 * i].box[view];
            widen(&n->nodes[i].box[view], &n->nodes[2 * i + 1].box[view]);
        }
}

static void detail(lil_neighbours *n, int patch, int view)
{
    for (int i = patch * LEAVES * LEAF; i < patch_end(n, patch); i++) {
        box *leaf = &n->leaves[view][i / LEAF];
        fit_element(n, &n->elements[i], view, &n->boxes[view][i]);
        *leaf = i % LEAF ? *leaf : nothing;
        widen(leaf, &n->boxes[view][i].all);
    }
}

/* The elements and leaves of requested patches. */
static void detail_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    for (int patch = SHARE * piece; patch < SHARE * (piece + 1) && patch < n->patches; patch++)
        for (int view = 0; view < VIEWS; view++)
            if (n->wanted[view][patch])
                detail(n, patch, view);
}

/* ---- search ---- */

/* By which boxes elements of one part, or of two, are compared. */
static int view_of(const lil_neighbours *n, const meeting *m, bool same)
{
    return m->bond == TIED ? STEP : same && n->own ? OWN : OTHERS;
}

/* Features that share a point are neighbours on the surface, not in contact. */
static bool shares(const int *a, int a_count, const int *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static void neighbours_add(found *f, const meeting *m, uint64_t place, lil_pair_kind kind, const int *a, int part_a,
                           const int *b, int part_b)
{
    int own = kind == LIL_EDGE_EDGE ? 2 : 1;
    if (shares(a, own, b, 4 - own) || f->count++ >= f->room)
        return;
    lil_neighbours_pair *pair = &f->list[f->count - 1];
    *pair = (lil_neighbours_pair){ .place = place, .kind = kind, .part = { part_a, part_b }, .off = -1 };
    memcpy(pair->at, a, (size_t)own * sizeof *a);
    memcpy(pair->at + own, b, (size_t)(4 - own) * sizeof *b);
    if (m->bond == TIED) {
        pair->bend = (float)m->bend;
        pair->off = (float)m->off;
    }
}

/* An edge of a strand is a triangle of which two corners are one, a single point one of which all three are. Edges
 * that are nearly parallel have no barrier of their own: their ends meet the other edge as points. */
static void points_against(const lil_neighbours *n, found *f, const meeting *m, uint64_t place, const features *boxes,
                           int i, int j)
{
    const element *a = &n->elements[i], *b = &n->elements[j];
    const int *c = b->corners, corners[3] = { c[0], b->count > 1 ? c[1] : c[0], c[b->count - 1] };
    if (b->count == 1 && (a->count > 1 || i > j)) /* else the other way round */
        return;
    for (int k = 0; k < a->count; k++)
        if (a->own_vertex[k] && !far_apart(&boxes[i].vertex[k], &boxes[j].all, m->within))
            neighbours_add(f, m, place + (uint64_t)k, LIL_POINT_TRIANGLE, &a->corners[k], a->part, corners, b->part);
}

static void edges_against(const lil_neighbours *n, found *f, const meeting *m, uint64_t place, const features *boxes,
                          int i, int j)
{
    const element *a = &n->elements[i], *b = &n->elements[j];
    for (int k = 0; k < a->count; k++) {
        if (!a->own_edge[k] || far_apart(&boxes[i].edge[k], &boxes[j].all, m->within))
            continue;
        for (int l = 0; l < b->count; l++)
            if (b->own_edge[l] && !far_apart(&boxes[i].edge[k], &boxes[j].edge[l], m->within)) {
                const int first[2] = { a->corners[k], a->corners[(k + 1) % a->count] },
                          second[2] = { b->corners[l], b->corners[(l + 1) % b->count] };
                neighbours_add(f, m, place + (uint64_t)(3 * k + l), LIL_EDGE_EDGE, first, a->part, second, b->part);
            }
    }
}

/* Of the first of the pairs of two elements: leaves come first. */
static uint64_t place_of(int i, int j)
{
    uint64_t leaves = ((uint64_t)(i / LEAF) << 26) + (uint64_t)(j / LEAF),
             elements = (uint64_t)(i % LEAF * LEAF + j % LEAF);
    return (leaves << 4 | elements) << 4; /* PAIRS of each */
}

/* the elements of two leaves; of one leaf and itself each two once */
static void leaves_against(const lil_neighbours *n, found *f, const meeting *m, int leaf, int other)
{
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < n->count; i++) {
        const bool *meet = n->shell->meet + (size_t)n->elements[i].part * (size_t)n->shell->part_count;
        for (int j = leaf == other ? i + 1 : other * LEAF; j < (other + 1) * LEAF && j < n->count; j++) {
            int view = view_of(n, m, n->elements[i].part == n->elements[j].part);
            const features *boxes = n->boxes[view];
            if (far_apart(&boxes[i].all, &boxes[j].all, m->within) || !meet[n->elements[j].part])
                continue;
            uint64_t place = place_of(i, j);
            points_against(n, f, m, place, boxes, i, j);
            points_against(n, f, m, place + 3, boxes, j, i);
            edges_against(n, f, m, place + 6, boxes, i, j);
        }
    }
}

/* Whether features that are `apart` at rest, of patches that meet, can be within reach. */
static bool is_suspect(const lil_neighbours *n, int part, const meeting *m, double apart)
{
    double most = 2 * n->shell->reach[part], half = apart / 2 + n->rest.thickness[part];
    return !((1 - m->bend) * apart - m->off >= (half < most ? half : most));
}

/* True: all pairs within reach of two patches are in the list of pairs near at rest: larger distances grow faster
 * than they may shrink. */
static bool neighbours_is_held(const lil_neighbours *n, int part, meeting *m)
{
    const rest_list *rest = &n->rest;
    if (!rest->patches || !n->own || !n->own->to[0] || !rest->firm[m->tie.a] || !rest->firm[m->tie.b])
        return false;
    m->bend = lil_patches_bend(rest->patches, m->tie.a);
    if (!(m->bend < 0.5))
        return false;
    lil_patches_tie(rest->patches, &m->tie);
    m->off = lil_patches_off(rest->patches, &m->tie);
    double apart = lil_patches_apart(rest->patches, m->tie.a, m->tie.b);
    return !is_suspect(n, part, m, fmax(apart, rest->limit[part]));
}

static bool can_be_tied(const lil_neighbours *n, const meeting *m)
{
    return m->bond == LOOSE && n->rest.firm[m->tie.a] && n->rest.firm[m->tie.b] &&
           n->nodes[n->patches + m->tie.a].part == n->nodes[n->patches + m->tie.b].part;
}

/* Whether their shapes from own.x on bound how near they come, and by more than where their points can be. */
static bool is_tied(const lil_neighbours *n, meeting *m)
{
    const rest_list *rest = &n->rest;
    int part = n->nodes[n->patches + m->tie.a].part;
    if (!can_be_tied(n, m))
        return false;
    m->bend = lil_patches_bend(rest->step, m->tie.a);
    if (!(m->bend < 0.5))
        return false;
    lil_patches_tie(rest->step, &m->tie);
    m->off = lil_patches_off(rest->step, &m->tie);
    double within = (2 * n->shell->reach[part] + m->off) / (1 - m->bend);
    if (!(within < 2 * n->shell->reach[part] + rest->far[m->tie.a] + rest->far[m->tie.b]))
        return false;
    m->within = (float)(within * (1 + 1e-6));
    m->none = lil_patches_apart(rest->step, m->tie.a, m->tie.b) > (double)m->within;
    return true;
}

/* a patch against itself and all that follow it in the tree */
static void meet(const lil_neighbours *n, found *f, int patch)
{
    int stack[DEPTH_MAX][2], depth = 0; /* nodes, and how deep in the tree they are */
    const tree_node *own = &n->nodes[n->patches + patch];
    stack[depth][1] = 0;
    stack[depth++][0] = 1;
    while (depth) {
        int node = stack[--depth][0], level = stack[depth][1];
        int last = ((node + 1) << (n->depth - level)) - 1 - n->patches; /* patch below it */
        const tree_node *other = &n->nodes[node];
        bool same = own->part >= 0 && own->part == other->part;
        if (last < patch || apart(&own->box[OTHERS], &other->box[OTHERS]) || never_meet(n, own->part, other->part) ||
            (same && apart(&own->box[OWN], &other->box[OWN])))
            continue;
        if (node >= n->patches) {
            meeting m = { .tie = { .a = patch, .b = node - n->patches } };
            m.bond = same && neighbours_is_held(n, own->part, &m) ? HELD : LOOSE;
            if (f->meeting_count++ < f->meeting_room)
                f->meetings[f->meeting_count - 1] = m;
            continue;
        }
        for (int child = 1; child >= 0; child--) { /* from left to right */
            stack[depth][0] = 2 * node + child;
            stack[depth++][1] = level + 1;
        }
    }
}

static int piece_end(const lil_neighbours *n, int piece)
{
    int end = SHARE * (piece + 1), used = (n->count + LEAF * LEAVES - 1) / (LEAF * LEAVES);
    return end < used ? end : used;
}

static void meet_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    found *f = &n->found[piece];
    f->meeting_count = 0;
    for (int patch = SHARE * piece; patch < piece_end(n, piece); patch++) {
        f->first[patch - SHARE * piece] = f->meeting_count;
        meet(n, f, patch);
        f->first[patch - SHARE * piece + 1] = f->meeting_count;
    }
}

/* Pairs of a leaf and a patch that are near at rest, and may be near now. */
static void recall(const lil_neighbours *n, found *f, int leaf, const meeting *m)
{
    const rest_list *rest = &n->rest;
    int part = n->nodes[n->patches + m->tie.a].part;
    for (int r = rest->run_first[leaf]; r < rest->run_first[leaf + 1]; r++) {
        const rest_run *run = &rest->runs[r];
        for (int k = run->first; run->patch == m->tie.b && k < run->first + run->count; k++)
            if (is_suspect(n, part, m, (double)rest->pairs[k].apart) && f->count++ < f->room)
                f->list[f->count - 1] = rest->pairs[k].pair;
    }
}

/* a leaf against the leaves of a patch that do not precede it */
void lil_neighbours_search(const lil_neighbours *n, found *f, const meeting *m, int leaf)
{
    int part = n->nodes[n->patches + m->tie.a].part, patch = m->tie.b;
    int view = view_of(n, m, part >= 0 && part == n->nodes[n->patches + patch].part);
    for (int i = patch * LEAVES; i < (patch + 1) * LEAVES && i * LEAF < n->count; i++)
        if (i >= leaf && !far_apart(&n->leaves[view][leaf], &n->leaves[view][i], m->within))
            leaves_against(n, f, m, leaf, i);
}

static void search_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    found *f = &n->found[piece];
    f->count = 0;
    for (int patch = SHARE * piece; patch < piece_end(n, piece); patch++)
        for (int leaf = patch * LEAVES; leaf < (patch + 1) * LEAVES && leaf * LEAF < n->count; leaf++)
            for (int k = f->first[patch - SHARE * piece]; k < f->first[patch - SHARE * piece + 1]; k++) {
                const meeting *m = &f->meetings[k];
                if (m->bond == HELD)
                    recall(n, f, leaf, m);
                else if (!m->none)
                    lil_neighbours_search(n, f, m, leaf);
            }
}

/* The boxes that a meeting is looked at by: both kinds if one of the patches is of several parts. */
static void want(lil_neighbours *n, const meeting *m)
{
    int a = n->nodes[n->patches + m->tie.a].part, b = n->nodes[n->patches + m->tie.b].part;
    for (int view = 0; view < VIEWS && m->bond != HELD && !m->none; view++)
        if (view == view_of(n, m, true) || (view == OTHERS && m->bond == LOOSE && (a < 0 || a != b)))
            n->wanted[view][m->tie.a] = n->wanted[view][m->tie.b] = true;
}

void lil_neighbours_detail(lil_neighbours *n, lil_threads *threads)
{
    for (int view = 0; view < VIEWS; view++)
        memset(n->wanted[view], 0, (size_t)n->patches * sizeof *n->wanted[view]);
    for (int i = 0; i < n->pieces; i++)
        for (int k = 0; k < n->found[i].meeting_count; k++)
            want(n, &n->found[i].meetings[k]);
    lil_parallel(threads, n->pieces, detail_piece, n);
}

/* Which patches overlap. Pieces that ran out of room are searched again. False: out of memory. */
bool lil_neighbours_meet(lil_neighbours *n, lil_threads *threads)
{
    lil_parallel(threads, n->pieces, meet_piece, n);
    for (int i = 0; i < n->pieces; i++) {
        found *f = &n->found[i];
        if (f->meeting_count > f->meeting_room) {
            f->meeting_room = 2 * f->meeting_count;
            f->meetings = LIL_NEW(n->arena, meeting, f->meeting_room);
            if (!f->meetings) {
                f->meeting_room = 0;
                return false;
            }
            meet_piece(n, i);
        }
    }
    return true;
}

/* Where everything may be. */
static int neighbours_list_places(const lil_neighbours *n, const double *y[3])
{
    int count = 0;
    y[count++] = n->own->x;
    for (int i = 1; i >= 0; i--)
        if (n->own->to[i] && n->own->to[i] != n->own->x)
            y[count++] = n->own->to[i];
    return count;
}

static void tie_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    for (int k = 0; k < n->found[piece].meeting_count; k++) {
        meeting *m = &n->found[piece].meetings[k];
        m->bond = is_tied(n, m) ? TIED : m->bond;
    }
}

/* The shapes of what rest says nothing about, from own.x on. */
static void tie_all(lil_neighbours *n, lil_threads *threads)
{
    rest_list *rest = &n->rest;
    const double *y[3];
    int count = neighbours_list_places(n, y);
    memset(rest->needed, 0, (size_t)n->patches * sizeof *rest->needed);
    for (int i = 0; i < n->pieces; i++)
        for (int k = 0; k < n->found[i].meeting_count; k++)
            if (can_be_tied(n, &n->found[i].meetings[k]))
                rest->needed[n->found[i].meetings[k].tie.a] = rest->needed[n->found[i].meetings[k].tie.b] = true;
    for (int p = 0; p < n->patches; p++) {
        rest->far[p] = 0;
        for (int k = n->begin[p]; rest->needed[p] && k < n->begin[p + 1]; k++)
            rest->far[p] = fmax(rest->far[p], n->own->far[n->points[k]]);
    }
    lil_patches_refer(rest->step, threads, rest->needed, n->own->x);
    lil_patches_fit(rest->step, threads, rest->needed, y, count, rest->slack);
    lil_parallel(threads, n->pieces, tie_piece, n);
}

/* The elements of all that is not held, and their pairs. As above. */
static bool search_all(lil_neighbours *n, lil_threads *threads)
{
    lil_neighbours_detail(n, threads);
    lil_parallel(threads, n->pieces, search_piece, n);
    for (int i = 0; i < n->pieces; i++) {
        found *f = &n->found[i];
        if (f->count <= f->room)
            continue;
        f->room = 2 * f->count;
        f->list = LIL_NEW(n->arena, lil_neighbours_pair, f->room);
        if (!f->list) {
            f->room = 0;
            return false;
        }
        search_piece(n, i);
    }
    return true;
}

/* ---- find ---- */

/* Ties of one bond, from `at` on; at is then behind them. */
static void copy_ties(lil_neighbours *n, bond kind, int *at)
{
    for (int i = 0; i < n->pieces; i++)
        for (int k = 0; k < n->found[i].meeting_count; k++)
            if (n->found[i].meetings[k].bond == kind)
                n->ties[(*at)++] = n->found[i].meetings[k].tie;
}

static bool keep_ties(lil_neighbours *n)
{
    int count = 0, held = 0, all;
    for (int i = 0; i < n->pieces; i++)
        count += n->found[i].meeting_count;
    if (count > n->tie_room) {
        n->tie_room = 2 * count;
        n->ties = LIL_NEW(n->arena, lil_patch_tie, n->tie_room);
        n->tie_room = n->ties ? n->tie_room : 0;
    }
    if (count > n->tie_room)
        return false;
    copy_ties(n, HELD, &held);
    all = held;
    copy_ties(n, TIED, &all);
    lil_patches_keep(n->rest.patches, n->ties, held);
    lil_patches_keep(n->rest.step, n->ties + held, all - held);
    return true;
}

/* The lists of all pieces in one. */
static bool neighbours_join(lil_neighbours *n, int *count)
{
    int total = 0;
    for (int i = 0; i < n->pieces; i++)
        total += n->found[i].count;
    if (total > n->room) {
        n->room = 2 * total;
        n->list = LIL_NEW(n->arena, lil_neighbours_pair, n->room);
        n->room = n->list ? n->room : 0;
    }
    *count = 0;
    for (int i = 0; i < n->pieces && total <= n->room; i++) {
        const found *f = &n->found[i];
        if (f->count)
            memcpy(n->list + *count, f->list, (size_t)f->count * sizeof *f->list);
        *count += f->count;
    }
    return total <= n->room;
}

lil_status lil_neighbours_find(lil_neighbours *n, lil_threads *threads, const double *x0, const double *x1,
                               double margin, const lil_neighbours_own *own, const lil_neighbours_pair **pairs,
                               int *count)
{
    n->x0 = x0;
    n->x1 = x1;
    n->margin = margin;
    n->own = own;
    if (n->rest.patches && own && own->to[0]) {
        const double *y[3];
        int places = neighbours_list_places(n, y);
        lil_patches_fit(n->rest.patches, threads, NULL, y, places, n->rest.slack);
    }
    lil_neighbours_fit(n, threads);
    LIL_HAVE(n->ctx, lil_neighbours_meet(n, threads));
    if (n->rest.patches && own && own->to[0])
        tie_all(n, threads);
    if (!search_all(n, threads) || !neighbours_join(n, count) || (n->rest.patches && !keep_ties(n)))
        return lil_fail_memory(n->ctx);
    *pairs = n->list;
    return LIL_OK;
}

double lil_neighbours_hold(lil_neighbours *n, lil_threads *threads, const double *y)
{
    if (!n->rest.patches)
        return INFINITY;
    double held = lil_patches_hold(n->rest.patches, threads, y);
    return held < 0 ? held : fmin(held, lil_patches_hold(n->rest.step, threads, y));
}

double lil_neighbours_slack(const lil_neighbours *n)
{
    return n->rest.patches ? n->rest.least_slack : INFINITY;
}
