// Plots over time, linked to the clock: a line shows its time, a click or a drag sets it.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, variable } from "./colours.js";
import { indexAt } from "./data.js";
import { beside, exact, nice } from "./format.js";

const HEIGHT = 168, FLOOR = 1e-17;

export function chip(name, ink, on, toggle) {
    const button = document.createElement("button"), swatch = document.createElement("i"), value = document.createElement("b");
    const label = document.createElement("span");
    button.type = "button";
    button.className = "chip";
    label.textContent = name;
    button.append(swatch, label, value);
    const show = () => { button.style.setProperty("--c", ink()); button.setAttribute("aria-pressed", String(on())); };
    button.addEventListener("click", () => { toggle(); show(); });
    show();
    return { button, show, value };
}

// where all potential energy is elastic, one line tells it
const same = (a, b) => b && ["first", "last", "min", "max"].every((key) => Math.abs(a[key] - b[key]) <= 1e-9 * Math.abs(b.max));

// Ticks of a logarithmic axis: powers of ten; where these are too few 2 and 5 times them, or numbers as on a linear axis.
function decades(u, axis, low, high) {
    const list = [], span = Math.log10(high / low), every = Math.max(1, Math.ceil(span / 6)), steps = span > 2 ? [1] : [1, 2, 5];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high) + 1e-9; e += every)
        for (const m of steps) if (m * 10 ** e >= low * (1 - 1e-9) && m * 10 ** e <= high * (1 + 1e-9)) list.push(m * 10 ** e);
    if (list.length > 1) return list;
    const step = nice((high - low) / 4);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => step * (Math.ceil(low / step) + i));
}

// Of a logarithmic axis: close to the values, and never of no width.
const logRange = (u, low, high) => (low > 0 && Number.isFinite(high) ? [low / 1.15, high * 1.15] : [0.1, 1]);

// What the panels are: a title, and lines { run, series, name, ink }.
function panels(runs) {
    const several = runs.length > 1, list = [];
    if (runs.every((run) => run.modes)) return list; // their energy says nothing
    const add = (title, group, filter, options = {}) => {
        const names = [...new Set(runs.flatMap((run) => run.series.filter((s) => s.group === group && filter(s)).map((s) => s.name)))];
        const lines = names.flatMap((name, k) => runs.flatMap((run, i) => {
            const series = run.series.find((s) => s.group === group && s.name === name);
            return series ? [{ run: i, series, quantity: name, name: several ? run.name : name, ink: () => colour(several ? i : k) }] : [];
        }));
        // of several runs one quantity at a time: all of them would be a thicket
        if (lines.length) list.push({ title, lines, choices: several && names.length > 1 ? names : null, ...options });
    };
    const zero = (name) => runs.every((run) => run.series.every((s) => s.name !== name || (s.min === 0 && s.max === 0)));
    add("Energy", "energy", (s) => !zero(s.name) && (s.name !== "potential" || !runs.some((run) => same(s, run.series.find((e) => e.name === "elastic")))));
    if (runs.some((run) => run.contacts)) {
        add("Contact force, all pairs", "contact", () => true);
        add("Smallest gap, up to d_hat", "gap", () => true);
    }
    add("Change of momenta, relative", "momentum", () => true, { log: true });
    add("Forces of constraints", "forces", () => true);
    add("Ghost force", "ghost", () => true);
    add("Cost by iteration", "cost", () => true, { log: true, iterations: true, solver: true });
    const levels = levelPanel(runs);
    if (levels) list.push(levels);
    add("Violation of constraints", "constraints", () => true, { log: true });
    for (const name of new Set(runs.flatMap((run) => run.series.filter((s) => s.group === "observe").map((s) => s.name))))
        add(name, "observe", (s) => s.name === name);
    add("Area of the loop", "area", () => true);
    add("Length of steps", "step", () => true, { solver: true });
    add("Newton iterations so far", "iterations", () => true, { solver: true });
    return list;
}

// How a shot was found: a coordinate as each level left it. The finest is the strongest line.
function levelPanel(runs) {
    const several = runs.length > 1, lines = [];
    runs.forEach((run, i) => {
        const parts = run.series.filter((s) => s.group === "levels");
        for (const series of parts) {
            const level = [...new Set(parts.map((s) => s.part))].indexOf(series.part);
            lines.push({ run: i, series, quantity: series.name, name: several ? `${run.name}, ${series.part}` : series.part,
                         ink: () => colour(several ? i : level), width: several ? 0.6 + 0.3 * level : 1.5 });
        }
    });
    const names = [...new Set(lines.map((line) => line.quantity))];
    return lines.length ? { title: "Levels", lines, choices: names, solver: true } : null;
}

class Panel {
    constructor(about, clock, visible, units) {
        Object.assign(this, { about, clock, visible, units, off: new Set() });
        this.quantity = about.choices ? about.choices[0] : null;
        this.element = document.createElement("figure");
        this.element.className = "panel";
        const top = document.createElement("div"), title = document.createElement("h2");
        top.className = "top";
        title.textContent = about.title;
        const unit = units && (about.lines[0].series.unit || (about.lines[0].series.group === "ghost" ? "N" : ""));
        if (unit) title.textContent += ` (${unit})`;
        top.append(title);
        if (about.choices) top.append(this.select());
        this.chips = document.createElement("div");
        this.chips.className = "chips";
        this.plot = document.createElement("div");
        this.plot.className = "plot";
        this.plot.title = about.iterations ? "" : "Click or drag: go to a time. Shift and drag: zoom. Double click: all of it.";
        this.summary = document.createElement("figcaption");
        this.summary.className = "hidden";
        this.element.append(top, this.chips, this.plot, this.summary);
    }

    select() {
        const select = document.createElement("select");
        select.setAttribute("aria-label", `${this.about.title}: which`);
        for (const name of this.about.choices) select.append(new Option(name, name));
        select.addEventListener("change", () => { this.quantity = select.value; this.draw(); });
        return select;
    }

    lines() { return this.about.lines.filter((line) => !this.quantity || line.quantity === this.quantity); }

    draw() {
        const lines = this.lines(), log = this.about.log, width = this.plot.clientWidth || 300;
        const lift = (y) => (log ? Math.max(y, FLOOR) : y);
        const focus = Array.from(this.chips.children).indexOf(document.activeElement);
        this.uplot?.destroy();
        this.shown = lines.map((line) => chip(line.name, line.ink, () => !this.off.has(line), () => {
            if (!this.off.delete(line)) this.off.add(line);
            this.showLines();
        }));
        this.chips.replaceChildren(...this.shown.map(({ button }) => button));
        this.shown[focus]?.button.focus({ preventScroll: true });
        const last = Math.max(...lines.map(({ series }) => series.t[series.count - 1]));
        const data = uPlot.join(lines.map(({ series }) => [Array.from(series.t), Array.from(series.y, lift)]));
        const ink = variable("--soft"), grid = { stroke: variable("--line"), width: 1 };
        this.uplot = new uPlot({
            width, height: HEIGHT,
            legend: { show: false },
            padding: [8, 22, 0, 0],
            cursor: { show: false },
            scales: { x: { time: false, range: () => (this.about.iterations ? [0, last + 1] : this.zoom || [this.clock.start, this.clock.end]) },
                      y: log ? { distr: 3, log: 10, range: logRange } : {} },
            axes: [
                { stroke: ink, grid, ticks: grid, size: 24, space: 70, font: "11px system-ui", labelFont: "11px system-ui", labelSize: 14, labelGap: 0,
                  label: this.about.iterations ? "iteration" : this.clock.statics ? "load factor" : this.units ? "t (s)" : "t", values: (u, v) => v.map((x) => exact(x)) },
                { stroke: ink, grid, ticks: grid, size: 58, ...(log ? { splits: decades, filter: (u, v) => v } : {}), font: "11px system-ui",
                  values: (u, v) => v.map((x) => (x === null ? "" : log ? exact(x, 3) : exact(x, 6))) },
            ],
            series: [{}, ...lines.map((line) => ({ stroke: line.ink(), width: line.width || 1.5, pxAlign: 0, points: { show: false }, spanGaps: true }))],
        }, data, this.plot);
        this.now = document.createElement("div");
        this.now.className = "now";
        this.uplot.over.append(this.now);
        if (this.about.iterations) this.now.remove();
        else this.listen(this.uplot.over);
        this.summarise(lines);
        this.showLines();
        this.mark();
    }

    renew(about) {
        const off = [...this.off];
        this.about = about;
        this.off = new Set(about.lines.filter((line) => off.some((one) => one.name === line.name && one.quantity === line.quantity)));
        this.draw();
    }

    listen(over) {
        const at = (event) => event.clientX - over.getBoundingClientRect().left, go = (event) => this.clock.set(this.uplot.posToVal(at(event), "x"));
        let from = null, range = null;
        over.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            if (event.shiftKey) {
                over.setPointerCapture(event.pointerId);
                from = at(event);
                range = Object.assign(document.createElement("div"), { className: "range" });
                over.append(range);
            } else { this.clock.play(false); go(event); }
        });
        over.addEventListener("pointermove", (event) => {
            if (!(event.buttons & 1)) return;
            if (from === null) go(event);
            else Object.assign(range.style, { left: `${Math.min(from, at(event))}px`, width: `${Math.abs(at(event) - from)}px` });
        });
        over.addEventListener("pointerup", (event) => {
            if (from === null) return;
            const ends = [from, at(event)].sort((a, b) => a - b).map((x) => Math.min(Math.max(this.uplot.posToVal(x, "x"), this.clock.start), this.clock.end));
            range.remove();
            if (Math.abs(at(event) - from) > 4) this.onZoom(ends);
            from = null;
        });
        over.addEventListener("dblclick", () => this.onZoom(null));
    }

    setZoom(range) {
        this.zoom = range;
        if (!this.about.iterations) this.draw();
    }

    showLines() {
        this.lines().forEach((line, i) => {
            const show = this.visible[line.run] && !this.off.has(line);
            if (this.uplot.series[i + 1].show !== show) this.uplot.setSeries(i + 1, { show });
            this.shown[i].show();
        });
    }

    summarise(lines) {
        this.summary.textContent = lines.map(({ name, series, quantity }) =>
            `${name === quantity ? name : `${name}, ${quantity}`}: first ${exact(series.first)}, last ${exact(series.last)}, ` +
            `least ${exact(series.min)}, most ${exact(series.max)}.`).join(" ");
    }

    // Where the clock is, and what the values are there.
    mark() {
        const time = this.clock.time;
        if (this.about.iterations) {
            this.lines().forEach(({ series }, i) => { this.shown[i].value.textContent = exact(series.last, 4); });
            return;
        }
        const left = this.uplot.valToPos(time, "x");
        this.now.style.left = `${left}px`;
        this.now.hidden = left < 0 || left > this.uplot.over.clientWidth;
        const largest = Math.max(...this.lines().map(({ series }) => Math.max(Math.abs(series.min), Math.abs(series.max))));
        this.lines().forEach(({ series }, i) => {
            const k = indexAt(series.t, time), beyond = time > series.t[series.count - 1] + 1e-9 * Math.abs(time);
            const h = k + 1 < series.count ? series.t[k + 1] - series.t[k] : 0, s = h > 0 ? Math.max(0, (time - series.t[k]) / h) : 0;
            const y = s > 0 && series.group !== "iterations" ? series.y[k] + s * (series.y[k + 1] - series.y[k]) : series.y[k];
            this.shown[i].value.textContent = beyond ? "" : this.about.log ? exact(y, 1) : beside(y, largest, 4);
        });
    }

    resize() { if (this.uplot && this.plot.clientWidth) this.uplot.setSize({ width: this.plot.clientWidth, height: HEIGHT }); this.mark(); }
}

export class Plots {
    constructor(runs, clock, visible, units, parent) {
        Object.assign(this, { clock, visible, units, parent });
        this.build(runs);
        new ResizeObserver(() => { for (const panel of this.list) panel.resize(); }).observe(parent);
    }

    build(runs) {
        this.list = panels(runs).map((about) => new Panel(about, this.clock, this.visible, this.units));
        const { parent } = this, fold = Object.assign(document.createElement("details"), { id: "solver" });
        fold.append(Object.assign(document.createElement("summary"), { textContent: "Solver" }));
        fold.addEventListener("toggle", () => { for (const panel of this.list) panel.resize(); });
        for (const panel of this.list) {
            (panel.about.solver ? fold : parent).append(panel.element);
            panel.onZoom = (range) => { for (const one of this.list) one.setZoom(range); };
        }
        if (fold.children.length > 1) parent.append(fold);
        this.redraw();
    }

    // After runs have got more frames. What the user chose stays.
    renew(runs) {
        const before = this.list, names = (list) => list.map((one) => (one.about || one).title).join();
        if (names(before) !== names(panels(runs))) {
            for (const panel of before) { panel.uplot?.destroy(); panel.element.remove(); }
            document.getElementById("solver")?.remove();
            this.build(runs);
        } else panels(runs).forEach((about, i) => before[i].renew(about));
    }

    redraw() { for (const panel of this.list) panel.draw(); }
    showLines() { for (const panel of this.list) panel.showLines(); }
    mark() { for (const panel of this.list) panel.mark(); }
}
