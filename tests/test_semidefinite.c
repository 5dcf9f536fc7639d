/* The nearest positive semidefinite matrix. */
#include "math/semidefinite.h"
#include "test.h"

#include <float.h>

enum { N = LIL_SEMIDEFINITE_MAX };

static double uniform(void)
{
    return 2 * (rand() / (double)RAND_MAX) - 1;
}

/* A + shift has a Cholesky factor: all eigenvalues are above -shift */
static bool is_above(const double *A, double shift)
{
    double L[N * N] = { 0 };
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            double sum = A[N * i + j] + (i == j ? shift : 0);
            for (int k = 0; k < j; k++)
                sum -= L[N * i + k] * L[N * j + k];
            if (i == j && !(sum > 0))
                return false;
            L[N * i + j] = i == j ? sqrt(sum) : sum / L[N * j + j];
        }
    return true;
}

static double product(const double *A, const double *x, const double *y)
{
    double sum = 0;
    for (int e = 0; e < N * N; e++)
        sum += x[e / N] * A[e] * y[e % N];
    return sum;
}

/* Eigenvectors by Gram and Schmidt, eigenvalues of either sign over twelve decades: the positive part is known. */
TEST(takes_out_what_is_negative_and_keeps_the_rest)
{
    for (int trial = 0; trial < 50; trial++) {
        double Q[N][N], A[N * N] = { 0 }, wanted[N * N] = { 0 }, most = 0;
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++)
                Q[i][k] = uniform();
            for (int twice = 0; twice < 2; twice++)
                for (int j = 0; j < i; j++) {
                    double dot = 0;
                    for (int k = 0; k < N; k++)
                        dot += Q[i][k] * Q[j][k];
                    for (int k = 0; k < N; k++)
                        Q[i][k] -= dot * Q[j][k];
                }
            double square = 0;
            for (int k = 0; k < N; k++)
                square += Q[i][k] * Q[i][k];
            for (int k = 0; k < N; k++)
                Q[i][k] /= sqrt(square);
            double lambda = uniform() * pow(10, 6 * uniform());
            most = fmax(most, fabs(lambda));
            for (int e = 0; e < N * N; e++) {
                A[e] += lambda * Q[i][e / N] * Q[i][e % N];
                wanted[e] += fmax(lambda, 0) * Q[i][e / N] * Q[i][e % N];
            }
        }
        lil_make_semidefinite(N, A);
        CHECK(is_above(A, 100 * DBL_EPSILON * most)); /* round-off of sums of 12, a few times */
        double off = 0, skew = 0;
        for (int e = 0; e < N * N; e++) {
            off = fmax(off, fabs(A[e] - wanted[e]));
            skew = fmax(skew, fabs(A[e] - A[N * (e % N) + e / N]));
        }
        CHECK_BELOW(off, 100 * DBL_EPSILON * most);
        CHECK(skew == 0);
    }
}

TEST(leaves_what_is_semidefinite_to_the_last_bit)
{
    double A[N * N] = { 0 }, B[N * N], x[N], y[N];
    for (int k = 0; k < N; k++)
        A[N * k + k] = k % 3 ? k : 0;
    for (int i = 0; i < 4; i++)
        A[N * i + 4 + i] = A[N * (4 + i) + i] = 0;
    memcpy(B, A, sizeof B);
    lil_make_semidefinite(N, A);
    CHECK(memcmp(A, B, sizeof B) == 0);
    memset(A, 0, sizeof A);
    lil_make_semidefinite(N, A);
    for (int k = 0; k < N; k++) {
        x[k] = uniform();
        y[k] = uniform();
    }
    CHECK(product(A, x, y) == 0);
}

int main(void)
{
    RUN(takes_out_what_is_negative_and_keeps_the_rest);
    RUN(leaves_what_is_semidefinite_to_the_last_bit);
    return test_end();
}
