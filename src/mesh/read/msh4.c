/* gmsh's .msh, version 4.1: vertices and elements come in blocks, one for each entity of the geometry, and
 * entities know their physical groups. */
#include "mesh/read/formats.h"

#include <limits.h>
#include <stdlib.h>

enum { PHYSICAL_MAX = 64 };

struct lil_entity {
    int dim;
    int64_t tag;
    size_t order; /* as read */
    int count;
    int *physical; /* numbers of its groups, in the arena */
};

static int order_entity(const void *x, const void *y)
{
    const struct lil_entity *a = x, *b = y;
    if (a->dim != b->dim)
        return a->dim - b->dim;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void lil_msh4_end(lil_msh *m)
{
    free(m->entities);
    m->entities = NULL;
}

static lil_status read_entity(lil_msh *m, int dim, struct lil_entity *e)
{
    int64_t count, number;
    *e = (struct lil_entity){ .dim = dim, .order = (size_t)(e - m->entities) };
    LIL_TRY(lil_scan_integer(m->s, 4, "the number of an entity", INT_MIN, INT_MAX, &e->tag));
    LIL_TRY(lil_scan_skip(m->s, 8, dim ? 6 : 3, "an entity's box"));
    LIL_TRY(lil_scan_count(m->s, m->size_bytes, "the number of an entity's physical groups", 1, 4, &count));
    if (count > PHYSICAL_MAX)
        return lil_scan_fail(m->s, "an entity is in %lld physical groups, but may be in %d at most", (long long)count,
                             PHYSICAL_MAX);
    e->count = (int)count;
    LIL_ALLOC(m->s->ctx, m->b->arena, e->physical, count);
    for (int k = 0; k < e->count; k++) {
        LIL_TRY(lil_scan_integer(m->s, 4, "the number of a physical group", INT_MIN + 1, INT_MAX, &number));
        e->physical[k] = (int)(number < 0 ? -number : number);
    }
    if (!dim)
        return LIL_OK;
    LIL_TRY(lil_scan_count(m->s, m->size_bytes, "the number of an entity's sides", 1, 4, &count));
    return lil_scan_skip(m->s, 4, count, "an entity's sides");
}

lil_status lil_msh4_entities(lil_msh *m)
{
    static const char *const what[] = { "the number of points", "the number of curves", "the number of surfaces",
                                        "the number of volumes" };
    int64_t count[4], total = 0;
    if (m->entities)
        return lil_scan_fail(m->s, "a second section $Entities");
    for (int dim = 0; dim < 4; dim++) {
        LIL_TRY(lil_scan_count(m->s, m->size_bytes, what[dim], 5, 4 + 24 + m->size_bytes, &count[dim]));
        total += count[dim];
    }
    m->entities = malloc((size_t)total * sizeof *m->entities + 1);
    LIL_HAVE(m->s->ctx, m->entities);
    for (int dim = 0; dim < 4; dim++)
        for (int64_t i = 0; i < count[dim]; i++) {
            LIL_TRY(read_entity(m, dim, &m->entities[m->entity_count]));
            m->entity_count++;
        }
    return LIL_OK;
}

static const struct lil_entity *find_entity(lil_msh *m, int dim, int64_t tag)
{
    if (!m->sorted && m->entity_count)
        qsort(m->entities, m->entity_count, sizeof *m->entities, order_entity);
    m->sorted = true;
    size_t low = 0, high = m->entity_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lil_entity *e = &m->entities[middle];
        if (e->dim < dim || (e->dim == dim && e->tag < tag))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->entity_count || m->entities[low].dim != dim || m->entities[low].tag != tag)
        return NULL;
    return &m->entities[low];
}

static lil_status read_block_head(lil_msh *m, int64_t *dim, int64_t *tag)
{
    LIL_TRY(lil_scan_integer(m->s, 4, "the dimension of a block", 0, 3, dim));
    return lil_scan_integer(m->s, 4, "the entity of a block", INT_MIN, INT_MAX, tag);
}

/* how many blocks and things, and the least and largest number of one, which are not needed */
static lil_status read_section_head(lil_msh *m, const char *what, int64_t *blocks)
{
    int64_t total;
    LIL_TRY(lil_scan_count(m->s, m->size_bytes, "the number of blocks", 4, 12 + m->size_bytes, blocks));
    LIL_TRY(lil_scan_count(m->s, m->size_bytes, what, 2, 2 * m->size_bytes, &total));
    return lil_scan_skip(m->s, m->size_bytes, 2, "the least and largest number");
}

static lil_status read_node_block(lil_msh *m)
{
    int64_t dim, entity, parametric, count;
    LIL_TRY(read_block_head(m, &dim, &entity));
    LIL_TRY(lil_scan_integer(m->s, 4, "whether vertices are parametric", 0, 1, &parametric));
    int bytes = m->size_bytes;
    LIL_TRY(lil_scan_count(m->s, bytes, "the number of vertices", 4, bytes + 24, &count));
    /* first all numbers, then all coordinates: two places in the file go ahead side by side */
    lil_scan tags = *m->s;
    LIL_TRY(lil_scan_skip(m->s, bytes, count, "the numbers of vertices"));
    for (int64_t i = 0; i < count; i++) {
        int64_t tag;
        LIL_TRY(lil_scan_integer(&tags, bytes, "the number of a vertex", 0, INT64_MAX, &tag));
        LIL_TRY(lil_build_vertex(m->b, m->s, tag, 8));
        if (parametric)
            LIL_TRY(lil_scan_skip(m->s, 8, dim, "parametric coordinates"));
    }
    return LIL_OK;
}

lil_status lil_msh4_nodes(lil_msh *m)
{
    int64_t blocks;
    LIL_TRY(read_section_head(m, "the number of vertices", &blocks));
    for (int64_t i = 0; i < blocks; i++)
        LIL_TRY(read_node_block(m));
    return LIL_OK;
}

static lil_status read_element_block(lil_msh *m)
{
    int64_t dim, tag, type, count, number, nodes[LIL_MSH_VERTICES_MAX];
    int vertices, type_dim, bytes = m->size_bytes;
    LIL_TRY(read_block_head(m, &dim, &tag));
    LIL_TRY(lil_scan_integer(m->s, 4, "the type of an element", 0, INT_MAX, &type));
    LIL_TRY(lil_msh_type(m, type, &vertices, &type_dim));
    LIL_TRY(lil_scan_count(m->s, bytes, "the number of elements", 1 + vertices, bytes * (1 + vertices), &count));
    const struct lil_entity *e = find_entity(m, (int)dim, tag);
    int groups = e ? e->count : 0;
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_scan_integer(m->s, bytes, "the number of an element", INT64_MIN, INT64_MAX, &number));
        LIL_TRY(lil_msh_vertices(m, bytes, type, nodes));
        LIL_TRY(lil_msh_element(m, type, nodes, groups > 0));
        for (int k = 0; k < groups; k++)
            LIL_TRY(lil_build_mark(m->b, (int)dim, e->physical[k]));
    }
    return LIL_OK;
}

lil_status lil_msh4_elements(lil_msh *m)
{
    int64_t blocks;
    LIL_TRY(read_section_head(m, "the number of elements", &blocks));
    for (int64_t i = 0; i < blocks; i++)
        LIL_TRY(read_element_block(m));
    return LIL_OK;
}
