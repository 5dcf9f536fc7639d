#include "report.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

table table_new(const char *name, const char *const *heads)
{
    table t = { .name = name, .left = 1 };
    for (; heads[t.columns] && t.columns < TABLE_COLUMNS_MAX; t.columns++)
        t.heads[t.columns] = heads[t.columns];
    return t;
}

/* the first cell that is still empty; what does not fit is dropped */
static char *next(table *t)
{
    for (int c = 0; t->rows > 0 && c < t->columns; c++)
        if (!t->cells[t->rows - 1][c][0])
            return t->cells[t->rows - 1][c];
    static char spare[TABLE_CELL_MAX];
    return t->rows < TABLE_ROWS_MAX ? t->cells[t->rows++][0] : spare;
}

void table_cell(table *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(next(t), TABLE_CELL_MAX, format, args);
    va_end(args);
}

void table_number(table *t, const char *format, double x)
{
    if (isnan(x))
        table_cell(t, "-");
    else
        snprintf(next(t), TABLE_CELL_MAX, format, x);
}

/* ---- for a terminal ---- */

static int width_of(const table *t, int c)
{
    size_t width = strlen(t->heads[c]);
    for (int r = 0; r < t->rows; r++)
        width = strlen(t->cells[r][c]) > width ? strlen(t->cells[r][c]) : width;
    return (int)width;
}

static void print_row(const table *t, int r, FILE *file)
{
    for (int c = 0; c < t->columns; c++) {
        const char *text = r < 0 ? t->heads[c] : t->cells[r][c];
        bool left = c < t->left;
        int width = left && c == t->columns - 1 ? 0 : width_of(t, c);
        fprintf(file, "  %*s", left ? -width : width, text);
    }
    fputc('\n', file);
}

void table_print(const table *t, FILE *file)
{
    fprintf(file, "\n%s\n\n", t->title);
    for (int r = -1; r < t->rows; r++)
        print_row(t, r, file);
    fflush(file);
}

/* ---- for docs/ ---- */

void table_markdown(const table *t, FILE *file)
{
    fprintf(file, "%s\n\n", t->title);
    for (int r = -1; r < t->rows; r++) {
        for (int c = 0; c < t->columns; c++)
            fprintf(file, "| %s ", r < 0 ? t->heads[c] : t->cells[r][c]);
        fputs("|\n", file);
        for (int c = 0; r < 0 && c < t->columns; c++)
            fputs(c < t->left ? "|---" : "|---:", file);
        fputs(r < 0 ? "|\n" : "", file);
    }
    fputc('\n', file);
}

/* ---- for programs ---- */

static void json_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if (!iscntrl((unsigned char)*text))
            fputc(*text, file);
    }
    fputc('"', file);
}

static void json_cell(const char *cell, FILE *file)
{
    char *end;
    double x = strtod(cell, &end);
    if (strcmp(cell, "-") == 0)
        fputs("null", file);
    else if (end != cell && !*end && isfinite(x))
        fprintf(file, "%.17g", x);
    else
        json_text(cell, file);
}

void table_json(const table *t, FILE *file)
{
    fputs("{\"name\": ", file);
    json_text(t->name, file);
    fputs(", \"title\": ", file);
    json_text(t->title, file);
    fputs(", \"rows\": [", file);
    for (int r = 0; r < t->rows; r++) {
        fputs(r > 0 ? ",\n  {" : "\n  {", file);
        for (int c = 0; c < t->columns; c++) {
            fputs(c > 0 ? ", " : "", file);
            json_text(t->heads[c], file);
            fputs(": ", file);
            json_cell(t->cells[r][c], file);
        }
        fputc('}', file);
    }
    fputs("]}", file);
}
