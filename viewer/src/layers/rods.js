// Rigid links between vertices: thicker than springs.
import { linked } from "./springs.js";
import { radiusOf } from "./shapes.js";

export default function rods(run, look) {
    const total = run.particles.reduce((sum, { count }) => sum + count, 0);
    return linked(run.rods, Math.max(0.3 * radiusOf(Math.max(total, 1), look), 0.002 * look.size), look);
}
