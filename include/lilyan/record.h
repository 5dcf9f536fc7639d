/*
 * Recordings, trajectories, exports, checks, plots and pages. <lilyan/lilyan.h> includes this header, unless the
 * library was built without them.
 */
#ifndef LILYAN_RECORD_H
#define LILYAN_RECORD_H

#include <lilyan/lilyan.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LIL_CORE_ONLY

/*
 * ---- recordings ------------------------------------------------------------------------------------------
 * A trajectory file of any Sim, also of one from callbacks. It has the format of runs, so `lilyan info`, `plot`,
 * `report`, `export` and lil_trajectory_open read it.
 */

/* Called at each frame: fills in observe_count numbers and 3 point_count coordinates. False ends the frame with
 * LIL_ERR_INTERRUPTED and takes a recorded step back, so that it may be tried again. */
typedef bool lil_recording_fn(void *user, const lil_state *state, double *observed, double *places);

typedef struct lil_recording_def {
    const char *path;
    bool replace;  /* an existing file may be replaced */
    int64_t every; /* a frame now, after every so many steps, and at the end; 0: only lil_recording_frame records */
    const char *const *observe; /* names of numbers, recorded as observe/NAME; NULL: none */
    int observe_count;
    const char *const *points; /* names of points, recorded as draw/NAME, which pages draw; NULL: none */
    int point_count;
    const int *links; /* pairs of points, counted from 0, that pages join with lines; -1: the origin. NULL: none */
    int link_count;   /* number of pairs */
    lil_recording_fn *look; /* NULL: nothing is observed or drawn */
    void *user;             /* borrowed */
    char up;                /* the upward axis of pages and Blender, 'y' or 'z'; 0: z */
    const char *what;       /* which of q, v and p frames have: "qv". NULL: all three */
    bool single;            /* q, v and p are stored as float: half the bytes, errors of 6e-8 relative */
    int compress;           /* lossless compression of rows of more than 16 KB, a level from 1 to 9; 0: none */
} lil_recording_def;

LIL_API lil_recording_def lil_recording_def_default(void); /* every step; the path is not set */

/* The Sim is borrowed: destroy the recording first. Only one recording, or a run, can follow a Sim's steps; any
 * number can record frames by hand. */
LIL_API lil_status lil_recording_create(lil_context *ctx, lil_sim *sim, const lil_recording_def *def,
                                        lil_recording **recording);
/* Records the Sim as it is now. Its time must be after the latest frame. */
LIL_API lil_status lil_recording_frame(lil_recording *recording);
LIL_API int64_t lil_recording_frames(const lil_recording *recording);
/* Completes the file with the certificate and the final status (NULL: "complete"), and closes it. A second call
 * does nothing and returns LIL_OK. */
LIL_API lil_status lil_recording_finish(lil_recording *recording, const char *ended);
/* Without lil_recording_finish the file stays as a kill would leave it, with the frames that are on the disk. */
LIL_API void lil_recording_destroy(lil_recording **recording);

/* ---- trajectories ---------------------------------------------------------------------------------------- */

LIL_API lil_status lil_trajectory_open(lil_context *ctx, const char *path, lil_trajectory **trajectory);
LIL_API void lil_trajectory_destroy(lil_trajectory **trajectory);
/* Lent until the trajectory's end; "" if it is not a variant. */
LIL_API const char *lil_trajectory_variant(const lil_trajectory *trajectory);
LIL_API const char *lil_trajectory_integrator(const lil_trajectory *trajectory);
LIL_API const char *lil_trajectory_status(const lil_trajectory *trajectory);
LIL_API lil_certificate lil_trajectory_certificate(lil_trajectory *trajectory);
/* See lil_sim_deepest. */
LIL_API bool lil_trajectory_deepest(lil_trajectory *trajectory, lil_pair *pair);
/* See lil_sim_warning; lent until the trajectory's end. */
LIL_API const char *lil_trajectory_warning(lil_trajectory *trajectory, int i);
/* Where the time went, of a run that measured it (lil_run_def.profile). False: it did not, or was not finished. */
LIL_API bool lil_trajectory_profile(lil_trajectory *trajectory, lil_profile *profile);
/* A description for a reader; lent until the trajectory's end. */
LIL_API const char *lil_trajectory_describe(lil_trajectory *trajectory);

/* The number of frames when it was opened, and of coordinates: the entries of q, v and p. Pinned vertices of
 * bodies are included. */
LIL_API int64_t lil_trajectory_frames(const lil_trajectory *trajectory);
LIL_API int lil_trajectory_size(const lil_trajectory *trajectory);
/* "theta", "jelly.3.x"; lent until the trajectory's end. NULL: none. */
LIL_API const char *lil_trajectory_name(const lil_trajectory *trajectory, int i);

/* A dataset that is recorded at every frame. */
typedef struct lil_dataset {
    const char *name; /* "t", "q", "observe/L"; lent until the trajectory's end */
    int width;        /* numbers per frame */
} lil_dataset;

/* False: no more. */
LIL_API bool lil_trajectory_dataset(const lil_trajectory *trajectory, int index, lil_dataset *dataset);

typedef struct lil_frame {
    double t;
    int n;
    /* n entries, lent until the next call that reads frames; NULL: the recording was made without them */
    const double *q, *v, *p;
    double energy, potential;
} lil_frame;

/* Frames count from 0. */
LIL_API lil_status lil_trajectory_frame(lil_trajectory *trajectory, int64_t index, lil_frame *frame);
/* At any time from the first frame to the last. At a frame's own time the values are as recorded. Between frames q
 * and v come from Hermite's cubic, the others from the cubic through four frames. */
LIL_API lil_status lil_trajectory_frame_at(lil_trajectory *trajectory, double t, lil_frame *frame);
/* The last frame that is not later than t. */
LIL_API lil_status lil_trajectory_find(lil_trajectory *trajectory, double t, int64_t *index);
/* Any dataset: `count` frames from `from` on into rows, count x width numbers; or at one time, width numbers. */
LIL_API lil_status lil_trajectory_read(lil_trajectory *trajectory, const char *name, int64_t from, int64_t count,
                                       double *rows);
LIL_API lil_status lil_trajectory_read_at(lil_trajectory *trajectory, const char *name, double t, double *row);

/* A body's mesh, lent until the trajectory's end. Its vertex i is at q[3 (first + i)] of a frame. Indices count
 * from 0. */
typedef struct lil_body_info {
    const char *name, *material;
    int first, vertex_count, tet_count, face_count;
    const double *rest; /* 3 per vertex */
    const int *tets;    /* 4 per tet */
    const int *mids;    /* quadratic: 6 per tet, the vertices on edges 01 12 02 03 13 23; NULL: linear */
    const int *faces;   /* boundary, 3 per triangle, counter-clockwise seen from outside */
    /* the surface from which the body was made; 0 and NULL if there is none */
    int surface_vertex_count, surface_face_count, surface_triangle_count;
    const double *surface_rest;
    const int *
        /* the corners of face i are surface_corners[surface_first[i]] up to [surface_first[i + 1] - 1] */
        surface_first;
    const int *surface_corners;
    const int *surface_triangles; /* the triangulated faces, 3 per triangle */
} lil_body_info;

LIL_API lil_status lil_trajectory_body_count(lil_trajectory *trajectory, int *count);
LIL_API lil_status lil_trajectory_body(lil_trajectory *trajectory, int index, lil_body_info *info);
/* Positions of the vertices of a body's surface in a frame: 3 surface_vertex_count numbers. */
LIL_API lil_status lil_trajectory_surface(lil_trajectory *trajectory, int index, const lil_frame *frame, double *x);

/* The export formats. False: no more. */
typedef struct lil_export_info {
    const char *name; /* "csv" */
    const char *doc;  /* its contents; lines of a help text */
    bool folder;      /* a folder of files; else one file */
} lil_export_info;

LIL_API bool lil_export_entry(int index, lil_export_info *info);

typedef struct lil_export_def {
    const char *format;
    const char *path; /* the file or the folder. Other files in an existing folder are kept */
    double fps;       /* resample to this many frames per second; 0: the recorded frames */
    bool replace;     /* existing files may be replaced */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_export_def;

LIL_API lil_export_def lil_export_def_default(void);

/* Writes to PATH.part first, so that no incomplete file has the final name. A run that is not complete is exported
 * as far as it got, with a warning. LIL_ERR_INTERRUPTED: `progress` returned false. */
LIL_API lil_status lil_trajectory_export(lil_trajectory *trajectory, const lil_export_def *def);
/* Writes the format csv into an open file, which stays open. */
LIL_API lil_status lil_trajectory_write_csv(lil_trajectory *trajectory, double fps, FILE *file);

/* ---- checks -----------------------------------------------------------------------------------------------------
 * Do bodies, particles or strands intersect each other, themselves or obstacles in a recording? The predicates are
 * exact and share no code with contact.
 */

typedef struct lil_check_def {
    bool paths; /* also the straight paths between frames */
    lil_progress_fn *progress;
    void *user;    /* borrowed */
    bool all;      /* also pairs that the scene excludes from contact */
    bool distinct; /* only triangles, and of different parts */
} lil_check_def;

typedef struct lil_check {
    int64_t elements;      /* triangles, and links of particles */
    int64_t frames;        /* frames checked */
    int64_t bad_frames;    /* frames in which something intersects */
    int64_t intersections; /* pairs that have a point in common at a frame, over all frames */
    int64_t passages;      /* pairs that do so between two frames, or come too close to decide */
    int64_t frame;         /* the first of these: its frame (for a path the later one), */
    double t;              /*   its time, s, */
    char first[256];       /* and the pair: "triangle 3 of 'a' and triangle 7 of 'b'" */
    int64_t points;        /* elements that are single points: loose particles, and spheres as obstacles */
    int64_t passing;       /* pairs of parts that were not checked, since the scene excludes them from contact */
} lil_check;

LIL_API lil_check_def lil_check_def_default(void); /* frames only */

/* LIL_ERR_INTERRUPTED: `progress` returned false. */
LIL_API lil_status lil_trajectory_check(lil_trajectory *trajectory, const lil_check_def *def, lil_check *result);

/* ---- plots -----------------------------------------------------------------------------------------------
 * Figures as SVG, one column of a paper wide. */

typedef struct lil_plot_def {
    /* a kind of plot or the name of a recorded quantity; several, separated by commas: one panel each */
    const char *what;
    const char *coordinate; /* the coordinate of the phase portrait; NULL: the first */
    const char *path;       /* the figure */
    bool replace;           /* an existing one may be replaced */
} lil_plot_def;

LIL_API lil_plot_def lil_plot_def_default(void); /* energy; the path is not set */

/* One run, or several overlaid. A run that ended early is drawn as far as it got, with a warning. */
LIL_API lil_status lil_plot(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def);
/* The same as text; free it with lil_free. def->path is not used. */
LIL_API lil_status lil_plot_svg(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def,
                                char **svg);
/* The kinds of plot. False: no more. */
LIL_API bool lil_plot_entry(int index, const char **name, const char **doc);

/* ---- pages -----------------------------------------------------------------------------------------------
 * One HTML file that needs nothing else: the motion in 3-D, plots beside it, the certificate in words. */

typedef struct lil_report_def {
    const char *output; /* the page; not of lil_report_html */
    bool replace;       /* an existing output may be replaced */
    const char *title;  /* NULL: from the trajectories' names */
    bool live;          /* it asks where it came from for frames/N, the same page once it has more than N frames */
} lil_report_def;

LIL_API lil_report_def lil_report_def_default(void);

enum { LIL_REPORT_RUNS_MAX = 32 };

/* Several runs are overlaid, one colour each. Frames are left out so that the page stays below 25 MB. */
LIL_API lil_status lil_report(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_report_def *def);
/* The same in memory, also of a run that goes on; free it with lil_free. */
LIL_API lil_status lil_report_html(lil_context *ctx, lil_trajectory *const *runs, int count,
                                   const lil_report_def *def, char **html, size_t *size);

#endif /* LIL_CORE_ONLY */

#ifdef __cplusplus
}
#endif

#endif
