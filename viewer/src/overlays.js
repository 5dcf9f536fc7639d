// What is laid over the 3-D picture: axes, a scale bar, names of points. All text is set as text.
import { Vector3 } from "three";
import { exact, nice } from "./format.js";
import { isDark } from "./colours.js";

const SVG = "http://www.w3.org/2000/svg", SEEN = 12;

export function drawAxes(camera, run) {
    const svg = document.getElementById("axes"), inverse = camera.quaternion.clone().invert(), v = new Vector3();
    const inks = isDark() ? ["#f08a7c", "#7fce9b", "#7fb4f5"] : ["#bf3b2f", "#2c8a4f", "#2e6bb8"];
    const ends = ["x", "y", "z"].map((name, i) => {
        v.fromArray(run.toView([0, 1, 2].map((axis) => (axis === i ? 1 : 0)))).applyQuaternion(inverse);
        return { name, x: 22 * v.x, y: -22 * v.y, z: v.z, ink: inks[i] };
    }).sort((a, b) => a.z - b.z);
    svg.replaceChildren(...ends.flatMap(({ name, x, y, ink }, i) => {
        const line = document.createElementNS(SVG, "line"), text = document.createElementNS(SVG, "text");
        for (const [key, value] of Object.entries({ x1: 0, y1: 0, x2: x, y2: y, stroke: ink, "stroke-width": 2, "stroke-linecap": "round" }))
            line.setAttribute(key, value);
        const long = Math.hypot(x, y), far = long > 1 ? 1 + 9 / long : 1;
        text.setAttribute("x", x * far);
        text.setAttribute("y", y * far);
        text.setAttribute("fill", ink);
        text.textContent = name;
        // of two names in one place the nearer axis keeps its own
        const hidden = ends.slice(i + 1).some((other) => Math.hypot(other.x - x, other.y - y) < 11);
        return hidden ? [line] : [line, text];
    }));
}

// How long a bar is at the distance of the centre.
export function drawScale(camera, target, canvas, metres) {
    const distance = camera.position.distanceTo(target), height = (2 * distance * Math.tan((camera.fov * Math.PI) / 360)) / camera.zoom;
    const pixel = height / canvas.clientHeight, size = nice(90 * pixel);
    const [text, bar] = document.getElementById("scale").children;
    text.textContent = metres ? `${exact(size)} m` : exact(size);
    bar.style.width = `${size / pixel}px`;
}

// Beside their balls, inside of the picture, and not over each other.
export function labelPoints(groups, visible, camera, canvas) {
    const radius = groups[0].pointRadius, labels = document.getElementById("labels"), { run, places, group } = groups[0], v = new Vector3();
    const wide = canvas.clientWidth, tall = canvas.clientHeight, taken = [];
    const names = groups.length === 1 && run.points.length > 1 && run.points.length <= SEEN ? run.points : [];
    while (labels.children.length > names.length) labels.lastChild.remove();
    names.forEach((name, i) => {
        if (!labels.children[i]) labels.append(document.createElement("span"));
        const label = labels.children[i];
        v.fromArray(places, 3 * (run.vertices + i)).applyMatrix4(group.matrixWorld);
        const pixel = (2 * v.distanceTo(camera.position) * Math.tan((camera.fov * Math.PI) / 360)) / camera.zoom / tall;
        v.project(camera);
        if (label.textContent !== name) label.textContent = name;
        label.hidden = v.z > 1 || !visible[0] || Math.abs(v.x) > 1 || Math.abs(v.y) > 1;
        if (label.hidden) return;
        const w = label.offsetWidth, h = label.offsetHeight, off = radius / pixel + 5, centre = ((v.x + 1) / 2) * wide;
        const x = centre + off + w > wide ? centre - off - w : centre + off;
        let y = Math.min(Math.max(((1 - v.y) / 2) * tall - h / 2, 0), tall - h);
        for (const other of taken) if (Math.abs(other.x - x) < Math.max(w, other.w) && Math.abs(other.y - y) < h) y = other.y + h;
        taken.push({ x, y, w });
        label.style.transform = `translate(${x}px, ${y}px)`;
    });
}
