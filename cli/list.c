/* lilyan list: prints the tables. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "  lilyan list integrators    formula, order, claims, options and source of each\n"
                           "  lilyan list materials      formula, options and source of each, and presets\n"
                           "  lilyan list shapes         built-in shapes of bodies, and their options\n"
                           "  lilyan list functions      functions and operators of expressions\n"
                           "  lilyan list scene          every key of a scene (docs/scene.md)\n"
                           "  lilyan list schema         the same as a JSON Schema, for editors\n";

static void print_field(const lil_field *f)
{
    printf("    %-10s %s", f->name, f->doc);
    if (f->kind == LIL_CHOICE) {
        printf(": ");
        for (int k = 0; f->choices[k]; k++)
            printf("%s%s%s", k ? ", " : "", f->choices[k], k == (int)f->preset ? " (default)" : "");
    } else if (f->kind == LIL_NAME) {
        printf(" (default %s)", f->choices[0]);
    } else if (f->kind == LIL_FLAG) {
        printf(" (default %s)", f->preset != 0 ? "true" : "false");
    } else if (f->kind != LIL_LIST) {
        printf(" (default %g)", f->preset);
    }
    printf("\n");
}

static void print_claims(lil_claims claims)
{
    static const struct {
        unsigned flag;
        const char *word;
    } words[] = { { LIL_SYMPLECTIC, "symplectic" },
                  { LIL_MOMENTA, "conserves momenta of affine symmetries" },
                  { LIL_SYMMETRIC, "symmetric" },
                  { LIL_ENERGY, "energy without drift" },
                  { LIL_ENERGY_EXACT, "conserves energy to the solver's tolerance" },
                  { LIL_EXPLICIT, "explicit for constant mass" },
                  { LIL_CONSTANT_MASS_ONLY, "only for constant mass" },
                  { LIL_ELEMENTS_ONLY, "only for tets and springs" } };
    printf("  order      %d\n  claims     ", claims.order);
    bool any = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (claims.holds & words[i].flag) {
            printf("%s%s", any ? ", " : "", words[i].word);
            any = true;
        }
    printf("%s\n", any ? "" : "none");
    if (isinf(claims.stable))
        printf("  stable     for every step, on linear systems\n");
    else if (claims.stable > 0)
        printf("  stable     while h omega < %g, omega the largest frequency\n", claims.stable);
}

static void list_integrators(const lil_context *ctx)
{
    printf("auto\n  %s\n", lil_integrator_auto());
    for (int i = 0; i < lil_integrator_count(ctx); i++) {
        const lil_integrator *m = lil_integrator_at(ctx, i);
        printf("\n%s\n  %s\n  formula    %s\n", m->name, m->summary, m->formula);
        print_claims(lil_integrator_claims(m));
        printf("  source     %s\n", m->citation);
        if (m->field_count)
            printf("  options\n");
        for (int k = 0; k < m->field_count; k++)
            print_field(&m->fields[k]);
    }
}

static void list_shapes(void)
{
    const char *name, *doc;
    const lil_field *fields;
    int count;
    for (int i = 0; lil_shape_entry(i, &name, &doc, &fields, &count); i++) {
        printf("%s%s\n  %s\n  options\n", i ? "\n" : "", name, doc);
        for (int k = 0; k < count; k++)
            print_field(&fields[k]);
    }
}

static void list_materials(void)
{
    lil_material_info m;
    for (int i = 0; lil_material_entry(i, &m); i++) {
        printf("%s%s%s\n  %s\n  formula    %s\n", i ? "\n" : "", m.name, i ? "" : " (default)", m.doc, m.formula);
        printf("  claims     %s%s\n", m.objective ? "objective" : "not objective: rotations cause stress",
               m.inverts ? ", also defined for det F <= 0" : ", needs det F > 0");
        printf("  source     %s\n", m.citation);
        if (m.field_count)
            printf("  options\n");
        for (int k = 0; k < m.field_count; k++)
            print_field(&m.fields[k]);
    }
    printf("\n"
           "F is the deformation gradient, C = F'F, J = det F; mu = young/(2 (1 + poisson)),\n"
           "kappa = young/(3 (1 - 2 poisson)), lambda = kappa - 2/3 mu: every material has these moduli at small "
           "strains.\n"
           "\n"
           "presets     young, Pa  poisson  kg/m^3\n");
    for (int i = 0; i < lil_material_preset_count(); i++) {
        const lil_material_preset *p = lil_material_preset_at(i);
        printf("  %-8s %10.3g  %7g %7g  %s; %s\n", p->name, p->young, p->poisson, p->density, p->table, p->doc);
    }
}

static void list_functions(void)
{
    const char *name, *doc;
    for (int i = 0; lil_expression_function(i, &name, &doc); i++)
        printf("%-8s %s\n", name, doc);
    printf("\noperators + - * / ^, brackets, numbers like 1.5e-3, the constant pi, the time t,\n"
           "names of parameters and coordinates, dX for the velocity of X, X[i] for lists (from 1)\n");
}

static int print_text(char *text)
{
    if (text)
        printf("%s", text);
    lil_free(text);
    return text ? EXIT_FINE : cli_no_memory();
}

static int list(lil_context *ctx, int argc, char **argv)
{
    if (argc == 1) {
        printf("%s", help);
        return EXIT_FINE;
    }
    if (argc > 2)
        return cli_usage(&cli_list, "one list at a time");
    if (strcmp(argv[1], "integrators") == 0)
        list_integrators(ctx);
    else if (strcmp(argv[1], "materials") == 0)
        list_materials();
    else if (strcmp(argv[1], "shapes") == 0)
        list_shapes();
    else if (strcmp(argv[1], "functions") == 0)
        list_functions();
    else if (strcmp(argv[1], "scene") == 0)
        return print_text(lil_scene_reference(ctx));
    else if (strcmp(argv[1], "schema") == 0)
        return print_text(lil_scene_schema(ctx));
    else
        return cli_usage(&cli_list, "there is no list of '%s'", argv[1]);
    return EXIT_FINE;
}

const cli_command cli_list = { "list", "list integrators, materials, shapes, functions, keys", help, list, NULL };
