// Ghost forces of a shot: an arrow at each place. The longest of all is a quarter of the scene.
import { Group } from "three";
import { cones, rods } from "./shapes.js";

const LONG = 0.25, THICK = 0.004;

export default function arrows(run, look) {
    if (!run.arrows || !(run.arrows.most > 0)) return null;
    const n = run.places, radius = THICK * look.size, object = new Group(), force = new Float32Array(3 * n);
    const shafts = rods(n, radius, 4 * radius), heads = cones(n, 2.6 * radius, 7 * radius);
    for (const { mesh } of [shafts, heads]) { mesh.castShadow = false; object.add(mesh); }
    return {
        object,
        toggle: "arrows",
        update(x, time) {
            const scale = (LONG * look.size) / run.largestForce();
            run.forces(time, force);
            for (let i = 0; i < n; i++) {
                const a = Array.from(x.subarray(3 * i, 3 * i + 3)), d = Array.from(force.subarray(3 * i, 3 * i + 3), (y) => scale * y);
                const length = Math.hypot(...d), tip = a.map((y, k) => y + d[k]), head = Math.min(7 * radius, length);
                const neck = length > 0 ? tip.map((y, k) => y - (head / length) * d[k]) : tip;
                shafts.place(i, a, neck);
                heads.place(i, neck, tip);
            }
            for (const part of [shafts, heads]) part.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() { for (const part of [shafts, heads]) part.mesh.material.color.set(look.several ? look.colour(0) : look.accent()); },
    };
}
