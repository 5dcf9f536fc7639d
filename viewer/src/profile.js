// Where the time of a run's steps went: one table a run that measured it (lilyan run --profile).
import { count, exact } from "./format.js";

const share = (x) => `${x.toFixed(1)} %`;

// The rows of a run's table, as texts: phase, seconds, share, calls, milliseconds a step, seconds with what is inside.
export function rowsOf({ steps, seconds, phases }) {
    const each = (x) => exact(1000 * x / Math.max(steps, 1), 3);
    const rows = Object.entries(phases).filter(([, phase]) => phase.calls > 0).map(([name, phase]) => [
        name.replaceAll("_", " "), exact(phase.seconds, 3), share(seconds > 0 ? 100 * phase.seconds / seconds : 0), count(phase.calls), each(phase.seconds),
        name === "other" ? "" : exact(phase.whole, 3),
    ]);
    rows.push(["all steps", exact(seconds, 3), share(100), count(steps), each(seconds), ""]);
    return rows;
}

export function profileTable(run) {
    const table = document.createElement("table");
    const add = (tag, texts) => {
        const row = table.insertRow();
        for (const text of texts) row.append(Object.assign(document.createElement(tag), { textContent: text }));
    };
    if (run.name) table.createCaption().textContent = run.name;
    add("th", ["phase", "seconds", "share", "calls", "ms a step", "with inner phases"]);
    for (const row of rowsOf(run.profile)) add("td", row);
    return table;
}
