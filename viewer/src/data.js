// What the page was given: a header in JSON, and blocks of numbers in base64 that are decoded when they are needed.

function decodeFrom(source, id) {
    const text = atob(source.getElementById(`lilyan-${id}`).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.buffer;
}

// the last of the ascending numbers x that is not above y (0 if all are)
export function indexAt(x, y) {
    let low = 0, high = x.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (x[middle] <= y) low = middle;
        else high = middle - 1;
    }
    return low;
}

// The view has z up. From a scene with y up (x, y, z) is turned to (x, -z, y).
const turned = ([x, y, z]) => [x, -z, y], back = ([x, y, z]) => [x, z, -y];

// One trajectory. A frame's places are those of its vertices, of bodies and particles, then those of its drawn points.
export class Run {
    constructor(header, index, source) {
        const decode = (id) => decodeFrom(source, id), numbers = (Kind, id) => (id === undefined ? undefined : new Kind(decode(id)));
        Object.assign(this, header, { index, source });
        this.times = numbers(Float64Array, header.times);
        this.corners = numbers(Float64Array, header.corners);
        this.sizes = numbers(Float32Array, header.sizes);
        this.springs = numbers(Uint32Array, header.springs);
        this.rods = numbers(Uint32Array, header.rods);
        this.links = header.links === undefined ? undefined : new Int32Array(decode(header.links));
        this.still = numbers(Uint32Array, header.still);
        this.driven = numbers(Uint32Array, header.driven);
        this.letGo = numbers(Uint32Array, header.letGo);
        this.until = numbers(Float64Array, header.until);
        this.targets = header.targets && { x: numbers(Float32Array, header.targets.x), asked: numbers(Uint16Array, header.targets.asked) };
        this.places = header.vertices + header.points.length;
        this.start = this.times[0];
        this.end = this.times[this.times.length - 1];
        this.chunks = new Map();
        this.bodies = header.bodies.map((body) => ({
            ...body,
            faces: numbers(Uint32Array, body.faces),
            rest: numbers(Float32Array, body.rest),
            carriers: numbers(Uint32Array, body.carriers),
            weights: numbers(Float32Array, body.weights),
            outsideFirst: numbers(Uint32Array, body.outside_first),
            outsideVertex: numbers(Uint32Array, body.outside_vertex),
            outsideWeight: numbers(Float32Array, body.outside_weight),
            keyTimes: numbers(Float64Array, body.key_times),
            keyWeights: numbers(Float32Array, body.key_weights),
            tets: body.tets === undefined ? undefined : () => numbers(Uint32Array, body.tets),
            mids: body.mids === undefined ? undefined : () => numbers(Uint32Array, body.mids),
        }));
        this.obstacles = (header.obstacles || []).map((o) => ({
            ...o,
            places: numbers(Float64Array, o.places),
            turns: numbers(Float64Array, o.turns),
            shapes: numbers(Float32Array, o.shapes),
            x: numbers(Float32Array, o.x),
            faces: numbers(Uint32Array, o.faces),
        }));
        this.series = header.series.map((series) => {
            const both = numbers(Float64Array, series.block);
            return { ...series, t: both.subarray(0, series.count), y: both.subarray(series.count) };
        });
        this.coarse = header.vertices > 0 && this.jumps();
        const ends = [turned(header.low || []), turned(header.high || [])], pick = (f) => ends[0].map((y, i) => f(y, ends[1][i]));
        this.view = !this.low || this.up !== "y" ? this : { low: pick(Math.min), high: pick(Math.max), largest: turned(this.largest).map(Math.abs) };
        this.phase = header.phase && this.pairs(header.phase, 1);
        this.loop = header.loop && this.pairs(header.loop, header.loop.points);
    }

    // The same run with more frames. Layers know its bodies and obstacles, which stay the same objects.
    renew(fresh) {
        const { bodies, obstacles, name, index } = this;
        for (const key of ["contacts", "touches", "pushes", "strongest", "arrows", "shades", "shadeBytes"]) delete this[key];
        Object.assign(this, fresh, { bodies, name, index, obstacles: obstacles.map((o, i) => Object.assign(o, fresh.obstacles[i])) });
        if (fresh.view === fresh) this.view = this;
    }

    decode(id) { return decodeFrom(this.source, id); }

    toView(x) { return this.up === "y" ? turned(x) : [...x]; }
    fromView(x) { return this.up === "y" ? back(x) : [...x]; }

    // times, then pairs q p
    pairs(about, each) {
        const buffer = this.decode(about.block);
        return { ...about, t: new Float64Array(buffer, 0, about.count),
                 qp: new Float32Array(buffer, 8 * about.count, 2 * each * about.count) };
    }

    // 16-bit places of a kept frame
    frame(k) {
        const chunk = Math.floor(k / this.chunk);
        if (!this.chunks.has(chunk)) this.chunks.set(chunk, new Uint16Array(this.decode(this.first_chunk + chunk)));
        const at = (k % this.chunk) * 3 * this.places;
        return this.chunks.get(chunk).subarray(at, at + 3 * this.places);
    }

    // Ghost forces on all places at time t, into `out`: straight from frame to frame.
    forces(t, out) {
        this.pushes ??= new Uint16Array(this.decode(this.arrows.block));
        const T = this.times, last = T.length - 1, k = indexAt(T, t), size = 3 * this.places, next = Math.min(k + 1, last);
        const s = next > k ? Math.min(Math.max((t - T[k]) / (T[next] - T[k]), 0), 1) : 0;
        const of = (row, i) => (this.arrows.most * (this.pushes[row * size + i] - 32767)) / 32767;
        for (let i = 0; i < size; i++) out[i] = (1 - s) * of(k, i) + s * of(next, i);
        return out;
    }

    // Stress or strain at all places of vertices at time t, into `out`: straight from frame to frame.
    shade(kind, t, out) {
        const { block, most } = this.shades[kind], n = this.vertices;
        this.shadeBytes ??= {};
        const bytes = (this.shadeBytes[kind] ??= new Uint8Array(this.decode(block)));
        const T = this.times, k = indexAt(T, t), next = Math.min(k + 1, T.length - 1), s = next > k ? Math.min(Math.max((t - T[k]) / (T[next] - T[k]), 0), 1) : 0;
        const of = (row, i) => most * (bytes[row * n + i] / 255) ** 2;
        for (let i = 0; i < n; i++) out[i] = (1 - s) * of(k, i) + s * of(next, i);
        return out;
    }

    // of one place, at any time
    largestForce() {
        if (this.strongest) return this.strongest;
        const f = new Float32Array(3 * this.places);
        this.strongest = 0;
        for (const t of this.times) {
            this.forces(t, f);
            for (let i = 0; i < f.length; i += 3) this.strongest = Math.max(this.strongest, Math.hypot(f[i], f[i + 1], f[i + 2]));
        }
        return this.strongest;
    }

    // Contacts of the kept frame that is nearest in time: where, and the force on the first of the two.
    touching(t) {
        const { block, ends, low, high, most } = this.contacts;
        this.touches ??= { rows: new Uint16Array(this.decode(block)), ends: new Uint32Array(this.decode(ends)) };
        const T = this.times, k = indexAt(T, t), near = k + 1 < T.length && T[k + 1] - t < t - T[k] ? k + 1 : k, list = [];
        for (let i = near ? this.touches.ends[near - 1] : 0; i < this.touches.ends[near]; i++) {
            const row = this.touches.rows.subarray(6 * i, 6 * i + 6);
            list.push({ point: low.map((y, axis) => y + ((high[axis] - y) * row[axis]) / 65535), force: [3, 4, 5].map((j) => (most * (row[j] - 32767)) / 32767) });
        }
        return list;
    }

    // Are frames so far apart that a body is turned anywhere from one to the next? Of places that have nothing to do with
    // each other the mean square of the distance is twice that of the size; a sixth of a turn makes it once.
    jumps() {
        const last = this.times.length - 1, pairs = Math.min(16, last);
        const about = (k) => { const centre = this.centre(this.times[k]); return this.positions(this.times[k], centre, new Float32Array(3 * this.places)); };
        let moved = 0, size = 0;
        for (let j = 0; j < pairs; j++) {
            const k = Math.floor((j * last) / pairs), a = about(k), b = about(k + 1);
            for (let i = 0; i < a.length; i++) { moved += (b[i] - a[i]) ** 2; size += a[i] ** 2; }
        }
        return moved > 1.4 * size;
    }

    // The four frames around t and their weights: the cubic through two frames with slopes from their neighbours. At a
    // frame's own time, and where a cubic would be a fiction, that frame alone.
    around(t) {
        const T = this.times, last = T.length - 1, k = indexAt(T, t);
        if (this.coarse) return [[k, 1]];
        const h = k < last ? T[k + 1] - T[k] : 0, s = h > 0 ? Math.min(Math.max((t - T[k]) / h, 0), 1) : 0;
        if (s === 0) return [[k, 1]];
        const a = Math.max(k - 1, 0), b = Math.min(k + 2, last);
        const left = s * (1 - s) * (1 - s) * h, right = -s * s * (1 - s) * h; // of the slopes
        const l = left / (T[k + 1] - T[a]), r = right / (T[b] - T[k]), rise = s * s * (3 - 2 * s);
        return [[a, -l], [k, 1 - rise - r], [k + 1, rise + l], [b, r]];
    }

    // Places at time t, less `anchor`, into `out`.
    positions(t, anchor, out) {
        out.fill(0);
        for (const [k, w] of this.around(t)) {
            const q = this.frame(k);
            for (let axis = 0; axis < 3; axis++) {
                const scale = (w * this.sizes[3 * k + axis]) / 65535;
                const base = w * (this.corners[3 * k + axis] - anchor[axis]);
                for (let i = axis; i < q.length; i += 3) out[i] += base + scale * q[i];
            }
        }
        return out;
    }

    // Where the point of an obstacle is at time t.
    placeOf({ point, places }, t) {
        if (!places) return point;
        const x = [0, 0, 0];
        for (const [k, w] of this.around(t)) for (let axis = 0; axis < 3; axis++) x[axis] += w * places[3 * k + axis];
        return x;
    }

    // How an obstacle is turned about its point at time t: w x y z, of length 1. Both q and -q are one turn.
    turnOf({ turns }, t) {
        const q = [0, 0, 0, 0], near = this.around(t), first = turns.subarray(4 * near[0][0], 4 * near[0][0] + 4);
        for (const [k, w] of near) {
            const at = turns.subarray(4 * k, 4 * k + 4), sign = first.reduce((sum, y, i) => sum + y * at[i], 0) < 0 ? -1 : 1;
            for (let i = 0; i < 4; i++) q[i] += sign * w * at[i];
        }
        const size = Math.hypot(...q);
        return q.map((y) => y / size);
    }

    // The vertices of an obstacle that deforms at time t, from its point at rest, into `out`.
    shapeOf({ x, shapes }, t, out) {
        out.fill(0);
        for (const [k, w] of this.around(t)) for (let i = 0; i < x.length; i++) out[i] += w * shapes[k * x.length + i];
        return out;
    }

    // Mean of all places at time t.
    centre(t) {
        const c = [0, 0, 0];
        for (const [k, w] of this.around(t)) {
            const q = this.frame(k);
            for (let axis = 0; axis < 3; axis++) {
                let sum = 0;
                for (let i = axis; i < q.length; i += 3) sum += q[i];
                c[axis] += w * (this.corners[3 * k + axis] + (this.sizes[3 * k + axis] * sum) / (65535 * this.places));
            }
        }
        return c;
    }
}

function nameRuns(runs) {
    const stem = (run) => run.file.replace(/\.h5$/, "");
    for (const run of runs) run.name = run.variant || stem(run);
    if (new Set(runs.map((run) => run.name)).size < runs.length) for (const run of runs) run.name = stem(run);
}

function titleOf(runs) {
    const scenes = runs.map((run) => {
        const stem = run.file.replace(/\.h5$/, "");
        return run.variant && stem.endsWith("." + run.variant) ? stem.slice(0, -run.variant.length - 1) : stem;
    });
    return [...new Set(scenes)].slice(0, 4).join(", ");
}

// of this document, or of another of the same runs
export function readPage(source = document) {
    const header = JSON.parse(source.getElementById("lilyan").textContent);
    const runs = header.runs.map((run, i) => new Run(run, i, source));
    nameRuns(runs);
    return { ...header, runs, title: header.title || titleOf(runs) };
}
