// What the keys of a shot ask for, as ghosts. A body of which a key sets everything is its surface there; of others, points that are set
// are small balls. A line leads from what is missed to where it is at the time of its key. Points of a Lagrangian are where the motion
// has them at the keys' times: the file has no others.
import { Group } from "three";
import { tint } from "../finish.js";
import { surface } from "./bodies.js";
import { balls, radiusOf, rods } from "./shapes.js";

const MANY = 20000, FACES = 400000, MISSED = 0.004; // balls or rods, and faces, in all; of the scene's size

const ghost = (mesh, opacity) => {
    Object.assign(mesh.material, { transparent: true, opacity, depthWrite: false });
    mesh.castShadow = false;
    return mesh;
};

// 1 where key k sets the place, 2 where it cannot move, else 0. Without targets all are set.
const askedOf = (run, k) => (i) => (run.targets && i < run.vertices ? run.targets.asked[k * run.vertices + i] : 1);

const whole = (asked, { first, vertices }) => {
    let any = false;
    for (let i = first; i < first + vertices; i++) {
        if (!asked(i)) return false;
        any = any || asked(i) === 1;
    }
    return any;
};

// Where key k wants all places, less the anchor.
function targetsOf(run, k, anchor, out) {
    run.positions(run.keys[k], anchor, out);
    if (!run.targets) return out;
    for (let i = 0; i < 3 * run.vertices; i++) out[i] = run.targets.x[3 * k * run.vertices + i] - anchor[i % 3];
    return out;
}

// the same surface once a key that sets all of it
function poses(run, object) {
    const drawn = run.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.faces.length);
    if (run.keys.length * drawn.reduce((sum, { body }) => sum + body.faces.length / 3, 0) > FACES) return [];
    const all = run.keys.flatMap((t, key) => drawn.filter(({ body }) => whole(askedOf(run, key), body)).map(({ body, i }) => ({ key, body, i, ...surface({ ...body, opacity: 1 }) })));
    for (const { mesh } of all) object.add(ghost(mesh, 0.16));
    return all;
}

// Balls at what keys set and no surface shows, rods between them.
function places(run, look, object, shown) {
    const shift = (pairs, by) => Array.from(pairs || [], (i) => (i < 0 ? -1 : i + by));
    const pairs = [...shift(run.springs, 0), ...shift(run.rods, 0), ...shift(run.links, run.vertices)], dots = [], bars = [];
    run.keys.forEach((t, k) => {
        const asked = askedOf(run, k), hidden = new Set();
        for (const { key, body } of shown) if (key === k) for (let i = 0; i < body.vertices; i++) hidden.add(body.first + i);
        const set = (i) => i < 0 || (asked(i) === 1 && !hidden.has(i));
        for (let i = 0; i < run.places; i++) if (set(i)) dots.push([k, i]);
        for (let i = 0; i < pairs.length; i += 2) if (set(pairs[i]) && set(pairs[i + 1])) bars.push([k, pairs[i], pairs[i + 1]]);
    });
    if (!dots.length || dots.length + bars.length > MANY) return { parts: [], place() {} };
    const radius = 0.7 * radiusOf(dots.length / run.keys.length, look), made = balls(dots.length, radius);
    const links = bars.length ? rods(bars.length, 0.25 * radius) : null, parts = [made, links].filter(Boolean);
    for (const { mesh } of parts) object.add(ghost(mesh, run.bodies.length ? 0.6 : 0.25));
    return {
        parts,
        place(k, room, anchor) {
            const end = (i) => (i < 0 ? anchor.map((y) => -y) : Array.from(room.subarray(3 * i, 3 * i + 3)));
            dots.forEach(([key, i], at) => { if (key === k) made.place(at, ...end(i)); });
            bars.forEach(([key, i, j], at) => { if (key === k) links.place(at, end(i), end(j)); });
        },
    };
}

// A line from each point that is missed to where it is; of a body that is asked for as a whole, from every eighth or so.
function misses(run, look, object) {
    if (!run.targets) return null;
    const list = [], n = run.vertices, x = new Float32Array(3 * run.places);
    run.keys.forEach((t, k) => {
        const missed = [];
        run.positions(t, [0, 0, 0], x);
        for (let i = 0; i < n; i++) {
            const far = Math.hypot(...[0, 1, 2].map((axis) => x[3 * i + axis] - run.targets.x[3 * (k * n + i) + axis]));
            if (run.targets.asked[k * n + i] === 1 && far > MISSED * look.size) missed.push([k, i]);
        }
        const every = Math.ceil(missed.length / 60);
        list.push(...missed.filter((_, i) => i % every === 0));
    });
    if (!list.length) return null;
    const lines = rods(list.length, 0.0015 * look.size);
    lines.mesh.castShadow = false;
    object.add(lines.mesh);
    return {
        mesh: lines.mesh,
        place(k, targets, now) {
            list.forEach(([key, i], at) => { if (key === k) lines.place(at, Array.from(targets.subarray(3 * i, 3 * i + 3)), Array.from(now.subarray(3 * i, 3 * i + 3))); });
            lines.mesh.instanceMatrix.needsUpdate = true;
        },
    };
}

export default function keys(run, look) {
    if (!(run.keys || []).length) return null;
    const object = new Group(), room = new Float32Array(3 * run.places), there = new Float32Array(3 * run.places);
    const surfaces = poses(run, object), loose = places(run, look, object, surfaces), lines = misses(run, look, object);
    if (!object.children.length) return null;
    let before = "";
    return {
        object,
        keys: run.keys.length,
        toggle: "keys",
        update(x, time, anchor) {
            if (String(anchor) === before) return; // they do not move
            before = String(anchor);
            run.keys.forEach((t, k) => {
                targetsOf(run, k, anchor, room);
                for (const one of surfaces) if (one.key === k) one.update(room, t);
                loose.place(k, room, anchor);
                lines?.place(k, room, run.positions(t, anchor, there));
            });
            for (const { mesh } of loose.parts) mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() {
            for (const { mesh } of loose.parts) mesh.material.color.set(look.several ? look.colour(0) : run.bodies.length ? look.accent() : look.ink());
            lines?.mesh.material.color.set(look.alarm());
            for (const { material, body, i } of surfaces) material.color.set(tint(body, look, look.colour(i)));
        },
    };
}
