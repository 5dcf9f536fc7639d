// Rigid links between vertices, but those of chains: thicker than springs. Those of particles or strands with a look of their own are drawn apart.
import { Group } from "three";
import { linked } from "./springs.js";
import { radiusOf } from "./shapes.js";
import { loose } from "./tubes.js";

const hasLook = ({ color, opacity, roughness }) => color !== undefined || opacity !== undefined || roughness !== undefined;

export default function rods(run, look) {
    const pairs = loose(run, run.rods);
    if (!pairs.length) return null;
    const total = run.particles.reduce((sum, { count }) => sum + count, 0), rest = [];
    const parts = run.particles.filter(hasLook).map((part) => ({ part, pairs: [] }));
    for (let i = 0; i < pairs.length; i += 2) {
        const v = pairs[i], own = parts.find(({ part: { first, count } }) => v >= first && v < first + count);
        (own ? own.pairs : rest).push(v, pairs[i + 1]);
    }
    const radius = Math.max(0.3 * radiusOf(Math.max(total, 1), look), 0.002 * look.size), object = new Group();
    const drawn = [...parts, { part: {}, pairs: rest }].filter(({ pairs }) => pairs.length).map(({ part, pairs }) => linked(pairs, radius, look, part));
    for (const one of drawn) object.add(one.object);
    return {
        object,
        update(x) { for (const one of drawn) one.update(x); },
        recolour() { for (const one of drawn) one.recolour(); },
    };
}
