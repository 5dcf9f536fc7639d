/* The trouble of a run: each kind is reported once, and kept for the certificate, the file and the page. */
#ifndef LIL_SIM_WARNINGS_H
#define LIL_SIM_WARNINGS_H

#include "core/context.h"

/* The list: kind, and its name in files. */
#define LIL_WARNINGS(X)                                                                                              \
    X(LONG, "long_step")       /* the step is too long for the stiffest oscillation at the start */                  \
    X(ENERGY, "energy")        /* the energy balance is violated */                                                  \
    X(RESONANCE, "resonance")  /* elements resonate */                                                               \
    X(HARD, "hard_steps")      /* steps are halved, or need many iterations */                                       \
    X(STIFF, "stiff_contact")  /* contact is too stiff for the step */                                               \
    X(THIN, "passes_through")  /* something may pass through something thin */                                       \
    X(DEEP, "penetration")     /* something penetrates deeply */                                                     \
    X(DISTANCE, "constraints") /* the motion leaves its constraints */                                               \
    X(THROUGH, "no_contact")   /* bodies pass through each other, in a scene without contact */                      \
    X(TENSION, "tension")      /* constraint forces limit the step */

#define LIL_WARNING_KIND(kind, name) LIL_WARNING_##kind,
typedef enum lil_warning_kind { LIL_WARNINGS(LIL_WARNING_KIND) LIL_WARNING_KINDS } lil_warning_kind;
#undef LIL_WARNING_KIND

enum { LIL_WARNING_MAX = 512 }; /* bytes of a message */

/* By kind; empty: there was none. */
typedef struct lil_warnings {
    char text[LIL_WARNING_KINDS][LIL_WARNING_MAX];
} lil_warnings;

extern const char *const lil_warning_names[LIL_WARNING_KINDS];

/* Warns, unless it has done so before. */
void lil_warn_once(lil_context *ctx, lil_warnings *warnings, lil_warning_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool lil_was_warned(const lil_warnings *warnings, lil_warning_kind kind);
/* The i-th message that there is; NULL: no more. */
const char *lil_warning_at(const lil_warnings *warnings, int i);

#endif
