/* Disjoint sets of 0 ... n - 1 (union-find). The root of a set is its smallest member, whatever the order of the
 * joins. */
#ifndef LIL_CORE_DISJOINT_SETS_H
#define LIL_CORE_DISJOINT_SETS_H

/* Each number is a separate set. */
static inline void lil_sets_begin(int *parent, int n)
{
    for (int i = 0; i < n; i++)
        parent[i] = i;
}

static inline int lil_sets_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]]; /* halves the path for the next call */
    return i;
}

static inline void lil_sets_join(int *parent, int i, int j)
{
    int a = lil_sets_root(parent, i), b = lil_sets_root(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Numbers the sets from 0 on, in the order of their roots, and returns how many there are. */
static inline int lil_sets_number(int *parent, int n, int *number)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int root = lil_sets_root(parent, i);
        number[i] = root == i ? count++ : number[root];
    }
    return count;
}

#endif
