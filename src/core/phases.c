#include "core/phases.h"

#include <assert.h>
#include <time.h>

typedef struct description {
    const char *name, *doc;
} description;

static const description phases_table[LIL_PHASE_COUNT] = {
    [LIL_PHASE_EVALUATE] = { "evaluate", "energies and forces of the model, values of constraints" },
    [LIL_PHASE_ASSEMBLE] = { "assemble", "second derivatives, summed into a matrix" },
    [LIL_PHASE_LINEAR_SOLVE] = { "linear solve", "factorisations, conjugate gradients and their preconditioners" },
    [LIL_PHASE_LINE_SEARCH] = { "line search", "how far a Newton direction is followed, and how far it may be" },
    [LIL_PHASE_CONTACT_SEARCH] = { "contact search",
                                   "which surfaces are near each other, and when they would touch" },
    [LIL_PHASE_KICKS] = { "kicks", "damping and friction that act before and after a step" },
    [LIL_PHASE_WATCH] = { "watch", "energies, momenta, gaps and observables, for the certificate" },
    [LIL_PHASE_RECORD] = { "record", "frames and checkpoints, on their way to the file" },
    [LIL_PHASE_OTHER] = { "other",
                          "the rest: guesses, the Newton iteration itself, copies of the state to roll back to" },
};

const char *lil_phase_name(lil_phase phase)
{
    return (int)phase >= 0 && phase < LIL_PHASE_COUNT ? phases_table[phase].name : NULL;
}

const char *lil_phase_doc(lil_phase phase)
{
    return (int)phase >= 0 && phase < LIL_PHASE_COUNT ? phases_table[phase].doc : NULL;
}

static int64_t phases_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The clock goes on to another phase: one reading ends what ran before, so that no time falls between two phases. */
static int64_t phases_switch(lil_phases *p, lil_phase from)
{
    int64_t now = phases_now();
    p->own[from] += now - p->since;
    p->since = now;
    return now;
}

void lil_phases_enter(lil_phases *p, lil_phase phase)
{
    int at = p->depth++;
    if (at >= LIL_PHASE_DEPTH)
        return;
    p->stack[at].phase = phase;
    p->stack[at].began = -1;
    if (at > 0 && p->stack[at - 1].phase == phase)
        return;
    if (at > 0)
        p->stack[at].began = phases_switch(p, p->stack[at - 1].phase);
    else
        p->stack[at].began = p->since = phases_now();
    p->calls[phase]++;
    p->within[phase]++;
}

void lil_phases_leave(lil_phases *p)
{
    assert(p->depth > 0);
    int at = --p->depth;
    if (at >= LIL_PHASE_DEPTH || p->stack[at].began < 0)
        return;
    lil_phase phase = p->stack[at].phase;
    int64_t now = phases_switch(p, phase);
    if (--p->within[phase] == 0) /* a phase inside itself is counted once */
        p->whole[phase] += now - p->stack[at].began;
    if (at == 0)
        p->all += now - p->stack[0].began;
}

lil_profile lil_phases_read(const lil_phases *p)
{
    lil_profile profile = { .steps = p->steps, .seconds = 1e-9 * (double)p->all };
    for (int i = 0; i < LIL_PHASE_COUNT; i++)
        profile.phases[i] = (lil_phase_time){ .seconds = 1e-9 * (double)p->own[i],
                                              .whole = 1e-9 * (double)p->whole[i],
                                              .calls = p->calls[i] };
    return profile;
}
