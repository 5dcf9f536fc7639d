/* Shared by the checks and copies of defs. */
#include "world/def.h"

#include "expr/name.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

lil_status lil_world_copy_name(lil_world *w, const char *what, const char *name, const char **out)
{
    const char *article = strchr("aeiou", what[0]) ? "an" : "a";
    if (!name)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "%s %s needs a name", article, what);
    if (!lil_name_is_valid(name))
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' cannot name %s %s: names are letters, digits and _", name,
                        article, what);
    if (lil_name_is_reserved(name) || strcmp(name, "anchor") == 0) /* an anchor is the end of a spring in space */
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'%s' is reserved and cannot name %s %s", name, article, what);
    *out = lil_arena_copy(&w->arena, name, strlen(name));
    return *out ? LIL_OK : lil_fail_memory(w->ctx);
}

/* ---- vectors that vary ---- */

typedef struct given {
    lil_vector_fn *fn;
    void *user;
} given;

static bool call_value(void *user, double t, const double *x, double *out)
{
    const given *g = user;
    return g->fn(g->user, t, x, out, NULL);
}

static bool call_rates(void *user, double t, const double *x, double *out)
{
    const given *g = user;
    return g->fn(g->user, t, x, out, out + 3);
}

/* dw_i/dx_j by central differences, about a place of size 1 or more */
static bool call_slopes(void *user, double t, const double *x, double *out)
{
    const given *g = user;
    if (!g->fn(g->user, t, x, out, NULL))
        return false;
    for (int j = 0; j < 3; j++) {
        double y[3] = { x[0], x[1], x[2] }, low[3], high[3], e = 6e-6 * fmax(1, fabs(x[j]));
        y[j] = x[j] - e;
        bool there = g->fn(g->user, t, y, low, NULL);
        y[j] = x[j] + e;
        if (!there || !g->fn(g->user, t, y, high, NULL))
            return false;
        for (int i = 0; i < 3; i++)
            out[3 + 3 * i + j] = (high[i] - low[i]) / (2 * e);
    }
    return true;
}

lil_status lil_world_program(lil_world *w, const char *owner, const char *what, const lil_vector_def *def,
                             const lil_texts_def *texts, lil_program *program)
{
    lil_scope none = { 0 }, scope;
    const lil_source *sources[3];
    int wrong;
    LIL_WORLD_NEED(w, def, what);
    if (def->fn) {
        given *g = LIL_NEW(&w->arena, given, 1);
        const char *name = lil_arena_format(&w->arena, "'%s' of '%.60s'", what, owner);
        LIL_HAVE(w->ctx, g && name);
        *g = (given){ def->fn, def->user };
        *program = lil_program_of(texts->slopes  ? call_slopes
                                  : texts->rates ? call_rates
                                                 : call_value,
                                  g, name, 3,
                                  texts->slopes  ? 12
                                  : texts->rates ? 6
                                                 : 3);
        return LIL_OK;
    }
    for (int d = 0; d < 3; d++) {
        if (!def->text[d])
            return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "'%s' needs a callback or three expressions", what);
        lil_source source = { .text = def->text[d], .what = what };
        LIL_HAVE(w->ctx, sources[d] = lil_source_copy(&w->arena, &source));
    }
    LIL_TRY(lil_texts_scope(w->ctx, &w->arena, &none, texts, &scope));
    return lil_texts_compile(w->ctx, &w->arena, &scope, sources, texts, program, &wrong);
}
