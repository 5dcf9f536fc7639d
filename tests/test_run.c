/* A run and its Sim: whoever steps, every frame is recorded; finishing twice is harmless; what fails is said. */
#include "run/run.h"
#include "test.h"

#include <unistd.h>

static lil_context *ctx;
static const char *const OUTPUT = "test_run.h5";

/* midpoint of a pendulum: frames of any two runs that take the same steps are the same bits */
#define PENDULUM                                                                                                     \
    "lagrangian: 1/2*dx^2 + cos(x)\n"                                                                                \
    "start: {x: 1}\n"                                                                                                \
    "observe: {twice: 2*x}\n"                                                                                        \
    "integrator: midpoint\n"

static lil_status start(const char *text, const char *output, bool resume, lil_run **run)
{
    lil_scene *scene = NULL;
    lil_run_def def = lil_run_def_default();
    def.output = output;
    def.replace = output && !resume;
    def.resume = resume;
    *run = NULL;
    lil_status status = lil_scene_parse(ctx, "text", text, strlen(text), &scene);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, run);
    lil_scene_destroy(&scene);
    return status;
}

/* the trajectory as CSV, to be freed */
static char *recorded(char *status, size_t room)
{
    lil_trajectory *tr = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool ok = lil_trajectory_open(ctx, OUTPUT, &tr) == LIL_OK && lil_trajectory_write_csv(tr, 0, file) == LIL_OK;
    CHECK(ok);
    snprintf(status, room, "%s", ok ? lil_trajectory_status(tr) : "");
    lil_trajectory_destroy(&tr);
    fclose(file);
    return text;
}

static int lines(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* ---- who steps does not matter ---- */

typedef enum stepper { RUN_ALONE, SIM_IN_BETWEEN, SIM_ALONE } stepper;

static char *frames_by(stepper who, const char *text, char *status, size_t room)
{
    lil_run *run = NULL;
    CHECK(start(text, OUTPUT, false, &run) == LIL_OK);
    if (!run)
        return NULL;
    if (who == SIM_IN_BETWEEN) {
        CHECK(lil_run_advance(run, 3) == LIL_OK);
        for (int k = 0; k < 4; k++)
            CHECK(lil_sim_step(lil_run_sim(run)) == LIL_OK);
    }
    while (who == SIM_ALONE && !lil_run_complete(run))
        CHECK(lil_sim_step(lil_run_sim(run)) == LIL_OK);
    CHECK(lil_run_advance(run, 1000000) == LIL_OK);
    CHECK(lil_run_complete(run));
    CHECK(lil_run_finish(run) == LIL_OK);
    lil_run_destroy(&run);
    return recorded(status, room);
}

static void same_frames(const char *text, int frames)
{
    char status[300];
    char *alone = frames_by(RUN_ALONE, text, status, sizeof status);
    CHECK(alone && lines(alone) == 1 + frames && strcmp(status, "complete") == 0);
    for (stepper w = SIM_IN_BETWEEN; w <= SIM_ALONE; w++) {
        char *other = frames_by(w, text, status, sizeof status);
        CHECK(other && alone && strcmp(other, alone) == 0);
        CHECK(strcmp(status, "complete") == 0);
        free(other);
    }
    free(alone);
}

TEST(steps_of_the_sim_are_recorded)
{
    same_frames(PENDULUM "time: {step: 0.1, until: 2}\nrecord: {every: 1}\n", 21);
    same_frames(PENDULUM "time: {step: 0.1, until: 2}\nrecord: {every: 3}\n", 8); /* 0, 3 ... 18, and the end */
    same_frames(PENDULUM "time: {step: 0.01, until: 2}\nrecord: {fps: 30}\n", 61);
    same_frames(PENDULUM "time: {step: 0.1, until: 2}\nloop: {radius: 0.1, points: 5}\n", 21);
}

TEST(the_end_is_a_time_whatever_the_steps)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start(PENDULUM "time: {step: 0.1, until: 2}\nloop: {radius: 0.1, points: 16}\n", OUTPUT, false, &run));
    for (int k = 0; k < 27; k++) /* more than the 20 steps that 0.1 would take */
        MUST(lil_sim_advance(lil_run_sim(run), 0.01));
    CHECK(!lil_run_complete(run));
    MUST(lil_run_advance(run, 1000));
    CHECK(lil_run_complete(run));
    CHECK_NEAR(lil_sim_state(lil_run_sim(run))->t, 2, 0.05); /* 0.27 and a multiple of 0.1: within half a step */
    lil_observable area;
    CHECK(lil_run_observable(run, 1, &area) && strcmp(area.name, "area") == 0);
    /* midpoint is symplectic, so the loop keeps its area to what solving to 1e-12 leaves: it took the same steps */
    CHECK_BELOW(area.drift, 1e-9);
    MUST(lil_run_finish(run));
    lil_run_destroy(&run);
    char *text = recorded(status, sizeof status);
    CHECK(strcmp(status, "complete") == 0 && lines(text) == 1 + 1 + 27 + 17);
    free(text);
}

TEST(a_run_that_ends_before_its_time_is_not_complete)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start(PENDULUM "time: {step: 0.1, until: 2}\n", OUTPUT, false, &run));
    for (int k = 0; k < 20; k++) /* as many as a complete run takes, a tenth as long */
        MUST(lil_sim_advance(lil_run_sim(run), 0.01));
    CHECK(!lil_run_complete(run));
    MUST(lil_run_finish(run));
    lil_run_destroy(&run);
    free(recorded(status, sizeof status));
    CHECK(strcmp(status, "interrupted") == 0);
}

TEST(the_sim_of_a_shot_is_not_stepped)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start("lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 0}\nkeys: [{at: 0, q: [0]}, {at: 1, q: [1]}]\n"
               "shot: {frames: 8}\n",
               OUTPUT, false, &run));
    MUST(lil_run_advance(run, 2));
    lil_state before = *lil_sim_state(lil_run_sim(run));
    double x = before.q[0];
    CHECK(lil_sim_step(lil_run_sim(run)) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "cannot be stepped before the last key, at t = 1"));
    CHECK(lil_sim_state(lil_run_sim(run))->t == before.t && lil_sim_state(lil_run_sim(run))->q[0] == x);
    MUST(lil_run_advance(run, 100)); /* what was refused has changed nothing */
    MUST(lil_run_finish(run));
    lil_run_destroy(&run);
    free(recorded(status, sizeof status));
    CHECK(strcmp(status, "complete") == 0);
}

/* ---- finishing ---- */

TEST(finishing_twice_changes_nothing)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start(PENDULUM "time: {step: 0.1, until: 2}\n", OUTPUT, false, &run));
    MUST(lil_run_advance(run, 5));
    MUST(lil_run_finish(run));
    char *before = recorded(status, sizeof status);
    CHECK(strcmp(status, "interrupted") == 0 && lines(before) == 1 + 6);
    MUST(lil_run_finish(run));
    CHECK(lil_run_advance(run, 1) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "finished at t = 0.5"));
    MUST(lil_sim_step(lil_run_sim(run))); /* the Sim is the caller's to step, and nothing is recorded */
    MUST(lil_run_finish(run));
    char *after = recorded(status, sizeof status);
    CHECK(strcmp(status, "interrupted") == 0 && strcmp(before, after) == 0);
    lil_run_destroy(&run);
    free(before);
    free(after);

    MUST(start(PENDULUM "time: {step: 0.1, until: 2}\n", OUTPUT, true, &run)); /* and it can be resumed */
    MUST(lil_run_advance(run, 1000));
    MUST(lil_run_finish(run));
    MUST(lil_run_advance(run, 1)); /* nothing is left to do, as before */
    lil_run_destroy(&run);
    free(recorded(status, sizeof status));
    CHECK(strcmp(status, "complete") == 0);
}

/* log(0.95 - t) does not exist after t = 0.95: the frame at the end is the one that fails */
TEST(a_last_frame_that_fails_is_a_failure)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start(PENDULUM "draw: {points: {p: [x, \"log(0.95 - t)\", 0]}}\ntime: {step: 0.1, until: 1}\n"
                        "record: {every: 4}\n",
               OUTPUT, false, &run));
    MUST(lil_run_advance(run, 1000));
    CHECK(lil_run_finish(run) == LIL_ERR_NOT_FINITE);
    CHECK(strstr(lil_context_message(ctx), "logarithm"));
    lil_run_destroy(&run);
    char *text = recorded(status, sizeof status); /* what was recorded before is kept */
    CHECK(strncmp(status, "failed: ", 8) == 0 && lines(text) == 1 + 3);
    free(text);
}

/* All frames are there, and the file says why it is no solution: it is not left as if the run had been killed. */
TEST(a_shot_that_did_not_converge_is_kept_whole)
{
    lil_run *run = NULL;
    char status[300];
    MUST(start("lagrangian: 1/2*dx^2 + 9*cos(x)\nstart: {x: 0}\nshot: {frames: 40, method: global, iterations: 2}\n"
               "keys: [{at: 0, q: [0]}, {at: 1, q: [3]}, {at: 2, q: [-3]}]\n",
               OUTPUT, false, &run));
    MUST(lil_run_advance(run, 3));
    CHECK(lil_run_finish(run) == LIL_ERR_CONVERGENCE);
    CHECK(lil_run_finish(run) == LIL_OK); /* it was said, and the output is complete */
    lil_run_destroy(&run);
    char *text = recorded(status, sizeof status);
    CHECK(strncmp(status, "failed: the shot did not converge", 33) == 0 && lines(text) == 1 + 41);
    free(text);
}

/* ---- resuming nothing ---- */

static int warnings;
static char warning[1024];

static void log_warning(void *user, const char *sentence)
{
    (void)user;
    warnings++;
    snprintf(warning, sizeof warning, "%s", sentence);
}

TEST(resuming_nothing_starts_with_a_warning)
{
    lil_run *run = NULL;
    char part[64], status[300];
    snprintf(part, sizeof part, "%s.part", OUTPUT);
    lil_context_set_log(ctx, log_warning, NULL);
    for (int stale = 0; stale < 2; stale++) {
        remove(OUTPUT);
        FILE *file = stale ? fopen(part, "w") : NULL;
        if (file)
            fclose(file);
        warnings = 0;
        MUST(start(PENDULUM "time: {step: 0.1, until: 2}\n", OUTPUT, true, &run));
        CHECK(warnings == 1 && strstr(warning, "starts from the beginning") && strstr(warning, OUTPUT));
        CHECK(!stale == !strstr(warning, "killed before its first frame"));
        CHECK(access(part, F_OK) != 0);
        MUST(lil_run_advance(run, 1000));
        MUST(lil_run_finish(run));
        lil_run_destroy(&run);
        free(recorded(status, sizeof status));
        CHECK(strcmp(status, "complete") == 0);
    }
    lil_context_set_log(ctx, NULL, NULL);
}

/* ---- how many frames ---- */

/* 29,791 vertices: a frame has 2.1 MB, so 2 GB hold 932 of them, the first and the last included */
#define LARGE(more)                                                                                                  \
    "bodies: {b: {shape: {type: box, cells: [30, 30, 30]}, material: jelly}}\n"                                      \
    "integrator: stormer-verlet\ntime: {step: 1e-6, until: 0.01}\n" more

TEST(large_frames_are_fewer)
{
    static const struct {
        const char *text;
        double every; /* of 10,000 steps */
    } cases[] = {
        { PENDULUM "time: {step: 0.001, until: 10}\n", 6 }, /* 10000 / 1998 */
        { LARGE(""), 11 },                                  /* 10000 / 930 */
        { LARGE("record: {precision: float}\n"), 6 },       /* 10000 / 1862 */
        { LARGE("record: {what: [v]}\n"), 6 },
        { LARGE("record: {every: 3}\n"), 3 },
    };
    for (int k = 0; k < (test_small() ? 2 : 5); k++) {
        lil_run *run = NULL;
        MUST(start(cases[k].text, NULL, false, &run));
        CHECK(run->plan.settings.record.every == cases[k].every);
        lil_run_destroy(&run);
    }
}

TEST(fewer_frames_are_said)
{
    lil_run *run = NULL;
    warnings = 0;
    lil_context_set_log(ctx, log_warning, NULL);
    MUST(start(LARGE(""), OUTPUT, false, &run));
    CHECK(warnings == 1 && strstr(warning, "932") && strstr(warning, "'record: {fps: N}'"));
    lil_run_destroy(&run);
    lil_context_set_log(ctx, NULL, NULL);
    remove(OUTPUT);
}

int main(void)
{
    char folder[] = "/tmp/test_run.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return EXIT_FAILURE;
    ctx = lil_context_create();
    RUN(steps_of_the_sim_are_recorded);
    RUN(the_end_is_a_time_whatever_the_steps);
    RUN(a_run_that_ends_before_its_time_is_not_complete);
    RUN(the_sim_of_a_shot_is_not_stepped);
    RUN(finishing_twice_changes_nothing);
    RUN(a_last_frame_that_fails_is_a_failure);
    RUN(a_shot_that_did_not_converge_is_kept_whole);
    RUN(resuming_nothing_starts_with_a_warning);
    RUN(large_frames_are_fewer);
    RUN_RELEASE(fewer_frames_are_said);
    lil_context_destroy(&ctx);
    remove(OUTPUT);
    if (chdir("/") != 0 || rmdir(folder) != 0)
        printf("%s stays behind\n", folder);
    return test_end();
}
