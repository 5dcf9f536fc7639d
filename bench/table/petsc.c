#include "petsc.h"

#ifndef LILYAN_PETSC

bool petsc_begin(void)
{
    return false;
}

void petsc_end(void) {}

const char *petsc_version(void)
{
    return "";
}

int petsc_method_count(void)
{
    return 0;
}

const petsc_method *petsc_method_at(int i)
{
    (void)i;
    return NULL;
}

petsc_solver *petsc_create(const petsc_method *method, problem *pb)
{
    (void)method, (void)pb;
    return NULL;
}

void petsc_destroy(petsc_solver **solver)
{
    (void)solver;
}

outcome petsc_solve(petsc_solver *solver, double *v, double target)
{
    (void)solver, (void)v, (void)target;
    return (outcome){ 0 };
}

#else

#include <petscsnes.h>
#include <petsctao.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 50, OPTIONS_MAX = 6, METHODS = 2 * PETSC_SETTINGS };

/* ---- the list ---- */

/* Options of the linear solver, with the form of matrix that suits its preconditioner best of those that it takes. Tried
 * for its sake: gamg with its defaults (smoothed aggregates) takes 10 times longer here, PETSc's own Cholesky factors 4 times
 * longer than those of MUMPS. */
typedef struct setting {
    const char *name;
    layout form;
    bool eisenstat_walker;
    const char *options[OPTIONS_MAX][2];
} setting;

#define BJACOBI                                                                                                      \
    {                                                                                                                \
        { "ksp_type", "cg" },                                                                                        \
        {                                                                                                            \
            "pc_type", "bjacobi"                                                                                     \
        }                                                                                                            \
    }
#define GAMG                                                                                                         \
    {                                                                                                                \
        { "ksp_type", "cg" }, { "pc_type", "gamg" }, { "pc_gamg_agg_nsmooths", "0" },                                \
        {                                                                                                            \
            "pc_gamg_square_graph", "3"                                                                              \
        }                                                                                                            \
    }
#define CHOLESKY                                                                                                     \
    {                                                                                                                \
        { "ksp_type", "cg" }, { "pc_type", "cholesky" },                                                             \
        {                                                                                                            \
            "pc_factor_mat_solver_type", "mumps"                                                                     \
        }                                                                                                            \
    }

static const setting settings[PETSC_SETTINGS] = {
    { .name = "defaults", .form = LAYOUT_ROWS },
    { .name = "cg, bjacobi", .form = LAYOUT_BLOCKS, .options = BJACOBI },
    { .name = "cg, bjacobi, ew", .form = LAYOUT_BLOCKS, .options = BJACOBI, .eisenstat_walker = true },
    { .name = "cg, gamg", .form = LAYOUT_ROWS, .options = GAMG },
    { .name = "cg, gamg, ew", .form = LAYOUT_ROWS, .options = GAMG, .eisenstat_walker = true },
    { .name = "cg, cholesky", .form = LAYOUT_UPPER, .options = CHOLESKY },
    { .name = "cg, cholesky, ew", .form = LAYOUT_UPPER, .options = CHOLESKY, .eisenstat_walker = true },
};

static petsc_method methods[METHODS];
static char method_names[METHODS][64], method_options[METHODS][256];
static char version[64];

static void name_method(int i)
{
    petsc_method *m = &methods[i];
    m->minimises = i >= PETSC_SETTINGS;
    m->setting = i % PETSC_SETTINGS;
    const setting *s = &settings[m->setting];
    const char *solver = m->minimises ? "TAO nls" : "SNES", *prefix = m->minimises ? "tao_nls_" : "";
    snprintf(method_names[i], sizeof method_names[i], "%s, %s", solver, s->name);
    char *at = method_options[i], *end = at + sizeof method_options[i];
    for (int k = 0; k < OPTIONS_MAX && s->options[k][0]; k++)
        at += snprintf(at, (size_t)(end - at), "%s-%s%s %s", k > 0 ? " " : "", prefix, s->options[k][0],
                       s->options[k][1]);
    if (s->eisenstat_walker)
        snprintf(at, (size_t)(end - at), " -%s_ksp_ew", m->minimises ? "tao" : "snes");
    m->name = method_names[i];
    m->options = method_options[i];
}

bool petsc_begin(void)
{
    int major, minor, patch;
    if (PetscInitializeNoArguments())
        return false;
    /* what a solver refuses is counted, not printed */
    if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL))
        return false;
    if (PetscGetVersionNumber(&major, &minor, &patch, NULL))
        return false;
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    for (int i = 0; i < METHODS; i++)
        name_method(i);
    return true;
}

void petsc_end(void)
{
    PetscFinalize();
}

const char *petsc_version(void)
{
    return version;
}

int petsc_method_count(void)
{
    return METHODS;
}

const petsc_method *petsc_method_at(int i)
{
    return &methods[i];
}

/* ---- what PETSc calls ---- */

struct petsc_solver {
    const petsc_method *method;
    problem *pb;
    layout form;
    Mat H;
    Vec v, g;
    SNES snes;
    Tao tao;
};

static PetscErrorCode evaluate(petsc_solver *s, Vec v, PetscReal *E, Vec g)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscCall(VecGetArrayRead(v, &from));
    PetscCall(VecGetArrayWrite(g, &to));
    problem_value(s->pb, from, E, to);
    PetscCall(VecRestoreArrayWrite(g, &to));
    PetscCall(VecRestoreArrayRead(v, &from));
    return 0;
}

static PetscErrorCode snes_function(SNES snes, Vec v, Vec g, void *self)
{
    (void)snes;
    return evaluate(self, v, NULL, g);
}

static PetscErrorCode tao_function(Tao tao, Vec v, PetscReal *E, Vec g, void *self)
{
    (void)tao;
    return evaluate(self, v, E, g);
}

static PetscErrorCode fill(petsc_solver *s, Vec v, Mat H)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscCall(VecGetArrayRead(v, &from));
    switch (s->form) {
    case LAYOUT_ROWS:
        PetscCall(MatSeqAIJGetArray(H, &to));
        problem_hessian(s->pb, from, s->form, to);
        PetscCall(MatSeqAIJRestoreArray(H, &to));
        break;
    case LAYOUT_BLOCKS:
        PetscCall(MatSeqBAIJGetArray(H, &to));
        problem_hessian(s->pb, from, s->form, to);
        PetscCall(MatSeqBAIJRestoreArray(H, &to));
        break;
    case LAYOUT_UPPER:
        PetscCall(MatSeqSBAIJGetArray(H, &to));
        problem_hessian(s->pb, from, s->form, to);
        PetscCall(MatSeqSBAIJRestoreArray(H, &to));
        break;
    }
    PetscCall(VecRestoreArrayRead(v, &from));
    PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY));
    return 0;
}

static PetscErrorCode snes_jacobian(SNES snes, Vec v, Mat J, Mat P, void *self)
{
    (void)snes, (void)P;
    return fill(self, v, J);
}

static PetscErrorCode tao_hessian(Tao tao, Vec v, Mat H, Mat P, void *self)
{
    (void)tao, (void)P;
    return fill(self, v, H);
}

/* ---- create ---- */

/* Multigrid wants to know the rigid motions. */
static PetscErrorCode set_rigid_motions(petsc_solver *s)
{
    Vec places;
    MatNullSpace motions;
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, s->pb->n, s->pb->q_start, &places));
    PetscCall(MatNullSpaceCreateRigidBody(places, &motions));
    PetscCall(MatSetNearNullSpace(s->H, motions));
    PetscCall(MatNullSpaceDestroy(&motions));
    PetscCall(VecDestroy(&places));
    return 0;
}

/* The pattern is known, so nothing is ever moved or searched for. */
static PetscErrorCode create_matrix(petsc_solver *s)
{
    static const char *const types[] = { MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ };
    const block_pattern *pt = &s->pb->pattern;
    int n = s->pb->n;
    PetscCall(MatCreate(PETSC_COMM_SELF, &s->H));
    PetscCall(MatSetSizes(s->H, n, n, n, n));
    PetscCall(MatSetType(s->H, types[s->form]));
    PetscCall(MatSetBlockSize(s->H, 3));
    if (s->form == LAYOUT_BLOCKS) {
        PetscCall(MatSeqBAIJSetPreallocationCSR(s->H, 3, pt->start, pt->col, NULL));
    } else if (s->form == LAYOUT_UPPER) {
        PetscCall(MatSeqSBAIJSetPreallocationCSR(s->H, 3, pt->upper_start, pt->upper_col, NULL));
    } else {
        int blocks = pt->start[s->pb->vertices], *start = malloc(((size_t)n + 1) * sizeof *start),
            *col = malloc(9 * (size_t)blocks * sizeof *col), count = 0;
        if (!start || !col)
            return PETSC_ERR_MEM;
        for (int r = 0; r < n; r++) {
            start[r] = count;
            for (int k = pt->start[r / 3]; k < pt->start[r / 3 + 1]; k++)
                for (int c = 0; c < 3; c++)
                    col[count++] = 3 * pt->col[k] + c;
        }
        start[n] = count;
        PetscCall(MatSeqAIJSetPreallocationCSR(s->H, start, col, NULL));
        free(start);
        free(col);
    }
    if (s->method->setting == 0) /* as it is; told that H is symmetric SNES would take ICC(0), which is slower */
        return 0;
    PetscCall(MatSetOption(s->H, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(s->H, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    return set_rigid_motions(s);
}

/* Each method has a prefix of its own, so that options do not mix. */
static PetscErrorCode set_options(const petsc_method *method, const char *prefix)
{
    const setting *st = &settings[method->setting];
    char key[128];
    for (int k = 0; k < OPTIONS_MAX && st->options[k][0]; k++) {
        snprintf(key, sizeof key, "-%s%s%s", prefix, method->minimises ? "tao_nls_" : "", st->options[k][0]);
        PetscCall(PetscOptionsSetValue(NULL, key, st->options[k][1]));
    }
    if (st->eisenstat_walker) {
        snprintf(key, sizeof key, "-%s%s_ksp_ew", prefix, method->minimises ? "tao" : "snes");
        PetscCall(PetscOptionsSetValue(NULL, key, "true"));
    }
    return 0;
}

static PetscErrorCode create(petsc_solver *s)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "m%d_", (int)(s->method - methods));
    PetscCall(set_options(s->method, prefix));
    PetscCall(create_matrix(s));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, s->pb->n, &s->v));
    PetscCall(VecDuplicate(s->v, &s->g));
    if (s->method->minimises) {
        PetscCall(TaoCreate(PETSC_COMM_SELF, &s->tao));
        PetscCall(TaoSetOptionsPrefix(s->tao, prefix));
        PetscCall(TaoSetType(s->tao, TAONLS));
        PetscCall(TaoSetSolution(s->tao, s->v));
        PetscCall(TaoSetObjectiveAndGradient(s->tao, s->g, tao_function, s));
        PetscCall(TaoSetHessian(s->tao, s->H, s->H, tao_hessian, s));
        PetscCall(TaoSetFromOptions(s->tao));
        return TaoSetMaximumIterations(s->tao, ITERATIONS_MAX);
    }
    PetscCall(SNESCreate(PETSC_COMM_SELF, &s->snes));
    PetscCall(SNESSetOptionsPrefix(s->snes, prefix));
    PetscCall(SNESSetFunction(s->snes, s->g, snes_function, s));
    PetscCall(SNESSetJacobian(s->snes, s->H, s->H, snes_jacobian, s));
    return SNESSetFromOptions(s->snes);
}

petsc_solver *petsc_create(const petsc_method *method, problem *pb)
{
    petsc_solver *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (petsc_solver){ .method = method, .pb = pb, .form = settings[method->setting].form };
    if (create(s))
        petsc_destroy(&s);
    return s;
}

void petsc_destroy(petsc_solver **solver)
{
    petsc_solver *s = *solver;
    if (!s)
        return;
    TaoDestroy(&s->tao);
    SNESDestroy(&s->snes);
    VecDestroy(&s->v);
    VecDestroy(&s->g);
    MatDestroy(&s->H);
    free(s);
    *solver = NULL;
}

/* ---- solve ---- */

static PetscErrorCode solve(petsc_solver *s, double target, PetscInt *newton, PetscInt *linear)
{
    if (s->method->minimises) {
        PetscCall(TaoSetTolerances(s->tao, target, 0, 0));
        PetscCall(TaoSolve(s->tao));
        PetscCall(TaoGetIterationNumber(s->tao, newton));
        return TaoGetLinearSolveIterations(s->tao, linear);
    }
    PetscCall(SNESSetTolerances(s->snes, target, 1e-50, 0, ITERATIONS_MAX, 100000));
    PetscCall(SNESSolve(s->snes, NULL, s->v));
    PetscCall(SNESGetIterationNumber(s->snes, newton));
    return SNESGetLinearSolveIterations(s->snes, linear);
}

outcome petsc_solve(petsc_solver *s, double *v, double target)
{
    PetscScalar *values;
    PetscInt newton = 0, linear = 0;
    size_t bytes = (size_t)s->pb->n * sizeof *v;
    if (VecGetArray(s->v, &values))
        return (outcome){ 0 };
    memcpy(values, v, bytes);
    VecRestoreArray(s->v, &values);
    bool ran = solve(s, target, &newton, &linear) == 0;
    if (VecGetArray(s->v, &values))
        return (outcome){ 0 };
    memcpy(v, values, bytes);
    VecRestoreArray(s->v, &values);
    return (outcome){ .ran = ran, .newton = newton, .linear = linear };
}

#endif
