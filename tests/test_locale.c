/* A host program may have set a language with a decimal comma: scenes, meshes, JSON and CSV do not care. */
#include "problems.h"

#include <locale.h>
#include <unistd.h>

static lil_context *ctx;

/* a language with a decimal comma; made here if the system has none, in half a second */
static bool set_comma(void)
{
    bool set = setlocale(LC_ALL, "de_DE.UTF-8");
    if (!set) { /* made before it is asked for: what was not found once is not looked for again */
        bool made = system("localedef -i de_DE -f ISO-8859-1 ./de_DE >&2") == 0;
        setenv("LOCPATH", ".", 1);
        set = made && setlocale(LC_ALL, "de_DE");
    }
    return set && strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Numbers are separated by commas in what follows, so one too many is one number too many. */
static int commas(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

TEST(json_has_points)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*dx^2 - 0.5*x^2\nstart: {x: 1.5}\ntime: {step: 0.5, until: 2.5}\n");
    CHECK(lil_sim_state(lil_run_sim(run))->q[0] == 1.5);
    MUST(lil_run_advance(run, 5));
    const char *json = lil_run_json(run);
    CHECK(strstr(json, "\"time\": 2.5, "));
    CHECK(strcmp(localeconv()->decimal_point, ",") == 0); /* left as it was */
    lil_run_destroy(&run);
}

TEST(csv_has_points)
{
    static const char scene[] = "lagrangian: 1/2*dx^2 - 0.5*x^2\nstart: {x: 1.5}\ntime: {step: 0.5, until: 2.5}\n";
    lil_scene *parsed = NULL;
    lil_run *run = NULL;
    lil_trajectory *trajectory = NULL;
    lil_run_def def = { .output = "locale.h5", .replace = true };
    char line[512];
    MUST(lil_scene_parse(ctx, "scene", scene, strlen(scene), &parsed));
    MUST(lil_run_create(ctx, parsed, &def, &run));
    MUST(lil_run_advance(run, 5));
    MUST(lil_run_finish(run));
    MUST(lil_trajectory_open(ctx, "locale.h5", &trajectory));
    lil_export_def to = lil_export_def_default();
    to.path = "locale.csv";
    to.replace = true;
    MUST(lil_trajectory_export(trajectory, &to));
    FILE *file = fopen("locale.csv", "r");
    for (int k = 0; k < 7; k++)
        CHECK(file && fgets(line, sizeof line, file) &&
              commas(line) == 6); /* t, x, dx, p_x, two energies, iterations */
    if (file)
        fclose(file);
    lil_trajectory_destroy(&trajectory);
    lil_run_destroy(&run);
    lil_scene_destroy(&parsed);
}

TEST(meshes_have_points)
{
    static const char mesh[] =
        "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1.5 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "Tetrahedra 1\n1 2 3 4 0\n";
    char *text = NULL;
    int faults;
    FILE *file = fopen("locale.mesh", "w");
    CHECK(file && fputs(mesh, file) >= 0 && fclose(file) == 0);
    MUST(lil_mesh_report(ctx, "locale.mesh", &text, &faults));
    CHECK(faults == 0 && strstr(text, "volume       0.25 m^3"));
    free(text);
}

int main(void)
{
    char folder[] = "/tmp/lilyan-locale.XXXXXX", clean[64]; /* what is made here goes with it */
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return EXIT_FAILURE;
    if (!set_comma()) {
        printf("no language with a decimal comma\n");
        return 77;
    }
    ctx = lil_context_create();
    RUN(json_has_points);
    RUN(csv_has_points);
    RUN(meshes_have_points);
    lil_context_destroy(&ctx);
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    return system(clean) == 0 ? test_end() : EXIT_FAILURE;
}
