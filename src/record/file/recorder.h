/*
 * Writes a trajectory file (HDF5), frame by frame. A run can end in any way, and be resumed.
 *
 * Numbers per frame:
 *     /t /energy /potential
 *     /q /p /v                           one row per frame, in the order of /names; double or float
 *     /observe/NAME, /draw/NAME          a number, or x y z
 *     /elastic /dissipated /external_work /linear_momentum /angular_momentum /step /iterations   where they apply
 *     /obstacle/NAME                     of an obstacle that moves: the position of its point, x y z
 *     /obstacle_turn/NAME                of an obstacle that rotates: its rotation about its point, a quaternion w x y z
 *     /obstacle_points/NAME              of an obstacle that deforms: all vertices of its mesh; double or float
 *     /contact/gap /force /energy /pairs   barrier: the smallest gap (the largest d_hat if no gap is smaller), the sum of
 *                                        the magnitudes of all forces, the barrier's energy, the number of pairs in contact
 *     /contacts/...                      every contact of every frame: record/file/contacts.h
 *     /ghost_force /ghost_force_norm     of a shot: the ghost force on each coordinate, and its norm
 *     /ghost/NAME                        the same at a drawn point: the smallest forces on points with the same effect
 *     /area /loop                        of a loop: its area; q and p of all its points
 *
 * The world (vertices are numbered from 0 in /q, within bodies from 0 in the body):
 *     /bodies/NAME/rest /tets /faces /first   of a body: rest positions, tets, boundary triangles; its first vertex in /q
 *     /bodies/NAME/mids                  only of quadratic tets: the vertices on their edges 01 12 02 03 13 23; /faces then has
 *                                        four triangles for each face
 *     /bodies/NAME/surface/rest /first /corners   of a body made of a surface: rest positions of the surface's vertices;
 *                                        face i has the vertices corners[first[i]] ... corners[first[i + 1] - 1]
 *     /bodies/NAME/surface/triangles     its faces as triangles, for drawing and contact
 *     /bodies/NAME/surface/tet /weights  the tet that contains each vertex, and w1 w2 w3:
 *                                        x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0); of quadratic tets, part k of
 *                                        tet e is 8 e + k (mesh/quadratic.h)
 *     /bodies/NAME/surface/outside_first /outside_vertex /outside_weight   only if vertices are outside all tets: vertex i
 *                                        has the entries outside_first[i] ... outside_first[i + 1] - 1; if it has any,
 *                                        x = sum weight q[vertex]. /tet and /weights then have the nearest tet, a rough x
 *     /bodies/NAME/surface/key_times /key_weights   of a shot with poses of the surface: the times of its keys, and w1 w2
 *                                        w3 of each vertex at each key; between keys they vary as 3 s^2 - 2 s^3
 *     /bodies/NAME/material /moduli /options   its material; mu, kappa, density; the material's own fields in their order
 *     /particles/NAME/first /mass        the first particle in /q, and the mass of each
 *     /particles/NAME/radius /roots      radius, m; of strands that grow out of something: vertices of /q whose links do
 *     /particles/NAME/touching /rest     what can be in contact, as vertices of /q: triangles, links (the third is -1),
 *                                        points (the second is -1 too); their rest positions
 *     /particles/NAME/grows              of strands: a vertex of /q, and the part of /contacts/names out of which this vertex
 *                                        and the link that begins there grow
 *     /still                             vertices of /q that never move: fixed, without a handle
 *     /driven                            vertices of /q that handles move
 *     /follow                            a hash of each animation that a handle or an obstacle follows
 *     /let_go/vertices /until            vertices of /q whose pins let go; when, s
 *     /obstacles/NAME                    20 numbers: the shape (0 plane, 1 ball, 2 box, 3 mesh); point; normal; radius;
 *                                        half of each side; rotation matrix, by rows
 *     /obstacle_mesh/NAME/x /faces       of a mesh: its vertices, and three vertex numbers per triangle
 *     /look/NAME                         red, green, blue (sRGB, 0 to 1), opacity, roughness; NaN: the scene does not set it
 *     /springs /rods                     pairs of vertices of /q: springs, rigid links
 *     /links                             pairs of drawn points in the order of /points (-1: the origin)
 *     /contacts/names /d_hat /stiffness  barrier: the names of bodies and obstacles; the gap at which the force begins, m;
 *                                        the stiffness, Pa (infinite for obstacles)
 *     /contacts/ignore                   pairs of these that do not collide
 *     /up                                a text, y; if it is missing, z is up
 *
 * A shot:
 *     /shot/keys                         the frame of each key
 *     /shot/key_q /key_asked /key_weight   of each key: all coordinates; 1: asked for, 2: fixed or moved by a handle, 0: free;
 *                                        its weight, 0 if it is hard
 *     /shot/cost /level /steps           after each iteration: the cost, the level, and (if they are few) all frames
 *     /shot/levels/I /strides            the frames at the end of level I; the spacing of the frames that a level moves
 *     /shot/key_error_max /residual ...  the results: see lil_shot_numbers
 *
 * The run:
 *     /certificate/FIELD                 numbers, NaN where they do not apply
 *     /certificate/invariants/NAME       largest relative changes of invariants
 *     /penetration/what /in              penalty: the names of the pair with the largest penetration; "": none
 *     /warnings/KIND                     the warning of that kind; "": none
 *     /integrator_reason                 why auto chose the integrator; missing if the scene names one
 *     /scene /overrides /variant /integrator /version /status   texts
 *     /format /record/fps /record/every  numbers
 *     /record/what                       a text such as "q v": which of /q /v /p there are; if it is missing, all three
 *     /checkpoint                        two rows, written in turns: count, frames, the Sim's words, a hash
 *
 * These are datasets, not attributes, and all of them exist before single-writer-multiple-reader mode starts. From then
 * on the file on the disk is complete at every moment, and others can read it. After a kill the tracks may differ in
 * length: the newest checkpoint with a correct hash has the number of frames that count. Rows beyond it are not removed,
 * only overwritten.
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
    const char *unit; /* NULL, "": unknown, or given by the name */
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
