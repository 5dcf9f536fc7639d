// Plots over time, linked to the clock: a line shows its time, a click or a drag sets it.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, variable } from "./colours.js";
import { indexAt } from "./data.js";
import { exact } from "./format.js";

const HEIGHT = 150, FLOOR = 1e-17;

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

function decades(u, axis, low, high) {
    const list = [], every = Math.max(1, Math.ceil(Math.log10(high / low) / 6));
    for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e += every) list.push(10 ** e);
    return list;
}

// What the panels are: a title, and lines { run, series, name, ink }.
function panels(runs) {
    const several = runs.length > 1, list = [];
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
    add("Cost by iteration", "cost", () => true, { log: true, iterations: true });
    const levels = levelPanel(runs);
    if (levels) list.push(levels);
    add("Violation of constraints", "constraints", () => true, { log: true });
    for (const name of new Set(runs.flatMap((run) => run.series.filter((s) => s.group === "observe").map((s) => s.name))))
        add(name, "observe", (s) => s.name === name);
    add("Area of the loop", "area", () => true);
    add("Length of steps", "step", () => true);
    add("Newton iterations so far", "iterations", () => true);
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
    return lines.length ? { title: "Levels", lines, choices: names } : null;
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
        const unit = units && about.lines[0].series.unit;
        if (unit) title.textContent += ` (${unit})`;
        top.append(title);
        if (about.choices) top.append(this.select());
        this.chips = document.createElement("div");
        this.chips.className = "chips";
        this.plot = document.createElement("div");
        this.plot.className = "plot";
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
        this.uplot?.destroy();
        this.shown = lines.map((line) => chip(line.name, line.ink, () => !this.off.has(line), () => {
            if (!this.off.delete(line)) this.off.add(line);
            this.showLines();
        }));
        this.chips.replaceChildren(...this.shown.map(({ button }) => button));
        const last = Math.max(...lines.map(({ series }) => series.t[series.count - 1]));
        const data = uPlot.join(lines.map(({ series }) => [Array.from(series.t), Array.from(series.y, lift)]));
        const ink = variable("--soft"), grid = { stroke: variable("--line"), width: 1 };
        this.uplot = new uPlot({
            width, height: HEIGHT,
            legend: { show: false },
            padding: [8, 22, 0, 0],
            cursor: { show: false },
            scales: { x: { time: false, range: this.about.iterations ? [0, last + 1] : [this.clock.start, this.clock.end] }, y: log ? { distr: 3, log: 10 } : {} },
            axes: [
                { stroke: ink, grid, ticks: grid, size: 24, space: 70, font: "11px system-ui", values: (u, v) => v.map((x) => exact(x)) },
                { stroke: ink, grid, ticks: grid, size: 58, ...(log ? { splits: decades, filter: (u, v) => v } : {}), font: "11px system-ui",
                  values: (u, v) => v.map((x) => (x === null ? "" : log ? x.toExponential(0) : exact(x, 6))) },
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

    listen(over) {
        const go = (event) => this.clock.set(this.uplot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
        over.addEventListener("pointerdown", (event) => { if (event.button === 0) { this.clock.play(false); go(event); } });
        over.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
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
        this.now.style.left = `${this.uplot.valToPos(time, "x")}px`;
        this.lines().forEach(({ series }, i) => {
            const k = indexAt(series.t, time), beyond = time > series.t[series.count - 1] + 1e-9 * Math.abs(time);
            const h = k + 1 < series.count ? series.t[k + 1] - series.t[k] : 0, s = h > 0 ? Math.max(0, (time - series.t[k]) / h) : 0;
            const y = s > 0 && series.group !== "iterations" ? series.y[k] + s * (series.y[k + 1] - series.y[k]) : series.y[k];
            this.shown[i].value.textContent = beyond ? "" : exact(y, this.about.log ? 1 : 4);
        });
    }

    resize() { if (this.uplot && this.plot.clientWidth) this.uplot.setSize({ width: this.plot.clientWidth, height: HEIGHT }); this.mark(); }
}

export class Plots {
    constructor(runs, clock, visible, units, parent) {
        this.list = panels(runs).map((about) => new Panel(about, clock, visible, units));
        for (const panel of this.list) parent.append(panel.element);
        this.redraw();
        new ResizeObserver(() => { for (const panel of this.list) panel.resize(); }).observe(parent);
    }

    redraw() { for (const panel of this.list) panel.draw(); }
    showLines() { for (const panel of this.list) panel.showLines(); }
    mark() { for (const panel of this.list) panel.mark(); }
}
