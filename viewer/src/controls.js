// Buttons, slider and keys.
import { exact } from "./format.js";
import { aboutKind, gradient, kindsOf, withUnit } from "./shades.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
// Where the camera stands, seen from what moves; as one looks at it best where none is given.
const SIDES = [["Three-quarter", null], ["Front", [0, -1, 0.08]], ["Side", [1, 0, 0.08]], ["Above", [0, -0.001, 1]]];
const $ = (id) => document.getElementById(id);

function checkbox(name, key, on, change) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = on;
    box.addEventListener("change", () => change(box.checked));
    label.append(box, ` ${name}`);
    label.title = `${name} (${key})`;
    $("toggles").append(label);
    return box;
}

function modeName({ modes }, i) {
    const { hz, omega2 } = modes[i];
    return `${i + 1}: ${omega2 < 0 ? "unstable" : `${exact(hz)} Hz`}`;
}

function modeControls(clock, keys) {
    if (!clock.modes) { $("mode-of").remove(); return; }
    const select = $("modes"), choose = () => clock.choose(Number(select.value));
    $("mode-of").hidden = false;
    select.append(new Option("all", -1), ...clock.modes.map((mode, i) => new Option(modeName(clock, i), i)));
    select.addEventListener("change", choose);
    keys.n = () => { select.selectedIndex = (select.selectedIndex + 1) % select.options.length; choose(); };
}

export function makeControls(clock, stage, units, toggleTheme) {
    const scrub = $("scrub"), speed = $("speed"), keys = {};
    const s = units && !clock.modes && !clock.statics ? " s" : "";
    scrub.min = clock.start;
    scrub.max = clock.end;
    for (const x of SPEEDS) speed.append(new Option(`${x}\u00d7`, x, x === 1, x === 1));
    const setSpeed = (i) => { const k = Math.min(Math.max(i, 0), SPEEDS.length - 1); speed.value = SPEEDS[k]; clock.speed = SPEEDS[k]; };
    const digitsNow = () => Math.max(0, Math.min(6, 2 - Math.floor(Math.log10((clock.end - clock.start || 1) / 10))));
    $("rate").textContent = clock.modes || clock.statics ? "" : (clock.rate === 1 ? "" : `One second on screen shows ${exact(clock.rate)}${s || " units"} of the motion's time. `) +
        (clock.coarse ? `Frames are ${exact(clock.gap, 2)}${s} apart, too far apart to interpolate: each is shown as recorded.` : "");

    clock.onChange(() => {
        const digits = digitsNow();
        scrub.max = clock.end;
        scrub.value = clock.time;
        $("time").value = clock.modes ? modeName(clock, Math.min(Math.floor(clock.time), clock.modes.length - 1))
            : clock.statics ? `load factor ${clock.time.toFixed(digits)}` : `${units ? "" : "t = "}${clock.time.toFixed(digits)} / ${clock.end.toFixed(digits)}${s}`;
        scrub.setAttribute("aria-valuetext", `${exact(clock.time)}${s} of ${exact(clock.end)}${s}`);
        $("play").querySelector("path").setAttribute("d", clock.playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z");
        $("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    });
    scrub.addEventListener("input", () => { const time = Number(scrub.value); clock.play(false); clock.set(time); });
    speed.addEventListener("change", () => { clock.speed = Number(speed.value); });
    $("loop").addEventListener("change", () => { clock.loop = $("loop").checked; });
    const actions = { play: () => clock.play(!clock.playing), back: () => clock.step(-1), forward: () => clock.step(1),
                      theme: toggleTheme, "help-button": () => $("help").showModal() };
    for (const [id, act] of Object.entries(actions)) $(id).addEventListener("click", act);
    Object.assign(keys, {
        " ": actions.play, ArrowLeft: (e) => clock.step(e.shiftKey ? -10 : -1), ArrowRight: (e) => clock.step(e.shiftKey ? 10 : 1),
        Home: () => clock.set(clock.start), End: () => clock.set(clock.end), d: toggleTheme, "?": actions["help-button"],
        "[": () => setSpeed(SPEEDS.indexOf(clock.speed) - 1), "]": () => setSpeed(SPEEDS.indexOf(clock.speed) + 1),
        l: () => $("loop").click(),
    });
    modeControls(clock, keys);
    if (stage) stageControls(stage, keys);
    else for (const id of ["reset", "colours-of", "view-from"]) $(id).remove();
    const toggleWhole = () => (document.fullscreenElement ? document.exitFullscreen() : $("stage").requestFullscreen());
    if (document.fullscreenEnabled) { $("whole").addEventListener("click", toggleWhole); keys.F = toggleWhole; }
    else $("whole").remove();
    listen(keys);
    return { renew() { if (stage) renewStage(stage, keys); } };
}

// The scale of the colours.
function showScale({ shade }) {
    $("shades").hidden = !shade;
    if (!shade) return;
    const { name, unit } = aboutKind(shade.kind), [top, shown] = withUnit(shade.top, unit), [title, bar, low, high] = $("shades").children;
    title.textContent = shown ? `${name}, ${shown}` : name;
    bar.style.backgroundImage = gradient;
    low.textContent = "0";
    high.textContent = exact(top, 3);
}

// The quantities that the page has now.
function showKinds(stage) {
    const select = $("colours"), kinds = ["", ...kindsOf(stage.runs)];
    if (kinds.join() !== Array.from(select.options, ({ value }) => value).join())
        select.replaceChildren(...kinds.map((kind) => new Option(kind || "of parts", kind)));
    select.value = stage.shade?.kind ?? "";
    showScale(stage);
}

function colourControls(stage, keys) {
    const select = $("colours"), choose = () => { stage.setShade(select.value || null); showScale(stage); };
    showKinds(stage);
    select.addEventListener("change", choose);
    keys.v = () => { select.selectedIndex = (select.selectedIndex + 1) % select.options.length; choose(); };
}

function viewControls(stage, keys) {
    const select = $("sides"), look = (i) => { select.selectedIndex = i; stage.resetView(SIDES[i][1]); };
    select.append(...SIDES.map(([name]) => new Option(name)));
    select.addEventListener("change", () => look(select.selectedIndex));
    SIDES.forEach((side, i) => { keys[i + 1] = () => look(i); });
    $("reset").addEventListener("click", () => look(0));
    keys.r = () => look(0);
}

function stageControls(stage, keys) {
    colourControls(stage, keys);
    viewControls(stage, keys);
    for (const toggle of togglesOf(stage)) addToggle(toggle, keys);
}

// After the stage has got more frames. Toggles stay as they are, and the focus on them, unless the stage has others now.
function renewStage(stage, keys) {
    showKinds(stage);
    const toggles = togglesOf(stage), there = Array.from($("toggles").children, ({ textContent }) => textContent.trim());
    if (toggles.map(([name]) => name).join() === there.join()) return;
    $("toggles").replaceChildren();
    for (const toggle of toggles) addToggle(toggle, keys);
}

function addToggle([name, key, on, change], keys) {
    const box = checkbox(name, key, on, change);
    keys[key] = () => box.click();
}

// name, key, state, what a change does
function togglesOf(stage) {
    const list = [], add = (...toggle) => list.push(toggle);
    const has = (what) => stage.groups.some(({ parts }) => parts.some((part) => part.toggle === what));
    if (has("tets")) add("Mesh", "m", stage.shown.tets, (on) => stage.setShown("tets", on));
    if (has("trails")) add("Trails", "t", stage.shown.trails, (on) => stage.setShown("trails", on));
    if (has("keys")) add("Keys", "k", stage.shown.keys, (on) => stage.setShown("keys", on));
    if (has("pins")) add("Fixed", "x", stage.shown.pins, (on) => stage.setShown("pins", on));
    if (has("arrows")) add("Forces", "g", stage.shown.arrows, (on) => stage.setShown("arrows", on));
    if (has("contacts")) add("Contacts", "c", stage.shown.contacts, (on) => stage.setShown("contacts", on));
    if (stage.follow || stage.runs.some((run) => run.places > 1)) add("Follow", "f", stage.follow, (on) => stage.setFollow(on));
    if (stage.runs.length > 1) add("Side by side", "s", stage.apart, (on) => stage.setApart(on));
    return list;
}

function listen(keys) {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
        const tag = event.target.tagName, act = keys[event.key];
        if (!act || tag === "SELECT" || (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY" || event.target.type === "checkbox"))) return;
        if (event.target.type === "range" && event.key.startsWith("Arrow")) event.target.blur();
        event.preventDefault();
        act(event);
    });
}
