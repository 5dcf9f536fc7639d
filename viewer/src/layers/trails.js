// Where drawn points have just been: a line that fades, through frames along the same cubics as the points themselves.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import { indexAt } from "../data.js";

const FRAMES = 240, MOST = 40, PIECES = 4; // pieces of the way from frame to frame

export default function trails(run, look) {
    const count = run.points.length;
    if (!count || count > MOST || run.kept < 3) return null;
    const geometry = new BufferGeometry(), length = PIECES * FRAMES, ends = 2 * length * count;
    const position = new BufferAttribute(new Float32Array(3 * ends), 3).setUsage(DynamicDrawUsage);
    const shade = new BufferAttribute(new Float32Array(4 * ends).fill(1), 4).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", position);
    geometry.setAttribute("color", shade);
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const object = new LineSegments(geometry, material);
    object.frustumCulled = false;
    let inks = [], here = new Float32Array(3 * count), before = new Float32Array(3 * count);

    // all drawn points at a time, into `before`
    function lookBack(time, anchor) {
        before.fill(0);
        for (const [k, w] of run.around(time)) {
            const q = run.frame(k).subarray(3 * run.vertices);
            for (let i = 0; i < 3 * count; i++) {
                const axis = i % 3;
                before[i] += w * (run.corners[3 * k + axis] - anchor[axis] + (run.sizes[3 * k + axis] * q[i]) / 65535);
            }
        }
    }

    // times from now back, the pieces' ends
    function* past(time) {
        const T = run.times, last = indexAt(T, time);
        for (let k = last; k >= 0 && k > last - FRAMES; k--) {
            const from = k + 1 < T.length ? T[k + 1] : T[k];
            for (let j = PIECES - 1; j >= 0; j--) {
                const t = T[k] + (j / PIECES) * (from - T[k]);
                if (t < time) yield t;
            }
        }
    }

    return {
        object,
        toggle: "trails",
        update(x, time, anchor) {
            if (!object.visible) return;
            const out = position.array;
            let at = 0, piece = 0;
            here.set(x.subarray(3 * run.vertices, 3 * (run.vertices + count)));
            for (const t of past(time)) {
                lookBack(t, anchor);
                for (let i = 0; i < count; i++, at += 2) {
                    out.set(before.subarray(3 * i, 3 * i + 3), 3 * at);
                    out.set(here.subarray(3 * i, 3 * i + 3), 3 * at + 3);
                    inks[i].toArray(shade.array, 4 * at);
                    inks[i].toArray(shade.array, 4 * at + 4);
                    shade.array[4 * at + 3] = 0.8 * (1 - (piece + 1) / length);
                    shade.array[4 * at + 7] = 0.8 * (1 - piece / length);
                }
                piece++;
                [here, before] = [before, here];
            }
            geometry.setDrawRange(0, at);
            position.needsUpdate = shade.needsUpdate = true;
        },
        recolour() { inks = run.points.map((name, i) => new Color(look.colour(count > 1 && count <= 10 ? i : 0))); },
    };
}
