/* A chain of particles that springs hold, some stiff and some soft: what methods of elements are held to their claims on. */
#ifndef LIL_TEST_SPRINGS_H
#define LIL_TEST_SPRINGS_H

#include "problems.h"

#include "model/model.h"
#include "terms/springs.h"

enum { CHAIN_MAX = 8 };

typedef struct chain {
    lil_arena arena;
    lil_model *model;
    int count;
    double x[3 * CHAIN_MAX], v[3 * CHAIN_MAX], mass[CHAIN_MAX];
    bool held[CHAIN_MAX];
    const char *names[3 * CHAIN_MAX];
    lil_spring spring[CHAIN_MAX];
    lil_springs springs;
} chain;

/* Particles in a row, 1 m apart, and a spring from each to the next; they may be moved before the model is made. */
static inline void chain_lay(chain *c, int count, const double *k, const double *mass)
{
    *c = (chain){ .count = count };
    for (int i = 0; i < count; i++) {
        c->x[3 * i] = i;
        c->mass[i] = mass ? mass[i] : 1;
        for (int d = 0; d < 3; d++)
            c->names[3 * i + d] = "x";
        if (i + 1 < count)
            c->spring[i] = (lil_spring){ i, i + 1, k[i], 1 };
    }
    c->springs = (lil_springs){ count - 1, c->spring };
}

static inline void chain_make(lil_context *ctx, chain *c, double kD)
{
    lil_points_def def = { .count = c->count, .names = c->names, .x = c->x, .mass = c->mass, .held = c->held };
    lil_term damping;
    bool ok = lil_model_create_points(ctx, &def, &c->model) == LIL_OK &&
              lil_model_add(ctx, c->model, lil_springs_term(&c->springs)) == LIL_OK;
    if (ok && kD > 0)
        ok = lil_springs_damping(ctx, &c->arena, &c->springs, kD, LIL_DAMP_EXPLICIT, &damping) == LIL_OK &&
             lil_model_add(ctx, c->model, damping) == LIL_OK;
    if (!ok) {
        printf("chain: %s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
}

static inline void chain_free(chain *c)
{
    lil_model_destroy(&c->model);
    lil_arena_free(&c->arena);
}

/* Five that float, zigzag, with stiffnesses from 400 to 1/2 N/m: steps of three lengths. */
static inline void chain_zigzag(lil_context *ctx, chain *c)
{
    static const double k[] = { 400, 20, 1, 0.5 };
    chain_lay(c, 5, k, NULL);
    for (int i = 0; i < 5; i++) {
        c->x[3 * i + 1] = i % 2 ? 0.4 : 0;
        c->x[3 * i + 2] = 0.1 * i * i;
        c->v[3 * i + i % 3] = 0.5 - 0.2 * i;
    }
    chain_make(ctx, c, 0);
}

/* A sim from the chain's start, or from q and v, over all that is free. */
static inline lil_sim *chain_start(lil_context *ctx, const chain *c, const char *integrator, const char *options,
                                   double h, const double *q, const double *v)
{
    double q0[3 * CHAIN_MAX], v0[3 * CHAIN_MAX];
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    for (int i = 0; i < c->model->n; i++) {
        int k = c->model->dofs.free ? c->model->dofs.free[i] : i;
        q0[i] = c->x[k];
        v0[i] = c->v[k];
    }
    def.integrator = integrator;
    def.options = options;
    def.step = h;
    def.q = q ? q : q0;
    def.v = q ? v : v0;
    if (lil_sim_create(ctx, c->model, &def, &sim) != LIL_OK) {
        printf("%s %s: %s\n", integrator, options ? options : "", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return sim;
}

#endif
