/* The description of a run for a reader. */
#include "mesh/check/layers.h"
#include "run/run.h"
#include "terms/barrier.h"
#include "world/barriers.h"

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static const char *vertices(int count)
{
    return count == 1 ? "vertex" : "vertices";
}

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

/* Why the order is less than the method's own. */
static const char *why_order(const lil_run *run)
{
    const lil_sim *sim = run->sim;
    const int *count = sim->model->place_count;
    if (lil_sim_claims(sim).order >= sim->stepper.method->claims(sim->stepper.config).order)
        return "";
    return count[LIL_FRICTION]                     ? " because of friction"
           : count[LIL_STEP] || count[LIL_IMPULSE] ? " because of the form of damping"
           : sim->model->constraint_count          ? " because constraints are damped"
                                                   : " because of damping";
}

static void describe_step(lil_run *run)
{
    lil_claims claims = lil_sim_claims(run->sim);
    lil_text *text = &run->text;
    const char *reason;
    lil_sim_integrator(run->sim, &reason);
    lil_text_add(text, "integrator   %s, order %d%s%s%s%s\n", run->plan.settings.method->name, claims.order,
                 why_order(run), claims.holds & LIL_SYMPLECTIC ? ", symplectic" : "",
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

/* Linear tets are too stiff in bending where there are few through the thickness, and the more so the less the material
 * compresses. */
static void describe_locking(lil_context *ctx, lil_text *text, const lil_body *body)
{
    const double STIFF = 0.9; /* of the deflection: less is not what an engineer expects */
    const lil_moduli *m = &body->material.moduli;
    double nu = (3 * m->kappa - 2 * m->mu) / (2 * (3 * m->kappa + m->mu));
    int layers;
    if (body->mesh.mids || lil_mesh_layers(ctx, &body->mesh, &layers) != LIL_OK)
        return;
    lil_locking locking = lil_tet_locking(layers, nu);
    if (body->surface.vertex_count) /* a lattice of Lilyan's, which has no preferred diagonal */
        locking.worst = locking.best;
    if (locking.worst < STIFF)
        lil_text_add(
            text,
            "  locks      linear tets, %d layer%s through the thickness, Poisson's ratio %.3g: bends by %.2f to "
            "%.2f of what it should; use 'elements: quadratic' or more layers\n",
            layers, plural(layers), nu, locking.worst, locking.best);
}

static void describe_body(lil_context *ctx, lil_text *text, const lil_world *bs, int i)
{
    const lil_body *body = &bs->list[i];
    double mass = 0;
    for (int v = 0; v < body->mesh.vertex_count; v++)
        mass += bs->mass[body->first + v];
    if (body->particles) {
        lil_text_add(text, "particles    %s: %d, %d link%s, %.6g kg\n", body->name, body->mesh.vertex_count,
                     body->links.count, plural(body->links.count), mass);
        return;
    }
    lil_text_add(text, "body         %s: %d vertices, %d %stet%s, %.6g kg\n", body->name, body->mesh.vertex_count,
                 body->mesh.tet_count, body->mesh.mids ? "quadratic " : "", plural(body->mesh.tet_count), mass);
    lil_text_add(text, "  material   %s, mu = %.6g Pa, kappa = %.6g Pa, %.6g kg/m^3\n", body->material.table->name,
                 body->material.moduli.mu, body->material.moduli.kappa, body->material.density);
    if (bs->barriers)
        lil_text_add(text, "  contact    by barrier, d_hat = %.6g m, stiffness = %.6g Pa\n",
                     bs->barriers->parts[i].d_hat, bs->barriers->parts[i].modulus);
    if (body->rubs)
        lil_text_add(text, "  friction   %.6g\n", body->friction);
    if (body->damping.kD > 0)
        lil_text_add(text, "  damping    %s, kD = %.6g s\n", lil_damping_names[body->damping.form], body->damping.kD);
    describe_locking(ctx, text, body);
}

/* ", at [0, 0, 1]" */
static void describe_vector(lil_text *text, const char *what, const double x[3])
{
    lil_text_add(text, ", %s [%.6g, %.6g, %.6g]", what, x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

static void describe_obstacle(lil_text *text, const lil_world_obstacle *o)
{
    const lil_obstacle *shape = &o->contact.obstacle;
    double at[3], normal[3];
    for (int d = 0; d < 3; d++)
        at[d] = shape->point[d] + o->start.shift[d];
    lil_pose_turn(&o->start, shape->normal, normal);
    lil_text_add(text, "obstacle     %s: %s", o->name, lil_obstacle_shape_of(shape)->in);
    if (shape->kind == LIL_OBSTACLE_MESH)
        lil_text_add(text, " of %d triangles", o->mesh.triangle_count);
    if (shape->kind == LIL_OBSTACLE_SPHERE)
        lil_text_add(text, " of radius %.6g m", shape->radius);
    if (shape->kind == LIL_OBSTACLE_BOX)
        lil_text_add(text, " of %.6g x %.6g x %.6g m", 2 * shape->half[0], 2 * shape->half[1], 2 * shape->half[2]);
    if (shape->kind != LIL_OBSTACLE_MESH)
        describe_vector(text, "at", at);
    if (shape->kind == LIL_OBSTACLE_PLANE)
        describe_vector(text, "normal", normal);
    lil_text_add(text, ", friction %.6g%s%s", o->friction, o->drive.move ? ", moves" : "",
                 o->drive.turn ? ", rotates" : "");
    if (o->follow)
        lil_text_add(text, ", follows %d frames from %.6g to %.6g s", o->follow->count, o->follow->t[0],
                     o->follow->t[o->follow->count - 1]);
    lil_text_add(text, "\n");
}

static void describe_contact(lil_text *text, const lil_world *bs)
{
    const char *method = contact_name(bs);
    int solids = 0;
    for (int i = 0; i < bs->count; i++)
        solids += !bs->list[i].particles;
    for (int i = 0; i < bs->obstacle_count; i++)
        describe_obstacle(text, &bs->obstacles[i]);
    if (method)
        lil_text_add(text, "contact      %s%s%s\n", method, bs->no_barrier ? ": " : "",
                     bs->no_barrier ? bs->no_barrier : "");
    else if (solids > 1)
        lil_text_add(text, "contact      none: bodies pass through each other\n");
    if (!method)
        return;
    const char *who = bs->barriers && bs->contact.bodies ? "bodies collide with each other, with themselves and with"
                      : bs->collision                    ? "bodies collide with each other and with"
                                                         : "bodies collide with";
    lil_text_add(text, "  collide    %s obstacles%s, friction %.6g\n", who,
                 bs->barriers    ? ""
                 : bs->collision ? ", not with themselves"
                                 : ", not with each other",
                 bs->contact.friction);
    if (bs->barriers)
        lil_text_add(text, "  barrier    keeps every gap open: nothing penetrates\n");
    else
        lil_text_add(text, "  penalty    springs push out what has penetrated\n");
}

static void describe_pins(lil_text *text, const lil_world *bs)
{
    int scripted = 0, held = 0;
    for (int i = 0; i < bs->script_count; i++)
        scripted += bs->scripts[i].count;
    for (int v = 0; v < bs->vertex_count - bs->anchor_count; v++)
        held += bs->held[v];
    if (held > scripted)
        lil_text_add(text, "fixed        %d %s\n", held - scripted, vertices(held - scripted));
    if (scripted)
        lil_text_add(text, "moved        %d %s, by %d handle%s\n", scripted, vertices(scripted), bs->script_count,
                     plural(bs->script_count));
    for (int i = 0, count = 0; i < bs->release_count; i++, count = 0) {
        for (int v = 0; v < bs->vertex_count; v++)
            count += bs->released[v] == i + 1;
        if (count)
            lil_text_add(text, "lets go      of %d %s at %.6g s\n", count, vertices(count), bs->releases[i].t);
    }
}

static void describe_world(lil_context *ctx, lil_text *text, const lil_run_plan *plan)
{
    const lil_world *bs = plan->world;
    int springs = 0, equations = 0;
    for (int i = 0; i < bs->count; i++)
        describe_body(ctx, text, bs, i);
    describe_contact(text, bs);
    describe_pins(text, bs);
    for (int i = 0; i < bs->spring_set_count; i++)
        springs += bs->springs[i].springs.count;
    if (bs->load_count || springs)
        lil_text_add(text, "forces       %d load%s, %d spring%s\n", bs->load_count, plural(bs->load_count), springs,
                     plural(springs));
    for (int i = 0; i < bs->pressure_count; i++)
        lil_text_add(text, "pressure     on %d faces, %s\n", bs->pressures[i].face_count,
                     bs->pressures[i].potential ? "with a potential (closed, or its rim is fixed)"
                                                : "without a potential (open): its work is booked");
    for (int i = 0; i < bs->constraint_count; i++)
        equations += bs->constraints[i].count * bs->constraints[i].table->rows;
    if (equations)
        lil_text_add(text, "constraints  %d equation%s\n", equations, plural(equations));
    if (bs->gravity[0] != 0 || bs->gravity[1] != 0 || bs->gravity[2] != 0)
        lil_text_add(text, "gravity      [%.6g, %.6g, %.6g] m/s^2\n", bs->gravity[0], bs->gravity[1], bs->gravity[2]);
    lil_text_add(text, "free         %d of %d coordinates\n", plan->model->n, plan->n);
}

/* Keys by their times: "at 0, 0.5 (soft) and 1 s". */
static void describe_shot(lil_text *text, const lil_shot *shot)
{
    lil_text_add(text, "shot         %d keys, %s\n  keys       at", shot->key_count, shot->method->name);
    for (int i = 0; i < shot->key_count; i++)
        lil_text_add(text, "%s %.6g%s",
                     i == 0                     ? ""
                     : i == shot->key_count - 1 ? " and"
                                                : ",",
                     shot->at[i], shot->keys[i].weight > 0 ? " (soft)" : "");
    lil_text_add(text, " s%s\n", shot->def.times == LIL_TIMES_FREE ? "; the times between are solved for" : "");
}

/* What frames have of the state, how it is stored, and when. */
static void describe_record(lil_text *text, const lil_record_def *record)
{
    const lil_frame_form *form = &record->form;
    lil_text_add(text, "record      %s%s%s, %s", form->q ? " q" : "", form->v ? " v" : "", form->p ? " p" : "",
                 form->precision == LIL_PRECISION_FLOAT ? "float" : "double");
    if (form->compress)
        lil_text_add(text, ", compressed at level %d", form->compress);
    if (record->fps > 0)
        lil_text_add(text, ", %.6g frames a second\n", record->fps);
    else
        lil_text_add(text, ", a frame every %.10g step%s\n", record->every, plural((int64_t)record->every));
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
        describe_world(run->ctx, text, plan);
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
    describe_record(text, &st->record);
    if (plan->shot)
        describe_shot(text, plan->shot);
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
