// The certificate in plain words: a list of { text, mood } with mood "good", "warn", "bad" or "". It says what is conserved, never
// that the motion is right: an orbit with all its energy can be in the wrong place.
import { count, exact, percent, rough } from "./format.js";

// A mood by size: amber is visible, red is wrong.
const judge = (x, warn, bad) => (x >= bad ? "bad" : x >= warn ? "warn" : "");
const SEEN = 0.01, WRONG = 0.1; // of balances and drifts
const WIDE = 0.05, TOO_WIDE = 0.2; // of a band in which the energy of a symplectic method oscillates for ever

const is = (x) => x !== null && x !== undefined && Number.isFinite(x);

// `exactly`: the method claims to conserve it at any step.
function energy(c, J, exactly) {
    if (is(c.energy_dissipated) && !is(c.external_work)) // L jumps in t, or its derivative by t does not exist
        return [{ text: `Energy from ${exact(c.energy_initial)} to ${exact(c.energy_final)}${J}; the work of the driving forces could not be computed.`, mood: "" }];
    const forced = is(c.energy_dissipated) && (c.energy_dissipated !== 0 || c.external_work !== 0);
    if (!is(c.energy_band) && !forced) return [];
    if (forced) {
        const gap = c.energy_initial + c.external_work - c.energy_dissipated - c.energy_final;
        const turned = Math.abs(c.external_work) + Math.abs(c.energy_dissipated) + Math.abs(c.energy_final - c.energy_initial);
        const off = turned > 0 ? Math.abs(gap) / turned : 0;
        const books = [];
        if (c.external_work !== 0) books.push(`${exact(c.external_work, 3)}${J} external work`);
        if (c.energy_dissipated !== 0) books.push(`${exact(c.energy_dissipated, 3)}${J} dissipated`);
        const tidy = (x) => exact(Math.abs(x) < 1e-9 * turned ? 0 : x);
        const story = `Energy from ${tidy(c.energy_initial)} to ${tidy(c.energy_final)}${J}: ${books.join(", ")}`;
        // damping inside the step: its loss is only known as the missing energy, so there is nothing to compare it with
        if (is(c.damping_requested) && !is(c.damping_measured)) return [{ text: `${story}.`, mood: "" }];
        if (off >= SEEN) return [{ text: `${story}; the energy balance is off by ${percent(off)}.`, mood: judge(off, SEEN, WRONG) }];
        return [{ text: `${story}; the energy balance closes${off < 1e-14 ? "" : ` to ${percent(off)}`}.`, mood: "good" }];
    }
    if (exactly) return kept("Energy", c.energy_band, 1e-6);
    if (c.energy_band < 1e-12) return [{ text: `Energy conserved to ${rough(c.energy_band)}.`, mood: "good" }];
    // a slope over a few swings says little: energy that has returned to its start has not drifted
    const back = Math.abs(c.energy_final - c.energy_initial) < 0.25 * (c.energy_max - c.energy_min), drift = Math.abs(c.energy_drift);
    if (back || drift < 0.25 * c.energy_band || drift < 1e-9)
        return [c.energy_band < WIDE ? { text: `Energy conserved within ${percent(c.energy_band)}, no drift.`, mood: "good" } :
            c.energy_band < TOO_WIDE ? { text: `Energy oscillates by ${percent(c.energy_band)}, no drift.`, mood: "warn" } :
            // whatever the method claims, this is not conservation
            { text: `Energy is not conserved: it goes from ${exact(c.energy_min)} to ${exact(c.energy_max)}${J}, ${percent(c.energy_band)} of the energy in motion.`, mood: "bad" }];
    const [from, to] = [c.energy_initial, c.energy_final].map((x) => exact(x));
    return [{ text: from === to ? `Energy drifts by ${percent(drift)}.` : `Energy drifts, from ${from} to ${to}${J}, ${percent(drift)}.`, mood: judge(drift, SEEN, WRONG) }];
}

function kept(name, drift, least) {
    if (!is(drift)) return [];
    if (drift === 0) return [{ text: `${name} conserved exactly.`, mood: "good" }];
    return [drift < least ? { text: `${name} conserved to ${rough(drift)}.`, mood: "good" }
                          : { text: `${name} changes by ${percent(drift)}.`, mood: judge(drift, SEEN, WRONG) }];
}

// A shot conserves nothing, because the ghost force drives it. The keys' errors and the size of that force count.
function shot(s, units, size) {
    if (!s) return [];
    const m = units ? " m" : "", words = [];
    const soft = is(s.soft_error_max), keys = soft ? "Hard keys" : "Keys";
    if (is(s.key_error_max))
        words.push({ text: s.key_error_max === 0 ? `${keys} met exactly.` : `${keys} met to ${rough(s.key_error_max)}${m}.`, mood: "good" });
    if (soft) words.push({ text: `Soft keys missed by up to ${exact(s.soft_error_max, 2)}${m}.`, mood: judge(s.soft_error_max / size, 0.1, 1) });
    if (is(s.pose_error_max)) words.push({ text: `Surfaces meet their poses exactly, their tets to ${rough(s.pose_error_max)}${m}.`, mood: "" });
    if (is(s.ghost_share)) words.push({ text: s.ghost_share < 1e-9 ? "It needs no ghost force." : `The ghost force is ${percent(s.ghost_share)} of ghost and natural forces together.`, mood: "" });
    return words;
}

// Modes, and an equilibrium, are no motion.
function solved(run) {
    const words = [], { modes, rigid, statics } = run, s = (n) => (n === 1 ? "" : "s");
    if (modes) {
        const real = modes.filter((mode) => mode.omega2 >= 0), unstable = modes.length - real.length;
        words.push({ text: `${count(modes.length)} mode${s(modes.length)}${real.length ? ` up to ${exact(real[real.length - 1].hz)} Hz` : ""}, not to scale.`, mood: "" });
        if (rigid > 0) words.push({ text: `${count(rigid)} rigid mode${s(rigid)} left out.`, mood: "" });
        if (unstable) words.push({ text: `${count(unstable)} of them grow${unstable === 1 ? "s" : ""}: the state is unstable.`, mood: "bad" });
    }
    if (statics) {
        if (statics.factor === 1) words.push({ text: `Equilibrium in ${count(statics.steps)} load step${s(statics.steps)}; the forces that remain are ${rough(statics.residual)} of the loads.`, mood: "good" });
        if (statics.stability !== "unknown") words.push({ text: `It is ${statics.stability}.`, mood: statics.stability === "unstable" ? "bad" : "" });
    }
    return words;
}

const depthMood = (deep) => (deep > 0.1 ? "bad" : deep > 0.02 ? "warn" : "");

// Bodies penetrate with penalty contact; the depth relative to their size decides whether it is visible.
function sunk(c, deepest) {
    const deep = c.penetration_relative;
    if (!is(deep) || deep <= 0.02 || !deepest) return [];
    return [{ text: `${deepest[0]} penetrates ${deepest[1]} by ${percent(deep)} of the thinner one's thickness at ${exact(c.penetration_time, 3)} s${deep > 0.1 ? ": contact is too soft" : ""}.`,
              mood: depthMood(deep) }];
}

// The barrier claims that nothing intersects; exact predicates checked it.
function apart(c) {
    const n = c.intersections, gap = is(c.gap_min) ? `the smallest gap is ${exact(c.gap_min, 2)} m` : "nothing comes within d_hat of the barrier";
    if (!is(n)) return is(c.gap_min) ? [{ text: `T${gap.slice(1)}; intersections were not checked.`, mood: "" }] : [];
    if (n > 0) return [{ text: n === 1 ? "1 intersection was recorded." : `${count(n)} intersections were recorded.`, mood: "bad" }];
    return [{ text: `Nothing intersects; ${gap}.`, mood: "good" }];
}

// Conservation says nothing about accuracy; a run with half the step does.
export const hint = (runs) => (runs.some((run) => is(run.certificate.energy_band) || is(run.certificate.energy_dissipated)) ?
    "Conservation does not prove accuracy: to measure accuracy, halve the step and compare." : "");

function ending(status) {
    if (status === "complete") return [];
    if (status === "running") return [{ text: "Still running when this page was made.", mood: "" }];
    if (status.startsWith("failed: no equilibrium")) return [{ text: `${status.slice(8, 9).toUpperCase()}${status.slice(9)}.`, mood: "bad" }];
    if (status === "killed") return [{ text: "Ended early: the run was killed (lilyan run --resume resumes it).", mood: "bad" }];
    return [{ text: `Ended early: ${status.replace(/^ended early:?\s*/i, "")}`, mood: "bad" }];
}

export function inWords(run, units) {
    const c = run.certificate, J = units ? " J" : "", size = run.high ? Math.hypot(...run.high.map((y, i) => y - run.low[i])) : Infinity;
    const words = [...ending(run.status), ...solved(run), ...shot(run.shot, units, size), ...energy(c, J, run.energy_exact),
                   ...kept("Linear momentum", c.linear_momentum_drift, 1e-6),
                   ...kept("Angular momentum", c.angular_momentum_drift, 1e-6)];
    for (const [name, drift] of run.invariants)
        words.push(...kept(name === "area" && run.loop ? "Area of the loop" : name, drift, 1e-3));
    if (is(c.damping_requested) && is(c.damping_measured))
        words.push({ text: `Damping requested ${exact(c.damping_requested, 3)} s, measured ${c.damping_measured.toPrecision(3)} s.`,
                     mood: judge(Math.abs(c.damping_measured / c.damping_requested - 1), 0.05, 0.2) || "good" });
    if (is(c.min_volume_ratio) && c.min_volume_ratio <= 0)
        words.push({ text: "A tet was inverted.", mood: "bad" });
    if (is(c.constraint_max)) words.push({ text: `Constraints satisfied to ${rough(c.constraint_max)}.`, mood: "" });
    if (is(c.penetration_max) && c.penetration_max > 0)
        words.push({ text: `Deepest penetration ${exact(c.penetration_max, 2)}${units ? " m" : ""}.`, mood: depthMood(c.penetration_relative) });
    words.push(...sunk(c, run.deepest), ...apart(c));
    if (run.integrator_reason) words.push({ text: `Integrator ${run.integrator}, chosen automatically: ${run.integrator_reason}.`, mood: "" });
    if (c.halved_steps > 0)
        words.push({ text: c.halved_steps === 1 ? "1 step was halved." : `${count(c.halved_steps)} steps were halved.`, mood: "" });
    if (c.shifted_steps > 0)
        words.push({ text: "Elements resonated and have taken shorter steps since.", mood: "bad" });
    for (const text of run.warnings ?? []) words.push({ text: `${text[0].toUpperCase()}${text.slice(1)}.`, mood: "warn" });
    if (!words.length) words.push({ text: "No certificate was recorded.", mood: "" });
    return words;
}
