/* What came of a run, as JSON; and what it is going to be, for a reader. */
#include "core/profile.h"
#include "scene/bodies.h"
#include "scene/run.h"
#include "terms/barrier.h"

enum { FINAL_MAX = 64 }; /* coordinates whose last values are in the JSON */

static void json_vector(lil_text *text, const char *name, const double *x, int n)
{
    lil_text_add(text, ", \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        lil_text_add(text, i ? ", " : "");
        lil_text_json_number(text, x[i]);
    }
    lil_text_add(text, "]");
}

static void json_final(lil_run *run)
{
    const lil_state *x = lil_sim_state(run->sim);
    lil_text *text = &run->text;
    if (run->system.n > FINAL_MAX) {
        lil_text_add(text, ", \"final\": null");
        return;
    }
    int n = run->system.n;
    const double *q = x->q, *p = x->p;
    if (run->world.full) { /* also of what is held */
        lil_world_record_fill(&run->world);
        q = run->world.full;
        p = run->world.full + 2 * n;
    }
    lil_text_add(text, ", \"final\": {\"names\": [");
    for (int i = 0; i < n; i++) {
        lil_text_add(text, i ? ", " : "");
        lil_text_json_string(text, run->system.names[i]);
    }
    lil_text_add(text, "]");
    json_vector(text, "q", q, n);
    json_vector(text, "p", p, n);
    lil_text_add(text, "}");
}

static void json_pair(lil_text *text, bool first, const char *name, double value)
{
    lil_text_add(text, "%s\"%s\": ", first ? "" : ", ", name);
    lil_text_json_number(text, value);
}

static void json_observables(lil_run *run)
{
    lil_text *text = &run->text;
    lil_observable o;
    lil_text_add(text, ", \"observables\": {");
    for (int i = 0; lil_run_observable(run, i, &o); i++) {
        lil_text_add(text, i ? ", " : "");
        lil_text_json_string(text, o.name);
        lil_text_add(text, ": {");
        json_pair(text, true, "first", o.first);
        json_pair(text, false, "last", o.last);
        json_pair(text, false, "min", o.min);
        json_pair(text, false, "max", o.max);
        if (o.invariant)
            json_pair(text, false, "invariant_drift", o.drift);
        lil_text_add(text, "}");
    }
    lil_text_add(text, "}");
}

/* NULL: nothing touches. */
static const char *contact_name(const lil_world *bs)
{
    return !bs ? NULL : bs->barriers ? "barrier" : bs->obstacle_count || bs->collision ? "penalty" : NULL;
}

const char *lil_run_contact(const lil_run *run, const char **reason)
{
    const lil_world *bs = run->system.bodies;
    const char *method = contact_name(bs);
    if (reason)
        *reason = method && bs ? bs->no_barrier : NULL;
    return method;
}

static void json_invariants(lil_run *run)
{
    lil_observable o;
    bool first = true;
    lil_text_add(&run->text, ", \"invariants\": {");
    for (int i = 0; lil_run_observable(run, i, &o); i++) {
        if (!o.invariant)
            continue;
        lil_text_add(&run->text, first ? "" : ", ");
        lil_text_json_string(&run->text, o.name);
        lil_text_add(&run->text, ": ");
        lil_text_json_number(&run->text, o.drift);
        first = false;
    }
    lil_text_add(&run->text, "}");
}

static void json_deepest(lil_run *run)
{
    lil_pair pair;
    lil_text_add(&run->text, ", \"penetration_pair\": ");
    if (!lil_sim_deepest(run->sim, &pair)) {
        lil_text_add(&run->text, "null");
        return;
    }
    lil_text_add(&run->text, "[");
    lil_text_json_string(&run->text, pair.what);
    lil_text_add(&run->text, ", ");
    lil_text_json_string(&run->text, pair.in);
    lil_text_add(&run->text, "]");
}

/* How things touch, and why by penalty, where that was chosen for the scene. */
static void json_contact(lil_run *run)
{
    const char *reason, *method = lil_run_contact(run, &reason), *const values[] = { method, reason },
                        *const names[] = { "contact_method", "contact_reason" };
    for (int i = 0; i < 2; i++) {
        lil_text_add(&run->text, ", \"%s\": ", names[i]);
        if (values[i])
            lil_text_json_string(&run->text, values[i]);
        else
            lil_text_add(&run->text, "null");
    }
}

bool lil_run_shot(const lil_run *run, lil_shot_result *result)
{
    return run->shot.shot && lil_shot_outcome(run->shot.shot, result);
}

static void json_keys(lil_run *run)
{
    lil_shot_result r;
    lil_text *text = &run->text;
    if (!lil_run_shot(run, &r))
        return;
    lil_text_add(text, ", \"keys\": {");
    json_pair(text, true, "cost", r.cost);
    json_pair(text, false, "key_error_max", r.key_error_max);
    json_pair(text, false, "soft_error_max", r.soft_error_max);
    json_pair(text, false, "pose_error_max", r.pose_error_max);
    json_pair(text, false, "ghost_force_max", r.ghost_force_max);
    json_pair(text, false, "ghost_share", r.ghost_share);
    json_pair(text, false, "residual", r.residual);
    json_vector(text, "times", r.key_times, r.key_count);
    lil_text_add(text, ", \"iterations\": %d, \"converged\": %s}", r.iterations, r.converged ? "true" : "false");
}

static void json_run(lil_run *run)
{
    lil_text *text = &run->text;
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate certificate = lil_sim_certificate(run->sim);
    lil_text_clear(text);
    lil_text_add(text, "{\"scene\": ");
    lil_text_json_string(text, run->file);
    lil_text_add(text, ", \"variant\": ");
    if (run->variant)
        lil_text_json_string(text, run->variant);
    else
        lil_text_add(text, "null");
    lil_text_add(text, ", \"integrator\": ");
    lil_text_json_string(text, run->settings.method->name);
    lil_text_add(text, ", \"status\": ");
    lil_text_json_string(text, lil_run_how_it_ended(run));
    lil_text_add(text, ", \"steps\": %lld", (long long)lil_sim_steps(run->sim));
    json_pair(text, false, "time", lil_sim_state(run->sim)->t);
    json_pair(text, false, "wall_seconds", run->wall);
    json_pair(text, false, "cpu_seconds", run->cpu);
    lil_text_add(text, ", \"frames\": %lld", (long long)run->frames);
    json_final(run);
    json_observables(run);
    json_keys(run);
    lil_profile profile;
    if (lil_run_profile(run, &profile)) {
        lil_text_add(text, ", \"profile\": ");
        lil_profile_json(text, &profile);
    }
    lil_text_add(text, ", \"certificate\": {");
    for (int i = 0; i < count; i++)
        json_pair(text, i == 0, fields[i].name, *(const double *)((const char *)&certificate + fields[i].offset));
    json_invariants(run);
    json_deepest(run);
    json_contact(run);
    lil_text_add(text, "}}");
}

const char *lil_run_json(lil_run *run)
{
    void *locale = lil_c_locale_begin(run->ctx);
    json_run(run);
    lil_c_locale_end(locale);
    return run->text.failed ? NULL : run->text.data;
}

static void describe_step(lil_run *run)
{
    lil_claims claims = lil_sim_claims(run->sim);
    lil_text *text = &run->text;
    lil_text_add(text, "integrator   %s, order %d%s%s%s\n", run->settings.method->name, claims.order,
                 claims.holds & LIL_SYMPLECTIC ? ", symplectic" : "",
                 claims.holds & LIL_MOMENTA ? ", conserves momenta of affine symmetries" : "",
                 claims.holds & LIL_SYMMETRIC ? ", symmetric" : "");
    lil_text_add(text, "a step       %s\n", lil_stepper_path(&run->sim->stepper));
}

static void describe_lagrangian(lil_text *text, const lil_system *sys)
{
    lil_text_add(text, "coordinates  %d:", sys->n);
    for (int i = 0; i < sys->n && i < 12; i++)
        lil_text_add(text, " %s", sys->names[i]);
    lil_text_add(text, "%s\nlagrangian   %s\n", sys->n > 12 ? " ..." : "",
                 sys->model->mass.constant ? "constant mass and a potential"
                                           : "general: not 1/2 v'Mv - W(t, q) with a constant, positive M");
}

static void describe_bodies(lil_text *text, const lil_system *sys)
{
    for (int i = 0; i < sys->bodies->count; i++) {
        const lil_body *body = &sys->bodies->list[i];
        double mass = 0;
        for (int v = 0; v < body->mesh.vertex_count; v++)
            mass += sys->bodies->mass[body->first + v];
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
        if (sys->bodies->barriers)
            lil_text_add(text, "  contact    by barrier, d_hat = %.6g m, stiffness = %.6g Pa\n",
                         sys->bodies->barriers->parts[i].d_hat, sys->bodies->barriers->parts[i].modulus);
        if (body->damping.kD > 0)
            lil_text_add(text, "  damping    %s, kD = %.6g s\n", lil_damping_names[body->damping.form],
                         body->damping.kD);
    }
    const lil_world *bs = sys->bodies;
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
    if (bs->load_count || springs)
        lil_text_add(text, "forces       %d loads, %d springs\n", bs->load_count, springs);
    int equations = 0;
    for (int i = 0; i < bs->constraint_count; i++)
        equations += bs->constraints[i].count * bs->constraints[i].table->rows;
    if (equations)
        lil_text_add(text, "constraints  %d equations\n", equations);
    if (bs->gravity[0] != 0 || bs->gravity[1] != 0 || bs->gravity[2] != 0)
        lil_text_add(text, "gravity      [%.6g, %.6g, %.6g] m/s^2\n", bs->gravity[0], bs->gravity[1], bs->gravity[2]);
    lil_text_add(text, "free         %d of %d coordinates\n", sys->model->n, sys->n);
}

const char *lil_run_describe(lil_run *run)
{
    lil_text *text = &run->text;
    const lil_settings *st = &run->settings;
    const lil_system *sys = &run->system;
    int64_t frames = 1;
    lil_text_clear(text);
    lil_text_add(text, "scene        %s\n", run->file);
    if (run->variant)
        lil_text_add(text, "variant      %s\n", run->variant);
    if (sys->bodies)
        describe_bodies(text, sys);
    else
        describe_lagrangian(text, sys);
    if (lil_model_terms(sys->model, LIL_FORCE))
        lil_text_add(text, "force        yes%s\n",
                     lil_model_forces_use_v(sys->model) ? ", depends on velocities" : "");
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
    if (run->shot.count)
        lil_text_add(text, "shot         %d keys, %s\n", run->shot.count, run->shot.method->name);
    if (run->rest.found)
        lil_text_add(text, "rest         found in %d iterations: the remaining forces are %.3g of the loads\n",
                     run->rest.iterations, run->rest.residual);
    lil_text_add(text, "energy       %.10g J at the start\n", lil_sim_certificate(run->sim).energy_initial);
    if (run->observe.count) {
        lil_text_add(text, "observe     ");
        for (int i = 0; i < run->observe.count; i++)
            lil_text_add(text, " %s", run->observe.names[i]);
        lil_text_add(text, "\n");
    }
    return text->failed ? NULL : text->data;
}
