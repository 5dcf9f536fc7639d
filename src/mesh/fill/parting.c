/*
 * Where parts of a solid only touch: in a point or along an edge. That happens at points on the surface alone, as the
 * parts of the tets around a cut make a disc. The 24 tets around such a point are the triangles of a sphere; the
 * solid's part of it and the rest must be in one piece each, then both are discs.
 */
#include "mesh/fill/stuffing.h"

#include <string.h>

enum { TETS = 24 };

/* The tets around a point of a kind: steps to their other three corners, and which tets share a face. */
typedef struct surroundings {
    int corner[TETS][3];
    int next[TETS][3]; /* across the face without corner k */
} surroundings;

static bool are_neighbours(const lil_lattice *l, int kind, int step)
{
    for (int i = 0; i < LIL_LATTICE_EDGES; i++)
        if (l->step[kind][i] == step)
            return true;
    return false;
}

/* A tet has two points of each kind: this one, a long neighbour, and two short neighbours of both that are a long edge
 * apart. */
static void make_star(const lil_lattice *l, int kind, surroundings *star)
{
    const int *step = l->step[kind];
    int n = 0;
    for (int a = 0; a < 6; a++)
        for (int b = 6; b < LIL_LATTICE_EDGES; b++)
            for (int c = 6; c < b; c++)
                if (are_neighbours(l, kind, step[b] - step[a]) && are_neighbours(l, kind, step[c] - step[a]) &&
                    are_neighbours(l, 1 - kind, step[b] - step[c]) && n < TETS) {
                    const int corner[3] = { step[a], step[b], step[c] };
                    memcpy(star->corner[n++], corner, sizeof corner);
                }
    for (int t = 0; t < TETS; t++)
        for (int u = 0; u < TETS; u++)
            for (int k = 0; k < 3 && u != t; k++) {
                int x = star->corner[t][(k + 1) % 3], y = star->corner[t][(k + 2) % 3], found = 0;
                for (int i = 0; i < 3; i++)
                    found += star->corner[u][i] == x || star->corner[u][i] == y;
                if (found == 2)
                    star->next[t][k] = u;
            }
}

/* The number of pieces of the solid (side 1) or of its complement (side -1) around the point. */
static int pieces(const lil_lattice *l, const surroundings *star, int point, int side)
{
    bool has[TETS], whole[TETS], seen[TETS] = { false };
    int count = 0, stack[TETS * 3], depth = 0;
    for (int t = 0; t < TETS; t++) {
        bool in = false, out = false;
        for (int k = 0; k < 3; k++) {
            in = in || l->sign[point + star->corner[t][k]] > 0;
            out = out || l->sign[point + star->corner[t][k]] < 0;
        }
        has[t] = side > 0 ? in : out || !in;
        whole[t] = side > 0 ? in && !out : !in; /* also where all of a face is on the surface */
    }
    for (int root = 0; root < TETS; root++) {
        if (!has[root] || seen[root])
            continue;
        count++;
        seen[root] = true;
        stack[depth++] = root;
        while (depth) {
            int t = stack[--depth];
            for (int k = 0; k < 3; k++) {
                int u = star->next[t][k], a = l->sign[point + star->corner[t][(k + 1) % 3]],
                    b = l->sign[point + star->corner[t][(k + 2) % 3]];
                bool joined = a == side || b == side || (a == 0 && b == 0 && whole[t] && whole[u]);
                if (!seen[u] && has[u] && joined) {
                    seen[u] = true;
                    stack[depth++] = u;
                }
            }
        }
    }
    return count;
}

/* Its state before it was moved: it has cuts if it was inside. */
static int8_t sign_before(const lil_lattice *l, int point)
{
    return l->first[point + 1] > l->first[point] ? 1 : -1;
}

int lil_lattice_part(lil_lattice *l)
{
    surroundings stars[2];
    int changed = 1, all = 0;
    for (int kind = 0; kind < 2; kind++)
        make_star(l, kind, &stars[kind]);
    while (changed) { /* each time fewer are on the surface */
        changed = 0;
        for (int p = 0; p < l->points; p++) {
            if (l->sign[p] != 0)
                continue;
            const surroundings *star = &stars[p & 1];
            if (pieces(l, star, p, 1) > 1 || pieces(l, star, p, -1) > 1) {
                l->sign[p] = sign_before(l, p);
                changed++;
            }
        }
        all += changed;
    }
    return all;
}
