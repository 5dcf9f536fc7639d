/* A figure as SVG: 520 units are 8.9 cm, so that 15 units are letters of 7.3 pt. Text stays text. */
#include "record/plot/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Okabe and Ito's colours, which colour-blind readers tell apart; black first, yellow left out: it is faint on white */
static const char *const colours[] = { "#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9" };
static const char *const dashes[] = { "", "7 3", "2 2.5", "10 3 2 3", "14 4", "6 2 2 2 2 2", "4 4", "1 3 6 3" };
enum { COLOURS = sizeof colours / sizeof colours[0], DASHES = sizeof dashes / sizeof dashes[0] };

enum { FONT = 15, SMALL = 14, ROW = 20, SAMPLE = 26, GAP = 12, TOP = 12, BOTTOM = 48, TALL = 262, LOW = 150 };
enum { LABEL_MAX = 44 }; /* letters of a label; longer ones are cut */

/* ---- text ---- */

/* The next letter of UTF-8; what is not UTF-8, or not allowed in XML, becomes U+FFFD. */
static unsigned next_letter(const char **text)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *s = (const unsigned char *)*text;
    int length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    unsigned c = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *text += i;
            return 0xfffd;
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    *text += length ? length : 1;
    bool ok = length && c >= least[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) && (c & 0xfffe) != 0xfffe &&
              c >= 0x20 && (c < 0x7f || c > 0x9f);
    return ok ? c : 0xfffd;
}

static void add_letter(lil_text *out, unsigned c)
{
    if (c == '<' || c == '>' || c == '&' || c == '"')
        lil_text_add(out, c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&quot;");
    else if (c < 0x80)
        lil_text_add(out, "%c", (int)c);
    else if (c < 0x800)
        lil_text_add(out, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
    else if (c < 0x10000)
        lil_text_add(out, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
    else
        lil_text_add(out, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 0x3f)),
                     (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
}

static void add_escaped(lil_text *out, const char *text, int most)
{
    for (int i = 0; *text && i < most; i++)
        add_letter(out, next_letter(&text));
    if (*text)
        lil_text_add(out, "\xe2\x80\xa6");
}

/* About how wide it is, in the wider of the usual fonts. */
static double text_width(const char *text, int most, double size)
{
    double width = 0;
    for (int i = 0; *text && i < most; i++) {
        unsigned c = next_letter(&text);
        width += c > 0x2e00                                       ? 1
                 : c < 0x80 && strchr("iljtfr.,:;'|! ()", (int)c) ? 0.38
                 : c < 0x80 && strchr("mwMW", (int)c)             ? 0.92
                 : c >= 'A' && c <= 'Z'                           ? 0.7
                                                                  : 0.6;
    }
    return width * size;
}

/* Each @ is a place, a double: to 1/100 of a unit. */
static void add_at(lil_text *out, const char *text, ...)
{
    va_list places;
    va_start(places, text);
    for (; *text; text++)
        if (*text == '@')
            lil_text_add(out, "%.8g", (double)lround(100 * va_arg(places, double)) / 100);
        else
            lil_text_add(out, "%c", *text);
    va_end(places);
}

/* A minus sign where there is a hyphen. */
static void add_signed(lil_text *out, const char *number)
{
    for (; *number; number++)
        lil_text_add(out, *number == '-' ? "\xe2\x88\x92" : "%c", *number);
}

/* 10^exponent, raised */
static void add_power(lil_text *out, int exponent)
{
    char number[16];
    snprintf(number, sizeof number, "%d", exponent);
    lil_text_add(out, "10<tspan dy=\"-5\" font-size=\"11\">");
    add_signed(out, number);
    lil_text_add(out, "</tspan>");
}

/* ---- axes ---- */

static void tick_text(const lil_axis *a, double u, char out[48])
{
    if (a->log) {
        snprintf(out, 48, "%.0f", u);
        return;
    }
    double shown = (u - a->offset) * pow(10, a->exponent - a->factor);
    snprintf(out, 48, "%.*f", a->digits, shown);
    if (strspn(out, "-0.") == strlen(out)) /* no minus before a zero */
        snprintf(out, 48, "%.*f", a->digits, 0.0);
}

static double widest_tick(const lil_axis *a)
{
    double width = 0;
    char text[48];
    for (int i = 0; i < a->tick_count; i++) {
        tick_text(a, a->ticks[i], text);
        width = fmax(width, a->log ? 19 + text_width(text, 48, 11) : text_width(text, 48, SMALL));
    }
    return width;
}

static void add_tick_label(lil_text *out, const lil_axis *a, double u)
{
    char text[48];
    tick_text(a, u, text);
    if (a->log)
        add_power(out, (int)lround(u));
    else
        add_signed(out, text);
}

/* "energy - 4.08 (10^-9 J)" */
static void add_axis_label(lil_text *out, const lil_axis *a, double room)
{
    char number[40];
    double rest = (a->offset != 0 ? 130 : 0) + (a->factor ? 30 : 0) + text_width(a->unit, LABEL_MAX, FONT) + 12;
    add_escaped(out, a->name, (int)fmax(6, (room - rest) / 8.5));
    if (a->offset != 0) {
        snprintf(number, sizeof number, "%.15g", fabs(a->offset));
        lil_text_add(out, " %s ", a->offset > 0 ? "\xe2\x88\x92" : "+");
        add_signed(out, number);
        if (a->exponent) {
            lil_text_add(out, "\xc2\xb7");
            add_power(out, a->exponent);
        }
    }
    bool back = a->offset != 0 && a->exponent; /* down again after the raised exponent */
    if (a->factor || a->unit[0])
        lil_text_add(out, back ? "<tspan dy=\"5\"> (</tspan>" : " (");
    if (a->factor) {
        add_power(out, a->factor);
        lil_text_add(out, "<tspan dy=\"5\">%s%s)</tspan>", a->unit[0] ? " " : "", a->unit);
    } else if (a->unit[0]) {
        lil_text_add(out, "%s)", a->unit);
    }
}

static void add_rule(lil_text *out, const char *class, double x1, double y1, double x2, double y2)
{
    lil_text_add(out, "<line class=\"%s\"", class);
    add_at(out, " x1=\"@\" y1=\"@\" x2=\"@\" y2=\"@\"/>\n", x1, y1, x2, y2);
}

static void add_x_axis(lil_text *out, const lil_plot_panel *p, bool labelled)
{
    const lil_axis *a = &p->x;
    double bottom = p->top + p->height;
    for (int i = 0; i < a->tick_count; i++) {
        double x = p->left + p->width * lil_axis_tick_place(a, a->ticks[i]);
        add_rule(out, "grid", x, p->top, x, bottom);
        add_rule(out, "tick", x, bottom, x, bottom + 5);
        if (!labelled)
            continue;
        add_at(out, "<text class=\"x\" x=\"@\" y=\"@\">", x, bottom + 20);
        add_tick_label(out, a, a->ticks[i]);
        lil_text_add(out, "</text>\n");
    }
    if (!labelled)
        return;
    add_at(out, "<text class=\"name x\" x=\"@\" y=\"@\">", p->left + p->width / 2, bottom + 41);
    add_axis_label(out, a, p->width);
    lil_text_add(out, "</text>\n");
}

static void add_y_axis(lil_text *out, const lil_plot_panel *p)
{
    const lil_axis *a = &p->y;
    for (int i = 0; i < a->minor_count; i++) {
        double y = p->top + p->height * (1 - lil_axis_tick_place(a, a->minor[i]));
        add_rule(out, "tick", p->left - 3, y, p->left, y);
    }
    for (int i = 0; i < a->tick_count; i++) {
        double y = p->top + p->height * (1 - lil_axis_tick_place(a, a->ticks[i]));
        add_rule(out, "grid", p->left, y, p->left + p->width, y);
        add_rule(out, "tick", p->left - 5, y, p->left, y);
        add_at(out, "<text class=\"y\" x=\"@\" y=\"@\">", p->left - 9, y + 5);
        add_tick_label(out, a, a->ticks[i]);
        lil_text_add(out, "</text>\n");
    }
    add_at(out, "<text class=\"name y\" transform=\"translate(17 @) rotate(-90)\">", p->top + p->height / 2);
    add_axis_label(out, a, p->height + 20);
    lil_text_add(out, "</text>\n");
}

/* ---- lines ---- */

/* A line that goes to and fro all the time: dashes would be lost in it. */
static bool is_busy(const lil_plot_series *s, bool plane)
{
    double length = 0;
    int turns = 0;
    for (int i = 1; i < s->path_count; i++) {
        if (!s->breaks[i])
            length += hypot(s->path[i][0] - s->path[i - 1][0], s->path[i][1] - s->path[i - 1][1]) / 100;
        if (i > 1)
            turns += (s->path[i][1] - s->path[i - 1][1] > 0) != (s->path[i - 1][1] - s->path[i - 2][1] > 0);
    }
    return s->loop ? false : turns > LIL_PLOT_WIDTH / 3 || length > (plane ? 8 : 12) * LIL_PLOT_WIDTH;
}

static void add_style(lil_text *out, const lil_plot_panel *p, const lil_plot_series *s)
{
    const char *dash = dashes[s->style % DASHES];
    bool busy = is_busy(s, p->plane);
    lil_text_add(out, " stroke=\"%s\"", colours[s->style % COLOURS]);
    if (dash[0] && s->path_count > 1 && !busy)
        lil_text_add(out, " stroke-dasharray=\"%s\"", dash);
    if (s->path_count > 1)
        lil_text_add(out, " stroke-width=\"%s\"", busy ? "1" : "1.8");
    else
        lil_text_add(out, " stroke-width=\"6\" stroke-linecap=\"round\"");
}

/* Relative to the point before, and as short as SVG allows: ".5-3.21". */
static void add_step(lil_text *out, long x, bool first)
{
    long size = x < 0 ? -x : x;
    lil_text_add(out, "%s", x < 0 ? "-" : first ? "" : " ");
    if (size >= 100 || size == 0)
        lil_text_add(out, "%ld", size / 100);
    if (size % 100)
        lil_text_add(out, size % 10 ? ".%02ld" : ".%ld", size % 10 ? size % 100 : size % 100 / 10);
}

static void add_line(lil_text *out, const lil_plot_panel *p, const lil_plot_series *s)
{
    lil_text_add(out, "<g class=\"line\"><title>");
    add_escaped(out, s->of.name, LABEL_MAX);
    lil_text_add(out, "</title><path");
    add_style(out, p, s);
    lil_text_add(out, " d=\"");
    for (int i = 0; i < s->path_count; i++) {
        long x = s->path[i][0], y = s->path[i][1];
        bool fresh = s->breaks[i], second = i && s->breaks[i - 1];
        if (fresh)
            lil_text_add(out, i ? "\nM" : "M");
        else if (second || i % 16 == 0)
            lil_text_add(out, second ? "l" : "\n");
        add_step(out, fresh ? x : x - s->path[i - 1][0], fresh || second || i % 16 == 0);
        add_step(out, fresh ? y : y - s->path[i - 1][1], false);
    }
    lil_text_add(out, "%s\"/></g>\n", s->path_count == 1 ? "h0" : "");
}

/* ---- legend ---- */

/* Where the next entry of a legend goes: along rows above the data. */
typedef struct cursor {
    double x;
    int row;
} cursor;

static bool has_legend(const lil_plot_panel *p)
{
    return p->series_count > 1;
}

static cursor legend_place(cursor *next, const lil_plot_series *s, double width)
{
    double wide = SAMPLE + 6 + text_width(s->of.name, LABEL_MAX, SMALL) + GAP;
    if (next->x > 0 && next->x + wide - GAP > width) {
        next->x = 0;
        next->row++;
    }
    cursor here = *next;
    next->x += wide;
    return here;
}

static int legend_rows(const lil_plot_panel *p, double width)
{
    cursor next = { 0, 0 };
    for (int i = 0; i < p->series_count; i++)
        legend_place(&next, &p->series[i], width);
    return has_legend(p) ? next.row + 1 : 0;
}

static void add_legend(lil_text *out, const lil_plot_panel *p)
{
    cursor next = { 0, 0 };
    int rows = legend_rows(p, p->width);
    for (int i = 0; has_legend(p) && i < p->series_count; i++) {
        const lil_plot_series *s = &p->series[i];
        cursor at = legend_place(&next, s, p->width);
        double x = p->left + at.x, y = p->top - 14 - ROW * (rows - 1 - at.row);
        lil_text_add(out, "<line class=\"key\"");
        add_style(out, p, s);
        add_at(out, " x1=\"@\" y1=\"@\" x2=\"@\" y2=\"@\"/><text x=\"@\" y=\"@\">", x, y, x + SAMPLE, y,
               x + SAMPLE + 6, y + 5);
        add_escaped(out, s->of.name, LABEL_MAX);
        lil_text_add(out, "</text>\n");
    }
}

/* ---- the whole ---- */

/* The last of the panels over time, or a plane, has labels below it. */
static bool has_x_labels(const lil_figure *f, int i)
{
    return i == f->panel_count - 1 || f->panels[i].plane || f->panels[i + 1].plane;
}

void lil_figure_layout(lil_figure *f)
{
    double left = 0, right = 20, y = 0;
    for (int i = 0; i < f->panel_count; i++) {
        left = fmax(left, 36 + widest_tick(&f->panels[i].y));
        right = fmax(right, 4 + widest_tick(&f->panels[i].x) / 2);
    }
    for (int i = 0; i < f->panel_count; i++) {
        lil_plot_panel *p = &f->panels[i];
        p->left = left;
        p->width = LIL_PLOT_WIDTH - right - left;
        int rows = legend_rows(p, p->width);
        p->top = y + TOP + (rows ? ROW * rows + 6 : 0);
        p->height = f->panel_count == 1 || p->plane ? TALL : LOW;
        y = p->top + p->height + (has_x_labels(f, i) ? BOTTOM : 4);
    }
    f->width = LIL_PLOT_WIDTH;
    f->height = y;
}

static void add_sentence(lil_text *out, const lil_plot_panel *p)
{
    enum { TOLD = 12 };
    const char *space = p->y.unit[0] ? " " : "";
    add_escaped(out, p->about, 400);
    lil_text_add(out, ".");
    for (int i = 0; i < p->series_count && i < TOLD; i++) {
        const lil_series *s = &p->series[i].of;
        lil_text_add(out, "\n");
        add_escaped(out, s->name, LABEL_MAX);
        if (p->plane)
            lil_text_add(out, ": position from %.6g to %.6g, momentum from %.6g to %.6g.", s->x_min, s->x_max, s->min,
                         s->max);
        else
            lil_text_add(out, ": %.6g%s%s at t = %.6g s, %.6g%s%s at t = %.6g s, between %.6g and %.6g%s%s.",
                         s->first, space, p->y.unit, s->x_first, s->last, space, p->y.unit, s->x_last, s->min, s->max,
                         space, p->y.unit);
    }
    if (p->series_count > TOLD)
        lil_text_add(out, "\nAnd %d more lines.", p->series_count - TOLD);
    lil_text_add(out, "\n");
}

static void add_head(lil_text *out, const lil_figure *f)
{
    lil_text_add(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8.9cm\" height=\"%.2fcm\" viewBox=\"0 0 %.0f "
                 "%.0f\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">",
                 8.9 * f->height / f->width, f->width, f->height);
    for (int i = 0; i < f->panel_count; i++) {
        lil_text_add(out, i ? ", " : "");
        add_escaped(out, f->panels[i].what, LABEL_MAX);
    }
    lil_text_add(out, ": ");
    for (int i = 0; i < f->run_count && i < 8; i++) {
        const char *slash = strrchr(f->runs[i]->path, '/');
        lil_text_add(out, i ? ", " : "");
        add_escaped(out, slash ? slash + 1 : f->runs[i]->path, LABEL_MAX);
    }
    lil_text_add(out, "%s</title>\n<desc id=\"desc\">", f->run_count > 8 ? ", \xe2\x80\xa6" : "");
    for (int i = 0; i < f->panel_count; i++)
        add_sentence(out, &f->panels[i]);
    lil_text_add(out,
                 "</desc>\n<style>\n"
                 "text { font: %dpx Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: #222 }\n"
                 ".x { text-anchor: middle } .y { text-anchor: end } .name { font-size: %dpx; text-anchor: middle }\n"
                 ".grid { stroke: #e4e4e4; stroke-width: 0.8 } .tick, .frame { stroke: #333; stroke-width: 1 }\n"
                 ".line path, .key { fill: none; stroke-linejoin: round }\n"
                 "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                 SMALL, FONT);
}

void lil_figure_svg(const lil_figure *f, lil_text *out)
{
    add_head(out, f);
    for (int i = 0; i < f->panel_count; i++) {
        const lil_plot_panel *p = &f->panels[i];
        double bottom = p->top + p->height;
        lil_text_add(out, "<g class=\"panel\">\n");
        add_x_axis(out, p, has_x_labels(f, i));
        add_y_axis(out, p);
        add_legend(out, p);
        add_rule(out, "frame", p->left, p->top, p->left, bottom);
        add_rule(out, "frame", p->left, bottom, p->left + p->width, bottom);
        for (int k = 0; k < 2 * p->series_count; k++) { /* busy lines below the others */
            const lil_plot_series *s = &p->series[k % p->series_count];
            if (is_busy(s, p->plane) == (k < p->series_count))
                add_line(out, p, s);
        }
        lil_text_add(out, "</g>\n");
    }
    lil_text_add(out, "</svg>\n");
}
