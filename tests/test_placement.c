/* Where bodies, particles and meshes of obstacles are put: by their box, exactly. */
#include "problems.h"

#include "run/run.h"

#include <lilyan/world.h>

static lil_context *ctx;

static void must(lil_status status)
{
    if (status != LIL_OK) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
}

/* A tet of 2 x 1 x 4 m whose origin is outside it. All numbers are exact in binary, so quarter turns and shifts are. */
static const double corners[12] = { 5, 5, 5, 7, 5, 5, 5, 6, 5, 5, 5, 9 };
static const int tets[1][4] = { { 0, 1, 2, 3 } };

static lil_body_def tet(void)
{
    lil_body_def def = lil_body_def_default();
    def.name = "tet";
    def.vertex_count = 4, def.x = corners, def.tet_count = 1, def.tets = tets;
    def.material.name = "rubber";
    return def;
}

static void find_box(const double *x, int count, double least[3], double most[3])
{
    for (int d = 0; d < 3; d++) {
        least[d] = INFINITY, most[d] = -INFINITY;
        for (int i = 0; i < count; i++)
            least[d] = fmin(least[d], x[3 * i + d]), most[d] = fmax(most[d], x[3 * i + d]);
    }
}

static void place(const lil_body_def *def, double least[3], double most[3])
{
    lil_world *world;
    lil_mesh_info info;
    int body;
    must(lil_world_create(ctx, &world));
    must(lil_world_add_body(world, def, &body));
    must(lil_world_look(world, body, &info));
    find_box(info.x, info.vertex_count, least, most);
    lil_world_destroy(&world);
}

static bool are(const double x[3], double a, double b, double c)
{
    return x[0] == a && x[1] == b && x[2] == c;
}

TEST(the_lowest_point_stands_at_its_height)
{
    lil_body_def def = tet();
    double least[3], most[3];
    def.at[0] = 1, def.at[1] = 2, def.at[2] = 0.5;
    def.base = LIL_BASE_LOWEST_Z;
    place(&def, least, most);
    CHECK(are(least, 0, 1.5, 0.5) && are(most, 2, 2.5, 4.5));
    def.base = LIL_BASE_LOWEST_Y;
    place(&def, least, most);
    CHECK(are(least, 0, 2, -1.5) && are(most, 2, 3, 2.5));
    def.rotate[0] = 90; /* y becomes z */
    def.base = LIL_BASE_LOWEST_Z;
    place(&def, least, most);
    CHECK(are(least, 0, 0, 0.5) && are(most, 2, 4, 1.5));
    def.rotate[1] = 33; /* whatever the angle, nothing is rounded at the floor itself */
    def.at[2] = 0;
    place(&def, least, most);
    CHECK(least[2] == 0);
}

TEST(the_centre_is_where_it_is_put)
{
    lil_body_def def = tet();
    double least[3], most[3];
    def.base = LIL_BASE_CENTRE;
    def.rotate[1] = 90; /* z becomes x */
    def.at[2] = 7;
    place(&def, least, most);
    CHECK(are(least, -2, -0.5, 6) && are(most, 2, 0.5, 8));
}

TEST(a_body_rotates_about_its_own_centre)
{
    lil_body_def def = tet();
    double least[3], most[3];
    def.rotate[2] = 90; /* x becomes y; the centre is (6, 5.5, 7) */
    def.about_centre = true;
    place(&def, least, most);
    CHECK(are(least, 5.5, 4.5, 5) && are(most, 6.5, 6.5, 9));
    def.about_centre = false; /* about the origin */
    place(&def, least, most);
    CHECK(are(least, -6, 5, 5) && are(most, -5, 7, 9));
}

TEST(the_largest_extent_is_as_asked)
{
    lil_body_def def = tet();
    double least[3], most[3];
    def.largest = 1;
    def.base = LIL_BASE_LOWEST_Z;
    place(&def, least, most);
    CHECK(are(least, -0.25, -0.125, 0) && are(most, 0.25, 0.125, 1));
    def.scale[1] = 16; /* proportions first: 2 x 16 x 4 */
    place(&def, least, most);
    CHECK(are(least, -0.0625, -0.5, 0) && are(most, 0.0625, 0.5, 0.25));
}

/* What rides in the tets decides where its body stands: here twice as far down as they are. */
TEST(a_surface_stands_on_its_faces)
{
    static const double shell[15] = { 5, 5, 1, 7, 5, 1, 5, 6, 1, 5, 5, 9, 0, 0, -100 }; /* the last is in no face */
    static const int faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
    lil_body_def def = tet();
    double least[3], most[3];
    def.surface_vertex_count = 5, def.surface_x = shell;
    def.triangle_count = 4, def.triangles = faces;
    def.base = LIL_BASE_LOWEST_Z;
    place(&def, least, most);
    CHECK(are(least, -1, -0.5, 4) && are(most, 1, 0.5, 8));
    def.largest = 1;
    place(&def, least, most);
    CHECK(are(least, -0.125, -0.0625, 0.5) && are(most, 0.125, 0.0625, 1));
}

/* A sheet of 2 x 2 m that was given a thickness of 0.5 m is 2.5 m large. Its layer of tets ends within 1 % of that. */
TEST(a_sheet_has_its_thickness)
{
    static const double square[12] = { 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0 };
    static const int halves[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
    lil_fill_def fill = lil_fill_def_default();
    lil_body_def def = lil_body_def_default();
    lil_mesh *mesh;
    double least[3], most[3];
    fill.x = square, fill.vertex_count = 4, fill.triangles = halves, fill.triangle_count = 2;
    fill.thickness = fill.edge = 0.5;
    must(lil_mesh_create_filled(ctx, &fill, &mesh));
    def.name = "sheet", def.mesh = mesh, def.material.name = "rubber";
    def.base = LIL_BASE_LOWEST_Z;
    def.largest = 5;
    place(&def, least, most);
    CHECK(least[2] == 0 && fabs(most[2] - 1) < 0.01 &&
          fabs(fmax(most[0] - least[0], most[1] - least[1]) - 5) < 1e-12);
    lil_mesh_destroy(&mesh);
}

TEST(particles_stand_on_their_radius)
{
    static const double x[6] = { 0, 0, 3, 2, 0, 4 };
    lil_particles_def def = lil_particles_def_default();
    lil_world *world;
    lil_mesh_info info;
    double least[3], most[3];
    int body;
    def.name = "balls", def.count = 2, def.x = x, def.each = 1, def.radius = 0.25;
    def.base = LIL_BASE_LOWEST_Z;
    must(lil_world_create(ctx, &world));
    must(lil_world_add_particles(world, &def, &body));
    must(lil_world_look(world, body, &info));
    find_box(info.x, info.vertex_count, least, most);
    CHECK(are(least, -1, 0, 0.25) && are(most, 1, 0, 1.25));
    lil_world_destroy(&world);
}

TEST(what_cannot_be_placed_is_refused)
{
    lil_world *world;
    int body;
    lil_body_def def = tet();
    must(lil_world_create(ctx, &world));
    def.largest = -1;
    CHECK(lil_world_add_body(world, &def, &body) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "'size' must be positive"));
    def.largest = NAN;
    CHECK(lil_world_add_body(world, &def, &body) == LIL_ERR_INPUT);
    def.largest = 0;
    def.base = 7;
    CHECK(lil_world_add_body(world, &def, &body) == LIL_ERR_ARGUMENT);
    lil_world_destroy(&world);
}

/* ---- groups ---- */

TEST(all_and_the_nearest_vertex_are_found)
{
    lil_world *world;
    lil_group_info all;
    int body, vertex;
    lil_body_def def = tet();
    must(lil_world_create(ctx, &world));
    must(lil_world_add_body(world, &def, &body));
    must(lil_world_find_group(world, body, "all", &all));
    CHECK(all.count == 4 && all.vertices[0] == 0 && all.vertices[3] == 3);
    must(lil_world_find_nearest(world, body, (double[3]){ 5, 5, 100 }, &vertex));
    CHECK(vertex == 3);
    must(lil_world_find_nearest(world, body, (double[3]){ 6, 5, 5 }, &vertex)); /* as near to 0 as to 1 */
    CHECK(vertex == 0);
    CHECK(lil_world_find_nearest(world, body, (double[3]){ NAN, 5, 5 }, &vertex) == LIL_ERR_NOT_FINITE);
    lil_world_destroy(&world);
}

/* ---- scenes ---- */

#define BOX "{type: box, size: [2, 1, 4], cells: [1, 1, 1]}, material: rubber"

static const double *rest_of(const lil_run *run, int body, double least[3], double most[3])
{
    const lil_mesh *mesh = &run->plan.world->list[body].mesh;
    find_box(mesh->x, mesh->vertex_count, least, most);
    return mesh->x;
}

TEST(scenes_say_it_likewise)
{
    double least[3], most[3];
    lil_run *run =
        problem(ctx, "bodies:\n"
                     "  a: {shape: " BOX ", at: {floor: 0.5, x: 1, y: 2}}\n"
                     "  b: {shape: " BOX ", at: {floor: 0}, rotate: [90, 0, 0], size: 1}\n"
                     "  c: {shape: " BOX ", at: {centre: [10, 0, 7]}, rotate: [0, 90, 0]}\n"
                     "  d: {shape: " BOX ", at: [20, 0, 0], rotate: {degrees: [0, 0, 90], about: centre}}\n"
                     "particles:\n"
                     "  r: {type: chain, to: [1, 0, 1], count: 2, mass: 1, radius: 0.25, at: {floor: 0}}\n"
                     "time: {step: 0.1, until: 1}\n");
    rest_of(run, 0, least, most);
    CHECK(are(least, 0, 1.5, 0.5) && are(most, 2, 2.5, 4.5));
    rest_of(run, 1, least, most);
    CHECK(are(least, -0.25, -0.5, 0) && are(most, 0.25, 0.5, 0.25));
    rest_of(run, 2, least, most);
    CHECK(are(least, 8, -0.5, 6) && are(most, 12, 0.5, 8));
    rest_of(run, 3, least, most);
    CHECK(are(least, 19.5, -1, -2) && are(most, 20.5, 1, 2));
    rest_of(run, 4, least, most);
    CHECK(least[2] == 0.25);
    lil_run_destroy(&run);
}

TEST(with_y_up_the_floor_is_below_in_y)
{
    double least[3], most[3];
    lil_run *run = problem(ctx, "up: y\nbodies:\n"
                                "  a: {shape: " BOX ", at: {floor: 0.5, x: 1, z: 2}}\n"
                                "time: {step: 0.1, until: 1}\n");
    rest_of(run, 0, least, most);
    CHECK(are(least, 0, 0.5, 0) && are(most, 2, 1.5, 4));
    lil_run_destroy(&run);
}

TEST(selections_know_all_and_nearest)
{
    lil_run *run = problem(ctx, "bodies:\n"
                                "  a: {shape: " BOX ", fixed: all}\n"
                                "  b: {shape: " BOX ", at: [5, 0, 0], fixed: {nearest: [[9, 9, 9], [9, 9, -9]]}}\n"
                                "time: {step: 0.1, until: 1}\n");
    const lil_world *w = run->plan.world;
    int held[2] = { 0, 0 };
    for (int b = 0; b < 2; b++)
        for (int v = 0; v < w->list[b].mesh.vertex_count; v++) {
            const double *x = w->list[b].mesh.x + 3 * v;
            held[b] += w->held[w->list[b].first + v];
            if (b == 1 && w->held[w->list[b].first + v])
                CHECK(x[0] == 6 && x[1] == 0.5 && fabs(x[2]) == 2);
        }
    CHECK(held[0] == w->list[0].mesh.vertex_count && held[1] == 2);
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(the_lowest_point_stands_at_its_height);
    RUN(the_centre_is_where_it_is_put);
    RUN(a_body_rotates_about_its_own_centre);
    RUN(the_largest_extent_is_as_asked);
    RUN(a_surface_stands_on_its_faces);
    RUN(a_sheet_has_its_thickness);
    RUN(particles_stand_on_their_radius);
    RUN(what_cannot_be_placed_is_refused);
    RUN(all_and_the_nearest_vertex_are_found);
    RUN(scenes_say_it_likewise);
    RUN(with_y_up_the_floor_is_below_in_y);
    RUN(selections_know_all_and_nearest);
    lil_context_destroy(&ctx);
    return test_end();
}
