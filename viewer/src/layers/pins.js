// Marks on what does not move by itself: dark where it is fixed, in the colour of arrows where a handle moves it. They
// vanish where a pin lets go.
import { Group } from "three";
import { balls, radiusOf } from "./shapes.js";

const MANY = 3000;

export default function pins(run, look) {
    const until = new Map(Array.from(run.letGo || [], (v, i) => [v, run.until[i]])), driven = new Set(run.driven);
    const fixed = [...(run.still || []), ...[...until.keys()].filter((v) => !driven.has(v))];
    const sets = [[fixed, () => look.ink()], [run.driven, () => look.accent()]].filter(([list]) => list?.length && list.length <= MANY);
    if (!sets.length) return null;
    const object = new Group(), drawn = sets.map(([list, ink]) => ({ list, ink, dots: balls(list.length, Math.max(0.45 * radiusOf(list.length, look), 0.004 * look.size)) }));
    for (const { dots } of drawn) object.add(dots.mesh);
    return {
        object,
        toggle: "pins",
        update(x, time) {
            for (const { list, dots } of drawn) {
                list.forEach((v, i) => (time > until.get(v) ? dots.hide(i) : dots.place(i, x[3 * v], x[3 * v + 1], x[3 * v + 2])));
                dots.mesh.instanceMatrix.needsUpdate = true;
            }
        },
        recolour() { for (const { dots, ink } of drawn) dots.mesh.material.color.set(ink()); },
    };
}
