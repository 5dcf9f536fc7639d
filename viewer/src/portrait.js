// The phase portrait: momentum over position of the first coordinate, and the loop, if the run carries one.
import { colour, variable } from "./colours.js";
import { indexAt } from "./data.js";
import { exact, nice } from "./format.js";

const MARGIN = { left: 56, right: 12, top: 10, bottom: 28 };

function range(values) {
    let low = Infinity, high = -Infinity;
    for (const y of values) if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
    if (low > high) return [-1, 1];
    const pad = 0.06 * (high - low || Math.abs(high) || 1);
    return [low - pad, high + pad];
}

const of = (run, odd) => range([run.phase, run.loop].filter(Boolean).flatMap(({ qp }) => Array.from(qp).filter((y, i) => (i & 1) === odd)));

// A run that flies apart does not make all others small.
function common(runs, odd) {
    const each = runs.filter((run) => run.phase).map((run) => of(run, odd)), least = Math.min(...each.map(([a, b]) => b - a));
    const seen = each.filter(([a, b]) => b - a <= 5 * least);
    return [Math.min(...seen.map(([a]) => a)), Math.max(...seen.map(([, b]) => b))];
}

export class Portrait {
    constructor(runs, clock, visible, parent, large) {
        Object.assign(this, { runs, clock, visible, large });
        this.renew();
        this.canvas = document.createElement("canvas");
        this.canvas.className = "portrait";
        const name = runs.find((run) => run.phase).phase.coordinate, [q, p] = this.ranges.map((r) => r.map((y) => exact(y, 3)));
        this.labels = [name, `p_${name}`];
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `Phase portrait: momentum p_${name}, about ${p[0]} to ${p[1]}, over ${name}, about ${q[0]} to ${q[1]}.`);
        if (large) parent.append(this.canvas);
        else {
            const figure = document.createElement("figure"), title = document.createElement("h2");
            figure.className = "panel";
            title.textContent = `Phase portrait: p_${name} over ${name}`;
            figure.append(title, this.canvas);
            parent.append(figure);
        }
        this.context = this.canvas.getContext("2d");
        new ResizeObserver(() => this.redraw()).observe(this.canvas);
    }

    renew() { this.ranges = [common(this.runs, 0), common(this.runs, 1)]; }
    x(q) { const [a, b] = this.ranges[0]; return MARGIN.left + ((q - a) / (b - a)) * (this.w - MARGIN.left - MARGIN.right); }
    y(p) { const [a, b] = this.ranges[1]; return this.h - MARGIN.bottom - ((p - a) / (b - a)) * (this.h - MARGIN.top - MARGIN.bottom); }

    axes() {
        const c = this.context;
        c.font = "11px system-ui, sans-serif";
        c.lineWidth = 1;
        this.ranges.forEach(([a, b], axis) => {
            const room = axis ? this.h / 45 : this.w / 90, step = nice((b - a) / Math.max(room, 2));
            for (let v = Math.ceil(a / step) * step; v <= b; v += step) {
                c.strokeStyle = variable("--line");
                c.beginPath();
                if (axis) { c.moveTo(MARGIN.left, this.y(v)); c.lineTo(this.w - MARGIN.right, this.y(v)); }
                else { c.moveTo(this.x(v), MARGIN.top); c.lineTo(this.x(v), this.h - MARGIN.bottom); }
                c.stroke();
                c.fillStyle = variable("--soft");
                c.textAlign = axis ? "right" : "center";
                c.textBaseline = axis ? "middle" : "top";
                const text = exact(Math.abs(v) < 1e-9 * step ? 0 : v, 6);
                if (axis) c.fillText(text, MARGIN.left - 6, this.y(v));
                else c.fillText(text, this.x(v), this.h - MARGIN.bottom + 6);
            }
        });
        if (!this.large) return;
        c.font = "600 13px system-ui, sans-serif";
        c.textAlign = "right";
        c.fillText(this.labels[0], this.w - MARGIN.right - 4, this.h - MARGIN.bottom - 20);
        c.textAlign = "left";
        c.textBaseline = "top";
        c.fillText(this.labels[1], MARGIN.left + 6, MARGIN.top + 2);
    }

    // Lines between points that are far apart would fill the picture and mean nothing.
    leaps(qp, count) {
        let way = 0;
        for (let k = 1; k < count; k++) way += Math.hypot(this.x(qp[2 * k]) - this.x(qp[2 * k - 2]), this.y(qp[2 * k + 1]) - this.y(qp[2 * k - 1]));
        return way > 24 * count;
    }

    curve(run, i) {
        const c = this.context, { qp, count, stride } = run.phase;
        c.strokeStyle = c.fillStyle = colour(this.runs.length > 1 ? i : 0);
        c.globalAlpha = run.loop ? 0.25 : 0.75;
        c.lineWidth = 1.2;
        const size = this.leaps(qp, count) ? 2.4 : 1.2;
        if (stride > 1 || size > 2)
            for (let k = 0; k < count; k++) c.fillRect(this.x(qp[2 * k]) - size / 2, this.y(qp[2 * k + 1]) - size / 2, size, size);
        else {
            c.beginPath();
            for (let k = 0; k < count; k++) c.lineTo(this.x(qp[2 * k]), this.y(qp[2 * k + 1]));
            c.stroke();
        }
        c.globalAlpha = 1;
    }

    // All but what moves, once for a size and a theme.
    redraw() {
        const ratio = Math.min(window.devicePixelRatio || 1, 2);
        this.w = this.canvas.clientWidth;
        this.h = this.canvas.clientHeight;
        if (!this.w || !this.h) return;
        this.canvas.width = this.w * ratio;
        this.canvas.height = this.h * ratio;
        this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.context.clearRect(0, 0, this.w, this.h);
        this.axes();
        this.inside(() => this.runs.forEach((run, i) => { if (this.visible[i] && run.phase) this.curve(run, i); }));
        this.still = document.createElement("canvas");
        this.still.width = this.canvas.width;
        this.still.height = this.canvas.height;
        this.still.getContext("2d").drawImage(this.canvas, 0, 0);
        this.mark();
    }

    mark() {
        if (!this.still) return;
        const c = this.context, time = this.clock.time;
        c.clearRect(0, 0, this.w, this.h);
        c.drawImage(this.still, 0, 0, this.w, this.h);
        this.inside(() => this.runs.forEach((run, i) => {
            if (!this.visible[i] || !run.phase) return;
            c.fillStyle = c.strokeStyle = colour(this.runs.length > 1 ? i : 0);
            if (run.loop) this.loop(run.loop, time);
            const k = indexAt(run.phase.t, time);
            c.beginPath();
            c.arc(this.x(run.phase.qp[2 * k]), this.y(run.phase.qp[2 * k + 1]), 4.5, 0, 7);
            c.fill();
        }));
    }

    inside(draw) {
        const c = this.context;
        c.save();
        c.beginPath();
        c.rect(MARGIN.left, MARGIN.top, this.w - MARGIN.left - MARGIN.right, this.h - MARGIN.top - MARGIN.bottom);
        c.clip();
        draw();
        c.restore();
    }

    loop(loop, time) {
        const c = this.context, at = 2 * loop.points * indexAt(loop.t, time);
        c.lineWidth = 2;
        c.beginPath();
        for (let j = 0; j < loop.points; j++) c.lineTo(this.x(loop.qp[at + 2 * j]), this.y(loop.qp[at + 2 * j + 1]));
        c.closePath();
        c.stroke();
        c.globalAlpha = 0.2;
        c.fill();
        c.globalAlpha = 1;
    }
}
