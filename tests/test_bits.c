/*
 * Every scene of scenes/, all variants, a few steps of each: hashes of the final state and of the certificate against those in
 * tests/bits.txt. A change that should change no result changes no line there; after one that should,
 *
 *     make bits        (or build/tests/test_bits --write)
 *
 * writes the table again, and its diff shows which scenes the change concerns.
 *
 * Compilers, -O levels, thread counts and instruction sets do not change bits (no contraction, no -ffast-math); libm does, and glibc
 * chooses its functions by processor. So the table has a fingerprint of libm: where it is another one, the hashes of one thread are compared
 * with those of two instead, which must agree on every machine.
 */
#include "test.h"

#include <lilyan/shot.h>

#include <glob.h>
#include <inttypes.h>

enum { NAME_MAX_ = 96, ROWS_MAX = 512 };

typedef struct row {
    char scene[NAME_MAX_], variant[NAME_MAX_];
    int steps; /* taken */
    uint64_t state, certificate;
    double energy; /* to see how far off it is where bits differ */
} row;

typedef struct table {
    uint64_t libm;
    int count;
    row rows[ROWS_MAX];
} table;

static lil_context *ctx;
static table known, found;

/* ---- hashes: FNV-1a ---- */

static const uint64_t EMPTY = 0xcbf29ce484222325u;

static uint64_t add(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t add_number(uint64_t hash, double x)
{
    x = x == 0 ? 0 : x; /* -0 is 0 */
    return add(hash, &x, sizeof x);
}

/* A field that does not apply is left out, so that a new one changes only what it is about. */
static uint64_t add_named(uint64_t hash, const char *name, double x)
{
    return isnan(x) ? hash : add_number(add(hash, name, strlen(name)), x);
}

static uint64_t hash_state(const lil_state *x)
{
    uint64_t hash = add_number(EMPTY, x->t);
    for (int i = 0; i < x->n; i++)
        hash = add_number(hash, x->q[i]);
    for (int i = 0; i < x->n; i++)
        hash = add_number(hash, x->p[i]);
    return hash;
}

static uint64_t hash_certificate(lil_run *run)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    lil_observable o;
    lil_shot_result shot;
    uint64_t hash = EMPTY;
    for (int i = 0; i < count; i++)
        hash = add_named(hash, fields[i].name, *(const double *)((const char *)&c + fields[i].offset));
    for (int i = 0; lil_run_observable(run, i, &o); i++)
        hash = add_named(add_named(add_named(hash, o.name, o.last), "min", o.min), "max", o.max);
    if (lil_run_shot(run, &shot))
        hash = add_named(add_named(hash, "cost", shot.cost), "ghost", shot.ghost_force_max);
    return hash;
}

/* What libm gives for the functions that expressions, meshes and solvers call. */
static uint64_t hash_libm(void)
{
    double (*const volatile one[])(double) = { sin,  cos, tan, asin, acos, atan,  sinh, cosh,
                                               tanh, exp, log, log2, cbrt, expm1, log1p };
    double (*const volatile two[])(double, double) = { pow, atan2, hypot };
    uint64_t hash = EMPTY;
    for (int i = 1; i < 500; i++) {
        double x = i / 503.0;
        for (size_t k = 0; k < sizeof one / sizeof one[0]; k++)
            hash = add_number(hash, one[k](k == 9 ? 40 * x : x));
        for (size_t k = 0; k < sizeof two / sizeof two[0]; k++)
            hash = add_number(hash, two[k](x, 7 * x - 3));
    }
    return hash;
}

/* ---- runs ---- */

/* Many steps of what is small, few of what is large. */
static int steps_for(int n)
{
    return n <= 30 ? 400 : n <= 300 ? 60 : n <= 3000 ? 12 : 3;
}

/* A shot ends after so many iterations. */
static bool watch(void *user, int level, int iteration, double cost)
{
    enum { ITERATIONS = 2 };
    (void)user, (void)cost;
    return level < 0 || iteration < ITERATIONS;
}

/* Of a scene: nothing, three steps of its base whose bits are not looked at, its base, all of it. */
typedef enum amount { NONE, THREE_STEPS, BASE, VARIANTS } amount;

static void run_one(const lil_scene *scene, const char *name, const char *variant, amount much)
{
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    def.variant = variant;
    def.watch = watch;
    lil_status status = lil_run_create(ctx, scene, &def, &run);
    CHECK(status == LIL_OK && found.count < ROWS_MAX);
    if (status != LIL_OK || found.count == ROWS_MAX) {
        printf("%s: %s\n", name, lil_context_message(ctx));
        lil_run_destroy(&run);
        return;
    }
    row *r = &found.rows[found.count++];
    *r = (row){ 0 };
    snprintf(r->scene, sizeof r->scene, "%s", name);
    snprintf(r->variant, sizeof r->variant, "%s", variant ? variant : "-");
    int steps = much == THREE_STEPS ? 3 : steps_for(lil_model_size(lil_run_model(run)));
    lil_run_advance(run, steps); /* one that fails ends with the same bits too */
    r->steps = (int)lil_run_steps_done(run);
    r->state = hash_state(lil_sim_state(lil_run_sim(run)));
    r->certificate = hash_certificate(run);
    r->energy = lil_sim_energy(lil_run_sim(run));
    found.count -= much == THREE_STEPS;
    lil_run_destroy(&run);
}

/* Scenes of the command line; without them all. */
static char **only;

static bool is_named(const char *name)
{
    for (char **each = only; each && *each; each++)
        if (strcmp(name, *each) == 0)
            return true;
    return !only;
}

static const row *find(const table *in, const char *scene, const char *variant)
{
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->rows[i].scene, scene) == 0 && strcmp(in->rows[i].variant, variant) == 0)
            return &in->rows[i];
    return NULL;
}

/* Not what has to be downloaded. At small sizes, of scenes with bodies or key frames the base of those that are not large; the
 * steps in the table say how large a scene is. */
static amount how_much(const char *path, const char *name)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    if (strstr(text, "scripts/get-") || !is_named(name))
        return NONE;
    if (!test_small() || (!strstr(text, "\nbodies:") && !strstr(text, "\nkeys:") && !strstr(text, "\nstrands:")))
        return VARIANTS;
    const row *before = find(&known, name, "-");
    int steps = before && !strstr(text, "surface:") ? before->steps : 0;
    return steps >= 48 ? BASE : steps >= 12 ? THREE_STEPS : NONE;
}

static void run_all(const char *folder)
{
    char pattern[1024];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/scenes/*.yaml", folder);
    found.count = 0;
    found.libm = hash_libm();
    CHECK(glob(pattern, 0, NULL, &files) == 0 && files.gl_pathc > 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i], *slash = strrchr(path, '/');
        char name[NAME_MAX_];
        lil_scene *scene = NULL;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
        amount much = how_much(path, name);
        if (much == NONE)
            continue;
        CHECK(lil_scene_load(ctx, path, &scene) == LIL_OK);
        if (!scene)
            continue;
        run_one(scene, name, NULL, much);
        for (int k = 0; k < lil_scene_variant_count(scene) && much == VARIANTS; k++)
            run_one(scene, name, lil_scene_variant(scene, k), much);
        lil_scene_destroy(&scene);
    }
    globfree(&files);
}

/* ---- the table ---- */

static bool read_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool ok = file && fgets(line, sizeof line, file) && sscanf(line, "libm %" SCNx64, &known.libm) == 1;
    while (ok && fgets(line, sizeof line, file) && known.count < ROWS_MAX) {
        row *r = &known.rows[known.count];
        if (sscanf(line, "%95s %95s %d %" SCNx64 " %" SCNx64 " %lf", r->scene, r->variant, &r->steps, &r->state,
                   &r->certificate, &r->energy) == 6)
            known.count++;
    }
    if (file)
        fclose(file);
    return ok;
}

static void write_table(FILE *file)
{
    fprintf(file,
            "libm %016" PRIx64 "\n# scene, variant, steps, hash of t q p, hash of the certificate, energy (J)\n",
            found.libm);
    for (int i = 0; i < found.count; i++) {
        const row *r = &found.rows[i];
        fprintf(file, "%s %s %d %016" PRIx64 " %016" PRIx64 " %.17g\n", r->scene, r->variant, r->steps, r->state,
                r->certificate, r->energy);
    }
}

static void compare(const table *is, const table *was)
{
    for (int i = 0; i < is->count; i++) {
        const row *now = &is->rows[i], *then = find(was, now->scene, now->variant);
        const char *what = !then                                   ? "is not in the table"
                           : then->steps != now->steps             ? "takes other steps"
                           : then->state != now->state             ? "has another final state"
                           : then->certificate != now->certificate ? "has another certificate"
                                                                   : NULL;
        if (!what)
            continue;
        test_failures++;
        printf("%s %s %s: energy %.17g J, was %.17g J\n", now->scene, now->variant, what, now->energy,
               then ? then->energy : NAN);
    }
}

static const char *source;

TEST(the_bits_of_every_scene)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/bits.txt", source);
    CHECK(read_table(path) && known.count > 0);
    if (known.libm == hash_libm()) {
        run_all(source);
        compare(&found, &known);
    } else {
        printf("the table is of another libm: one thread is compared with two\n");
        MUST(lil_context_set_threads(ctx, 1));
        run_all(source);
        known = found;
        MUST(lil_context_set_threads(ctx, 2));
        run_all(source);
        compare(&found, &known);
    }
    if (test_failures)
        printf("If results are meant to change: make bits\n");
}

int main(int argc, char **argv)
{
    char path[1024];
    source = getenv("LILYAN_SOURCE") ? getenv("LILYAN_SOURCE") : ".";
    ctx = lil_context_create();
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        snprintf(path, sizeof path, "%s/tests/bits.txt", source);
        run_all(source);
        FILE *file = fopen(path, "w");
        CHECK(file);
        if (file) {
            write_table(file);
            CHECK(fclose(file) == 0);
        }
        printf("wrote %s, %d rows\n", path, found.count);
    } else if (argc > 1 && strcmp(argv[1], "--print") == 0) { /* and names of scenes: for test_compilers.sh */
        only = argv + 2;
        run_all(source);
        CHECK(found.count > 0);
        write_table(stdout);
    } else {
        RUN(the_bits_of_every_scene);
    }
    lil_context_destroy(&ctx);
    return test_end();
}
