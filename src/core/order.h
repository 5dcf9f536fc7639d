/* Comparisons for qsort and bsearch: -1, 0 or 1. */
#ifndef LIL_CORE_ORDER_H
#define LIL_CORE_ORDER_H

static inline int lil_order(int a, int b)
{
    return (a > b) - (a < b);
}

static inline int lil_order_real(double a, double b)
{
    return (a > b) - (a < b);
}

/* Lexicographic. */
static inline int lil_order_list(const int *a, const int *b, int n)
{
    for (int k = 0; k < n; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Of ints, as qsort calls it. */
static inline int lil_order_ints(const void *a, const void *b)
{
    return lil_order(*(const int *)a, *(const int *)b);
}

#endif
