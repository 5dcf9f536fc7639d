/* Several runs side by side, one line each; the lines are a table in Markdown too. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME,
    METHOD,
    STEPS,
    SECONDS,
    COST,
    ITERATIONS,
    START,
    END,
    BAND,
    DRIFT,
    LINEAR,
    ANGULAR,
    OFF,
    HALVED,
    STATUS,
    COLUMNS
};
enum { CELL = 64 };

typedef struct line {
    char cell[COLUMNS][CELL];
} line;

struct cli_table {
    int count, room;
    line *lines;
};

static const char *const titles[COLUMNS] = {
    [NAME] = "run",   [METHOD] = "method",         [STEPS] = "steps",     [SECONDS] = "time, s",
    [COST] = "cost",  [ITERATIONS] = "iterations", [START] = "energy, J", [END] = "at the end",
    [BAND] = "band",  [DRIFT] = "drift",           [LINEAR] = "P drift",  [ANGULAR] = "L drift",
    [OFF] = "off by", [HALVED] = "halved",         [STATUS] = "ended",
};

static void real(char cell[CELL], const char *format, double x)
{
    if (isfinite(x))
        snprintf(cell, CELL, format, x);
    else
        snprintf(cell, CELL, "-");
}

bool cli_table_add(cli_table **table, const cli_row *row)
{
    cli_table *t = *table ? *table : calloc(1, sizeof *t);
    if (!t)
        return false;
    *table = t;
    if (t->count == t->room) {
        int room = 2 * t->room + 8;
        line *lines = realloc(t->lines, (size_t)room * sizeof *lines);
        if (!lines)
            return false;
        t->lines = lines;
        t->room = room;
    }
    const lil_certificate *c = &row->certificate;
    line *l = &t->lines[t->count++];
    snprintf(l->cell[NAME], CELL, "%.60s", row->name);
    snprintf(l->cell[METHOD], CELL, "%.60s", row->method);
    real(l->cell[STEPS], "%.0f", row->steps);
    real(l->cell[SECONDS], "%.3g", row->seconds);
    real(l->cell[COST], "%.6g", row->cost);
    real(l->cell[ITERATIONS], "%.0f", row->iterations);
    real(l->cell[START], "%.6g", c->energy_initial);
    real(l->cell[END], "%.6g", c->energy_final);
    real(l->cell[BAND], "%.1e", c->energy_band);
    real(l->cell[DRIFT], "%.1e", c->energy_drift);
    real(l->cell[LINEAR], "%.1e", c->linear_momentum_drift);
    real(l->cell[ANGULAR], "%.1e", c->angular_momentum_drift);
    real(l->cell[OFF], "%.1e", c->constraint_max);
    real(l->cell[HALVED], "%.0f", c->halved_steps);
    snprintf(l->cell[STATUS], CELL, "%.60s", row->ended);
    return true;
}

/* Does the column say anything? Not the names of methods after which runs are called. */
static bool is_wanted(const cli_table *t, int column)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->lines[i].cell[column], column == METHOD ? t->lines[i].cell[NAME] : "-") != 0)
            return true;
    return false;
}

static int width(const cli_table *t, int column)
{
    size_t most = strlen(titles[column]);
    for (int i = 0; i < t->count; i++)
        most = strlen(t->lines[i].cell[column]) > most ? strlen(t->lines[i].cell[column]) : most;
    return (int)most;
}

static bool is_text(int column)
{
    return column == NAME || column == METHOD || column == STATUS;
}

void cli_table_print(cli_table **table)
{
    enum { TITLES = -2, RULE };
    static const char dashes[CELL + 1] = "----------------------------------------------------------------";
    const cli_table *t = *table;
    for (int i = TITLES; t && i < t->count; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            int w = width(t, k);
            if (!is_wanted(t, k))
                continue;
            if (i == RULE)
                printf("|%.*s%s", w + 1, dashes, is_text(k) ? "-" : ":");
            else
                printf("| %*s ", is_text(k) ? -w : w, i == TITLES ? titles[k] : t->lines[i].cell[k]);
        }
        printf("|\n");
    }
    if (t)
        free((*table)->lines);
    free(*table);
    *table = NULL;
}
