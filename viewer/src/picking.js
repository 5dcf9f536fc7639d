// A click on something: its name, what it is, and the quantity that colours show there.
import { Raycaster, Vector2 } from "three";
import { exact } from "./format.js";
import { aboutKind, withUnit } from "./shades.js";

const STILL = 5, STAYS = 6000; // pixels that a click may move; milliseconds that the name is seen
const $ = (id) => document.getElementById(id);

function describe(hit, shade) {
    const { name, kind, value } = hit.object.userData.about(hit);
    const said = shade && value !== undefined ? withUnit(value, aboutKind(shade.kind).unit) : null;
    return [name, kind, said && `${exact(said[0], 3)} ${said[1]}`.trim()].filter(Boolean).join(", ");
}

export function makePicking(stage) {
    const ray = new Raycaster(), { canvas } = stage, named = $("named");
    let from = null, timer;
    const hide = () => { named.hidden = true; };
    canvas.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; hide(); });
    canvas.addEventListener("pointerup", (event) => {
        if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > STILL) return;
        const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, targets = [];
        ray.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), stage.camera);
        for (const { group } of stage.groups) if (group.visible) group.traverseVisible((one) => { if (one.userData.about) targets.push(one); });
        for (const one of targets) (one.isInstancedMesh ? one : one.geometry).computeBoundingSphere(); // they move
        const [hit] = ray.intersectObjects(targets, false);
        if (!hit) return;
        named.textContent = describe(hit, stage.shade);
        named.hidden = false;
        named.style.transform = `translate(${Math.max(0, Math.min(x + 10, box.width - named.offsetWidth - 6))}px, ${Math.max(0, y - 30)}px)`;
        clearTimeout(timer);
        timer = setTimeout(hide, STAYS);
    });
}
