// The page of a run that is still going on, from the server of `lilyan run --live`: it asks for more frames, and gives them to who shows
// them. The answer is the same page, with more data in it.
import { readPage } from "./data.js";

const PAUSE = 400, LONGEST = 2000, SILENCE = 10000; // ms, between askings: usually, of large pages, and of a server that does not answer
const PATIENCE = 60000; // ms, for an answer: a process may be stopped
const RUNNING = "Running: new frames appear as they are computed.";
const SILENT = "The command does not answer. The frames that it has recorded are in the file: lilyan report shows them.";
const NEVER = new Promise(() => {});

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const get = (path, signal) => fetch(path, { cache: "no-store", signal });

// By this request, which is answered when the run ends, the server knows that somebody watches. It also wakes a page that is out of
// sight, whose timers are slow. True: the run has ended.
const watch = () => get("end").then(({ status }) => (status === 204 ? true : pause(SILENCE).then(() => false)), () => false);

// A page with more frames than these; null: there are no more yet. A sentence is thrown as it is shown.
async function ask(frames) {
    const answer = await get(`frames/${frames}`, AbortSignal.timeout(PATIENCE)).catch(() => { throw SILENT; });
    if (answer.status === 204) return null;
    const text = await answer.text().catch(() => { throw SILENT; });
    if (answer.status === 500) throw `New frames cannot be shown: ${text}`;
    if (!answer.ok) throw SILENT;
    return readPage(new DOMParser().parseFromString(text, "text/html"));
}

// `take` gets a page with more frames, `tell` a sentence about how it is. Ends with the run.
export async function follow(page, take, tell) {
    let [run] = page.runs, failed = 0, cost = 0, end = null;
    const usual = () => Math.min(Math.max(PAUSE, 4 * cost), LONGEST); // a page that is large takes a while to make and to draw
    while (run.status === "running") {
        if (!failed) end ??= watch();
        const ended = await Promise.race([pause(Math.min(usual() * 2 ** failed, failed ? SILENCE : Infinity)), ...(end ? [end] : [])]);
        if (ended !== undefined) end = ended ? NEVER : null;
        const began = performance.now();
        let fresh;
        try {
            fresh = await ask(run.frames);
            failed = 0;
        } catch (sentence) {
            failed++;
            tell(String(sentence));
            continue;
        }
        if (fresh) {
            [run] = fresh.runs;
            take(fresh);
            cost = performance.now() - began;
        }
        tell(run.status === "running" && end !== NEVER ? RUNNING : "");
    }
}
