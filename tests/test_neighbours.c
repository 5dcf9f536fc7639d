/* The broad phase against looking at every pair: the same pairs, each once, in one order whatever the ways are. */
#include "geometry/neighbours.h"
#include "problems.h"

enum {
    SHARED = 240,
    ELEMENTS = 150,
    POINTS = SHARED + ELEMENTS / 5,
    PARTS = 4
}; /* each single point has one of its own */

typedef struct soup {
    double x[POINTS][3], y[POINTS][3]; /* where points are, and where they go */
    int corners[ELEMENTS][3], part[ELEMENTS];
    double reach[PARTS];
    bool meet[PARTS * PARTS];
    lil_shell shell;
} soup;

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* Triangles that share points with others, edges and single points; part 1 does not meet itself, parts 0 and 2 not each other. */
static void make_soup(soup *s)
{
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++)
            s->x[i][d] = uniform(-1, 1);
    for (int i = 0; i < ELEMENTS; i++) {
        int kind = i % 5, base = i * SHARED / ELEMENTS, part = i * PARTS / ELEMENTS;
        int first = part * SHARED / PARTS, size = SHARED / PARTS; /* points of the part */
        s->part[i] = part;
        for (int k = 0; k < 3; k++) {
            int near = (base + k * (1 + i % 3)) % size;
            s->corners[i][k] = first + near;
            for (int d = 0; d < 3 && k; d++) /* small triangles */
                s->x[first + near][d] = s->x[s->corners[i][0]][d] + uniform(-0.2, 0.2);
        }
        if (kind == 3)
            s->corners[i][2] = -1;
        if (kind == 4) {
            s->corners[i][0] = SHARED + i / 5;
            s->corners[i][1] = s->corners[i][2] = -1;
            for (int d = 0; d < 3; d++)
                s->x[SHARED + i / 5][d] = uniform(-0.2, 0.2);
        }
    }
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++)
            s->y[i][d] = s->x[i][d] + uniform(-0.05, 0.05);
    for (int a = 0; a < PARTS; a++) {
        s->reach[a] = 0.01 * (a + 1);
        for (int b = 0; b < PARTS; b++)
            s->meet[a * PARTS + b] = !(a == 1 && b == 1) && a + b != 2;
    }
    s->meet[0] = s->meet[2 * PARTS + 2] = true;
    s->shell = (lil_shell){ ELEMENTS, (const int(*)[3])s->corners, s->part, PARTS, s->reach, s->meet };
}

static int size_of(const int corners[3])
{
    return corners[1] < 0 ? 1 : corners[2] < 0 ? 2 : 3;
}

/* ---- every pair of features, found without a tree ---- */

typedef struct feature {
    int count, at[3], part;
    double low[3], high[3]; /* around both ways, widened by the margin and the part's reach */
} feature;

static const double margin = 0.02;

static void enclose(const soup *s, feature *f)
{
    double more = margin + s->reach[f->part];
    for (int d = 0; d < 3; d++) {
        f->low[d] = INFINITY, f->high[d] = -INFINITY;
        for (int i = 0; i < f->count; i++) {
            double p = s->x[f->at[i]][d], q = s->y[f->at[i]][d];
            f->low[d] = fmin(f->low[d], fmin(p, q) - more);
            f->high[d] = fmax(f->high[d], fmax(p, q) + more);
        }
    }
}

static int add_feature(feature *list, int count, feature f)
{
    for (int i = 0; i < count; i++) {
        int same = 0;
        for (int a = 0; a < f.count; a++)
            for (int b = 0; b < f.count; b++)
                same += list[i].count == f.count && list[i].at[b] == f.at[a];
        if (same == f.count)
            return count;
    }
    list[count] = f;
    return count + 1;
}

static int list_features(const soup *s, int size, feature *list)
{
    int count = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        int corners = size_of(s->corners[i]);
        for (int k = 0; k < corners && size <= corners; k++) {
            feature f = { .count = size, .part = s->part[i] };
            for (int a = 0; a < size; a++)
                f.at[a] = s->corners[i][(k + a) % corners];
            enclose(s, &f);
            count = add_feature(list, count, f);
        }
    }
    return count;
}

/* Their boxes overlap, they share no point, and their parts meet. */
static bool near(const soup *s, const feature *a, const feature *b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->at[i] == b->at[j])
                return false;
    return s->meet[a->part * PARTS + b->part];
}

/* How often a point meets a strand's edge, or a single point: a triangle of which two corners, or all, are one. */
static int count_thin(const lil_neighbours_pair *pairs, int count, int point, int a, int b)
{
    int seen = 0;
    for (int i = 0; i < count; i++) {
        const int *at = pairs[i].at;
        seen += pairs[i].kind == LIL_POINT_TRIANGLE && at[0] == point && at[1] == a && at[2] == b && at[3] == b;
    }
    return seen;
}

static int elements_with(const soup *s, int point)
{
    int found = 0;
    for (int i = 0; i < 3 * ELEMENTS; i++)
        found += s->corners[i / 3][i % 3] == point;
    return found;
}

/* Points against edges and single points of the soup; how many pairs there are of the first kind, and of both. */
static int check_thin(const soup *s, const feature *points, int np, const lil_neighbours_pair *pairs, int count)
{
    static lil_neighbours_pair few[20000];
    int expected = 0, lone = 0, thin = 0;
    for (int i = 0; i < count && thin < 20000; i++)
        if (pairs[i].at[2] == pairs[i].at[3])
            few[thin++] = pairs[i];
    for (int i = 0; i < ELEMENTS; i++) {
        const int *c = s->corners[i];
        feature f = { .count = size_of(c), .at = { c[0], c[1] }, .part = s->part[i] };
        enclose(s, &f);
        for (int k = 0; k < np && f.count == 2; k++) {
            bool is = near(s, &points[k], &f);
            expected += is;
            CHECK(count_thin(few, thin, points[k].at[0], c[0], c[1]) == is);
        }
        for (int j = i + 1; j < ELEMENTS && f.count == 1 && elements_with(s, c[0]) == 1; j++) {
            feature other = { .count = size_of(s->corners[j]), .at = { s->corners[j][0] }, .part = s->part[j] };
            if (other.count > 1 || elements_with(s, other.at[0]) > 1)
                continue;
            enclose(s, &other);
            bool is = near(s, &f, &other);
            lone += is;
            CHECK(count_thin(few, thin, c[0], other.at[0], other.at[0]) +
                      count_thin(few, thin, other.at[0], c[0], c[0]) ==
                  is);
        }
    }
    CHECK(expected > 10 && lone > 0 && thin >= expected + lone);
    return thin;
}

static bool is_pair(const lil_neighbours_pair *p, lil_pair_kind kind, const feature *a, const feature *b)
{
    int first = 0, second = 0, swapped = 0, own = a->count;
    for (int i = 0; i < own; i++)
        for (int j = 0; j < own; j++)
            first += p->at[i] == a->at[j];
    for (int i = own; i < 4; i++)
        for (int j = 0; j < 4 - own; j++)
            second += p->at[i] == b->at[j];
    for (int i = 0; i < 4 && own == 2; i++)
        for (int j = 0; j < 2; j++)
            swapped += p->at[i] == (i < 2 ? b : a)->at[j];
    return p->kind == kind && ((first == own && second == 4 - own) || swapped == 4);
}

static bool has_all_of(const lil_neighbours_pair *p, const feature *f)
{
    int found = 0;
    for (int i = 0; i < f->count; i++)
        found += p->at[0] == f->at[i] || p->at[1] == f->at[i] || p->at[2] == f->at[i] || p->at[3] == f->at[i];
    return found == f->count;
}

/* How often each of the a with each of the b is among the pairs. */
static void count_pairs(const lil_neighbours_pair *pairs, int count, lil_pair_kind kind, const feature *a, int na,
                        const feature *b, int nb, int *seen)
{
    memset(seen, 0, (size_t)na * (size_t)nb * sizeof *seen);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < na; i++)
            for (int j = 0; j < nb && pairs[k].kind == kind && has_all_of(&pairs[k], &a[i]); j++)
                seen[i * nb + j] += is_pair(&pairs[k], kind, &a[i], &b[j]);
}

TEST(every_near_pair_is_found_once)
{
    static soup s;
    static feature points[POINTS], edges[3 * ELEMENTS], triangles[ELEMENTS];
    static int seen[9 * ELEMENTS * ELEMENTS];
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_neighbours *n;
    const lil_neighbours_pair *pairs;
    int count, expected = 0;
    make_soup(&s);
    MUST(lil_neighbours_create(ctx, &arena, &s.shell, s.x[0], &n));
    MUST(lil_neighbours_find(n, NULL, s.x[0], s.y[0], margin, NULL, &pairs, &count));
    int np = list_features(&s, 1, points), ne = list_features(&s, 2, edges), nt = list_features(&s, 3, triangles);
    count_pairs(pairs, count, LIL_POINT_TRIANGLE, points, np, triangles, nt, seen);
    for (int i = 0; i < np; i++)
        for (int j = 0; j < nt; j++) {
            bool is = near(&s, &points[i], &triangles[j]);
            expected += is;
            CHECK(seen[i * nt + j] == is);
        }
    count_pairs(pairs, count, LIL_EDGE_EDGE, edges, ne, edges, ne, seen);
    for (int i = 0; i < ne; i++)
        for (int j = i + 1; j < ne; j++) {
            bool is = near(&s, &edges[i], &edges[j]);
            expected += is;
            CHECK(seen[i * ne + j] == is);
        }
    expected += check_thin(&s, points, np, pairs, count);
    CHECK(count == expected);
    CHECK(count > 100);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

static bool equal(const lil_neighbours_pair *a, const lil_neighbours_pair *b)
{
    return a->place == b->place && a->kind == b->kind && memcmp(a->at, b->at, sizeof a->at) == 0;
}

/* by their places, of which no two are the same */
static bool are_in_order(const lil_neighbours_pair *pairs, int count)
{
    for (int i = 1; i < count; i++)
        if (pairs[i].place <= pairs[i - 1].place)
            return false;
    return true;
}

TEST(a_longer_way_keeps_the_order)
{
    static soup s;
    static lil_neighbours_pair few[20000];
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_neighbours *n;
    const lil_neighbours_pair *pairs;
    int count, more, at = 0;
    make_soup(&s);
    MUST(lil_neighbours_create(ctx, &arena, &s.shell, s.x[0], &n));
    MUST(lil_neighbours_find(n, NULL, s.x[0], s.x[0], 0, NULL, &pairs, &count));
    CHECK(count > 0 && count < 20000);
    memcpy(few, pairs, (size_t)count * sizeof *few);
    lil_threads *threads = lil_threads_create(2);
    MUST(lil_neighbours_find(n, threads, s.x[0], s.y[0], 0.1, NULL, &pairs, &more));
    for (int i = 0; i < more && at < count; i++)
        at += equal(&few[at], &pairs[i]);
    CHECK(at == count && more > count);
    CHECK(are_in_order(few, count) && are_in_order(pairs, more));
    lil_threads_destroy(&threads);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

/* However far the parts go, each has the pairs with itself that it has where it stays; those with others are what they are anyway. */
TEST(what_a_part_shares_does_not_count_within_it)
{
    enum { MOST = 200000 };
    static soup s;
    static double far[POINTS];
    static lil_neighbours_pair still[MOST], going[MOST];
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_neighbours *n;
    const lil_neighbours_pair *pairs;
    int count[3], own = 0, others = 0;
    make_soup(&s);
    for (int i = 0; i < POINTS; i++) {
        far[i] = 0.02;
        for (int d = 0; d < 3; d++)
            s.y[i][d] = s.x[i][d] + 0.5;
    }
    MUST(lil_neighbours_create(ctx, &arena, &s.shell, s.x[0], &n));
    MUST(lil_neighbours_find(n, NULL, s.x[0], s.x[0], 0.02, NULL, &pairs, &count[0]));
    CHECK(count[0] < MOST);
    memcpy(still, pairs, (size_t)count[0] * sizeof *still);
    MUST(lil_neighbours_find(n, NULL, s.x[0], s.y[0], 0.02, NULL, &pairs, &count[1]));
    CHECK(count[1] < MOST);
    memcpy(going, pairs, (size_t)count[1] * sizeof *going);
    lil_neighbours_own view = { .x = s.x[0], .far = far };
    MUST(lil_neighbours_find(n, NULL, s.x[0], s.y[0], 0.02, &view, &pairs, &count[2]));
    for (int i = 0; i < count[2]; i++) {
        bool same = pairs[i].part[0] == pairs[i].part[1];
        const lil_neighbours_pair *in = same ? still : going;
        int *at = same ? &own : &others, most = same ? count[0] : count[1];
        while (*at < most && ((in[*at].part[0] == in[*at].part[1]) != same || !equal(&in[*at], &pairs[i]))) {
            CHECK((in[*at].part[0] == in[*at].part[1]) != same); /* none is left out */
            ++*at;
        }
        CHECK(*at < most);
        ++*at;
    }
    CHECK(count[2] < count[1]);
    for (; own < count[0]; own++)
        CHECK(still[own].part[0] != still[own].part[1]);
    for (; others < count[1]; others++)
        CHECK(going[others].part[0] == going[others].part[1]);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

/* ---- what is known at rest ---- */

enum { AROUND = 6, ALONG = 40, TUBE = AROUND * (ALONG + 1), SKINS = 2 * AROUND * ALONG };

/* A tube that is bent to a part of a ring, and what is near in it. */
typedef struct tube {
    double rest[TUBE][3], x[TUBE][3], y[TUBE][3], far[TUBE];
    int corners[SKINS][3], part[SKINS];
    double reach[1], thickness[1];
    bool meet[1];
    lil_shell shell;
} tube;

/* `turns` of a ring of length 1, as much thinner at places as `ripple` says, turned about its axis and shifted. */
static void bend(double turns, double ripple, double turn, double shift, double x[TUBE][3])
{
    const double RADIUS = 0.03, PI = acos(-1);
    for (int i = 0; i < TUBE; i++) {
        double s = (double)(i / AROUND) / ALONG, round = 2 * PI * (i % AROUND) / AROUND, angle = 2 * PI * turns * s;
        double ring = 1 / (2 * PI * turns), thin = sin(20 * s);
        double thick = RADIUS * (1 - ripple * thin * thin);
        double out = ring + thick * cos(round), X = out * cos(angle + turn), Y = out * sin(angle + turn);
        x[i][0] = X + shift;
        x[i][1] = Y - shift / 2;
        x[i][2] = thick * sin(round) + 0.02 * s;
    }
}

static void make_tube(tube *t)
{
    for (int i = 0; i < SKINS; i++) {
        int ring = i / 2 / AROUND * AROUND, a = i / 2 % AROUND, b = (a + 1) % AROUND;
        int first[3] = { ring + a, ring + b, ring + AROUND + a },
            second[3] = { ring + b, ring + AROUND + b, ring + AROUND + a };
        memcpy(t->corners[i], i % 2 ? second : first, sizeof first);
        t->part[i] = 0;
    }
    t->reach[0] = 0.004;
    t->thickness[0] = 0;
    t->meet[0] = true;
    t->shell = (lil_shell){ SKINS, (const int(*)[3])t->corners, t->part, 1, t->reach, t->meet };
    bend(0.6, 0, 0, 0, t->rest);
}

static double distance(const lil_neighbours_pair *pair, double x[TUBE][3])
{
    double at[12];
    for (int k = 0; k < 12; k++)
        at[k] = x[pair->at[k / 3]][k % 3];
    return sqrt(lil_pair_square(pair->kind, at));
}

/* Within reach, or nearer than half of what it is at rest: those that count. */
static bool counts(const tube *t, const lil_neighbours_pair *pair, double x[TUBE][3])
{
    double d = distance(pair, x);
    return d < 2 * t->reach[0] && d < distance(pair, (double(*)[3])t->rest) / 2;
}

/* How many pairs of `all`, which has them in order, count with points at x; each of them must be in `list`. */
static int check_all_there(const tube *t, const lil_neighbours_pair *all, int all_count, double x[TUBE][3],
                           const lil_neighbours_pair *list, int count)
{
    int near = 0, at = 0;
    for (int i = 0; i < all_count; i++) {
        bool in = at < count && equal(&all[i], &list[at]);
        bool is = counts(t, &all[i], x);
        near += is;
        CHECK(in || !is);
        at += in;
    }
    CHECK(at == count); /* nothing else is in it, and the order is the same */
    return near;
}

/* The tube goes from one place to another. How many pairs count there or between; in *listed how many were found. */
static int look_between(tube *t, const lil_neighbours_pair *all, int all_count, lil_neighbours *n, int *listed)
{
    static double between[TUBE][3];
    const lil_neighbours_pair *pairs;
    double slack = 0;
    int near = 0, count;
    for (int i = 0; i < TUBE; i++) {
        double way[3] = { t->y[i][0] - t->x[i][0], t->y[i][1] - t->x[i][1], t->y[i][2] - t->x[i][2] };
        t->far[i] = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) + 0.001;
    }
    lil_neighbours_own own = { .x = t->x[0], .far = t->far, .to = { t->y[0] } };
    CHECK(lil_neighbours_find(n, NULL, t->x[0], t->y[0], 0.001, &own, &pairs, &count) == LIL_OK);
    CHECK(lil_neighbours_hold(n, NULL, t->x[0]) >= 0 && lil_neighbours_hold(n, NULL, t->y[0]) >= 0);
    for (int step = test_small() ? 5 : 0; step <= 5; step++) {
        if (step == 5) /* beside the end */
            slack = fmin(fmin(lil_neighbours_slack(n), lil_neighbours_hold(n, NULL, t->y[0])), 0.001) / 2;
        for (int i = 0; i < 3 * TUBE; i++)
            between[i / 3][i % 3] = t->x[i / 3][i % 3] +
                                    fmin(step / 4., 1) * (t->y[i / 3][i % 3] - t->x[i / 3][i % 3]) +
                                    uniform(-slack, slack);
        near += check_all_there(t, all, all_count, between, pairs, count);
    }
    CHECK(are_in_order(pairs, count)); /* also those that come from the list at rest */
    *listed = count;
    return near;
}

/* Nothing that comes near is left out, whether the shape changes little, much, or the ends of the ring meet; and little else is listed. */
TEST(what_is_known_at_rest_leaves_out_nothing)
{
    enum { WAYS = 6 };
    const double turns[WAYS][2] = { { 0.6, 0.6 },    { 0.6, 0.62 }, { 0.9, 0.91 },
                                    { 0.98, 0.995 }, { 0.6, 0.3 },  { 0.7, 0.7 } };
    const double ripple[WAYS][2] = { { 0, 0 }, { 0, 0.02 }, { 0.1, 0.1 }, { 0, 0 }, { 0.3, 0.5 }, { 0.95, 0.97 } };
    const double turn[WAYS] = { 0.1, 0.1, 0.02, 0.05, -0.2, 0 };
    static tube t;
    static lil_neighbours_pair all[450000];
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_neighbours *plain, *knowing;
    const lil_neighbours_pair *pairs;
    int all_count, near[WAYS], listed[WAYS];
    make_tube(&t);
    MUST(lil_neighbours_create(ctx, &arena, &t.shell, t.rest[0], &plain));
    MUST(lil_neighbours_find(plain, NULL, t.rest[0], t.rest[0], 10, NULL, &pairs, &all_count));
    CHECK(all_count <= 450000);
    memcpy(all, pairs, (size_t)all_count * sizeof *all);
    MUST(lil_neighbours_create(ctx, &arena, &t.shell, t.rest[0], &knowing));
    MUST(lil_neighbours_know_rest(knowing, NULL, t.rest[0], TUBE, t.thickness));
    for (int i = 0; i < WAYS; i += test_small() && i == 1 ? 2 : 1) {
        bend(turns[i][0], ripple[i][0], 0, 0, t.x);
        bend(turns[i][1], ripple[i][1], turn[i], 0.3, t.y);
        near[i] = look_between(&t, all, all_count, knowing, &listed[i]);
    }
    CHECK(near[0] == 0 && near[1] == 0 && listed[0] == 0 && listed[1] < all_count / 100); /* it has its shape */
    CHECK(near[3] > 0);                                                                   /* the ends meet, */
    CHECK(near[5] > 0);                                                                   /*   or it is pinched */
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

/* The search for contact, its sums and its reach, of two boxes that meet: several pieces of work on several threads. */
TEST(contact_has_the_same_bits_on_any_number_of_threads)
{
    static double first[3000];
    lil_context *ctx = lil_context_create();
    for (int threads = 1; threads <= 3; threads += 2) {
        MUST(lil_context_set_threads(ctx, threads));
        lil_run *run = problem(
            ctx, "bodies:\n"
                 "  a: {shape: {type: box, size: [0.2, 0.2, 0.1], cells: [6, 6, 1]}, material: jelly}\n"
                 "  b: {shape: {type: box, size: [0.2, 0.2, 0.1], cells: [6, 6, 1]}, at: [0.01, 0.02, 0.101],\n"
                 "      material: jelly, start: {push: [0.2, 0, -0.5]}}\n"
                 "contact: {method: barrier, d_hat: 0.005, friction: 0.3}\ntime: {step: 0.005, until: 0.01}\n");
        lil_sim *sim = lil_run_sim(run);
        const lil_state *x = lil_sim_state(sim);
        for (int i = 0; i < 2; i++)
            MUST(lil_sim_step(sim));
        CHECK(x->n <= 3000 && lil_sim_certificate(sim).first_contact < 0.01);
        if (threads == 1)
            memcpy(first, x->q, (size_t)x->n * sizeof *first);
        CHECK(memcmp(first, x->q, (size_t)x->n * sizeof *first) == 0);
        lil_run_destroy(&run);
    }
    lil_context_destroy(&ctx);
}

int main(void)
{
    srand(3);
    RUN(every_near_pair_is_found_once);
    RUN(a_longer_way_keeps_the_order);
    RUN(contact_has_the_same_bits_on_any_number_of_threads);
    RUN(what_a_part_shares_does_not_count_within_it);
    RUN(what_is_known_at_rest_leaves_out_nothing);
    return test_end();
}
