/* Kinds of the user's: materials, terms and constraints that are registered at run time do what Lilyan's own do, and
 * lil_check_... finds what is wrong with them. */
#include "problems.h"
#include "test.h"

#include <lilyan/world.h>

#include <stddef.h>

static lil_context *ctx;

static void expect_words(const char *words)
{
    if (strstr(lil_context_message(ctx), words))
        return;
    test_failures++;
    printf("%s: '%s' is not in '%s'\n", test_name, words, lil_context_message(ctx));
}

/* the verdict does not hold, and the sentence says why */
static void expect_fault(const lil_verdict *verdict, const char *words)
{
    if (!verdict->holds && verdict->error > verdict->tolerance && strstr(verdict->sentence, words))
        return;
    test_failures++;
    printf("%s: '%s' is not in '%s' (%g > %g)\n", test_name, words, verdict->sentence, verdict->error,
           verdict->tolerance);
}

/* ---- a material: Lilyan's own neo-Hookean, written for one element ---- */

typedef struct spoil {
    double factor, offset, turn; /* what is wrong with it */
} spoil;

static void cofactor(const double *F, double *G)
{
    for (int i = 0; i < 9; i++) {
        int a = (i / 3 + 1) % 3, b = (i / 3 + 2) % 3, c = (i % 3 + 1) % 3, d = (i % 3 + 2) % 3;
        G[i] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
    }
}

static bool neo_hookean(const lil_moduli *m, const void *config, const double *F, double *w, double *P)
{
    const spoil *s = config;
    double G[9], I1 = 0;
    cofactor(F, G);
    double J = F[0] * G[0] + F[1] * G[1] + F[2] * G[2];
    if (!(J > 0) && s->turn != 2)
        return false;
    for (int i = 0; i < 9; i++)
        I1 += F[i] * F[i];
    double y = 1 / cbrt(J), a = y * y, j = J - 1;
    *w = m->mu / 2 * (a * I1 - 3) + m->kappa / 2 * j * j + s->offset + (s->turn == 1 ? m->mu * F[1] * F[1] : 0) +
         (s->turn == 3
              ? m->mu * (F[0] * F[0] + F[3] * F[3] + F[6] * F[6] - 1) * (F[0] * F[0] + F[3] * F[3] + F[6] * F[6] - 1)
              : 0);
    for (int i = 0; P && i < 9; i++)
        P[i] = s->factor * m->mu * a * F[i] + (m->kappa * j - m->mu / 3 * a * I1 / J) * G[i] +
               (s->turn == 1 && i == 1 ? 2 * m->mu * F[1] : 0) +
               (s->turn == 3 && i % 3 == 0 ? 4 * m->mu * (F[0] * F[0] + F[3] * F[3] + F[6] * F[6] - 1) * F[i] : 0);
    return true;
}

static const lil_field spoil_fields[] = {
    { "factor", LIL_REAL, offsetof(spoil, factor), 1, 0, 10, NULL, "", "of a stress" },
    { "offset", LIL_REAL, offsetof(spoil, offset), 0, 0, 10, NULL, "", "of w" },
    { "turn", LIL_REAL, offsetof(spoil, turn), 0, 0, 10, NULL, "", "breaks a symmetry" },
};

static const lil_material_kind own_neo_hookean = {
    .size = sizeof(lil_material_kind),
    .name = "my-neo-hookean",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC,
    .fields = spoil_fields,
    .field_count = 3,
    .config_size = sizeof(spoil),
    .energy = neo_hookean,
};

static bool half_tangent(const lil_moduli *m, const void *config, const double *F, double *A)
{
    (void)config, (void)F;
    for (int i = 0; i < 81; i++)
        A[i] = i % 10 == 0 ? m->mu / 2 : i == 1 ? m->mu : 0;
    return true;
}

TEST(materials_are_held_to_their_tables)
{
    const lil_moduli m = { 1e4, 3e4 };
    lil_verdict verdict;
    MUST(lil_check_material(ctx, &own_neo_hookean, &m, NULL, &verdict));
    if (!verdict.holds)
        printf("%s\n", verdict.sentence);
    CHECK(verdict.holds && strstr(verdict.sentence, "my-neo-hookean") && verdict.error <= verdict.tolerance);
    MUST(lil_check_material(ctx, &own_neo_hookean, &m, &(spoil){ 1.001, 0, 0 }, &verdict));
    expect_fault(&verdict, "");
    MUST(lil_check_material(ctx, &own_neo_hookean, &m, &(spoil){ 1, 1, 0 }, &verdict));
    expect_fault(&verdict, "at rest w is 1, not 0");
    MUST(lil_check_material(ctx, &own_neo_hookean, &m, &(spoil){ 1, 0, 1 }, &verdict));
    expect_fault(&verdict, "LIL_MATERIAL_");
    MUST(lil_check_material(ctx, &own_neo_hookean, &m, &(spoil){ 1, 0, 2 }, &verdict));
    expect_fault(&verdict, "where it should return false");
    lil_material_kind kind = own_neo_hookean;
    kind.holds |= LIL_MATERIAL_INVERTS;
    MUST(lil_check_material(ctx, &kind, &m, NULL, &verdict));
    expect_fault(&verdict, "LIL_MATERIAL_INVERTS does not hold");
    kind = own_neo_hookean;
    kind.tangent = half_tangent;
    MUST(lil_check_material(ctx, &kind, &m, NULL, &verdict));
    expect_fault(&verdict, "A = d2w/dF2");
    /* a fibre along x: objective, not isotropic */
    kind = own_neo_hookean;
    MUST(lil_check_material(ctx, &kind, &m, &(spoil){ 1, 0, 3 }, &verdict));
    CHECK(!verdict.holds);
    kind.holds = LIL_MATERIAL_OBJECTIVE;
    MUST(lil_check_material(ctx, &kind, &m, &(spoil){ 1, 0, 3 }, &verdict));
    CHECK(verdict.holds);
}

static const char BAR[] = "bodies:\n"
                          "  bar:\n"
                          "    shape: {type: bar, size: [1, 0.2, 0.2], cells: [4, 1, 1]}\n"
                          "    material: {model: %s, young: 1e5, poisson: 0.3, density: 1000%s}\n"
                          "    damping: 0.002\n"
                          "    start: {twist: 60}\n"
                          "integrator: %s\n"
                          "time: {step: %s, until: 0.2}\n";

static lil_run *bar(lil_context *with, const char *material, const char *more, const char *integrator,
                    const char *step)
{
    char text[1024];
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    snprintf(text, sizeof text, BAR, material, more, integrator, step);
    if (lil_scene_parse(with, "bar", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(with, scene, &def, &run) != LIL_OK)
        printf("%s\n", lil_context_message(with));
    lil_scene_destroy(&scene);
    return run;
}

/* How far the registered material is from the same one inside after 0.2 s. */
static double apart(lil_context *with, const char *integrator, const char *step)
{
    lil_run *own = bar(with, "my-neo-hookean", "", integrator, step);
    lil_run *same = bar(with, "neo-hookean", "", integrator, step);
    CHECK(own && same && lil_run_advance(own, 400) == LIL_OK && lil_run_advance(same, 400) == LIL_OK);
    const lil_state *a = lil_sim_state(lil_run_sim(own)), *b = lil_sim_state(lil_run_sim(same));
    double most = 0;
    for (int k = 0; k < a->n; k++)
        most = fmax(most, fabs(a->q[k] - b->q[k]));
    CHECK(a->t == b->t && a->t > 0.19);
    lil_run_destroy(&own);
    lil_run_destroy(&same);
    return most;
}

/* The same formula for one element and in lanes: the motion differs by round-off, and by how well steps are solved (1e-12 of the
 * forces, and stiffness in floats, which changes the way there alone). energy-momentum has two discrete gradients, with Gonzalez'
 * quotient and in closed form. They differ by O(h^2), and so do the motions. */
TEST(a_registered_material_moves_as_the_same_one_inside)
{
    lil_context *with = lil_context_create();
    CHECK(lil_context_register_material(with, &own_neo_hookean) == LIL_OK);
    CHECK_BELOW(apart(with, "stormer-verlet", "0.0005"), 1e-9);
    CHECK_BELOW(apart(with, "midpoint", "0.005"), 1e-9);
    CHECK_BELOW(apart(with, "implicit-euler", "0.005"), 1e-9);
    double coarse = apart(with, "energy-momentum", "0.002"), fine = apart(with, "energy-momentum", "0.001");
    CHECK_BELOW(fabs(log2(coarse / fine) - 2), 0.2);
    /* a fibre along x makes it stiffer, and its tangent is projected by its own eigenvalues */
    lil_material_kind fibre = own_neo_hookean;
    fibre.name = "fibre";
    fibre.holds = LIL_MATERIAL_OBJECTIVE;
    CHECK(lil_context_register_material(with, &fibre) == LIL_OK);
    lil_run *run = bar(with, "fibre", ", turn: 3", "implicit-euler", "0.005");
    CHECK(run && lil_run_advance(run, 400) == LIL_OK);
    CHECK(lil_sim_certificate(lil_run_sim(run)).halved_steps == 0);
    CHECK_BELOW(lil_sim_certificate(lil_run_sim(run)).angular_momentum_drift, 1e-10);
    lil_run_destroy(&run);
    lil_context_destroy(&with);
}

/* A body from arrays, as C builds it: the material is found there too, with its options. */
static double tip_of_world(lil_context *with, const char *material, const char *options)
{
    static const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int tets[][4] = { { 0, 1, 2, 3 } };
    lil_body_def def = lil_body_def_default();
    lil_start_def start = lil_start_def_default();
    lil_sim_def sd = lil_sim_def_default();
    lil_world *world = NULL;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    double tip = NAN;
    int body;
    def.name = "tet";
    def.vertex_count = 4, def.x = x, def.tet_count = 1, def.tets = tets;
    def.material.name = material;
    def.material.options = options;
    def.material.young = 1e4, def.material.poisson = 0.3, def.material.density = 1000;
    start.stretch = 1.2;
    sd.integrator = "midpoint";
    bool ok = lil_world_create(with, &world) == LIL_OK && lil_world_add_body(world, &def, &body) == LIL_OK &&
              lil_world_set_start(world, body, &start) == LIL_OK && lil_world_build(world, &model) == LIL_OK &&
              lil_sim_create(with, model, &sd, &sim) == LIL_OK;
    for (int k = 0; ok && k < 50; k++)
        ok = lil_sim_step(sim) == LIL_OK;
    if (ok)
        tip = lil_sim_state(sim)->q[3];
    else
        printf("%s\n", lil_context_message(with));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    return tip;
}

TEST(a_world_takes_a_registered_material)
{
    lil_context *with = lil_context_create();
    CHECK(lil_context_register_material(with, &own_neo_hookean) == LIL_OK);
    double same = tip_of_world(with, "neo-hookean", NULL);
    CHECK_NEAR(tip_of_world(with, "my-neo-hookean", NULL), same, 1e-9);
    lil_material_kind fibre = own_neo_hookean;
    fibre.name = "fibre";
    fibre.holds = LIL_MATERIAL_OBJECTIVE;
    CHECK(lil_context_register_material(with, &fibre) == LIL_OK);
    CHECK_NEAR(tip_of_world(with, "fibre", NULL), same, 1e-9);
    CHECK(fabs(tip_of_world(with, "fibre", "turn=3") - same) > 1e-3);
    lil_context_destroy(&with);
}

static bool brittle(const lil_moduli *m, const void *config, const double *F, double *w, double *P)
{
    double I1 = 0;
    for (int i = 0; i < 9; i++)
        I1 += F[i] * F[i];
    return I1 < 3.001 && neo_hookean(m, config, F, w, P);
}

TEST(names_are_one_contexts_own)
{
    lil_context *with = lil_context_create();
    lil_material_kind kind = own_neo_hookean;
    CHECK(lil_context_register_material(with, &kind) == LIL_OK);
    CHECK(lil_context_register_material(with, &kind) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(with), "exists already"));
    kind.name = "rubber"; /* a preset */
    CHECK(lil_context_register_material(with, &kind) == LIL_ERR_ARGUMENT);
    kind.name = "brittle";
    kind.energy = brittle;
    CHECK(lil_context_register_material(with, &kind) == LIL_OK);
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    char text[1024];
    snprintf(text, sizeof text, BAR, "my-neo-hokean", "", "midpoint", "0.01");
    CHECK(lil_scene_parse(with, "bar", text, strlen(text), &scene) == LIL_OK);
    CHECK(lil_run_create(with, scene, &def, &run) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(with), "did you mean 'my-neo-hookean'?"));
    lil_scene_destroy(&scene);
    snprintf(text, sizeof text, BAR, "brittle", "", "midpoint", "0.01");
    CHECK(lil_scene_parse(with, "bar", text, strlen(text), &scene) == LIL_OK);
    lil_status status = lil_run_create(with, scene, &def, &run);
    if (status == LIL_OK)
        status = lil_run_advance(run, 100);
    CHECK(status == LIL_ERR_NOT_FINITE);
    CHECK(strstr(lil_context_message(with), "the material 'brittle' refused the deformation of tet"));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&with);
}

/* What was recorded with it is read where it is registered. */
TEST(trajectories_name_their_material)
{
    lil_context *with = lil_context_create();
    CHECK(lil_context_register_material(with, &own_neo_hookean) == LIL_OK);
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    char text[1024];
    def.output = "test_kinds.h5";
    def.replace = true;
    snprintf(text, sizeof text, BAR, "my-neo-hookean", ", factor: 1", "midpoint", "0.02");
    CHECK(lil_scene_parse(with, "bar", text, strlen(text), &scene) == LIL_OK);
    CHECK(lil_run_create(with, scene, &def, &run) == LIL_OK);
    CHECK(lil_run_advance(run, 100) == LIL_OK && lil_run_finish(run) == LIL_OK);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    for (int k = 0; k < 2; k++) {
        lil_context *in = k ? ctx : with;
        lil_trajectory *trajectory = NULL;
        lil_check_def looks = lil_check_def_default();
        lil_check found;
        CHECK(lil_trajectory_open(in, def.output, &trajectory) == LIL_OK);
        CHECK(lil_trajectory_check(trajectory, &looks, &found) == (k ? LIL_ERR_INPUT : LIL_OK));
        CHECK(!k || strstr(lil_context_message(in),
                           "unknown material 'my-neo-hookean': register it before you read the trajectory"));
        lil_trajectory_destroy(&trajectory);
    }
    remove(def.output);
    lil_context_destroy(&with);
}

/* ---- sizes: headers of another version ---- */

TEST(tables_of_other_sizes_are_taken_or_refused)
{
    struct later {
        lil_material_kind kind;
        void *more[4];
    } later = { .kind = own_neo_hookean };
    lil_context *with = lil_context_create();
    later.kind.size = sizeof later;
    CHECK(lil_context_register_material(with, &later.kind) == LIL_OK); /* what is new there is not used */
    later.kind.name = "other";
    later.more[3] = &later;
    CHECK(lil_context_register_material(with, &later.kind) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(with), "uses more than"));
    lil_material_kind none = own_neo_hookean;
    none.size = 0;
    none.name = "none";
    CHECK(lil_context_register_material(with, &none) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(with), "sizeof(lil_material_kind)"));
    none.size = (size_t)-1;
    CHECK(lil_context_register_material(with, &none) == LIL_ERR_ARGUMENT);
    none = own_neo_hookean;
    none.name = "claims";
    none.holds = 4096;
    CHECK(lil_context_register_material(with, &none) == LIL_ERR_ARGUMENT);
    none = own_neo_hookean;
    none.name = "small";
    none.config_size = 16; /* three fields of doubles */
    CHECK(lil_context_register_material(with, &none) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(with), "field 2"));
    lil_context_destroy(&with);
}

/* ---- a term: springs between points ---- */

typedef struct rope {
    double k, length, wrong;
} rope;

static double along(const double *x, double u[3])
{
    double l = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = x[3 + i] - x[i];
        l += u[i] * u[i];
    }
    l = sqrt(l);
    for (int i = 0; i < 3; i++)
        u[i] /= l;
    return l;
}

static bool rope_energy(const void *data, double t, const double *x, double *W, double *g)
{
    const rope *r = data;
    double u[3], l = along(x, u), d = l - r->length;
    if (!(l > 0.1))
        return false;
    *W = r->k / 2 * d * d + (r->wrong == 3 ? x[2] : 0) + (r->wrong == 4 ? t : 0);
    for (int i = 0; g && i < 3; i++) {
        g[3 + i] = r->k * d * u[i] * (r->wrong == 1 ? 1.0001 : 1);
        g[i] = -r->k * d * u[i] + (r->wrong == 3 && i == 2);
    }
    return true;
}

static bool rope_hessian(const void *data, double t, const double *x, double *K)
{
    const rope *r = data;
    double u[3], l = along(x, u);
    (void)t;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            K[6 * i + j] = (i / 3 == j / 3 ? 1 : -1) * r->k *
                           (u[i % 3] * u[j % 3] * r->length / l + (i % 3 == j % 3 ? 1 - r->length / l : 0));
    K[1] *= r->wrong == 2 ? 1.01 : 1;
    return true;
}

static const lil_term_kind rope_kind = { .size = sizeof(lil_term_kind),
                                         .name = "rope",
                                         .holds = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS,
                                         .coordinates = 6,
                                         .data_size = sizeof(rope),
                                         .energy = rope_energy,
                                         .hessian = rope_hessian };

TEST(terms_are_held_to_their_tables)
{
    const double x[6] = { 0.1, 0.4, -0.2, 1.3, 0.9, 0.5 };
    static const char *const faults[] = { "", "g = dW/dx", "K = d2W/dx2", "does not hold", "lacks LIL_KIND_TIME" };
    lil_verdict verdict;
    for (int wrong = 0; wrong <= 4; wrong++) {
        rope r = { 50, 1.1, wrong };
        MUST(lil_check_term(ctx, &rope_kind, &r, 0.5, x, &verdict));
        if (wrong)
            expect_fault(&verdict, faults[wrong]);
        else
            CHECK(verdict.holds);
    }
    lil_term_kind moved = rope_kind; /* each claim by itself: x[2] in W breaks both */
    static const unsigned claims[] = { LIL_KIND_TRANSLATIONS, LIL_KIND_ROTATIONS };
    for (int k = 0; k < 2; k++) {
        moved.holds = claims[k];
        MUST(lil_check_term(ctx, &moved, &(rope){ 50, 1.1, 3 }, 0, x, &verdict));
        expect_fault(&verdict, k ? "LIL_KIND_ROTATIONS does not hold" : "LIL_KIND_TRANSLATIONS does not hold");
    }
    const double near[6] = { 0, 0, 0, 0.01, 0, 0 };
    CHECK(lil_check_term(ctx, &rope_kind, &(rope){ 50, 1, 0 }, 0, near, &verdict) == LIL_ERR_NOT_FINITE);
    expect_words("the term 'rope' refuses this x or one near it, so it cannot be checked there");
    lil_term_kind flat = rope_kind;
    flat.coordinates = 4;
    CHECK(lil_check_term(ctx, &flat, &(rope){ 50, 1, 0 }, 0, x, &verdict) == LIL_ERR_ARGUMENT);
    expect_words("not x, y, z of points");
}

/* ---- a constraint: a rigid rod ---- */

typedef struct rod {
    double length, wrong;
} rod;

static bool rod_value(const void *data, const double *x, double *g, double *G)
{
    const rod *r = data;
    double rr = 0;
    for (int i = 0; i < 3; i++) {
        double d = x[3 + i] - x[i];
        rr += d * d;
        if (G) {
            G[3 + i] = d / r->length * (r->wrong == 1 ? 1.01 : 1);
            G[i] = -d / r->length;
        }
    }
    g[0] = (rr - r->length * r->length) / (2 * r->length) + (r->wrong == 3 ? x[0] : 0);
    if (G && r->wrong == 3)
        G[0] += 1;
    return rr > 0.01;
}

static bool rod_hessian(const void *data, const double *x, double *H)
{
    const rod *r = data;
    (void)x;
    for (int i = 0; i < 36; i++)
        H[i] = i / 6 % 3 == i % 3 ? (i / 6 / 3 == i % 6 / 3 ? 1 : -1) / r->length * (r->wrong == 2 ? 2 : 1) : 0;
    return true;
}

static const lil_constraint_kind rod_kind = { .size = sizeof(lil_constraint_kind),
                                              .name = "rod",
                                              .holds = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS,
                                              .coordinates = 6,
                                              .rows = 1,
                                              .data_size = sizeof(rod),
                                              .value = rod_value,
                                              .hessian = rod_hessian };

TEST(constraints_are_held_to_their_tables)
{
    const double x[6] = { 0.1, 0.4, -0.2, 1.3, 0.9, 0.5 };
    static const char *const faults[] = { "", "G = dg/dx", "H = dG/dx", "does not hold" };
    lil_verdict verdict;
    for (int wrong = 0; wrong <= 3; wrong++) {
        MUST(lil_check_constraint(ctx, &rod_kind, &(rod){ 1.2, wrong }, x, &verdict));
        if (wrong)
            expect_fault(&verdict, faults[wrong]);
        else
            CHECK(verdict.holds);
    }
    lil_constraint_kind linear = rod_kind;
    linear.hessian = NULL;
    linear.holds |= LIL_KIND_LINEAR;
    MUST(lil_check_constraint(ctx, &linear, &(rod){ 1.2, 0 }, x, &verdict));
    expect_fault(&verdict, "LIL_KIND_LINEAR does not hold");
}

/* ---- both in a model: four points, two rods, a rope between them ---- */

static bool no_lagrangian(void *user, double t, const double *q, const double *v, double *L, double *Lq, double *Lv)
{
    (void)user, (void)t, (void)q;
    *L = 0;
    for (int i = 0; i < 12; i++) {
        *L += v[i] * v[i] / 2;
        if (Lq)
            Lq[i] = 0;
        if (Lv)
            Lv[i] = v[i];
    }
    return true;
}

static const int ROPES[] = { 3, 4, 5, 6, 7, 8 }, RODS[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
static const double START[12] = { 0, 0, 0, 1, 0, 0, 2.2, 0, 0, 2.2, 1, 0 },
                    SPEED[12] = { 0, 0.4, 0.1, 0, -0.2, 0, 0, 0, 0.3, 0.5, 0, -0.4 };

static bool build(lil_context *with, bool general, lil_model **model)
{
    static const rope r = { 20, 1, 0 };
    static const rod rods[2] = { { 1, 0 }, { 1, 0 } };
    static const double mass[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    lil_term_set term = { .kind = "rope", .count = 1, .coordinates = ROPES, .data = &r };
    lil_constraint_set constraint = { .kind = "rod", .count = 2, .coordinates = RODS, .data = rods, .label = "arm" };
    lil_model_parts parts = { .terms = &term, .term_count = 1, .constraints = &constraint, .constraint_count = 1 };
    lil_separable_def separable = { .n = 12, .mass = mass, .parts = parts };
    lil_lagrangian_def lagrangian = { .n = 12, .lagrangian = no_lagrangian, .parts = parts };
    return (general ? lil_model_create_lagrangian(with, &lagrangian, model)
                    : lil_model_create_separable(with, &separable, model)) == LIL_OK;
}

/* The rods hold to round-off, momenta are kept, and energy does not drift; a general L and L = T - W give the same motion. */
TEST(terms_and_constraints_move_a_model)
{
    lil_context *with = lil_context_create();
    lil_constraint_kind differenced = rod_kind;
    lil_term_kind rough = rope_kind;
    double last[12];
    CHECK(lil_context_register_term(with, &rope_kind) == LIL_OK);
    CHECK(lil_context_register_constraint(with, &rod_kind) == LIL_OK);
    lil_context *other = lil_context_create();
    differenced.hessian = NULL;
    rough.hessian = NULL;
    CHECK(lil_context_register_term(other, &rough) == LIL_OK);
    CHECK(lil_context_register_constraint(other, &differenced) == LIL_OK);
    for (int k = 0; k < 3; k++) {
        lil_model *model = NULL;
        lil_sim *sim = NULL;
        lil_sim_def def = lil_sim_def_default();
        def.integrator = "midpoint";
        def.step = 0.02;
        def.q = START;
        def.v = SPEED;
        lil_context *in = k == 2 ? other : with;
        if (!build(in, k == 1, &model) || lil_sim_create(in, model, &def, &sim) != LIL_OK) {
            printf("%s\n", lil_context_message(in));
            CHECK(false);
            continue;
        }
        double before[3] = { 0 }, after[3] = { 0 };
        for (int i = 0; i < 12; i++)
            before[i % 3] += lil_sim_state(sim)->p[i];
        for (int i = 0; i < 500; i++)
            CHECK(lil_sim_step(sim) == LIL_OK);
        const double *q = lil_sim_state(sim)->q;
        for (int i = 0; i < 12; i++)
            after[i % 3] += lil_sim_state(sim)->p[i];
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(after[i], before[i], 1e-12);
        for (int i = 0; i < 12; i += 6)
            CHECK_NEAR(hypot(hypot(q[i + 3] - q[i], q[i + 4] - q[i + 1]), q[i + 5] - q[i + 2]), 1, 1e-12);
        lil_certificate c = lil_sim_certificate(sim);
        CHECK_BELOW(c.constraint_max, 1e-12);
        CHECK_BELOW(c.energy_band,
                    0.01); /* (h omega)^2/8 with omega^2 = 2 k/m = 40 is 2e-3, of a part of the energy */
        for (int i = 0; i < 12 && k; i++)
            CHECK_NEAR(q[i], last[i], 1e-7); /* ten seconds of it */
        memcpy(last, q, sizeof last);
        lil_sim_destroy(&sim);
        lil_model_destroy(&model);
    }
    lil_context_destroy(&other);
    lil_context_destroy(&with);
}

/* Differential ones are forces, found from v'Hv: they drift, by the order of the method. By penalty there are none from C. */
TEST(constraints_are_met_in_other_ways_too)
{
    lil_context *with = lil_context_create();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_sim_def def = lil_sim_def_default();
    double off[2];
    CHECK(lil_context_register_term(with, &rope_kind) == LIL_OK);
    CHECK(lil_context_register_constraint(with, &rod_kind) == LIL_OK);
    CHECK(build(with, false, &model));
    def.q = START;
    def.v = SPEED;
    def.integrator = "midpoint";
    def.solver.constraints = LIL_CONSTRAINTS_PENALTY;
    CHECK(lil_sim_create(with, model, &def, &sim) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(with), "penalty constraints"));
    def.integrator = "rk4";
    def.solver.constraints = LIL_CONSTRAINTS_DIFFERENTIAL;
    def.solver.feedback = 0;
    for (int k = 0; k < 2; k++) {
        def.step = k ? 0.01 : 0.02;
        CHECK(lil_sim_create(with, model, &def, &sim) == LIL_OK);
        for (int i = 0; sim && i < (k ? 200 : 100); i++)
            CHECK(lil_sim_step(sim) == LIL_OK);
        off[k] = sim ? lil_sim_certificate(sim).constraint_max : NAN;
        lil_sim_destroy(&sim);
    }
    CHECK(off[0] > 1e-12 && off[0] < 1e-4);
    CHECK(off[0] / off[1] > 12); /* of order 4, or better */
    lil_model_destroy(&model);
    lil_context_destroy(&with);
}

static void refuse(const lil_separable_def *def, lil_status expected, const char *words)
{
    lil_model *model = NULL;
    CHECK(lil_model_create_separable(ctx, def, &model) == expected && !model);
    expect_words(words);
}

TEST(wrong_parts_are_refused)
{
    static const double mass[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const rope r = { 20, 1, 0 };
    int at[6] = { 3, 4, 5, 6, 7, 8 };
    lil_term_set term = { .kind = "rope", .count = 1, .coordinates = at, .data = &r };
    lil_separable_def def = { .n = 12, .mass = mass, .parts = { .terms = &term, .term_count = 1 } };
    refuse(&def, LIL_ERR_INPUT, "unknown term 'rope': none is registered");
    MUST(lil_context_register_term(ctx, &rope_kind));
    CHECK(lil_context_register_term(ctx, &rope_kind) == LIL_ERR_ARGUMENT);
    term.kind = "rpoe";
    refuse(&def, LIL_ERR_INPUT, "did you mean 'rope'?");
    term.kind = NULL;
    refuse(&def, LIL_ERR_ARGUMENT, "parts.terms[0].kind is NULL");
    term.kind = "rope";
    at[2] = 12;
    refuse(&def, LIL_ERR_ARGUMENT, "number 0 has coordinate 12, but coordinates go from 0 to 11");
    at[2] = 3;
    refuse(&def, LIL_ERR_ARGUMENT, "has coordinate 3 twice");
    at[2] = 5;
    term.count = 0;
    refuse(&def, LIL_ERR_ARGUMENT, "parts.terms[0].count");
    term.count = 1;
    term.data = NULL;
    refuse(&def, LIL_ERR_ARGUMENT, "parts.terms[0].data is NULL");
    term.data = &r;
    def.parts.terms = NULL;
    refuse(&def, LIL_ERR_ARGUMENT, "parts.terms is NULL");
    def.parts.terms = &term;
    lil_constraint_set constraint = { .kind = "rod", .count = 1, .coordinates = RODS };
    def.parts.constraints = &constraint;
    def.parts.constraint_count = 1;
    refuse(&def, LIL_ERR_INPUT, "unknown constraint 'rod'");
}

static bool nothing(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t, (void)q;
    *W = 0;
    for (int i = 0; g && i < 6; i++)
        g[i] = 0;
    return true;
}

/* Two points on a rope of no length run into each other: the term does not exist below 0.1. */
TEST(which_term_and_which_constraint_refused_is_said)
{
    static const double mass[6] = { 1, 1, 1, 1, 1, 1 }, q[6] = { 0, 0, 0, 1, 0, 0 }, v[6] = { 0, 0, 0, -1, 0, 0 };
    static const rope r = { 0.1, 0, 0 };
    static const int at[6] = { 0, 1, 2, 3, 4, 5 };
    lil_model *model;
    lil_sim *sim;
    lil_term_set term = { .kind = "rope", .count = 1, .coordinates = at, .data = &r };
    lil_separable_def def = { .n = 6, .mass = mass, .parts = { .terms = &term, .term_count = 1 } };
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = "midpoint";
    sd.step = 0.05;
    sd.q = q;
    sd.v = v;
    MUST(lil_model_create_separable(ctx, &def, &model));
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    lil_status status = LIL_OK;
    for (int k = 0; k < 100 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    CHECK(status == LIL_ERR_NOT_FINITE);
    expect_words("the term 'rope' refused");
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    MUST(lil_context_register_constraint(ctx, &rod_kind));
    static const rod arm = { 0.05, 0 };
    lil_constraint_set constraint = { .kind = "rod", .count = 1, .coordinates = at, .data = &arm };
    def.parts.constraints = &constraint;
    def.parts.constraint_count = 1;
    static const double short_q[6] = { 0, 0, 0, 0.05, 0, 0 };
    sd.q = short_q;
    def.parts.term_count = 0;
    def.potential = nothing;
    MUST(lil_model_create_separable(ctx, &def, &model));
    CHECK(lil_sim_create(ctx, model, &sd, &sim) == LIL_ERR_NOT_FINITE);
    expect_words("the constraint 'rod' refused: it returned false, or a number that is not finite, for member 0, at "
                 "the start");
    lil_model_destroy(&model);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(materials_are_held_to_their_tables);
    RUN(a_registered_material_moves_as_the_same_one_inside);
    RUN(a_world_takes_a_registered_material);
    RUN(names_are_one_contexts_own);
    RUN(trajectories_name_their_material);
    RUN(tables_of_other_sizes_are_taken_or_refused);
    RUN(terms_are_held_to_their_tables);
    RUN(constraints_are_held_to_their_tables);
    RUN(terms_and_constraints_move_a_model);
    RUN(constraints_are_met_in_other_ways_too);
    RUN(wrong_parts_are_refused);
    RUN(which_term_and_which_constraint_refused_is_said);
    lil_context_destroy(&ctx);
    return test_end();
}
