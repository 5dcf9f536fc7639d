#include "solvers/panels.h"

#include <string.h>

enum { WIDEST = 6 }; /* columns a block: its part of x stays in registers */

/* ---- the pattern ---- */

/* How many columns from j on have the same rows below them. */
static int width_at(const lil_ldl *ldl, int n, int j)
{
    int w = 1;
    while (w < WIDEST && j + w < n && ldl->parent[j + w - 1] == j + w && ldl->Lnz[j + w - 1] == ldl->Lnz[j + w] + 1)
        w++;
    return w;
}

static int count_blocks(const lil_ldl *ldl, int n)
{
    int count = 0;
    for (int j = 0; j < n; j += width_at(ldl, n, j))
        count++;
    return count;
}

/* LDL' writes the rows of L's columns in order, while it factors; here they are the marks that it leaves, row by
 * row. */
static void find_rows(const lil_ldl *ldl, int n, int *Li, int *filled, int *mark)
{
    const lil_pattern *A = ldl->pattern;
    memset(filled, 0, (size_t)n * sizeof *filled);
    for (int k = 0; k < n; k++) {
        mark[k] = k;
        for (int e = A->start[ldl->P[k]]; e < A->start[ldl->P[k] + 1]; e++)
            for (int i = ldl->Pinv[A->row[e]]; i < k && mark[i] != k; i = ldl->parent[i]) {
                Li[ldl->Lp[i] + filled[i]++] = k;
                mark[i] = k;
            }
    }
}

lil_status lil_panels_create(lil_context *ctx, lil_arena *arena, const lil_ldl *ldl, lil_panels *panels)
{
    int n = ldl->pattern->n;
    *panels = (lil_panels){ .ldl = ldl, .n = n, .count = count_blocks(ldl, n) };
    int *Li = LIL_NEW(arena, int, ldl->Lp[n] + 1), *room = LIL_NEW(arena, int, 2 * (size_t)n);
    panels->panel = LIL_NEW(arena, lil_panel, panels->count);
    LIL_HAVE(ctx, Li && room && panels->panel);
    find_rows(ldl, n, Li, room, room + n);
    for (int b = 0, j = 0; b < panels->count; b++) {
        int w = width_at(ldl, n, j), last = j + w - 1, rows = ldl->Lp[last + 1] - ldl->Lp[last];
        lil_panel *panel = &panels->panel[b];
        *panel = (lil_panel){ j, w, (rows + LIL_LANES - 1) / LIL_LANES, NULL, panels->triangles, panels->bodies };
        LIL_ALLOC(ctx, arena, panel->row, LIL_LANES * panel->groups + 1);
        for (int i = 0; i < LIL_LANES * panel->groups; i++)
            panel->row[i] = i < rows ? Li[ldl->Lp[last] + i] : n;
        panels->triangles += (size_t)(w * (w - 1) / 2);
        panels->bodies += (size_t)(w * panel->groups);
        j += w;
    }
    return LIL_OK;
}

/* ---- numbers ---- */

lil_status lil_panelled_create(lil_context *ctx, lil_arena *arena, const lil_panels *panels, lil_panelled *panelled)
{
    panelled->triangle = LIL_NEW(arena, double, panels->triangles + 1);
    panelled->over_D = LIL_NEW(arena, double, panels->n);
    panelled->body = LIL_NEW(arena, lil_lanes, panels->bodies + 1);
    return panelled->triangle && panelled->over_D && panelled->body ? LIL_OK : lil_fail_memory(ctx);
}

void lil_panelled_set(const lil_panels *panels, lil_panelled *panelled)
{
    const lil_ldl *ldl = panels->ldl;
    for (int b = 0; b < panels->count; b++) {
        const lil_panel *panel = &panels->panel[b];
        double *triangle = panelled->triangle + panel->triangle;
        for (int c = 0; c < panel->width; c++) {
            const double *x = ldl->Lx + ldl->Lp[panel->first + c], *end = ldl->Lx + ldl->Lp[panel->first + c + 1];
            for (int d = c + 1; d < panel->width; d++)
                *triangle++ = *x++;
            double *body = (double *)(panelled->body + panel->body) + LIL_LANES * c;
            for (int i = 0; x < end; i++, x++)
                body[LIL_LANES * panel->width * (i / LIL_LANES) + i % LIL_LANES] = *x;
        }
    }
    for (int i = 0; i < panels->n; i++)
        panelled->over_D[i] = 1 / ldl->D[i];
}

/* ---- solutions ---- */

LIL_INLINE void forwards(const lil_panel *panel, int w, const double *triangle, const lil_lanes *body, double *x)
{
    double *own = x + panel->first;
    lil_lanes own_all[WIDEST];
    for (int c = 0; c < w; c++) {
        for (int d = c + 1; d < w; d++)
            own[d] -= *triangle++ * own[c];
        own_all[c] = lil_lanes_all(own[c]);
    }
    for (int g = 0; g < panel->groups; g++, body += w) {
        const int *row = panel->row + LIL_LANES * g;
        lil_lanes sum = body[0] * own_all[0];
        for (int c = 1; c < w; c++)
            sum += body[c] * own_all[c];
        for (int i = 0; i < LIL_LANES; i++)
            x[row[i]] -= sum[i];
    }
}

LIL_INLINE void backwards(const lil_panel *panel, int w, const double *triangle, const lil_lanes *body, double *x)
{
    double *own = x + panel->first;
    lil_lanes sum[WIDEST] = { { 0 } };
    for (int g = 0; g < panel->groups; g++, body += w) {
        const int *row = panel->row + LIL_LANES * g;
        lil_lanes some = { x[row[0]], x[row[1]], x[row[2]], x[row[3]] };
        for (int c = 0; c < w; c++)
            sum[c] += body[c] * some;
    }
    for (int c = 0; c < w; c++)
        own[c] -= (sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]);
    triangle += w * (w - 1) / 2;
    for (int c = w - 1; c >= 0; c--)
        for (int d = w - 1; d > c; d--)
            own[c] -= *--triangle * own[d];
}

/* Each width has its own code, in which loops over columns are written out. */
#define OF_WIDTH(function, panel, ...)                                                                               \
    switch ((panel)->width) {                                                                                        \
    case 1: function((panel), 1, __VA_ARGS__); break;                                                                \
    case 2: function((panel), 2, __VA_ARGS__); break;                                                                \
    case 3: function((panel), 3, __VA_ARGS__); break;                                                                \
    case 4: function((panel), 4, __VA_ARGS__); break;                                                                \
    case 5: function((panel), 5, __VA_ARGS__); break;                                                                \
    default: function((panel), WIDEST, __VA_ARGS__);                                                                 \
    }

LIL_KERNEL static void solve(const lil_panels *panels, const lil_panelled *panelled, double *x)
{
    for (int b = 0; b < panels->count; b++) {
        const lil_panel *panel = &panels->panel[b];
        OF_WIDTH(forwards, panel, panelled->triangle + panel->triangle, panelled->body + panel->body, x)
    }
    for (int i = 0; i < panels->n; i++)
        x[i] *= panelled->over_D[i];
    x[panels->n] = 0;
    for (int b = panels->count - 1; b >= 0; b--) {
        const lil_panel *panel = &panels->panel[b];
        OF_WIDTH(backwards, panel, panelled->triangle + panel->triangle, panelled->body + panel->body, x)
    }
}

void lil_panelled_solve(const lil_panels *panels, const lil_panelled *panelled, const double *b, double *x,
                        double *work)
{
    const int *P = panels->ldl->P;
    for (int i = 0; i < panels->n; i++)
        work[i] = b[P[i]];
    solve(panels, panelled, work);
    for (int i = 0; i < panels->n; i++)
        x[P[i]] = work[i];
}
