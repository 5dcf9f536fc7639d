// Contacts of the recorded frame that is nearest in time: a dot at each point, and the force on the first of the two bodies as an arrow. The
// longest of all frames is a quarter of the scene. Seen through bodies: they push from inside.
import { Group } from "three";
import { balls, cones, rods } from "./shapes.js";

const LONG = 0.25, THICK = 0.003;

export default function contacts(run, look) {
    if (!run.contacts) return null;
    const n = run.contacts.largest, radius = THICK * look.size, object = new Group();
    const dots = balls(n, 1.8 * radius), shafts = rods(n, radius, 4 * radius), heads = cones(n, 2.6 * radius, 7 * radius), parts = [dots, shafts, heads];
    for (const { mesh } of parts) {
        Object.assign(mesh.material, { depthTest: false, transparent: true });
        mesh.castShadow = false;
        mesh.renderOrder = 5; // after what they are seen through
        object.add(mesh);
    }
    return {
        object,
        toggle: "contacts",
        update(x, time, anchor) {
            if (!object.visible) return;
            const scale = (LONG * look.size) / run.contacts.most, list = run.touching(time);
            list.forEach(({ point, force }, i) => {
                const a = point.map((y, axis) => y - anchor[axis]), d = force.map((y) => scale * y);
                const length = Math.hypot(...d), tip = a.map((y, k) => y + d[k]), head = Math.min(7 * radius, length);
                const neck = length > 0 ? tip.map((y, k) => y - (head / length) * d[k]) : tip;
                dots.place(i, ...a);
                shafts.place(i, a, neck);
                heads.place(i, neck, tip);
            });
            for (const { mesh } of parts) {
                mesh.count = list.length;
                mesh.instanceMatrix.needsUpdate = true;
            }
        },
        recolour() { for (const { mesh } of parts) mesh.material.color.set(look.several ? look.colour(0) : look.accent()); },
    };
}
