/* YAML -> nodes, over libyaml's events: nothing of the document is held but the tree, and depth and size are
 * bounded. */
#include "scene/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 50, NODES_MAX = 2 * 1000 * 1000, KEYS_MAX = 2000 };

typedef struct reader {
    lil_context *ctx;
    lil_arena *arena;
    const char *file;
    const char *text;
    size_t size;
    yaml_parser_t parser;
    int depth, flow_depth, nodes;
} reader;

static lil_status fail_mark(reader *rd, lil_status status, yaml_mark_t mark, const char *sentence)
{
    return lil_fail(rd->ctx, status, "%.200s:%zu:%zu: %s", rd->file, mark.line + 1, mark.column + 1, sentence);
}

/* Bytes that are not text: their location must be counted. */
static lil_status fail_binary(reader *rd, size_t offset, const char *problem)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < offset && i < rd->size; i++)
        if (rd->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    return lil_fail(rd->ctx, LIL_ERR_INPUT, "%.200s:%zu:%zu: not a text file in UTF-8: %s", rd->file, line,
                    offset - start + 1, problem);
}

static lil_status fail_parser(reader *rd)
{
    const yaml_parser_t *p = &rd->parser;
    char sentence[512];
    if (p->error == YAML_MEMORY_ERROR)
        return lil_fail_memory(rd->ctx);
    if (p->error == YAML_READER_ERROR)
        return fail_binary(rd, p->problem_offset, p->problem);
    const char *hint = rd->flow_depth ? " (an expression with commas or brackets inside { } must be quoted)"
                       : strstr(p->problem, "cannot start any token") ? " (a tab? YAML is indented with spaces)"
                       : strstr(p->problem, "mapping values are not allowed")
                           ? " (a space missing after a colon above?)"
                           : "";
    snprintf(sentence, sizeof sentence, "not valid YAML: %s%s", p->problem, hint);
    return fail_mark(rd, LIL_ERR_INPUT, p->problem_mark, sentence);
}

static lil_status next_event(reader *rd, yaml_event_t *event)
{
    return yaml_parser_parse(&rd->parser, event) ? LIL_OK : fail_parser(rd);
}

static lil_status new_node(reader *rd, const yaml_event_t *event, lil_node **out)
{
    if (++rd->nodes > NODES_MAX)
        return fail_mark(rd, LIL_ERR_LIMIT, event->start_mark, "more than 2 million values");
    lil_node *node;
    LIL_ALLOC(rd->ctx, rd->arena, node, 1);
    node->file = rd->file;
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->in_flow = rd->flow_depth > 0;
    *out = node;
    return LIL_OK;
}

static lil_status read_node(reader *rd, yaml_event_t *event, lil_node **out);

static lil_status read_scalar(reader *rd, const yaml_event_t *event, lil_node *node)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    yaml_scalar_style_t style = event->data.scalar.style;
    if (memchr(text, 0, length))
        return fail_mark(rd, LIL_ERR_INPUT, event->start_mark, "a value holds a zero byte");
    node->kind = LIL_NODE_SCALAR;
    node->text = lil_arena_copy(rd->arena, text, length);
    node->quoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    node->single_line = event->start_mark.line == event->end_mark.line;
    return node->text ? LIL_OK : lil_fail_memory(rd->ctx);
}

static lil_status read_key(reader *rd, const yaml_event_t *event, const lil_node *map, lil_node *key)
{
    if (event->type != YAML_SCALAR_EVENT)
        return fail_mark(rd, LIL_ERR_INPUT, event->start_mark, "a key must be a plain name");
    if (map->count == KEYS_MAX)
        return fail_mark(rd, LIL_ERR_LIMIT, event->start_mark,
                         "more than 2,000 keys in one map (a list x: [...] has room for more)");
    return read_scalar(rd, event, key);
}

static int place_order(const lil_node *a, const lil_node *b)
{
    return a->key_line != b->key_line ? a->key_line - b->key_line : a->key_column - b->key_column;
}

static int key_order(const void *x, const void *y)
{
    const lil_node *a = *(const lil_node *const *)x, *b = *(const lil_node *const *)y;
    int order = strcmp(a->key, b->key);
    return order ? order : place_order(a, b);
}

static lil_status check_unique(reader *rd, const lil_node *map)
{
    const lil_node **sorted = malloc((size_t)map->count * sizeof *sorted + 1), *twice = NULL;
    int count = 0;
    LIL_HAVE(rd->ctx, sorted);
    for (const lil_node *child = map->first; child; child = child->next)
        sorted[count++] = child;
    qsort(sorted, (size_t)count, sizeof *sorted, key_order);
    for (int i = 1; i < count; i++) /* the first in the file that repeats another */
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 && (!twice || place_order(sorted[i], twice) < 0))
            twice = sorted[i];
    free(sorted);
    return twice ? lil_node_fail_key(rd->ctx, twice, "the key '%.60s' is given twice", twice->key) : LIL_OK;
}

/* the members of a map or the entries of a list, up to its end event */
static lil_status read_children(reader *rd, lil_node *node, yaml_event_type_t end)
{
    lil_node **last = &node->first;
    for (;;) {
        yaml_event_t event;
        lil_node key = { 0 }, *child = NULL;
        LIL_TRY(next_event(rd, &event));
        if (event.type == end) {
            yaml_event_delete(&event);
            return node->kind == LIL_NODE_MAP ? check_unique(rd, node) : LIL_OK;
        }
        lil_status status = LIL_OK;
        int line = (int)event.start_mark.line + 1, column = (int)event.start_mark.column + 1;
        if (node->kind == LIL_NODE_MAP) {
            status = read_key(rd, &event, node, &key);
            yaml_event_delete(&event);
            LIL_TRY(status);
            LIL_TRY(next_event(rd, &event));
        }
        status = read_node(rd, &event, &child);
        yaml_event_delete(&event);
        LIL_TRY(status);
        child->key = key.text;
        child->key_line = line;
        child->key_column = column;
        *last = child;
        last = &child->next;
        node->count++;
    }
}

static lil_status read_node(reader *rd, yaml_event_t *event, lil_node **out)
{
    if (event->type == YAML_ALIAS_EVENT)
        return fail_mark(
            rd, LIL_ERR_INPUT, event->start_mark,
            "YAML aliases (*name) are not used in scenes; an expression that begins with * needs quotes");
    LIL_TRY(new_node(rd, event, out));
    if (event->type == YAML_SCALAR_EVENT)
        return read_scalar(rd, event, *out);
    if (rd->depth == DEPTH_MAX)
        return fail_mark(rd, LIL_ERR_LIMIT, event->start_mark, "nested too deep");
    bool map = event->type == YAML_MAPPING_START_EVENT;
    bool flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                    : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    (*out)->kind = map ? LIL_NODE_MAP : LIL_NODE_LIST;
    rd->depth++;
    rd->flow_depth += flow;
    lil_status status = read_children(rd, *out, map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT);
    if (status == LIL_OK) { /* after a failure the depths still say where it was */
        rd->depth--;
        rd->flow_depth -= flow;
    }
    return status;
}

static lil_status expect_event(reader *rd, yaml_event_type_t type, const char *sentence)
{
    yaml_event_t event;
    LIL_TRY(next_event(rd, &event));
    lil_status status = event.type == type ? LIL_OK : fail_mark(rd, LIL_ERR_INPUT, event.start_mark, sentence);
    yaml_event_delete(&event);
    return status;
}

static lil_status read_document(reader *rd, lil_node **root)
{
    yaml_event_t event;
    LIL_TRY(expect_event(rd, YAML_STREAM_START_EVENT, "not a YAML stream"));
    LIL_TRY(expect_event(rd, YAML_DOCUMENT_START_EVENT, "the scene is empty"));
    LIL_TRY(next_event(rd, &event));
    lil_status status = read_node(rd, &event, root);
    yaml_event_delete(&event);
    LIL_TRY(status);
    LIL_TRY(expect_event(rd, YAML_DOCUMENT_END_EVENT, "the document continues where it should end"));
    return expect_event(rd, YAML_STREAM_END_EVENT, "a scene must be one YAML document");
}

lil_status lil_yaml_parse(lil_context *ctx, lil_arena *arena, const char *file, const char *text, size_t size,
                          lil_node **root)
{
    reader rd = { .ctx = ctx, .arena = arena, .file = file, .text = text, .size = size };
    const char *zero = memchr(text, 0, size); /* UTF-16 is full of them */
    if (zero)
        return fail_binary(&rd, (size_t)(zero - text), "a zero byte");
    LIL_HAVE(ctx, yaml_parser_initialize(&rd.parser));
    yaml_parser_set_input_string(&rd.parser, (const unsigned char *)text, size);
    lil_status status = read_document(&rd, root);
    yaml_parser_delete(&rd.parser);
    return status;
}
