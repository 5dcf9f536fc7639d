// Colours by a quantity: what it is at every place at a time, the scale that suits all of the motion, and the colours.
import { Color, SRGBColorSpace } from "three";
import { nice } from "./format.js";

// of matplotlib's 'plasma' (CC0): even steps to the eye, also for the colour-blind
const STOPS = ["#0d0887", "#5402a3", "#8b0aa5", "#b93289", "#db5c68", "#f48849", "#febd2a", "#f0f921"];
export const gradient = `linear-gradient(to right, ${STOPS.join(", ")})`;
const COLOURS = 256, SAMPLES = 24, MOST = 0.99; // times that a scale is chosen from, and the share of all values below its end

const table = Array.from({ length: COLOURS }, (_, i) => {
    const s = (i / (COLOURS - 1)) * (STOPS.length - 1), k = Math.min(Math.floor(s), STOPS.length - 2), ends = [STOPS[k], STOPS[k + 1]].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255));
    return new Color().setRGB(...ends[0].map((y, c) => y + (s - k) * (ends[1][c] - y)), SRGBColorSpace);
});
export const shadeOf = (value, top) => table[Math.round(Math.min(Math.max(value / top, 0), 1) * (COLOURS - 1))];

// Half a frame to either side of t, inside the run.
function speeds(run, t, out) {
    const half = (0.5 * (run.end - run.start)) / Math.max(run.times.length - 1, 1), a = Math.max(t - half, run.start), b = Math.min(t + half, run.end);
    const x = new Float32Array(3 * run.places), y = new Float32Array(3 * run.places), at = run.centre(t);
    run.positions(a, at, x);
    run.positions(b, at, y);
    for (let i = 0; i < run.places; i++)
        out[i] = b > a ? Math.hypot(y[3 * i] - x[3 * i], y[3 * i + 1] - x[3 * i + 1], y[3 * i + 2] - x[3 * i + 2]) / (b - a) : 0;
}

// The distance of a body's vertices: of its volume, which its surface encloses, each has its share.
function spacing({ faces, rest, vertices }) {
    let volume = 0;
    for (let f = 0; f < faces.length; f += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => rest.subarray(3 * faces[f + k], 3 * faces[f + k] + 3));
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    return Math.cbrt(Math.abs(volume) / vertices);
}

// Each contact's force, spread over what is around it of a body.
function pressures(run, t, out) {
    const x = new Float32Array(3 * run.places), list = run.touching(t);
    run.spacings ??= run.bodies.map((body) => (body.faces.length ? spacing(body) : 0));
    run.positions(t, [0, 0, 0], x);
    out.fill(0);
    run.bodies.forEach(({ first, vertices }, b) => {
        const reach = 1.8 * run.spacings[b], area = run.spacings[b] ** 2;
        for (const { point, force } of reach > 0 ? list : []) {
            const near = [];
            let sum = 0;
            for (let i = first; i < first + vertices; i++) {
                const dx = x[3 * i] - point[0], dy = x[3 * i + 1] - point[1], dz = x[3 * i + 2] - point[2], w = 1 - (dx * dx + dy * dy + dz * dz) / (reach * reach);
                if (w > 0) { near.push(i, w); sum += w; }
            }
            for (let k = 0; k < near.length; k += 2) out[near[k]] += (Math.hypot(...force) * near[k + 1]) / (sum * area);
        }
    });
}

const KINDS = {
    speed: { name: "Speed", unit: "m/s", has: (run) => run.places > 0, values: speeds },
    stress: { name: "Stress (von Mises)", unit: "Pa", has: (run) => run.shades, values: (run, t, out) => run.shade("stress", t, out) },
    strain: { name: "Strain (largest principal)", unit: "", has: (run) => run.shades, values: (run, t, out) => run.shade("strain", t, out) },
    contact: { name: "Contact pressure", unit: "Pa", has: (run) => run.contacts && run.bodies.some(({ faces }) => faces.length), values: pressures },
};
export const kindsOf = (runs) => Object.keys(KINDS).filter((kind) => runs.some(KINDS[kind].has));
export const aboutKind = (kind) => KINDS[kind];

export function valuesOf(run, kind, t, out) {
    if (KINDS[kind].has(run)) KINDS[kind].values(run, t, out);
    else out.fill(0);
    return out;
}

// The end of the scale, of all runs: a round number that few values are above.
export function topOf(runs, kind) {
    const seen = [];
    for (const run of runs) {
        const out = new Float32Array(run.places), every = Math.ceil(run.places / 2000);
        for (let k = 0; k < SAMPLES; k++) {
            valuesOf(run, kind, run.start + ((k + 0.5) / SAMPLES) * (run.end - run.start), out);
            for (let i = 0; i < run.places; i += every) if (out[i] > 0 && Number.isFinite(out[i])) seen.push(out[i]);
        }
    }
    if (!seen.length) return 1;
    return nice(seen.sort((a, b) => a - b)[Math.floor(MOST * (seen.length - 1))]);
}

// A number with its unit, Pa in thousands or millions of them.
export function withUnit(x, unit) {
    if (unit !== "Pa" || Math.abs(x) < 1e3) return [x, unit];
    return Math.abs(x) < 1e6 ? [x / 1e3, "kPa"] : [x / 1e6, "MPa"];
}
