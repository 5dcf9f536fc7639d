#include "scene/system.h"

#include "expr/name.h"
#include "scene/bodies.h"
#include "scene/constraints.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { REFERENCES_MAX = 2000, COORDINATES_MAX = 1000 * 1000 };

/* ---- names ---- */

lil_status lil_check_name(lil_context *ctx, const lil_node *node, const char *what)
{
    const char *name = node->key;
    const char *article = strchr("aeiou", what[0]) ? "an" : "a";
    if (!lil_name_is_valid(name))
        return lil_node_fail_key(ctx, node, "'%.60s' cannot name %s %s: names are letters, digits and _%s", name,
                                 article, what,
                                 strpbrk(name, "()") ? " (an expression with commas inside { } must be quoted)"
                                 : strchr(name, ':') ? " (a space is missing after the colon)"
                                                     : "");
    if (lil_name_is_reserved(name))
        return lil_node_fail_key(ctx, node, "'%s' is reserved and cannot name %s %s", name, article, what);
    return LIL_OK;
}

/* [ ... ] or list(...) */
static bool is_list(const lil_node *node)
{
    return node->kind == LIL_NODE_LIST ||
           (node->kind == LIL_NODE_SCALAR && strncmp(node->text + strspn(node->text, " "), "list(", 5) == 0);
}

/* ---- parameters, which may refer to each other in any order ---- */

typedef enum progress { UNKNOWN, UNDER_WAY, KNOWN } progress;

typedef struct parameters {
    const lil_reader *rd;
    const lil_node **nodes;
    lil_symbol *symbols;
    progress *state;
    int count, depth;
    bool *wanted; /* by the text being scanned */
} parameters;

static lil_status visit(void *user, const char *name, int offset)
{
    parameters *ps = user;
    (void)offset;
    const lil_symbol *symbol = strcmp(name, "pi") != 0 ? lil_scope_find(&ps->rd->scope, name) : NULL;
    if (symbol)
        ps->wanted[symbol - ps->symbols] = true;
    return LIL_OK;
}

static lil_status visit_texts(parameters *ps, const lil_node *node, const char *what)
{
    if (node->kind == LIL_NODE_SCALAR) {
        lil_source source = lil_node_source(node, what);
        return lil_read_hint(ps->rd->ctx, node, lil_names(ps->rd->ctx, &source, visit, ps));
    }
    for (const lil_node *child = node->first; child; child = child->next)
        if (child->kind == LIL_NODE_SCALAR)
            LIL_TRY(visit_texts(ps, child, what));
    return LIL_OK;
}

static lil_status resolve(parameters *ps, int i)
{
    const lil_node *node = ps->nodes[i];
    char what[96];
    int count;
    double *values;
    snprintf(what, sizeof what, "parameter '%.60s'", node->key);
    if (node->kind == LIL_NODE_MAP)
        return lil_node_fail(ps->rd->ctx, node, LIL_ERR_INPUT, "%s must be a number or a list of numbers", what);
    if (++ps->depth > REFERENCES_MAX)
        return lil_node_fail(ps->rd->ctx, node, LIL_ERR_LIMIT, "parameters refer to each other too deeply");
    ps->state[i] = UNDER_WAY;
    bool *wanted = ps->wanted = LIL_NEW(ps->rd->arena, bool, ps->count);
    LIL_HAVE(ps->rd->ctx, wanted);
    LIL_TRY(visit_texts(ps, node, what));
    for (int k = 0; k < ps->count; k++) {
        if (!wanted[k] || ps->state[k] == KNOWN)
            continue;
        if (ps->state[k] == UNDER_WAY)
            return lil_node_fail(ps->rd->ctx, node, LIL_ERR_INPUT,
                                 k == i ? "the parameter '%s' depends on itself"
                                        : "the parameter '%s' depends on itself, through '%s'",
                                 ps->nodes[k]->key, node->key);
        LIL_TRY(resolve(ps, k));
    }
    LIL_TRY(lil_read_numbers(ps->rd, node, what, false, &values, &count));
    ps->symbols[i].values = values;
    ps->symbols[i].length = is_list(node) ? count : 0;
    ps->state[i] = KNOWN;
    ps->depth--;
    return LIL_OK;
}

lil_status lil_read_parameters(lil_reader *rd, const lil_node *root)
{
    const lil_node *map = lil_node_get(root, "parameters");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "parameters"));
    parameters ps = { .rd = rd, .count = map->count };
    LIL_ALLOC(rd->ctx, rd->arena, ps.nodes, map->count);
    LIL_ALLOC(rd->ctx, rd->arena, ps.symbols, map->count);
    LIL_ALLOC(rd->ctx, rd->arena, ps.state, map->count);
    int i = 0;
    for (const lil_node *child = map->first; child; child = child->next, i++) {
        LIL_TRY(lil_check_name(rd->ctx, child, "parameter"));
        ps.nodes[i] = child;
        ps.symbols[i] = (lil_symbol){ .name = child->key, .kind = LIL_SYMBOL_CONSTANT };
    }
    rd->scope = (lil_scope){ .symbols = ps.symbols, .count = ps.count, .work = rd->scope.work };
    LIL_TRY(lil_scope_sort(rd->ctx, rd->arena, &rd->scope));
    for (i = 0; i < ps.count; i++)
        if (ps.state[i] == UNKNOWN)
            LIL_TRY(resolve(&ps, i));
    return LIL_OK;
}

/* ---- start: what can move, and from where ---- */

static bool is_velocity(const lil_node *start, const char *key)
{
    return key[0] == 'd' && key[1] && lil_node_get(start, key + 1) && !is_velocity(start, key + 1);
}

typedef struct mention {
    const char *name;
    bool found;
} mention;

static lil_status mention_visit(void *user, const char *name, int offset)
{
    mention *m = user;
    (void)offset;
    m->found = m->found || strcmp(m->name, name) == 0;
    return LIL_OK;
}

/* `start: {dtheta: 1}` with theta in the Lagrangian: a velocity whose coordinate was forgotten */
static lil_status check_forgotten(const lil_reader *rd, const lil_node *root, const lil_node *node)
{
    const lil_node *text = lil_node_get(root, "lagrangian");
    if (node->key[0] != 'd' || !node->key[1] || !text || text->kind != LIL_NODE_SCALAR)
        return LIL_OK;
    mention m = { node->key + 1, false };
    lil_source source = lil_node_source(text, "lagrangian");
    if (lil_names(rd->ctx, &source, mention_visit, &m) == LIL_OK && m.found)
        return lil_node_fail_key(rd->ctx, node, "start gives a velocity '%s' but no value for '%s'", node->key,
                                 m.name);
    return LIL_OK;
}

static lil_status list_coordinates(const lil_reader *rd, const lil_node *root, const lil_node *start, lil_system *sys)
{
    LIL_ALLOC(rd->ctx, rd->arena, sys->coordinates, start->count);
    for (const lil_node *child = start->first; child; child = child->next) {
        if (is_velocity(start, child->key))
            continue;
        LIL_TRY(lil_check_name(rd->ctx, child, "coordinate"));
        if (child->key[0] == 'd' && is_velocity(start, child->key + 1))
            return lil_node_fail_key(
                rd->ctx, child, "'%s' would be an acceleration: start takes positions and velocities", child->key);
        LIL_TRY(check_forgotten(rd, root, child));
        const char *name = lil_arena_copy(rd->arena, child->key, strlen(child->key)); /* the scene may go first */
        LIL_HAVE(rd->ctx, name);
        sys->coordinates[sys->coordinate_count++] = (lil_coordinate){ .node = child, .name = name };
    }
    return LIL_OK;
}

/* The values of one key of `start`, put at the coordinate's place. */
static lil_status read_start(const lil_reader *rd, const lil_node *node, lil_coordinate *c, double *into, int *count)
{
    char what[96];
    double *x;
    snprintf(what, sizeof what, "start.%.60s", node->key);
    if (node->kind == LIL_NODE_MAP)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s must be a number or a list of numbers", what);
    LIL_TRY(lil_read_numbers(rd, node, what, false, &x, count));
    if (is_list(node) && *count == 0)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s is an empty list", what);
    if (!into) { /* the first look: how many */
        c->length = is_list(node) ? *count : 0;
        return LIL_OK;
    }
    if (is_list(node) != (c->length > 0) || (c->length && *count != c->length))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s has %d entries, but '%s' has %d", what, *count,
                             c->name, c->length ? c->length : 1);
    memcpy(into + c->first, x, (size_t)*count * sizeof *x);
    return LIL_OK;
}

static lil_status count_coordinates(const lil_reader *rd, lil_system *sys)
{
    for (int i = 0; i < sys->coordinate_count; i++) {
        lil_coordinate *c = &sys->coordinates[i];
        int count;
        LIL_TRY(read_start(rd, c->node, c, NULL, &count));
        c->first = sys->n;
        sys->n += count;
        if (sys->n > COORDINATES_MAX)
            return lil_node_fail(rd->ctx, c->node, LIL_ERR_LIMIT, "more than %d coordinates", COORDINATES_MAX);
    }
    sys->names = LIL_NEW(rd->arena, const char *, sys->n);
    sys->q = LIL_NEW(rd->arena, double, sys->n);
    sys->v = LIL_NEW(rd->arena, double, sys->n);
    return sys->names && sys->q && sys->v ? LIL_OK : lil_fail_memory(rd->ctx);
}

static lil_status place_coordinates(const lil_reader *rd, const lil_node *start, lil_system *sys)
{
    for (int i = 0; i < sys->coordinate_count; i++) {
        lil_coordinate *c = &sys->coordinates[i];
        char velocity[64];
        int count;
        snprintf(velocity, sizeof velocity, "d%.62s", c->name);
        LIL_TRY(read_start(rd, c->node, c, sys->q, &count));
        const lil_node *v = lil_node_get(start, velocity);
        if (v)
            LIL_TRY(read_start(rd, v, c, sys->v, &count));
        for (int k = 0; k < (c->length ? c->length : 1); k++) {
            const char *name = c->length ? lil_arena_format(rd->arena, "%s[%d]", c->name, k + 1) : c->name;
            LIL_HAVE(rd->ctx, name);
            sys->names[c->first + k] = name;
        }
    }
    return LIL_OK;
}

/* ---- scope: parameters, t, coordinates and velocities ---- */

static lil_status make_scope(const lil_reader *rd, const lil_node *root, lil_system *sys)
{
    int known = rd->scope.count;
    lil_symbol *symbols;
    LIL_ALLOC(rd->ctx, rd->arena, symbols, known + 1 + 2 * sys->coordinate_count);
    if (known)
        memcpy(symbols, rd->scope.symbols, (size_t)known * sizeof *symbols);
    LIL_TRY(lil_read_live(rd, root, symbols));
    sys->scope = (lil_scope){ .symbols = symbols, .count = known, .work = rd->scope.work };
    symbols[sys->scope.count++] = (lil_symbol){ "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T };
    for (int i = 0; i < 2 * sys->coordinate_count; i++) {
        const lil_coordinate *c = &sys->coordinates[i / 2];
        bool velocity = i % 2;
        const char *name = velocity ? lil_arena_format(rd->arena, "d%s", c->name) : c->name;
        LIL_HAVE(rd->ctx, name);
        if (lil_scope_find(&sys->scope, name))
            return lil_node_fail_key(rd->ctx, c->node, "the name of the %s '%s' is used twice",
                                     velocity ? "velocity" : "coordinate", name);
        symbols[sys->scope.count++] =
            (lil_symbol){ name, LIL_SYMBOL_INPUT, c->length, NULL,
                          velocity ? lil_input_v(sys->n, c->first) : lil_input_q(c->first) };
    }
    return lil_scope_sort(rd->ctx, rd->arena, &sys->scope);
}

/* A lagrangian with y and dy, where start has no y: better said so than as an unknown name. */

typedef struct unknown {
    const lil_scope *scope;
    char name[64]; /* the first velocity that is unknown */
    int offset;
} unknown;

static lil_status unknown_visit(void *user, const char *name, int offset)
{
    unknown *u = user;
    if (!u->name[0] && name[0] == 'd' && name[1] && strlen(name) < sizeof u->name &&
        !lil_scope_find(u->scope, name) && !lil_scope_find(u->scope, name + 1)) {
        strcpy(u->name, name);
        u->offset = offset;
    }
    return LIL_OK;
}

static lil_status check_started(const lil_reader *rd, const lil_node *lagrangian, const lil_scope *scope)
{
    char where[LIL_WHERE_MAX];
    unknown u = { .scope = scope };
    lil_source source = lil_node_source(lagrangian, "lagrangian");
    if (lil_names(rd->ctx, &source, unknown_visit, &u) != LIL_OK || !u.name[0])
        return LIL_OK; /* faults of the text are reported when it is compiled */
    mention m = { u.name + 1, false };
    lil_names(rd->ctx, &source, mention_visit, &m);
    if (!m.found)
        return LIL_OK;
    return lil_fail(rd->ctx, LIL_ERR_INPUT,
                    "%sthe lagrangian has '%s' and its velocity '%s', but start has no value for it",
                    lil_source_where(&source, u.offset, where), m.name, u.name);
}

/* ---- forces ---- */

static lil_status read_force(const lil_reader *rd, const lil_node *node, const lil_coordinate *c,
                             lil_force_def *forces, int *count)
{
    const char *what = lil_arena_format(rd->arena, "force.%s", node->key);
    int entries = c->length ? c->length : 1;
    LIL_HAVE(rd->ctx, what);
    if (is_list(node) != (c->length > 0) || (node->kind == LIL_NODE_LIST && node->count != entries))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s must have as many entries as '%s': %d", what, c->name,
                             entries);
    if (node->kind == LIL_NODE_SCALAR) {
        forces[(*count)++] = (lil_force_def){ lil_node_source(node, what), c->first, entries, is_list(node) };
        return LIL_OK;
    }
    int first = c->first;
    for (const lil_node *child = node->first; child; child = child->next) {
        LIL_TRY(lil_node_expect(rd->ctx, child, LIL_NODE_SCALAR, what));
        forces[(*count)++] = (lil_force_def){ lil_node_source(child, what), first++, 1, false };
    }
    return LIL_OK;
}

static lil_status read_forces(const lil_reader *rd, const lil_node *root, const lil_system *sys, lil_text_def *def)
{
    const lil_node *map = lil_node_get(root, "force");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "force"));
    const char **keys = LIL_NEW(rd->arena, const char *, sys->coordinate_count + 1);
    lil_force_def *forces = LIL_NEW(rd->arena, lil_force_def, sys->n);
    LIL_HAVE(rd->ctx, keys && forces);
    for (int i = 0; i < sys->coordinate_count; i++)
        keys[i] = sys->coordinates[i].name;
    LIL_TRY(lil_node_check_keys(rd->ctx, map, keys, "force, which acts on coordinates"));
    def->forces = forces;
    for (int i = 0; i < sys->coordinate_count; i++) {
        const lil_node *node = lil_node_get(map, keys[i]);
        if (node)
            LIL_TRY(read_force(rd, node, &sys->coordinates[i], forces, &def->force_count));
    }
    return LIL_OK;
}

lil_status lil_read_up(lil_reader *rd, const lil_node *root)
{
    const lil_node *node = lil_node_get(root, "up");
    rd->up = 'z';
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "up"));
    rd->up = node->text[0];
    return (rd->up == 'y' || rd->up == 'z') && !node->text[1]
               ? LIL_OK
               : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'up' must be y or z, not '%.60s'", node->text);
}

/* ---- all together ---- */

static lil_status require(const lil_reader *rd, const lil_node *root, const char *key, lil_node_kind kind,
                          const lil_node **node)
{
    *node = lil_node_get(root, key);
    if (!*node)
        return lil_node_fail(rd->ctx, root, LIL_ERR_INPUT, "the scene has no '%s'%s", key,
                             strcmp(key, "lagrangian") == 0 ? ", no 'bodies', no 'particles' and no 'strands'" : "");
    return lil_node_expect(rd->ctx, *node, kind, key);
}

lil_status lil_read_system(const lil_reader *rd, const lil_node *root, lil_system *sys)
{
    const lil_node *lagrangian, *start;
    *sys = (lil_system){ 0 };
    if (lil_node_get(root, "bodies") || lil_node_get(root, "particles") || lil_node_get(root, "strands"))
        return lil_read_bodies(rd, root, sys);
    const lil_node *gravity = lil_node_get(root, "gravity");
    if (gravity && lil_node_get(root, "lagrangian"))
        return lil_node_fail_key(rd->ctx, gravity,
                                 "'gravity' belongs to bodies and particles, not to a text Lagrangian");
    static const char *const touching[] = { "obstacles", "contact" };
    for (int i = 0; i < 2; i++)
        if (lil_node_get(root, touching[i]) && lil_node_get(root, "lagrangian"))
            return lil_node_fail_key(rd->ctx, lil_node_get(root, touching[i]),
                                     "'%s' belongs to bodies and particles, not to a text Lagrangian", touching[i]);
    LIL_TRY(require(rd, root, "lagrangian", LIL_NODE_SCALAR, &lagrangian));
    LIL_TRY(require(rd, root, "start", LIL_NODE_MAP, &start));
    LIL_TRY(list_coordinates(rd, root, start, sys));
    if (!sys->coordinate_count)
        return lil_node_fail(rd->ctx, start, LIL_ERR_INPUT, "start names no coordinate, so nothing can move");
    LIL_TRY(count_coordinates(rd, sys));
    LIL_TRY(place_coordinates(rd, start, sys));
    LIL_TRY(make_scope(rd, root, sys));
    LIL_TRY(check_started(rd, lagrangian, &sys->scope));
    sys->node = lagrangian;
    sys->inputs = sys->n;
    lil_text_def def = { .n = sys->n, .names = sys->names, .scope = sys->scope };
    def.lagrangian = lil_node_source(lagrangian, "lagrangian");
    LIL_TRY(read_forces(rd, root, sys, &def));
    LIL_TRY(lil_read_hint(rd->ctx, lagrangian, lil_model_create_text(rd->ctx, &def, &sys->model)));
    lil_status status = lil_read_text_constraints(rd, root, sys);
    if (status != LIL_OK)
        lil_model_destroy(&sys->model);
    return status;
}
