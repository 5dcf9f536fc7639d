/* Expressions compiled to a list of instructions over numbered slots. Const once compiled; each user has slots of
 * its own, so that one program can run in several threads. */
#ifndef LIL_EXPR_PROGRAM_H
#define LIL_EXPR_PROGRAM_H

#include "core/arena.h"
#include "expr/graph.h"

/* Numbering of the graph's inputs: t, q_1..q_n, v_1..v_n. */
enum { LIL_INPUT_T = 0 };
static inline int lil_input_q(int i)
{
    return 1 + i;
}
static inline int lil_input_v(int n, int i)
{
    return 1 + n + i;
}

typedef struct lil_instruction {
    uint32_t op, out, a, b; /* lil_op, slots */
} lil_instruction;

typedef struct lil_load {
    int slot, input;
} lil_load;

/* In the place of a text: all outputs at (t, q). False: there are none. */
typedef bool lil_program_fn(void *user, double t, const double *q, double *out);

typedef struct lil_program {
    int n;              /* of q and of v */
    lil_program_fn *fn; /* NULL: the code below */
    void *user;
    const char *what; /* of fn, for messages: "'move' of 'bar'" */
    const lil_instruction *code;
    int length,
        uniform; /* so many of the first depend on t alone, and nothing overwrites what the others need of them */
    const lil_place_in *places; /* one for each instruction */
    const double *constants;    /* in the first slots, parameters among them */
    int constant_count;
    const lil_load *parameters; /* which of them are in which slot */
    int parameter_count;
    const lil_load *load_q, *load_v; /* which q_i, v_i go into which slot */
    int load_q_count, load_v_count;
    int time_slot; /* -1: t does not occur */
    int slot_count;
    const uint32_t *outputs; /* their slots */
    int output_count;
} lil_program;

lil_status lil_program_compile(lil_graph *g, lil_arena *arena, int n, const lil_ex *outputs, int count,
                               lil_program *program);

/* A callback as a program of t and q. */
lil_program lil_program_of(lil_program_fn *fn, void *user, const char *what, int n, int output_count);

/* Slots with the constants in place; NULL: no memory. Parameters are those of the arena (arena.h). */
double *lil_program_slots(const lil_program *program, lil_arena *arena);
/* From now on these slots take parameters from there, at each run. NULL: the values at compile time. */
void lil_program_follow(const lil_program *program, double *slots, const double *parameters);
void lil_program_run(const lil_program *program, double *slots, double t, const double *q, const double *v,
                     double *out);

/* At many points, q of n numbers each, to output_count numbers each; of a program without v. What depends on t alone is
 * computed once. The slots are others than those for one point. */
double *lil_program_slots_many(const lil_program *program, lil_arena *arena);
void lil_program_run_many(const lil_program *program, double *slots, double t, int count, const double *q,
                          double *out);

/* Finds the first operation whose result is not finite although its operands are. False: there is none. */
bool lil_program_explain(const lil_program *program, double *slots, double t, const double *q, const double *v,
                         char *sentence, size_t size);

#endif
