#include "scene/table.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */

static bool belongs(const lil_key *key, const lil_variant *own)
{
    if (!key->only || !own)
        return !key->only || key->only[0] == '-';
    return key->only[0] == '+' || strcmp(key->only, own->name) == 0;
}

static lil_status check_known(const lil_reader *rd, const lil_node *map, const lil_mapping *t, const lil_variant *own)
{
    int count = 0, most = 2 + t->field_count + (own ? own->field_count : 0);
    for (const lil_key *k = t->keys; k && k->name; k++)
        most++;
    const char **names;
    LIL_ALLOC(rd->ctx, rd->arena, names, most);
    for (const lil_key *k = t->keys; k && k->name; k++)
        if (belongs(k, own))
            names[count++] = k->name;
    if (t->choice)
        names[count++] = t->choice;
    for (int i = 0; i < t->field_count; i++)
        names[count++] = t->fields[i].name;
    for (int i = 0; own && i < own->field_count; i++)
        names[count++] = own->fields[i].name;
    return lil_node_check_keys(rd->ctx, map, names, own && !t->field_count ? own->name : t->in);
}

/* "a b, c d": not both of a pair */
static lil_status check_excluded(const lil_reader *rd, const lil_node *map, const char *pairs)
{
    enum { NAME = 32 };
    char one[NAME], other[NAME];
    for (const char *at = pairs; at && *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
        size_t a = strcspn(at, " "), b = strcspn(at + a + 1, ",");
        snprintf(one, sizeof one, "%.*s", (int)a, at);
        snprintf(other, sizeof other, "%.*s", (int)b, at + a + 1);
        const lil_node *second = lil_node_get(map, other);
        if (second && lil_node_get(map, one))
            return lil_node_fail_key(rd->ctx, second, "'%s' and '%s' cannot both be given", one, other);
    }
    return LIL_OK;
}

static bool needs_value(const lil_field *f)
{
    return !lil_field_is_word(f) && f->kind != LIL_LIST && isnan(f->preset);
}

static lil_status check_there(const lil_reader *rd, const lil_node *map, const char *key, const char *doc,
                              const lil_mapping *t)
{
    const char *colon = doc[0] ? ": " : "";
    if (lil_node_get(map, key))
        return LIL_OK;
    if (t->named)
        return lil_node_fail_key(rd->ctx, map, "%s '%.60s' %s no '%s'%s%s", t->named, map->key,
                                 t->named[strlen(t->named) - 1] == 's' ? "have" : "has", key, colon, doc);
    return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "%s has no '%s'%s%s", t->in, key, colon, doc);
}

lil_status lil_table_check(const lil_reader *rd, const lil_node *map, const lil_mapping *t, const lil_variant *own)
{
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, map->key ? map->key : t->in));
    LIL_TRY(check_known(rd, map, t, own));
    LIL_TRY(check_excluded(rd, map, t->exclude));
    for (const lil_key *k = t->keys; k && k->name; k++)
        if (belongs(k, own) && (k->required == LIL_REQUIRED || (k->required == LIL_REQUIRED_ALONE && !own)))
            LIL_TRY(check_there(rd, map, k->name, k->doc, t));
    for (int i = 0; i < t->field_count && !t->partial; i++)
        if (needs_value(&t->fields[i]))
            LIL_TRY(check_there(rd, map, t->fields[i].name, t->fields[i].doc, t));
    return LIL_OK;
}

/* ---- values ---- */

static lil_status read_field(const lil_reader *rd, const lil_node *node, const lil_field *field, void *config)
{
    double *x;
    int count;
    lil_status status;
    if (lil_field_is_word(field)) {
        LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, field->name));
        status = lil_field_set_choice(rd->ctx, field, config, node->text);
    } else {
        bool scalar = field->kind != LIL_LIST && field->kind != LIL_VECTOR;
        LIL_TRY(lil_read_numbers(rd, node, field->name, scalar, &x, &count));
        status = lil_field_set_numbers(rd->ctx, field, config, x, count);
    }
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

lil_status lil_read_known_fields(const lil_reader *rd, const lil_node *map, const lil_field *fields, int count,
                                 void *config)
{
    for (const lil_node *child = map->first; child; child = child->next) {
        const lil_field *field = lil_field_find(fields, count, child->key);
        if (field)
            LIL_TRY(read_field(rd, child, field, config));
    }
    return LIL_OK;
}

lil_status lil_read_table(const lil_reader *rd, const lil_node *map, const lil_mapping *t, void *config)
{
    lil_fields_default(t->fields, t->field_count, config);
    if (!map)
        return LIL_OK;
    const lil_field *brief = t->brief ? lil_field_find(t->fields, t->field_count, t->brief) : NULL;
    if (brief && map->kind == LIL_NODE_SCALAR)
        return read_field(rd, map, brief, config);
    if (brief && map->kind == LIL_NODE_LIST)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "'%s' must be a value or a map, not a list", t->in);
    LIL_TRY(lil_table_check(rd, map, t, NULL));
    return lil_read_known_fields(rd, map, t->fields, t->field_count, config);
}

lil_status lil_read_variant(const lil_reader *rd, const lil_node *node, const lil_mapping *t, const char *preset,
                            lil_variant *v)
{
    const lil_node *name = node && node->kind == LIL_NODE_MAP ? lil_node_get(node, t->choice) : node;
    char hint[LIL_MESSAGE_MAX / 4];
    int count = 0;
    if (node && !name)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the %s has no '%s'", t->in, t->choice);
    if (name)
        LIL_TRY(lil_node_expect(rd->ctx, name, LIL_NODE_SCALAR, t->in));
    for (; t->variant(rd->ctx, count, v); count++)
        if (v->name && strcmp(v->name, name ? name->text : preset) == 0)
            return LIL_OK;
    const char **names;
    LIL_ALLOC(rd->ctx, rd->arena, names, count);
    int named = 0;
    for (int i = 0; i < count; i++)
        if (t->variant(rd->ctx, i, v) && v->name)
            names[named++] = v->name;
    const char *near = lil_nearest(name->text, names, named, sizeof *names);
    return lil_node_fail(rd->ctx, name, LIL_ERR_INPUT, "unknown %s '%.60s'%s%s%s", t->brief ? t->in : t->choice,
                         name->text, t->brief ? "" : " in ", t->brief ? "" : t->in,
                         near ? lil_hint(near, hint) : lil_hint_all(names, named, hint, sizeof hint));
}

lil_status lil_read_own_fields(const lil_reader *rd, const lil_node *map, const lil_mapping *t,
                               const lil_variant *own, void *config)
{
    LIL_TRY(lil_table_check(rd, map, t, own));
    return lil_read_known_fields(rd, map, own->fields, own->field_count, config);
}

const lil_node *lil_first_of(const lil_node *node)
{
    return node && node->kind == LIL_NODE_LIST ? node->first : node;
}

const lil_node *lil_next_of(const lil_node *list, const lil_node *node)
{
    return list->kind == LIL_NODE_LIST ? node->next : NULL;
}
