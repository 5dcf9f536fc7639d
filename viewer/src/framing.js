// What the camera looks at: a box, and how it moves along with what moves. Boxes are of the view: z is up.
const length = (v) => Math.hypot(...v), axes = [0, 1, 2];
const sizeOf = (box) => box.high.map((y, i) => y - box.low[i]);
export const joined = (boxes) => ({ low: axes.map((i) => Math.min(...boxes.map((b) => b.low[i]))), high: axes.map((i) => Math.max(...boxes.map((b) => b.high[i]))) });
const between = (a, b, s) => ({ low: a.low.map((y, i) => y + s * (b.low[i] - y)), high: a.high.map((y, i) => y + s * (b.high[i] - y)) });
const WELL = 0.28, FAIR = 0.17, SAMPLES = 400, OUTER = 0.1; // of the path, at either end: what starts far away does not make all of it small

export const across = (run) => length(sizeOf(run.view));
export const travels = (runs) => runs.some((run) => Math.max(...run.largest) > 0 && across(run) > 4 * length(run.largest));

function turned(run, box) {
    const ends = [run.toView(box.low), run.toView(box.high)];
    return { low: axes.map((i) => Math.min(ends[0][i], ends[1][i])), high: axes.map((i) => Math.max(ends[0][i], ends[1][i])) };
}

// Around all places of a run at time t.
export function boxAt(run, t) {
    const box = { low: [0, 0, 0], high: [0, 0, 0] };
    for (const [k, w] of run.around(t))
        for (const i of axes) {
            box.low[i] += w * run.corners[3 * k + i];
            box.high[i] += w * (run.corners[3 * k + i] + run.sizes[3 * k + i]);
        }
    return turned(run, box);
}

// Where a run is in the middle 80 % of its frames, along each axis; in its own axes.
export function middle(run) {
    const count = Math.min(SAMPLES, run.times.length), at = (i) => Math.round((i * (run.times.length - 1)) / Math.max(count - 1, 1));
    const part = (list, s) => list.sort((a, b) => a - b)[Math.round(s * (count - 1))];
    const of = (f) => axes.map((axis) => Array.from({ length: count }, (_, i) => f(3 * at(i) + axis)));
    return { low: of((k) => run.corners[k]).map((list) => part(list, OUTER)), high: of((k) => run.corners[k] + run.sizes[k]).map((list) => part(list, 1 - OUTER)) };
}

// A box around a mesh's vertices, at all times, from its point; one that turns needs room for its furthest vertex.
function boxOf(o) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], x = o.shapes || o.x;
    let far = 0;
    for (let i = 0; i < x.length; i += 3) {
        far = Math.max(far, Math.hypot(x[i], x[i + 1], x[i + 2]));
        for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], x[i + k]); high[k] = Math.max(high[k], x[i + k]); }
    }
    return o.turns && !o.shapes ? around([far, far, far]) : { low, high };
}

const around = (half) => ({ low: half.map((y) => -y), high: half });

// Balls, boxes and meshes are seen whole, unless they are so large that what moves would be lost.
function withObstacles(box, runs) {
    const boxes = [box];
    for (const run of runs)
        for (const o of run.obstacles || []) {
            const own = o.kind === "sphere" ? around([o.radius, o.radius, o.radius]) : o.kind === "mesh" ? boxOf(o) :
                o.kind === "box" ? around(axes.map((i) => axes.reduce((sum, k) => sum + Math.abs(o.turn[3 * i + k]) * o.half[k], 0))) : null;
            if (!own || Math.max(...axes.map((i) => own.high[i] - own.low[i])) > 3 * (across(run) || 1)) continue;
            for (const t of [run.start, 0.5 * (run.start + run.end), run.end]) {
                const at = o.shapes ? o.point : run.placeOf(o, t);
                boxes.push(turned(run, { low: at.map((y, i) => y + own.low[i]), high: at.map((y, i) => y + own.high[i]) }));
            }
        }
    return joined(boxes);
}

// All of it, always. A run that flies apart does not make all others small.
function everything(runs) {
    const least = Math.min(...runs.map(across)), seen = runs.filter((run) => across(run) <= 5 * least || runs.length === 1);
    const of = seen.length ? seen : runs, boxes = of.map((run) => run.view);
    if (runs.some((run) => run.links && run.links.includes(-1))) boxes.push({ low: [0, 0, 0], high: [0, 0, 0] });
    return withObstacles(joined(boxes), of);
}

// Who follows the centre sees frames, not the way.
export function frameBox(runs) {
    const half = axes.map((i) => 0.5 * Math.max(...runs.map((run) => run.view.largest[i])));
    return { low: half.map((y) => -y), high: half };
}

// The largest box in which what moves can be seen well: everything, the middle of the way, or less of it, with obstacles if possible.
// `covers(box)` is the share of the width that what moves has then: WELL is good, FAIR is enough to see obstacles too. Of shots, and of
// points of a Lagrangian, which have no size, all is seen.
export function chooseBox(runs, covers) {
    const all = everything(runs), low = all.low[2];
    if (covers(all) >= WELL || runs.some((run) => run.keys) || !runs.some((run) => run.vertices)) return { box: all, whole: true, low };
    const way = joined(runs.map((run) => turned(run, middle(run)))), half = joined(runs.map((run) => boxAt(run, 0.5 * (run.start + run.end))));
    const room = sizeOf(half).map((y) => 0.15 * y), least = { low: half.low.map((y, i) => y - room[i]), high: half.high.map((y, i) => y + room[i]) };
    const parts = (from, to) => [0, 0.2, 0.4, 0.6, 0.8, 1].map((s) => between(from, to, s));
    const scenery = parts(withObstacles(way, runs), withObstacles(least, runs)), alone = parts(way, least), good = (share) => (box) => covers(box) >= share;
    return { box: scenery.find(good(WELL)) || scenery.slice(-1).find(good(FAIR)) || alone.find(good(WELL)) || least, whole: false, low };
}

// By how much the box moves so that what moves stays inside, and how much larger it becomes where that is larger than the box.
export function leash(box, now) {
    const move = axes.map((i) => {
        const over = now.high[i] - box.high[i], under = now.low[i] - box.low[i];
        if (over - under > 0) return 0.5 * (over + under);
        return over > 0 ? over : under < 0 ? under : 0;
    });
    const room = sizeOf(box), most = Math.max(...room);
    return { move, larger: Math.max(1, ...sizeOf(now).map((y, i) => y / Math.max(room[i], 0.3 * most))) };
}

// The level floor that stays, if there is one: it is the ground.
export const isFloor = (run, o) => o.kind === "plane" && !o.places && !o.turns && run.toView(o.normal)[2] > 0.9999;
export function floorOf(runs) {
    for (const run of runs) for (const o of run.obstacles || []) if (isFloor(run, o)) return { ...o, level: run.toView(o.point)[2] };
    return undefined;
}
