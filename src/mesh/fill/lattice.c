#include "mesh/fill/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 2, BLOCK = 8 };

/* ---- shape ---- */

double lil_lattice_cells(const lil_solid *solid, double h)
{
    double cells = 1;
    for (int d = 0; d < 3; d++)
        cells *= ceil((solid->most[d] - solid->least[d]) / h) + 1 + 2 * MARGIN;
    return cells;
}

static void set_shape(lil_lattice *l, const lil_solid *solid, double h)
{
    /* not where models usually have walls */
    static const double shift[3] = { 0.31831, 0.43429, 0.57722 };
    l->h = h;
    l->points = 2;
    for (int d = 0; d < 3; d++) {
        l->n[d] = (int)ceil((solid->most[d] - solid->least[d]) / h) + 1 + 2 * MARGIN;
        l->origin[d] = solid->least[d] - (MARGIN + shift[d]) * h;
        l->points *= l->n[d];
    }
    const int stride[3] = { 2, 2 * l->n[0], 2 * l->n[0] * l->n[1] };
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < LIL_LATTICE_EDGES; i++) {
            int step = i < 6 ? (i % 2 ? -stride[i / 2] : stride[i / 2]) : kind ? -1 : 1;
            for (int d = 0; i >= 6 && d < 3; d++)
                step += (i - 6) >> d & 1 ? (kind ? stride[d] : -stride[d]) : 0;
            l->step[kind][i] = step;
        }
}

/* before it was moved */
static void place_of(const lil_lattice *l, int point, double x[3])
{
    int cell = point / 2;
    const int at[3] = { cell % l->n[0], cell / l->n[0] % l->n[1], cell / l->n[0] / l->n[1] };
    for (int d = 0; d < 3; d++)
        x[d] = l->origin[d] + (at[d] + (point & 1 ? 0.5 : 0)) * l->h;
}

void lil_lattice_place(const lil_lattice *l, int point, double x[3])
{
    if (l->sign[point] == 0)
        memcpy(x, l->at[l->moved[point]], 3 * sizeof *x);
    else
        place_of(l, point, x);
}

static bool is_long(int a, int b)
{
    return ((a ^ b) & 1) == 0;
}

int lil_lattice_cut(const lil_lattice *l, int in, int out)
{
    int i = l->first[in];
    while (l->cuts[i].to != out)
        i++;
    return i;
}

void lil_lattice_cut_place(const lil_lattice *l, int in, int out, double x[3])
{
    double a[3], b[3], least = is_long(in, out) ? LIL_CUT_LONG : LIL_CUT_SHORT;
    double t = fmin(fmax((double)l->cuts[lil_lattice_cut(l, in, out)].part, least), 1 - least);
    place_of(l, in, a);
    place_of(l, out, b);
    for (int d = 0; d < 3; d++)
        x[d] = a[d] + t * (b[d] - a[d]);
}

int64_t lil_lattice_in(const lil_lattice *l)
{
    int64_t count = 0;
    for (int i = 0; i < l->points; i++)
        count += l->sign[i] > 0;
    return count;
}

/* ---- in or out ---- */

typedef struct asking {
    lil_lattice *l;
    const lil_solid *solid;
    int begin; /* of the pieces that are done now */
    int blocks[3];
} asking;

/* All points of the cells from `low` to below `high`. */
static void fill(lil_lattice *l, const int low[3], const int high[3], int sign)
{
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            memset(l->sign + 2 * (((size_t)k * (size_t)l->n[1] + (size_t)j) * (size_t)l->n[0] + (size_t)low[0]), sign,
                   2 * (size_t)(high[0] - low[0]));
}

static void ask(const asking *job, const int low[3], const int high[3])
{
    double centre[3], square = 0;
    for (int d = 0; d < 3; d++) {
        /* from the lower corners to the centres of the last cells */
        double side = (high[d] - low[d] - 0.5) * job->l->h / 2;
        centre[d] = job->l->origin[d] + low[d] * job->l->h + side;
        square += side * side;
    }
    int longest = 0, half[3], split[3] = { 1, 1, 1 };
    for (int d = 0; d < 3; d++) {
        longest = high[d] - low[d] > longest ? high[d] - low[d] : longest;
        split[d] = high[d] - low[d] > 1;
        half[d] = split[d] ? (low[d] + high[d]) / 2 : high[d];
    }
    int sign = longest > 1 ? lil_solid_uniform(job->solid, centre, sqrt(square)) : 0;
    if (sign) {
        fill(job->l, low, high, sign);
        return;
    }
    if (longest == 1) {
        int point = 2 * ((low[2] * job->l->n[1] + low[1]) * job->l->n[0] + low[0]);
        for (int kind = 0; kind < 2; kind++) {
            place_of(job->l, point + kind, centre);
            job->l->sign[point + kind] = lil_solid_has(job->solid, centre) ? 1 : -1;
        }
        return;
    }
    for (int part = 0; part < 8; part++) {
        int from[3], to[3];
        bool none = false;
        for (int d = 0; d < 3; d++) {
            bool upper = part >> d & 1;
            from[d] = upper ? half[d] : low[d];
            to[d] = upper ? high[d] : half[d];
            none = none || from[d] >= to[d];
        }
        if (!none)
            ask(job, from, to);
    }
}

static void ask_block(void *data, int i)
{
    const asking *job = data;
    int block = job->begin + i, low[3], high[3];
    const int at[3] = { block % job->blocks[0], block / job->blocks[0] % job->blocks[1],
                        block / job->blocks[0] / job->blocks[1] };
    for (int d = 0; d < 3; d++) {
        low[d] = BLOCK * at[d];
        high[d] = low[d] + BLOCK < job->l->n[d] ? low[d] + BLOCK : job->l->n[d];
    }
    ask(job, low, high);
}

static void close_border(lil_lattice *l)
{
    for (int k = 0; k < l->n[2]; k++)
        for (int j = 0; j < l->n[1]; j++)
            for (int i = 0; i < l->n[0]; i++)
                if (i < 1 || j < 1 || k < 1 || i > l->n[0] - 3 || j > l->n[1] - 3 || k > l->n[2] - 3) {
                    size_t cell = ((size_t)k * (size_t)l->n[1] + (size_t)j) * (size_t)l->n[0] + (size_t)i;
                    l->sign[2 * cell] = l->sign[2 * cell + 1] = -1;
                }
}

/* Pieces in portions, so that progress is reported between them. */
static lil_status in_portions(lil_context *ctx, asking *job, int count, void (*work)(void *, int), double from,
                              double to, lil_progress_fn *progress, void *user)
{
    int portion = count / 50 + 16;
    for (job->begin = 0; job->begin < count; job->begin += portion) {
        if (progress && !progress(user, from + (to - from) * job->begin / count))
            return lil_fail(ctx, LIL_ERR_INTERRUPTED, "interrupted");
        lil_parallel(ctx->threads, job->begin + portion < count ? portion : count - job->begin, work, job);
    }
    return LIL_OK;
}

/* ---- cuts ---- */

static lil_status list_cuts(lil_context *ctx, lil_lattice *l)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int p = 0; p < l->points; p++) {
            if (!pass)
                l->first[p] = (int)count;
            if (l->sign[p] < 0)
                continue;
            for (int i = 0; i < LIL_LATTICE_EDGES; i++) {
                int to = p + l->step[p & 1][i];
                if (l->sign[to] > 0)
                    continue;
                if (pass)
                    l->cuts[count] = (lil_cut){ .to = to };
                count++;
            }
        }
        if (pass)
            break;
        l->first[l->points] = (int)count;
        l->cuts = malloc(count * sizeof *l->cuts + 1);
        LIL_HAVE(ctx, l->cuts);
    }
    return LIL_OK;
}

enum { POINT_PIECE = 1024 };

static void cut_piece(void *data, int i)
{
    const asking *job = data;
    lil_lattice *l = job->l;
    size_t begin = (size_t)(job->begin + i) * POINT_PIECE, end = begin + POINT_PIECE;
    for (size_t p = begin; p < end && p < (size_t)l->points; p++)
        for (int c = l->first[p]; c < l->first[p + 1]; c++) {
            double in[3], out[3];
            place_of(l, (int)p, in);
            place_of(l, l->cuts[c].to, out);
            l->cuts[c].part = (float)lil_solid_cut(job->solid, in, out);
        }
}

/* ---- points onto the surface ---- */

/* The nearest cut of the point's edges that is too near, as how near; and the neighbour it lies towards. */
static double nearest_cut(const lil_lattice *l, int p, int *towards)
{
    double nearest = 1;
    for (int i = 0; i < LIL_LATTICE_EDGES; i++) {
        int q = p + l->step[p & 1][i];
        if (l->sign[p] * l->sign[q] >= 0)
            continue;
        double part = (double)(l->sign[p] > 0 ? l->cuts[lil_lattice_cut(l, p, q)].part
                                              : 1 - l->cuts[lil_lattice_cut(l, q, p)].part);
        double least = i < 6 ? LIL_CUT_LONG : LIL_CUT_SHORT, length = i < 6 ? 1 : sqrt(0.75);
        if (part < least && part * length < nearest) {
            nearest = part * length;
            *towards = q;
        }
    }
    return nearest;
}

/* A point that was moved is on the surface: its edges are cut no more. */
static lil_status move_points(lil_context *ctx, lil_lattice *l)
{
    int room = 0, border = l->step[0][0] + l->step[0][2] + l->step[0][4]; /* points without all neighbours */
    for (int p = 0; p < l->points; p++)
        l->moved[p] = -1;
    for (int p = border; p < l->points - border; p++) {
        int q = 0;
        double a[3], b[3], length, nearest = nearest_cut(l, p, &q);
        if (!(nearest < 1))
            continue;
        if (l->moved_count == room) {
            room = room ? 2 * room : 1024;
            double(*grown)[3] = realloc(l->at, (size_t)room * sizeof *grown);
            LIL_HAVE(ctx, grown);
            l->at = grown;
        }
        place_of(l, p, a);
        place_of(l, q, b);
        length = is_long(p, q) ? 1 : sqrt(0.75);
        for (int d = 0; d < 3; d++)
            l->at[l->moved_count][d] = a[d] + nearest / length * (b[d] - a[d]);
        l->moved[p] = l->moved_count++;
        l->sign[p] = 0;
    }
    return LIL_OK;
}

/* ---- the whole ---- */

static lil_status make(lil_context *ctx, const lil_solid *solid, lil_lattice *l, lil_progress_fn *progress,
                       void *user)
{
    asking job = { .l = l, .solid = solid };
    int blocks = 1;
    l->sign = malloc((size_t)l->points);
    l->first = malloc(((size_t)l->points + 1) * sizeof *l->first);
    l->moved = malloc((size_t)l->points * sizeof *l->moved);
    LIL_HAVE(ctx, l->sign && l->first && l->moved);
    for (int d = 0; d < 3; d++) {
        job.blocks[d] = (l->n[d] + BLOCK - 1) / BLOCK;
        blocks *= job.blocks[d];
    }
    LIL_TRY(in_portions(ctx, &job, blocks, ask_block, 0, 0.7, progress, user));
    close_border(l);
    LIL_TRY(list_cuts(ctx, l));
    LIL_TRY(in_portions(ctx, &job, (l->points + POINT_PIECE - 1) / POINT_PIECE, cut_piece, 0.7, 1, progress, user));
    return move_points(ctx, l);
}

lil_status lil_lattice_make(lil_context *ctx, const lil_solid *solid, double h, lil_progress_fn *progress, void *user,
                            lil_lattice *lattice)
{
    *lattice = (lil_lattice){ 0 };
    set_shape(lattice, solid, h);
    return make(ctx, solid, lattice, progress, user);
}

void lil_lattice_free(lil_lattice *l)
{
    free(l->sign);
    free(l->first);
    free(l->cuts);
    free(l->moved);
    free(l->at);
    *l = (lil_lattice){ 0 };
}
