// Drawn points and the links between them; a link may start at the origin, which is then drawn too.
import { Color, Group } from "three";
import { balls, radiusOf, rods } from "./shapes.js";

const ink = new Color();

export default function points(run, look) {
    const count = run.points.length;
    if (!count) return null;
    const radius = radiusOf(count, look), object = new Group();
    const dots = balls(count, radius), links = run.links || [];
    const bars = links.length ? rods(links.length / 2, radius * 0.22) : null;
    const origin = links.includes(-1) ? balls(1, radius * 0.45) : null;
    for (const part of [dots, bars, origin]) if (part) object.add(part.mesh);
    const end = (x, i, anchor) => (i < 0 ? anchor.map((y) => -y) : Array.from(x.subarray(3 * (run.vertices + i), 3 * (run.vertices + i) + 3)));
    return {
        object,
        update(x, time, anchor) {
            for (let i = 0; i < count; i++) dots.place(i, ...end(x, i));
            for (let i = 0; i < links.length / 2; i++) bars.place(i, end(x, links[2 * i], anchor), end(x, links[2 * i + 1], anchor));
            if (origin) origin.place(0, ...end(x, -1, anchor));
            for (const part of [dots, bars, origin]) if (part) part.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() {
            for (let i = 0; i < count; i++) dots.mesh.setColorAt(i, ink.set(look.colour(count > 1 && count <= 10 ? i : 0)));
            dots.mesh.instanceColor.needsUpdate = true;
            if (bars) bars.mesh.material.color.set(look.several ? look.colour(0) : look.ink());
            if (origin) origin.mesh.material.color.set(look.ink());
        },
    };
}
