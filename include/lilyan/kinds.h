/* Lilyan's integrators, materials, terms and constraints, and your own. <lilyan/lilyan.h> includes this header. */
#ifndef LILYAN_KINDS_H
#define LILYAN_KINDS_H

#include <lilyan/lilyan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- field descriptors ----------------------------------------------------------------------------------
 * A method describes the fields of its configuration struct once. The table drives the scene's keys and their
 * checks, `lilyan list` and the reference page. */

typedef enum lil_kind {
    LIL_REAL,    /* double */
    LIL_INTEGER, /* int */
    LIL_CHOICE,  /* int: index into `choices` */
    LIL_LIST,    /* lil_list */
    LIL_NAME,    /* lil_name: a name that is looked up when it is used */
    LIL_VECTOR,  /* double[3]; each is `preset` by default */
    LIL_FLAG,    /* bool: true or false */
} lil_kind;

enum { LIL_LIST_MAX = 16, LIL_NAME_MAX = 48 };

typedef struct lil_name {
    char text[LIL_NAME_MAX];
} lil_name;

typedef struct lil_list {
    int n;
    double x[LIL_LIST_MAX];
} lil_list;

struct lil_field {
    const char *name;
    lil_kind kind;
    size_t offset;              /* offset of the member in the configuration struct */
    double preset;              /* default; NAN: required. The default of a list is an empty list */
    double least, most;         /* range of the number, or of each number of a list, ends included */
    const char *const *choices; /* LIL_CHOICE: ends with NULL; LIL_NAME: only the default */
    const char *unit;           /* "" if there is none */
    const char *doc;            /* one sentence */
};

/* The certificate's fields as a table: all LIL_REAL, offsets into lil_certificate. */
LIL_API const lil_field *lil_certificate_fields(int *count);

/* ---- integrators ----------------------------------------------------------------------------------------
 * A method is one const table. Lilyan's own are listed by lil_integrator_count / _at; a user registers more. */

typedef struct lil_integrator {
    const char *name;
    const char *summary;  /* one sentence */
    const char *formula;  /* in ASCII */
    const char *citation; /* where it comes from */
    const lil_field *fields;
    int field_count;
    size_t config_size;
    lil_claims (*claims)(const void *config);
    lil_status (*check)(lil_context *ctx, const void *config); /* optional: checks beyond the ranges of the fields */
    lil_status (*begin)(lil_stepper *stepper);                 /* optional: called once, before the first step */
    /* Maps the state at t to the state at t + h, in place. The Sim advances t, and restores the state when the
     * step fails. Allocates nothing. */
    lil_status (*step)(lil_stepper *stepper, double h);
} lil_integrator;

/* The table is borrowed for the context's life. Its name must not exist yet. */
LIL_API lil_status lil_context_register_integrator(lil_context *ctx, const lil_integrator *table);
LIL_API int lil_integrator_count(const lil_context *ctx);
LIL_API const lil_integrator *lil_integrator_at(const lil_context *ctx, int index);
LIL_API const char *lil_integrator_auto(void); /* what "auto", which is none of them, chooses */
LIL_API const lil_integrator *lil_integrator_find(const lil_context *ctx, const char *name); /* NULL: none */

/* The claims of the method with its default fields. */
LIL_API lil_claims lil_integrator_claims(const lil_integrator *table);

/* Services for a user's own method, inside `begin` and `step`. */
LIL_API lil_state *lil_stepper_state(lil_stepper *stepper);
LIL_API const void *lil_stepper_config(const lil_stepper *stepper);
/* Zeroed memory that lives as long as the Sim. NULL: no memory. */
LIL_API void *lil_stepper_alloc(lil_stepper *stepper, size_t bytes);
LIL_API void lil_stepper_set_data(lil_stepper *stepper, void *data);
/* In `begin`, once: zeroed doubles that belong to the state. Keep what must outlive a step here: it is rolled
 * back, checkpointed and resumed. NULL: no memory. */
LIL_API double *lil_stepper_keep(lil_stepper *stepper, int count);
LIL_API void *lil_stepper_data(const lil_stepper *stepper);
/* Q = dL/dq + F at (t, q, v). */
LIL_API lil_status lil_stepper_force(lil_stepper *stepper, double t, const double *q, const double *v, double *Q);
/* Solves dL/dv(t, q, v) = p for v; v is the initial guess. */
LIL_API lil_status lil_stepper_velocity(lil_stepper *stepper, double t, const double *q, const double *p, double *v);

/* ---- materials ------------------------------------------------------------------------------------------- */

/* Moduli of small strains, Pa: 0 < mu, 0 < kappa. lambda = kappa - 2/3 mu. */
typedef struct lil_moduli {
    double mu, kappa;
} lil_moduli;

enum {
    LIL_MATERIAL_OBJECTIVE = 1, /* w(RF) = w(F) for every rotation R */
    LIL_MATERIAL_INVERTS = 2,   /* w is finite for det F <= 0 too */
    LIL_MATERIAL_ISOTROPIC = 8, /* w(FQ) = w(F) for every rotation Q, and the small-strain moduli are mu and kappa */
};

typedef struct lil_material_info {
    const char *name;
    const char *doc;
    const char *formula;
    const char *citation;
    bool objective;          /* w(RF) = w(F) for every rotation R */
    bool inverts;            /* w is finite for det F <= 0 too */
    const lil_field *fields; /* its own fields, in addition to the moduli and the density */
    int field_count;
} lil_material_info;

/* Lilyan's own materials. False: no more. */
LIL_API bool lil_material_entry(int index, lil_material_info *info);

/* Named materials with their numbers: rubber, jelly ... */
typedef struct lil_material_preset {
    const char *name;
    const char *doc;
    const char *table; /* neo-hookean ... */
    double young;      /* Young's modulus, Pa */
    double poisson;    /* Poisson's ratio */
    double density;    /* kg/m^3 */
} lil_material_preset;

LIL_API int lil_material_preset_count(void);
LIL_API const lil_material_preset *lil_material_preset_at(int index); /* NULL: none */

/*
 * ---- kinds of your own ------------------------------------------------------------------------------------
 * A material, a term and a constraint are one table each, registered under a name that is new in the context. Scenes
 * of that context may then name the material; models from C may use terms and constraints (lil_model_parts).
 *
 * `size` is sizeof the table, as the program was compiled: a later Lilyan has larger tables and accepts smaller ones.
 * Tables are copied; names, texts and fields are borrowed for the context's life. Functions return true, or false
 * where the value is undefined. They must depend only on their arguments: several threads may call them at once.
 *
 * lil_check_... check a table without registering it: derivatives against differences of order 4, symmetry, and each
 * claim. They return LIL_OK if the check was possible; the verdict has its result.
 */

typedef struct lil_verdict {
    bool holds;         /* the table is correct */
    double error;       /* the largest relative error found */
    double tolerance;   /* the accuracy of the differences there */
    char sentence[256]; /* the worst fault, or the list of checks */
} lil_verdict;

/* w(F) in J/m^3 and P = dw/dF, F and P 3x3 by rows; P may be NULL. w = 0 and P = 0 for F = 1. */
typedef bool lil_material_fn(const lil_moduli *moduli, const void *config, const double *F, double *w, double *P);
/* A = d2w/dF2, 9x9 by rows, symmetric. */
typedef bool lil_material_tangent_fn(const lil_moduli *moduli, const void *config, const double *F, double *A);

typedef struct lil_material_kind {
    size_t size; /* sizeof(lil_material_kind) */
    const char *name;
    const char *doc;         /* one sentence; NULL: none, here and in the next two */
    const char *formula;     /* in ASCII */
    const char *citation;    /* where it comes from */
    unsigned holds;          /* claims: LIL_MATERIAL_OBJECTIVE | ... */
    const lil_field *fields; /* its own keys, in addition to the moduli and the density; all LIL_REAL */
    int field_count;
    size_t config_size; /* size of the struct with the fields */
    lil_material_fn *energy;
    lil_material_tangent_fn *tangent; /* NULL: computed from differences of stresses */
} lil_material_kind;

LIL_API lil_status lil_context_register_material(lil_context *ctx, const lil_material_kind *kind);
/* Checks with these moduli and this config (NULL: default fields), at stretches from 0.6 to 1.6. */
LIL_API lil_status lil_check_material(lil_context *ctx, const lil_material_kind *kind, const lil_moduli *moduli,
                                      const void *config, lil_verdict *verdict);

enum {
    LIL_KIND_TRANSLATIONS = 1, /* x consists of points x, y, z: translating all of them changes nothing */
    LIL_KIND_ROTATIONS = 2,    /* rotating all of them about the origin changes nothing */
    LIL_KIND_LINEAR = 4,       /* constraint: g has no second derivatives */
    LIL_KIND_TIME = 8,         /* term: W depends on t */
};

enum { LIL_KIND_COORDINATES_MAX = 48, LIL_KIND_ROWS_MAX = 16 };

/* One element: W(t, x) in J of the element's coordinates x, and g = dW/dx (may be NULL). */
typedef bool lil_term_fn(const void *data, double t, const double *x, double *W, double *g);
/* K = d2W/dx2 by rows, symmetric. */
typedef bool lil_term_hessian_fn(const void *data, double t, const double *x, double *K);

/* A potential that is a sum over elements of a few coordinates each: springs, bonds, hinges. */
typedef struct lil_term_kind {
    size_t size; /* sizeof(lil_term_kind) */
    const char *name;
    const char *doc;  /* one sentence; may be NULL */
    unsigned holds;   /* claims: LIL_KIND_... */
    int coordinates;  /* coordinates of an element, 1 to LIL_KIND_COORDINATES_MAX */
    size_t data_size; /* bytes of data of an element; 0: none */
    lil_term_fn *energy;
    lil_term_hessian_fn *hessian; /* NULL: computed from differences of gradients */
} lil_term_kind;

LIL_API lil_status lil_context_register_term(lil_context *ctx, const lil_term_kind *kind);
/* Checks at (t, x), with this data. */
LIL_API lil_status lil_check_term(lil_context *ctx, const lil_term_kind *kind, const void *data, double t,
                                  const double *x, lil_verdict *verdict);

/* One member: g(x) = 0, `rows` of them, and G = dg/dx (rows x coordinates, may be NULL). |dg/dx| should be about
 * 1, so that a multiplier is a force. */
typedef bool lil_constraint_fn(const void *data, const double *x, double *g, double *G);
/* H[row][i][j] = d2g_row/dx_i dx_j. */
typedef bool lil_constraint_hessian_fn(const void *data, const double *x, double *H);

typedef struct lil_constraint_kind {
    size_t size; /* sizeof(lil_constraint_kind) */
    const char *name;
    const char *doc;  /* one sentence; may be NULL */
    unsigned holds;   /* claims: LIL_KIND_... */
    int coordinates;  /* coordinates of a member, 1 to LIL_KIND_COORDINATES_MAX */
    int rows;         /* number of equations of a member, 1 to LIL_KIND_ROWS_MAX */
    size_t data_size; /* bytes of data of a member; 0: none */
    lil_constraint_fn *value;
    lil_constraint_hessian_fn *hessian; /* NULL: computed from differences of G, unless g is LIL_KIND_LINEAR */
} lil_constraint_kind;

LIL_API lil_status lil_context_register_constraint(lil_context *ctx, const lil_constraint_kind *kind);
/* Checks at x, with this data. */
LIL_API lil_status lil_check_constraint(lil_context *ctx, const lil_constraint_kind *kind, const void *data,
                                        const double *x, lil_verdict *verdict);

/* ---- expressions ---- */

/* The functions of expressions: name and one line of description. False: no more. */
LIL_API bool lil_expression_function(int index, const char **name, const char **doc);

#ifdef __cplusplus
}
#endif

#endif
