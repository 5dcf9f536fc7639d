/* How numbers go from vertices to lanes and from lanes to edges: private to the kernels of pairs, after
 * tet_tangent.h in float. */
/* as they are among other floats */
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

/* The chunk's vertices, relative to the first, in the body's unit. */
LIL_INLINE void gather(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q, float *x)
{
    const int *vertex = p->vertices + chunk->vertex;
    const double *origin = q + 3 * (size_t)vertex[0], per = 1 / p->length;
    for (int v = 0; v < chunk->vertices; v++) {
        const double *at = q + 3 * (size_t)vertex[v];
        for (int i = 0; i < 3; i++)
            x[4 * v + i] = (float)(per * (at[i] - origin[i]));
        x[4 * v + 3] = 0;
    }
}

#define LIL_PICK_(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

LIL_INLINE lanes two(const float *x, int v, int w)
{
    return LIL_PICK_(*(const quad *)(x + v), *(const quad *)(x + w), 0, 1, 2, 3, 4, 5, 6, 7);
}

/* eight vertices as three vectors */
LIL_INLINE void load_vertices(const float *x, const uint16_t id[LANES], lanes y[3])
{
    lanes r0 = two(x, id[0], id[4]), r1 = two(x, id[1], id[5]), r2 = two(x, id[2], id[6]), r3 = two(x, id[3], id[7]);
    lanes t0 = LIL_PICK_(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13), t1 = LIL_PICK_(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes t2 = LIL_PICK_(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15), t3 = LIL_PICK_(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    y[0] = LIL_PICK_(t0, t1, 0, 1, 8, 9, 4, 5, 12, 13);
    y[1] = LIL_PICK_(t0, t1, 2, 3, 10, 11, 6, 7, 14, 15);
    y[2] = LIL_PICK_(t2, t3, 0, 1, 8, 9, 4, 5, 12, 13);
}

/* E_a(0) + E_a(a + 1) of both groups of points */
LIL_INLINE lanes two_ends(lanes E, int a)
{
    lanes first = LIL_PICK_(E, E, 0, 0, 0, 0, 4, 4, 4, 4);
    return first + (a == 0   ? LIL_PICK_(E, E, 1, 1, 1, 1, 5, 5, 5, 5)
                    : a == 1 ? LIL_PICK_(E, E, 2, 2, 2, 2, 6, 6, 6, 6)
                             : LIL_PICK_(E, E, 3, 3, 3, 3, 7, 7, 7, 7));
}

/* edges of corner tets to those of quadrature points (tet_mix.h) */
LIL_INLINE lanes mixed(const lil_stiffness_mix *mix, lanes E, int a)
{
    lanes pairs = E + LIL_PICK_(E, E, 1, 0, 3, 2, 5, 4, 7, 6);
    lanes total = pairs + LIL_PICK_(pairs, pairs, 2, 3, 0, 1, 6, 7, 4, 5);
    return *(const eight *)mix->own * E +
           (*(const eight *)mix->all * total - *(const eight *)mix->ends * two_ends(E, a));
}

/* mix NULL: of linear tets */
LIL_INLINE void load_edges(const lil_stiffness_mix *mix, const lil_stiffness_block *block, const float *x, shape *s)
{
    lanes first[3];
    load_vertices(x, block->vertex[0], first);
    for (int a = 0; a < 3; a++) {
        load_vertices(x, block->vertex[a + 1], s->d[a]);
        for (int i = 0; i < 3; i++)
            s->d[a][i] -= first[i];
        for (int i = 0; mix && i < 3; i++)
            s->d[a][i] = mixed(mix, s->d[a][i], a);
    }
}

/* of a block of the list */
LIL_INLINE const lil_stiffness_mix *mix_of(const lil_tet_stiffness *p, const lil_stiffness_block *block)
{
    return p->mixes ? p->mixes + (block - p->blocks) : NULL;
}

LIL_INLINE void load_rest(const lil_stiffness_block *block, shape *s)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            s->g[a][i] = *(const eight *)block->B[3 * a + i];
    s->r = *(const eight *)block->r;
}

/* rows to columns, 8 x 8 */
LIL_INLINE void transpose(const lanes a[8], lanes b[8])
{
    lanes t[8], r[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = LIL_PICK_(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = LIL_PICK_(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            r[i + 2 * j] = LIL_PICK_(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            r[i + 2 * j + 1] = LIL_PICK_(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        b[i] = LIL_PICK_(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[i + 4] = LIL_PICK_(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* blocks of one edge of eight tets to their sums */
LIL_INLINE void scatter(const lanes k[9], const uint16_t edge[LANES], float *edges)
{
    lanes row[8];
    transpose(k, row);
    for (int l = 0; l < LANES; l++) {
        float *sum = edges + edge[l];
        *(eight *)sum += row[l];
        sum[8] += k[8][l];
    }
}

/* both blocks of one edge of eight tets to their sums */
LIL_INLINE void scatter_two(const lanes k[9], const uint16_t edge[LANES], int end, float *edges)
{
    lanes row[8];
    transpose(k, row);
    for (int l = 0; l < LANES; l++) {
        float *sum = edges + 2 * edge[l] + 9 * end;
        *(eight *)sum += row[l];
        sum[8] += k[8][l];
    }
}

/* ---- symmetric: 00 01 02 11 12 22 ---- */

LIL_INLINE lanes dot6(const lanes A[6], const lanes B[6])
{
    return (A[0] * B[0] + A[3] * B[3] + A[5] * B[5]) + 2 * (A[1] * B[1] + A[2] * B[2] + A[4] * B[4]);
}

LIL_INLINE void times6(const lanes A[6], const lanes x[3], lanes y[3])
{
    y[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    y[1] = A[1] * x[0] + A[3] * x[1] + A[4] * x[2];
    y[2] = A[2] * x[0] + A[4] * x[1] + A[5] * x[2];
}

LIL_INLINE void times(lanes F[3][3], const lanes x[3], lanes y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = dot(F[i], x);
}

/* F'F */
LIL_INLINE void square6(lanes F[3][3], lanes C[6])
{
    int k = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            C[k++] = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j];
}

/* ---- the ends of a step ---- */

LIL_INLINE lanes determinant(lanes F[3][3])
{
    lanes c[3];
    cross(F[1], F[2], c);
    return dot(F[0], c);
}

LIL_INLINE void set_end(shape *s, lil_lanes *F, lil_lanes *J)
{
    lanes det = determinant(s->F);
    for (int h = 0; h < HALVES; h++) {
        for (int k = 0; k < 9; k++)
            F[9 * h + k] = widen(s->F[k / 3][k % 3], h);
        J[h] = widen(det, h);
    }
}
