// Where drawn points have just been: a line that fades.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import { indexAt } from "../data.js";

const LENGTH = 240, MOST = 40;

export default function trails(run, look) {
    const count = run.points.length;
    if (!count || count > MOST || run.kept < 3) return null;
    const geometry = new BufferGeometry(), ends = 2 * LENGTH * count;
    const position = new BufferAttribute(new Float32Array(3 * ends), 3).setUsage(DynamicDrawUsage);
    const shade = new BufferAttribute(new Float32Array(4 * ends).fill(1), 4).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", position);
    geometry.setAttribute("color", shade);
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const object = new LineSegments(geometry, material);
    object.frustumCulled = false;
    let inks = [];
    const place = (k, i, anchor, out, at) => {
        const q = run.frame(k), p = 3 * (run.vertices + i);
        for (let axis = 0; axis < 3; axis++)
            out[at + axis] = run.corners[3 * k + axis] - anchor[axis] + (run.sizes[3 * k + axis] * q[p + axis]) / 65535;
    };
    return {
        object,
        toggle: "trails",
        update(x, time, anchor) {
            if (!object.visible) return;
            const last = indexAt(run.times, time), out = position.array;
            let at = 0;
            for (let i = 0; i < count; i++)
                for (let j = 0; j < LENGTH; j++) {
                    const k = last - j; // from frame k to the next, or to where the point is now
                    if (k < 0 || time <= run.start) break;
                    place(k, i, anchor, out, 3 * at);
                    if (j) place(k + 1, i, anchor, out, 3 * at + 3);
                    else out.set(x.subarray(3 * (run.vertices + i), 3 * (run.vertices + i) + 3), 3 * at + 3);
                    inks[i].toArray(shade.array, 4 * at);
                    inks[i].toArray(shade.array, 4 * at + 4);
                    shade.array[4 * at + 3] = 0.8 * (1 - (j + 1) / LENGTH);
                    shade.array[4 * at + 7] = 0.8 * (1 - j / LENGTH);
                    at += 2;
                }
            geometry.setDrawRange(0, at);
            position.needsUpdate = shade.needsUpdate = true;
        },
        recolour() { inks = run.points.map((name, i) => new Color(look.colour(count > 1 && count <= 10 ? i : 0))); },
    };
}
