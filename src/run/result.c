/* The result of a run, as JSON. */
#include "core/profile.h"
#include "run/run.h"

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
    if (run->plan.n > FINAL_MAX) {
        lil_text_add(text, ", \"final\": null");
        return;
    }
    int n = run->plan.n;
    const double *q = x->q, *p = x->p;
    if (run->world.full) { /* also of what is held */
        lil_world_record_fill(&run->world);
        q = run->world.full;
        p = run->world.full + 2 * n;
    }
    lil_text_add(text, ", \"final\": {\"names\": [");
    for (int i = 0; i < n; i++) {
        lil_text_add(text, i ? ", " : "");
        lil_text_json_string(text, run->plan.names[i]);
    }
    lil_text_add(text, "]");
    json_vector(text, "q", q, n);
    json_vector(text, "p", p, n);
    lil_text_add(text, "}");
}

/* NULL: null */
static void json_text(lil_text *text, const char *name, const char *value)
{
    lil_text_add(text, ", \"%s\": ", name);
    if (value)
        lil_text_json_string(text, value);
    else
        lil_text_add(text, "null");
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

static void json_warnings(lil_run *run)
{
    const char *text;
    lil_text_add(&run->text, ", \"warnings\": [");
    for (int i = 0; (text = lil_sim_warning(run->sim, i)); i++) {
        lil_text_add(&run->text, i ? ", " : "");
        lil_text_json_string(&run->text, text);
    }
    lil_text_add(&run->text, "]");
}

/* How things touch, and why by penalty, where that was chosen for the scene. */
static void json_contact(lil_run *run)
{
    const char *reason, *method = lil_run_contact(run, &reason), *const values[] = { method, reason },
                        *const names[] = { "contact_method", "contact_reason" };
    for (int i = 0; i < 2; i++)
        json_text(&run->text, names[i], values[i]);
}

bool lil_run_shot(const lil_run *run, lil_shot_result *result)
{
    return run->plan.shot && lil_shot_outcome(run->plan.shot, result);
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
    lil_text_json_string(text, run->plan.file);
    json_text(text, "variant", run->plan.variant);
    lil_text_add(text, ", \"integrator\": ");
    const char *reason, *integrator = lil_sim_integrator(run->sim, &reason);
    lil_text_json_string(text, integrator);
    json_text(text, "integrator_reason", reason);
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
    json_warnings(run);
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
