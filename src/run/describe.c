/* The description of a run for a reader. */
#include "run/run.h"
#include "terms/barrier.h"
#include "world/barriers.h"

/* NULL: nothing touches. */
static const char *contact_name(const lil_world *bs)
{
    return !bs ? NULL : bs->barriers ? "barrier" : bs->obstacle_count || bs->collision ? "penalty" : NULL;
}

const char *lil_run_contact(const lil_run *run, const char **reason)
{
    const lil_world *bs = run->plan.world;
    const char *method = contact_name(bs);
    if (reason)
        *reason = method && bs ? bs->no_barrier : NULL;
    return method;
}

static void describe_step(lil_run *run)
{
    lil_claims claims = lil_sim_claims(run->sim);
    lil_text *text = &run->text;
    const char *reason;
    lil_sim_integrator(run->sim, &reason);
    lil_text_add(text, "integrator   %s, order %d%s%s%s\n", run->plan.settings.method->name, claims.order,
                 claims.holds & LIL_SYMPLECTIC ? ", symplectic" : "",
                 claims.holds & LIL_MOMENTA ? ", conserves momenta of affine symmetries" : "",
                 claims.holds & LIL_SYMMETRIC ? ", symmetric" : "");
    if (reason)
        lil_text_add(text, "  auto       %s\n", reason);
    lil_text_add(text, "a step       %s\n", lil_stepper_path(&run->sim->stepper));
}

static void describe_lagrangian(lil_text *text, const lil_run_plan *plan)
{
    lil_text_add(text, "coordinates  %d:", plan->n);
    for (int i = 0; i < plan->n && i < 12; i++)
        lil_text_add(text, " %s", plan->names[i]);
    lil_text_add(text, "%s\nlagrangian   %s\n", plan->n > 12 ? " ..." : "",
                 plan->model->mass.constant ? "constant mass and a potential"
                                            : "general: not 1/2 v'Mv - W(t, q) with a constant, positive M");
}

static void describe_bodies(lil_text *text, const lil_run_plan *plan)
{
    for (int i = 0; i < plan->world->count; i++) {
        const lil_body *body = &plan->world->list[i];
        double mass = 0;
        for (int v = 0; v < body->mesh.vertex_count; v++)
            mass += plan->world->mass[body->first + v];
        if (body->particles) {
            lil_text_add(text, "particles    %s: %d, %d links, %.6g kg\n", body->name, body->mesh.vertex_count,
                         body->links.count, mass);
            continue;
        }
        lil_text_add(text, "body         %s: %d vertices, %d tets, %.6g kg\n", body->name, body->mesh.vertex_count,
                     body->mesh.tet_count, mass);
        lil_text_add(text, "  material   %s, mu = %.6g Pa, kappa = %.6g Pa, %.6g kg/m^3\n",
                     body->material.table->name, body->material.moduli.mu, body->material.moduli.kappa,
                     body->material.density);
        if (plan->world->barriers)
            lil_text_add(text, "  contact    by barrier, d_hat = %.6g m, stiffness = %.6g Pa\n",
                         plan->world->barriers->parts[i].d_hat, plan->world->barriers->parts[i].modulus);
        if (body->damping.kD > 0)
            lil_text_add(text, "  damping    %s, kD = %.6g s\n", lil_damping_names[body->damping.form],
                         body->damping.kD);
    }
    const lil_world *bs = plan->world;
    if (contact_name(bs))
        lil_text_add(text, "contact      %s%s%s\n", contact_name(bs), bs->no_barrier ? ": " : "",
                     bs->no_barrier ? bs->no_barrier : "");
    int scripted = 0, held = 0, springs = 0;
    for (int i = 0; i < bs->script_count; i++)
        scripted += bs->scripts[i].count;
    for (int v = 0; v < bs->vertex_count - bs->anchor_count; v++)
        held += bs->held[v];
    for (int i = 0; i < bs->spring_set_count; i++)
        springs += bs->springs[i].springs.count;
    if (held)
        lil_text_add(text, "pinned       %d vertices fixed, %d moved by %d handles\n", held - scripted, scripted,
                     bs->script_count);
    for (int i = 0, count = 0; i < bs->release_count; i++, count = 0) {
        for (int v = 0; v < bs->vertex_count; v++)
            count += bs->released[v] == i + 1;
        if (count)
            lil_text_add(text, "lets go      of %d vertices at %.6g s\n", count, bs->releases[i].t);
    }
    if (bs->load_count || springs)
        lil_text_add(text, "forces       %d loads, %d springs\n", bs->load_count, springs);
    int equations = 0;
    for (int i = 0; i < bs->constraint_count; i++)
        equations += bs->constraints[i].count * bs->constraints[i].table->rows;
    if (equations)
        lil_text_add(text, "constraints  %d equations\n", equations);
    if (bs->gravity[0] != 0 || bs->gravity[1] != 0 || bs->gravity[2] != 0)
        lil_text_add(text, "gravity      [%.6g, %.6g, %.6g] m/s^2\n", bs->gravity[0], bs->gravity[1], bs->gravity[2]);
    lil_text_add(text, "free         %d of %d coordinates\n", plan->model->n, plan->n);
}

const char *lil_run_describe(lil_run *run)
{
    lil_text *text = &run->text;
    const lil_run_plan *plan = &run->plan;
    const lil_settings *st = &plan->settings;
    int64_t frames = 1;
    lil_text_clear(text);
    lil_text_add(text, "scene        %s\n", plan->file);
    if (plan->variant)
        lil_text_add(text, "variant      %s\n", plan->variant);
    if (plan->world)
        describe_bodies(text, plan);
    else
        describe_lagrangian(text, plan);
    if (lil_model_terms(plan->model, LIL_FORCE))
        lil_text_add(text, "force        yes%s\n",
                     lil_model_forces_use_v(plan->model) ? ", depends on velocities" : "");
    describe_step(run);
    if (st->adaptive) {
        lil_text_add(text, "time         %.10g to %.10g s, variable steps, the first about %.10g s\n", st->time.start,
                     st->time.until, st->time.step);
    } else {
        lil_text_add(text, "time         %.10g to %.10g s, %lld steps of %.10g s\n", st->time.start, st->time.until,
                     (long long)st->steps, st->time.step);
        while (lil_frame_step(st, frames - 1) < st->steps && frames < 1000000)
            frames++;
        lil_text_add(text, "frames       %lld\n", (long long)frames);
    }
    if (plan->shot)
        lil_text_add(text, "shot         %d keys, %s\n", plan->shot->key_count, plan->shot->method->name);
    if (run->plan.rest.found)
        lil_text_add(text, "rest         found in %d iterations: the remaining forces are %.3g of the loads\n",
                     run->plan.rest.iterations, run->plan.rest.residual);
    lil_text_add(text, "energy       %.10g J at the start\n", lil_sim_certificate(run->sim).energy_initial);
    if (run->plan.observe.count) {
        lil_text_add(text, "observe     ");
        for (int i = 0; i < run->plan.observe.count; i++)
            lil_text_add(text, " %s", run->plan.observe.names[i]);
        lil_text_add(text, "\n");
    }
    return text->failed ? NULL : text->data;
}
