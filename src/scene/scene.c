#include "scene/scene.h"

#include "core/field.h"
#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16 * 1024 * 1024, PATH_MAX_ = 200 };

/* ---- load ---- */

static lil_status check_variants(lil_context *ctx, const lil_node *root)
{
    const lil_node *variants = lil_node_get(root, "variants");
    if (!variants)
        return LIL_OK;
    LIL_TRY(lil_node_expect(ctx, variants, LIL_NODE_MAP, "variants"));
    for (const lil_node *v = variants->first; v; v = v->next) {
        LIL_TRY(lil_node_expect(ctx, v, LIL_NODE_MAP, v->key));
        /* the name becomes part of a file's name */
        if (!v->key[0] || strlen(v->key) > 80 || strpbrk(v->key, "/\\ \t\n") || v->key[0] == '.')
            return lil_node_fail_key(ctx, v, "a variant's name becomes part of a file name, which '%.80s' cannot be",
                                     v->key);
        const lil_node *nested = lil_node_get(v, "variants");
        if (nested)
            return lil_node_fail_key(ctx, nested, "a variant cannot have variants");
    }
    return LIL_OK;
}

static lil_status parse(lil_scene *scene, const char *name, const char *text, size_t size)
{
    lil_node *root = NULL;
    scene->file = lil_arena_copy(&scene->arena, name, strlen(name));
    scene->text = lil_arena_copy(&scene->arena, text, size);
    scene->size = size;
    LIL_HAVE(scene->ctx, scene->file && scene->text);
    LIL_TRY(lil_yaml_parse(scene->ctx, &scene->arena, scene->file, text, size, &root));
    if (root->kind != LIL_NODE_MAP)
        return lil_node_fail(scene->ctx, root, LIL_ERR_INPUT,
                             "a scene is a map of keys such as 'lagrangian', 'start' and 'time'");
    scene->root = root;
    return check_variants(scene->ctx, root);
}

lil_status lil_scene_parse(lil_context *ctx, const char *name, const char *text, size_t size, lil_scene **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "scene");
    *out = NULL;
    LIL_NEED(ctx, name, "name");
    LIL_NEED(ctx, text, "text");
    if (size > FILE_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%.200s: a scene may have at most %d MB", name, FILE_MAX >> 20);
    if (size >= 4 && memcmp(text, "\x89HDF", 4) == 0)
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: is a trajectory, not a scene", name);
    lil_scene *scene = calloc(1, sizeof *scene);
    LIL_HAVE(ctx, scene);
    scene->ctx = ctx;
    lil_status status = parse(scene, name, text, size);
    if (status != LIL_OK)
        lil_scene_destroy(&scene);
    *out = scene;
    return status;
}

lil_status lil_scene_load(lil_context *ctx, const char *path, lil_scene **scene)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, scene, "scene");
    *scene = NULL;
    LIL_NEED(ctx, path, "path");
    char *text = NULL;
    size_t size = 0;
    lil_status status = lil_file_read(ctx, path, "scene", FILE_MAX, &text, &size);
    if (status == LIL_OK)
        status = lil_scene_parse(ctx, path, text, size, scene);
    free(text);
    return status;
}

void lil_scene_destroy(lil_scene **scene)
{
    if (!scene || !*scene)
        return;
    lil_arena_free(&(*scene)->arena);
    free(*scene);
    *scene = NULL;
}

/* ---- overrides and variants ---- */

lil_status lil_scene_set(lil_scene *scene, const char *assignment)
{
    LIL_NEED(NULL, scene, "scene");
    LIL_NEED(scene->ctx, assignment, "assignment");
    lil_context *ctx = scene->ctx;
    const char *equals = strchr(assignment, '=');
    const char *twice = strstr(assignment, "..");
    if (!equals || equals == assignment || equals[-1] == '.' || assignment[0] == '.' || (twice && twice < equals) ||
        equals - assignment > PATH_MAX_)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, LIL_OVERRIDE "%.100s: not of the form key.path=value", assignment);
    if (strncmp(assignment, "variants", 8) == 0 && strchr(".=", assignment[8]))
        return lil_fail(
            ctx, LIL_ERR_ARGUMENT,
            LIL_OVERRIDE
            "%.100s: overrides apply to every variant, so they cannot change only one: set the value itself",
            assignment);
    if (scene->set_count == LIL_SETS_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "more than %d overrides", LIL_SETS_MAX);
    const char *label = lil_arena_format(&scene->arena, LIL_OVERRIDE "%.150s", assignment);
    const char *text = lil_arena_copy(&scene->arena, assignment, strlen(assignment));
    char *path = lil_arena_copy(&scene->arena, assignment, (size_t)(equals - assignment));
    lil_node *value = NULL;
    LIL_HAVE(ctx, label && text && path);
    LIL_TRY(lil_yaml_parse(ctx, &scene->arena, label, equals + 1, strlen(equals + 1), &value));
    const lil_node *map = lil_node_at_path(&scene->arena, path, value);
    LIL_HAVE(ctx, map);
    scene->set_texts[scene->set_count] = text;
    scene->sets[scene->set_count++] = map;
    return LIL_OK;
}

lil_status lil_scene_set_integrator(lil_scene *scene, const char *name)
{
    char assignment[256];
    LIL_NEED(NULL, scene, "scene");
    LIL_NEED(scene->ctx, name, "name");
    if (strlen(name) > 100 || strpbrk(name, "\"\\"))
        return lil_fail(scene->ctx, LIL_ERR_ARGUMENT, "unknown integrator '%.60s'", name);
    snprintf(assignment, sizeof assignment, "integrator={method: \"%s\"}", name);
    return lil_scene_set(scene, assignment);
}

static const lil_node *variant_at(const lil_scene *scene, int index)
{
    const lil_node *variants = lil_node_get(scene->root, "variants");
    const lil_node *v = variants ? variants->first : NULL;
    for (; v && index > 0; index--)
        v = v->next;
    return index == 0 ? v : NULL;
}

bool lil_scene_is_shot(const lil_scene *scene)
{
    return lil_node_get(scene->root, "keys") != NULL;
}

int lil_scene_variant_count(const lil_scene *scene)
{
    const lil_node *variants = lil_node_get(scene->root, "variants");
    return variants ? variants->count : 0;
}

const char *lil_scene_variant(const lil_scene *scene, int index)
{
    const lil_node *v = variant_at(scene, index);
    return v ? v->key : NULL;
}

static lil_status find_variant(const lil_scene *scene, lil_context *ctx, const char *name, const lil_node **variant)
{
    const lil_node *variants = lil_node_get(scene->root, "variants");
    *variant = lil_node_get(variants, name);
    if (*variant)
        return LIL_OK;
    if (!variants || !variants->count)
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: has no variants, so none is called '%.60s'", scene->file, name);
    const char *nearest = NULL;
    char hint[LIL_HINT_MAX];
    for (const lil_node *v = variants->first; v && !nearest; v = v->next)
        nearest = lil_nearest(name, &v->key, 1, sizeof v->key);
    return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: no variant is called '%.60s'%s", scene->file, name,
                    lil_hint(nearest, hint));
}

static lil_node *without_variants(lil_arena *arena, const lil_node *root)
{
    lil_node *copy = LIL_NEW(arena, lil_node, 1);
    if (!copy)
        return NULL;
    *copy = *root;
    copy->first = NULL;
    copy->count = 0;
    lil_node **end = &copy->first;
    for (const lil_node *child = root->first; child; child = child->next) {
        if (strcmp(child->key, "variants") == 0)
            continue;
        if (!(*end = LIL_NEW(arena, lil_node, 1)))
            return NULL;
        **end = *child;
        (*end)->next = NULL;
        end = &(*end)->next;
        copy->count++;
    }
    return copy;
}

/* An override changes a parameter that is there: a new one would be used nowhere. */
static lil_status check_parameters(lil_context *ctx, const lil_node *base, const lil_node *over)
{
    const lil_node *known = lil_node_get(base, "parameters"),
                   *wanted = over ? lil_node_get(over, "parameters") : NULL;
    if (!wanted || wanted->kind != LIL_NODE_MAP)
        return LIL_OK;
    for (const lil_node *child = wanted->first; child; child = child->next) {
        if (known && lil_node_get(known, child->key))
            continue;
        const char *nearest = NULL;
        char hint[LIL_HINT_MAX];
        for (const lil_node *k = known ? known->first : NULL; k && !nearest; k = k->next)
            nearest = lil_nearest(child->key, &k->key, 1, sizeof k->key);
        return lil_node_fail_key(ctx, child, "the scene has no parameter '%.60s' to override%s", child->key,
                                 lil_hint(nearest, hint));
    }
    return LIL_OK;
}

lil_status lil_scene_effective(const lil_scene *scene, lil_context *ctx, lil_arena *arena, const char *variant,
                               const lil_node **root)
{
    const lil_node *over = NULL;
    if (variant)
        LIL_TRY(find_variant(scene, ctx, variant, &over));
    LIL_TRY(check_parameters(ctx, scene->root, over));
    for (int i = 0; i < scene->set_count; i++)
        LIL_TRY(check_parameters(ctx, scene->root, scene->sets[i]));
    const lil_node *merged = without_variants(arena, scene->root);
    if (merged && over)
        merged = lil_node_merge(arena, merged, over);
    for (int i = 0; merged && i < scene->set_count; i++)
        merged = lil_node_merge(arena, merged, scene->sets[i]);
    *root = merged;
    return merged ? LIL_OK : lil_fail_memory(ctx);
}
