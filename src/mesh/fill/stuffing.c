#include "mesh/fill/stuffing.h"

#include "core/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A corner of a tet of the mesh: a point of the lattice, or (from points on) a cut. */
typedef struct stuffing {
    lil_context *ctx;
    const lil_lattice *l;
    int (*tets)[4];
    size_t count, room;
    bool odd;  /* the tet at hand has its corners in another order: those made of it are turned over */
    bool none; /* memory ran out */
} stuffing;

static void add(stuffing *s, int a, int b, int c, int d)
{
    if (lil_grow(s->ctx, &s->tets, &s->room, s->count, 1, sizeof *s->tets) != LIL_OK) {
        s->none = true;
        return;
    }
    int *t = s->tets[s->count++];
    t[0] = s->odd ? b : a;
    t[1] = s->odd ? a : b;
    t[2] = c;
    t[3] = d;
}

static int cut(const stuffing *s, int in, int out)
{
    return s->l->points + lil_lattice_cut(s->l, in, out);
}

/* ---- diagonals ---- */

/* Corners and centres alternate in a chessboard of their own along every long edge. */
static bool is_even(const lil_lattice *l, int point)
{
    int cell = point / 2;
    return (cell % l->n[0] + cell / l->n[0] % l->n[1] + cell / l->n[0] / l->n[1]) % 2 == 0;
}

/* A face with corners u, v in and w out has a part with four corners: u, v and the cuts towards w. Is its diagonal
 * the one that ends at u? Both tets of the face must say the same. Where the edge u, v is long, chess decides;
 * otherwise the diagonal ends at the cut of the long edge, which is what keeps angles large. */
static bool diagonal_at(const lil_lattice *l, int u, int v, int w)
{
    if (((u ^ v) & 1) == 0)
        return is_even(l, u);
    return ((v ^ w) & 1) == 0; /* the cut of v, w is on the long edge, and the diagonal from u ends there */
}

/* ---- wedges ---- */

/* Triangles A and B with edges Ai Bi. diagonal[i] is that between i and j = i + 1: true if it is Ai Bj, false if
 * Aj Bi. Not all three are the same. Positive if (A0, A1, A2, B0) is. */
static void split_wedge(const int A[3], const int B[3], const bool diagonal[3], int out[3][4])
{
    int i = 0;
    while (!(diagonal[i] && !diagonal[(i + 2) % 3])) /* Ai, where two diagonals end, sees all three tets */
        i++;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    const int from_Aj[3][4] = { { A[i], B[i], B[j], B[k] }, { A[i], A[j], A[k], B[k] }, { A[i], A[j], B[k], B[j] } };
    const int from_Ak[3][4] = { { A[i], B[i], B[j], B[k] }, { A[i], A[j], A[k], B[j] }, { A[i], A[k], B[k], B[j] } };
    memcpy(out, diagonal[j] ? from_Aj : from_Ak, sizeof from_Aj);
}

static void add_wedge(stuffing *s, const int A[3], const int B[3], const bool diagonal[3])
{
    int out[3][4];
    split_wedge(A, B, diagonal, out);
    for (int t = 0; t < 3; t++)
        add(s, out[t][0], out[t][1], out[t][2], out[t][3]);
}

/* Position of a corner of a tet; its ends identify a cut. */
static void place(const lil_lattice *l, int in, int out, double x[3])
{
    if (out < 0)
        lil_lattice_place(l, in, x);
    else
        lil_lattice_cut_place(l, in, out, x);
}

static double worst_angle(const double *x, const int A[3], const int B[3], const bool diagonal[3])
{
    int out[3][4];
    double worst = 180;
    split_wedge(A, B, diagonal, out);
    for (int t = 0; t < 3; t++)
        worst = fmin(worst, lil_tet_dihedral(x, out[t]));
    return worst;
}

/* p, q in, m, n out: a wedge whose side between the four cuts is no other tet's. Its diagonal is the better one. */
static void add_half(stuffing *s, int p, int q, int m, int n)
{
    const int A[3] = { p, cut(s, p, m), cut(s, p, n) }, B[3] = { q, cut(s, q, m), cut(s, q, n) };
    bool diagonal[3] = { diagonal_at(s->l, p, q, m), true, !diagonal_at(s->l, p, q, n) };
    if (diagonal[0] == diagonal[2]) {
        diagonal[1] = !diagonal[0];
    } else {
        static const int local_A[3] = { 0, 1, 2 }, local_B[3] = { 3, 4, 5 };
        const int in[6] = { p, p, p, q, q, q }, out[6] = { -1, m, n, -1, m, n };
        double x[18], angle[2];
        for (int i = 0; i < 6; i++)
            place(s->l, in[i], out[i], x + 3 * i);
        for (int k = 0; k < 2; k++) {
            diagonal[1] = k;
            angle[k] = worst_angle(x, local_A, local_B, diagonal);
        }
        diagonal[1] = angle[1] > angle[0];
    }
    add_wedge(s, A, B, diagonal);
}

/* ---- stencils ---- */

/* The corners with those that are in first, those that are out next, those on the surface last; is that another
 * sense? */
static bool sort_corners(const lil_lattice *l, const int tet[4], int sorted[4], int count[3])
{
    int n = 0, from[4];
    bool odd = false;
    for (int group = 0; group < 3; group++) {
        static const int8_t signs[3] = { 1, -1, 0 };
        count[group] = 0;
        for (int k = 0; k < 4; k++)
            if (l->sign[tet[k]] == signs[group]) {
                from[n] = k;
                sorted[n++] = tet[k];
                count[group]++;
            }
    }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            odd = odd != (from[k] > from[i]);
    return odd;
}

/* The part of one tet of the lattice that is in. */
static void add_part(stuffing *s, const int tet[4])
{
    int v[4], count[3];
    s->odd = sort_corners(s->l, tet, v, count);
    int in = count[0], out = count[1];
    if (in == 0)
        return;
    if (out == 0) {
        add(s, v[0], v[1], v[2], v[3]);
    } else if (in == 1) {
        for (int k = 1; k <= out; k++)
            v[k] = cut(s, v[0], v[k]);
        add(s, v[0], v[1], v[2], v[3]);
    } else if (in == 2 && out == 1) { /* a pyramid over four corners of a face */
        int p = v[0], q = v[1], m = v[2], z = v[3], cp = cut(s, p, m), cq = cut(s, q, m);
        bool at_p = diagonal_at(s->l, p, q, m);
        add(s, p, q, at_p ? cq : cp, z);
        add(s, at_p ? p : q, cq, cp, z);
    } else if (in == 2) {
        add_half(s, v[0], v[1], v[2], v[3]);
    } else {
        const int B[3] = { cut(s, v[0], v[3]), cut(s, v[1], v[3]), cut(s, v[2], v[3]) };
        const bool diagonal[3] = { diagonal_at(s->l, v[0], v[1], v[3]), diagonal_at(s->l, v[1], v[2], v[3]),
                                   diagonal_at(s->l, v[2], v[0], v[3]) };
        add_wedge(s, v, B, diagonal);
    }
}

/* The tets of a cell: between its centre and that of the next cell along each axis stands a face, and each of its four
 * edges makes a tet with the two. */
static void add_cell(stuffing *s, int cell)
{
    const lil_lattice *l = s->l;
    const int stride[3] = { 2, 2 * l->n[0], 2 * l->n[0] * l->n[1] };
    for (int d = 0; d < 3; d++) {
        int a = stride[(d + 1) % 3], b = stride[(d + 2) % 3], corner = 2 * cell + stride[d];
        const int face[4] = { corner, corner + a, corner + a + b, corner + b };
        for (int k = 0; k < 4; k++) {
            const int tet[4] = { 2 * cell + 1, 2 * cell + 1 + stride[d], face[k], face[(k + 1) % 4] };
            if (l->sign[tet[0]] > 0 || l->sign[tet[1]] > 0 || l->sign[tet[2]] > 0 || l->sign[tet[3]] > 0)
                add_part(s, tet);
        }
    }
}

static void add_cells(stuffing *s)
{
    const int *n = s->l->n;
    for (int k = 0; k + 1 < n[2]; k++)
        for (int j = 0; j + 1 < n[1]; j++)
            for (int i = 0; i + 1 < n[0]; i++)
                add_cell(s, (k * n[1] + j) * n[0] + i);
}

/* ---- the mesh ---- */

/* Vertices in the order of the points, each followed by its cuts: neighbours are near each other in memory. */
static lil_status number_vertices(stuffing *s, lil_arena *arena, lil_mesh *mesh)
{
    const lil_lattice *l = s->l;
    size_t corners = (size_t)l->points + (size_t)l->first[l->points];
    int *number = malloc(corners * sizeof *number + 1), count = 0;
    LIL_HAVE(s->ctx, number);
    memset(number, -1, corners * sizeof *number);
    for (size_t t = 0; t < s->count; t++)
        for (int k = 0; k < 4; k++)
            number[s->tets[t][k]] = 0;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int p = 0; p < l->points; p++) {
            if (number[p] >= 0) {
                if (pass)
                    lil_lattice_place(l, p, mesh->x + 3 * (size_t)count);
                number[p] = count++;
            }
            for (int c = l->first[p]; c < l->first[p + 1]; c++)
                if (number[l->points + c] >= 0) {
                    if (pass)
                        lil_lattice_cut_place(l, p, l->cuts[c].to, mesh->x + 3 * (size_t)count);
                    number[l->points + c] = count++;
                }
        }
        mesh->vertex_count = count;
        if (!pass && !(mesh->x = LIL_NEW(arena, double, 3 * (size_t)count)))
            break;
    }
    for (size_t t = 0; mesh->x && t < s->count; t++)
        for (int k = 0; k < 4; k++)
            mesh->tets[t][k] = number[s->tets[t][k]];
    free(number);
    return mesh->x ? LIL_OK : lil_fail_memory(s->ctx);
}

lil_status lil_lattice_stuff(lil_context *ctx, lil_arena *arena, const lil_lattice *lattice, lil_mesh *mesh)
{
    stuffing s = { .ctx = ctx, .l = lattice };
    *mesh = (lil_mesh){ 0 };
    add_cells(&s);
    lil_status status = s.none ? lil_fail_memory(ctx) : LIL_OK;
    if (status == LIL_OK && s.count) {
        mesh->tet_count = (int)s.count;
        mesh->tets = lil_arena_alloc(arena, s.count, sizeof *mesh->tets);
        status = mesh->tets ? number_vertices(&s, arena, mesh) : lil_fail_memory(ctx);
    }
    free(s.tets);
    return status;
}
