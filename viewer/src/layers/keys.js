// Key poses of a shot, as ghosts: where its places are at the times of its keys.
import { Group } from "three";
import { balls, radiusOf, rods } from "./shapes.js";

const MANY = 20000; // balls or rods in all

export default function keys(run, look) {
    const n = run.places, total = n * (run.keys || []).length;
    if (!total || total > MANY) return null;
    const shift = (pairs, by) => Array.from(pairs || [], (i) => (i < 0 ? -1 : i + by));
    const pairs = [...shift(run.springs, 0), ...shift(run.rods, 0), ...shift(run.links, run.vertices)];
    const radius = 0.7 * radiusOf(n, look), object = new Group(), room = new Float32Array(3 * n), count = pairs.length / 2;
    const dots = balls(total, radius), bars = count ? rods(count * run.keys.length, 0.25 * radius) : null;
    for (const { mesh } of [dots, bars].filter(Boolean)) {
        Object.assign(mesh.material, { transparent: true, opacity: 0.25, depthWrite: false });
        mesh.castShadow = false;
        object.add(mesh);
    }
    const end = (i, anchor) => (i < 0 ? anchor.map((y) => -y) : Array.from(room.subarray(3 * i, 3 * i + 3)));
    let before = "";
    return {
        object,
        keys: run.keys.length,
        update(x, time, anchor) {
            if (String(anchor) === before) return; // they do not move
            before = String(anchor);
            run.keys.forEach((t, k) => {
                run.positions(t, anchor, room);
                for (let i = 0; i < n; i++) dots.place(k * n + i, ...end(i, anchor));
                for (let i = 0; i < count; i++) bars.place(k * count + i, end(pairs[2 * i], anchor), end(pairs[2 * i + 1], anchor));
            });
            for (const part of [dots, bars]) if (part) part.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() { for (const part of [dots, bars]) if (part) part.mesh.material.color.set(look.several ? look.colour(0) : look.ink()); },
    };
}
