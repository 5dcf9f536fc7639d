/* lil_model_check: every model that is built passes, and each thing that cannot be gets its sentence when a test breaks it. */
#include "solids.h"

#include "model/model_check.h"
#include "terms/tets.h"

static lil_context *ctx;

/* value breaks *place: the sentence has `words`. Then all is as it was. */
#define BREAK(check, place, value, words)                                                                            \
    do {                                                                                                             \
        __typeof__(place) kept_ = (place);                                                                           \
        CHECK((check) == LIL_OK);                                                                                    \
        (place) = (value);                                                                                           \
        CHECK((check) == LIL_ERR_ARGUMENT);                                                                          \
        if (!strstr(lil_context_message(ctx), words)) {                                                              \
            test_failures++;                                                                                         \
            printf("%s:%d: '%s' is not in '%s'\n", __FILE__, __LINE__, words, lil_context_message(ctx));             \
        }                                                                                                            \
        (place) = kept_;                                                                                             \
        CHECK((check) == LIL_OK);                                                                                    \
    } while (0)

#define MODEL(place, value, words) BREAK(lil_model_check(ctx, model), place, value, words)

static const char *const BODY =
    "gravity: 9.81\nbodies:\n  jelly:\n    shape: {type: box, size: [0.2, 0.2, 0.3], cells: [9, 9, 13]}\n"
    "    material: jelly\n    groups: {chin: bottom}\n    handles: [{select: top, move: [0.01*t, 0, 0]}]\n"
    "observe: {x: \"chin[1]\"}\nobstacles: {floor: {plane: {point: [0, 0, -0.2], normal: [0, 0, 1]}}}\n"
    "integrator: midpoint\ntime: {step: 0.01, until: 1}\n";

TEST(what_bodies_are_made_of)
{
    lil_run *run = problem(ctx, BODY);
    lil_model *model = (lil_model *)lil_run_model(run);
    int *free = (int *)model->dofs.free, *number = (int *)model->dofs.number;
    CHECK(model->dofs.script_count == 1 && model->points.mark_count > 0 && model->term_count > 1);
    MODEL(model->n, -1, "-1 degrees of freedom");
    MODEL(free[5], free[4], "do not ascend");
    MODEL(free[model->n - 1], model->dofs.total, "degree of freedom");
    MODEL(number[free[3]], 7, "which is another coordinate");
    MODEL(number[free[3]], -1, "have a coordinate");
    MODEL(model->names[2], NULL, "degree of freedom 2 has no name");
    MODEL(((double *)model->dofs.held)[0], NAN, "coordinate 0 starts at nan");
    MODEL(((int *)model->dofs.scripts[0].vertices)[0], free[0] / 3, "which is not held");
    MODEL(((double *)model->mass.diagonal)[1], 0, "the mass of 'jelly");
    MODEL(((double *)model->mass.diagonal)[1], INFINITY, "is inf");
    MODEL(((double *)model->points.mass)[free[0] / 3], -1, "is -1");
    MODEL(model->points.count, model->points.count - 1, "vertices, but");
    MODEL(((int *)model->points.marks[0].vertices)[0], -3, "has vertex -3");
    MODEL(((double *)model->points.marks[0].weights)[0], 2, "add up to");
    lil_run_destroy(&run);
}

TEST(terms_and_what_the_model_says_of_them)
{
    lil_run *run = problem(ctx, BODY);
    lil_model *model = (lil_model *)lil_run_model(run);
    lil_term_table other = *model->terms[0].table;
    MODEL(model->term_count, -1, "-1 terms");
    MODEL(model->terms[0].table, NULL, "term 0 has no table");
    other.place = LIL_PLACE_COUNT;
    MODEL(model->terms[0].table, &other, "has place");
    other.place = LIL_LAGRANGIAN;
    MODEL(model->terms[0].table, &other, "a mass that is not constant");
    MODEL(model->place_count[LIL_POTENTIAL], 17, "and the model counts 17");
    MODEL(model->touches, false, "its terms touch (1)");
    model->uses_time = false; /* which only a handle did */
    MODEL(model->terms[0].uses_t, true, "the model does not know");
    lil_run_destroy(&run);
}

TEST(chunks_that_are_worked_on_at_once)
{
    lil_run *run = problem(ctx, BODY);
    lil_model *model = (lil_model *)lil_run_model(run);
    int i = 0;
    while (strcmp(model->terms[i].table->name, "tets") != 0)
        i++;
    lil_tets *t = model->terms[i].data;
    lil_tet_chunks *c = &t->chunks;
    CHECK(c->count > 1 && c->shared_count > 0); /* there is something to be in conflict about */
    MODEL(((int(*)[4])t->tets)[0][2], -1, "a tet has a vertex");
    MODEL(((int(*)[4])t->tets)[0][2], model->points.count, "a tet has a vertex");
    MODEL(t->count, t->count - 1, "another number of tets");
    MODEL(c->chunks[0].own_count, c->chunks[0].own_count + 1, "one chunk's own");
    MODEL(c->chunks[1].block_count, c->block_count, "beyond what there is");
    MODEL(c->slot_vertex[0], model->points.count, "a chunk has a vertex");
    MODEL(c->blocks[0].slot[1][2], LIL_CHUNK_SLOTS, "a slot that its chunk has not");
    MODEL(c->sums[1], c->sums[0] + 1, "fewer than two shares");
    MODEL(c->sum_share[0], c->share_count, "a share that is not there");
    lil_run_destroy(&run);
}

TEST(constraints_and_starts)
{
    lil_run *run =
        problem(ctx, "particles: {chain: {type: rope, to: [1, 0, 0], length: 1.1, count: 5, mass: 1, fixed: first}}\n"
                     "gravity: 9.81\nintegrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    lil_model *model = (lil_model *)lil_run_model(run);
    lil_constraint *set = (lil_constraint *)model->constraints;
    lil_link *links = (lil_link *)set->data;
    CHECK(set->table == &lil_constraint_distance);
    MODEL(set->count, -1, "or -1 members");
    MODEL(links[1].j, 5, "coordinate 1"); /* 15, 16, 17 of 15 */
    MODEL(links[1].j, -1, "coordinate -");
    double q0[15] = { 0 }, v0[15] = { 0 };
    model->q0 = q0;
    model->v0 = v0;
    MODEL(v0[3], NAN, "with nan");
    model->q0 = model->v0 = NULL;
    lil_run_destroy(&run);
}

TEST(a_mass_that_is_no_diagonal)
{
    lil_run *run = problem(ctx, "lagrangian: dx^2 + dy^2 + dx*dy - x^2 - y^2\nstart: {x: 1, y: 0}\n"
                                "integrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    lil_model *model = (lil_model *)lil_run_model(run);
    lil_pattern *p = &model->mass.pattern;
    CHECK(model->mass.constant && !model->mass.diagonal && p->count == 4);
    MODEL(p->count, 3, "pattern of the mass");
    MODEL(p->row[0], 1, "are not sorted");
    MODEL(p->row[3], 2, "row 2 is not there");
    MODEL(((double *)model->mass.values)[1], INFINITY, "entry 1 of the mass is inf");
    MODEL(model->dofs.total, 3, "none of them held");
    lil_run_destroy(&run);
}

/* ---- evaluators ---- */

#define EVALUATOR(place, value, words) BREAK(lil_evaluator_check(&ev), place, value, words)

TEST(entries_and_their_pattern)
{
    lil_run *run = problem(ctx, "lagrangian: sum(i, 1, 4, 1/2*dx[i]^2) - sum(i, 1, 3, (x[i+1] - x[i])^2)\n"
                                "start: {x: [0, 0, 0, 1]}\nintegrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    lil_evaluator ev;
    lil_arena arena = { 0 };
    MUST(lil_evaluator_create(ctx, &arena, lil_run_model(run), LIL_SECOND_ENTRIES, LIL_SECOND_NONE, &ev));
    lil_pattern *p = &ev.matrix.pattern;
    EVALUATOR(ev.entries[0].row[0], 4, "entry 0 of term 0");
    EVALUATOR(ev.entries[0].col[1], -1, "entry 1 of term 0");
    EVALUATOR(ev.matrix.where[0][0], p->count, "goes to place");
    EVALUATOR(p->row[1], 3, "but none in"); /* (3, 0) in the place of (1, 0) */
    EVALUATOR(p->row[0], 9, "are not sorted");
    EVALUATOR(p->start[4], p->count - 1, "the pattern of the matrix");
    lil_evaluator_destroy(&ev);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

TEST(sweeps_that_run_at_once)
{
    lil_run *run = problem(ctx, "bodies:\n  jelly:\n    shape: {type: box, size: [1, 1, 1], cells: [12, 12, 12]}\n"
                                "    material: jelly\nintegrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    lil_evaluator ev;
    lil_arena arena = { 0 };
    MUST(lil_evaluator_create(ctx, &arena, lil_run_model(run), LIL_SECOND_BLOCKS, LIL_SECOND_NONE, &ev));
    lil_blocks *A = &ev.blocks.A;
    CHECK(A->phases > 1);                               /* 2197 rows are three chunks of 1024 at most */
    EVALUATOR(A->phase[1], A->chunks, "swept at once"); /* all chunks in one phase */
    EVALUATOR(A->at[0][1], A->n, "couples rows");
    lil_evaluator_destroy(&ev);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(what_bodies_are_made_of);
    RUN(terms_and_what_the_model_says_of_them);
    RUN(chunks_that_are_worked_on_at_once);
    RUN(constraints_and_starts);
    RUN(a_mass_that_is_no_diagonal);
    RUN(entries_and_their_pattern);
    RUN(sweeps_that_run_at_once);
    lil_context_destroy(&ctx);
    return test_end();
}
