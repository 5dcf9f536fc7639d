#include "core/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *member(const lil_field *field, void *config)
{
    return (char *)config + field->offset;
}

void lil_fields_default(const lil_field *fields, int count, void *config)
{
    for (int i = 0; i < count; i++) {
        const lil_field *f = &fields[i];
        if (f->kind == LIL_REAL)
            *(double *)member(f, config) = f->preset;
        else if (f->kind == LIL_LIST)
            *(lil_list *)member(f, config) = (lil_list){ 0 };
        else if (f->kind == LIL_VECTOR)
            for (int d = 0; d < 3; d++)
                ((double *)member(f, config))[d] = f->preset;
        else if (f->kind == LIL_FLAG)
            *(bool *)member(f, config) = f->preset != 0;
        else if (f->kind == LIL_NAME)
            snprintf(((lil_name *)member(f, config))->text, LIL_NAME_MAX, "%s", f->choices[0]);
        else
            *(int *)member(f, config) = (int)f->preset;
    }
}

bool lil_field_is_word(const lil_field *f)
{
    return f->kind == LIL_CHOICE || f->kind == LIL_NAME || f->kind == LIL_FLAG;
}

const lil_field *lil_field_find(const lil_field *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static lil_status check_number(lil_context *ctx, const lil_field *f, double x)
{
    if (!isfinite(x))
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be a finite number, not %g", f->name, x);
    if (x < f->least && f->least > 0 && f->least < 1e-100)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be positive, not %.9g", f->name, x);
    if (x < f->least || x > f->most) {
        if (f->most >= 1e300 && x < f->least) /* no limit that anyone meets */
            return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be at least %g, not %.9g", f->name, f->least, x);
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be between %g and %g, not %.9g", f->name, f->least, f->most,
                        x);
    }
    if (f->kind == LIL_INTEGER && x != floor(x))
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be a whole number, not %.9g", f->name, x);
    return LIL_OK;
}

lil_status lil_field_set_numbers(lil_context *ctx, const lil_field *f, void *config, const double *x, int n)
{
    if (lil_field_is_word(f))
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be a name, not a number", f->name);
    if (f->kind == LIL_VECTOR && n != 3)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must have 3 numbers, not %d", f->name, n);
    if (f->kind != LIL_LIST && f->kind != LIL_VECTOR && n != 1)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be one number, not a list", f->name);
    if (n > LIL_LIST_MAX)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' may have at most %d numbers, not %d", f->name, LIL_LIST_MAX, n);
    for (int i = 0; i < n; i++)
        LIL_TRY(check_number(ctx, f, x[i]));
    if (f->kind == LIL_REAL)
        *(double *)member(f, config) = x[0];
    else if (f->kind == LIL_INTEGER)
        *(int *)member(f, config) = (int)x[0];
    else if (f->kind == LIL_VECTOR)
        memcpy(member(f, config), x, 3 * sizeof *x);
    else {
        lil_list *list = member(f, config);
        list->n = n;
        memcpy(list->x, x, (size_t)n * sizeof *x);
    }
    return LIL_OK;
}

static lil_status check_field(lil_context *ctx, const lil_field *f, const void *config)
{
    const void *at = (const char *)config + f->offset;
    const lil_list *list = f->kind == LIL_LIST ? at : NULL;
    double x = f->kind == LIL_REAL ? *(const double *)at : f->kind == LIL_INTEGER ? *(const int *)at : f->preset;
    for (int i = 0; list && i < list->n && i < LIL_LIST_MAX; i++)
        LIL_TRY(check_number(ctx, f, list->x[i]));
    return x == f->preset || (isnan(x) && isnan(f->preset)) ? LIL_OK : check_number(ctx, f, x);
}

lil_status lil_fields_check(lil_context *ctx, const lil_field *fields, int count, const void *config)
{
    for (int i = 0; i < count; i++)
        LIL_TRY(check_field(ctx, &fields[i], config));
    return LIL_OK;
}

lil_status lil_field_set_choice(lil_context *ctx, const lil_field *f, void *config, const char *name)
{
    if (f->kind == LIL_NAME) {
        if (!name[0] || strlen(name) >= LIL_NAME_MAX)
            return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be a name, not '%.60s'", f->name, name);
        snprintf(((lil_name *)member(f, config))->text, LIL_NAME_MAX, "%s", name);
        return LIL_OK;
    }
    if (f->kind == LIL_FLAG) {
        bool yes = *(bool *)member(f, config) = strcmp(name, "true") == 0;
        return yes || strcmp(name, "false") == 0
                   ? LIL_OK
                   : lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be true or false, not '%.60s'", f->name, name);
    }
    char all[LIL_MESSAGE_MAX] = "";
    size_t used = 0;
    int count = 0;
    for (; f->choices[count]; count++) {
        if (strcmp(f->choices[count], name) == 0) {
            *(int *)member(f, config) = count;
            return LIL_OK;
        }
        int wrote = snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", f->choices[count]);
        used = wrote > 0 && used + (size_t)wrote < sizeof all ? used + (size_t)wrote : sizeof all - 1;
    }
    return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be one of %s, not '%.60s'", f->name, all, name);
}

/* value of one "name=value" pair, numbers separated by commas */
static lil_status parse_value(lil_context *ctx, const lil_field *f, void *config, const char *text)
{
    if (lil_field_is_word(f))
        return lil_field_set_choice(ctx, f, config, text);
    double x[LIL_LIST_MAX];
    int n = 0;
    for (const char *at = text;; at++) {
        char *end;
        if (n == LIL_LIST_MAX)
            return lil_fail(ctx, LIL_ERR_INPUT, "'%s' may have at most %d numbers", f->name, LIL_LIST_MAX);
        x[n++] = lil_number(ctx, at, &end);
        if (end == at || (*end && *end != ','))
            return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must be a number, not '%.60s'", f->name, text);
        at = end;
        if (!*at)
            break;
    }
    return lil_field_set_numbers(ctx, f, config, x, n);
}

static lil_status fail_unknown(lil_context *ctx, const lil_field *fields, int count, const char *name)
{
    enum { NAMES = 32 };
    char hint[LIL_MESSAGE_MAX / 2];
    const char *names[NAMES];
    int known = count < NAMES ? count : NAMES;
    for (int i = 0; i < known; i++)
        names[i] = fields[i].name;
    const char *near = known ? lil_nearest(name, names, known, sizeof *names) : NULL;
    return lil_fail(ctx, LIL_ERR_INPUT, "unknown option '%s'%s", name,
                    !known ? ": there are none here"
                    : near ? lil_hint(near, hint)
                           : lil_hint_all(names, known, hint, sizeof hint));
}

lil_status lil_fields_parse(lil_context *ctx, const lil_field *fields, int count, void *config, const char *text)
{
    while (*text) {
        size_t space = strspn(text, " \t\n;"), length = strcspn(text + space, " \t\n;");
        text += space;
        if (!length)
            break;
        char pair[256];
        if (length >= sizeof pair)
            return lil_fail(ctx, LIL_ERR_INPUT, "option '%.40s...' is too long", text);
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        text += length;
        char *equals = strchr(pair, '=');
        if (!equals)
            return lil_fail(ctx, LIL_ERR_INPUT, "option '%s' is not of the form name=value", pair);
        *equals = 0;
        const lil_field *field = lil_field_find(fields, count, pair);
        if (!field)
            return fail_unknown(ctx, fields, count, pair);
        LIL_TRY(parse_value(ctx, field, config, equals + 1));
    }
    return LIL_OK;
}

/* Edit distance with adjacent transpositions (Damerau): 'yuong' is one slip away from 'young'. */
static int distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    int d[MAX + 1][MAX + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > MAX || n > MAX)
        return MAX;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

const char *lil_nearest(const char *word, const char *const *names, int count, size_t stride)
{
    const char *best = NULL;
    int least = (int)strlen(word) / 3 + 2; /* must be below it: a third of the word may be wrong, plus one */
    for (int i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)names + (size_t)i * stride);
        int d = distance(word, name);
        if (d < least && d < (int)strlen(name) && (d == 1 || 2 * d < (int)strlen(word))) {
            least = d;
            best = name;
        }
    }
    return best;
}

const char *lil_hint(const char *nearest, char out[LIL_HINT_MAX])
{
    out[0] = 0;
    if (nearest)
        snprintf(out, LIL_HINT_MAX, " (did you mean '%.60s'?)", nearest);
    return out;
}

const char *lil_hint_all(const char *const *names, int count, char *out, size_t size)
{
    enum { NAME = 64 };
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < count; i++) {
        if (used + NAME + 8 > size) {
            snprintf(out + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%.60s", i ? ", " : ": there are ", names[i]);
    }
    return out;
}
