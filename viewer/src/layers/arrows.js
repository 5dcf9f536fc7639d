// Ghost forces of a shot: an arrow at each place, of a body of many vertices one: their sum, at their mean. The longest of all is a quarter
// of the scene.
import { Group } from "three";
import { cones, rods } from "./shapes.js";

const LONG = 0.25, THICK = 0.004, OWN = 24, FEW = 60; // vertices of a body that have arrows of their own; arrows that are shown unasked

function itemsOf(run) {
    const grouped = run.bodies.filter(({ vertices }) => vertices > OWN), inside = new Set();
    for (const { first, vertices } of grouped) for (let i = first; i < first + vertices; i++) inside.add(i);
    const single = Array.from({ length: run.places }, (_, i) => i).filter((i) => !inside.has(i)).map((first) => ({ first, vertices: 1 }));
    return [...grouped, ...single];
}

// The sum of three numbers a place over an item.
function sum(item, x) {
    const s = [0, 0, 0];
    for (let i = item.first; i < item.first + item.vertices; i++) for (let k = 0; k < 3; k++) s[k] += x[3 * i + k];
    return s;
}

export default function arrows(run, look) {
    if (!run.arrows || !(run.arrows.most > 0)) return null;
    const items = itemsOf(run), n = items.length, radius = THICK * look.size, object = new Group(), force = new Float32Array(3 * run.places);
    const shafts = rods(n, radius, 4 * radius), heads = cones(n, 2.6 * radius, 7 * radius);
    let most = 0;
    for (const t of run.times) {
        run.forces(t, force);
        for (const item of items) most = Math.max(most, Math.hypot(...sum(item, force)));
    }
    for (const { mesh } of [shafts, heads]) { mesh.castShadow = false; object.add(mesh); }
    return {
        object,
        toggle: "arrows",
        many: n > FEW,
        update(x, time) {
            const scale = (LONG * look.size) / most;
            run.forces(time, force);
            items.forEach((item, i) => {
                const a = sum(item, x).map((y) => y / item.vertices), d = sum(item, force).map((y) => scale * y);
                const length = Math.hypot(...d), tip = a.map((y, k) => y + d[k]), head = Math.min(7 * radius, length);
                const neck = length > 0 ? tip.map((y, k) => y - (head / length) * d[k]) : tip;
                shafts.place(i, a, neck);
                heads.place(i, neck, tip);
            });
            for (const part of [shafts, heads]) part.mesh.instanceMatrix.needsUpdate = true;
        },
        // from inside of a body they would not be seen
        recolour() {
            for (const { mesh } of [shafts, heads]) {
                mesh.material.color.set(look.several ? look.colour(0) : look.accent());
                Object.assign(mesh.material, n < run.places ? { depthTest: false, transparent: true } : {});
                mesh.renderOrder = 5;
            }
        },
    };
}
