// Particles that are no chain: the fewer, the larger. Of very many only those are drawn that nothing links: hair is its links. Bodies that have no
// surface are shown by their vertices. Parts that differ in opacity or roughness are drawn apart.
import { Color, Group } from "three";
import { finish, tint } from "../finish.js";
import { shadeOf } from "../shades.js";
import { balls, radiusOf } from "./shapes.js";
import { chainsOf } from "./tubes.js";

const ink = new Color(), MANY = 2000;

export default function particles(run, look) {
    const sets = new Map();
    const total = run.particles.reduce((sum, { count }) => sum + count, 0), linked = new Set(total > MANY ? run.rods : []);
    const add = (part, kind, v) => {
        const key = `${part.opacity} ${part.roughness}`;
        if (!sets.has(key)) sets.set(key, []);
        sets.get(key).push({ part, kind, v });
    };
    const chains = chainsOf(run).map(({ part }) => part);
    run.particles.forEach((part, k) => { if (chains.includes(part)) return; for (let i = 0; i < part.count; i++) if (!linked.has(part.first + i)) add(part, run.bodies.length + k, part.first + i); });
    run.bodies.forEach((body, k) => { for (let i = 0; !body.faces.length && i < body.vertices; i++) add(body, k, body.first + i); });
    if (!sets.size) return null;
    const count = [...sets.values()].reduce((sum, list) => sum + list.length, 0), object = new Group();
    const drawn = [...sets.values()].map((list) => ({ list, dots: balls(list.length, radiusOf(count, look)) }));
    let shown = null;
    for (const { list, dots } of drawn) {
        finish(dots.mesh.material, list[0].part);
        dots.mesh.userData.about = ({ instanceId }) => {
            const { part, v } = list[instanceId];
            return { name: part.name, kind: part.count > 1 ? `particle ${v - part.first}` : "", value: shown?.[v] };
        };
        object.add(dots.mesh);
    }
    const paint = (inkOf) => {
        for (const { list, dots } of drawn) {
            list.forEach((one, i) => dots.mesh.setColorAt(i, inkOf(one)));
            dots.mesh.instanceColor.needsUpdate = true;
        }
    };
    const own = ({ part, kind }) => ink.set(tint(part, look, look.colour(kind)));
    return {
        object,
        update(x) {
            for (const { list, dots } of drawn) {
                list.forEach(({ v }, i) => dots.place(i, x[3 * v], x[3 * v + 1], x[3 * v + 2]));
                dots.mesh.instanceMatrix.needsUpdate = true;
            }
        },
        recolour() { paint(own); },
        shade(values, top) { paint((shown = values) ? ({ v }) => shadeOf(values[v], top) : own); },
    };
}
