/* lilyan modes: the lowest frequencies of a scene, and their shapes. */
#include "task.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  lilyan modes SCENE [options]\n"
    "\n"
    "The lowest frequencies of small vibrations and their shapes, K phi = omega^2 M phi, of bodies, springs, "
    "particles,\n"
    "strands, constraints and Lagrangians. Rigid motions of what nothing holds are left out. The output shows one "
    "shape\n"
    "after the other (t from 0 to 1 is mode 1), for report, export and info. The scene needs no 'time'.\n"
    "\n"
    "  -n, --count N           how many, 1 to 1000 (default: 20)\n"
    "  --at rest               about the scene's start (default)\n"
    "  --at equilibrium        about the equilibrium that 'lilyan solve --static' finds\n"
    "  --time T                loads and handles as they are at T seconds; with --at equilibrium\n"
    "  -o, --output OUT.h5     the file (default: SCENE.modes.h5 beside the scene)\n"
    "  --csv FILE              the table as a file too (- is standard output, and nothing else is printed)\n"
    "  --set key.path=value    override any value of the scene; may be given several times\n"
    "  --variant NAME          one of the scene's variants\n"
    "  --threads N             use N threads, 1 to 64 (default: all processors); the result has the same bits\n"
    "  --force                 replace existing outputs\n"
    "  --json                  print the result as JSON and nothing else\n\n"
    "mass x, y, z: the part of the free mass that takes part in translations along the axes. residual: an exact\n"
    "omega^2 is within this part of it.\n\n"
    "  lilyan modes scenes/string.yaml -n 6\n"
    "  lilyan modes scenes/hanging-jelly.yaml --at equilibrium --json\n";

static const double TURN = 2 * 3.141592653589793;

static double period_of(const lil_mode *m)
{
    return m->frequency > 0 ? 1 / m->frequency : NAN;
}

/* A shape of few coordinates in words, its largest 1. */
static void print_shape(const lil_model *model, const lil_mode *m)
{
    double most = 0;
    int n = lil_model_size(model);
    for (int i = 0; i < n; i++)
        most = fabs(m->shape[i]) > fabs(most) ? m->shape[i] : most;
    for (int i = 0; i < n; i++)
        printf("%s%s %.4g", i ? ", " : "   ", lil_model_name(model, i), m->shape[i] / most + 0.0);
}

static void print_row(const lil_run *run, const lil_modes_result *r, int i, const lil_mode *m)
{
    enum { FEW = 6 };
    const lil_model *model = lil_run_model(run);
    if (m->omega2 < 0)
        printf("  %4d  unstable: grows as exp(%.6g t) ", i + 1, sqrt(-m->omega2));
    else if (m->frequency == 0)
        printf("  %4d  %12s  %12s  %12s", i + 1, "0", "0", "-");
    else
        printf("  %4d  %12.8g  %12.8g  %12.8g", i + 1, m->frequency, sqrt(m->omega2), period_of(m));
    for (int d = 0; d < 3 && isfinite(r->mass); d++)
        printf("  %5.1f %%", 100 * m->participation[d] * m->participation[d] / r->mass);
    printf("  %8.1e", m->residual);
    if (!isfinite(r->mass) && lil_model_size(model) <= FEW)
        print_shape(model, m);
    printf("%s\n", m->omega2 >= 0 && m->frequency == 0 ? "   a mechanism: it moves without energy" : "");
}

static void print_modes(const task_options *o, const lil_run *run, const lil_modes *modes)
{
    lil_modes_result r = lil_modes_about(modes);
    const char *rigid;
    lil_mode m;
    printf("%s: %d mode%s of %d degrees of freedom\n", o->scene, r.count, r.count == 1 ? "" : "s", r.n);
    if (r.rigid)
        printf("  %d rigid mode%s left out\n", r.rigid, r.rigid == 1 ? " is" : "s are");
    for (int i = 0; (rigid = lil_modes_rigid(modes, i)); i++)
        printf("    %s\n", rigid);
    printf("  mode  frequency/Hz  omega/(rad/s)    period/s%s  residual\n",
           isfinite(r.mass) ? "   mass x   mass y   mass z" : "");
    for (int i = 0; lil_modes_at(modes, i, &m); i++)
        print_row(run, &r, i, &m);
    printf("  %-18s %.3g\n", "residual_max", r.residual_max);
    printf("  %-18s %.3g\n", "orthogonality", r.orthogonality);
    if (isfinite(r.mass))
        printf("  %-18s %.10g kg\n", "free_mass", r.mass);
    printf("  %-18s %.3g N beside loads of %.3g N%s\n", "unbalanced", r.unbalanced, r.loads,
           r.unbalanced > 1e-6 * r.loads && r.unbalanced > 1e-9 && r.loads > 0
               ? ": not an equilibrium (--at equilibrium goes there)"
               : "");
}

static void print_modes_json(const task_options *o, const char *path, const lil_modes *modes)
{
    lil_modes_result r = lil_modes_about(modes);
    const char *rigid;
    lil_mode m;
    printf("{\"scene\": ");
    cli_print_json_string(o->scene);
    printf(", \"output\": ");
    cli_print_json_string(path);
    printf(", \"rigid\": %d, \"rigid_parts\": [", r.rigid);
    for (int i = 0; (rigid = lil_modes_rigid(modes, i)); i++) {
        printf(i ? ", " : "");
        cli_print_json_string(rigid);
    }
    printf("], ");
    task_print_json_number("residual_max", r.residual_max, ", ");
    task_print_json_number("orthogonality", r.orthogonality, ", ");
    task_print_json_number("unbalanced", r.unbalanced, ", ");
    task_print_json_number("loads", r.loads, ", ");
    task_print_json_number("mass", r.mass, ",\n \"modes\": [");
    for (int i = 0; lil_modes_at(modes, i, &m); i++) {
        printf(i ? ",\n  {" : "\n  {");
        task_print_json_number("frequency", m.frequency, ", ");
        task_print_json_number("omega2", m.omega2, ", ");
        task_print_json_number("period", period_of(&m), ", ");
        task_print_json_number("residual", m.residual, ", ");
        printf("\"participation\": [");
        for (int d = 0; d < 3; d++)
            printf(isfinite(m.participation[d]) ? "%s%.17g" : "%snull", d ? ", " : "", m.participation[d]);
        printf("]}");
    }
    printf("]}\n");
}

static int write_csv(const task_options *o, const lil_modes *modes)
{
    lil_modes_result r = lil_modes_about(modes);
    bool shown = strcmp(o->csv, "-") == 0;
    FILE *file = shown ? stdout : fopen(o->csv, o->force ? "w" : "wx");
    lil_mode m;
    if (!file) {
        fprintf(stderr, "lilyan: %s: %s\n", o->csv,
                errno == EEXIST ? "exists already (--force replaces it)" : strerror(errno));
        return EXIT_FAILED;
    }
    fprintf(file, "mode,frequency,omega,period,omega2,residual,mass_x,mass_y,mass_z\n");
    for (int i = 0; lil_modes_at(modes, i, &m); i++) {
        double numbers[8] = { m.frequency, TURN * m.frequency, period_of(&m), m.omega2, m.residual };
        for (int d = 0; d < 3; d++)
            numbers[5 + d] = m.participation[d] * m.participation[d] / r.mass;
        fprintf(file, "%d", i + 1);
        for (int k = 0; k < 8; k++)
            fprintf(file, isfinite(numbers[k]) ? ",%.17g" : ",", numbers[k]);
        fprintf(file, "\n");
    }
    bool written = !ferror(file) && (shown || fclose(file) == 0);
    if (!written)
        fprintf(stderr, "lilyan: %s: cannot be written\n", o->csv);
    return written ? EXIT_FINE : EXIT_FAILED;
}

static int solve_and_print(lil_context *ctx, const task_options *o, const lil_modes_def *def,
                           const lil_static_def *balanced, const char *path, lil_run *run)
{
    lil_modes *modes = NULL;
    lil_status status = lil_run_solve_modes(run, balanced, def, &modes);
    int code = EXIT_FINE;
    if (status == LIL_ERR_INTERRUPTED)
        fprintf(stderr, "lilyan: interrupted\n");
    if (status != LIL_OK)
        return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : cli_failed(ctx);
    if (o->csv)
        code = write_csv(o, modes);
    if (o->json)
        print_modes_json(o, path, modes);
    else if (!o->csv || strcmp(o->csv, "-") != 0)
        print_modes(o, run, modes);
    lil_modes_destroy(&modes);
    return code;
}

static int run_modes(lil_context *ctx, int argc, char **argv)
{
    static const char *const own[] = { "--count", "-n", "--at", "--time", "--csv", NULL };
    task_options o = { .command = &cli_modes };
    lil_modes_def def = lil_modes_def_default();
    lil_static_def balanced = lil_static_def_default();
    lil_run *run = NULL;
    char *path = NULL, *end;
    int code = task_parse(argc, argv, own, &o);
    if (code != EXIT_FINE)
        return code;
    bool moves = o.at && strcmp(o.at, "equilibrium") == 0;
    if (o.at && !moves && strcmp(o.at, "rest") != 0)
        return cli_usage(&cli_modes, "--at is rest or equilibrium, not '%s'", o.at);
    if (o.count && !task_whole(o.count, 1, 1000, &def.count))
        return cli_usage(&cli_modes, "--count needs a whole number from 1 to 1000, not '%s'", o.count);
    if (o.time && !moves)
        return cli_usage(&cli_modes, "--time needs --at equilibrium");
    if (o.time && (balanced.time = strtod(o.time, &end), *end || !isfinite(balanced.time)))
        return cli_usage(&cli_modes, "--time needs a number of seconds, not '%s'", o.time);
    code = task_open(ctx, argc, argv, &o, LIL_TASK_MODES, "modes", &run, &path);
    if (code == EXIT_FINE)
        code = solve_and_print(ctx, &o, &def, moves ? &balanced : NULL, path, run);
    o.json = o.json || (o.csv && strcmp(o.csv, "-") == 0); /* nothing else is printed */
    code = task_close(ctx, &o, path, code, &run);
    free(path);
    return code;
}

const cli_command cli_modes = { "modes", "lowest frequencies of small vibrations, and their shapes", help, run_modes,
                                NULL };
