/* lilyan solve --static: the equilibrium of a scene. */
#include "task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "  lilyan solve SCENE --static [options]\n"
    "\n"
    "The equilibrium of a scene under gravity, loads, handles, contact and constraints, from its start. Also of a\n"
    "Lagrangian: a minimum of -L at velocity 0. If it is not found with all loads at once, they are added in steps,\n"
    "which are divided where they must be. The output has a frame for the start and for each load step, at\n"
    "t = the load factor, for report, plot, export and info. The scene needs no 'time'.\n"
    "\n"
    "  -o, --output OUT.h5     the file (default: SCENE.static.h5 beside the scene)\n"
    "  --time T                loads and handles as they are at T seconds (default: at the scene's start)\n"
    "  --steps N               at least N load steps, 1 to 100000 (default: 1)\n"
    "  --set key.path=value    override any value of the scene; may be given several times\n"
    "  --variant NAME          one of the scene's variants\n"
    "  --threads N             use N threads, 1 to 64 (default: all processors); the result has the same bits\n"
    "  --force                 replace an existing output\n"
    "  --json                  print the result as JSON and nothing else\n\n"
    "Exit code 1: there is no equilibrium; the message names what nothing holds.\n\n"
    "  lilyan solve scenes/roof.yaml --static --time 3 --steps 100\n"
    "  lilyan solve scenes/cantilever.yaml --static --time 4 --json\n";

static void print_static(const task_options *o, const lil_static_result *r)
{
    printf("%s: equilibrium in %d load step%s\n", o->scene, r->steps, r->steps == 1 ? "" : "s");
    printf("  %-18s %.10g J\n", "potential", r->potential);
    printf("  %-18s %.3g of the loads\n", "residual", r->residual);
    printf("  %-18s %d\n", "newton_iterations", r->iterations);
    if (r->divided)
        printf("  %-18s %d time%s: more at once had no solution\n", "divided_steps", r->divided,
               r->divided == 1 ? "" : "s");
    printf("  %-18s %.6g\n", "moved", r->moved);
    printf("  %-18s %s\n", "stability", lil_stability_name(r->stability));
    if (isfinite(r->snapped))
        printf("  %-18s at load factor %.4g it jumped to another equilibrium\n", "snapped", r->snapped);
}

static void print_static_json(const task_options *o, const char *path, const lil_static_result *r, bool found,
                              const lil_context *ctx)
{
    printf("{\"scene\": ");
    cli_print_json_string(o->scene);
    if (!found) {
        printf(", \"error\": ");
        cli_print_json_string(lil_context_message(ctx));
    }
    printf(", \"output\": ");
    cli_print_json_string(path);
    printf(", \"found\": %s, ", found ? "true" : "false");
    task_print_json_number("factor", r->factor, ", ");
    printf("\"steps\": %d, \"divided\": %d, \"iterations\": %d, ", r->steps, r->divided, r->iterations);
    task_print_json_number("residual", r->residual, ", ");
    task_print_json_number("moved", r->moved, ", ");
    task_print_json_number("potential", r->potential, ", ");
    task_print_json_number("snapped", r->snapped, ", ");
    printf("\"stability\": \"%s\"}\n", lil_stability_name(r->stability));
}

static void warn_about(const lil_static_result *r)
{
    if (r->stability == LIL_UNSTABLE)
        fprintf(stderr, "lilyan: warning: the equilibrium is unstable: some small motion lowers the energy\n");
}

static int solve_and_print(lil_context *ctx, const task_options *o, const lil_static_def *def, const char *path,
                           lil_run *run)
{
    lil_static_result result = { 0 };
    lil_status status = lil_run_solve_static(run, def, &result);
    cli_clear_line();
    int code = status == LIL_OK ? EXIT_FINE : status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_FAILED;
    if (code == EXIT_INTERRUPTED)
        fprintf(stderr, "lilyan: interrupted\n");
    else if (code == EXIT_FAILED)
        cli_failed(ctx);
    if (o->json && code != EXIT_INTERRUPTED)
        print_static_json(o, path, &result, code == EXIT_FINE, ctx);
    else if (code == EXIT_FINE)
        print_static(o, &result);
    if (code == EXIT_FINE)
        warn_about(&result);
    return code;
}

static int solve(lil_context *ctx, int argc, char **argv)
{
    static const char *const own[] = { "--time", "--steps", NULL };
    task_options o = { .command = &cli_solve };
    lil_static_def def = lil_static_def_default();
    lil_run *run = NULL;
    char *path = NULL, *end;
    int code = task_parse(argc, argv, own, &o);
    if (code != EXIT_FINE)
        return code;
    if (!o.is_static)
        return cli_usage(&cli_solve, "what for? --static solves for equilibrium");
    if (o.time && (def.time = strtod(o.time, &end), *end || !isfinite(def.time)))
        return cli_usage(&cli_solve, "--time needs a number of seconds, not '%s'", o.time);
    if (o.steps && !task_whole(o.steps, 1, 100000, &def.steps))
        return cli_usage(&cli_solve, "--steps needs a whole number from 1 to 100000, not '%s'", o.steps);
    code = task_open(ctx, argc, argv, &o, LIL_TASK_STATIC, "static", &run, &path);
    if (code == EXIT_FINE)
        code = solve_and_print(ctx, &o, &def, path, run);
    code = task_close(ctx, &o, path, code, &run);
    free(path);
    return code;
}

const cli_command cli_solve = { "solve", "the equilibrium of a scene: statics", help, solve, NULL };
