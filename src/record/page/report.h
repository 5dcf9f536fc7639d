/*
 * The parts of a page that come from a run: positions (report_places.c), meshes and frames of these
 * (report_frames.c), its plots (report_plots.c), obstacles (report_obstacles.c), contacts (report_contacts.c), stress
 * and strain (report_shades.c), data of shots (report_shot.c), and of statics and modes
 * (report_task.c).
 */
#ifndef LIL_RECORD_PAGE_REPORT_H
#define LIL_RECORD_PAGE_REPORT_H

#include "record/file/contacts.h"
#include "record/file/motion.h"
#include "record/page/page.h"
#include "record/plot/series.h"

enum {
    LIL_REPORT_BYTES = 25000000,      /* a page stays below that */
    LIL_REPORT_POINTS = 2000,         /* of a plotted series, at most; of several large runs fewer */
    LIL_REPORT_OBSERVABLES = 24,      /* of a run, at most */
    LIL_REPORT_SCENE_BYTES = 1 << 16, /* of a scene's text, at most */
};

typedef struct lil_report_run {
    lil_motion motion;
    int *place;       /* of each vertex of q, among those of a frame; -1: it is not on the page */
    int *body_place;  /* of each body, the first */
    int vertex_count; /* places of bodies and particles, at the start of a frame's */
    int point_count;  /* drawn points, after them */
    const lil_track **draw;
    int64_t stride, kept; /* every stride'th frame, and the last */
    bool tets;            /* small enough to be on the page */
    bool shades;          /* stress and strain: they fit without leaving frames out for them */
    bool shot;
    const double *contact_end; /* of each frame: contacts up to and with it; NULL: there are none */
} lil_report_run;

/* The look that the scene gives to a part, as keys of its object. */
void lil_report_look(lil_text *header, const double look[LIL_RECORDED_LOOK]);

/* Collects the drawn parts. Close it with lil_motion_close(&run->motion). */
lil_status lil_report_run_open(lil_trajectory *trajectory, lil_report_run *run);

/* Which places a page has. A body that was made of a surface is seen as that surface; the page stores the smaller
 * set, the surface's vertices or those of its tets. */
lil_status lil_report_places(lil_report_run *run);
bool lil_report_shows_tets(const lil_recorded_body *body);
/* The run's first vertex_count places, of the frame at t whose vertices are at q. */
void lil_report_place(const lil_report_run *run, double t, const double *q, double *places);
/* Forces f on vertices, at those places. Of a surface they are means of those on its tets, weighed as at rest: the
 * weights of keys make up for places and lie outside 0..1 where tets miss a pose. */
void lil_report_force(const lil_report_run *run, const double *f, double *forces);
/* A body as it is seen: its vertices and triangles. */
int lil_report_body_vertices(const lil_recorded_body *body);
int64_t lil_report_body_triangles(const lil_recorded_body *body);

/* Bytes on the page: of one frame, of constant data, and of plots with so many points per series. */
double lil_report_frame_bytes(const lil_report_run *run);
double lil_report_mesh_bytes(const lil_report_run *run, bool tets);
double lil_report_plot_bytes(const lil_report_run *run, int points);

double lil_report_shade_bytes(const lil_report_run *run);   /* of all kept frames; 0: there are none */
double lil_report_contact_bytes(const lil_report_run *run); /* of a frame, besides, on the average */
double lil_report_arrow_bytes(const lil_report_run *run);   /* of a frame of a shot, besides */
double lil_report_shot_bytes(const lil_report_run *run);

/* Each writes blocks and adds keys to the header's object of this run, ended by a comma. */
lil_status lil_report_frames(lil_page *page, lil_report_run *run);
void lil_report_meshes(lil_page *page, const lil_report_run *run);
lil_status lil_report_obstacles(lil_page *page, const lil_report_run *run);
/* The frame that is kept as number k. */
int64_t lil_report_frame_of(const lil_report_run *run, int64_t k);
lil_status lil_report_shot(lil_page *page, lil_report_run *run);
lil_status lil_report_contacts(lil_page *page, lil_report_run *run);
lil_status lil_report_shades(lil_page *page, lil_report_run *run);
void lil_report_task(lil_page *page, const lil_report_run *run);
lil_status lil_report_plots(lil_page *page, lil_report_run *run, int points);
/* One series, of at most so many points, and an entry of the header, ended by a comma. part NULL: it has none;
 * drift: the largest number of a change, NaN: as they are. */
lil_status lil_report_series(lil_page *page, lil_series *series, int most, const char *group, const char *part,
                             const char *unit, double drift);
/* The series of how it was found. */
lil_status lil_report_shot_series(lil_page *page, lil_report_run *run);

#endif
