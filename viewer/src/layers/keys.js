// Key poses of a shot, as ghosts: where its places are at the times of its keys. Bodies are their surfaces, all else balls and rods.
import { Group } from "three";
import { surface } from "./bodies.js";
import { balls, radiusOf, rods } from "./shapes.js";

const MANY = 20000, FACES = 400000; // balls or rods, and faces, in all

const ghost = (mesh, opacity) => {
    Object.assign(mesh.material, { transparent: true, opacity, depthWrite: false });
    mesh.castShadow = false;
    return mesh;
};

// the same surface once a key
function poses(run, object) {
    const drawn = run.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.faces.length);
    if (run.keys.length * drawn.reduce((sum, { body }) => sum + body.faces.length / 3, 0) > FACES) return [];
    const all = run.keys.flatMap((t, key) => drawn.map(({ body, i }) => ({ key, i, ...surface(body) })));
    for (const { mesh } of all) object.add(ghost(mesh, 0.16));
    return all;
}

function places(run, look, object) {
    const solid = new Set();
    for (const { faces, first, vertices } of run.bodies) for (let v = 0; faces.length && v < vertices; v++) solid.add(first + v);
    const loose = Array.from({ length: run.places }, (_, i) => i).filter((i) => !solid.has(i)), n = loose.length, keys = run.keys.length;
    const shift = (pairs, by) => Array.from(pairs || [], (i) => (i < 0 ? -1 : i + by));
    const pairs = [...shift(run.springs, 0), ...shift(run.rods, 0), ...shift(run.links, run.vertices)], count = pairs.length / 2;
    if (!n || n * keys > MANY) return { parts: [], place() {} };
    const radius = 0.7 * radiusOf(n, look), dots = balls(n * keys, radius), bars = count ? rods(count * keys, 0.25 * radius) : null;
    const parts = [dots, bars].filter(Boolean);
    for (const { mesh } of parts) object.add(ghost(mesh, 0.25));
    return {
        parts,
        place(k, room, anchor) {
            const end = (i) => (i < 0 ? anchor.map((y) => -y) : Array.from(room.subarray(3 * i, 3 * i + 3)));
            loose.forEach((v, i) => dots.place(k * n + i, ...end(v)));
            for (let i = 0; i < count; i++) bars.place(k * count + i, end(pairs[2 * i]), end(pairs[2 * i + 1]));
        },
    };
}

export default function keys(run, look) {
    if (!(run.keys || []).length) return null;
    const object = new Group(), room = new Float32Array(3 * run.places), surfaces = poses(run, object), loose = places(run, look, object);
    if (!object.children.length) return null;
    let before = "";
    return {
        object,
        keys: run.keys.length,
        update(x, time, anchor) {
            if (String(anchor) === before) return; // they do not move
            before = String(anchor);
            run.keys.forEach((t, k) => {
                run.positions(t, anchor, room);
                for (const one of surfaces) if (one.key === k) one.update(room, t);
                loose.place(k, room, anchor);
            });
            for (const { mesh } of loose.parts) mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() {
            for (const { mesh } of loose.parts) mesh.material.color.set(look.several ? look.colour(0) : look.ink());
            for (const { material, i } of surfaces) material.color.set(look.colour(i));
        },
    };
}
