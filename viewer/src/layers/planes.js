// The part of a plane that is drawn: a rectangle around what moves, cut by the obstacles' other planes, so that four of them are a bowl.
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((y) => y / (Math.hypot(...a) || 1));
const WIDER = 1.15;

// The corners that are in front of a plane { point, normal }, and where the outline crosses it.
export function cut(corners, { point, normal }, slack) {
    const height = (x) => dot(normal, x.map((y, i) => y - point[i])) + slack;
    return corners.flatMap((a, i) => {
        const b = corners[(i + 1) % corners.length], p = height(a), q = height(b);
        const crossing = (p < 0) !== (q < 0) ? [a.map((y, k) => y + (p / (p - q)) * (b[k] - y))] : [];
        return p >= 0 ? [a, ...crossing] : crossing;
    });
}

// Its outline. box: what has to be above or beside it; up: what is level, its edges are.
export function outline(plane, others, box, up) {
    const n = unit(plane.normal), level = cross(up, n), u = unit(Math.hypot(...level) > 1e-3 ? level : [1, 0, 0]), v = cross(n, u);
    const middle = box.low.map((y, i) => 0.5 * (y + box.high[i])), rise = dot(n, middle.map((y, i) => y - plane.point[i]));
    const foot = middle.map((y, i) => y - rise * n[i]), half = box.high.map((y, i) => 0.5 * (y - box.low[i])), size = Math.hypot(...half);
    const reach = (axis) => WIDER * Math.max(half.reduce((sum, y, i) => sum + y * Math.abs(axis[i]), 0), 0.35 * size);
    const [a, b] = [(others.length > 1 ? 1.6 : 1) * reach(u), reach(v)]; // so long that walls of a room meet
    let corners = [[-a, -b], [a, -b], [a, b], [-a, b]].map(([s, t]) => foot.map((y, i) => y + s * u[i] + t * v[i]));
    for (const other of others) if (corners.length) corners = cut(corners, other, 1e-6 * size);
    return corners;
}
