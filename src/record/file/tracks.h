/* The recorded channels of any Sim: t, q, v, p, its energies, and others that apply. */
#ifndef LIL_RECORD_FILE_TRACKS_H
#define LIL_RECORD_FILE_TRACKS_H

#include "record/file/world_record.h"

typedef struct lil_tracks {
    double elastic, dissipated, work; /* J; the latter two from the start on */
    double linear[3], angular[3];     /* kg m/s, and kg m^2/s about where the centre of mass started */
    double iterations;                /* of Newton's method, from the start on */
    double *forces, violation;        /* of each named constraint, N; the largest |g| */
    lil_frame_form form;              /* of q, v and p */
    bool adaptive;                    /* the step is recorded */
    double step;                      /* the latest one, s */
    double *ghost_force, ghost_size;  /* of a shot: phi of all coordinates, and |phi|; NULL: it is no shot */
} lil_tracks;

/* Adds the recorder's channels, and where their values will be; there is room for lil_tracks_max. Whoever records
 * sets `form`, `adaptive` and `ghost_force` before. The world's record has q, v and p where some coordinates are held. */
int lil_tracks_max(const lil_sim *sim);
lil_status lil_tracks_list(lil_tracks *tracks, const lil_world_record *world, lil_channel *channels,
                           const double **values, int *count);
/* One more channel, named GROUP/NAME. */
lil_status lil_track_add(const lil_world_record *world, const char *group, const char *name, int width,
                         const double *value, lil_channel *channels, const double **values, int *count);

/* As they are now; the world's record is up to date. The step and the ghost force are not known here. */
lil_status lil_tracks_measure(const lil_world_record *world, lil_tracks *tracks);

#endif
