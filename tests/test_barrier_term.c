/* The barrier as a term: what it sees on the way of a step does not depend on which part a shared point is counted to. */
#include "test.h"

#include "terms/barrier.h"

#include <math.h>
#include <string.h>

enum { POINTS = 6, PARTS = 3 };

/* A strand of two links, 0-1-2, the first of them a root, and a triangle above the first, 3-4-5. */
typedef struct hair {
    int corners[3][3], part[3], touching[POINTS], touching_part[POINTS];
    double reach[PARTS], d_hat[PARTS * PARTS], rest[3 * POINTS];
    bool meet[PARTS * PARTS], still[POINTS], tangled[POINTS];
    lil_barrier_part parts[PARTS];
    lil_barriers barriers;
} hair;

/* root: the part of the first link, 2 of its own or 0 that of the strand */
static void grow(hair *h, int root)
{
    static const char strand[] = "strand", thing[] = "thing";
    *h = (hair){ .corners = { { 0, 1, -1 }, { 1, 2, -1 }, { 3, 4, 5 } },
                 .part = { root, 0, 1 },
                 .touching = { 0, 1, 2, 3, 4, 5 },
                 .touching_part = { root, 0, 0, 1, 1, 1 },
                 .rest = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 0.8, -1, 0.8, 0.8, 1, 0.8, 0.7, 0, 0.85 } };
    for (int i = 0; i < PARTS * PARTS; i++) {
        h->meet[i] = true;
        h->d_hat[i] = 0.02;
    }
    for (int i = 0; i < PARTS; i++) {
        h->reach[i] = 0.01;
        h->parts[i] = (lil_barrier_part){
            .name = i == 1 ? thing : strand, .d_hat = 0.02, .modulus = 1, .stiffness = 1, .damping = -1
        };
    }
    h->barriers = (lil_barriers){ .shell = { .count = 3,
                                             .corners = (const int(*)[3])h->corners,
                                             .part = h->part,
                                             .part_count = PARTS,
                                             .reach = h->reach,
                                             .meet = h->meet },
                                  .vertex_count = POINTS,
                                  .point_count = POINTS,
                                  .carried = { .vertex_count = POINTS },
                                  .tangled = h->tangled,
                                  .still = h->still,
                                  .rest = h->rest,
                                  .parts = h->parts,
                                  .d_hat = h->d_hat,
                                  .law = { .slip = 1, .restitution = 1 },
                                  .touching_count = POINTS,
                                  .touching = h->touching,
                                  .touching_part = h->touching_part };
}

/* The ends 1 and 2 go up by 2 and the first link sweeps through an edge of the triangle: it may go less than half of it. */
TEST(a_root_does_not_sweep_through)
{
    for (int root = 0; root <= 2; root += 2) {
        lil_context *ctx = lil_context_create();
        lil_arena arena = { 0 };
        lil_entries entries = { 0 };
        hair h;
        void *work;
        double q[3 * POINTS], way[3 * POINTS] = { 0 };
        grow(&h, root);
        lil_term term = lil_barrier_term(&h.barriers);
        CHECK(term.table->begin(ctx, term.data, &arena, false, &work, &entries) == LIL_OK);
        way[5] = way[8] = 2;
        for (int k = 0; k < 3 * POINTS; k++)
            q[k] = h.rest[k] + way[k];
        term.table->prepare(term.data, work, 0, 0.1, h.rest);
        CHECK(!term.table->contact->is_open(term.data, work, &(lil_ends){ 0, 0.1, h.rest, q, false }));
        term.table->prepare(term.data, work, 0, 0.1, h.rest);
        double s = term.table->longest(term.data, work, 0.1, h.rest, way);
        CHECK(s > 0.1 && s < 0.5); /* at 0.8 along the link it is at 1.6 s, the edge at 0.8 */
        lil_arena_free(&arena);
        lil_context_destroy(&ctx);
    }
}

/* The triangle comes down on the link, sideways too, towards a plane below: gaps at both ends are within d_hat = 0.02. */
static void land(const hair *h, double q0[3 * POINTS], double q1[3 * POINTS])
{
    const double down = 0.788;
    for (int k = 0; k < 3 * POINTS; k++) {
        q0[k] = h->rest[k] - (k >= 9 && k % 3 == 2 ? down : 0);
        q1[k] = q0[k] + (k >= 9 ? (double[]){ 0.001, 0.0005, -0.003 }[k % 3] : 0) + 1e-4 * sin(k);
    }
}

static double *ending_of(const lil_term *term, void *work, const double *q0, const double *q1, double *g)
{
    double noise = 0;
    for (int k = 0; k < 3 * POINTS; k++)
        g[k] = 0;
    term->table->discrete_gradient->evaluate(term->data, work, &(lil_ends){ 0, 0.1, q0, q1, true }, g, &noise);
    return g;
}

/* Implicit Euler's: without losses the gradient at the end, with them more by what they take out; couplings are its derivative. Central
 * differences of 1e-7 of gaps of 1e-2 leave (1e-5)^2 of third derivatives and 1e-16/1e-5 of round-off: 1e-7 of the largest entry is ample. */
TEST(ending_is_the_gradient_at_the_end)
{
    enum { N = 3 * POINTS };
    const double restitution[] = { 1, 0.5 }, e = 1e-7;
    for (int c = 0; c < 2; c++) {
        lil_context *ctx = lil_context_create();
        lil_arena arena = { 0 };
        lil_entries entries = { 0 };
        lil_couplings to = { .arena = &arena };
        lil_barrier_plane plane = { .part = 1, .point = { 0, 0, -0.015 }, .normal = { 0, 0, 1 } };
        hair h;
        void *work;
        double q0[N], q1[N], g[N], plain[N] = { 0 }, J[N][N] = { { 0 } }, above[N], below[N], most = 0, off = 0;
        grow(&h, 0);
        h.barriers.law = (lil_contact_law){ .slip = 1, .restitution = restitution[c], .damping = c ? 0.05 : 0 };
        h.barriers.planes = &plane;
        h.barriers.plane_count = 1;
        lil_term term = lil_barrier_term(&h.barriers);
        CHECK(term.table->begin(ctx, term.data, &arena, false, &work, &entries) == LIL_OK);
        land(&h, q0, q1);
        term.table->prepare(term.data, work, 0, 0.1, q0);
        ending_of(&term, work, q0, q1, g);
        lil_loss lost = term.table->discrete_gradient->lost(work);
        term.table->evaluate(term.data, work, &(lil_at){ 0.1, q1, NULL }, &(lil_sums){ NULL, plain, NULL });
        double taken = 0;
        for (int k = 0; k < N; k++) {
            off = fmax(off, fabs(g[k] - plain[k]));
            most = fmax(most, fabs(plain[k]));
            taken += (g[k] - plain[k]) * (q1[k] - q0[k]);
        }
        CHECK(most > 0 && (c ? off > 0.1 * most : off == 0));
        CHECK(c ? lost.restitution > 0 : lost.restitution == 0);
        CHECK_NEAR(taken, lost.restitution, 1e-12 * most);
        term.table->discrete_gradient->second(term.data, work, &(lil_ends){ 0, 0.1, q0, q1, true },
                                              &(lil_sink){ .weight = 1, .couplings = &to });
        for (int i = 0; i < to.count; i++)
            for (int k = 0; k < 9 * to.list[i].count * to.list[i].count; k++) {
                int row = k / (3 * to.list[i].count), col = k % (3 * to.list[i].count);
                J[3 * to.list[i].at[row / 3] + row % 3][3 * to.list[i].at[col / 3] + col % 3] +=
                    to.list[i].H[row][col];
            }
        most = off = 0;
        for (int j = 0; j < N; j++) {
            double x = q1[j];
            q1[j] = x + e;
            ending_of(&term, work, q0, q1, above);
            q1[j] = x - e;
            ending_of(&term, work, q0, q1, below);
            q1[j] = x;
            for (int i = 0; i < N; i++) {
                off = fmax(off, fabs((above[i] - below[i]) / (2 * e) - J[i][j]));
                most = fmax(most, fabs(J[i][j]));
            }
        }
        CHECK(most > 0 && off < 1e-7 * most);
        lil_arena_free(&arena);
        lil_context_destroy(&ctx);
    }
}

/* Round-off of an energy is the same whether forces were wanted beside it or not, whatever was looked at before. */
TEST(size_after_a_value_alone)
{
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_entries entries = { 0 };
    hair h;
    void *work;
    double q[3 * POINTS], g[3 * POINTS] = { 0 }, W, size[3] = { 0 }, stiff[3] = { 0 };
    grow(&h, 0);
    lil_term term = lil_barrier_term(&h.barriers);
    CHECK(term.table->begin(ctx, term.data, &arena, false, &work, &entries) == LIL_OK);
    for (int pass = 0; pass < 3; pass++) { /* near, then nearer without and with forces */
        memcpy(q, h.rest, sizeof q);
        for (int i = 0; i < 3; i++)
            q[3 * i + 2] += pass ? 0.797 : 0.783;
        W = 0;
        term.table->evaluate(term.data, work, &(lil_at){ 0, q, NULL }, &(lil_sums){ &W, pass == 1 ? NULL : g, NULL });
        term.table->size(term.data, work, q, &size[pass], &stiff[pass]);
        CHECK(W > 0 && size[pass] > 0 && stiff[pass] > 0);
    }
    CHECK(size[1] > 2 * size[0] && fabs(size[1] - size[2]) < 1e-12 * size[2] &&
          fabs(stiff[1] - stiff[2]) < 1e-12 * stiff[2]);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

int main(void)
{
    RUN(size_after_a_value_alone);
    RUN(a_root_does_not_sweep_through);
    RUN(ending_is_the_gradient_at_the_end);
    return test_end();
}
