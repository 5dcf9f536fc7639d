/* After warm-up no step allocates. malloc and its relatives are counted by standing in front of glibc's. */
#include "problems.h"

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

int main(void)
{
    printf("all ok (nothing to count under a sanitizer, which has a malloc of its own)\n");
    return EXIT_SUCCESS;
}

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static volatile long allocations; /* or the compiler takes it that malloc leaves it alone */

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

static lil_context *ctx;

TEST(the_counter_counts)
{
    long before = allocations;
    free(malloc(10));
    CHECK(allocations == before + 1);
}

TEST(no_step_allocates)
{
    static const char *const texts[] = { PENDULUM, KEPLER, DOUBLE_PENDULUM, OSCILLATOR };
    for (int k = 0; k < 4; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < lil_integrator_count(ctx); i++) {
            const char *name = lil_integrator_at(ctx, i)->name;
            bool general = !lil_model_has_constant_mass(lil_run_model(run)), forced = k == 3;
            unsigned holds = lil_integrator_claims(lil_integrator_at(ctx, i)).holds;
            if ((general && holds & LIL_CONSTANT_MASS_ONLY) || (forced && strcmp(name, "composition") == 0) ||
                holds & LIL_ELEMENTS_ONLY)
                continue; /* refused */
            lil_sim *sim = start(ctx, run, name, NULL, 0.001, NULL, NULL);
            advance(ctx, sim, 2);
            long before = allocations;
            advance(ctx, sim, 100);
            CHECK(allocations == before);
            lil_sim_destroy(&sim);
        }
        lil_run_destroy(&run);
    }
}

/* a long chain: sparse Hessian, sparse factorisation */
TEST(no_step_of_a_chain_allocates)
{
    lil_run *run = problem(ctx, "lagrangian: sum(i, 1, n, 1/2*dx[i]^2) - sum(i, 1, n-1, 1/2*(x[i+1]-x[i])^2 + "
                                "1/4*(x[i+1]-x[i])^4)\nparameters: {n: 200}\nstart: {x: 'list(i, 1, n, sin(i))'}\n"
                                "integrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    MUST(lil_run_advance(run, 2));
    long before = allocations;
    MUST(lil_run_advance(run, 50));
    CHECK(allocations == before);
    lil_run_destroy(&run);
}

/* bodies: second derivatives over elements, kicks with their own factorisation, handles, halved steps */
TEST(no_step_of_a_body_allocates)
{
    static const char *const more[] = {
        "    damping: {kD: 0.002, form: exact}\nintegrator: midpoint\n",
        "    damping: {kD: 0.002, form: exact}\nintegrator: energy-momentum\n",
        "    damping: {kD: 0.5, form: exact}\nintegrator: stormer-verlet\n",
        "    damping: {kD: 0.002, form: minimised}\nintegrator: midpoint\n",
        "    damping: {kD: 0.002, form: paper}\nintegrator: midpoint\n",
        "    damping: {kD: 0.0002, form: explicit}\nintegrator: symplectic-euler\n",
        "integrator: symplectic-euler\n",
        "    fixed: left\n    handles: [{select: right, move: [0.05*sin(2*t), t*y, 0]}]\n    damping: {kD: 0.002}\n"
        "integrator: midpoint\nobserve: {height: 'b[3]'}\n",
        "integrator: midpoint\nconstraints: {a: {distance: [b.0, b.30]}}\nsolver: {preconditioner: blocks}\n",
        "integrator: midpoint\nconstraints: {a: {distance: [b.0, b.30]}}\nsolver: {preconditioner: multilevel}\n",
        "    handles: [{select: right, move: [0.05*sin(2*t), t*y, 0]}]\n    damping: {kD: 0.0002, form: explicit}\n"
        "integrator: {method: asynchronous, courant: 0.2}\n",
    };
    for (size_t k = 0; k < sizeof more / sizeof more[0]; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [4, 2, 2]}\n"
                 "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n"
                 "    start: {stretch: 1.3, twist: 90, spin: [1, 0.6, 2]}\n%stime: {step: 0.002, until: 1}\n",
                 more[k]);
        lil_run *run = problem(ctx, text);
        MUST(lil_run_advance(run, 2));
        long before = allocations;
        MUST(lil_run_advance(run, 50));
        CHECK(allocations == before);
        lil_run_destroy(&run);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(the_counter_counts);
    RUN(no_step_allocates);
    RUN(no_step_of_a_chain_allocates);
    RUN(no_step_of_a_body_allocates);
    lil_context_destroy(&ctx);
    return test_end();
}

#endif
