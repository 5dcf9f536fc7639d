/* The JSON Schema of a scene, for editors: every type of the tables as JSON. */
#include "scene/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ' in place of ": JSON in C without a hedge of backslashes. */
static void add_json(lil_text *text, const char *json)
{
    for (; *json; json++)
        lil_text_add(text, "%c", *json == '\'' ? '"' : *json);
}

/* ---- types ---- */

/* A part of a type's text. */
typedef struct span {
    const char *at, *end;
} span;

static span trim(span s)
{
    while (s.at < s.end && isspace((unsigned char)*s.at))
        s.at++;
    while (s.at < s.end && isspace((unsigned char)s.end[-1]))
        s.end--;
    return s;
}

/* The text before the first `separator` outside brackets; *rest is the text after it, or empty. */
static span split(span s, char separator, span *rest)
{
    int depth = 0;
    for (const char *c = s.at; c < s.end; c++) {
        depth += *c == '[' || *c == '{' ? 1 : *c == ']' || *c == '}' ? -1 : 0;
        if (*c == separator && depth == 0) {
            *rest = trim((span){ c + 1, s.end });
            return trim((span){ s.at, c });
        }
    }
    *rest = (span){ s.end, s.end };
    return trim(s);
}

static void add_type(lil_text *text, span s);

/* 'a' | 'b' | x: one enum of the words, then the others */
static void add_either(lil_text *text, span s)
{
    int words = 0;
    lil_text_add(text, "{\"anyOf\": [");
    for (span rest = s, one; rest.at < rest.end;) {
        one = split(rest, '|', &rest);
        if (*one.at == '\'')
            lil_text_add(text, "%s\"%.*s\"", words++ ? ", " : "{\"enum\": [", (int)(one.end - one.at - 2),
                         one.at + 1);
    }
    bool first = !words;
    lil_text_add(text, words ? "]}" : "");
    for (span rest = s, one; rest.at < rest.end;) {
        one = split(rest, '|', &rest);
        if (*one.at == '\'')
            continue;
        lil_text_add(text, first ? "" : ", ");
        add_type(text, one);
        first = false;
    }
    lil_text_add(text, "]}");
}

static void add_list(lil_text *text, span s)
{
    span count, more;
    span item = split(s, ';', &count);
    lil_text_add(text, "{\"type\": \"array\", \"items\": ");
    span first = split(item, ',', &more);
    if (more.at == more.end) {
        add_type(text, first);
    } else {
        int entries = 0;
        lil_text_add(text, "[");
        for (span rest = item, one; rest.at < rest.end; entries++) {
            one = split(rest, ',', &rest);
            lil_text_add(text, entries ? ", " : "");
            add_type(text, one);
        }
        lil_text_add(text, "], \"minItems\": %d, \"maxItems\": %d", entries, entries);
    }
    if (count.at < count.end) {
        lil_text_add(text, ", \"minItems\": %c", *count.at);
        if (count.end[-1] != '+')
            lil_text_add(text, ", \"maxItems\": %c", *count.at);
    }
    lil_text_add(text, "}");
}

static void add_map(lil_text *text, span s)
{
    bool some = *s.at == '1';
    lil_text_add(text, "{\"type\": \"object\", %s\"additionalProperties\": ", some ? "\"minProperties\": 1, " : "");
    add_type(text, trim((span){ s.at + some, s.end }));
    lil_text_add(text, "}");
}

static void add_name(lil_text *text, span s)
{
    static const char *const simple[][2] = { { "text", "{'type': 'string'}" },
                                             { "whole", "{'type': 'integer'}" },
                                             { "flag", "{'type': 'boolean'}" },
                                             { "map", "{'type': 'object'}" },
                                             { "number", "{'type': ['number', 'string']}" } };
    size_t length = (size_t)(s.end - s.at);
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++)
        if (strlen(simple[i][0]) == length && strncmp(simple[i][0], s.at, length) == 0) {
            add_json(text, simple[i][1]);
            return;
        }
    lil_text_add(text, "{\"$ref\": \"#/definitions/%.*s\"}", (int)length, s.at);
}

static void add_type(lil_text *text, span s)
{
    span rest;
    s = trim(s);
    span first = split(s, '|', &rest);
    if (rest.at < rest.end || *first.at == '\'') {
        add_either(text, s);
    } else if (s.end[-1] == '+') {
        span one = trim((span){ s.at, s.end - 1 });
        lil_text_add(text, "{\"anyOf\": [");
        add_type(text, one);
        lil_text_add(text, ", {\"type\": \"array\", \"items\": ");
        add_type(text, one);
        lil_text_add(text, "}]}");
    } else if (*s.at == '[') {
        add_list(text, (span){ s.at + 1, s.end - 1 });
    } else if (*s.at == '{') {
        add_map(text, trim((span){ s.at + 1, s.end - 1 }));
    } else {
        add_name(text, s);
    }
}

void lil_schema_type(lil_text *text, const char *type)
{
    add_type(text, (span){ type, type + strlen(type) });
}

/* ---- maps ---- */

/* A choice that looks like a number may be written as one. */
static void add_choices(lil_text *text, const char *const *choices)
{
    lil_text_add(text, "{\"enum\": [");
    for (int k = 0; choices[k]; k++)
        lil_text_add(text, "%s\"%s\"", k ? ", " : "", choices[k]);
    for (int k = 0; choices[k]; k++)
        if (isdigit((unsigned char)choices[k][0]))
            lil_text_add(text, ", %s", choices[k]);
    lil_text_add(text, "]}");
}

static void add_value(lil_text *text, const lil_field *f)
{
    static const char *const types[] = { [LIL_REAL] = "number",   [LIL_INTEGER] = "number", [LIL_LIST] = "[number]",
                                         [LIL_VECTOR] = "vector", [LIL_NAME] = "text",      [LIL_FLAG] = "flag" };
    if (f->kind == LIL_CHOICE)
        add_choices(text, f->choices);
    else
        lil_schema_type(text, types[f->kind]);
}

static void add_field(lil_text *text, const lil_field *f, bool *first)
{
    lil_text_add(text, "%s\"%s\": {\"allOf\": [", *first ? "" : ", ", f->name);
    add_value(text, f);
    lil_text_add(text, "], \"description\": ");
    lil_text_json_string(text, f->doc);
    lil_text_add(text, "}");
    *first = false;
}

static bool is_among(const lil_key *k, const lil_variant *v)
{
    return !k->only || (v && v->name ? k->only[0] == '+' || strcmp(k->only, v->name) == 0 : k->only[0] == '-');
}

static void add_required(lil_text *text, const lil_mapping *t, const lil_variant *v, bool named)
{
    const char *before = "\"required\": [";
    for (const lil_key *k = t->keys; k && k->name; k++)
        if (is_among(k, v) &&
            (k->required == LIL_REQUIRED || (k->required == LIL_REQUIRED_ALONE && !(v && v->name)))) {
            lil_text_add(text, "%s\"%s\"", before, k->name);
            before = ", ";
        }
    for (int i = 0; i < t->field_count && !t->partial; i++)
        if (!lil_field_is_word(&t->fields[i]) && t->fields[i].kind != LIL_LIST && isnan(t->fields[i].preset)) {
            lil_text_add(text, "%s\"%s\"", before, t->fields[i].name);
            before = ", ";
        }
    if (named) {
        lil_text_add(text, "%s\"%s\"", before, t->choice);
        before = ", ";
    }
    lil_text_add(text, before[0] == ',' ? "], " : "");
}

/* "a b c" as [{"required": ["a"]}, ...] */
static void add_one_each(lil_text *text, const char *rule, const char *names)
{
    lil_text_add(text, "\"%s\": [", rule);
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
        lil_text_add(text, "%s{\"required\": [\"%.*s\"]}", at > names ? ", " : "", (int)strcspn(at, " "), at);
    lil_text_add(text, "], ");
}

static void add_rules(lil_text *text, const lil_mapping *t)
{
    if (t->one_of)
        add_one_each(text, "oneOf", t->one_of);
    if (t->any_of)
        add_one_each(text, "anyOf", t->any_of);
    if (!t->exclude)
        return;
    lil_text_add(text, "\"allOf\": [");
    for (const char *at = t->exclude; *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
        int a = (int)strcspn(at, " "), b = (int)strcspn(at + a + 1, ",");
        lil_text_add(text, "%s{\"not\": {\"required\": [\"%.*s\", \"%.*s\"]}}", at > t->exclude ? ", " : "", a, at, b,
                     at + a + 1);
    }
    lil_text_add(text, "], ");
}

static void add_properties(lil_text *text, const lil_mapping *t, const lil_variant *v, bool named)
{
    bool first = true;
    lil_text_add(text, "{\"type\": \"object\", \"additionalProperties\": false, ");
    add_required(text, t, v, named);
    add_rules(text, t);
    lil_text_add(text, "\"properties\": {");
    if (v && v->name && t->choice) {
        lil_text_add(text, "\"%s\": {\"enum\": [\"%s\"]}", t->choice, v->name);
        first = false;
    }
    for (const lil_key *k = t->keys; k && k->name; k++) {
        if (!is_among(k, v))
            continue;
        lil_text_add(text, "%s\"%s\": ", first ? "" : ", ", k->name);
        if (k->map)
            lil_schema_table(text, NULL, k->map);
        else
            lil_schema_type(text, k->type);
        first = false;
    }
    for (int i = 0; i < t->field_count; i++)
        add_field(text, &t->fields[i], &first);
    for (int i = 0; v && i < v->field_count; i++)
        add_field(text, &v->fields[i], &first);
    lil_text_add(text, "}}");
}

static void add_brief(lil_text *text, const lil_context *ctx, const lil_mapping *t)
{
    lil_variant v = { 0 };
    bool first = true;
    for (int i = 0; t->variant && t->variant(ctx, i, &v); i++) {
        if (!v.bare)
            continue;
        lil_text_add(text, "%s\"%s\"", first ? "{\"enum\": [" : ", ", v.name);
        first = false;
    }
    const lil_field *f = lil_field_find(t->fields, t->field_count, t->brief);
    if (!first)
        lil_text_add(text, "]}");
    else if (f)
        add_value(text, f);
    else
        lil_schema_type(text, "number");
}

/* One map for each variant; where none need be chosen, also the first without its name. */
void lil_schema_table(lil_text *text, const lil_context *ctx, const lil_mapping *t)
{
    lil_variant v = { 0 };
    bool several = t->brief || t->variant, first = true;
    lil_text_add(text, several ? "{\"anyOf\": [" : "");
    if (t->brief) {
        add_brief(text, ctx, t);
        first = false;
    }
    for (int i = 0; t->variant && t->variant(ctx, i, &v); i++) {
        lil_text_add(text, first ? "" : ",\n   ");
        add_properties(text, t, &v, t->chosen || i > 0);
        first = false;
    }
    if (!t->variant) {
        lil_text_add(text, first ? "" : ", ");
        add_properties(text, t, NULL, false);
    }
    lil_text_add(text, several ? "]}" : "");
}

/* ---- all of it ---- */

static const char head[] =
    "{'$schema': 'http://json-schema.org/draft-07/schema#', 'title': 'A Lilyan scene',\n"
    " 'type': 'object', 'anyOf': [{'required': ['time'], 'not': {'anyOf': [{'required': ['keys']}, "
    "{'required': ['shot']}]}}, {'required': ['keys', 'shot'], 'not': {'anyOf': [{'required': ['time']}, "
    "{'required': ['record']}, {'required': ['loop']}]}}],\n"
    " 'oneOf': [{'required': ['lagrangian', 'start'], 'not': {'anyOf': [{'required': ['bodies']}, "
    "{'required': ['particles']}, {'required': ['strands']}, {'required': ['gravity']}]}},\n"
    "  {'anyOf': [{'required': ['bodies']}, {'required': ['particles']}, {'required': ['strands']}], "
    "'not': {'anyOf': [{'required': ['lagrangian']}, {'required': ['start']}, {'required': ['force']}, "
    "{'required': ['loop']}]}}],\n"
    " 'additionalProperties': false, 'properties': {";

char *lil_scene_schema(const lil_context *ctx)
{
    lil_text text = { 0 };
    add_json(&text, head);
    for (const lil_key *k = lil_scene_table.keys; k->name; k++) {
        lil_text_add(&text, "%s\n  \"%s\": ", k == lil_scene_table.keys ? "" : ",", k->name);
        lil_schema_type(&text, k->type);
    }
    lil_text_add(&text, "},\n \"definitions\": {");
    for (const lil_definition *d = lil_definitions; d->name; d++) {
        lil_text_add(&text, "%s\n  \"%s\": ", d == lil_definitions ? "" : ",", d->name);
        if (d->table)
            lil_schema_table(&text, ctx, d->table);
        else if (d->schema)
            d->schema(&text);
        else
            lil_schema_type(&text, d->type);
    }
    lil_text_add(&text, "}}\n");
    if (text.failed)
        lil_text_free(&text);
    return text.data;
}
