/*
 * Section 5.4 of the paper: is a step found faster by minimising the Lilyan or by finding the root of its gradient? PETSc's SNES
 * and TAO (where it is installed) and our own solvers, on the same steps of scenes/twisted-bar.yaml with the same kernels, and
 * on those of scenes/violent.yaml; then how our cost grows with the body. Run it from the repository's folder.
 */
#include "table/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const bench_size bench_sizes[SIZES] = { { "2K", { 16, 5, 5 } },
                                        { "12.5K", { 32, 9, 9 } },
                                        { "24K", { 40, 11, 11 } },
                                        { "100K", { 69, 17, 17 } },
                                        { "400K", { 110, 27, 27 } } };

static const char usage[] =
    "usage: bench_table [--help]\n"
    "\n"
    "Compares Lilyan with PETSc on scenes/twisted-bar.yaml and scenes/violent.yaml. Writes tables to stdout, and\n"
    "table.json and table.md beside itself. The environment says how much of it:\n"
    "\n"
    "  BENCH_PARTS    compare,violent,growth  which of these (default: all)\n"
    "  BENCH_SIZES    2K,12.5K,24K,100K,400K  which of these (default: all; PETSc goes to 100K)\n"
    "  BENCH_REPEATS  7                       interleaved repeats, at most 64\n"
    "  BENCH_STEPS    20                      steps from the start in each\n"
    "  BENCH_BUDGET   5                       seconds for one method of PETSc at one size (twice as many for a\n"
    "                                         single go), three times as many for ours: slow ones are repeated\n"
    "                                         less often, or make fewer steps, and the tables say so\n";

int bench_tets(const bench_size *size)
{
    return 5 * size->cells[0] * size->cells[1] * size->cells[2];
}

void bench_show(bench *b, const table *t, bool publish)
{
    table_print(t, stdout);
    if (b->table_count == TABLES_MAX)
        return;
    b->published[b->table_count] = publish;
    b->tables[b->table_count++] = *t;
}

void bench_complain(bench *b, const char *what)
{
    fprintf(stderr, "bench_table: %s: %s\n", what, lil_context_message(b->ctx));
    b->failed = true;
}

bool bench_affordable(const bench *b, double ms, const bench_size *from, const bench_size *to)
{
    double ratio = (double)bench_tets(to) / bench_tets(from);
    return !(1e-3 * ms * ratio * ratio > 4 * b->budget);
}

/* ---- what is wanted ---- */

/* Is the word in the list of an environment variable? Where there is none, it is. */
static bool listed(const char *variable, const char *word)
{
    const char *at = getenv(variable);
    size_t length = strlen(word);
    if (!at || !*at)
        return true;
    for (; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static double number(const char *variable, double preset, double least, double most)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return preset;
    double x = strtod(text, &end);
    if (*end || !(x >= least && x <= most)) {
        fprintf(stderr, "bench_table: %s must be between %g and %g, not '%s'\n", variable, least, most, text);
        exit(EXIT_FAILURE);
    }
    return x;
}

static void configure(bench *b)
{
    b->repeats = (int)number("BENCH_REPEATS", 7, 1, REPEATS_MAX);
    b->steps = (int)number("BENCH_STEPS", 20, 1, 10000);
    b->budget = number("BENCH_BUDGET", 5, 1e-3, 1e6);
    bool any = false;
    for (int i = 0; i < SIZES; i++)
        any = (b->wanted[i] = listed("BENCH_SIZES", bench_sizes[i].name)) || any;
    if (!any) {
        fprintf(stderr, "bench_table: BENCH_SIZES has no size that there is: see --help\n");
        exit(EXIT_FAILURE);
    }
}

/* ---- what comes out ---- */

static void processor(char *name, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "an unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            value[strcspn(value, "\n")] = '\0';
            snprintf(name, size, "%s", value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

static FILE *open_beside(const bench *b, const char *name)
{
    char path[4096];
    const char *slash = strrchr(b->program, '/');
    int folder = slash ? (int)(slash - b->program) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, b->program, name);
    FILE *file = fopen(path, "w");
    if (file)
        printf("wrote %s\n", path);
    else
        fprintf(stderr, "bench_table: cannot write %s\n", path);
    return file;
}

static bool write_json(const bench *b, const char *cpu)
{
    FILE *json = open_beside(b, "table.json");
    if (json) {
        fprintf(json, "{\"bench\": \"table\", \"lilyan\": \"%s\", \"petsc\": ", lil_version());
        fprintf(json, b->petsc ? "\"%s\"" : "null", petsc_version());
        fprintf(json, ", \"processor\": \"%s\", \"processors\": %ld, \"tables\": [", cpu,
                sysconf(_SC_NPROCESSORS_ONLN));
        for (int i = 0; i < b->table_count; i++) {
            fputs(i > 0 ? ",\n" : "\n", json);
            table_json(&b->tables[i], json);
        }
        fputs("]}\n", json);
        fclose(json);
    }
    return json != NULL;
}

/* Is it what docs/benchmarks.md has? */
static bool complete(const bench *b)
{
    bool all = b->petsc && !b->failed && b->repeats >= 7 && b->steps >= 20 && listed("BENCH_PARTS", "compare") &&
               listed("BENCH_PARTS", "violent") && listed("BENCH_PARTS", "growth");
    for (int i = 0; i < SIZES; i++)
        all = all && b->wanted[i];
    return all;
}

static bool write_page(const bench *b, const char *cpu)
{
    FILE *page = open_beside(b, "table.md");
    if (page) {
        fprintf(page, "<!-- %s run of bench_table -->\n", complete(b) ? "a complete" : "part of a");
        fprintf(page, "Lilyan %s", lil_version());
        fprintf(page, b->petsc ? ", PETSc %s" : ", without PETSc%s", petsc_version());
        fprintf(page, ", %ld processors (%s).\n\n", sysconf(_SC_NPROCESSORS_ONLN), cpu);
        for (int i = 0; i < b->table_count; i++)
            if (b->published[i])
                table_markdown(&b->tables[i], page);
        fclose(page);
    }
    return page != NULL;
}

static bool write_files(const bench *b)
{
    char cpu[256];
    processor(cpu, sizeof cpu);
    putchar('\n');
    bool json = write_json(b, cpu), page = write_page(b, cpu);
    return json && page;
}

/* A BLAS that starts threads by itself would be no comparison on one: it looks at this when it is loaded. */
static void one_thread_blas(char **argv)
{
    if (getenv("OPENBLAS_NUM_THREADS"))
        return;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc == 3 && strcmp(argv[1], "--memory") == 0)
        return growth_memory(argv[2]);
    if (argc > 1) {
        bool help = strcmp(argv[1], "--help") == 0;
        fputs(usage, help ? stdout : stderr);
        return help ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    one_thread_blas(argv);
    b.program = argv[0];
    configure(&b);
    b.ctx = lil_context_create();
    b.petsc = petsc_begin();
    if (!b.petsc)
        printf("PETSc is not installed (Debian: petsc-dev), so Lilyan stands here alone.\n");
    if (listed("BENCH_PARTS", "compare"))
        part_compare(&b);
    if (listed("BENCH_PARTS", "violent"))
        part_violent(&b);
    if (listed("BENCH_PARTS", "growth"))
        part_growth(&b);
    bool ok = write_files(&b) && !b.failed;
    if (b.petsc)
        petsc_end();
    lil_context_destroy(&b.ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
