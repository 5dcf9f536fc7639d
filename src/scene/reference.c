/* The reference page: the tables, and beside them what docs/scene-notes.md says. */
#include "materials/material.h"
#include "scene/constraints.h"
#include "scene/notes.h"
#include "scene/obstacles.h"
#include "scene/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 100 }; /* columns of a paragraph */

static void add_wrapped(lil_text *text, const char *words)
{
    size_t column = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        bool fits = column + 1 + length <= WIDTH;
        lil_text_add(text, "%s%.*s", column == 0 ? "" : fits ? " " : "\n", (int)length, words);
        column = column > 0 && fits ? column + 1 + length : length;
        words += length + (words[length] == ' ');
    }
    lil_text_add(text, "\n");
}

/* ---- tables ---- */

/* A default that the sentence gives at its end, "(default: none)": where the brackets begin; NULL: it gives none. */
static const char *told_default(const char *doc)
{
    const char *at = strstr(doc, " (default");
    return at && strchr(": ", at[9]) && doc[strlen(doc) - 1] == ')' ? at : NULL;
}

/* Its words, which have a column of their own. */
static void add_told(lil_text *text, const char *doc)
{
    const char *words = told_default(doc);
    if (!words)
        return;
    words += strlen(" (default");
    words += strspn(words, ": ");
    lil_text_add(text, "%.*s", (int)strlen(words) - 1, words);
}

static void add_preset(lil_text *text, const lil_field *f, const char *missing)
{
    if (told_default(f->doc))
        add_told(text, f->doc);
    else if (f->kind == LIL_CHOICE)
        lil_text_add(text, "`%s`", f->choices[(int)f->preset]);
    else if (f->kind == LIL_NAME)
        lil_text_add(text, "`%s`", f->choices[0]);
    else if (f->kind == LIL_FLAG)
        lil_text_add(text, f->preset != 0 ? "true" : "false");
    else if (f->kind == LIL_LIST)
        lil_text_add(text, "none");
    else if (isnan(f->preset))
        lil_text_add(text, "%s", missing);
    else if (f->kind == LIL_VECTOR)
        lil_text_add(text, "[%g, %g, %g]", f->preset, f->preset, f->preset);
    else if (f->preset >= f->least && f->preset <= f->most)
        lil_text_add(text, "%g", f->preset);
}

/* A sentence as a cell of a table, where a bar would end it; its default is in another cell. */
static void add_cell(lil_text *text, const char *doc)
{
    for (const char *end = told_default(doc); *doc && doc != end; doc++)
        lil_text_add(text, *doc == '|' ? "\\%c" : "%c", *doc);
}

/* The choice that the words explain from here on, as in "direct: sparse factorisation"; NULL: none. */
static const char *explained_choice(const lil_field *f, const char *words)
{
    for (int i = 0; (words == f->doc || words[-1] == ' ') && f->choices[i]; i++) {
        size_t length = strlen(f->choices[i]);
        if (strncmp(words, f->choices[i], length) == 0 && strncmp(words + length, ": ", 2) == 0)
            return f->choices[i];
    }
    return NULL;
}

/* A choice: a line for each one that the sentence explains, or a list of all at its end. */
static void add_choices(lil_text *text, const lil_field *f)
{
    bool explains = false;
    for (const char *words = f->doc; *words; words++) {
        const char *name = explained_choice(f, words);
        if (!name) {
            lil_text_add(text, "%c", *words);
            continue;
        }
        lil_text_add(text, "%s`%s`", words == f->doc ? "" : "<br>", name);
        words += strlen(name) - 1;
        explains = true;
    }
    for (int i = 0; !explains && f->choices[i]; i++)
        lil_text_add(text, "%s`%s`", i ? ", " : ". Values: ", f->choices[i]);
}

static void add_field(lil_text *text, const lil_field *f, const char *missing)
{
    lil_text_add(text, "| `%s` | ", f->name);
    add_preset(text, f, missing);
    lil_text_add(text, " | %s | ", f->unit);
    if (f->kind == LIL_CHOICE)
        add_choices(text, f);
    else
        add_cell(text, f->doc);
    lil_text_add(text, " |\n");
}

static void add_fields(lil_text *text, const lil_key *keys, const lil_field *fields, int count, const char *missing)
{
    lil_text_add(text, "| | default | unit | |\n|---|---|---|---|\n");
    for (const lil_key *k = keys; k && k->name; k++)
        if (k->doc[0]) {
            lil_text_add(text, "| `%s` | %s", k->name, k->required ? "required" : "");
            add_told(text, k->doc);
            lil_text_add(text, " | | ");
            add_cell(text, k->doc);
            lil_text_add(text, " |\n");
        }
    for (int i = 0; i < count; i++)
        add_field(text, &fields[i], missing);
}

static void add_keys(lil_text *text, const char *name, const lil_mapping *t)
{
    bool scene = t == &lil_scene_table;
    lil_text_add(text, scene ? "| key | default | |\n|---|---|---|\n" : "| key of %s | default | |\n|---|---|---|\n",
                 name);
    for (const lil_key *k = t->keys; k->name; k++) {
        lil_text_add(text, scene ? "| [`%s`](#%s)" : "| `%s`", k->name, k->name);
        lil_text_add(text, " | %s", k->required == LIL_REQUIRED ? "required" : "");
        add_told(text, k->doc);
        lil_text_add(text, " | ");
        add_cell(text, k->doc);
        lil_text_add(text, " |\n");
    }
}

enum { LONG = 80 }; /* characters of a sentence that is not worth repeating */

/* The variant before the i-th one that has the same field, which is then explained there; false: none. */
static bool find_explained(const lil_context *ctx, const lil_mapping *t, int i, const lil_field *f, lil_variant *v)
{
    for (int k = 0; k < i && t->variant(ctx, k, v); k++)
        for (int j = 0; v->listed && j < v->field_count; j++)
            if (strcmp(v->fields[j].name, f->name) == 0 && strcmp(v->fields[j].doc, f->doc) == 0)
                return strlen(f->doc) > LONG;
    return false;
}

/* Fields, of which those that an earlier variant has too refer to it. */
static void add_own_fields(lil_text *text, const lil_context *ctx, const lil_mapping *t, int i, const lil_variant *v)
{
    lil_text_add(text, "| | default | unit | |\n|---|---|---|---|\n");
    for (int k = 0; k < v->field_count; k++) {
        lil_variant earlier = { 0 };
        bool known = find_explained(ctx, t, i, &v->fields[k], &earlier);
        if (known)
            lil_text_add(text, "| `%s` | as for [%s](#%s) | | |\n", v->fields[k].name, earlier.name, earlier.name);
        else
            add_field(text, &v->fields[k], "required");
    }
}

static void add_variants(lil_text *text, const lil_context *ctx, const lil_mapping *t, const char *mark)
{
    lil_variant v = { 0 };
    for (int i = 0; t->variant(ctx, i, &v); i++) {
        if (!v.listed)
            continue;
        lil_text_add(text, "\n%s %s\n\n", mark, v.name);
        add_wrapped(text, v.doc);
        if (v.formula)
            lil_text_add(text, "\n    %s\n", v.formula);
        if (v.source) {
            char source[512];
            snprintf(source, sizeof source, "%s%sSource: %s.", v.note ? v.note : "", v.note ? " " : "", v.source);
            lil_text_add(text, "\n");
            add_wrapped(text, source);
        }
        lil_text_add(text, v.field_count ? "\n" : "");
        if (v.field_count)
            add_own_fields(text, ctx, t, i, &v);
    }
}

static void add_presets(lil_text *text)
{
    lil_text_add(text, "| preset | model | young, Pa | poisson | density, kg/m^3 | |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < lil_material_preset_count(); i++) {
        const lil_material_preset *p = lil_material_preset_at(i);
        lil_text_add(text, "| `%s` | %s | %g | %g | %g | %s |\n", p->name, p->table, p->young, p->poisson, p->density,
                     p->doc);
    }
}

static void add_certificate(lil_text *text)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_text_add(text, "| | unit | |\n|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        lil_text_add(text, "| `%s` | %s | ", fields[i].name, fields[i].unit);
        add_cell(text, fields[i].doc);
        lil_text_add(text, " |\n");
    }
}

/* ---- notes ---- */

static void add_sections(lil_text *text, const lil_context *ctx, const char *name, const lil_mapping *t);

static const lil_mapping *find_table(const char *name, size_t length)
{
    for (const lil_definition *d = lil_definitions; d->name; d++)
        if (strlen(d->name) == length && strncmp(d->name, name, length) == 0)
            return d->table;
    return strncmp(name, "scene", length) == 0 ? &lil_scene_table : NULL;
}

/* {{what NAME words}}: what the tables say, in place of the line */
static void add_directive(lil_text *text, const lil_context *ctx, const char *line)
{
    char what[32] = "", name[32] = "", words[64] = "";
    sscanf(line, "{{%31[a-z] %31[a-z_] %63[^}]", what, name, words);
    const lil_mapping *t = find_table(name, strlen(name));
    if (strcmp(what, "presets") == 0)
        add_presets(text);
    else if (strcmp(what, "certificate") == 0)
        add_certificate(text);
    else if (strcmp(what, "constraints") == 0)
        lil_reference_constraints(text);
    else if (strcmp(what, "obstacles") == 0)
        lil_reference_obstacles(text);
    else if (t && strcmp(what, "fields") == 0)
        add_fields(text, t->keys, t->fields, t->field_count, words[0] ? words : "required");
    else if (t && strcmp(what, "keys") == 0)
        add_keys(text, strcmp(name, "body") == 0 ? "a body" : name, t);
    else if (t && strcmp(what, "sections") == 0)
        add_sections(text, ctx, name, t);
    else if (t && strcmp(what, "variants") == 0)
        add_variants(text, ctx, t, words);
}

/* The text below the line <!-- path -->; NULL: none. */
static const char *find_note(const char *path)
{
    const char *notes = (const char *)lil_scene_notes;
    size_t length = strlen(path);
    for (const char *at = notes; (at = strstr(at, "<!-- ")); at += 5)
        if (strncmp(at + 5, path, length) == 0 && strncmp(at + 5 + length, " -->\n", 5) == 0)
            return at + 5 + length + 5;
    return NULL;
}

/* It places its table of fields itself. */
static bool has_fields(const char *note)
{
    const char *fields = note ? strstr(note, "{{fields") : NULL, *end = note ? strstr(note, "<!-- ") : NULL;
    return fields && (!end || fields < end);
}

static void add_note(lil_text *text, const lil_context *ctx, const char *note)
{
    int blank = 0; /* lines, which count where something follows */
    for (const char *line = note; *line && strncmp(line, "<!-- ", 5) != 0; line += strcspn(line, "\n") + 1) {
        blank += *line == '\n';
        if (*line == '\n')
            continue;
        lil_text_add(text, "%.*s", blank, "\n\n\n");
        blank = 0;
        if (strncmp(line, "{{", 2) == 0)
            add_directive(text, ctx, line);
        else
            lil_text_add(text, "%.*s", (int)strcspn(line, "\n") + 1, line);
    }
}

/* It begins with words rather than an example or a table: the key's sentence, which the table above has, is enough
 * there. */
static bool begins_with_words(const char *note)
{
    if (!note)
        return false;
    note += strspn(note, "\n");
    return strncmp(note, "```", 3) != 0 && strncmp(note, "{{", 2) != 0 && strncmp(note, "<!--", 4) != 0;
}

/* ---- sections ---- */

/* A section for each key that has a note or a table of fields; particles and strands explain most keys elsewhere. */
static void add_sections(lil_text *text, const lil_context *ctx, const char *name, const lil_mapping *t)
{
    bool scene = t == &lil_scene_table, all = scene || t == &lil_body_table;
    for (const lil_key *k = t->keys; k->name; k++) {
        size_t length = strcspn(k->type, "+ ");
        const lil_mapping *own = k->type[length] == ' ' ? NULL : find_table(k->type, length);
        char path[64];
        snprintf(path, sizeof path, "%s.%s", name, k->name);
        const char *note = find_note(path);
        if (!note && !(all && own && own->field_count))
            continue;
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%c%s.", toupper((unsigned char)k->doc[0]), k->doc + 1);
        lil_text_add(text, "\n%s %s%s%s\n\n", scene ? "##" : "###", k->name, all ? "" : " of ", all ? "" : name);
        bool fields = own && own->field_count && !has_fields(note), silent = begins_with_words(note);
        if (!silent)
            add_wrapped(text, sentence);
        if (fields) {
            lil_text_add(text, silent ? "" : "\n");
            add_fields(text, own->keys, own->fields, own->field_count, "required");
        }
        if (note)
            add_note(text, ctx, silent && !fields ? note + strspn(note, "\n") : note);
    }
}

char *lil_scene_reference(const lil_context *ctx)
{
    lil_text text = { 0 };
    lil_text_add(&text, "<!-- made by 'lilyan list scene': edit the tables and scene-notes.md, not this page -->\n");
    add_note(&text, ctx, find_note("scene"));
    if (text.failed)
        lil_text_free(&text);
    return text.data;
}
