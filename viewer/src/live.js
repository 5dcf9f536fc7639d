// The page of a run that is still going on, from the server of `lilyan run --live`: it asks for more frames, and gives them to who shows
// them. The answer is the same page, with more data in it.
import { readPage } from "./data.js";

const PAUSE = 400, PATIENCE = 15; // ms; askings in vain before the server counts as gone

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(frames) {
    const answer = await fetch(`frames/${frames}`, { cache: "no-store" });
    if (answer.status === 204) return null;
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return readPage(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

// `take` gets a page with more frames, `tell` a sentence about how it is. Ends with the run.
export async function follow(page, take, tell) {
    let [run] = page.runs, failed = 0, cost = 0;
    tell("Running: new frames appear as they are computed.");
    while (run.status === "running" && failed < PATIENCE) {
        await pause(Math.min(Math.max(PAUSE, 4 * cost), 2000)); // a page that is large takes a while to make and to draw
        const began = performance.now();
        try {
            const fresh = await ask(run.frames);
            failed = 0;
            if (!fresh) continue;
            [run] = fresh.runs;
            take(fresh);
            cost = performance.now() - began;
        } catch { failed++; } // it has ended, or is busy
    }
    tell(run.status === "running" ? "The command has ended. Frames that it recorded later are in the file: lilyan report shows them." : "");
}
