/*
 * Where a step's time goes: a clock that always runs for one phase, the innermost of those that have begun. So the
 * phases' own times add up to the time between the first begin and the last end, to the nanosecond.
 *
 * The object that steps owns the clock and lends it to its context meanwhile (context.h). Functions begin and end a
 * phase on the thread that steps, around parallel regions, never inside them. NULL: nothing is measured, and a phase
 * costs one branch.
 */
#ifndef LIL_CORE_PHASES_H
#define LIL_CORE_PHASES_H

#include <lilyan/lilyan.h>

enum { LIL_PHASE_DEPTH = 16 }; /* phases within phases; those that are deeper count as the one around them */

typedef struct lil_phases {
    int64_t own[LIL_PHASE_COUNT];   /* ns, without the phases inside it */
    int64_t whole[LIL_PHASE_COUNT]; /* ns, with them */
    int64_t calls[LIL_PHASE_COUNT];
    int64_t all;   /* ns, from each first begin to its end */
    int64_t steps; /* counted by the caller */
    /* now */
    int depth;
    int64_t since;               /* when the clock was last read, ns */
    int within[LIL_PHASE_COUNT]; /* how often each is on the stack */
    struct {
        lil_phase phase;
        int64_t began; /* < 0: the phase around it is the same one, and goes on */
    } stack[LIL_PHASE_DEPTH];
} lil_phases;

void lil_phases_enter(lil_phases *phases, lil_phase phase);
void lil_phases_leave(lil_phases *phases);

static inline void lil_phase_begin(lil_phases *phases, lil_phase phase)
{
    if (__builtin_expect(phases != NULL, 0))
        lil_phases_enter(phases, phase);
}

static inline void lil_phase_end(lil_phases *phases)
{
    if (__builtin_expect(phases != NULL, 0))
        lil_phases_leave(phases);
}

/* The clock's reading, in seconds. */
lil_profile lil_phases_read(const lil_phases *phases);

#endif
