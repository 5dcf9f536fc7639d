// Ropes and strands: particles of which each is linked to the next are a tube with round joints, as thick as the scene says or as can be
// seen. A few masses in a row remain balls. Hair has a colour of its own.
import { Color, Group } from "three";
import { isDark } from "../colours.js";
import { finish, tint } from "../finish.js";
import { shadeOf } from "../shades.js";
import { balls, rods } from "./shapes.js";

const ROPE = 0.004, HAIR = 0.0013, STRANDS = 20, FEW = 10, MANY = 2000; // least radii, of the scene's size; more strands are hair; masses in a row; particles whose joints are drawn
const ink = new Color();

// The parts that are chains, each with its links: [{ part, index, pairs }].
export function chainsOf(run) {
    if (run.chains) return run.chains;
    const all = [...(run.rods || []), ...(run.springs || [])], chains = run.particles.map((part, index) => ({ part, index, pairs: [] }));
    for (let i = 0; i < all.length; i += 2) {
        const inside = chains.find(({ part: { first, count } }) => [all[i], all[i + 1]].every((v) => v >= first && v < first + count));
        inside?.pairs.push(all[i], all[i + 1]);
    }
    run.chains = chains.filter(({ part, pairs }) => {
        const ends = new Map();
        for (const v of pairs) ends.set(v, (ends.get(v) || 0) + 1);
        return part.count > FEW && pairs.length > part.count && Math.max(...ends.values()) <= 2;
    });
    return run.chains;
}

// Pairs of vertices that are in no chain.
export function loose(run, pairs) {
    const chains = chainsOf(run), of = (v) => chains.findIndex(({ part: { first, count } }) => v >= first && v < first + count), rest = [];
    for (let i = 0; i < (pairs || []).length; i += 2) if (of(pairs[i]) < 0 || of(pairs[i]) !== of(pairs[i + 1])) rest.push(pairs[i], pairs[i + 1]);
    return rest;
}

function makeTube(run, look, { part, index, pairs }, joints) {
    const hair = part.count - pairs.length / 2 > STRANDS, radius = Math.max(part.radius || 0, (hair ? HAIR : ROPE) * look.thick * look.size), links = rods(pairs.length / 2, radius);
    const dots = joints ? balls(part.count, radius) : null, meshes = [links.mesh, dots?.mesh].filter(Boolean), end = (x, v) => [x[3 * v], x[3 * v + 1], x[3 * v + 2]];
    let shown = null;
    for (const mesh of meshes) {
        finish(mesh.material, part);
        mesh.userData.about = ({ instanceId, object }) => {
            const v = object === links.mesh ? pairs[2 * instanceId] : part.first + instanceId;
            return { name: part.name, kind: hair ? "strands" : `particle ${v - part.first}`, value: shown?.[v] };
        };
    }
    const paint = (linkInk, dotInk) => {
        for (let i = 0; i < pairs.length / 2; i++) links.mesh.setColorAt(i, linkInk(pairs[2 * i], pairs[2 * i + 1]));
        for (let i = 0; dots && i < part.count; i++) dots.mesh.setColorAt(i, dotInk(part.first + i));
        for (const mesh of meshes) mesh.instanceColor.needsUpdate = true;
    };
    return {
        meshes,
        update(x) {
            for (let i = 0; i < pairs.length / 2; i++) links.place(i, end(x, pairs[2 * i]), end(x, pairs[2 * i + 1]));
            for (let i = 0; dots && i < part.count; i++) dots.place(i, ...end(x, part.first + i));
            for (const mesh of meshes) mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() {
            const own = ink.set(tint(part, look, look.several ? look.colour(0) : hair ? (isDark() ? "#c08a5a" : "#74482a") : look.colour(run.bodies.length + index)));
            paint(() => own, () => own);
        },
        shade(values, top) {
            shown = values;
            if (values) paint((a, b) => shadeOf(0.5 * (values[a] + values[b]), top), (v) => shadeOf(values[v], top));
        },
    };
}

export default function tubes(run, look) {
    const chains = chainsOf(run), total = chains.reduce((sum, { part }) => sum + part.count, 0);
    if (!chains.length) return null;
    const object = new Group(), drawn = chains.map((chain) => makeTube(run, look, chain, total <= MANY));
    for (const { meshes } of drawn) object.add(...meshes);
    return {
        object,
        update(x) { for (const one of drawn) one.update(x); },
        recolour() { for (const one of drawn) one.recolour(); },
        shade(values, top) { for (const one of drawn) one.shade(values, top); },
    };
}
