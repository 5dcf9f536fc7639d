/*
 * A material of your own, in a scene: one function for w(F) and the stress P = dw/dF of one element. lil_check_material holds it to its
 * claims before it is used. This one is Simo & Pister's (1984): w = mu/2 (tr F'F - 3) - mu log J + lambda/2 log^2 J.
 */
#include <lilyan/lilyan.h>
#include <math.h>
#include <string.h>

static bool simo_pister(const lil_moduli *m, const void *config, const double *F, double *w, double *P)
{
    double lambda = m->kappa - 2. / 3 * m->mu, I1 = 0, G[9]; /* G = cof F = dJ/dF */
    (void)config;
    for (int i = 0; i < 9; i++) {
        int a = 3 * ((i / 3 + 1) % 3), b = 3 * ((i / 3 + 2) % 3), c = (i + 1) % 3, d = (i + 2) % 3;
        G[i] = F[a + c] * F[b + d] - F[a + d] * F[b + c];
        I1 += F[i] * F[i];
    }
    double J = F[0] * G[0] + F[1] * G[1] + F[2] * G[2];
    if (!(J > 0))
        return false; /* it does not exist there */
    double l = log(J);
    *w = m->mu / 2 * (I1 - 3) - m->mu * l + lambda / 2 * l * l;
    for (int i = 0; P && i < 9; i++)
        P[i] = m->mu * F[i] + (lambda * l - m->mu) / J * G[i];
    return true;
}

static const char SCENE[] = "bodies:\n"
                            "  bar:\n"
                            "    shape: {type: bar, size: [1, 0.2, 0.2], cells: [8, 2, 2]}\n"
                            "    material: {model: simo-pister, young: 1e5, poisson: 0.3, density: 1000}\n"
                            "    start: {twist: 60}\n"
                            "integrator: energy-momentum\n"
                            "time: {step: 0.01, until: 0.5}\n";

int main(void)
{
    lil_context *ctx = lil_context_create();
    const lil_material_kind kind = { .size = sizeof kind,
                                     .name = "simo-pister",
                                     .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC,
                                     .energy = simo_pister }; /* no tangent: stresses are differenced for it */
    const lil_moduli moduli = { .mu = 4e4, .kappa = 8e4 };
    const lil_run_def def = lil_run_def_default();
    lil_verdict verdict;
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    bool ok = lil_check_material(ctx, &kind, &moduli, NULL, &verdict) == LIL_OK &&
              lil_context_register_material(ctx, &kind) == LIL_OK &&
              lil_scene_parse(ctx, "bar", SCENE, strlen(SCENE), &scene) == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK && lil_run_advance(run, 1000) == LIL_OK;
    if (ok)
        printf("%s\nt = %g s, relative energy error %.1g\n", verdict.sentence, lil_sim_state(lil_run_sim(run))->t,
               lil_sim_certificate(lil_run_sim(run)).relative_energy_error);
    else
        printf("%s\n", lil_context_message(ctx));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return ok && verdict.holds ? 0 : 1;
}
