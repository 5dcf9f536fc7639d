/*
 * Writing a trajectory file (HDF5), frame by frame, so that a run can end in any way and be resumed.
 *
 *     /t /energy /potential              one number per frame
 *     /q /p /v                           one row per frame, in the order of /names; of double or float
 *     /observe/NAME, /draw/NAME          a number, or x y z, a frame
 *     /bodies/NAME/rest /tets /faces /first   of a body: places at rest, its tets and boundary (vertices from 0), and where
 *                                        its vertices begin among those of /q
 *     /bodies/NAME/surface/rest /first /corners /tet /weights   of a body made of a surface: its vertices at rest; where the
 *                                        corners of each face begin, and the end; the corners; the tet that carries each
 *                                        vertex, and w1 w2 w3: x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0)
 *     /bodies/NAME/surface/triangles     its faces cut up, as they are drawn and touch
 *     /bodies/NAME/surface/outside_first /outside_vertex /outside_weight   where some vertices are outside of all tets: those of vertex i are
 *                                        outside_first[i] ... outside_first[i + 1] - 1, and with any x = sum weight q[vertex], vertices
 *                                        of the body from 0; /tet and /weights then have the nearest tet, which alone would be rough
 *     /bodies/NAME/surface/key_times /key_weights   of a shot with poses of the surface: when its keys are, and w1 w2 w3 of each vertex at the
 *                                        first of them, at the second, ...; from one to the next they go as 3 s^2 - 2 s^3 does
 *     /bodies/NAME/material /moduli /options   its material, mu kappa density, and the material's own fields in their order
 *     /particles/NAME/first /mass         of particles: where they begin among the vertices of /q, and the mass of each
 *     /particles/NAME/radius /roots       how thick they are, m; of strands that grow out of something, the vertices of /q whose links do
 *     /particles/NAME/touching /rest      what of them can touch, vertices of /q: triangles, links (the third is -1), points (also the second); places
 *                                        at rest
 *     /still                             vertices of /q that never move: fixed, without a handle
 *     /driven                            vertices of /q that handles move
 *     /particles/NAME/grows               of strands: a vertex of /q, and the part of /contacts/names that it and the link that begins there grow out of
 *     /obstacles/NAME                    20 numbers: 0 a plane, 1 a ball, 2 a box, 3 a mesh; its point; its normal; its radius; half its sides; how
 *                                        it is turned, by rows
 *     /obstacle_mesh/NAME/x /faces       of a mesh: its vertices, and their numbers, three per triangle
 *     /obstacle/NAME                     of one that moves, where its point is, x y z a frame
 *     /obstacle_turn/NAME                of one that turns, a frame: a quaternion w x y z of how it is turned about its point
 *     /look/NAME                         of a body, particles, strands or an obstacle to which the scene gives a look: red, green, blue (sRGB, 0 to
 *                                        1), opacity, roughness; NaN where it gives none
 *     /springs /rods /links              pairs of vertices of /q, of springs and of rigid links; of drawn points in the order
 *                                        of /points (-1: the origin)
 *     /elastic /dissipated /external_work /linear_momentum /angular_momentum /step /iterations   a frame, where they apply
 *     /contact/gap /force /energy /pairs   of contact by barrier, a frame: the smallest gap (the largest d_hat: none is within reach), the sizes of all forces
 *                                        added up, the barrier's energy, how many pairs touch
 *     /contacts/...                      every contact of every frame: record/file/contacts.h
 *     /contacts/names /d_hat /stiffness  what touches, bodies and obstacles: their names; the gap at which the barrier begins, m; how
 *                                        stiff it is, Pa (infinite for obstacles)
 *     /contacts/ignore                   pairs of these that the scene lets pass each other
 *     /ghost_force /ghost_force_norm     of a shot: the ghost force on each coordinate, and its size, a frame
 *     /ghost/NAME                        the same on a drawn point: the smallest forces on points that do as much
 *     /shot/keys /cost /level /levels/I  which frames are keys; of each iteration its cost and level; the frames level I ended with
 *     /shot/key_q /key_asked /key_weight of each key: all coordinates; 1: asked for, 2: fixed or by a handle, 0: left free; 0: hard
 *     /shot/key_error_max ...            what it came to: see lil_shot_numbers
 *     /shot/strides /steps /residual     how far frames of each level are apart (between them: straight lines); where they are
 *                                        not too many the frames after each iteration; by how much frames are off, about
 *     /area /loop                        of a loop: a number, and q and p of all its points, a frame
 *     /certificate/FIELD                 numbers, NaN where they do not apply
 *     /certificate/invariants/NAME       largest changes of what the scene says is invariant
 *     /penetration/what /in              of contact, texts: who had sunk into what at penetration_time; "": nobody
 *     /up                                a text, y: where it is not there, z is up
 *     /integrator_reason                 a text: why auto chose the integrator; where it is not there, it was named
 *     /scene /overrides /variant /integrator /version /status   texts
 *     /format /record/fps /record/every  numbers
 *     /record/what                       a text, "q v": which of /q /v /p there are; where it is not there, all three
 *     /checkpoint                        two rows, written in turns: count, frames, the Sim's words, a hash
 *
 * Datasets, not attributes, and all of them there before single-writer-multiple-reader mode starts: from then on the
 * file on the disk is whole at every moment, and readers can look on. After a kill the tracks may differ in length;
 * the newest checkpoint whose hash is right says how many frames count. Rows beyond it are never taken back, only
 * written over.
 */
#ifndef LIL_RECORD_FILE_RECORDER_H
#define LIL_RECORD_FILE_RECORDER_H

#include "core/arena.h"
#include "core/context.h"
#include "sim/warnings.h"
#include "terms/touch.h"

typedef struct lil_channel {
    const char *name; /* "energy", "observe/L" */
    int width;        /* 0: a number per frame; n: a row of n */
} lil_channel;

/* Which of the state frames have, and how it is stored. Checkpoints have all of it, in double. */
typedef struct lil_frame_form {
    bool q, v, p;
    int precision; /* lil_precision */
    int compress;  /* level of deflate for long rows; 0: none */
} lil_frame_form;

typedef enum lil_precision { LIL_PRECISION_DOUBLE, LIL_PRECISION_FLOAT } lil_precision;

/* Numbers that do not change: rows x width of doubles or ints. */
typedef struct lil_table {
    const char *name; /* "bodies/rod/rest" */
    int64_t rows;
    int width;
    const double *reals; /* one of the two */
    const int *wholes;
} lil_table;

/* A text that does not change. */
typedef struct lil_label {
    const char *name, *text;
} lil_label;

typedef struct lil_recorder_def {
    const char *path;
    bool replace;
    const lil_channel *channels;
    int channel_count;
    const char *const *names; /* of the coordinates */
    int n;
    const char *const *invariants; /* names of quantities in the certificate */
    int invariant_count;
    bool touches;             /* there is contact */
    bool profile;             /* there will be one */
    lil_warnings *warnings;   /* of the Sim, borrowed; a file that is resumed writes its own into them */
    const char *const *parts; /* parts with barrier contact; none: there is no barrier */
    int part_count;
    const lil_table *tables;
    int table_count;
    const lil_label *labels;
    int label_count;
    const char *const *points; /* names of drawn points, in the scene's order, by which /links counts them */
    int point_count;
    const char *scene, *overrides, *variant, *integrator;
    const char *integrator_reason; /* why auto chose it; NULL: it was named */
    double fps, every;             /* how frames are taken */
    lil_frame_form form;           /* which of q, v and p are among the channels; `precision` is theirs */
    int64_t expected_frames;       /* about */
    int words;                     /* of a checkpoint */
    void (*save)(void *user, double *words);
    void *user; /* borrowed */
} lil_recorder_def;

/* The contents of a file that is resumed. */
typedef struct lil_resume {
    int64_t frames;
    double fps, every;
    double *words; /* room for def->words */
} lil_resume;

typedef struct lil_recorder lil_recorder;

lil_status lil_recorder_create(lil_context *ctx, const lil_recorder_def *def, lil_recorder **recorder);
/* The state of the output path of a run to resume: nothing, the remains of a run that was killed before its first
 * frame (which the next one overwrites), or an output. */
typedef enum lil_output { LIL_OUTPUT_NONE, LIL_OUTPUT_BEGUN, LIL_OUTPUT_THERE } lil_output;
lil_output lil_recorder_look(const char *path);
/* Opens the file of an earlier run of the same scene at its newest checkpoint. */
lil_status lil_recorder_resume(lil_context *ctx, const lil_recorder_def *def, lil_resume *found,
                               lil_recorder **recorder);
/* The next frame is written over those from here on. */
void lil_recorder_go_back(lil_recorder *recorder, int64_t frames);
/* Before the frame: its contacts. */
lil_status lil_recorder_contacts(lil_recorder *recorder, const lil_touching *list, int count);
/* values[i] are those of channel i. Collected, and written out with a checkpoint every half second. */
lil_status lil_recorder_frame(lil_recorder *recorder, const double *const *values);
/* Flushes: from here on readers of the file see all frames. */
lil_status lil_recorder_flush(lil_recorder *recorder);
/* Writes the rest, the certificate (with the invariants' changes, and the deepest penetration, NULL: none), the
 * profile (NULL: none; a file that was begun without one has no room for it, which a warning says) and how the run
 * ended ("complete", or a sentence); closes the file. */
lil_status lil_recorder_finish(lil_recorder *recorder, const lil_certificate *certificate, const double *invariants,
                               const lil_pair *deepest, const lil_profile *profile, const char *ended);
void lil_recorder_destroy(lil_recorder **recorder);

enum { LIL_STATUS_MAX = 256 }; /* bytes of /status */

/* Whether a run is writing to the file now. */
bool lil_recorder_is_busy(const char *path);

#endif
